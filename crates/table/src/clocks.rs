//! The clocks of a game: numbers in, numbers out. Milliseconds throughout.

use kingscross_engine::Seat;
use kingscross_protocol::{TimeControl, Timestamp};

use super::settings::ClockSettings;

/// What the clocks of one game are run by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockRules {
    /// The time control.
    pub time: TimeControl,
    /// The largest refund for one move.
    pub quota: i64,
    /// The reserve of refunds at the start.
    pub reserve_start: i64,
    /// The most that the reserve holds.
    pub reserve_max: i64,
    /// All refunds of a player together: so many thousandths of the base time and the increments gained.
    pub refund_game: i64,
    /// Time for a player's first move.
    pub first_move: i64,
}

impl ClockRules {
    /// The rules for a time control under this configuration.
    pub fn new(time: TimeControl, config: &ClockSettings) -> Self {
        let by_length = time.estimated_length() * i64::from(config.refund_permille) / 1000;
        let quota = (i64::from(config.refund_base_ms) + by_length).min(i64::from(config.refund_max_ms));
        Self {
            time,
            quota,
            reserve_start: quota * i64::from(config.reserve_start_moves),
            reserve_max: quota * i64::from(config.reserve_max_moves),
            refund_game: i64::from(config.refund_game_permille),
            first_move: i64::from(config.first_move_ms),
        }
    }
}

/// Remaining times and what hangs on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    rules: ClockRules,
    seats: [SeatClock; 4],
    running: Option<Running>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SeatClock {
    remaining: i64,
    reserve: i64,
    /// What may still be refunded in this game, in thousandths of a millisecond.
    refundable: i64,
    has_moved: bool,
}

/// The turn that is being timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Running {
    seat: Seat,
    since: Timestamp,
}

/// What a move costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// From the turn's event to the arrival of the move.
    pub spent: i64,
    /// Given back for measured lag.
    pub refund: i64,
    /// Remaining afterwards, increment included.
    pub clock: i64,
}

/// Whether a moment is still within the player's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    InTime,
    /// The flag has fallen.
    Flagged,
    /// The player's first move did not come.
    FirstMoveMissed,
}

impl Clocks {
    /// Full clocks that stand still.
    pub fn new(rules: ClockRules) -> Self {
        let full = SeatClock {
            remaining: i64::from(rules.time.initial),
            reserve: rules.reserve_start,
            refundable: i64::from(rules.time.initial) * rules.refund_game,
            has_moved: false,
        };
        Self { rules, seats: [full; 4], running: None }
    }

    /// Remaining time as of the last event.
    pub fn remaining(&self, seat: Seat) -> i64 {
        self.seats[seat.index()].remaining
    }

    /// Whose clock runs.
    pub fn running(&self) -> Option<Seat> {
        self.running.map(|running| running.seat)
    }

    /// Whether the player has made a move of its own.
    pub fn has_moved(&self, seat: Seat) -> bool {
        self.seats[seat.index()].has_moved
    }

    /// Starts the clock of the player who comes on turn.
    pub fn start(&mut self, seat: Seat, at: Timestamp) {
        self.running = Some(Running { seat, since: at });
    }

    /// Stops all clocks.
    pub fn stop(&mut self) {
        self.running = None;
    }

    /// Leaves out a time in which nobody could play and which has ended `now`.
    pub fn skip(&mut self, millis: i64, now: Timestamp) {
        if let Some(running) = &mut self.running {
            running.since = running.since.plus(millis).min(now);
        }
    }

    /// What a move of the player on turn costs when it arrives at `now` over a line of the given lag.
    pub fn cost(&self, now: Timestamp, lag: u32) -> Cost {
        let Some(running) = self.running else { return Cost { spent: 0, refund: 0, clock: 0 } };
        let clock = &self.seats[running.seat.index()];
        let spent = now.since(running.since).max(0);
        let refund = (spent - self.delay()).clamp(0, self.allowance(running.seat, lag));
        let charged = (spent - refund - self.delay()).max(0);
        let left = (clock.remaining - charged).max(0);
        Cost { spent, refund, clock: left + i64::from(self.rules.time.increment) }
    }

    /// What leaving (or the flag) costs a player on turn: no increment, no refund.
    pub fn cost_of_leaving(&self, seat: Seat, now: Timestamp) -> Cost {
        match self.running {
            Some(running) if running.seat == seat => {
                let spent = now.since(running.since).max(0);
                let charged = (spent - self.delay()).max(0);
                Cost { spent, refund: 0, clock: (self.remaining(seat) - charged).max(0) }
            }
            _ => Cost { spent: 0, refund: 0, clock: self.remaining(seat) },
        }
    }

    /// Whether the player on turn is in time at `now`, over a line of the given lag.
    pub fn judge(&self, now: Timestamp, lag: u32) -> Verdict {
        let Some(running) = self.running else { return Verdict::InTime };
        if now < self.deadline(lag).expect("a clock runs") {
            Verdict::InTime
        } else if self.has_moved(running.seat) {
            Verdict::Flagged
        } else {
            Verdict::FirstMoveMissed
        }
    }

    /// The first moment that is too late for the player on turn, over a line of the given lag.
    pub fn deadline(&self, lag: u32) -> Option<Timestamp> {
        let running = self.running?;
        let clock = &self.seats[running.seat.index()];
        let flag = self.delay() + clock.remaining + self.allowance(running.seat, lag);
        let wait = if clock.has_moved { flag } else { flag.min(self.rules.first_move) };
        Some(running.since.plus(wait))
    }

    /// Books a move of the player's own.
    pub fn moved(&mut self, seat: Seat, refund: i64, clock: i64) {
        let rules = self.rules;
        let mine = &mut self.seats[seat.index()];
        mine.remaining = clock;
        mine.has_moved = true;
        mine.reserve = (mine.reserve - refund + rules.quota).clamp(0, rules.reserve_max);
        mine.refundable += i64::from(rules.time.increment) * rules.refund_game - refund * 1000;
    }

    /// Sets a remaining time: after leaving, a flag or a gift.
    pub fn set(&mut self, seat: Seat, clock: i64) {
        self.seats[seat.index()].remaining = clock;
    }

    /// Remaining times as they read at `now`: of a running clock what is left of it.
    pub fn reading(&self, seat: Seat, now: Timestamp) -> i64 {
        self.cost_of_leaving(seat, now).clock
    }

    /// What is left of the free delay of this turn at `now`.
    pub fn delay_left(&self, now: Timestamp) -> i64 {
        self.running.map_or(0, |running| (self.delay() - now.since(running.since)).max(0))
    }

    /// What is left for the first move of the player on turn, when it is one.
    pub fn first_move_left(&self, now: Timestamp) -> Option<i64> {
        let running = self.running.filter(|running| !self.has_moved(running.seat))?;
        Some((self.rules.first_move - now.since(running.since)).max(0))
    }

    fn delay(&self) -> i64 {
        i64::from(self.rules.time.delay)
    }

    fn allowance(&self, seat: Seat, lag: u32) -> i64 {
        let clock = &self.seats[seat.index()];
        i64::from(lag).min(self.rules.quota).min(clock.reserve).min(clock.refundable / 1000).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T0: Timestamp = Timestamp(1_000_000);

    fn clocks(time: TimeControl) -> Clocks {
        let mut clocks = Clocks::new(ClockRules::new(time, &crate::Terms::defaults().clocks));
        for seat in Seat::ALL {
            clocks.seats[seat.index()].has_moved = true;
        }
        clocks.start(Seat::South, T0);
        clocks
    }

    #[test]
    fn the_quota_follows_the_length_of_the_game_up_to_a_second() {
        let config = crate::Terms::defaults().clocks;
        let quota = |minutes: u32, seconds: u32| {
            ClockRules::new(TimeControl::increment(minutes * 60_000, seconds * 1000), &config).quota
        };
        assert_eq!(quota(1, 0), 150 + 240);
        assert_eq!(quota(3, 0), 150 + 720);
        assert_eq!(quota(5, 3), 1000);
    }

    #[test]
    fn an_increment_is_added_after_the_move() {
        let clocks = clocks(TimeControl::increment(60_000, 2_000));
        assert_eq!(clocks.cost(T0.plus(5_000), 0), Cost { spent: 5_000, refund: 0, clock: 57_000 });
    }

    #[test]
    fn a_delay_is_free_and_not_gained() {
        let clocks = clocks(TimeControl { initial: 60_000, increment: 0, delay: 3_000 });
        assert_eq!(clocks.cost(T0.plus(2_000), 0).clock, 60_000);
        assert_eq!(clocks.cost(T0.plus(5_000), 0).clock, 58_000);
        assert_eq!(clocks.delay_left(T0.plus(1_000)), 2_000);
        assert_eq!(clocks.deadline(0), Some(T0.plus(63_000)));
    }

    #[test]
    fn measured_lag_is_refunded_up_to_quota_and_reserve() {
        let mut clocks = clocks(TimeControl::increment(60_000, 0));
        let quota = 390;
        assert_eq!(clocks.cost(T0.plus(5_000), 100).refund, 100);
        assert_eq!(clocks.cost(T0.plus(5_000), 5_000).refund, quota);
        assert_eq!(clocks.cost(T0.plus(50), 100), Cost { spent: 50, refund: 50, clock: 60_000 });
        for _ in 0..3 {
            clocks.moved(Seat::South, quota, 60_000);
        }
        assert_eq!(clocks.seats[0].reserve, 3 * quota);
        for _ in 0..20 {
            clocks.moved(Seat::South, 0, 60_000);
        }
        assert_eq!(clocks.seats[0].reserve, 7 * quota);
    }

    #[test]
    fn all_refunds_of_a_game_are_a_twentieth_of_its_time_at_most() {
        for (control, most) in [
            (TimeControl::increment(60_000, 0), 3_000),
            (TimeControl::increment(300_000, 0), 15_000),
            // Each of forty moves gains two seconds.
            (TimeControl::increment(60_000, 2_000), 3_000 + 40 * 100),
        ] {
            let mut clocks = clocks(control);
            let mut refunded = 0;
            for _ in 0..40 {
                let cost = clocks.cost(T0.plus(5_000), u32::MAX);
                refunded += cost.refund;
                clocks.moved(Seat::South, cost.refund, 60_000);
            }
            assert!(refunded <= most && refunded > most - 200, "{refunded} of {most}");
            assert_eq!(clocks.cost(T0.plus(5_000), 0).refund, 0);
        }
        let mut clocks = clocks(TimeControl::increment(60_000, 0));
        for _ in 0..200 {
            // An honest line of 15 ms is made good to its last move.
            assert_eq!(clocks.cost(T0.plus(5_000), 15).refund, 15);
            clocks.moved(Seat::South, 15, 60_000);
        }
    }

    #[test]
    fn a_flag_waits_for_the_refund_and_no_longer() {
        let clocks = clocks(TimeControl::increment(10_000, 0));
        let allowance = 150 + 40;
        assert_eq!(clocks.judge(T0.plus(9_999), 0), Verdict::InTime);
        assert_eq!(clocks.judge(T0.plus(10_000), 0), Verdict::Flagged);
        let last = T0.plus(10_000 + allowance - 1);
        assert_eq!(clocks.judge(last, 1_000), Verdict::InTime);
        assert_eq!(clocks.cost(last, 1_000), Cost { spent: 10_189, refund: 190, clock: 1 });
        assert_eq!(clocks.judge(last.plus(1), 1_000), Verdict::Flagged);
    }

    #[test]
    fn a_first_move_that_does_not_come_is_no_time_loss() {
        let mut clocks = clocks(TimeControl::increment(60_000, 0));
        clocks.seats[0].has_moved = false;
        assert_eq!(clocks.judge(T0.plus(29_999), 0), Verdict::InTime);
        assert_eq!(clocks.judge(T0.plus(30_000), 0), Verdict::FirstMoveMissed);
        assert_eq!(clocks.first_move_left(T0.plus(10_000)), Some(20_000));
    }

    #[test]
    fn an_outage_is_charged_to_nobody() {
        let mut clocks = clocks(TimeControl::increment(60_000, 0));
        clocks.skip(40_000, T0.plus(42_000));
        assert_eq!(clocks.cost(T0.plus(45_000), 0).spent, 5_000);
    }

    #[test]
    fn no_clock_is_ever_negative() {
        let clocks = clocks(TimeControl::increment(10_000, 0));
        assert_eq!(clocks.cost(T0.plus(90_000), 0).clock, 0);
        assert_eq!(clocks.cost(T0.plus(-5), 0).spent, 0);
        assert_eq!(clocks.reading(Seat::South, T0.plus(90_000)), 0);
        assert_eq!(clocks.cost_of_leaving(Seat::West, T0.plus(90_000)).clock, 10_000);
    }
}
