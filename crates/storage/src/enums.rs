//! Closed sets as the database writes them: each value is the snake case text of its name.

use std::str::FromStr;

use kingscross_protocol::{AuditAction, Role};

/// The database holds a text that names no value of a set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a {1}")]
pub(crate) struct EnumError(String, &'static str);

/// A closed set with a text for each value.
pub(crate) trait TextEnum: FromStr {
    /// What a value is, for errors.
    const WHAT: &'static str;

    /// Reads a column.
    fn decode(text: &str) -> sqlx::Result<Self> {
        text.parse().map_err(|_| sqlx::Error::Decode(EnumError(text.to_owned(), Self::WHAT).into()))
    }
}

impl TextEnum for Role {
    const WHAT: &'static str = "role";
}

impl TextEnum for AuditAction {
    const WHAT: &'static str = "audit action";
}

macro_rules! text_enum {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$of:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::EnumString, strum::IntoStaticStr,
        )]
        #[strum(serialize_all = "snake_case")]
        pub enum $name {
            $($(#[$of])* $variant),*
        }

        impl $name {
            /// The text in the database.
            pub fn as_str(self) -> &'static str {
                self.into()
            }
        }

        impl TextEnum for $name {
            const WHAT: &'static str = $what;
        }
    };
}

text_enum! {
    /// What kind of player a user is.
    UserKind, "kind of user" {
        /// Known by a cookie alone.
        Guest,
        /// Has a name of its own and a password.
        Account,
        /// Plays by program.
        Bot,
    }
}

text_enum! {
    /// How far a game is.
    GameStatus, "status of a game" {
        /// Being played.
        Running,
        /// Has a result.
        Finished,
        /// Ended without a result; rates nobody.
        Aborted,
    }
}

text_enum! {
    /// How a game ended for one player.
    PlayerResult, "result" {
        /// First place, alone.
        Win,
        /// First place, shared.
        Draw,
        /// Any other place.
        Loss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_text_is_named_in_the_error() {
        assert_eq!(Role::decode("admin").expect("a role"), Role::Admin);
        assert_eq!(AuditAction::decode("mark_bot").expect("an action"), AuditAction::MarkBot);
        let error = GameStatus::decode("paused").expect_err("unknown").to_string();
        assert!(error.contains("`paused` is not a status of a game"), "{error}");
    }
}
