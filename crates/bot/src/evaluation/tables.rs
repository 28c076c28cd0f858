//! The weights of a game spread over its squares, computed once.

use std::sync::LazyLock;

use kingscross_engine::{Piece, Rules, Seat, Square, Variant};

use super::weights::{Stakes, Weights};

/// Number of a square, below 256.
#[inline(always)]
pub(crate) const fn place(square: Square) -> usize {
    (square.rank() as usize) << 4 | square.file() as usize
}

/// What a piece is worth, by its code.
pub(crate) struct Tables {
    /// By piece and square: its value there.
    pub(crate) standing: Vec<[i32; 256]>,
    /// By piece: its value anywhere.
    pub(crate) value: [i32; 64],
    pub(crate) mobility: [i32; 64],
    pub(crate) menace: [i32; 64],
    /// By square: the squares around it.
    pub(crate) around: Vec<Vec<Square>>,
    pub(crate) pawn: [bool; 64],
    pub(crate) shelter: i32,
    pub(crate) stakes: Stakes,
}

static TABLES: LazyLock<[Tables; Variant::ALL.len()]> =
    LazyLock::new(|| Weights::ALL.map(|(variant, weights)| Tables::new(variant, weights)));

impl Tables {
    /// The tables of a game.
    pub(crate) fn of(variant: Variant) -> &'static Tables {
        let at = Weights::ALL.iter().position(|(of, _)| *of == variant);
        &TABLES[at.expect("every game has its weights")]
    }

    fn new(variant: Variant, weights: &Weights) -> Tables {
        let rules = variant.rules();
        let mut tables = Tables {
            standing: vec![[0; 256]; 64],
            value: [0; 64],
            mobility: [0; 64],
            menace: [0; 64],
            around: vec![Vec::new(); 256],
            pawn: [false; 64],
            shelter: weights.shelter,
            stakes: weights.stakes,
        };
        for square in rules.squares() {
            tables.around[place(square)] =
                rules.squares().filter(|&other| distance(square, other) == 1).collect();
        }
        for &seat in rules.turn_order {
            for worth in weights.pieces {
                for addition in ["", "^", ">", "v", "<"] {
                    let text = format!("{}{}{addition}", rules.letter(seat), worth.piece);
                    let Some(piece) = rules.piece(&text) else { continue };
                    let code = piece.code();
                    tables.value[code] = worth.value;
                    tables.mobility[code] = worth.mobility;
                    tables.menace[code] = worth.menace;
                    tables.pawn[code] = rules.is_pawn(piece);
                    for square in rules.squares() {
                        let there = worth.value
                            + worth.centre * nearness_to_middle(rules, square)
                            + bonus(rules, weights, seat, piece, worth.piece, square);
                        tables.standing[code][place(square)] = there;
                    }
                }
            }
        }
        tables
    }
}

/// Steps that a king would need between two squares.
#[inline(always)]
pub(crate) fn distance(a: Square, b: Square) -> u8 {
    a.file().abs_diff(b.file()).max(a.rank().abs_diff(b.rank()))
}

fn nearness_to_middle(rules: &Rules, square: Square) -> i32 {
    let (width, height) = (i32::from(rules.width()), i32::from(rules.height()));
    let from_middle = |at: u8, length: i32| (2 * i32::from(at) + 1 - length).abs() / 2;
    let far = from_middle(square.file(), width).max(from_middle(square.rank(), height));
    // More than five steps away from the middle, distance no longer counts.
    5 - far
}

/// Lines from a seat's own edge, from 1.
fn line(rules: &Rules, square: Square, seat: Seat) -> u8 {
    match seat {
        Seat::South => square.rank() + 1,
        Seat::West => square.file() + 1,
        Seat::North => rules.height() - square.rank(),
        Seat::East => rules.width() - square.file(),
    }
}

fn bonus(rules: &Rules, weights: &Weights, seat: Seat, piece: Piece, name: &str, square: Square) -> i32 {
    let at = line(rules, square, seat);
    if piece.is_king() {
        return weights.king_strays * i32::from((at - 1).min(5));
    }
    if !rules.is_pawn(piece) {
        // Palaces are three files wide in the middle and three lines deep; only games with a palace bonus have them.
        let in_theirs = square.file().abs_diff(rules.width() / 2) <= 1 && at > rules.height() - 3;
        let palace = weights.in_their_palace.iter().find(|(of, _)| *of == name && in_theirs);
        return palace.map_or(0, |(_, bonus)| *bonus);
    }
    let steps = steps_to_goal(rules, weights, seat, piece, square);
    let mut gain = weights.promotion;
    for _ in 0..steps {
        gain = gain * 45 / 100;
    }
    let beyond = weights.river.is_some_and(|river| at >= river);
    gain + weights.advance * (12 - i32::from(steps)) + if beyond { weights.beyond_river } else { 0 }
}

/// How many squares lie before a pawn until it promotes; the shortest way, if it has two.
fn steps_to_goal(rules: &Rules, weights: &Weights, seat: Seat, piece: Piece, square: Square) -> u8 {
    if let Some(goal) = weights.goal {
        return goal.saturating_sub(line(rules, square, seat));
    }
    let way = |towards: Seat| {
        let last = match towards {
            Seat::South => rules.height() - 1 - square.rank(),
            Seat::North => square.rank(),
            Seat::West => rules.width() - 1 - square.file(),
            Seat::East => square.file(),
        };
        let ahead = |steps: u8| {
            rules.squares().any(|other| {
                let (f, r) = (i16::from(square.file()), i16::from(square.rank()));
                let s = i16::from(steps);
                let (f, r) = match towards {
                    Seat::South => (f, r + s),
                    Seat::North => (f, r - s),
                    Seat::West => (f + s, r),
                    Seat::East => (f - s, r),
                };
                (i16::from(other.file()), i16::from(other.rank())) == (f, r)
            })
        };
        (1..=last).take_while(|&steps| ahead(steps)).count() as u8
    };
    match rules.piece_text(piece).chars().last() {
        Some('^') => way(Seat::South),
        Some('>') => way(Seat::West),
        Some('v') => way(Seat::North),
        Some('<') => way(Seat::East),
        Some('*') => {
            let (one, other) = match seat {
                Seat::South => (Seat::South, Seat::West),
                Seat::West => (Seat::North, Seat::West),
                Seat::North => (Seat::North, Seat::East),
                Seat::East => (Seat::South, Seat::East),
            };
            way(one).min(way(other))
        }
        _ => way(seat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_of_every_game_has_its_worth() {
        for variant in Variant::ALL {
            let rules = variant.rules();
            let tables = Tables::of(variant);
            let start = kingscross_engine::Position::start(variant);
            for (square, piece) in start.pieces() {
                let text = rules.piece_text(piece);
                assert!(piece.is_king() || tables.value[piece.code()] > 0, "{variant} {text}");
                assert!(
                    piece.is_king() || tables.standing[piece.code()][place(square)] > 0,
                    "{variant} {text}"
                );
            }
        }
    }

    #[test]
    fn armies_start_equal() {
        for variant in Variant::ALL {
            let start = kingscross_engine::Position::start(variant);
            let tables = Tables::of(variant);
            let total = |seat: Seat| -> i32 {
                let of = |square| {
                    start.piece(square).map_or(0, |piece| tables.standing[piece.code()][place(square)])
                };
                start.army(seat).iter().map(of).sum()
            };
            let order = variant.rules().turn_order;
            assert!(order.iter().all(|&seat| total(seat) == total(order[0])), "{variant}");
        }
    }

    #[test]
    fn pawns_gain_on_their_way_to_their_goal() {
        for (variant, pawn, before, after) in [
            (Variant::Crossfire, "sP", "e5", "e6"),
            (Variant::Crossfire, "wP", "c5", "d5"),
            (Variant::Crossfire, "sP", "d10", "b10"),
            (Variant::Kingdoms, "bP", "i5", "h5"),
            (Variant::Quaternity, "rPv", "c8", "c7"),
            (Variant::Quaternity, "wP*", "d4", "e4"),
            (Variant::CrossA, "wP", "a4", "a5"),
            (Variant::CrossB, "bP", "e5", "e4"),
        ] {
            let rules = variant.rules();
            let piece = rules.piece(pawn).unwrap();
            let worth = |square: &str| {
                Tables::of(variant).standing[piece.code()][place(rules.square(square).unwrap())]
            };
            assert!(worth(after) > worth(before), "{variant} {pawn} {before} {after}");
        }
    }
}
