//! What a client can see to be wrong in what a server tells it.

use kingscross_protocol::{SeatLetter, Seq};

/// The server contradicts itself. Never happens with a right server; tests and load runs look for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inconsistent {
    /// An event that is known already came again with another position.
    #[error("event {seq:?} came with hash {first} and then with {then}")]
    TwoHashes {
        /// The event.
        seq: Seq,
        /// The hash it had.
        first: String,
        /// The hash it has now.
        then: String,
    },
    /// A hash that is not 16 hex digits.
    #[error("event {0:?} has the hash `{1}`")]
    BadHash(Seq, String),
    /// The number of plies fell or jumped.
    #[error("event {seq:?} leads from ply {from} to ply {to}")]
    PlyJumped {
        /// The event.
        seq: Seq,
        /// Plies before.
        from: u32,
        /// Plies after.
        to: u32,
    },
    /// An action names another ply than the one on the board.
    #[error("event {seq:?} was played at ply {named} while {board} were played")]
    WrongPly {
        /// The event.
        seq: Seq,
        /// The ply it names.
        named: u32,
        /// The plies played.
        board: u32,
    },
    /// A piece moved from an empty square.
    #[error("event {seq:?} moves a piece from {square}, which is empty")]
    NoPiece {
        /// The event.
        seq: Seq,
        /// The square.
        square: String,
    },
    /// A clock has more time than the events account for.
    #[error("event {seq:?} leaves {seat} {has} ms, at most {most} ms are accounted for")]
    TimeGained {
        /// The event.
        seq: Seq,
        /// The seat.
        seat: SeatLetter,
        /// What its clock shows.
        has: u32,
        /// The most that it can show.
        most: u32,
    },
    /// Legal moves for one who is not on turn, or none for one who is.
    #[error("after event {0:?}: {1}")]
    Legal(Seq, &'static str),
    /// Something happened after the end of the game.
    #[error("event {0:?} came after the end")]
    AfterTheEnd(Seq),
}
