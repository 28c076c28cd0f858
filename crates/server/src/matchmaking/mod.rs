//! Finding opponents: the queue, its ready checks, and the task that turns matches into games.

mod queue;
#[cfg(test)]
mod queue_tests;
mod settings;

pub use queue::{MatchId, MatchView, Notice, Queue, Ready, Refusal, Ticket};
pub use settings::Settings;
