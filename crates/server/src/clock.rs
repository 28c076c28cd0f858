//! The server's clock: the only source of time in a game.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kingscross_protocol::Timestamp;
use tokio::time::Instant;

/// Wall time at the start, and from then on a clock that never jumps: a change of the system's time moves no
/// player's clock. Follows tokio's paused time in tests.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    wall: Timestamp,
}

impl Clock {
    /// A clock that shows the system's time now.
    pub fn system() -> Self {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis();
        Self::starting_at(Timestamp(i64::try_from(wall).expect("before the year 292 million")))
    }

    /// A clock that shows `wall` now.
    pub fn starting_at(wall: Timestamp) -> Self {
        Self { start: Instant::now(), wall }
    }

    /// The same clock, put forward where it would show less than `at` now: the system's time may have gone back since the
    /// server last ran, and what was stored then must not lie in the future.
    #[must_use]
    pub fn not_before(self, at: Timestamp) -> Self {
        Self { wall: self.wall.plus(at.since(self.now()).max(0)), ..self }
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        let passed = self.start.elapsed().as_millis();
        self.wall.plus(i64::try_from(passed).expect("a process does not run for 292 million years"))
    }

    /// When a timer must fire so that `now()` has reached `at`.
    pub fn instant(&self, at: Timestamp) -> Instant {
        self.start + Duration::from_millis(u64::try_from(at.since(self.wall)).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_clock_is_put_forward_and_never_back() {
        let clock = Clock::starting_at(Timestamp(1_000));
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!(clock.not_before(Timestamp(1_400)).now(), Timestamp(1_500));
        let later = clock.not_before(Timestamp(9_000));
        assert_eq!(later.now(), Timestamp(9_000));
        tokio::time::advance(Duration::from_millis(250)).await;
        assert_eq!(later.now(), Timestamp(9_250), "and runs from there");
        assert!(later.instant(Timestamp(9_250)) <= Instant::now());
    }

    #[tokio::test(start_paused = true)]
    async fn a_timer_set_for_a_moment_fires_when_the_clock_shows_it() {
        let clock = Clock::starting_at(Timestamp(1_000));
        tokio::time::sleep_until(clock.instant(Timestamp(1_250))).await;
        assert_eq!(clock.now(), Timestamp(1_250));
        assert!(clock.instant(Timestamp(0)) <= Instant::now());
    }
}
