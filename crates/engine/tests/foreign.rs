//! Texts of other programs, and our own bent ones: every word means what it says, or is refused by name, or is told of.

use kingscross_engine::notation::{Script, fen4, pgn4};
use kingscross_engine::{Game, Variant};
use serde_json::{Value, json};

/// The actions of a PGN4 text.
fn actions(text: &str, variant: Variant) -> Vec<String> {
    pgn4::read(text, variant).unwrap_or_else(|error| panic!("{error}\n{text}")).script.actions
}

/// Why a PGN4 text is refused.
fn refusal(text: &str, variant: Variant) -> String {
    match pgn4::read(text, variant) {
        Ok(read) => panic!("{text} was read as {:?}", read.script.actions),
        Err(error) => error.to_string(),
    }
}

/// The start of a game with one piece elsewhere.
fn start_with(variant: Variant, from: &str, to: &str) -> Value {
    let mut document = Game::new(variant).document();
    let piece = document["pieces"].as_object_mut().expect("pieces").remove(from).expect("a piece");
    document["pieces"][to] = piece;
    document
}

/// A PGN4 from there with a movetext.
fn from_start(variant: Variant, start: Value, moves: &str) -> String {
    let script = Script { variant, start: Some(start), tags: Vec::new(), actions: Vec::new() };
    pgn4::write(&script).expect("representable") + moves
}

#[test]
fn a_word_belongs_to_whoever_is_on_turn_after_those_who_only_pass() {
    let crossfire = Variant::Crossfire;
    assert_eq!(actions("1. R .. R", crossfire), ["resign:s", "pass", "resign:w"]);
    assert_eq!(actions("1. d2-d4 .. R .. T", crossfire), ["d2-d4", "resign:w", "pass", "timeout:n"]);
    let castling = "1. Nj1-i3 .. b5-c5 .. Nj14-i12 .. m5-l5\n2. j2-j3 .. b4-c4 .. j13-j12 .. m4-l4\n\
        3. Bi1-j2 .. b7-c7 .. Bi14-j13 .. m7-l7\n4. O-O .. R .. O-O";
    let castled = actions(castling, crossfire);
    assert_eq!(castled[12..], ["h1-j1", "resign:w", "pass", "h14-j14"]);
    // The word for the pass itself is the pass of the one on turn, and of nobody else.
    let said = "1. R .. b8-c8 .. R .. m8-l8\n2. S .. b7-c7 .. S .. R";
    let played = actions(said, crossfire);
    assert_eq!(played[4..], ["pass", "m8-l8", "pass", "b7-c7", "pass", "resign:e"]);
}

#[test]
fn a_promotion_that_does_not_happen_is_a_bad_ply() {
    for (text, error) in [
        ("1. d2-d4=ZZZ", "ply 1: d2-d4=ZZZ: nothing is promoted there"),
        ("1. d2-d4=Q", "ply 1: d2-d4=Q: nothing is promoted there"),
        ("1. Ne1-f3=D", "ply 1: Ne1-f3=D: nothing is promoted there"),
    ] {
        assert_eq!(refusal(text, Variant::Crossfire), error);
        assert_eq!(refusal(text, Variant::Kingdoms), error);
    }
    let sixth = start_with(Variant::Crossfire, "d2", "d6");
    let seventh = start_with(Variant::Kingdoms, "d2", "d7");
    let thirteenth = {
        let mut start = start_with(Variant::Crossfire, "d2", "d13");
        start["pieces"].as_object_mut().expect("pieces").remove("d14");
        start["armies"]["n"]["castling"] = json!("");
        start
    };
    let refused =
        |variant, start: &Value, moves| refusal(&from_start(variant, start.clone(), moves), variant);
    let crossfire = Variant::Crossfire;
    assert!(refused(crossfire, &sixth, "1. d6-d7=Q").contains("d6-d7=Q: nothing is promoted there"));
    assert!(refused(Variant::Kingdoms, &seventh, "1. d7-d8=N").contains("d7-d8=N: a pawn becomes Q there"));
    assert!(refused(crossfire, &thirteenth, "1. d13-d14=K").contains("no pawn can become K there"));
    for (variant, start, moves, action) in [
        (Variant::Kingdoms, &seventh, "1. d7-d8=Q", "d7-d8"),
        (Variant::Kingdoms, &seventh, "1. d7-d8=D", "d7-d8"),
        (Variant::Kingdoms, &seventh, "1. d7-d8", "d7-d8"),
        (crossfire, &thirteenth, "1. d13-d14=D", "d13-d14=Q"),
        (crossfire, &thirteenth, "1. d13-d14=N", "d13-d14=N"),
        (crossfire, &thirteenth, "1. d13-d14", "d13-d14=Q"),
    ] {
        assert_eq!(actions(&from_start(variant, start.clone(), moves), variant), [action], "{moves}");
    }
}

#[test]
fn a_ruleset_that_is_not_ours_is_refused_by_name() {
    for name in ["kingdoms/99", "kingdoms/", "kingdoms", "cross-a/1", "quaternity/1", "chess/1"] {
        let text = format!("[Ruleset \"{name}\"]\n1. d2-d4");
        assert!(refusal(&text, Variant::Crossfire).contains(&format!("`{name}`")), "{name}");
    }
    let read = pgn4::read("[Ruleset \"kingdoms/1\"]\n1. d2-d4", Variant::Crossfire).expect("legal");
    assert_eq!(read.script.variant, Variant::Kingdoms);
}

#[test]
fn a_tag_has_a_word_as_its_name() {
    let text = "[A]\n[B \"c\"]\n[D e \"f\"]\n[G_1 \"h\"]\n1. d2-d4";
    let read = pgn4::read(text, Variant::Crossfire).expect("legal");
    let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(read.script.tags, [tag("B", "c"), tag("G_1", "h")]);
    assert_eq!(read.dropped.len(), 2, "{:?}", read.dropped);
    assert!(read.dropped[0].contains("[A]") && read.dropped[1].contains("[D e]"), "{:?}", read.dropped);
    for name in ["", "A \"x\"]\n[Ruleset", "Time Control", "Ä"] {
        let mut script = read.script.clone();
        script.tags.push(tag(name, "kingdoms/1"));
        assert!(pgn4::write(&script).expect_err("no name").to_string().contains("name"), "{name}");
    }
}

#[test]
fn a_text_without_a_tag_or_a_move_is_no_game() {
    for text in ["", " \n", "{\"variant\":\"crossfire\"}", "(1. d2-d4)", "[A]", "1. .. *"] {
        assert!(refusal(text, Variant::Crossfire).contains("no game"), "{text}");
    }
    assert!(actions("[Red \"Ada\"]", Variant::Crossfire).is_empty());
}

#[test]
fn what_the_start_position_loses_is_told_through_the_game() {
    let mut start = Game::new(Variant::Kingdoms).document();
    start["ply"] = json!(8);
    let text = from_start(Variant::Kingdoms, start, "1. d2-d4").replace("'ply':8", "'ply':8,'gameOver':'x'");
    let read = pgn4::read(&text, Variant::Kingdoms).expect("legal");
    assert_eq!(read.dropped, ["of the start position, that the game was over"]);
}

/// The usual start with dead armies and extras of one's choice.
fn fen(dead: &str, extras: &str, change: impl Fn(String) -> String) -> String {
    let board = change(
        "3,yR,yN,yB,yQ,yK,yB,yN,yR,3/3,yP,yP,yP,yP,yP,yP,yP,yP,3/14/\
        bR,bP,10,gP,gR/bN,bP,10,gP,gN/bB,bP,10,gP,gB/bQ,bP,10,gP,gQ/\
        bK,bP,10,gP,gK/bB,bP,10,gP,gB/bN,bP,10,gP,gN/bR,bP,10,gP,gR/\
        14/3,rP,rP,rP,rP,rP,rP,rP,rP,3/3,rR,rN,rB,rQ,rK,rB,rN,rR,3"
            .to_owned(),
    );
    format!("R-{dead}-0,0,0,0-0,0,0,0-0,0,0,0-0-{{{extras}}}-{board}")
}

/// The position of a FEN4 as crossfire loads it, and what was told of it.
fn loaded(text: &str) -> (Value, Vec<String>) {
    let read = fen4::read(text, Variant::Crossfire).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let game = Game::load(&read.document).unwrap_or_else(|error| panic!("{error}\n{text}"));
    (game.document(), read.dropped)
}

#[test]
fn extras_of_other_programs_are_kept_through_every_format() {
    let extras = "'foo':'b-a r','lives':(1,2,[3]),'resigned':(false,true,false,false)";
    let text = fen("0,0,0,0", &format!("'ply':8,{extras},\"bar\" : \"x\""), |board| board);
    let read = fen4::read(&text, Variant::Crossfire).expect("readable");
    let kept = "'bar':'x',".to_owned() + extras;
    assert_eq!(read.extras, kept);
    assert_eq!(read.dropped, ["that w has resigned"]);
    assert_eq!(read.document["ply"], 8);
    let script = Script {
        variant: read.variant,
        start: Some(Game::load(&read.document).expect("a position").document()),
        tags: vec![(fen4::EXTRAS_TAG.to_owned(), read.extras)],
        actions: vec!["d2-d4".to_owned()],
    };
    let exported = fen4::export(&script).expect("representable");
    let back = fen4::read(&exported, Variant::Crossfire).expect("readable");
    assert_eq!((back.extras, &back.document["ply"]), (kept, &json!(9)), "{exported}");
    let pgn = pgn4::write(&script).expect("representable");
    assert_eq!(pgn4::read(&pgn, Variant::Crossfire).expect("readable").script, script, "{pgn}");
    // What stands beside the start position does not count, and what is too long to be read again is told of.
    let shadowed = pgn.replacen("[Start", "[Fen4Extras \"x\"]\n[Start", 1);
    assert_eq!(pgn4::read(&shadowed, Variant::Crossfire).expect("readable").script, script, "{shadowed}");
    let long = format!("'a':'b','long':'{}'", "x".repeat(9000));
    let read = fen4::read(&fen("0,0,0,0", &long, |board| board), Variant::Crossfire).expect("readable");
    assert_eq!((read.extras.as_str(), read.dropped), ("'a':'b'", vec!["the extra long".to_owned()]));
    // Only extras that keep the shape, and none of our own, come out of a tag that somebody else has written.
    let mut bent = script;
    bent.tags[0].1 = "'ply':3,'open':(1,2".to_owned();
    assert!(!fen4::export(&bent).expect("representable").contains("open"));
    assert!(fen4::export(&bent).expect("representable").contains("'ply':9"));
}

#[test]
fn a_dead_piece_is_a_block_of_a_dead_army_and_what_is_not_known_is_told() {
    // Without a colour: each dead army takes one king.
    let all_dead = |board: String| board.replace(['b', 'g'], "d");
    let (position, told) = loaded(&fen("0,1,0,1", "", all_dead));
    let piece = |square: &str| position["pieces"][square].as_str().expect("a piece").to_owned();
    let mut kings = [piece("a7"), piece("n7")];
    kings.sort();
    assert_eq!(kings, ["eK", "wK"]);
    assert_eq!(position["pieces"].as_object().expect("pieces").len(), 64);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("a7, ") && told[0].ends_with("blocks of w"), "{told:?}");
    assert!(told[1].ends_with("the dead pieces on n7 were, which have no colour: they stand as blocks of e"));
    // A coloured king takes its army's place.
    let (position, _) = loaded(&fen("0,1,0,1", "", |board| board.replace("gK", "dK")));
    assert_eq!(position["pieces"]["n7"], "eK");
    // A piece that is dead alone stands for an army that is.
    let (position, told) = loaded(&fen("0,0,0,1", "", |board| board.replacen("bR", "dbR", 1)));
    assert_eq!(position["pieces"]["a11"], "eR");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("the dead R on a11 is of w"), "{told:?}");
    // A pawn is of an army whose pawns can stand there.
    let text = fen("1,1,0,0", "", |board| board.replace("3,rR", "3,dP"));
    let read = fen4::read(&text, Variant::Crossfire).expect("readable");
    assert_eq!(read.document["pieces"]["d1"], "wP");
    for (dead, cell) in [("0,0,0,0", "dbR"), ("0,0,0,0", "dR"), ("0,0,0,1", "dK")] {
        let text = fen(dead, "", |board| board.replacen("bR", cell, 1));
        let error = fen4::read(&text, Variant::Crossfire).expect_err("nobody's").to_string();
        assert_eq!(error, format!("a11: {cell} is dead, and it can be of no dead army"));
    }
    // What the army's own mark says already needs no note.
    let (_, told) = loaded(&fen("0,1,0,0", "", |board| board.replace('b', "db")));
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn a_fen4_of_ours_names_its_rules() {
    for variant in [Variant::Crossfire, Variant::Kingdoms] {
        let start = Game::new(variant).document();
        let text = fen4::write(variant, &start).expect("representable");
        for asked in [Variant::Crossfire, Variant::Kingdoms] {
            let read = fen4::read(&text, asked).expect("readable");
            assert_eq!((read.variant, read.dropped, read.extras), (variant, vec![], String::new()));
            assert_eq!(Game::load(&read.document).expect("a position").document(), start);
        }
        let mark = format!("'{variant}/1'");
        for other in ["'kingdoms/2'", "'quaternity/1'", "kingdoms"] {
            assert_ne!(text.replace(&mark, other), text);
            let error = fen4::read(&text.replace(&mark, other), variant).expect_err("not ours").to_string();
            assert!(error.contains(&format!("`{}`", other.trim_matches('\''))), "{error}");
        }
    }
    // A game whose start says otherwise than its own tag is no game.
    let text = from_start(Variant::Kingdoms, Game::new(Variant::Kingdoms).document(), "1. d2-d4");
    let bent = text.replacen("kingdoms/1", "crossfire/1", 1);
    assert!(refusal(&bent, Variant::Kingdoms).contains("it is of kingdoms"));
}

#[test]
fn an_offer_stands_in_the_extras() {
    let mut game = Game::new(Variant::Crossfire);
    for action in ["d2-d4", "offer", "accept:e", "accept:s"] {
        game.act(&kingscross_engine::Action::parse(Variant::Crossfire, action).expect("an action"))
            .expect(action);
    }
    let (position, told) = loaded(&fen4::write(Variant::Crossfire, &game.document()).expect("representable"));
    assert_eq!(position, game.document());
    assert!(told.is_empty() && !position["offer"].is_null(), "{told:?}");
}

#[test]
fn a_player_has_one_slot_a_round_and_none_after_leaving() {
    let written = |variant, actions: &str, moves: &str| {
        let actions = actions.split_whitespace().map(str::to_owned).collect();
        let script = Script { variant, start: None, tags: Vec::new(), actions };
        let text = pgn4::write(&script).expect("representable");
        assert_eq!(pgn4::read(&text, variant).expect("readable").script, script, "{text}");
        assert_eq!(text.split_once("]\n\n1. ").expect("a movetext").1.trim_end(), moves);
        text
    };
    let text = written(
        Variant::Crossfire,
        "resign:s pass b8-c8 k13-k11 m8-l8 pass b7-c7 offer leave:n pass m7-l7",
        "R {[%act resign:s]} {[%also pass]} .. b8-c8 .. k13-k11 .. m8-l8 {[%also pass]}\n\
        2. b7-c7 {[%also offer]} .. T {[%act leave:n]} {[%also pass]} .. m7-l7",
    );
    // Without our remarks it is read by what is seen.
    let plain = text.replace("{[%also pass]}", "").replace("{[%also offer]}", "");
    let plain = plain.replace("{[%act resign:s]}", "").replace("{[%act leave:n]}", "");
    let seen = "resign:s pass b8-c8 k13-k11 m8-l8 pass b7-c7 timeout:n pass m7-l7";
    assert_eq!(actions(&plain, Variant::Crossfire).join(" "), seen);
    written(
        Variant::Kingdoms,
        "resign:r random:d2-d3 m8-l8 d13-d12 b8-c8 random:d3-d4 m7-l7",
        "d2-d3 {[%act resign:r]} {[%also random:d2-d3]} .. m8-l8 .. d13-d12 .. b8-c8\n\
        2. d3-d4 {[%act random:d3-d4]} .. m7-l7",
    );
}
