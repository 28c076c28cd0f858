//! Who is out: players who deleted their account or were banned while the server runs. What they asked for before must
//! not come about afterwards, so whoever gives out seats asks here.

use std::collections::HashMap;
use std::sync::Mutex;

use kingscross_protocol::UserId;

use crate::App;

/// The name under which the games of deleted players stay.
pub(crate) const DELETED: &str = "deleted player";

/// Users who get no seat or ticket any more.
#[derive(Default)]
pub struct Barred {
    // Asked by every start of a game, ticket and lobby seat; never held across an await.
    users: Mutex<HashMap<UserId, Why>>,
}

/// Why a user is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Banned; the ban may be lifted.
    Banned,
    /// Deleted, for good.
    Deleted,
}

impl Barred {
    /// Whether this user is out.
    pub fn has(&self, user: UserId) -> bool {
        self.users.lock().expect("no panic while held").contains_key(&user)
    }

    /// Whether this user has deleted the account.
    pub fn is_deleted(&self, user: UserId) -> bool {
        self.users.lock().expect("no panic while held").get(&user) == Some(&Why::Deleted)
    }

    /// A ban was lifted; who is deleted stays out.
    pub fn lift(&self, user: UserId) {
        self.users
            .lock()
            .expect("no panic while held")
            .retain(|&out, why| out != user || *why == Why::Deleted);
    }

    fn add(&self, user: UserId, why: Why) {
        self.users.lock().expect("no panic while held").insert(user, why);
    }
}

/// Puts a user out: when this returns, the sockets are closing, lobby seats and ticket are free, and the tables of one
/// who is deleted show the other name.
pub(crate) async fn put_out(app: &App, user: UserId, why: Why) {
    app.barred.add(user, why);
    app.hub.close_user(user);
    app.lobbies.put_out(user).await;
    app.queue.put_out(user).await;
    if why == Why::Deleted {
        app.tables.name_deleted(app, user).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ban_is_lifted_and_a_deletion_is_not() {
        let (barred, banned, deleted) = (Barred::default(), UserId::fresh(), UserId::fresh());
        barred.add(banned, Why::Banned);
        barred.add(deleted, Why::Deleted);
        assert!(barred.has(banned) && !barred.is_deleted(banned));
        barred.lift(banned);
        barred.lift(deleted);
        assert!(!barred.has(banned) && barred.is_deleted(deleted));
    }
}
