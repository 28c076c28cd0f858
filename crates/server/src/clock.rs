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

/// A moment as people read it: UTC, to the second.
pub fn moment(at: Timestamp) -> String {
    let seconds = at.0.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Civil date of a day number, by eras of 400 years beginning in March.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
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

    #[test]
    fn moments_read_as_dates() {
        assert_eq!(moment(Timestamp(0)), "1970-01-01 00:00:00");
        assert_eq!(moment(Timestamp(951_782_400_000)), "2000-02-29 00:00:00");
        assert_eq!(moment(Timestamp(1_795_991_999_999)), "2026-11-29 22:39:59");
        assert_eq!(moment(Timestamp(-1)), "1969-12-31 23:59:59");
    }
}
