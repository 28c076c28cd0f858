//! Why the queue refuses, and as what it is answered.

use kingscross_protocol::ErrorCode;

use crate::error::{ApiError, sentence};

/// Why the queue refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no such pool.
    #[error("there is no such pool")]
    UnknownPool,
    /// No pool is named.
    #[error("name at least one pool")]
    NoPool,
    /// The player is asked to confirm a match, which was found by the pools accepted so far.
    #[error("a match is found for you; answer that first")]
    Matched,
    /// The player has no ticket.
    #[error("you are not queued")]
    NotQueued,
    /// There is no such match, or it has passed.
    #[error("there is no such ready check, or it has passed")]
    NoMatch,
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal {
            Refusal::UnknownPool => ErrorCode::UnknownPool,
            Refusal::NoPool => ErrorCode::BadRequest,
            Refusal::Matched => ErrorCode::Conflict,
            Refusal::NotQueued => ErrorCode::NotQueued,
            Refusal::NoMatch => ErrorCode::NoMatch,
        };
        Self::new(code, sentence(&refusal))
    }
}
