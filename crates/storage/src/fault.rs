//! What can go wrong with any statement, and how the kinds of fault are told apart.

use crate::files::Damage;

/// The database failed, could not be reached, or refused what it was given.
#[derive(Debug, thiserror::Error)]
#[error("the database failed: {0}")]
pub struct Fault(#[from] sqlx::Error);

impl Fault {
    /// Whether asking again later can help. What the database refuses for what it is, as a text that its encoding
    /// cannot hold or a statement that it does not know, it refuses again.
    pub fn is_outage(&self) -> bool {
        matches!(kind(&self.0), FaultKind::Unavailable | FaultKind::Contended)
    }
}

/// Why a statement failed, as far as the writer treats it differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// A row with this key is there already.
    Duplicate,
    /// What was asked breaks another rule of the schema or cannot be expressed; asking again cannot help.
    Invalid,
    /// Two transactions were in each other's way; asking again can help.
    Contended,
    /// Gone, full, locked, read-only or slow.
    Unavailable,
    /// The SQLite file does not hold the database any more; only a backup helps.
    Damaged,
}

pub(crate) fn kind(error: &sqlx::Error) -> FaultKind {
    let Some(database) = error.as_database_error() else {
        return match error {
            sqlx::Error::Encode(_)
            | sqlx::Error::Decode(_)
            | sqlx::Error::ColumnDecode { .. }
            | sqlx::Error::ColumnNotFound(_)
            | sqlx::Error::ColumnIndexOutOfBounds { .. }
            | sqlx::Error::TypeNotFound { .. }
            | sqlx::Error::RowNotFound
            | sqlx::Error::InvalidArgument(_) => FaultKind::Invalid,
            sqlx::Error::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<Damage>()) => {
                FaultKind::Damaged
            }
            _ => FaultKind::Unavailable,
        };
    };
    if database.is_unique_violation() {
        return FaultKind::Duplicate;
    }
    let code = database.code().unwrap_or_default();
    if database.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_some() {
        // The low byte is the primary code: SQLITE_CORRUPT, SQLITE_NOTADB; SQLITE_TOOBIG, SQLITE_CONSTRAINT,
        // SQLITE_MISMATCH, SQLITE_RANGE.
        return match code.parse::<i32>().unwrap_or(0) & 0xff {
            11 | 26 => FaultKind::Damaged,
            18..=20 | 25 => FaultKind::Invalid,
            _ => FaultKind::Unavailable,
        };
    }
    // PostgreSQL's classes: cardinality, data exception, integrity, syntax, limits of a statement; and transaction
    // rollback (deadlock, serialization).
    match code.get(..2) {
        // Rights come and go with the operator's changes, and nothing of what was asked is to blame.
        _ if code == "42501" => FaultKind::Unavailable,
        Some("21" | "22" | "23" | "42" | "54") => FaultKind::Invalid,
        Some("40") => FaultKind::Contended,
        _ => FaultKind::Unavailable,
    }
}

/// Whether this is a duplicate: by the kind of the error, not by the name of a constraint.
pub(crate) fn is_duplicate(error: &sqlx::Error) -> bool {
    kind(error) == FaultKind::Duplicate
}
