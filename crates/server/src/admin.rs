//! What administrators do; each act is written to the audit log. Used by the command line, too: a running server follows
//! the log and closes the sockets and tables that an act concerns.

use std::sync::Arc;

use kingscross_protocol::{AbortCause, AuditAction, Event, GameId, Role, Timestamp, UserId};
use kingscross_storage::{
    Append, AppendError, AuditEntry, Fault, Finish, GameStatus, LoadedGame, NewEvent, Store, User,
};
use kingscross_table::{BadRecord, Logged, Seed, replay};
use uuid::Uuid;

use crate::archive::hidden_until;
use crate::auth::NameKey;
use crate::config::Config;
use crate::ratings::{self, Pool, RebuildError};

/// How often writing the end of a running game is tried.
const TRIES: u32 = 10;

/// Why an act was not done.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
    /// No player has this id or name.
    #[error("there is no player {0}")]
    NoUser(String),
    /// No game has this id.
    #[error("there is no game {0}")]
    NoGame(GameId),
    /// The game has ended already.
    #[error("game {0} has ended")]
    Ended(GameId),
    /// The game has not ended, or is annulled (or not annulled) already.
    #[error("nothing to change: {0}")]
    Unchanged(&'static str),
    /// No report with this id is open.
    #[error("there is no open report {0}")]
    NoReport(Uuid),
    /// A program's games are casual, so an account with ratings cannot become one.
    #[error("{0} is not an account, or has rated games")]
    Rated(String),
    /// The record does not replay.
    #[error(transparent)]
    Record(#[from] BadRecord),
    /// The game went on in the meantime; try again.
    #[error("the game could not be ended: {0}")]
    Append(#[from] AppendError),
    /// The ratings could not be computed anew.
    #[error(transparent)]
    Ratings(#[from] RebuildError),
}

/// Someone who acts: an administrator, or the command line.
#[derive(Clone, Copy)]
pub struct AdminActions<'a> {
    /// The database.
    pub store: &'a Store,
    /// Who acts; none for the command line.
    pub actor: Option<UserId>,
    /// Now.
    pub now: Timestamp,
}

impl AdminActions<'_> {
    /// A player by id or by name.
    pub async fn find(&self, who: &str) -> Result<User, AdminError> {
        let found = match who.parse::<UserId>() {
            Ok(id) => self.store.find_user(id).await?,
            Err(_) => self.store.find_user_by_name(NameKey::of(who).as_str()).await?,
        };
        found.ok_or_else(|| AdminError::NoUser(who.to_owned()))
    }

    /// Bans a player: every session ends, and no new one begins.
    pub async fn ban(&self, who: &str, why: &str) -> Result<User, AdminError> {
        let user = self.find(who).await?;
        self.store.set_banned(user.id, Some(self.now)).await?;
        self.store.revoke_other_sessions(user.id, None).await?;
        self.note(AuditAction::Ban, &user.id, &serde_json::json!({ "why": why })).await?;
        Ok(user)
    }

    /// Lifts a ban.
    pub async fn unban(&self, who: &str) -> Result<User, AdminError> {
        let user = self.find(who).await?;
        self.store.set_banned(user.id, None).await?;
        self.note(AuditAction::Unban, &user.id, &serde_json::json!({})).await?;
        Ok(user)
    }

    /// Gives a role.
    pub async fn grant(&self, who: &str, role: Role) -> Result<User, AdminError> {
        let user = self.find(who).await?;
        self.store.set_role(user.id, role).await?;
        self.note(AuditAction::Grant, &user.id, &serde_json::json!({ "role": role, "before": user.role }))
            .await?;
        Ok(user)
    }

    /// Ends a running game without a result. If a server runs its table, the table notices, tells its players and ends.
    pub async fn end(&self, game: GameId, config: &Config, why: &str) -> Result<(), AdminError> {
        let mut tries = 1;
        while let Err(error) = self.append_end(game, config).await {
            // The game goes on while its end is written; if it was changed meanwhile, try again.
            if tries == TRIES || !matches!(error, AdminError::Append(AppendError::Conflict)) {
                return Err(error);
            }
            tries += 1;
        }
        self.note(AuditAction::End, &game, &serde_json::json!({ "why": why })).await
    }

    async fn append_end(&self, game: GameId, config: &Config) -> Result<(), AdminError> {
        let LoadedGame { game: row, events, .. } =
            self.store.load_game(game).await?.ok_or(AdminError::NoGame(game))?;
        if row.summary.status != GameStatus::Running {
            return Err(AdminError::Ended(game));
        }
        let logged = events.iter().map(|event| Logged { at: event.at, hash: event.hash, body: &event.body });
        let core = replay(Arc::new(config.terms()), Seed([0; 32]), logged, |_, _, _, _| {})?;
        let event = Event::Aborted { cause: AbortCause::Admin };
        let at = events.last().map_or(self.now, |last| self.now.max(last.at));
        let finish = Finish {
            status: GameStatus::Aborted,
            at,
            hidden_until: hidden_until(core.setup(), at),
            reason: "admin".to_owned(),
            result: "null".to_owned(),
            ply_count: core.game().ply(),
            statistics: None,
            players: Vec::new(),
            rating: None,
            dodge: None,
        };
        // If there is no table to start the rest of the match, the next start of the server does it.
        let follow_up_pending = core.setup().other_game.map(|_| true);
        let event = NewEvent {
            seq: core.seq().next(),
            commanded: None,
            at,
            hash: core.hash(),
            body: serde_json::to_string(&event).expect("plain data"),
        };
        self.store
            .writer()
            .append(Append { game, events: vec![event], finish: Some(finish), follow_up_pending })
            .await?;
        Ok(())
    }

    /// Annuls a finished game, or lets it count again, and computes its pool anew.
    pub async fn annul(&self, game: GameId, annulled: bool, why: &str) -> Result<(), AdminError> {
        let row = self.store.find_game(game).await?.ok_or(AdminError::NoGame(game))?;
        if row.summary.status == GameStatus::Running {
            return Err(AdminError::Unchanged("the game is running; end it first"));
        }
        if !self.store.set_annulled(game, annulled.then_some(self.now)).await? {
            return Err(AdminError::Unchanged(if annulled {
                "the game is annulled already"
            } else {
                "the game is not annulled"
            }));
        }
        let action = if annulled { AuditAction::Annul } else { AuditAction::Restore };
        self.note(action, &game, &serde_json::json!({ "why": why })).await?;
        if let Ok(variant) = row.summary.variant.parse() {
            self.rebuild(Pool::of(variant)).await?;
        }
        Ok(())
    }

    /// Computes the ratings of a pool anew and writes them. Returns how many entries were different.
    pub async fn rebuild(&self, pool: Pool) -> Result<usize, AdminError> {
        let rebuilt = loop {
            let rebuilt = ratings::rebuild(self.store, pool).await?;
            if self.store.replace_ratings(pool.id(), &rebuilt.rebuild).await? {
                break rebuilt;
            }
            // A game of the pool has ended meanwhile: once more, including it.
        };
        let detail = serde_json::json!({ "games": rebuilt.games, "differences": rebuilt.differences.len() });
        self.note(AuditAction::RebuildRatings, &pool, &detail).await?;
        Ok(rebuilt.differences.len())
    }

    /// Closes a report with what was done about it.
    pub async fn resolve(&self, report: Uuid, resolution: &str) -> Result<(), AdminError> {
        if !self.store.resolve_report(report, self.actor, resolution, self.now).await? {
            return Err(AdminError::NoReport(report));
        }
        self.note(AuditAction::Resolve, &report, &serde_json::json!({ "resolution": resolution })).await
    }

    /// Marks an account as that of a program: its games are casual from now on.
    pub async fn mark_bot(&self, who: &str) -> Result<User, AdminError> {
        let user = self.find(who).await?;
        if !self.store.mark_bot(user.id).await? {
            return Err(AdminError::Rated(user.name));
        }
        self.note(AuditAction::MarkBot, &user.id, &serde_json::json!({})).await?;
        Ok(user)
    }

    /// Writes a line of the audit log.
    pub(crate) async fn note(
        &self,
        action: AuditAction,
        subject: &(dyn std::fmt::Display + Sync),
        detail: &serde_json::Value,
    ) -> Result<(), AdminError> {
        let entry = AuditEntry {
            at: self.now,
            actor: self.actor,
            action,
            subject: subject.to_string(),
            detail: detail.to_string(),
        };
        self.store.append_audit(&entry).await?;
        Ok(())
    }
}
