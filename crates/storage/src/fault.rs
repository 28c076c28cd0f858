//! What can go wrong with any statement, and how it is told apart.

/// The database failed or could not be reached. Nothing the caller asked for is to blame.
#[derive(Debug, thiserror::Error)]
#[error("the database failed: {0}")]
pub struct Fault(#[from] sqlx::Error);

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
}

pub(crate) fn kind(error: &sqlx::Error) -> FaultKind {
    let Some(database) = error.as_database_error() else {
        return match error {
            sqlx::Error::Encode(_) => FaultKind::Invalid,
            _ => FaultKind::Unavailable,
        };
    };
    if database.is_unique_violation() {
        return FaultKind::Duplicate;
    }
    let code = database.code().unwrap_or_default();
    if database.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_some() {
        // The low byte is the primary code: SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH.
        return match code.parse::<i32>().unwrap_or(0) & 0xff {
            18..=20 => FaultKind::Invalid,
            _ => FaultKind::Unavailable,
        };
    }
    // PostgreSQL's classes: data exception, integrity, transaction rollback (deadlock, serialization).
    match code.get(..2) {
        Some("22" | "23" | "54") => FaultKind::Invalid,
        Some("40") => FaultKind::Contended,
        _ => FaultKind::Unavailable,
    }
}

/// Whether this is a duplicate, told by its kind and not by the name of a constraint.
pub(crate) fn is_duplicate(error: &sqlx::Error) -> bool {
    kind(error) == FaultKind::Duplicate
}
