//! How much time the players have.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Initial time and what each move adds (`increment`) or is free of charge (`delay`); all in milliseconds.
///
/// As text: minutes, then `+` and the increment or `d` and the delay in seconds: `5+3`, `10d5`, `0.5+0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// Time on the clock at the start.
    pub initial: u32,
    /// Added after each move.
    #[serde(default)]
    pub increment: u32,
    /// At the start of each turn this much passes before the clock runs.
    #[serde(default)]
    pub delay: u32,
}

/// Why a time control is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTimeControl {
    /// Not of the form `5+3` or `5d3`.
    #[error("a time control reads minutes+seconds or minutes`d`seconds, such as 5+3 or 10d5")]
    Unreadable,
    /// Outside what the server plays.
    #[error("initial time must be 10 s to 3 h, increment and delay at most 3 min, and only one of the two")]
    OutOfRange,
}

impl TimeControl {
    /// Initial time and increment, in milliseconds.
    pub const fn increment(initial: u32, increment: u32) -> Self {
        Self { initial, increment, delay: 0 }
    }

    /// Refuses what no sensible game uses; a value in seconds where milliseconds are meant ends here.
    pub fn check(self) -> Result<Self, BadTimeControl> {
        let sensible = (10_000..=10_800_000).contains(&self.initial)
            && self.increment <= 180_000
            && self.delay <= 180_000
            && (self.increment == 0 || self.delay == 0);
        if sensible { Ok(self) } else { Err(BadTimeControl::OutOfRange) }
    }

    /// The length that limits and graces are measured by: initial + 40 moves' increment (or delay), in milliseconds.
    pub fn estimated_length(self) -> i64 {
        i64::from(self.initial) + 40 * i64::from(self.increment.max(self.delay))
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = f64::from(self.initial) / 60_000.0;
        if self.delay > 0 {
            write!(f, "{minutes}d{}", f64::from(self.delay) / 1000.0)
        } else {
            write!(f, "{minutes}+{}", f64::from(self.increment) / 1000.0)
        }
    }
}

impl FromStr for TimeControl {
    type Err = BadTimeControl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let millis = |part: &str, unit: f64| {
            let value: f64 = part.parse().map_err(|_| BadTimeControl::Unreadable)?;
            let value = (value * unit).round();
            if (0.0..=f64::from(u32::MAX)).contains(&value) {
                Ok(value as u32)
            } else {
                Err(BadTimeControl::OutOfRange)
            }
        };
        let time = if let Some((initial, increment)) = text.split_once('+') {
            Self::increment(millis(initial, 60_000.0)?, millis(increment, 1000.0)?)
        } else if let Some((initial, delay)) = text.split_once('d') {
            Self { initial: millis(initial, 60_000.0)?, increment: 0, delay: millis(delay, 1000.0)? }
        } else {
            return Err(BadTimeControl::Unreadable);
        };
        time.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_control_survives_its_own_text() {
        for text in ["5+3", "10d5", "0.5+0", "1+0.1", "180+0"] {
            assert_eq!(text.parse::<TimeControl>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn seconds_for_milliseconds_are_refused() {
        assert_eq!(TimeControl::increment(300, 3).check(), Err(BadTimeControl::OutOfRange));
        assert_eq!("5".parse::<TimeControl>(), Err(BadTimeControl::Unreadable));
        assert_eq!("NaN+0".parse::<TimeControl>(), Err(BadTimeControl::OutOfRange));
        assert_eq!("1e30+0".parse::<TimeControl>(), Err(BadTimeControl::OutOfRange));
    }
}
