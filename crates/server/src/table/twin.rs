//! The second game of a match that is played one after the other.

use kingscross_engine::Variant;
use kingscross_protocol::{Event, GameId, SeatLetter, Seq, Setup};
use kingscross_storage::{Append, Direction, Fault, GameFilter, GameStatus, NewEvent};

use super::registry::{NewGame, Registry, Seated, StartError};
use super::task::encode_event;
use crate::app::App;

/// Ended games of each board that a start of the server looks through for matches that wait for their second game.
const LOOKED_AT: u32 = 50;

/// The other board of a match; a game that has none is its own.
pub(crate) fn other_board(variant: Variant) -> Variant {
    variant.rules().twin.unwrap_or(variant)
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
        let Some(twin) = setup.twin else { return Ok(None) };
        let found = app.store.find_game(twin).await.map_err(|_| StartError::Unavailable)?;
        if found.is_some() {
            return Ok(None);
        }
        if is_aborted {
            return Ok(Some(Vec::new()));
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

    /// Sees to matches whose first game ended just before the server did.
    pub async fn restore_twins(&self, app: &App) -> Result<(), Fault> {
        for variant in Variant::ALL.into_iter().filter(|variant| variant.rules().twin.is_some()) {
            for status in [GameStatus::Finished, GameStatus::Aborted] {
                let filter = GameFilter {
                    variant: Some(variant.id().to_owned()),
                    status: Some(status),
                    ..GameFilter::default()
                };
                let page = app.store.list_games(&filter, Direction::Newest, None, LOOKED_AT).await?;
                for game in page.games {
                    self.restore_twin(app, game.id, status == GameStatus::Aborted).await?;
                }
            }
        }
        Ok(())
    }

    async fn restore_twin(&self, app: &App, game: GameId, is_aborted: bool) -> Result<(), Fault> {
        let first = app.store.find_event(game, Seq(1)).await?;
        let Some(Ok(Event::Created(setup))) = first.map(|first| serde_json::from_str(&first.body)) else {
            return Ok(());
        };
        if setup.twin.is_none() {
            return Ok(());
        }
        let events = app.store.load_events(game, Seq(0)).await?;
        let is_over = events
            .iter()
            .any(|event| matches!(serde_json::from_str(&event.body), Ok(Event::MatchEnded { .. })));
        let Some(last) = events.last().filter(|_| !is_over) else { return Ok(()) };
        match self.next_of_match(app, game, &setup, is_aborted).await {
            Ok(None) => {}
            Ok(Some(gone)) => {
                let event = NewEvent {
                    seq: last.seq.next(),
                    commanded: None,
                    at: app.clock.now(),
                    hash: last.hash,
                    body: encode_event(&Event::MatchEnded { gone }),
                };
                let append = Append { game, events: vec![event], finish: None, rematch_pending: None };
                if let Err(error) = app.store.writer().append(append).await {
                    tracing::warn!(%game, %error, "the end of a match could not be noted");
                }
            }
            Err(error) => {
                tracing::warn!(%game, %error, "the second game of a match could not be started");
            }
        }
        Ok(())
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
