//! Who has come or gone and has not been looked at yet. However many do at once, each is noted once, nothing of it is
//! lost, and no question has to wait behind it.

use std::collections::BTreeSet;
use std::sync::Mutex;

use kingscross_protocol::UserId;
use tokio::sync::Notify;

/// Notices for one task.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    // Filled by sockets, emptied by the task; never held across an await.
    users: Mutex<BTreeSet<UserId>>,
    wake: Notify,
}

impl Notices {
    /// A user came or went.
    pub(crate) fn note(&self, user: UserId) {
        self.users.lock().expect("no panic while held").insert(user);
        self.wake.notify_one();
    }

    /// Waits until there may be some.
    pub(crate) async fn noted(&self) {
        self.wake.notified().await;
    }

    /// All that there are.
    pub(crate) fn take(&self) -> BTreeSet<UserId> {
        std::mem::take(&mut *self.users.lock().expect("no panic while held"))
    }
}
