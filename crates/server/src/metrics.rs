//! Metrics for Prometheus, on an address of their own.
//!
//! Counted where it happens: events stored (`kingscross_events_total`), from a command's arrival to stored and to told
//! (`kingscross_stored_seconds`, `kingscross_told_seconds`), storage stalls, resyncs by tail or snapshot, closes by
//! code, requests by status. Looked up when asked: tables, sockets, addresses, tasks, tickets, memory, and what waits
//! in queues.

use std::sync::OnceLock;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use kingscross_protocol::{Event, Timestamp, close};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;

use crate::app::App;

/// Seconds: from far below a move to far above what anyone would wait.
const BUCKETS: [f64; 12] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// Starts counting; the process has one recorder, whichever server of it asked first.
fn recorder() -> &'static PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE.get_or_init(|| {
        let matcher = Matcher::Suffix("_seconds".to_owned());
        let builder = PrometheusBuilder::new()
            .set_buckets_for_metric(matcher, &BUCKETS)
            .expect("the list of buckets is not empty");
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        // Another library's recorder would have been installed by this program itself; it installs none.
        let _ = metrics::set_global_recorder(recorder);
        describe();
        handle
    })
}

/// The kinds of events that are counted.
const KINDS: [&str; 13] = [
    "created",
    "played",
    "proposed",
    "voted",
    "lapsed",
    "gift",
    "outage",
    "departed",
    "returned",
    "aborted",
    "finished",
    "rematch",
    "match_ended",
];

/// Says what each figure is, and begins it at 0: a dashboard shows what exists.
fn describe() {
    use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
    describe_counter!(
        "kingscross_events_total",
        "Events of games that were stored, by kind; `played` are moves."
    );
    describe_counter!("kingscross_requests_total", "Requests of the REST API, by status.");
    describe_counter!("kingscross_resyncs_total", "Clients brought up to date, by tail or snapshot.");
    describe_counter!("kingscross_closes_total", "Sockets closed by the server, by code.");
    describe_counter!("kingscross_storage_stalls_total", "Commits that were late or failed.");
    describe_counter!("kingscross_server_stalls_total", "Times in which the server stood still.");
    describe_histogram!("kingscross_stored_seconds", Unit::Seconds, "From a command's arrival to stored.");
    describe_histogram!(
        "kingscross_told_seconds",
        Unit::Seconds,
        "From a command's arrival to the broadcast of its events."
    );
    describe_gauge!("kingscross_live_games", "Games that people play.");
    describe_gauge!("kingscross_tables", "Games in memory, finished ones too.");
    describe_gauge!("kingscross_sockets", "Open WebSockets.");
    describe_gauge!("kingscross_addresses", "Addresses that have a WebSocket open.");
    describe_gauge!("kingscross_tasks", "Tasks of connections, tables and searches.");
    describe_gauge!("kingscross_tickets", "Players who wait for a match.");
    describe_gauge!("kingscross_queued_commands", "Messages that wait at tables.");
    describe_gauge!("kingscross_queued_appends", "Appends that wait for their transaction.");
    describe_gauge!("kingscross_queued_messages", "Messages that wait to be written to sockets.");
    describe_gauge!("kingscross_queued_bytes", Unit::Bytes, "Their length.");
    describe_gauge!("kingscross_memory_bytes", Unit::Bytes, "Resident memory of the process.");
    for kind in KINDS {
        counter!("kingscross_events_total", "kind" => kind).increment(0);
    }
    counter!("kingscross_requests_total", "status" => "200").increment(0);
    counter!("kingscross_storage_stalls_total").increment(0);
    counter!("kingscross_server_stalls_total").increment(0);
    for by in ["tail", "snapshot"] {
        counter!("kingscross_resyncs_total", "by" => by).increment(0);
    }
    // They exist from here on; nothing is recorded.
    let _ = (histogram!("kingscross_stored_seconds"), histogram!("kingscross_told_seconds"));
    // Until the pools have been asked, or where the system tells no memory.
    gauge!("kingscross_tickets").set(0.0);
    gauge!("kingscross_memory_bytes").set(0.0);
    for code in close::ALL {
        counter!("kingscross_closes_total", "code" => code.to_string()).increment(0);
    }
}

/// Serves `/metrics` until the server stops.
pub fn start(app: &App, listener: TcpListener) {
    recorder();
    let router = Router::new().route("/metrics", get(tell)).with_state(app.clone());
    let stop = app.stop.clone();
    app.tracker.spawn(async move {
        let served = axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned()).await;
        if let Err(error) = served {
            tracing::warn!(%error, "metrics are no longer served");
        }
    });
}

async fn tell(State(app): State<App>) -> Response {
    metrics::gauge!("kingscross_tables").set(app.tables.count() as f64);
    let (games, commands) = app.tables.load();
    metrics::gauge!("kingscross_live_games").set(games as f64);
    metrics::gauge!("kingscross_queued_commands").set(commands as f64);
    metrics::gauge!("kingscross_sockets").set(app.hub.count() as f64);
    let (messages, bytes) = app.hub.waiting();
    metrics::gauge!("kingscross_queued_messages").set(messages as f64);
    metrics::gauge!("kingscross_queued_bytes").set(bytes as f64);
    metrics::gauge!("kingscross_queued_appends").set(app.store.writer().waiting() as f64);
    metrics::gauge!("kingscross_addresses").set(app.addresses.count_all() as f64);
    metrics::gauge!("kingscross_tasks").set(app.tracker.len() as f64);
    if let Some(pools) = app.queue.pools().await {
        let waiting: u32 = pools.iter().map(|pool| pool.players).sum();
        metrics::gauge!("kingscross_tickets").set(f64::from(waiting));
    }
    if let Some(kib) = resident_kib(std::process::id()) {
        metrics::gauge!("kingscross_memory_bytes").set(kib as f64 * 1024.0);
    }
    let handle = recorder();
    handle.run_upkeep();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], handle.render()).into_response()
}

/// The resident memory of a process, in KiB; none if there is no such process, or outside Linux.
pub fn resident_kib(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Counts requests of the REST API by status.
pub async fn count_requests(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status().as_u16().to_string();
    metrics::counter!("kingscross_requests_total", "status" => status).increment(1);
    response
}

/// An event is stored, so long after its command arrived.
pub fn stored(event: &Event, arrived: Timestamp, now: Timestamp) {
    let kind = match event {
        Event::Created(_) => "created",
        Event::Played(_) => "played",
        Event::Proposed { .. } => "proposed",
        Event::Voted { .. } => "voted",
        Event::Lapsed { .. } => "lapsed",
        Event::Gift { .. } => "gift",
        Event::Outage { .. } => "outage",
        Event::Departed { .. } => "departed",
        Event::Returned { .. } => "returned",
        Event::Aborted { .. } => "aborted",
        Event::Finished(_) => "finished",
        Event::Rematch { .. } => "rematch",
        Event::MatchEnded { .. } => "match_ended",
    };
    metrics::counter!("kingscross_events_total", "kind" => kind).increment(1);
    metrics::histogram!("kingscross_stored_seconds").record(seconds(arrived, now));
}

/// What a command did has been broadcast to the table.
pub fn broadcast(arrived: Timestamp, now: Timestamp) {
    metrics::histogram!("kingscross_told_seconds").record(seconds(arrived, now));
}

/// The server stood still.
pub fn stood_still() {
    metrics::counter!("kingscross_server_stalls_total").increment(1);
}

/// The database did not confirm in time.
pub fn stalled() {
    metrics::counter!("kingscross_storage_stalls_total").increment(1);
}

/// A client was brought up to date: by the missing events, or by a snapshot.
pub fn resynced(by_tail: bool) {
    let by = if by_tail { "tail" } else { "snapshot" };
    metrics::counter!("kingscross_resyncs_total", "by" => by).increment(1);
}

/// A socket was closed by the server.
pub fn closed(code: u16) {
    metrics::counter!("kingscross_closes_total", "code" => code.to_string()).increment(1);
}

fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    to.since(from).max(0) as f64 / 1000.0
}
