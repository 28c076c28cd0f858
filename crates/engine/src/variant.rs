//! Which rules are played.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The four-army throne war.
    Crossfire,
    /// Chess for four, played for points.
    Kingdoms,
    /// Mate and assimilation.
    Quaternity,
    /// Cross Chess 2019, Board A: xiangqi pieces on 8×8.
    CrossA,
    /// Cross Chess 2019, Board B: chess pieces on the xiangqi board.
    CrossB,
}

/// The text is no variant's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such variant; there are crossfire, kingdoms, quaternity, cross-a and cross-b")]
pub struct UnknownVariant;

impl Variant {
    /// Every variant, the flagship first.
    pub const ALL: [Self; 5] =
        [Self::Crossfire, Self::Kingdoms, Self::Quaternity, Self::CrossA, Self::CrossB];

    /// The id used in documents, commands and addresses.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Crossfire => "crossfire",
            Self::Kingdoms => "kingdoms",
            Self::Quaternity => "quaternity",
            Self::CrossA => "cross-a",
            Self::CrossB => "cross-b",
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl FromStr for Variant {
    type Err = UnknownVariant;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|variant| variant.id() == text).ok_or(UnknownVariant)
    }
}
