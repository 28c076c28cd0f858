//! Games that the server starts itself between bots: its own levels, and programs that come over the WebSocket.

use std::time::Duration;

use kingscross_engine::Variant;
use kingscross_protocol::{Ending, TimeControl, UserId};
use kingscross_storage::{Fault, NameError, NewUser, Token, UserKind};
use uuid::Uuid;

use crate::app::App;
use crate::auth::{BadName, Name};
use crate::auth::{Secret, TOKEN_PREFIX};
use crate::table::{NewGame, Seated, StartError};

/// Between two looks for a program that has not come yet.
const PAUSE: Duration = Duration::from_millis(100);

/// Why an arena cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// No account can have the name.
    #[error(transparent)]
    Name(#[from] BadName),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
    /// The account could not be made.
    #[error(transparent)]
    Account(#[from] NameError),
    /// The system has no random bytes for a token.
    #[error("the system gives no random bytes")]
    NoRandomness,
    /// A game did not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The server stops.
    #[error("the server is stopping")]
    Stopping,
}

/// A program that takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its account.
    pub user: UserId,
    /// The name shown.
    pub name: String,
    /// The secret of the token by which it signs in: nothing but this tells it.
    pub token: String,
    id: Uuid,
}

/// The games of an arena on a running server.
#[derive(Clone)]
pub struct Arena(App);

impl Arena {
    pub(crate) fn new(app: App) -> Self {
        Self(app)
    }

    /// Gives a program the account of that name, which is made if there is none, and a fresh token to play by.
    ///
    /// # Errors
    /// If no account can have the name, or storage fails.
    pub async fn enrol(&self, name: &str) -> Result<Program, ArenaError> {
        let (app, name) = (&self.0, Name::new(name)?);
        let user = match app.store.find_user_by_name(name.key().as_str()).await? {
            Some(user) => user.id,
            None => {
                let id = UserId::fresh();
                let account = NewUser {
                    id,
                    name_key: Some(name.key().as_str().to_owned()),
                    name: name.as_str().to_owned(),
                    kind: UserKind::Account,
                    // Nobody can sign in as it but by the token.
                    password_hash: None,
                    created_at: app.clock.now(),
                };
                app.store.create_user(&account).await?;
                id
            }
        };
        let secret = Secret::fresh().map_err(|_| ArenaError::NoRandomness)?;
        let token = Token {
            id: Uuid::now_v7(),
            token_hash: secret.key().0.to_vec(),
            user,
            name: "arena".to_owned(),
            scopes: ["read", "play"].map(str::to_owned).to_vec(),
            created_at: app.clock.now(),
            last_used_at: None,
            revoked_at: None,
        };
        app.store.create_token(&token).await?;
        let (id, token) = (token.id, format!("{TOKEN_PREFIX}{}", secret.reveal()));
        Ok(Program { user, name: name.as_str().to_owned(), token, id })
    }

    /// Takes the token of a program back.
    ///
    /// # Errors
    /// If storage fails.
    pub async fn dismiss(&self, program: &Program) -> Result<(), ArenaError> {
        self.0.store.revoke_token(program.user, program.id, self.0.clock.now()).await?;
        Ok(())
    }

    /// Waits until a program is connected.
    ///
    /// # Errors
    /// If the server stops.
    pub async fn arrival(&self, user: UserId) -> Result<(), ArenaError> {
        while !self.0.hub.is_connected(user) {
            let pause = self.0.stop.run_until_cancelled(tokio::time::sleep(PAUSE));
            pause.await.ok_or(ArenaError::Stopping)?;
        }
        Ok(())
    }

    /// Plays a casual game to its end; `None` if it was broken off without a result.
    ///
    /// # Errors
    /// If it does not start, storage fails, or the server stops.
    pub async fn play(
        &self,
        variant: Variant,
        time: TimeControl,
        players: Vec<Seated>,
    ) -> Result<Option<Ending>, ArenaError> {
        let app = &self.0;
        let new = NewGame::casual(variant, time, players);
        let id = app.tables.start(app, new).await?;
        if let Some(table) = app.tables.find(id) {
            app.stop.run_until_cancelled(table.ended()).await.ok_or(ArenaError::Stopping)?;
        }
        let game = app.store.find_game(id).await?;
        Ok(game.and_then(|game| serde_json::from_str(&game.result?).ok()))
    }
}
