//! What is done now and then: forgetting what has expired, and following the acts of the command line.

use std::time::Duration;

use kingscross_protocol::{GameId, Timestamp, UserId};
use kingscross_storage::Fault;

use crate::App;

/// How often the audit log is looked at.
const FOLLOW: Duration = Duration::from_secs(5);
/// Every how many looks expired sessions and forgotten limits are swept.
const SWEEP: u32 = 60;
/// Lines of the audit log that are looked at; more acts in five seconds are no person's.
const LINES: u32 = 100;

/// Runs until the server stops.
pub async fn run(app: App) {
    let mut seen = app.clock.now();
    for turn in 1_u32.. {
        tokio::select! {
            () = app.stop.cancelled() => return,
            () = tokio::time::sleep(FOLLOW) => {}
        }
        match follow(&app, seen).await {
            Ok(latest) => seen = latest,
            Err(fault) => tracing::warn!(%fault, "the audit log cannot be read"),
        }
        if turn.is_multiple_of(SWEEP) {
            app.auth.limits.sweep();
            if let Err(fault) = app.store.sweep_sessions(app.clock.now()).await {
                tracing::warn!(%fault, "expired sessions could not be swept");
            }
        }
    }
}

/// Carries out here what was done to the database since `seen`.
async fn follow(app: &App, seen: Timestamp) -> Result<Timestamp, Fault> {
    let mut latest = seen;
    for entry in app.store.list_audit(LINES).await?.iter().filter(|entry| entry.at > seen) {
        latest = latest.max(entry.at);
        match entry.action.as_str() {
            "ban" => {
                if let Ok(user) = entry.subject.parse::<UserId>() {
                    app.hub.close_user(user);
                }
            }
            "end" => {
                let table = entry.subject.parse::<GameId>().ok().and_then(|game| app.tables.find(game));
                if let Some(table) = table.filter(|table| !table.has_ended()) {
                    // Its own attempt to end the game loses against the stored end, and it stops.
                    let _ = table.abort().await;
                }
            }
            _ => {}
        }
    }
    Ok(latest)
}
