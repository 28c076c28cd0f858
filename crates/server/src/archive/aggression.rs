//! Who captured and attacked whom: what a game for everyone leaves to be asked afterwards.

use std::collections::BTreeMap;

use kingscross_engine::Game;
use kingscross_protocol::{Aggression, Effect, Event, HistoryEntry, SeatLetter};

/// Counts a game's captures, checks and falls, by player and army; those without any are left out.
pub fn count(history: &[HistoryEntry]) -> Vec<Aggression> {
    let mut counts: BTreeMap<(SeatLetter, SeatLetter), Aggression> = BTreeMap::new();
    let mut add = |by: SeatLetter, on: SeatLetter, book: &dyn Fn(&mut Aggression)| {
        if by != on {
            let empty = Aggression { by, on, captures: 0, checks: 0, felled: false };
            book(counts.entry((by, on)).or_insert(empty));
        }
    };
    let mut kings: BTreeMap<String, SeatLetter> = BTreeMap::new();
    if let Some(HistoryEntry { event: Event::Created(setup), .. }) = history.first() {
        let start = Game::new(setup.variant);
        for (square, piece) in start.pieces() {
            if let Some(army) = king_of(start.piece_text(piece)) {
                kings.insert(square.to_string(), army);
            }
        }
    }
    let mut checked: Vec<String> = Vec::new();
    for entry in history {
        let Some(change) = &entry.change else { continue };
        for effect in &change.effects {
            match effect {
                Effect::Captured { by, army, .. } => add(*by, *army, &|pair| pair.captures += 1),
                Effect::Fell { army, credited: Some(by), .. } => add(*by, *army, &|pair| pair.felled = true),
                _ => {}
            }
        }
        // Checks name squares; the pieces say whose king is there.
        for (square, piece) in &change.set {
            kings.remove(square);
            if let Some(army) = piece.as_deref().and_then(king_of) {
                kings.insert(square.clone(), army);
            }
        }
        if let Event::Played(played) = &entry.event {
            for square in change.checks.iter().filter(|square| !checked.contains(square)) {
                if let Some(&army) = kings.get(square) {
                    add(played.seat, army, &|pair| pair.checks += 1);
                }
            }
        }
        checked.clone_from(&change.checks);
    }
    counts.into_values().collect()
}

fn king_of(piece: &str) -> Option<SeatLetter> {
    let mut letters = piece.chars();
    let army = letters.next()?;
    (letters.next() == Some('K')).then_some(SeatLetter(army))
}
