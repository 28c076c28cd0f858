//! One game of an arena.

use kingscross_engine::{Action, Game, Seat, Variant};

use crate::budget::Budget;
use crate::choose::choose;
use crate::dice::Dice;
use crate::level::Level;

/// The frame of a game.
#[derive(Clone, Copy, Debug)]
pub struct Contest {
    /// Which game is played.
    pub variant: Variant,
    /// Determines the opening; games with the same seed have the same one.
    pub opening: u64,
    /// Determines the choices of the bots.
    pub seed: u64,
    /// How many plies are played at random first, so that games differ; they lose nobody a piece by a capture.
    pub random_plies: u32,
    /// From this ply on the players agree to a draw.
    pub longest: u32,
}

/// Plays a game to its end and returns it with its actions. `mind` chooses for the player on turn; `None` makes it leave.
///
/// # Panics
/// If `mind` chooses an action that is not legal.
pub fn play(
    contest: &Contest,
    mut mind: impl FnMut(&Game, Seat, &[String]) -> Option<Action>,
) -> (Game, Vec<String>) {
    let variant = contest.variant;
    let mut game = Game::new(variant);
    let mut actions = Vec::new();
    let mut dice = Dice::new(contest.opening, 0x0_9E21);
    while let Some(seat) = game.turn() {
        let action = if game.forced().is_some() {
            choose(&game, Level::Random, contest.seed, &Budget::of_nodes(1))
        } else if game.ply() < contest.random_plies {
            quiet_move(&game, &mut dice)
        } else if game.ply() >= contest.longest {
            agree(&mut game, seat, &mut actions);
            continue;
        } else {
            mind(&game, seat, &actions).unwrap_or(Action::Leave(seat))
        };
        let text = action.text(variant);
        let played = game.act(&action);
        assert!(played.is_ok(), "{variant}: {text} was chosen, which is not legal");
        actions.push(text);
    }
    (game, actions)
}

/// A random move that captures nothing and cannot be captured at once.
fn quiet_move(game: &Game, dice: &mut Dice) -> Action {
    let choices = game.choices();
    let calm = |action: &Action| {
        let Action::Move(text) = *action else { return true };
        let mut next = game.clone();
        let Some(seat) = game.turn() else { return true };
        next.act(action).is_ok() && next.turn().is_some() && !next.position().is_attacked(text.to, seat)
    };
    let quiet: Vec<Action> = choices
        .iter()
        .filter(|choice| choice.captures.is_none())
        .map(|choice| choice.action)
        .filter(calm)
        .collect();
    if quiet.is_empty() { choices[dice.below(choices.len())].action } else { quiet[dice.below(quiet.len())] }
}

fn agree(game: &mut Game, by: Seat, actions: &mut Vec<String>) {
    let voters = game.rules().turn_order.iter().filter(|&&seat| seat != by && game.is_active(seat));
    let votes: Vec<Action> =
        std::iter::once(Action::Offer).chain(voters.map(|&seat| Action::Accept(seat))).collect();
    for vote in votes {
        let agreed = game.act(&vote);
        assert!(agreed.is_ok(), "every active player has a vote on the offer");
        actions.push(vote.text(game.variant()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_grows_too_long_is_drawn_and_one_who_has_no_answer_leaves() {
        for variant in Variant::ALL {
            let contest = Contest { variant, opening: 1, seed: 1, random_plies: 4, longest: 30 };
            let any = |game: &Game, _: Seat, _: &[String]| {
                Some(choose(game, Level::Random, u64::from(game.ply()), &Budget::of_nodes(1)))
            };
            let (game, actions) = play(&contest, any);
            assert!(game.outcome().is_some() && actions.len() >= 30, "{variant}");
            let (game, _) = play(&contest, |_, _, _| None);
            assert!(game.outcome().is_some(), "{variant}");
        }
    }
}
