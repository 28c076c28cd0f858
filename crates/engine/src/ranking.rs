//! Who is placed where when a game has ended (rules/common, Placements).

use crate::position::Position;
use crate::rules::Ranking;
use crate::seat::{Seat, Seats};

impl Position {
    /// Who is placed first, and everybody's rank, when these have won or share a draw.
    pub(crate) fn ranking(&self, winners: Seats) -> (Seats, [u8; 4]) {
        match self.rules.ranking {
            Ranking::Standing => (winners, self.ranks_by_standing(winners)),
            Ranking::Points => self.ranks_by_points(),
        }
    }

    /// The winners are first, then come those still active, then the others in reverse order of leaving.
    fn ranks_by_standing(&self, winners: Seats) -> [u8; 4] {
        let key = |seat: Seat| match (winners.has(seat), self.left[seat.index()]) {
            (true, _) => 0,
            (false, 0) => 1,
            (false, group) => 255 - group,
        };
        ranks_by(self.rules.turn_order, key)
    }

    /// By result points; of equals the one who moves later is before the other.
    fn ranks_by_points(&self) -> (Seats, [u8; 4]) {
        let key = |seat: Seat| {
            let later = self.rules.turn_order.len() - self.rules.place_in_order(seat);
            (std::cmp::Reverse(self.result_points(seat)), later)
        };
        let ranks = ranks_by(self.rules.turn_order, key);
        let first = self.rules.turn_order.iter().copied().filter(|seat| ranks[seat.index()] == 0);
        (first.collect(), ranks)
    }
}

/// Ranks from 0 by a key, the least first; equal keys tie.
fn ranks_by<K: Ord>(seats: &[Seat], key: impl Fn(Seat) -> K) -> [u8; 4] {
    let mut ranks = [u8::MAX; 4];
    for &seat in seats {
        ranks[seat.index()] = seats.iter().filter(|&&other| key(other) < key(seat)).count() as u8;
    }
    ranks
}
