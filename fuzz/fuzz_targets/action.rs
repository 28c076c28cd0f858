//! Any text given to the action reader is refused, or reads back from what it is written as; acting on it changes
//! everything or nothing. A line that is a number plays the legal action of that number, so that games go on.

#![no_main]

use kingscross_engine::{Action, Game, Variant};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (choice, script) = input;
    let variant = Variant::ALL[usize::from(choice) % Variant::ALL.len()];
    let mut game = Game::new(variant);
    for line in script.lines().take(100) {
        let text = match line.parse::<usize>() {
            Ok(number) => match game.legal() {
                legal if legal.is_empty() => continue,
                legal => legal[number % legal.len()].clone(),
            },
            Err(_) => line.to_owned(),
        };
        let Ok(action) = Action::parse(variant, &text) else {
            continue;
        };
        assert_eq!(Action::parse(variant, &action.text(variant)).as_ref(), Ok(&action));
        let before = game.clone();
        if game.act(&action).is_err() {
            assert_eq!(game.document(), before.document(), "a refused action changed the game");
            assert_eq!(game.hash(), before.hash(), "a refused action changed the hash");
            assert!(!before.legal().contains(&text), "a legal action was refused");
        }
    }
    let reloaded = Game::load(&game.document()).expect("play leads to positions that load");
    assert_eq!(reloaded.hash(), game.hash());
});
