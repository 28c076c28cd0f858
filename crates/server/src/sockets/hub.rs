//! Which sockets each user has open: the way to a user, and the source of presence.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use kingscross_protocol::{ServerMessage, UserId, close};

use crate::auth::SessionKey;
use crate::config::WebSocket;
use crate::sockets::{Socket, encode};

/// All open sockets by user.
#[derive(Default)]
pub struct Hub {
    // Sockets come and go on their own tasks and anyone may send; never held across an await.
    sockets: Mutex<HashMap<UserId, Vec<Arc<Socket>>>>,
    next_id: AtomicU64,
    listeners: OnceLock<Vec<PresenceListener>>,
}

/// Told about a user who came or went; asks `is_connected` for the present state, as notices may overtake each other.
pub type PresenceListener = Box<dyn Fn(UserId) + Send + Sync>;

/// The user has as many sockets open as one may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManySockets;

impl Hub {
    /// Sets who hears about users coming and going. Only the first call counts.
    pub fn listen(&self, listeners: Vec<PresenceListener>) {
        // A second set of listeners would be a fault of this program's start, which happens once.
        let _ = self.listeners.set(listeners);
    }

    /// Registers a new socket of a user. It is greeted before anyone can find it, so that the greeting comes first.
    pub fn connect(
        &self,
        user: UserId,
        session: SessionKey,
        config: &WebSocket,
        greet: impl FnOnce(&Socket),
    ) -> Result<Arc<Socket>, TooManySockets> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let socket = Arc::new(Socket::new(id, user, session, config));
        greet(&socket);
        let is_first = {
            let mut all = self.sockets.lock().expect("no panic while held");
            let mine = all.entry(user).or_insert_with(|| Vec::with_capacity(1));
            if mine.len() >= config.max_per_user {
                return Err(TooManySockets);
            }
            mine.push(socket.clone());
            mine.len() == 1
        };
        if is_first {
            self.tell(user);
        }
        Ok(socket)
    }

    /// Forgets a socket that has ended.
    pub fn disconnect(&self, socket: &Socket) {
        let was_last = {
            let mut all = self.sockets.lock().expect("no panic while held");
            let Some(mine) = all.get_mut(&socket.user) else { return };
            mine.retain(|other| other.id != socket.id);
            let is_empty = mine.is_empty();
            if is_empty {
                all.remove(&socket.user);
            }
            is_empty
        };
        if was_last {
            self.tell(socket.user);
        }
    }

    /// Whether any socket of the user is open.
    pub fn is_connected(&self, user: UserId) -> bool {
        self.sockets.lock().expect("no panic while held").contains_key(&user)
    }

    /// How many sockets are open.
    pub fn count(&self) -> usize {
        self.sockets.lock().expect("no panic while held").values().map(Vec::len).sum()
    }

    /// How many messages, and how many bytes, wait to be written to all sockets together.
    pub fn waiting(&self) -> (usize, usize) {
        let sockets = self.sockets.lock().expect("no panic while held");
        let each = sockets.values().flatten().map(|socket| socket.waiting());
        each.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }

    /// Sends to every socket of a user; nothing happens when there is none.
    pub fn send(&self, user: UserId, message: &ServerMessage) {
        let sockets = self.of(user);
        if !sockets.is_empty() {
            let text = encode(message);
            sockets.iter().for_each(|socket| socket.push(text.clone()));
        }
    }

    /// Sends to those sockets of a user that follow all the user's games.
    pub fn send_streaming(&self, user: UserId, message: impl FnOnce() -> ServerMessage) {
        let sockets: Vec<_> = {
            let all = self.sockets.lock().expect("no panic while held");
            all.get(&user).into_iter().flatten().filter(|socket| socket.is_streaming()).cloned().collect()
        };
        if !sockets.is_empty() {
            let text = encode(&message());
            sockets.iter().for_each(|socket| socket.push(text.clone()));
        }
    }

    /// The sockets of a user.
    pub fn of(&self, user: UserId) -> Vec<Arc<Socket>> {
        self.sockets.lock().expect("no panic while held").get(&user).cloned().unwrap_or_default()
    }

    /// Closes every socket that was opened with a session.
    pub fn close_session(&self, session: SessionKey) {
        self.close_where(close::SESSION_REVOKED, |socket| socket.session == session);
    }

    /// Closes every socket of a user.
    pub fn close_user(&self, user: UserId) {
        self.of(user).iter().for_each(|socket| socket.close(close::SESSION_REVOKED));
    }

    /// Tells everyone that the server stops, and closes all sockets.
    pub fn stop(&self) {
        let text = encode(&ServerMessage::Stopping);
        for sockets in self.sockets.lock().expect("no panic while held").values() {
            for socket in sockets {
                socket.push(text.clone());
                socket.close(close::RESTART);
            }
        }
    }

    /// Lets every socket's task look around.
    pub fn wake_all(&self) {
        for socket in self.sockets.lock().expect("no panic while held").values().flatten() {
            socket.wake();
        }
    }

    fn close_where(&self, code: u16, which: impl Fn(&Socket) -> bool) {
        for sockets in self.sockets.lock().expect("no panic while held").values() {
            sockets.iter().filter(|socket| which(socket)).for_each(|socket| socket.close(code));
        }
    }

    fn tell(&self, user: UserId) {
        for listener in self.listeners.get().into_iter().flatten() {
            listener(user);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::sockets::Outgoing;

    #[test]
    fn presence_changes_with_the_first_and_the_last_socket_only() {
        let (hub, notices) = (Arc::new(Hub::default()), Arc::new(AtomicUsize::new(0)));
        let counter = notices.clone();
        hub.listen(vec![Box::new(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        })]);
        let (config, user) = (crate::config::Config::defaults().websocket, UserId::fresh());
        let one = hub.connect(user, SessionKey([1; 32]), &config, |_| ()).expect("room");
        let two = hub.connect(user, SessionKey([2; 32]), &config, |_| ()).expect("room");
        assert_eq!(notices.load(Ordering::Relaxed), 1);
        hub.disconnect(&one);
        assert!(hub.is_connected(user));
        hub.disconnect(&one);
        hub.disconnect(&two);
        assert_eq!(notices.load(Ordering::Relaxed), 2);
        assert!(!hub.is_connected(user));
    }

    #[test]
    fn a_revoked_session_closes_its_own_sockets_only() {
        let (hub, config, user) =
            (Hub::default(), crate::config::Config::defaults().websocket, UserId::fresh());
        let one = hub.connect(user, SessionKey([1; 32]), &config, |_| ()).expect("room");
        let two = hub.connect(user, SessionKey([2; 32]), &config, |_| ()).expect("room");
        hub.close_session(SessionKey([1; 32]));
        assert_eq!(one.take(), Outgoing::Close(close::SESSION_REVOKED));
        assert_eq!(two.take(), Outgoing::Empty);
    }

    #[test]
    fn one_user_cannot_open_sockets_without_end() {
        let (hub, mut config, user) =
            (Hub::default(), crate::config::Config::defaults().websocket, UserId::fresh());
        config.max_per_user = 1;
        let _one = hub.connect(user, SessionKey([1; 32]), &config, |_| ()).expect("room");
        assert_eq!(hub.connect(user, SessionKey([1; 32]), &config, |_| ()).err(), Some(TooManySockets));
    }

    #[test]
    fn the_greeting_comes_before_what_listeners_say() {
        let hub = Arc::new(Hub::default());
        let (config, user) = (crate::config::Config::defaults().websocket, UserId::fresh());
        let speaker = Arc::downgrade(&hub);
        hub.listen(vec![Box::new(move |user| {
            speaker.upgrade().expect("alive").send(user, &ServerMessage::Stopping);
        })]);
        let pong = ServerMessage::Unqueued { why: kingscross_protocol::QueueEnd::Left };
        let socket =
            hub.connect(user, SessionKey([1; 32]), &config, |socket| socket.send(&pong)).expect("room");
        for expected in ["unqueued", "stopping"] {
            let next = socket.take();
            assert!(matches!(&next, Outgoing::Message(text) if text.contains(expected)), "{next:?}");
        }
    }
}
