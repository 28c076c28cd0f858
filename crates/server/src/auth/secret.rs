//! Random tokens: known only to their owner, stored as a hash.

use std::fmt;

use sha2::{Digest, Sha256};

/// The key of a session or API token, which does not reveal it: the SHA-256 of its secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionKey(pub [u8; 32]);

/// A secret of 256 random bits, as 64 hex digits. Never logged: its `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// The operating system gives no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random bytes")]
pub struct NoRandomness;

impl Secret {
    /// A new one.
    pub fn fresh() -> Result<Self, NoRandomness> {
        Ok(Self(hex(&random::<32>()?)))
    }

    /// Reads a secret from outside; none if this server cannot have made it.
    pub fn read(text: &str) -> Option<Self> {
        let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        (text.len() == 64 && is_hex).then(|| Self(text.to_owned()))
    }

    /// The key that is stored.
    pub fn key(&self) -> SessionKey {
        SessionKey(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The text that its owner keeps.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl SessionKey {
    /// The key of a stored hash; none if it has another length.
    pub fn of_hash(hash: &[u8]) -> Option<Self> {
        hash.try_into().ok().map(Self)
    }

    /// The public id of a session, by which nobody can sign in.
    pub fn public_id(&self) -> String {
        hex(&self.0[..12])
    }
}

/// Random bytes of the operating system.
pub fn random<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_back_and_has_one_key() {
        let secret = Secret::fresh().expect("random bytes");
        let read = Secret::read(secret.reveal()).expect("readable");
        assert_eq!(read.key(), secret.key());
        assert_ne!(Secret::fresh().expect("random bytes").key(), secret.key());
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn what_the_server_cannot_have_made_is_no_secret() {
        for text in ["", "abc", &"g".repeat(64), &"A".repeat(64), &"a".repeat(65)] {
            assert_eq!(Secret::read(text), None);
        }
    }
}
