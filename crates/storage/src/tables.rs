//! Every table as data, for what treats all alike: export and import.

/// How a column is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Uuid,
    Bytes,
    Text,
    /// 32 bits.
    Int,
    /// 64 bits.
    Long,
    Real,
    Bool,
}

/// A table, its columns, and the columns that put its rows in the same order on both databases.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [(&'static str, Kind)],
    pub(crate) order: &'static [&'static str],
}

impl Table {
    pub(crate) fn kind(&self, column: &str) -> Option<(&'static str, Kind)> {
        self.columns.iter().copied().find(|(name, _)| *name == column)
    }

    /// Whether its rows are numbered by the database.
    pub(crate) fn is_numbered(&self) -> bool {
        self.columns[0] == ("id", Kind::Long)
    }
}

use Kind::{Bool, Bytes, Int, Long, Real, Text, Uuid};

/// All tables; a table follows those that it refers to.
pub(crate) const TABLES: &[Table] = &[
    Table {
        name: "users",
        columns: &[
            ("id", Uuid),
            ("name_key", Text),
            ("name", Text),
            ("kind", Text),
            ("password_hash", Text),
            ("role", Text),
            ("settings", Text),
            ("created_at", Long),
            ("banned_at", Long),
            ("deleted_at", Long),
        ],
        order: &["id"],
    },
    Table {
        name: "sessions",
        columns: &[
            ("token_hash", Bytes),
            ("user_id", Uuid),
            ("label", Text),
            ("created_at", Long),
            ("last_seen_at", Long),
            ("expires_at", Long),
        ],
        order: &["token_hash"],
    },
    Table {
        name: "devices",
        columns: &[
            ("user_id", Uuid),
            ("token_hash", Bytes),
            ("network_hash", Bytes),
            ("created_at", Long),
            ("last_seen_at", Long),
        ],
        order: &["user_id", "token_hash"],
    },
    Table {
        name: "tokens",
        columns: &[
            ("id", Uuid),
            ("token_hash", Bytes),
            ("user_id", Uuid),
            ("name", Text),
            ("scopes", Text),
            ("created_at", Long),
            ("last_used_at", Long),
            ("revoked_at", Long),
        ],
        order: &["id"],
    },
    Table {
        name: "games",
        columns: &[
            ("id", Uuid),
            ("variant", Text),
            ("status", Text),
            ("time_control", Text),
            ("time_control_json", Text),
            ("is_rated", Bool),
            ("created_at", Long),
            ("started_at", Long),
            ("ended_at", Long),
            ("reason", Text),
            ("result", Text),
            ("ply_count", Int),
            ("setup", Text),
            ("lobby_id", Uuid),
            ("rematch_of", Uuid),
            ("statistics", Text),
            ("annulled_at", Long),
            ("hidden_until", Long),
            ("follow_up_pending", Bool),
        ],
        order: &["id"],
    },
    Table {
        name: "game_players",
        columns: &[
            ("game_id", Uuid),
            ("seat", Text),
            ("user_id", Uuid),
            ("name", Text),
            ("is_bot", Bool),
            ("bot_level", Text),
            ("placement", Int),
            ("points", Real),
            ("result", Text),
            ("rating_before", Real),
            ("rating_after", Real),
            ("variant", Text),
            ("status", Text),
            ("reason", Text),
            ("is_rated", Bool),
            ("time_control", Text),
            ("created_at", Long),
        ],
        order: &["game_id", "seat"],
    },
    Table {
        name: "game_events",
        columns: &[
            ("id", Long),
            ("game_id", Uuid),
            ("seq", Int),
            ("user_id", Uuid),
            ("command_id", Uuid),
            ("at", Long),
            ("hash", Long),
            ("body", Text),
        ],
        order: &["id"],
    },
    Table {
        name: "chat_lines",
        columns: &[("id", Long), ("game_id", Uuid), ("user_id", Uuid), ("at", Long), ("body", Text)],
        order: &["id"],
    },
    Table {
        name: "lobbies",
        columns: &[
            ("id", Uuid),
            ("key", Text),
            ("is_public", Bool),
            ("variant", Text),
            ("time_control", Text),
            ("is_rated", Bool),
            ("host_id", Uuid),
            ("created_at", Long),
            ("snapshot", Text),
        ],
        order: &["id"],
    },
    Table {
        name: "lobby_seats",
        columns: &[("lobby_id", Uuid), ("seat", Text), ("user_id", Uuid), ("bot_level", Text)],
        order: &["lobby_id", "seat"],
    },
    Table {
        name: "tickets",
        columns: &[("user_id", Uuid), ("id", Uuid), ("pool", Text), ("created_at", Long), ("body", Text)],
        order: &["user_id"],
    },
    Table {
        name: "dodges",
        columns: &[("user_id", Uuid), ("count", Int), ("last_at", Long)],
        order: &["user_id"],
    },
    Table {
        name: "ratings",
        columns: &[
            ("user_id", Uuid),
            ("pool", Text),
            ("rating", Real),
            ("deviation", Real),
            ("volatility", Real),
            ("games", Int),
            ("last_played_at", Long),
            ("parameters", Text),
        ],
        order: &["user_id", "pool"],
    },
    Table {
        name: "rating_changes",
        columns: &[
            ("id", Long),
            ("game_id", Uuid),
            ("user_id", Uuid),
            ("pool", Text),
            ("number", Int),
            ("at", Long),
            ("before_rating", Real),
            ("before_deviation", Real),
            ("before_volatility", Real),
            ("after_rating", Real),
            ("after_deviation", Real),
            ("after_volatility", Real),
            ("before_played_at", Long),
            ("parameters", Text),
            ("pairs", Text),
            ("annulled_at", Long),
        ],
        order: &["id"],
    },
    Table {
        name: "mutes",
        columns: &[("user_id", Uuid), ("muted_id", Uuid), ("created_at", Long)],
        order: &["user_id", "muted_id"],
    },
    Table {
        name: "blocks",
        columns: &[("user_id", Uuid), ("blocked_id", Uuid), ("created_at", Long)],
        order: &["user_id", "blocked_id"],
    },
    Table {
        name: "reports",
        columns: &[
            ("id", Uuid),
            ("reporter_id", Uuid),
            ("reported_id", Uuid),
            ("game_id", Uuid),
            ("reason", Text),
            ("note", Text),
            ("created_at", Long),
            ("resolved_at", Long),
            ("resolved_by", Uuid),
            ("resolution", Text),
        ],
        order: &["id"],
    },
    Table {
        name: "audit",
        columns: &[
            ("id", Long),
            ("at", Long),
            ("actor_id", Uuid),
            ("action", Text),
            ("subject", Text),
            ("detail", Text),
        ],
        order: &["id"],
    },
    // Empty but inside a probe's own transaction.
    Table { name: "write_probes", columns: &[("id", Int), ("body", Bytes)], order: &["id"] },
];
