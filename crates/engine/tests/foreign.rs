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
        assert!(refusal(text, Variant::Crossfire).contains("this is not a game"), "{text}");
    }
    assert!(actions("[Red \"Ada\"]", Variant::Crossfire).is_empty());
}

#[test]
fn what_the_start_position_loses_is_noted_with_the_game() {
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
    let lives = "how many lives each army has (the extra lives, which is kept and means nothing here)";
    assert_eq!(read.dropped, [lives, "that w has resigned"]);
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
fn a_dead_piece_is_a_block_of_a_dead_army_and_what_is_not_known_is_noted() {
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
    assert!(told[1].ends_with("the dead pieces on n7 were, which have no colour: they become blocks of e"));
    // A coloured king takes its army's place.
    let (position, _) = loaded(&fen("0,1,0,1", "", |board| board.replace("gK", "dK")));
    assert_eq!(position["pieces"]["n7"], "eK");
    // A piece that is dead alone stands for an army that is.
    let (position, told) =
        loaded(&fen("0,0,0,1", "", |board| board.replacen("bR", "dbR", 1).replace("gK", "dgK")));
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

/// The notes of a PGN4 that is read.
fn notes(text: &str, variant: Variant) -> Vec<String> {
    pgn4::read(text, variant).unwrap_or_else(|error| panic!("{error}\n{text}")).dropped
}

// G.29: a word says what moves and what it takes, and that is looked at.
#[test]
fn a_letter_that_is_not_the_piece_on_the_square_is_refused_by_what_stands_there() {
    let crossfire = Variant::Crossfire;
    for (text, error) in [
        ("1. Kd2-d4", "ply 1: Kd2-d4: d2 has a red pawn"),
        ("1. Be1-f3", "ply 1: Be1-f3: e1 has a red knight"),
        ("1. Qh1-h2", "ply 1: Qh1-h2: h1 has a red king"),
        ("1. e5-e6", "ply 1: e5-e6: e5 is empty"),
        ("1. b8-c8", "ply 1: b8-c8: b8 has a blue pawn, and red is on turn"),
        ("1. d2xd4", "ply 1: d2xd4: d4 is empty"),
        ("1. d2-d5", "ply 1: d2-d5: d2-d5 is not legal here"),
        ("1. h2-h3 .. b8-c8 .. g13-g12 .. m8-l8\n2. Qg1xQn8", "ply 5: Qg1xQn8: g1-n8 is not legal here"),
        (
            "1. Kb4-a5R",
            "ply 1: Kb4-a5R: no move: the king of whoever has left walks in it, which no game here has",
        ),
    ] {
        assert_eq!(refusal(text, crossfire), error);
    }
    // Red's queen takes a pawn on m7.
    let open = "1. h2-h3 .. b8-c8 .. g13-g12 .. m8-l8\n2. ";
    for (word, error) in [("Qg1xNm7", "m7 has a green pawn"), ("Kg1xm7", "g1 has a red queen")] {
        assert_eq!(refusal(&format!("{open}{word}"), crossfire), format!("ply 5: {word}: {error}"));
    }
    for word in ["Qg1xm7", "Qg1xPm7", "Dg1xm7"] {
        assert_eq!(actions(&format!("{open}{word}"), crossfire)[4..], ["g1-m7"], "{word}");
        assert_eq!(notes(&format!("{open}{word}"), crossfire), Vec::<String>::new(), "{word}");
    }
    // Bare squares are read, and told once.
    let bare = format!("{open}g1-m7 .. a11xa11");
    assert!(refusal(&bare, crossfire).starts_with("ply 6: a11xa11:"));
    let told = notes(&format!("{open}g1-m7 .. a10-c9 .. e14-f12"), crossfire);
    assert_eq!(told, ["ply 5: the word names no piece, and g1 has a red queen (4 words are such)"]);
}

#[test]
fn a_check_or_a_mate_that_does_not_happen_is_noted_and_one_that_is_not_written_is_not() {
    let crossfire = Variant::Crossfire;
    assert_eq!(notes("1. d2-d4+", crossfire), ["the + of ply 1, d2-d4+: no king is in check there"]);
    assert_eq!(notes("1. d2-d4 .. b8-c8#", crossfire), ["the # of ply 2, b8-c8#: no army falls there"]);
    // The queen m7 has beside Green's king.
    let open = "1. h2-h3 .. b8-c8 .. g13-g12 .. m8-l8\n2. Qg1xm7";
    assert_eq!(notes(open, crossfire), Vec::<String>::new());
    assert_eq!(notes(&format!("{open}+"), crossfire), Vec::<String>::new());
}

#[test]
fn a_start_with_a_name_means_its_array_and_another_one_is_refused_with_the_difference() {
    let named = |name: &str| format!("[StartFen4 \"{name}\"]\n1. d2-d4");
    for name in ["4PCb", "4pcb"] {
        let read = pgn4::read(&named(name), Variant::Crossfire).expect("crossfire's own start");
        assert_eq!((read.script.start, read.script.actions.len()), (None, 1));
    }
    let refused = refusal(&named("4PC"), Variant::Crossfire);
    assert_eq!(
        refused,
        "start position: `4PC` is another start: g14 has a yellow king, in crossfire a yellow queen; h14 \
         has a yellow queen, in crossfire a yellow king; n7 has a green queen, in crossfire a green king; n8 has a \
         green king, in crossfire a green queen"
    );
    assert!(refusal(&named("4PCo"), Variant::Crossfire).contains("a7 has a blue queen"));
    assert!(refusal(&named("4PCn"), Variant::Crossfire).contains("n7 has a green queen"));
    for name in ["4PC", "4PCo", "4PCb", "4PCn"] {
        assert!(refusal(&named(name), Variant::Kingdoms).contains("is another start"), "{name}");
    }
    for name in ["4PCx", "chess960", "2PC"] {
        let error = refusal(&named(name), Variant::Crossfire);
        assert!(error.contains(&format!("no start is called `{name}`; known are 4PC, 4PCo, ")), "{error}");
    }
    assert!(fen4::read("4PCb", Variant::Crossfire).is_ok());
    assert!(
        fen4::read("4PC", Variant::Crossfire).expect_err("another").to_string().contains("another start")
    );
}

// G.30: nothing that a position says goes in silence.
#[test]
fn what_a_position_says_is_kept_or_noted() {
    let told = |text: &str| loaded(text).1;
    let start = fen("0,0,0,0", "", |board| board);
    let points = start.replace("-0,0,0,0-0-{", "-0,5,0,20-0-{");
    assert_eq!(told(&points), ["the points [0, 5, 0, 20], which crossfire does not count"]);
    for (extra, sentence) in [
        ("'resigned':(true,false,false,false)", "that s has resigned"),
        ("'flagged':(False,True,False,False)", "that w has run out of time"),
        ("'stalemated':(false,false,1,false)", "that n has no move"),
        ("'gameOver':'x'", "that the game was over"),
        (
            "'royal':('e1','','','')",
            "which piece is the king (the extra royal, which is kept and means nothing here)",
        ),
        (
            "'pawnsBaseRank':3",
            "from where pawns step twice (the extra pawnsBaseRank, which is kept and means nothing here)",
        ),
        (
            "'zombieType':('','muncher','','')",
            "how dead pieces move (the extra zombieType, which is kept and means nothing here)",
        ),
    ] {
        assert_eq!(told(&fen("0,0,0,0", extra, |board| board)), [sentence], "{extra}");
    }
    for extra in
        ["'pawnsBaseRank':2", "'zombieImmune':(false,false,false,false)", "'uniquify':9", "'dim':'14x14'"]
    {
        assert_eq!(told(&fen("0,0,0,0", extra, |board| board)), Vec::<String>::new(), "{extra}");
    }
    // A dead army's king that is written as a living one.
    let walking = |board: String| board.replace('b', "db").replace("dbK", "bK");
    assert_eq!(
        told(&fen("0,1,0,0", "", walking)),
        ["that the king of w on a7 lives while its army is dead: it becomes a block"]
    );
    let both = fen("0,1,0,0", "'status':('','resigned','','')", |board| board.replace('b', "db"));
    assert_eq!(told(&both), ["that w is resigned: it is dead"]);
    for (extra, why) in [
        ("'dim':'8x8'", "the extra dim says 8x8, and the board is 14x14"),
        ("'ply':'x'", "the extra ply is not a number"),
        ("'enPassant':('','','','','')", "enPassant has 5 entries where 4 are expected"),
        (
            "'enPassant':('e3:','','','')",
            "enPassant: `e3:` is not the square where a pawn is taken, a colon and the pawn's own",
        ),
        (
            "'enPassant':('e3:o9','','','')",
            "enPassant: `e3:o9` is not the square where a pawn is taken, a colon and the pawn's own",
        ),
    ] {
        let error = fen4::read(&fen("0,0,0,0", extra, |board| board), Variant::Crossfire).expect_err(extra);
        assert_eq!(error.to_string(), why);
    }
    let walled = fen("0,0,0,0", "", |board| board.replacen("/14/", "/3,x,10/", 1));
    let error = fen4::read(&walled, Variant::Crossfire).expect_err("a wall").to_string();
    assert_eq!(error, "row 12: d12 is a square, and x says that there is none");
}

#[test]
fn a_refusal_comes_with_the_notes_that_explain_it() {
    let points =
        fen("0,0,0,0", "", |board| board.replace("bR", "bZ")).replace("-0,0,0,0-0-{", "-0,5,0,0-0-{");
    let mut told = Vec::new();
    assert!(fen4::read_noting(&points, Variant::Crossfire, &mut told).is_err());
    assert_eq!(told, ["the points [0, 5, 0, 0], which crossfire does not count"]);
    let mut told = Vec::new();
    let text = "[A]\n1. d2-d4+ .. b8-c9";
    assert!(pgn4::read_noting(text, Variant::Crossfire, &mut told).is_err());
    assert_eq!(told.len(), 2, "{told:?}");
}

// G.31
#[test]
fn a_position_whose_colours_sit_elsewhere_is_refused_for_that() {
    let start = fen("0,0,0,0", "", |board| board);
    let error = fen4::read(&start, Variant::Kingdoms).expect_err("clockwise").to_string();
    assert_eq!(
        error,
        "its colours sit on other sides than in kingdoms, which is played counter-clockwise and has Blue on the right: \
         it can be read as crossfire, or looked at without rules"
    );
}

#[test]
fn a_byte_order_mark_quotes_and_carriage_returns_are_read_over() {
    let start = fen("0,0,0,0", "", |board| board);
    let expected = loaded(&start);
    for text in [
        format!("\u{feff}{start}"),
        format!("\"{start}\""),
        format!(" '{start}'\r\n"),
        format!("\u{feff}\"{}\"", start.replace('/', "/\r\n")),
    ] {
        assert_eq!(loaded(&text), expected, "{text}");
    }
    let text = "\u{feff}[Red \"Ada\"]\r\n\r\n1. d2-d4 .. b8-c8\r\n";
    assert_eq!(actions(text, Variant::Crossfire), ["d2-d4", "b8-c8"]);
}

#[test]
fn comments_to_the_end_of_a_line_are_read_over() {
    let text = "% a line of another program [Red \"x\"]\n[Blue \"Ben\"] ; he plays [Red \"y\"]\n\n\
        ; before the first move\n1. d2-d4 ; x2-x3 { .. \r\n%1. b8-d8\n .. b8-c8;done";
    let read = pgn4::read(text, Variant::Crossfire).expect("legal").script;
    assert_eq!(read.tags, [("Blue".to_owned(), "Ben".to_owned())]);
    assert_eq!(read.actions, ["d2-d4", "b8-c8"]);
}

#[test]
fn a_quote_in_a_tag_is_read_and_written() {
    let text = "[Red \"Ada \\\"the\\\" \\\\ rook [x]\"]\n[Path \"a\\b\"]\n1. d2-d4";
    let read = pgn4::read(text, Variant::Crossfire).expect("legal").script;
    assert_eq!(read.tags[0].1, r#"Ada "the" \ rook [x]"#);
    assert_eq!(read.tags[1].1, r"a\b");
    let written = pgn4::write(&read).expect("representable");
    assert_eq!(pgn4::read(&written, Variant::Crossfire).expect("readable").script, read, "{written}");
}

#[test]
fn several_games_in_one_text_are_listed_and_each_can_be_taken() {
    let one = "[GameNr \"7\"]\n[Red \"Ada\"]\n[Blue \"Ben\"]\n\n1. d2-d4 .. b8-c8 { [Red \"x\"] }\n2. e2-e3 1-0\n\n";
    let two = "[GameNr \"8\"]\n[Red \"Cem\"]\n\n*\n\n";
    let three = "[GameNr \"9\"]\n\n[GameNr \"10\"]\n\n1. d2-d3\n2. e2-e3 *\n1. h2-h3";
    let text = format!("{one}{two}{three}");
    let games = pgn4::games(&text).expect("games");
    assert_eq!(games.len(), 5, "{games:?}");
    assert_eq!(games[0], one);
    assert_eq!(games[1], two);
    assert_eq!(games[4], "1. h2-h3");
    assert_eq!(
        refusal(&text, Variant::Crossfire),
        "the text holds 5 games, of which one is read: 1: 7, Ada – Ben, 3 words; 2: 8, Cem, 0 words; 3: 9, nobody named, \
         0 words; 4: 10, nobody named, 2 words; 5: nobody named, 1 words"
    );
    let many = "[A \"b\"]\n\n1. d2-d4\n\n".repeat(60);
    assert!(refusal(&many, Variant::Crossfire).ends_with("and 20 more"));
    for single in
        ["[A \"b\"]\n[A \"c\"]\n1. d2-d4", "1. d2-d4 (1. e2-e4) .. b8-c8", "1. d2-d4 1. ... 1.. b8-c8"]
    {
        assert_eq!(pgn4::games(single).expect("games").len(), 1, "{single}");
    }
}
