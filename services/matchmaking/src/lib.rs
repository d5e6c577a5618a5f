//! The matchmaking service.
