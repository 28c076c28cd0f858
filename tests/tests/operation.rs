//! What those who run a server see of it: figures, their dashboard and their description, and addresses behind a proxy.

use std::collections::BTreeSet;

use hyper::Method;
use kingscross_engine::Variant;
use kingscross_protocol::Request;
use kingscross_tests::{Database, Http, Server, TestPlayer, start_game_of_two};

const DASHBOARD: &str = include_str!("../../docs/grafana.json");
const OPERATIONS: &str = include_str!("../../docs/operations.md");

/// Every word that names a figure, without what a histogram puts behind it.
fn figures(text: &str) -> BTreeSet<String> {
    let words = text.split(|sign: char| !sign.is_ascii_lowercase() && sign != '_');
    let names = words.filter(|word| word.starts_with("kingscross_") && *word != "kingscross_");
    let plain = |name: &str| {
        let parts = ["_bucket", "_sum", "_count"];
        let part = parts.iter().find_map(|part| name.strip_suffix(part));
        part.filter(|stem| stem.ends_with("_seconds")).unwrap_or(name).to_owned()
    };
    names.map(plain).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_figure_is_described_and_on_the_dashboard_and_no_other() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = free.local_addr().expect("bound").to_string();
    drop(free);
    let server =
        Server::start_with(&Database::sqlite(), |config| config.metrics.listen.clone_from(&address)).await;
    // Every figure is there from the start, so that a dashboard shows a 0 and not a gap.
    assert_eq!(server.visitor().get("/readyz").await.status, 200);
    let fresh = Http::new(&address).get("/metrics").await.text();
    assert_eq!(figures(OPERATIONS), figures(&fresh), "docs/operations.md, of a fresh server");
    for line in [
        "kingscross_tables 0",
        "kingscross_events_total{kind=\"played\"} 0",
        "kingscross_events_total{kind=\"rematch\"} 0",
        "kingscross_stored_seconds_count 0",
        "kingscross_told_seconds_bucket{le=\"+Inf\"} 0",
        "kingscross_queued_appends 0",
        "kingscross_storage_stalls_total 0",
        "kingscross_closes_total{code=\"4001\"} 0",
        "kingscross_closes_total{code=\"1009\"} 0",
        "kingscross_resyncs_total{by=\"tail\"} 0",
    ] {
        assert!(fresh.lines().any(|other| other == line), "{line}: {fresh}");
    }
    let mut ada = TestPlayer::guest(&server.url).await;
    let mut bob = TestPlayer::guest(&server.url).await;
    let game = start_game_of_two(&mut ada, &mut bob, Variant::CrossA, false).await;
    ada.request(Request::Resign { game }).await;
    let told = Http::new(&address).get("/metrics").await.text();
    for line in ["kingscross_tables 1", "kingscross_events_total{kind=\"finished\"} 1"] {
        assert!(told.lines().any(|other| other == line), "{line}: {told}");
    }
    let real = figures(&told);
    for name in &real {
        assert!(told.contains(&format!("# HELP {name} ")), "{name} says nothing of itself");
    }
    assert_eq!(figures(DASHBOARD), real, "docs/grafana.json");
    assert_eq!(figures(OPERATIONS), real, "docs/operations.md");
    server.stop().await;
}

#[tokio::test]
async fn whoever_looks_for_the_metrics_at_the_players_address_learns_where_they_are() {
    let server = Server::start(&Database::sqlite()).await;
    let answer = server.visitor().get("/metrics").await;
    assert_eq!(answer.refusal(), (404, "not_found".to_owned()));
    assert!(answer.text().contains("metrics.listen"), "{}", answer.text());
    server.stop().await;
}

#[tokio::test]
async fn limits_see_the_players_behind_a_trusted_proxy_and_believe_no_other() {
    let guest_from = async |server: &Server, forwarded: &str| {
        let headers = [("content-type", "application/json"), ("x-forwarded-for", forwarded)];
        server.visitor().send(Method::POST, "/api/v1/guest", &headers, "{}".into()).await.status
    };
    let behind = Server::start_with(&Database::sqlite(), |config| {
        config.accounts.guests_per_address = 1;
        config.server.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    })
    .await;
    assert_eq!(guest_from(&behind, "203.0.113.1").await, 201);
    assert_eq!(guest_from(&behind, "203.0.113.2").await, 201);
    assert_eq!(guest_from(&behind, "203.0.113.1").await, 429);
    // Entries before the proxy's own are the client's invention.
    assert_eq!(guest_from(&behind, "203.0.113.77, 203.0.113.2").await, 429);
    behind.stop().await;

    let open = Server::start_with(&Database::sqlite(), |config| config.accounts.guests_per_address = 1).await;
    assert_eq!(guest_from(&open, "203.0.113.1").await, 201);
    assert_eq!(guest_from(&open, "203.0.113.2").await, 429, "a stranger may not choose its address");
    open.stop().await;
}
