//! Which passwords are accepted, and how they are kept: argon2id, off the async threads, one or two at a time.

use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use super::NameKey;

/// The fewest characters of a password.
const SHORTEST: usize = 8;
/// The most bytes of a password, so that hashing has a bounded cost.
const LONGEST: usize = 256;

/// Passwords of eight characters and more that attackers try first.
const COMMON: [&str; 40] = [
    "12345678",
    "123456789",
    "1234567890",
    "0123456789",
    "987654321",
    "9876543210",
    "password",
    "password1",
    "password12",
    "password123",
    "passw0rd",
    "p@ssw0rd",
    "p@ssword",
    "qwertyuiop",
    "qwerty123",
    "qwertyui",
    "1q2w3e4r",
    "1q2w3e4r5t",
    "1qaz2wsx",
    "qazwsxedc",
    "zaq12wsx",
    "asdfghjkl",
    "asdfasdf",
    "iloveyou",
    "sunshine",
    "princess",
    "football",
    "baseball",
    "superman",
    "starwars",
    "trustno1",
    "letmein1",
    "welcome1",
    "abcd1234",
    "abc12345",
    "abcdefgh",
    "changeme",
    "computer",
    "chessmaster",
    "checkmate",
];

/// Why a password is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPassword {
    /// Fewer than 8 characters.
    #[error("a password must have at least 8 characters")]
    Short,
    /// More than 256 bytes.
    #[error("a password may have at most 256 bytes")]
    Long,
    /// Among those that attackers try first, one repeated character, or the name.
    #[error("this password is too easy to guess")]
    Common,
}

/// Checks a password that someone wants to set.
pub fn check(password: &str, name: &str) -> Result<(), BadPassword> {
    if password.len() > LONGEST {
        return Err(BadPassword::Long);
    }
    if password.chars().count() < SHORTEST {
        return Err(BadPassword::Short);
    }
    let lower = password.to_lowercase();
    let mut characters = lower.chars();
    let first = characters.next();
    let is_one_character = characters.all(|c| Some(c) == first);
    let key = NameKey::of(password);
    if COMMON.contains(&lower.as_str()) || is_one_character || key == NameKey::of(name) {
        return Err(BadPassword::Common);
    }
    Ok(())
}

/// The cost of one hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Memory in KiB.
    pub memory: u32,
    /// Passes over it.
    pub passes: u32,
}

/// Hashing failed: a fault of the server.
#[derive(Debug, thiserror::Error)]
pub enum HashFault {
    /// The costs are outside of what argon2 allows.
    #[error("argon2 parameters: {0}")]
    Parameters(argon2::Error),
    /// A stored hash cannot be read, or a new one cannot be made.
    #[error("password hash: {0}")]
    Hash(argon2::password_hash::Error),
    /// A stored hash is not in the usual text form.
    #[error("stored password hash: {0}")]
    Stored(argon2::password_hash::phc::Error),
    /// The blocking thread or its permit is gone.
    #[error("the hashing thread stopped")]
    Thread,
}

/// Makes and checks hashes, a few at a time: each needs memory and tens of milliseconds of a core.
#[derive(Clone)]
pub struct Hasher {
    argon2: Argon2<'static>,
    permits: Arc<Semaphore>,
    /// Checked if there is no such user, so that the time taken does not reveal it.
    nobody: Arc<str>,
}

impl Hasher {
    /// A hasher that does at most `at_once` hashes at a time.
    pub fn new(cost: Cost, at_once: usize) -> Result<Self, HashFault> {
        let params = Params::new(cost.memory, cost.passes, 1, None).map_err(HashFault::Parameters)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let nobody = argon2.hash_password(b"nobody has this one").map_err(HashFault::Hash)?.to_string();
        Ok(Self { argon2, permits: Arc::new(Semaphore::new(at_once.max(1))), nobody: nobody.into() })
    }

    /// The hash to store, in PHC text form with its salt and parameters.
    pub async fn hash(&self, password: &str) -> Result<String, HashFault> {
        let password = password.to_owned();
        self.run(move |argon2| {
            Ok(argon2.hash_password(password.as_bytes()).map_err(HashFault::Hash)?.to_string())
        })
        .await
    }

    /// Whether the password fits the stored hash. Without a hash it takes as long and is never right.
    pub async fn verify(&self, password: &str, stored: Option<&str>) -> Result<bool, HashFault> {
        if password.len() > LONGEST {
            return Ok(false);
        }
        let password = password.to_owned();
        let exists = stored.is_some();
        let stored = stored.unwrap_or(&self.nobody).to_owned();
        self.run(move |argon2| {
            let hash = PasswordHash::new(&stored).map_err(HashFault::Stored)?;
            Ok(argon2.verify_password(password.as_bytes(), &hash).is_ok() && exists)
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Argon2<'static>) -> Result<T, HashFault> + Send + 'static,
    ) -> Result<T, HashFault> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| HashFault::Thread)?;
        let argon2 = self.argon2.clone();
        tokio::task::spawn_blocking(move || {
            let _until_done = permit;
            work(&argon2)
        })
        .await
        .map_err(|_| HashFault::Thread)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_long_and_common_passwords_are_refused() {
        assert_eq!(check("1234567", "Ada"), Err(BadPassword::Short));
        assert_eq!(check(&"ab".repeat(129), "Ada"), Err(BadPassword::Long));
        for common in ["Password1", "aaaaaaaa", "QWERTYUIOP", "12345678"] {
            assert_eq!(check(common, "Ada"), Err(BadPassword::Common), "{common}");
        }
        assert_eq!(check("Lovelace-Ada", "lovelace ada"), Err(BadPassword::Common));
        assert_eq!(check("four kings, one throne", "Ada"), Ok(()));
        assert_eq!(check("пароль-ещё", "Ada"), Ok(()));
    }

    #[tokio::test]
    async fn a_hash_knows_its_password_and_nothing_else() {
        let hasher = Hasher::new(Cost { memory: 64, passes: 1 }, 1).expect("sensible costs");
        let hash = hasher.hash("four kings").await.expect("hashed");
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert_ne!(hash, hasher.hash("four kings").await.expect("hashed"), "each has its own salt");
        assert!(hasher.verify("four kings", Some(&hash)).await.expect("checked"));
        assert!(!hasher.verify("four king", Some(&hash)).await.expect("checked"));
        assert!(!hasher.verify("nobody has this one", None).await.expect("checked"));
    }
}
