//! Any text given to the readers of the exchange formats is refused, or becomes a game that comes back as it was when
//! written again.

#![no_main]

use kingscross_engine::notation::{fen4, pgn4, quaternits, view};
use kingscross_engine::{Game, Variant};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (choice, text) = input;
    let variant = [Variant::Kingdoms, Variant::Crossfire][usize::from(choice & 1)];
    match choice % 8 {
        0 | 1 => read_fen4(text, variant),
        2 | 3 => read_pgn4(text, variant),
        4 | 5 => look(text),
        _ => read_quaternits(text),
    }
});

fn read_fen4(text: &str, variant: Variant) {
    let Ok(imported) = fen4::read(text, variant) else {
        return;
    };
    let Ok(game) = Game::load(&imported.document) else {
        return;
    };
    let document = game.document();
    let written = fen4::write(imported.variant, &document).expect("a 14×14 position is written");
    let again = fen4::read(&written, variant).expect("what we write we read");
    let again = Game::load(&again.document).expect("what we write is a position");
    assert_eq!(again.document(), document, "{written}");
}

fn read_pgn4(text: &str, variant: Variant) {
    let Ok(pgn4::Imported { script, .. }) = pgn4::read(text, variant) else {
        return;
    };
    let game = script.replay().expect("what is read replays");
    let written = pgn4::write(&script).expect("a 14×14 game is written");
    let again = pgn4::read(&written, variant).expect("what we write we read").script;
    assert_eq!(again.actions, script.actions, "{written}");
    let again = again.replay().expect("what is read replays");
    assert_eq!(again.document(), game.document(), "{written}");
}

/// What is shown has a board after every word, and the games of a text are the whole text.
fn look(text: &str) {
    if let Ok(view) = view::pgn4(text) {
        assert!(view.moves.len() <= view::LONGEST);
        assert!(view.moves.iter().all(|shown| shown.pieces.len() <= view.start.len()));
    }
    let _ = view::fen4(text);
    if let Ok(games) = pgn4::games(text) {
        assert_eq!(games.concat(), text);
    }
}

fn read_quaternits(text: &str) {
    let Ok(script) = quaternits::read(text) else {
        return;
    };
    script.replay().expect("what is read replays");
    let written = quaternits::write(&script).expect("a game that was read is written");
    let again = quaternits::read(&written.to_string()).expect("what we write we read");
    assert_eq!(again, script, "{written}");
}
