//! Faults of a network, drawn at random.

use std::time::Duration;

use kingscross_engine::SplitMix64;

use crate::{PlannedFault, ProxyMode};

/// Faults for the first `count` connections of a proxy, drawn from the seed.
pub fn random_faults(count: u64, seed: u64) -> impl FnMut() -> Option<PlannedFault> + Send + 'static {
    let (mut left, mut chance) = (count, SplitMix64::new(seed));
    move || {
        left = left.checked_sub(1)?;
        let mode = match chance.below(4) {
            0 => ProxyMode::Deaf,
            1 => ProxyMode::Delay(Duration::from_millis(1 + chance.below(20) as u64)),
            2 => ProxyMode::Throttle(1 + chance.below(200), Duration::from_millis(1)),
            _ => ProxyMode::Cut,
        };
        // The upgrade and the greeting alone are about 1 KiB; a snapshot is 5 to 50.
        Some(PlannedFault { mode, after: 500 + chance.below(40_000) })
    }
}
