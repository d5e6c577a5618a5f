/// The machine's clock, in milliseconds since 1970-01-01T00:00:00Z. Decisions take the instant as an argument;
/// only a store without a clock of its own and things that may drift (expiry of tokens, logs) ask here.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one place where the machine's clock is read")]
pub fn wall_clock_ms() -> i64 {
    proto::unix_ms(std::time::SystemTime::now())
}
