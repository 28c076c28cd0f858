//! Where the server meets the network: pages of other sites, readers who take nothing, strangers who guess passwords,
//! and a place under a path.

use std::time::Duration;

use hyper::Method;
use hyper::body::Bytes;
use kingscross_client::Client;
use kingscross_engine::Variant;
use kingscross_protocol::{Request, Timestamp, UserView};
use kingscross_server::config::Config;
use kingscross_server::{Generate, generate};
use kingscross_tests::{Answer, Database, Http, PASSWORD, Server};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// Far beyond what anything here takes: only a server that waits for ever meets it.
const NEVER: Duration = Duration::from_secs(60);
const HOUR_MS: u64 = 3_600_000;

async fn asked(http: &mut Http, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
    http.send(method, path, headers, Bytes::new()).await
}

#[tokio::test]
async fn pages_of_listed_origins_may_use_the_api_and_others_may_not() {
    let server = Server::start_with(&Database::sqlite(), |config| {
        config.server.origins = vec!["https://Club.example:443/".parse().expect("an origin")];
    })
    .await;
    let mut ada = server.account("Ada").await;
    let wanted = json!({ "name": "page", "scopes": ["read", "play"] });
    let token =
        ada.post("/api/v1/me/tokens", &wanted).await.json()["secret"].as_str().expect("one").to_owned();
    let mut page = server.visitor().with_token(&token);

    let preflight = |origin| {
        [
            ("origin", origin),
            ("access-control-request-method", "PUT"),
            ("access-control-request-headers", "authorization,content-type"),
        ]
    };
    let answer = asked(&mut page, Method::OPTIONS, "/api/v1/me", &preflight("https://club.example")).await;
    assert_eq!(answer.status, 204);
    for (name, value) in [
        ("access-control-allow-origin", "https://club.example"),
        ("access-control-allow-methods", "GET, HEAD, POST, PUT, DELETE"),
        ("access-control-allow-headers", "authorization, content-type"),
        ("vary", "origin"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
    assert_eq!(answer.header("access-control-allow-credentials"), None, "cookies stay at home");

    let answer = asked(&mut page, Method::GET, "/api/v1/me", &[("origin", "https://club.example")]).await;
    assert_eq!((answer.status, answer.json()["name"].as_str()), (200, Some("Ada")));
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://club.example"));
    assert_eq!(answer.header("vary"), Some("origin"));
    // A browser sends cookies between hosts of one site; here they open nothing.
    let answer = asked(&mut ada, Method::GET, "/api/v1/me", &[("origin", "https://club.example")]).await;
    assert_eq!(answer.status, 401);
    // Refusals are read as well.
    let answer =
        asked(&mut page, Method::GET, "/api/v1/nothing", &[("origin", "https://club.example")]).await;
    assert_eq!(answer.status, 404);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://club.example"));

    for origin in ["https://evil.example", "http://club.example", "https://club.example:8443", "null"] {
        let refused = asked(&mut page, Method::OPTIONS, "/api/v1/me", &preflight(origin)).await;
        let read = asked(&mut page, Method::GET, "/api/v1/me", &[("origin", origin)]).await;
        assert_eq!((refused.status, read.status), (405, 200), "{origin}");
        for answer in [refused, read] {
            let told = answer.headers.keys().find(|name| name.as_str().starts_with("access-control-"));
            assert_eq!(told, None, "{origin}");
            assert_eq!(answer.header("vary"), Some("origin"), "{origin}");
        }
    }
    server.stop().await;
}

/// A connection that holds little of what is sent.
async fn connect(server: &Server) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a size");
    let address = server.url.trim_start_matches("http://").parse().expect("an address");
    socket.connect(address).await.expect("it listens")
}

/// Asks for a long document over and over on one connection, and takes only the beginning of the first answer.
async fn reader(server: &Server) -> TcpStream {
    let mut stream = connect(server).await;
    // Far more than the buffers of both sides hold.
    let requests = "GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200);
    stream.write_all(requests.as_bytes()).await.expect("the server reads");
    let mut begun = [0; 15];
    stream.read_exact(&mut begun).await.expect("an answer");
    assert_eq!(&begun, b"HTTP/1.1 200 OK");
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_who_take_nothing_are_cut_off() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let metrics = free.local_addr().expect("bound").to_string();
    drop(free);
    let server = Server::start_with(&Database::sqlite(), |config| {
        config.server.stall_ms = 100;
        config.metrics.listen.clone_from(&metrics);
    })
    .await;
    let tasks = async || {
        let told = Http::new(&metrics).get("/metrics").await.text();
        let line = told.lines().find_map(|line| line.strip_prefix("kingscross_tasks ")).expect("a figure");
        line.parse::<u32>().expect("a number")
    };
    // It answers, so the figures are served as well.
    assert_eq!(server.visitor().get("/readyz").await.status, 200);
    let before = tasks().await;
    let mut readers = Vec::new();
    for _ in 0..40 {
        readers.push(reader(&server).await);
    }
    let all_gone = async { while tasks().await > before {} };
    tokio::time::timeout(NEVER, all_gone).await.expect("no reader holds its connection");
    assert_eq!(readers.len(), 40);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_does_not_wait_for_readers_who_take_nothing() {
    let server = Server::start_with(&Database::sqlite(), |config| {
        config.server.stall_ms = HOUR_MS;
        config.server.stop_ms = HOUR_MS;
    })
    .await;
    let mut readers = Vec::new();
    for _ in 0..40 {
        readers.push(reader(&server).await);
    }
    tokio::time::timeout(NEVER, server.stop()).await.expect("the stop ends before its own limit");
    assert_eq!(readers.len(), 40);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_breaks_long_lists_off() {
    let server = Server::start_with(&Database::sqlite(), |config| config.server.stop_ms = HOUR_MS).await;
    let what = Generate { games: 100, players: 8, seed: 1, from: Timestamp(1_790_000_000_000) };
    generate(&server.store, &Config::defaults(), what, |_| {}).await.expect("an empty database");
    let whole = server.visitor().get("/api/v1/records").await;
    assert_eq!(whole.text().lines().count(), 100);

    let mut stream = connect(&server).await;
    let request = "GET /api/v1/records HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await.expect("the server reads");
    let mut begun = [0; 15];
    stream.read_exact(&mut begun).await.expect("an answer");
    assert_eq!(&begun, b"HTTP/1.1 200 OK");
    let mut rest = Vec::new();
    // Whether it is closed or reset, it has ended.
    let (_, ()) = tokio::join!(stream.read_to_end(&mut rest), async {
        tokio::time::timeout(NEVER, server.stop()).await.expect("the stop ends");
    });
    assert!(!rest.ends_with(b"0\r\n\r\n"), "nobody takes a part for the whole");
    assert!(rest.len() < whole.body.len());
}

/// A server behind a proxy on this machine, so that tests choose where their requests come from.
async fn behind_a_proxy(change: impl FnOnce(&mut Config)) -> Server {
    Server::start_with(&Database::sqlite(), |config| {
        config.server.trusted_proxies = vec!["127.0.0.1".parse().expect("an address")];
        config.accounts.sign_ins_per_name = 3;
        config.accounts.sign_ins_per_address = 5;
        config.accounts.sign_ins_by_strangers = 7;
        change(config);
    })
    .await
}

/// Tries a password from an address; gives the status.
async fn sign_in(http: &mut Http, from: &str, name: &str, password: &str) -> u16 {
    let headers = [("content-type", "application/json"), ("x-forwarded-for", from)];
    let body = json!({ "name": name, "password": password }).to_string();
    http.send(Method::POST, "/api/v1/session", &headers, body.into()).await.status
}

const OWNER: &str = "203.0.113.1";
const STRANGER: &str = "198.51.100.7";

/// Ada's browser, in which she has made her account, signed in at her address, and signed out.
async fn owner(server: &Server) -> Http {
    let mut browser = server.account("Ada").await;
    assert_eq!(sign_in(&mut browser, OWNER, "Ada", PASSWORD).await, 200);
    assert_eq!(browser.delete("/api/v1/session").await.status, 204);
    assert!(browser.cookie.is_none() && browser.device.is_some());
    browser
}

#[tokio::test]
async fn a_strangers_wrong_passwords_keep_nobody_else_out() {
    let server = behind_a_proxy(|_| {}).await;
    let mut owner = owner(&server).await;
    let mut stranger = server.visitor();
    for _ in 0..3 {
        assert_eq!(sign_in(&mut stranger, STRANGER, "Ada", "wrong guess").await, 401);
    }
    assert_eq!(sign_in(&mut stranger, STRANGER, "Ada", PASSWORD).await, 429, "even the right one");
    // From a browser that the account does not know, at another address; and from the owner's own, anywhere.
    assert_eq!(sign_in(&mut server.visitor(), "203.0.113.9", "Ada", PASSWORD).await, 200);
    assert_eq!(sign_in(&mut owner, STRANGER, "Ada", PASSWORD).await, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_name_that_is_tried_from_everywhere_stays_open_to_those_it_knows() {
    let server = behind_a_proxy(|_| {}).await;
    let mut owner = owner(&server).await;
    for number in 0..7 {
        let from = format!("198.51.100.{number}");
        assert_eq!(sign_in(&mut server.visitor(), &from, "Ada", "wrong guess").await, 401, "{from}");
    }
    let mut stranger = server.visitor();
    assert_eq!(sign_in(&mut stranger, "198.51.100.99", "Ada", PASSWORD).await, 429, "strangers wait");
    assert_eq!(sign_in(&mut stranger, "198.51.100.99", "Bob", "wrong guess").await, 401, "at this name only");
    assert_eq!(sign_in(&mut server.visitor(), OWNER, "Ada", PASSWORD).await, 200, "an address that it knows");
    assert_eq!(sign_in(&mut owner, "192.0.2.1", "Ada", PASSWORD).await, 200, "a browser that it knows");
    server.stop().await;
}

#[tokio::test]
async fn a_known_browser_may_not_guess_without_end_nor_at_another_name() {
    let server = behind_a_proxy(|_| {}).await;
    let mut owner = owner(&server).await;
    server.account("Eve").await;
    for _ in 0..3 {
        assert_eq!(sign_in(&mut owner, OWNER, "Ada", "wrong guess").await, 401);
    }
    assert_eq!(sign_in(&mut owner, OWNER, "Ada", PASSWORD).await, 429);
    // Ada's browser is a stranger at Eve's name, with the limits of its address.
    for _ in 0..3 {
        assert_eq!(sign_in(&mut owner, STRANGER, "Eve", "wrong guess").await, 401);
    }
    assert_eq!(sign_in(&mut owner, STRANGER, "Eve", PASSWORD).await, 429);
    // Another cookie than the server's own is none.
    let mut forger = server.visitor();
    forger.device = Some(format!("kx_device={}", "ab".repeat(32)));
    for _ in 0..2 {
        assert_eq!(sign_in(&mut forger, "192.0.2.8", "Ada", "wrong guess").await, 401);
    }
    server.stop().await;
}

#[tokio::test]
async fn signing_in_rightly_counts_for_no_limit() {
    let server = behind_a_proxy(|_| {}).await;
    server.account("Ada").await;
    // A school behind one address.
    for _ in 0..20 {
        assert_eq!(sign_in(&mut server.visitor(), STRANGER, "Ada", PASSWORD).await, 200);
    }
    server.stop().await;
}

#[tokio::test]
async fn strangers_do_not_keep_the_owner_from_a_new_password() {
    let server = behind_a_proxy(|_| {}).await;
    let mut owner = server.account("Ada").await;
    for number in 0..8 {
        sign_in(&mut server.visitor(), &format!("198.51.100.{number}"), "Ada", "wrong guess").await;
    }
    let change = json!({ "current": PASSWORD, "new": "another one, as long" });
    assert_eq!(owner.post("/api/v1/me/password", &change).await.status, 204);
    server.stop().await;
}

#[tokio::test]
async fn a_browser_is_remembered_hashed_and_forgotten_with_its_account() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let mut ada = server.account("Ada").await;
    let id = ada.get("/api/v1/me").await.read::<UserView>().id;
    let devices = server.store.list_devices(id).await.expect("readable");
    assert_eq!(devices.len(), 1);
    let secret = ada.device.clone().expect("a cookie").split_once('=').expect("a pair").1.to_owned();
    assert_ne!(devices[0].token_hash, secret.as_bytes());
    assert_eq!(ada.get("/api/v1/me/export").await.json()["devices"].as_array().map(Vec::len), Some(1));
    // The same browser stays one, however often it signs in; the oldest of too many is forgotten.
    assert_eq!(sign_in(&mut ada, OWNER, "Ada", PASSWORD).await, 200);
    assert_eq!(server.store.list_devices(id).await.expect("readable").len(), 1);
    for _ in 0..25 {
        assert_eq!(sign_in(&mut server.visitor(), OWNER, "Ada", PASSWORD).await, 200);
    }
    assert_eq!(server.store.list_devices(id).await.expect("readable").len(), 20);
    let gone = ada.json(Method::DELETE, "/api/v1/me", &json!({ "password": PASSWORD })).await;
    assert_eq!(gone.status, 204, "{}", gone.text());
    assert_eq!(server.store.list_devices(id).await.expect("readable"), []);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_under_a_path_is_there_as_a_whole() {
    let server = Server::start_with(&Database::sqlite(), |config| {
        config.server.public_url = "https://example.org/chess".parse().expect("an address");
    })
    .await;
    let mut visitor = server.visitor();
    let from_page = [("origin", "https://example.org")];
    let made = asked(&mut visitor, Method::POST, "/chess/api/v1/guest", &from_page).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let cookie = made.header("set-cookie").expect("a session");
    assert!(cookie.contains("; Path=/chess;") && cookie.contains("; Secure"), "{cookie}");
    assert_eq!(visitor.get("/chess/api/v1/me").await.status, 200);

    for path in ["/chess/", "/chess", "/chess/game/x", "/chess/users/x?tab=1"] {
        let page = visitor.get(path).await;
        assert_eq!(
            (page.status, page.header("content-type")),
            (200, Some("text/html; charset=utf-8")),
            "{path}"
        );
        let text = page.text();
        for part in ["data-base=\"/chess\"", "src=\"/chess/client.js\"", "href=\"/chess/api/v1/variants\""] {
            assert!(text.contains(part), "{path}: {text}");
        }
        assert!(!text.contains("=\"/api") && !text.contains("=\"/client"), "{text}");
    }
    for path in
        ["/chess/client.js", "/chess/client.css", "/chess/icon.svg", "/chess/api/v1/docs", "/chess/readyz"]
    {
        assert_eq!(visitor.get(path).await.status, 200, "{path}");
    }
    let api = visitor.get("/chess/api/v1/openapi.json").await.json();
    assert_eq!(api["servers"], json!([{ "url": "/chess" }]));
    // Who looks after the server asks it itself.
    for path in ["/healthz", "/readyz"] {
        assert_eq!(visitor.get(path).await.status, 200, "{path}");
    }
    assert_eq!(visitor.get("/chessmen/client.js").await.status, 404);
    server.stop().await;

    // Programs name the path with the server's address, and play.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/chess", listener.local_addr().expect("bound"));
    let server = Server::start_on(listener, &Database::sqlite(), |config| {
        config.server.public_url = url.parse().expect("an address");
    })
    .await;
    let client = Client::guest(&url).await.expect("a guest");
    let connection = client.connect().await.expect("a socket");
    let variant = Variant::CrossA;
    let begun =
        connection.request(Request::PlayNow { variant, time: None, level: None }).await.expect("a game");
    let game = begun.game.expect("a game");
    connection.request(Request::Resign { game }).await.expect("resigned");
    server.stop().await;
}
