//! Ratings: Glicko-2, one period per finished game, one result per pair of players by placement.

mod glicko;
mod pairs;
mod pool;
mod rater;
mod rebuild;
mod standing;
mod view;
mod visible;

pub use glicko::{Change, PARAMETERS, Pair, Parameters, Rating, rate};
pub use pairs::{StoredPair, StoredPairs, is_rateable, rating_change};
pub use pool::{Pool, UnknownPool};
pub use rater::{changes, from_stored, ranks, rater};
pub use rebuild::{RebuildError, Rebuilt, rebuild};
pub use standing::{StandingError, note_standings};
pub use view::{is_settled, settled, view};
pub use visible::VisibleRatings;
