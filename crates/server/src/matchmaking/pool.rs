//! The pools of the queue: what is played in each, and how it is named.

use std::fmt;
use std::str::FromStr;

use kingscross_engine::Variant;
use kingscross_protocol::TimeControl;

use crate::config;
use crate::ratings;

/// What is played in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PoolKind {
    /// One game of a variant.
    Game(Variant),
    /// A game and the one on its other board at once, colours swapped: the result is the sum.
    Match(Variant, Variant),
}

/// One pool: a kind and a time control. As text: `crossfire/5+3`, `cross-match/10+5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PoolKey {
    /// What is played.
    pub kind: PoolKind,
    /// How much time there is.
    pub time: TimeControl,
}

/// The text is not the name of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPool;

impl PoolKind {
    /// Every kind that is queued for.
    pub fn all() -> impl Iterator<Item = Self> {
        let matches = Variant::ALL.into_iter().filter_map(|variant| {
            let other = variant.rules().other_board?;
            (variant < other).then_some(Self::Match(variant, other))
        });
        Variant::ALL.into_iter().map(Self::Game).chain(matches)
    }

    /// How many players it needs.
    pub fn needed(self) -> u32 {
        self.first().rules().turn_order.len() as u32
    }

    /// The rating pool that it counts in.
    pub fn ratings(self) -> ratings::Pool {
        ratings::Pool::of(self.first())
    }

    fn first(self) -> Variant {
        let (Self::Game(variant) | Self::Match(variant, _)) = self;
        variant
    }
}

impl fmt::Display for PoolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game(variant) => variant.fmt(f),
            Self::Match(variant, _) => write!(f, "{}-match", variant.rules().family),
        }
    }
}

impl fmt::Display for PoolKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.time)
    }
}

impl FromStr for PoolKey {
    type Err = NoPool;

    fn from_str(text: &str) -> Result<Self, NoPool> {
        let (kind, time) = text.split_once('/').ok_or(NoPool)?;
        let kind = PoolKind::all().find(|known| known.to_string() == kind).ok_or(NoPool)?;
        Ok(Self { kind, time: time.parse().map_err(|_| NoPool)? })
    }
}

/// Every pool of this server, in the order of contests and then of the configured times.
pub fn pools(config: &config::Matchmaking) -> Vec<PoolKey> {
    let times: Vec<TimeControl> =
        config.times.iter().map(|text| text.parse().expect("checked on loading")).collect();
    PoolKind::all().flat_map(|kind| times.iter().map(move |&time| PoolKey { kind, time })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_survives_its_own_text() {
        let all = pools(&config::Config::defaults().matchmaking);
        assert_eq!(all.len(), 6 * 2);
        for pool in all {
            assert_eq!(pool.to_string().parse(), Ok(pool));
        }
        for text in ["", "crossfire", "crossfire/", "go/5+3", "crossfire/5", "crossfire/5+3/x"] {
            assert_eq!(text.parse::<PoolKey>(), Err(NoPool), "{text}");
        }
    }
}
