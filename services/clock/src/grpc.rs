//! The operators' view of what is waited for.

use std::sync::Arc;

use live::{LeaseKind, LiveError, LiveStore};
use proto::Refusal;
use proto::clock::v1 as wire;
use proto::clock::v1::clock_service_server::ClockService;
use tonic::{Request, Response, Status};

const DEFAULT_LIMIT: u32 = 100;
const MOST: u32 = 1000;

pub(crate) struct Grpc {
    store: Arc<dyn LiveStore>,
}

impl Grpc {
    pub(crate) fn new(store: Arc<dyn LiveStore>) -> Self {
        Self { store }
    }
}

fn unavailable(error: &LiveError) -> Status {
    tracing::warn!(error = error as &dyn std::error::Error, "the live store did not answer");
    Refusal::unavailable().into()
}

#[tonic::async_trait]
impl ClockService for Grpc {
    async fn list_deadlines(
        &self,
        request: Request<wire::ListDeadlinesRequest>,
    ) -> Result<Response<wire::ListDeadlinesResponse>, Status> {
        let limit = match request.get_ref().limit {
            0 => DEFAULT_LIMIT,
            limit @ 1..=MOST => limit,
            _ => return Err(Refusal::bad_request("limit", "expected 0 to 1000").into()),
        };
        let deadlines = self.store.deadlines(limit).await.map_err(|error| unavailable(&error))?;
        let deadlines = deadlines.iter().map(|deadline| wire::Deadline {
            game_id: deadline.game.to_string(),
            kind: deadline.kind.into(),
            ply: deadline.ply,
            due_unix_ms: deadline.due,
        });
        Ok(Response::new(wire::ListDeadlinesResponse { deadlines: deadlines.collect() }))
    }

    async fn list_leases(
        &self,
        _: Request<wire::ListLeasesRequest>,
    ) -> Result<Response<wire::ListLeasesResponse>, Status> {
        let leases = self.store.leases(LeaseKind::Deadlines).await.map_err(|error| unavailable(&error))?;
        let leases = leases.into_iter().map(|lease| wire::Lease {
            shard: lease.shard.index().into(),
            holder: lease.holder,
            until_unix_ms: lease.until,
        });
        Ok(Response::new(wire::ListLeasesResponse { leases: leases.collect() }))
    }
}
