//! The generator allocates nothing: not for a list, not for a move, not for its trial, not for what follows from it.

use allocation_counter::measure;
use kingscross_engine::{Game, MoveList, Variant, perft};
use serde_json::Value;

/// The start and the middle-game positions of the perft tables.
fn games(variant: Variant) -> Vec<Game> {
    let tables: Value = serde_json::from_str(include_str!("vectors/perft.json")).expect("JSON");
    let positions = tables[variant.id()]["midgame"].as_array().expect("positions").clone();
    let loaded = positions.iter().map(|case| Game::load(&case["position"]).expect("a position"));
    std::iter::once(Game::new(variant)).chain(loaded).collect()
}

#[test]
fn generating_and_playing_moves_allocates_nothing() {
    for variant in Variant::ALL {
        for (number, game) in games(variant).iter().enumerate() {
            let mut nodes = 0;
            let perft = measure(|| nodes = perft(game, 3));
            assert!(nodes > 0);
            assert_eq!(perft.count_total, 0, "perft of {variant}, position {number}");
            let playing = measure(|| {
                let (mut position, mut list) = (game.position().clone(), MoveList::new());
                for at in 0..200 {
                    position.generate_captures(&mut list);
                    position.generate(&mut list);
                    if list.is_empty() {
                        break;
                    }
                    position.play(list[at * 7 % list.len()]);
                }
            });
            assert_eq!(playing.count_total, 0, "playing on in {variant}, position {number}");
        }
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(measure(|| drop(std::hint::black_box(vec![1]))).count_total, 1);
}
