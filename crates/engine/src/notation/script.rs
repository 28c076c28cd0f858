//! A game as its start and its actions: what every exchange format is read into and written from.

use serde_json::Value;

use crate::{Action, BadPosition, Game, Rejection, Variant};

/// A game that can be replayed. Nothing else is believed of an imported one.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The rules.
    pub variant: Variant,
    /// The position document it starts from; the variant's own start when none.
    pub start: Option<Value>,
    /// Names and values beside the moves (players, date, site), in order.
    pub tags: Vec<(String, String)>,
    /// Action texts of the rule book's notation.
    pub actions: Vec<String>,
}

/// Why a script does not replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadScript {
    /// The start position contradicts the rules.
    #[error("start position: {0}")]
    Start(BadPosition),
    /// An action is refused.
    #[error("action {index}: {text}: {why}")]
    Action {
        /// Counted from 1.
        index: usize,
        /// The action text.
        text: String,
        /// Why it is refused.
        why: Rejection,
    },
}

impl Script {
    /// The game before its first action.
    ///
    /// # Errors
    /// The start position contradicts the rules, or is one of another variant.
    pub fn start_game(&self) -> Result<Game, BadPosition> {
        match &self.start {
            Some(document) => {
                let game = Game::load(document)?;
                if game.variant() != self.variant {
                    let (of, played) = (game.variant(), self.variant);
                    return Err(BadPosition::wrong(format!("a position of {of} starts no game of {played}")));
                }
                Ok(game)
            }
            None => Ok(Game::new(self.variant)),
        }
    }

    /// The game after its last action.
    ///
    /// # Errors
    /// The start position or an action contradicts the rules.
    pub fn replay(&self) -> Result<Game, BadScript> {
        let mut game = self.start_game().map_err(BadScript::Start)?;
        for (i, text) in self.actions.iter().enumerate() {
            let refused = |why| BadScript::Action { index: i + 1, text: text.clone(), why };
            let action = Action::parse(self.variant, text).map_err(refused)?;
            game.act(&action).map_err(refused)?;
        }
        Ok(game)
    }
}

/// What a format has no word for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unrepresentable(pub String);
