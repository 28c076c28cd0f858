//! How pieces move, as data: patterns written once for South, and the tables computed from them.
//!
//! The generator walks from a piece outwards by its [`Gait`]; the attack test walks from a square outwards and asks of
//! the piece it meets whether its cell is in the set of those that come from that direction. Both are filled from the
//! same patterns.

use crate::geometry::{Geometry, OFFSETS, turned};
use crate::piece::Piece;
use crate::seat::Seat;
use crate::square::{Bits, Square, SquareSet};

/// The manner of one pattern of movement. Directions are a set of the eight, as South sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace {
    /// Any number of empty squares.
    Slide(u8),
    /// One square, to move or to capture.
    Step(u8),
    /// One square, to move or to capture, for a piece that stands beyond the river.
    StepBeyond(u8),
    /// One square, only onto an empty square.
    Push(u8),
    /// One square, only to capture.
    Strike(u8),
    /// The knight's leap.
    Knight,
    /// The knight's leap, stopped by a piece on the orthogonal square next to the origin.
    Horse,
    /// Two squares diagonally, stopped by a piece between.
    Elephant,
}

/// Where a piece of some role may stand, and so where it may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Everywhere.
    Anywhere,
    /// In any palace; it never leaves the one in which it stands.
    Palace,
    /// In the palace of its own army.
    OwnPalace,
}

/// Where a pawn promotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// On every square from which some way of travel leads off the board.
    Edge,
    /// On a line counted from its own edge.
    Line(u8),
}

/// What makes a role a pawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pawn {
    pub(crate) goal: Goal,
    /// First and last line from its own edge on which it can stand, its goal aside.
    pub(crate) lines: (u8, u8),
    /// The role it takes when it travels in a direction, where that is another.
    pub(crate) becomes: &'static [(u8, u8)],
}

/// What is written after the letter of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suffix {
    None,
    Sign(char),
    /// The arrow of the way of travel, given as South's.
    Arrow(u8),
}

/// One role of a game's pieces, as South's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Role {
    pub(crate) letter: char,
    pub(crate) suffix: Suffix,
    pub(crate) paces: &'static [Pace],
    pub(crate) zone: Zone,
    pub(crate) pawn: Option<Pawn>,
    /// What its capture from an active army is worth, in games that count points.
    pub(crate) points: u32,
}

impl Role {
    pub(crate) const fn new(letter: char, paces: &'static [Pace]) -> Role {
        Role { letter, suffix: Suffix::None, paces, zone: Zone::Anywhere, pawn: None, points: 0 }
    }

    pub(crate) const fn suffix(self, suffix: Suffix) -> Role {
        Role { suffix, ..self }
    }

    pub(crate) const fn zone(self, zone: Zone) -> Role {
        Role { zone, ..self }
    }

    pub(crate) const fn pawn(self, pawn: Pawn) -> Role {
        Role { pawn: Some(pawn), ..self }
    }

    pub(crate) const fn points(self, points: u32) -> Role {
        Role { points, ..self }
    }
}

/// How the pieces of one cell move: sets of directions, and of the game's leaps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gait {
    pub(crate) slide: u8,
    pub(crate) step: u8,
    pub(crate) step_beyond: u8,
    pub(crate) push: u8,
    pub(crate) strike: u8,
    pub(crate) leap: u16,
}

/// One way of a pawn, ready to be walked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Way {
    /// Grid offset.
    pub(crate) by: u8,
    /// The cell that the pawn is afterwards.
    pub(crate) place: u8,
    pub(crate) moves: bool,
    pub(crate) captures: bool,
}

/// The ways of the pawns of one cell, those that are open only beyond the river last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ways {
    ways: [Way; 8],
    before: u8,
    beyond: u8,
}

impl Ways {
    /// The ways from a square on either bank of the river.
    #[inline(always)]
    pub(crate) fn open(&self, is_beyond: bool) -> &[Way] {
        let count = if is_beyond { self.beyond } else { self.before };
        &self.ways[..usize::from(count & 7)]
    }
}

/// One leap of a game: a displacement, and perhaps a square that must be empty for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leap {
    /// Grid offset from the origin to the target.
    pub(crate) by: u8,
    /// Grid offset from the origin to the square that stops it; 0 if nothing does.
    pub(crate) leg: u8,
    /// The cells that leap so.
    pub(crate) cells: u64,
}

/// Everything about movement that can be computed before the first move.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub(crate) gaits: [Gait; 64],
    /// By direction of travel: the cells that slide so.
    pub(crate) sliders: [u64; 8],
    /// By direction of travel: the cells that capture so on the next square, sliders included.
    pub(crate) near: [u64; 8],
    leaps: [Leap; 16],
    leap_count: usize,
    /// Cells that never leave the palace in which they stand.
    pub(crate) confined: u64,
    /// By direction of travel: the cells that step so only beyond the river.
    pub(crate) near_beyond: [u64; 8],
    /// By army: the squares beyond the river.
    pub(crate) beyond: [SquareSet; 4],
    /// The palace of each square, 0 outside.
    pub(crate) palace: [u8; 256],
    pub(crate) pawns: u64,
    /// By cell: where the pawn promotes.
    pub(crate) goals: [SquareSet; 64],
    /// By cell: where such a piece may stand.
    pub(crate) grounds: [SquareSet; 64],
    /// By cell and square: what is special about a pawn there, as bits of [`Tables::NEAR_GOAL`] and the others.
    stations: Box<[[u8; 256]; 64]>,
    /// By square: the leaps that lead from it to a square of the board, as bits.
    landings: [u16; 256],
    /// By square: the leaps that lead to it from a square of the board, as bits.
    arrivals: [u16; 256],
    /// By cell: the ways of a pawn.
    pub(crate) ways: [Ways; 64],
    /// By army: where its pawns may step two squares from.
    pub(crate) doubles: [SquareSet; 4],
    /// By army: one step of its pawns' own direction; meaningful where pawns have only one.
    pub(crate) forward: [u8; 4],
}

/// What the tables are computed from, beside the board.
pub(crate) struct Sources<'a> {
    pub(crate) seats: &'a [Seat],
    pub(crate) roles: &'a [Role],
    /// Corners (lower left, upper right) of the palaces, in the order of the seats.
    pub(crate) palaces: &'a [(&'static str, &'static str)],
    /// Squares from which South's pawns may step two.
    pub(crate) doubles: &'a str,
    /// South's first rank beyond the river, counted from 1.
    pub(crate) river: Option<u8>,
}

impl Tables {
    /// The pawn can reach its goal in one move.
    pub(crate) const NEAR_GOAL: u8 = 1;
    /// The pawn stands beyond the river.
    pub(crate) const BEYOND: u8 = 2;
    /// The pawn may step two squares.
    pub(crate) const DOUBLES: u8 = 4;

    /// What is special about a pawn on a square.
    #[inline(always)]
    pub(crate) fn station(&self, cell: u8, square: Square) -> u8 {
        self.stations[usize::from(cell & 63)][square.index()]
    }

    /// The leaps of the game that stay on the board from a square, as bits.
    #[inline(always)]
    pub(crate) fn landings(&self, square: Square) -> u16 {
        self.landings[square.index()]
    }

    pub(crate) fn new(geometry: &Geometry, sources: &Sources<'_>) -> Tables {
        let mut tables = Tables {
            gaits: [Gait::default(); 64],
            sliders: [0; 8],
            near: [0; 8],
            leaps: [Leap { by: 0, leg: 0, cells: 0 }; 16],
            leap_count: 0,
            confined: 0,
            near_beyond: [0; 8],
            beyond: [SquareSet::EMPTY; 4],
            palace: [0; 256],
            pawns: 0,
            goals: [SquareSet::EMPTY; 64],
            grounds: [SquareSet::EMPTY; 64],
            stations: Box::new([[0; 256]; 64]),
            landings: [0; 256],
            arrivals: [0; 256],
            ways: [Ways::default(); 64],
            doubles: [SquareSet::EMPTY; 4],
            forward: Seat::ALL.map(|seat| OFFSETS[2 * seat.quarter_turns()]),
        };
        tables.lay_palaces(geometry, sources.palaces);
        for &seat in sources.seats {
            tables.lay_ground_lines(geometry, sources, seat);
            for (index, role) in sources.roles.iter().enumerate() {
                tables.lay_role(geometry, sources.seats, seat, index as u8 + 1, role);
            }
        }
        for from in geometry.squares().iter() {
            for bit in 0..tables.leap_count {
                let to = from.offset(tables.leaps[bit].by);
                if geometry.squares().has(to) {
                    tables.landings[from.index()] |= 1 << bit;
                    tables.arrivals[to.index()] |= 1 << bit;
                }
            }
        }
        tables
    }

    /// The leaps of the game that can end on a square, each with its origin.
    #[inline(always)]
    pub(crate) fn arrivals(&self, square: Square) -> impl Iterator<Item = (Leap, Square)> {
        Bits(u64::from(self.arrivals[square.index()])).map(move |bit| {
            let leap = self.leap(bit);
            (leap, Square(square.0.wrapping_sub(leap.by)))
        })
    }

    /// The leap of that bit in a gait.
    #[inline(always)]
    pub(crate) fn leap(&self, bit: u8) -> Leap {
        self.leaps[usize::from(bit) & 15]
    }

    fn lay_palaces(&mut self, geometry: &Geometry, palaces: &[(&str, &str)]) {
        for (index, (low, high)) in palaces.iter().enumerate() {
            let corner = |name: &str| geometry.square(name).expect("a palace lies on the board");
            let (low, high) = (corner(low), corner(high));
            for square in geometry.squares().iter() {
                if (low.file()..=high.file()).contains(&square.file())
                    && (low.rank()..=high.rank()).contains(&square.rank())
                {
                    self.palace[square.index()] = index as u8 + 1;
                }
            }
        }
    }

    fn lay_ground_lines(&mut self, geometry: &Geometry, sources: &Sources<'_>, seat: Seat) {
        for name in sources.doubles.split_whitespace() {
            let square = geometry.square(name).expect("pawns start on the board");
            self.doubles[seat.index()].insert(geometry.turned(square, seat));
        }
        if let Some(river) = sources.river {
            let beyond = geometry.squares().iter().filter(|&square| geometry.line(square, seat) >= river);
            self.beyond[seat.index()] = beyond.collect();
        }
    }

    fn lay_role(&mut self, geometry: &Geometry, seats: &[Seat], seat: Seat, number: u8, role: &Role) {
        let cell = Piece::new(seat, number).code();
        let bit = 1u64 << cell;
        let turns = seat.quarter_turns();
        for &pace in role.paces {
            match pace {
                Pace::Slide(directions) => self.gaits[cell].slide |= turned(directions, turns),
                Pace::Step(directions) => self.gaits[cell].step |= turned(directions, turns),
                Pace::StepBeyond(directions) => self.gaits[cell].step_beyond |= turned(directions, turns),
                Pace::Push(directions) => self.gaits[cell].push |= turned(directions, turns),
                Pace::Strike(directions) => self.gaits[cell].strike |= turned(directions, turns),
                Pace::Knight => self.lay_leaps(cell, &knight_leaps().map(|(by, _)| (by, 0))),
                Pace::Horse => self.lay_leaps(cell, &knight_leaps()),
                Pace::Elephant => self.lay_leaps(
                    cell,
                    &[1, 3, 5, 7].map(|direction: usize| {
                        (OFFSETS[direction].wrapping_add(OFFSETS[direction]), OFFSETS[direction])
                    }),
                ),
            }
        }
        let gait = self.gaits[cell];
        for direction in 0..8 {
            if gait.slide >> direction & 1 != 0 {
                self.sliders[direction] |= bit;
            }
            if (gait.slide | gait.step | gait.step_beyond | gait.strike) >> direction & 1 != 0 {
                self.near[direction] |= bit;
            }
            if gait.step_beyond >> direction & 1 != 0 {
                self.near_beyond[direction] |= bit;
            }
        }
        let own_palace = seats.iter().position(|&other| other == seat).map_or(0, |index| index as u8 + 1);
        let ground = geometry.squares().iter().filter(|square| match role.zone {
            Zone::Anywhere => true,
            Zone::Palace => self.palace[square.index()] != 0,
            Zone::OwnPalace => self.palace[square.index()] == own_palace,
        });
        self.grounds[cell] = ground.collect();
        if role.zone != Zone::Anywhere {
            self.confined |= bit;
        }
        if let Some(pawn) = role.pawn {
            self.lay_pawn(geometry, seat, cell, &pawn);
        }
    }

    fn lay_leaps(&mut self, cell: usize, leaps: &[(u8, u8)]) {
        for &(by, leg) in leaps {
            let known =
                self.leaps[..self.leap_count].iter().position(|leap| (leap.by, leap.leg) == (by, leg));
            let index = known.unwrap_or_else(|| {
                self.leaps[self.leap_count] = Leap { by, leg, cells: 0 };
                self.leap_count += 1;
                self.leap_count - 1
            });
            self.leaps[index].cells |= 1 << cell;
            self.gaits[cell].leap |= 1 << index;
        }
    }

    fn lay_pawn(&mut self, geometry: &Geometry, seat: Seat, cell: usize, pawn: &Pawn) {
        self.pawns |= 1 << cell;
        let ways = self.gaits[cell].push | self.gaits[cell].step;
        let goal = |square: Square| match pawn.goal {
            Goal::Edge => (0..8).any(|way| ways >> way & 1 != 0 && geometry.neighbour(square, way).is_none()),
            Goal::Line(line) => geometry.line(square, seat) == line,
        };
        self.goals[cell] = geometry.squares().iter().filter(|&square| goal(square)).collect();
        let ground = geometry.squares().iter().filter(|&square| {
            let line = geometry.line(square, seat);
            let standing = (pawn.lines.0..=pawn.lines.1).contains(&line);
            !goal(square) && (standing || self.doubles[seat.index()].has(square))
        });
        self.grounds[cell] = ground.collect();
        let gait = self.gaits[cell];
        let goals = self.goals[cell];
        let all = gait.push | gait.strike | gait.step | gait.step_beyond;
        let leads_to_goal =
            |square: &Square| (0..8).any(|way| all >> way & 1 != 0 && goals.has(square.offset(OFFSETS[way])));
        for square in geometry.squares().iter() {
            let near_goal = if leads_to_goal(&square) { Tables::NEAR_GOAL } else { 0 };
            let beyond = if self.beyond[seat.index()].has(square) { Tables::BEYOND } else { 0 };
            let doubles = if self.doubles[seat.index()].has(square) { Tables::DOUBLES } else { 0 };
            assert!(near_goal == 0 || doubles == 0, "no pawn starts before its goal");
            self.stations[cell][square.index()] = near_goal | beyond | doubles;
        }
        let place = |way: usize| {
            let turns = seat.quarter_turns();
            let commits = pawn.becomes.iter().find(|(ways, _)| turned(*ways, turns) >> way & 1 != 0);
            commits.map_or(cell as u8, |(_, role)| Piece::new(seat, *role).0)
        };
        let way = |way: usize, directions_to_move: u8, directions_to_capture: u8| Way {
            by: OFFSETS[way],
            place: place(way),
            moves: directions_to_move >> way & 1 != 0,
            captures: directions_to_capture >> way & 1 != 0,
        };
        let at_once = gait.push | gait.strike | gait.step;
        let ways = (0..8)
            .filter(|way| at_once >> way & 1 != 0)
            .map(|index| way(index, gait.push | gait.step, gait.strike | gait.step));
        let later = (0..8)
            .filter(|way| gait.step_beyond >> way & 1 != 0)
            .map(|index| way(index, gait.step_beyond, gait.step_beyond));
        let table = &mut self.ways[cell];
        table.before = at_once.count_ones() as u8;
        for (slot, way) in table.ways.iter_mut().zip(ways.chain(later)) {
            *slot = way;
            table.beyond += 1;
        }
    }
}

/// The eight knight's leaps, each with the orthogonal square that a horse's leg stands on.
fn knight_leaps() -> [(u8, u8); 8] {
    std::array::from_fn(|index| {
        let straight = index & 6;
        let outward = if index & 1 == 0 { (straight + 1) & 7 } else { (straight + 7) & 7 };
        (OFFSETS[straight].wrapping_add(OFFSETS[outward]), OFFSETS[straight])
    })
}
