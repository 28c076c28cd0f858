//! Text formats.

pub mod position;
