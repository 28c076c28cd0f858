//! The second game of a match that is played one after the other.

use kingscross_engine::Variant;
use kingscross_protocol::{GameId, SeatLetter, Setup};
use kingscross_storage::Fault;

use super::new_game::{NewGame, Seated, StartError};
use super::registry::Registry;
use crate::app::App;

/// The other board of a match; a game that has none is its own.
pub(crate) fn other_board(variant: Variant) -> Variant {
    variant.rules().other_board.unwrap_or(variant)
}

impl Registry {
    /// Sees to what follows a game that has ended, where it is the first of a match: starts the second, if that has not
    /// begun. One that should be played at the same time and did not come about is played after all. Otherwise gives who of the players is gone, so that there is none.
    pub(super) async fn next_of_match(
        &self,
        app: &App,
        of: GameId,
        setup: &Setup,
        is_aborted: bool,
    ) -> Result<Option<Vec<SeatLetter>>, StartError> {
        let Some(other) = setup.other_game else { return Ok(None) };
        let found = app.store.find_game(other).await.map_err(|_| StartError::Unavailable)?;
        if found.is_some() {
            return Ok(None);
        }
        if is_aborted {
            return Ok(Some(Vec::new()));
        }
        let players = setup.players.iter().rev().map(Seated::again).collect();
        let new = NewGame {
            id: Some(other),
            rated: setup.rated,
            free_chat: setup.free_chat,
            spectator_delay: Some(setup.spectator_delay),
            other_game: Some(of),
            ..NewGame::casual(other_board(setup.variant), setup.time, players)
        };
        match self.start(app, new).await {
            Ok(_) => Ok(None),
            Err(StartError::PlayerGone) => match gone(app, setup).await {
                Ok(gone) if gone.is_empty() => Err(StartError::PlayerGone),
                Ok(gone) => Ok(Some(gone)),
                Err(_) => Err(StartError::Unavailable),
            },
            Err(error) => Err(error),
        }
    }
}

/// Who of the players of a game is deleted or banned.
async fn gone(app: &App, setup: &Setup) -> Result<Vec<SeatLetter>, Fault> {
    let mut gone = Vec::new();
    for player in setup.players.iter().filter(|player| player.bot.is_none()) {
        let user = app.store.find_user(player.user).await?;
        if user.is_none_or(|user| user.deleted_at.is_some() || user.banned_at.is_some()) {
            gone.push(player.seat);
        }
    }
    Ok(gone)
}
