use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use stories::Service;

pub(crate) const REPLICAS: usize = 2;

/// The services' binaries, held for this run: a build meanwhile does not change them.
pub(crate) struct Binaries {
    pub(crate) folder: PathBuf,
    /// Whether the game service dies where it is told to.
    pub(crate) failpoints: bool,
}

impl Binaries {
    /// From beside this program's own executable.
    pub(crate) fn hold(folder: PathBuf) -> anyhow::Result<Binaries> {
        let own = std::env::current_exe()?;
        let beside = own.parent().context("an executable is in a folder")?;
        std::fs::create_dir_all(&folder)?;
        for name in Service::APART.map(Service::name) {
            let (from, to) = (beside.join(name), folder.join(name));
            if !from.exists() {
                let release = if beside.ends_with("release") { "--release " } else { "" };
                bail!(
                    "{name} not found beside this program; `cargo build {release}--workspace --bins --features \
                     game/failpoints` makes it"
                );
            }
            if std::fs::hard_link(&from, &to).is_err() {
                std::fs::copy(&from, &to)?;
            }
        }
        let failpoints = contains(&folder.join(Service::Game.name()), b"FK_FAILPOINTS")?;
        Ok(Binaries { folder, failpoints })
    }
}

fn contains(file: &Path, words: &[u8]) -> anyhow::Result<bool> {
    Ok(std::fs::read(file)?.windows(words.len()).any(|window| window == words))
}
