//! How a seat is written on the wire: the letter of its army.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A seat of a game, named by the letter of its army (`"s"`, `"r"` …); which letters exist, the variant says.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, ToSchema,
)]
#[serde(transparent)]
#[schema(value_type = String, example = "s")]
pub struct SeatLetter(pub char);

impl fmt::Display for SeatLetter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
