//! The second game of a match that is played one after the other.

use kingscross_engine::Variant;
use kingscross_protocol::{Event, GameId, Seq, Setup};
use kingscross_storage::{Direction, Fault, GameFilter, GameStatus};

use super::registry::{NewGame, Registry, Seated, StartError};
use crate::app::App;

/// Finished games of each board that a start of the server looks through for matches that wait for their second game.
const LOOKED_AT: u32 = 50;

/// The other board of a match; a game that has none is its own.
pub(crate) fn other_board(variant: Variant) -> Variant {
    variant.rules().twin.unwrap_or(variant)
}

impl Registry {
    /// Starts the game that follows a finished one, if one does and has not begun.
    pub(super) async fn start_twin(&self, app: &App, of: GameId, setup: &Setup) -> Result<(), StartError> {
        let Some(twin) = setup.twin.filter(|_| setup.twin_follows) else { return Ok(()) };
        let found = app.store.find_game(twin).await.map_err(|_| StartError::Unavailable)?;
        if found.is_some() {
            return Ok(());
        }
        let players = setup.players.iter().rev().map(Seated::again).collect();
        let new = NewGame {
            id: Some(twin),
            rated: setup.rated,
            free_chat: setup.free_chat,
            spectator_delay: Some(setup.spectator_delay),
            twin: Some(of),
            ..NewGame::casual(other_board(setup.variant), setup.time, players)
        };
        self.start(app, new).await.map(drop)
    }

    /// Starts the second games whose first ended just before the server did.
    pub async fn restore_twins(&self, app: &App) -> Result<(), Fault> {
        for variant in Variant::ALL.into_iter().filter(|variant| variant.rules().twin.is_some()) {
            let filter = GameFilter {
                variant: Some(variant.id().to_owned()),
                status: Some(GameStatus::Finished),
                ..GameFilter::default()
            };
            let page = app.store.list_games(&filter, Direction::Newest, None, LOOKED_AT).await?;
            for game in page.games {
                let first = app.store.find_event(game.id, Seq(1)).await?;
                let Some(Ok(Event::Created(setup))) = first.map(|first| serde_json::from_str(&first.body))
                else {
                    continue;
                };
                if let Err(error) = self.start_twin(app, game.id, &setup).await {
                    tracing::warn!(game = %game.id, %error, "the second game of a match could not be started");
                }
            }
        }
        Ok(())
    }
}
