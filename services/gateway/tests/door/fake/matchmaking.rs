use std::pin::Pin;
use std::time::Duration;

use futures::{Stream, StreamExt as _, stream};
use proto::matchmaking::v1::matchmaking_service_server::MatchmakingService;
use proto::matchmaking::v1::{self as wire, Ticket};
use proto::types::v1 as types;
use proto::{Code, Refusal};
use tonic::{Request, Response, Status};

use super::{Fake, answer, inside, locked};

type Answer<T> = Result<Response<T>, Status>;

impl Fake {
    fn own(&self, id: &str, player: &str) -> Result<Ticket, Status> {
        let tickets = locked(&self.0.tickets);
        let ticket = tickets.get(id).filter(|ticket| ticket.player_id == player);
        ticket.cloned().ok_or_else(|| Refusal::not_found("ticket").into())
    }

    fn open_of(&self, player: &str) -> Option<Ticket> {
        let tickets = locked(&self.0.tickets);
        let open = |ticket: &&Ticket| ticket.player_id == player && ticket.status() == wire::TicketStatus::Waiting;
        tickets.values().find(open).cloned()
    }
}

#[tonic::async_trait]
impl MatchmakingService for Fake {
    async fn open_ticket(&self, request: Request<wire::OpenTicketRequest>) -> Answer<wire::OpenTicketResponse> {
        self.called("open_ticket")?;
        let asked = inside(request);
        let player = asked.player.unwrap_or_default();
        if player.name == "Aborter" {
            return Err(Refusal::new(Code::Cooldown, "wait").retry_after_ms(59_001).into());
        }
        if let Some(open) = self.open_of(&player.id).filter(|open| open.id != asked.ticket_id) {
            return Err(Refusal::new(Code::AlreadyWaiting, "one at a time").ticket(open.id).into());
        }
        let ticket = Ticket {
            id: asked.ticket_id.clone(),
            player_id: player.id,
            time_control: asked.time_control,
            class: types::Class::Blitz.into(),
            rated: asked.rated,
            status: wire::TicketStatus::Waiting.into(),
            opened_unix_ms: 1_000,
            waited_ms: 7,
            rating: 1_500.0,
            window_low: 1_400.04,
            window_high: 1_600.0,
            ..Default::default()
        };
        locked(&self.0.tickets).insert(asked.ticket_id, ticket.clone());
        answer(wire::OpenTicketResponse { ticket: Some(ticket) })
    }

    async fn get_ticket(&self, request: Request<wire::GetTicketRequest>) -> Answer<wire::GetTicketResponse> {
        self.called("get_ticket")?;
        let asked = inside(request);
        let ticket = self.own(&asked.ticket_id, &asked.player_id)?;
        tokio::time::sleep(Duration::from_millis(u64::try_from(asked.wait_ms).unwrap())).await;
        answer(wire::GetTicketResponse { ticket: Some(ticket) })
    }

    async fn cancel_ticket(&self, request: Request<wire::CancelTicketRequest>) -> Answer<wire::CancelTicketResponse> {
        self.called("cancel_ticket")?;
        let asked = inside(request);
        let mut ticket = self.own(&asked.ticket_id, &asked.player_id)?;
        if ticket.status() == wire::TicketStatus::Matched {
            return Err(Refusal::new(Code::AlreadyMatched, "matched").game(ticket.game_id).into());
        }
        ticket.set_status(wire::TicketStatus::Cancelled);
        ticket.set_reason(wire::CancelReason::Player);
        locked(&self.0.tickets).insert(asked.ticket_id, ticket);
        answer(wire::CancelTicketResponse {})
    }

    async fn get_open_ticket(
        &self,
        request: Request<wire::GetOpenTicketRequest>,
    ) -> Answer<wire::GetOpenTicketResponse> {
        self.called("get_open_ticket")?;
        answer(wire::GetOpenTicketResponse { ticket: self.open_of(&inside(request).player_id) })
    }

    async fn list_pools(&self, _: Request<wire::ListPoolsRequest>) -> Answer<wire::ListPoolsResponse> {
        self.called("list_pools")?;
        let pool = wire::Pool { time_control: "3+2".to_owned(), rated: true, waiting: 3, ..Default::default() };
        answer(wire::ListPoolsResponse { pools: vec![pool] })
    }

    type WatchTicketsStream = Pin<Box<dyn Stream<Item = Result<wire::WatchTicketsResponse, Status>> + Send>>;

    async fn watch_tickets(&self, request: Request<wire::WatchTicketsRequest>) -> Answer<Self::WatchTicketsStream> {
        self.called("watch_tickets")?;
        let open = self.open_of(&inside(request).player_id);
        let told = open.map(|ticket| Ok(wire::WatchTicketsResponse { ticket: Some(ticket) }));
        answer(Box::pin(stream::iter(told).chain(stream::pending())) as Self::WatchTicketsStream)
    }
}

impl Fake {
    /// A ticket finds its game.
    pub(crate) fn match_ticket(&self, id: &str, game_id: &str) {
        let mut tickets = locked(&self.0.tickets);
        let ticket = tickets.get_mut(id).unwrap();
        ticket.set_status(wire::TicketStatus::Matched);
        ticket.game_id = game_id.to_owned();
        ticket.set_seat(types::Seat::Yellow);
    }
}
