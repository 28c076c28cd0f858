//! The settings of the queue. All durations in milliseconds.

use std::collections::BTreeMap;

/// Behaviour of the queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The pools that exist, each with the number of players that make its game.
    pub pools: BTreeMap<String, u32>,
    /// Rating distance that is allowed at once.
    pub window_start: f64,
    /// How much it grows in a second of waiting.
    pub window_per_second: f64,
    /// After this wait every distance is allowed.
    pub window_open_after: i64,
    /// After this wait guests and accounts, who cannot play a rated game together, are matched.
    pub mix_after: i64,
    /// After this wait players are matched with those they block, when there is nobody else.
    pub block_until: i64,
    /// How long a match waits for everyone's confirmation.
    pub ready_check: i64,
    /// After this wait bots fill the seats, where their players agree.
    pub bots_after: i64,
    /// A ticket whose player has been away for this long is void.
    pub vanished_after: i64,
}

impl Settings {
    /// How far from a player's rating an opponent's may be after this wait.
    pub fn window(&self, waited: i64) -> f64 {
        if waited >= self.window_open_after {
            return f64::INFINITY;
        }
        self.window_start + self.window_per_second * (waited.max(0) as f64 / 1000.0)
    }
}
