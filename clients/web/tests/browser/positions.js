// Positions from which one move shows something.

/** Red may castle both ways; its pawn on h7 is one step from its line; Yellow and Green have little. */
export const CASTLING = 'R-0,0,0,0-1,0,0,0-1,0,0,0-0,0,0,0-0-3,8,3/3,3,yK,4,3/14/14/14/14/gK,11,bP,bK/7,rP,6/14/14/14/14/'
  + '3,rP,6,rP,3/3,rR,3,rK,2,rR,3';

/** Red's queen is one move from a check on g14. */
export const CHECKING = 'R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-3,3,yK,4,3/14/14/14/14/14/12,bP,bK/gK,13/14/3,rQ,10/14/14/14/3,4,rK,3,3';

/** Red's rook on d5 mates Yellow's king from d14. Blue has a promoted queen on f10. */
export const MATING = 'R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-3,3,yK,4,3/3,7,rR,3/3,6,yP,1,3/14/5,bD,8/14/12,bP,bK/gK,13/14/3,rR,10/14/3,8,3/'
  + '3,3,rP,4,3/3,4,rK,3,3';
