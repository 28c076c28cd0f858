//! FEN4: one position of a 14×14 game as one line, as four-player analysis boards and engines read it.
//!
//! The writer is strict and loses nothing: what the format has no field for stands in its extras, under keys of our own.
//! The reader is tolerant: it takes positions of other programs' free-for-all games as analysis positions and says what
//! it had to drop.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::Unrepresentable;
use crate::Variant;

/// Files and ranks of the board that FEN4 describes.
const SIDE: usize = 14;
/// Colours in the order of every list in the format.
const COLOURS: [char; 4] = ['R', 'B', 'Y', 'G'];
/// Larger texts are refused unread; a full board needs about 1,000 characters.
const MAX_LENGTH: usize = 16 * 1024;

/// A position read from FEN4.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The position document, to be loaded by `Game::load`.
    pub document: Value,
    /// What the text says and the variant cannot: one sentence each.
    pub dropped: Vec<String>,
}

/// Why a text is no FEN4.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadFen4(pub String);

fn bad<T>(why: impl Into<String>) -> Result<T, BadFen4> {
    Err(BadFen4(why.into()))
}

/// The army letters of a variant in the order Red, Blue, Yellow, Green.
pub(super) fn letters(variant: Variant) -> Option<[char; 4]> {
    let rules = variant.rules();
    if usize::from(rules.width()) != SIDE || usize::from(rules.height()) != SIDE {
        return None;
    }
    let mut letters = [' '; 4];
    for (slot, &seat) in letters.iter_mut().zip(rules.turn_order) {
        *slot = rules.letter(seat);
    }
    Some(letters)
}

/// Writes a position document of crossfire or kingdoms.
///
/// # Errors
/// The variant has no 14×14 board.
pub fn write(variant: Variant, document: &Value) -> Result<String, Unrepresentable> {
    let letters = letters(variant).ok_or_else(|| {
        Unrepresentable(format!("FEN4 describes 14×14 boards; {variant} is played on another one"))
    })?;
    let army = |letter: char| &document["armies"][letter.to_string()];
    let status = |letter: char| army(letter)["status"].as_str().unwrap_or("active");
    let list = |of: &dyn Fn(char) -> String| letters.map(of).join(",");

    let turn = document["turn"].as_str().and_then(|turn| turn.chars().next());
    let turn = letters.iter().position(|&letter| Some(letter) == turn).unwrap_or(0);
    let castling = |side: char| {
        list(&|letter| u8::from(army(letter)["castling"].as_str().unwrap_or("").contains(side)).to_string())
    };
    let mut text = format!(
        "{}-{}-{}-{}-{}-{}-",
        COLOURS[turn],
        list(&|letter| u8::from(status(letter) == "fallen").to_string()),
        castling('K'),
        castling('Q'),
        list(&|letter| army(letter)["points"].as_u64().unwrap_or(0).to_string()),
        document["quiet_plies"],
    );
    let extras = extras(document, &letters, &status);
    let _ = write!(text, "{{{}}}-", extras.join(","));
    text.push_str(&rows(document, &letters, &status));
    Ok(text)
}

fn extras<'a>(document: &Value, letters: &[char; 4], status: &dyn Fn(char) -> &'a str) -> Vec<String> {
    let quoted = |values: [String; 4]| format!("({})", values.map(|value| format!("'{value}'")).join(","));
    let mut extras = Vec::new();
    if let Some(rights) = document["en_passant"].as_array().filter(|rights| !rights.is_empty()) {
        let of = |letter: char| {
            let right =
                rights.iter().find(|right| right["army"].as_str() == Some(letter.to_string().as_str()));
            right.map_or(String::new(), |right| {
                format!("{}:{}", right["target"].as_str().unwrap_or(""), right["pawn"].as_str().unwrap_or(""))
            })
        };
        extras.push(format!("'enPassant':{}", quoted(letters.map(of))));
    }
    if letters.iter().any(|&letter| !matches!(status(letter), "active" | "fallen")) {
        extras.push(format!("'status':{}", quoted(letters.map(|letter| status(letter).to_owned()))));
    }
    let result = |letter: char| document["armies"][letter.to_string()]["result_points"].as_u64();
    if letters.iter().any(|&l| result(l) != document["armies"][l.to_string()]["points"].as_u64()) {
        let values = letters.map(|letter| result(letter).unwrap_or(0).to_string());
        extras.push(format!("'resultPoints':({})", values.join(",")));
    }
    extras.push(format!("'ply':{}", document["ply"]));
    if document["phase"] == "ultimatum" {
        extras.push("'phase':'ultimatum'".to_owned());
    }
    if document["passes"].as_u64().is_some_and(|passes| passes > 0) {
        extras.push(format!("'passes':{}", document["passes"]));
    }
    if let Some(groups) = document["left"].as_array().filter(|groups| !groups.is_empty()) {
        let group = |group: &Value| {
            group.as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join("")
        };
        extras.push(format!("'left':'{}'", groups.iter().map(group).collect::<Vec<_>>().join("/")));
    }
    if let Some(reason) = document["outcome"]["reason"].as_str() {
        extras.push(format!("'gameOver':'{reason}'"));
    }
    extras
}

fn rows<'a>(document: &Value, letters: &[char; 4], status: &dyn Fn(char) -> &'a str) -> String {
    let empty = Map::new();
    let pieces = document["pieces"].as_object().unwrap_or(&empty);
    let cell = |file: usize, rank: usize| -> Option<String> {
        if !exists(file, rank) {
            return Some("x".to_owned());
        }
        let piece = pieces.get(&square_name(file, rank))?.as_str()?;
        let (army, kind) = piece.split_at(1);
        let army = army.chars().next()?;
        let colour = COLOURS[letters.iter().position(|&letter| letter == army)?].to_ascii_lowercase();
        // The promoted queen of one point is a D in this format.
        let kind = if kind == "Q+" { "D" } else { kind };
        let dead = if status(army) == "fallen" { "d" } else { "" };
        Some(format!("{dead}{colour}{kind}"))
    };
    let row = |rank: usize| {
        let mut cells: Vec<String> = Vec::new();
        let mut run = 0;
        for file in 0..SIDE {
            match cell(file, rank) {
                None => run += 1,
                Some(text) => {
                    if run > 0 {
                        cells.push(std::mem::take(&mut run).to_string());
                    }
                    cells.push(text);
                }
            }
        }
        if run > 0 {
            cells.push(run.to_string());
        }
        cells.join(",")
    };
    (0..SIDE).rev().map(row).collect::<Vec<_>>().join("/")
}

fn exists(file: usize, rank: usize) -> bool {
    (3..11).contains(&file) || (3..11).contains(&rank)
}

fn square_name(file: usize, rank: usize) -> String {
    format!("{}{}", char::from(b'a' + file as u8), rank + 1)
}

/// Reads a position as one of `variant`, without judging it: `Game::load` does.
///
/// # Errors
/// The text has not the shape of FEN4, names unknown pieces, or the variant has no 14×14 board.
pub fn read(text: &str, variant: Variant) -> Result<Imported, BadFen4> {
    if text.len() > MAX_LENGTH {
        return bad(format!("longer than {MAX_LENGTH} characters"));
    }
    let Some(letters) = letters(variant) else {
        return bad(format!("FEN4 describes 14×14 boards; {variant} is played on another one"));
    };
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
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
    let pieces = read_rows(board, &letters, variant, &dead, &mut dropped)?;
    let home = |i: usize, side: char| at_home(variant, &letters, i, side, &pieces);
    let counts_points = variant.rules().counts_points();
    let result_points = extras.get("resultPoints").map(Extra::list).unwrap_or_default();

    let mut armies = Map::new();
    for (i, letter) in letters.iter().enumerate() {
        let mut castling = String::new();
        for (side, rights) in [('K', &castle_k), ('Q', &castle_q)] {
            if !rights[i] {
                continue;
            }
            if home(i, side) {
                castling.push(side);
            } else {
                dropped.push(format!(
                    "{letter} cannot castle on the {side} side from where king and rook stand"
                ));
            }
        }
        let mut army = json!({ "status": status(i), "castling": castling });
        if counts_points {
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
        "offer": null,
        "outcome": null,
    });
    read_particulars(&mut document, variant, &letters, &extras, &mut dropped);
    Ok(Imported { document, dropped })
}

/// What only some games have, taken over where the start position of the variant has it.
fn read_particulars(
    document: &mut Value,
    variant: Variant,
    letters: &[char; 4],
    extras: &BTreeMap<String, Extra>,
    dropped: &mut Vec<String>,
) {
    let start = crate::Game::new(variant).document();
    if start.get("en_passant").is_some() {
        document["en_passant"] = Value::Array(en_passant(letters, extras, dropped));
    }
    if start.get("phase").is_some() {
        document["phase"] = json!(extras.get("phase").map_or("war", |phase| phase.text.as_str()));
    }
    if start.get("passes").is_some() {
        document["passes"] =
            json!(extras.get("passes").and_then(|passes| passes.text.parse::<u32>().ok()).unwrap_or(0));
    }
    if start.get("left").is_some()
        && let Some(left) = extras.get("left")
    {
        let groups = left.text.split('/').filter(|group| !group.is_empty());
        document["left"] =
            groups.map(|group| group.chars().map(|c| json!(c.to_string())).collect::<Value>()).collect();
    }
    if extras.contains_key("gameOver") {
        dropped.push("that the game was over".to_owned());
    }
}

fn en_passant(
    letters: &[char; 4],
    extras: &BTreeMap<String, Extra>,
    dropped: &mut Vec<String>,
) -> Vec<Value> {
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

/// Whether king and rook stand where the variant lets this army castle from.
fn at_home(
    variant: Variant,
    letters: &[char; 4],
    army: usize,
    side: char,
    pieces: &Map<String, Value>,
) -> bool {
    let start = crate::Game::new(variant).document();
    let own = |kind: char| format!("{}{kind}", letters[army]);
    let Some(home) = start["pieces"].as_object() else { return false };
    let on = |name: &str, kind: char| pieces.get(name).and_then(Value::as_str) == Some(own(kind).as_str());
    let Some(king) = home.iter().find(|(_, piece)| piece.as_str() == Some(own('K').as_str())) else {
        return false;
    };
    let mut rooks: Vec<(usize, &String)> = home
        .iter()
        .filter(|(_, piece)| piece.as_str() == Some(own('R').as_str()))
        .map(|(name, _)| (distance(name, king.0), name))
        .collect();
    rooks.sort();
    let rook = if side == 'K' { rooks.first() } else { rooks.last() };
    on(king.0, 'K') && rook.is_some_and(|(_, rook)| on(rook, 'R'))
}

fn distance(a: &str, b: &str) -> usize {
    let parse = |name: &str| -> (usize, usize) {
        let (file, rank) = name.split_at(1);
        (usize::from(file.as_bytes()[0]), rank.parse().unwrap_or(0))
    };
    let (a, b) = (parse(a), parse(b));
    a.0.abs_diff(b.0) + a.1.abs_diff(b.1)
}

fn read_rows(
    board: &str,
    letters: &[char; 4],
    variant: Variant,
    dead: &[bool; 4],
    dropped: &mut Vec<String>,
) -> Result<Map<String, Value>, BadFen4> {
    let rows: Vec<&str> = board.split('/').collect();
    if rows.len() != SIDE {
        return bad(format!("{} rows where {SIDE} are expected", rows.len()));
    }
    let mut pieces = Map::new();
    for (i, row) in rows.iter().enumerate() {
        let rank = SIDE - 1 - i;
        let mut file = 0;
        for cell in row.split(',') {
            if let Ok(run) = cell.parse::<usize>() {
                if run == 0 || run > SIDE {
                    return bad(format!("row {}: a run of {run}", rank + 1));
                }
                file += run;
            } else if cell == "x" {
                file += 1;
            } else {
                if file >= SIDE || !exists(file, rank) {
                    return bad(format!("row {}: {cell} stands off the board", rank + 1));
                }
                let name = square_name(file, rank);
                let piece = read_piece(cell, letters, variant, dead, dropped)
                    .ok_or_else(|| BadFen4(format!("{name}: no piece {}", cell.escape_debug())))?;
                pieces.insert(name, Value::String(piece));
                file += 1;
            }
        }
        if file != SIDE {
            return bad(format!("row {}: {file} squares where {SIDE} are expected", rank + 1));
        }
    }
    Ok(pieces)
}

fn read_piece(
    cell: &str,
    letters: &[char; 4],
    variant: Variant,
    dead: &[bool; 4],
    dropped: &mut Vec<String>,
) -> Option<String> {
    let mut chars: Vec<char> = cell.chars().collect();
    let index = |c: char| COLOURS.iter().position(|colour| colour.to_ascii_lowercase() == c);
    let is_dead = chars.len() > 1 && chars[0] == 'd';
    if chars.is_empty() {
        return None;
    }
    if is_dead {
        chars.remove(0);
    }
    let army = match (index(chars[0]), is_dead) {
        (Some(army), _) if chars.len() == 2 => {
            chars.remove(0);
            army
        }
        // A dead piece without a colour goes to an army that is dead.
        (_, true) if chars.len() == 1 => dead.iter().position(|&dead| dead)?,
        _ => return None,
    };
    let &[kind] = chars.as_slice() else { return None };
    let kind = match kind {
        'K' | 'Q' | 'R' | 'B' | 'N' | 'P' => kind.to_string(),
        'D' if variant.rules().counts_points() => "Q+".to_owned(),
        'D' => {
            dropped.push("that a queen was promoted".to_owned());
            "Q".to_owned()
        }
        _ => return None,
    };
    Some(format!("{}{kind}", letters[army]))
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

/// One value of the extras: a word, a number or a list in round brackets.
#[derive(Debug)]
struct Extra {
    text: String,
}

impl Extra {
    fn list(&self) -> Vec<String> {
        let inner = self.text.trim_start_matches('(').trim_end_matches(')');
        inner.split(',').map(|part| part.trim_matches('\'').to_owned()).collect()
    }
}

/// Reads `'key':value,…`; a value is quoted text, a word, or a bracketed list. Unknown keys are carried along.
fn parse_extras(text: &str) -> Result<BTreeMap<String, Extra>, BadFen4> {
    let mut extras = BTreeMap::new();
    for part in split_outside(text) {
        if part.is_empty() {
            continue;
        }
        let Some((key, value)) = part.split_once(':') else { return bad("an extra without a value") };
        let quoted = value.starts_with('\'') && value.len() > 1;
        let value = if quoted { value.trim_matches('\'') } else { value };
        extras.insert(key.trim_matches(['\'', '"']).to_owned(), Extra { text: value.to_owned() });
    }
    Ok(extras)
}

/// Splits at the commas that stand outside brackets and quotes.
fn split_outside(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut quoted, mut begun) = (0_usize, false, 0);
    for (at, c) in text.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                parts.push(&text[begun..at]);
                begun = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begun..]);
    parts
}
