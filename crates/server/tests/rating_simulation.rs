//! Simulated players of known strength play games for four: how ratings form, on fixed seeds.

use kingscross_protocol::Timestamp;
use kingscross_server::ratings::{Rating, rate};

const PLAYERS: usize = 400;
const ROUNDS: usize = 120;
const DAY: i64 = 86_400_000;

/// SplitMix64: reproducible everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between 0 and 1, neither of them.
    fn unit(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Added to strengths in Elo's scale this makes each pair's odds those of Elo's formula.
    fn luck(&mut self) -> f64 {
        -(-self.unit().ln()).ln() * 400.0 / std::f64::consts::LN_10
    }
}

struct Simulated {
    /// The mean of the absolute changes at each game number.
    change: Vec<f64>,
    correlation: f64,
}

/// Everybody plays once a day, with others near in rating, as in matchmaking.
fn simulate(seed: u64) -> Simulated {
    let mut random = Random(seed);
    let strengths: Vec<f64> = (0..PLAYERS).map(|_| 1500.0 + 300.0 * random.normal()).collect();
    let mut ratings = vec![Rating::new(); PLAYERS];
    let mut change = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let now = Timestamp(round as i64 * DAY);
        let mut keys: Vec<(f64, usize)> =
            (0..PLAYERS).map(|player| (ratings[player].rating + 60.0 * random.normal(), player)).collect();
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut moved = 0.0;
        for table in keys.chunks(4) {
            let players: Vec<usize> = table.iter().map(|(_, player)| *player).collect();
            let play: Vec<f64> = players.iter().map(|&player| strengths[player] + random.luck()).collect();
            let ranks: Vec<usize> =
                play.iter().map(|mine| play.iter().filter(|other| *other > mine).count()).collect();
            let before: Vec<Rating> = players.iter().map(|&player| ratings[player]).collect();
            for (&player, made) in players.iter().zip(rate(&before, &ranks, now)) {
                moved += (made.after.rating - made.before.rating).abs();
                ratings[player] = made.after;
            }
        }
        change.push(moved / PLAYERS as f64);
    }
    let found: Vec<f64> = ratings.iter().map(|rating| rating.rating).collect();
    Simulated { change, correlation: correlation(&strengths, &found) }
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let together: f64 = a.iter().zip(b).map(|(x, y)| (x - ma) * (y - mb)).sum();
    let alone = |list: &[f64], m: f64| list.iter().map(|x| (x - m).powi(2)).sum::<f64>().sqrt();
    together / (alone(a, ma) * alone(b, mb))
}

#[test]
fn the_first_thirty_games_form_the_rating() {
    for seed in [1, 2, 3] {
        let simulated = simulate(seed);
        let at = |game: usize| simulated.change[game - 1];
        let sum = |games: usize| simulated.change[..games].iter().sum::<f64>();
        let share = sum(30) / sum(100);
        println!(
            "seed {seed}: change at game 1 {:.0}, 5 {:.0}, 10 {:.0}, 30 {:.1}, 100 {:.1}; \
             the first 30 carry {:.0} % of 100; correlation with strength {:.3}",
            at(1),
            at(5),
            at(10),
            at(30),
            at(100),
            100.0 * share,
            simulated.correlation
        );
        assert!((150.0..250.0).contains(&at(1)), "{}", at(1));
        assert!(at(1) > at(5) && at(5) > at(10) && at(10) > at(30) && at(30) > at(100));
        assert!(at(100) < 12.0, "{}", at(100));
        assert!(share >= 0.6, "{share}");
        assert!(simulated.correlation > 0.9, "{}", simulated.correlation);
    }
}

#[test]
fn a_simulation_is_the_same_every_time() {
    assert_eq!(simulate(7).change, simulate(7).change);
}
