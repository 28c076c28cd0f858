//! The group-commit writer: what arrives while one transaction is written goes into the next one together.
//!
//! `ok` means durable. A durable transaction costs the same for one row as for a hundred, so one task writes for all
//! games. Callers see handles; the queue and the task stay in here.

mod batch;
mod create;
mod events;
mod finish;
mod job;
mod task;

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::database::Pools;
use crate::hold::Hold;
use crate::open::Options;

use batch::WriterConnection;
pub(crate) use create::{GameRows, insert_rows};
pub(crate) use events::insert_rows as insert_events;
use job::Job;
pub use job::{
    Append, AppendError, Appended, Commanded, Finish, FinishedPlayer, NewEvent, NewGame, NewPlayer, Rate,
    RatingChange, RatingTask,
};

/// A handle on the writer. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Writer {
    jobs: mpsc::Sender<Job>,
    probes: mpsc::Sender<Probe>,
}

/// Asks whether the writer can store anything.
type Probe = oneshot::Sender<Result<(), String>>;

/// Starts the writer's task.
pub(crate) fn start(
    pools: Arc<Pools>,
    hold: Arc<Hold>,
    options: &Options,
    tasks: &TaskTracker,
    stop: CancellationToken,
) -> Writer {
    let (jobs, queue) = mpsc::channel(options.queue_limit);
    let (probes, asked) = mpsc::channel(16);
    tasks.spawn(task::run(WriterConnection::new(pools, hold), queue, asked, options.clone(), stop));
    Writer { jobs, probes }
}

impl Writer {
    /// Appends events to a game and, with a [`Finish`], ends it, in one transaction: durable when this returns `Ok`.
    ///
    /// After [`AppendError::Unavailable`] nobody knows whether it was stored: reload from the log.
    pub async fn append(&self, append: Append) -> Result<Appended, AppendError> {
        let Append { game, events, finish, follow_up_pending } = append;
        self.submit(game, None, events, finish.map(Box::new), follow_up_pending).await
    }

    /// Creates a game with its players and first events, and closes what it came from, in one transaction.
    pub async fn create_game(&self, mut game: NewGame) -> Result<(), AppendError> {
        let (id, events) = (game.id, std::mem::take(&mut game.events));
        self.submit(id, Some(Box::new(game)), events, None, None).await.map(|_| ())
    }

    /// Whether games could be stored now, and if not, why.
    pub(crate) async fn probe(&self) -> Result<(), String> {
        let (reply, answer) = oneshot::channel();
        let ended = || "the writer has ended".to_owned();
        self.probes.send(reply).await.map_err(|_| ended())?;
        answer.await.unwrap_or_else(|_| Err(ended()))
    }

    /// How many appends wait for their transaction.
    pub fn waiting(&self) -> usize {
        self.jobs.max_capacity() - self.jobs.capacity()
    }

    /// Waits until the writer has ended: closed with its store, or by a fault after which nothing can be stored.
    pub async fn ended(&self) {
        self.jobs.closed().await;
    }

    async fn submit(
        &self,
        game: kingscross_protocol::GameId,
        create: Option<Box<NewGame>>,
        events: Vec<NewEvent>,
        finish: Option<Box<Finish>>,
        follow_up_pending: Option<bool>,
    ) -> Result<Appended, AppendError> {
        let (reply, answer) = oneshot::channel();
        let job = Job { game, create, events, finish, follow_up_pending, reply };
        // Either fails only when the writer has stopped; then nothing was stored.
        self.jobs.send(job).await.map_err(|_| AppendError::Unavailable)?;
        answer.await.unwrap_or(Err(AppendError::Unavailable))
    }
}
