//! Ratings of the entrants of an arena, on the usual scale on which 400 points are odds of ten to one.

use kingscross_engine::SplitMix64;

use super::standings::Result;

/// How often the games are weighed anew to learn how precise a rating is.
const SAMPLES: usize = 200;

/// A share of a game so small that it moves no rating, and still no odds are infinite.
const SMALLEST: f64 = 1e-6;

/// The rating of one entrant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Relative to the mean of all entrants, which is 1500.
    pub rating: f64,
    /// Half of the interval that holds it with a probability of 95 per cent.
    pub error: f64,
}

/// Ratings by the Bradley–Terry model from every comparison of two seats of one game. The errors come from weighing the
/// games anew (Rubin's Bayesian bootstrap), as comparisons within a game are not independent.
#[must_use]
pub fn ratings(entrants: usize, results: &[Result], seed: u64) -> Vec<Rating> {
    let fitted = fit(entrants, results, &mut || 1.0, &mut || 0.5);
    let (mut games, mut unseen) =
        (SplitMix64::salted(seed, results.len() as u64), SplitMix64::salted(seed, 0x0_4A1F));
    let samples: Vec<Vec<f64>> = (0..SAMPLES)
        .map(|_| fit(entrants, results, &mut || weight(&mut games), &mut || half(&mut unseen)))
        .collect();
    let error = |entrant: usize| {
        let mut drawn: Vec<f64> = samples.iter().map(|sample| sample[entrant]).collect();
        drawn.sort_by(f64::total_cmp);
        let tail = SAMPLES / 40;
        (drawn[SAMPLES - 1 - tail] - drawn[tail]) / 2.0
    };
    fitted.iter().enumerate().map(|(entrant, &rating)| Rating { rating, error: error(entrant) }).collect()
}

/// The weight of a game in one sample: exponential, 1 in the mean.
fn weight(dice: &mut SplitMix64) -> f64 {
    // Above 0, so that the logarithm exists.
    -(((dice.next_u64() >> 11) as f64 + 1.0) / (1u64 << 53) as f64).ln()
}

/// The weight of half a point that nobody has won, in one sample: gamma of one half, so that of ten wins of ten as much
/// is known as by Jeffreys' prior, and no error is 0.
fn half(dice: &mut SplitMix64) -> f64 {
    // The half square of a normal variable, by Box and Muller.
    let angle = std::f64::consts::TAU * (dice.unit());
    weight(dice) * angle.cos().powi(2)
}

/// Ratings from results that weigh `game` each, after `prior` has been won each way by every two.
fn fit(
    entrants: usize,
    results: &[Result],
    game: &mut impl FnMut() -> f64,
    prior: &mut impl FnMut() -> f64,
) -> Vec<f64> {
    let mut wins = vec![vec![0.0; entrants]; entrants];
    for result in results {
        let game = game();
        for (at, &one) in result.seats.iter().enumerate() {
            for (other_at, &other) in result.seats.iter().enumerate() {
                if one != other {
                    let (own, theirs) = (result.points[at], result.points[other_at]);
                    wins[one][other] += if own > theirs {
                        game
                    } else if own == theirs {
                        game / 2.0
                    } else {
                        0.0
                    };
                }
            }
        }
    }
    // It keeps whoever has won or lost everything at a finite distance.
    for (one, row) in wins.iter_mut().enumerate() {
        for (other, won) in row.iter_mut().enumerate() {
            if one != other {
                *won += prior().max(SMALLEST);
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

    #[test]
    fn ten_wins_of_ten_leave_open_by_how_much_the_winner_is_stronger() {
        let won = |games: usize| vec![Result { seats: vec![0, 1], points: vec![1.0, 0.0] }; games];
        let (few, many) = (ratings(2, &won(10), 1)[0], ratings(2, &won(400), 1)[0]);
        assert!(few.error > 150.0, "{few:?}");
        assert!(many.rating > few.rating && many.error > 150.0, "no loss says how rare one is: {many:?}");
        assert!(ratings(2, &[], 1)[0].error > 150.0, "nothing is known without a game");
    }
}
