//! The sending side of one WebSocket: a bounded queue that any task may fill and only the socket's task empties.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::ws::Utf8Bytes;
use kingscross_protocol::{GameId, ServerMessage, UserId, close};
use tokio::sync::Notify;

use crate::auth::SessionKey;
use crate::config::WebSocket;

/// A connected socket, as everyone but its own task sees it.
#[derive(Debug)]
pub struct Socket {
    /// Unique in this process.
    pub id: u64,
    /// Whose it is.
    pub user: UserId,
    /// The session it was opened with.
    pub session: SessionKey,
    // Filled by tables, lobbies and the hub, emptied by the socket's task; never held across an await.
    queue: Mutex<Queue>,
    wake: Notify,
    lag: AtomicU32,
    is_streaming: AtomicBool,
    wants_ping: AtomicBool,
    // Read whenever someone speaks, changed by its user; never held across an await.
    muted: Mutex<Vec<UserId>>,
    // What it has asked tables to be shown and has not been shown yet; never held across an await.
    looking: Mutex<Vec<Sight>>,
    max_messages: usize,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Utf8Bytes>,
    bytes: usize,
    /// The length of a snapshot that waits: it may be larger than all else together.
    snapshot: Option<usize>,
    closing: Option<u16>,
}

/// Places in the queue that are kept for the next messages.
const KEPT: usize = 4;

/// What the socket's task has to do next.
#[derive(Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// Write this.
    Message(Utf8Bytes),
    /// Close with this code; nothing more is written.
    Close(u16),
    /// Nothing now.
    Empty,
}

impl Socket {
    /// A socket with an empty queue.
    pub fn new(id: u64, user: UserId, session: SessionKey, config: &WebSocket) -> Self {
        Self {
            id,
            user,
            session,
            queue: Mutex::default(),
            wake: Notify::new(),
            lag: AtomicU32::new(0),
            is_streaming: AtomicBool::new(false),
            wants_ping: AtomicBool::new(false),
            muted: Mutex::default(),
            looking: Mutex::default(),
            max_messages: config.queue_messages,
            max_bytes: config.queue_bytes,
        }
    }

    /// Queues a message for this socket alone.
    pub fn send(&self, message: &ServerMessage) {
        self.push(encode(message));
    }

    /// Queues bytes that may be shared with other sockets. A full queue closes the socket: its client resumes
    /// from the last event it has, and nobody waits for it.
    pub fn push(&self, text: Utf8Bytes) {
        let mut queue = self.queue.lock().expect("no panic while held");
        if queue.closing.is_some() {
            return;
        }
        if queue.messages.len() >= self.max_messages || queue.bytes + text.len() > self.max_bytes {
            *queue = Queue { closing: Some(close::SLOW), ..Queue::default() };
        } else {
            queue.bytes += text.len();
            queue.messages.push_back(text);
        }
        drop(queue);
        self.wake.notify_one();
    }

    /// Queues a snapshot. The one of a long game is larger than what may wait otherwise, so one of them is let in
    /// whatever its length; a second one that waits at the same time counts as any message.
    pub fn push_snapshot(&self, text: Utf8Bytes) {
        let mut queue = self.queue.lock().expect("no panic while held");
        if queue.closing.is_none() && queue.snapshot.is_none() && queue.messages.len() < self.max_messages {
            queue.snapshot = Some(text.len());
            queue.messages.push_back(text);
            drop(queue);
            self.wake.notify_one();
        } else {
            drop(queue);
            self.push(text);
        }
    }

    /// Closes the socket after what is queued already; the first code given counts.
    pub fn close(&self, code: u16) {
        self.queue.lock().expect("no panic while held").closing.get_or_insert(code);
        self.wake.notify_one();
    }

    /// Takes what is to be written next.
    pub fn take(&self) -> Outgoing {
        let mut queue = self.queue.lock().expect("no panic while held");
        match queue.messages.pop_front() {
            Some(text) => {
                if queue.snapshot == Some(text.len()) {
                    queue.snapshot = None;
                } else {
                    queue.bytes -= text.len();
                }
                if queue.messages.is_empty() && queue.messages.capacity() > KEPT {
                    // A burst must not leave an idle connection with its buffer.
                    queue.messages = VecDeque::new();
                }
                Outgoing::Message(text)
            }
            None => queue.closing.map_or(Outgoing::Empty, Outgoing::Close),
        }
    }

    /// How many messages, and how many bytes, wait to be written.
    pub fn waiting(&self) -> (usize, usize) {
        let queue = self.queue.lock().expect("no panic while held");
        (queue.messages.len(), queue.bytes + queue.snapshot.unwrap_or(0))
    }

    /// Lets the socket's task look around.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Waits until something may have been queued.
    pub async fn woken(&self) {
        self.wake.notified().await;
    }

    /// Whether the socket is about to be closed by the server.
    pub fn is_closing(&self) -> bool {
        self.queue.lock().expect("no panic while held").closing.is_some()
    }

    /// The round trip measured by the server's pings, in milliseconds.
    pub fn lag(&self) -> u32 {
        self.lag.load(Ordering::Relaxed)
    }

    /// Notes a measured round trip. A single slow pong moves the estimate by a quarter only.
    pub fn measured(&self, millis: u32) {
        let before = self.lag();
        let next = if before == 0 { millis } else { (before * 3 + millis) / 4 };
        self.lag.store(next, Ordering::Relaxed);
    }

    /// Asks the socket's task to measure the lag soon.
    pub fn ask_ping(&self) {
        self.wants_ping.store(true, Ordering::Relaxed);
        self.wake.notify_one();
    }

    /// Whether a measurement was asked for since the last call.
    pub fn take_ping(&self) -> bool {
        self.wants_ping.swap(false, Ordering::Relaxed)
    }

    /// Marks the socket as following all games of its user.
    pub fn stream(&self) {
        self.is_streaming.store(true, Ordering::Relaxed);
    }

    /// Hides or shows what a user says.
    pub fn mute(&self, user: UserId, is_muted: bool) {
        let mut muted = self.muted.lock().expect("no panic while held");
        muted.retain(|other| *other != user);
        if is_muted {
            muted.push(user);
        }
    }

    /// Whether what a user says is hidden here.
    pub fn has_muted(&self, user: UserId) -> bool {
        self.muted.lock().expect("no panic while held").contains(&user)
    }

    /// Asks for a sight of a game; none while the last one asked for is still to come. A snapshot costs a table more
    /// than the question costs its sender.
    pub fn look(self: &Arc<Self>, sight: Sight) -> Option<Look> {
        let mut looking = self.looking.lock().expect("no panic while held");
        if looking.contains(&sight) {
            return None;
        }
        looking.push(sight);
        Some(Look { socket: self.clone(), sight })
    }

    /// Whether it follows all games of its user.
    pub fn is_streaming(&self) -> bool {
        self.is_streaming.load(Ordering::Relaxed)
    }
}

/// What a socket may ask a table to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// What it has missed of a game.
    Game(GameId),
    /// A game of its user's own, with the messages for programs.
    Stream(GameId),
}

/// A sight that was asked for; it may be asked for again when this is dropped.
#[derive(Debug)]
pub struct Look {
    /// Who looks.
    pub socket: Arc<Socket>,
    sight: Sight,
}

impl Drop for Look {
    fn drop(&mut self) {
        self.socket.looking.lock().expect("no panic while held").retain(|sight| *sight != self.sight);
    }
}

/// A message as bytes that many sockets can share.
pub fn encode(message: &ServerMessage) -> Utf8Bytes {
    serde_json::to_string(message).expect("messages are plain data").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(messages: usize, bytes: usize) -> Socket {
        let mut config = crate::config::Config::defaults().websocket;
        config.queue_messages = messages;
        config.queue_bytes = bytes;
        Socket::new(1, UserId::fresh(), SessionKey([0; 32]), &config)
    }

    #[test]
    fn a_full_queue_closes_the_socket_instead_of_growing() {
        let socket = socket(2, 1000);
        for _ in 0..3 {
            socket.push("x".into());
        }
        assert_eq!(socket.take(), Outgoing::Close(close::SLOW));
        socket.push("late".into());
        assert_eq!(socket.take(), Outgoing::Close(close::SLOW));
    }

    #[test]
    fn bytes_count_too() {
        let socket = socket(100, 10);
        socket.push("12345".into());
        assert_eq!(socket.take(), Outgoing::Message("12345".into()));
        socket.push("12345678".into());
        socket.push("123".into());
        assert_eq!(socket.take(), Outgoing::Close(close::SLOW));
    }

    #[test]
    fn one_snapshot_may_be_larger_than_the_queue() {
        let socket = socket(10, 10);
        socket.push("ok".into());
        socket.push_snapshot("a snapshot of a very long game".into());
        socket.push("12345678".into());
        for text in ["ok", "a snapshot of a very long game", "12345678"] {
            assert_eq!(socket.take(), Outgoing::Message(text.into()));
        }
        socket.push_snapshot("a snapshot of a very long game".into());
        socket.push_snapshot("another one at the same time".into());
        assert_eq!(socket.take(), Outgoing::Close(close::SLOW));
    }

    #[test]
    fn what_was_queued_before_a_close_is_written_first() {
        let socket = socket(10, 1000);
        socket.push("stopping".into());
        socket.close(close::RESTART);
        socket.close(close::SLOW);
        assert_eq!(socket.take(), Outgoing::Message("stopping".into()));
        assert_eq!(socket.take(), Outgoing::Close(close::RESTART));
    }
}
