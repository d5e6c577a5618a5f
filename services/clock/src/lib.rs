//! The clock service.
