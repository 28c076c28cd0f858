//! Ratings: Glicko-2, one period per finished game, one result per pair of players by placement.

mod glicko;
mod pool;

pub use glicko::{Change, PARAMETERS, Pair, Parameters, Rating, rate};
pub use pool::Pool;
