//! Draws: when a bot agrees to one, and when it offers one.

use kingscross_engine::{Game, Seat};

use crate::attention::Attention;
use crate::character::{Character, Kind};
use crate::evaluation::glance;
use crate::level::Level;

/// A game of fewer rounds than this is too young to be drawn.
const YOUNG_ROUNDS: u32 = 20;
/// From this round on a bot is content with a draw in an even game.
const OLD_ROUNDS: u32 = 80;
/// An advantage that nobody gives away, in hundredths of a pawn.
const EDGE: i32 = 150;

/// Does a bot in this seat accept the draw that is offered?
#[must_use]
pub fn accepts_draw(game: &Game, seat: Seat, level: Level, seed: u64) -> bool {
    accepts_draw_as(game, seat, Character::of(level, game.variant()), seed)
}

/// [`accepts_draw`] with a character of the caller's own.
#[must_use]
pub fn accepts_draw_as(game: &Game, seat: Seat, character: Character, seed: u64) -> bool {
    if !game.is_active(seat) {
        return false;
    }
    if character.kind == Kind::Random {
        return seed & 1 == 0;
    }
    let value = judged(game, seat, character, seed);
    let rounds = game.ply() / game.rules().turn_order.len() as u32;
    if game.rules().counts_points() {
        // The points decide at once: only whoever leads gains by it.
        let points = |seat: Seat| game.position().result_points(seat);
        return game.rules().turn_order.iter().all(|&other| other == seat || points(other) < points(seat));
    }
    if rounds < YOUNG_ROUNDS {
        return value < -6 * EDGE;
    }
    let content = if rounds >= OLD_ROUNDS { EDGE } else { -EDGE };
    value < content
}

/// Does a bot in this seat, on turn, offer a draw before it moves? Only in a game that has come to rest.
#[must_use]
pub fn offers_draw(game: &Game, seat: Seat, level: Level, seed: u64) -> bool {
    offers_draw_as(game, seat, Character::of(level, game.variant()), seed)
}

/// [`offers_draw`] with a character of the caller's own.
#[must_use]
pub fn offers_draw_as(game: &Game, seat: Seat, character: Character, seed: u64) -> bool {
    let players = game.rules().turn_order.len() as u32;
    let rests = game.ply() / players >= OLD_ROUNDS && game.position().quiet_plies() >= 20 * players;
    // Once in a while, lest the others be pestered.
    let due = (game.ply() / players).is_multiple_of(10);
    if !rests || !due || character.kind == Kind::Random || game.turn() != Some(seat) || !game.is_active(seat)
    {
        return false;
    }
    accepts_draw_as(game, seat, character, seed)
}

fn judged(game: &Game, seat: Seat, character: Character, seed: u64) -> i32 {
    let position = game.position();
    let attention = Attention::new(character.attention, character.blur, seed, position);
    glance(position, seat) + attention.misjudges(kingscross_engine::Move::PASS)
}
