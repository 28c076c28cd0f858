//! How a game ended.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rules::Rules;
use crate::seat::{Seat, Seats};

/// Why a game ended. Each game lists those it knows in the order in which they count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::EnumCount)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A player mated its own target.
    Throne,
    /// The last rival fell in the ultimatum.
    LastKing,
    /// One active player was left in any other way.
    LastStanding,
    /// One active player was left.
    LastActive,
    /// The opponent was mated.
    Checkmate,
    /// The player on turn had no move and was not in check.
    Stalemate,
    /// The opponent resigned or left.
    Resignation,
    /// The opponent's time ran out.
    Time,
    /// All active players agreed to a draw.
    Agreement,
    /// The same position stood for the third time.
    Repetition,
    /// Too many plies passed without progress.
    Quiet,
    /// Only the kings of two players were left.
    BareKings,
    /// Every active player passed in succession.
    Deadlock,
    /// A checked player had no move that the rules can judge.
    Unresolved,
    /// The game reached its greatest length.
    Length,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Reason; <Reason as strum::EnumCount>::COUNT] = [
        Reason::Throne,
        Reason::LastKing,
        Reason::LastStanding,
        Reason::LastActive,
        Reason::Checkmate,
        Reason::Stalemate,
        Reason::Resignation,
        Reason::Time,
        Reason::Agreement,
        Reason::Repetition,
        Reason::Quiet,
        Reason::BareKings,
        Reason::Deadlock,
        Reason::Unresolved,
        Reason::Length,
    ];

    /// The word for it in documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Reason::Throne => "throne",
            Reason::LastKing => "last_king",
            Reason::LastStanding => "last_standing",
            Reason::LastActive => "last_active",
            Reason::Checkmate => "checkmate",
            Reason::Stalemate => "stalemate",
            Reason::Resignation => "resignation",
            Reason::Time => "time",
            Reason::Agreement => "agreement",
            Reason::Repetition => "repetition",
            Reason::Quiet => "quiet",
            Reason::BareKings => "bare_kings",
            Reason::Deadlock => "deadlock",
            Reason::Unresolved => "unresolved",
            Reason::Length => "length",
        }
    }
}

/// The outcome as a position carries it: small and without allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) reason: Reason,
    pub(crate) winners: Seats,
    /// By seat: its rank, from 0; equal ranks tie.
    pub(crate) ranks: [u8; 4],
}

/// How a game ended: the reason, who won or drew, and the ranking of all players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Why it ended.
    pub reason: Reason,
    /// The winner, or the players who share a draw, in turn order.
    pub winners: Vec<Seat>,
    /// All players in groups of equal rank, best first, each group in turn order.
    pub placements: Vec<Vec<Seat>>,
}

impl Outcome {
    pub(crate) fn of(verdict: &Verdict, rules: &Rules) -> Outcome {
        let group = |rank: u8| -> Vec<Seat> {
            rules.turn_order.iter().copied().filter(|seat| verdict.ranks[seat.index()] == rank).collect()
        };
        Outcome {
            reason: verdict.reason,
            winners: rules.ordered(verdict.winners).collect(),
            placements: (0..4).map(group).filter(|seats| !seats.is_empty()).collect(),
        }
    }

    /// Did several players share the first place?
    #[must_use]
    pub fn is_draw(&self) -> bool {
        self.winners.len() > 1
    }

    /// The outcome as the JSON position writes it, with the letters of the game.
    #[must_use]
    pub fn view(&self, rules: &Rules) -> Value {
        let letters = |seats: &[Seat]| -> Vec<String> {
            seats.iter().map(|&seat| rules.letter(seat).to_string()).collect()
        };
        json!({
            "reason": self.reason.word(),
            "winners": letters(&self.winners),
            "placements": self.placements.iter().map(|group| letters(group)).collect::<Vec<_>>(),
        })
    }
}
