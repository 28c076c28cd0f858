//! Refusals of signing in, as answers.

use kingscross_protocol::ErrorCode;

use super::limits::TooMany;
use super::password::{BadPassword, HashFault};
use super::{BadName, BadOrigin, NoRandomness};
use crate::error::{ApiError, sentence};

impl From<NoRandomness> for ApiError {
    fn from(fault: NoRandomness) -> Self {
        Self::internal(&fault)
    }
}

impl From<HashFault> for ApiError {
    fn from(fault: HashFault) -> Self {
        Self::internal(&fault)
    }
}

impl From<BadOrigin> for ApiError {
    fn from(_: BadOrigin) -> Self {
        Self::new(ErrorCode::BadOrigin, "The request came from a page of another site.")
    }
}

impl From<TooMany> for ApiError {
    fn from(limit: TooMany) -> Self {
        let mut error = Self::new(ErrorCode::TooMany, sentence(&limit));
        error.retry_after = Some(limit.wait.as_secs() + 1);
        error
    }
}

impl From<BadName> for ApiError {
    fn from(refused: BadName) -> Self {
        Self::new(ErrorCode::BadName, sentence(&refused))
    }
}

impl From<BadPassword> for ApiError {
    fn from(refused: BadPassword) -> Self {
        Self::new(ErrorCode::BadPassword, sentence(&refused))
    }
}
