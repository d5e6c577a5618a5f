//! The public gateway.
