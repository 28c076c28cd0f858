//! A game being played: rules, clocks, presence and proposals as one state machine. It knows no time but the one that it
//! is given, does no input or output, and holds no randomness; storing, broadcasting and timers are the server's.

mod clocks;
mod command;
mod core;
mod decide;
mod log;
mod presence;
mod proposals;
mod rejection;
mod replay;
mod settings;
#[cfg(test)]
mod tests;
mod views;

pub use self::clocks::{ClockRules, Clocks, Cost, Verdict};
pub use self::command::{Command, Moment, Who};
pub use self::core::{ApplyError, Core, Seed, Stage, Terms};
pub use self::decide::{Decision, Step};
pub use self::log::{Entry, Known, Log, made_by};
pub use self::presence::{Attendance, Patience};
pub use self::proposals::Proposal;
pub use self::rejection::Rejection;
pub use self::replay::{BadRecord, Logged, history, replay};
pub use self::settings::{ClockSettings, PresenceSettings};
pub use self::views::{event_head, event_message, hash_text};
