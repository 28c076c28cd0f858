//! Commands to games that have left memory: only what was answered before is answered again.

use kingscross_protocol::{CommandId, ErrorBody, ErrorCode, GameId, UserId};
use kingscross_storage::Fault;
use kingscross_table::{Command, made_by};

use super::handle::{Done, Reply, Standing};
use crate::app::App;
use crate::error::ApiError;

/// Answers a command in a game that has no table any more.
pub async fn answer_of_the_past(
    app: &App,
    game: GameId,
    user: UserId,
    id: CommandId,
    command: &Command,
    reply: Reply,
) {
    let mut result = answer(app, game, user, id, command).await;
    let mut standing = None;
    if let Err(error) = &result
        && !matches!(error.code, ErrorCode::UnknownGame | ErrorCode::NotAPlayer | ErrorCode::Unavailable)
    {
        match last(app, game).await {
            Ok(found) => standing = found,
            Err(fault) => result = Err(unavailable(game, &fault)),
        }
    }
    reply.at(standing).give(result);
}

/// How far a game has come.
async fn last(app: &App, game: GameId) -> Result<Option<Standing>, Fault> {
    let Some(seq) = app.store.last_seq(game).await? else { return Ok(None) };
    let event = app.store.find_event(game, seq).await?;
    Ok(event.map(|event| Standing { seq, hash: event.hash }))
}

fn unavailable(game: GameId, fault: &Fault) -> ErrorBody {
    tracing::warn!(%game, %fault, "a game could not be looked up");
    ErrorBody::from(ApiError::not_done(fault))
}

async fn answer(
    app: &App,
    game: GameId,
    user: UserId,
    id: CommandId,
    command: &Command,
) -> Result<Done, ErrorBody> {
    let unavailable = |fault: Fault| unavailable(game, &fault);
    if let Some(stored) = app.store.find_command(game, user, id).await.map_err(unavailable)? {
        return match serde_json::from_str(&stored.body) {
            Ok(event) if made_by(&event, command) => Ok(Done { seq: Some(stored.seq), ..Done::default() }),
            _ => Err(ErrorBody::new(ErrorCode::IdReused, "This id was used before for another command.")),
        };
    }
    match app.store.find_game(game).await.map_err(unavailable)? {
        None => Err(ErrorBody::new(ErrorCode::UnknownGame, "There is no such game.")),
        Some(row) if row.summary.players.iter().all(|player| player.user != Some(user)) => {
            Err(ErrorBody::new(ErrorCode::NotAPlayer, "You have no seat in this game."))
        }
        // Its table stopped over a fault, or is just being taken up.
        Some(row) if row.summary.status == kingscross_storage::GameStatus::Running => {
            Err(ErrorBody::new(ErrorCode::Unavailable, "This game is not being served; try again."))
        }
        Some(_) => Err(ErrorBody::new(ErrorCode::GameOver, "The game has ended.")),
    }
}
