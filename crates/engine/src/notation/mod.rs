//! Text formats: the JSON position, and the exchange formats of other programs.

mod exact;
pub mod fen4;
pub mod pgn4;
pub mod position;
pub mod quaternits;
mod script;

pub use exact::Exact;
pub use script::{BadScript, Script, Unrepresentable};
