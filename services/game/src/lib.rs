//! The game service.
