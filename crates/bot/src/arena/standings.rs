//! Results of an arena: placement points, and the crosstable.

use kingscross_engine::Seat;

use crate::points::placement_points;

/// The result of one game.
#[derive(Clone, Debug, PartialEq)]
pub struct Result {
    /// By place in the turn order: which entrant sat there.
    pub seats: Vec<usize>,
    /// By place in the turn order: its placement points.
    pub points: Vec<f64>,
}

impl Result {
    /// The result of a game in which those of one group of `placements` tie.
    #[must_use]
    pub fn new(seats: &[usize], order: &[Seat], placements: &[Vec<Seat>]) -> Result {
        let points = order.iter().map(|seat| {
            let mut better = 0;
            for group in placements {
                if group.contains(seat) {
                    return placement_points(better, group.len(), order.len());
                }
                better += group.len();
            }
            0.0
        });
        Result { seats: seats.to_vec(), points: points.collect() }
    }

    /// Mean points of the seats of an entrant; `None` if it had none.
    #[must_use]
    pub fn of(&self, entrant: usize) -> Option<f64> {
        let own = self.seats.iter().zip(&self.points).filter(|(seat, _)| **seat == entrant);
        let (n, sum) = own.fold((0, 0.0), |(n, sum), (_, points)| (n + 1, sum + points));
        (n > 0).then(|| sum / f64::from(n))
    }

    /// How many seats an entrant has in it.
    #[must_use]
    pub fn seats_of(&self, entrant: usize) -> usize {
        self.seats.iter().filter(|&&seat| seat == entrant).count()
    }
}

/// A mean with what is known of its precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    /// Number of games.
    pub games: usize,
    /// The mean.
    pub mean: f64,
    /// Half of the interval that holds the true mean with a probability of 95 per cent.
    pub error: f64,
}

impl Mean {
    fn of(values: &[f64]) -> Mean {
        let n = values.len() as f64;
        if values.is_empty() {
            return Mean::default();
        }
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        // One game alone says nothing of its precision.
        let error = if values.len() < 2 { 0.5 } else { 1.96 * (variance / n).sqrt() };
        Mean { games: values.len(), mean, error }
    }
}

/// All results of an arena.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    /// The results, in the order of play.
    pub results: Vec<Result>,
}

impl Standings {
    /// Placement points of `one` in the games against `other` in which it has no more seats than `other`: alone
    /// against three, two against two, one against one.
    #[must_use]
    pub fn cell(&self, one: usize, other: usize) -> Mean {
        let meets = |result: &&Result| {
            let (own, theirs) = (result.seats_of(one), result.seats_of(other));
            own > 0 && theirs > 0 && own <= theirs
        };
        Mean::of(&self.results.iter().filter(meets).filter_map(|result| result.of(one)).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_counts_the_games_in_which_one_is_not_the_majority() {
        let order = Seat::ALL;
        let placements = vec![vec![Seat::South], vec![Seat::West, Seat::East], vec![Seat::North]];
        let mut standings = Standings::default();
        standings.results.push(Result::new(&[0, 1, 1, 1], &order, &placements));
        standings.results.push(Result::new(&[1, 1, 0, 1], &order, &placements));
        standings.results.push(Result::new(&[0, 0, 1, 0], &order, &placements));
        let cell = standings.cell(0, 1);
        assert_eq!((cell.games, cell.mean), (2, 0.5));
        assert_eq!(standings.cell(1, 0).games, 1);
        assert_eq!(standings.cell(1, 0).mean, 0.0);
        assert!(cell.error > 0.9, "two opposite results leave all open");
    }
}
