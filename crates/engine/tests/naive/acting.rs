//! A game: a situation with its repetition table, moved on by action texts.

use std::collections::BTreeMap;

use super::board::{Square, Variant};
use super::quaternity::Refusal;
use super::situation::Situation;

/// A game of the second engine. Error values are the codes of `docs/rules/notation.md`.
#[derive(Clone)]
pub(crate) struct Naive {
    pub(super) now: Situation,
    seen: BTreeMap<String, u32>,
}

enum Action {
    Move(Wish),
    Pass,
    Random(Option<Wish>),
    Leave(char, &'static str),
    Offer,
    Vote(char, bool),
}

struct Wish {
    from: Square,
    to: Square,
    text: String,
}

impl Naive {
    pub(crate) fn new(variant: Variant) -> Naive {
        Naive::of(Situation::start(variant))
    }

    pub(crate) fn of(now: Situation) -> Naive {
        let seen = BTreeMap::from([(now.repetition_key(), 1)]);
        Naive { now, seen }
    }

    /// The sorted texts open to the player on turn.
    pub(crate) fn legal(&self) -> Vec<String> {
        self.now.legal()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.now.outcome.is_some()
    }

    pub(crate) fn turn(&self) -> Option<char> {
        self.now.turn
    }

    pub(crate) fn active(&self) -> Vec<char> {
        self.now.active()
    }

    pub(crate) fn offer(&self) -> Option<(char, Vec<char>)> {
        self.now.offer.clone()
    }

    /// Why the game ended.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.now.outcome.as_ref().map(|outcome| outcome.reason.as_str())
    }

    /// How many armies have fallen or been eliminated.
    pub(crate) fn fallen(&self) -> usize {
        let is_gone = |status: &str| matches!(status, "fallen" | "eliminated");
        self.now.armies.iter().filter(|army| is_gone(army.status)).count()
    }

    /// Whether the text of a legal move names an occupied square of arrival.
    pub(crate) fn is_capture(&self, text: &str) -> bool {
        wish(self.now.variant, text.trim_start_matches("random:"))
            .is_some_and(|wish| self.now.board.contains_key(&wish.to))
    }

    /// Plays an action; a refused one changes nothing.
    pub(crate) fn apply(&mut self, text: &str) -> Result<(), &'static str> {
        self.apply_counting(text, true)
    }

    fn apply_counting(&mut self, text: &str, draws: bool) -> Result<(), &'static str> {
        let action = parse(self.now.variant, text).ok_or("bad_action")?;
        let Some(turn) = self.now.turn else {
            return Err("game_over");
        };
        match action {
            Action::Move(wish) => self.play_move(turn, &wish)?,
            Action::Pass => {
                if self.now.status(turn) == "surrendered"
                    || self.legal() != ["pass"]
                    || !self.passes_are_a_thing()
                {
                    return Err("illegal_move");
                }
                self.now.pass();
            }
            Action::Random(wish) => self.play_random(turn, wish.as_ref())?,
            Action::Leave(player, reason) => {
                if !self.now.is_active(player) {
                    return Err("illegal_move");
                }
                self.now.leave(player, reason);
            }
            Action::Offer => {
                if self.now.offer.is_some() || !self.now.is_active(turn) {
                    return Err("illegal_move");
                }
                self.now.offer = Some((turn, Vec::new()));
                return Ok(());
            }
            Action::Vote(player, is_consent) => return self.vote(player, is_consent),
        }
        let times = self.seen.entry(self.now.repetition_key()).or_insert(0);
        *times += 1;
        self.now.end_by_counters(*times, draws);
        Ok(())
    }

    fn passes_are_a_thing(&self) -> bool {
        matches!(self.now.variant, Variant::Crossfire | Variant::Quaternity)
    }

    fn play_move(&mut self, turn: char, wish: &Wish) -> Result<(), &'static str> {
        let now = &self.now;
        let piece = now.board.get(&wish.from).ok_or("illegal_move")?;
        if now.controller(*piece) != turn {
            return Err("not_your_turn");
        }
        if !now.is_active(turn) {
            return Err("illegal_move");
        }
        let mut moves = now.piece_moves(turn);
        moves.extend(now.castlings(turn));
        let mv = moves
            .into_iter()
            .find(|mv| mv.text() == wish.text && now.is_safe(turn, mv))
            .ok_or("illegal_move")?;
        if now.variant == Variant::Quaternity {
            now.try_quaternity(turn, &mv).map_err(|refusal| match refusal {
                Refusal::Illegal => "illegal_move",
                Refusal::Unresolved => "unresolved",
            })?;
        }
        self.now.play(&mv);
        Ok(())
    }

    fn play_random(&mut self, turn: char, wish: Option<&Wish>) -> Result<(), &'static str> {
        if self.now.status(turn) != "surrendered" {
            return Err("illegal_move");
        }
        let moves = self.now.piece_moves(turn);
        match wish {
            None if moves.is_empty() => self.now.pass(),
            None => return Err("illegal_move"),
            Some(wish) => {
                let mv = moves.into_iter().find(|mv| mv.text() == wish.text).ok_or("illegal_move")?;
                self.now.play(&mv);
            }
        }
        Ok(())
    }

    fn vote(&mut self, player: char, is_consent: bool) -> Result<(), &'static str> {
        let active = self.now.active();
        let letters = self.now.variant.letters();
        let Some((by, accepted)) = &mut self.now.offer else {
            return Err("no_offer");
        };
        if player == *by || !active.contains(&player) || accepted.contains(&player) {
            return Err("illegal_move");
        }
        if !is_consent {
            self.now.offer = None;
            return Ok(());
        }
        accepted.push(player);
        accepted.sort_by_key(|letter| letters.iter().position(|other| other == letter));
        if accepted.len() + 1 == active.len() {
            self.now.end("agreement", active);
        }
        Ok(())
    }

    /// Counts the sequences of `depth` plies; draws by repetition, quiet plies and length are left out.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        self.legal()
            .iter()
            .map(|text| {
                let mut next = self.clone();
                next.apply_counting(text, false).expect("a legal action is accepted");
                next.perft(depth - 1)
            })
            .sum()
    }
}

fn parse(variant: Variant, text: &str) -> Option<Action> {
    let player = |letter: &str| {
        let mut chars = letter.chars();
        let first = chars.next()?;
        (chars.as_str().is_empty() && variant.letters().contains(&first)).then_some(first)
    };
    match text.split_once(':') {
        None if text == "pass" => Some(Action::Pass),
        None if text == "offer" => Some(Action::Offer),
        None => Some(Action::Move(wish(variant, text)?)),
        Some(("random", _)) if variant != Variant::Kingdoms => None,
        Some(("random", "pass")) => Some(Action::Random(None)),
        Some(("random", rest)) => Some(Action::Random(Some(wish(variant, rest)?))),
        Some(("resign" | "leave", letter)) => Some(Action::Leave(player(letter)?, "resignation")),
        Some(("timeout", letter)) => Some(Action::Leave(player(letter)?, "time")),
        Some(("accept", letter)) => Some(Action::Vote(player(letter)?, true)),
        Some(("decline", letter)) => Some(Action::Vote(player(letter)?, false)),
        Some(_) => None,
    }
}

fn wish(variant: Variant, text: &str) -> Option<Wish> {
    let (squares, promotion) = match text.split_once('=') {
        None => (text, None),
        Some((squares, kind)) => (squares, Some(kind)),
    };
    let (from, to) = squares.split_once('-')?;
    let from = variant.square(from)?;
    let to = variant.square(to)?;
    if let Some(kind) = promotion {
        let is_known = variant.promotion_kinds().iter().any(|known| known.to_string() == kind);
        if !is_known {
            return None;
        }
    }
    Some(Wish { from, to, text: text.to_owned() })
}
