//! Who is asking: guests, cookies, origins, and what every path of the API has in common.

use std::time::Duration;

use hyper::Method;
use kingscross_storage::Options;
use kingscross_tests::{Database, Postgres, Server, TestPlayer, on_both_databases};
use serde_json::json;

on_both_databases!(
    a_visitor_becomes_a_guest_once_and_stays_it_over_a_restart,
    without_a_session_there_is_no_me,
);

async fn a_visitor_becomes_a_guest_once_and_stays_it_over_a_restart(database: Database) {
    let server = Server::start(&database).await;
    let mut visitor = server.visitor();
    let answer = visitor.post("/api/v1/guest", &json!({})).await;
    assert_eq!(answer.status, 201);
    let cookie = answer.header("set-cookie").expect("a cookie").to_owned();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && cookie.contains("Path=/"),
        "{cookie}"
    );
    assert!(!cookie.contains("Secure"), "no TLS here: {cookie}");
    let guest = answer.json();
    assert_eq!(guest["kind"], "guest");
    assert!(guest["name"].as_str().is_some_and(|name| name.len() > 5), "{guest}");
    let again = visitor.post("/api/v1/guest", &json!({})).await;
    assert_eq!((again.status, again.json()), (200, guest.clone()));
    server.stop().await;

    let server = Server::start(&database).await;
    let mut back = server.visitor();
    back.cookie = visitor.cookie;
    let me = back.get("/api/v1/me").await.json();
    assert_eq!((&me["id"], &me["name"]), (&guest["id"], &guest["name"]));
    assert_eq!(me["scopes"], json!(["read", "play", "manage"]));
    server.stop().await;
}

async fn without_a_session_there_is_no_me(database: Database) {
    let server = Server::start(&database).await;
    let mut visitor = server.visitor();
    assert_eq!(visitor.get("/api/v1/me").await.refusal(), (401, "unauthorized".into()));
    for cookie in ["kingscross=", "kingscross=zz", &format!("kingscross={}", "0".repeat(64)), "other=1"] {
        visitor.cookie = Some(cookie.to_owned());
        assert_eq!(visitor.get("/api/v1/me").await.refusal(), (401, "unauthorized".into()), "{cookie}");
    }
    let mut program = server.visitor().with_token("kgx_nonsense");
    assert_eq!(program.get("/api/v1/me").await.refusal(), (401, "unauthorized".into()));
    server.stop().await;
}

#[tokio::test]
async fn cookies_are_secure_behind_tls() {
    let server = Server::start_with(&Database::sqlite(), |config| {
        config.server.public_url = "https://kings.example".parse().expect("an address");
    })
    .await;
    let answer = server.visitor().post("/api/v1/guest", &json!({})).await;
    assert!(answer.header("set-cookie").expect("a cookie").contains("; Secure"));
    server.stop().await;
}

#[tokio::test]
async fn pages_of_other_sites_can_change_nothing() {
    let server = Server::start(&Database::sqlite()).await;
    let mut guest = server.guest().await;
    for headers in
        [[("origin", "https://evil.example")], [("origin", "null")], [("sec-fetch-site", "cross-site")]]
    {
        let answer = guest.send(Method::POST, "/api/v1/guest", &headers, "{}".into()).await;
        assert_eq!(answer.refusal(), (403, "bad_origin".into()), "{headers:?}");
    }
    let own = server.url.clone();
    let answer = guest.send(Method::POST, "/api/v1/guest", &[("origin", &own)], "{}".into()).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer =
        guest.send(Method::GET, "/api/v1/me", &[("origin", "https://evil.example")], "".into()).await;
    assert_eq!(answer.status, 401, "cookies that come with a page of another site open nothing");
    assert_eq!(answer.header("access-control-allow-origin"), None);
    server.stop().await;
}

#[tokio::test]
async fn every_refusal_has_the_one_body() {
    let server = Server::start(&Database::sqlite()).await;
    let mut visitor = server.visitor();
    assert_eq!(visitor.get("/api/v1/nothing/here").await.refusal(), (404, "not_found".into()));
    let answer = visitor.delete("/api/v1/variants").await;
    assert_eq!(answer.refusal(), (405, "method_not_allowed".into()));
    assert_eq!(answer.header("allow"), Some("GET,HEAD"));
    assert_eq!(visitor.get("/api/v1/variants?color=red").await.refusal(), (400, "unknown_parameter".into()));
    server.stop().await;
}

#[tokio::test]
async fn too_many_guests_of_one_address_are_refused_with_the_wait() {
    let server =
        Server::start_with(&Database::sqlite(), |config| config.accounts.guests_per_address = 2).await;
    for _ in 0..2 {
        server.guest().await;
    }
    let answer = server.visitor().post("/api/v1/guest", &json!({})).await;
    assert_eq!(answer.refusal(), (429, "too_many".into()));
    assert_eq!(answer.json()["retryable"], true);
    assert!(answer.header("retry-after").is_some_and(|seconds| seconds.parse::<u32>().is_ok()));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_and_readiness_tell_how_it_is() {
    let server = Server::start(&Database::sqlite()).await;
    let mut visitor = server.visitor();
    assert_eq!(visitor.get("/healthz").await.text(), "ok");
    let ready = visitor.get("/readyz").await;
    assert_eq!((ready.status, ready.json()), (200, json!({"ready": true, "database": "ok", "server": "ok"})));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readiness_follows_a_database_that_goes_and_comes() {
    let Some(postgres) = Postgres::start().await else { return };
    let options = Options { time_limit: Duration::from_secs(1), ..Options::default() };
    let server = Server::start(&postgres.database(options)).await;
    let mut visitor = server.visitor();
    assert_eq!(visitor.get("/readyz").await.status, 200);
    tokio::task::block_in_place(|| postgres.stop());
    let ready = visitor.get("/readyz").await;
    assert_eq!((ready.status, &ready.json()["ready"]), (503, &json!(false)));
    assert_ne!(ready.json()["database"], "ok");
    assert_eq!(
        visitor.get("/healthz").await.text(),
        "ok",
        "a database that is away is no reason to start anew"
    );
    assert_eq!(visitor.post("/api/v1/guest", &json!({})).await.refusal(), (503, "unavailable".into()));
    tokio::task::block_in_place(|| postgres.start_again());
    assert_eq!(visitor.get("/readyz").await.status, 200);
    assert_eq!(visitor.post("/api/v1/guest", &json!({})).await.status, 201);
    server.stop().await;
}

#[tokio::test]
async fn the_variants_are_listed_with_their_boards() {
    let server = Server::start(&Database::sqlite()).await;
    let variants = server.visitor().get("/api/v1/variants").await.json();
    let ids: Vec<_> = variants.as_array().expect("a list").iter().map(|v| v["variant"].clone()).collect();
    assert_eq!(json!(ids), json!(["crossfire", "kingdoms", "quaternity", "cross-a", "cross-b"]));
    assert_eq!(variants[0]["armies"][1], json!({"letter": "w", "name": "West", "side": "west"}));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_have_an_address_of_their_own() {
    let database = Database::sqlite();
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = free.local_addr().expect("bound").to_string();
    drop(free);
    let server = Server::start_with(&database, |config| config.metrics.listen.clone_from(&address)).await;
    let mut ada = TestPlayer::guest(&server.url).await;
    let mut bob = TestPlayer::guest(&server.url).await;
    let variant = kingscross_engine::Variant::CrossA;
    let game = kingscross_tests::start_game_of_two(&mut ada, &mut bob, variant, false).await;
    ada.request(kingscross_protocol::Request::Resign { game }).await;
    let told = kingscross_tests::Http::new(&address).get("/metrics").await;
    let text = told.text();
    for name in [
        "kingscross_events_total{kind=\"played\"} 1",
        "kingscross_stored_seconds_bucket",
        "kingscross_told_seconds_count",
        "kingscross_sockets 2",
        "kingscross_tickets 0",
        "kingscross_memory_bytes",
        "kingscross_requests_total{status=\"201\"}",
    ] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert_eq!(server.visitor().get("/api/v1/metrics").await.status, 404);
    server.stop().await;
}
