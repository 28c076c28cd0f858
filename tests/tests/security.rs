//! The lines of docs/security.md that no other test attacks, on a running server.

use kingscross_engine::Variant;
use kingscross_protocol::{
    CommandId, ErrorCode, Event, LobbyId, LobbyOptions, Request, Saying, ServerMessage,
};
use kingscross_tests::{
    Database, PASSWORD, Server, Stored, TestPlayer, guests, lobby_key, lobby_options, start_game,
};
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
async fn a_request_that_comes_too_slowly_is_cut_off() {
    let server = Server::start_with(&Database::sqlite(), |config| config.server.head_ms = 100).await;
    let answer = raw(&server, b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ").await;
    assert!(!answer.contains("200 OK"), "{answer}");
    // And an idle connection is not kept for ever: it is closed without a word.
    assert_eq!(raw(&server, b"").await, "");
    // Nor one whose body never comes.
    let body = "POST /api/v1/accounts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{";
    let answer = raw(&server, body.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("in time"), "{answer}");
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

/// A handshake by hand: what a browser sends for a page of that origin.
fn handshake(cookie: &str, origin: &str) -> String {
    format!(
        "GET /api/v1/ws HTTP/1.1\r\nHost: play.example\r\nCookie: {cookie}\r\nOrigin: {origin}\r\nConnection: Upgrade\r\n\
         Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
}

#[tokio::test]
async fn pages_of_other_sites_open_no_socket() {
    let server = Server::start_with(&Database::sqlite(), |config| config.server.head_ms = 300).await;
    let cookie = server.guest().await.cookie.expect("a guest has one");
    for origin in [
        "https://evil.example",
        "http://play.example.evil.example",
        "http://play.example:81",
        "http://evil.play.example",
        "null",
        "file://",
    ] {
        // Refused, so the line is none of a WebSocket's: it is closed like any other that is idle.
        let answer = raw(&server, handshake(&cookie, origin).as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{origin}: {answer}");
        assert!(answer.contains("bad_origin"), "{origin}: {answer}");
    }
    // The same handshake from a page of ours is let in, so it was the origin that was refused.
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).await.expect("it listens");
    stream.write_all(handshake(&cookie, "http://play.example").as_bytes()).await.expect("it reads");
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 101");
    server.stop().await;
}

#[tokio::test]
async fn what_is_said_is_text_and_nothing_else() {
    let server = server().await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start_game(&mut players, lobby_options(Variant::CrossA)).await;
    for player in &mut players {
        player.watch(game).await;
    }
    for said in [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\"}],\"type\":\"stopping\"",
        "&lt;b&gt;",
    ] {
        let what = Saying::Text(said.to_owned());
        players[0].connection.request(Request::Say { game, what: what.clone() }).await.expect("free text");
        let heard = players[1].until(|message| match message {
            ServerMessage::Chat(line) => Some(line.what),
            _ => None,
        });
        assert_eq!(heard.await, what, "neither changed nor broken out of its message");
    }
    let refused = Request::Say { game, what: Saying::Text("a\nb\u{7}".to_owned()) };
    let answer = players[0].connection.request(refused).await.expect_err("a line is one line");
    assert_eq!(answer.refusal().map(|body| body.code), Some(ErrorCode::BadText));
    // What a page is, is not for the browser to guess.
    for path in
        ["/api/v1/games".to_owned(), format!("/api/v1/games/{game}"), format!("/api/v1/games/{game}/record")]
    {
        let answer = server.visitor().get(&path).await;
        assert_eq!(answer.header("content-type"), Some("application/json"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_stolen_database_opens_no_session() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let mut ada = server.account("Ada").await;
    let token = json!({ "name": "robot", "scopes": ["read", "play"] });
    let token =
        ada.post("/api/v1/me/tokens", &token).await.json()["secret"].as_str().expect("one").to_owned();
    let cookie = ada.cookie.clone().expect("a session");
    let secret = cookie.split_once('=').expect("a name and a value").1.to_owned();
    server.stop().await;
    let mut stolen = std::fs::read(&database.location).expect("the file");
    // And what has not been folded into it yet.
    stolen.extend(std::fs::read(format!("{}-wal", database.location)).unwrap_or_default());
    let holds = |secret: &[u8]| stolen.windows(secret.len()).any(|window| window == secret);
    assert!(holds(b"Ada"), "this is the file");
    for secret in [secret.as_bytes(), token.as_bytes(), PASSWORD.as_bytes()] {
        assert!(!holds(secret), "the database holds {}", String::from_utf8_lossy(secret));
    }
    // Nor the bytes that the text of the cookie stands for.
    let bytes = (0..secret.len() / 2).map(|at| u8::from_str_radix(&secret[at * 2..at * 2 + 2], 16));
    if let Ok(bytes) = bytes.collect::<Result<Vec<u8>, _>>() {
        assert!(!holds(&bytes), "the database holds the session's secret");
    }
}

#[tokio::test]
async fn signing_in_does_not_reveal_who_has_an_account() {
    let server = server().await;
    server.account("Ada").await;
    let mut answers = Vec::new();
    for name in ["Ada", "Nobody", "<script>", ""] {
        let body = json!({ "name": name, "password": "wrong, wrong, wrong" });
        let answer = server.visitor().post("/api/v1/session", &body).await;
        answers.push((answer.status, answer.text()));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_move_counts_for_the_senders_seat_and_the_servers_clock() {
    let server = server().await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start_game(&mut players, lobby_options(Variant::CrossA)).await;
    let view = players[0].watch(game).await;
    let on_turn = view.board.turn.expect("someone is");
    let mv = view.legal.as_ref().expect("on turn")[0].mv.clone();
    let other = if view.you == Some(on_turn) { 1 } else { 0 };
    let victim = players[1 - other].connection.user().id;
    // What a client would like to decide itself: whose move it is, when it was made, what the clocks show.
    let forged = |ply: u32| {
        json!({
            "id": CommandId::fresh(), "type": "move", "game": game, "ply": ply, "mv": mv,
            "seat": on_turn, "user": victim, "at": 0, "arrived": 0, "lag": 99_999, "clock": 9_999_999,
            "clocks": { "s": 9_999_999, "n": 1 }, "by_server": true, "seq": 1,
        })
    };
    let mut socket = players[other].client.socket().await.expect("a socket");
    socket.greet("forger").await.expect("greeted");
    socket.send_text(forged(0).to_string().into()).await.expect("sent");
    let code = loop {
        let text = socket.next().await.expect("open");
        if let ServerMessage::Error { error, .. } = serde_json::from_str(&text).expect("a message") {
            break error.code;
        }
    };
    assert!(matches!(code, ErrorCode::NotYourTurn | ErrorCode::BadRequest), "{code:?}");

    let mut socket = players[1 - other].client.socket().await.expect("a socket");
    socket.greet("forger").await.expect("greeted");
    socket.send_text(forged(0).to_string().into()).await.expect("sent");
    let mut view = players[other].watch(game).await;
    while view.board.ply == 0 {
        players[other].follow(&mut view).await;
    }
    let Stored { events, .. } = Stored::read(&server.store, game).await;
    let played = events.iter().find_map(|(row, event)| match event {
        Event::Played(played) => Some((row.at, played.clone())),
        _ => None,
    });
    let (at, played) = played.expect("the move");
    assert!(at.0 > 1_600_000_000_000, "stamped by the server: {at:?}");
    assert_eq!((played.seat, played.by_server), (on_turn, false));
    let text = serde_json::to_string(&played).expect("plain data");
    assert!(!text.contains("9999999"), "{text}");
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
    let mut host = TestPlayer::guest(&server.url).await;
    let wanted = LobbyOptions { public: false, ..lobby_options(Variant::Crossfire) };
    let opened = host.connection.request(Request::CreateLobby(wanted)).await.expect("opens");
    let lobby = opened.lobby.expect("a lobby");
    let key = lobby_key(&mut host, lobby).await;
    let stranger = TestPlayer::guest(&server.url).await;
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
