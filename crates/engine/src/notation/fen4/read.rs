//! FEN4 as a position document.

use serde_json::{Map, Value, json};

use super::super::{starts, without_mark};
use super::board::{cells, read_board, sides_fit};
use super::extras::{Extra, Extras, foreign, note_rules, parse_extras, without_blanks};
use super::{BadFen4, COLOURS, Imported, MAX_LENGTH, bad, is_square, letters, named_rules};
use crate::piece::Piece;
use crate::rules::{EnPassant, Rules, Side};
use crate::seat::Seat;
use crate::square::Square;
use crate::{Game, Variant};

/// Reads a position as one of the game that its own mark names, else of `variant`, without judging it: `Game::load` does.
///
/// # Errors
/// The text has not the shape of FEN4, names unknown pieces or rules, or the variant has no 14×14 board.
pub fn read(text: &str, variant: Variant) -> Result<Imported, BadFen4> {
    read_noting(text, variant, &mut Vec::new())
}

/// Reads a position, and tells what it says and the variant cannot also when it is refused.
///
/// # Errors
/// As [`read`].
pub fn read_noting(text: &str, variant: Variant, notes: &mut Vec<String>) -> Result<Imported, BadFen4> {
    let mut dropped = Vec::new();
    let read = read_fields(text, variant, &mut dropped);
    notes.extend(dropped.iter().cloned());
    read.map(|imported| Imported { dropped, ..imported })
}

/// The six fields before the extras, the extras, and the rows.
struct Fields<'a> {
    head: [&'a str; 6],
    extras: &'a str,
    board: &'a str,
}

impl Fields<'_> {
    fn of(text: &str) -> Result<Fields<'_>, BadFen4> {
        let Some((head, board)) = text.rsplit_once('-') else { return bad("no fields separated by -") };
        let (head, extras) = match head.split_once("-{") {
            Some((head, extras)) => {
                (head, extras.strip_suffix('}').ok_or_else(|| BadFen4("extras without }".into()))?)
            }
            None => (head, ""),
        };
        let fields: Vec<&str> = head.split('-').collect();
        let count = fields.len();
        let head = fields
            .try_into()
            .map_err(|_| BadFen4(format!("{count} fields before the board where 6 are expected")))?;
        Ok(Fields { head, extras, board })
    }
}

/// The text without a byte order mark, quotes around it, and blanks.
fn tidied(text: &str) -> Result<String, BadFen4> {
    if text.len() > MAX_LENGTH {
        return bad(format!("longer than {MAX_LENGTH} characters"));
    }
    let text = without_mark(text).trim();
    let quoted = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    Ok(without_blanks(quoted('"').or_else(|| quoted('\'')).unwrap_or(text)))
}

fn turn_of(field: &str) -> Result<usize, BadFen4> {
    let turn = COLOURS.iter().position(|c| field.chars().eq([*c]));
    turn.ok_or_else(|| BadFen4("the turn is none of R, B, Y, G".into()))
}

/// The pieces of a text and the number of the colour on turn, without any rule; a piece without a colour is noted and left out.
pub(in super::super) fn placed(text: &str, notes: &mut Vec<String>) -> Result<(starts::Men, usize), BadFen4> {
    let text = tidied(text)?;
    if let Some(men) = starts::named(&text) {
        return Ok((men, 0));
    }
    let fields = Fields::of(&text)?;
    let mut men = starts::Men::new();
    for cell in cells(fields.board)? {
        if !matches!(cell.letter, 'K' | 'Q' | 'R' | 'B' | 'N' | 'P' | 'D') {
            return bad(format!("{}: no piece {}", cell.square, cell.letter.escape_debug()));
        }
        match cell.colour {
            Some(colour) => {
                men.insert(cell.square, (colour, cell.letter));
            }
            None => notes.push(format!("the dead {} on {}, which has no colour", cell.letter, cell.square)),
        }
    }
    Ok((men, turn_of(fields.head[0])?))
}

/// The values of the fields before the extras.
struct Head {
    turn: usize,
    dead: [bool; 4],
    castle_k: [bool; 4],
    castle_q: [bool; 4],
    points: [u32; 4],
    quiet: u32,
}

impl Head {
    fn read([turn, dead, castle_k, castle_q, points, halfmove]: [&str; 6]) -> Result<Head, BadFen4> {
        Ok(Head {
            turn: turn_of(turn)?,
            dead: flags(dead, "dead")?,
            castle_k: flags(castle_k, "castling")?,
            castle_q: flags(castle_q, "castling")?,
            points: numbers(points, "points")?,
            quiet: halfmove.parse().map_err(|_| BadFen4("the halfmove count is not a number".into()))?,
        })
    }
}

fn read_fields(text: &str, variant: Variant, dropped: &mut Vec<String>) -> Result<Imported, BadFen4> {
    let text = tidied(text)?;
    if starts::named(&text).is_some() {
        starts::check(&text, variant).map_err(BadFen4)?;
        let document = Game::new(variant).document();
        return Ok(Imported { variant, document, extras: String::new(), dropped: Vec::new() });
    }
    let Fields { head, extras, board } = Fields::of(&text)?;
    let extras = parse_extras(extras)?;
    let variant = match extras.get("ruleset") {
        Some(mark) => named_rules(&mark.text).map_err(BadFen4)?,
        None => variant,
    };
    let Some(letters) = letters(variant) else {
        return bad(format!("FEN4 describes 14×14 boards; {variant} is played on another one"));
    };
    let head = Head::read(head)?;

    note_rules(&extras, dropped)?;
    note_the_departed(&extras, &letters, &head.dead, dropped);
    let rules = variant.rules();
    if !extras.contains_key("ruleset") {
        refuse_other_sides(board, variant)?;
    }
    if !rules.counts_points() && head.points != [0; 4] {
        dropped.push(format!("the points {:?}, which {variant} does not count", head.points));
    }
    let statuses = statuses(&extras, &letters, &head.dead, dropped);
    let pieces = read_board(board, &letters, rules, &head.dead, dropped)?;
    let armies = armies(&head, &extras, &statuses, &letters, rules, &pieces, dropped)?;
    let mut document = json!({
        "variant": variant,
        "ply": number(&extras, "ply")?,
        "turn": letters[head.turn].to_string(),
        "pieces": pieces,
        "armies": armies,
        "quiet_plies": head.quiet,
        "offer": extras.get("offer").map(offer),
        "outcome": null,
    });
    read_particulars(&mut document, rules, &letters, &extras, dropped)?;
    let (extras, lost) = foreign(&extras);
    dropped.extend(
        lost.iter()
            .map(|key| format!("the extra {}", key.chars().take(40).collect::<String>().escape_debug())),
    );
    Ok(Imported { variant, document, extras, dropped: Vec::new() })
}

/// The status of each army: a dead one has fallen, whatever our own extra says of it.
fn statuses(
    extras: &Extras,
    letters: &[char; 4],
    dead: &[bool; 4],
    dropped: &mut Vec<String>,
) -> [String; 4] {
    let said = extras.get("status").map(Extra::list).unwrap_or_default();
    let said = |i: usize| said.get(i).map(String::as_str).filter(|said| !said.is_empty());
    for (i, letter) in letters.iter().enumerate() {
        if let Some(said) = said(i).filter(|&said| dead[i] && said != "fallen") {
            dropped.push(format!("that {letter} is {}: it is dead", said.escape_debug()));
        }
    }
    std::array::from_fn(|i| if dead[i] { "fallen" } else { said(i).unwrap_or("active") }.to_owned())
}

/// The armies of the document.
fn armies(
    head: &Head,
    extras: &Extras,
    statuses: &[String; 4],
    letters: &[char; 4],
    rules: &Rules,
    pieces: &Map<String, Value>,
    dropped: &mut Vec<String>,
) -> Result<Map<String, Value>, BadFen4> {
    let result_points = extras.get("resultPoints").map(Extra::list).unwrap_or_default();
    let mut armies = Map::new();
    for (i, letter) in letters.iter().enumerate() {
        let mut castling = String::new();
        for (side, sign, rights) in [(Side::King, 'K', &head.castle_k), (Side::Queen, 'Q', &head.castle_q)] {
            if !rights[i] {
                continue;
            }
            if are_at_home(rules, rules.turn_order[i], side, pieces) {
                castling.push(sign);
            } else {
                dropped.push(format!(
                    "{letter} cannot castle on the {sign} side from where king and rook stand"
                ));
            }
        }
        let mut army = json!({ "status": statuses[i], "castling": castling });
        if rules.counts_points() {
            let points = head.points[i];
            let fixed = match result_points.get(i) {
                Some(said) => said.parse().map_err(|_| BadFen4("resultPoints is not four numbers".into()))?,
                None => points,
            };
            army["points"] = json!(points);
            army["result_points"] = json!(if statuses[i] == "active" { points } else { fixed });
        }
        armies.insert(letter.to_string(), army);
    }
    Ok(armies)
}

/// The value of one of our own extras that is a number; 0 when it is not there.
fn number(extras: &Extras, key: &str) -> Result<u32, BadFen4> {
    let value = extras.get(key).map(|extra| extra.text.parse());
    value.unwrap_or(Ok(0)).map_err(|_| BadFen4(format!("the extra {key} is not a number")))
}

/// A board on which the colours sit as in another game.
fn refuse_other_sides(board: &str, variant: Variant) -> Result<(), BadFen4> {
    let fits = |variant: Variant| {
        letters(variant).is_some_and(|letters| sides_fit(board, &letters, variant.rules()))
    };
    let other = Variant::ALL.into_iter().find(|&other| other != variant && fits(other));
    match other {
        Some(other) if !fits(variant) => {
            let right = letters(variant).map_or("", |letters| {
                let blue = variant.rules().seat_named(&letters[1].to_string());
                if blue == Some(Seat::East) { "right" } else { "left" }
            });
            let way = if right == "right" { "counter-clockwise" } else { "clockwise" };
            bad(format!(
                "its colours sit on other sides than in {variant}, which is played {way} and has Blue on the \
                 {right}: it can be read as {other}, or looked at without rules"
            ))
        }
        _ => Ok(()),
    }
}

/// Other programs list who has left play; here only their dead are out of it.
fn note_the_departed(extras: &Extras, letters: &[char; 4], dead: &[bool; 4], dropped: &mut Vec<String>) {
    for (key, what) in [("resigned", "resigned"), ("flagged", "run out of time"), ("stalemated", "no move")] {
        let list = extras.get(key).map(Extra::list).unwrap_or_default();
        for (i, letter) in letters.iter().enumerate() {
            if !dead[i] && list.get(i).is_some_and(|said| said.eq_ignore_ascii_case("true") || said == "1") {
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
) -> Result<(), BadFen4> {
    if rules.en_passant != EnPassant::Unknown {
        document["en_passant"] = Value::Array(en_passant(letters, extras, dropped)?);
    }
    if rules.has_phases() {
        document["phase"] = json!(extras.get("phase").map_or("war", |phase| phase.text.as_str()));
    }
    if rules.counts_passes() {
        document["passes"] = json!(number(extras, "passes")?);
        if let Some(left) = extras.get("left") {
            let groups = left.text.split('/').filter(|group| !group.is_empty());
            document["left"] =
                groups.map(|group| group.chars().map(|c| json!(c.to_string())).collect::<Value>()).collect();
        }
    }
    if extras.contains_key("gameOver") {
        dropped.push("that the game was over".to_owned());
    }
    Ok(())
}

fn en_passant(
    letters: &[char; 4],
    extras: &Extras,
    dropped: &mut Vec<String>,
) -> Result<Vec<Value>, BadFen4> {
    let entries = extras.get("enPassant").map(Extra::list).unwrap_or_default();
    if entries.len() > letters.len() {
        return bad(format!("enPassant has {} entries where 4 are expected", entries.len()));
    }
    let mut rights = Vec::new();
    for (letter, entry) in letters.iter().zip(&entries) {
        if entry.is_empty() {
            continue;
        }
        match entry.split_once(':') {
            Some((target, pawn)) => {
                if !is_square(target) || !is_square(pawn) {
                    let shown: String = entry.chars().take(20).collect::<String>().escape_debug().to_string();
                    return bad(format!(
                        "enPassant: `{shown}` is not the square where a pawn is taken, a colon and the pawn's own"
                    ));
                }
                rights.push(json!({ "army": letter.to_string(), "target": target, "pawn": pawn }));
            }
            None => dropped.push(format!("the en passant entry {}", entry.escape_debug())),
        }
    }
    Ok(rights)
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
