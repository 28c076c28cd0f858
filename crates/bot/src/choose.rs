//! The choice of an action.

use kingscross_engine::{Action, Forced, Game, MoveList, SplitMix64};

use crate::budget::Budget;
use crate::character::{Character, Kind};
use crate::greedy;
use crate::level::Level;
use crate::search;

/// The action of the player on turn, chosen at a level: always legal, and the same for the same position, level, seed
/// and number of nodes, unless the budget's question cut the search short.
///
/// A player who cannot choose passes, or, in kingdoms once it has surrendered, plays a move that the seed draws.
///
/// # Panics
/// If the game has ended: then there is nothing to choose.
#[must_use]
pub fn choose(game: &Game, level: Level, seed: u64, budget: &Budget<'_>) -> Action {
    choose_as(game, Character::of(level, game.variant()), seed, budget)
}

/// [`choose`] with a character of the caller's own.
///
/// # Panics
/// If the game has ended.
#[must_use]
pub fn choose_as(game: &Game, character: Character, seed: u64, budget: &Budget<'_>) -> Action {
    let seat = game.turn().expect("a bot is asked only while the game runs");
    let mut dice = SplitMix64::salted(seed, game.hash().0 ^ u64::from(game.ply()));
    let mut list = MoveList::new();
    game.position().generate(&mut list);
    let drawn = |dice: &mut SplitMix64| list[dice.below(list.len())];
    let mv = match (game.forced(), character.kind) {
        (Some(Forced::Pass | Forced::Random), _) | (None, Kind::Random) => drawn(&mut dice),
        (None, Kind::Greedy) => greedy::pick(game, seat, &list, &mut dice),
        (None, _) if list.len() == 1 => list[0],
        (None, Kind::Paranoid | Kind::MaxN | Kind::BestReply) => {
            search::think(game, seat, &list, character, seed, budget)
        }
    };
    game.action(mv)
}
