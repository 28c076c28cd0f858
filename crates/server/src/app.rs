//! What every handler and task of the server shares.

use std::ops::Deref;
use std::sync::{Arc, Weak};

use kingscross_protocol::BootId;
use kingscross_storage::Store;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::auth::Auth;
use crate::bots::BotThreads;
use crate::clock::Clock;
use crate::config::Config;
use crate::excluded::Excluded;
use crate::lobby::Lobbies;
use crate::matchmaking::Matchmaking;
use crate::sockets::Hub;
use crate::stalls::Stalls;
use crate::table::Answers;
use crate::table::{Chat, Registry};
use crate::ws::Addresses;

/// The state of the server; cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// What an [`App`] is made of.
pub struct Parts {
    /// The configuration.
    pub config: Config,
    /// The database.
    pub store: Store,
    /// Password hashing and the limits of sign-ins.
    pub auth: Auth,
    /// The server's clock.
    pub clock: Clock,
    /// When the server itself stood still.
    pub stalls: Arc<Stalls>,
    /// This start of the server.
    pub boot: BootId,
    /// Who is out.
    pub excluded: Excluded,
    /// All open sockets.
    pub hub: Arc<Hub>,
    /// How many sockets each address has open.
    pub addresses: Arc<Addresses>,
    /// The answers that are given again.
    pub answers: Arc<Answers>,
    /// All running tables.
    pub tables: Arc<Registry>,
    /// What is said at tables, to be kept.
    pub chat: Chat,
    /// The way to the lobbies.
    pub lobbies: Lobbies,
    /// The way to the queue.
    pub queue: Matchmaking,
    /// Permits for the analyses of positions.
    pub analyses: Semaphore,
    /// Where bots think.
    pub searches: BotThreads,
    /// Every task of the server.
    pub tracker: TaskTracker,
    /// Set when the server is to stop.
    pub stop: CancellationToken,
}

impl App {
    /// Shares the parts.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// For what must not keep the server alive, such as what the hub calls.
    pub fn downgrade(&self) -> WeakApp {
        WeakApp(Arc::downgrade(&self.0))
    }
}

/// An [`App`] that may be gone.
pub struct WeakApp(Weak<Parts>);

impl WeakApp {
    /// The app, if it still is.
    pub fn upgrade(&self) -> Option<App> {
        self.0.upgrade().map(App)
    }
}

impl Deref for App {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}
