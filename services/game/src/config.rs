/// What the game service takes from the environment.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// How long a player's first move may take, in milliseconds.
    pub first_move_ms: i64,
    /// How long a roaming army waits before it moves, in milliseconds.
    pub roaming_delay_ms: i64,
}

impl From<&runtime::Environment> for Config {
    fn from(environment: &runtime::Environment) -> Self {
        Self { first_move_ms: environment.first_move_ms, roaming_delay_ms: environment.roaming_delay_ms }
    }
}
