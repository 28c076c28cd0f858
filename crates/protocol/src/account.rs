//! Bodies about oneself: accounts, sessions, API tokens, conduct.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{GameId, Timestamp, UserId, UserKind};

/// Who one is oneself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Me {
    /// The id.
    pub id: UserId,
    /// The name shown.
    pub name: String,
    /// Guest, account or bot.
    pub kind: UserKind,
    /// What the user may do to others.
    pub role: Role,
    /// When one was first seen.
    pub created: Timestamp,
    /// What this session or token may do.
    pub scopes: Vec<Scope>,
}

/// What a user may do to others. Each role includes those before it.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    ToSchema,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// Nothing.
    Player,
    /// Ban players, end games, deal with reports.
    Moderator,
    /// Annul games and read the audit log as well.
    Admin,
}

/// What a session or token may do.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Read what its owner may read.
    Read,
    /// Play, queue, enter lobbies, chat.
    Play,
    /// Change the account itself; sessions only, never given to a token.
    Manage,
}

/// What a token may be made for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TokenScope {
    /// Read what its owner may read.
    Read,
    /// Play, queue, enter lobbies, chat.
    Play,
}

impl From<TokenScope> for Scope {
    fn from(scope: TokenScope) -> Self {
        match scope {
            TokenScope::Read => Self::Read,
            TokenScope::Play => Self::Play,
        }
    }
}

/// A name and a password: to make an account or to sign in.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// The name.
    #[schema(example = "Ada Lovelace", min_length = 3, max_length = 20)]
    pub name: String,
    /// The password.
    #[schema(example = "four kings, one throne", min_length = 8, max_length = 256)]
    pub password: String,
}

/// A change of password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordChange {
    /// The password so far.
    pub current: String,
    /// The new one.
    #[schema(min_length = 8, max_length = 256)]
    pub new: String,
}

/// The wish to delete one's account.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Deletion {
    /// The password; guests have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
}

macro_rules! hide_secrets {
    ($($name:ident),*) => {
        $(impl std::fmt::Debug for $name {
            /// Shows nothing: it holds a password.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        })*
    };
}
hide_secrets!(Credentials, PasswordChange, Deletion, TokenMade);

/// A session as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct SessionView {
    /// Names it for ending it.
    pub id: String,
    /// The browser or program it was begun with.
    pub label: String,
    /// When it began.
    pub created: Timestamp,
    /// When it was last used, within the hour.
    pub last_seen: Timestamp,
    /// Whether it is the one that asks.
    pub current: bool,
}

/// A wish for an API token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// What its owner calls it.
    #[schema(example = "my bot", min_length = 1, max_length = 40)]
    pub name: String,
    /// What it may do: `read`, `play` or both.
    pub scopes: Vec<TokenScope>,
}

/// An API token as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct TokenView {
    /// Names it for revoking it.
    pub id: Uuid,
    /// What its owner calls it.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// When it was made.
    pub created: Timestamp,
    /// When it was last used, within the minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<Timestamp>,
}

/// A token just made: the only time its secret is told.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct TokenMade {
    /// What is known of it.
    pub token: TokenView,
    /// To be sent as `Authorization: Bearer …`.
    pub secret: String,
}

/// A complaint about a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReport {
    /// About whom.
    pub user: UserId,
    /// In which game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// What for.
    pub reason: ReportReason,
    /// In one's own words, at most 500 characters.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub note: String,
}

/// What a player is reported for.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    ToSchema,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReportReason {
    /// Insults, threats, harassment.
    Abuse,
    /// Help of a program or of another person.
    Cheating,
    /// Playing for another player in a game for everyone.
    Teaming,
    /// Leaving or stalling games.
    Stalling,
    /// A name that offends or deceives.
    Name,
    /// Something else.
    Other,
}
