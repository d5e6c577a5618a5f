//! The service as its callers see it, through the generated client and server, without a socket between.

use std::sync::Arc;

use proto::rating::v1::rating_service_client::RatingServiceClient;
use proto::rating::v1::{
    GetLeaderboardRequest, GetRatingsRequest, GetRecordRequest, ListAbortsRequest, ListRatingHistoryRequest,
    ListRecordsRequest, RecordGameRequest, RecordTicketRequest,
};
use proto::types::v1::{AbortReason, ArmyState, Class, EndReason, GameStatus, Seat, Visibility};
use proto::{Code, GameId, PlayerId, Refusal, TicketId};
use runtime::{Sqlite, TemporarySqlite};
use tonic::service::Routes;

use crate::record::sample::Tale;
use crate::store::SqliteStore;

struct Fixture {
    client: RatingServiceClient<Routes>,
    _file: TemporarySqlite,
}

async fn fixture() -> Fixture {
    let file = Sqlite::temporary().await.unwrap();
    SqliteStore::migrate(&file.sqlite).await.unwrap();
    let store = SqliteStore::new(file.sqlite.clone());
    Fixture { client: RatingServiceClient::new(crate::routes(Arc::new(store))), _file: file }
}

fn players() -> [PlayerId; 4] {
    std::array::from_fn(|_| PlayerId::new())
}

impl Fixture {
    async fn record(&mut self, tale: &Tale) -> Vec<(Seat, String, f64, f64)> {
        let request = RecordGameRequest { game_id: tale.game.to_string(), events: tale.events.clone() };
        let changes = self.client.record_game(request).await.unwrap().into_inner().changes;
        changes
            .into_iter()
            .map(|change| (change.seat(), change.player_id.clone(), change.before, change.after))
            .collect()
    }

    async fn refused(&mut self, tale: &Tale) -> Refusal {
        let request = RecordGameRequest { game_id: tale.game.to_string(), events: tale.events.clone() };
        self.client.record_game(request).await.unwrap_err().into()
    }
}

fn assert_names(error: tonic::Status, field: &str) {
    let refusal = Refusal::from(error);
    assert_eq!(refusal.code, Code::BadRequest, "{refusal}");
    assert!(refusal.detail.starts_with(&format!("{field}: ")), "{} instead of {field}", refusal.detail);
}

#[tokio::test]
async fn a_game_reported_again_and_again_is_answered_alike() {
    let mut fixture = fixture().await;
    let four = players();
    let tale = Tale::whole(0, four);
    let first = fixture.record(&tale).await;
    assert_eq!(first[0], (Seat::Red, four[0].to_string(), 1500.0, 1580.0));
    assert_eq!(first.iter().map(|change| change.0).collect::<Vec<_>>(), Seat::ALL);
    let longer = tale.clone().rated();
    for again in [&tale, &longer, &tale] {
        assert_eq!(fixture.record(again).await, first);
    }
    let request = GetRecordRequest { game_id: tale.game.to_string() };
    let stored = fixture.client.get_record(request).await.unwrap().into_inner().events;
    assert_eq!(stored, longer.events);
}

#[tokio::test]
async fn a_contradicting_report_is_refused_for_good() {
    let mut fixture = fixture().await;
    let tale = Tale::whole(0, players());
    fixture.record(&tale).await;
    let other = Tale { game: tale.game, ..Tale::whole(0, players()).rated() };
    let refusal = fixture.refused(&other).await;
    assert_eq!(refusal.code, Code::BadRequest);
    assert!(refusal.detail.starts_with("events: at v 1"), "{}", refusal.detail);
}

#[tokio::test]
async fn an_unfinished_or_foreign_report_is_refused() {
    let mut fixture = fixture().await;
    let begun = Tale::begin(0, |_| {}).start(&players());
    assert_eq!(fixture.refused(&begun).await.code, Code::BadRequest);
    let request = RecordGameRequest { game_id: "x".to_owned(), events: begun.events };
    assert_names(fixture.client.record_game(request).await.unwrap_err(), "game_id");
    let request = GetRecordRequest { game_id: GameId::new().to_string() };
    assert_eq!(Refusal::from(fixture.client.get_record(request).await.unwrap_err()).code, Code::NotFound);
}

#[tokio::test]
async fn ratings_are_answered_for_everybody_asked_for() {
    let mut fixture = fixture().await;
    let four = players();
    fixture.record(&Tale::whole(0, four)).await;
    let (new, ids) = (PlayerId::new().to_string(), four.map(|player| player.to_string()));
    let request = GetRatingsRequest { player_ids: vec![new.clone(), ids[3].clone()], class: Class::Blitz.into() };
    let ratings = fixture.client.get_ratings(request).await.unwrap().into_inner().ratings;
    assert_eq!((ratings[0].player_id.as_str(), ratings[0].rating, ratings[0].games), (new.as_str(), 1500.0, 0));
    assert_eq!((ratings[1].rating, ratings[1].games, ratings[1].provisional), (1420.0, 1, true));
    let request = GetRatingsRequest { player_ids: vec![ids[0].clone()], class: 0 };
    let ratings = fixture.client.get_ratings(request).await.unwrap().into_inner().ratings;
    let told: Vec<_> = ratings.iter().map(|rating| (rating.class(), rating.rating)).collect();
    assert_eq!(told, [(Class::Bullet, 1500.0), (Class::Blitz, 1580.0), (Class::Rapid, 1500.0)]);
}

#[tokio::test]
async fn lists_are_read_page_by_page() {
    let mut fixture = fixture().await;
    let four = players();
    for game in 0..5 {
        fixture.record(&Tale::whole(game * 10_000, four)).await;
    }
    let (mut sequences, mut cursor) = (Vec::new(), String::new());
    loop {
        let player_id = four[0].to_string();
        let request = ListRatingHistoryRequest { player_id, class: Class::Blitz.into(), limit: 2, cursor };
        let page = fixture.client.list_rating_history(request).await.unwrap().into_inner();
        sequences.extend(page.items.iter().map(|item| item.sequence));
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(sequences, [5, 4, 3, 2, 1]);

    let (mut board, mut cursor) = (Vec::new(), String::new());
    loop {
        let class = Class::Blitz.into();
        let request = GetLeaderboardRequest { class, include_provisional: true, limit: 3, cursor };
        let page = fixture.client.get_leaderboard(request).await.unwrap().into_inner();
        board.extend(page.items.iter().map(|item| (item.rank, item.rating.clone().unwrap().player_id)));
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(board, [1, 2, 3, 4].map(|rank: u32| (rank, four[rank as usize - 1].to_string())));

    let (mut ended, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = ListRecordsRequest { limit: 4, cursor, ..ListRecordsRequest::default() };
        let page = fixture.client.list_records(request).await.unwrap().into_inner();
        ended.extend(page.items.iter().map(|item| item.ended_unix_ms));
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(ended, [45_000, 35_000, 25_000, 15_000, 5_000]);
}

#[tokio::test]
async fn a_summary_is_complete() {
    let mut fixture = fixture().await;
    let four = players();
    fixture.record(&Tale::whole(0, four)).await;
    let waiting = Tale::begin(90_000, |settings| {
        settings.rated = false;
        settings.visibility = Visibility::Private.into();
    });
    fixture.record(&waiting.sit(Seat::Blue, four[0]).aborted(AbortReason::Expired, Seat::Unspecified)).await;
    let viewer_id = four[0].to_string();
    let request = ListRecordsRequest { viewer_id, ..ListRecordsRequest::default() };
    let items = fixture.client.list_records(request).await.unwrap().into_inner().items;
    let (aborted, over) = (&items[0], &items[1]);
    assert_eq!(
        (over.status(), over.reason(), over.abort_reason()),
        (GameStatus::Over, EndReason::LastPlayer, AbortReason::Unspecified)
    );
    assert_eq!((over.rated, over.visibility(), over.class(), over.plies), (true, Visibility::Public, Class::Blitz, 2));
    let red = &over.seats[0];
    assert_eq!((red.seat(), red.points, red.result, red.place), (Seat::Red, 40, 49, 1));
    assert_eq!((red.army(), red.rating_before, red.rating_after), (ArmyState::Playing, Some(1500.0), Some(1580.0)));
    assert_eq!((aborted.status(), aborted.abort_reason()), (GameStatus::Aborted, AbortReason::Expired));
    assert_eq!((aborted.started_unix_ms, aborted.seats.len()), (0, 1));
    assert_eq!((aborted.seats[0].seat(), aborted.seats[0].place), (Seat::Blue, 0));
    assert_eq!(aborted.seats[0].rating_before, None);
}

#[tokio::test]
async fn aborts_are_counted_for_the_culprit() {
    let mut fixture = fixture().await;
    let four = players();
    let tale = Tale::begin(0, |_| {}).start(&four).aborted(AbortReason::NoFirstMove, Seat::Green);
    assert!(fixture.record(&tale).await.is_empty());
    for (player, since_unix_ms, expected) in [(3, 0, vec![3000]), (3, 3001, vec![]), (0, 0, vec![])] {
        let request = ListAbortsRequest { player_id: four[player].to_string(), since_unix_ms };
        assert_eq!(fixture.client.list_aborts(request).await.unwrap().into_inner().at_unix_ms, expected);
    }
}

#[tokio::test]
async fn every_malformed_field_is_refused_by_name() {
    let mut fixture = fixture().await;
    let client = &mut fixture.client;
    let player_id = PlayerId::new().to_string();

    let history = ListRatingHistoryRequest { player_id: player_id.clone(), ..Default::default() };
    for (request, field) in [
        (ListRatingHistoryRequest { player_id: "x".to_owned(), ..history.clone() }, "player_id"),
        (ListRatingHistoryRequest { class: 9, ..history.clone() }, "class"),
        (ListRatingHistoryRequest { limit: 101, ..history.clone() }, "limit"),
        (ListRatingHistoryRequest { cursor: "%".to_owned(), ..history }, "cursor"),
    ] {
        assert_names(client.list_rating_history(request).await.unwrap_err(), field);
    }
    let made_up = |rating: u64, seen: u32| {
        crate::page::Cursor::write("board-rapid", &[&rating as &dyn ToString, &PlayerId::new(), &seen])
    };
    let board = GetLeaderboardRequest { class: Class::Rapid.into(), ..Default::default() };
    for (request, field) in [
        (GetLeaderboardRequest { cursor: made_up(1500f64.to_bits(), u32::MAX), ..board.clone() }, "cursor"),
        (GetLeaderboardRequest { cursor: made_up(f64::NAN.to_bits(), 1), ..board.clone() }, "cursor"),
        (GetLeaderboardRequest { cursor: made_up(f64::INFINITY.to_bits(), 1), ..board.clone() }, "cursor"),
        (GetLeaderboardRequest { class: 0, ..board.clone() }, "class"),
        (GetLeaderboardRequest { class: -1, ..board.clone() }, "class"),
        (GetLeaderboardRequest { limit: u32::MAX, ..board.clone() }, "limit"),
        (GetLeaderboardRequest { cursor: "Ym9hcmQgMSAyIDM".to_owned(), ..board }, "cursor"),
    ] {
        assert_names(client.get_leaderboard(request).await.unwrap_err(), field);
    }
    for (request, field) in [
        (ListRecordsRequest { player_id: "x".to_owned(), ..Default::default() }, "player_id"),
        (ListRecordsRequest { viewer_id: "x".to_owned(), ..Default::default() }, "viewer_id"),
        (ListRecordsRequest { status: GameStatus::Running.into(), ..Default::default() }, "status"),
        (ListRecordsRequest { status: 77, ..Default::default() }, "status"),
        (ListRecordsRequest { cursor: "cmVjb3JkcyB4IHk".to_owned(), ..Default::default() }, "cursor"),
    ] {
        assert_names(client.list_records(request).await.unwrap_err(), field);
    }
    let ratings = GetRatingsRequest { player_ids: vec!["x".to_owned()], class: 0 };
    assert_names(client.get_ratings(ratings).await.unwrap_err(), "player_ids");
    let ratings = GetRatingsRequest { player_ids: vec![player_id; 1001], class: 0 };
    assert_names(client.get_ratings(ratings).await.unwrap_err(), "player_ids");
    let aborts = ListAbortsRequest { player_id: String::new(), since_unix_ms: 0 };
    assert_names(client.list_aborts(aborts).await.unwrap_err(), "player_id");
}

#[tokio::test]
async fn a_ticket_is_kept_or_refused_by_name() {
    let mut fixture = fixture().await;
    let ticket = RecordTicketRequest {
        ticket_id: TicketId::new().to_string(),
        player_id: PlayerId::new().to_string(),
        time_control: "3+2".to_owned(),
        rated: true,
        rating: 1500.0,
        opened_unix_ms: 1,
        closed_unix_ms: 2,
        game_id: String::new(),
        outcome: "expired".to_owned(),
    };
    for _ in 0..2 {
        fixture.client.record_ticket(ticket.clone()).await.unwrap();
    }
    for (request, field) in [
        (RecordTicketRequest { ticket_id: "x".to_owned(), ..ticket.clone() }, "ticket_id"),
        (RecordTicketRequest { player_id: "x".to_owned(), ..ticket.clone() }, "player_id"),
        (RecordTicketRequest { time_control: "x".to_owned(), ..ticket.clone() }, "time_control"),
        (RecordTicketRequest { rating: f64::NAN, ..ticket.clone() }, "rating"),
        (RecordTicketRequest { outcome: "lost".to_owned(), ..ticket.clone() }, "outcome"),
        (RecordTicketRequest { outcome: "matched".to_owned(), ..ticket.clone() }, "game_id"),
        (RecordTicketRequest { game_id: GameId::new().to_string(), ..ticket.clone() }, "game_id"),
        (RecordTicketRequest { game_id: "x".to_owned(), ..ticket }, "game_id"),
    ] {
        assert_names(fixture.client.record_ticket(request).await.unwrap_err(), field);
    }
}
