//! Why the queue refuses.

use kingscross_protocol::{ErrorBody, ErrorCode};
use kingscross_storage::Fault;

/// A request that the queue refuses. Its text is the sentence that the client reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// A pool is named that does not exist. These do.
    #[error("There is no such pool; there are {}.", .0.join(", "))]
    UnknownPool(Vec<String>),
    /// No pool is named.
    #[error("Name at least one pool.")]
    NoPool,
    /// The player is asked to confirm a match, which was found by the pools accepted so far.
    #[error("You have been matched; answer that first.")]
    Matched,
    /// The player has no ticket.
    #[error("You are not queued.")]
    NotQueued,
    /// There is no such match, or it has passed.
    #[error("There is no such ready check, or it has passed.")]
    NoMatch,
    /// The account was deleted or banned.
    #[error("This account was deleted or banned.")]
    Excluded,
    /// The player is playing.
    #[error("You are playing; finish that game first.")]
    Playing,
    /// The account has left matches, or rated games before they began, and must wait.
    #[error(
        "You have left {dodges} matches or rated games before they began; you can look for opponents again in {}.",
        duration_text(*wait)
    )]
    Dodged {
        /// How many it has left.
        dodges: u32,
        /// How long it must wait, in milliseconds.
        wait: u64,
    },
    /// The database does not answer.
    #[error("The database does not answer; nothing was done.")]
    Unavailable,
    /// The server failed.
    #[error("The server failed; the fault has been logged.")]
    Internal,
}

impl Rejection {
    /// The stable code of the protocol.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::UnknownPool(_) => ErrorCode::UnknownPool,
            Self::NoPool => ErrorCode::BadRequest,
            Self::Matched | Self::Playing => ErrorCode::Conflict,
            Self::NotQueued => ErrorCode::NotQueued,
            Self::NoMatch => ErrorCode::NoMatch,
            Self::Excluded => ErrorCode::Forbidden,
            Self::Dodged { .. } => ErrorCode::Dodged,
            Self::Unavailable => ErrorCode::Unavailable,
            Self::Internal => ErrorCode::Internal,
        }
    }
}

impl From<Fault> for Rejection {
    /// The fault is logged here: the client does not see it.
    fn from(fault: Fault) -> Self {
        if fault.is_outage() {
            tracing::warn!(%fault, "the queue cannot use the database");
            return Self::Unavailable;
        }
        tracing::error!(%fault, "the queue failed");
        Self::Internal
    }
}

impl From<Rejection> for ErrorBody {
    fn from(rejection: Rejection) -> Self {
        let body = Self::new(rejection.code(), rejection.to_string());
        match rejection {
            Rejection::Dodged { wait, .. } => body.until(wait),
            _ => body,
        }
    }
}

/// A duration as a sentence has it, rounded up to seconds: `4 min 30 s`.
fn duration_text(millis: u64) -> String {
    let seconds = millis.div_ceil(1000);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_pool_is_refused_with_those_that_there_are() {
        let known = vec!["crossfire/5+3".to_owned(), "cross-match/10+5".to_owned()];
        let body = ErrorBody::from(Rejection::UnknownPool(known));
        assert_eq!(body.code, ErrorCode::UnknownPool);
        assert_eq!(body.message, "There is no such pool; there are crossfire/5+3, cross-match/10+5.");
    }

    #[test]
    fn whoever_has_left_matches_learns_when_to_come_back() {
        let body = ErrorBody::from(Rejection::Dodged { dodges: 2, wait: 270_000 });
        assert_eq!(body.retry_after, Some(270_000));
        assert!(body.message.ends_with("again in 4 min 30 s."), "{}", body.message);
    }
}
