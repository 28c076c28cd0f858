//! What a table remembers of its events: small enough that a whole game stays in a few kilobytes.

use std::collections::{HashMap, VecDeque};

use kingscross_engine::Seat;
use kingscross_protocol::{CommandId, ErrorBody, Event, Seq, Timestamp};

use super::command::Command;

/// The events of one game as they were stored, and who commanded them.
#[derive(Debug, Default)]
pub struct Log {
    entries: Vec<Entry>,
    /// The event that each command made. Looked for with every move, in games of hundreds of events.
    commands: HashMap<(Seat, CommandId), Seq>,
    refusals: VecDeque<Refused>,
}

/// A command that was refused, and how.
#[derive(Debug)]
struct Refused {
    seat: Seat,
    id: CommandId,
    command: Command,
    error: ErrorBody,
}

/// One stored event.
#[derive(Debug)]
pub struct Entry {
    /// When it happened.
    pub at: Timestamp,
    /// The hash of the position after it.
    pub hash: u64,
    /// The event as JSON.
    pub body: Box<str>,
}

/// What is known of a command id.
#[derive(Debug, PartialEq, Eq)]
pub enum Known {
    /// Never seen.
    New,
    /// The same command was carried out and made this event.
    Done(Seq),
    /// The same command was refused.
    Refused(ErrorBody),
    /// The id belongs to another command.
    Other,
}

/// Refused commands whose answers are remembered; a refusal changes nothing, so they need not last for ever.
const REFUSALS: usize = 32;

impl Log {
    /// The events, in order from seq 1.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// The last event.
    pub fn last(&self) -> Seq {
        Seq(u32::try_from(self.entries.len()).expect("fewer events than u32"))
    }

    /// Adds the next event.
    pub fn push(&mut self, entry: Entry, commanded: Option<(Seat, CommandId)>) {
        self.entries.push(entry);
        if let Some(command) = commanded {
            self.commands.insert(command, self.last());
        }
    }

    /// Remembers how a command was refused.
    pub fn refused(&mut self, seat: Seat, id: CommandId, command: Command, error: ErrorBody) {
        if self.refusals.len() >= REFUSALS {
            self.refusals.pop_front();
        }
        self.refusals.push_back(Refused { seat, id, command, error });
    }

    /// What is known of a player's command id.
    pub fn known(&self, seat: Seat, id: CommandId, command: &Command) -> Known {
        if let Some(&seq) = self.commands.get(&(seat, id)) {
            let body = &self.entries[seq.0 as usize - 1].body;
            let event: Option<Event> = serde_json::from_str(body).ok();
            return match event {
                Some(event) if made_by(&event, command) => Known::Done(seq),
                _ => Known::Other,
            };
        }
        match self.refusals.iter().find(|refused| (refused.seat, refused.id) == (seat, id)) {
            Some(refused) if is_same(&refused.command, command) => Known::Refused(refused.error.clone()),
            Some(_) => Known::Other,
            None => Known::New,
        }
    }
}

/// Whether an event is what a command makes: this tells a repeated command from another one with the same id.
pub fn made_by(event: &Event, command: &Command) -> bool {
    match (event, command) {
        (Event::Played(played), Command::Move { ply, mv }) => {
            played.ply == *ply && (played.action == *mv || played.action == mv.trim())
        }
        (Event::Played(played), Command::Resign) => played.action.starts_with("resign:"),
        (Event::Proposed { what: event, .. }, Command::Propose { what, .. }) => event == what,
        // A second wish for a rematch is the consent to the first.
        (Event::Voted { accept, .. }, Command::Propose { .. }) => *accept,
        (Event::Voted { proposal: event, accept: voted, .. }, Command::Vote { proposal, accept }) => {
            event == proposal && voted == accept
        }
        (Event::Gift { to: event, .. }, Command::GiveTime { to }) => event == to,
        (Event::Departed { .. }, Command::Depart) | (Event::Returned { .. }, Command::Return) => true,
        _ => false,
    }
}

/// Each try of a proposal is given an id of its own, which the client did not send.
fn is_same(a: &Command, b: &Command) -> bool {
    match (a, b) {
        (Command::Propose { what: a, .. }, Command::Propose { what: b, .. }) => a == b,
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use kingscross_protocol::{ErrorCode, Played, SeatLetter};

    use super::*;

    fn log_with_move(id: CommandId) -> Log {
        let event = Event::Played(Played {
            seat: SeatLetter('s'),
            action: "d2-d4".into(),
            ply: 0,
            by_server: false,
            spent: 10,
            refund: 0,
            clock: 1000,
        });
        let mut log = Log::default();
        let body = serde_json::to_string(&event).expect("plain data").into();
        log.push(Entry { at: Timestamp(1), hash: 7, body }, Some((Seat::South, id)));
        log
    }

    #[test]
    fn a_command_sent_again_is_known_and_another_with_its_id_is_not() {
        let id = CommandId::fresh();
        let log = log_with_move(id);
        let sent = |mv: &str| Command::Move { ply: 0, mv: mv.into() };
        assert_eq!(log.known(Seat::South, id, &sent("d2-d4")), Known::Done(Seq(1)));
        assert_eq!(log.known(Seat::South, id, &sent("e2-e4")), Known::Other);
        assert_eq!(log.known(Seat::South, id, &Command::Resign), Known::Other);
        assert_eq!(log.known(Seat::West, id, &sent("d2-d4")), Known::New, "ids are each player's own");
    }

    #[test]
    fn a_refused_command_sent_again_is_refused_again() {
        let (mut log, id) = (Log::default(), CommandId::fresh());
        let error = ErrorBody::new(ErrorCode::NotYourTurn, "no");
        log.refused(Seat::West, id, Command::Resign, error.clone());
        assert_eq!(log.known(Seat::West, id, &Command::Resign), Known::Refused(error));
        assert_eq!(log.known(Seat::West, id, &Command::Depart), Known::Other);
    }
}
