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
        assert!(said.contains("stands twice"), "{said}");
    }
    let bare = Game::new(Variant::Crossfire).document().to_string();
    let twice = bare.replacen("\"pieces\":{", "\"pieces\":{\"d2\":\"wQ\",", 1);
    assert!(refused("export --format fen4 -", twice.as_bytes()).contains("the key `d2` stands twice"));
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
