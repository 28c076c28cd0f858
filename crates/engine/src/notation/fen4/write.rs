//! A position document as FEN4.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::extras::{foreign, parse_extras, without_blanks};
use super::{COLOURS, EXTRAS_TAG, SIDE, exists, letters, square_name};
use crate::notation::{Script, Unrepresentable};
use crate::{RULES_VERSION, Variant};

/// Writes the last position of a game, with the extras of other programs that it was imported with.
///
/// # Errors
/// The variant has no 14×14 board, the game does not replay, or its tag of extras has not their shape.
pub fn export(script: &Script) -> Result<String, Unrepresentable> {
    let game = script.replay().map_err(|error| Unrepresentable(error.to_string()))?;
    let kept = script.tags.iter().find(|(tag, _)| tag == EXTRAS_TAG).map_or("", |(_, extras)| extras);
    write_with(script.variant, &game.document(), kept)
}

/// Writes a position document of crossfire or kingdoms.
///
/// # Errors
/// The variant has no 14×14 board.
pub fn write(variant: Variant, document: &Value) -> Result<String, Unrepresentable> {
    write_with(variant, document, "")
}

/// Writes a position document beside the extras that were kept of another program's.
pub(crate) fn write_with(variant: Variant, document: &Value, kept: &str) -> Result<String, Unrepresentable> {
    let kept = parse_extras(&without_blanks(kept))
        .map_err(|error| Unrepresentable(format!("{EXTRAS_TAG}: {error}")))?;
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
    let mut extras = extras(document, &letters, &status);
    extras.insert(0, format!("'ruleset':'{variant}/{RULES_VERSION}'"));
    extras.extend(Some(foreign(&kept).0).filter(|kept| !kept.is_empty()));
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
    if let Some(by) = document["offer"]["by"].as_str() {
        let accepted = document["offer"]["accepted"].as_array().into_iter().flatten();
        let accepted: String = accepted.filter_map(Value::as_str).collect();
        extras.push(format!("'offer':'{by}/{accepted}'"));
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
