//! What a move, a resignation or a time loss caused, in order: the raw material of an event log.

use std::ops::Deref;

use arrayvec::ArrayVec;

use crate::{Army, ArmySet, ArmyState, CastlingSide, EndReason, HowOut, Move, Piece};

/// One thing that happened (rules, sections 5 and 6).
///
/// The points in the effects of one action sum up, army by army, to the change of [`points`](crate::Position::points).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Section 5, steps 1 and 2: a piece moved. Always the first effect of a move.
    Moved {
        /// Whose move it was.
        army: Army,
        /// The move.
        mv: Move,
        /// The piece that left the board, with its owner and whether it was a promoted queen.
        captured: Option<Piece>,
        /// Points to `army` for the captured piece, 0 to 9. The 20 for a king are in [`Effect::ArmyOut`]. Less, here and
        /// there and in [`Effect::Over`], where the points reach their limit of 9999.
        points: u32,
        /// Whether a pawn became a queen.
        promoted: bool,
        /// Set when the move was castling.
        castled: Option<CastlingSide>,
        /// Armies in play whose king is attacked once everything this move caused has happened.
        checks: ArmySet,
    },
    /// Section 5, steps 2, 3 and 5: an army went out.
    ArmyOut {
        /// Who went out.
        army: Army,
        /// By mate, by stalemate or by the loss of its king.
        how: HowOut,
        /// Who got the points: the mover, or the army itself when stalemated.
        by: Army,
        /// Points to `by`: 20, or what their limit of 9999 leaves.
        points: u32,
    },
    /// Section 5, last paragraph: a playing army resigned or lost on time and is roaming from now on.
    Roaming {
        /// Which army.
        army: Army,
        /// [`ArmyState::Resigned`] or [`ArmyState::TimedOut`].
        state: ArmyState,
        /// Its player's result in points, frozen.
        result: u32,
    },
    /// Section 6: the game is over. Always the last effect.
    Over {
        /// Why.
        reason: EndReason,
        /// The one playing army left, if the reason is [`EndReason::LastPlayer`] and there is one.
        last: Option<Army>,
        /// Points to `last`: 20 for every roaming king.
        bonus: u32,
    },
}

/// One move, at most three armies out, the end.
const MOST_EFFECTS: usize = 6;

/// What one action caused (rules, section 5), in order, without an allocation. Behaves as a slice.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effects(ArrayVec<Effect, MOST_EFFECTS>);

impl Effects {
    pub(crate) const fn new() -> Effects {
        Effects(ArrayVec::new_const())
    }

    pub(crate) fn push(&mut self, effect: Effect) {
        self.0.push(effect);
    }

    /// Completes the first effect once the rest is known.
    pub(crate) fn set_checks(&mut self, attacked: ArmySet) {
        if let Some(Effect::Moved { checks, .. }) = self.0.first_mut() {
            *checks = attacked;
        }
    }
}

impl Deref for Effects {
    type Target = [Effect];

    fn deref(&self) -> &[Effect] {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Effects {
    type Item = &'a Effect;
    type IntoIter = std::slice::Iter<'a, Effect>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl IntoIterator for Effects {
    type Item = Effect;
    type IntoIter = EffectsIter;

    fn into_iter(self) -> EffectsIter {
        EffectsIter(self.0.into_iter())
    }
}

/// The effects of an action (rules, section 5), by value.
#[derive(Clone, Debug)]
pub struct EffectsIter(arrayvec::IntoIter<Effect, MOST_EFFECTS>);

impl Iterator for EffectsIter {
    type Item = Effect;

    fn next(&mut self) -> Option<Effect> {
        self.0.next()
    }
}
