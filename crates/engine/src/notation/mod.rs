//! Text formats: the JSON position, and the exchange formats of other programs.

mod exact;
pub mod fen4;
pub mod pgn4;
pub mod position;
pub mod quaternits;
mod script;
mod starts;
pub mod view;

pub use exact::Exact;
pub use script::{BadScript, Script, Unrepresentable};

/// A text without the byte order mark that some editors put before it.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
