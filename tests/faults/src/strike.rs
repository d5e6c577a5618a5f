//! Carries the schedule out.

use std::sync::Arc;
use std::time::Duration;

use servers::Postgres;
use sqlx::{Connection as _, PgConnection};
use stories::Service;
use tokio::time::{Instant, sleep, sleep_until};

use crate::fleet::Fleet;
use crate::journal::Journal;
use crate::plan::{Fault, Planned};
use crate::redis_home::RedisHome;
use crate::report::say;
use crate::service::REPLICAS;
use crate::timeline::Timeline;

/// What can be hit.
pub(crate) struct Targets {
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) redis: RedisHome,
    pub(crate) postgres: Postgres,
    pub(crate) database: String,
    pub(crate) timeline: Arc<Timeline>,
    pub(crate) journal: Arc<Journal>,
}

impl Targets {
    /// Strikes in the order of the schedule, late rather than two at once.
    pub(crate) async fn strike(&self, schedule: &[Planned]) {
        let began = Instant::now();
        for planned in schedule {
            sleep_until(began + Duration::from_millis(planned.at_ms)).await;
            say(&planned.to_string());
            self.journal.injected(&planned.fault.kind());
            self.hit(planned).await;
        }
    }

    async fn hit(&self, planned: &Planned) {
        let gone = Duration::from_millis(planned.gone_ms);
        match planned.fault {
            Fault::Kill(service, replica) => {
                self.fleet.kill(service, replica);
                sleep(gone).await;
                self.fleet.revive(service, replica, None);
            }
            Fault::KillAll(service) => {
                (0..REPLICAS).for_each(|replica| self.fleet.kill(service, replica));
                sleep(gone).await;
                (0..REPLICAS).for_each(|replica| self.fleet.revive(service, replica, None));
            }
            Fault::End(service, replica) => self.fleet.end(service, replica).await,
            Fault::Stop(service, replica) => {
                self.fleet.pause(service, replica, true);
                sleep(gone).await;
                self.fleet.pause(service, replica, false);
            }
            Fault::KillRedis => self.redis.kill_all(&self.timeline, gone).await,
            Fault::KillMaster => self.redis.kill_master(planned.at_ms, &self.timeline, gone).await,
            Fault::KillPostgres => {
                self.postgres.kill();
                sleep(gone).await;
                self.postgres.restart().await;
            }
            Fault::Terminate => self.terminate().await,
            Fault::Failpoint { replica, place, times } => {
                self.fleet.kill(Service::Game, replica);
                self.fleet.revive(Service::Game, replica, Some((place, times)));
            }
        }
    }

    async fn terminate(&self) {
        let Ok(mut connection) = PgConnection::connect(&self.database).await else { return };
        let all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
        let _ = sqlx::query(all).execute(&mut connection).await;
        let _ = connection.close().await;
    }
}
