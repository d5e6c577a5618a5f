use runtime::Environment;
use timekeeping::TimeControl;

/// What this service takes from the environment.
#[derive(Debug, Clone)]
pub struct Config {
    /// The published time controls, in the order they are shown.
    pub time_controls: Vec<TimeControl>,
    /// Whether who lets a game abort has to wait.
    pub limits: bool,
}

impl From<&Environment> for Config {
    fn from(environment: &Environment) -> Self {
        Self { time_controls: environment.time_controls.clone(), limits: environment.limits }
    }
}
