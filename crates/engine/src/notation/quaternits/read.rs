//! A snapshot as a script.

use std::collections::BTreeSet;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::write::write;
use super::{ARMIES, COMMITTED, DIRECTIONS, PIECES};
use crate::notation::{BadScript, Exact, Script};
use crate::{Game, Variant};

/// Larger documents are refused unread.
const MAX_LENGTH: usize = 4 * 1024 * 1024;
/// Why a document is not a snapshot that replays.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSnapshot {
    /// Not of the form of a version 1 snapshot.
    #[error("{0}")]
    Shape(String),
    /// An action is refused by the rules, or they know no result for it.
    #[error("action {index}: {why}")]
    Action {
        /// Counted from 1.
        index: usize,
        /// Why it is refused.
        why: String,
    },
    /// The replay disagrees with what the document says.
    #[error("{0} does not follow from the actions")]
    Disagrees(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Snapshot {
    version: u32,
    initial: Position,
    actions: Vec<Step>,
    // Compared as they stand.
    #[serde(rename = "log")]
    _log: IgnoredAny,
    #[serde(rename = "state")]
    _state: IgnoredAny,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Position {
    pieces: Vec<Piece>,
    controllers: PerArmy,
    players: PerArmy,
    turn: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PerArmy {
    white: String,
    red: String,
    black: String,
    green: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Piece {
    square: String,
    army: String,
    r#type: String,
    #[serde(deserialize_with = "explicit")]
    state: Option<Pawn>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Pawn {
    Ordinary {
        direction: String,
    },
    Advanced {
        vertical: String,
        horizontal: String,
        #[serde(deserialize_with = "explicit")]
        committed: Option<String>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum Step {
    Move {
        from: String,
        to: String,
        #[serde(deserialize_with = "explicit")]
        promotion: Option<String>,
    },
    // With braces, since of a variant without them unknown keys would be let through.
    Pass {},
    DrawProposal {},
    DrawResponse {
        player: String,
        accept: bool,
    },
    Freeze {
        action: String,
        player: String,
    },
}

/// An optional that may be null but not missing: serde asks for the key where a field has a function of its own.
fn explicit<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// Reads a snapshot. `advanced` pawns that have committed are pawns with a direction here, as ordinary ones are; where the
/// start has such, a tag `Committed` remembers their squares, so that [`write`](super::write) gives the same again.
///
/// # Errors
/// The shape is wrong, an action is not legal, or log or state do not follow from the actions.
pub fn read(text: &str) -> Result<Script, BadSnapshot> {
    if text.len() > MAX_LENGTH {
        return Err(BadSnapshot::Shape(format!("longer than {MAX_LENGTH} characters")));
    }
    let text = crate::notation::without_mark(text);
    let not_json = |error: serde_json::Error| BadSnapshot::Shape(error.to_string());
    let Exact(theirs) = serde_json::from_str(text).map_err(not_json)?;
    let snapshot: Snapshot = serde_json::from_str(text).map_err(not_json)?;
    if snapshot.version != 1 {
        return Err(BadSnapshot::Shape(format!("version {} is not supported, only 1", snapshot.version)));
    }
    let (start, committed) = read_position(&snapshot.initial)?;
    let own_start = Game::new(Variant::Quaternity).document();
    let start = (start != own_start).then_some(start);
    let actions = snapshot.actions.iter().map(read_step).collect::<Result<Vec<_>, _>>()?;
    let squares = committed.into_iter().collect::<Vec<_>>().join(" ");
    let tag = (!squares.is_empty()).then(|| (COMMITTED.to_owned(), squares));
    let script = Script { variant: Variant::Quaternity, start, tags: tag.into_iter().collect(), actions };
    script.replay().map_err(|error| match error {
        BadScript::Start(why) => BadSnapshot::Shape(format!("initial: {why}")),
        BadScript::Action { index, why, .. } => BadSnapshot::Action { index, why: why.to_string() },
    })?;
    let ours = write(&script).map_err(|error| BadSnapshot::Disagrees(error.to_string()))?;
    // Their content is the script's, but serde takes a list of an object's values for the object.
    if theirs["actions"] != ours["actions"] || by_square(&theirs["initial"]) != by_square(&ours["initial"]) {
        return shape("a list where an object is expected");
    }
    for name in ["log", "state"] {
        if ours[name] != theirs[name] {
            return Err(BadSnapshot::Disagrees(name.to_owned()));
        }
    }
    Ok(script)
}

/// A position whose pieces stand in one order, whatever order they were written in.
fn by_square(position: &Value) -> Value {
    let mut position = position.clone();
    if let Some(pieces) = position.get_mut("pieces").and_then(Value::as_array_mut) {
        pieces.sort_by_cached_key(|piece| piece["square"].as_str().map(str::to_owned));
    }
    position
}

fn shape<T>(why: impl Into<String>) -> Result<T, BadSnapshot> {
    Err(BadSnapshot::Shape(why.into()))
}

fn letter_of(name: &str) -> Result<char, BadSnapshot> {
    let found = ARMIES.iter().find(|army| army.1 == name);
    found.map_or_else(|| shape(format!("no army {}", name.escape_debug())), |army| Ok(army.0))
}

fn read_position(position: &Position) -> Result<(Value, BTreeSet<String>), BadSnapshot> {
    let mut pieces = serde_json::Map::new();
    let mut committed_squares = BTreeSet::new();
    for piece in &position.pieces {
        let army = letter_of(&piece.army)?;
        let kind = match (&piece.state, piece.r#type.as_str()) {
            (Some(state), "pawn") => {
                format!("P{}", read_pawn(state, army, &piece.square, &mut committed_squares)?)
            }
            (None, name) => match PIECES.iter().find(|known| known.1 == name) {
                Some(known) => known.0.to_string(),
                None => return shape(format!("{}: no piece {}", piece.square, name.escape_debug())),
            },
            (Some(_), _) => return shape(format!("{}: only pawns have a state", piece.square)),
        };
        if pieces.insert(piece.square.clone(), json!(format!("{army}{kind}"))).is_some() {
            return shape(format!("two pieces on {}", piece.square));
        }
    }
    let mut armies = serde_json::Map::new();
    let (of, statuses) = (&position.controllers, &position.players);
    for (letter, controller, status) in [
        ('w', &of.white, &statuses.white),
        ('r', &of.red, &statuses.red),
        ('b', &of.black, &statuses.black),
        ('g', &of.green, &statuses.green),
    ] {
        let army = json!({ "status": status, "controller": letter_of(controller)?.to_string() });
        armies.insert(letter.to_string(), army);
    }
    let document = json!({
        "variant": Variant::Quaternity,
        "ply": 0,
        "turn": letter_of(&position.turn)?.to_string(),
        "pieces": pieces,
        "armies": armies,
        "passes": 0,
        "offer": null,
        "outcome": null,
    });
    // Loaded once, so that it also has what the rules add (`left`).
    let game = Game::load(&document).map_err(|why| BadSnapshot::Shape(format!("initial: {why}")))?;
    Ok((game.document(), committed_squares))
}

fn read_pawn(
    state: &Pawn,
    army: char,
    square: &str,
    committed_squares: &mut BTreeSet<String>,
) -> Result<char, BadSnapshot> {
    let direction = |name: &str| match DIRECTIONS.iter().find(|known| known.1 == name) {
        Some(known) => Ok(known.0),
        None => shape(format!("{square}: no direction {}", name.escape_debug())),
    };
    match state {
        Pawn::Ordinary { direction: name } => direction(name),
        Pawn::Advanced { vertical, horizontal, committed } => {
            let own = ARMIES.iter().find(|known| known.0 == army);
            let axes = (direction(vertical)?, direction(horizontal)?);
            if own.is_none_or(|own| axes != (own.2, own.3)) {
                return shape(format!("{square}: these are not the directions of its army"));
            }
            match committed {
                None => Ok('*'),
                Some(name) => {
                    committed_squares.insert(square.to_owned());
                    direction(name)
                }
            }
        }
    }
}

fn read_step(step: &Step) -> Result<String, BadSnapshot> {
    Ok(match step {
        Step::Move { from, to, promotion: None } => format!("{from}-{to}"),
        Step::Move { from, to, promotion: Some(name) } => match PIECES.iter().find(|known| known.1 == name) {
            Some(known) => format!("{from}-{to}={}", known.0),
            None => return shape(format!("no piece {}", name.escape_debug())),
        },
        Step::Pass {} => "pass".to_owned(),
        Step::DrawProposal {} => "offer".to_owned(),
        Step::DrawResponse { player, accept: true } => format!("accept:{}", letter_of(player)?),
        Step::DrawResponse { player, accept: false } => format!("decline:{}", letter_of(player)?),
        Step::Freeze { action, player } => {
            let word = match action.as_str() {
                "resign" => "resign",
                "time-loss" => "timeout",
                "walkover" => "leave",
                other => return shape(format!("no freeze {}", other.escape_debug())),
            };
            format!("{word}:{}", letter_of(player)?)
        }
    })
}
