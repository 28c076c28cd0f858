//! The secret of a game.

use kingscross_table::Seed;
use serde::{Deserialize, Serialize};

/// What is stored with a game and never told: with the seed one could foresee random moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Private {
    /// 64 hex digits.
    pub seed: String,
}

impl Private {
    /// A fresh secret, from the operating system.
    pub fn fresh() -> Self {
        let seed = format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        Self { seed }
    }

    /// The seed as bytes; a damaged one is all zeroes, since the moves that came of it are in the log anyway.
    pub fn seed(&self) -> Seed {
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            let digits = self.seed.get(2 * index..2 * index + 2).unwrap_or("00");
            *byte = u8::from_str_radix(digits, 16).unwrap_or(0);
        }
        Seed(bytes)
    }
}
