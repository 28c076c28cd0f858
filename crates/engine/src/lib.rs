//! The rules of the games. No input or output, no clock, no hidden randomness.

mod variant;

pub use variant::{UnknownVariant, Variant};
