//! The JSON position (docs/rules/notation.md).

use serde_json::{Map, Value, json};

use crate::game::Offer;
use crate::games::Variant;
use crate::outcome::{Outcome, Reason};
use crate::piece::Piece;
use crate::position::{Phase, Position};
use crate::rules::{EnPassant, Rules};
use crate::seat::Seat;
pub use crate::setup::{BadPosition, EnPassantRight, Setup};
use crate::square::Square;
use crate::status::Status;

/// Writes a position as the notation wants it.
pub(crate) fn document(position: &Position, offer: Option<&Offer>) -> Value {
    Setup::of(position, offer).document()
}

impl Setup {
    /// The document of the setup, with the keys that its game has.
    #[must_use]
    pub fn document(&self) -> Value {
        let rules = self.variant.rules();
        let letter = |seat: Seat| Value::from(rules.letter(seat).to_string());
        let letters = |seats: &[Seat]| -> Value { seats.iter().map(|&seat| letter(seat)).collect() };
        let mut document = Map::new();
        let mut put = |key: &str, value: Value| document.insert(key.to_owned(), value);
        put("variant", json!(self.variant));
        put("ply", json!(self.ply));
        put("turn", self.turn.map_or(Value::Null, letter));
        let pieces: Map<String, Value> = (self.pieces.iter())
            .map(|&(square, piece)| (square.to_string(), Value::from(rules.piece_text(piece))))
            .collect();
        put("pieces", pieces.into());
        let armies: Map<String, Value> = (rules.turn_order.iter())
            .map(|&seat| (rules.letter(seat).to_string(), self.army_document(rules, seat)))
            .collect();
        put("armies", armies.into());
        if rules.en_passant != EnPassant::Unknown {
            let right = |right: &EnPassantRight| {
                json!({
                    "army": letter(right.army),
                    "target": right.target.to_string(),
                    "pawn": right.pawn.to_string(),
                })
            };
            put("en_passant", self.en_passant.iter().map(right).collect());
        }
        if rules.counts_quiet() {
            put("quiet_plies", json!(self.quiet));
        }
        if rules.has_phases() {
            put("phase", json!(phase_word(self.phase)));
        }
        let offer = |offer: &Offer| json!({ "by": letter(offer.by), "accepted": letters(&offer.accepted) });
        put("offer", self.offer.as_ref().map_or(Value::Null, offer));
        if rules.counts_passes() {
            put("passes", json!(self.passes));
            let groups = self.left.as_deref().unwrap_or_default();
            put("left", groups.iter().map(|group| letters(group)).collect());
        }
        put("outcome", self.outcome.as_ref().map_or(Value::Null, |outcome| outcome.view(rules)));
        document.into()
    }

    fn army_document(&self, rules: &Rules, seat: Seat) -> Value {
        let at = seat.index();
        let mut army = Map::new();
        army.insert("status".to_owned(), json!(self.status[at].word()));
        if !rules.castles.is_empty() {
            let word = match self.castling[at] {
                (true, true) => "KQ",
                (true, false) => "K",
                (false, true) => "Q",
                (false, false) => "",
            };
            army.insert("castling".to_owned(), json!(word));
        }
        if rules.counts_points() {
            army.insert("points".to_owned(), json!(self.points[at]));
            army.insert("result_points".to_owned(), json!(self.result_points[at]));
        }
        if rules.has_controllers() {
            let controller = rules.letter(self.controller[at]).to_string();
            army.insert("controller".to_owned(), json!(controller));
        }
        army.into()
    }

    /// Reads a document; whether it is a position of the game is not looked at here.
    ///
    /// # Errors
    /// If the document is incomplete, unknown in a key, or ill-typed.
    pub fn read(document: &Value) -> Result<Setup, BadPosition> {
        let mut keys = Keys::of(document, "the position")?;
        let name = keys.text("variant")?;
        let variant: Variant = name.parse().map_err(|_| BadPosition::UnknownVariant(shown(name)))?;
        let rules = variant.rules();
        let mut setup = Setup::new(variant);
        setup.ply = keys.count("ply")?;
        setup.turn = keys.optional("turn")?.map(|value| seat(rules, value)).transpose()?;
        setup.pieces = pieces(rules, keys.need("pieces")?)?;
        setup.read_armies(rules, keys.need("armies")?)?;
        if rules.en_passant != EnPassant::Unknown {
            setup.en_passant = list(keys.need("en_passant")?)?
                .iter()
                .map(|right| en_passant(rules, right))
                .collect::<Result<_, _>>()?;
        }
        if rules.counts_quiet() {
            setup.quiet = keys.count("quiet_plies")?;
        }
        if rules.has_phases() {
            setup.phase = match keys.text("phase")? {
                "war" => Phase::War,
                "ultimatum" => Phase::Ultimatum,
                other => return Err(wrong(format!("no phase is called `{}`", shown(other)))),
            };
        }
        setup.offer = keys.optional("offer")?.map(|value| offer(rules, value)).transpose()?;
        if rules.counts_passes() {
            setup.passes = keys.count("passes")?;
            setup.left = keys.take("left").map(|value| groups(rules, value)).transpose()?;
        }
        setup.outcome = keys.optional("outcome")?.map(|value| outcome(rules, value)).transpose()?;
        keys.done()?;
        Ok(setup)
    }

    fn read_armies(&mut self, rules: &Rules, value: &Value) -> Result<(), BadPosition> {
        let mut armies = Keys::of(value, "`armies`")?;
        for &seat in rules.turn_order {
            let at = seat.index();
            let mut army = Keys::of(armies.need(&rules.letter(seat).to_string())?, "an army")?;
            let word = army.text("status")?;
            let status = Status::ALL.into_iter().find(|status| status.word() == word);
            self.status[at] =
                status.ok_or_else(|| wrong(format!("no status is called `{}`", shown(word))))?;
            if !rules.castles.is_empty() {
                self.castling[at] = match army.text("castling")? {
                    "KQ" => (true, true),
                    "K" => (true, false),
                    "Q" => (false, true),
                    "" => (false, false),
                    other => return Err(wrong(format!("no castling right is written `{}`", shown(other)))),
                };
            }
            if rules.counts_points() {
                self.points[at] = army.count("points")?;
                self.result_points[at] = army.count("result_points")?;
            }
            if rules.has_controllers() {
                self.controller[at] = self::seat(rules, army.need("controller")?)?;
            }
            army.done()?;
        }
        armies.done()
    }
}

fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::War => "war",
        Phase::Ultimatum => "ultimatum",
    }
}

fn wrong(message: String) -> BadPosition {
    BadPosition::Wrong(message)
}

/// The beginning of a text from outside, for a message.
fn shown(text: &str) -> String {
    text.chars().take(24).collect()
}

fn text<'a>(value: &'a Value, what: &str) -> Result<&'a str, BadPosition> {
    value.as_str().ok_or_else(|| wrong(format!("{what} is not a string")))
}

fn list(value: &Value) -> Result<&Vec<Value>, BadPosition> {
    value.as_array().ok_or_else(|| wrong("a list is expected".into()))
}

fn seat(rules: &Rules, value: &Value) -> Result<Seat, BadPosition> {
    let letter = text(value, "the letter of an army")?;
    rules.seat_named(letter).ok_or_else(|| wrong(format!("no army has the letter `{}`", shown(letter))))
}

fn seats(rules: &Rules, value: &Value) -> Result<Vec<Seat>, BadPosition> {
    list(value)?.iter().map(|value| seat(rules, value)).collect()
}

fn groups(rules: &Rules, value: &Value) -> Result<Vec<Vec<Seat>>, BadPosition> {
    list(value)?.iter().map(|value| seats(rules, value)).collect()
}

fn square(rules: &Rules, name: &str) -> Result<Square, BadPosition> {
    rules.square(name).ok_or_else(|| wrong(format!("the board has no square `{}`", shown(name))))
}

fn pieces(rules: &Rules, value: &Value) -> Result<Vec<(Square, Piece)>, BadPosition> {
    let map = value.as_object().ok_or_else(|| wrong("`pieces` is not an object".into()))?;
    map.iter()
        .map(|(name, value)| {
            let square = square(rules, name)?;
            let written = text(value, "a piece")?;
            let piece = rules.piece(written);
            Ok((square, piece.ok_or_else(|| wrong(format!("no piece is written `{}`", shown(written))))?))
        })
        .collect()
}

fn en_passant(rules: &Rules, value: &Value) -> Result<EnPassantRight, BadPosition> {
    let mut keys = Keys::of(value, "an en passant right")?;
    let army = seat(rules, keys.need("army")?)?;
    let target = square(rules, keys.text("target")?)?;
    let pawn = square(rules, keys.text("pawn")?)?;
    keys.done()?;
    Ok(EnPassantRight { army, target, pawn })
}

fn offer(rules: &Rules, value: &Value) -> Result<Offer, BadPosition> {
    let mut keys = Keys::of(value, "the offer")?;
    let by = seat(rules, keys.need("by")?)?;
    let mut accepted = seats(rules, keys.need("accepted")?)?;
    accepted.sort_by_key(|&seat| rules.place_in_order(seat));
    keys.done()?;
    Ok(Offer { by, accepted })
}

fn outcome(rules: &Rules, value: &Value) -> Result<Outcome, BadPosition> {
    let mut keys = Keys::of(value, "the outcome")?;
    let word = keys.text("reason")?;
    let reason = Reason::ALL.into_iter().find(|reason| reason.word() == word);
    let reason = reason.ok_or_else(|| wrong(format!("no reason is called `{}`", shown(word))))?;
    let winners = seats(rules, keys.need("winners")?)?;
    let placements = groups(rules, keys.need("placements")?)?;
    keys.done()?;
    Ok(Outcome { reason, winners, placements })
}

/// An object whose keys are taken one after the other, so that the unknown ones are left over.
struct Keys<'a> {
    map: &'a Map<String, Value>,
    taken: Vec<String>,
    what: &'static str,
}

impl<'a> Keys<'a> {
    fn of(value: &'a Value, what: &'static str) -> Result<Keys<'a>, BadPosition> {
        let map = value.as_object().ok_or_else(|| wrong(format!("{what} is not an object")))?;
        Ok(Keys { map, taken: Vec::new(), what })
    }

    fn take(&mut self, key: &str) -> Option<&'a Value> {
        let value = self.map.get(key)?;
        self.taken.push(key.to_owned());
        Some(value)
    }

    fn need(&mut self, key: &str) -> Result<&'a Value, BadPosition> {
        let what = self.what;
        self.take(key).ok_or_else(|| wrong(format!("{what} lacks `{key}`")))
    }

    /// A key that must be there and may be null.
    fn optional(&mut self, key: &str) -> Result<Option<&'a Value>, BadPosition> {
        Ok(Some(self.need(key)?).filter(|value| !value.is_null()))
    }

    fn text(&mut self, key: &str) -> Result<&'a str, BadPosition> {
        text(self.need(key)?, &format!("`{key}`"))
    }

    fn count(&mut self, key: &str) -> Result<u32, BadPosition> {
        let number = self.need(key)?.as_u64().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| wrong(format!("`{key}` is not a count")))
    }

    fn done(self) -> Result<(), BadPosition> {
        match self.map.keys().find(|key| !self.taken.contains(key)) {
            None => Ok(()),
            Some(key) => Err(wrong(format!("{} has the unknown key `{}`", self.what, shown(key)))),
        }
    }
}
