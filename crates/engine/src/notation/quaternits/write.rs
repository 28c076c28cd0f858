//! A script as a snapshot.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{ARMIES, COMMITTED, DIRECTIONS, PIECES};
use crate::notation::{Script, Unrepresentable};
use crate::{Action, Effect, Game, Variant};

/// Writes a quaternity game. What [`left_out`] names is not in it. Of the pawns that have a direction at the start,
/// those that a tag `Committed` names are written as advanced ones, all others as ordinary: no difference to the rules.
///
/// # Errors
/// Another variant, actions that do not replay, one of our endings that the format does not know, a tag that names other
/// squares, or a start that has ended, has an offer or follows passes: there a snapshot has no place for these.
pub fn write(script: &Script) -> Result<Value, Unrepresentable> {
    if script.variant != Variant::Quaternity {
        return Err(Unrepresentable(format!("snapshots hold quaternity games, not {}", script.variant)));
    }
    let mut game = script.start_game().map_err(|error| unfit(&error))?;
    let start = game.document();
    refuse_unfit_start(&start)?;
    let mut advanced = committed(script, &start)?;
    for (square, piece) in start["pieces"].as_object().into_iter().flatten() {
        if piece.as_str().is_some_and(|piece| piece.ends_with('*')) {
            advanced.insert(square.clone());
        }
    }
    let mut turn = start["turn"].as_str().unwrap_or("w").to_owned();
    let initial = position(&start, &turn, &advanced);
    let (actions, log) = play(script, &mut game, &mut turn, &mut advanced)?;
    let end = game.document();
    Ok(json!({
        "version": 1,
        "initial": initial,
        "actions": actions,
        "log": log,
        "state": {
            "position": position(&end, &turn, &advanced),
            "pendingDraw": pending_draw(&end),
            "drawAgreed": end["outcome"]["reason"] == "agreement",
            "outcome": outcome(&end, &turn)?,
        },
    }))
}

fn unfit(why: &impl ToString) -> Unrepresentable {
    Unrepresentable(why.to_string())
}

/// The start of a snapshot is a position with nothing before it.
fn refuse_unfit_start(start: &Value) -> Result<(), Unrepresentable> {
    for (key, nothing, what) in [
        ("outcome", Value::Null, "end"),
        ("offer", Value::Null, "pending offer"),
        ("passes", json!(0), "passes before it"),
    ] {
        if start[key] != nothing {
            let why = format!("the initial position of a snapshot has no {what}: `{key}` would be lost");
            return Err(Unrepresentable(why));
        }
    }
    Ok(())
}

/// Plays the actions, and gives each as a step and as an entry of the log.
fn play(
    script: &Script,
    game: &mut Game,
    turn: &mut String,
    advanced: &mut BTreeSet<String>,
) -> Result<(Vec<Value>, Vec<Value>), Unrepresentable> {
    let rules = script.variant.rules();
    let (mut actions, mut log) = (Vec::new(), Vec::new());
    for (i, text) in script.actions.iter().enumerate() {
        let before = game.document();
        let action = Action::parse(script.variant, text).map_err(|error| unfit(&error))?;
        let played = game.act(&action);
        let played = played.map_err(|error| unfit(&format!("action {}: {text}: {error}", i + 1)))?;
        let fell = |effect: &Effect| match effect {
            Effect::Fell { army, .. } => Some(rules.letter(*army)),
            _ => None,
        };
        let fallen: Vec<char> = played.effects.iter().filter_map(fell).collect();
        let after = game.document();
        let actor = turn.clone();
        *turn = next_turn(&before, &after, &actor, &action)?;
        let (step, event) = event(&before, &after, text, &actor, turn, &fallen, advanced);
        actions.push(step);
        log.push(event);
    }
    Ok((actions, log))
}

fn outcome(end: &Value, turn: &str) -> Result<Value, Unrepresentable> {
    Ok(match end["outcome"]["reason"].as_str() {
        None => json!({ "kind": "in-progress" }),
        Some("last_active") => json!({ "kind": "winner", "winner": name_of(turn) }),
        Some("stalemate" | "agreement") => json!({ "kind": "draw" }),
        Some(other) => return Err(unfit(&format!("QuaterniTS has no ending `{other}`"))),
    })
}

fn pending_draw(end: &Value) -> Value {
    match end["offer"].as_object() {
        Some(offer) => json!({
            "proposer": name_of(offer["by"].as_str().unwrap_or("")),
            "acceptedBy": names(&offer["accepted"]),
        }),
        None => Value::Null,
    }
}

/// What the format has no place for and [`read`](super::read) sets anew, in words.
#[must_use]
pub fn left_out(script: &Script) -> Vec<&'static str> {
    let start = script.start.as_ref();
    let ply = start.is_some_and(|start| start["ply"] != 0);
    let order = start.is_some_and(|start| start["left"].as_array().is_some_and(|groups| groups.len() > 1));
    [
        (ply, "how many plies were played before the start"),
        (order, "in which order the players left before it"),
    ]
    .into_iter()
    .filter_map(|(is_lost, what)| is_lost.then_some(what))
    .collect()
}

/// The squares of the tag `Committed`.
fn committed(script: &Script, start: &Value) -> Result<BTreeSet<String>, Unrepresentable> {
    let tags = script.tags.iter().filter(|(name, _)| name == COMMITTED);
    let squares = tags.flat_map(|(_, squares)| squares.split_whitespace());
    let checked = squares.map(|square| {
        let mark = start["pieces"][square].as_str().and_then(|piece| piece.chars().nth(2));
        match mark {
            Some(mark) if mark != '*' => Ok(square.to_owned()),
            _ => Err(Unrepresentable(format!(
                "the tag `{COMMITTED}` names `{}`, where no pawn with a direction stands",
                square.escape_debug()
            ))),
        }
    });
    checked.collect()
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

fn name_of(letter: &str) -> &'static str {
    ARMIES.iter().find(|army| letter.starts_with(army.0)).map_or("", |army| army.1)
}
