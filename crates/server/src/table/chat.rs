//! Keeping what is said at tables beyond a restart: one queue for all, so that a slow database holds up no table and
//! gathers no tasks.

use kingscross_protocol::ChatLine;
use kingscross_storage as storage;
use tokio::sync::mpsc;

use crate::app::App;

/// How many lines may wait. While the database does not answer, further ones are dropped: losing chat is harmless.
const QUEUE: usize = 1024;

/// The way to the task that stores lines.
pub struct Chat {
    lines: mpsc::Sender<ChatLine>,
}

/// What the task begins with; made with the handle.
pub struct ChatInbox(mpsc::Receiver<ChatLine>);

impl Chat {
    /// The handle, and what its task begins with.
    pub fn new() -> (Self, ChatInbox) {
        let (lines, inbox) = mpsc::channel(QUEUE);
        (Self { lines }, ChatInbox(inbox))
    }

    /// Keeps a line, if there is room for it.
    pub(super) fn keep(&self, line: ChatLine) {
        if let Err(error) = self.lines.try_send(line) {
            tracing::debug!(%error, "a chat line was not kept");
        }
    }
}

/// Stores lines in the order in which they were said, until the server stops; what waits then is stored, too.
pub async fn run(app: App, mut inbox: ChatInbox) {
    loop {
        let line = tokio::select! {
            biased;
            line = inbox.0.recv() => line,
            () = app.stop.cancelled() => None,
        };
        let Some(line) = line else { return };
        let body = serde_json::to_string(&line).expect("plain data");
        let stored = storage::ChatLine { user: Some(line.user), at: line.at, body };
        if let Err(error) = app.store.append_chat(line.game, &stored).await {
            tracing::warn!(game = %line.game, %error, "a chat line was not kept");
        }
    }
}

#[cfg(test)]
mod tests {
    use kingscross_protocol::{GameId, Saying, Timestamp, UserId};

    use super::*;

    #[test]
    fn what_waits_for_the_database_is_bounded() {
        let (chat, inbox) = Chat::new();
        let line = ChatLine {
            game: GameId::fresh(),
            user: UserId::fresh(),
            name: "Ada".to_owned(),
            seat: None,
            at: Timestamp(0),
            what: Saying::Phrase("good_luck".to_owned()),
        };
        (0..3 * QUEUE).for_each(|_| chat.keep(line.clone()));
        assert_eq!(inbox.0.len(), QUEUE);
    }
}
