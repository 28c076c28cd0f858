//! Who is asking: guests, sessions, accounts.

/// Names one session without giving it away: the SHA-256 of its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionKey(pub [u8; 32]);
