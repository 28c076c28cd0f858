//! The arithmetic of a rating change. Pure: ratings, placements and the moment go in, changes come out.

use kingscross_protocol::Timestamp;
use serde::{Deserialize, Serialize};
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};

/// Points of the shown scale in one unit of Glicko-2's own.
const SCALE: f64 = 173.7178;
const MILLIS_PER_DAY: f64 = 86_400_000.0;

/// The parameters of ratings; their number is stored with every change, so that ratings can be rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// The rating before the first game.
    pub start: f64,
    /// The deviation before the first game, and the highest.
    pub deviation: f64,
    /// The volatility before the first game.
    pub volatility: f64,
    /// How much the volatility may change.
    pub tau: f64,
    /// The lowest deviation there is.
    pub floor: f64,
    /// How much the square of the deviation grows in a day without a rated game.
    pub idle_variance_per_day: f64,
    /// A rating is provisional before this many games …
    pub settled_games: u32,
    /// … and while its deviation is above this.
    pub settled_deviation: f64,
}

/// The parameters in force, with their number in the ledger; a change of any of them needs a new number.
pub const PARAMETERS: (u32, Parameters) = (
    1,
    Parameters {
        start: 1500.0,
        deviation: 350.0,
        volatility: 0.03,
        tau: 0.3,
        floor: 45.0,
        // From 50 to 110 in half a year: (110² − 50²) / 182.5 days.
        idle_variance_per_day: 9600.0 / 182.5,
        settled_games: 30,
        settled_deviation: 110.0,
    },
);

/// A player's strength in one pool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// The estimate.
    pub rating: f64,
    /// Its uncertainty.
    pub deviation: f64,
    /// How much the strength itself varies.
    pub volatility: f64,
    /// Rated games so far.
    pub games: u32,
    /// When the last of them ended; none before the first.
    pub at: Option<Timestamp>,
}

impl Rating {
    /// The rating before the first game.
    pub const fn new() -> Self {
        let (_, start) = PARAMETERS;
        Self {
            rating: start.start,
            deviation: start.deviation,
            volatility: start.volatility,
            games: 0,
            at: None,
        }
    }

    /// The rating with its deviation at `now`, which has grown since the last game.
    #[must_use]
    pub fn aged(self, now: Timestamp) -> Self {
        let (_, parameters) = PARAMETERS;
        let idle = self.at.map_or(0.0, |at| now.since(at).max(0) as f64 / MILLIS_PER_DAY);
        let variance = self.deviation.powi(2) + parameters.idle_variance_per_day * idle;
        Self { deviation: variance.sqrt().min(parameters.deviation), ..self }
    }

    /// Whether it is provisional; call [`aged`](Self::aged) first.
    pub fn is_provisional(&self) -> bool {
        let (_, parameters) = PARAMETERS;
        self.games < parameters.settled_games || self.deviation > parameters.settled_deviation
    }

    /// As people see it.
    pub fn shown(&self) -> i32 {
        self.rating.round() as i32
    }

    fn glicko(&self) -> Glicko2Rating {
        Glicko2Rating { rating: self.rating, deviation: self.deviation, volatility: self.volatility }
    }
}

impl Default for Rating {
    fn default() -> Self {
        Self::new()
    }
}

/// How one game changed one player's rating.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The rating as it was stored before.
    pub before: Rating,
    /// The rating with its deviation at the end of the game: what the change was computed from.
    pub aged: Rating,
    /// The new rating.
    pub after: Rating,
    /// The part of each opponent; the points add up to the change of the rating.
    pub pairs: Vec<Pair>,
}

/// One opponent's part in a rating change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// Index of the opponent among the game's players; the ledger names the player instead.
    #[serde(skip)]
    pub opponent: usize,
    /// 1 for placed before, 0 for placed after, a half for sharing a place.
    pub score: f64,
    /// The score that the ratings predict.
    pub expected: f64,
    /// How much the result counts, less for an opponent of unsure strength (Glickman's g).
    pub weight: f64,
    /// Rating points gained or lost.
    pub points: f64,
}

/// Rates one finished game. `ranks[i]` is the place of player `i`; equal places tie.
/// Every new rating is computed from the old ones only.
pub fn rate(before: &[Rating], ranks: &[usize], now: Timestamp) -> Vec<Change> {
    assert_eq!(before.len(), ranks.len(), "every player has one place");
    let (_, parameters) = PARAMETERS;
    let aged: Vec<Rating> = before.iter().map(|rating| rating.aged(now)).collect();
    (0..before.len())
        .map(|me| {
            let others = (0..before.len()).filter(|&other| other != me);
            let results: Vec<(Glicko2Rating, Outcomes)> = others
                .clone()
                .map(|other| (aged[other].glicko(), outcome(ranks[me], ranks[other])))
                .collect();
            let config = Glicko2Config { tau: parameters.tau, ..Glicko2Config::new() };
            let new = glicko2_rating_period(&aged[me].glicko(), &results, &config);
            // Before the floor: this is the step that the new rating was reached with.
            let step = (new.deviation / SCALE).powi(2);
            let pairs =
                others.map(|other| pair(&aged[me], &aged[other], other, &results, me, step)).collect();
            let after = Rating {
                rating: new.rating,
                deviation: new.deviation.clamp(parameters.floor, parameters.deviation),
                volatility: new.volatility,
                games: before[me].games + 1,
                at: Some(now),
            };
            Change { before: before[me], aged: aged[me], after, pairs }
        })
        .collect()
}

fn outcome(mine: usize, theirs: usize) -> Outcomes {
    match mine.cmp(&theirs) {
        std::cmp::Ordering::Less => Outcomes::WIN,
        std::cmp::Ordering::Equal => Outcomes::DRAW,
        std::cmp::Ordering::Greater => Outcomes::LOSS,
    }
}

fn pair(
    me: &Rating,
    other: &Rating,
    opponent: usize,
    results: &[(Glicko2Rating, Outcomes)],
    my_index: usize,
    step: f64,
) -> Pair {
    // Glickman 2013, steps 3 and 7: g(φj), E(μ, μj, φj) and the summand of μ'.
    let phi = other.deviation / SCALE;
    let weight = (1.0 + 3.0 * phi.powi(2) / std::f64::consts::PI.powi(2)).sqrt().recip();
    let expected = (1.0 + (-weight * (me.rating - other.rating) / SCALE).exp()).recip();
    let place = if opponent > my_index { opponent - 1 } else { opponent };
    let score = results[place].1.to_chess_points();
    Pair { opponent, score, expected, weight, points: SCALE * step * weight * (score - expected) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);
    const DAY: i64 = 86_400_000;

    fn settled(rating: f64) -> Rating {
        Rating { rating, deviation: 60.0, volatility: 0.03, games: 100, at: Some(NOW) }
    }

    #[test]
    fn the_example_of_glickmans_paper_comes_out() {
        // Glickman 2013, "Example of the Glicko-2 system"; ours uses tau 0.3, which moves the volatility's sixth digit only.
        let player = Rating { rating: 1500.0, deviation: 200.0, volatility: 0.06, games: 5, at: Some(NOW) };
        let of = |rating, deviation| Rating { rating, deviation, volatility: 0.06, games: 5, at: Some(NOW) };
        let field = [player, of(1400.0, 30.0), of(1550.0, 100.0), of(1700.0, 300.0)];
        let change = &rate(&field, &[1, 2, 0, 0], NOW)[0];
        assert!((change.after.rating - 1464.06).abs() < 0.02, "{}", change.after.rating);
        assert!((change.after.deviation - 151.52).abs() < 0.02, "{}", change.after.deviation);
    }

    #[test]
    fn the_points_of_the_pairs_add_up_to_the_change() {
        let field = [settled(1700.0), Rating::new(), settled(1400.0), settled(1900.0)];
        for change in rate(&field, &[0, 1, 1, 3], NOW.plus(40 * DAY)) {
            let sum: f64 = change.pairs.iter().map(|pair| pair.points).sum();
            assert!((sum - (change.after.rating - change.before.rating)).abs() < 1e-9);
            assert_eq!(change.pairs.len(), 3);
        }
    }

    #[test]
    fn a_tie_between_equals_moves_no_rating() {
        for change in rate(&[settled(1600.0); 4], &[0, 0, 0, 0], NOW) {
            assert!((change.after.rating - 1600.0).abs() < 1e-9);
            assert_eq!(change.after.games, 101);
        }
    }

    #[test]
    fn the_same_game_in_another_order_of_players_gives_the_same_ratings() {
        let field = [settled(1500.0), settled(1620.0), Rating::new(), settled(1400.0)];
        let straight = rate(&field, &[0, 1, 2, 3], NOW);
        let turned = rate(&[field[3], field[2], field[1], field[0]], &[3, 2, 1, 0], NOW);
        for (one, other) in straight.iter().zip(turned.iter().rev()) {
            assert!((one.after.rating - other.after.rating).abs() < 1e-9);
            assert!((one.after.deviation - other.after.deviation).abs() < 1e-9);
        }
    }

    #[test]
    fn deviation_grows_from_50_to_110_in_half_a_year_and_never_above_350() {
        let rating = Rating { deviation: 50.0, ..settled(1500.0) };
        let half_a_year = rating.aged(NOW.plus(DAY * 365 / 2));
        assert!((half_a_year.deviation - 110.0).abs() < 1e-9);
        assert_eq!(rating.aged(NOW.plus(DAY * 365 * 40)).deviation, 350.0);
        assert_eq!(rating.aged(NOW.plus(-DAY)).deviation, 50.0, "a clock that ran backwards ages nobody");
        assert_eq!(Rating::new().aged(NOW).deviation, 350.0);
    }

    #[test]
    fn deviation_stops_at_its_floor() {
        let mut field = [settled(1500.0); 4];
        for game in 0..300 {
            let changes = rate(&field, &[game % 4, (game + 1) % 4, (game + 2) % 4, (game + 3) % 4], NOW);
            for (rating, change) in field.iter_mut().zip(&changes) {
                *rating = change.after;
            }
        }
        assert!(field.iter().all(|rating| rating.deviation >= 45.0));
    }

    #[test]
    fn a_rating_is_provisional_until_30_games_and_a_deviation_of_110() {
        assert!(Rating { games: 29, ..settled(1500.0) }.is_provisional());
        assert!(!Rating { games: 30, deviation: 110.0, ..settled(1500.0) }.is_provisional());
        assert!(Rating { games: 30, deviation: 110.1, ..settled(1500.0) }.is_provisional());
    }
}
