//! The second engine passes the vectors: so it is a fit judge of the first.

mod naive;

use std::io::Read;

use naive::{Naive, Variant};
use serde_json::Value;

fn vectors(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn open(case: &Value) -> Naive {
    if case["start"].is_null() {
        let variant = Variant::named(text(&case["variant"])).expect("a known variant");
        Naive::new(variant)
    } else {
        Naive::load(&case["start"]).unwrap_or_else(|code| panic!("start: {code} {}", case["start"]))
    }
}

#[test]
fn the_second_engine_passes_every_fixture() {
    let cases = lines(&String::from_utf8(vectors("fixtures.jsonl")).expect("UTF-8"));
    assert!(cases.len() > 200, "only {} fixtures", cases.len());
    for case in &cases {
        let name = text(&case["name"]);
        let mut game = open(case);
        for action in list(&case["actions"]) {
            let action = text(action);
            assert_eq!(game.apply(action), Ok(()), "{name}: {action}");
        }
        assert_eq!(game.document(), case["position"], "{name}");
        assert_eq!(serde_json::json!(game.legal()), case["legal"], "{name}");
        for refused in list(&case["refused"]) {
            let action = text(&refused["action"]);
            assert_eq!(game.apply(action), Err(text(&refused["code"])), "{name}: {action}");
            assert_eq!(game.document(), case["position"], "{name}: {action}");
        }
    }
}

#[test]
fn the_second_engine_plays_every_game_step_by_step() {
    let packed = vectors("games.jsonl.gz");
    let mut unpacked = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut unpacked).expect("gzipped text");
    let games = lines(&unpacked);
    assert_eq!(games.len(), 70);
    for (number, case) in games.iter().enumerate() {
        let mut game = open(case);
        for (ply, step) in list(&case["steps"]).iter().enumerate() {
            let action = text(&step["action"]);
            let place = format!("game {number} {}, step {ply}, {action}", case["variant"]);
            assert_eq!(game.apply(action), Ok(()), "{place}");
            assert_eq!(serde_json::json!(game.legal().len()), step["legal"], "{place}");
            if let Some(position) = step.get("position") {
                assert_eq!(&game.document(), position, "{place}");
            }
        }
    }
}

#[test]
fn the_second_engine_counts_as_the_perft_tables_do() {
    // Counts above this many nodes take the slow engine too long.
    const MOST: u64 = 6_000;
    let tables: Value = serde_json::from_slice(&vectors("perft.json")).expect("JSON");
    for (id, table) in tables.as_object().expect("a table") {
        let variant = Variant::named(id).expect("a known variant");
        let start = (Naive::new(variant), &table["start"]["nodes"]);
        let midgame = list(&table["midgame"])
            .iter()
            .map(|case| (Naive::load(&case["position"]).expect("a position"), &case["nodes"]));
        for (game, nodes) in std::iter::once(start).chain(midgame) {
            for (depth, nodes) in (1..).zip(list(nodes)) {
                let nodes = nodes.as_u64().expect("a count");
                if nodes <= MOST {
                    assert_eq!(game.perft(depth), nodes, "{id} depth {depth}");
                }
            }
        }
    }
}
