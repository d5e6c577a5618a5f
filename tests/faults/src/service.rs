use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

pub(crate) const REPLICAS: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Service {
    Gateway,
    Game,
    Matchmaking,
    Rating,
    Clock,
    /// All of them in one process.
    Standalone,
}

impl Service {
    pub(crate) const ALL: [Service; 5] =
        [Service::Gateway, Service::Game, Service::Matchmaking, Service::Rating, Service::Clock];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Service::Gateway => "gateway",
            Service::Game => "game",
            Service::Matchmaking => "matchmaking",
            Service::Rating => "rating",
            Service::Clock => "clock",
            Service::Standalone => "standalone",
        }
    }
}

/// The services' binaries, held for this run: a build meanwhile does not change them.
pub(crate) struct Binaries {
    folder: PathBuf,
    /// What to start, and how many of each.
    pub(crate) services: Vec<(Service, usize)>,
    /// Whether the game service dies where it is told to.
    pub(crate) failpoints: bool,
}

impl Binaries {
    /// From beside this program's own executable. Where the services cannot run apart, the standalone process is used.
    pub(crate) fn hold(folder: PathBuf) -> anyhow::Result<Binaries> {
        let own = std::env::current_exe()?;
        let beside = own.parent().context("an executable is in a folder")?;
        std::fs::create_dir_all(&folder)?;
        let missing: Vec<&str> =
            Service::ALL.map(Service::name).into_iter().filter(|name| !beside.join(name).exists()).collect();
        let alone = [Service::Rating, Service::Standalone];
        let apart = missing.is_empty();
        if !apart && !alone.iter().all(|service| beside.join(service.name()).exists()) {
            let release = if beside.ends_with("release") { "--release " } else { "" };
            bail!(
                "{} not found beside this program; `cargo build {release}--workspace --bins --features game/failpoints` \
                 makes them",
                missing.join(", ")
            );
        }
        let held = if apart { &Service::ALL[..] } else { &alone[..] };
        for service in held {
            let (from, to) = (beside.join(service.name()), folder.join(service.name()));
            if std::fs::hard_link(&from, &to).is_err() {
                std::fs::copy(&from, &to)?;
            }
        }
        let services = if apart {
            Service::ALL.map(|service| (service, REPLICAS)).to_vec()
        } else {
            vec![(Service::Standalone, 1)]
        };
        let game = if apart { Service::Game } else { Service::Standalone };
        let failpoints = contains(&folder.join(game.name()), b"FK_FAILPOINTS")?;
        Ok(Binaries { folder, services, failpoints })
    }

    pub(crate) fn of(&self, service: Service) -> PathBuf {
        self.folder.join(service.name())
    }

    /// Those that own tables.
    pub(crate) fn migrating(&self) -> &'static [Service] {
        if self.services.len() > 1 { &[Service::Gateway, Service::Rating] } else { &[Service::Rating] }
    }
}

fn contains(file: &Path, words: &[u8]) -> anyhow::Result<bool> {
    Ok(std::fs::read(file)?.windows(words.len()).any(|window| window == words))
}
