//! Writing PGN4.

use std::fmt::Write as _;

use serde_json::Value;

use super::super::{Script, Unrepresentable, fen4};
use super::{COLOURS, file_and_rank, is_tag_name};
use crate::{Action, Choice, Game, RULES_VERSION, Variant};

/// Writes a game of crossfire or kingdoms.
///
/// # Errors
/// The variant has no 14×14 board, a tag has a name that PGN4 cannot write, or the actions do not replay.
pub fn write(script: &Script) -> Result<String, Unrepresentable> {
    let letters = fen4::letters(script.variant).ok_or_else(|| {
        Unrepresentable(format!(
            "PGN4 describes games on 14×14 boards; {} is played on another one",
            script.variant
        ))
    })?;
    let mut game = script.start_game().map_err(|error| Unrepresentable(error.to_string()))?;
    let mut moves = String::new();
    let mut round = 0;
    let mut last: Option<usize> = None;
    // Who leaves on turn still has that turn, but no second slot for it.
    let mut left: Option<&str> = None;
    for (i, text) in script.actions.iter().enumerate() {
        let order = game
            .turn()
            .and_then(|turn| letters.iter().position(|&l| l == script.variant.rules().letter(turn)));
        let is_gone = game.turn().is_some_and(|turn| !game.is_active(turn));
        let action =
            Action::parse(script.variant, text).map_err(|error| Unrepresentable(error.to_string()))?;
        let mut word = word(&mut game, &action, text)?;
        let has_slot = match action {
            Action::Offer | Action::Accept(_) | Action::Decline(_) => false,
            Action::Resign(_) | Action::Timeout(_) | Action::Leave(_) => {
                let on_turn = is_on_turn(script.variant, &letters, order, &action);
                let next = script.actions.get(i + 1).map_or("", String::as_str);
                if on_turn && next.starts_with("random:") && next != "random:pass" {
                    // The slot shows what moves on the board; the remark says that its player has left.
                    left = Some(text);
                    continue;
                }
                on_turn
            }
            // Whoever is gone is passed over without a slot.
            Action::Pass | Action::Random(None) => !is_gone,
            Action::Move(_) | Action::Random(Some(_)) => true,
        };
        if let Some(left) = left.take() {
            let (shown, _) = word.split_once(' ').unwrap_or((&word, ""));
            word = format!("{shown} {{[%act {left}]}} {{[%also {text}]}}");
        }
        if !has_slot {
            let _ = write!(moves, " {{[%also {text}]}}");
            continue;
        }
        if last.is_none_or(|last| order.is_none_or(|order| order <= last)) {
            round += 1;
            let _ = write!(moves, "{}{round}. {word}", if round > 1 { "\n" } else { " " });
        } else {
            let _ = write!(moves, " .. {word}");
        }
        last = order.or(last);
    }
    Ok(format!("{}\n{}\n", tags(script, &game, &letters)?, moves.trim_start()))
}

fn is_on_turn(variant: Variant, letters: &[char; 4], order: Option<usize>, action: &Action) -> bool {
    match *action {
        Action::Resign(seat) | Action::Timeout(seat) | Action::Leave(seat) => {
            order.is_some_and(|order| letters[order] == variant.rules().letter(seat))
        }
        _ => true,
    }
}

/// Plays an action and gives its word.
fn word(game: &mut Game, action: &Action, text: &str) -> Result<String, Unrepresentable> {
    let before = game.document();
    let (choices, texts) = (game.choices(), game.legal());
    let refused = |error: crate::Rejection| Unrepresentable(format!("{text}: {error}"));
    game.act(action).map_err(refused)?;
    let san = |move_text: &str| {
        let choice =
            choices.iter().zip(&texts).find(|(_, text)| text.trim_start_matches("random:") == move_text);
        let after = game.document();
        algebraic(&before, &after, move_text, choice.map(|(choice, _)| choice), !game.checks().is_empty())
    };
    Ok(match action {
        Action::Move(_) => san(text),
        Action::Random(Some(_)) => format!("{} {{[%act {text}]}}", san(text.trim_start_matches("random:"))),
        Action::Pass | Action::Random(None) => format!("S {{[%act {text}]}}"),
        Action::Resign(_) => format!("R {{[%act {text}]}}"),
        Action::Timeout(_) | Action::Leave(_) => format!("T {{[%act {text}]}}"),
        Action::Offer | Action::Accept(_) | Action::Decline(_) => String::new(),
    })
}

fn algebraic(before: &Value, after: &Value, text: &str, choice: Option<&Choice>, check: bool) -> String {
    let (squares, promotion) =
        text.split_once('=').map_or((text, None), |(squares, kind)| (squares, Some(kind)));
    let (from, to) = squares.split_once('-').unwrap_or((squares, ""));
    let piece = |square: &str| before["pieces"][square].as_str().map(|piece| &piece[1..]);
    let fallen = |document: &Value| {
        let armies = document["armies"].as_object();
        armies.into_iter().flatten().filter(|(_, army)| army["status"] == "fallen").count()
    };
    let suffix = if fallen(after) > fallen(before) {
        "#"
    } else if check {
        "+"
    } else {
        ""
    };
    if let Some((rook, _)) = choice.and_then(|choice| choice.rook.as_ref()) {
        let wide = file_and_rank(from)
            .zip(file_and_rank(&rook.to_string()))
            .is_some_and(|(a, b)| a.0.abs_diff(b.0) + a.1.abs_diff(b.1) > 3);
        return format!("{}{suffix}", if wide { "O-O-O" } else { "O-O" });
    }
    let letter = |kind: &str| match kind {
        "P" => String::new(),
        "Q+" => "D".to_owned(),
        other => other.to_owned(),
    };
    let mover = piece(from).unwrap_or("");
    let mut word = format!("{}{from}", letter(mover));
    match piece(to) {
        Some(taken) => {
            let _ = write!(word, "x{}{to}", letter(taken));
        }
        // En passant takes without standing where it takes.
        None if choice.is_some_and(|choice| choice.captures.is_some()) => {
            let _ = write!(word, "x{to}");
        }
        None => {
            let _ = write!(word, "-{to}");
        }
    }
    let became = after["pieces"][to].as_str().map(|piece| &piece[1..]);
    match promotion {
        Some(kind) => {
            let _ = write!(word, "={kind}");
        }
        None if mover == "P" && became.is_some_and(|kind| kind != "P") => {
            let _ = write!(word, "={}", letter(became.unwrap_or("Q")));
        }
        None => {}
    }
    word + suffix
}

fn tags(script: &Script, game: &Game, letters: &[char; 4]) -> Result<String, Unrepresentable> {
    if let Some((name, _)) = script.tags.iter().find(|(name, _)| !is_tag_name(name)) {
        let shown: String = name.chars().take(40).collect();
        return Err(Unrepresentable(format!(
            "a tag of PGN4 has a name of letters, digits and _; `{}` is none",
            shown.escape_debug()
        )));
    }
    let mut tags = String::new();
    let mut tag = |name: &str, value: &str| {
        let value: String = value.chars().filter(|c| !c.is_control()).collect();
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(tags, "[{name} \"{value}\"]");
    };
    tag("Ruleset", &format!("{}/{RULES_VERSION}", script.variant));
    let mut extras = "";
    for (name, value) in &script.tags {
        if script.start.is_some() && name == fen4::EXTRAS_TAG {
            extras = value;
        } else if !matches!(name.as_str(), "Ruleset" | "StartFen4" | "Result") {
            tag(name, value);
        }
    }
    if let Some(start) = &script.start {
        tag("StartFen4", &fen4::write_with(script.variant, start, extras)?);
    }
    let name = |i: usize| {
        let own = script.tags.iter().find(|(tag, _)| tag == COLOURS[i]);
        own.map_or(COLOURS[i].to_owned(), |(_, name)| name.clone())
    };
    let result = match game.outcome() {
        None => "*".to_owned(),
        Some(outcome) => {
            let document = game.document();
            let share = |i: usize| {
                let letter = letters[i].to_string();
                let points = document["armies"][letter.as_str()]["result_points"].as_u64();
                let winner =
                    outcome.winners.iter().any(|&seat| script.variant.rules().letter(seat) == letters[i]);
                match (points, winner, outcome.winners.len()) {
                    (Some(points), _, _) => points.to_string(),
                    (None, true, 1) => "1".to_owned(),
                    (None, true, _) => "1/2".to_owned(),
                    (None, false, _) => "0".to_owned(),
                }
            };
            (0..4).map(|i| format!("{}: {}", name(i), share(i))).collect::<Vec<_>>().join(" - ")
        }
    };
    tag("Result", &result);
    Ok(tags)
}
