//! Bodies for moderators and administrators.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{GameId, Timestamp, UserId, UserView};

/// A report that waits for a moderator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ReportView {
    /// Names it.
    pub id: Uuid,
    /// Who complains.
    pub reporter: UserView,
    /// About whom.
    pub reported: UserView,
    /// In which game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// What for.
    pub reason: String,
    /// In the reporter's own words.
    pub note: String,
    /// When.
    pub at: Timestamp,
    /// What was done, once it is dealt with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
}

/// What was done about a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Resolution {
    /// In a few words, for the audit log.
    #[schema(min_length = 1, max_length = 500)]
    pub resolution: String,
}

/// Why an administrator does something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// For the audit log.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub why: String,
}

/// What an administrator did, as the audit log names it.
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
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AuditAction {
    /// Banned a player.
    Ban,
    /// Lifted a ban.
    Unban,
    /// Gave a player a role.
    Grant,
    /// Marked an account as a program.
    MarkBot,
    /// Ended a running game.
    End,
    /// Annulled a game.
    Annul,
    /// Let an annulled game count again.
    Restore,
    /// Computed the ratings of a pool anew.
    RebuildRatings,
    /// Closed a report.
    Resolve,
}

/// A line of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct AuditView {
    /// When.
    pub at: Timestamp,
    /// Who; none for the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<UserId>,
    /// What was done.
    pub action: AuditAction,
    /// To what: the id of a player, a game or a report.
    pub subject: String,
    /// More, as an object.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    #[schema(value_type = Object)]
    pub detail: serde_json::Value,
}
