//! The exchange formats: what we write comes back as it was, and what others write is read as far as the rules allow.

use std::io::Read;

use flate2::read::GzDecoder;
use kingscross_engine::notation::{Script, fen4, pgn4, quaternits};
use kingscross_engine::{Game, Variant};
use serde_json::{Value, json};

/// The recorded games of a variant, as scripts.
fn scripts(variant: Variant) -> Vec<Script> {
    let path = format!("{}/tests/vectors/games.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("the vectors are carried in the tree");
    GzDecoder::new(file).read_to_string(&mut text).expect("gzipped text");
    let games = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a JSON line"));
    games
        .filter(|game| game["variant"] == json!(variant))
        .map(|game| Script {
            variant,
            start: (!game["start"].is_null())
                .then(|| Game::load(&game["start"]).expect("a start").document()),
            tags: vec![("Red".to_owned(), "Ada".to_owned())],
            actions: game["steps"]
                .as_array()
                .expect("steps")
                .iter()
                .map(|step| step["action"].as_str().expect("an action").to_owned())
                .collect(),
        })
        .collect()
}

/// Every position of a script's game.
fn positions(script: &Script) -> Vec<Value> {
    let mut shorter = script.clone();
    let mut positions = Vec::new();
    for length in (0..=script.actions.len()).step_by(7) {
        shorter.actions = script.actions[..length].to_vec();
        positions.push(shorter.replay().expect("recorded games replay").document());
    }
    positions
}

#[test]
fn pgn4_brings_every_recorded_game_back() {
    let mut games = 0;
    for variant in [Variant::Crossfire, Variant::Kingdoms] {
        for script in scripts(variant) {
            let text = pgn4::write(&script).expect("representable");
            // The variant of the call does not matter: the text names its own.
            let back =
                pgn4::read(&text, Variant::Crossfire).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(back.script, script, "{text}");
            assert!(back.dropped.is_empty(), "{:?}", back.dropped);
            games += 1;
        }
    }
    assert_eq!(games, 28);
}

#[test]
fn fen4_brings_every_running_position_back() {
    let mut count = 0;
    for variant in [Variant::Crossfire, Variant::Kingdoms] {
        for script in scripts(variant) {
            for position in positions(&script) {
                if !position["outcome"].is_null() {
                    continue;
                }
                let text = fen4::write(variant, &position).expect("representable");
                // The variant of the call does not matter: the text names its own.
                let back =
                    fen4::read(&text, Variant::Crossfire).unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert!(back.dropped.is_empty(), "{:?}\n{text}", back.dropped);
                let game = Game::load(&back.document).unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert_eq!(game.document(), position, "{text}");
                count += 1;
            }
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn snapshots_bring_every_representable_quaternity_game_back() {
    let (mut games, mut refused) = (0, 0);
    for mut script in scripts(Variant::Quaternity) {
        script.tags.clear();
        let end = script.replay().expect("recorded games replay").document();
        match quaternits::write(&script) {
            Ok(snapshot) => {
                let back = quaternits::read(&snapshot.to_string())
                    .unwrap_or_else(|error| panic!("{error}\n{snapshot}"));
                assert_eq!(back.actions, script.actions);
                assert_eq!(back.replay().expect("it was replayed").document()["pieces"], end["pieces"]);
                games += 1;
            }
            Err(error) => {
                let reason = end["outcome"]["reason"].as_str().expect("only endings are refused");
                assert!(matches!(reason, "deadlock" | "length" | "unresolved"), "{error}");
                assert!(error.to_string().contains(reason), "{error}");
                refused += 1;
            }
        }
    }
    assert_eq!(games + refused, 14);
    assert!(games >= 8, "{games}");
}

#[test]
fn a_snapshot_whose_state_does_not_follow_is_refused() {
    let script = Script {
        variant: Variant::Quaternity,
        start: None,
        tags: Vec::new(),
        actions: [
            "b4-c2",
            "d11-b10",
            "j9-l10",
            "i2-g3",
            "offer",
            "a1-a2",
            "timeout:r",
            "resign:b",
            "leave:g",
        ]
        .map(str::to_owned)
        .to_vec(),
    };
    let good = quaternits::write(&script).expect("representable");
    assert_eq!(good["actions"][8], json!({ "kind": "freeze", "action": "walkover", "player": "green" }));
    assert_eq!(good["state"]["outcome"], json!({ "kind": "winner", "winner": "white" }));
    assert_eq!(good["state"]["position"]["turn"], "white");
    assert_eq!(good["log"][5]["selection"], json!({ "kind": "next", "player": "red" }));
    assert!(quaternits::read(&good.to_string()).is_ok());

    let mut forged = good.clone();
    forged["state"]["outcome"]["winner"] = json!("red");
    assert_eq!(
        quaternits::read(&forged.to_string()).expect_err("forged").to_string(),
        "state does not follow from the actions"
    );
    let mut unknown = good.clone();
    unknown["extra"] = json!(1);
    assert!(quaternits::read(&unknown.to_string()).is_err());
    let mut illegal = good;
    illegal["actions"][1]["to"] = json!("a1");
    assert!(
        quaternits::read(&illegal.to_string()).expect_err("illegal").to_string().starts_with("action 2:")
    );
}

/// A quaternity position with four kings and two black rooks, with these fields changed.
fn kings(changes: &Value) -> Value {
    let mut document = json!({
        "variant": "quaternity", "ply": 0, "turn": "w", "offer": null, "passes": 0, "left": [], "outcome": null,
        "pieces": { "a1": "wK", "a12": "rK", "l12": "bK", "l1": "gK", "b5": "bR", "c2": "bR" },
        "armies": {
            "w": { "status": "active", "controller": "w" }, "r": { "status": "active", "controller": "r" },
            "b": { "status": "active", "controller": "b" }, "g": { "status": "active", "controller": "g" },
        },
    });
    for (key, value) in changes.as_object().expect("fields") {
        document[key] = value.clone();
    }
    document
}

fn started(variant: Variant, start: Value, actions: &[&str]) -> Script {
    let actions = actions.iter().map(|&text| text.to_owned()).collect();
    Script { variant, start: Some(start), tags: Vec::new(), actions }
}

// A snapshot's initial position has a turn and statuses, and no more.
#[test]
fn a_start_that_a_snapshot_cannot_hold_is_refused_by_what_would_be_lost() {
    let over = json!({
        "turn": null,
        "armies": {
            "w": { "status": "active", "controller": "w" }, "r": { "status": "frozen", "controller": "r" },
            "b": { "status": "frozen", "controller": "b" }, "g": { "status": "frozen", "controller": "g" },
        },
        "left": [["r"], ["b"], ["g"]],
        "outcome": {
            "reason": "last_active", "winners": ["w"], "placements": [["w"], ["g"], ["b"], ["r"]],
        },
    });
    for (changes, lost) in [
        (json!({ "passes": 3 }), "`passes`"),
        (json!({ "turn": "b", "offer": { "by": "b", "accepted": ["r"] } }), "`offer`"),
        (over, "`outcome`"),
    ] {
        let script = started(Variant::Quaternity, kings(&changes), &[]);
        assert!(script.start_game().is_ok(), "{changes}");
        let refused = quaternits::write(&script).expect_err("nowhere to write it").to_string();
        assert!(refused.contains(lost), "{refused}");
    }
    // What comes of actions is carried by them.
    let script = started(Variant::Quaternity, kings(&json!({ "turn": "b" })), &["offer", "accept:r"]);
    let snapshot = quaternits::write(&script).expect("representable");
    let back = quaternits::read(&snapshot.to_string()).expect("readable").replay().expect("replayed");
    assert_eq!(back.document(), script.replay().expect("replayed").document());
    let later = kings(&json!({ "ply": 9 }));
    assert_eq!(quaternits::left_out(&started(Variant::Quaternity, later, &[])).len(), 1);
    assert!(quaternits::left_out(&script).is_empty());
}

// interop: the rules know no difference between an ordinary pawn and one that has committed; a snapshot does.
#[test]
fn a_snapshot_comes_back_as_it_was_also_with_pawns_that_have_committed() {
    let mut start = kings(&json!({}));
    for (square, piece) in [("e4", "wP^"), ("g7", "wP>"), ("d6", "wP^"), ("e9", "rP*")] {
        start["pieces"][square] = json!(piece);
    }
    start["pieces"].as_object_mut().expect("pieces").remove("b5");
    let mut script = started(Variant::Quaternity, start, &["e4-e5", "e9-f9"]);
    let plain = quaternits::write(&script).expect("representable");
    script.tags.push(("Committed".to_owned(), "e4 g7".to_owned()));
    let snapshot = quaternits::write(&script).expect("representable");
    assert_ne!(snapshot, plain);
    for (square, kind, committed) in [
        ("e4", "advanced", json!("up")),
        ("g7", "advanced", json!("right")),
        ("d6", "ordinary", json!(null)),
        ("e9", "advanced", json!(null)),
    ] {
        let pieces = snapshot["initial"]["pieces"].as_array().expect("pieces");
        let piece = pieces.iter().find(|piece| piece["square"] == square).expect("a pawn");
        assert_eq!((&piece["state"]["kind"], &piece["state"]["committed"]), (&json!(kind), &committed));
    }
    assert_eq!(snapshot["log"][0]["pawn"]["after"]["committed"], "up");
    for snapshot in [snapshot, plain] {
        let back = quaternits::read(&snapshot.to_string()).expect("readable");
        assert_eq!(quaternits::write(&back).expect("representable").to_string(), snapshot.to_string());
        assert_eq!(
            back.replay().expect("replayed").document(),
            script.replay().expect("replayed").document()
        );
    }
    for squares in ["e9", "a1", "e5", "x"] {
        script.tags[0].1 = squares.to_owned();
        let refused = quaternits::write(&script).expect_err("no pawn that has committed").to_string();
        assert!(refused.contains(squares), "{refused}");
    }
}

#[test]
fn a_start_of_another_variant_is_no_start() {
    for (variant, other) in [
        (Variant::Crossfire, Variant::Kingdoms),
        (Variant::Kingdoms, Variant::Quaternity),
        (Variant::Quaternity, Variant::CrossA),
    ] {
        let script = started(variant, Game::new(other).document(), &[]);
        let why = format!("a position of {other} starts no game of {variant}");
        assert!(script.replay().expect_err("no start").to_string().contains(&why));
        assert!(pgn4::write(&script).is_err() && quaternits::write(&script).is_err());
    }
}

/// The values of an object in a row are not the object, in whatever order its reader would look for them.
#[track_caller]
fn assert_no_list_passes_for_the_object(document: &Value, path: &str) {
    let orders: [&[&str]; 8] = [
        &["version", "initial", "actions", "log", "state"],
        &["pieces", "controllers", "players", "turn"],
        &["white", "red", "black", "green"],
        &["square", "army", "type", "state"],
        &["kind", "direction"],
        &["kind", "vertical", "horizontal", "committed"],
        &["kind", "from", "to", "promotion"],
        &["kind", "action", "player"],
    ];
    let fields = document.pointer(path).and_then(Value::as_object).expect("an object");
    let is_it =
        |keys: &&&[&str]| keys.len() == fields.len() && keys.iter().all(|key| fields.contains_key(*key));
    let own: Vec<&str> = fields.keys().map(String::as_str).collect();
    for keys in orders.iter().filter(is_it).copied().chain([own.as_slice()]) {
        let mut listed = document.clone();
        let place = listed.pointer_mut(path).expect("a place");
        *place = keys.iter().map(|key| fields[*key].clone()).collect();
        assert!(quaternits::read(&listed.to_string()).is_err(), "{path} as a list");
    }
}

#[test]
fn the_schema_of_a_snapshot_is_closed() {
    let actions = ["b4-c2", "offer", "decline:b", "d11-b10", "timeout:b"];
    let start = Game::new(Variant::Quaternity).document();
    let good = quaternits::write(&started(Variant::Quaternity, start, &actions)).expect("representable");
    let passing = kings(&json!({}));
    let passing =
        quaternits::write(&started(Variant::Quaternity, passing, &["pass"])).expect("representable");
    let accepted = |document: &Value| quaternits::read(&document.to_string()).is_ok();
    assert!(accepted(&good) && accepted(&passing));

    // Every object there is takes no other key and does without none.
    let mut places = 0;
    for document in [&good, &passing] {
        let mut objects = vec![String::new()];
        while let Some(path) = objects.pop() {
            let at = document.pointer(&path).expect("a place");
            let inner: Vec<String> = match at {
                Value::Object(fields) => fields.keys().cloned().collect(),
                // The pieces are alike; the first few have a state and none.
                Value::Array(items) => (0..items.len().min(12)).map(|i| i.to_string()).collect(),
                _ => continue,
            };
            if at.is_object() {
                let mut more = document.clone();
                more.pointer_mut(&path).expect("a place")["foo"] = json!(1);
                assert!(!accepted(&more), "{path}/foo");
                for key in &inner {
                    let mut fewer = document.clone();
                    let fields = fewer.pointer_mut(&path).and_then(Value::as_object_mut).expect("an object");
                    fields.remove(key);
                    assert!(!accepted(&fewer), "without {path}/{key}");
                    places += 1;
                }
                assert_no_list_passes_for_the_object(document, &path);
            }
            objects.extend(inner.iter().map(|key| format!("{path}/{key}")));
        }
    }
    assert!(places > 200, "{places}");

    let text = good.to_string();
    for (once, before) in [
        ("\"captured\":null", "\"captured\":5,"),
        ("\"drawAgreed\":false", "\"drawAgreed\":true,"),
        ("\"version\":1", "\"version\":2,"),
        ("\"promotion\":null", "\"promotion\":\"queen\","),
        ("\"kind\":\"draw-proposal\"", "\"kind\":\"pass\","),
        ("\"kind\":\"ordinary\"", "\"kind\":\"ordinary\","),
        ("\"white\":\"active\"", "\"white\":\"frozen\","),
    ] {
        for (at, _) in text.match_indices(once) {
            let twice = format!("{}{before}{}", &text[..at], &text[at..]);
            assert!(quaternits::read(&twice).is_err(), "{before}{once} at {at}");
        }
        assert!(text.contains(once), "{once}");
    }
}

/// The usual four-player start as analysis boards write it, with the cut corners counted as empty.
const FOREIGN: &str = "R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-{'dim':'14x14','bareB':true}-
3,yR,yN,yB,yQ,yK,yB,yN,yR,3/3,yP,yP,yP,yP,yP,yP,yP,yP,3/14/
bR,bP,10,gP,gR/bN,bP,10,gP,gN/bB,bP,10,gP,gB/bQ,bP,10,gP,gQ/
bK,bP,10,gP,gK/bB,bP,10,gP,gB/bN,bP,10,gP,gN/bR,bP,10,gP,gR/
14/3,rP,rP,rP,rP,rP,rP,rP,rP,3/3,rR,rN,rB,rQ,rK,rB,rN,rR,3";

#[test]
fn a_foreign_start_position_is_the_start_of_crossfire() {
    let read = fen4::read(FOREIGN, Variant::Crossfire).expect("readable");
    assert_eq!(read.dropped, Vec::<String>::new());
    let game = Game::load(&read.document).expect("a legal position");
    assert_eq!(game.document(), Game::new(Variant::Crossfire).document());
}

#[test]
fn cut_corners_may_be_written_out() {
    let text = FOREIGN.replace("3,y", "x,x,x,y").replace(",3/", ",x,x,x/");
    let read = fen4::read(&text, Variant::Crossfire).expect("readable");
    assert_eq!(read.document["pieces"].as_object().expect("pieces").len(), 64);
}

#[test]
fn a_foreign_game_is_replayed_and_its_first_bad_ply_is_named() {
    let good = "[Variant \"FFA\"]\n[RuleVariants \"EnPassant\"]\n[Result \"Aborted\"]\n\
        1. d2-d4 .. b8-c8 {a comment} .. k13-k11 .. m8-l8 (m7-l7 .. x)\n2. Ne1-f3 .. R .. Nj14-i12 .. O-O-O\n";
    let error = pgn4::read(good, Variant::Crossfire).expect_err("castling through pieces");
    assert_eq!(error.to_string(), "ply 8: O-O-O: castling is not legal here");
    let script = pgn4::read(&good.replace(" .. O-O-O", ""), Variant::Crossfire).expect("legal").script;
    // Other programs pass an army over in silence; our abandoned army passes.
    assert_eq!(
        script.actions,
        ["d2-d4", "b8-c8", "k13-k11", "m8-l8", "e1-f3", "resign:w", "pass", "j14-i12"]
    );
    assert_eq!(script.tags[0], ("Variant".to_owned(), "FFA".to_owned()));
}

#[test]
fn hostile_texts_are_refused_and_nothing_panics() {
    for text in [
        "",
        "-",
        "R",
        "{",
        "R-1-1-1-1-1-{}-",
        "é-é-é",
        "[a \"b\"",
        "1. (((",
        "{",
        "[A \"b\"] 1. Qé4-é5",
        "1. =",
        "x",
    ] {
        let _ = fen4::read(text, Variant::Kingdoms);
        let _ = pgn4::read(text, Variant::Kingdoms);
        assert!(quaternits::read(text).is_err());
        assert!(fen4::read(text, Variant::Crossfire).is_err());
    }
    let long = "(".repeat(2_000_000);
    assert!(pgn4::read(&long, Variant::Crossfire).is_err());
    assert!(fen4::read(&long, Variant::Crossfire).is_err());
    assert!(quaternits::read(&"[".repeat(200_000)).is_err());
    let cells = format!("R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-{{}}-{}", ["r,14,é"; 14].join("/"));
    assert!(fen4::read(&cells, Variant::Crossfire).is_err());
}

#[test]
fn other_boards_are_refused_by_name() {
    let script = Script { variant: Variant::CrossA, start: None, tags: Vec::new(), actions: Vec::new() };
    assert!(pgn4::write(&script).expect_err("8×8").to_string().contains("cross-a"));
    assert!(quaternits::write(&script).expect_err("no quaternity").to_string().contains("cross-a"));
}
