use std::time::Duration;

use redis::{Cmd, ToRedisArgs, cmd};

use crate::script::Script;
use crate::slot::slot;

/// How long one call is repeated before it is given up.
const PATIENCE: Duration = Duration::from_secs(2);

/// One command or script on one slot.
pub struct Call {
    pub(crate) name: &'static str,
    pub(crate) slot: u16,
    pub(crate) command: Cmd,
    pub(crate) script: Option<&'static Script>,
    pub(crate) repeatable: bool,
    pub(crate) waits: bool,
    pub(crate) patience: Duration,
}

impl Call {
    /// A command whose first argument is its key.
    pub fn command(name: &'static str, key: &str) -> Self {
        let mut command = cmd(name);
        command.arg(key);
        Self { name, slot: slot(key), command, script: None, repeatable: true, waits: false, patience: PATIENCE }
    }

    /// All keys must have the first one's slot.
    pub fn script(script: &'static Script, keys: &[&str]) -> Self {
        let mut command = cmd("EVALSHA");
        command.arg(&script.hash).arg(keys.len()).arg(keys);
        let slot = keys.first().map_or(0, |key| slot(key));
        let (name, script) = (script.name, Some(script));
        Self { name, slot, command, script, repeatable: true, waits: false, patience: PATIENCE }
    }

    /// One more argument, or several.
    #[must_use]
    pub fn arg(mut self, arg: impl ToRedisArgs) -> Self {
        self.command.arg(arg);
        self
    }

    /// Not to be sent again when its answer was lost.
    #[must_use]
    pub fn once(self) -> Self {
        Self { repeatable: false, ..self }
    }

    /// Answered only when replicas have it, if the URL says so.
    #[must_use]
    pub fn replicated(self) -> Self {
        Self { waits: true, ..self }
    }

    /// Given up as soon as it would have to be waited for.
    #[must_use]
    pub fn hasty(self) -> Self {
        Self { patience: Duration::ZERO, ..self }
    }
}
