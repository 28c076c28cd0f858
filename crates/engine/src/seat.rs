//! The sides of the table and small sets of them.

use serde::{Deserialize, Serialize};

use crate::square::Bits;

/// A side of the table; an army, its first controller and its player share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Seat {
    /// The bottom of the board, where files and ranks are counted from.
    South,
    /// The left side.
    West,
    /// The top.
    North,
    /// The right side.
    East,
}

impl Seat {
    /// All sides, clockwise from South.
    pub const ALL: [Seat; 4] = [Seat::South, Seat::West, Seat::North, Seat::East];

    /// Position of the side in [`Seat::ALL`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The side at `index` in [`Seat::ALL`], taken modulo four.
    #[inline]
    #[must_use]
    pub const fn from_index(index: usize) -> Seat {
        match index & 3 {
            0 => Seat::South,
            1 => Seat::West,
            2 => Seat::North,
            _ => Seat::East,
        }
    }

    /// The side straight across the table.
    #[must_use]
    pub const fn opposite(self) -> Seat {
        Seat::from_index(self.index() + 2)
    }

    /// Quarter turns, clockwise, that take South's view to this side's.
    #[must_use]
    pub const fn quarter_turns(self) -> usize {
        self.index()
    }
}

/// A set of sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seats(u8);

impl Seats {
    /// No side.
    pub const NONE: Seats = Seats(0);

    /// The set of one side.
    #[must_use]
    pub const fn of(seat: Seat) -> Seats {
        Seats(1 << seat.index())
    }

    /// Is the side a member?
    #[inline]
    #[must_use]
    pub const fn has(self, seat: Seat) -> bool {
        self.0 >> seat.index() & 1 != 0
    }

    /// Adds a side.
    pub fn insert(&mut self, seat: Seat) {
        self.0 |= 1 << seat.index();
    }

    /// Has it no member?
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of members.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The members of either set.
    #[must_use]
    pub const fn or(self, other: Seats) -> Seats {
        Seats(self.0 | other.0)
    }

    /// The members of both sets.
    #[inline]
    #[must_use]
    pub(crate) const fn and(self, other: Seats) -> Seats {
        Seats(self.0 & other.0)
    }

    /// The members of this set that the other lacks.
    #[inline]
    #[must_use]
    pub const fn without(self, other: Seats) -> Seats {
        Seats(self.0 & !other.0)
    }

    /// The members, clockwise from South.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        Bits(u64::from(self.0)).map(|index| Seat::from_index(usize::from(index)))
    }

    /// The only member of a set of one.
    #[inline]
    #[must_use]
    pub fn only(self) -> Option<Seat> {
        if self.len() == 1 { self.iter().next() } else { None }
    }
}

impl FromIterator<Seat> for Seats {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Seats {
        let mut set = Seats::NONE;
        for seat in seats {
            set.insert(seat);
        }
        set
    }
}
