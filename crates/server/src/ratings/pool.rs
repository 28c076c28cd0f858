//! Which games share one rating.

use std::fmt;
use std::str::FromStr;

use kingscross_engine::Variant;

/// The games of one family, in which a player has one rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pool(&'static str);

impl Pool {
    /// Every pool, in the order of the games.
    pub fn all() -> Vec<Self> {
        let mut pools: Vec<Self> = Variant::ALL.into_iter().map(Self::of).collect();
        pools.dedup();
        pools
    }

    /// The pool that a variant's games count in.
    pub fn of(variant: Variant) -> Self {
        Self(variant.rules().family)
    }

    /// The id in documents and addresses.
    pub const fn id(self) -> &'static str {
        self.0
    }
}

/// The text is not the name of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownPool;

impl fmt::Display for UnknownPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&str> = Pool::all().into_iter().map(Pool::id).collect();
        write!(f, "there is no such rating pool; there are {}", ids.join(", "))
    }
}

impl std::error::Error for UnknownPool {}

impl FromStr for Pool {
    type Err = UnknownPool;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::all().into_iter().find(|pool| pool.0 == text).ok_or(UnknownPool)
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
