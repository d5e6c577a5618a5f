use std::sync::Arc;

use proto::Refusal;
use rules::{Army, Effect, HowOut};

use super::Decision;
use crate::fact::{Counters, Fact};
use crate::state::State;

/// A game with the facts of one command, as they are found.
pub(super) struct Draft {
    state: Arc<State>,
    now: i64,
    facts: Vec<(Fact, Counters)>,
}

impl Draft {
    pub(super) fn new(state: &Arc<State>, now: i64) -> Self {
        Self { state: Arc::clone(state), now, facts: Vec::new() }
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    pub(super) const fn now(&self) -> i64 {
        self.now
    }

    pub(super) fn decided(self, answer: Result<(), Refusal>) -> Decision {
        Decision { facts: self.facts, state: Arc::unwrap_or_clone(self.state), answer }
    }

    /// One fact, and the counters it leads to.
    pub(super) fn push(&mut self, fact: Fact) {
        Arc::make_mut(&mut self.state).apply(&fact, self.now);
        self.facts.push((fact, self.state.counters()));
    }

    /// A fact that the rules were applied for, followed by what else they say it caused. The counters after each
    /// show points and armies as far as told by then; the turn and the clocks are those after all of it.
    pub(super) fn push_with_effects(&mut self, fact: Fact, effects: &[Effect]) {
        let before = self.state.counters();
        Arc::make_mut(&mut self.state).apply(&fact, self.now);
        let mut counters = Counters { points: before.points, armies: before.armies, ..self.state.counters() };
        for effect in effects {
            match *effect {
                Effect::Moved { army, points, .. } => counters.points[army.index()] += points,
                Effect::Roaming { army, state, .. } => counters.armies[army.index()] = state,
                Effect::ArmyOut { .. } | Effect::Over { .. } => {}
            }
        }
        self.facts.push((fact, counters.clone()));
        for effect in effects {
            match *effect {
                Effect::ArmyOut { army, how, by, points } => {
                    self.army_out(&mut counters, army, how, by, points);
                }
                Effect::Over { reason, .. } => {
                    let results = self.state.position.standing();
                    let standing = results.map(|army| (army, self.state.position.result(army))).to_vec();
                    self.push(Fact::Over { reason, standing });
                }
                Effect::Moved { .. } | Effect::Roaming { .. } => {}
            }
        }
    }

    fn army_out(&mut self, counters: &mut Counters, army: Army, how: HowOut, by: Army, points: u32) {
        counters.points[by.index()] += points;
        counters.armies[army.index()] = how.state();
        let fact = Fact::ArmyOut { army, how, by, points };
        Arc::make_mut(&mut self.state).apply(&fact, self.now);
        self.facts.push((fact, counters.clone()));
    }
}
