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

/// A share of the points that could be had, with what is known of its precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Number of games.
    pub games: usize,
    /// The share that was won, from 0 to 1.
    pub mean: f64,
    /// The lower end of the interval that holds the true share with a probability of 95 per cent.
    pub from: f64,
    /// Its upper end.
    pub to: f64,
}

/// So many standard deviations to each side hold 95 per cent of a normal distribution.
const DEVIATIONS: f64 = 1.96;

impl Share {
    /// By the interval of Agresti and Coull, from the points as they are scattered: as if about two more games had been
    /// won and two lost, so that ten wins of ten do not make it vanish.
    fn of(points: &[f64]) -> Share {
        if points.is_empty() {
            return Share::default();
        }
        let more = DEVIATIONS * DEVIATIONS / 2.0;
        let games = points.len() as f64 + 2.0 * more;
        let sum: f64 = points.iter().sum();
        let squares: f64 = points.iter().map(|points| points * points).sum();
        let middle = (sum + more) / games;
        let variance = ((squares + more) / games - middle * middle).max(0.0);
        let half = DEVIATIONS * (variance / games).sqrt();
        Share {
            games: points.len(),
            mean: sum / points.len() as f64,
            from: (middle - half).max(0.0),
            to: (middle + half).min(1.0),
        }
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
    pub fn cell(&self, one: usize, other: usize) -> Share {
        let meets = |result: &&Result| {
            let (own, theirs) = (result.seats_of(one), result.seats_of(other));
            own > 0 && theirs > 0 && own <= theirs
        };
        Share::of(&self.results.iter().filter(meets).filter_map(|result| result.of(one)).collect::<Vec<_>>())
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
        assert!(cell.from < 0.1 && cell.to > 0.9, "two opposite results leave all open: {cell:?}");
    }

    #[test]
    fn ten_wins_of_ten_are_no_proof_that_all_are_won() {
        let permille = |points: &[f64]| {
            let share = Share::of(points);
            [share.mean, share.from, share.to].map(|share| (share * 1000.0).round())
        };
        assert_eq!(permille(&[1.0; 10]), [1000.0, 679.0, 1000.0]);
        assert_eq!(permille(&[0.0; 10]), [0.0, 0.0, 321.0]);
        assert_eq!(permille(&[&[1.0; 29][..], &[0.0]].concat()), [967.0, 819.0, 1000.0]);
        assert_eq!(permille(&[&[1.0; 75][..], &[0.0; 25]].concat()), [750.0, 656.0, 825.0]);
        // Places of four are less scattered than wins and losses.
        assert_eq!(permille(&[1.0, 2.0 / 3.0, 1.0 / 3.0, 0.0].repeat(6)), [500.0, 354.0, 646.0]);
        assert_eq!(Share::of(&[]), Share::default());
    }
}
