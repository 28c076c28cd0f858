//! Cases in which the engine once disagreed with the rules; `differential.rs` found them.

use kingscross_engine::{Action, Game, Variant, perft};
use serde_json::{Value, json};

fn play(variant: Variant, start: &Value, actions: &[&str]) -> Game {
    let mut game = Game::load(start).expect("a position of the rules");
    for text in actions {
        let action = Action::parse(variant, text).expect("an action");
        game.act(&action).unwrap_or_else(|rejection| panic!("{text}: {rejection:?}"));
    }
    game
}

// rules/common, Draws: a soldier beyond the river can step back where it came from.
#[test]
fn a_soldiers_sideways_steps_repeat_a_position() {
    let start = json!({
        "variant": "cross-a", "ply": 0, "turn": "w", "quiet_plies": 0, "offer": null, "outcome": null,
        "pieces": { "a1": "wK", "d5": "wP", "h8": "bK" },
        "armies": { "w": { "status": "active" }, "b": { "status": "active" } },
    });
    let round = ["d5-e5", "h8-g8", "e5-d5", "g8-h8"];
    let game = play(Variant::CrossA, &start, &[round, round].concat());
    assert_eq!(game.document()["outcome"]["reason"], "repetition");
}

// rules/crossfire, Status of an army: no pass completes a mate; rules/notation: loading a position and playing on gives
// what the game itself would give. The pawn on d5 could have saved its king by a capture en passant.
#[test]
fn a_king_whose_defence_was_passed_over_stands_until_somebody_moves() {
    let start = json!({
        "variant": "crossfire", "ply": 0, "turn": "w", "en_passant": [], "quiet_plies": 0, "phase": "war",
        "offer": null, "passes": 0, "left": [], "outcome": null,
        "pieces": {
            "a4": "sK", "a5": "sP", "b4": "sB", "d5": "sP", "b6": "wP", "f7": "nB", "n10": "wK", "h13": "nK", "h3": "eK",
        },
        "armies": {
            "s": { "status": "active", "castling": "" }, "w": { "status": "active", "castling": "" },
            "n": { "status": "active", "castling": "" }, "e": { "status": "active", "castling": "" },
        },
    });
    let passed = play(Variant::Crossfire, &start, &["b6-d6", "f7-e8", "h3-h4", "leave:s", "pass"]);
    assert_eq!(passed.document()["armies"]["s"]["status"], "abandoned");
    let loaded = Game::load(&passed.document()).expect("a position that a game has come to");
    for mut game in [passed.clone(), loaded] {
        game.act(&Action::parse(Variant::Crossfire, "n10-n9").unwrap()).unwrap();
        assert_eq!(game.document()["armies"]["s"]["status"], "fallen");
    }
    // Without that capture nothing could have saved the king, and it would have fallen before.
    let mut without = passed.document();
    without["pieces"].as_object_mut().unwrap().remove("d5");
    assert!(Game::load(&without).is_err());
}

// rules/notation, perft: of the draws only repetition, quiet plies and length are left out, so that bare kings end it.
#[test]
fn perft_goes_on_after_no_end() {
    let start = json!({
        "variant": "cross-a", "ply": 0, "turn": "w", "quiet_plies": 0, "offer": null, "outcome": null,
        "pieces": { "a4": "wK", "a5": "bR", "h8": "bK" },
        "armies": { "w": { "status": "active" }, "b": { "status": "active" } },
    });
    let game = Game::load(&start).unwrap();
    // The general takes the rook, which ends the game, or steps aside, and then the rook has 14 moves and the general 2.
    assert_eq!(game.legal(), ["a4-a5", "a4-b4"]);
    assert_eq!([1, 2].map(|depth| perft(&game, depth)), [2, 16]);
}

/// What one action ends, and the number of sequences of two plies where that one has no continuation.
fn assert_perft_ends(start: &Value, action: &str, nodes: u64) {
    let game = Game::load(start).expect("a position of the rules");
    let ended = play(game.variant(), start, &[action]);
    assert_eq!(ended.document()["outcome"]["reason"], "bare_kings", "{action}");
    assert_eq!(perft(&ended, 1), 0, "{action}");
    let by_hand: u64 = game.legal().iter().map(|text| perft(&play(game.variant(), start, &[text]), 1)).sum();
    assert_eq!((perft(&game, 2), by_hand), (nodes, nodes), "{action}");
}

// The same where the last piece is not captured but falls with its king.
#[test]
fn perft_goes_on_after_no_mate_that_leaves_bare_kings() {
    let army = |status: &str| json!({ "status": status, "castling": "", "points": 0, "result_points": 0 });
    assert_perft_ends(
        &json!({
            "variant": "kingdoms", "ply": 0, "turn": "b", "quiet_plies": 0, "offer": null, "outcome": null,
            "pieces": { "b5": "rK", "c8": "bK", "a7": "bQ", "j1": "yK", "a9": "gK" },
            "armies": {
                "r": army("active"), "b": army("surrendered"), "y": army("active"), "g": army("active"),
            },
        }),
        "random:c8-c9",
        166,
    );
    let army = |status: &str| json!({ "status": status, "castling": "" });
    assert_perft_ends(
        &json!({
            "variant": "crossfire", "ply": 0, "turn": "n", "quiet_plies": 0, "phase": "war", "passes": 0,
            "en_passant": [], "offer": null, "outcome": null,
            "pieces": {
                "h13": "sK", "d9": "sQ", "f14": "sN", "e11": "wK", "i10": "nK", "f11": "eK",
            },
            "armies": {
                "s": army("fallen"), "w": army("active"), "n": army("active"), "e": army("active"),
            },
        }),
        "i10-h11",
        18,
    );
}

// rules/quaternity: a deadlock is no draw that perft leaves out.
#[test]
fn perft_goes_on_after_no_deadlock() {
    let active = |letter: &str| json!({ "status": "active", "controller": letter });
    let start = json!({
        "variant": "quaternity", "ply": 0, "turn": "w", "offer": null, "passes": 3, "left": [], "outcome": null,
        "pieces": { "a1": "wK", "a12": "rK", "l12": "bK", "l1": "gK", "b5": "bR", "c2": "bR" },
        "armies": { "w": active("w"), "r": active("r"), "b": active("b"), "g": active("g") },
    });
    let game = play(Variant::Quaternity, &start, &[]);
    assert_eq!(game.legal(), ["pass"]);
    assert_eq!([1, 2, 3, 4].map(|depth| perft(&game, depth)), [1, 0, 0, 0]);
    let ended = play(Variant::Quaternity, &start, &["pass"]);
    assert_eq!(ended.document()["outcome"]["reason"], "deadlock");
}

/// A quaternity position with two active players that ended in a stalemate.
fn ended() -> Value {
    json!({
        "variant": "quaternity", "ply": 9, "turn": null, "offer": null, "passes": 0,
        "pieces": { "a1": "wK", "b7": "bR", "c2": "bR", "l12": "bK" },
        "armies": {
            "w": { "status": "active", "controller": "w" },
            "r": { "status": "eliminated", "controller": "w" },
            "b": { "status": "active", "controller": "b" },
            "g": { "status": "eliminated", "controller": "b" },
        },
        "left": [["r"], ["g"]],
        "outcome": {
            "reason": "stalemate", "winners": ["w", "b"], "placements": [["w", "b"], ["g"], ["r"]],
        },
    })
}

// rules/notation: a `passes` that the statuses contradict.
#[test]
fn no_more_players_have_passed_than_are_active() {
    assert!(Game::load(&ended()).is_ok());
    let mut document = ended();
    document["passes"] = json!(3);
    assert!(Game::load(&document).is_err());
}

// rules/common, Placements: reverse order of leaving play; rules/kingdoms, End: there are no ties.
#[test]
fn placements_fit_the_order_of_leaving_and_the_points() {
    let mut document = ended();
    document["outcome"]["placements"] = json!([["w", "b"], ["r"], ["g"]]);
    assert!(Game::load(&document).is_err());
    let mut game = Game::new(Variant::Kingdoms);
    for text in ["resign:b", "resign:y", "resign:g"] {
        game.act(&Action::parse(Variant::Kingdoms, text).expect("an action")).expect("a leave");
    }
    let mut document = game.document();
    assert!(Game::load(&document).is_ok());
    document["outcome"]["placements"] = json!([["r"], ["b", "y", "g"]]);
    assert!(Game::load(&document).is_err());
}

// rules/common: a pass completes no mate; rules/notation: what a game comes to can be loaded.
#[test]
fn a_king_whose_abandoned_army_passed_over_its_defence_stands_until_the_next_move() {
    let start = json!({
        "variant": "crossfire", "ply": 0, "turn": "s", "quiet_plies": 0, "phase": "war", "passes": 0,
        "pieces": {
            "h1": "sK", "e2": "sP", "c11": "sR", "e14": "sR", "n6": "sR",
            "d5": "wK", "d4": "wP", "h14": "nK", "n8": "eK",
        },
        "armies": {
            "s": { "status": "active", "castling": "" }, "w": { "status": "abandoned", "castling": "" },
            "n": { "status": "active", "castling": "" }, "e": { "status": "active", "castling": "" },
        },
        "en_passant": [], "offer": null, "left": [["w"]], "outcome": null,
    });
    let game = play(Variant::Crossfire, &start, &["e2-e4", "pass"]);
    let passed = game.document();
    assert_eq!(passed["armies"]["w"]["status"], "abandoned");
    assert_eq!(Game::load(&passed).expect("a position of the game").document(), passed);
    let game = play(Variant::Crossfire, &passed, &["h14-h13"]);
    assert_eq!(game.document()["armies"]["w"]["status"], "fallen");
}

// rules/notation: without `left` they count as having left together; fuzzing found that such an end did not come back.
#[test]
fn an_end_that_does_not_say_how_the_players_left_comes_back() {
    let mut document = ended();
    document.as_object_mut().expect("an object").remove("left");
    let game = Game::load(&document).expect("a position of the rules");
    let written = game.document();
    assert_eq!(written["left"], json!([["r", "g"]]));
    assert_eq!(Game::load(&written).expect("what is written loads").document(), written);
    document["outcome"]["placements"] = json!([["w", "g"], ["b"], ["r"]]);
    assert!(Game::load(&document).is_err());
    document["outcome"]["winners"] = json!(["w"]);
    document["outcome"]["placements"] = json!([["w"], ["g"], ["b"], ["r"]]);
    assert!(Game::load(&document).is_err(), "who is active is placed before those who left");
}

// rules/cross-chess: horse and elephant are stopped by the same square; one piece on it ends both checks.
#[test]
fn a_piece_on_the_leg_of_two_lame_leaps_ends_both_checks() {
    let start = json!({
        "variant": "cross-a", "ply": 0, "turn": "w", "quiet_plies": 0, "offer": null, "outcome": null,
        "pieces": {
            "a3": "wE", "b3": "wH", "b2": "wR", "c4": "wR", "a4": "wK", "b1": "wA", "b4": "wH", "d4": "wP",
            "a2": "bA", "c1": "bK", "c2": "bP", "d3": "bH",
        },
        "armies": { "w": { "status": "active" }, "b": { "status": "active" } },
    });
    let game = play(Variant::CrossA, &start, &["b2-a2"]);
    assert_eq!(game.legal(), ["c1-b1", "c1-d1", "d3-b2"]);
}

// cross-chess, Cross Chess B: "on the next turn only"; a turn that mates is over as any other.
#[test]
fn an_en_passant_right_ends_with_the_turn_that_mates() {
    let start = json!({
        "variant": "cross-b", "ply": 228, "turn": "w", "quiet_plies": 8, "offer": null, "outcome": null,
        "en_passant": [],
        "pieces": {
            "a2": "bR", "a5": "bP", "b3": "wP", "c3": "bP", "c5": "wP", "d3": "wK", "d4": "bP", "f8": "bK",
        },
        "armies": { "w": { "status": "active" }, "b": { "status": "active" } },
    });
    let game = play(Variant::CrossB, &start, &["c5-c6", "a2-c2", "b3-b5"]);
    assert_eq!(game.document()["en_passant"], json!([{ "army": "w", "pawn": "b5", "target": "b4" }]));
    let game = play(Variant::CrossB, &start, &["c5-c6", "a2-c2", "b3-b5", "c2-d2"]);
    assert_eq!(game.document()["outcome"]["reason"], "checkmate");
    assert_eq!(game.document()["en_passant"], json!([]));
    assert_eq!(Game::load(&game.document()).expect("a position").document(), game.document());
}

// The same of a document: a finished game of cross-b has no right without the pawn that could have used it.
#[test]
fn a_finished_game_has_no_en_passant_right_without_a_pawn_beside() {
    let mut ended = json!({
        "variant": "cross-b", "ply": 10, "turn": null, "quiet_plies": 0, "offer": null,
        "en_passant": [{ "army": "b", "pawn": "h6", "target": "h7" }],
        "pieces": { "e3": "wK", "e9": "bK", "g6": "wP", "h6": "bP" },
        "armies": { "w": { "status": "active" }, "b": { "status": "active" } },
        "outcome": { "reason": "agreement", "winners": ["w", "b"], "placements": [["w", "b"]] },
    });
    assert!(Game::load(&ended).is_ok());
    ended["pieces"] = json!({ "e3": "wK", "e9": "bK", "h6": "bP" });
    assert!(Game::load(&ended).is_err());
}
