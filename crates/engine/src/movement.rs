//! The tables computed from the patterns of movement, and the only steps over cells that are taken beforehand.
//!
//! The generator looks up where the piece on a square can step, and walks where it slides; the attack test walks from a
//! square outwards and asks of the piece it meets whether its cell is in the set of those that come from that
//! direction. All of it is filled from the same patterns.

use crate::geometry::{Geometry, OFFSETS, direction_between, turned};
use crate::moves::Move;
use crate::piece::{KING, Piece};
use crate::role::{Goal, Pattern, Pawn, Role, Zone};
use crate::seat::Seat;
use crate::square::{Bits, Square, SquareSet};
use crate::step_table::StepTable;

/// How the pieces of one cell move: sets of directions, and of the game's leaps.
#[derive(Clone, Copy, Debug, Default)]
struct Directions {
    slide: u8,
    step: u8,
    step_beyond: u8,
    push: u8,
    strike: u8,
    leap: u16,
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
    directions: [Directions; 64],
    /// By cell: the directions in which it only captures, on the next square.
    pub(crate) strikes: [u8; 64],
    /// By cell and square: the steps from there.
    steps: Box<[StepTable; 64 * 256]>,
    /// The directions in which some cell slides.
    slid: u8,
    /// By square: the directions from it along which some cell can slide to it.
    pub(crate) lines: [u8; 256],
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
    /// By square: the leaps that lead to it from a square of the board, as bits.
    arrivals: [u16; 256],
    /// By square: where a piece may come to attack it or stand between: its neighbours, the lines along which pieces slide,
    /// the origins and legs of leaps to it.
    pub(crate) surroundings: [SquareSet; 256],
    /// By square: the squares from which a leap of the game leads to it.
    pub(crate) origins: [SquareSet; 256],
    /// Can a piece stop some leap of the game?
    pub(crate) has_legs: bool,
    /// By square: the squares on which a piece stops a leap to it.
    pub(crate) legs: [SquareSet; 256],
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
    /// The steps of a cell from a square.
    #[inline(always)]
    pub(crate) fn steps(&self, cell: u8, from: Square) -> &StepTable {
        &self.steps[usize::from(cell & 63) << 8 | from.index()]
    }

    pub(crate) fn new(geometry: &Geometry, sources: &Sources<'_>) -> Tables {
        let mut tables = Tables {
            directions: [Directions::default(); 64],
            strikes: [0; 64],
            steps: vec![StepTable::NONE; 64 * 256].try_into().expect("a vector of that length"),
            slid: 0,
            lines: [0; 256],
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
            arrivals: [0; 256],
            surroundings: [SquareSet::EMPTY; 256],
            origins: [SquareSet::EMPTY; 256],
            has_legs: false,
            legs: [SquareSet::EMPTY; 256],
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
        tables.lay_leaps_to(geometry);
        for target in geometry.squares().iter() {
            tables.lines[target.index()] = geometry.ways_from(target) & turned(tables.slid, 2);
            tables.surroundings[target.index()] = tables.surroundings_of(geometry, target);
        }
        tables
    }

    fn lay_leaps_to(&mut self, geometry: &Geometry) {
        for from in geometry.squares().iter() {
            for bit in 0..self.leap_count {
                let leap = self.leaps[bit];
                let to = from.offset(leap.by);
                if geometry.squares().has(to) {
                    self.arrivals[to.index()] |= 1 << bit;
                    self.origins[to.index()].insert(from);
                    if leap.leg != 0 {
                        self.has_legs = true;
                        self.legs[to.index()].insert(from.offset(leap.leg));
                    }
                }
            }
        }
    }

    fn surroundings_of(&self, geometry: &Geometry, target: Square) -> SquareSet {
        let mut squares = self.origins[target.index()].or(&self.legs[target.index()]);
        for direction in 0..8 {
            let mut next = geometry.neighbour(target, direction);
            while let Some(square) = next {
                squares.insert(square);
                let is_line = self.lines[target.index()] >> direction & 1 != 0;
                next = if is_line { geometry.neighbour(square, direction) } else { None };
            }
        }
        squares
    }

    /// The leaps of the game that can end on a square, each with its origin.
    #[inline(always)]
    pub(crate) fn arrivals(&self, square: Square) -> impl Iterator<Item = (Leap, Square)> {
        Bits(u64::from(self.arrivals[square.index()])).map(move |bit| {
            let leap = self.leap(bit);
            (leap, Square(square.0.wrapping_sub(leap.by)))
        })
    }

    /// The leap of that bit in a directions.
    #[inline(always)]
    fn leap(&self, bit: u8) -> Leap {
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
        for &pattern in role.patterns {
            match pattern {
                Pattern::Slide(directions) => self.directions[cell].slide |= turned(directions, turns),
                Pattern::Step(directions) => self.directions[cell].step |= turned(directions, turns),
                Pattern::StepBeyond(directions) => {
                    self.directions[cell].step_beyond |= turned(directions, turns);
                }
                Pattern::Push(directions) => self.directions[cell].push |= turned(directions, turns),
                Pattern::Strike(directions) => self.directions[cell].strike |= turned(directions, turns),
                Pattern::Knight => self.lay_leaps(cell, &knight_leaps().map(|(by, _)| (by, 0))),
                Pattern::Horse => self.lay_leaps(cell, &knight_leaps()),
                Pattern::Elephant => self.lay_leaps(
                    cell,
                    &[1, 3, 5, 7].map(|direction: usize| {
                        (OFFSETS[direction].wrapping_add(OFFSETS[direction]), OFFSETS[direction])
                    }),
                ),
            }
        }
        let directions = self.directions[cell];
        self.slid |= directions.slide;
        for direction in 0..8 {
            if directions.slide >> direction & 1 != 0 {
                self.sliders[direction] |= bit;
            }
            if (directions.slide | directions.step | directions.step_beyond | directions.strike) >> direction
                & 1
                != 0
            {
                self.near[direction] |= bit;
            }
            if directions.step_beyond >> direction & 1 != 0 {
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
        self.strikes[cell] = directions.strike;
        for from in geometry.squares().iter() {
            let steps = self.steps_from(geometry, seat, cell, from);
            assert!(number != KING || steps.are_plain(), "kings only step");
            self.steps[cell << 8 | from.index()] = steps;
        }
        if let Some(pawn) = role.pawn {
            self.lay_pawn(geometry, seat, cell, &pawn);
        }
    }

    /// The steps of a cell from a square; what makes a pawn of it is laid later.
    fn steps_from(&self, geometry: &Geometry, seat: Seat, cell: usize, from: Square) -> StepTable {
        let directions = self.directions[cell];
        let is_beyond = self.beyond[seat.index()].has(from);
        let step = directions.step | if is_beyond { directions.step_beyond } else { 0 };
        let mut steps = StepTable::new(directions.slide != 0, geometry.ways_from(from) & directions.slide);
        for direction in 0..8 {
            let goes = |directions: u8| directions >> direction & 1 != 0;
            let moves = if goes(step | directions.push) { StepTable::MOVES } else { 0 };
            let captures = if goes(step | directions.strike) { StepTable::CAPTURES } else { 0 };
            if moves | captures == 0 {
                continue;
            }
            let Some(to) = geometry.neighbour(from, direction) else { continue };
            let leaves =
                self.confined >> cell & 1 != 0 && self.palace[to.index()] != self.palace[from.index()];
            if !leaves {
                steps.push(Move::plain(from, to, cell as u8), to, moves | captures);
            }
        }
        for bit in Bits(u64::from(directions.leap)) {
            let leap = self.leap(bit);
            let (to, leg) = (from.offset(leap.by), from.offset(leap.leg));
            if geometry.squares().has(to) {
                steps.push(Move::plain(from, to, cell as u8), leg, StepTable::MOVES | StepTable::CAPTURES);
            }
            if leap.leg != 0 {
                steps.become_lame();
            }
        }
        assert!(
            !steps.are_lame()
                || directions.slide
                    | directions.step
                    | directions.step_beyond
                    | directions.push
                    | directions.strike
                    == 0,
            "what makes a leap lame would make a step lame"
        );
        steps
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
            self.directions[cell].leap |= 1 << index;
        }
    }

    fn lay_pawn(&mut self, geometry: &Geometry, seat: Seat, cell: usize, pawn: &Pawn) {
        self.pawns |= 1 << cell;
        let ways = self.directions[cell].push | self.directions[cell].step;
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
        let turns = seat.quarter_turns();
        let place = |way: u8| {
            let commits = pawn.becomes.iter().find(|(ways, _)| turned(*ways, turns) >> way & 1 != 0);
            commits.map_or(cell as u8, |(_, role)| Piece::new(seat, *role).0)
        };
        for square in geometry.squares().iter() {
            let steps = &mut self.steps[cell << 8 | square.index()];
            steps.become_pawn(|to| place(direction_between(square, to)), &self.goals[cell]);
            if self.doubles[seat.index()].has(square) {
                steps.allow_double();
            }
        }
    }
}

/// The eight knight's leaps, each with the orthogonal square that a horse's leg needs.
fn knight_leaps() -> [(u8, u8); 8] {
    std::array::from_fn(|index| {
        let straight = index & 6;
        let outward = if index & 1 == 0 { (straight + 1) & 7 } else { (straight + 7) & 7 };
        (OFFSETS[straight].wrapping_add(OFFSETS[outward]), OFFSETS[straight])
    })
}
