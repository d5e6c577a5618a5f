//! The service as its callers see it: real gRPC over loopback, with small stand-ins for the game and the rating
//! service.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "grpc/neighbours.rs"]
mod neighbours;

use std::sync::Arc;

use matchmaking::{Config, TicketHome};
use neighbours::{Neighbours, serve};
use proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient;
use proto::matchmaking::v1::{
    CancelReason, CancelTicketRequest, GetOpenTicketRequest, GetTicketRequest, ListPoolsRequest, OpenTicketRequest,
    Ticket, TicketStatus, WatchTicketsRequest,
};
use proto::types::v1::event::Seated;
use proto::types::v1::{Class, Player, Seat, Visibility};
use proto::{Code, PlayerId, Refusal, TicketId};
use runtime::grpc::{Link, connect};
use runtime::{Drain, Readiness, Sqlite, TemporarySqlite};

struct Platform {
    service: MatchmakingServiceClient<Link>,
    neighbours: Arc<Neighbours>,
    drain: Drain,
    _file: Option<TemporarySqlite>,
}

async fn platform() -> Platform {
    let file = Sqlite::temporary().await.unwrap();
    let home = TicketHome::Sqlite(file.sqlite.clone());
    Platform { _file: Some(file), ..platform_on(home, Neighbours::shared()).await }
}

async fn platform_on(home: TicketHome, neighbours: Arc<Neighbours>) -> Platform {
    let drain = Drain::new();
    let game = connect(&serve(neighbours::game(&neighbours), &drain).await).unwrap();
    let rating = connect(&serve(neighbours::rating(&neighbours), &drain).await).unwrap();
    let config = Config { time_controls: ["1+0", "3+2"].map(|text| text.parse().unwrap()).to_vec(), limits: true };
    let (game, rating) = (neighbours::game_client(game), neighbours::rating_client(rating));
    let routes = matchmaking::build(config, home, game, rating, &Readiness::new(drain.clone()), &drain).await.unwrap();
    let service = MatchmakingServiceClient::new(connect(&serve(routes, &drain).await).unwrap());
    Platform { service, neighbours, drain, _file: None }
}

fn wish(name: &str) -> OpenTicketRequest {
    OpenTicketRequest {
        ticket_id: TicketId::new().to_string(),
        player: Some(Player {
            id: PlayerId::new().to_string(),
            name: name.to_owned(),
            guest: true,
            ..Player::default()
        }),
        time_control: "3.0+2".to_owned(),
        rated: true,
    }
}

impl Platform {
    async fn open(&self, wish: &OpenTicketRequest) -> Result<Ticket, Refusal> {
        Ok(self.service.clone().open_ticket(wish.clone()).await?.into_inner().ticket.unwrap())
    }

    async fn get(&self, ticket: &Ticket, wait_ms: i64) -> Result<Ticket, Refusal> {
        let (ticket_id, player_id) = (ticket.id.clone(), ticket.player_id.clone());
        let request = GetTicketRequest { ticket_id, player_id, wait_ms };
        Ok(self.service.clone().get_ticket(request).await?.into_inner().ticket.unwrap())
    }

    async fn cancel(&self, ticket: &Ticket) -> Result<(), Refusal> {
        let (ticket_id, player_id) = (ticket.id.clone(), ticket.player_id.clone());
        self.service.clone().cancel_ticket(CancelTicketRequest { ticket_id, player_id }).await?;
        Ok(())
    }
}

#[tokio::test]
async fn four_players_meet_and_their_game_is_made_as_they_are() {
    let platform = platform().await;
    let mut tickets = Vec::new();
    for name in ["ann", "bob", "cy", "dee"] {
        let ticket = platform.open(&wish(name)).await.unwrap();
        assert_eq!((ticket.time_control.as_str(), ticket.class()), ("3+2", Class::Blitz));
        assert_eq!(ticket.rating, 1510.5);
        assert!(ticket.window_low <= 1410.5 && ticket.window_high >= 1610.5);
        tickets.push(ticket);
    }
    let mut matched = Vec::new();
    for ticket in &tickets {
        let ticket = platform.get(ticket, 20_000).await.unwrap();
        assert_eq!(ticket.status(), TicketStatus::Matched);
        matched.push(ticket);
    }
    let created = platform.neighbours.created();
    assert_eq!(created.len(), 1);
    let game = &created[0];
    assert_eq!((game.rated, game.visibility(), game.time_control.as_str()), (true, Visibility::Public, "3+2"));
    assert!(game.make_until_unix_ms.is_some());
    assert!(game.maker_player_id.is_empty() && game.seats.is_empty() && game.start_fen4.is_empty());
    assert_eq!(game.seated.iter().map(Seated::seat).collect::<Vec<_>>(), Seat::ALL);
    for seated in &game.seated {
        let player = seated.player.as_ref().unwrap();
        let ticket = matched.iter().find(|ticket| ticket.player_id == player.id).unwrap();
        assert_eq!((ticket.seat(), &ticket.game_id), (seated.seat(), &game.game_id));
        assert!(player.guest && player.provisional && player.rating == 1510.5 && player.name.len() <= 3);
    }
    let refusal = platform.cancel(&tickets[0]).await.unwrap_err();
    assert_eq!((refusal.code, refusal.game_id.as_ref()), (Code::AlreadyMatched, Some(&game.game_id)));
    for _ in 0..4 {
        let kept = platform.neighbours.next_kept().await;
        assert_eq!((kept.outcome.as_str(), &kept.game_id), ("matched", &game.game_id));
        assert!(kept.closed_unix_ms >= kept.opened_unix_ms && kept.rating == 1510.5 && kept.rated);
    }
}

#[tokio::test]
async fn two_replicas_on_one_redis_are_one_service() {
    let (url, neighbours) = (servers::redis().await, Neighbours::shared());
    let home = || TicketHome::Redis(url.clone());
    let replicas = [platform_on(home(), neighbours.clone()).await, platform_on(home(), neighbours.clone()).await];
    let mut tickets = Vec::new();
    for (turn, name) in ["ann", "bob", "cy", "dee"].into_iter().enumerate() {
        tickets.push(replicas[turn % 2].open(&wish(name)).await.unwrap());
    }
    // Each asks at the other replica than the one it came to.
    let mut games = Vec::new();
    for (turn, ticket) in tickets.iter().enumerate() {
        let ticket = replicas[(turn + 1) % 2].get(ticket, 20_000).await.unwrap();
        assert_eq!(ticket.status(), TicketStatus::Matched);
        games.push(ticket.game_id);
    }
    let created = neighbours.created();
    assert_eq!(created.len(), 1);
    assert_eq!(games, vec![created[0].game_id.clone(); 4]);
    for _ in 0..4 {
        assert_eq!(neighbours.next_kept().await.outcome, "matched");
    }
}

#[tokio::test]
async fn a_ticket_in_the_way_and_a_cooldown_say_what_to_do() {
    let platform = platform().await;
    let first = wish("ann");
    let ticket = platform.open(&first).await.unwrap();
    assert_eq!(platform.open(&first).await.unwrap().id, ticket.id);
    let second = OpenTicketRequest { ticket_id: TicketId::new().to_string(), ..first.clone() };
    let refusal = platform.open(&second).await.unwrap_err();
    assert_eq!((refusal.code, refusal.ticket_id.as_ref()), (Code::AlreadyWaiting, Some(&ticket.id)));

    let late = wish("late");
    platform.neighbours.let_abort(&late.player.as_ref().unwrap().id, runtime::wall_clock_ms() - 10_000);
    let refusal = platform.open(&late).await.unwrap_err();
    assert_eq!(refusal.code, Code::Cooldown);
    assert!((1..=50_000).contains(&refusal.retry_after_ms.unwrap()));

    let busy = wish("busy");
    platform.neighbours.let_play(&busy.player.as_ref().unwrap().id, 10);
    assert_eq!(platform.open(&busy).await.unwrap_err().code, Code::TooManyGames);
}

#[tokio::test]
async fn a_cancelled_ticket_ends_the_wait_and_frees_the_player() {
    let platform = platform().await;
    let wished = wish("ann");
    let ticket = platform.open(&wished).await.unwrap();
    let request = GetOpenTicketRequest { player_id: ticket.player_id.clone() };
    let open = platform.service.clone().get_open_ticket(request.clone()).await.unwrap().into_inner().ticket;
    assert_eq!(open.unwrap().id, ticket.id);
    let (waited, cancelled) = tokio::join!(platform.get(&ticket, 25_000), platform.cancel(&ticket));
    cancelled.unwrap();
    platform.cancel(&ticket).await.unwrap();
    let waited = waited.unwrap();
    assert_eq!((waited.status(), waited.reason()), (TicketStatus::Cancelled, CancelReason::Player));
    assert_eq!(platform.service.clone().get_open_ticket(request).await.unwrap().into_inner().ticket, None);
    assert_eq!(platform.neighbours.next_kept().await.outcome, "cancelled");
    platform.open(&OpenTicketRequest { ticket_id: TicketId::new().to_string(), ..wished }).await.unwrap();
}

#[tokio::test]
async fn a_watcher_hears_of_the_open_ticket_and_of_its_end() {
    let platform = platform().await;
    let ticket = platform.open(&wish("ann")).await.unwrap();
    let request = WatchTicketsRequest { player_id: ticket.player_id.clone() };
    let mut changes = platform.service.clone().watch_tickets(request).await.unwrap().into_inner();
    let first = changes.message().await.unwrap().unwrap().ticket.unwrap();
    assert_eq!((first.id.as_str(), first.status()), (ticket.id.as_str(), TicketStatus::Waiting));
    platform.cancel(&ticket).await.unwrap();
    let second = changes.message().await.unwrap().unwrap().ticket.unwrap();
    assert_eq!((second.status(), second.id), (TicketStatus::Cancelled, ticket.id));
    platform.drain.begin();
    assert_eq!(Refusal::from(changes.message().await.unwrap_err()).code, Code::Unavailable);
}

#[tokio::test]
async fn pools_are_listed_as_published() {
    let platform = platform().await;
    platform.open(&OpenTicketRequest { rated: false, ..wish("ann") }).await.unwrap();
    let pools = platform.service.clone().list_pools(ListPoolsRequest {}).await.unwrap().into_inner().pools;
    let told: Vec<_> = pools.iter().map(|pool| (pool.time_control.as_str(), pool.rated, pool.waiting)).collect();
    assert_eq!(told, [("1+0", false, 0), ("1+0", true, 0), ("3+2", false, 1), ("3+2", true, 0)]);
    assert_eq!(pools[0].class(), Class::Bullet);
}

#[tokio::test]
async fn every_malformed_field_is_refused_by_name() {
    let platform = platform().await;
    let with = |change: &dyn Fn(&mut OpenTicketRequest)| {
        let mut wish = wish("ann");
        change(&mut wish);
        wish
    };
    for (wish, field) in [
        (with(&|wish| wish.ticket_id = "x".to_owned()), "ticket_id"),
        (with(&|wish| wish.ticket_id.make_ascii_uppercase()), "ticket_id"),
        (with(&|wish| wish.player = None), "player"),
        (with(&|wish| wish.player.as_mut().unwrap().id.clear()), "player.id"),
        (with(&|wish| wish.player.as_mut().unwrap().name.clear()), "player.name"),
        (with(&|wish| wish.player.as_mut().unwrap().name = "x".repeat(10_000)), "player.name"),
        (with(&|wish| wish.time_control = "3+".to_owned()), "time_control"),
        (with(&|wish| wish.time_control = "3+3".to_owned()), "time_control"),
    ] {
        let refusal = platform.open(&wish).await.unwrap_err();
        assert_eq!(refusal.code, Code::BadRequest);
        assert!(refusal.detail.starts_with(&format!("{field}: ")), "{}", refusal.detail);
    }
    let ticket = platform.open(&wish("ann")).await.unwrap();
    for (ticket, wait_ms, field) in [
        (Ticket { id: "x".to_owned(), ..ticket.clone() }, 0, "ticket_id"),
        (Ticket { player_id: "x".to_owned(), ..ticket.clone() }, 0, "player_id"),
        (ticket.clone(), -1, "wait_ms"),
        (ticket.clone(), 25_001, "wait_ms"),
    ] {
        let refusal = platform.get(&ticket, wait_ms).await.unwrap_err();
        assert_eq!(refusal.code, Code::BadRequest);
        assert!(refusal.detail.starts_with(&format!("{field}: ")), "{}", refusal.detail);
    }
    let mut service = platform.service.clone();
    let nobody = GetOpenTicketRequest { player_id: "x".to_owned() };
    assert_eq!(Refusal::from(service.get_open_ticket(nobody).await.unwrap_err()).code, Code::BadRequest);
    let nobody = WatchTicketsRequest { player_id: "x".to_owned() };
    assert_eq!(Refusal::from(service.watch_tickets(nobody).await.unwrap_err()).code, Code::BadRequest);
    assert!(platform.get(&ticket, 0).await.unwrap().status() == TicketStatus::Waiting);
}
