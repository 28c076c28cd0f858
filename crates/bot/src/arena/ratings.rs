//! Ratings of the entrants of an arena, on the usual scale on which 400 points are odds of ten to one.

use super::standings::Result;
use crate::dice::Dice;

/// How often the games are drawn anew to learn how precise a rating is.
const SAMPLES: usize = 200;

/// The rating of one entrant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Relative to the mean of all entrants, which is 1500.
    pub rating: f64,
    /// Half of the interval that holds it with a probability of 95 per cent.
    pub error: f64,
}

/// Ratings by the Bradley–Terry model from every comparison of two seats of one game; the errors come from drawing the
/// games anew, as comparisons within a game are not independent.
#[must_use]
pub fn ratings(entrants: usize, results: &[Result], seed: u64) -> Vec<Rating> {
    let all: Vec<&Result> = results.iter().collect();
    let fitted = fit(entrants, &all);
    let mut dice = Dice::new(seed, results.len() as u64);
    let mut squares = vec![0.0; entrants];
    for _ in 0..SAMPLES {
        let drawn: Vec<&Result> = (0..results.len()).map(|_| &results[dice.below(results.len())]).collect();
        for (square, (sample, rating)) in squares.iter_mut().zip(fit(entrants, &drawn).iter().zip(&fitted)) {
            *square += (sample - rating).powi(2);
        }
    }
    let error = |square: f64| 1.96 * (square / SAMPLES as f64).sqrt();
    fitted.iter().zip(squares).map(|(&rating, square)| Rating { rating, error: error(square) }).collect()
}

fn fit(entrants: usize, results: &[&Result]) -> Vec<f64> {
    let mut wins = vec![vec![0.0; entrants]; entrants];
    for result in results {
        for (at, &one) in result.seats.iter().enumerate() {
            for (other_at, &other) in result.seats.iter().enumerate() {
                if one != other {
                    let (own, theirs) = (result.points[at], result.points[other_at]);
                    wins[one][other] += if own > theirs {
                        1.0
                    } else if own == theirs {
                        0.5
                    } else {
                        0.0
                    };
                }
            }
        }
    }
    // Half a point each way keeps whoever has won or lost everything at a finite distance.
    for (one, row) in wins.iter_mut().enumerate() {
        for (other, won) in row.iter_mut().enumerate() {
            if one != other {
                *won += 0.5;
            }
        }
    }
    let mut strength = vec![1.0_f64; entrants];
    for _ in 0..300 {
        let step = |one: usize| {
            let others = (0..entrants).filter(|&other| other != one);
            let (won, weight) = others.fold((0.0, 0.0), |(won, weight), other| {
                let games = wins[one][other] + wins[other][one];
                (won + wins[one][other], weight + games / (strength[one] + strength[other]))
            });
            if weight > 0.0 { won / weight } else { 1.0 }
        };
        let next: Vec<f64> = (0..entrants).map(step).collect();
        let mean = next.iter().map(|strength| strength.ln()).sum::<f64>() / entrants as f64;
        strength = next.iter().map(|strength| strength / mean.exp()).collect();
    }
    strength.iter().map(|strength| 1500.0 + 400.0 * strength.log10()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_wins_in_four_are_about_190_points() {
        let game = |first: f64| Result { seats: vec![0, 1], points: vec![first, 1.0 - first] };
        let results: Vec<Result> = (0..400).map(|at| game(if at % 4 == 0 { 0.0 } else { 1.0 })).collect();
        let rated = ratings(2, &results, 1);
        let gap = rated[0].rating - rated[1].rating;
        assert!((gap - 190.0).abs() < 3.0, "{gap}");
        assert!((10.0..40.0).contains(&rated[0].error), "{rated:?}");
        assert_eq!(rated, ratings(2, &results, 1));
    }
}
