//! The bots of Kingscross: they choose an action for a position, on the rules engine alone.
//!
//! [`choose`] depends on the position, the level, the seed and the budget of nodes, and on nothing else: no clock, no
//! hidden randomness. A caller who wants to cap the time gives the [`Budget`] a question that says when to stop.
#![warn(missing_docs)]

pub mod arena;
mod attention;
mod budget;
mod character;
mod choose;
mod draw;
mod evaluation;
mod greedy;
mod level;
mod points;
mod search;

pub use budget::Budget;
pub use character::{BadCharacter, Character, Kind};
pub use choose::{choose, choose_as};
pub use draw::{accepts_draw, accepts_draw_as, offers_draw, offers_draw_as};
pub use level::{Level, UnknownLevel};
pub use points::placement_points;
