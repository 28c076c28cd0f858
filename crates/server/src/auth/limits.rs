//! How often one address, name or player may ask for what is expensive or guessable.

use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, Reference};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use kingscross_protocol::UserId;

use super::NameKey;
use crate::clock::Clock;
use crate::config;

/// Where a request came from: an address, or for IPv6 the /64 network that one household gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network(IpAddr);

impl Network {
    /// The network of an address.
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(address) => {
                Self(IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))))
            }
            address @ IpAddr::V4(_) => Self(address),
        }
    }
}

/// The limit was reached; nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many attempts; try again in {} s", .wait.as_secs() + 1)]
pub struct TooMany {
    /// When the next attempt is allowed.
    pub wait: Duration,
}

/// So many in so long, for each key on its own.
pub struct Limit<K: Hash + Eq + Clone> {
    limiter: RateLimiter<K, DashMapStateStore<K>, Ticks, NoOpMiddleware<Moment>>,
    clock: Ticks,
}

impl<K: Hash + Eq + Clone> Limit<K> {
    /// At most `burst` in `window_ms`, refilled evenly. A burst of 0 counts as 1.
    pub fn new(burst: u32, window_ms: u64, clock: Clock) -> Self {
        let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
        let each = Duration::from_millis(window_ms.max(1)) / burst.get();
        let quota = Quota::with_period(each).unwrap_or_else(|| Quota::per_second(burst)).allow_burst(burst);
        let clock = Ticks(clock);
        Self { limiter: RateLimiter::new(quota, DashMapStateStore::default(), clock), clock }
    }

    /// Counts one attempt.
    pub fn check(&self, key: &K) -> Result<(), TooMany> {
        self.limiter
            .check_key(key)
            .map_err(|not_until| TooMany { wait: not_until.wait_time_from(self.clock.now()) })
    }

    /// Forgets keys that have not been seen for a whole window.
    pub fn sweep(&self) {
        self.limiter.retain_recent();
        self.limiter.shrink_to_fit();
    }
}

/// The limits of the REST API.
pub struct Limits {
    /// New guests.
    pub guests: Limit<Network>,
    /// New accounts.
    pub registrations: Limit<Network>,
    /// Passwords tried from one place.
    pub sign_ins: Limit<Network>,
    /// Passwords tried for one name.
    pub names: Limit<NameKey>,
    /// Any request.
    pub requests: Limit<Network>,
    /// Reports filed.
    pub reports: Limit<UserId>,
}

impl Limits {
    /// As configured.
    pub fn new(config: &config::Accounts, clock: Clock) -> Self {
        Self {
            guests: Limit::new(config.guests_per_address, config.guests_window_ms, clock),
            registrations: Limit::new(
                config.registrations_per_address,
                config.registrations_window_ms,
                clock,
            ),
            sign_ins: Limit::new(config.sign_ins_per_address, config.sign_ins_window_ms, clock),
            names: Limit::new(config.sign_ins_per_name, config.sign_ins_window_ms, clock),
            requests: Limit::new(config.requests_per_address, config.requests_window_ms, clock),
            reports: Limit::new(config.reports_per_user, config.reports_window_ms, clock),
        }
    }

    /// Forgets what no longer counts.
    pub fn sweep(&self) {
        self.guests.sweep();
        self.registrations.sweep();
        self.sign_ins.sweep();
        self.names.sweep();
        self.requests.sweep();
        self.reports.sweep();
    }
}

/// The server's clock as governor reads it.
#[derive(Clone, Copy, Debug)]
struct Ticks(Clock);

/// A moment of that clock, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moment(u64);

impl std::ops::Add<Nanos> for Moment {
    type Output = Self;
    fn add(self, other: Nanos) -> Self {
        Self(self.0.saturating_add(other.as_u64()))
    }
}

impl Reference for Moment {
    fn duration_since(&self, earlier: Self) -> Nanos {
        self.0.saturating_sub(earlier.0).into()
    }
    fn saturating_sub(&self, duration: Nanos) -> Self {
        Self(self.0.checked_sub(duration.as_u64()).unwrap_or(self.0))
    }
}

impl governor::clock::Clock for Ticks {
    type Instant = Moment;
    fn now(&self) -> Moment {
        Moment(u64::try_from(self.0.now().0).unwrap_or(0).saturating_mul(1_000_000))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kingscross_protocol::Timestamp;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_limit_counts_each_key_alone_and_refills() {
        let limit = Limit::new(2, 10_000, Clock::starting_at(Timestamp(1_000_000)));
        let (one, other) = (Network::of([10, 0, 0, 1].into()), Network::of([10, 0, 0, 2].into()));
        assert_eq!((limit.check(&one), limit.check(&one), limit.check(&other)), (Ok(()), Ok(()), Ok(())));
        assert_eq!(limit.check(&one), Err(TooMany { wait: Duration::from_secs(5) }));
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(limit.check(&one), Ok(()));
        assert!(limit.check(&one).is_err());
    }

    #[test]
    fn one_household_is_one_network() {
        let of = |text: &str| Network::of(text.parse().expect("an address"));
        assert_eq!(of("2001:db8:1:2:3::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}
