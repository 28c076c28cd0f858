//! `kingscross arena` with a program that comes over the WebSocket, as its author would run the two.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};

use kingscross_client::Client;
use kingscross_tests::Database;

// Its main function is for the command line.
#[allow(dead_code, unreachable_pub)]
#[path = "../../../examples/bot.rs"]
mod bot;

fn kingscross(database: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kingscross"));
    command.args(["--database", database]).args(arguments);
    command
}

fn run(database: &str, arguments: &[&str]) -> Output {
    kingscross(database, arguments).output().expect("the program runs")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_plays_over_the_websocket_and_its_games_are_stored_like_any_others() {
    let database = Database::sqlite();
    let arguments = "arena cross-a --bot page --remote Robot --games 2 --nodes 100 --listen 127.0.0.1:0";
    let mut arena = kingscross(&database.location, &arguments.split(' ').collect::<Vec<_>>());
    let mut arena = arena.stdout(Stdio::piped()).spawn().expect("the program runs");
    let mut lines = BufReader::new(arena.stdout.take().expect("it prints"));
    let mut invitation = String::new();
    lines.read_line(&mut invitation).expect("a line");
    let words: Vec<&str> = invitation.split_whitespace().collect();
    let ["Robot", "connects", "to", url, "with", "the", "token", token] = words.as_slice() else {
        panic!("no invitation: {invitation}");
    };
    let client = Client::with_token(url, *token).expect("an address");
    // It would play for ever; the arena says when it is over.
    let playing = tokio::spawn(async move { bot::play(&client, None).await.is_ok() });
    let rest = tokio::task::spawn_blocking(move || {
        let mut rest = String::new();
        lines.read_to_string(&mut rest).map(|_| rest).expect("text")
    });
    let table = rest.await.expect("no panic");
    assert!(arena.wait().expect("it ends").success());
    playing.abort();
    assert!(table.contains("w:page b:Robot") && table.contains("w:Robot b:page"), "{table}");
    assert!(table.contains("   0  w:") && table.contains("   1  w:"), "{table}");
    assert!(table.lines().any(|line| line.starts_with("Robot ") && line.contains("(2)")), "{table}");
    let verified = run(&database.location, &["verify"]);
    assert!(String::from_utf8_lossy(&verified.stdout).contains("2 games"), "{verified:?}");
}

#[test]
fn an_arena_on_a_server_says_what_it_cannot_do() {
    let database = Database::sqlite();
    for (arguments, answer) in [
        ("arena cross-a --remote Robot", "an arena needs two bots"),
        ("arena cross-a --bot marshal,nodes=3 --remote Robot", "without traits"),
        ("arena cross-a --bot page --remote admin", "reserved"),
        ("arena cross-a --bot page --remote Robot --external x=y", "knows no --external"),
        ("arena cross-a --bot page --remote Robot --records x", "kingscross export"),
        ("arena cross-a --bot page --remote Robot --clock 5", "--clock 5"),
        ("arena crossfire --bot page --remote Robot --seating pairs", "takes one seat of a game"),
        ("arena cross-a --bot page --bot squire --clock 5+3", "--remote"),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').chain(["--listen", "127.0.0.1:0"]).collect();
        let output = run(&database.location, &arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(answer), "{arguments:?}: {error}");
    }
}

#[test]
fn the_games_of_an_arena_that_is_killed_are_on_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = folder.path().join("games.ndjson");
    let mut arena = Command::new(env!("CARGO_BIN_EXE_kingscross"));
    arena.args(
        "arena cross-a --bot page --bot random --games 100000 --nodes 50 --longest 20 --records".split(' '),
    );
    let mut arena = arena.arg(&records).stdout(Stdio::piped()).spawn().expect("the program runs");
    let mut lines = BufReader::new(arena.stdout.take().expect("it prints"));
    let mut shown = Vec::new();
    for _ in 0..3 {
        let mut line = String::new();
        lines.read_line(&mut line).expect("a line");
        shown.push(line);
    }
    arena.kill().expect("it runs");
    arena.wait().expect("it ends");
    let text = std::fs::read_to_string(&records).expect("the records");
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let numbers =
        whole.map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["game"].clone());
    assert_eq!(numbers.take(3).collect::<Vec<_>>(), [0, 1, 2], "{shown:?}");
}

#[test]
fn points_are_printed_as_people_write_them() {
    let output = Command::new(env!("CARGO_BIN_EXE_kingscross"))
        .args(
            "arena crossfire --bot page --bot random --games 8 --nodes 50 --longest 300 --seed 3".split(' '),
        )
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let points = text.lines().filter_map(|line| line.split_once('[')?.1.split_once("]  "));
    let points: Vec<&str> = points.flat_map(|(points, _)| points.split(", ")).collect();
    assert_eq!(points.len(), 8 * 4, "{text}");
    assert!(points.contains(&"0.33") && points.contains(&"1"), "{text}");
    assert!(points.iter().all(|one| one.len() <= 4), "{text}");
}
