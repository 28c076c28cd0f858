//! A four-player game of another program as moves on a board. No rule is asked, so games that no variant here can replay
//! are shown too: a piece goes from one square to another because the text says so. Only what the text itself contradicts
//! is refused, with the ply that does.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::pgn4::{self, BadPgn4, MoveWord, Tags};
use super::starts::{self, COLOURS, Man, Men, same_kind};
use super::{fen4, without_mark};

/// More words are not shown.
pub const LONGEST: usize = 2_000;

/// A game to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Names and values of the text, in order.
    pub tags: Vec<(String, String)>,
    /// The pieces before the first move: `{"g1": "rQ"}`. The colours are r, b, y and g; `Q+` is the queen of one point.
    pub start: BTreeMap<String, String>,
    /// Every word of the game.
    pub moves: Vec<Shown>,
    /// What the text says and the board does not show.
    pub notes: Vec<String>,
}

/// One word of a game, and the board after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The word.
    pub text: String,
    /// The colour that it belongs to.
    pub army: char,
    /// From and to of every piece that moved.
    pub moved: Vec<(String, String)>,
    /// The pieces after it.
    pub pieces: BTreeMap<String, String>,
}

impl View {
    /// The view as JSON.
    #[must_use]
    pub fn document(&self) -> Value {
        let tags: BTreeMap<&str, &str> =
            self.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let shown = |shown: &Shown| {
            json!({
                "text": shown.text,
                "army": shown.army.to_string(),
                "moved": shown.moved,
                "pieces": shown.pieces,
            })
        };
        json!({
            "judged": false,
            "tags": tags,
            "start": self.start,
            "moves": self.moves.iter().map(shown).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}

/// Reads a PGN4. A game that names no start begins with the first known one that its words agree with.
///
/// # Errors
/// The shape is wrong, the start is unknown, or a word contradicts the board.
pub fn pgn4(text: &str) -> Result<View, BadPgn4> {
    let mut notes = Vec::new();
    let (tags, words) = pgn4::parts(text, &mut notes)?;
    if words.len() > LONGEST {
        return Err(BadPgn4::Shape(format!("more than {LONGEST} words")));
    }
    // A remark of ours before the first move is not part of the game.
    let is_said = |word: &pgn4::Word| word.act.as_deref() != Some(word.text.trim());
    let words: Vec<String> = words.into_iter().filter(is_said).map(|word| word.text).collect();
    let find = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
    let start = find("StartFen4").filter(|start| !start.is_empty());
    if let Some(start) = start {
        let named = if start.contains('/') { None } else { Some(starts::named(start)) };
        let (men, turn) = match named {
            Some(Some(men)) => (men, 0),
            Some(None) => {
                let known: Vec<&str> = starts::names().collect();
                let shown: String = start.chars().take(40).collect::<String>().escape_debug().to_string();
                let why = format!("no start is called `{shown}`; known are {}", known.join(", "));
                return Err(BadPgn4::Start(why));
            }
            None => fen4::placed(start, &mut notes).map_err(|error| BadPgn4::Start(error.to_string()))?,
        };
        return Board::new(men, turn).play(tags, &words, notes);
    }
    if let Some(mark) = find("Ruleset") {
        let variant = fen4::named_rules(mark).map_err(BadPgn4::Shape)?;
        let men = starts::of_variant(variant).unwrap_or_default();
        return Board::new(men, 0).play(tags, &words, notes);
    }
    let mut first_error = None;
    for name in starts::names() {
        let men = starts::named(name).unwrap_or_default();
        match Board::new(men, 0).play(tags.clone(), &words, notes.clone()) {
            Ok(mut view) => {
                view.notes.push(format!("the text names no start; its words agree with {name}"));
                return Ok(view);
            }
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    Err(first_error.unwrap_or_else(|| BadPgn4::Shape("no start is known".to_owned())))
}

/// Reads a FEN4: a view without moves.
///
/// # Errors
/// The text has not the shape of FEN4, or names unknown pieces.
pub fn fen4(text: &str) -> Result<View, fen4::BadFen4> {
    let mut notes = Vec::new();
    let (men, _) = fen4::placed(without_mark(text), &mut notes)?;
    Ok(View { tags: Vec::new(), start: pieces(&men), moves: Vec::new(), notes })
}

fn pieces(men: &Men) -> BTreeMap<String, String> {
    let text = |&(colour, letter): &Man| {
        let kind = if letter == 'D' { "Q+".to_owned() } else { letter.to_string() };
        format!("{}{kind}", letter_of(colour))
    };
    men.iter().map(|(square, man)| (square.clone(), text(man))).collect()
}

/// r, b, y or g.
fn letter_of(colour: usize) -> char {
    COLOURS[colour].chars().next().unwrap_or('r')
}

struct Board {
    men: Men,
    start: Men,
    /// Whose word the next one is, as far as the text lets it be known.
    turn: usize,
    /// Who has been passed over or has left.
    out: [bool; 4],
    /// Squares that a piece has left or entered: nobody castles with it.
    touched: BTreeSet<String>,
    /// The square that a pawn has passed over with its last move, and the pawn's own.
    passed: [Option<(String, String)>; 4],
}

impl Board {
    fn new(men: Men, turn: usize) -> Board {
        let start = men.clone();
        Board { men, start, turn, out: [false; 4], touched: BTreeSet::new(), passed: Default::default() }
    }

    fn play(mut self, tags: Tags, words: &[String], mut notes: Vec<String>) -> Result<View, BadPgn4> {
        let mut moves = Vec::with_capacity(words.len());
        for (i, text) in words.iter().enumerate() {
            let wrong = |why: String| BadPgn4::Ply { ply: i + 1, text: text.clone(), why };
            let (colour, moved) = self.word(i + 1, text, &mut notes).map_err(wrong)?;
            let (army, pieces) = (letter_of(colour), pieces(&self.men));
            moves.push(Shown { text: text.clone(), army, moved, pieces });
        }
        Ok(View { tags, start: pieces(&self.start), moves, notes })
    }

    /// Shows one word: whose it is, and what moved.
    fn word(
        &mut self,
        ply: usize,
        text: &str,
        notes: &mut Vec<String>,
    ) -> Result<(usize, Vec<(String, String)>), String> {
        let plain = |text: &'_ str| text.trim_end_matches(['+', '#', '!', '?']).len();
        let bare = &text[..plain(text)];
        if let "" | "R" | "T" | "S" = bare {
            let colour = self.next_in();
            self.out[colour] = true;
            self.turn = (colour + 1) % 4;
            return Ok((colour, Vec::new()));
        }
        if let "O-O" | "O-O-O" = bare {
            return self.castle(if bare == "O-O" { 3 } else { 4 });
        }
        // The king of whoever has just left or run out of time walks: `Kb4-a5R`.
        let walk = bare.strip_suffix(['R', 'T', 'S']).map(|walk| &walk[..plain(walk)]);
        let word = MoveWord::read(bare).or_else(|| walk.and_then(MoveWord::read));
        let word = word.ok_or("no move, no R, T or S")?;
        self.step(ply, &word, notes)
    }

    fn step(
        &mut self,
        ply: usize,
        word: &MoveWord<'_>,
        notes: &mut Vec<String>,
    ) -> Result<(usize, Vec<(String, String)>), String> {
        let (from, to) = (word.from, word.to);
        let stands = |square: &str, man: Man| format!("{square} has {}", starts::man_text(man));
        if !fen4::is_square(to) {
            return Err(format!("the board has no square {to}"));
        }
        let man = *self.men.get(from).ok_or_else(|| format!("{from} is empty"))?;
        if word.mover.is_some_and(|letter| !same_kind(letter, man.1)) {
            return Err(stands(from, man));
        }
        let mut taken_on = to.to_owned();
        match self.men.get(to) {
            Some(&taken) if word.taken.is_some_and(|letter| !same_kind(letter, taken.1)) => {
                return Err(stands(to, taken));
            }
            None if word.takes => match self.passing(man, to) {
                Some(pawn) => taken_on = pawn,
                None if word.taken.is_some() => return Err(format!("{to} is empty")),
                None => notes.push(format!("what ply {ply} takes: {to} is empty")),
            },
            _ => {}
        }
        let became = match word.promotion {
            None => man.1,
            Some("K") => 'K',
            Some("Q") => 'Q',
            Some("D") => 'D',
            Some("R") => 'R',
            Some("B") => 'B',
            Some("N") => 'N',
            Some(other) => return Err(format!("no piece is written {}", other.escape_debug())),
        };
        self.men.remove(from);
        self.men.remove(&taken_on);
        self.men.insert(to.to_owned(), (man.0, became));
        self.touched.extend([from.to_owned(), to.to_owned()]);
        self.passed[man.0] =
            if man.1 == 'P' { passed_over(from, to).map(|square| (square, to.to_owned())) } else { None };
        self.moved(man.0);
        Ok((man.0, vec![(from.to_owned(), to.to_owned())]))
    }

    /// The pawn that a pawn takes by entering the square that it has passed over.
    fn passing(&self, man: Man, to: &str) -> Option<String> {
        let passed = self.passed.iter().flatten().find(|(square, pawn)| {
            square == to
                && self.men.get(pawn).is_some_and(|&(colour, letter)| letter == 'P' && colour != man.0)
        });
        passed.filter(|_| man.1 == 'P').map(|(_, pawn)| pawn.clone())
    }

    /// The next colour that has not left.
    fn next_in(&self) -> usize {
        (0..4).map(|after| (self.turn + after) % 4).find(|&colour| !self.out[colour]).unwrap_or(self.turn)
    }

    /// A colour has moved; those between it and whose turn it was are passed over.
    fn moved(&mut self, colour: usize) {
        while self.turn != colour {
            self.out[self.turn] = true;
            self.turn = (self.turn + 1) % 4;
        }
        self.out[colour] = false;
        self.turn = (colour + 1) % 4;
    }

    /// The next colour whose king and rook stand so far apart with nothing between castles.
    fn castle(&mut self, apart: usize) -> Result<(usize, Vec<(String, String)>), String> {
        let order = (0..4).map(|after| (self.turn + after) % 4);
        let (still_in, gone): (Vec<usize>, Vec<usize>) = order.partition(|&colour| !self.out[colour]);
        for colour in still_in.into_iter().chain(gone) {
            let Some((king, rook, king_to, rook_to)) = self.castling(colour, apart) else { continue };
            for (from, to) in [(&king, &king_to), (&rook, &rook_to)] {
                if let Some(man) = self.men.remove(from) {
                    self.men.insert(to.clone(), man);
                }
            }
            self.touched.extend([king.clone(), rook.clone(), king_to.clone(), rook_to.clone()]);
            self.passed[colour] = None;
            self.moved(colour);
            return Ok((colour, vec![(king, king_to), (rook, rook_to)]));
        }
        Err("nobody can castle so: no king and rook stand as at the start with nothing between".to_owned())
    }

    /// From and to of king and rook.
    fn castling(&self, colour: usize, apart: usize) -> Option<(String, String, String, String)> {
        let king =
            self.men.iter().find(|&(square, &man)| man == (colour, 'K') && !self.touched.contains(square));
        let (king, _) = king?;
        let (file, rank) = coordinates(king)?;
        for sign in [-1_i32, 1] {
            let at = |steps: i32| {
                let (file, rank) = if colour.is_multiple_of(2) {
                    (file + sign * steps, rank)
                } else {
                    (file, rank + sign * steps)
                };
                let (file, rank) = (usize::try_from(file).ok()?, usize::try_from(rank).ok()?);
                (file < 14 && rank < 14 && fen4::exists(file, rank)).then(|| fen4::square_name(file, rank))
            };
            let distance = i32::try_from(apart).ok()?;
            let is_free =
                (1..distance).all(|steps| at(steps).is_some_and(|square| !self.men.contains_key(&square)));
            let rook = at(distance).filter(|square| {
                self.men.get(square) == Some(&(colour, 'R')) && !self.touched.contains(square)
            });
            if let (true, Some(rook), Some(king_to), Some(rook_to)) = (is_free, rook, at(2), at(1)) {
                return Some((king.clone(), rook, king_to, rook_to));
            }
        }
        None
    }
}

/// File and rank counted from 0.
fn coordinates(square: &str) -> Option<(i32, i32)> {
    let file = i32::from(*square.as_bytes().first()?) - i32::from(b'a');
    Some((file, square.get(1..)?.parse::<i32>().ok()? - 1))
}

/// The square between the ends of a double step.
fn passed_over(from: &str, to: &str) -> Option<String> {
    let ((a, b), (c, d)) = (coordinates(from)?, coordinates(to)?);
    let is_double = matches!(((a - c).abs(), (b - d).abs()), (0, 2) | (2, 0));
    let middle = (usize::try_from(i32::midpoint(a, c)).ok()?, usize::try_from(i32::midpoint(b, d)).ok()?);
    is_double.then(|| fen4::square_name(middle.0, middle.1))
}
