//! Who asks for what anybody may see, and what of it is still hidden from them.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use kingscross_protocol::{GameId, Timestamp, UserId};
use kingscross_storage::{GameStatus, GameSummary};

use crate::app::App;
use crate::auth::identify;
use crate::ratings::VisibleRatings;

/// The sender of a request, known or not.
pub(crate) struct Viewer(HeaderMap);

impl FromRequestParts<App> for Viewer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        Ok(Self(parts.headers.clone()))
    }
}

impl Viewer {
    /// The user; none if that cannot be found out, since everyone may look.
    pub(crate) async fn user(&self, app: &App) -> Option<UserId> {
        identify(app, &self.0).await.ok().flatten().map(|user| user.id)
    }

    /// What the viewer may see now. The user is looked up only while something is hidden.
    pub(crate) async fn sight<'a>(&self, app: &'a App) -> Sight<'a> {
        let now = app.clock.now();
        let user = if app.tables.delays.is_empty(now) { None } else { self.user(app).await };
        Sight { app, user, now }
    }
}

/// What one viewer may see, at one moment, of games that spectators see with a delay.
pub(crate) struct Sight<'a> {
    app: &'a App,
    user: Option<UserId>,
    now: Timestamp,
}

impl<'a> Sight<'a> {
    /// What a known user may see now.
    pub(crate) fn of(app: &'a App, user: UserId) -> Self {
        Self { app, user: Some(user), now: app.clock.now() }
    }

    /// Whether nothing is hidden from anyone now.
    pub(crate) fn sees_all(&self) -> bool {
        self.app.tables.delays.is_empty(self.now)
    }

    /// Whether the end of a game is still hidden.
    pub(crate) fn hides(&self, game: GameId, ended: Timestamp) -> bool {
        self.app.tables.delays.hides(self.user, game, ended, self.now)
    }

    /// Games whose end is still hidden.
    pub(crate) fn hidden(&self) -> Vec<GameId> {
        self.app.tables.delays.hidden_from(self.user, self.now)
    }

    /// Whether it is still hidden that this game exists.
    pub(crate) fn is_unseen(&self, game: GameId) -> bool {
        self.app.tables.delays.is_unseen(self.user, game, self.now)
    }

    /// Whether the rating changes of a game are still hidden.
    pub(crate) fn hides_ratings(&self, game: GameId) -> bool {
        self.app.tables.delays.hides_ratings(self.user, game, self.now)
    }

    /// Players with rating changes in a pool that are still hidden.
    pub(crate) fn users_with_hidden_changes(&self, pool: &str) -> Vec<UserId> {
        self.app.tables.delays.users_with_hidden_changes(self.user, pool, self.now)
    }

    /// Ratings as this viewer may see them.
    pub(crate) fn ratings(&self) -> VisibleRatings<'_> {
        let Self { app, user, now } = *self;
        VisibleRatings { store: &app.store, delays: &app.tables.delays, viewer: user, now }
    }

    /// Shows a game whose end is still hidden as running. Returns whether it did.
    pub(crate) fn redact(&self, game: &mut GameSummary) -> bool {
        let is_hidden = game.ended_at.is_some_and(|ended| self.hides(game.id, ended));
        if is_hidden {
            redact(game);
        } else if self.hides_ratings(game.id) {
            redact_ratings(game);
        }
        is_hidden
    }
}

/// Removes all that a game's end has added.
pub(crate) fn redact(game: &mut GameSummary) {
    game.status = GameStatus::Running;
    (game.ended_at, game.reason, game.annulled_at) = (None, None, None);
    for player in &mut game.players {
        (player.placement, player.points, player.result) = (None, None, None);
    }
    redact_ratings(game);
}

/// Removes the ratings of the players before and after a game.
pub(crate) fn redact_ratings(game: &mut GameSummary) {
    for player in &mut game.players {
        (player.rating_before, player.rating_after) = (None, None);
    }
}
