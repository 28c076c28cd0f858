//! How good a position is for each player: strengths from material, places and kings, and the stakes of the game.

mod tables;
mod weights;

pub(crate) use tables::{Tables, place};

use kingscross_engine::{Phase, Position, Seat, Square, Status, Variant};

use crate::points::placement_points;
use tables::distance;

/// What winning the game is worth. Everything that an evaluation finds stays well below.
pub(crate) const WIN: i32 = 30_000;
/// What it is worth to be out of the game while it goes on.
const OUT: i32 = -20_000;
/// Evaluations of running games are cut off here.
const GREATEST: i32 = 14_000;

/// Judges positions of one game.
#[derive(Clone, Copy)]
pub(crate) struct Evaluation {
    pub(crate) tables: &'static Tables,
}

impl Evaluation {
    pub(crate) fn of(variant: Variant) -> Evaluation {
        Evaluation { tables: Tables::of(variant) }
    }

    /// How a finished game is valued by a player: winning alone is best, and what another wins is bad at any place.
    pub(crate) fn of_outcome(position: &Position, seat: Seat) -> i32 {
        let Some(rank) = position.rank(seat) else { return 0 };
        let order = position.rules().turn_order;
        let tied = order.iter().filter(|&&other| position.rank(other) == Some(rank)).count();
        if rank == 0 {
            // A draw of all who are still active is what an even game promises.
            return if tied == 1 { WIN } else { 0 };
        }
        let points = placement_points(usize::from(rank), tied, order.len());
        ((points - 1.0) * f64::from(WIN)) as i32
    }

    /// How a player values a position.
    pub(crate) fn view(&self, position: &Position, seat: Seat) -> i32 {
        if position.is_over() {
            return Evaluation::of_outcome(position, seat);
        }
        let strengths = self.strengths(position);
        self.weigh(position, &strengths, seat)
    }

    /// How all players value a position.
    pub(crate) fn views(&self, position: &Position) -> [i32; 4] {
        if position.is_over() {
            return Seat::ALL.map(|seat| Evaluation::of_outcome(position, seat));
        }
        let strengths = self.strengths(position);
        Seat::ALL.map(|seat| self.weigh(position, &strengths, seat))
    }

    /// The strength of every controller whose pieces still count; terrain and frozen armies are worth nothing.
    fn strengths(&self, position: &Position) -> [i32; 4] {
        let tables = self.tables;
        let mut strengths = [0; 4];
        let mut kings = [None::<(Square, usize)>; 4];
        for army in Seat::ALL {
            let controller = position.controller(army);
            if position.status(controller).attacks() {
                kings[army.index()] = position.king(army).map(|king| (king, controller.index()));
            }
        }
        let mut danger = [0; 4];
        for army in Seat::ALL {
            let controller = position.controller(army);
            if !position.status(controller).attacks() {
                continue;
            }
            let controller = controller.index();
            let mut sum = 0;
            for square in position.army(army).iter() {
                let Some(piece) = position.piece(square) else { continue };
                let code = piece.code();
                sum += tables.standing[code][place(square)];
                let mobility = tables.mobility[code];
                if mobility != 0 {
                    sum += mobility * position.reach(square) as i32;
                }
                let menace = tables.menace[code];
                if menace != 0 {
                    for (king, (at, of)) in
                        kings.iter().enumerate().filter_map(|(king, at)| Some((king, (*at)?)))
                    {
                        let steps = i32::from(distance(at, square));
                        if of != controller && steps < 8 {
                            danger[king] += menace * (8 - steps);
                        }
                    }
                }
            }
            strengths[controller] += sum;
        }
        for (king, at) in kings.iter().enumerate() {
            let Some((at, controller)) = *at else { continue };
            let sheltering = |square: &&Square| {
                position.piece(**square).is_some_and(|piece| {
                    tables.pawn[piece.code()] && position.controller(piece.army()).index() == controller
                })
            };
            let shelter = tables.around[place(at)].iter().filter(sheltering).count().min(3) as i32;
            // Attackers together are worth more than the sum of them.
            let danger = danger[king] * (4 - shelter.min(3)) / 4;
            strengths[controller] += shelter * tables.shelter - danger - danger * danger / 400;
        }
        strengths
    }

    fn weigh(&self, position: &Position, strengths: &[i32; 4], seat: Seat) -> i32 {
        let stakes = &self.tables.stakes;
        let rules = position.rules();
        let status = position.status(seat);
        if rules.counts_points() {
            return self.weigh_points(position, strengths, seat);
        }
        if status != Status::Active {
            return OUT;
        }
        let mut rivals = 0;
        let mut others = 0;
        let mut standing = 0;
        for &other in rules.turn_order {
            if other != seat && position.status(other).attacks() {
                others += strengths[other.index()];
                standing += 1;
            }
        }
        let mut view = strengths[seat.index()] * stakes.own / 1000;
        if stakes.rival != 0 {
            let target = seat.opposite();
            if position.phase() == Phase::War && position.status(target).attacks() {
                rivals = strengths[target.index()];
                others -= rivals;
                standing -= 1;
            } else if position.phase() == Phase::War {
                view -= stakes.robbed;
            }
        }
        view -= rivals * stakes.rival / 1000;
        if standing > 0 {
            view -= others * stakes.others / (1000 * standing);
        }
        // Every rival that is gone, or can no longer choose, is a place won.
        let gone = rules.turn_order.iter().filter(|&&other| position.status(other) != Status::Active).count();
        view += 250 * gone as i32;
        view.clamp(-GREATEST, GREATEST)
    }

    fn weigh_points(&self, position: &Position, strengths: &[i32; 4], seat: Seat) -> i32 {
        let stakes = &self.tables.stakes;
        let rules = position.rules();
        let own = position.result_points(seat) as i32;
        let (mut best, mut sum, mut against, mut n) = (i32::MIN, 0, 0, 0);
        for &other in rules.turn_order {
            if other != seat {
                let points = position.result_points(other) as i32;
                best = best.max(points);
                sum += points;
                if position.status(other) == Status::Active {
                    against += strengths[other.index()];
                }
                n += 1;
            }
        }
        let mut view = stakes.point * (2 * own - best - sum / n) / 2;
        if position.status(seat) == Status::Active {
            view += strengths[seat.index()] * stakes.own / 1000;
        }
        view -= against * stakes.others / (1000 * n);
        view.clamp(-GREATEST, GREATEST)
    }
}

/// What the evaluation alone says of a position.
pub(crate) fn glance(position: &Position, seat: Seat) -> i32 {
    Evaluation::of(position.rules().variant).view(position, seat)
}
