//! Documents that are no positions, and the `engine` command's answers.

use kingscross_engine::command::{LONGEST_LINE, Session};
use kingscross_engine::{BadPosition, Game, Setup, Variant};
use serde_json::{Value, json};

fn start(variant: Variant) -> Value {
    Game::new(variant).document()
}

/// The start of a game with one change.
fn changed(variant: Variant, change: impl FnOnce(&mut Value)) -> Value {
    let mut document = start(variant);
    change(&mut document);
    document
}

fn remove(document: &mut Value, key: &str) {
    document.as_object_mut().unwrap().remove(key).unwrap();
}

fn refused(document: &Value) -> String {
    match Game::load(document) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it is accepted: {document}"),
    }
}

/// Makes a document say that the game has ended, with all its players as winners or else the one named.
fn end(document: &mut Value, reason: &str, winner: Option<&str>) {
    let variant: Variant = document["variant"].as_str().unwrap().parse().unwrap();
    let all: Vec<String> =
        variant.rules().turn_order.iter().map(|&seat| variant.rules().letter(seat).into()).collect();
    let others: Vec<&String> =
        all.iter().filter(|letter| winner.is_some_and(|winner| winner != **letter)).collect();
    document["turn"] = Value::Null;
    document["outcome"] = match winner {
        None => json!({ "reason": reason, "winners": all, "placements": [all] }),
        Some(winner) => json!({ "reason": reason, "winners": [winner], "placements": [[winner], others] }),
    };
}

/// One test for each rule that a document can break: the change and a part of the message.
macro_rules! refusals {
    ($($test:ident: $variant:ident, $message:literal, $change:expr;)*) => {$(
        #[test]
        fn $test() {
            let message = refused(&changed(Variant::$variant, $change));
            assert!(message.contains($message), "{message}");
        }
    )*};
}

refusals! {
    an_unknown_variant_is_refused: CrossA, "no game is called", |d| d["variant"] = json!("chess");
    a_missing_key_is_refused: CrossA, "lacks `ply`", |d| remove(d, "ply");
    an_unknown_key_is_refused: CrossA, "unknown key `phase`", |d| d["phase"] = json!("war");
    a_negative_count_is_refused: CrossA, "not a count", |d| d["ply"] = json!(-1);
    a_huge_count_is_refused: CrossA, "not a count", |d| d["ply"] = json!(u64::MAX);
    a_fraction_is_refused: CrossA, "not a count", |d| d["ply"] = json!(0.5);
    a_game_too_long_is_refused: CrossA, "so long", |d| d["ply"] = json!(6001);
    a_game_of_full_length_is_refused: CrossA, "ended already: length", |d| d["ply"] = json!(6000);
    a_game_too_quiet_is_refused: CrossA, "ended already: quiet", |d| d["quiet_plies"] = json!(100);
    a_square_off_the_board_is_refused: Crossfire, "no square `a1`", |d| d["pieces"]["a1"] = json!("sN");
    an_unknown_piece_is_refused: Crossfire, "no piece is written", |d| d["pieces"]["d5"] = json!("sX");
    a_piece_of_an_unknown_army_is_refused: CrossA, "no piece is written", |d| d["pieces"]["d5"] = json!("rR");
    a_promoted_queen_is_unknown_to_crossfire: Crossfire, "no piece is written", |d| d["pieces"]["d5"] = json!("sQ+");
    two_kings_of_an_army_are_refused: Crossfire, "two kings", |d| d["pieces"]["d5"] = json!("sK");
    an_active_army_needs_its_king: Crossfire, "South has no king", |d| remove(&mut d["pieces"], "h1");
    a_pawn_on_its_back_line_is_refused: Crossfire, "cannot stand", |d| d["pieces"]["d1"] = json!("sP");
    a_pawn_on_its_goal_is_refused: Crossfire, "cannot stand", |d| d["pieces"]["b11"] = json!("sP");
    a_pawn_beyond_the_middle_is_refused: Kingdoms, "cannot stand", |d| d["pieces"]["f8"] = json!("rP");
    a_pawn_with_a_foreign_direction_is_refused: Quaternity, "no piece is written", |d| d["pieces"]["f6"] = json!("wPv");
    a_soldier_on_the_far_rank_is_refused: CrossA, "cannot stand", |d| d["pieces"]["d8"] = json!("wP");
    a_king_out_of_its_palace_is_refused: CrossB, "cannot stand", |d| {
        remove(&mut d["pieces"], "e1");
        d["pieces"]["e4"] = json!("wK");
    };
    a_king_in_the_other_palace_is_refused: CrossB, "cannot stand", |d| {
        remove(&mut d["pieces"], "e1");
        d["pieces"]["e9"] = json!("wK");
    };
    a_queen_out_of_a_palace_is_refused: CrossB, "cannot stand", |d| d["pieces"]["a5"] = json!("wQ");
    a_pawn_behind_its_start_is_refused: CrossB, "cannot stand", |d| d["pieces"]["e3"] = json!("wP");
    an_unknown_status_is_refused: CrossA, "no status", |d| d["armies"]["w"]["status"] = json!("asleep");
    a_status_of_another_game_is_refused: Crossfire, "cannot be frozen", |d| d["armies"]["w"]["status"] = json!("frozen");
    an_army_too_many_is_refused: CrossA, "unknown key `r`", |d| d["armies"]["r"] = json!({ "status": "active" });
    an_army_too_few_is_refused: Crossfire, "lacks `e`", |d| remove(&mut d["armies"], "e");
    a_castling_right_without_its_rook_is_refused: Crossfire, "castling right", |d| remove(&mut d["pieces"], "k1");
    an_ill_written_castling_right_is_refused: Crossfire, "no castling right", |d| {
        d["armies"]["s"]["castling"] = json!("QK");
    };
    points_unlike_the_result_of_an_active_army_are_refused: Kingdoms, "do not fit", |d| {
        d["armies"]["r"]["points"] = json!(3);
    };
    too_many_points_are_refused: Kingdoms, "too many points", |d| {
        d["armies"]["r"]["points"] = json!(u32::MAX);
        d["armies"]["r"]["result_points"] = json!(u32::MAX);
    };
    an_eliminated_controller_is_refused: Quaternity, "controls nothing", |d| {
        d["armies"]["w"]["status"] = json!("eliminated");
        d["turn"] = json!("r");
        d["left"] = json!([["w"]]);
    };
    a_turn_of_nobody_is_refused: CrossA, "before the end", |d| d["turn"] = json!(null);
    a_turn_of_an_unknown_player_is_refused: CrossA, "no army has the letter", |d| d["turn"] = json!("r");
    a_turn_of_a_fallen_army_is_refused: Crossfire, "takes no turns", |d| {
        d["armies"]["s"]["status"] = json!("fallen");
        d["left"] = json!([["s"]]);
    };
    a_single_active_player_is_refused: Crossfire, "fewer than two", |d| {
        for army in ["w", "n", "e"] {
            d["armies"][army]["status"] = json!("abandoned");
        }
        remove(d, "left");
    };
    an_ultimatum_too_early_is_refused: Crossfire, "phase does not fit", |d| d["phase"] = json!("ultimatum");
    a_war_too_late_is_refused: Crossfire, "phase does not fit", |d| {
        d["armies"]["n"]["status"] = json!("fallen");
        d["armies"]["e"]["status"] = json!("fallen");
        d["left"] = json!([["n"], ["e"]]);
    };
    too_many_passes_are_refused: Crossfire, "ended already: deadlock", |d| d["passes"] = json!(4);
    a_player_left_and_active_is_refused: Crossfire, "`left`", |d| d["left"] = json!([["w"]]);
    an_offer_out_of_turn_is_refused: CrossA, "offer", |d| d["offer"] = json!({ "by": "b", "accepted": [] });
    an_offer_that_all_accept_is_refused: CrossA, "accepted", |d| d["offer"] = json!({ "by": "w", "accepted": ["b"] });
    an_offer_accepted_twice_is_refused: Crossfire, "without a vote", |d| {
        d["offer"] = json!({ "by": "s", "accepted": ["w", "w"] });
    };
    an_en_passant_right_without_its_pawn_is_refused: Crossfire, "just stepped", |d| {
        d["en_passant"] = json!([{ "army": "w", "target": "c5", "pawn": "d5" }]);
    };
    an_en_passant_right_of_the_player_on_turn_is_refused: Crossfire, "just stepped", |d| {
        remove(&mut d["pieces"], "d2");
        d["pieces"]["d4"] = json!("sP");
        d["en_passant"] = json!([{ "army": "s", "target": "d3", "pawn": "d4" }]);
    };
    an_en_passant_right_over_a_piece_that_nobody_can_have_put_there_is_refused: Crossfire, "just stepped", |d| {
        remove(&mut d["pieces"], "m5");
        d["pieces"]["k5"] = json!("eP");
        d["pieces"]["l5"] = json!("sN");
        remove(&mut d["pieces"], "e1");
        d["en_passant"] = json!([{ "army": "e", "target": "l5", "pawn": "k5" }]);
    };
    an_en_passant_right_without_a_neighbour_is_refused: CrossB, "beside", |d| {
        remove(&mut d["pieces"], "b8");
        d["pieces"]["b6"] = json!("bP");
        d["en_passant"] = json!([{ "army": "b", "target": "b7", "pawn": "b6" }]);
    };
    a_finished_game_with_a_turn_is_refused: CrossA, "after the end", |d| {
        d["outcome"] = json!({ "reason": "time", "winners": ["w"], "placements": [["w"], ["b"]] });
    };
    a_last_player_among_others_is_refused: Crossfire, "ended by last_standing", |d| end(d, "last_standing", Some("s"));
    a_throne_with_the_target_at_play_is_refused: Crossfire, "ended by throne", |d| end(d, "throne", Some("s"));
    a_last_king_in_the_war_is_refused: Crossfire, "ended by last_king", |d| end(d, "last_king", Some("s"));
    a_stalemate_of_four_is_refused: Crossfire, "ended by stalemate", |d| end(d, "stalemate", None);
    a_draw_won_by_one_is_refused: Crossfire, "ended by agreement", |d| end(d, "agreement", Some("s"));
    an_end_in_a_phase_that_has_not_come_is_refused: Crossfire, "ended by agreement", |d| {
        d["phase"] = json!("ultimatum");
        end(d, "agreement", None);
    };
    a_quiet_end_before_its_time_is_refused: Crossfire, "ended by quiet", |d| end(d, "quiet", None);
    bare_kings_with_company_are_refused: CrossA, "ended by bare_kings", |d| end(d, "bare_kings", None);
    a_deadlock_without_passes_is_refused: Quaternity, "ended by deadlock", |d| end(d, "deadlock", None);
    a_length_not_reached_is_refused: Quaternity, "ended by length", |d| end(d, "length", None);
    an_agreement_after_the_greatest_length_is_refused: CrossB, "ended by agreement", |d| {
        d["ply"] = json!(6000);
        end(d, "agreement", None);
    };
    a_checkmate_without_a_check_is_refused: CrossA, "ended by checkmate", |d| end(d, "checkmate", Some("w"));
    a_stalemate_of_one_who_can_move_is_refused: CrossB, "ended by stalemate", |d| end(d, "stalemate", Some("w"));
    a_mated_king_at_the_end_is_refused: Quaternity, "ended by agreement", |d| {
        d["pieces"] = json!({
            "a1": "wK", "a12": "rK", "l12": "bK", "l1": "gK", "a5": "rR", "b5": "rQ",
        });
        end(d, "agreement", None);
    };
    an_en_passant_right_over_a_knight_at_the_end_is_refused: CrossB, "just stepped", |d| {
        d["pieces"] = json!({ "e1": "wK", "b5": "wP", "b3": "wN", "c5": "bP", "e10": "bK" });
        d["en_passant"] = json!([{ "army": "w", "target": "b4", "pawn": "b5" }]);
        end(d, "resignation", Some("w"));
    };
    an_en_passant_right_over_a_piece_that_has_not_moved_since_is_refused: Crossfire, "just stepped", |d| {
        d["pieces"] = json!({ "h1": "sK", "a7": "wK", "h14": "nK", "n7": "eK", "d4": "sP", "d2": "nN" });
        for army in ["s", "w", "n", "e"] {
            d["armies"][army]["castling"] = json!("");
        }
        d["en_passant"] = json!([{ "army": "s", "target": "d3", "pawn": "d4" }]);
        d["turn"] = json!("n");
    };
    an_outcome_of_another_game_is_refused: CrossA, "does not end by", |d| {
        d["turn"] = json!(null);
        d["outcome"] = json!({ "reason": "throne", "winners": ["w"], "placements": [["w"], ["b"]] });
    };
    an_outcome_without_all_players_is_refused: CrossA, "every player", |d| {
        d["turn"] = json!(null);
        d["outcome"] = json!({ "reason": "time", "winners": ["w"], "placements": [["w"]] });
    };
    an_outcome_whose_winner_is_not_first_is_refused: CrossA, "placed first", |d| {
        d["turn"] = json!(null);
        d["outcome"] = json!({ "reason": "time", "winners": ["b"], "placements": [["w"], ["b"]] });
    };
    a_mated_king_is_refused: CrossA, "mated", |d| {
        d["pieces"] = json!({ "e1": "wK", "a7": "wR", "b8": "wR", "e8": "bK" });
        d["turn"] = json!("b");
    };
    a_stalemate_is_refused: CrossA, "ended already: stalemate", |d| {
        d["pieces"] = json!({ "e1": "wK", "d2": "wR", "b7": "wR", "a8": "bK", "h3": "wR" });
        d["turn"] = json!("b");
    };
    bare_kings_are_refused: CrossA, "ended already: bare_kings", |d| {
        d["pieces"] = json!({ "e1": "wK", "e8": "bK" });
    };
    a_check_out_of_turn_is_refused: CrossB, "not on turn is in check", |d| {
        d["pieces"] = json!({ "e1": "wK", "a10": "wR", "d10": "bK" });
    };
}

#[test]
fn text_that_is_no_json_is_refused() {
    let deep = "[".repeat(100_000);
    let nested = format!(r#"{{"variant":{}"#, r#"{"a":"#.repeat(10_000));
    for text in ["", "{", "nul", "1e999", "{\"ply\":1e9999}", &deep, &nested, "\u{0}", "[]", "null", "\"a\""]
    {
        assert!(Game::load_str(text).is_err());
    }
}

// Which of the two was meant nobody knows, also where the last one alone would do.
#[test]
fn a_key_that_stands_twice_is_refused() {
    let text = start(Variant::CrossA).to_string();
    assert!(Game::load_str(&text).is_ok());
    for (key, twice) in [
        ("\"turn\":\"w\"", "\"turn\":\"b\",\"turn\":\"w\""),
        ("\"a1\":\"wR\"", "\"a1\":\"wH\",\"a1\":\"wR\""),
        ("\"status\":\"active\"", "\"status\":\"active\",\"status\":\"active\""),
    ] {
        assert!(text.contains(key));
        let message = Game::load_str(&text.replacen(key, twice, 1)).unwrap_err().to_string();
        assert!(message.contains("occurs twice"), "{message}");
    }
    let mut session = Session::new();
    let request = r#"{"cmd":"load","position":{"variant":"cross-a","variant":"cross-b"}}"#;
    let answer: Value = serde_json::from_str(&session.answer(request.as_bytes())).unwrap();
    assert_eq!(answer["error"]["code"], "bad_position");
}

#[test]
fn a_setup_put_together_by_a_program_is_looked_at_too() {
    let mut setup = Setup::new(Variant::CrossA);
    assert!(matches!(Game::from_setup(&setup), Err(BadPosition::Wrong(_))));
    let rules = Variant::CrossA.rules();
    let mut put = |square: &str, piece: &str| {
        setup.pieces.push((rules.square(square).unwrap(), rules.piece(piece).unwrap()));
    };
    put("e1", "wK");
    put("e8", "bK");
    put("a2", "wP");
    assert_eq!(Game::from_setup(&setup).unwrap().legal(), ["a2-a3", "e1-d1", "e1-e2", "e1-f1"]);
    setup.pieces.push(setup.pieces[0]);
    assert!(Game::from_setup(&setup).is_err());
}

fn ask(session: &mut Session, request: &Value) -> Value {
    serde_json::from_str(&session.answer(request.to_string())).unwrap()
}

fn code(session: &mut Session, request: &str) -> String {
    let answer: Value = serde_json::from_str(&session.answer(request)).unwrap();
    assert!(answer["error"]["message"].is_string(), "{answer}");
    answer["error"]["code"].as_str().unwrap().to_owned()
}

#[test]
fn the_engine_command_answers_as_the_notation_says() {
    let mut session = Session::new();
    let new = ask(&mut session, &json!({ "cmd": "new", "variant": "crossfire" }));
    assert_eq!(new["position"], start(Variant::Crossfire));
    assert_eq!(new["legal"].as_array().unwrap().len(), 20);
    assert_eq!(new.as_object().unwrap().len(), 2);
    let applied =
        ask(&mut session, &json!({ "cmd": "apply", "actions": ["d2-d4", "b5-c5"], "id": [1, null] }));
    assert_eq!((&applied["id"], &applied["position"]["ply"]), (&json!([1, null]), &json!(2)));
    let half = ask(&mut session, &json!({ "cmd": "apply", "actions": ["d13-d12", "d4-d5"], "id": 7 }));
    assert_eq!((&half["error"]["code"], &half["id"]), (&json!("not_your_turn"), &json!(7)));
    let legal = ask(&mut session, &json!({ "cmd": "legal" }));
    assert_eq!(legal["position"], applied["position"]);
    assert_eq!(legal["legal"], applied["legal"]);
    assert_eq!(ask(&mut session, &json!({ "cmd": "perft", "depth": 0 })), json!({ "nodes": 1 }));
    let load = json!({ "cmd": "load", "position": start(Variant::CrossA) });
    assert_eq!(ask(&mut session, &load)["legal"].as_array().unwrap().len(), 8);
    assert_eq!(ask(&mut session, &json!({ "cmd": "perft", "depth": 3 })), json!({ "nodes": 616 }));
    assert!(!session.answer("{\"cmd\":\"legal\"}").contains('\n'));
}

#[test]
fn the_engine_command_refuses_with_the_codes_of_the_notation() {
    let mut session = Session::new();
    for request in ["legal", "perft\",\"depth\":\"1", "apply\",\"actions\":\"d2"] {
        let _ = session.answer(format!("{{\"cmd\":\"{request}\"}}"));
    }
    assert_eq!(code(&mut session, r#"{"cmd":"legal"}"#), "no_game");
    assert_eq!(code(&mut session, r#"{"cmd":"perft","depth":1}"#), "no_game");
    assert_eq!(code(&mut session, r#"{"cmd":"apply","actions":[]}"#), "no_game");
    assert_eq!(code(&mut session, r#"{"cmd":"new","variant":"chess"}"#), "unknown_variant");
    assert_eq!(code(&mut session, r#"{"cmd":"load","position":{"variant":"chess"}}"#), "unknown_variant");
    assert_eq!(code(&mut session, r#"{"cmd":"load","position":{"variant":"cross-a"}}"#), "bad_position");
    assert_eq!(code(&mut session, r#"{"cmd":"load","position":{}}"#), "bad_position");
    for request in [
        "",
        "x",
        "[]",
        "7",
        "{}",
        r#"{"cmd":7}"#,
        r#"{"cmd":"stop"}"#,
        r#"{"cmd":"new"}"#,
        r#"{"cmd":"new","variant":1}"#,
        r#"{"cmd":"new","variant":"cross-a","seed":1}"#,
        r#"{"cmd":"load","position":[]}"#,
        r#"{"cmd":"apply","actions":"pass"}"#,
        r#"{"cmd":"apply","actions":[1]}"#,
        r#"{"cmd":"perft"}"#,
        r#"{"cmd":"perft","depth":-1}"#,
        r#"{"cmd":"perft","depth":1.5}"#,
        r#"{"cmd":"perft","depth":4000000000}"#,
        r#"{"cmd":"legal","depth":1}"#,
    ] {
        assert_eq!(code(&mut session, request), "bad_request", "{request}");
    }
    assert_eq!(code(&mut session, &"[".repeat(100_000)), "bad_request");
    assert_eq!(code(&mut session, &" ".repeat(LONGEST_LINE + 1)), "bad_request");
    let _ = session.answer(r#"{"cmd":"new","variant":"cross-a"}"#);
    for (action, expected) in [
        ("a2a3", "bad_action"),
        ("a2-a9", "bad_action"),
        ("a2-i3", "bad_action"),
        ("a2-a3=Q", "bad_action"),
        ("a2-a3=", "bad_action"),
        ("a2-a3=RR", "bad_action"),
        ("random:pass", "bad_action"),
        ("resign:s", "bad_action"),
        ("resign:", "bad_action"),
        ("resign:wb", "bad_action"),
        ("", "bad_action"),
        ("a2-a3 ", "bad_action"),
        ("a2-a4", "illegal_move"),
        ("a2-a3=R", "illegal_move"),
        ("a4-a5", "illegal_move"),
        ("a2-a2", "illegal_move"),
        ("pass", "illegal_move"),
        ("a7-a6", "not_your_turn"),
        ("accept:b", "no_offer"),
        ("decline:w", "no_offer"),
    ] {
        let request = json!({ "cmd": "apply", "actions": [action] }).to_string();
        assert_eq!(code(&mut session, &request), expected, "{action}");
    }
    let apply = |actions: &[&str]| json!({ "cmd": "apply", "actions": actions }).to_string();
    for (actions, expected) in [
        (["offer", "offer"], "illegal_move"),
        (["offer", "accept:w"], "illegal_move"),
        (["resign:b", "a2-a3"], "game_over"),
        (["resign:b", "resign:b"], "game_over"),
        (["resign:b", "nonsense"], "bad_action"),
    ] {
        assert_eq!(code(&mut session, &apply(&actions)), expected, "{actions:?}");
    }
}

#[test]
fn the_engine_command_repeats_an_id_to_the_letter() {
    let mut session = Session::new();
    let long = "9".repeat(400);
    for id in ["null", "1e400", "-0", "1.0", "18446744073709551616", &long, r#""\ud800""#, "[1, {\"a\" : 2}]"]
    {
        for request in [r#""cmd":"new","variant":"cross-a""#, r#""cmd":"stop""#] {
            let answer = session.answer(format!("{{ \"id\" : {id} , {request} }}"));
            assert!(answer.contains(&format!("\"id\":{id}")), "{id}: {answer}");
        }
    }
    assert!(!session.answer(r#"{"cmd":"legal"}"#).contains("\"id\""));
}

#[test]
fn the_engine_command_blames_what_is_wrong_with_numbers_and_depth() {
    let mut session = Session::new();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for wrong in ["1e400", "1e2", "-0", "1.0", "18446744073709551616", "\"1\"", "null", &deep] {
        let perft = format!(r#"{{"cmd":"perft","depth":{wrong}}}"#);
        assert_eq!(code(&mut session, &perft), "bad_request", "{wrong}");
        let load = format!(r#"{{"cmd":"load","position":{{"variant":"cross-a","ply":{wrong}}}}}"#);
        assert_eq!(code(&mut session, &load), "bad_position", "{wrong}");
        let unknown = format!(r#"{{"cmd":"legal","more":{wrong}}}"#);
        assert_eq!(code(&mut session, &unknown), "bad_request", "{wrong}");
    }
    for line in [
        &b"\xff"[..],
        b"{\"cmd\":\"\xff\"}",
        b"{\"cmd\":\"legal\",\"id\":\"\xff\"}",
        b"\0",
        b"\xef\xbb\xbf{}",
    ] {
        let answer: Value = serde_json::from_str(&session.answer(line)).unwrap();
        assert_eq!(answer["error"]["code"], "bad_request", "{line:?}");
    }
}

#[test]
fn a_finished_game_has_no_continuation_at_any_depth() {
    let mut session = Session::new();
    let _ = session.answer(r#"{"cmd":"new","variant":"cross-a"}"#);
    assert_eq!(code(&mut session, r#"{"cmd":"perft","depth":33}"#), "bad_request");
    let _ = session.answer(r#"{"cmd":"apply","actions":["resign:b"]}"#);
    for (depth, nodes) in [(0, 1), (1, 0), (7, 0), (u64::MAX, 0)] {
        let answer = ask(&mut session, &json!({ "cmd": "perft", "depth": depth }));
        assert_eq!(answer, json!({ "nodes": nodes }), "{depth}");
    }
}
