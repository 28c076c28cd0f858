//! How the rest of the server speaks to the queue.

use std::sync::Arc;

use kingscross_protocol::{PoolView, UserId, UserKind};
use kingscross_storage::Fault;
use tokio::sync::{mpsc, oneshot};

use super::task::{Message, Task};
use crate::app::App;
use crate::sockets::Notices;
use crate::sockets::Socket;
use crate::table::Reply;

/// Requests that may wait for the queue's task; more are refused as `unavailable`.
const BACKLOG: usize = 4096;

/// Who looks for opponents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueUser {
    /// The id.
    pub id: UserId,
    /// The name shown.
    pub name: String,
    /// Guests and bots play casual games.
    pub kind: UserKind,
}

/// A handle to the queue's task. Requests are answered through their reply in any case.
#[derive(Clone)]
pub struct Matchmaking {
    inbox: mpsc::Sender<Message>,
    pub(super) notices: Arc<Notices>,
}

/// What the task reads; made together with the handle.
pub struct MatchmakingInbox(mpsc::Receiver<Message>);

impl Matchmaking {
    /// The handle, and what [`start`] needs.
    pub fn new() -> (Self, MatchmakingInbox) {
        let (inbox, messages) = mpsc::channel(BACKLOG);
        (Self { inbox, notices: Arc::default() }, MatchmakingInbox(messages))
    }

    /// Looks for opponents.
    pub fn join(&self, user: QueueUser, pools: Vec<String>, bots: bool, reply: Reply) {
        self.put(Message::Join { user, pools, bots, reply });
    }

    /// Stops looking; wins over a match that is not yet a game.
    pub fn leave(&self, user: UserId, reply: Reply) {
        self.put(Message::Leave { user, reply });
    }

    /// Confirms a match by its name.
    pub fn confirm(&self, user: UserId, name: String, reply: Reply) {
        self.put(Message::Confirm { user, name, reply });
    }

    /// A player came or went; the queue looks for itself.
    pub fn presence_changed(&self, user: UserId) {
        self.notices.note(user);
    }

    /// A player plays a game now, however it began, and waits for no other.
    pub fn playing(&self, user: UserId) {
        self.put(Message::Playing { user });
    }

    /// Tells a socket that has just opened about its player's place.
    pub fn greet(&self, socket: Arc<Socket>) {
        self.put(Message::Greet { socket });
    }

    /// Removes a user who was banned or deleted; returns when the ticket is void.
    pub async fn expel(&self, user: UserId) {
        let (done, freed) = oneshot::channel();
        // When the task has ended, the server stops.
        if self.inbox.send(Message::Expel { user, done }).await.is_ok() {
            let _ = freed.await;
        }
    }

    /// Every pool with its players; none when the queue is busy or the server stops.
    pub async fn pools(&self) -> Option<Vec<PoolView>> {
        let (reply, answer) = oneshot::channel();
        self.put(Message::Pools { reply });
        answer.await.ok()
    }

    fn put(&self, message: Message) {
        // Dropping a message answers its sender.
        let _ = self.inbox.try_send(message);
    }
}

/// Loads the stored tickets and starts the task.
pub async fn start(app: &App, inbox: MatchmakingInbox) -> Result<(), Fault> {
    let task = Task::restore(app.clone(), inbox.0).await?;
    app.tracker.spawn(task.run());
    Ok(())
}
