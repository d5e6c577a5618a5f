//! Time controls and the four clocks of a game, as values: every instant is an argument, nothing here reads a
//! clock. Instants are Unix milliseconds ([`UnixMs`]), spans are milliseconds.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod clocks;
mod control;

pub use clocks::{Clocks, TurnKind, UnixMs};
pub use control::{Class, InvalidTimeControl, TimeControl};
