//! The engine and the naive second engine play the same games, and must say the same after every action: the position
//! document, the legal list, the outcome, and the code of every refusal. Documents that contradict the rules must be
//! refused by both.
//!
//! The ordinary run is short. The long one is ignored; `KINGSCROSS_GAMES` sets its games per variant and
//! `KINGSCROSS_SEED` the first of its seeds.

mod chance;
mod naive;

use std::collections::BTreeMap;
use std::ops::Range;

use chance::{Dice, any, choose, library, playable, probes, spoil};
use kingscross_engine::{Action, Game, perft};
use naive::{Naive, Variant};
use serde_json::Value;

/// How often each kind of thing happened, so that a run can show that it saw the rare ones.
type Tally = BTreeMap<String, u64>;

fn note(tally: &mut Tally, what: &str) {
    *tally.entry(what.to_owned()).or_insert(0) += 1;
}

fn of_the_engine(variant: Variant) -> kingscross_engine::Variant {
    variant.id().parse().expect("a variant of the engine")
}

/// Both engines at one position, and how they came there.
struct Both {
    variant: Variant,
    naive: Naive,
    game: Game,
    start: Value,
    actions: Vec<String>,
}

impl Both {
    fn story(&self) -> String {
        format!("from {} by {:?}", self.start, self.actions)
    }

    /// Gives both an action; both take it or both refuse it with the same code.
    fn apply(&mut self, text: &str) -> Result<(), &'static str> {
        let expected = self.naive.apply(text);
        let found = Action::parse(of_the_engine(self.variant), text)
            .and_then(|action| self.game.act(&action))
            .map(|_| ())
            .map_err(|rejection| rejection.code.to_string());
        assert_eq!(
            found,
            expected.map_err(str::to_owned),
            "engine (left) and rules on {text} {}",
            self.story()
        );
        if expected.is_ok() {
            self.actions.push(text.to_owned());
        }
        expected
    }

    fn compare(&self) {
        let (found, expected) = (self.game.document(), self.naive.document());
        if found != expected {
            for (key, value) in expected.as_object().expect("a document") {
                assert_eq!(
                    found.get(key),
                    Some(value),
                    "{key}: engine (left) and rules differ {}",
                    self.story()
                );
            }
        }
        assert_eq!(found, expected, "engine (left) and rules differ {}", self.story());
        assert_eq!(self.game.legal(), self.naive.legal(), "engine (left) and rules differ {}", self.story());
    }
}

/// Plays one random game in both engines.
fn play(variant: Variant, library: &[Value], seed: u64, plies: u32, tally: &mut Tally) {
    let mut dice = Dice::new(seed);
    let (start, naive) = playable(variant, library, &mut dice);
    let game = Game::load(&start).unwrap_or_else(|error| panic!("the engine refuses {start}: {error}"));
    let mut both = Both { variant, naive, game, start, actions: Vec::new() };
    both.compare();
    for _ in 0..plies {
        let legal = both.naive.legal();
        for text in probes(variant, &legal, &mut dice, 3) {
            // A probe that both accept is an action like any other, but played on a copy.
            let mut copy = Both {
                naive: both.naive.clone(),
                game: both.game.clone(),
                start: both.start.clone(),
                actions: both.actions.clone(),
                variant,
            };
            match copy.apply(&text) {
                Ok(()) => copy.compare(),
                Err(code) => {
                    note(tally, code);
                    assert_eq!(copy.game.document(), both.game.document(), "{text} {}", both.story());
                }
            }
        }
        let action = choose(&both.naive, &legal, &mut dice);
        let fallen = both.naive.fallen();
        assert_eq!(both.apply(&action), Ok(()), "{action} {}", both.story());
        both.compare();
        note(tally, "actions");
        match both.naive.fallen() - fallen {
            0 => {}
            1 => note(tally, "falls"),
            _ => note(tally, "several falls at once"),
        }
        if action.ends_with("pass") {
            note(tally, "passes");
        }
        if both.naive.is_over() {
            break;
        }
        if dice.percent(4) && both.naive.legal().len() < 60 {
            assert_eq!(perft(&both.game, 2), both.naive.perft(2), "perft {}", both.story());
            note(tally, "perft");
        }
    }
    note(tally, both.naive.reason().unwrap_or("cut off"));
    for text in probes(variant, &[], &mut dice, 3) {
        if let Err(code) = both.apply(&text) {
            note(tally, code);
        }
    }
    both.compare();
    reload(&both);
}

/// A document that a game has come to is loaded by both and means the same to both.
fn reload(both: &Both) {
    let document = both.game.document();
    let game = Game::load(&document);
    let game = game.unwrap_or_else(|error| panic!("the engine refuses its own {document}: {error}"));
    assert_eq!(game.document(), document, "{}", both.story());
    assert_eq!(game.legal(), both.game.legal(), "{}", both.story());
    assert_eq!(game.hash(), both.game.hash(), "{}", both.story());
}

/// Gives both readers a document that may contradict the rules.
fn read(variant: Variant, library: &[Value], seed: u64, tally: &mut Tally) {
    let mut dice = Dice::new(seed);
    let document = if dice.percent(30) {
        any(variant, library, &mut dice)
    } else if dice.percent(50) {
        let (_, mut game) = playable(variant, library, &mut dice);
        for _ in 0..dice.below(12) {
            if !game.is_over() {
                let action = choose(&game, &game.legal(), &mut dice);
                game.apply(&action).expect("an action of the rules");
            }
        }
        spoil(variant, &game.document(), &mut dice)
    } else {
        let (document, _) = playable(variant, library, &mut dice);
        spoil(variant, &document, &mut dice)
    };
    match (Game::load(&document), Naive::load(&document)) {
        (Err(_), Err(code)) => note(tally, code),
        (Ok(game), Ok(naive)) => {
            note(tally, "accepted");
            let both = Both { variant, naive, game, start: document, actions: Vec::new() };
            both.compare();
        }
        (Ok(_), Err(_)) => panic!("the engine alone accepts {document}"),
        (Err(error), Ok(_)) => panic!("the engine alone refuses {document}: {error}"),
    }
}

/// Runs both comparisons for one variant.
fn run(variant: Variant, seeds: Range<u64>, plies: u32) -> Tally {
    let library = library(variant);
    let mut tally = Tally::new();
    let mut readings = Tally::new();
    for seed in seeds.clone() {
        play(variant, &library, seed, plies, &mut tally);
        for part in 0..4 {
            read(variant, &library, seed * 4 + part, &mut readings);
        }
    }
    println!("{}: seeds {seeds:?}, {tally:?}, documents {readings:?}", variant.id());
    assert!(readings["accepted"] > 0 && readings["bad_position"] > 0);
    tally
}

macro_rules! short_runs {
    ($($name:ident: $variant:ident;)*) => {
        $(
            #[test]
            fn $name() {
                let tally = run(Variant::$variant, 0..60, 25);
                assert!(tally["actions"] > 500, "{tally:?}");
            }
        )*
    };
}

short_runs! {
    both_engines_agree_on_crossfire: Crossfire;
    both_engines_agree_on_kingdoms: Kingdoms;
    both_engines_agree_on_quaternity: Quaternity;
    both_engines_agree_on_cross_a: CrossA;
    both_engines_agree_on_cross_b: CrossB;
}

#[test]
#[ignore = "thousands of games"]
fn both_engines_agree_over_thousands_of_games() {
    let number =
        |name, otherwise| std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"));
    let games = number("KINGSCROSS_GAMES", 3_000);
    let first = number("KINGSCROSS_SEED", 0);
    for variant in Variant::ALL {
        let tally = run(variant, first..first + games, 60);
        if games >= 3_000 {
            for reason in variant.reasons() {
                assert!(tally.contains_key(*reason), "{}: never {reason}: {tally:?}", variant.id());
            }
            let is_for_four = !variant.is_cross_chess();
            assert!(!is_for_four || tally["several falls at once"] > 0, "{tally:?}");
        }
    }
}
