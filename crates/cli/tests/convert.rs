//! `export`, `import` and `perft` at their edges, by the real binary: what is refused is refused by one sentence.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use kingscross_engine::{Game, Variant};
use serde_json::{Value, json};

/// Runs a command with this on standard input.
fn run(line: &str, input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kingscross"));
    command.args(line.split_whitespace());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("piped");
    std::thread::scope(|scope| {
        // It may end before it has read everything.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().expect("it ends")
    })
}

#[track_caller]
fn done(line: &str, input: &[u8]) -> Output {
    let output = run(line, input);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The one sentence by which a call is refused.
#[track_caller]
fn refused(line: &str, input: &[u8]) -> String {
    let output = run(line, input);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{line}: {said}");
    assert!(output.stdout.is_empty(), "{line}");
    assert_eq!(said.trim_end().lines().count(), 1, "{line}: {said}");
    said
}

#[test]
fn perft_refuses_the_depths_that_the_engine_command_refuses() {
    for line in ["perft cross-a 33", "perft cross-a 20000", "perft crossfire 1000000000"] {
        assert_eq!(refused(line, b""), "kingscross: `depth` is more than 32\n");
    }
    let request = "{\"cmd\":\"new\",\"variant\":\"cross-a\"}\n{\"cmd\":\"perft\",\"depth\":33}\n";
    let answers = String::from_utf8(done("engine", request.as_bytes()).stdout).expect("text");
    assert!(answers.contains("`depth` is more than 32"), "{answers}");
}

#[test]
fn a_start_of_another_variant_is_refused_in_every_format() {
    for variant in Variant::ALL {
        for other in Variant::ALL.into_iter().filter(|other| *other != variant) {
            let start = Game::new(other).document();
            let script = json!({ "variant": variant, "start": start, "actions": [] }).to_string();
            for format in ["fen4", "pgn4", "quaternits"] {
                let said = refused(&format!("export --format {format} -"), script.as_bytes());
                assert!(
                    said.contains(&format!("a position of {other} starts no game of {variant}")),
                    "{said}"
                );
            }
        }
    }
}

#[test]
fn what_import_writes_is_read_as_it_is_and_nothing_else() {
    let script = json!({ "variant": "crossfire", "start": null, "actions": ["d2-d4", "b8-c8"] });
    let pgn4 = done("export --format pgn4 -", script.to_string().as_bytes()).stdout;
    let written = done("import --format pgn4 -", &pgn4).stdout;
    assert_eq!(done("export --format pgn4 -", &written).stdout, pgn4);

    let good: Value = serde_json::from_slice(&written).expect("JSON");
    let mut other = good.clone();
    other["position"]["turn"] = json!("s");
    let changes = [
        ("position", other["position"].clone(), "`position` is not what the actions come to"),
        ("position", json!(null), "`position` is not what the actions come to"),
        ("tags", json!(7), "`tags`"),
        ("tags", json!(null), "`tags`"),
        ("tags", json!({ "A": 7 }), "`tags`"),
        ("actions", json!({}), "`actions`"),
        ("actions", json!(["d2-d4", 1]), "`actions`"),
        ("start", json!(7), "start position"),
        ("variant", json!(7), "no variant"),
        ("comment", json!("x"), "the key `comment` is unknown"),
    ];
    for (key, value, why) in changes {
        let mut forged = good.clone();
        forged[key] = value;
        let said = refused("export --format pgn4 -", forged.to_string().as_bytes());
        assert!(said.contains(why), "{key}: {said}");
    }
    let text = good.to_string();
    for (once, twice) in [
        ("\"tags\":{", "\"tags\":{\"A\":\"1\",\"A\":\"2\","),
        ("\"actions\":[", "\"actions\":[],\"actions\":["),
        ("\"ply\":", "\"ply\":7,\"ply\":"),
    ] {
        assert!(text.contains(once), "{text}");
        let said = refused("export --format pgn4 -", text.replacen(once, twice, 1).as_bytes());
        assert!(said.contains("occurs twice"), "{said}");
    }
    let bare = Game::new(Variant::Crossfire).document().to_string();
    let twice = bare.replacen("\"pieces\":{", "\"pieces\":{\"d2\":\"wQ\",", 1);
    assert!(refused("export --format fen4 -", twice.as_bytes()).contains("the key `d2` occurs twice"));
}

#[test]
fn a_text_that_is_too_long_is_refused_and_not_cut() {
    const LONGEST: usize = 64 * 1024 * 1024;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("long.json");
    let record = Game::new(Variant::Crossfire).document().to_string().into_bytes();
    let blanks = |count: usize| vec![b' '; count];
    let behind = [record.clone(), blanks(LONGEST + 1 - record.len())].concat();
    let before = [blanks(LONGEST + 1 - record.len()), record.clone()].concat();
    for text in [&behind, &before] {
        std::fs::write(&path, text).expect("writable");
        let file = format!("export --format fen4 {}", path.display());
        for said in [refused(&file, b""), refused("export --format fen4 -", text)] {
            assert!(said.contains("is longer than 64 MiB"), "{said}");
        }
    }
    assert!(refused("import --format pgn4 -", &behind).contains("is longer than 64 MiB"));
    // One byte fewer is read to its end.
    let shorter = done("export --format fen4 -", &before[1..]).stdout;
    assert_eq!(shorter, done("export --format fen4 -", &record).stdout);
}

#[test]
fn a_snapshot_with_pawns_that_have_committed_comes_back_to_the_byte() {
    let mut start = Game::new(Variant::Quaternity).document();
    start["pieces"]["f6"] = json!("wP^");
    let tags = json!({ "Committed": "f6" });
    let script = json!({ "variant": "quaternity", "start": start, "tags": tags, "actions": ["f6-f7"] });
    let snapshot = done("export --format quaternits -", script.to_string().as_bytes()).stdout;
    assert!(String::from_utf8_lossy(&snapshot).contains("\"committed\": \"up\""));
    let imported = done("import --format quaternits -", &snapshot).stdout;
    assert_eq!(done("export --format quaternits -", &imported).stdout, snapshot);
}

#[test]
fn a_snapshot_says_what_it_leaves_out() {
    let mut start = Game::new(Variant::Quaternity).document();
    assert!(done("export --format quaternits -", start.to_string().as_bytes()).stderr.is_empty());
    start["ply"] = json!(17);
    let output = done("export --format quaternits -", start.to_string().as_bytes());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "left out: how many plies were played before the start\n");
}

/// Written for this test: a free-for-all game that no variant here can replay.
const FREE_FOR_ALL: &str = "[Variant \"FFA\"]\n[StartFen4 \"4PC\"]\n[Red \"Ada\"]\n\n\
    1. h2-h3 .. b7-c7 .. g13-g12 .. m8-l8\n2. Qg1-i3 .. Qa8-c6 .. R .. Qn7-m8\n3. Qi3-g1 .. c7-d7 .. Kg14-g13R\n";

#[test]
fn a_game_of_other_rules_is_shown_and_the_refusal_says_how() {
    let output = run("import --format pgn4 -", FREE_FOR_ALL.as_bytes());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(output.stdout.is_empty());
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "--view shows it as moves on a board that nobody judges");
    assert!(lines[1].starts_with("kingscross: start position: `4PC` is another start: g14 has"), "{said}");

    let output = done("import --format pgn4 --view -", FREE_FOR_ALL.as_bytes());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said, "nobody judges this: these are moves on a board\n");
    let view: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let view = &view["view"];
    assert_eq!((&view["judged"], &view["tags"]["Red"]), (&json!(false), &json!("Ada")));
    assert_eq!(view["moves"].as_array().map(Vec::len), Some(11));
    assert_eq!((&view["moves"][4]["army"], &view["moves"][4]["pieces"]["i3"]), (&json!("r"), &json!("rQ")));
    assert_eq!(view["moves"][10]["pieces"]["g13"], "yK");
    assert_eq!(view["start"].as_object().map(serde_json::Map::len), Some(64));

    let fen = "R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-14/14/14/bK,13/bP,13/14/14/14/14/14/14/14/14/6,rD,7";
    let view: Value =
        serde_json::from_slice(&done("import --format fen4 --view -", fen.as_bytes()).stdout).expect("JSON");
    assert_eq!(view["view"]["start"], json!({ "a11": "bK", "a10": "bP", "g1": "rQ+" }));
    assert!(refused("import --format quaternits --view -", b"{}").contains("--view shows fen4 and pgn4"));
    assert_eq!(run("import --format pgn4 --view --variant crossfire -", b"").status.code(), Some(2));
}

#[test]
fn a_refusal_prints_the_notes_that_explain_it() {
    let fen = "R-0,0,0,0-0,0,0,0-0,0,0,0-0,7,0,0-0-14/14/14/14/14/14/14/14/14/14/14/14/14/6,rK,7";
    let output = run("import --format fen4 -", fen.as_bytes());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with("left out: the points [0, 7, 0, 0], which crossfire does not count\n"),
        "{said}"
    );
    assert!(said.contains("\nkingscross: "), "{said}");
}

#[test]
fn one_game_of_a_text_of_several_is_chosen_by_its_number() {
    let text = "\u{feff}[Red \"Ada\"]\r\n\r\n1. d2-d4\r\n\r\n[Red \"Ben\"]\r\n\r\n1. e2-e4 .. b8-c8\r\n";
    let said = refused("import --format pgn4 -", text.as_bytes());
    assert_eq!(
        said,
        "kingscross: the text holds 2 games, of which one is read: 1: Ada, 1 words; 2: Ben, 2 words; choose one with --game N\n"
    );
    let second: Value =
        serde_json::from_slice(&done("import --format pgn4 --game 2 -", text.as_bytes()).stdout)
            .expect("JSON");
    assert_eq!((&second["tags"]["Red"], &second["actions"]), (&json!("Ben"), &json!(["e2-e4", "b8-c8"])));
    let said = refused("import --format pgn4 --game 3 -", text.as_bytes());
    assert!(said.contains("there is no game 3: the text holds 2"), "{said}");
    assert!(refused("import --format fen4 --game 1 -", b"R").contains("only a text of pgn4"));
    let viewed = done("import --format pgn4 --view --game 1 -", text.as_bytes()).stdout;
    assert!(String::from_utf8_lossy(&viewed).contains("\"Ada\""));
    // Our own form is read behind the mark too.
    let own = format!("\u{feff}{}", Game::new(Variant::Crossfire).document());
    done("export --format fen4 -", own.as_bytes());
}
