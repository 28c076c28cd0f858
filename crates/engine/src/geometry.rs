//! The shape of a board: which squares exist, directions, turning the board to another seat's view.

use crate::piece::{EMPTY, WALL};
use crate::seat::Seat;
use crate::square::{Square, SquareSet};

/// Grid offsets of the eight directions, clockwise from up.
pub(crate) const OFFSETS: [u8; 8] = [16, 17, 1, 241, 240, 239, 255, 15];

pub(crate) const UP: u8 = 1 << 0;
pub(crate) const UP_RIGHT: u8 = 1 << 1;
pub(crate) const RIGHT: u8 = 1 << 2;
pub(crate) const DOWN_RIGHT: u8 = 1 << 3;
pub(crate) const UP_LEFT: u8 = 1 << 7;
pub(crate) const LEFT: u8 = 1 << 6;
pub(crate) const STRAIGHT: u8 = 0b0101_0101;
pub(crate) const DIAGONAL: u8 = 0b1010_1010;

/// The direction that leads back.
#[inline(always)]
pub(crate) const fn reverse(direction: usize) -> usize {
    (direction + 4) & 7
}

/// A set of directions turned by quarter turns, clockwise.
pub(crate) const fn turned(directions: u8, quarter_turns: usize) -> u8 {
    directions.rotate_left(2 * (quarter_turns as u32 & 3))
}

/// No line joins the squares.
const UNALIGNED: u8 = 8;
/// A knight's leap joins the squares, or they are the same.
const LEAP: u8 = 9;

/// The direction of every displacement, indexed by rank and file difference, each plus 16.
const ALIGNMENT: [u8; 1024] = {
    let mut table = [UNALIGNED; 1024];
    table[16 * 32 + 16] = LEAP;
    let mut distance = 1;
    while distance < 16 {
        let (zero, plus, minus) = (16, 16 + distance, 16 - distance);
        let places: [(usize, usize); 8] = [
            (plus, zero),
            (plus, plus),
            (zero, plus),
            (minus, plus),
            (minus, zero),
            (minus, minus),
            (zero, minus),
            (plus, minus),
        ];
        let mut direction = 0;
        while direction < 8 {
            let (rank, file) = places[direction];
            table[rank * 32 + file] = direction as u8;
            direction += 1;
        }
        distance += 1;
    }
    let mut rank = 14;
    while rank <= 18 {
        let mut file = 14;
        while file <= 18 {
            let (up, right) = (rank as i32 - 16, file as i32 - 16);
            if up * up + right * right == 5 {
                table[rank * 32 + file] = LEAP;
            }
            file += 1;
        }
        rank += 1;
    }
    table
};

/// The direction of the line from one square to another, more than 7 when no line joins them.
#[inline(always)]
pub(crate) fn direction_between(from: Square, to: Square) -> u8 {
    let rank = usize::from(to.rank() + 16 - from.rank());
    let file = usize::from(to.file() + 16 - from.file());
    ALIGNMENT[(rank * 32 + file) & 1023]
}

/// Which squares of the grid a board has.
#[derive(Clone, Debug)]
pub struct Geometry {
    width: u8,
    height: u8,
    squares: SquareSet,
}

impl Geometry {
    /// A rectangle of which each corner lacks a square of `corner` files and ranks.
    pub(crate) fn new(width: u8, height: u8, corner: u8) -> Geometry {
        assert!(width <= 14 && height <= 14, "the grid's wall is two wide");
        let inside = |at: u8, length: u8| at >= corner && at < length - corner;
        let squares = (0..height)
            .flat_map(|rank| (0..width).map(move |file| (file, rank)))
            .filter(|&(file, rank)| inside(file, width) || inside(rank, height))
            .map(|(file, rank)| Square::at(file, rank))
            .collect();
        Geometry { width, height, squares }
    }

    /// Number of files.
    #[must_use]
    pub fn width(&self) -> u8 {
        self.width
    }

    /// Number of ranks.
    #[must_use]
    pub fn height(&self) -> u8 {
        self.height
    }

    /// The squares of the board.
    #[must_use]
    pub fn squares(&self) -> &SquareSet {
        &self.squares
    }

    /// The square of that name, if the board has it.
    #[must_use]
    pub fn square(&self, name: &str) -> Option<Square> {
        name.parse().ok().filter(|square| self.squares.has(*square))
    }

    /// The neighbour in a direction; edges and holes are the same: there is none.
    pub(crate) fn neighbour(&self, square: Square, direction: usize) -> Option<Square> {
        Some(square.offset(OFFSETS[direction])).filter(|next| self.squares.has(*next))
    }

    /// The directions that lead from a square to others of the board.
    pub(crate) fn ways_from(&self, square: Square) -> u8 {
        (0..8).filter(|&way| self.neighbour(square, way).is_some()).fold(0, |ways, way| ways | 1 << way)
    }

    /// The square that is to another seat what this one is to South.
    pub(crate) fn turned(&self, square: Square, seat: Seat) -> Square {
        let (file, rank) = (square.file(), square.rank());
        let (right, top) = (self.width - 1, self.height - 1);
        match seat.quarter_turns() {
            0 => square,
            1 => Square::at(rank, right - file),
            2 => Square::at(right - file, top - rank),
            _ => Square::at(top - rank, file),
        }
    }

    /// The line of a square as a seat counts, from 1 at its own edge.
    pub(crate) fn line(&self, square: Square, seat: Seat) -> u8 {
        match seat {
            Seat::South => square.rank() + 1,
            Seat::West => square.file() + 1,
            Seat::North => self.height - square.rank(),
            Seat::East => self.width - square.file(),
        }
    }

    /// A board without pieces.
    pub(crate) fn bare_board(&self) -> [u8; 256] {
        let mut board = [WALL; 256];
        for square in self.squares.iter() {
            board[square.index()] = EMPTY;
        }
        board
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cross_has_160_squares_and_no_corners() {
        let cross = Geometry::new(14, 14, 3);
        assert_eq!(cross.squares().len(), 160);
        for corner in ["a1", "c3", "a12", "l14", "n14", "l1", "n3", "o5", "d15"] {
            assert_eq!(cross.square(corner), None, "{corner}");
        }
        assert!(cross.square("d1").is_some() && cross.square("a4").is_some());
    }

    #[test]
    fn turning_a_square_four_times_brings_it_home() {
        let cross = Geometry::new(14, 14, 3);
        let west = |square| cross.turned(square, Seat::West);
        for square in cross.squares().iter() {
            assert_eq!(west(west(west(west(square)))), square);
            assert_eq!(west(west(square)), cross.turned(square, Seat::North));
            assert!(cross.squares().has(west(square)));
            for seat in Seat::ALL {
                assert_eq!(cross.line(cross.turned(square, seat), seat), square.rank() + 1);
            }
        }
    }

    #[test]
    fn lines_and_leaps_are_told_from_other_displacements() {
        let from: Square = "e4".parse().unwrap();
        for (to, direction) in [
            ("e9", 0),
            ("g6", 1),
            ("n4", 2),
            ("h1", 3),
            ("e1", 4),
            ("a4", 6),
            ("b7", 7),
            ("f6", 9),
            ("g7", 8),
        ] {
            assert_eq!(direction_between(from, to.parse().unwrap()), direction, "{to}");
        }
    }

    #[test]
    fn a_step_off_the_board_lands_on_wall() {
        for geometry in [Geometry::new(14, 14, 3), Geometry::new(12, 12, 0), Geometry::new(9, 10, 0)] {
            let board = geometry.bare_board();
            for square in geometry.squares().iter() {
                for file in -2i16..=2 {
                    for rank in -2i16..=2 {
                        let (f, r) = (i16::from(square.file()) + file, i16::from(square.rank()) + rank);
                        let exists = (0..14).contains(&f)
                            && (0..14).contains(&r)
                            && geometry.squares().has(Square::at(f as u8, r as u8));
                        let to = square.offset((rank * 16 + file) as u8);
                        assert_eq!(board[to.index()] != WALL, exists, "{square} {file} {rank}");
                    }
                }
            }
        }
    }
}
