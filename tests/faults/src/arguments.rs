use std::path::PathBuf;

use crate::redis_home::Kind;

/// Plays on the whole platform while everything dies, and checks that nothing accepted is lost.
///
/// Starts two replicas of every service on a Redis and a PostgreSQL of its own, lets scripted players play over the
/// public API, and meanwhile kills, stops and restarts everything by a seed. Then a checker holds what clients saw
/// against what the stores hold. Exit code 0 without a finding, 1 with one, 2 if it could not run.
#[derive(Debug, Clone, clap::Parser)]
#[command(version)]
pub(crate) struct Arguments {
    /// What happens when; the same seed makes the same schedule.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many games are played at once.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(2..=500))]
    pub(crate) games: u32,
    /// How long faults are injected; fractions are fine.
    #[arg(long, default_value_t = 3.0, value_parser = minutes)]
    pub(crate) minutes: f64,
    /// What the platform's live state is kept in.
    #[arg(long, value_enum, default_value_t = Kind::Server)]
    pub(crate) redis: Kind,
    /// Logs, data and what clients saw go into a new folder in here; it is kept only if there is a finding.
    #[arg(long, default_value = "/tmp")]
    pub(crate) folder: PathBuf,
    /// Keep the folder in any case.
    #[arg(long)]
    pub(crate) keep: bool,
    /// Print the schedule of the seed, and do nothing.
    #[arg(long)]
    pub(crate) schedule: bool,
}

fn minutes(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|minutes| (0.1..=600.0).contains(minutes)).ok_or("expected 0.1 to 600")
}
