//! The suite. Every test gets an empty store.

use std::collections::BTreeSet;

use live::{Append, Appended, Deadline, Head, LeaseKind, LiveStore, OutboxEntry, Projection, WakeupKind};
use proto::game::v1::{DeadlineKind, Passing};
use proto::types::v1::{Event, GameStatus, Visibility};
use proto::{CommandId, EventId, GameId, PlayerId, Shard};

/// Gives the names of all tests to a macro.
macro_rules! for_each {
    ($apply:ident) => {
        $apply! {
            a_log_grows_only_at_its_head
            of_many_writers_one_wins
            readers_are_told_what_was_stored
            a_command_can_be_looked_up
            a_game_has_one_deadline
            the_outbox_keeps_what_was_not_reported
            a_retired_game_leaves_nothing
            holders_share_the_shards
            projections_follow_the_log
            a_gap_between_beats_is_an_outage
        }
    };
}
pub(crate) use for_each;

pub(crate) fn event(v: u64) -> Event {
    Event { v, id: EventId::new().to_string(), schema: 1, at_unix_ms: 5, ..Event::default() }
}

pub(crate) fn projection(status: GameStatus) -> Projection {
    Projection { status, visibility: Visibility::Public, invite_code: None, players: Vec::new(), created: 1_000 }
}

/// One more event after `expected`.
pub(crate) fn append(game: GameId, expected: Option<Head>) -> Append {
    Append {
        game,
        expected,
        command: CommandId::new(),
        events: vec![event(expected.map_or(1, |head| head.version + 1))],
        deadline: None,
        projection: projection(GameStatus::Running),
        report: false,
    }
}

pub(crate) async fn stored(store: &dyn LiveStore, append: Append) -> Head {
    let last = append.events.last().unwrap().clone();
    assert_eq!(store.append(append).await.unwrap(), Appended::Done);
    Head { version: last.v, event: last.id.parse().unwrap() }
}

pub(crate) fn deadline(game: GameId, ply: u32, due: i64) -> Deadline {
    Deadline { game, kind: DeadlineKind::Flag, ply, due }
}

pub(crate) fn all() -> Vec<Shard> {
    Shard::all().collect()
}

pub(crate) async fn a_log_grows_only_at_its_head(store: &dyn LiveStore) {
    let game = GameId::new();
    assert_eq!(store.load(game, 0).await.unwrap(), None);
    let first = stored(store, append(game, None)).await;
    let both = Append { events: vec![event(2), event(3)], ..append(game, Some(first)) };
    let events = both.events.clone();
    let head = stored(store, both).await;
    let foreign = Head { event: EventId::new(), ..head };
    for wrong in [None, Some(first), Some(foreign), Some(Head { version: 9, ..head })] {
        let due = Some(deadline(game, 1, 1));
        let losing = Append { deadline: due, report: true, ..append(game, wrong) };
        assert_eq!(store.append(losing).await.unwrap(), Appended::Conflict, "{wrong:?}");
    }
    let log = store.load(game, 1).await.unwrap().unwrap();
    assert_eq!((log.head, log.events), (head, events));
    assert_eq!(store.load(game, 3).await.unwrap().unwrap().events, []);
    assert_eq!(store.load(game, u64::MAX).await.unwrap().unwrap().head, head);
    assert_eq!(store.deadlines(10).await.unwrap(), [], "a conflict changed something");
    assert_eq!(store.outbox(&all(), i64::MAX, 10).await.unwrap(), []);
    assert_eq!(store.heads(&[game, GameId::new()]).await.unwrap(), [(game, head)]);
    assert_eq!(store.heads(&[]).await.unwrap(), []);
}

pub(crate) async fn of_many_writers_one_wins(store: &dyn LiveStore) {
    let game = GameId::new();
    let head = stored(store, append(game, None)).await;
    let tries = (0..16).map(|_| store.append(append(game, Some(head))));
    let outcomes = futures::future::join_all(tries).await;
    let won = outcomes.into_iter().filter(|outcome| matches!(outcome, Ok(Appended::Done))).count();
    assert_eq!(won, 1);
    assert_eq!(store.load(game, 0).await.unwrap().unwrap().events.len(), 2);
}

pub(crate) async fn readers_are_told_what_was_stored(store: &dyn LiveStore) {
    let mut wakeups = store.wakeups();
    let game = GameId::new();
    let first = append(game, None);
    let events = first.events.clone();
    stored(store, first).await;
    assert_eq!(store.append(append(game, None)).await.unwrap(), Appended::Conflict);
    store.tell(game, Passing::default()).await.unwrap();
    let news = wakeups.recv().await.unwrap();
    assert_eq!(news.game, game);
    assert!(matches!(news.kind, WakeupKind::Events(told) if *told == events));
    let news = wakeups.recv().await.unwrap();
    assert!(matches!(news.kind, WakeupKind::Passing(_)), "the lost append was told: {news:?}");
}

pub(crate) async fn a_command_can_be_looked_up(store: &dyn LiveStore) {
    let game = GameId::new();
    let step = Append { events: vec![event(1), event(2)], ..append(game, None) };
    let command = step.command;
    assert_eq!(store.caused_by(game, command).await.unwrap(), None);
    stored(store, step).await;
    assert_eq!(store.caused_by(game, command).await.unwrap(), Some(2));
    assert_eq!(store.caused_by(game, CommandId::new()).await.unwrap(), None);
    assert_eq!(store.caused_by(GameId::new(), command).await.unwrap(), None);
}

pub(crate) async fn a_game_has_one_deadline(store: &dyn LiveStore) {
    let (early, late) = (GameId::new(), GameId::new());
    let head = stored(store, Append { deadline: Some(deadline(early, 0, 100)), ..append(early, None) }).await;
    stored(store, Append { deadline: Some(deadline(late, 3, 300)), ..append(late, None) }).await;
    let both = [deadline(early, 0, 100), deadline(late, 3, 300)];
    assert_eq!(store.deadlines(10).await.unwrap(), both);
    assert_eq!(store.deadlines(1).await.unwrap(), both[..1]);
    assert_eq!(store.due(&all(), 99, 10).await.unwrap(), []);
    assert_eq!(store.due(&all(), 100, 10).await.unwrap(), both[..1]);
    assert_eq!(store.due(&all(), 300, 10).await.unwrap(), both);
    assert_eq!(store.due(&all(), 300, 1).await.unwrap(), both[..1]);
    let others: Vec<Shard> = Shard::all().filter(|shard| *shard != early.shard() && *shard != late.shard()).collect();
    assert_eq!(store.due(&others, 300, 10).await.unwrap(), []);
    assert_eq!(store.due(&[], 300, 10).await.unwrap(), []);
    let head = stored(store, Append { deadline: Some(deadline(early, 1, 400)), ..append(early, Some(head)) }).await;
    assert_eq!(store.deadlines(10).await.unwrap(), [deadline(late, 3, 300), deadline(early, 1, 400)]);
    stored(store, append(early, Some(head))).await;
    assert_eq!(store.deadlines(10).await.unwrap(), [deadline(late, 3, 300)]);
}

pub(crate) async fn the_outbox_keeps_what_was_not_reported(store: &dyn LiveStore) {
    let game = GameId::new();
    let over = Append { report: true, projection: projection(GameStatus::Over), ..append(game, None) };
    let head = stored(store, over.clone()).await;
    let entry = OutboxEntry { game, version: 1, attempts: 0 };
    let soon = store.now() + 1;
    assert_eq!(store.outbox(&all(), soon, 10).await.unwrap(), [entry]);
    assert_eq!(store.outbox(&[], soon, 10).await.unwrap(), []);
    let rated = Append { expected: Some(head), command: CommandId::new(), events: vec![event(2)], ..over };
    stored(store, rated).await;
    store.reported(&entry, 0).await.unwrap();
    let longer = OutboxEntry { version: 2, ..entry };
    assert_eq!(store.outbox(&all(), store.now() + 1, 10).await.unwrap(), [longer], "the longer log is still owed");
    assert_eq!(store.retire(i64::MAX).await.unwrap(), 0, "a game that is owed must stay");

    store.report_failed(&longer, 1, Some(soon + 50_000)).await.unwrap();
    assert_eq!(store.outbox(&all(), soon + 49_999, 10).await.unwrap(), []);
    let again = OutboxEntry { attempts: 1, ..longer };
    assert_eq!(store.outbox(&all(), soon + 50_000, 10).await.unwrap(), [again]);
    store.report_failed(&again, 2, None).await.unwrap();
    assert_eq!(store.outbox(&all(), i64::MAX, 10).await.unwrap(), [], "parked");
    assert_eq!(store.outbox_size().await.unwrap(), (0, 1));
    store.reported(&again, 0).await.unwrap();
    assert_eq!(store.outbox_size().await.unwrap(), (0, 0));
}

pub(crate) async fn a_retired_game_leaves_nothing(store: &dyn LiveStore) {
    let (game, player) = (GameId::new(), PlayerId::new());
    let known = Projection { players: vec![player], invite_code: Some("code".into()), ..projection(GameStatus::Over) };
    stored(store, Append { report: true, projection: known, ..append(game, None) }).await;
    let entry = OutboxEntry { game, version: 1, attempts: 0 };
    store.reported(&entry, 500).await.unwrap();
    assert_eq!(store.retire(500).await.unwrap(), 0);
    assert_eq!(store.retire(501).await.unwrap(), 1);
    assert_eq!(store.load(game, 0).await.unwrap(), None);
    assert_eq!(store.games_of(player).await.unwrap(), []);
    assert_eq!(store.public_games(GameStatus::Over, None, 10).await.unwrap(), []);
    // The code is free again.
    let known = Projection { invite_code: Some("code".into()), ..projection(GameStatus::Waiting) };
    stored(store, Append { projection: known, ..append(GameId::new(), None) }).await;
}

pub(crate) async fn holders_share_the_shards(store: &dyn LiveStore) {
    let kind = LeaseKind::Deadlines;
    let long = store.now() + 60_000;
    let of = |shards: Vec<Shard>| shards.into_iter().collect::<BTreeSet<_>>();
    assert_eq!(store.lease(kind, "a", long).await.unwrap().len(), 64);
    assert_eq!(store.lease(kind, "b", long).await.unwrap(), [], "all are held");
    let a = of(store.lease(kind, "a", long).await.unwrap());
    let b = of(store.lease(kind, "b", long).await.unwrap());
    assert_eq!((a.len(), b.len(), a.is_disjoint(&b)), (32, 32, true));
    assert_eq!(of(store.lease(kind, "a", long).await.unwrap()), a, "renewing keeps the share");
    assert_eq!(store.leases(kind).await.unwrap().len(), 64);
    assert_eq!(store.leases(LeaseKind::Outbox).await.unwrap(), [], "kinds are apart");
    store.release(kind, "a").await.unwrap();
    assert_eq!(store.lease(kind, "b", store.now() - 1).await.unwrap().len(), 64);
    // b's leases have lapsed, as those of a dead replica do.
    assert_eq!(store.lease(kind, "c", long).await.unwrap().len(), 64);
}

pub(crate) async fn projections_follow_the_log(store: &dyn LiveStore) {
    let (red, blue) = (PlayerId::new(), PlayerId::new());
    let game = GameId::new();
    let waiting =
        Projection { invite_code: Some("abc".into()), players: vec![red, blue], ..projection(GameStatus::Waiting) };
    let head = stored(store, Append { projection: waiting.clone(), ..append(game, None) }).await;
    assert_eq!(store.invited("abc").await.unwrap(), Some(game));
    assert_eq!(store.invited("ABC").await.unwrap(), None);
    assert_eq!(store.games_of(blue).await.unwrap(), [(game, GameStatus::Waiting)]);
    let running = Projection { status: GameStatus::Running, players: vec![red], ..waiting.clone() };
    let head = stored(store, Append { projection: running, ..append(game, Some(head)) }).await;
    assert_eq!(store.invited("abc").await.unwrap(), None, "only waiting games can be joined");
    assert_eq!(store.games_of(blue).await.unwrap(), []);
    assert_eq!(store.games_of(red).await.unwrap(), [(game, GameStatus::Running)]);
    assert_eq!(store.running().await.unwrap(), [game]);

    let private = Projection { visibility: Visibility::Private, ..projection(GameStatus::Running) };
    stored(store, Append { projection: private, ..append(GameId::new(), None) }).await;
    let newer = GameId::new();
    let known = Projection { created: 2_000, ..projection(GameStatus::Running) };
    stored(store, Append { projection: known, ..append(newer, None) }).await;
    let listed = store.public_games(GameStatus::Running, None, 10).await.unwrap();
    assert_eq!(listed, [(2_000, newer), (1_000, game)]);
    assert_eq!(store.public_games(GameStatus::Running, None, 1).await.unwrap(), listed[..1]);
    assert_eq!(store.public_games(GameStatus::Running, Some(listed[0]), 10).await.unwrap(), listed[1..]);

    // More of one moment than one asks for at a time, and unevenly spread: the order is that of the ids.
    let shard = newer.shard();
    let mut many = Vec::new();
    while many.len() < 60 {
        let game = GameId::new();
        if game.shard() == shard || many.len() % 3 == 0 {
            let known = Projection { created: 3_000, ..projection(GameStatus::Running) };
            stored(store, Append { projection: known, ..append(game, None) }).await;
            many.push((3_000, game));
        }
    }
    many.sort_unstable_by(|a, b| b.cmp(a));
    let public = |before, limit| store.public_games(GameStatus::Running, before, limit);
    assert_eq!(public(None, 45).await.unwrap(), many[..45]);
    assert_eq!(public(Some(many[44]), 15).await.unwrap(), many[45..]);
    assert_eq!(public(Some(many[59]), 10).await.unwrap(), listed);

    let over = Projection { status: GameStatus::Over, players: vec![red], ..waiting };
    stored(store, Append { projection: over, ..append(game, Some(head)) }).await;
    assert_eq!(store.games_of(red).await.unwrap(), [], "an ended game is nobody's running game");
    assert_eq!(store.running().await.unwrap().len(), 62);
}

pub(crate) async fn a_gap_between_beats_is_an_outage(store: &dyn LiveStore) {
    let shard = GameId::new().shard();
    assert_eq!(store.last_beat().await.unwrap(), None);
    assert_eq!(store.beat(0).await.unwrap(), None, "the first beat ends no gap");
    let last = store.last_beat().await.unwrap().unwrap();
    let before = store.now();
    assert_eq!(store.beat(60_000).await.unwrap(), None);
    assert!((before..=store.now()).contains(&store.beaten(Shard::all().last().unwrap())), "every shard was beaten");
    // Any pause at all counts as a gap now.
    let outage = store.beat(-1).await.unwrap().unwrap();
    assert!(outage.from >= last && outage.to >= outage.from);
    // Every shard has its own, as its own beat ended it.
    let [known] = &store.outages(shard, outage.from - 1).await.unwrap()[..] else { panic!("one gap is one outage") };
    assert!(known.from >= last && known.to >= known.from && (known.to - outage.to).abs() < 1_000);
    assert_eq!(store.outages(shard, known.to - 1).await.unwrap(), std::slice::from_ref(known));
    assert_eq!(store.outages(shard, known.to).await.unwrap(), []);
}
