//! A game being played: rules, clocks, presence and proposals as a pure core; one task around each.

mod chat;
pub mod clocks;
pub mod core;
pub mod decide;
mod finish;
pub mod handle;
mod inbox;
pub mod log;
pub mod past;
pub mod presence;
pub mod proposals;
pub mod record;
mod recovery;
pub mod registry;
mod statistics;
mod task;
mod telling;
#[cfg(test)]
mod tests;
mod twin;
mod upkeep;
pub mod views;
mod watchers;

pub use chat::{Chat, ChatInbox, run as keep_chat};
pub use clocks::{ClockRules, Clocks, Cost};
pub use core::{Core, Misfit, Seed, Stage, Terms};
pub use decide::{Command, Decision, Moment, Step, Who, refusal};
pub(crate) use finish::{finish, hidden_until, seats_of};
pub use handle::{Done, Follow, Reply, Standing, TableHandle, answer_message};
pub use log::made_by;
pub use past::answer_of_the_past;
pub use record::{BadRecord, Logged, Private, history, replay};
pub use registry::{ArchiveError, NewGame, Registry, RestoreError, Seated, StartError};
pub(crate) use twin::other_board;
