//! Which games share one rating.

use std::fmt;
use std::str::FromStr;

use kingscross_engine::Variant;

/// A set of games with one rating per player: one for each variant, and `cross` for both boards of cross chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pool(&'static str);

impl Pool {
    /// Every pool, the flagship's first.
    pub const ALL: [Self; 4] = [Self("crossfire"), Self("kingdoms"), Self("quaternity"), Self("cross")];

    /// The pool that a variant's games count in.
    pub const fn of(variant: Variant) -> Self {
        match variant {
            Variant::Crossfire => Self("crossfire"),
            Variant::Kingdoms => Self("kingdoms"),
            Variant::Quaternity => Self("quaternity"),
            Variant::CrossA | Variant::CrossB => Self("cross"),
        }
    }

    /// The id in documents and addresses.
    pub const fn id(self) -> &'static str {
        self.0
    }
}

/// The text names no pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such rating pool; there are crossfire, kingdoms, quaternity and cross")]
pub struct UnknownPool;

impl FromStr for Pool {
    type Err = UnknownPool;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|pool| pool.0 == text).ok_or(UnknownPool)
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
