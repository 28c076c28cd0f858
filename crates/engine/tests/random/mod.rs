//! Random games for the tests of properties.

use kingscross_engine::{Action, Game, Seat, SplitMix64, Variant};

/// What wanders through games.
pub(crate) struct Draw(SplitMix64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Draw {
        Draw(SplitMix64::new(seed))
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        self.0.pick(list)
    }

    fn seat(&mut self, game: &Game) -> Seat {
        *self.pick(game.rules().turn_order)
    }

    /// An action that may or may not be accepted: mostly legal ones, captures and odd ones more often than by chance.
    pub(crate) fn action(&mut self, game: &Game) -> Action {
        let choices = game.choices();
        match self.below(200) {
            0 => Action::Resign(self.seat(game)),
            1 => Action::Timeout(self.seat(game)),
            2 => Action::Leave(self.seat(game)),
            3 | 4 => Action::Offer,
            5 | 6 => Action::Accept(self.seat(game)),
            7 => Action::Decline(self.seat(game)),
            8 => Action::Pass,
            9 => Action::Random(None),
            10..=90 => {
                let captures: Vec<_> = choices.iter().filter(|choice| choice.captures.is_some()).collect();
                if captures.is_empty() { self.pick(&choices).action } else { self.pick(&captures).action }
            }
            _ => self.pick(&choices).action,
        }
    }
}

/// Plays a random game to its end, or for so many accepted actions, and shows the game before and after each action,
/// refused ones too.
pub(crate) fn wander(
    variant: Variant,
    seed: u64,
    actions: usize,
    mut see: impl FnMut(&Game, Action, &Game, bool),
) -> Vec<Action> {
    let mut draw = Draw::new(seed);
    let mut game = Game::new(variant);
    let mut accepted = Vec::new();
    while accepted.len() < actions && game.outcome().is_none() {
        let action = draw.action(&game);
        let before = game.clone();
        let done = game.act(&action).is_ok();
        see(&before, action, &game, done);
        if done {
            accepted.push(action);
        }
    }
    accepted
}
