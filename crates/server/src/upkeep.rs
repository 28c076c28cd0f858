//! Periodic work: deleting what has expired, and following the acts of the command line.

use std::collections::BTreeSet;
use std::time::Duration;

use kingscross_protocol::{AuditAction, GameId, UserId};
use kingscross_storage::{AuditEntry, Fault, Standing};

use crate::app::App;
use crate::auth::sweep_devices;
use crate::excluded::Exclusion;
use crate::expel::expel;

/// How often the audit log is read.
const FOLLOW: Duration = Duration::from_secs(1);
/// After how many readings of the audit log expired sessions and limits are swept.
const SWEEP: u32 = 300;
/// Lines of the audit log that are read at once.
const LINES: u32 = 1000;
/// How far behind the last line's number another may still turn up: PostgreSQL gives numbers before it commits.
const LATE: i64 = 100;

/// Runs until the server stops.
pub async fn run(app: App) {
    let mut seen = None;
    for turn in 1_u32.. {
        if let Err(fault) = follow(&app, &mut seen).await {
            tracing::warn!(%fault, "the audit log cannot be read");
        }
        tokio::select! {
            () = app.stop.cancelled() => return,
            () = tokio::time::sleep(FOLLOW) => {}
        }
        if turn.is_multiple_of(SWEEP) {
            app.auth.limits.sweep();
            if let Err(fault) = app.store.sweep_sessions(app.clock.now()).await {
                tracing::warn!(%fault, "expired sessions could not be swept");
            }
            if let Err(fault) = sweep_devices(&app).await {
                tracing::warn!(%fault, "expired devices could not be swept");
            }
        }
    }
}

/// Freezes all tables when nothing can be stored, even those where nobody moves at the moment.
pub async fn follow_standing(app: App) {
    let mut standing = app.store.standing();
    loop {
        tokio::select! {
            () = app.stop.cancelled() => return,
            changed = standing.changed() => if changed.is_err() { return },
        }
        let now = standing.borrow_and_update().clone();
        match now {
            Standing::Good => tracing::info!("the database can be used again"),
            Standing::Trouble(why) | Standing::Lost(why) => {
                tracing::error!(why, "nothing can be stored; all tables are frozen");
                app.tables.freeze();
            }
        }
    }
}

/// The lines of the audit log that have been carried out.
struct Seen {
    last: i64,
    /// The numbers of the last lines, since an earlier one may turn up after them.
    lines: BTreeSet<i64>,
}

/// Carries out what was written to the audit log since the last call; the first call only finds its end.
async fn follow(app: &App, seen: &mut Option<Seen>) -> Result<(), Fault> {
    let seen = match seen {
        Some(seen) => seen,
        None => {
            let last = app.store.last_audit().await?;
            let lines = app.store.list_audit_after(last - LATE, LINES).await?;
            let lines = lines.into_iter().map(|(id, _)| id).filter(|id| *id <= last).collect();
            seen.insert(Seen { last, lines })
        }
    };
    for (id, entry) in app.store.list_audit_after(seen.last - LATE, LINES).await? {
        if !seen.lines.insert(id) {
            continue;
        }
        seen.last = seen.last.max(id);
        carry_out(app, &entry).await;
    }
    seen.lines = seen.lines.split_off(&(seen.last - LATE + 1));
    Ok(())
}

/// Carries out what a line of the audit log says, as far as a running server has to follow it.
async fn carry_out(app: &App, entry: &AuditEntry) {
    let user = || entry.subject.parse::<UserId>().ok();
    match entry.action {
        AuditAction::Ban => {
            if let Some(user) = user() {
                expel(app, user, Exclusion::Banned).await;
            }
        }
        AuditAction::Unban => {
            if let Some(user) = user() {
                app.excluded.lift(user);
            }
        }
        AuditAction::MarkBot => {
            if let Some(user) = user() {
                app.hub.close_user(user);
            }
        }
        AuditAction::End => {
            let table = entry.subject.parse::<GameId>().ok().and_then(|game| app.tables.find(game));
            if let Some(table) = table.filter(|table| !table.has_ended()) {
                // Its own attempt to end the game loses against the stored end, which it then reads.
                let _ = table.abort().await;
            }
        }
        // These change only what is read from the database anyway.
        AuditAction::Grant
        | AuditAction::Annul
        | AuditAction::Restore
        | AuditAction::RebuildRatings
        | AuditAction::Resolve => {}
    }
}
