//! The rating formula. Pure.
