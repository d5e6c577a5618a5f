//! What is done to the platform, and when: by the seed alone.

use std::fmt;

use stories::Service;

use crate::dice::Dice;
use crate::redis_home::Kind;
use crate::service::REPLICAS;

/// Where the game service can be told to die (services/game/src/failpoint.rs).
const FAILPOINTS: [&str; 4] = ["append_before_answer", "before_wakeup", "before_report", "before_reported"];
const STOPPED_MS: u64 = 5_000;
/// A master is called dead after five seconds (deploy/redis), and its replica needs a moment more. What comes back just
/// then may take writes that the replica never gets: no fault that Redis promises to survive.
const FAILED_OVER_MS: [u64; 2] = [9_000, 11_000];
/// The platform is left alone until then.
const FIRST_MS: u64 = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// SIGKILL.
    Kill(Service, usize),
    /// SIGKILL of all replicas.
    KillAll(Service),
    /// SIGTERM.
    End(Service, usize),
    /// SIGSTOP.
    Stop(Service, usize),
    KillRedis,
    /// One of the masters of a Redis that can do without it.
    KillMaster,
    KillPostgres,
    /// `pg_terminate_backend` for every connection.
    Terminate,
    /// The replica is started anew, to die when it gets there for the so many-th time.
    Failpoint {
        replica: usize,
        place: &'static str,
        times: u64,
    },
}

impl Fault {
    /// What it is counted as.
    pub(crate) fn kind(&self) -> String {
        match self {
            Fault::Kill(service, _) => format!("SIGKILL {}", service.name()),
            Fault::KillAll(service) => format!("SIGKILL all {}", service.name()),
            Fault::End(service, _) => format!("SIGTERM {}", service.name()),
            Fault::Stop(service, _) => format!("SIGSTOP {}", service.name()),
            Fault::KillRedis => "restart Redis".to_owned(),
            Fault::KillMaster => "failover of Redis".to_owned(),
            Fault::KillPostgres => "restart PostgreSQL".to_owned(),
            Fault::Terminate => "pg_terminate_backend".to_owned(),
            Fault::Failpoint { place, .. } => format!("failpoint {place}"),
        }
    }
}

/// A fault at its time, and for how long what it hits is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planned {
    pub(crate) at_ms: u64,
    pub(crate) fault: Fault,
    pub(crate) gone_ms: u64,
}

impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6.1} s  {}", self.at_ms as f64 / 1000.0, self.fault.kind())?;
        match self.fault {
            Fault::Kill(_, replica) | Fault::End(_, replica) | Fault::Stop(_, replica) => {
                write!(f, ", replica {replica}")?;
            }
            Fault::Failpoint { replica, times, .. } => write!(f, ", replica {replica}, the {times}th time")?,
            _ => {}
        }
        write!(f, ", for {:.1} s", self.gone_ms as f64 / 1000.0)
    }
}

/// The schedule of a seed. Every kind comes once before any comes again.
pub(crate) fn schedule(seed: u64, minutes: f64, redis: Kind) -> Vec<Planned> {
    let mut dice = Dice::new(seed);
    let (mut planned, mut at_ms, mut kinds) = (Vec::new(), FIRST_MS, Vec::new());
    let end_ms = (minutes * 60_000.0) as u64;
    loop {
        if kinds.is_empty() {
            kinds = all(&mut dice);
            if redis != Kind::Server {
                kinds.push(Fault::KillMaster);
            }
            dice.shuffle(&mut kinds);
        }
        let Some(fault) = kinds.pop() else { return planned };
        let gone_ms = match fault {
            Fault::Stop(..) => STOPPED_MS,
            Fault::KillAll(_) => dice.between(500, 5_000),
            Fault::KillMaster => dice.between(FAILED_OVER_MS[0], FAILED_OVER_MS[1]),
            Fault::Kill(..) | Fault::KillRedis | Fault::KillPostgres => dice.between(0, 4_000),
            // It ends in its own time, and the next fault waits for it.
            Fault::End(..) | Fault::Terminate | Fault::Failpoint { .. } => 0,
        };
        if at_ms + gone_ms > end_ms {
            return planned;
        }
        planned.push(Planned { at_ms, fault, gone_ms });
        at_ms += gone_ms + dice.between(600, 2_400);
    }
}

fn all(dice: &mut Dice) -> Vec<Fault> {
    let mut kinds = vec![Fault::KillRedis, Fault::KillPostgres, Fault::Terminate];
    kinds.extend([Service::Gateway, Service::Game].map(Fault::KillAll));
    // One of the others at a time stays away altogether.
    kinds.push(Fault::KillAll(*dice.pick(&[Service::Matchmaking, Service::Rating, Service::Clock])));
    for service in Service::APART {
        kinds.push(Fault::Kill(service, dice.roll(REPLICAS as u64) as usize));
        kinds.push(Fault::End(service, dice.roll(REPLICAS as u64) as usize));
        kinds.push(Fault::Stop(service, dice.roll(REPLICAS as u64) as usize));
    }
    for place in FAILPOINTS {
        let times = if place.starts_with("before_report") { dice.between(1, 3) } else { dice.between(5, 60) };
        kinds.push(Fault::Failpoint { replica: dice.roll(REPLICAS as u64) as usize, place, times });
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::{Kind, schedule};

    #[test]
    fn a_seed_makes_one_schedule() {
        let schedule = |seed| schedule(seed, 3.0, Kind::Sentinel);
        assert_eq!(schedule(7), schedule(7));
        assert_ne!(schedule(7), schedule(8));
    }
}
