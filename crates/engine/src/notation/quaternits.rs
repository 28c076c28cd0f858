//! Snapshot v1 of QuaterniTS: quaternity games as its library saves and loads them.
//!
//! Both sides replay: what is read is believed only when our own replay of its actions gives the same log and state.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Script, Unrepresentable};
use crate::{Action, Effect, Game, Variant};

/// Larger documents are refused unread.
const MAX_LENGTH: usize = 4 * 1024 * 1024;
/// Armies in turn order: our letter, their name, their pawns' two directions.
const ARMIES: [(char, &str, char, char); 4] =
    [('w', "white", '^', '>'), ('r', "red", 'v', '>'), ('b', "black", 'v', '<'), ('g', "green", '^', '<')];
const PIECES: [(char, &str); 5] =
    [('K', "king"), ('Q', "queen"), ('R', "rook"), ('B', "bishop"), ('N', "knight")];
const DIRECTIONS: [(char, &str); 4] = [('^', "up"), ('v', "down"), ('<', "left"), ('>', "right")];

/// Why a document is no snapshot that replays.
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
    log: Value,
    state: Value,
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
    state: Option<Pawn>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Pawn {
    Ordinary { direction: String },
    Advanced { vertical: String, horizontal: String, committed: Option<String> },
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum Step {
    Move { from: String, to: String, promotion: Option<String> },
    Pass,
    DrawProposal,
    DrawResponse { player: String, accept: bool },
    Freeze { action: String, player: String },
}

/// Writes a quaternity game.
///
/// # Errors
/// Another variant, actions that do not replay, or one of our endings that the format does not know.
pub fn write(script: &Script) -> Result<Value, Unrepresentable> {
    render(script, &BTreeSet::new())
}

/// Reads a snapshot; `advanced` pawns that have committed are pawns with a direction here.
///
/// # Errors
/// The shape is wrong, an action is not legal, or log or state do not follow from the actions.
pub fn read(text: &str) -> Result<Script, BadSnapshot> {
    if text.len() > MAX_LENGTH {
        return Err(BadSnapshot::Shape(format!("longer than {MAX_LENGTH} characters")));
    }
    let snapshot: Snapshot =
        serde_json::from_str(text).map_err(|error| BadSnapshot::Shape(error.to_string()))?;
    if snapshot.version != 1 {
        return Err(BadSnapshot::Shape(format!("version {} is not supported, only 1", snapshot.version)));
    }
    let (start, committed) = read_position(&snapshot.initial)?;
    let own_start = Game::new(Variant::Quaternity).document();
    let start = (start != own_start).then_some(start);
    let actions = snapshot.actions.iter().map(read_step).collect::<Result<Vec<_>, _>>()?;
    let script = Script { variant: Variant::Quaternity, start, tags: Vec::new(), actions };
    script.replay().map_err(|error| match error {
        super::BadScript::Start(why) => BadSnapshot::Shape(format!("initial: {why}")),
        super::BadScript::Action { index, why, .. } => BadSnapshot::Action { index, why: why.to_string() },
    })?;
    let ours = render(&script, &committed).map_err(|error| BadSnapshot::Disagrees(error.to_string()))?;
    for (name, theirs) in [("log", &snapshot.log), ("state", &snapshot.state)] {
        if ours[name] != *theirs {
            return Err(BadSnapshot::Disagrees(name.to_owned()));
        }
    }
    Ok(script)
}

fn shape<T>(why: impl Into<String>) -> Result<T, BadSnapshot> {
    Err(BadSnapshot::Shape(why.into()))
}

fn letter_of(name: &str) -> Result<char, BadSnapshot> {
    let found = ARMIES.iter().find(|army| army.1 == name);
    found.map_or_else(|| shape(format!("no army {}", name.escape_debug())), |army| Ok(army.0))
}

fn name_of(letter: &str) -> &'static str {
    ARMIES.iter().find(|army| letter.starts_with(army.0)).map_or("", |army| army.1)
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
    // Loaded once, so that what the rules add (`left`) stands in it too.
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
        Step::Pass => "pass".to_owned(),
        Step::DrawProposal => "offer".to_owned(),
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

/// The whole document. `committed` are squares of the start whose pawns were advanced ones that have committed; all
/// other pawns with a direction are written as ordinary.
fn render(script: &Script, committed: &BTreeSet<String>) -> Result<Value, Unrepresentable> {
    if script.variant != Variant::Quaternity {
        return Err(Unrepresentable(format!("snapshots hold quaternity games, not {}", script.variant)));
    }
    let unfit = |why: String| Unrepresentable(why);
    let mut game = script.start_game().map_err(|error| unfit(error.to_string()))?;
    let mut advanced: BTreeSet<String> = committed.clone();
    let start = game.document();
    for (square, piece) in start["pieces"].as_object().into_iter().flatten() {
        if piece.as_str().is_some_and(|piece| piece.ends_with('*')) {
            advanced.insert(square.clone());
        }
    }
    let mut turn = start["turn"].as_str().unwrap_or("w").to_owned();
    let initial = position(&start, &turn, &advanced);
    let (mut actions, mut log) = (Vec::new(), Vec::new());
    for (i, text) in script.actions.iter().enumerate() {
        let before = game.document();
        let action = Action::parse(script.variant, text).map_err(|error| unfit(error.to_string()))?;
        let played =
            game.act(&action).map_err(|error| unfit(format!("action {}: {text}: {error}", i + 1)))?;
        let rules = script.variant.rules();
        let fallen: Vec<char> = played
            .effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Fell { army, .. } => Some(rules.letter(*army)),
                _ => None,
            })
            .collect();
        let after = game.document();
        let actor = turn.clone();
        turn = next_turn(&before, &after, &actor, &action)?;
        let (step, event) = event(&before, &after, text, &actor, &turn, &fallen, &mut advanced);
        actions.push(step);
        log.push(event);
    }
    let end = game.document();
    let reason = end["outcome"]["reason"].as_str();
    let outcome = match reason {
        None => json!({ "kind": "in-progress" }),
        Some("last_active") => json!({ "kind": "winner", "winner": name_of(&turn) }),
        Some("stalemate" | "agreement") => json!({ "kind": "draw" }),
        Some(other) => return Err(unfit(format!("QuaterniTS has no ending `{other}`"))),
    };
    let offer = match end["offer"].as_object() {
        Some(offer) => json!({
            "proposer": name_of(offer["by"].as_str().unwrap_or("")),
            "acceptedBy": names(&offer["accepted"]),
        }),
        None => Value::Null,
    };
    Ok(json!({
        "version": 1,
        "initial": initial,
        "actions": actions,
        "log": log,
        "state": {
            "position": position(&end, &turn, &advanced),
            "pendingDraw": offer,
            "drawAgreed": reason == Some("agreement"),
            "outcome": outcome,
        },
    }))
}

fn names(letters: &Value) -> Vec<&'static str> {
    letters.as_array().into_iter().flatten().filter_map(Value::as_str).map(name_of).collect()
}

/// Who is on turn for QuaterniTS, which names someone after the end as well: the winner, or whoever would be next.
fn next_turn(before: &Value, after: &Value, actor: &str, action: &Action) -> Result<String, Unrepresentable> {
    if let Some(turn) = after["turn"].as_str() {
        return Ok(turn.to_owned());
    }
    if after["outcome"]["reason"] == "last_active" {
        let winner = after["outcome"]["winners"][0].as_str();
        return winner.map(str::to_owned).ok_or_else(|| Unrepresentable("a win without a winner".into()));
    }
    let advances = match action {
        Action::Offer | Action::Accept(_) | Action::Decline(_) => false,
        Action::Resign(_) | Action::Timeout(_) | Action::Leave(_) => {
            before["armies"][actor]["status"] != after["armies"][actor]["status"]
        }
        Action::Move(_) | Action::Pass | Action::Random(_) => true,
    };
    if !advances {
        return Ok(actor.to_owned());
    }
    let at = ARMIES.iter().position(|army| actor.starts_with(army.0)).unwrap_or(0);
    let next = (1..=ARMIES.len()).map(|step| ARMIES[(at + step) % ARMIES.len()].0.to_string());
    let mut active = next.filter(|letter| after["armies"][letter.as_str()]["status"] == "active");
    active.next().ok_or_else(|| Unrepresentable("nobody is active".into()))
}

fn position(document: &Value, turn: &str, advanced: &BTreeSet<String>) -> Value {
    let mut pieces: Vec<(&String, &str)> = document["pieces"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(square, piece)| Some((square, piece.as_str()?)))
        .collect();
    let place = |square: &str| (square.as_bytes()[0], square[1..].parse::<u32>().unwrap_or(0));
    pieces.sort_by_key(|(square, _)| place(square));
    let entry = |(square, text): (&String, &str)| {
        let mut entry = piece(text, advanced.contains(square));
        entry["square"] = json!(square);
        entry
    };
    let per_army = |key: &str, name: bool| -> Value {
        let of = |letter: char| {
            let value = document["armies"][letter.to_string()][key].as_str().unwrap_or("");
            if name { json!(name_of(value)) } else { json!(value) }
        };
        ARMIES.iter().map(|army| (army.1.to_owned(), of(army.0))).collect::<serde_json::Map<_, _>>().into()
    };
    json!({
        "pieces": pieces.into_iter().map(entry).collect::<Vec<_>>(),
        "controllers": per_army("controller", true),
        "players": per_army("status", false),
        "turn": name_of(turn),
    })
}

fn piece(text: &str, is_advanced: bool) -> Value {
    let kind = text.chars().nth(1).unwrap_or(' ');
    let state = text.chars().nth(2).map(|mark| pawn_state(text, mark, is_advanced));
    let name = PIECES.iter().find(|known| known.0 == kind).map_or("pawn", |known| known.1);
    json!({ "army": name_of(text), "type": name, "state": state })
}

fn pawn_state(text: &str, mark: char, is_advanced: bool) -> Value {
    let direction = |mark: char| DIRECTIONS.iter().find(|known| known.0 == mark).map(|known| known.1);
    if !is_advanced {
        return json!({ "kind": "ordinary", "direction": direction(mark) });
    }
    let own = ARMIES.iter().find(|army| text.starts_with(army.0)).unwrap_or(&ARMIES[0]);
    json!({
        "kind": "advanced",
        "vertical": direction(own.2),
        "horizontal": direction(own.3),
        "committed": direction(mark),
    })
}

fn event(
    before: &Value,
    after: &Value,
    text: &str,
    actor: &str,
    turn: &str,
    fallen: &[char],
    advanced: &mut BTreeSet<String>,
) -> (Value, Value) {
    let selection = if after["outcome"]["reason"] == "last_active" {
        json!({ "kind": "winner", "winner": name_of(turn) })
    } else {
        json!({ "kind": "next", "player": name_of(turn) })
    };
    if let Some((word, player)) = text.split_once(':') {
        let player = name_of(player);
        let answer = |accept: bool| json!({ "kind": "draw-response", "player": player, "accept": accept });
        let action = match word {
            "accept" => return (answer(true), answer(true)),
            "decline" => return (answer(false), answer(false)),
            "resign" => "resign",
            "timeout" => "time-loss",
            _ => "walkover",
        };
        let step = json!({ "kind": "freeze", "action": action, "player": player });
        let mut event = step.clone();
        event["selection"] = selection;
        return (step, event);
    }
    match text {
        "pass" => (
            json!({ "kind": "pass" }),
            json!({ "kind": "pass", "player": name_of(actor), "selection": selection }),
        ),
        "offer" => (
            json!({ "kind": "draw-proposal" }),
            json!({ "kind": "draw-proposal", "proposer": name_of(actor) }),
        ),
        _ => move_event(before, text, actor, &selection, fallen, advanced),
    }
}

fn move_event(
    before: &Value,
    text: &str,
    actor: &str,
    selection: &Value,
    fallen: &[char],
    advanced: &mut BTreeSet<String>,
) -> (Value, Value) {
    let (squares, promotion) =
        text.split_once('=').map_or((text, None), |(squares, kind)| (squares, Some(kind)));
    let (from, to) = squares.split_once('-').unwrap_or((squares, ""));
    let promotion =
        promotion.and_then(|kind| PIECES.iter().find(|known| kind.starts_with(known.0))).map(|known| known.1);
    let mover = before["pieces"][from].as_str().unwrap_or("");
    let was_advanced = advanced.remove(from);
    let captured = before["pieces"][to].as_str().map(|text| piece(text, advanced.remove(to)));
    let pawn = mover.chars().nth(2).map(|mark| {
        let after_mark = if mark == '*' { commitment(mover, from, to) } else { mark };
        json!({
            "before": pawn_state(mover, mark, was_advanced),
            "after": pawn_state(mover, after_mark, was_advanced),
        })
    });
    if was_advanced && promotion.is_none() {
        advanced.insert(to.to_owned());
    }
    let step = json!({ "kind": "move", "from": from, "to": to, "promotion": promotion });
    let event = json!({
        "kind": "move",
        "from": from,
        "to": to,
        "army": name_of(mover),
        "controller": name_of(actor),
        "promotes": promotion.is_some(),
        "promotion": promotion,
        "captured": captured,
        "pawn": pawn,
        "awards": awards(fallen, actor),
        "selection": selection,
    });
    (step, event)
}

/// What an uncommitted pawn's move makes of it: one step or side capture commits it to the direction of its army that the
/// displacement contains, a capture towards the centre contains both and leaves it free. // rules/quaternity, Moves
fn commitment(mover: &str, from: &str, to: &str) -> char {
    let own = ARMIES.iter().find(|army| mover.starts_with(army.0)).unwrap_or(&ARMIES[0]);
    let rank = |square: &str| square[1..].parse::<i32>().unwrap_or(0);
    let rises = (rank(to) - rank(from)).signum() == if own.2 == '^' { 1 } else { -1 };
    let sideways = i32::from(to.as_bytes()[0]) - i32::from(from.as_bytes()[0]);
    let advances = sideways.signum() == if own.3 == '>' { 1 } else { -1 };
    match (rises, advances) {
        (true, true) => '*',
        (true, false) => own.2,
        (false, _) => own.3,
    }
}

/// One award for each king that fell, in the order in which the batches took them.
fn awards(fallen: &[char], actor: &str) -> Vec<Value> {
    let award = |letter: &char| {
        let army = name_of(&letter.to_string());
        json!({ "kingId": army, "army": army, "to": name_of(actor) })
    };
    fallen.iter().map(award).collect()
}
