//! The levels by name.

use std::fmt;
use std::str::FromStr;

/// How well a bot plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::EnumCount)]
pub enum Level {
    /// Any move; a measure for the others, no opponent.
    Random,
    /// A mate if there is one, else the best capture; a measure too.
    Greedy,
    /// The weakest: looks one move ahead and overlooks much.
    Page,
    /// Sees what the next player can take.
    Squire,
    /// Sees short exchanges and overlooks little.
    Captain,
    /// Sees combinations.
    Marshal,
    /// The strongest: everything that the budget gives.
    Sovereign,
}

impl Level {
    /// All levels, from the weakest.
    pub const ALL: [Level; <Level as strum::EnumCount>::COUNT] = [
        Level::Random,
        Level::Greedy,
        Level::Page,
        Level::Squire,
        Level::Captain,
        Level::Marshal,
        Level::Sovereign,
    ];

    /// The levels that are opponents, from the weakest to the strongest.
    pub fn opponents() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.is_opponent())
    }

    /// Whether people play against it; the others are measures.
    #[must_use]
    pub const fn is_opponent(self) -> bool {
        match self {
            Level::Random | Level::Greedy => false,
            Level::Page | Level::Squire | Level::Captain | Level::Marshal | Level::Sovereign => true,
        }
    }

    /// The name by which it is asked for.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Random => "random",
            Level::Greedy => "greedy",
            Level::Page => "page",
            Level::Squire => "squire",
            Level::Captain => "captain",
            Level::Marshal => "marshal",
            Level::Sovereign => "sovereign",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No level has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownLevel;

impl fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no bot has this level")
    }
}

impl std::error::Error for UnknownLevel {}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Level, UnknownLevel> {
        Level::ALL.into_iter().find(|level| level.name() == text).ok_or(UnknownLevel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_as_they_are_written() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert_eq!("Page".parse::<Level>(), Err(UnknownLevel));
    }
}
