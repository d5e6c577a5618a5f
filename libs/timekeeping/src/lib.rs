//! Time controls, four clocks, deadlines. Pure.
