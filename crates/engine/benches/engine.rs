//! Speed of the rules, with the counts asserted while they are measured: `cargo bench -p kingscross-engine`.
//!
//! The yardstick is the crate cozy-chess from the start of 8×8 chess, which copies and plays every leaf as we do.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use kingscross_engine::{Action, Forced, Game, Variant, perft};
use serde_json::Value;

fn main() {
    divan::main();
}

fn table() -> Value {
    serde_json::from_str(include_str!("../tests/vectors/perft.json")).unwrap()
}

/// The deepest count of a list of node numbers.
fn deepest(nodes: &Value) -> (u32, u64) {
    let nodes = nodes.as_array().unwrap();
    (nodes.len() as u32, nodes.last().unwrap().as_u64().unwrap())
}

fn measure_perft(bencher: Bencher<'_, '_>, game: &Game, depth: u32, nodes: u64) {
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| {
        assert_eq!(perft(black_box(game), depth), nodes);
    });
}

mod yardstick {
    use super::*;
    use cozy_chess::Board;

    fn count(board: &Board, depth: u32) -> u64 {
        let mut nodes = 0;
        board.generate_moves(|moves| {
            for mv in moves {
                let mut next = board.clone();
                next.play_unchecked(mv);
                nodes += if depth == 1 {
                    u64::from(black_box(&next).fullmove_number() > 0)
                } else {
                    count(&next, depth - 1)
                };
            }
            false
        });
        nodes
    }

    #[divan::bench(sample_count = 3, sample_size = 1)]
    fn cozy_chess_6(bencher: Bencher<'_, '_>) {
        bencher.counter(ItemsCount::new(119_060_324u64)).bench_local(|| {
            assert_eq!(count(black_box(&Board::default()), 6), 119_060_324);
        });
    }
}

#[divan::bench(args = Variant::ALL, sample_count = 10, sample_size = 1)]
fn perft_of_the_start(bencher: Bencher<'_, '_>, variant: Variant) {
    let (depth, nodes) = deepest(&table()[variant.id()]["start"]["nodes"]);
    measure_perft(bencher, &Game::new(variant), depth, nodes);
}

#[divan::bench(args = Variant::ALL, consts = [0, 1, 2], sample_count = 10, sample_size = 1)]
fn perft_of_a_middle_game<const CASE: usize>(bencher: Bencher<'_, '_>, variant: Variant) {
    let case = &table()[variant.id()]["midgame"][CASE];
    let (depth, nodes) = deepest(&case["nodes"]);
    measure_perft(bencher, &Game::load(&case["position"]).unwrap(), depth, nodes);
}

/// A generator for drawing moves; good enough to wander through a game.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }
}

/// The actions of a random game of at most so many plies.
fn random_game(variant: Variant, seed: u64, plies: usize) -> Vec<Action> {
    let mut draw = Draw(seed);
    let mut game = Game::new(variant);
    let mut actions = Vec::new();
    while actions.len() < plies && game.outcome().is_none() {
        let choices = game.choices();
        let action = choices[draw.below(choices.len())].action;
        game.act(&action).unwrap();
        actions.push(action);
    }
    actions
}

/// Whole random games, fully adjudicated; the rate is in actions.
#[divan::bench(args = Variant::ALL, sample_count = 10, sample_size = 1)]
fn playout(bencher: Bencher<'_, '_>, variant: Variant) {
    let games: Vec<Vec<Action>> = (0..10).map(|seed| random_game(variant, seed, 1000)).collect();
    let actions: usize = games.iter().map(Vec::len).sum();
    bencher.counter(ItemsCount::new(actions)).bench_local(|| {
        for actions in &games {
            let mut game = Game::new(variant);
            for action in actions {
                game.act(action).unwrap();
            }
            assert_eq!(game.ply() as usize, actions.len());
            black_box(game.hash());
        }
    });
}

/// One action with full adjudication, for every choice of a position in turn; the time is of one action.
fn measure_act(bencher: Bencher<'_, '_>, game: &Game) {
    assert_eq!(game.forced(), None::<Forced>);
    let choices = game.choices();
    let mut next = 0;
    bencher
        .with_inputs(|| {
            next = (next + 1) % choices.len();
            (game.clone(), choices[next].action)
        })
        .bench_local_values(|(mut game, action)| {
            black_box(game.act(&action).unwrap());
            game
        });
}

/// The game after some plies of a random game.
fn wandered(variant: Variant, seed: u64, plies: usize) -> Game {
    let mut game = Game::new(variant);
    for action in random_game(variant, seed, plies) {
        game.act(&action).unwrap();
    }
    game
}

#[divan::bench(args = Variant::ALL, sample_count = 1000, sample_size = 1)]
fn act_in_the_opening(bencher: Bencher<'_, '_>, variant: Variant) {
    measure_act(bencher, &wandered(variant, 1, 8));
}

#[divan::bench(args = Variant::ALL, sample_count = 1000, sample_size = 1)]
fn act_in_a_crowded_middle_game(bencher: Bencher<'_, '_>, variant: Variant) {
    measure_act(bencher, &wandered(variant, 1, 80));
}
