//! Finding opponents: the queue, its ready checks, and the task that turns matches into games.

mod handle;
mod pool;
mod queue;
#[cfg(test)]
mod queue_tests;
mod rejection;
mod settings;
mod task;

pub use handle::{Matchmaking, QueueUser, start};
pub use rejection::Rejection;
pub use settings::Settings;
