//! Whole-platform stories over the public API.
