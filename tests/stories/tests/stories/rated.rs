use serde_json::{Value, json};
use stories::{Platform, Record, SEATS, Table};

/// A number as the API shows ratings.
fn one_decimal(rating: f64) -> f64 {
    (rating * 10.0).round() / 10.0
}

/// Rules, section 8: new ratings of players given best first, each of whom has played `games` rated games.
fn rate(before: [f64; 4], games: i32) -> [f64; 4] {
    let k = 160.0 * 5_f64.powf(-f64::from(games) / 30.0);
    std::array::from_fn(|a| {
        let others = (0..4).filter(|b| *b != a);
        let won = others.map(|b| {
            let expected = 1.0 / (1.0 + 10_f64.powf((before[b] - before[a]) / 400.0));
            f64::from(u8::from(a < b)) - expected
        });
        before[a] + k / 3.0 * won.sum::<f64>()
    })
}

/// Three resign, so that green wins; the stream of the first, to its end.
async fn green_wins(table: &Table) -> Vec<Value> {
    let mut stream = table.players[0].follow(&table.game, 0).await;
    table.resign(&["red", "blue", "yellow"]).await;
    stream.to_end().await
}

fn rating(page: &Value) -> (f64, u64, bool) {
    let blitz = &page["blitz"];
    (blitz["rating"].as_f64().unwrap(), blitz["games"].as_u64().unwrap(), blitz["provisional"].as_bool().unwrap())
}

#[tokio::test]
async fn four_accounts_meet_by_tickets_and_their_ratings_move() {
    let platform = Platform::start().await;
    let table = Table::matched(platform.accounts().await, "3+2", true).await;
    let (game, visitor) = (table.game.clone(), platform.visitor());
    let begun = table.state().await;
    assert_eq!(
        (&begun["rated"], &begun["visibility"], &begun["status"]),
        (&json!(true), &json!("public"), &json!("running"))
    );
    assert_eq!(begun["seats"]["red"]["player"]["rating"], 1500.0);
    assert_eq!(begun["seats"]["red"]["player"]["provisional"], true);

    // The last event is that of the ratings, and they are as the rules say.
    let events = green_wins(&table).await;
    let record = Record::of(&events);
    assert_eq!(record.types().iter().rev().take(2).collect::<Vec<_>>(), [&"rated", &"over"]);
    let after = [1580.0, 1526.7, 1473.3, 1420.0];
    assert_eq!(rate([1500.0; 4], 0).map(one_decimal), after);
    let standing: Vec<Value> = ["green", "yellow", "blue", "red"]
        .into_iter()
        .zip([60, 0, 0, 0])
        .zip(after)
        .enumerate()
        .map(|(n, ((seat, result), after))| {
            json!({"seat": seat, "place": n + 1, "result": result, "rating_before": 1500.0, "rating_after": after})
        })
        .collect();
    let state = table.state().await;
    assert_eq!(state["over"], json!({"reason": "last_player", "standing": standing}));
    assert_eq!(state["v"], events.len());
    for change in record.first("rated")["changes"].as_array().unwrap() {
        let shown = standing.iter().find(|place| place["seat"] == change["seat"]).unwrap();
        assert_eq!(change["rating_before"], shown["rating_before"]);
        assert_eq!(change["rating_after"], shown["rating_after"]);
    }

    // The same numbers on every page.
    for (place, seat) in ["green", "yellow", "blue", "red"].into_iter().enumerate() {
        let player = table.player(seat);
        let me = player.get("/v1/me").await.ok();
        assert_eq!(rating(&me["ratings"]), (after[place], 1, true), "{me}");
        assert_eq!((&me["ticket"], &me["games"]), (&Value::Null, &json!([])));
        assert_eq!((&me["player"]["id"], &me["player"]["guest"]), (&json!(player.id), &json!(false)));
        let page = format!("/v1/players/{}", player.id);
        assert_eq!(visitor.get(&page).await.ok()["name"], player.name.as_str());
        assert_eq!(rating(&visitor.get(&format!("{page}/ratings")).await.ok()), (after[place], 1, true));
        let history = visitor.get(&format!("{page}/rating-history?class=blitz")).await.ok();
        let item = &history["items"][0];
        assert_eq!(item["game_id"], game.as_str());
        assert_eq!((&item["rating_before"], &item["rating_after"]), (&json!(1500.0), &json!(after[place])));
        assert_eq!((history["items"].as_array().unwrap().len(), &history["next_cursor"]), (1, &Value::Null));
        assert_eq!(visitor.get(&format!("{page}/rating-history?class=rapid")).await.ok()["items"], json!([]));
        let games = visitor.get(&format!("{page}/games")).await.ok();
        assert_eq!(games["items"][0]["id"], game.as_str());
    }
    assert_eq!(visitor.get("/v1/leaderboards/blitz").await.ok(), json!({"items": [], "next_cursor": null}));
    let board = visitor.get("/v1/leaderboards/blitz?provisional=true").await.ok();
    for (place, seat) in ["green", "yellow", "blue", "red"].into_iter().enumerate() {
        let line = &board["items"][place];
        assert_eq!((&line["rank"], &line["rating"]), (&json!(place + 1), &json!(after[place])), "{board}");
        assert_eq!(line["player"]["id"], table.player(seat).id.as_str());
    }
    let page = visitor.get("/v1/leaderboards/blitz?provisional=true&limit=3").await.ok();
    let cursor = page["next_cursor"].as_str().expect("one line is left");
    let rest = visitor.get(&format!("/v1/leaderboards/blitz?provisional=true&limit=3&cursor={cursor}")).await.ok();
    assert_eq!((&rest["items"][0], &rest["next_cursor"]), (&board["items"][3], &Value::Null));

    // The next game goes on from what is stored, to all its decimals.
    let exact = rate([1500.0; 4], 0);
    let before = |id: &str| {
        let place = ["green", "yellow", "blue", "red"].into_iter().position(|seat| table.player(seat).id == id);
        exact[place.unwrap()]
    };
    let again = Table::matched(table.players.clone(), "3+2", true).await;
    assert_ne!(again.game, table.game);
    green_wins(&again).await;
    let order = ["green", "yellow", "blue", "red"].map(|seat| before(&again.player(seat).id));
    let second = rate(order, 1).map(one_decimal);
    let standing = again.state().await["over"]["standing"].clone();
    for place in 0..4 {
        assert_eq!(standing[place]["rating_before"], one_decimal(order[place]), "{standing}");
        assert_eq!(standing[place]["rating_after"], second[place], "{standing}");
        let player = again.player(SEATS[3 - place]);
        assert_eq!(rating(&player.get("/v1/me").await.ok()["ratings"]), (second[place], 2, true));
        let history = visitor.get(&format!("/v1/players/{}/rating-history", player.id)).await.ok();
        let ids = [&history["items"][0]["game_id"], &history["items"][1]["game_id"]];
        assert_eq!(ids, [again.game.as_str(), game.as_str()], "newest first");
    }
}

#[tokio::test]
async fn a_casual_game_from_tickets_moves_no_rating() {
    let platform = Platform::start().await;
    let table = Table::matched(platform.guests().await, "1+0", false).await;
    let events = green_wins(&table).await;
    assert_eq!(events.last().unwrap()["type"], "over");
    let me = table.player("green").get("/v1/me").await.ok();
    assert_eq!((&me["ratings"]["bullet"]["rating"], &me["ratings"]["bullet"]["games"]), (&json!(1500.0), &json!(0)));
    let board = platform.visitor().get("/v1/leaderboards/bullet?provisional=true").await.ok();
    assert_eq!(board["items"], json!([]));
}
