//! The options of the server that a game goes by; `config/default.toml` describes each of them.

use serde::{Deserialize, Serialize};

/// `[clocks]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ClockSettings {
    pub first_move_ms: u32,
    pub refund_max_ms: u32,
    pub refund_base_ms: u32,
    pub refund_permille: u32,
    pub reserve_start_moves: u32,
    pub reserve_max_moves: u32,
    pub refund_game_permille: u32,
    pub gift_ms: u32,
    pub gifts_per_move: u32,
    pub slow_commit_ms: u64,
    pub stall_ms: u64,
}

/// `[presence]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct PresenceSettings {
    pub shown_after_ms: u32,
    pub short_game_ms: u32,
    pub middle_game_ms: u32,
    pub grace_short_ms: u32,
    pub grace_middle_ms: u32,
    pub grace_long_ms: u32,
    pub grace_departed_ms: u32,
    pub budget_graces: u32,
    pub departures: u32,
}

#[cfg(test)]
impl crate::Terms {
    /// The terms of `config/default.toml`.
    pub(crate) fn defaults() -> Self {
        #[derive(Deserialize)]
        struct Defaults {
            clocks: ClockSettings,
            presence: PresenceSettings,
            proposals: Proposals,
        }
        #[derive(Deserialize)]
        struct Proposals {
            refused_moves: u32,
            rematches: u32,
        }
        let text = include_str!("../../../config/default.toml");
        let Defaults { clocks, presence, proposals } = toml::from_str(text).expect("it fits");
        let Proposals { refused_moves, rematches } = proposals;
        Self { clocks, presence, refused_moves, rematches }
    }
}
