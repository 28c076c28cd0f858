//! A game being played: rules, clocks, presence and proposals as a pure core; one task around each.

mod clocks;
mod core;
mod decide;
mod handle;
mod log;
mod presence;
mod proposals;
mod record;
mod recovery;
mod registry;
mod task;
mod views;
mod watchers;

pub use clocks::{ClockRules, Clocks, Cost};
pub use core::{Core, Misfit, Seed, Stage, Terms};
pub use decide::{Command, Decision, Moment, Step, Who, refusal};
pub use handle::{Done, Follow, Gone, Reply, TableHandle};
pub use log::made_by;
pub use record::{BadRecord, Logged, Private, history, replay};
pub use registry::{NewGame, Registry, Seated, StartError};
