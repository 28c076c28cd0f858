//! A game: a position, the open offer, and the memory for repetitions.

use serde_json::Value;

use crate::action::{Action, MoveText, Rejection, RejectionCode};
use crate::draws::{Draws, History};
use crate::effect::{Effect, How};
use crate::games::{self, Refusal, Variant};
use crate::generate::Checks;
use crate::hash::PositionHash;
use crate::moves::{Move, MoveList};
use crate::notation::Exact;
use crate::notation::position::{BadPosition, Setup, document};
use crate::outcome::Outcome;
use crate::piece::Piece;
use crate::position::Position;
use crate::rules::Rules;
use crate::seat::{Seat, Seats};
use crate::square::Square;
use crate::status::Status;

/// A game that is played, from its start or from a loaded position.
#[derive(Clone, Debug)]
pub struct Game {
    position: Position,
    offer: Option<Offer>,
    history: History,
    outcome: Option<Outcome>,
}

/// An open draw offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Who made it.
    pub by: Seat,
    /// Who has accepted it, in turn order.
    pub accepted: Vec<Seat>,
}

/// What the server must play for the player on turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forced {
    /// The pass.
    Pass,
    /// One of the legal `random:` actions, drawn uniformly.
    Random,
}

/// What an action did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Pieces that moved, from and to; king and rook in castling.
    pub moved: Vec<(Square, Square)>,
    /// Squares whose content changed, with what is there now.
    pub set: Vec<(Square, Option<Piece>)>,
    /// Everything that happened, in order.
    pub effects: Vec<Effect>,
}

/// An army as a document or a table shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmyView {
    /// Its seat.
    pub seat: Seat,
    /// The status of its player, as a word.
    pub status: &'static str,
    /// Who moves its pieces.
    pub controller: Seat,
    /// Points collected, in games that count them.
    pub points: Option<u32>,
    /// Points that count for the result.
    pub result_points: Option<u32>,
    /// The king that its player hunts, while that hunt can win.
    pub target: Option<Seat>,
}

impl Game {
    /// A game at its start.
    #[must_use]
    pub fn new(variant: Variant) -> Game {
        Game::of(Position::start(variant), None)
    }

    /// A game that goes on from the JSON position; its memory of repetitions is empty.
    ///
    /// # Errors
    /// If the document is incomplete, unknown in a key, or against the rules.
    pub fn load(document: &Value) -> Result<Game, BadPosition> {
        Game::from_setup(&Setup::read(document)?)
    }

    /// [`Game::load`] from JSON text.
    ///
    /// # Errors
    /// As [`Game::load`], and if the text is not JSON or has a key twice.
    pub fn load_str(text: &str) -> Result<Game, BadPosition> {
        let unreadable = |error| BadPosition::wrong(format!("not JSON of a position: {error}"));
        let Exact(document) = serde_json::from_str(text).map_err(unreadable)?;
        Game::load(&document)
    }

    /// A game that goes on from a setup.
    ///
    /// # Errors
    /// If the setup is against the rules.
    pub fn from_setup(setup: &Setup) -> Result<Game, BadPosition> {
        let position = setup.position()?;
        Ok(Game::of(position, setup.offer.clone()))
    }

    fn of(position: Position, offer: Option<Offer>) -> Game {
        let mut history = History::default();
        history.record(&position);
        let outcome = position.verdict.map(|verdict| Outcome::of(&verdict, position.rules));
        Game { position, offer, history, outcome }
    }

    /// Which game it is.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.position.rules.variant
    }

    /// The table of the game.
    #[must_use]
    pub fn rules(&self) -> &'static Rules {
        self.position.rules
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The player on turn; `None` after the end.
    #[must_use]
    pub fn turn(&self) -> Option<Seat> {
        self.position.turn()
    }

    /// Plies played.
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.position.ply
    }

    /// The hash of the position.
    #[must_use]
    pub fn hash(&self) -> PositionHash {
        self.position.hash()
    }

    /// How the game ended, if it has.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Is the player active?
    #[must_use]
    pub fn is_active(&self, seat: Seat) -> bool {
        self.position.active().has(seat)
    }

    /// The open offer.
    #[must_use]
    pub fn offer(&self) -> Option<&Offer> {
        self.offer.as_ref()
    }

    /// The JSON position.
    #[must_use]
    pub fn document(&self) -> Value {
        document(&self.position, self.offer.as_ref())
    }

    /// All pieces with their squares.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        self.position.pieces()
    }

    /// How a piece is written.
    #[must_use]
    pub fn piece_text(&self, piece: Piece) -> &'static str {
        self.position.rules.piece_text(piece)
    }

    /// What the server must play for the player on turn, who cannot choose.
    #[must_use]
    pub fn forced(&self) -> Option<Forced> {
        let seat = self.turn()?;
        match self.position.status(seat) {
            Status::Surrendered => Some(Forced::Random),
            Status::Abandoned => Some(Forced::Pass),
            _ if self.position.has_move() => None,
            _ => Some(Forced::Pass),
        }
    }

    /// The squares of kings that are in check now.
    #[must_use]
    pub fn checks(&self) -> Vec<Square> {
        let position = &self.position;
        let checked =
            |army: &Seat| position.is_attacked(position.kings[army.index()], position.controller(*army));
        position.armies_with_king_in_play().filter(checked).map(|army| position.kings[army.index()]).collect()
    }

    /// The armies, in turn order.
    #[must_use]
    pub fn armies(&self) -> Vec<ArmyView> {
        let (position, rules) = (&self.position, self.rules());
        let points = |points: u32| rules.counts_points().then_some(points);
        let view = |&seat: &Seat| ArmyView {
            seat,
            status: position.status(seat).word(),
            controller: position.controller(seat),
            points: points(position.points(seat)),
            result_points: points(position.result_points(seat)),
            target: games::target(position, seat),
        };
        rules.turn_order.iter().map(view).collect()
    }

    /// Plays an action. A refused action leaves everything as it was.
    ///
    /// # Errors
    /// With the codes of the notation, in their order.
    pub fn act(&mut self, action: &Action) -> Result<Played, Rejection> {
        if self.position.is_over() {
            return Err(Rejection::new(RejectionCode::GameOver, "the game has ended"));
        }
        match *action {
            Action::Move(text) => self.find_move(text).map(|mv| self.play(mv)),
            Action::Pass => self.find_pass().map(|mv| self.play(mv)),
            Action::Random(text) => self.find_random(text).map(|mv| self.play(mv)),
            Action::Resign(seat) => self.leave(seat, How::Resigned),
            Action::Timeout(seat) => self.leave(seat, How::TimedOut),
            Action::Leave(seat) => self.leave(seat, How::Absent),
            Action::Offer => self.make_offer(),
            Action::Accept(seat) => self.vote(seat, true),
            Action::Decline(seat) => self.vote(seat, false),
        }
    }

    fn find_move(&self, text: MoveText) -> Result<Move, Rejection> {
        let position = &self.position;
        let Some(piece) = position.piece(text.from) else {
            return Err(Rejection::illegal(format!("there is no piece on {}", text.from)));
        };
        if position.controller(piece.army()) != position.turn {
            let whose = self.rules().army_name(position.turn);
            return Err(Rejection::new(
                RejectionCode::NotYourTurn,
                format!("{whose} is on turn and does not control the piece on {}", text.from),
            ));
        }
        if position.status(position.turn) != Status::Active {
            return Err(Rejection::illegal("the player on turn has left and chooses no move"));
        }
        let mut found = None;
        position.search(position.turn, position.turn, Checks::Noted, &mut |mv: Move| {
            let same = self.text_of(mv) == text;
            if same {
                found = Some(mv);
            }
            same
        });
        let illegal = || Rejection::illegal(format!("{text} is not a legal move"));
        let mv = found.ok_or_else(illegal)?;
        match games::refusal(&mut position.clone(), mv) {
            None => Ok(mv),
            Some(Refusal::Unsafe) => Err(Rejection::illegal(format!(
                "the mates that {text} causes would leave a king of the mover in check"
            ))),
            Some(Refusal::Unresolved) => Err(Rejection::new(
                RejectionCode::Unresolved,
                format!("{text} leaves the next player in a check that the rules cannot judge"),
            )),
        }
    }

    fn find_pass(&self) -> Result<Move, Rejection> {
        match self.forced() {
            Some(Forced::Pass) => Ok(Move::PASS),
            _ => Err(Rejection::illegal("the player on turn may not pass")),
        }
    }

    fn find_random(&self, text: Option<MoveText>) -> Result<Move, Rejection> {
        if self.forced() != Some(Forced::Random) {
            return Err(Rejection::illegal("the player on turn chooses its moves itself"));
        }
        let mut list = MoveList::new();
        self.position.generate(&mut list);
        let same = |mv: &&Move| match text {
            None => mv.is_pass(),
            Some(text) => !mv.is_pass() && self.text_of(**mv) == text,
        };
        let found = list.iter().find(same).copied();
        found.ok_or_else(|| Rejection::illegal("this is none of the moves that can be drawn"))
    }

    fn play(&mut self, mv: Move) -> Played {
        let mut played = Played::default();
        if !mv.is_pass() {
            played.moved = std::iter::once((mv.from, mv.to)).chain(self.rook_of(mv)).collect();
        }
        self.offer = None;
        let before = self.position.board;
        let draws = Draws::Counted(&mut self.history);
        self.position.play_noting(mv, &mut played.effects, draws, &mut Position::has_move);
        for square in self.rules().squares() {
            if before[square.index()] != self.position.board[square.index()] {
                played.set.push((square, self.position.piece(square)));
            }
        }
        self.take_outcome();
        played
    }

    fn leave(&mut self, seat: Seat, how: How) -> Result<Played, Rejection> {
        if !self.is_active(seat) {
            return Err(Rejection::illegal("this player has left play already"));
        }
        let mut played = Played::default();
        self.offer = None;
        self.position.leave(seat, how, &mut played.effects, Draws::Counted(&mut self.history));
        self.take_outcome();
        Ok(played)
    }

    fn make_offer(&mut self) -> Result<Played, Rejection> {
        let by = self.position.turn;
        if self.offer.is_some() {
            return Err(Rejection::illegal("an offer is open already"));
        }
        if !self.is_active(by) {
            return Err(Rejection::illegal("the player on turn has left and offers nothing"));
        }
        self.offer = Some(Offer { by, accepted: Vec::new() });
        Ok(Played { effects: vec![Effect::Offered { by }], ..Played::default() })
    }

    fn vote(&mut self, by: Seat, accepts: bool) -> Result<Played, Rejection> {
        let Some(offer) = &self.offer else {
            return Err(Rejection::new(RejectionCode::NoOffer, "no offer stands"));
        };
        if !self.is_active(by) || by == offer.by || offer.accepted.contains(&by) {
            return Err(Rejection::illegal("this player has no vote on the offer"));
        }
        let mut played = Played::default();
        if !accepts {
            self.offer = None;
            played.effects.push(Effect::Declined { by });
            return Ok(played);
        }
        let accepted: Seats = offer.accepted.iter().copied().chain([by]).collect();
        let offer = Offer { by: offer.by, accepted: self.rules().ordered(accepted).collect() };
        played.effects.push(Effect::Accepted { by });
        if offer.accepted.len() + 1 == self.position.active().len() {
            self.offer = None;
            self.position.agree(&mut played.effects);
            self.take_outcome();
        } else {
            self.offer = Some(offer);
        }
        Ok(played)
    }

    fn take_outcome(&mut self) {
        self.outcome = self.position.verdict.map(|verdict| Outcome::of(&verdict, self.position.rules));
    }
}
