#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod army;
mod attacks;
mod board;
mod castling;
mod effect;
mod fen4;
mod game;
mod generator;
mod hash;
mod legality;
mod lines;
mod moves;
mod notation;
mod outcome;
mod perft;
mod pgn4;
mod position;
mod role;
mod setup;
mod square;
mod zone;

pub use army::{Army, ArmySet, ArmySetIter, ArmyState, HowOut, UnknownArmy};
pub use castling::CastlingSide;
pub use effect::{Effect, Effects, EffectsIter};
pub use fen4::{Fen4Error, Field, Problem};
pub use game::Game;
pub use moves::{IllegalMove, Move, MoveError, MoveList, MoveListIter, NotPlaying};
pub use outcome::{EndReason, standing};
pub use perft::{Perft, perft};
pub use pgn4::{
    Action, Departure, Ending, Entry, Header, Layout, Leaving, NoSign, NotOfThisGame, Pgn4, Pgn4Error, Recorded,
    Replay, Round, Sign, Stop, Token, UnknownStart, UnreadableToken, Variation, WrittenMove, comment_value,
};
pub use position::Position;
pub use role::{KING_POINTS, Piece, Role};
pub use setup::Setup;
pub use square::{NoSuchSquare, Square};
