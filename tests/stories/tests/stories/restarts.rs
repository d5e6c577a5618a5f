use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::{Either, select};
use serde_json::{Value, json};
use stories::{Platform, Player, Table, millis, within_reason};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

const FIRST_MOVES: [&str; 4] = ["d2-d3", "m4-l4", "d13-d12", "b11-c11"];

#[tokio::test]
async fn a_restart_in_mid_game_costs_nobody_anything() {
    let mut platform = Platform::start().await;
    let table = Table::of_guests(&platform, "3+2").await;
    let game = table.game.as_str();
    let played = table.play(&FIRST_MOVES).await;
    let mut socket = table.players[1].socket(game, 0).await;
    let mut stream = table.players[2].follow(game, 0).await;
    let mut news = table.players[3].stream("/v1/me/events").await;
    stream.up_to(10).await;

    // A question under way is answered before the end.
    let eve = platform.guest("Eve").await;
    let ticket = eve.ticket("1+0", false).await.expect(201)["id"].as_str().unwrap().to_owned();
    let agent = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let ask =
        |query| agent.get(format!("http://{}/v1/tickets/{ticket}{query}", eve.http)).bearer_auth(eve.token()).send();
    ask("").await.unwrap();
    // They share a connection: once the later one is answered, the earlier one has arrived.
    let (waiting, quick) = (Box::pin(ask("?wait_s=25")), Box::pin(ask("")));
    let Either::Right((_, waiting)) = select(waiting, quick).await else { panic!("it did not wait") };

    let reading = tokio::spawn(async move { (socket.to_end().await, stream.to_end().await, news.to_end().await) });
    let (answer, ()) = tokio::join!(async { waiting.await.unwrap().text().await.unwrap() }, platform.stop());
    assert!(answer.contains("\"status\":\"waiting\""), "{answer}");
    let ((events, code, reason), rest, _) = within_reason("the ends of sockets and streams", reading).await.unwrap();
    assert_eq!((events.len(), code, rest.len()), (10, 1012, 0));
    let retry_ms = reason.split_once("retry_ms=").unwrap_or_else(|| panic!("no retry_ms: {reason}")).1;
    assert!(retry_ms.parse::<u64>().is_ok_and(|ms| ms > 0 && ms <= 10_000), "{reason}");

    // Above two seconds it is an outage.
    sleep(Duration::from_millis(2_500)).await;
    platform.start_again().await;
    let state = table.state().await;
    for member in ["fen4", "ply", "turn", "seats", "last_move"] {
        assert_eq!(state[member], played[member]);
    }
    let mut stream = table.players[2].follow(game, 10).await;
    let state = table.play(&["d3-d4"]).await;
    let rest = stream.until(|event| event["type"] == "move").await;
    let [adjusted, moved] = rest.as_slice() else { panic!("{rest:?}") };
    assert_eq!((&adjusted["type"], &adjusted["seat"]), (&json!("clock_adjusted"), &json!("red")));
    let credit = adjusted["credit_ms"].as_i64().unwrap();
    let away = millis(&moved["at"]) - millis(&table.record().await.events[9]["at"]);
    assert!(credit >= 2_500 && credit <= away, "{credit} of {away} ms");
    let left = state["seats"]["red"]["remaining_ms"].as_i64().unwrap();
    assert_eq!(left, 180_000 + 2_000 - (away - credit));
    table.record().await;
}

#[tokio::test]
async fn after_a_kill_the_game_goes_on_where_it_was() {
    let mut platform = Platform::with(&[("FK_ROAMING_DELAY_MS", "1500")]).await;
    let table = Table::of_guests(&platform, "10+5").await;
    let game = table.game.as_str();
    table.resign(&["yellow"]).await;
    table.play(&["d2-d3", "m4-l4"]).await;
    // Yellow's army is about to move when the lights go out.
    platform.kill();
    sleep(Duration::from_millis(1_600)).await;
    platform.start_again().await;
    let mut stream = table.players[0].follow(game, 0).await;
    let events = stream.until(|event| event["seat"] == "yellow" && event["type"] == "move").await;
    assert_eq!(events.last().unwrap()["by_roaming"], true);
    table.play(&["b11-c11", "d3-d4"]).await;
    let state = table.resign(&["red", "green"]).await;
    assert_eq!(state["over"]["reason"], "last_player");
    table.record().await;
}

#[tokio::test]
async fn tokens_tickets_and_finished_games_survive_a_kill() {
    let mut platform = Platform::start().await;
    let table = Table::matched(platform.accounts().await, "3+2", true).await;
    let mut stream = table.players[0].follow(&table.game, 0).await;
    table.resign(&["red", "blue", "yellow"]).await;
    let events = stream.to_end().await;
    let ticket = table.player("red").ticket("5+5", true).await.expect(201);
    platform.kill();
    platform.start_again().await;
    assert_eq!(table.players[0].events(&table.game).await, events);
    let me = table.player("green").get("/v1/me").await.ok();
    assert_eq!(me["ratings"]["blitz"], json!({"rating": 1580.0, "games": 1, "provisional": true}));
    let again = table.player("red").get(&format!("/v1/tickets/{}", ticket["id"].as_str().unwrap())).await.ok();
    assert_eq!((&again["status"], &again["opened_at"]), (&json!("waiting"), &ticket["opened_at"]));
}

/// Plays legal moves for one seat until told to stop, through every outage; what was answered with 200.
async fn play_on(
    player: Player,
    game: String,
    over: watch::Receiver<bool>,
    made: Arc<AtomicUsize>,
) -> Vec<(u64, String)> {
    let mut acknowledged = Vec::new();
    let path = format!("/v1/games/{game}?include=legal_moves");
    while !*over.borrow() {
        let Ok(answer) = player.try_send(player.request(reqwest::Method::GET, &path)).await else {
            sleep(Duration::from_millis(10)).await;
            continue;
        };
        let state: Value = if answer.status == 200 { answer.json() } else { continue };
        let seat = state["turn"].as_str().unwrap_or_else(|| panic!("over: {state}"));
        if state["seats"][seat]["player"]["id"] != player.id.as_str() {
            sleep(Duration::from_millis(5)).await;
            continue;
        }
        let (ply, text) = (state["ply"].as_u64().unwrap(), quiet_move(&state));
        // Until there is an answer nobody knows whether it was made: the same again does no harm.
        let asked = Instant::now();
        loop {
            let request = player.request(reqwest::Method::POST, &format!("/v1/games/{game}/moves"));
            match player.try_send(request.json(&json!({"ply": ply, "move": text}))).await {
                Ok(answer) if answer.status == 200 => break,
                Ok(answer) if answer.status == 503 => {}
                Ok(answer) => panic!("{ply} {text}: {}", answer.text),
                Err(_) => sleep(Duration::from_millis(10)).await,
            }
            assert!(asked.elapsed() < Duration::from_secs(60), "{ply} {text} got no answer");
        }
        acknowledged.push((ply, text));
        made.fetch_add(1, Ordering::Relaxed);
    }
    acknowledged
}

/// A legal move after which the game goes on, and another one each time, so that nothing is repeated.
fn quiet_move(state: &Value) -> String {
    let (game, _) = rules::Game::from_fen4(state["fen4"].as_str().unwrap()).unwrap();
    let legal: Vec<&str> = state["legal_moves"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let expected: Vec<String> = game.legal_moves().iter().map(ToString::to_string).collect();
    let sorted = |mut moves: Vec<String>| {
        moves.sort();
        moves
    };
    assert_eq!(sorted(legal.iter().map(ToString::to_string).collect()), sorted(expected));
    let ply = state["ply"].as_u64().unwrap() as usize;
    let candidates = (0..legal.len()).map(|n| legal[(ply * 7 + n) % legal.len()]);
    let quiet = candidates.into_iter().find(|text| {
        let mut after = game.clone();
        let effects = after.play(game.parse_move(text).unwrap()).unwrap();
        effects.len() == 1 && matches!(effects[0], rules::Effect::Moved { captured: None, .. })
    });
    quiet.unwrap_or(legal[0]).to_owned()
}

#[tokio::test]
async fn killed_again_and_again_it_keeps_every_answered_move_once() {
    let mut platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let ((end, over), answered) = (watch::channel(false), Arc::new(AtomicUsize::new(0)));
    let play = |player: &Player| play_on(player.clone(), table.game.clone(), over.clone(), Arc::clone(&answered));
    let playing: Vec<_> = table.players.iter().map(|player| tokio::spawn(play(player))).collect();
    let mut kills = 0;
    while kills < 10 || answered.load(Ordering::Relaxed) <= 20 {
        // Not in step with anything the platform does.
        sleep(Duration::from_millis(350 + 130 * (kills % 4))).await;
        platform.kill();
        platform.start_again().await;
        kills += 1;
        assert!(kills < 60, "only {answered:?} moves were answered");
    }
    end.send(true).unwrap();
    let mut acknowledged = Vec::new();
    for player in playing {
        acknowledged.extend(player.await.unwrap());
    }
    acknowledged.sort();
    let record = table.record().await;
    let moves = record.events.iter().filter(|event| event["type"] == "move").zip(0_u64..);
    let made: Vec<(u64, String)> =
        moves.map(|(event, ply)| (ply, event["move"].as_str().unwrap().to_owned())).collect();
    // Every move was answered in the end, so the log holds these and no others.
    let differ = acknowledged.iter().zip(&made).find(|(told, stored)| told != stored);
    assert_eq!(differ, None, "told and stored");
    assert_eq!(acknowledged.len(), made.len(), "told and stored");
}
