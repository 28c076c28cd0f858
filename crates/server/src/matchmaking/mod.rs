//! Finding opponents: the queue, its ready checks, and the task that turns matches into games.

mod handle;
mod pool;
mod queue;
#[cfg(test)]
mod queue_tests;
mod rejection;
mod settings;
mod task;

pub use handle::{Matchmaking, MatchmakingInbox, Person, start};
pub use pool::{Contest, PoolKey, pools};
pub use queue::{MatchId, MatchView, Notice, Queue, Ready, Ticket};
pub use rejection::Rejection;
pub use settings::Settings;
