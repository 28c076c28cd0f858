//! The table of one game: all that can be said of it before the first move.

use std::fmt;

use crate::games::Variant;
use crate::geometry::{Geometry, direction_between};
use crate::movement::{Sources, Tables};
use crate::names::text_of;
use crate::outcome::Reason;
use crate::piece::Piece;
use crate::role::Role;
use crate::seat::{Seat, Seats};
use crate::square::{Square, SquareSet};
use crate::status::Status;

/// Version of the rules; part of hashes and of records.
pub const RULES_VERSION: u32 = 1;

/// How en passant rights arise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EnPassant {
    /// Never.
    Unknown,
    /// By every double step, until its owner is on turn again.
    AllRound,
    /// By a double step that lands beside an enemy pawn, for the next turn.
    Beside,
}

/// What a pawn becomes at its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promotion {
    /// The mover names one of these roles, as far as such a piece may stand there.
    Chosen(&'static [u8]),
    /// Always this role.
    Always(u8),
}

/// What befalls a player on turn who has no move and is not in check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoMoves {
    /// It passes, and with two active players the game is drawn.
    PassesOrDraws,
    /// Its army falls, and it is paid so many points.
    FallsPaid(u32),
    /// It loses the game.
    Loses,
}

/// What leaving makes of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    Becomes(Status),
    Loses,
}

/// How finished games are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ranking {
    /// Winners, then those still active, then the others, last to leave first.
    Standing,
    /// By result points; of equals the one who moves later.
    Points,
}

/// The side of the king to which it castles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// That of the nearer rook.
    King,
    /// That of the farther rook.
    Queen,
}

/// One way to castle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Castle {
    /// The right, as a bit of the position's castling rights.
    pub(crate) right: u8,
    pub(crate) king_from: Square,
    pub(crate) king_to: Square,
    pub(crate) rook_from: Square,
    pub(crate) rook_to: Square,
    /// The squares between king and rook.
    pub(crate) between: SquareSet,
}

/// What a game's file says of it; [`Rules::new`] computes the rest.
pub(crate) struct Spec {
    pub(crate) variant: Variant,
    pub(crate) name: &'static str,
    pub(crate) family: &'static str,
    pub(crate) other_board: Option<Variant>,
    pub(crate) turn_order: &'static [Seat],
    /// Letter and English name of each army, in turn order.
    pub(crate) armies: &'static [(char, &'static str)],
    pub(crate) geometry: Geometry,
    pub(crate) roles: &'static [Role],
    /// Pieces as texts, each with its squares.
    pub(crate) setup: &'static [(&'static str, &'static str)],
    pub(crate) palaces: &'static [(&'static str, &'static str)],
    pub(crate) doubles: &'static str,
    pub(crate) river: Option<u8>,
    pub(crate) castles: bool,
    pub(crate) en_passant: EnPassant,
    pub(crate) promotion: Promotion,
    pub(crate) no_moves: NoMoves,
    pub(crate) leaving: Leaving,
    pub(crate) statuses: &'static [Status],
    pub(crate) ranking: Ranking,
    pub(crate) reasons: &'static [Reason],
}

/// The table of one game.
pub struct Rules {
    /// Which game it is.
    pub variant: Variant,
    /// English title.
    pub name: &'static str,
    /// The id of the games that are one system: who can play one of them can play the others.
    pub family: &'static str,
    /// The game on the other board, where two make a match.
    pub other_board: Option<Variant>,
    /// The armies of the game, in the order in which they move.
    pub turn_order: &'static [Seat],
    /// Corners (lower left, upper right) of the palaces.
    pub palaces: &'static [(&'static str, &'static str)],
    /// South's first rank beyond the river, counted from 1.
    pub river: Option<u8>,
    pub(crate) seats: Seats,
    pub(crate) geometry: Geometry,
    pub(crate) roles: &'static [Role],
    pub(crate) tables: Tables,
    pub(crate) start: [u8; 256],
    pub(crate) castles: Vec<Castle>,
    /// By square: the castling rights that end when a piece leaves it or is captured on it.
    pub(crate) castling_homes: [u8; 256],
    pub(crate) en_passant: EnPassant,
    pub(crate) promotion: Promotion,
    pub(crate) no_moves: NoMoves,
    pub(crate) leaving: Leaving,
    pub(crate) statuses: &'static [Status],
    pub(crate) ranking: Ranking,
    /// The reasons for which the game ends; of several at once the first counts.
    pub(crate) reasons: &'static [Reason],
    /// By seat: whose turn comes next, statuses aside.
    pub(crate) next: [Seat; 4],
    pub(crate) letters: [char; 4],
    pub(crate) army_names: [&'static str; 4],
    /// By cell: how the piece is written.
    pub(crate) texts: [String; 64],
}

impl Rules {
    pub(crate) fn new(spec: Spec) -> Rules {
        let sources = Sources {
            seats: spec.turn_order,
            roles: spec.roles,
            palaces: spec.palaces,
            doubles: spec.doubles,
            river: spec.river,
        };
        let tables = Tables::new(&spec.geometry, &sources);
        let mut rules = Rules {
            variant: spec.variant,
            name: spec.name,
            family: spec.family,
            other_board: spec.other_board,
            turn_order: spec.turn_order,
            palaces: spec.palaces,
            river: spec.river,
            seats: spec.turn_order.iter().copied().collect(),
            start: spec.geometry.bare_board(),
            geometry: spec.geometry,
            roles: spec.roles,
            tables,
            castles: Vec::new(),
            castling_homes: [0; 256],
            en_passant: spec.en_passant,
            promotion: spec.promotion,
            no_moves: spec.no_moves,
            leaving: spec.leaving,
            statuses: spec.statuses,
            ranking: spec.ranking,
            reasons: spec.reasons,
            next: Seat::ALL,
            letters: ['?'; 4],
            army_names: [""; 4],
            texts: std::array::from_fn(|_| String::new()),
        };
        rules.seat_armies(spec.armies);
        rules.set_up(spec.setup);
        if spec.castles {
            for &seat in spec.turn_order {
                rules.lay_castles(seat);
            }
        }
        rules
    }

    /// Who follows whom, and how the armies and their pieces are written.
    fn seat_armies(&mut self, armies: &'static [(char, &'static str)]) {
        let followers = self.turn_order.iter().cycle().skip(1);
        for (seat, follower) in self.turn_order.iter().zip(followers) {
            self.next[seat.index()] = *follower;
        }
        for (seat, (letter, name)) in self.turn_order.iter().zip(armies) {
            self.letters[seat.index()] = *letter;
            self.army_names[seat.index()] = name;
            for (index, role) in self.roles.iter().enumerate() {
                let piece = Piece::new(*seat, index as u8 + 1);
                self.texts[piece.code()] = text_of(*letter, role, *seat);
            }
        }
    }

    fn set_up(&mut self, setup: &[(&str, &str)]) {
        for (text, squares) in setup {
            let piece = self.piece(text).expect("the setup names pieces of the game");
            for name in squares.split_whitespace() {
                let square = self.square(name).expect("the setup names squares of the board");
                self.start[square.index()] = piece.0;
            }
        }
    }

    /// Castling as the setup gives it: the side of the nearer rook is the K side.
    fn lay_castles(&mut self, seat: Seat) {
        let homes_of = |letter: char| -> Vec<Square> {
            let stands = |square: &Square| {
                self.start_piece(*square)
                    .is_some_and(|piece| piece.army() == seat && self.letter_of(piece) == letter)
            };
            self.geometry.squares().iter().filter(stands).collect()
        };
        let king = homes_of('K')[0];
        for rook in homes_of('R') {
            let way = usize::from(direction_between(king, rook));
            let next = |square: &Square| self.geometry.neighbour(*square, way);
            let squares: Vec<Square> = std::iter::successors(next(&king), next).collect();
            let between: SquareSet = squares.iter().copied().take_while(|&square| square != rook).collect();
            let side = if between.len() == 2 { Side::King } else { Side::Queen };
            let right = castling_right(seat, side);
            self.castles.push(Castle {
                right,
                king_from: king,
                king_to: squares[1],
                rook_from: rook,
                rook_to: squares[0],
                between,
            });
            self.castling_homes[king.index()] |= right;
            self.castling_homes[rook.index()] |= right;
        }
    }

    /// How an army castles to a side, in games that castle.
    pub(crate) fn castle(&self, army: Seat, side: Side) -> Option<&Castle> {
        self.castles.iter().find(|castle| castle.right == castling_right(army, side))
    }

    /// The piece on a square at the start.
    pub(crate) fn start_piece(&self, square: Square) -> Option<Piece> {
        Piece::of_cell(self.start[square.index()])
    }

    /// Is the piece a pawn (in cross-a, a soldier)?
    #[must_use]
    pub fn is_pawn(&self, piece: Piece) -> bool {
        self.tables.pawns >> piece.code() & 1 != 0
    }

    /// Do the points of captures and mates decide the game?
    #[must_use]
    pub fn counts_points(&self) -> bool {
        self.ranking == Ranking::Points
    }

    pub(crate) fn role_of(&self, piece: Piece) -> &Role {
        &self.roles[usize::from(piece.role()) - 1]
    }

    /// Does the game count passes and remember the order of leaving?
    pub(crate) fn counts_passes(&self) -> bool {
        self.no_moves == NoMoves::PassesOrDraws
    }

    pub(crate) fn ends_by(&self, reason: Reason) -> bool {
        self.reasons.contains(&reason)
    }

    /// Does the game count plies without progress?
    pub(crate) fn counts_quiet(&self) -> bool {
        self.ends_by(Reason::Quiet)
    }

    /// Can armies come under another controller?
    pub(crate) fn has_controllers(&self) -> bool {
        self.statuses.contains(&Status::Eliminated)
    }

    /// Has the game phases, war and ultimatum?
    pub(crate) fn has_phases(&self) -> bool {
        self.ends_by(Reason::LastKing)
    }

    #[inline]
    pub(crate) fn place_in_order(&self, seat: Seat) -> usize {
        self.turn_order.iter().position(|&other| other == seat).unwrap_or(0)
    }

    /// How many turns after `first`'s a seat would be on turn if none were skipped.
    pub(crate) fn turns_after(&self, first: Seat, seat: Seat) -> usize {
        let n = self.turn_order.len();
        (self.place_in_order(seat) + n - self.place_in_order(first)) % n
    }

    /// The armies of a set, in turn order.
    pub(crate) fn ordered(&self, seats: Seats) -> impl Iterator<Item = Seat> + use<> {
        self.turn_order.iter().copied().filter(move |&seat| seats.has(seat))
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        self.variant == other.variant
    }
}

impl Eq for Rules {}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rules({})", self.variant)
    }
}

fn castling_right(army: Seat, side: Side) -> u8 {
    1 << (2 * army.index() + side as usize)
}
