//! One game of an arena.

use kingscross_engine::{Action, Game, Seat, SplitMix64, Variant};

use crate::budget::Budget;
use crate::choose::choose;
use crate::level::Level;

/// The frame of a game.
#[derive(Clone, Copy, Debug)]
pub struct GameSpec {
    /// Which game is played.
    pub variant: Variant,
    /// Determines the opening; games with the same seed have the same one.
    pub opening: u64,
    /// Determines the choices of the bots.
    pub seed: u64,
    /// How many plies are played at random first, so that games differ; they capture nothing and hang nothing at once.
    pub random_plies: u32,
    /// From this ply on the players agree to a draw.
    pub longest: u32,
}

/// Those who play a game.
pub trait Minds {
    /// What the player on turn does, who can choose: a move, or an offer of a draw; `None` makes it leave.
    fn choose(&mut self, game: &Game, seat: Seat, actions: &[String]) -> Option<Action>;

    /// Whether a player accepts the draw that is offered.
    fn accepts(&mut self, game: &Game, seat: Seat) -> bool;
}

/// Plays a game to its end and returns it with its actions.
///
/// # Panics
/// If an action is chosen that is not legal.
pub fn play(spec: &GameSpec, minds: &mut impl Minds) -> (Game, Vec<String>) {
    let variant = spec.variant;
    let mut game = Game::new(variant);
    let mut actions = Vec::new();
    let mut dice = SplitMix64::salted(spec.opening, 0x0_9E21);
    let mut offered = None;
    while let Some(seat) = game.turn() {
        let action = if game.forced().is_some() {
            choose(&game, Level::Random, spec.seed, &Budget::of_nodes(1))
        } else if game.ply() < spec.random_plies {
            quiet_move(&game, &mut dice)
        } else if game.ply() >= spec.longest {
            Action::Offer
        } else if offered == Some(game.ply()) {
            // One offer a turn; who is refused must move.
            minds
                .choose(&game, seat, &actions)
                .filter(|action| *action != Action::Offer)
                .unwrap_or(Action::Leave(seat))
        } else {
            minds.choose(&game, seat, &actions).unwrap_or(Action::Leave(seat))
        };
        act(&mut game, action, &mut actions);
        if action == Action::Offer {
            offered = Some(game.ply());
            vote(&mut game, spec, minds, &mut actions);
        }
    }
    (game, actions)
}

fn act(game: &mut Game, action: Action, actions: &mut Vec<String>) {
    let (variant, text) = (game.variant(), action.text(game.variant()));
    let played = game.act(&action);
    assert!(played.is_ok(), "{variant}: {text} was chosen, which is not legal");
    actions.push(text);
}

/// Everyone votes on the offer, until one declines; in a game that is too long everyone accepts.
fn vote(game: &mut Game, spec: &GameSpec, minds: &mut impl Minds, actions: &mut Vec<String>) {
    let by = game.turn();
    for &seat in game.rules().turn_order {
        if game.offer().is_none() || Some(seat) == by || !game.is_active(seat) {
            continue;
        }
        let accepts = game.ply() >= spec.longest || minds.accepts(game, seat);
        act(game, if accepts { Action::Accept(seat) } else { Action::Decline(seat) }, actions);
    }
}

/// A random move that captures nothing and cannot be captured at once.
fn quiet_move(game: &Game, dice: &mut SplitMix64) -> Action {
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Anything;

    impl Minds for Anything {
        fn choose(&mut self, game: &Game, _: Seat, _: &[String]) -> Option<Action> {
            Some(choose(game, Level::Random, u64::from(game.ply()), &Budget::of_nodes(1)))
        }

        fn accepts(&mut self, _: &Game, _: Seat) -> bool {
            false
        }
    }

    /// One who only offers draws, and leaves when they are declined.
    struct Offering;

    impl Minds for Offering {
        fn choose(&mut self, _: &Game, _: Seat, _: &[String]) -> Option<Action> {
            Some(Action::Offer)
        }

        fn accepts(&mut self, game: &Game, _: Seat) -> bool {
            game.ply() > 4
        }
    }

    #[test]
    fn a_game_that_grows_too_long_is_drawn() {
        for variant in Variant::ALL {
            let spec = GameSpec { variant, opening: 1, seed: 1, random_plies: 4, longest: 30 };
            let (game, actions) = play(&spec, &mut Anything);
            assert!(game.outcome().is_some() && actions.len() >= 30, "{variant}");
        }
    }

    #[test]
    fn an_offer_is_voted_on_and_who_is_refused_and_has_no_move_leaves() {
        let spec = GameSpec { variant: Variant::CrossA, opening: 1, seed: 1, random_plies: 4, longest: 30 };
        let (_, actions) = play(&spec, &mut Offering);
        assert_eq!(actions[4..], ["offer", "decline:b", "leave:w"]);
        let (_, actions) = play(&GameSpec { random_plies: 6, ..spec }, &mut Offering);
        assert_eq!(actions[6..], ["offer", "accept:b"]);
    }
}
