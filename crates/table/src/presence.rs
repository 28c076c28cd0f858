//! Who is at the table, and how long the absent are waited for. Milliseconds throughout; not stored.

use kingscross_engine::Seat;
use kingscross_protocol::{TimeControl, Timestamp};

use super::settings::PresenceSettings;

/// How long absence is waited for in one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    shown_after: i64,
    grace: i64,
    grace_departed: i64,
    budget: i64,
}

impl Patience {
    /// The patience that befits a time control.
    pub fn new(time: TimeControl, config: &PresenceSettings) -> Self {
        let length = time.estimated_length();
        let grace = if length < i64::from(config.short_game_ms) {
            config.grace_short_ms
        } else if length < i64::from(config.middle_game_ms) {
            config.grace_middle_ms
        } else {
            config.grace_long_ms
        };
        Self {
            shown_after: i64::from(config.shown_after_ms),
            grace: i64::from(grace),
            grace_departed: i64::from(config.grace_departed_ms),
            budget: i64::from(grace) * i64::from(config.budget_graces),
        }
    }
}

/// The presence of every seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attendance {
    patience: Patience,
    seats: [Attendee; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attendee {
    // Bots of the server, and seats that nobody waits for any more.
    is_exempt: bool,
    away_since: Option<Timestamp>,
    has_departed: bool,
    used: i64,
}

impl Attendance {
    /// Everyone is away from `now` on, until seen; the exempt are always present.
    pub fn new(patience: Patience, exempt: impl Fn(Seat) -> bool, now: Timestamp) -> Self {
        let attendee = |seat| Attendee {
            is_exempt: exempt(seat),
            away_since: (!exempt(seat)).then_some(now),
            has_departed: false,
            used: 0,
        };
        Self { patience, seats: Seat::ALL.map(attendee) }
    }

    /// A player's first socket opened, or its last one closed. A player who left on purpose stays away until `returned`.
    pub fn connected(&mut self, seat: Seat, is_connected: bool, now: Timestamp) {
        let attendee = &mut self.seats[seat.index()];
        if attendee.is_exempt {
            return;
        }
        let is_present = is_connected && !attendee.has_departed;
        match (attendee.away_since, is_present) {
            (Some(since), true) => {
                attendee.used += now.since(since).max(0);
                attendee.away_since = None;
            }
            (None, false) => attendee.away_since = Some(now),
            _ => {}
        }
    }

    /// A player left on purpose.
    pub fn departed(&mut self, seat: Seat, now: Timestamp) {
        let attendee = &mut self.seats[seat.index()];
        if !attendee.is_exempt {
            attendee.has_departed = true;
            attendee.away_since.get_or_insert(now);
        }
    }

    /// Whether the player left on purpose and has not come back.
    pub fn has_departed(&self, seat: Seat) -> bool {
        self.seats[seat.index()].has_departed
    }

    /// A player who had left on purpose watches again.
    pub fn returned(&mut self, seat: Seat, now: Timestamp) {
        self.seats[seat.index()].has_departed = false;
        self.connected(seat, true, now);
    }

    /// Nobody waits for this seat any more: it is out of the game.
    pub fn excuse(&mut self, seat: Seat) {
        self.seats[seat.index()] = Attendee { is_exempt: true, ..self.seats[seat.index()] };
    }

    /// Nobody is here from `now` on, as after a restart; what was used of the budgets before is forgotten.
    pub fn restart(&mut self, now: Timestamp) {
        for attendee in self.seats.iter_mut().filter(|attendee| !attendee.is_exempt) {
            attendee.away_since = Some(now);
            attendee.used = 0;
        }
    }

    /// Leaves out a time in which nobody could come and which has ended `now`.
    pub fn skip(&mut self, millis: i64, now: Timestamp) {
        for attendee in &mut self.seats {
            attendee.away_since = attendee.away_since.map(|since| since.plus(millis).min(now));
        }
    }

    /// Since when the player is away.
    pub fn away_since(&self, seat: Seat) -> Option<Timestamp> {
        self.seats[seat.index()].away_since
    }

    /// Whether the player counts as being at the table: there, or away for less than shows.
    pub fn is_shown_present(&self, seat: Seat, now: Timestamp) -> bool {
        self.away_since(seat).is_none_or(|since| now.since(since) < self.patience.shown_after)
    }

    /// When a player's absence begins to show.
    pub fn shown_at(&self, seat: Seat) -> Option<Timestamp> {
        self.away_since(seat).map(|since| since.plus(self.patience.shown_after))
    }

    /// When the absence of a player is judged.
    pub fn judged_at(&self, seat: Seat) -> Option<Timestamp> {
        let attendee = &self.seats[seat.index()];
        let since = attendee.away_since.filter(|_| !attendee.is_exempt)?;
        let grace = if attendee.has_departed {
            self.patience.grace_departed
        } else {
            self.patience.grace.min((self.patience.budget - attendee.used).max(0))
        };
        Some(since.plus(grace))
    }

    /// The players whose absence is due to be judged at `now`.
    pub fn due(&self, now: Timestamp) -> impl Iterator<Item = Seat> {
        Seat::ALL.into_iter().filter(move |&seat| self.judged_at(seat).is_some_and(|at| at <= now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T0: Timestamp = Timestamp(1_000_000);

    fn attendance(initial: u32) -> Attendance {
        let patience = Patience::new(TimeControl::increment(initial, 0), &crate::Terms::defaults().presence);
        let mut all = Attendance::new(patience, |seat| seat == Seat::East, T0);
        Seat::ALL.into_iter().for_each(|seat| all.connected(seat, true, T0));
        all
    }

    #[test]
    fn the_grace_depends_on_the_length_of_the_game() {
        for (initial, grace) in [(60_000, 30_000), (180_000, 60_000), (600_000, 90_000)] {
            let mut all = attendance(initial);
            all.connected(Seat::West, false, T0);
            assert_eq!(all.judged_at(Seat::West), Some(T0.plus(grace)));
        }
    }

    #[test]
    fn absence_shows_after_five_seconds() {
        let mut all = attendance(60_000);
        all.connected(Seat::West, false, T0);
        assert!(all.is_shown_present(Seat::West, T0.plus(4_999)));
        assert!(!all.is_shown_present(Seat::West, T0.plus(5_000)));
        all.connected(Seat::West, true, T0.plus(6_000));
        assert!(all.is_shown_present(Seat::West, T0.plus(6_000)));
    }

    #[test]
    fn flapping_does_not_restart_the_wait() {
        let mut all = attendance(60_000);
        let mut now = T0;
        for _ in 0..4 {
            all.connected(Seat::West, false, now);
            now = now.plus(20_000);
            assert_eq!(all.due(now).count(), 0);
            all.connected(Seat::West, true, now);
            now = now.plus(1);
        }
        all.connected(Seat::West, false, now);
        assert_eq!(all.judged_at(Seat::West), Some(now.plus(10_000)), "90 s less the 80 s used");
    }

    #[test]
    fn leaving_on_purpose_shortens_the_grace_until_one_watches_again() {
        let mut all = attendance(600_000);
        all.departed(Seat::North, T0);
        all.connected(Seat::North, true, T0.plus(1_000));
        assert_eq!(all.judged_at(Seat::North), Some(T0.plus(10_000)));
        all.returned(Seat::North, T0.plus(2_000));
        assert_eq!(all.judged_at(Seat::North), None);
    }

    #[test]
    fn bots_and_the_excused_are_never_judged() {
        let mut all = attendance(60_000);
        all.connected(Seat::East, false, T0);
        all.connected(Seat::West, false, T0);
        all.excuse(Seat::West);
        assert_eq!(all.due(T0.plus(1_000_000)).count(), 0);
    }

    #[test]
    fn an_outage_does_not_count_as_absence() {
        let mut all = attendance(60_000);
        all.connected(Seat::West, false, T0);
        all.skip(100_000, T0.plus(100_000));
        assert_eq!(all.judged_at(Seat::West), Some(T0.plus(130_000)));
    }
}
