//! FEN4, the position format (rules, section 10).

mod error;
mod extra;
mod read;
mod write;

pub use error::{Fen4Error, Field, Problem};
