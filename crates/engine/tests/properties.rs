//! What holds in every game, tried on random ones.

mod random;

use kingscross_engine::{Action, Game, Seat, Status, Variant, perft};
use proptest::prelude::*;
use random::{Draw, wander};
use serde_json::{Map, Value};

fn any_variant() -> impl Strategy<Value = Variant> {
    prop::sample::select(Variant::ALL.to_vec())
}

/// Everything that a game shows of itself.
fn view(game: &Game) -> (Value, String, Vec<String>) {
    (game.document(), game.hash().to_string(), game.legal())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn texts_of_actions_are_read_as_they_are_written(variant in any_variant(), seed: u64) {
        wander(variant, seed, 120, |game, action, _, _| {
            let text = action.text(variant);
            let known = variant == Variant::Kingdoms || !matches!(action, Action::Random(_));
            assert_eq!(Action::parse(variant, &text).ok(), known.then_some(action), "{text}");
            for choice in game.choices() {
                assert_eq!(Action::parse(variant, &choice.action.text(variant)), Ok(choice.action));
            }
        });
    }

    #[test]
    fn documents_are_read_as_they_are_written(variant in any_variant(), seed: u64) {
        wander(variant, seed, 250, |_, _, game, _| {
            let document = game.document();
            let again = Game::load(&document).unwrap_or_else(|error| panic!("{error}: {document}"));
            assert_eq!(view(&again), view(game));
            assert_eq!(again.position(), game.position());
            assert_eq!(again.outcome(), game.outcome());
        });
    }

    #[test]
    fn the_hash_that_is_kept_is_the_hash_that_is_computed(variant in any_variant(), seed: u64) {
        wander(variant, seed, 1000, |_, action, game, _| {
            assert_eq!(game.hash(), game.position().computed_hash(), "{action:?}");
        });
    }

    #[test]
    fn a_refused_action_changes_nothing(variant in any_variant(), seed: u64) {
        let mut draw = Draw::new(seed);
        wander(variant, seed, 200, |before, action, after, accepted| {
            assert_eq!(accepted, view(before) != view(after) || before.offer() != after.offer(), "{action:?}");
            let squares: Vec<_> = before.rules().squares().collect();
            let text = format!("{}-{}", draw.pick(&squares), draw.pick(&squares));
            let any = Action::parse(variant, &text).unwrap();
            let mut game = before.clone();
            if !before.legal().contains(&text) {
                assert!(game.act(&any).is_err(), "{text}");
                assert_eq!(view(&game), view(before));
            }
        });
    }

    #[test]
    fn the_mover_leaves_no_king_of_its_own_in_check(variant in any_variant(), seed: u64) {
        wander(variant, seed, 300, |before, action, after, accepted| {
            let Some(mover) = before.turn() else { return };
            if accepted && matches!(action, Action::Move(_)) {
                for square in after.checks() {
                    let king = after.position().piece(square).unwrap();
                    assert_ne!(after.position().controller(king.army()), mover, "{action:?}: {}", after.document());
                }
            }
        });
    }

    #[test]
    fn a_game_is_replayed_from_its_texts(variant in any_variant(), seed: u64) {
        let mut views = Vec::new();
        let actions = wander(variant, seed, 300, |_, _, game, accepted| {
            if accepted {
                views.push(view(game));
            }
        });
        let mut game = Game::new(variant);
        for (action, seen) in actions.iter().zip(&views) {
            let action = Action::parse(variant, &action.text(variant)).unwrap();
            game.act(&action).unwrap();
            assert_eq!(&view(&game), seen);
        }
    }

    #[test]
    fn what_is_played_is_what_the_board_shows(variant in any_variant(), seed: u64) {
        let mut draw = Draw::new(seed);
        let mut game = Game::new(variant);
        for _ in 0..200 {
            if game.outcome().is_some() {
                break;
            }
            let choice = draw.pick(&game.choices()).clone();
            let mut board: Vec<_> = game.rules().squares().map(|square| (square, game.position().piece(square))).collect();
            let played = game.act(&choice.action).unwrap();
            for (square, piece) in &mut board {
                if let Some((_, now)) = played.set.iter().find(|(changed, _)| changed == square) {
                    assert_ne!(now, piece, "{square} has not changed");
                    *piece = *now;
                }
                assert_eq!(*piece, game.position().piece(*square));
            }
            let moved: Vec<_> = choice.from.zip(choice.to).into_iter().chain(choice.rook).collect();
            assert_eq!(played.moved, moved);
        }
    }

    #[test]
    fn the_turned_board_has_as_many_moves(variant in any_variant(), seed: u64) {
        wander(variant, seed, 200, |_, _, game, _| {
            let Some(turned) = turned(game) else { return };
            let again = Game::load(&turned).unwrap_or_else(|error| panic!("{error}: {turned}"));
            assert_eq!(again.legal().len(), game.legal().len(), "{}", game.document());
        });
    }

    #[test]
    fn spoilt_documents_are_refused_or_played_without_panic(variant in any_variant(), seed: u64) {
        let mut draw = Draw::new(seed);
        let mut documents = Vec::new();
        wander(variant, seed, 60, |_, _, game, _| documents.push(game.document()));
        for mut document in documents {
            for _ in 0..=draw.below(2) {
                spoil(&mut document, &mut draw);
            }
            if let Ok(mut game) = Game::load(&document) {
                assert_eq!(game.hash(), game.position().computed_hash());
                for _ in 0..10 {
                    if game.outcome().is_none() {
                        let action = draw.action(&game);
                        let _ = game.act(&action);
                    }
                }
                let again = Game::load(&game.document()).unwrap_or_else(|error| panic!("{error}: {}", game.document()));
                assert_eq!(again.document(), game.document());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_game_ends(variant in any_variant(), seed: u64) {
        let mut last = None;
        wander(variant, seed, usize::MAX, |_, _, game, _| {
            if game.outcome().is_some() {
                last = Some(game.clone());
            }
        });
        let game = last.unwrap();
        assert!(game.ply() <= kingscross_engine::GREATEST_LENGTH);
        assert_eq!((game.turn(), game.legal().len(), game.forced()), (None, 0, None));
        let placed: usize = game.outcome().unwrap().placements.iter().map(Vec::len).sum();
        assert_eq!(placed, game.rules().turn_order.len());
    }

    #[test]
    fn perft_of_one_ply_counts_the_choices(variant in any_variant(), seed: u64) {
        wander(variant, seed, 100, |_, _, game, _| {
            assert_eq!(perft(game, 1), game.choices().len() as u64);
        });
    }
}

/// The document of a running game seen from another seat, by a turn or a mirror that the game's setup is unchanged
/// by: kingdoms and quaternity turn by a quarter, cross chess by a half; crossfire is mirrored so that South and East
/// change places, with North and West.
fn turned(game: &Game) -> Option<Value> {
    let (variant, rules) = (game.variant(), game.rules());
    let (width, height) = (rules.width(), rules.height());
    game.turn()?;
    let place = |file: u8, rank: u8| format!("{}{}", (b'a' + file) as char, rank + 1);
    let square = |name: &str| {
        let square = rules.square(name).unwrap();
        let (file, rank) = (square.file(), square.rank());
        match variant {
            Variant::Crossfire => place(height - 1 - rank, width - 1 - file),
            Variant::Kingdoms => place(width - 1 - rank, file),
            Variant::Quaternity => place(rank, height - 1 - file),
            Variant::CrossA | Variant::CrossB => place(width - 1 - file, height - 1 - rank),
        }
    };
    let seat = |seat: Seat| match (variant, seat) {
        (Variant::Crossfire, Seat::South) => Seat::East,
        (Variant::Crossfire, Seat::East) => Seat::South,
        (Variant::Crossfire, Seat::West) => Seat::North,
        (Variant::Crossfire, Seat::North) => Seat::West,
        (Variant::Kingdoms, seat) => Seat::ALL[(seat.index() + 3) % 4],
        (Variant::Quaternity, seat) => Seat::ALL[(seat.index() + 1) % 4],
        (Variant::CrossA | Variant::CrossB, seat) => seat.opposite(),
    };
    let letter =
        |text: &str| rules.letter(seat(rules.seat(text.chars().next().unwrap()).unwrap())).to_string();
    let piece = |text: &str| {
        let suffix: String = text[2..]
            .chars()
            .map(|sign| match sign {
                '^' => '>',
                '>' => 'v',
                'v' => '<',
                '<' => '^',
                other => other,
            })
            .collect();
        format!("{}{}{suffix}", letter(text), &text[1..2])
    };
    let mut document = game.document();
    // Who comes before whom is not the same in the mirror, and so neither are the rights.
    if document.get("en_passant").is_some_and(|rights| rights != &Value::Array(Vec::new()))
        && variant == Variant::Crossfire
    {
        return None;
    }
    document["turn"] = letter(document["turn"].as_str()?).into();
    let pieces: Map<String, Value> = (document["pieces"].as_object()?.iter())
        .map(|(name, text)| (square(name), piece(text.as_str().unwrap()).into()))
        .collect();
    document["pieces"] = pieces.into();
    let armies: Map<String, Value> = (document["armies"].as_object()?.iter())
        .map(|(name, army)| {
            let mut army = army.clone();
            if let Some(controller) = army.get("controller").and_then(Value::as_str).map(letter) {
                army["controller"] = controller.into();
            }
            (letter(name), army)
        })
        .collect();
    document["armies"] = armies.into();
    for right in document.get_mut("en_passant").and_then(Value::as_array_mut).into_iter().flatten() {
        right["army"] = letter(right["army"].as_str()?).into();
        right["target"] = square(right["target"].as_str()?).into();
        right["pawn"] = square(right["pawn"].as_str()?).into();
    }
    document["offer"] = Value::Null;
    for group in document.get_mut("left").and_then(Value::as_array_mut).into_iter().flatten() {
        for name in group.as_array_mut()? {
            *name = letter(name.as_str()?).into();
        }
    }
    Some(document)
}

/// Changes something somewhere in a document.
fn spoil(value: &mut Value, draw: &mut Draw) {
    let strange = |draw: &mut Draw| {
        let values = [
            Value::Null,
            true.into(),
            0.into(),
            1.into(),
            (-1).into(),
            u64::MAX.into(),
            0.5.into(),
            1e300.into(),
            "".into(),
            "s".into(),
            "w".into(),
            "é".into(),
            "wK".into(),
            "wP*".into(),
            "fallen".into(),
            "frozen".into(),
            "eliminated".into(),
            "abandoned".into(),
            "surrendered".into(),
            Value::Array(vec!["s".into(), "s".into()]),
            Value::Array(vec![Value::Array(Vec::new())]),
            Value::Object(Map::new()),
        ];
        draw.pick(&values).clone()
    };
    match value {
        Value::Object(map) if !map.is_empty() && draw.below(8) != 0 => {
            let keys: Vec<String> = map.keys().cloned().collect();
            let key = draw.pick(&keys).clone();
            match draw.below(12) {
                0 => drop(map.remove(&key)),
                1 => drop(map.insert("extra".into(), strange(draw))),
                2 => {
                    let moved = map.remove(&key);
                    map.insert(draw.pick(&keys).clone(), moved.unwrap());
                }
                _ => spoil(map.get_mut(&key).unwrap(), draw),
            }
        }
        Value::Array(list) if !list.is_empty() && draw.below(3) != 0 => {
            let at = draw.below(list.len());
            spoil(&mut list[at], draw);
        }
        value => *value = strange(draw),
    }
}

#[test]
fn random_games_see_every_status() {
    let mut seen = std::collections::BTreeSet::new();
    for variant in Variant::ALL {
        for seed in 0..10 {
            wander(variant, seed, 400, |_, _, game, _| {
                seen.extend(game.rules().turn_order.iter().map(|&seat| game.position().status(seat)));
            });
        }
    }
    assert_eq!(seen.len(), Status::ALL.len(), "{seen:?}");
}
