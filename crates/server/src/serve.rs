//! The only way into the server, for the binary and for tests.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use kingscross_protocol::{BootId, Timestamp};
use kingscross_storage::{ClaimError, Fault, Holder, Standing, Store};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::{App, Parts};
use crate::arena::Arena;
use crate::auth::Auth;
use crate::bots::BotThreads;
use crate::clock::{Clock, moment};
use crate::config::Config;
use crate::connections::{self, Listener};
use crate::excluded::Excluded;
use crate::lobby::{self, Lobbies};
use crate::matchmaking::{self, Matchmaking};
use crate::stalls::{self, Stalls};
use crate::table::Answers;
use crate::table::{self, Chat, RestoreError};
use crate::{assets, http, metrics, upkeep, ws};

/// Why the server could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A listener failed.
    #[error("cannot accept connections: {0}")]
    Listener(#[from] std::io::Error),
    /// The stored games cannot be read.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// The stored lobbies cannot be read.
    #[error(transparent)]
    Storage(#[from] Fault),
    /// Another server has the database.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// Another server took the database while this one could not reach it.
    #[error("the database is lost: {0}")]
    Lost(String),
    /// The task that writes games has ended, and nothing can be stored any more.
    #[error("the writer of games has ended; nothing can be stored any more")]
    Writer,
    /// The costs of password hashes cannot be used.
    #[error("[accounts]: {0}")]
    Auth(#[from] crate::auth::password::HashFault),
}

/// Serves until `stop` is set, then ends all tasks within the configured time.
pub async fn serve(
    config: Config,
    store: Store,
    clock: Clock,
    listener: impl Into<Listener>,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    start(config, store, clock, listener, stop).await?.until_stopped().await
}

/// A server that accepts connections.
#[must_use = "a server that is not waited for is not ended in order"]
pub struct Running(App);

/// Takes up what is stored and begins to serve, until `stop` is set.
pub async fn start(
    config: Config,
    store: Store,
    clock: Clock,
    listener: impl Into<Listener>,
    stop: CancellationToken,
) -> Result<Running, ServeError> {
    // First of all: two servers that take up the same games would both deal in them.
    store.claim(&holder(clock.now())).await?;
    let clock = match store.newest_of_what_runs().await? {
        Some(newest) => clock.not_before(newest),
        None => clock,
    };
    let auth = Auth::new(&config.accounts, clock)?;
    let (lobbies, lobby_inbox) = Lobbies::new();
    let (queue, queue_inbox) = Matchmaking::new();
    let (chat, chat_inbox) = Chat::new();
    let app = App::new(Parts {
        searches: BotThreads::start(config.bots.searches)?,
        answers: Arc::new(Answers::new(&config.limits)),
        store,
        auth,
        stalls: Arc::new(Stalls::new(clock, Duration::from_millis(config.clocks.stall_ms))),
        clock,
        boot: BootId::fresh(),
        config,
        excluded: Excluded::default(),
        hub: Arc::default(),
        addresses: Arc::default(),
        tables: Arc::default(),
        chat,
        lobbies,
        queue,
        analyses: Semaphore::new(1),
        tracker: TaskTracker::new(),
        stop: stop.clone(),
    });
    listen_to_presence(&app);
    let restored = app.tables.restore(&app).await?;
    lobby::start(&app, lobby_inbox).await?;
    matchmaking::start(&app, queue_inbox).await.map_err(RestoreError::Storage)?;
    app.tables.restore_ended(&app).await?;
    app.tracker.spawn(table::keep_chat(app.clone(), chat_inbox));
    watch_over(&app).await?;
    if restored > 0 {
        tracing::info!(games = restored, "games go on");
    }
    let (server, tracker) = (app.config.server.clone(), app.tracker.clone());
    app.tracker.spawn(connections::accept(
        listener.into(),
        router(&app),
        server,
        app.stalls.clone(),
        tracker,
        stop,
    ));
    Ok(Running(app))
}

/// Starts what looks after the server itself: stalls, upkeep, its standing with the database, metrics.
async fn watch_over(app: &App) -> Result<(), ServeError> {
    app.tracker.spawn(stalls::watch(app.clone()));
    app.tracker.spawn(upkeep::run(app.clone()));
    app.tracker.spawn(upkeep::follow_standing(app.clone()));
    if !app.config.metrics.listen.is_empty() {
        metrics::start(app, TcpListener::bind(&app.config.metrics.listen).await?);
    }
    Ok(())
}

/// Every route: health, the API with its WebSocket, and the client.
fn router(app: &App) -> Router {
    Router::new()
        .merge(http::health())
        .nest("/api/v1", http::router(app).merge(ws::router()))
        .fallback_service(assets::router::<()>(app.config.server.public_url.path()))
        .with_state(app.clone())
}

impl Running {
    /// Games between bots on this server.
    pub fn arena(&self) -> Arena {
        Arena::new(self.0.clone())
    }

    /// Waits for the stop, then ends all tasks within the configured time.
    pub async fn until_stopped(self) -> Result<(), ServeError> {
        let Self(app) = self;
        let (writer, stop, mut standing) = (app.store.writer(), app.stop.clone(), app.store.standing());
        let ended = tokio::select! {
            biased;
            () = stop.cancelled() => Ok(()),
            // Every game would stand still for ever: better to end, and to be started again.
            () = writer.ended() => Err(ServeError::Writer),
            why = lost(&mut standing) => Err(ServeError::Lost(why)),
        };
        stop.cancel();
        app.hub.stop();
        app.tracker.close();
        let limit = Duration::from_millis(app.config.server.stop_ms);
        if tokio::time::timeout(limit, app.tracker.wait()).await.is_err() {
            tracing::warn!("some tasks did not end in time");
        }
        ended
    }
}

/// This process, as another one is told that wants its database.
pub fn holder(now: Timestamp) -> Holder {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "an unknown host" } else { host.trim() };
    let name = format!("process {} on {host}", std::process::id());
    Holder { name, since: format!("{} UTC", moment(now)) }
}

/// Waits until another server has the database, and tells which.
async fn lost(standing: &mut watch::Receiver<Standing>) -> String {
    loop {
        if let Standing::Lost(why) = &*standing.borrow_and_update() {
            return why.clone();
        }
        if standing.changed().await.is_err() {
            // The store is gone, and the writer with it.
            std::future::pending::<()>().await;
        }
    }
}

/// Tables and lobbies look again whenever someone comes or goes.
fn listen_to_presence(app: &App) {
    let (tables, weak) = (Arc::downgrade(&app.tables), app.downgrade());
    app.hub.listen(vec![
        Box::new(move |user| {
            if let Some(tables) = tables.upgrade() {
                tables.presence_changed(user);
            }
        }),
        Box::new(move |user| {
            if let Some(app) = weak.upgrade() {
                app.lobbies.presence_changed(user);
                app.queue.presence_changed(user);
            }
        }),
    ]);
}
