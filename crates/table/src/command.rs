//! What can be done to a game, by whom, and when.

use kingscross_engine::Seat;
use kingscross_protocol::{AbortCause, GameId, OutageCause, ProposalId, ProposalKind, SeatLetter, Timestamp};

/// Who commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The player of a seat.
    Player(Seat),
    /// The server itself.
    Server,
}

/// What a game can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Play a move chosen at a ply.
    Move {
        /// The ply.
        ply: u32,
        /// The action text.
        mv: String,
    },
    /// Leave by choice.
    Resign,
    /// Ask the others.
    Propose {
        /// The id that a new proposal gets.
        proposal: ProposalId,
        /// What is asked.
        what: ProposalKind,
    },
    /// Answer the open proposal.
    Vote {
        /// Which.
        proposal: ProposalId,
        /// Yes or no.
        accept: bool,
    },
    /// Give another player time.
    GiveTime {
        /// The receiver.
        to: SeatLetter,
    },
    /// Leave the table on purpose.
    Depart,
    /// Be back at the table.
    Return,
    /// See to what is due by time.
    Tick,
    /// Write down that nobody could play for a while.
    Outage {
        /// How long, in milliseconds.
        millis: u64,
        /// Why.
        cause: OutageCause,
    },
    /// End the game without a result.
    Abort(AbortCause),
    /// Note the game that was agreed on after this one.
    Rematch(GameId),
    /// Note that the match has no second game, since these are gone.
    EndMatch(Vec<SeatLetter>),
    /// After the end: close the open question, or drop the rematch that was agreed on, since a participant has gone.
    Lapse,
}

/// When and over what line a command came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The arrival of its frame.
    pub now: Timestamp,
    /// The measured lag of the player on turn, in milliseconds.
    pub lag: u32,
}
