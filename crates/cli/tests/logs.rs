//! What a running server writes about itself: one structured line for each thing, with the ids of its game and its
//! request, and never a secret.

use std::process::Command;

use kingscross_client::{Client, Options};
use kingscross_protocol::{ErrorCode, Request};
use kingscross_tests::{Database, Http, PASSWORD, Program};
use serde_json::{Value, json};

const PASSWORD: &str = "a password that nobody else knows";
/// Part of what the program calls itself.
const PROGRAM: &str = "this is no secret";

fn start(location: &str, format: &str, level: &str) -> Program {
    let settings = [("LOG__FORMAT", format), ("LOG__LEVEL", level)];
    Program::start(env!("CARGO_BIN_EXE_kingscross"), location, &settings)
}

/// What a visit leaves behind.
struct Visit {
    game: String,
    request: String,
    secrets: Vec<String>,
}

/// Makes an account and a token, plays a game by the token and does what is refused.
async fn visit(url: &str) -> Visit {
    let mut http = Http::new(url);
    let made = http.post("/api/v1/accounts", &json!({ "name": "Ada", "password": PASSWORD })).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let request = made.header("x-request-id").expect("every answer names its request").to_owned();
    let wrong =
        http.post("/api/v1/session", &json!({ "name": "Ada", "password": "wrong, wrong, wrong" })).await;
    assert!(wrong.status >= 400, "{}", wrong.text());
    let wanted = json!({ "name": "bot", "scopes": ["read", "play"] });
    let token =
        http.post("/api/v1/me/tokens", &wanted).await.json()["secret"].as_str().expect("one").to_owned();
    assert_eq!(http.get("/api/v1/nothing%0aINFO%20forged").await.status, 404);

    let client = Client::with_token(url, token.clone()).expect("an address");
    // A program may call itself anything.
    let name = format!("robot\n2026-01-01T00:00:00Z ERROR forged\u{1b}[31m {PROGRAM}");
    let connection = client.connect_with(Options { name, ..Options::default() }).await.expect("a socket");
    let variant = kingscross_engine::Variant::CrossA;
    let begun =
        connection.request(Request::PlayNow { variant, time: None, level: None }).await.expect("a game");
    let game = begun.game.expect("a game");
    connection.request(Request::Resign { game }).await.expect("resigned");
    let again = connection.request(Request::Resign { game }).await.expect_err("over");
    assert_eq!(again.refusal().map(|body| body.code), Some(ErrorCode::GameOver));
    let cookie = http.cookie.expect("a session");
    let session = cookie.split_once('=').expect("a name and a value").1.to_owned();
    let secrets = vec![PASSWORD.to_owned(), "wrong, wrong, wrong".to_owned(), token, session];
    Visit { game: game.to_string(), request, secrets }
}

fn lines_of(words: &str) -> Vec<Value> {
    words
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}")))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_of_json_carry_the_ids_of_game_and_request() {
    let database = Database::sqlite();
    let server = start(&database.location, "json", "info,kingscross_server=debug");
    let visit = visit(&server.url).await;
    let lines = lines_of(&server.end());
    for line in &lines {
        for key in ["timestamp", "level", "target", "message"] {
            assert!(line[key].is_string(), "{key}: {line}");
        }
    }
    let of_game = |message: &str| lines.iter().find(|line| line["message"] == message).expect("a line");
    assert_eq!(of_game("a game began")["game"], json!(visit.game));
    let ended = of_game("a game ended");
    assert_eq!((&ended["game"], &ended["level"]), (&json!(visit.game), &json!("INFO")));
    let of_request = |id: &str| lines.iter().find(|line| line["span"]["id"] == id).expect("a line");
    let answered = of_request(&visit.request);
    assert_eq!(answered["span"]["path"], "/api/v1/accounts");
    assert_eq!(answered["status"], 201);
    // Every line of the REST API stands in a request.
    for line in lines.iter().filter(|line| line["target"].as_str().is_some_and(|t| t.contains("::http"))) {
        assert!(line["span"]["id"].is_string(), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_of_text_are_one_for_each_thing_and_without_colours() {
    let database = Database::sqlite();
    let server = start(&database.location, "text", "info,kingscross_server=debug");
    let visit = visit(&server.url).await;
    let words = server.end();
    for line in words.lines() {
        assert!(line.starts_with("20") && line.contains('Z'), "every line begins with its time: {line:?}");
        assert!(!line.contains('\u{1b}'), "{line:?}");
    }
    // What clients call themselves and ask for stands in one line, and forges none.
    assert!(words.contains(PROGRAM), "{words}");
    assert!(
        !words.lines().any(|line| line.contains(" ERROR ") && line.starts_with("2026-01-01T00:00:00Z")),
        "{words}"
    );
    let ended = words.lines().find(|line| line.contains("a game ended")).expect("a line");
    assert!(ended.contains(&format!("game={}", visit.game)), "{ended}");
    assert!(words.contains(&visit.request), "{words}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_ever_written_however_much_is() {
    let database = Database::sqlite();
    let server = start(&database.location, "json", "trace");
    let visit = visit(&server.url).await;
    let words = server.end();
    assert!(lines_of(&words).len() > 20, "nothing was written: {words}");
    for secret in &visit.secrets {
        assert!(!words.contains(secret), "{secret} is in the log");
    }
    if let Some(database) = Database::postgres().await {
        // The test's server trusts everybody, so any password opens it.
        let secret = "hush-hush-hush";
        let location = database.location.replacen('@', &format!(":{secret}@"), 1);
        let server = start(&location, "text", "trace");
        let visit = self::visit(&server.url).await;
        let words = server.end();
        for secret in visit.secrets.iter().map(String::as_str).chain([secret]) {
            assert!(!words.contains(secret), "{secret} is in the log");
        }
        database.remove().await;
    }
}

#[test]
fn a_database_that_cannot_be_reached_is_named_without_its_password() {
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kingscross"))
            .args(["--database", "postgres://someone:hush-hush-hush@127.0.0.1:1/games"])
            .args(arguments)
            .env("RUST_LOG", "trace")
            // Long enough to say that it waits.
            .env("KINGSCROSS__DATABASE__WAIT_MS", "1")
            .output()
            .expect("the program runs");
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    };
    for arguments in [&["serve"][..], &["verify"], &["doctor"], &["admin", "list"], &["config"]] {
        let (is_done, text) = run(arguments);
        assert_eq!(is_done, arguments == ["config"], "{arguments:?}: {text}");
        assert!(text.contains("127.0.0.1:1"), "{arguments:?}: {text}");
        assert!(!text.contains("hush"), "{arguments:?}: {text}");
    }
}

#[test]
fn a_level_that_does_not_exist_is_refused_at_the_start() {
    for (key, value, named) in [
        ("LEVEL", "kingscross=loudly", "loudly"),
        ("LEVEL", "loud", "loud"),
        ("FORMAT", "xml", "xml"),
        ("LEVELL", "info", "log.levell"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_kingscross"))
            .args(["serve", "--listen", "127.0.0.1:0", "--database", "/nowhere/x.db"])
            .env_remove("RUST_LOG")
            .env(format!("KINGSCROSS__LOG__{key}"), value)
            .output()
            .expect("the program runs");
        assert!(!output.status.success());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(named) && !said.contains("/nowhere"), "{key}: {said}");
    }
}
