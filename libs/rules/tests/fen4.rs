//! FEN4: both dialects, every refusal with its field and square, hostile texts.

#![allow(clippy::unwrap_used)]
use rules::{Army, ArmyState, EndReason, Game};

/// Four kings and a rook: the smallest board that is not over.
const BOARD: &str = "14/6,yK,7/14/14/gK,13/14/13,bK/14/14/14/14/7,rR,6/7,rK,6/14";

fn with(fields: &str) -> String {
    format!("{fields}-{BOARD}")
}

fn refusal(fen4: &str) -> String {
    match Game::from_fen4(fen4) {
        Ok((game, _)) => panic!("{fen4} was read as {}", game.fen4()),
        Err(error) => error.to_string(),
    }
}

fn read(fen4: &str) -> Game {
    Game::from_fen4(fen4).unwrap_or_else(|error| panic!("{fen4}: {error}")).0
}

const PLAIN: &str = "R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0";

#[test]
fn every_refusal_names_its_field_and_square() {
    let start = Game::start().fen4();
    let extra = |keys: &str| with(&format!("R-0,0,0,1-0,0,0,0-0,0,0,0-5,5,5,5-0-{{{keys}}}"));
    let board = |board: &str| format!("{PLAIN}-{board}");
    for (fen4, expected) in [
        ("".to_owned(), "turn: the field is missing"),
        (with("X-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0"), "turn: expected R, B, Y or G"),
        (with("r-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0"), "turn: expected R, B, Y or G"),
        (with("R-0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0"), "dead: expected four of 0 and 1"),
        (with("R-0,0,0,2-0,0,0,0-0,0,0,0-0,0,0,0-0"), "dead: expected four of 0 and 1"),
        (with("R-0,0,0,0-0,0,0,0,0-0,0,0,0-0,0,0,0-0"), "castleShort: expected four of 0 and 1"),
        (with("R-0,0,0,0-0,0,0,0-true,0,0,0-0,0,0,0-0"), "castleLong: expected four of 0 and 1"),
        (with("R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,+1,0-0"), "points: expected a number"),
        (with("R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,10000,0-0"), "points: a number is above 9999"),
        (with("R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-"), "halfmove: expected a number"),
        (with("R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-99999999999999999999"), "halfmove: a number is above 9999"),
        (with("R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-{"), "extra: expected {...} and a dash"),
        (extra("resigned:(false,false,false,false)"), "extra: expected 'key':value, separated by commas"),
        (extra("'resigned':(false,false,false)"), "resigned: expected four values in parentheses"),
        (extra("'flagged':(0,0,0,0)"), "flagged: expected true or false"),
        (extra("'stalemated':true"), "stalemated: expected four values in parentheses"),
        (extra("'frozen':(1,'','','')"), "frozen: expected numbers in quotes"),
        (extra("'frozen':('x','','','')"), "frozen: expected a number"),
        (extra("'frozen':('10000','','','')"), "frozen: a number is above 9999"),
        (
            extra("'flagged':(false,false,false,false),'flagged':(false,false,false,false)"),
            "flagged: the key is given twice",
        ),
        (
            extra("'resigned':(false,true,false,false),'flagged':(false,true,false,false)"),
            "resigned: blue is more than one of resigned, flagged and out",
        ),
        (extra("'flagged':(false,false,false,true)"), "flagged: green is more than one of resigned, flagged and out"),
        (extra("'stalemated':(false,true,false,false)"), "stalemated: blue is stalemated, but not out"),
        (extra("'frozen':('3','','','')"), "frozen: red is playing, but its result is frozen"),
        (extra("'frozen':('','','','6')"), "frozen: the frozen result of green is above its points"),
        (with("G-0,0,0,1-0,0,0,0-0,0,0,0-0,0,0,0-0"), "turn, a10: green is to move, but out"),
        (
            with("R-0,0,0,0-1,0,0,0-0,0,0,0-0,0,0,0-0"),
            "castleShort, h2: red may castle, but its king is not on a start square",
        ),
        (
            start.replace("rN,rR,3", "rN,1,3"),
            "castleShort, k1: red may castle, but its rook is not on its start square",
        ),
        (
            start.replace("rR,rN,rB,rQ", "1,rN,rB,rQ"),
            "castleLong, d1: red may castle, but its rook is not on its start square",
        ),
        (board("14"), "board: expected 14 ranks"),
        (board(&format!("{BOARD}/14")), "board: expected 14 ranks"),
        (board(&BOARD.replace("6,yK,7", "6,yK,6")), "board, n13: expected 14 squares a rank"),
        (board(&BOARD.replace("6,yK,7", "6,yK,8")), "board, h13: expected 14 squares a rank"),
        (board(&BOARD.replace("6,yK,7", "14,yK")), "board, n13: expected 14 squares a rank"),
        (board(&BOARD.replace("6,yK,7", "6,yK,0,7")), "board, h13: expected 1 to 14 empty squares"),
        (board(&BOARD.replace("6,yK,7", "6,yK,99999999999,7")), "board, h13: a number is above 9999"),
        (board(&BOARD.replace("6,yK,7", "6,yK,x,6")), "board, h13: x stands for a corner square, and this is none"),
        (board(&BOARD.replace("6,yK,7", "2,rN,3,yK,7")), "board, c13: a piece stands on a corner"),
        (board(&BOARD.replace("6,yK,7", "6,yK,zP,6")), "board, h13: expected a number, a piece or x"),
        (
            board(&BOARD.replace("6,yK,7", "6,yK,dyK,6")),
            "board, h13: a piece of yellow is marked d, but yellow is in play",
        ),
        (board(&BOARD.replace("6,yK,7", "6,yK,yK,6")), "board, h13: yellow is in play with more than one king"),
        (board(&BOARD.replace("gK,13", "14")), "board: green is in play without a king"),
        (
            board(&BOARD.replace("7,rK,6/14", "7,rK,6/3,rP,10")),
            "board, d1: a pawn of red stands on its line 1, or on line 8 or beyond",
        ),
        (
            board(&BOARD.replace("13,bK", "6,bP,6,bK")),
            "board, g8: a pawn of blue stands on its line 1, or on line 8 or beyond",
        ),
        (
            board(
                &BOARD.replace("/14/14/14/14/7,rR,6", "/14/14/rN,rN,rN,rN,rN,rN,rN,rN,rN,rN,rN,rN,rN,rN/14/7,rR,rR,5"),
            ),
            "board, n5: red has more than 16 pieces",
        ),
        // Red is mated where it stands.
        (
            "R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-14/6,yK,7/14/14/gK,13/14/13,bK/14/14/3,bR,10/4,bR,9/5,bN,8/14/3,rK,10"
                .to_owned(),
            "turn, d1: red is to move, but has no legal move",
        ),
    ] {
        assert_eq!(refusal(&fen4), expected, "{fen4}");
    }
}

#[test]
fn both_dialects_of_corners_and_white_space_are_read() {
    let start = Game::start().fen4();
    let spaced = start
        .replace("-3,yR", "-\n x,X,x,yR")
        .replace("yR,3/", "yR,x,x,x /\n")
        .replace("3,rP", "1,x,1,rP")
        .replace("0-0", "0 - 0");
    assert_eq!(read(&spaced).fen4(), start);
}

#[test]
fn unknown_extra_keys_are_reported_and_left_out() {
    let fen4 = with("R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-{'lives':(1,(2,3)),'pawnsBaseRank':3,'a}b':'-{'}");
    let (game, unknown) = Game::from_fen4(&fen4).unwrap();
    assert_eq!(unknown, ["lives", "pawnsBaseRank", "a}b"]);
    assert_eq!(game.fen4(), with(PLAIN));
}

#[test]
fn keys_in_any_order_print_in_ours() {
    let fen4 = with(
        "R-0,0,0,1-0,0,0,0-0,0,0,0-9,9,9,9-7-{'frozen':('','4','',''),'stalemated':(false,false,false,true),'resigned':(false,true,false,false)}",
    );
    let game = read(&fen4);
    assert_eq!(
        game.fen4().split("-{").nth(1).and_then(|rest| rest.split("}-").next()),
        Some("'resigned':(false,true,false,false),'stalemated':(false,false,false,true),'frozen':('','4','','')")
    );
    assert_eq!((game.points(Army::Blue), game.result(Army::Blue)), (9, 4));
}

#[test]
fn a_roaming_army_without_a_frozen_result_gets_its_points() {
    let game = read(&with("R-0,0,0,0-0,0,0,0-0,0,0,0-0,12,0,0-3-{'flagged':(false,true,false,false)}"));
    assert_eq!(game.army_state(Army::Blue), ArmyState::TimedOut);
    assert_eq!(game.result(Army::Blue), 12);
    assert!(game.fen4().contains("'frozen':('','12','','')"));
}

#[test]
fn the_dead_field_decides_who_is_out() {
    let game = read(&with("R-0,1,0,1-1,1,1,1-1,1,1,1-0,0,0,0-3").replace("1,1,1,1", "0,1,0,1").replace("gK,13", "14"));
    assert_eq!(game.army_state(Army::Blue), ArmyState::Checkmated);
    assert_eq!(game.army_state(Army::Green), ArmyState::KingCaptured);
    // Its pieces need no d to be read, and get one when printed; its castling rights are none.
    assert!(game.fen4().starts_with("R-0,1,0,1-0,0,0,0-0,0,0,0-") && game.fen4().contains("dbK"));
}

#[test]
fn positions_that_are_over_are_read_so() {
    for (fen4, reason) in [
        (with("R-0,1,1,1-0,0,0,0-0,0,0,0-1,2,3,4-0"), EndReason::LastPlayer),
        (with("R-0,0,0,0-0,0,0,0-0,0,0,0-1,2,3,4-200"), EndReason::FiftyMoves),
        (with("R-0,0,1,0-0,0,0,0-0,0,0,0-1,2,3,4-150"), EndReason::FiftyMoves),
        (with("R-0,0,0,0-0,0,0,0-0,0,0,0-1,2,3,4-0").replace("rR", "1"), EndReason::BareKings),
    ] {
        let game = read(&fen4);
        assert_eq!(game.over(), Some(reason), "{fen4}");
        assert!(game.legal_moves().is_empty());
        assert_eq!(Army::ALL.map(|army| game.points(army)), [1, 2, 3, 4]);
    }
    assert_eq!(read(&with("R-0,0,0,0-0,0,0,0-0,0,0,0-1,2,3,4-199")).over(), None);
}

#[test]
fn an_army_already_mated_goes_out_at_the_next_move() {
    // Red stands mated by Blue, but it is Yellow's move.
    let fen4 =
        "Y-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-14/6,yK,7/14/14/gK,13/14/13,bK/14/14/3,bR,10/4,bR,9/5,bN,8/14/3,rK,10";
    let mut game = read(fen4);
    assert_eq!(game.army_state(Army::Red), ArmyState::Playing);
    let mv = game.parse_move("g13-g14").unwrap();
    game.play(mv).unwrap();
    assert_eq!(game.army_state(Army::Red), ArmyState::Checkmated);
    assert_eq!(game.points(Army::Yellow), 20);
}

#[test]
fn hostile_texts_are_refused_in_good_time() {
    let long = 1 << 20;
    for text in [
        "-".repeat(long),
        "R-".repeat(long / 2),
        format!("{PLAIN}-{{{}", "(".repeat(long)),
        format!("{PLAIN}-{{{}}}-{BOARD}", "'a':(".repeat(long / 5)),
        format!("{PLAIN}-{}", "/".repeat(long)),
        format!("{PLAIN}-{}", "1,".repeat(long / 2)),
        format!("{PLAIN}-{}", "é".repeat(long / 2)),
        format!("R-{}", "0,".repeat(long / 2)),
        format!("R-0,0,0,0-0,0,0,0-0,0,0,0-{},0,0,0-0-{BOARD}", "9".repeat(long)),
        format!("{PLAIN}-{{'{}':1}}-{BOARD}", "'".repeat(long)),
    ] {
        assert!(Game::from_fen4(&text).is_err());
    }
    let many = format!("{PLAIN}-{{{}'z':0}}-{BOARD}", "'a':1,".repeat(long / 6));
    assert_eq!(Game::from_fen4(&many).map(|(_, unknown)| unknown.len()), Ok(long / 6 + 1));
}
