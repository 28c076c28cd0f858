//! Boards, letters, home squares and the start positions.

use std::collections::BTreeMap;

/// File and rank, counted from one.
pub(crate) type Square = (i32, i32);

pub(crate) type Board = BTreeMap<Square, Piece>;

/// A piece: its army, its letter, and the `+` of a promoted queen or the direction sign of a quaternity pawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) army: char,
    pub(crate) kind: char,
    pub(crate) mark: Option<char>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    Crossfire,
    Kingdoms,
    Quaternity,
    CrossA,
    CrossB,
}

use Variant::{CrossA, CrossB, Crossfire, Kingdoms, Quaternity};

impl Variant {
    pub(crate) const ALL: [Variant; 5] = [Crossfire, Kingdoms, Quaternity, CrossA, CrossB];

    pub(crate) fn id(self) -> &'static str {
        match self {
            Crossfire => "crossfire",
            Kingdoms => "kingdoms",
            Quaternity => "quaternity",
            CrossA => "cross-a",
            CrossB => "cross-b",
        }
    }

    pub(crate) fn named(id: &str) -> Option<Variant> {
        Variant::ALL.into_iter().find(|variant| variant.id() == id)
    }

    pub(crate) fn is_cross_chess(self) -> bool {
        matches!(self, CrossA | CrossB)
    }

    /// The army letters in turn order.
    pub(crate) fn letters(self) -> &'static [char] {
        match self {
            Crossfire => &['s', 'w', 'n', 'e'],
            Kingdoms => &['r', 'b', 'y', 'g'],
            Quaternity => &['w', 'r', 'b', 'g'],
            CrossA | CrossB => &['w', 'b'],
        }
    }

    pub(crate) fn kinds(self) -> &'static [char] {
        match self {
            CrossA => &['K', 'A', 'E', 'H', 'R', 'P'],
            _ => &['K', 'Q', 'R', 'B', 'N', 'P'],
        }
    }

    /// The letters that may follow `=` in an action.
    pub(crate) fn promotion_kinds(self) -> &'static [char] {
        match self {
            CrossA => &['A', 'E', 'H', 'R'],
            _ => &['Q', 'R', 'B', 'N'],
        }
    }

    pub(crate) fn reasons(self) -> &'static [&'static str] {
        match self {
            Crossfire => &[
                "throne",
                "last_king",
                "last_standing",
                "stalemate",
                "agreement",
                "repetition",
                "quiet",
                "bare_kings",
                "deadlock",
                "length",
            ],
            Kingdoms => &["last_active", "agreement", "repetition", "quiet", "bare_kings", "length"],
            Quaternity => &["last_active", "stalemate", "agreement", "deadlock", "unresolved", "length"],
            CrossA | CrossB => &[
                "checkmate",
                "stalemate",
                "resignation",
                "time",
                "agreement",
                "repetition",
                "quiet",
                "bare_kings",
                "length",
            ],
        }
    }

    pub(crate) fn statuses(self) -> &'static [&'static str] {
        match self {
            Crossfire => &["active", "abandoned", "fallen"],
            Kingdoms => &["active", "surrendered", "fallen"],
            Quaternity => &["active", "frozen", "eliminated"],
            CrossA | CrossB => &["active"],
        }
    }

    pub(crate) fn size(self) -> (i32, i32) {
        match self {
            Crossfire | Kingdoms => (14, 14),
            Quaternity => (12, 12),
            CrossA => (8, 8),
            CrossB => (9, 10),
        }
    }

    pub(crate) fn exists(self, (file, rank): Square) -> bool {
        let (files, ranks) = self.size();
        let inside = (1..=files).contains(&file) && (1..=ranks).contains(&rank);
        match self {
            Crossfire | Kingdoms => inside && ((4..=11).contains(&file) || (4..=11).contains(&rank)),
            _ => inside,
        }
    }

    pub(crate) fn squares(self) -> Vec<Square> {
        let (files, ranks) = self.size();
        (1..=files)
            .flat_map(|file| (1..=ranks).map(move |rank| (file, rank)))
            .filter(|&square| self.exists(square))
            .collect()
    }

    /// The way an army's pawns travel, where all of an army travel one way.
    pub(crate) fn forward(self, army: char) -> (i32, i32) {
        match (self, army) {
            (Crossfire, 's') | (Kingdoms, 'r') | (CrossA | CrossB, 'w') => (0, 1),
            (Crossfire, 'w') | (Kingdoms, 'g') => (1, 0),
            (Crossfire, 'n') | (Kingdoms, 'y') | (CrossA | CrossB, 'b') => (0, -1),
            (Crossfire, 'e') | (Kingdoms, 'b') => (-1, 0),
            _ => panic!("{} has no army {army} with one direction", self.id()),
        }
    }

    /// How many lines a square lies from an army's own edge: 1 on its back line.
    pub(crate) fn line(self, army: char, (file, rank): Square) -> i32 {
        let (files, ranks) = self.size();
        match self.forward(army) {
            (0, 1) => rank,
            (1, 0) => file,
            (0, -1) => ranks + 1 - rank,
            _ => files + 1 - file,
        }
    }

    /// Home squares of king, K side rook and Q side rook, in the two games that castle.
    pub(crate) fn castling_homes(self, army: char) -> Option<(Square, Square, Square)> {
        let homes = match (self, army) {
            (Crossfire, 's') => ["h1", "k1", "d1"],
            (Crossfire, 'w') => ["a7", "a4", "a11"],
            (Crossfire, 'n') => ["h14", "k14", "d14"],
            (Crossfire, 'e') => ["n7", "n4", "n11"],
            (Kingdoms, 'r') => ["h1", "k1", "d1"],
            (Kingdoms, 'b') => ["n8", "n11", "n4"],
            (Kingdoms, 'y') => ["g14", "d14", "k14"],
            (Kingdoms, 'g') => ["a7", "a4", "a11"],
            _ => return None,
        };
        let [king, near, far] = homes.map(|name| self.square(name).expect("a home square"));
        Some((king, near, far))
    }

    pub(crate) fn square(self, name: &str) -> Option<Square> {
        let mut chars = name.chars();
        let letter = chars.next()?;
        let digits = chars.as_str();
        if !letter.is_ascii_lowercase()
            || digits.is_empty()
            || digits.len() > 2
            || digits.starts_with('0')
            || !digits.chars().all(|digit| digit.is_ascii_digit())
        {
            return None;
        }
        let square = (letter as i32 - 'a' as i32 + 1, digits.parse().ok()?);
        self.exists(square).then_some(square)
    }

    /// Reads a piece as the JSON position writes it.
    pub(crate) fn piece(self, text: &str) -> Option<Piece> {
        let chars: Vec<char> = text.chars().collect();
        let (&army, &kind) = (chars.first()?, chars.get(1)?);
        if !self.letters().contains(&army) || !self.kinds().contains(&kind) {
            return None;
        }
        let mark = match (self, kind, &chars[2..]) {
            (Kingdoms, 'Q', ['+']) => Some('+'),
            (Quaternity, 'P', [mark @ ('^' | '>' | 'v' | '<' | '*')]) => Some(*mark),
            (Quaternity, 'P', _) => return None,
            (_, _, []) => None,
            _ => return None,
        };
        Some(Piece { army, kind, mark })
    }

    pub(crate) fn start(self) -> Board {
        let mut board = Board::new();
        let mut put = |name: &str, piece: String| {
            let square = self.square(name).expect("a square of the setup");
            let piece = self.piece(&piece).expect("a piece of the setup");
            assert!(board.insert(square, piece).is_none(), "{name} is laid twice");
        };
        let western = "RNBQKBNR";
        match self {
            Crossfire | Kingdoms => {
                // Each line: army, kings and rooks' edge, pawns' edge, the places of R N B Q K B N R in that order.
                let files = ["d", "e", "f", "g", "h", "i", "j", "k"];
                let ranks = ["4", "5", "6", "7", "8", "9", "10", "11"];
                let reversed = |line: [&'static str; 8]| {
                    let mut line = line;
                    line.reverse();
                    line
                };
                let lines: [(char, bool, &str, &str, [&str; 8]); 4] = if self == Crossfire {
                    [
                        ('s', true, "1", "2", files),
                        ('w', false, "a", "b", reversed(ranks)),
                        ('n', true, "14", "13", files),
                        ('e', false, "n", "m", reversed(ranks)),
                    ]
                } else {
                    [
                        ('r', true, "1", "2", files),
                        ('b', false, "n", "m", ranks),
                        ('y', true, "14", "13", reversed(files)),
                        ('g', false, "a", "b", reversed(ranks)),
                    ]
                };
                for (army, lies_flat, back, front, places) in lines {
                    for (place, kind) in places.into_iter().zip(western.chars()) {
                        let name = |edge: &str| {
                            if lies_flat { format!("{place}{edge}") } else { format!("{edge}{place}") }
                        };
                        put(&name(back), format!("{army}{kind}"));
                        put(&name(front), format!("{army}P"));
                    }
                }
            }
            Quaternity => {
                for line in [
                    "w: a1K b2Q a4R d1R b4N c4N d2B d3B a5P^ b5P^ c5P^ e1P> e2P> e3P> d4P* e5P*",
                    "r: a12K b11Q a9R d12R d10N d11N b9B c9B a8Pv b8Pv c8Pv e10P> e11P> e12P> d9P* e8P*",
                    "b: l12K k11Q i12R l9R j9N k9N i10B i11B j8Pv k8Pv l8Pv h10P< h11P< h12P< i9P* h8P*",
                    "g: l1K k2Q i1R l4R i2N i3N j4B k4B j5P^ k5P^ l5P^ h1P< h2P< h3P< h5P* i4P*",
                ] {
                    let (army, pieces) = line.split_once(": ").expect("army and pieces");
                    for item in pieces.split(' ') {
                        let cut = item.find(|sign: char| sign.is_ascii_uppercase()).expect("a letter");
                        put(&item[..cut], format!("{army}{}", &item[cut..]));
                    }
                }
            }
            CrossA => {
                for (place, kind) in ('a'..='h').zip("RHEAKEHR".chars()) {
                    put(&format!("{place}1"), format!("w{kind}"));
                    put(&format!("{place}8"), format!("b{kind}"));
                    put(&format!("{place}2"), "wP".to_owned());
                    put(&format!("{place}7"), "bP".to_owned());
                }
            }
            CrossB => {
                for (place, kind) in ('a'..='i').zip("RNBQKQBNR".chars()) {
                    put(&format!("{place}1"), format!("w{kind}"));
                    put(&format!("{place}10"), format!("b{kind}"));
                }
                for name in ["b3", "h3", "a4", "c4", "e4", "g4", "i4"] {
                    put(name, "wP".to_owned());
                }
                for name in ["b8", "h8", "a7", "c7", "e7", "g7", "i7"] {
                    put(name, "bP".to_owned());
                }
            }
        }
        board
    }
}

pub(crate) fn name((file, rank): Square) -> String {
    format!("{}{rank}", (b'a' + file as u8 - 1) as char)
}

pub(crate) fn text(piece: Piece) -> String {
    let Piece { army, kind, mark } = piece;
    mark.map_or_else(|| format!("{army}{kind}"), |mark| format!("{army}{kind}{mark}"))
}

/// The directions that a quaternity pawn may travel in.
pub(crate) fn pawn_directions(pawn: Piece) -> Vec<(i32, i32)> {
    let sign = |sign: char| match sign {
        '^' => (0, 1),
        'v' => (0, -1),
        '>' => (1, 0),
        '<' => (-1, 0),
        other => panic!("no direction {other}"),
    };
    match pawn.mark.expect("a quaternity pawn has a direction") {
        '*' => army_directions(pawn.army).into_iter().map(sign).collect(),
        one => vec![sign(one)],
    }
}

pub(crate) fn army_directions(army: char) -> [char; 2] {
    match army {
        'w' => ['^', '>'],
        'r' => ['v', '>'],
        'b' => ['v', '<'],
        'g' => ['^', '<'],
        other => panic!("no quaternity army {other}"),
    }
}

/// The palace of cross-b that a square lies in: 1 for White's, 2 for Black's.
pub(crate) fn palace((file, rank): Square) -> Option<i32> {
    match (file, rank) {
        (4..=6, 1..=3) => Some(1),
        (4..=6, 8..=10) => Some(2),
        _ => None,
    }
}
