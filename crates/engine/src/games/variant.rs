//! The names of the games.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Which rules a game is played by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::EnumCount)]
pub enum Variant {
    /// The four-army throne war.
    Crossfire,
    /// Chess for four, played for points.
    Kingdoms,
    /// Mate and assimilation.
    Quaternity,
    /// Xiangqi pieces on the chess board.
    CrossA,
    /// Chess pieces on the xiangqi board.
    CrossB,
}

impl Variant {
    /// All games.
    pub const ALL: [Variant; <Variant as strum::EnumCount>::COUNT] =
        [Variant::Crossfire, Variant::Kingdoms, Variant::Quaternity, Variant::CrossA, Variant::CrossB];

    /// The id under which documents name the game.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Variant::Crossfire => "crossfire",
            Variant::Kingdoms => "kingdoms",
            Variant::Quaternity => "quaternity",
            Variant::CrossA => "cross-a",
            Variant::CrossB => "cross-b",
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The text is not the id of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no such `variant`; there are {}", Variant::ALL.map(Variant::id).join(", "))]
pub struct UnknownVariant;

impl FromStr for Variant {
    type Err = UnknownVariant;

    fn from_str(text: &str) -> Result<Variant, UnknownVariant> {
        Variant::ALL.into_iter().find(|variant| variant.id() == text).ok_or(UnknownVariant)
    }
}

impl Serialize for Variant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Variant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Variant, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
