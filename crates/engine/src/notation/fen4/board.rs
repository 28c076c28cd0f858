//! The rows of FEN4, and to whom its dead pieces go.

use serde_json::{Map, Value};

use super::{BadFen4, COLOURS, SIDE, bad, exists, square_name};
use crate::rules::Rules;

/// One piece as it is written.
pub(super) struct Cell<'a> {
    text: &'a str,
    pub(super) square: String,
    /// Its colour, where it has one.
    pub(super) colour: Option<usize>,
    is_dead: bool,
    pub(super) letter: char,
}

/// The pieces of a document. Dead pieces are blocks of armies that are `dead`.
pub(super) fn read_board(
    board: &str,
    letters: &[char; 4],
    rules: &Rules,
    dead: &[bool; 4],
    dropped: &mut Vec<String>,
) -> Result<Map<String, Value>, BadFen4> {
    let cells = cells(board)?;
    let mut reader = Reader {
        letters,
        rules,
        dead,
        dropped,
        pieces: Map::new(),
        kings: [false; 4],
        nobodys: Default::default(),
    };
    let mut blocks = Vec::new();
    for cell in &cells {
        match cell.colour {
            Some(army) if dead[army] || !cell.is_dead => reader.put_own(cell, army)?,
            _ => blocks.push(cell),
        }
    }
    for cell in blocks {
        reader.put_block(cell)?;
    }
    reader.note_nobodys();
    Ok(reader.pieces)
}

/// The board while it is filled.
struct Reader<'a> {
    letters: &'a [char; 4],
    rules: &'a Rules,
    dead: &'a [bool; 4],
    dropped: &'a mut Vec<String>,
    pieces: Map<String, Value>,
    /// Which armies have their king.
    kings: [bool; 4],
    /// By army, the squares of its blocks that have no colour in the text.
    nobodys: [Vec<&'a str>; 4],
}

impl<'a> Reader<'a> {
    fn put(&mut self, cell: &Cell<'_>, army: usize) -> Result<(), BadFen4> {
        let kind = match cell.letter {
            'K' | 'Q' | 'R' | 'B' | 'N' | 'P' => cell.letter.to_string(),
            'D' if self.rules.counts_points() => "Q+".to_owned(),
            'D' => {
                self.dropped.push("that a queen was promoted".to_owned());
                "Q".to_owned()
            }
            _ => return unknown(cell),
        };
        self.kings[army] |= cell.letter == 'K';
        self.pieces.insert(cell.square.clone(), Value::String(format!("{}{kind}", self.letters[army])));
        Ok(())
    }

    /// A piece of an army, or a block of a dead one.
    fn put_own(&mut self, cell: &Cell<'_>, army: usize) -> Result<(), BadFen4> {
        if cell.letter == 'K' && !cell.is_dead && self.dead[army] {
            self.dropped.push(format!(
                "that the king of {} on {} lives while its army is dead: it becomes a block",
                self.letters[army], cell.square
            ));
        }
        self.put(cell, army)
    }

    /// A dead piece without a colour, or of an army that is not dead, as a block of the first dead army that can have it.
    fn put_block(&mut self, cell: &'a Cell<'_>) -> Result<(), BadFen4> {
        let stands = |army: usize| {
            let piece = self.rules.piece(&format!("{}{}", self.letters[army], cell.letter));
            let square = self.rules.square(&cell.square);
            piece
                .zip(square)
                .is_none_or(|(piece, square)| self.rules.tables.grounds[piece.code()].has(square))
        };
        let fits =
            |&army: &usize| self.dead[army] && !(cell.letter == 'K' && self.kings[army]) && stands(army);
        let Some(army) = (0..4).find(fits) else {
            return bad(format!("{}: {} is dead, and it can be of no dead army", cell.square, cell.text));
        };
        self.put(cell, army)?;
        if let Some(colour) = cell.colour {
            self.dropped.push(format!(
                "that the dead {} on {} is of {}, which is not dead: it becomes a block of {}",
                cell.letter, cell.square, self.letters[colour], self.letters[army]
            ));
        } else {
            self.nobodys[army].push(&cell.square);
        }
        Ok(())
    }

    fn note_nobodys(&mut self) {
        for (army, squares) in
            self.letters.iter().zip(&self.nobodys).filter(|(_, squares)| !squares.is_empty())
        {
            self.dropped.push(format!(
                "whose the dead pieces on {} were, which have no colour: they become blocks of {army}",
                squares.join(", ")
            ));
        }
    }
}

/// Would every pawn stand where the pawns of its army can? Only whether colours sit on the sides of this game is asked.
pub(super) fn sides_fit(board: &str, letters: &[char; 4], rules: &Rules) -> bool {
    let Ok(cells) = cells(board) else { return true };
    cells.iter().filter(|cell| cell.letter == 'P' && !cell.is_dead).all(|cell| {
        let piece = cell.colour.and_then(|colour| rules.piece(&format!("{}P", letters[colour])));
        let square = rules.square(&cell.square);
        piece.zip(square).is_none_or(|(piece, square)| rules.tables.grounds[piece.code()].has(square))
    })
}

fn unknown<T>(cell: &Cell<'_>) -> Result<T, BadFen4> {
    bad(format!("{}: no piece {}", cell.square, cell.text.escape_debug()))
}

pub(super) fn cells(board: &str) -> Result<Vec<Cell<'_>>, BadFen4> {
    let rows: Vec<&str> = board.split('/').collect();
    if rows.len() != SIDE {
        return bad(format!("{} rows where {SIDE} are expected", rows.len()));
    }
    let mut cells = Vec::new();
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
                if file < SIDE && exists(file, rank) {
                    let square = square_name(file, rank);
                    return bad(format!(
                        "row {}: {square} is a square, and x says that there is none",
                        rank + 1
                    ));
                }
                file += 1;
            } else {
                if file >= SIDE || !exists(file, rank) {
                    return bad(format!("row {}: {cell} is off the board", rank + 1));
                }
                cells.push(read_cell(cell, square_name(file, rank))?);
                file += 1;
            }
        }
        if file != SIDE {
            return bad(format!("row {}: {file} squares where {SIDE} are expected", rank + 1));
        }
    }
    Ok(cells)
}

fn read_cell(text: &str, square: String) -> Result<Cell<'_>, BadFen4> {
    let index = |c: char| COLOURS.iter().position(|colour| colour.to_ascii_lowercase() == c);
    let chars: Vec<char> = text.chars().collect();
    let (colour, is_dead, letter) = match chars[..] {
        ['d', letter] => (None, true, letter),
        ['d', colour, letter] => (index(colour), true, letter),
        [colour, letter] => (index(colour), false, letter),
        _ => (None, false, ' '),
    };
    let cell = Cell { text, square, colour, is_dead, letter };
    let is_nobodys = is_dead && chars.len() == 2;
    if cell.colour.is_none() && !is_nobodys {
        return unknown(&cell);
    }
    Ok(cell)
}
