//! The standing of a player.

use serde::{Deserialize, Serialize};

/// The standing of a player and of the army it began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Status {
    /// It takes turns.
    Active,
    /// It passes every turn; its pieces attack and its king can be mated.
    Abandoned,
    /// Its moves are drawn at random; its pieces attack and its king can be captured.
    Surrendered,
    /// It takes no turns; its pieces block and do not attack, its king can be mated.
    Frozen,
    /// Its king is lost; its pieces stay as blocks.
    Fallen,
    /// It lost its last king and everything with it.
    Eliminated,
}

impl Status {
    /// All statuses.
    pub const ALL: [Status; 6] = [
        Status::Active,
        Status::Abandoned,
        Status::Surrendered,
        Status::Frozen,
        Status::Fallen,
        Status::Eliminated,
    ];

    /// The word for it in documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Status::Active => "active",
            Status::Abandoned => "abandoned",
            Status::Surrendered => "surrendered",
            Status::Frozen => "frozen",
            Status::Fallen => "fallen",
            Status::Eliminated => "eliminated",
        }
    }

    /// Do pieces under such a controller attack?
    #[must_use]
    pub const fn attacks(self) -> bool {
        matches!(self, Status::Active | Status::Abandoned | Status::Surrendered)
    }

    /// Does the turn stop at such a player?
    #[must_use]
    pub const fn takes_turns(self) -> bool {
        self.attacks()
    }

    /// Can kings under such a controller be mated?
    #[must_use]
    pub const fn has_king_in_play(self) -> bool {
        !matches!(self, Status::Fallen | Status::Eliminated)
    }

    /// May kings under such a controller be captured?
    #[must_use]
    pub const fn king_can_be_captured(self) -> bool {
        matches!(self, Status::Surrendered | Status::Fallen)
    }
}
