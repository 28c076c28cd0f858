//! The bots of `examples/` play a whole game against the server's, known by an API token, and say in one line why they
//! cannot.

use std::process::Command;
use std::time::Duration;

use kingscross_client::Client;
use kingscross_protocol::{Ending, Seq};
use kingscross_tests::{Database, Http, Server, without_limits};
use serde_json::json;

// Its main function is for the command line.
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/bot.rs"]
mod bot;

const LIMIT: Duration = Duration::from_secs(600);

async fn server_and_token() -> (Server, String) {
    let server = Server::start_with(&Database::sqlite(), |config| {
        without_limits(config);
        config.bots.delay_ms = 0;
    })
    .await;
    let (_, token) = account_and_token(&server).await;
    (server, token)
}

async fn account_and_token(server: &Server) -> (Http, String) {
    let mut account = server.account("Robot").await;
    let token = json!({ "name": "example", "scopes": ["read", "play"] });
    let made = account.post("/api/v1/me/tokens", &token).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let secret = made.json()["secret"].as_str().expect("the secret").to_owned();
    (account, secret)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rust_bot_plays_a_whole_game() {
    let (server, token) = server_and_token().await;
    let client = Client::with_token(&server.url, token).expect("an address");
    let playing = bot::play(&client, Some("cross-a"));
    let ending =
        tokio::time::timeout(LIMIT, playing).await.expect("the game ends").expect("the bot plays on");
    assert!(!ending.expect("a result").placements.is_empty());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_python_bot_plays_a_whole_game() {
    let (server, token) = server_and_token().await;
    let url = server.url.clone();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/bot.py");
    let run = move || Command::new("python3").args([program, &url, &token, "cross-b"]).output();
    let running = tokio::task::spawn_blocking(run);
    let output = tokio::time::timeout(LIMIT, running).await.expect("the game ends").expect("no panic");
    let output = output.expect("python3 is installed");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "python3 needs the package `websockets`: {errors}");
    let ending: Ending = serde_json::from_slice(&output.stdout).expect("a result");
    assert!(!ending.placements.is_empty());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_whose_line_breaks_goes_on_with_the_game_that_it_began() {
    let server = Server::start_with(&Database::sqlite(), |config| {
        without_limits(config);
        // So long that the game is not over before the line breaks.
        config.bots.delay_ms = 20;
    })
    .await;
    let (mut account, token) = account_and_token(&server).await;
    let url = server.url.clone();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/bot.py");
    let run = move || Command::new("python3").args([program, &url, &token, "cross-b"]).output();
    let running = tokio::task::spawn_blocking(run);
    let mut visitor = server.visitor();
    let mut games = async || {
        let games = visitor.get("/api/v1/games").await.json();
        games["items"].as_array().expect("a list").clone()
    };
    let begun = async {
        loop {
            let Some(game) = games().await.first().map(|game| game["game"].clone()) else { continue };
            let game = game.as_str().and_then(|id| id.parse().ok()).expect("an id");
            // The game, its first moves: the bot knows by now that it is its own.
            if server.store.load_events(game, Seq(0)).await.expect("stored").len() >= 5 {
                return;
            }
        }
    };
    tokio::time::timeout(LIMIT, begun).await.expect("the game begins");
    // This closes the sockets of the account, for once.
    assert_eq!(account.put("/api/v1/me/bot", &json!({})).await.status, 204);
    let output = tokio::time::timeout(LIMIT, running).await.expect("the game ends").expect("no panic");
    let output = output.expect("python3 is installed");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.contains("again in"), "{errors}");
    assert_eq!(games().await.len(), 1);
    server.stop().await;
}

/// Runs a program of `examples/` that must fail, and gives what it says.
#[track_caller]
fn complaint(arguments: &[&str]) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let output = Command::new("python3").args(arguments).current_dir(folder).output();
    let output = output.expect("python3 is installed");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
    said
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_example_that_cannot_go_on_says_why_in_one_line() {
    let (server, token) = server_and_token().await;
    let (url, dead) = (server.url.clone(), "kgx_0123456789012345678901234567890123456789012");
    let client = Client::with_token(&url, dead).expect("an address");
    let refused = bot::play(&client, Some("cross-a")).await.expect_err("the token is dead").to_string();
    assert!(refused.lines().count() == 1 && refused.contains("401"), "{refused}");
    let complaints = tokio::task::spawn_blocking(move || {
        let dead = complaint(&["bot.py", &url, dead, "cross-a"]);
        assert!(dead.contains("token") && dead.contains("401"), "{dead}");
        let unknown = complaint(&["bot.py", &url, &token, "draughts"]);
        assert!(unknown.contains("there are crossfire, kingdoms"), "{unknown}");
        assert!(complaint(&["bot.py", "localhost:8080", &token]).contains("http://localhost:8080"));
        let engine = "/nowhere/fairy-stockfish";
        assert!(complaint(&["fairy_stockfish.py", "--check", "--engine", engine]).contains("No such file"));
        assert!(
            complaint(&["fairy_stockfish.py", "--check", "--records", "/nowhere/games"]).contains("/nowhere")
        );
    });
    complaints.await.expect("as they should be");
    server.stop().await;
}
