//! Who attacks a square, and what the surroundings of a king forbid.

use arrayvec::ArrayVec;

use crate::geometry::{OFFSETS, direction_between, reverse};
use crate::piece::EMPTY;
use crate::position::Position;
use crate::seat::Seat;
use crate::square::{Square, SquareSet};

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
pub(crate) struct Watch {
    king: Square,
    pub(crate) checkers: u8,
    /// With one checker: the squares on which a piece stops the check.
    pub(crate) stops: SquareSet,
    pub(crate) pinned: SquareSet,
    pins: ArrayVec<Pin, 24>,
}

impl Watch {
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
    #[inline]
    pub(crate) fn attacked<const LIFT: bool>(&self, target: Square, cells: u64, lifted: Square) -> bool {
        let tables = &self.rules.tables;
        for (direction, offset) in OFFSETS.into_iter().enumerate() {
            let way = reverse(direction);
            let sliders = cells & tables.sliders[way];
            let near = cells & tables.near[way];
            if near == 0 {
                continue;
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
            if comers >> cell & 1 != 0 && self.zone_permits(cell, square, target, way) {
                return true;
            }
        }
        for (leap, origin) in tables.arrivals(target) {
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

    /// Checks and pins around a king, given the cells of its own side and those that attack it.
    #[inline]
    pub(crate) fn watch(&self, king: Square, own: u64, hostile: u64) -> Watch {
        let tables = &self.rules.tables;
        let mut watch = Watch {
            king,
            checkers: 0,
            stops: SquareSet::EMPTY,
            pinned: SquareSet::EMPTY,
            pins: ArrayVec::new(),
        };
        for (direction, offset) in OFFSETS.into_iter().enumerate() {
            let way = reverse(direction);
            let sliders = hostile & tables.sliders[way];
            let near = hostile & tables.near[way];
            if near == 0 {
                continue;
            }
            let mut square = king.offset(offset);
            let mut cell = self.board[square.index()];
            let comers = if sliders == 0 || cell != EMPTY {
                near
            } else {
                loop {
                    square = square.offset(offset);
                    cell = self.board[square.index()];
                    if cell != EMPTY {
                        break;
                    }
                }
                sliders
            };
            if comers >> cell & 1 != 0 {
                if self.zone_permits(cell, square, king, way) {
                    watch.checkers += 1;
                    let mut stop = square;
                    while stop != king {
                        watch.stops.insert(stop);
                        stop = Square(stop.0.wrapping_sub(offset));
                    }
                }
            } else if own >> cell & 1 != 0 && sliders != 0 {
                let shield = square;
                loop {
                    square = square.offset(offset);
                    cell = self.board[square.index()];
                    if cell != EMPTY {
                        break;
                    }
                }
                if sliders >> cell & 1 != 0 && self.zone_permits(cell, square, king, way) {
                    watch.pinned.insert(shield);
                    watch.pins.push(Pin { shield, attacker: square, along: direction as u8 });
                }
            }
        }
        for (leap, origin) in tables.arrivals(king) {
            if (hostile & leap.cells) >> self.board[origin.index()] & 1 == 0 {
                continue;
            }
            let leg = origin.offset(leap.leg);
            if leap.leg == 0 || self.board[leg.index()] == EMPTY {
                watch.checkers += 1;
                watch.stops.insert(origin);
                if leap.leg != 0 {
                    watch.stops.insert(leg);
                }
            } else if own >> self.board[leg.index()] & 1 != 0 {
                watch.pinned.insert(leg);
                watch.pins.push(Pin { shield: leg, attacker: origin, along: 8 });
            }
        }
        watch
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
