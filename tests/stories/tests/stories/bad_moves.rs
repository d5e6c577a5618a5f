use serde_json::{Value, json};

use crate::untouched::{NOBODYS_ID, Scene, wishes};

const START: &str = "R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-3,yR,yN,yB,yK,yQ,yB,yN,yR,3/3,yP,yP,yP,yP,yP,yP,yP,yP,3/14/\
    gR,gP,10,bP,bR/gN,gP,10,bP,bN/gB,gP,10,bP,bB/gQ,gP,10,bP,bK/gK,gP,10,bP,bQ/gB,gP,10,bP,bB/gN,gP,10,bP,bN/\
    gR,gP,10,bP,bR/14/3,rP,rP,rP,rP,rP,rP,rP,rP,3/3,rR,rN,rB,rQ,rK,rB,rN,rR,3";

#[tokio::test]
async fn positions_that_are_none() {
    let scene = Scene::set().await;
    let replaced = [
        ("R-0,0,0,0", "P-0,0,0,0"),
        ("R-0,0,0,0", "R-0,0,0"),
        ("R-0,0,0,0", "R-0,0,0,2"),
        ("R-0,0,0,0", "R-1,0,0,0"),
        ("1,1,1,1-1,1,1,1", "1,1,1,1-1,1,1,x"),
        ("0,0,0,0-0-3", "0,0,0,10000-0-3"),
        ("0,0,0,0-0-3", "0,0,0,-1-0-3"),
        ("0,0,0,0-0-3", "0,0,0,0-x-3"),
        ("0,0,0,0-0-3", "0,0,0,0-0-{'resigned':(true,true)}-3"),
        ("0,0,0,0-0-3", "0,0,0,0-0-{'frozen':('1','','','')}-3"),
        ("0,0,0,0-0-3", "0,0,0,0-0-{'stalemated':(true,false,false,false)}-3"),
        ("0,0,0,0-0-3", "0,0,0,0-0-{'resigned':(true,true,true,false)}-3"),
        ("0,0,0,0-0-3", "0,0,0,0-200-3"),
        ("/14/3,rP", "/13/3,rP"),
        ("/14/3,rP", "/3,rP"),
        ("/14/3,rP", "/15/3,rP"),
        ("/14/3,rP", "/zZ,13/3,rP"),
        ("/14/3,rP", "/rK,13/3,rP"),
        ("3,rR,rN", "rR,2,rR,rN"),
        ("rQ,rK,rB", "rQ,rQ,rB"),
        ("3,rR,rN,rB", "3,rP,rN,rB"),
        ("3,rR,rN,rB", "3,drR,rN,rB"),
        ("/14/gR", "/7,rP,6/gR"),
    ];
    let mut bad: Vec<String> = replaced.iter().map(|(from, to)| START.replacen(from, to, 1)).collect();
    assert!(bad.iter().all(|fen4| fen4 != START), "every replacement replaces");
    bad.extend(["", "R", "hello", "----", "R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-", "\u{0}", "🤴"].map(str::to_owned));
    bad.push(format!("{START}/14"));
    bad.push(START.repeat(40));
    let red = scene.red();
    let mut wishes = wishes(&json!("3+2"));
    for fen4 in &bad {
        assert!(
            rules::Game::from_fen4(fen4).is_err() || rules::Game::from_fen4(fen4).unwrap().0.over().is_some(),
            "{fen4}"
        );
        wishes["start_fen4"] = json!(fen4);
        red.post("/v1/games", &wishes).await.refused(400, "BAD_POSITION");
    }
    for fen4 in [json!(7), json!([]), json!({"fen4": START}), json!(false)] {
        wishes["start_fen4"] = fen4;
        red.post("/v1/games", &wishes).await.refused(400, "BAD_REQUEST");
    }
    scene.end().await;
}

#[tokio::test]
async fn moves_that_are_none() {
    let scene = Scene::set().await;
    let (yellow, game) = (scene.table.player("yellow"), scene.table.game.clone());
    for text in [
        "",
        "h2",
        "h2h4",
        "h2-",
        "-h4",
        "h2-h4-h6",
        "z9-z8",
        "h0-h4",
        "h15-h16",
        "H13-H12",
        "resign",
        "0-0-0-0",
        "\u{0}",
        "h13-h12=N",
        "h13-h12=",
        "♔",
        "h13 - h12",
        "hhhhhhhhhhhhhhhhhhhhhhhhhhhh",
    ] {
        let refusal = yellow.play(&game, 2, text).await;
        let expected = if refusal.status == 422 { (422, "ILLEGAL_MOVE") } else { (400, "BAD_REQUEST") };
        refusal.refused(expected.0, expected.1);
    }
    for text in ["h13-h10", "h13-g12", "g14-g12", "d2-d4", "d3-d4", "a7-a8", "O-O", "O-O-O", "h8-h9"] {
        assert_eq!(yellow.play(&game, 2, text).await.refused(422, "ILLEGAL_MOVE")["ply"], 2, "{text}");
    }
    let path = format!("/v1/games/{game}/moves");
    for body in [
        json!({}),
        json!({"ply": 2}),
        json!({"move": "h13-h12"}),
        json!({"ply": "2", "move": "h13-h12"}),
        json!({"ply": -1, "move": "h13-h12"}),
        json!({"ply": 2.5, "move": "h13-h12"}),
        json!({"ply": 1e30, "move": "h13-h12"}),
        json!({"ply": null, "move": "h13-h12"}),
        json!({"ply": 2, "move": 13}),
        json!({"ply": 2, "move": null}),
        json!({"ply": 2, "move": ["h13", "h12"]}),
        json!([2, "h13-h12"]),
        json!("h13-h12"),
        Value::Null,
    ] {
        yellow.post(&path, &body).await.refused(400, "BAD_REQUEST");
    }
    yellow.play(&game, 1, "h13-h12").await.refused(409, "STALE_PLY");
    yellow.play(&game, 3, "h13-h12").await.refused(409, "STALE_PLY");
    yellow.play(&game, u64::from(u32::MAX), "h13-h12").await.refused(409, "STALE_PLY");
    yellow.play(NOBODYS_ID, 2, "h13-h12").await.refused(404, "NOT_FOUND");
    scene.end().await;
}
