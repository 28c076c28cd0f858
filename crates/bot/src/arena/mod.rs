//! Matches between bots: who plays whom from which seat, the playing itself, and what the results say.
//!
//! Everything here is a function of its arguments; whoever runs an arena brings the bots and keeps the records.

mod game;
mod ratings;
mod schedule;
mod standings;

pub use game::{GameSpec, Minds, play};
pub use ratings::{Rating, ratings};
pub use schedule::{Pairing, Seating, schedule};
pub use standings::{Result, Share, Standings};
