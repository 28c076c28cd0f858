//! Times in which the server itself stood still: stopped by a signal, paused by its host, or kept from running by load.
//! Nobody can play, come back or confirm then, so no clock, absence or time limit of a person counts them.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant as RealInstant};

use kingscross_protocol::Timestamp;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, MissedTickBehavior, Sleep, interval, sleep_until};

use crate::app::App;
use crate::clock::Clock;

/// How often the server shows that it runs.
const BEAT: Duration = Duration::from_millis(100);

/// After a stall sockets are read for so long before anyone is judged by time alone, in milliseconds.
const CATCH_UP: i64 = 1_000;

/// So many stalls are remembered.
const KEPT: usize = 128;

/// The stalls of this process. Whoever looks first after one books it.
#[derive(Debug)]
pub struct Stalls {
    clock: Clock,
    /// A shorter one counts as running.
    shortest: Duration,
    start: RealInstant,
    /// The last beat, in milliseconds of real time after the start.
    beaten: AtomicU64,
    count: AtomicU64,
    last_end: AtomicI64,
    // Written once a beat, read by those whom a stall concerns; never held across an await.
    spans: Mutex<Spans>,
}

#[derive(Debug)]
struct Spans {
    /// The last beat.
    beat: Timestamp,
    /// A stall was booked, and no beat has come since.
    is_open: bool,
    /// How many of the stalls have been reported.
    reported: u64,
    recent: VecDeque<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    from: Timestamp,
    until: Timestamp,
}

impl Stalls {
    /// None so far.
    pub fn new(clock: Clock, shortest: Duration) -> Self {
        let spans = Spans { beat: clock.now(), is_open: false, reported: 0, recent: VecDeque::new() };
        Self {
            clock,
            shortest,
            start: RealInstant::now(),
            beaten: AtomicU64::new(0),
            count: AtomicU64::new(0),
            last_end: AtomicI64::new(i64::MIN),
            spans: Mutex::new(spans),
        }
    }

    /// Books a stall that has just ended. Gives the number of stalls so far.
    pub fn look(&self) -> u64 {
        if self.since_beat() >= self.shortest {
            let mut spans = self.spans.lock().expect("no panic while held");
            self.book(&mut spans);
        }
        self.count.load(Ordering::Acquire)
    }

    /// The server runs. True when there was a stall since the last beat.
    fn beat(&self) -> bool {
        let mut spans = self.spans.lock().expect("no panic while held");
        self.book(&mut spans);
        spans.is_open = false;
        self.beaten.store(self.real(), Ordering::Release);
        spans.beat = self.clock.now();
        let count = self.count.load(Ordering::Acquire);
        std::mem::replace(&mut spans.reported, count) != count
    }

    fn book(&self, spans: &mut Spans) {
        let now = self.clock.now();
        // A clock that tests move does not make a stall, nor does time that passes while it is held.
        let millis =
            now.since(spans.beat).min(i64::try_from(self.since_beat().as_millis()).unwrap_or(i64::MAX));
        let is_stall = millis >= i64::try_from(self.shortest.as_millis()).unwrap_or(i64::MAX);
        if !is_stall && !spans.is_open || millis <= 0 {
            return;
        }
        let span = Span { from: now.plus(-millis), until: now };
        match spans.recent.back_mut() {
            Some(last) if last.until == span.from => last.until = now,
            _ => spans.recent.push_back(span),
        }
        if spans.recent.len() > KEPT {
            spans.recent.pop_front();
        }
        spans.beat = now;
        spans.is_open = true;
        self.beaten.store(self.real(), Ordering::Release);
        self.last_end.store(now.0, Ordering::Release);
        self.count.fetch_add(1, Ordering::AcqRel);
    }

    /// How much of this time the server stood still, in milliseconds.
    pub fn missed(&self, from: Timestamp, until: Timestamp) -> i64 {
        self.look();
        if self.last_end.load(Ordering::Acquire) <= from.0 {
            return 0;
        }
        let spans = self.spans.lock().expect("no panic while held");
        spans.recent.iter().map(|span| span.until.min(until).since(span.from.max(from)).max(0)).sum()
    }

    /// The end of the last stall.
    pub fn last_end(&self) -> Option<Timestamp> {
        self.look();
        let end = self.last_end.load(Ordering::Acquire);
        (end != i64::MIN).then_some(Timestamp(end))
    }

    /// While sockets are still being read after a stall: its end, and until when nobody is judged by time alone.
    pub fn catching_up(&self, now: Timestamp) -> Option<(Timestamp, Timestamp)> {
        let end = self.last_end()?;
        let until = end.plus(CATCH_UP);
        (now < until).then_some((end, until))
    }

    /// A time limit that stalls do not count towards.
    pub async fn timeout<F: Future>(&self, limit: Duration, work: F) -> Result<F::Output, Elapsed> {
        let mut work = pin!(work);
        let (mut left, mut began) = (limit, self.clock.now());
        loop {
            match tokio::time::timeout(left, work.as_mut()).await {
                Ok(output) => return Ok(output),
                Err(elapsed) => {
                    let now = self.clock.now();
                    match self.missed(began, now) {
                        0 => return Err(elapsed),
                        missed => (left, began) = (millis(missed), now),
                    }
                }
            }
        }
    }

    fn since_beat(&self) -> Duration {
        Duration::from_millis(self.real().saturating_sub(self.beaten.load(Ordering::Acquire)))
    }

    fn real(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

fn millis(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// Beats until the server stops; after a stall, everyone whom it concerns looks.
pub(crate) async fn watch(app: App) {
    let mut beats = interval(BEAT);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while app.stop.run_until_cancelled(beats.tick()).await.is_some() {
        if app.stalls.beat() {
            tracing::warn!("the server stood still; nobody's clock pays");
            crate::metrics::stood_still();
            app.hub.wake_all();
            app.tables.stalled();
        }
    }
}

/// The timer of HTTP connections: stalls do not count.
#[derive(Clone, Debug)]
pub(crate) struct Timer(pub(crate) Arc<Stalls>);

struct Patient {
    stalls: Arc<Stalls>,
    began: Timestamp,
    sleep: Pin<Box<Sleep>>,
}

impl hyper::rt::Timer for Timer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn hyper::rt::Sleep>> {
        self.sleep_until((Instant::now() + duration).into())
    }

    fn sleep_until(&self, deadline: RealInstant) -> Pin<Box<dyn hyper::rt::Sleep>> {
        let began = self.0.clock.now();
        Box::pin(Patient { stalls: self.0.clone(), began, sleep: Box::pin(sleep_until(deadline.into())) })
    }

    fn now(&self) -> RealInstant {
        Instant::now().into()
    }
}

impl hyper::rt::Sleep for Patient {}

impl Future for Patient {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.sleep.as_mut().poll(context));
            let now = self.stalls.clock.now();
            let missed = self.stalls.missed(self.began, now);
            if missed == 0 {
                return Poll::Ready(());
            }
            self.began = now;
            self.sleep.as_mut().reset(Instant::now() + millis(missed));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    const SHORTEST: Duration = Duration::from_millis(20);

    fn stalls() -> (Clock, Stalls) {
        let clock = Clock::starting_at(Timestamp(1_000_000));
        (clock, Stalls::new(clock, SHORTEST))
    }

    #[test]
    fn a_stall_is_booked_by_whoever_looks_first_and_once() {
        let (clock, stalls) = stalls();
        assert_eq!((stalls.look(), stalls.last_end()), (0, None));
        let before = clock.now();
        sleep(SHORTEST * 2);
        let after = clock.now();
        assert!(stalls.missed(before, after) >= 38);
        assert!(stalls.missed(before, after) <= after.since(before));
        let (count, end) = (stalls.look(), stalls.last_end().expect("one"));
        assert!(count >= 1 && end >= after);
        assert_eq!(stalls.missed(end, end.plus(10)), 0, "what comes after it counts");
        assert!(stalls.beat(), "the first beat tells of it");
        assert_eq!(stalls.catching_up(end), Some((end, end.plus(CATCH_UP))));
        assert_eq!(stalls.catching_up(end.plus(CATCH_UP)), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_time_that_tests_move_is_no_stall() {
        let clock = Clock::starting_at(Timestamp(0));
        let stalls = Stalls::new(clock, Duration::from_secs(60));
        tokio::time::advance(Duration::from_secs(3_600)).await;
        assert_eq!((stalls.look(), stalls.missed(Timestamp(0), clock.now())), (0, 0));
        assert!(!stalls.beat());
    }

    #[tokio::test]
    async fn a_time_limit_does_not_count_a_stall() {
        let (_, stalls) = stalls();
        let work = async {
            // The whole runtime stands still beyond the limit, and the work is done soon after.
            sleep(Duration::from_millis(300));
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        stalls.timeout(Duration::from_millis(200), work).await.expect("in time");
    }
}
