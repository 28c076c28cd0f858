//! Who is out: players who deleted their account or were banned while the server runs. What they asked for before must
//! not come about afterwards, so whoever gives out seats asks here.

use std::collections::HashMap;
use std::sync::Mutex;

use kingscross_protocol::UserId;

/// The name under which the games of deleted players stay.
pub(crate) const DELETED: &str = "deleted player";

/// Users who get no seat or ticket any more.
#[derive(Default)]
pub struct Excluded {
    // Asked by every start of a game, ticket and lobby seat; never held across an await.
    users: Mutex<HashMap<UserId, Exclusion>>,
}

/// Why a user is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exclusion {
    /// Banned; the ban may be lifted.
    Banned,
    /// Deleted, for good.
    Deleted,
}

impl Excluded {
    /// Whether this user is out.
    pub fn has(&self, user: UserId) -> bool {
        self.users.lock().expect("no panic while held").contains_key(&user)
    }

    /// Whether this user has deleted the account.
    pub fn is_deleted(&self, user: UserId) -> bool {
        self.users.lock().expect("no panic while held").get(&user) == Some(&Exclusion::Deleted)
    }

    /// A ban was lifted; who is deleted stays out.
    pub fn lift(&self, user: UserId) {
        self.users
            .lock()
            .expect("no panic while held")
            .retain(|&out, why| out != user || *why == Exclusion::Deleted);
    }

    pub(crate) fn add(&self, user: UserId, why: Exclusion) {
        self.users.lock().expect("no panic while held").insert(user, why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ban_is_lifted_and_a_deletion_is_not() {
        let (excluded, banned, deleted) = (Excluded::default(), UserId::fresh(), UserId::fresh());
        excluded.add(banned, Exclusion::Banned);
        excluded.add(deleted, Exclusion::Deleted);
        assert!(excluded.has(banned) && !excluded.is_deleted(banned));
        excluded.lift(banned);
        excluded.lift(deleted);
        assert!(!excluded.has(banned) && excluded.is_deleted(deleted));
    }
}
