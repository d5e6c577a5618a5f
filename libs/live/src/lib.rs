//! Live state: the store trait and its homes.
