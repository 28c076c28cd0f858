//! Who attacks a square, and what the surroundings of a king forbid.

use arrayvec::ArrayVec;

use crate::geometry::{OFFSETS, direction_between, reverse};
use crate::moves::Move;
use crate::piece::{EMPTY, army_cells};
use crate::position::Position;
use crate::seat::Seat;
use crate::square::{Bits, Square, SquareSet};

/// How a piece that shields its king is bound.
#[derive(Clone, Copy, Debug)]
struct Pin {
    shield: Square,
    attacker: Square,
    /// The direction from the king along which it may go on shielding; 8 if it can only capture.
    along: u8,
}

/// What the surroundings of one king forbid its controller's other pieces.
#[derive(Clone, Debug)]
pub(crate) struct CheckInfo {
    pub(crate) king: Square,
    pub(crate) checkers: u8,
    /// The squares on which a piece stops all checks: two lame leaps can have the same leg.
    pub(crate) stops: SquareSet,
    pub(crate) pinned: SquareSet,
    pins: ArrayVec<Pin, 24>,
}

impl CheckInfo {
    pub(crate) fn of(king: Square) -> CheckInfo {
        CheckInfo {
            king,
            checkers: 0,
            stops: SquareSet::EMPTY,
            pinned: SquareSet::EMPTY,
            pins: ArrayVec::new_const(),
        }
    }

    /// Takes note of a check and of the squares on which a piece stops it.
    fn add_check(&mut self, stops: &SquareSet) {
        self.stops = if self.checkers == 0 { *stops } else { self.stops.and(stops) };
        self.checkers += 1;
    }

    fn add_pin(&mut self, shield: Square, attacker: Square, along: u8) {
        self.pinned.insert(shield);
        self.pins.push(Pin { shield, attacker, along });
    }

    /// Is there neither a check nor a pin?
    #[inline(always)]
    pub(crate) fn is_idle(&self) -> bool {
        self.checkers == 0 && self.pins.is_empty()
    }

    /// Can nothing but a move of the king end the checks?
    pub(crate) fn is_beyond_help(&self) -> bool {
        self.checkers > 1 && self.stops.is_empty()
    }

    /// May a pinned piece go from one square to another?
    pub(crate) fn allows(&self, from: Square, to: Square) -> bool {
        self.pins
            .iter()
            .filter(|pin| pin.shield == from)
            .all(|pin| to == pin.attacker || (pin.along < 8 && direction_between(self.king, to) == pin.along))
    }
}

impl Position {
    /// Is a capture from `origin` in this direction one that the piece's zone permits?
    #[inline]
    fn zone_permits(&self, cell: u8, origin: Square, target: Square, way: usize) -> bool {
        let tables = &self.rules.tables;
        if tables.confined >> cell & 1 != 0 {
            return tables.palace[origin.index()] == tables.palace[target.index()];
        }
        tables.near_beyond[way] >> cell & 1 == 0 || tables.beyond[usize::from(cell >> 4) & 3].has(origin)
    }

    /// Do any of these cells attack the square? With `LIFT`, as if nothing stood on `lifted`.
    #[inline(never)]
    pub(crate) fn attacked<const LIFT: bool>(&self, target: Square, cells: u64, lifted: Square) -> bool {
        let from = |direction| self.attacked_from::<LIFT>(target, direction, cells, lifted);
        (0..8).any(from) || self.leapt_at::<LIFT>(target, cells, lifted)
    }

    /// Do any of these cells attack the square along the line that leads away from it in a direction?
    #[inline(always)]
    fn attacked_from<const LIFT: bool>(
        &self,
        target: Square,
        direction: usize,
        cells: u64,
        lifted: Square,
    ) -> bool {
        let (tables, offset, way) = (&self.rules.tables, OFFSETS[direction], reverse(direction));
        let sliders = cells & tables.sliders[way];
        let near = cells & tables.near[way];
        if near == 0 {
            return false;
        }
        let mut square = target.offset(offset);
        let mut cell = self.board[square.index()];
        let comers = if sliders == 0 || (cell != EMPTY && !(LIFT && square == lifted)) {
            near
        } else {
            loop {
                square = square.offset(offset);
                cell = self.board[square.index()];
                if cell != EMPTY && !(LIFT && square == lifted) {
                    break;
                }
            }
            sliders
        };
        comers >> cell & 1 != 0 && self.zone_permits(cell, square, target, way)
    }

    /// Has a plain move that was just made brought any of these cells to attack the square, which none did before?
    #[inline]
    pub(crate) fn newly_attacked(&self, target: Square, cells: u64, mv: Move) -> bool {
        let tables = &self.rules.tables;
        let left = direction_between(target, mv.from);
        let entered = direction_between(target, mv.to);
        let along = |way: u8| self.attacked_from::<false>(target, usize::from(way), cells, Square::NOWHERE);
        let may_leap = tables.origins[target.index()].has(mv.to) || tables.legs[target.index()].has(mv.from);
        (left < 8 && along(left))
            || (entered < 8 && entered != left && along(entered))
            || (may_leap && self.is_leapt_at::<false>(target, cells, Square::NOWHERE))
    }

    /// Do any of these cells attack the square by a leap?
    #[inline(always)]
    fn leapt_at<const LIFT: bool>(&self, target: Square, cells: u64, lifted: Square) -> bool {
        self.may_be_leapt_at(target, cells) && self.is_leapt_at::<LIFT>(target, cells, lifted)
    }

    /// Does any of these cells stand where a leap could lead to the square?
    #[inline(always)]
    fn may_be_leapt_at(&self, target: Square, cells: u64) -> bool {
        let origins = &self.rules.tables.origins[target.index()];
        (0..4).any(|army| cells & army_cells(army) != 0 && origins.meets(&self.armies[army]))
    }

    #[inline(never)]
    fn is_leapt_at<const LIFT: bool>(&self, target: Square, cells: u64, lifted: Square) -> bool {
        for (leap, origin) in self.rules.tables.arrivals(target) {
            let cell = self.board[origin.index()];
            if (cells & leap.cells) >> cell & 1 != 0 {
                let leg = origin.offset(leap.leg);
                if leap.leg == 0 || self.board[leg.index()] == EMPTY || (LIFT && leg == lifted) {
                    return true;
                }
            }
        }
        false
    }

    /// The squares from which any of these cells attack the square.
    pub(crate) fn attackers(&self, target: Square, cells: u64) -> Vec<Square> {
        let mut squares = Vec::new();
        for (direction, offset) in OFFSETS.into_iter().enumerate() {
            let way = reverse(direction);
            let mut square = target.offset(offset);
            let mut comers = cells & self.rules.tables.near[way];
            while self.board[square.index()] == EMPTY {
                square = square.offset(offset);
                comers = cells & self.rules.tables.sliders[way];
            }
            let cell = self.board[square.index()];
            if comers >> cell & 1 != 0 && self.zone_permits(cell, square, target, way) {
                squares.push(square);
            }
        }
        for (leap, origin) in self.rules.tables.arrivals(target) {
            let leaps = (cells & leap.cells) >> self.board[origin.index()] & 1 != 0;
            if leaps && (leap.leg == 0 || self.board[origin.offset(leap.leg).index()] == EMPTY) {
                squares.push(origin);
            }
        }
        squares.sort_unstable();
        squares
    }

    /// Finds the checks and pins around a king, given the cells of its own side and those that attack it. Of a king that is
    /// known to be safe less has to be looked at.
    #[inline(always)]
    pub(crate) fn find_checks_and_pins(&self, info: &mut CheckInfo, own: u64, hostile: u64, is_safe: bool) {
        if is_safe {
            self.find_pins(own, hostile, info);
        } else {
            self.find_checks(own, hostile, info);
        }
    }

    /// The pins around a king of which it is known that nothing attacks it.
    #[inline(always)]
    fn find_pins(&self, own: u64, hostile: u64, info: &mut CheckInfo) {
        let (tables, king) = (&self.rules.tables, info.king);
        for direction in Bits(u64::from(tables.lines[king.index()])) {
            let direction = usize::from(direction & 7);
            let (offset, way) = (OFFSETS[direction], reverse(direction));
            let shield = self.first_piece(king, offset);
            if own >> self.board[shield.index()] & 1 == 0 {
                continue;
            }
            let attacker = self.first_piece(shield, offset);
            let cell = self.board[attacker.index()];
            if (hostile & tables.sliders[way]) >> cell & 1 != 0
                && self.zone_permits(cell, attacker, king, way)
            {
                info.add_pin(shield, attacker, direction as u8);
            }
        }
        if tables.has_legs && self.may_be_leapt_at(king, hostile) {
            self.find_leap_checks(own, hostile, info);
        }
    }

    /// The next occupied square in a direction.
    #[inline(always)]
    fn first_piece(&self, from: Square, offset: u8) -> Square {
        let mut square = from.offset(offset);
        while self.board[square.index()] == EMPTY {
            square = square.offset(offset);
        }
        square
    }

    #[inline(never)]
    fn find_checks(&self, own: u64, hostile: u64, info: &mut CheckInfo) {
        let (tables, king) = (&self.rules.tables, info.king);
        for (direction, offset) in OFFSETS.into_iter().enumerate() {
            let way = reverse(direction);
            let sliders = hostile & tables.sliders[way];
            let near = hostile & tables.near[way];
            if near == 0 {
                continue;
            }
            let mut square = king.offset(offset);
            let mut comers = near;
            if sliders != 0 && self.board[square.index()] == EMPTY {
                square = self.first_piece(square, offset);
                comers = sliders;
            }
            let cell = self.board[square.index()];
            if comers >> cell & 1 != 0 {
                if self.zone_permits(cell, square, king, way) {
                    let mut stops = SquareSet::EMPTY;
                    let mut stop = square;
                    while stop != king {
                        stops.insert(stop);
                        stop = Square(stop.0.wrapping_sub(offset));
                    }
                    info.add_check(&stops);
                }
            } else if own >> cell & 1 != 0 && sliders != 0 {
                let attacker = self.first_piece(square, offset);
                let cell = self.board[attacker.index()];
                if sliders >> cell & 1 != 0 && self.zone_permits(cell, attacker, king, way) {
                    info.add_pin(square, attacker, direction as u8);
                }
            }
        }
        if self.may_be_leapt_at(king, hostile) {
            self.find_leap_checks(own, hostile, info);
        }
    }

    #[inline(never)]
    fn find_leap_checks(&self, own: u64, hostile: u64, info: &mut CheckInfo) {
        for (leap, origin) in self.rules.tables.arrivals(info.king) {
            if (hostile & leap.cells) >> self.board[origin.index()] & 1 == 0 {
                continue;
            }
            let leg = origin.offset(leap.leg);
            if leap.leg == 0 || self.board[leg.index()] == EMPTY {
                let mut stops = SquareSet::EMPTY;
                stops.insert(origin);
                if leap.leg != 0 {
                    stops.insert(leg);
                }
                info.add_check(&stops);
            } else if own >> self.board[leg.index()] & 1 != 0 {
                info.add_pin(leg, origin, 8);
            }
        }
    }

    /// Is some king of the controller attacked?
    #[inline]
    pub(crate) fn is_in_check(&self, controller: Seat) -> bool {
        self.kings_attacked(controller, self.hostile[controller.index()])
    }

    /// Is some king of the controller attacked by any of these cells?
    #[inline]
    pub(crate) fn kings_attacked(&self, controller: Seat, cells: u64) -> bool {
        (0..4).any(|army| {
            self.controller[army] == controller
                && self.kings[army] != Square::NOWHERE
                && self.attacked::<false>(self.kings[army], cells, Square::NOWHERE)
        })
    }
}
