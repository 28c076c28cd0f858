//! Authentication: names, guests, accounts, sessions, API tokens.

mod current_user;
mod device;
mod guest_name;
pub mod limits;
mod name;
mod origin;
pub mod password;
mod refusals;
mod secret;
mod session;

pub use current_user::{CurrentUser, TOKEN_PREFIX, guard_origin, identify, kind, scope, session_secret};
pub use device::{remember_device, standing, sweep_devices};
pub use guest_name::guest_name;
pub use name::{BadName, Name, NameKey};
pub use origin::{BadOrigin, check_origin, is_foreign};
pub use secret::{NoRandomness, Secret, SessionKey, random};
pub use session::{SessionCookie, begin_session};

use crate::clock::Clock;
use crate::config;

/// What authentication needs besides the database.
pub struct Auth {
    /// Makes and checks password hashes.
    pub hasher: password::Hasher,
    /// Limits of requests and attempts.
    pub limits: limits::Limits,
}

impl Auth {
    /// As configured.
    pub fn new(config: &config::Accounts, clock: Clock) -> Result<Self, password::HashFault> {
        let cost = password::Cost { memory: config.argon2_memory_kib, passes: config.argon2_passes };
        let hasher = password::Hasher::new(cost, config.argon2_at_once)?;
        Ok(Self { hasher, limits: limits::Limits::new(config, clock) })
    }
}
