use serde_json::{Value, json};
use stories::{Platform, SEATS, Table};

#[tokio::test]
async fn the_same_four_play_again_one_seat_further() {
    let platform = Platform::start().await;
    let wishes = json!({"time_control": "5+5", "visibility": "public"});
    let table = Table::of(platform.guests().await, wishes).await;
    let (game, rematch) = (table.game.as_str(), format!("/v1/games/{}/rematch", table.game));
    table.players[0].post(&rematch, &json!({})).await.refused(409, "NOT_STARTED");
    let mut news = table.players[3].stream("/v1/me/events").await;
    table.resign(&["red", "blue", "yellow"]).await;

    let first = table.players[0].post(&rematch, &json!({})).await.ok();
    let new = first["id"].as_str().unwrap().to_owned();
    assert_ne!(new, game);
    let shown = ["status", "time_control", "visibility", "rated"].map(|member| &first[member]);
    assert_eq!(shown, [&json!("waiting"), &json!("5+5"), &json!("public"), &json!(false)]);
    let notice = news.notice("rematch").await;
    assert!(notice.to_string().contains(&new) && notice["seat"] == "red", "{notice}");

    // Calling again changes nothing; nobody else has a seat.
    let again = table.players[0].post(&rematch, &json!({})).await.ok();
    assert_eq!((&again["id"], &again["v"]), (&first["id"], &first["v"]));
    platform.guest("Eve").await.post(&rematch, &json!({})).await.refused(403, "FORBIDDEN");

    for player in &table.players[1..] {
        let called = player.post(&rematch, &json!({})).await.ok();
        assert_eq!(called["id"], new.as_str());
    }
    let begun = table.players[0].state(&new).await;
    assert_eq!((&begun["status"], &begun["turn"]), (&json!("running"), &json!("red")));
    // Who sat at red now moves one later or one earlier than before, and all keep their neighbours.
    let seat_of = |player: &str| SEATS.iter().position(|seat| begun["seats"][seat]["player"]["id"] == player).unwrap();
    let turned = seat_of(&table.players[0].id);
    assert!(turned == 1 || turned == 3, "by one: {turned}");
    for (old, player) in table.players.iter().enumerate() {
        assert_eq!(seat_of(&player.id), (old + turned) % 4);
    }
    let started = news.notice("game_started").await;
    assert_eq!((&started["game_id"], &started["seat"]), (&json!(new), &json!(SEATS[seat_of(&table.players[3].id)])));
}

#[tokio::test]
async fn who_watches_a_finished_game_hears_of_the_rematch() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "5+5").await;
    let mut socket = table.players[1].socket(&table.game, 6).await;
    table.resign(&["red", "blue", "yellow"]).await;
    // The socket closes after the last event; the call comes over the news.
    let (_, code, _) = socket.to_end().await;
    assert_eq!(code, 1000);
    let mut news = table.players[1].stream("/v1/me/events").await;
    let called = table.players[2].post(&format!("/v1/games/{}/rematch", table.game), &json!({})).await.ok();
    let notice = news.notice("rematch").await;
    assert_eq!(notice["seat"], "yellow");
    assert_eq!(called["over"], Value::Null);
}

#[tokio::test]
async fn a_rematch_of_a_rated_game_is_played_for_fun() {
    let platform = Platform::start().await;
    let table = Table::matched(platform.guests().await, "3+2", true).await;
    let mut stream = table.players[0].follow(&table.game, 0).await;
    table.resign(&["red", "blue", "yellow"]).await;
    assert_eq!(stream.to_end().await.pop().unwrap()["type"], "rated");
    let mut new = Value::Null;
    for player in &table.players {
        new = player.post(&format!("/v1/games/{}/rematch", table.game), &json!({})).await.ok();
    }
    assert_eq!(
        (&new["status"], &new["rated"], &new["time_control"]),
        (&json!("running"), &json!(false), &json!("3+2"))
    );
    // Whoever sits there is shown with the rating of now.
    let seats = SEATS.map(|seat| &new["seats"][seat]["player"]);
    let winner = seats.iter().find(|player| player["id"] == table.player("green").id.as_str()).unwrap();
    assert_eq!(winner["rating"], 1580.0);
}

#[tokio::test]
async fn a_rematch_that_was_left_can_be_called_again() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "3+2").await;
    table.resign(&["red", "blue", "yellow"]).await;
    let path = format!("/v1/games/{}/rematch", table.game);
    let call = async |n: usize| table.players[n].post(&path, &json!({})).await.ok()["id"].as_str().unwrap().to_owned();
    // All at once: one game.
    let (one, other) = tokio::join!(call(0), call(1));
    assert_eq!(one, other);
    for player in &table.players[..2] {
        // Whoever called first made it, and ends it by leaving.
        let left = player.delete(&format!("/v1/games/{one}/seats/me")).await;
        assert!(left.status == 204 || left.code() == "GAME_OVER", "{}", left.text);
    }
    assert_eq!(table.players[0].state(&one).await["status"], "aborted");
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(call(n).await);
    }
    assert!(ids.iter().all(|id| *id == ids[0] && *id != one), "{ids:?}");
    assert_eq!(table.players[2].state(&ids[0]).await["status"], "running");
}
