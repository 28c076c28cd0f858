//! `kingscross engine`, the real program, against the naive second engine: random games and sparse positions of all five
//! games through its JSON lines. Position, legal list and error code must be the same after every request.
//!
//! The ordinary run is short. The long one is ignored; `KINGSCROSS_GAMES` sets its games per variant and
//! `KINGSCROSS_SEED` the first of its seeds.

#[path = "../../engine/tests/chance/mod.rs"]
mod chance;
#[path = "../../engine/tests/naive/mod.rs"]
mod naive;

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::ops::Range;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use chance::{Dice, any, choose, library, playable, probes, spoil};
use naive::{Naive, Variant};
use serde_json::{Value, json};

/// The program with its pipes.
struct Engine {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    asked: u64,
}

impl Engine {
    fn start() -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kingscross"))
            .arg("engine")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let requests = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Engine { child, requests, answers, asked: 0 }
    }

    fn say(&mut self, line: &[u8]) -> Value {
        self.requests.write_all(line).expect("the program listens");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("the program answers");
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
    }

    /// Asks with an id of its own, which must come back.
    fn ask(&mut self, mut request: Value) -> Value {
        self.asked += 1;
        request["id"] = json!(self.asked);
        let mut answer = self.say(format!("{request}\n").as_bytes());
        let id = answer.as_object_mut().expect("an object").remove("id");
        assert_eq!(id, Some(json!(self.asked)), "{request}");
        answer
    }

    fn apply(&mut self, actions: &[String]) -> Value {
        self.request(json!({ "cmd": "apply", "actions": actions }))
    }

    fn load(&mut self, position: &Value) -> Value {
        self.request(json!({ "cmd": "load", "position": position }))
    }

    fn legal(&mut self) -> Value {
        self.request(json!({ "cmd": "legal" }))
    }

    /// Closes its stdin; what it says before it ends well.
    fn end(self) -> String {
        let Engine { mut child, requests, mut answers, .. } = self;
        drop(requests);
        let mut rest = String::new();
        answers.read_to_string(&mut rest).expect("text");
        assert!(child.wait().expect("an end").success());
        rest
    }
}

fn view(game: &Naive) -> Value {
    json!({ "position": game.document(), "legal": game.legal() })
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or("none")
}

/// Plays a random game through the program; the number of its actions.
fn play(engine: &mut Engine, variant: Variant, library: &[Value], seed: u64, plies: u32) -> usize {
    let mut dice = Dice::new(seed);
    let (start, mut game) = playable(variant, library, &mut dice);
    let mut actions: Vec<String> = Vec::new();
    assert_eq!(engine.load(&start), view(&game), "{start}");
    for _ in 0..plies {
        let legal = game.legal();
        for text in probes(variant, &legal, &mut dice, 2) {
            let story = format!("{text} from {start} by {actions:?}");
            match game.clone().apply(&text) {
                Err(expected) => assert_eq!(code(&engine.apply(&[text])), expected, "{story}"),
                // All or nothing: what could be played is not, since what follows it cannot.
                Ok(()) => assert_eq!(code(&engine.apply(&[text, "?".into()])), "bad_action", "{story}"),
            }
            assert_eq!(engine.legal(), view(&game), "{story}");
        }
        let action = choose(&game, &legal, &mut dice);
        game.apply(&action).expect("an action of the rules");
        actions.push(action);
        let found = engine.apply(&actions[actions.len() - 1..]);
        assert_eq!(found, view(&game), "from {start} by {actions:?}");
        if game.is_over() {
            break;
        }
    }
    let nodes = if game.is_over() { 0 } else { game.legal().len() };
    assert_eq!(engine.request(json!({ "cmd": "perft", "depth": 1 })), json!({ "nodes": nodes }), "{actions:?}");
    // All at once they come to the same.
    engine.load(&start);
    assert_eq!(engine.apply(&actions), view(&game), "from {start} by {actions:?}");
    actions.len()
}

/// Gives the program a document that may contradict the rules.
fn read(engine: &mut Engine, variant: Variant, library: &[Value], seed: u64) {
    let mut dice = Dice::new(seed);
    let whole = any(variant, library, &mut dice);
    let document = if dice.percent(30) { whole } else { spoil(variant, &whole, &mut dice) };
    let before = engine.legal();
    let found = engine.load(&document);
    match Naive::load(&document) {
        Ok(game) => assert_eq!(found, view(&game), "{document}"),
        Err(expected) => {
            assert_eq!(code(&found), expected, "{document}: {found}");
            assert_eq!(engine.legal(), before, "{document}");
        }
    }
}

fn run(variant: Variant, seeds: Range<u64>, plies: u32) {
    let library = library(variant);
    let mut engine = Engine::start();
    let new = engine.request(json!({ "cmd": "new", "variant": variant.id() }));
    assert_eq!(new, view(&Naive::new(variant)));
    let mut actions = 0;
    for seed in seeds.clone() {
        actions += play(&mut engine, variant, &library, seed, plies);
        for part in 0..3 {
            read(&mut engine, variant, &library, seed * 3 + part);
        }
    }
    println!("{}: seeds {seeds:?}, {actions} actions, {} requests", variant.id(), engine.asked);
    assert!(actions as u64 > 2 * (seeds.end - seeds.start));
    assert_eq!(engine.end(), "");
}

#[test]
fn the_program_plays_by_the_rules_in_every_game() {
    for variant in Variant::ALL {
        run(variant, 1_000_000..1_000_015, 15);
    }
}

#[test]
#[ignore = "thousands of games"]
fn the_program_plays_by_the_rules_over_thousands_of_games() {
    let number =
        |name, otherwise| std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"));
    let first = number("KINGSCROSS_SEED", 2_000_000);
    for variant in Variant::ALL {
        run(variant, first..first + number("KINGSCROSS_GAMES", 2_000), 60);
    }
}

#[test]
fn every_line_is_answered_whatever_it_holds() {
    let mut engine = Engine::start();
    for line in
        [&b"\n"[..], b"  \r\n", b"\0\n", b"\xff\xfe\n", b"{\"cmd\":\"legal\",\"id\":\"\xff\"}\n", b"nul\n"]
    {
        assert_eq!(code(&engine.say(line)), "bad_request", "{line:?}");
    }
    let mut long = vec![b' '; 17 << 20];
    long.push(b'\n');
    assert_eq!(code(&engine.say(&long)), "bad_request");
    let mut deep = vec![b'['; 1 << 20];
    deep.push(b'\n');
    assert_eq!(code(&engine.say(&deep)), "bad_request");
    assert_eq!(code(&engine.say(b"{\"cmd\":\"legal\"}\r\n")), "no_game");
    // The last line needs no end.
    engine.requests.write_all(b"{\"cmd\":\"new\",\"variant\":\"cross-a\"}").expect("the program listens");
    let last: Value = serde_json::from_str(&engine.end()).expect("one answer");
    assert_eq!(last["legal"].as_array().map(Vec::len), Some(8));
}
