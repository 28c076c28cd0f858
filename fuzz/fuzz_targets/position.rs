//! Any text given to the position reader is refused or becomes a game that writes, reloads and plays on.

#![no_main]

use kingscross_engine::{Action, Game};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(game) = Game::load_str(text) else {
        return;
    };
    let document = game.document();
    let again = Game::load(&document).expect("a loaded position is written as one that loads");
    assert_eq!(again.document(), document);
    assert_eq!(again.hash(), game.hash());
    assert_eq!(again.legal(), game.legal());
    for text in game.legal() {
        let action = Action::parse(game.variant(), &text).expect("the legal list holds action texts");
        let mut next = game.clone();
        next.act(&action).expect("a legal action is accepted");
        let reached = next.document();
        let reloaded = Game::load(&reached).expect("play leads to positions that load");
        assert_eq!(reloaded.hash(), next.hash());
    }
});
