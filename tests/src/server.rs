//! A server on a free port, started the only way there is.

use kingscross_server::Clock;
use kingscross_server::config::Config;
use kingscross_server::{ServeError, serve};
use kingscross_storage::Store;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{Database, Http};

/// The password of every account that tests make.
pub const PASSWORD: &str = "four kings, one throne";

/// A running server. Stop it, or the test ends with it running.
pub struct Server {
    /// `http://127.0.0.1:port`
    pub url: String,
    /// Its store, for what no request can do.
    pub store: Store,
    // Keeps the files of a database that nobody else holds.
    _database: Database,
    stop: CancellationToken,
    task: JoinHandle<Result<(), ServeError>>,
}

impl Server {
    /// Starts a server on a database, with limits that no test reaches and quick password hashes.
    pub async fn start(database: &Database) -> Self {
        Self::start_with(database, |_| {}).await
    }

    /// The same with other options.
    pub async fn start_with(database: &Database, change: impl FnOnce(&mut Config)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        Self::start_on(listener, database, change).await
    }

    /// The same with a clock of its own.
    pub async fn start_at(clock: Clock, database: &Database, change: impl FnOnce(&mut Config)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        Self::start_with_all(clock, listener, database, change).await
    }

    /// The same on a listener with options of its own.
    pub async fn start_on(
        listener: TcpListener,
        database: &Database,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        Self::start_with_all(Clock::system(), listener, database, change).await
    }

    async fn start_with_all(
        clock: Clock,
        listener: TcpListener,
        database: &Database,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let mut config = Config::defaults();
        quick_accounts(&mut config);
        // A test that shares its threads with the server may well keep it waiting.
        config.clocks.stall_ms = 60_000;
        config.database.url.clone_from(&database.location);
        change(&mut config);
        let store = database.open().await;
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let stop = CancellationToken::new();
        let task = tokio::spawn(serve(config, store.clone(), clock, listener, stop.clone()));
        Self { url, store, _database: database.clone(), stop, task }
    }

    /// A visitor without a session.
    pub fn visitor(&self) -> Http {
        Http::new(&self.url)
    }

    /// A visitor who has become a guest.
    pub async fn guest(&self) -> Http {
        let mut http = self.visitor();
        assert_eq!(http.post("/api/v1/guest", &serde_json::json!({})).await.status, 201);
        http
    }

    /// Someone with an account of this name; the password is [`PASSWORD`].
    pub async fn account(&self, name: &str) -> Http {
        let mut http = self.visitor();
        let wanted = serde_json::json!({ "name": name, "password": PASSWORD });
        let answer = http.post("/api/v1/accounts", &wanted).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        http
    }

    /// Waits until it ends by itself, and tells why.
    pub async fn ended(self) -> Result<(), ServeError> {
        self.task.await.expect("the server does not panic")
    }

    /// Stops it and waits until everything is stored.
    pub async fn stop(self) {
        self.stop.cancel();
        self.task.await.expect("the server does not panic").expect("the server stops cleanly");
        self.store.close().await;
    }
}

/// Limits of accounts that no test reaches, and quick password hashes.
pub(crate) fn quick_accounts(config: &mut Config) {
    config.accounts.argon2_memory_kib = 64;
    config.accounts.argon2_passes = 1;
    config.accounts.guests_per_address = 1_000_000;
    config.accounts.registrations_per_address = 1_000_000;
    config.accounts.sign_ins_per_address = 1_000_000;
    config.accounts.sign_ins_per_name = 1_000_000;
    config.accounts.sign_ins_by_strangers = 1_000_000;
    config.server.connections_per_address = 1_000_000;
    config.accounts.requests_per_address = 1_000_000;
}

/// Limits of play that no program reaches which plays as fast as it can.
pub fn without_limits(config: &mut Config) {
    config.limits.moves_burst = 1_000_000;
    config.limits.moves_per_second = 1_000_000;
    config.limits.playing_messages = 1_000_000;
    config.limits.watching_messages = 1_000_000;
    config.limits.lobby_messages = 1_000_000;
    config.lobby.max_per_user = 1_000_000;
    config.lobby.max_open = 1_000_000;
    config.tables.max_games_per_user = 1_000_000;
}
