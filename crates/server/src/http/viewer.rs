//! Who looks at what anybody may see, and what of it is not told to such a one yet.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use kingscross_protocol::{GameId, Timestamp, UserId};
use kingscross_storage::{GameStatus, GameSummary, StoredRating};

use super::ApiError;
use crate::App;
use crate::auth::identify;

/// The sender of a request, known or not.
pub(crate) struct Viewer(HeaderMap);

impl FromRequestParts<App> for Viewer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        Ok(Self(parts.headers.clone()))
    }
}

impl Viewer {
    /// Who it is; nobody where that cannot be found out, since everyone may look.
    pub(crate) async fn user(&self, app: &App) -> Option<UserId> {
        identify(app, &self.0).await.ok().flatten().map(|user| user.id)
    }

    /// What the viewer may see now. Who it is, is only looked up while something is kept back.
    pub(crate) async fn sight<'a>(&self, app: &'a App) -> Sight<'a> {
        let now = app.clock.now();
        let user = if app.tables.delays.is_empty(now) { None } else { self.user(app).await };
        Sight { app, user, now }
    }
}

/// What one viewer may see at one moment of games that spectators see late.
pub(crate) struct Sight<'a> {
    app: &'a App,
    user: Option<UserId>,
    now: Timestamp,
}

impl Sight<'_> {
    /// Whether the end of a game is not told yet.
    pub(crate) fn hides(&self, game: GameId, ended: Timestamp) -> bool {
        self.app.tables.delays.hides(self.user, game, ended, self.now)
    }

    /// Games whose end is not told yet.
    pub(crate) fn hidden(&self) -> Vec<GameId> {
        self.app.tables.delays.hidden_from(self.user, None, self.now)
    }

    /// Shows a game whose end is not told yet as one that goes on, and says whether it did.
    pub(crate) fn veil(&self, game: &mut GameSummary) -> bool {
        let is_hidden = game.ended_at.is_some_and(|ended| self.hides(game.id, ended));
        if is_hidden {
            veil(game);
        }
        is_hidden
    }

    /// A rating without the games whose end is not told yet; none while there is no other.
    pub(crate) async fn rating(
        &self,
        user: UserId,
        pool: &str,
        rating: StoredRating,
    ) -> Result<Option<StoredRating>, ApiError> {
        let hidden = self.app.tables.delays.hidden_from(self.user, Some(user), self.now);
        if hidden.is_empty() {
            return Ok(Some(rating));
        }
        let some = u32::try_from(hidden.len()).unwrap_or(u32::MAX);
        let last = self.app.store.rating_history(user, pool, i64::MAX, some).await?;
        let first = last.into_iter().rev().find(|row| hidden.contains(&row.game));
        let told = first.map_or(rating, |row| row.change.before);
        Ok(Some(told).filter(|told| told.games > 0))
    }
}

/// Takes away all that a game's end has added.
pub(crate) fn veil(game: &mut GameSummary) {
    game.status = GameStatus::Running;
    (game.ended_at, game.reason, game.annulled_at) = (None, None, None);
    for player in &mut game.players {
        (player.placement, player.points, player.result) = (None, None, None);
        (player.rating_before, player.rating_after) = (None, None);
    }
}
