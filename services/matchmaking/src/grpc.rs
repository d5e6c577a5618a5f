mod wire;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::Stream;
use proto::Refusal;
use proto::matchmaking::v1::matchmaking_service_server::MatchmakingService;
use proto::matchmaking::v1::{
    CancelTicketRequest, CancelTicketResponse, GetOpenTicketRequest, GetOpenTicketResponse, GetTicketRequest,
    GetTicketResponse, ListPoolsRequest, ListPoolsResponse, OpenTicketRequest, OpenTicketResponse, WatchTicketsRequest,
    WatchTicketsResponse,
};
use tonic::{Request, Response, Status};

use crate::hall::{Hall, Watch};

const MAX_WAIT_MS: u64 = 25_000;

/// The service on the wire.
pub(crate) struct Service {
    hall: Arc<Hall>,
}

impl Service {
    pub(crate) fn new(hall: Arc<Hall>) -> Self {
        Self { hall }
    }
}

#[tonic::async_trait]
impl MatchmakingService for Service {
    #[tracing::instrument(skip_all, fields(ticket.id = %request.get_ref().ticket_id))]
    async fn open_ticket(&self, request: Request<OpenTicketRequest>) -> Result<Response<OpenTicketResponse>, Status> {
        let view = self.hall.open(wire::request(request.into_inner())?).await?;
        Ok(Response::new(OpenTicketResponse { ticket: Some(wire::ticket(&view)) }))
    }

    #[tracing::instrument(skip_all, fields(ticket.id = %request.get_ref().ticket_id))]
    async fn get_ticket(&self, request: Request<GetTicketRequest>) -> Result<Response<GetTicketResponse>, Status> {
        let request = request.into_inner();
        let ticket = wire::id("ticket_id", &request.ticket_id)?;
        let player = wire::id("player_id", &request.player_id)?;
        let wait_ms = u64::try_from(request.wait_ms).ok().filter(|ms| *ms <= MAX_WAIT_MS);
        let wait_ms =
            wait_ms.ok_or_else(|| Refusal::bad_request("wait_ms", format_args!("expected 0 to {MAX_WAIT_MS}")))?;
        let view = self.hall.ticket(ticket, player, Duration::from_millis(wait_ms)).await?;
        Ok(Response::new(GetTicketResponse { ticket: Some(wire::ticket(&view)) }))
    }

    #[tracing::instrument(skip_all, fields(ticket.id = %request.get_ref().ticket_id))]
    async fn cancel_ticket(
        &self,
        request: Request<CancelTicketRequest>,
    ) -> Result<Response<CancelTicketResponse>, Status> {
        let request = request.into_inner();
        let ticket = wire::id("ticket_id", &request.ticket_id)?;
        self.hall.cancel(ticket, wire::id("player_id", &request.player_id)?).await?;
        Ok(Response::new(CancelTicketResponse {}))
    }

    #[tracing::instrument(skip_all)]
    async fn get_open_ticket(
        &self,
        request: Request<GetOpenTicketRequest>,
    ) -> Result<Response<GetOpenTicketResponse>, Status> {
        let view = self.hall.open_ticket(wire::id("player_id", &request.get_ref().player_id)?).await?;
        Ok(Response::new(GetOpenTicketResponse { ticket: view.as_ref().map(wire::ticket) }))
    }

    #[tracing::instrument(skip_all)]
    async fn list_pools(&self, _: Request<ListPoolsRequest>) -> Result<Response<ListPoolsResponse>, Status> {
        let pools = self.hall.pools().await?;
        Ok(Response::new(ListPoolsResponse { pools: pools.into_iter().map(wire::pool).collect() }))
    }

    type WatchTicketsStream = Pin<Box<dyn Stream<Item = Result<WatchTicketsResponse, Status>> + Send>>;

    #[tracing::instrument(skip_all)]
    async fn watch_tickets(
        &self,
        request: Request<WatchTicketsRequest>,
    ) -> Result<Response<Self::WatchTicketsStream>, Status> {
        let player = wire::id("player_id", &request.get_ref().player_id)?;
        let watch = Watch::new(Arc::clone(&self.hall), player);
        let changes = futures::stream::unfold(watch, |mut watch| async move {
            let change = watch.next().await?;
            let change = change.map(|view| WatchTicketsResponse { ticket: Some(wire::ticket(&view)) });
            Some((change.map_err(Status::from), watch))
        });
        Ok(Response::new(Box::pin(changes)))
    }
}
