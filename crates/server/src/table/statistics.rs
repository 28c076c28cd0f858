//! Who captured and attacked whom, stored with a game for more than two.

use kingscross_protocol::HistoryEntry;
use kingscross_table::{Core, Log, Logged, Step, history};

/// The statistics as JSON. The steps end the game and are not in the log yet.
pub(super) fn statistics(before: &Core, log: &Log, steps: &[Step]) -> Option<String> {
    if before.rules().turn_order.len() <= 2 {
        return None;
    }
    let logged = log.entries().map(|entry| Logged { at: entry.at, hash: entry.hash, body: &entry.body });
    let (_, mut history) = history(before.terms().clone(), before.seed(), logged).ok()?;
    history.extend(steps.iter().map(|step| HistoryEntry {
        seq: before.seq(),
        at: before.last_at(),
        hash: String::new(),
        event: step.event.clone(),
        change: step.change.clone(),
    }));
    serde_json::to_string(&crate::archive::count_aggression(&history)).ok()
}
