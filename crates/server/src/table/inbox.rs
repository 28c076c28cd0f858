//! The messages that a table has not carried out yet, in the order in which it will.

use kingscross_table::Command;
use std::collections::VecDeque;

use tokio::sync::mpsc;

use super::handle::Message;

/// The receiving end of a table's messages. Moves come first: looking and talking must not hold up who plays, and a
/// snapshot takes longer to make than hundreds of moves.
pub(super) struct Inbox {
    messages: mpsc::Receiver<Box<Message>>,
    /// What came before a move, or before something was due by time, and waits.
    later: VecDeque<Box<Message>>,
    /// So many may wait here beside those in the channel.
    limit: usize,
}

impl Inbox {
    pub(super) fn new(messages: mpsc::Receiver<Box<Message>>, limit: usize) -> Self {
        Self { messages, later: VecDeque::new(), limit }
    }

    /// Waits for the next message; none when nobody can send one any more. Loses nothing when it is given up.
    pub(super) async fn next(&mut self) -> Option<Box<Message>> {
        if let Some(message) = self.first(is_move).or_else(|| self.later.pop_front()) {
            return Some(message);
        }
        self.messages.recv().await
    }

    /// The next command that is here already.
    pub(super) fn command(&mut self) -> Option<Box<Message>> {
        self.first(|message| matches!(message, Message::Command { .. }))
    }

    /// The first message of a kind among those that have not been looked at; the ones before it wait.
    fn first(&mut self, fits: impl Fn(&Message) -> bool) -> Option<Box<Message>> {
        while self.later.len() < self.limit {
            let message = self.messages.try_recv().ok()?;
            if fits(&message) {
                return Some(message);
            }
            self.later.push_back(message);
        }
        None
    }
}

fn is_move(message: &Message) -> bool {
    matches!(message, Message::Command { command: Command::Move { .. }, .. })
}

#[cfg(test)]
mod tests {
    use kingscross_engine::Seat;
    use kingscross_protocol::{CommandId, Timestamp, UserId};

    use super::super::handle::Reply;
    use super::*;

    fn command(command: Command) -> Box<Message> {
        let reply = Reply::channel().0;
        let (user, id, arrived) = (UserId::fresh(), CommandId::fresh(), Timestamp(0));
        Box::new(Message::Command { user, seat: Seat::South, id, command, arrived, reply })
    }

    fn a_move(ply: u32) -> Box<Message> {
        command(Command::Move { ply, mv: "e2-e4".into() })
    }

    fn unwatch(socket: u64) -> Box<Message> {
        Box::new(Message::Unwatch { socket })
    }

    fn name(message: &Option<Box<Message>>) -> String {
        match message.as_deref() {
            Some(Message::Command { command: Command::Move { ply, .. }, .. }) => format!("move {ply}"),
            Some(Message::Command { .. }) => "command".into(),
            Some(Message::Unwatch { socket }) => format!("other {socket}"),
            Some(_) => "unexpected".into(),
            None => "end".into(),
        }
    }

    #[tokio::test]
    async fn moves_come_before_all_else_and_all_else_in_its_order() {
        let (sender, messages) = mpsc::channel(16);
        let mut inbox = Inbox::new(messages, 16);
        for message in [unwatch(1), command(Command::Resign), unwatch(2), a_move(7), unwatch(3)] {
            sender.try_send(message).expect("room");
        }
        assert_eq!(name(&inbox.next().await), "move 7");
        assert_eq!(name(&inbox.next().await), "other 1");
        sender.try_send(a_move(8)).expect("room");
        assert_eq!(name(&inbox.next().await), "move 8", "also one that came later");
        drop(sender);
        for rest in ["command", "other 2", "other 3", "end"] {
            assert_eq!(name(&inbox.next().await), rest);
        }
    }

    #[tokio::test]
    async fn what_waits_is_bounded() {
        let (sender, messages) = mpsc::channel(4);
        let mut inbox = Inbox::new(messages, 2);
        for number in 0..4 {
            sender.try_send(unwatch(number)).expect("room");
        }
        assert!(inbox.command().is_none());
        // Two have moved on; the other two keep their places, so that senders feel it.
        for number in 4..6 {
            sender.try_send(unwatch(number)).expect("room");
        }
        sender.try_send(unwatch(6)).expect_err("full");
        for number in 0..6 {
            assert_eq!(name(&inbox.next().await), format!("other {number}"));
        }
    }
}
