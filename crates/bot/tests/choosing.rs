//! Bots choose legal actions in every game, at every level, and always the same ones.

use kingscross_bot::{Budget, Level, accepts_draw, choose, offers_draw};
use kingscross_engine::{Action, Forced, Game, SplitMix64, Variant};

/// Plays a game of bots whose levels the dice draw, and somebody leaves now and then.
fn play_out(variant: Variant, seed: u64, most_plies: u32, nodes: u64) -> Vec<String> {
    let mut game = Game::new(variant);
    let mut dice = SplitMix64::salted(seed, 0);
    let mut actions = Vec::new();
    while game.turn().is_some() && game.ply() < most_plies {
        let level = Level::ALL[dice.below(Level::ALL.len())];
        let action = choose(&game, level, seed, &Budget::of_nodes(nodes));
        let text = action.text(variant);
        assert!(game.legal().contains(&text), "{variant} {level} {text}");
        game.act(&action).expect("a legal action is accepted");
        actions.push(text);
        if let Some(seat) = game.turn().filter(|_| dice.below(60) == 0) {
            game.act(&Action::Leave(seat)).ok();
        }
    }
    actions
}

#[test]
fn every_level_plays_legally_in_every_game_to_the_end() {
    for variant in Variant::ALL {
        for seed in 0..3 {
            let actions = play_out(variant, seed, 400, 60);
            assert!(actions.len() > 10, "{variant} {seed}");
        }
    }
}

#[test]
fn the_same_seed_and_nodes_give_the_same_game() {
    for variant in Variant::ALL {
        assert_eq!(play_out(variant, 7, 40, 300), play_out(variant, 7, 40, 300), "{variant}");
    }
}

#[test]
fn random_follows_its_seed() {
    let opening = |seed| choose(&Game::new(Variant::Crossfire), Level::Random, seed, &Budget::of_nodes(1));
    assert_eq!(opening(1), opening(1));
    let different: std::collections::HashSet<_> =
        (0..20).map(|seed| opening(seed).text(Variant::Crossfire)).collect();
    assert!(different.len() > 5, "{different:?}");
}

#[test]
fn a_bot_that_must_pass_passes() {
    let mut game = Game::new(Variant::Crossfire);
    let west = game.rules().seat('w').unwrap();
    game.act(&Action::Leave(west)).unwrap();
    let first = choose(&game, Level::Random, 0, &Budget::of_nodes(10));
    game.act(&first).unwrap();
    assert_eq!(game.forced(), Some(Forced::Pass));
    for level in Level::ALL {
        assert_eq!(choose(&game, level, 0, &Budget::of_nodes(10)), Action::Pass);
    }
}

#[test]
fn a_question_that_says_stop_ends_the_search_at_once() {
    let game = Game::new(Variant::Crossfire);
    let asked = std::cell::Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        true
    };
    let action = choose(&game, Level::Sovereign, 0, &Budget::until(u64::MAX, &stop));
    assert_eq!(asked.get(), 1);
    assert!(game.legal().contains(&action.text(Variant::Crossfire)));
}

#[test]
fn nobody_gives_a_young_even_game_away() {
    for variant in Variant::ALL {
        let game = Game::new(variant);
        let seats = game.rules().turn_order;
        for level in Level::opponents() {
            assert!(!accepts_draw(&game, seats[1], level, 3), "{variant} {level}");
            assert!(!offers_draw(&game, seats[0], level, 3), "{variant} {level}");
        }
    }
}
