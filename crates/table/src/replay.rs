//! From stored events back to a game: for restarts, for snapshots and for the record of a finished game.

use std::sync::Arc;

use kingscross_protocol::{BoardChange, Event, HistoryEntry, Seq, Timestamp};

use super::core::{ApplyError, Core, Seed, Terms};

/// A stored event, as storage and the table's own log both give it.
#[derive(Clone, Copy, Debug)]
pub struct Logged<'a> {
    /// When it happened.
    pub at: Timestamp,
    /// The hash of the position after it.
    pub hash: u64,
    /// The event as JSON.
    pub body: &'a str,
}

/// Why a stored game cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BadRecord {
    /// It has no events.
    #[error("the game has no events")]
    Empty,
    /// An event is not the JSON of one.
    #[error("event {} cannot be read: {why}", seq.0)]
    Unreadable {
        /// The event.
        seq: Seq,
        /// What the parser says.
        why: String,
    },
    /// An event does not fit the game.
    #[error(transparent)]
    ApplyError(#[from] ApplyError),
    /// The position after an event is not the one that was stored.
    #[error("after event {} the position is {found:016x}, not {stored:016x} as stored", seq.0)]
    WrongHash {
        /// The event.
        seq: Seq,
        /// As stored.
        stored: u64,
        /// As replayed.
        found: u64,
    },
}

/// Replays stored events, checking every hash, and hands each one with what it did to `each`.
pub fn replay<'a>(
    terms: Arc<Terms>,
    seed: Seed,
    events: impl IntoIterator<Item = Logged<'a>>,
    mut each: impl FnMut(Seq, Logged<'a>, Event, Option<BoardChange>),
) -> Result<Core, BadRecord> {
    let mut events = events.into_iter();
    let first = events.next().ok_or(BadRecord::Empty)?;
    let created = read(Seq(1), first.body)?;
    let Event::Created(setup) = &created else {
        return Err(BadRecord::Unreadable { seq: Seq(1), why: "a game begins with `created`".to_owned() });
    };
    let mut core = Core::new(terms, Arc::new(setup.clone()), seed, first.at);
    check(&core, first.hash)?;
    each(Seq(1), first, created, None);
    for logged in events {
        let seq = core.seq().next();
        let event = read(seq, logged.body)?;
        let before = BoardChange::before(core.game());
        let applied = core.apply(logged.at, &event)?;
        check(&core, logged.hash)?;
        let change = applied.map(|applied| BoardChange::of(&before, core.game(), &applied));
        each(seq, logged, event, change);
    }
    Ok(core)
}

/// The history of a game, for snapshots and records.
pub fn history<'a>(
    terms: Arc<Terms>,
    seed: Seed,
    events: impl IntoIterator<Item = Logged<'a>>,
) -> Result<(Core, Vec<HistoryEntry>), BadRecord> {
    let mut entries = Vec::new();
    let core = replay(terms, seed, events, |seq, logged, event, change| {
        entries.push(HistoryEntry {
            seq,
            at: logged.at,
            hash: format!("{:016x}", logged.hash),
            event,
            change,
        });
    })?;
    Ok((core, entries))
}

fn read(seq: Seq, body: &str) -> Result<Event, BadRecord> {
    serde_json::from_str(body).map_err(|error| BadRecord::Unreadable { seq, why: error.to_string() })
}

fn check(core: &Core, stored: u64) -> Result<(), BadRecord> {
    let found = core.hash();
    if found == stored { Ok(()) } else { Err(BadRecord::WrongHash { seq: core.seq(), stored, found }) }
}
