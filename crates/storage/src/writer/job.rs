//! What the writer is asked to store.

use std::fmt;
use std::sync::Arc;

use kingscross_protocol::{CommandId, GameId, LobbyId, Seq, Timestamp, UserId};
use tokio::sync::oneshot;

use crate::dodges::Dodge;
use crate::enums::{GameStatus, PlayerResult};
use crate::ratings::StoredRating;

/// Whose command made an event. Unique in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commanded {
    /// Who commanded.
    pub user: UserId,
    /// The client's name for the command.
    pub command: CommandId,
}

/// An event to append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// Its place in the game, from 1. Whoever appends the same place later loses.
    pub seq: Seq,
    /// Set on the first event that a command makes, so that a resend finds it.
    pub commanded: Option<Commanded>,
    /// When it happened.
    pub at: Timestamp,
    /// The hash of the position after it.
    pub hash: u64,
    /// The event as JSON.
    pub body: String,
}

/// Events of one game, stored together or not at all.
#[derive(Clone, Debug)]
pub struct Append {
    /// Which game.
    pub game: GameId,
    /// In order; may be empty when there is a finish.
    pub events: Vec<NewEvent>,
    /// Ends the game.
    pub finish: Option<Finish>,
    /// After the end: whether something is still to follow, a rematch that is asked for or agreed on, or the other game
    /// of the match. None where that does not change.
    pub follow_up_pending: Option<bool>,
}

/// A game to create. It is running from then on.
#[derive(Clone, Debug)]
pub struct NewGame {
    /// Made by the caller.
    pub id: GameId,
    /// Which rules.
    pub variant: String,
    /// A short key such as `300+3`.
    pub time_control: String,
    /// The whole time control as JSON.
    pub time_control_json: String,
    /// Whether it counts.
    pub is_rated: bool,
    /// Now.
    pub created_at: Timestamp,
    /// When the first clock runs, if that is known.
    pub started_at: Option<Timestamp>,
    /// What a table needs to start, as JSON.
    pub setup: String,
    /// Where it came from.
    pub lobby: Option<LobbyId>,
    /// Of which game it is the rematch.
    pub rematch_of: Option<GameId>,
    /// One for each seat.
    pub players: Vec<NewPlayer>,
    /// Its first events.
    pub events: Vec<NewEvent>,
    /// A lobby that is deleted with it.
    pub close_lobby: Option<LobbyId>,
    /// Players whose matchmaking tickets are deleted with it.
    pub close_tickets: Vec<UserId>,
}

/// A player of a game to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPlayer {
    /// The seat's letter.
    pub seat: String,
    /// Who; no user sits twice, so bots that a host seats have none.
    pub user: Option<UserId>,
    /// The name at the time.
    pub name: String,
    /// Whether a program plays.
    pub is_bot: bool,
    /// The level of a bot that the host seated.
    pub bot_level: Option<String>,
}

/// The end of a game.
#[derive(Clone, Debug)]
pub struct Finish {
    /// Finished or aborted.
    pub status: GameStatus,
    /// When.
    pub at: Timestamp,
    /// Until when it is hidden from spectators; `None` if it never is.
    pub hidden_until: Option<Timestamp>,
    /// Why, as a word.
    pub reason: String,
    /// The result as JSON.
    pub result: String,
    /// How many moves were played.
    pub ply_count: u32,
    /// Who captured and attacked whom, as JSON.
    pub statistics: Option<String>,
    /// What became of each seat; those not named keep nothing.
    pub players: Vec<FinishedPlayer>,
    /// Set when the result changes ratings.
    pub rating: Option<RatingTask>,
    /// Set when the game ends because a player never began.
    pub dodge: Option<Dodge>,
}

/// The end of a game for one seat.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedPlayer {
    /// The seat's letter.
    pub seat: String,
    /// The place, from 1; shared by ties.
    pub placement: Option<u32>,
    /// What the game counts.
    pub points: Option<f64>,
    /// Win, draw or loss.
    pub result: Option<PlayerResult>,
}

/// Computes new ratings from the current ones; absent for who has none yet. Must always answer the same, since a
/// batch that failed is written again. Runs inside the transaction: be quick.
pub type Rate = Arc<dyn Fn(&[(UserId, Option<StoredRating>)]) -> Vec<RatingChange> + Send + Sync>;

/// Ratings to change with a result, in the same transaction.
#[derive(Clone)]
pub struct RatingTask {
    /// In which pool.
    pub pool: String,
    /// Whose.
    pub users: Vec<UserId>,
    /// From the current ratings, in the order of `users`, to the changes.
    pub rate: Rate,
}

impl fmt::Debug for RatingTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RatingTask")
            .field("pool", &self.pool)
            .field("users", &self.users)
            .finish_non_exhaustive()
    }
}

/// What one game did to one player's rating. Exactly one for each game and player.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingChange {
    /// Whose.
    pub user: UserId,
    /// What the new rating was computed from: the stored one, or the start.
    pub before: StoredRating,
    /// The new rating; its `games` numbers the change.
    pub after: StoredRating,
    /// The arithmetic pair by pair, as JSON.
    pub pairs: String,
}

/// What was stored beside the events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Appended {
    /// The rating changes of a finish.
    pub rating_changes: Vec<RatingChange>,
}

/// Why nothing is known to be stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// Another writer was first: the seq, the command, the game's id or its end is stored already. Nothing of this
    /// append was stored.
    #[error("another writer was first")]
    Conflict,
    /// The rows break the schema; asking again cannot help. Nothing was stored.
    #[error("the append is invalid: {0}")]
    Invalid(String),
    /// The database did not confirm in time. It may have been stored: reload from the log before going on.
    #[error("storage is unavailable")]
    Unavailable,
}

/// One caller's request, in the queue.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) game: GameId,
    pub(super) create: Option<Box<NewGame>>,
    pub(super) events: Vec<NewEvent>,
    pub(super) finish: Option<Box<Finish>>,
    pub(super) follow_up_pending: Option<bool>,
    pub(super) reply: oneshot::Sender<Result<Appended, AppendError>>,
}
