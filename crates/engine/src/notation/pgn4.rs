//! PGN4: a whole 14×14 game as text, as four-player analysis boards read it.
//!
//! Our own games come back exactly: the tag `Ruleset` names the rules, and what PGN4 has no word for stands in comments
//! `[%act …]` (in place of the word before it) and `[%also …]` (beside it). Games of other programs are replayed by the
//! rules of one of our variants as far as they are legal there; the first ply that is not is named.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Script, Unrepresentable, fen4};
use crate::{Action, Choice, Forced, Game, RULES_VERSION, Variant};

/// Larger texts are refused unread.
const MAX_LENGTH: usize = 1024 * 1024;
/// Colour names in the order of the format's lists.
const COLOURS: [&str; 4] = ["Red", "Blue", "Yellow", "Green"];

/// Why a text is no game that can be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPgn4 {
    /// The text is too long, or brackets do not close.
    #[error("{0}")]
    Shape(String),
    /// The start position is no position of the variant.
    #[error("start position: {0}")]
    Start(String),
    /// A word of the movetext is not legal where it stands.
    #[error("ply {ply}: {text}: {why}")]
    Ply {
        /// Counted from 1.
        ply: usize,
        /// The word as it stands.
        text: String,
        /// What is wrong with it.
        why: String,
    },
}

/// Writes a game of crossfire or kingdoms.
///
/// # Errors
/// The variant has no 14×14 board, or the actions do not replay.
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
    for text in &script.actions {
        let order = game
            .turn()
            .and_then(|turn| letters.iter().position(|&l| l == script.variant.rules().letter(turn)));
        let action =
            Action::parse(script.variant, text).map_err(|error| Unrepresentable(error.to_string()))?;
        let word = word(&mut game, &action, text)?;
        let administrative = matches!(action, Action::Offer | Action::Accept(_) | Action::Decline(_))
            || (matches!(action, Action::Resign(_) | Action::Timeout(_) | Action::Leave(_))
                && !is_on_turn(script.variant, &letters, order, &action));
        if administrative {
            let _ = write!(moves, " {{[%also {text}]}}");
            continue;
        }
        if last.is_none_or(|last| order.is_none_or(|order| order <= last)) {
            round += 1;
            let _ = write!(moves, "{}{round}. {word}", if round > 1 { "\n" } else { "" });
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

fn file_and_rank(name: &str) -> Option<(u8, u8)> {
    let file = *name.as_bytes().first()?;
    Some((file, name.get(1..)?.parse().ok()?))
}

fn tags(script: &Script, game: &Game, letters: &[char; 4]) -> Result<String, Unrepresentable> {
    let mut tags = String::new();
    let mut tag = |name: &str, value: &str| {
        let value: String =
            value.chars().filter(|c| !matches!(c, '"' | '[' | ']' | '\\') && !c.is_control()).collect();
        let _ = writeln!(tags, "[{name} \"{value}\"]");
    };
    tag("Ruleset", &format!("{}/{RULES_VERSION}", script.variant));
    for (name, value) in &script.tags {
        if !matches!(name.as_str(), "Ruleset" | "StartFen4" | "Result") {
            tag(name, value);
        }
    }
    if let Some(start) = &script.start {
        tag("StartFen4", &fen4::write(script.variant, start)?);
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

/// Reads a game. One without our tag `Ruleset` is replayed by the rules of `variant`.
///
/// # Errors
/// The shape is wrong, or a ply is not legal; what stands before it is not given.
pub fn read(text: &str, variant: Variant) -> Result<Script, BadPgn4> {
    if text.len() > MAX_LENGTH {
        return Err(BadPgn4::Shape(format!("longer than {MAX_LENGTH} characters")));
    }
    let (tags, words) = split(text)?;
    let find = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
    let own = find("Ruleset").and_then(|ruleset| ruleset.split_once('/'));
    let variant = match own {
        Some((name, _)) => name.parse().map_err(|_| BadPgn4::Shape(format!("no ruleset {name}")))?,
        None => variant,
    };
    // Names of other programs' set-ups (`4PC`) are no positions; their usual one is that of the variant.
    let start = match find("StartFen4").filter(|fen| fen.contains('/')) {
        Some(fen) => {
            let imported = fen4::read(fen, variant).map_err(|error| BadPgn4::Start(error.to_string()))?;
            Some(imported.document)
        }
        None => None,
    };
    let mut script = Script { variant, start, tags: Vec::new(), actions: Vec::new() };
    let mut game = script.start_game().map_err(|error| BadPgn4::Start(error.to_string()))?;
    script.start = script.start.map(|_| game.document());
    for (i, word) in words.iter().enumerate() {
        let wrong = |why: String| BadPgn4::Ply { ply: i + 1, text: word.text.clone(), why };
        let texts = match &word.act {
            Some(act) => vec![act.clone()],
            None => meaning(&mut game, &mut script.actions, &word.text).map_err(wrong)?,
        };
        for text in texts.into_iter().chain(word.also.iter().cloned()) {
            let action = Action::parse(variant, &text).map_err(|error| wrong(error.to_string()))?;
            game.act(&action).map_err(|error| wrong(error.to_string()))?;
            script.actions.push(text);
        }
    }
    script.tags = tags
        .into_iter()
        .filter(|(tag, _)| !matches!(tag.as_str(), "Ruleset" | "StartFen4" | "Result"))
        .collect();
    Ok(script)
}

/// One word of the movetext with our own remarks on it.
struct Word {
    text: String,
    act: Option<String>,
    also: Vec<String>,
}

/// The actions that a word of another program means here; plays the passes that other programs leave out.
fn meaning(game: &mut Game, played: &mut Vec<String>, word: &str) -> Result<Vec<String>, String> {
    let rules = game.variant().rules();
    let bare = word.trim_end_matches(['+', '#', '!', '?']);
    if bare.is_empty() {
        return Ok(Vec::new());
    }
    let squares = squares(bare);
    // Whoever cannot move there is passed over without a word.
    while squares.is_some() && game.forced() == Some(Forced::Pass) {
        game.act(&Action::Pass).map_err(|error| error.to_string())?;
        played.push("pass".to_owned());
    }
    let turn = game.turn().map(|turn| rules.letter(turn)).ok_or("the game is over")?;
    match bare {
        "R" => return Ok(vec![format!("resign:{turn}")]),
        "T" => return Ok(vec![format!("timeout:{turn}")]),
        "S" if game.forced() == Some(Forced::Pass) => return Ok(vec!["pass".to_owned()]),
        "S" => return Ok(Vec::new()),
        _ => {}
    }
    let (choices, texts) = (game.choices(), game.legal());
    if let "O-O" | "O-O-O" = bare {
        let castling = choices.iter().zip(&texts).find(|(choice, _)| {
            choice.rook.as_ref().zip(choice.from.as_ref()).is_some_and(|((rook, _), king)| {
                let apart = file_and_rank(&rook.to_string())
                    .zip(file_and_rank(&king.to_string()))
                    .map_or(0, |(a, b)| a.0.abs_diff(b.0) + a.1.abs_diff(b.1));
                (apart > 3) == (bare == "O-O-O")
            })
        });
        return castling.map(|(_, text)| vec![text.clone()]).ok_or("castling is not legal here".to_owned());
    }
    let (from, to, promotion) = squares.ok_or("no move, no R, T or S")?;
    let text = format!("{from}-{to}");
    let fits = |legal: &&String| {
        let bare = legal.trim_start_matches("random:");
        let (squares, kind) =
            bare.split_once('=').map_or((bare, None), |(squares, kind)| (squares, Some(kind)));
        squares == text
            && kind.is_none_or(|kind| kind == promotion.map_or("Q", |p| if p == "D" { "Q" } else { p }))
    };
    texts.iter().find(fits).map(|text| vec![text.clone()]).ok_or(format!("{text} is not legal here"))
}

/// From, to and promotion of a move word such as `Qg1xQn8` or `e7-e8=D`.
fn squares(word: &str) -> Option<(&str, &str, Option<&str>)> {
    let (word, promotion) = word.split_once('=').map_or((word, None), |(word, kind)| (word, Some(kind)));
    let (from, to) = word.split_once(['-', 'x'])?;
    let bare = |text: &'_ str| -> Option<usize> {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let (file, rank) = rest.split_at_checked(1)?;
        let file_fits = file.as_bytes()[0].is_ascii_lowercase();
        (file_fits && !rank.is_empty() && rank.bytes().all(|b| b.is_ascii_digit()))
            .then(|| text.len() - rest.len())
    };
    Some((&from[bare(from)?..], &to[bare(to)?..], promotion))
}

/// Tag pairs in the order of the text.
type Tags = Vec<(String, String)>;

/// Tag pairs and words; numbers, dots, results, variations and foreign comments are passed over.
fn split(text: &str) -> Result<(Tags, Vec<Word>), BadPgn4> {
    let shape = |why: &str| BadPgn4::Shape(why.to_owned());
    let mut tags = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(after) = rest.strip_prefix('[') {
        let (name, after) = after.split_once('"').ok_or_else(|| shape("a tag without a value"))?;
        let (value, after) = after.split_once('"').ok_or_else(|| shape("a tag value that does not end"))?;
        let after = after.trim_start().strip_prefix(']').ok_or_else(|| shape("a tag that does not end"))?;
        tags.push((name.trim().to_owned(), value.split_whitespace().collect::<Vec<_>>().join(" ")));
        rest = after.trim_start();
    }
    let mut depth = 0_usize;
    while let Some(first) = rest.chars().next() {
        if first == '{' {
            let (comment, after) =
                rest[1..].split_once('}').ok_or_else(|| shape("a comment that does not end"))?;
            if depth == 0 {
                remark(comment, &mut words)?;
            }
            rest = after;
        } else if first == '(' {
            depth += 1;
            rest = &rest[1..];
        } else if first == ')' {
            depth = depth.checked_sub(1).ok_or_else(|| shape("a ) without its ("))?;
            rest = &rest[1..];
        } else if first.is_whitespace() {
            rest = rest.trim_start();
        } else {
            let end =
                rest.find(|c: char| c.is_whitespace() || "{}()".contains(c)).unwrap_or(rest.len()).max(1);
            let word = &rest[..end];
            rest = &rest[end..];
            if depth == 0
                && let Some(word) = significant(word)
            {
                words.push(Word { text: word.to_owned(), act: None, also: Vec::new() });
            }
        }
    }
    if depth > 0 {
        return Err(shape("a ( without its )"));
    }
    Ok((tags, words))
}

fn significant(word: &str) -> Option<&str> {
    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let word = if number.starts_with('.') { number.trim_start_matches('.') } else { word };
    let passed_over = word.is_empty()
        || word.starts_with('$')
        || word.chars().all(|c| c == '.')
        || matches!(word, "*" | "1-0" | "0-1" | "1/2-1/2" | "Aborted");
    (!passed_over).then_some(word)
}

/// Our own remarks in a comment.
fn remark(comment: &str, words: &mut Vec<Word>) -> Result<(), BadPgn4> {
    for part in comment.split("[%").skip(1) {
        let Some((part, _)) = part.split_once(']') else { continue };
        match part.split_once(' ') {
            Some(("act", text)) => match words.last_mut() {
                Some(word) => word.act = Some(text.trim().to_owned()),
                None => return Err(BadPgn4::Shape("a remark before the first move".to_owned())),
            },
            Some(("also", text)) => match words.last_mut() {
                Some(word) => word.also.push(text.trim().to_owned()),
                // Before the first move: a word of its own.
                None => words.push(Word {
                    text: text.to_owned(),
                    act: Some(text.trim().to_owned()),
                    also: Vec::new(),
                }),
            },
            _ => {}
        }
    }
    Ok(())
}
