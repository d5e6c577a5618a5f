use std::process::Command;

/// What the platform's processes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Service {
    /// The door.
    Gateway,
    /// Games.
    Game,
    /// Tickets.
    Matchmaking,
    /// Ratings and records.
    Rating,
    /// Deadlines.
    Clock,
    /// All of them in one process.
    Standalone,
}

impl Service {
    /// Each a process of its own, callers first.
    pub const APART: [Service; 5] =
        [Service::Gateway, Service::Clock, Service::Matchmaking, Service::Game, Service::Rating];

    /// Its name, and its binary's.
    pub const fn name(self) -> &'static str {
        match self {
            Service::Gateway => "gateway",
            Service::Game => "game",
            Service::Matchmaking => "matchmaking",
            Service::Rating => "rating",
            Service::Clock => "clock",
            Service::Standalone => "standalone",
        }
    }

    /// The setting that says where it listens: the public API of the gateway, gRPC of the others.
    pub(crate) fn address_setting(self) -> String {
        match self {
            Service::Gateway => "FK_HTTP_ADDR".to_owned(),
            other => format!("FK_{}_ADDR", other.name().to_uppercase()),
        }
    }

    /// Those that a process of this kind serves.
    pub(crate) const fn within(self) -> &'static [Service] {
        match self {
            Service::Gateway => &[Service::Gateway],
            Service::Game => &[Service::Game],
            Service::Matchmaking => &[Service::Matchmaking],
            Service::Rating => &[Service::Rating],
            Service::Clock => &[Service::Clock],
            Service::Standalone => &Service::APART,
        }
    }

    /// Whether its binary has tables of its own to make.
    pub(crate) const fn owns_tables(self) -> bool {
        matches!(self, Service::Gateway | Service::Rating | Service::Standalone)
    }
}

/// Takes a program's environment to be these settings and nothing else.
pub(crate) fn dress<'a>(command: &mut Command, settings: impl IntoIterator<Item = &'a (String, String)>) {
    command.env_clear().envs(settings.into_iter().map(|(name, value)| (name, value)));
}
