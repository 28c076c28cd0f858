//! Reading PGN4, also as other programs write it.

use super::super::{Script, fen4};
use super::{BadPgn4, Imported, MAX_LENGTH, file_and_rank, is_tag_name};
use crate::{Action, Choice, Forced, Game, Variant};

/// Reads a game. One without our tag `Ruleset` is replayed by the rules of `variant`.
///
/// # Errors
/// The shape is wrong, or a ply is not legal; what stands before it is not given.
pub fn read(text: &str, variant: Variant) -> Result<Imported, BadPgn4> {
    if text.len() > MAX_LENGTH {
        return Err(BadPgn4::Shape(format!("longer than {MAX_LENGTH} characters")));
    }
    let mut dropped = Vec::new();
    let (tags, words) = split(text, &mut dropped)?;
    if tags.is_empty() && words.is_empty() {
        return Err(BadPgn4::Shape("neither a tag nor a move: this is no game".to_owned()));
    }
    let find = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
    let own = find("Ruleset").map(fen4::named_rules).transpose().map_err(BadPgn4::Shape)?;
    let mut variant = own.unwrap_or(variant);
    let mut extras = String::new();
    // Names of other programs' set-ups (`4PC`) are no positions; their usual one is that of the variant.
    let start = match find("StartFen4").filter(|fen| fen.contains('/')) {
        Some(fen) => {
            let imported = fen4::read(fen, variant).map_err(|error| BadPgn4::Start(error.to_string()))?;
            dropped.extend(imported.dropped.into_iter().map(|what| format!("of the start position, {what}")));
            if own.is_some_and(|own| own != imported.variant) {
                return Err(BadPgn4::Start(format!("it is of {}, the game of {variant}", imported.variant)));
            }
            variant = imported.variant;
            extras = imported.extras;
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
    // The extras of a start position stand in it, whatever else a tag says.
    script.tags.retain(|(tag, _)| script.start.is_none() || tag != fen4::EXTRAS_TAG);
    if !extras.is_empty() {
        script.tags.push((fen4::EXTRAS_TAG.to_owned(), extras));
    }
    Ok(Imported { script, dropped })
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
    // Whoever cannot move there is passed over without a word; only the word for that is its own.
    while bare != "S" && game.forced() == Some(Forced::Pass) {
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
    let (from, to, suffix) = squares(bare).ok_or("no move, no R, T or S")?;
    let text = format!("{from}-{to}");
    let legal: Vec<(&str, Option<&str>)> = (texts.iter())
        .map(|legal| legal.trim_start_matches("random:"))
        .map(|legal| legal.split_once('=').map_or((legal, None), |(squares, kind)| (squares, Some(kind))))
        .collect();
    let there: Vec<usize> = (0..legal.len()).filter(|&i| legal[i].0 == text).collect();
    let &first = there.first().ok_or(format!("{text} is not legal here"))?;
    // What was promoted is a queen to other programs, also where it counts one point only.
    let wanted = suffix.map(|kind| if kind == "D" { "Q" } else { kind });
    if legal[first].1.is_some() {
        let chosen = there.iter().find(|&&i| legal[i].1 == Some(wanted.unwrap_or("Q")));
        let refused = || format!("no pawn can become {} there", suffix.unwrap_or("Q").escape_debug());
        return chosen.map(|&i| vec![texts[i].clone()]).ok_or_else(refused);
    }
    if let Some(wanted) = wanted {
        let became = promoted_to(game, &choices[first]).ok_or("nothing is promoted there")?;
        if wanted != became.to_string() {
            return Err(format!("a pawn becomes {became} there"));
        }
    }
    Ok(vec![texts[first].clone()])
}

/// The letter of the piece that a pawn becomes by a move that does not name it.
fn promoted_to(game: &Game, choice: &Choice) -> Option<char> {
    let (from, to) = (choice.from?, choice.to?);
    let position = game.position();
    let mover = position.piece(from).filter(|&piece| game.rules().is_pawn(piece))?;
    let mut after = game.clone();
    after.act(&choice.action).ok()?;
    let became = after.position().piece(to).filter(|&piece| !game.rules().is_pawn(piece))?;
    (became.army() == mover.army()).then(|| game.rules().letter_of(became))
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
fn split(text: &str, dropped: &mut Vec<String>) -> Result<(Tags, Vec<Word>), BadPgn4> {
    let shape = |why: &str| BadPgn4::Shape(why.to_owned());
    let mut tags = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(after) = rest.strip_prefix('[') {
        let end = after.find(['"', ']']).ok_or_else(|| shape("a tag that does not end"))?;
        let name = after[..end].trim();
        let shown = name.chars().take(40).collect::<String>().escape_debug().to_string();
        let after = &after[end..];
        let Some(after) = after.strip_prefix('"') else {
            dropped.push(format!("the tag [{shown}], which has no value"));
            rest = after[1..].trim_start();
            continue;
        };
        let (value, after) = after.split_once('"').ok_or_else(|| shape("a tag value that does not end"))?;
        let after = after.trim_start().strip_prefix(']').ok_or_else(|| shape("a tag that does not end"))?;
        if is_tag_name(name) {
            tags.push((name.to_owned(), value.split_whitespace().collect::<Vec<_>>().join(" ")));
        } else {
            dropped.push(format!("the tag [{shown}], whose name is no word of letters, digits and _"));
        }
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
