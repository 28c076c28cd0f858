//! Actions as players ask for them, and their texts.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

use crate::games::Variant;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::square::Square;
use crate::status::Status;

/// A move as it is asked for; whether it is one is found in the legal list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoveText {
    /// Where the piece stands.
    pub from: Square,
    /// Where it shall go.
    pub to: Square,
    /// The letter of the piece that a pawn shall become.
    pub promotion: Option<char>,
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.from.fmt(f)?;
        f.write_char('-')?;
        self.to.fmt(f)?;
        match self.promotion {
            Some(letter) => write!(f, "={letter}"),
            None => Ok(()),
        }
    }
}

/// Anything that changes a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A move of the player on turn.
    Move(MoveText),
    /// The pass of a player who must pass.
    Pass,
    /// The move drawn for a surrendered army on turn, or its pass.
    Random(Option<MoveText>),
    /// A player leaves by choice.
    Resign(Seat),
    /// A player leaves by the clock.
    Timeout(Seat),
    /// A player leaves by absence.
    Leave(Seat),
    /// The player on turn offers a draw.
    Offer,
    /// A voter accepts the offer.
    Accept(Seat),
    /// A voter declines the offer.
    Decline(Seat),
}

impl Action {
    /// Reads the text of an action.
    ///
    /// # Errors
    /// [`RejectionCode::BadAction`] if the text is not an action of the game or names a square, letter or player that the
    /// game does not know.
    pub fn parse(variant: Variant, text: &str) -> Result<Action, Rejection> {
        read(variant.rules(), text).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            Rejection::new(RejectionCode::BadAction, format!("`{shown}` is not an action of {variant}"))
        })
    }

    /// The text of the action.
    #[must_use]
    pub fn text(&self, variant: Variant) -> String {
        self.display(variant).to_string()
    }

    /// The same text, to be written where it is wanted without a string of its own.
    #[must_use]
    pub fn display(&self, variant: Variant) -> impl fmt::Display + use<> {
        ActionText(*self, variant)
    }
}

struct ActionText(Action, Variant);

impl fmt::Display for ActionText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |seat: Seat| self.1.rules().letter(seat);
        match self.0 {
            Action::Move(mv) => mv.fmt(f),
            Action::Pass => f.write_str("pass"),
            Action::Random(Some(mv)) => write!(f, "random:{mv}"),
            Action::Random(None) => f.write_str("random:pass"),
            Action::Resign(seat) => write!(f, "resign:{}", letter(seat)),
            Action::Timeout(seat) => write!(f, "timeout:{}", letter(seat)),
            Action::Leave(seat) => write!(f, "leave:{}", letter(seat)),
            Action::Offer => f.write_str("offer"),
            Action::Accept(seat) => write!(f, "accept:{}", letter(seat)),
            Action::Decline(seat) => write!(f, "decline:{}", letter(seat)),
        }
    }
}

fn read(rules: &Rules, text: &str) -> Option<Action> {
    if let Some((word, rest)) = text.split_once(':') {
        if word == "random" {
            if !rules.statuses.contains(&Status::Surrendered) {
                return None;
            }
            let drawn = if rest == "pass" { None } else { Some(read_move(rules, rest)?) };
            return Some(Action::Random(drawn));
        }
        let action = match word {
            "resign" => Action::Resign,
            "timeout" => Action::Timeout,
            "leave" => Action::Leave,
            "accept" => Action::Accept,
            "decline" => Action::Decline,
            _ => return None,
        };
        return Some(action(rules.seat_named(rest)?));
    }
    match text {
        "pass" => Some(Action::Pass),
        "offer" => Some(Action::Offer),
        _ => read_move(rules, text).map(Action::Move),
    }
}

fn read_move(rules: &Rules, text: &str) -> Option<MoveText> {
    let (squares, promotion) = match text.split_once('=') {
        Some((squares, letter)) => (squares, Some(read_letter(rules, letter)?)),
        None => (text, None),
    };
    let (from, to) = squares.split_once('-')?;
    Some(MoveText { from: rules.square(from)?, to: rules.square(to)?, promotion })
}

/// Every letter of a piece but the king's and the pawn's can be asked for, whether or not the game lets one choose.
fn read_letter(rules: &Rules, text: &str) -> Option<char> {
    let mut letters = text.chars();
    let letter = letters.next().filter(|&letter| !matches!(letter, 'K' | 'P'))?;
    let known = rules.roles.iter().any(|role| role.letter == letter);
    (known && letters.next().is_none()).then_some(letter)
}

/// Why an action was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RejectionCode {
    /// The text is not an action of this game.
    BadAction,
    /// The piece is not the player's on turn.
    NotYourTurn,
    /// The rules cannot judge the position that would arise.
    Unresolved,
    /// The game has ended.
    GameOver,
    /// There is no offer to vote on.
    NoOffer,
    /// Every other action against the rules.
    IllegalMove,
}

impl RejectionCode {
    /// The stable code.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            RejectionCode::BadAction => "bad_action",
            RejectionCode::NotYourTurn => "not_your_turn",
            RejectionCode::Unresolved => "unresolved",
            RejectionCode::GameOver => "game_over",
            RejectionCode::NoOffer => "no_offer",
            RejectionCode::IllegalMove => "illegal_move",
        }
    }
}

impl fmt::Display for RejectionCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The refusal of an action: a stable code and a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Rejection {
    /// The code.
    pub code: RejectionCode,
    /// The sentence.
    pub message: String,
}

impl Rejection {
    pub(crate) fn new(code: RejectionCode, message: impl Into<String>) -> Rejection {
        Rejection { code, message: message.into() }
    }

    pub(crate) fn illegal(message: impl Into<String>) -> Rejection {
        Rejection::new(RejectionCode::IllegalMove, message)
    }
}
