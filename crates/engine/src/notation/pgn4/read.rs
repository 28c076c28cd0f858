//! Reading PGN4, also as other programs write it.

use serde_json::Value;

use super::super::starts::{self, Man, same_kind};
use super::super::{Script, fen4};
use super::text::{MoveWord, Tags, Word, games, split, summary};
use super::{BadPgn4, Imported, MAX_LENGTH, file_and_rank};
use crate::{Action, Choice, Forced, Game, Status, Variant};

/// So many games of a text are listed.
const LISTED: usize = 40;

/// Reads a game. One without our tag `Ruleset` is replayed by the rules of `variant`.
///
/// # Errors
/// The shape is wrong, or a ply is not legal; the plies before it are not returned.
pub fn read(text: &str, variant: Variant) -> Result<Imported, BadPgn4> {
    let mut dropped = Vec::new();
    let script = read_noting(text, variant, &mut dropped)?;
    Ok(Imported { script, dropped })
}

/// Reads a game, and tells what it says and the script cannot also when the game is refused.
///
/// # Errors
/// As [`read`].
pub fn read_noting(text: &str, variant: Variant, dropped: &mut Vec<String>) -> Result<Script, BadPgn4> {
    let (tags, words) = parts(text, dropped)?;
    let Start { variant, document, extras } = start_of(&tags, variant, dropped)?;
    let mut script = Script { variant, start: document, tags: Vec::new(), actions: Vec::new() };
    let mut game = script.start_game().map_err(|error| BadPgn4::Start(error.to_string()))?;
    script.start = script.start.map(|_| game.document());
    script.actions = play(&mut game, &words, dropped)?;
    script.tags = tags
        .into_iter()
        .filter(|(tag, _)| !matches!(tag.as_str(), "Ruleset" | "StartFen4" | "Result"))
        .collect();
    // The extras of a start position stand in it, whatever else a tag says.
    script.tags.retain(|(tag, _)| script.start.is_none() || tag != fen4::EXTRAS_TAG);
    if !extras.is_empty() {
        script.tags.push((fen4::EXTRAS_TAG.to_owned(), extras));
    }
    Ok(script)
}

/// From where a game is played, and by which rules.
struct Start {
    variant: Variant,
    /// None for the start of the rules.
    document: Option<Value>,
    extras: String,
}

fn start_of(tags: &Tags, asked: Variant, dropped: &mut Vec<String>) -> Result<Start, BadPgn4> {
    let find = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
    let own = find("Ruleset").map(fen4::named_rules).transpose().map_err(BadPgn4::Shape)?;
    let variant = own.unwrap_or(asked);
    let plain = Start { variant, document: None, extras: String::new() };
    match find("StartFen4").filter(|start| !start.is_empty()) {
        Some(name) if !name.contains('/') => {
            starts::check(name, variant).map_err(BadPgn4::Start)?;
            Ok(plain)
        }
        Some(fen) => {
            let mut lost = Vec::new();
            let read = fen4::read_noting(fen, variant, &mut lost);
            dropped.extend(lost.into_iter().map(|what| format!("of the start position, {what}")));
            let imported = read.map_err(|error| BadPgn4::Start(error.to_string()))?;
            if own.is_some_and(|own| own != imported.variant) {
                return Err(BadPgn4::Start(format!("it is of {}, the game of {variant}", imported.variant)));
            }
            let fen4::Imported { variant, document, extras, .. } = imported;
            Ok(Start { variant, document: Some(document), extras })
        }
        None => Ok(plain),
    }
}

/// Plays the words of a game, and gives the actions.
fn play(game: &mut Game, words: &[Word], dropped: &mut Vec<String>) -> Result<Vec<String>, BadPgn4> {
    let (mut actions, mut loose) = (Vec::new(), Loose::default());
    for (i, word) in words.iter().enumerate() {
        loose.ply = i + 1;
        let wrong = |why: String| BadPgn4::Ply { ply: i + 1, text: word.text.clone(), why };
        let texts = match &word.act {
            Some(act) => vec![act.clone()],
            None => meaning(game, &mut actions, &word.text, &mut loose).map_err(wrong)?,
        };
        let before = fallen(game);
        let shows = word.act.is_none() && !texts.is_empty();
        for text in texts {
            act(game, text, &mut actions).map_err(wrong)?;
        }
        if shows {
            note_false_marks(i + 1, &word.text, fallen(game) > before, game, dropped);
        }
        for text in word.also.iter().cloned() {
            act(game, text, &mut actions).map_err(wrong)?;
        }
    }
    loose.tell(dropped);
    Ok(actions)
}

fn act(game: &mut Game, text: String, played: &mut Vec<String>) -> Result<(), String> {
    let action = Action::parse(game.variant(), &text).map_err(|error| error.to_string())?;
    game.act(&action).map_err(|error| error.to_string())?;
    played.push(text);
    Ok(())
}

/// Tags and words of a text that is one game.
pub(in super::super) fn parts(text: &str, dropped: &mut Vec<String>) -> Result<(Tags, Vec<Word>), BadPgn4> {
    if text.len() > MAX_LENGTH {
        return Err(BadPgn4::Shape(format!("longer than {MAX_LENGTH} characters")));
    }
    let games = games(text)?;
    if games.len() > 1 {
        let mut list: Vec<String> = games
            .iter()
            .take(LISTED)
            .enumerate()
            .map(|(i, game)| format!("{}: {}", i + 1, summary(game)))
            .collect();
        if games.len() > LISTED {
            list.push(format!("and {} more", games.len() - LISTED));
        }
        return Err(BadPgn4::Several { count: games.len(), list });
    }
    let (tags, words) = split(text, dropped)?;
    if tags.is_empty() && words.is_empty() {
        return Err(BadPgn4::Shape("neither a tag nor a move: this is not a game".to_owned()));
    }
    Ok((tags, words))
}

/// Words that say less than they could: bare squares where a letter or an `x` belongs. Told once for all of them.
#[derive(Default)]
struct Loose {
    ply: usize,
    first: Option<String>,
    count: usize,
}

impl Loose {
    fn add(&mut self, what: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| format!("ply {}: {what}", self.ply));
    }

    fn tell(self, dropped: &mut Vec<String>) {
        if let Some(first) = self.first {
            let more =
                if self.count > 1 { format!(" ({} words are such)", self.count) } else { String::new() };
            dropped.push(format!("{first}{more}"));
        }
    }
}

/// A check or a mate that is written and did not come about; one that is not written needs no note.
fn note_false_marks(ply: usize, word: &str, fell: bool, game: &Game, dropped: &mut Vec<String>) {
    let marks = &word[word.trim_end_matches(['+', '#', '!', '?']).len()..];
    let shown = word.chars().take(40).collect::<String>().escape_debug().to_string();
    if marks.contains('#') && !fell {
        dropped.push(format!("the # of ply {ply}, {shown}: no army falls there"));
    } else if marks.contains('+') && !fell && game.checks().is_empty() {
        dropped.push(format!("the + of ply {ply}, {shown}: no king is in check there"));
    }
}

/// How many armies have fallen.
fn fallen(game: &Game) -> usize {
    game.armies().iter().filter(|army| army.status == Status::Fallen.word()).count()
}

/// The piece on a square.
fn man(game: &Game, square: &str) -> Option<Man> {
    let rules = game.rules();
    let letters = fen4::letters(game.variant())?;
    let text = rules.piece_text(game.position().piece(rules.square(square)?)?);
    let mut chars = text.chars();
    let army = chars.next()?;
    let colour = letters.iter().position(|&letter| letter == army)?;
    Some((colour, chars.next()?))
}

/// Does a word name the pieces that stand there?
fn agrees(game: &Game, word: &MoveWord<'_>, captures: Option<&str>, loose: &mut Loose) -> Result<(), String> {
    let stands = |square: &str, man: Man| format!("{square} has {}", starts::man_text(man));
    let (from, to) = (word.from, word.to);
    let mover = man(game, from).ok_or_else(|| format!("{from} is empty"))?;
    match word.mover {
        Some(letter) if !same_kind(letter, mover.1) => return Err(stands(from, mover)),
        None if mover.1 != 'P' => loose.add(&format!("the word names no piece, and {}", stands(from, mover))),
        _ => {}
    }
    let target = captures.or(word.takes.then_some(to));
    let taken = target.and_then(|square| man(game, square));
    match (target, taken) {
        (Some(square), Some(taken)) if word.takes => match word.taken {
            Some(letter) if !same_kind(letter, taken.1) => return Err(stands(square, taken)),
            None if taken.1 != 'P' => {
                loose.add(&format!("the word names no piece that it takes, and {}", stands(square, taken)));
            }
            _ => {}
        },
        (Some(square), Some(taken)) => {
            loose.add(&format!("the word says nothing of what it takes, and {}", stands(square, taken)));
        }
        (_, None) if word.takes => return Err(format!("{to} is empty")),
        _ => {}
    }
    Ok(())
}

/// The actions that a word of another program means here; plays the passes that other programs leave out.
fn meaning(
    game: &mut Game,
    played: &mut Vec<String>,
    word: &str,
    loose: &mut Loose,
) -> Result<Vec<String>, String> {
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
    if let "O-O" | "O-O-O" = bare {
        return castling(game, bare == "O-O-O").map(|text| vec![text]);
    }
    let Some(word) = MoveWord::read(bare) else {
        let walks = bare.strip_suffix(['R', 'T', 'S']).and_then(MoveWord::read).is_some();
        let dead = "no move: the king of whoever has left walks in it, which no game here has";
        return Err(if walks { dead } else { "no move, no R, T or S" }.to_owned());
    };
    meant_move(game, &word, turn, loose).map(|text| vec![text])
}

/// The legal castling on the short or the long side.
fn castling(game: &Game, is_long: bool) -> Result<String, String> {
    let goes_there = |choice: &Choice| {
        choice.rook.as_ref().zip(choice.from.as_ref()).is_some_and(|((rook, _), king)| {
            let apart = file_and_rank(&rook.to_string())
                .zip(file_and_rank(&king.to_string()))
                .map_or(0, |(a, b)| a.0.abs_diff(b.0) + a.1.abs_diff(b.1));
            (apart > 3) == is_long
        })
    };
    let found = game.choices().iter().position(goes_there);
    found.map(|i| game.legal().swap_remove(i)).ok_or("castling is not legal here".to_owned())
}

/// The legal action that a word with squares means.
fn meant_move(game: &Game, word: &MoveWord<'_>, turn: char, loose: &mut Loose) -> Result<String, String> {
    let (choices, texts) = (game.choices(), game.legal());
    let (from, to, suffix) = (word.from, word.to, word.promotion);
    let text = format!("{from}-{to}");
    let legal: Vec<(&str, Option<&str>)> = (texts.iter())
        .map(|legal| legal.trim_start_matches("random:"))
        .map(|legal| legal.split_once('=').map_or((legal, None), |(squares, kind)| (squares, Some(kind))))
        .collect();
    let there: Vec<usize> = (0..legal.len()).filter(|&i| legal[i].0 == text).collect();
    let captures = there.first().and_then(|&i| choices[i].captures).map(|square| square.to_string());
    agrees(game, word, captures.as_deref(), loose)?;
    let &first = there.first().ok_or_else(|| refused_move(game, from, turn, &text))?;
    // What was promoted is a queen to other programs, also where it counts one point only.
    let wanted = suffix.map(|kind| if kind == "D" { "Q" } else { kind });
    if legal[first].1.is_some() {
        let chosen = there.iter().find(|&&i| legal[i].1 == Some(wanted.unwrap_or("Q")));
        let refused = || format!("no pawn can become {} there", suffix.unwrap_or("Q").escape_debug());
        return chosen.map(|&i| texts[i].clone()).ok_or_else(refused);
    }
    if let Some(wanted) = wanted {
        let became = promoted_to(game, &choices[first]).ok_or("nothing is promoted there")?;
        if wanted != became.to_string() {
            return Err(format!("a pawn becomes {became} there"));
        }
    }
    Ok(texts[first].clone())
}

/// Why no move of these squares is legal.
fn refused_move(game: &Game, from: &str, turn: char, text: &str) -> String {
    let on_turn =
        fen4::letters(game.variant()).and_then(|letters| letters.iter().position(|&letter| letter == turn));
    match (man(game, from), on_turn) {
        (Some(man), Some(on_turn)) if man.0 != on_turn => {
            format!("{from} has {}, and {} is on turn", starts::man_text(man), starts::COLOURS[on_turn])
        }
        _ => format!("{text} is not legal here"),
    }
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
