//! Who is asking: names, guests, accounts, sessions, API tokens.

mod guest_name;
mod name;
pub mod password;

pub use guest_name::guest_name;
pub use name::{BadName, Name, NameKey};

/// Names one session without giving it away: the SHA-256 of its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionKey(pub [u8; 32]);
