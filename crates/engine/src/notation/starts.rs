//! The starts that other programs name instead of writing them out, and what a colour and a letter mean.

use std::collections::BTreeMap;

use super::fen4;
use crate::{Game, Variant};

/// Colours in the order of every list of FEN4 and PGN4, as words.
pub(super) const COLOURS: [&str; 4] = ["red", "blue", "yellow", "green"];

/// The squares of the queens of Red, Blue, Yellow and Green; each king is beside its queen.
const NAMED: [(&str, [&str; 4]); 4] = [
    ("4PC", ["g1", "a8", "h14", "n7"]),
    ("4PCo", ["g1", "a7", "h14", "n8"]),
    ("4PCb", ["g1", "a8", "g14", "n8"]),
    ("4PCn", ["g1", "a8", "g14", "n7"]),
];

/// A piece of the 14×14 board: the number of its colour, and its letter. `D` is the queen of one point.
pub(super) type Man = (usize, char);
/// The pieces by their squares.
pub(super) type Men = BTreeMap<String, Man>;

/// The known names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMED.iter().map(|&(name, _)| name)
}

/// The pieces of a start that is known by its name.
pub(super) fn named(name: &str) -> Option<Men> {
    let (_, queens) = NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    let mut men = Men::new();
    for (colour, queen) in queens.iter().enumerate() {
        for at in 0..8 {
            let square = |depth: usize| match colour {
                0 => fen4::square_name(3 + at, depth),
                1 => fen4::square_name(depth, 3 + at),
                2 => fen4::square_name(3 + at, 13 - depth),
                _ => fen4::square_name(13 - depth, 3 + at),
            };
            let home = square(0);
            let letter = match at {
                0 | 7 => 'R',
                1 | 6 => 'N',
                2 | 5 => 'B',
                _ if home == *queen => 'Q',
                _ => 'K',
            };
            men.insert(home, (colour, letter));
            men.insert(square(1), (colour, 'P'));
        }
    }
    Some(men)
}

/// The pieces at the start of a variant; none when its board is another one.
pub(super) fn of_variant(variant: Variant) -> Option<Men> {
    let letters = fen4::letters(variant)?;
    let document = Game::new(variant).document();
    let pieces = document["pieces"].as_object()?;
    let man = |text: &str| {
        let mut chars = text.chars();
        let army = chars.next()?;
        let colour = letters.iter().position(|&letter| letter == army)?;
        Some((colour, if text.ends_with('+') { 'D' } else { chars.next()? }))
    };
    pieces.iter().map(|(square, text)| Some((square.clone(), man(text.as_str()?)?))).collect()
}

/// Is the start with this name the one of the variant?
///
/// # Errors
/// It is not known, or another one: then the difference.
pub(super) fn check(name: &str, variant: Variant) -> Result<(), String> {
    let shown: String = name.chars().take(40).collect::<String>().escape_debug().to_string();
    let Some(theirs) = named(name) else {
        let known: Vec<&str> = names().collect();
        return Err(format!("no start is called `{shown}`; known are {}", known.join(", ")));
    };
    let Some(ours) = of_variant(variant) else {
        return Err(format!("`{shown}` is a start on the 14×14 board; {variant} is played on another one"));
    };
    let differing: Vec<&String> =
        theirs.keys().filter(|square| theirs.get(*square) != ours.get(*square)).collect();
    let told = |square: &&&String| {
        let here = ours.get(**square).map_or("nothing".to_owned(), |&man| man_text(man));
        format!("{square} has {}, in {variant} {here}", man_text(theirs[**square]))
    };
    match differing.len() {
        0 => Ok(()),
        count => {
            let first: Vec<String> = differing.iter().take(4).map(|square| told(&square)).collect();
            let more =
                if count > 4 { format!(", and {} more squares differ", count - 4) } else { String::new() };
            Err(format!("`{shown}` is another start: {}{more}", first.join("; ")))
        }
    }
}

/// `a red queen`.
pub(super) fn man_text((colour, letter): Man) -> String {
    let kind = match letter {
        'K' => "king",
        'Q' | 'D' => "queen",
        'R' => "rook",
        'B' => "bishop",
        'N' => "knight",
        _ => "pawn",
    };
    format!("a {} {kind}", COLOURS[colour])
}

/// Do two letters mean the same piece? A promoted queen is written both ways.
pub(super) fn same_kind(a: char, b: char) -> bool {
    let plain = |letter| if letter == 'D' { 'Q' } else { letter };
    plain(a) == plain(b)
}
