//! FEN4 as a position document.

use serde_json::{Map, Value, json};

use super::board::read_board;
use super::extras::{Extra, Extras, foreign, parse_extras, without_blanks};
use super::{BadFen4, COLOURS, Imported, MAX_LENGTH, bad, letters, named_rules};
use crate::Variant;
use crate::piece::Piece;
use crate::rules::{EnPassant, Rules, Side};
use crate::seat::Seat;
use crate::square::Square;

/// Reads a position as one of the game that its own mark names, else of `variant`, without judging it: `Game::load` does.
///
/// # Errors
/// The text has not the shape of FEN4, names unknown pieces or rules, or the variant has no 14×14 board.
pub fn read(text: &str, variant: Variant) -> Result<Imported, BadFen4> {
    if text.len() > MAX_LENGTH {
        return bad(format!("longer than {MAX_LENGTH} characters"));
    }
    let text = without_blanks(text);
    let Some((head, board)) = text.rsplit_once('-') else { return bad("no fields separated by -") };
    let (head, extras) = match head.split_once("-{") {
        Some((head, extras)) => {
            (head, extras.strip_suffix('}').ok_or_else(|| BadFen4("extras without }".into()))?)
        }
        None => (head, ""),
    };
    let fields: Vec<&str> = head.split('-').collect();
    let &[turn, dead, castle_k, castle_q, points, halfmove] = fields.as_slice() else {
        return bad(format!("{} fields before the board where 6 are expected", fields.len()));
    };
    let mut dropped = Vec::new();
    let extras = parse_extras(extras)?;
    let variant = match extras.get("ruleset") {
        Some(mark) => named_rules(&mark.text).map_err(BadFen4)?,
        None => variant,
    };
    let Some(letters) = letters(variant) else {
        return bad(format!("FEN4 describes 14×14 boards; {variant} is played on another one"));
    };
    let turn = COLOURS.iter().position(|c| turn.chars().eq([*c]));
    let Some(turn) = turn else { return bad("the turn is none of R, B, Y, G") };
    let dead = flags(dead, "dead")?;
    let castle_k = flags(castle_k, "castling")?;
    let castle_q = flags(castle_q, "castling")?;
    let points = numbers(points, "points")?;
    let Ok(quiet) = halfmove.parse::<u32>() else { return bad("the halfmove count is no number") };

    let statuses = extras.get("status").map(Extra::list).unwrap_or_default();
    let status = |i: usize| match statuses.get(i) {
        _ if dead[i] => "fallen",
        Some(status) if !status.is_empty() => status.as_str(),
        _ => "active",
    };
    let rules = variant.rules();
    let pieces = read_board(board, &letters, rules, &dead, &mut dropped)?;
    let result_points = extras.get("resultPoints").map(Extra::list).unwrap_or_default();

    let mut armies = Map::new();
    for (i, letter) in letters.iter().enumerate() {
        let mut castling = String::new();
        for (side, sign, rights) in [(Side::King, 'K', &castle_k), (Side::Queen, 'Q', &castle_q)] {
            if !rights[i] {
                continue;
            }
            if are_at_home(rules, rules.turn_order[i], side, &pieces) {
                castling.push(sign);
            } else {
                dropped.push(format!(
                    "{letter} cannot castle on the {sign} side from where king and rook stand"
                ));
            }
        }
        let mut army = json!({ "status": status(i), "castling": castling });
        if rules.counts_points() {
            let fixed = result_points.get(i).and_then(|points| points.parse().ok()).unwrap_or(points[i]);
            army["points"] = json!(points[i]);
            army["result_points"] = json!(if status(i) == "active" { points[i] } else { fixed });
        }
        armies.insert(letter.to_string(), army);
    }
    let mut document = json!({
        "variant": variant,
        "ply": extras.get("ply").and_then(|ply| ply.text.parse::<u32>().ok()).unwrap_or(0),
        "turn": letters[turn].to_string(),
        "pieces": pieces,
        "armies": armies,
        "quiet_plies": quiet,
        "offer": extras.get("offer").map(offer),
        "outcome": null,
    });
    read_particulars(&mut document, rules, &letters, &extras, &mut dropped);
    note_the_departed(&extras, &letters, &dead, &mut dropped);
    let (extras, lost) = foreign(&extras);
    dropped.extend(
        lost.iter()
            .map(|key| format!("the extra {}", key.chars().take(40).collect::<String>().escape_debug())),
    );
    Ok(Imported { variant, document, extras, dropped })
}

/// Other programs list who has left play; here only their dead are out of it.
fn note_the_departed(extras: &Extras, letters: &[char; 4], dead: &[bool; 4], dropped: &mut Vec<String>) {
    for (key, what) in [("resigned", "resigned"), ("flagged", "run out of time"), ("stalemated", "no move")] {
        let list = extras.get(key).map(Extra::list).unwrap_or_default();
        for (i, letter) in letters.iter().enumerate() {
            if !dead[i] && list.get(i).is_some_and(|said| said == "true" || said == "1") {
                dropped.push(format!("that {letter} has {what}"));
            }
        }
    }
}

/// Our own offer: who made it, and who has accepted it.
fn offer(extra: &Extra) -> Value {
    let (by, accepted) = extra.text.split_once('/').unwrap_or((&extra.text, ""));
    json!({ "by": by, "accepted": accepted.chars().map(String::from).collect::<Vec<_>>() })
}

/// What only some games have.
fn read_particulars(
    document: &mut Value,
    rules: &Rules,
    letters: &[char; 4],
    extras: &Extras,
    dropped: &mut Vec<String>,
) {
    if rules.en_passant != EnPassant::Unknown {
        document["en_passant"] = Value::Array(en_passant(letters, extras, dropped));
    }
    if rules.has_phases() {
        document["phase"] = json!(extras.get("phase").map_or("war", |phase| phase.text.as_str()));
    }
    if rules.counts_passes() {
        document["passes"] =
            json!(extras.get("passes").and_then(|passes| passes.text.parse::<u32>().ok()).unwrap_or(0));
        if let Some(left) = extras.get("left") {
            let groups = left.text.split('/').filter(|group| !group.is_empty());
            document["left"] =
                groups.map(|group| group.chars().map(|c| json!(c.to_string())).collect::<Value>()).collect();
        }
    }
    if extras.contains_key("gameOver") {
        dropped.push("that the game was over".to_owned());
    }
}

fn en_passant(letters: &[char; 4], extras: &Extras, dropped: &mut Vec<String>) -> Vec<Value> {
    let entries = extras.get("enPassant").map(Extra::list).unwrap_or_default();
    let mut rights = Vec::new();
    for (letter, entry) in letters.iter().zip(&entries) {
        if entry.is_empty() {
            continue;
        }
        match entry.split_once(':') {
            Some((target, pawn)) => {
                rights.push(json!({ "army": letter.to_string(), "target": target, "pawn": pawn }));
            }
            None => dropped.push(format!("the en passant entry {entry}")),
        }
    }
    rights
}

/// Do king and rook stand where the rules let this army castle from?
fn are_at_home(rules: &Rules, army: Seat, side: Side, pieces: &Map<String, Value>) -> bool {
    let stands = |home: Square, piece: Option<Piece>| {
        let there = pieces.get(&home.to_string()).and_then(Value::as_str);
        there.is_some() && there == piece.map(|piece| rules.piece_text(piece))
    };
    rules.castle(army, side).is_some_and(|castle| {
        [castle.king_from, castle.rook_from].into_iter().all(|home| stands(home, rules.start_piece(home)))
    })
}

fn flags(text: &str, what: &str) -> Result<[bool; 4], BadFen4> {
    let values = numbers(text, what)?;
    if values.iter().any(|&value| value > 1) {
        return bad(format!("{what} is not four times 0 or 1"));
    }
    Ok(values.map(|value| value == 1))
}

fn numbers(text: &str, what: &str) -> Result<[u32; 4], BadFen4> {
    let values: Option<Vec<u32>> = text.split(',').map(|part| part.parse().ok()).collect();
    values
        .and_then(|values| values.try_into().ok())
        .ok_or_else(|| BadFen4(format!("{what} is not four numbers")))
}
