//! What every handler and task of the server shares.

use std::ops::Deref;
use std::sync::Arc;

use kingscross_protocol::BootId;
use kingscross_storage::Store;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::auth::Auth;
use crate::clock::Clock;
use crate::config::Config;
use crate::hub::Hub;

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
    /// This start of the server.
    pub boot: BootId,
    /// All open sockets.
    pub hub: Arc<Hub>,
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
}

impl Deref for App {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}
