//! The lines of docs/security.md that no other test attacks, on a running server.

use kingscross_engine::Variant;
use kingscross_protocol::{LobbyId, LobbyOptions, Request};
use kingscross_tests::play::{Player, key_of, options};
use kingscross_tests::{Database, Server};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn server() -> Server {
    Server::start(&Database::sqlite()).await
}

/// Sends bytes as they are and reads until the server closes.
async fn raw(server: &Server, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).await.expect("it listens");
    stream.write_all(bytes).await.expect("the server reads");
    let mut answer = Vec::new();
    // A server that resets instead of closing has refused as well.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn no_path_leads_out_of_the_client() {
    let server = server().await;
    for path in [
        "/../Cargo.toml",
        "/js/../../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/js/..%5c..%5cCargo.toml",
        "/test/protocol.test.js",
        "/node_modules/typescript/package.json",
        "/package.json%00.html",
    ] {
        let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let answer = raw(&server, head.as_bytes()).await;
        let is_client = answer.contains("<!doctype html>") || answer.contains("<!DOCTYPE html>");
        assert!(
            answer.starts_with("HTTP/1.1 404") || answer.starts_with("HTTP/1.1 400") || is_client,
            "{path}: {answer}"
        );
        for secret in ["[workspace]", "root:", "devDependencies", "compilerOptions"] {
            assert!(!answer.contains(secret), "{path} gives {secret}");
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn every_page_forbids_scripts_of_others() {
    let server = server().await;
    let mut visitor = server.visitor();
    for path in ["/", "/game/x", "/js/main.js", "/users/x"] {
        let answer = visitor.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        let policy = answer.header("content-security-policy").expect("a policy").to_owned();
        assert!(policy.starts_with("default-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    let page = visitor.get("/").await.text();
    assert!(!page.contains("<script>") && !page.contains("style=") && !page.contains(" onclick"), "{page}");
    server.stop().await;
}

#[tokio::test]
async fn a_head_that_comes_too_slowly_is_cut_off() {
    let server = Server::start_with(&Database::sqlite(), |config| config.server.head_ms = 100).await;
    let answer = raw(&server, b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ").await;
    assert!(!answer.contains("200 OK"), "{answer}");
    // And an idle connection is not kept for ever: it is closed without a word.
    assert_eq!(raw(&server, b"").await, "");
    let mut visitor = server.visitor();
    assert_eq!(visitor.get("/healthz").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn bombs_of_json_are_refused_and_the_server_lives() {
    let server = server().await;
    let mut guest = server.guest().await;
    let cookie = guest.cookie.clone().expect("a guest has one");
    let deep = format!("{}{}", "[".repeat(7000), "]".repeat(7000));
    let wide = format!("{{\"variant\":\"crossfire\",\"position\":{deep}}}");
    for (path, body) in [
        ("/api/v1/positions", wide.as_str()),
        ("/api/v1/positions", deep.as_str()),
        ("/api/v1/accounts", deep.as_str()),
        ("/api/v1/positions", "{\"variant\":\"crossfire\",\"actions\":[1e999]}"),
    ] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let answer = raw(&server, head.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 4"), "{path}: {answer}");
        assert!(answer.contains("\"code\":"), "{path}: {answer}");
    }
    // A compressed body is not unpacked, so it cannot grow.
    let zipped = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56\x02\x00";
    let mut head = format!(
        "POST /api/v1/accounts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        zipped.len()
    )
    .into_bytes();
    head.extend_from_slice(zipped);
    let answer = raw(&server, &head).await;
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    assert_eq!(guest.get("/api/v1/me").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn names_cannot_carry_markup_or_line_breaks_or_sql() {
    let server = server().await;
    for name in [
        "<script>alert(1)</script>",
        "<b>x</b>",
        "a\nINFO fake line",
        "a\u{1b}[31mred",
        "robert'); drop table users;--",
        "x\u{202e}y",
        "a\u{200b}b",
    ] {
        let mut visitor = server.visitor();
        let answer = visitor
            .post("/api/v1/accounts", &json!({ "name": name, "password": "four kings, one throne" }))
            .await;
        assert_eq!(answer.refusal(), (400, "bad_name".to_owned()), "{name:?}");
    }
    let mut visitor = server.visitor();
    assert_eq!(visitor.get("/api/v1/variants").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_given_session_id_is_not_taken_over() {
    let server = server().await;
    let chosen = "ab".repeat(32);
    let mut victim = server.visitor();
    victim.cookie = Some(format!("kingscross={chosen}"));
    let answer = victim
        .post("/api/v1/accounts", &json!({ "name": "Victim", "password": "four kings, one throne" }))
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    let given = answer.header("set-cookie").expect("a session of the server's making");
    assert!(!given.contains(&chosen), "{given}");
    let mut attacker = server.visitor();
    attacker.cookie = Some(format!("kingscross={chosen}"));
    assert_eq!(attacker.get("/api/v1/me").await.refusal(), (401, "unauthorized".to_owned()));
    server.stop().await;
}

#[tokio::test]
async fn injection_in_queries_finds_nothing() {
    let server = server().await;
    let mut visitor = server.visitor();
    for query in [
        "player=%27%20or%201%3D1--",
        "variant=crossfire%27--",
        "cursor=%27%3B%20drop%20table%20games",
        "status=%00",
    ] {
        let answer = visitor.get(&format!("/api/v1/games?{query}")).await;
        assert_eq!(answer.status, 400, "{query}: {}", answer.text());
    }
    assert_eq!(visitor.get("/api/v1/games").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_private_lobby_is_as_unknown_as_one_that_does_not_exist() {
    let server = server().await;
    let mut host = Player::guest(&server.url).await;
    let wanted = LobbyOptions { public: false, ..options(Variant::Crossfire) };
    let opened = host.connection.request(Request::CreateLobby(wanted)).await.expect("opens");
    let lobby = opened.lobby.expect("a lobby");
    let key = key_of(&mut host, lobby).await;
    let stranger = Player::guest(&server.url).await;
    let mut answers = Vec::new();
    for (lobby, key) in [
        (lobby, None),
        (lobby, Some(String::new())),
        (lobby, Some(key[1..].to_owned())),
        (LobbyId::fresh(), None),
        (LobbyId::fresh(), Some(key.clone())),
    ] {
        let asked = stranger.connection.request(Request::JoinLobby { lobby, key, seat: None }).await;
        answers.push(asked.expect_err("refused").refusal().expect("a refusal").clone());
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    let entered = stranger
        .connection
        .request(Request::JoinLobby { lobby, key: Some(key), seat: None })
        .await
        .expect("enters");
    assert_eq!(entered.lobby, Some(lobby));
    server.stop().await;
}
