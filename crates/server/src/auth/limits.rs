//! How often an address, name or player may try what is expensive or could be guessed.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Mutex;
use std::time::Duration;

use governor::clock::{Clock as _, Reference};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use kingscross_protocol::{Timestamp, UserId};
use sha2::{Digest, Sha256};

use super::{NameKey, SessionKey};
use crate::clock::Clock;
use crate::config;

/// The origin of a request: an address, or for IPv6 the /64 network that one household gets.
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

    /// The hash that is stored: it recognises a network of the same user, and differs for two users of one network.
    pub fn hash_for(self, user: UserId) -> [u8; 32] {
        Sha256::digest(format!("{}/{}", user.0, self.0)).into()
    }
}

/// The limit was reached; nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many attempts; try again in {} s", .wait.as_secs() + 1)]
pub struct TooMany {
    /// When the next attempt is allowed.
    pub wait: Duration,
}

/// A number of attempts in a window, for each key on its own.
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

/// A number of failures in a window, for each key on its own. An attempt counts when it begins, so that many at once are
/// limited, too, and is given back when it succeeds.
pub struct Failures<K> {
    burst: i64,
    /// How long until one is forgotten, in milliseconds.
    each: i64,
    clock: Clock,
    /// When the last failure of a key will be forgotten. Never held across an await.
    until: Mutex<HashMap<K, i64>>,
}

impl<K: Hash + Eq + Clone> Failures<K> {
    /// At most `burst` in `window_ms`, forgotten one by one. A burst of 0 counts as 1.
    pub fn new(burst: u32, window_ms: u64, clock: Clock) -> Self {
        let burst = i64::from(burst.max(1));
        let each = (i64::try_from(window_ms).unwrap_or(i64::MAX) / burst).max(1);
        Self { burst, each, clock, until: Mutex::default() }
    }

    /// Begins an attempt, which counts as failed until it is forgiven.
    pub fn begin(&self, key: &K) -> Result<(), TooMany> {
        let Timestamp(now) = self.clock.now();
        let mut until = self.until.lock().expect("no panic while held");
        let counted = until.get(key).copied().unwrap_or(now).max(now) + self.each;
        let wait = counted - now - self.each.saturating_mul(self.burst);
        if wait > 0 {
            return Err(TooMany { wait: Duration::from_millis(wait.unsigned_abs()) });
        }
        until.insert(key.clone(), counted);
        Ok(())
    }

    /// Gives back an attempt that has succeeded.
    pub fn forgive(&self, key: &K) {
        if let Some(until) = self.until.lock().expect("no panic while held").get_mut(key) {
            *until -= self.each;
        }
    }

    /// Drops keys whose failures are all forgotten.
    pub fn sweep(&self) {
        let Timestamp(now) = self.clock.now();
        let mut until = self.until.lock().expect("no panic while held");
        until.retain(|_, until| *until > now);
        until.shrink_to_fit();
    }
}

/// How an account knows someone who signs in to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A browser that has signed in to it before.
    Device(SessionKey),
    /// An unknown browser, in a network from which someone has signed in to it.
    Network,
    /// Neither of them.
    Stranger,
}

/// Someone who tries a password.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The name of the account.
    pub name: NameKey,
    /// The network.
    pub network: Network,
    /// Whether the account knows the caller.
    pub standing: Standing,
}

/// The limits of signing in. Failures of strangers count for their own network, so that they lock out nobody else; a name
/// that is tried from very many networks is closed to strangers only.
pub struct SignIns {
    networks: Failures<Network>,
    names: Failures<(NameKey, Network)>,
    strangers: Failures<NameKey>,
    devices: Failures<(NameKey, [u8; 32])>,
}

impl SignIns {
    fn new(config: &config::Accounts, clock: Clock) -> Self {
        let window = config.sign_ins_window_ms;
        Self {
            networks: Failures::new(config.sign_ins_per_address, window, clock),
            names: Failures::new(config.sign_ins_per_name, window, clock),
            strangers: Failures::new(config.sign_ins_by_strangers, window, clock),
            devices: Failures::new(config.sign_ins_per_name, window, clock),
        }
    }

    /// Begins an attempt, which counts as failed until it is forgiven.
    pub fn begin(&self, caller: &Caller) -> Result<(), TooMany> {
        if let Standing::Device(SessionKey(key)) = caller.standing {
            return self.devices.begin(&(caller.name.clone(), key));
        }
        self.networks.begin(&caller.network)?;
        self.names.begin(&(caller.name.clone(), caller.network))?;
        if caller.standing == Standing::Stranger {
            self.strangers.begin(&caller.name)?;
        }
        Ok(())
    }

    /// Gives back an attempt that has succeeded.
    pub fn forgive(&self, caller: &Caller) {
        if let Standing::Device(SessionKey(key)) = caller.standing {
            return self.devices.forgive(&(caller.name.clone(), key));
        }
        self.networks.forgive(&caller.network);
        self.names.forgive(&(caller.name.clone(), caller.network));
        if caller.standing == Standing::Stranger {
            self.strangers.forgive(&caller.name);
        }
    }

    fn sweep(&self) {
        self.networks.sweep();
        self.names.sweep();
        self.strangers.sweep();
        self.devices.sweep();
    }
}

/// The limits of the REST API.
pub struct Limits {
    /// New guests.
    pub guests: Limit<Network>,
    /// New accounts.
    pub registrations: Limit<Network>,
    /// Passwords tried to sign in.
    pub sign_ins: SignIns,
    /// Passwords tried by users who are signed in.
    pub passwords: Failures<UserId>,
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
            sign_ins: SignIns::new(config, clock),
            passwords: Failures::new(config.sign_ins_per_name, config.sign_ins_window_ms, clock),
            requests: Limit::new(config.requests_per_address, config.requests_window_ms, clock),
            reports: Limit::new(config.reports_per_user, config.reports_window_ms, clock),
        }
    }

    /// Forgets what no longer counts.
    pub fn sweep(&self) {
        self.guests.sweep();
        self.registrations.sweep();
        self.sign_ins.sweep();
        self.passwords.sweep();
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

    #[tokio::test(start_paused = true)]
    async fn failures_are_counted_and_successes_given_back() {
        let failures = Failures::new(2, 10_000, Clock::starting_at(Timestamp(1_000_000)));
        for _ in 0..5 {
            assert_eq!(failures.begin(&"a"), Ok(()));
            failures.forgive(&"a");
        }
        assert_eq!((failures.begin(&"a"), failures.begin(&"a")), (Ok(()), Ok(())));
        assert_eq!(failures.begin(&"a"), Err(TooMany { wait: Duration::from_secs(5) }));
        assert_eq!(failures.begin(&"b"), Ok(()));
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(failures.begin(&"a"), Ok(()));
        assert!(failures.begin(&"a").is_err());
        tokio::time::advance(Duration::from_secs(10)).await;
        failures.sweep();
        assert!(failures.until.lock().expect("no panic").is_empty());
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
