//! The few words of the schema that storage itself must understand.

use std::fmt;
use std::str::FromStr;

/// A word that stands for none of the values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no {1}")]
pub struct EnumError(String, &'static str);

impl EnumError {
    pub(crate) fn new(word: &str, what: &'static str) -> Self {
        Self(word.to_owned(), what)
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$of:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$of])* $variant),*
        }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word in the database.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),*
                }
            }

            /// Reads a column.
            pub(crate) fn decode(word: &str) -> sqlx::Result<Self> {
                word.parse().map_err(|error: EnumError| sqlx::Error::Decode(error.into()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = EnumError;
            fn from_str(word: &str) -> Result<Self, EnumError> {
                match word {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(EnumError(word.to_owned(), $what)),
                }
            }
        }
    };
}

words! {
    /// What kind of player a user is.
    UserKind, "kind of user" {
        /// Known by a cookie alone.
        Guest = "guest",
        /// Has a name of its own and a password.
        Account = "account",
        /// Plays by program.
        Bot = "bot",
    }
}

words! {
    /// How far a game is.
    GameStatus, "status of a game" {
        /// Being played.
        Running = "running",
        /// Has a result.
        Finished = "finished",
        /// Ended without a result; rates nobody.
        Aborted = "aborted",
    }
}

words! {
    /// How a game ended for one player.
    PlayerResult, "result" {
        /// First place, alone.
        Win = "win",
        /// First place, shared.
        Draw = "draw",
        /// Any other place.
        Loss = "loss",
    }
}
