//! The record of a game: complete, checked by replaying, and the source of every other format.

mod check;

use kingscross_engine::notation::Script;
use kingscross_engine::{RULES_VERSION, Rejection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Event, GameSummary, HistoryEntry, ProposalKind, SeatLetter, Setup, UserId};

/// The version of [`GameRecord`].
pub const RECORD_VERSION: u32 = 1;

/// A game with everything that happened in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct GameRecord {
    /// The version of this form, [`RECORD_VERSION`].
    pub record: u32,
    /// What lists show of it.
    #[serde(flatten)]
    pub summary: GameSummary,
    /// What it started from: variant, version of the rules, time control, players.
    pub setup: Setup,
    /// Every event with its time, its clocks, the hash of the position after it and what it did to the board.
    pub events: Vec<HistoryEntry>,
    /// What it did to the players' ratings, when it was rated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<RatingStep>,
}

/// A player's rating before and after a game, in hundredths of a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RatingStep {
    /// The seat.
    pub seat: SeatLetter,
    /// Who sat there.
    pub user: UserId,
    /// Rating before.
    pub before: i32,
    /// Rating after.
    pub after: i32,
    /// Deviation before.
    pub deviation_before: i32,
    /// Deviation after.
    pub deviation_after: i32,
}

/// Why a record cannot be that of a played game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadGameRecord {
    /// Not JSON of this form.
    #[error("{0}")]
    Shape(String),
    /// An unknown version of the record.
    #[error("record version {0} is not supported, only {RECORD_VERSION}")]
    Version(u32),
    /// Another version of the rules.
    #[error("rules version {0} is not supported, only {RULES_VERSION}")]
    Rules(u32),
    /// The players' seats are not those of the variant.
    #[error("the players' seats are not those of the game in turn order")]
    Seats,
    /// An event contradicts the game.
    #[error("event {seq}: {what}")]
    Event {
        /// Its seq.
        seq: u32,
        /// What is wrong, as a sentence.
        what: String,
    },
    /// Rating changes of a casual game, or of somebody who did not play.
    #[error("the rating changes do not belong to players of a rated game")]
    Ratings,
    /// The rules refuse an event.
    #[error("event {seq}: {why}")]
    Refused {
        /// Its seq.
        seq: u32,
        /// Why.
        why: Rejection,
    },
    /// The position after an event is not the recorded one.
    #[error("after event {seq} the position has the hash {found}, not the recorded {recorded}")]
    Hash {
        /// Its seq.
        seq: u32,
        /// As recorded.
        recorded: String,
        /// As replayed.
        found: String,
    },
    /// Its seqs have a gap, or the first event is not `created`.
    #[error("event {seq} is out of place")]
    Order {
        /// The seq that was expected.
        seq: u32,
    },
    /// The ending does not follow from the actions.
    #[error("the recorded ending does not follow from the actions (its {0})")]
    Ending(&'static str),
    /// The summary contradicts the events.
    #[error("the summary contradicts the events: {0}")]
    Summary(&'static str),
}

impl GameRecord {
    /// The actions and the players' names, to write other formats from.
    pub fn script(&self) -> Script {
        let mut draw_is_open = false;
        let colours = ["Red", "Blue", "Yellow", "Green"];
        let mut tags: Vec<(String, String)> = vec![("GameNr".to_owned(), self.summary.game.to_string())];
        tags.push(("TimeControl".to_owned(), self.setup.time.to_string()));
        for (colour, player) in colours.iter().zip(&self.setup.players) {
            tags.push(((*colour).to_owned(), player.name.clone()));
        }
        Script {
            variant: self.setup.variant,
            start: None,
            tags,
            actions: self.events.iter().filter_map(|entry| action(&entry.event, &mut draw_is_open)).collect(),
        }
    }
}

/// The action of the rules in an event, if it has one. Draw proposals are the offers and votes of the rules.
fn action(event: &Event, draw_is_open: &mut bool) -> Option<String> {
    match event {
        Event::Played(played) => {
            *draw_is_open = false;
            Some(played.action.clone())
        }
        Event::Proposed { what, .. } => {
            *draw_is_open = *what == ProposalKind::Draw;
            draw_is_open.then(|| "offer".to_owned())
        }
        Event::Voted { by, accept, .. } if *draw_is_open => {
            *draw_is_open = *accept;
            Some(format!("{}:{by}", if *accept { "accept" } else { "decline" }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
