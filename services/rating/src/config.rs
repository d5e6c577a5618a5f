use runtime::Environment;

/// What this service takes from the environment: nothing of its own so far.
#[derive(Debug, Clone)]
pub struct Config {}

impl From<&Environment> for Config {
    fn from(_: &Environment) -> Self {
        Self {}
    }
}
