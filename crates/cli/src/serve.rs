//! `kingscross serve`

use std::path::Path;

use anyhow::{Context, Result};
use kingscross_server::clock::Clock;
use kingscross_server::config::{Config, Overrides};
use kingscross_storage::Store;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::logs;

/// Options of `serve`, for those who need no configuration file.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Address and port to listen on [default: 127.0.0.1:8080].
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
}

impl Args {
    /// These options, and where they say nothing the others.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { listen: self.listen.or(other.listen) }
    }
}

/// Serves until a signal ends it.
pub(crate) fn run(file: Option<&Path>, database: Option<String>, args: Args) -> Result<()> {
    let mut overrides = Overrides::default();
    overrides.server.listen = args.listen;
    overrides.database.url = database;
    let config = Config::load(file, &overrides)?;
    logs::start(&config.log)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(config))
}

async fn serve(config: Config) -> Result<()> {
    let stop = CancellationToken::new();
    // Heard from the beginning: a signal during the start must not be lost.
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    // Addresses first: a start that fails on a taken port must leave no database behind.
    let listener = bind(&config.server.listen, "--listen").await?;
    if !config.metrics.listen.is_empty() {
        drop(bind(&config.metrics.listen, "metrics.listen").await?);
    }
    let store = Store::open(&config.database.url, config.storage()).await?;
    println!("Kingscross is ready: {}", address(&config, &listener)?);

    let token = stop.clone();
    tokio::spawn(async move {
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        tracing::info!("stopping; a second signal ends at once");
        token.cancel();
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        std::process::exit(1);
    });

    kingscross_server::serve(config, store.clone(), Clock::system(), listener, stop).await?;
    store.close().await;
    Ok(())
}

/// Listens on an address that `option` names.
async fn bind(address: &str, option: &str) -> Result<TcpListener> {
    let listener = TcpListener::bind(address).await;
    listener.with_context(|| format!("cannot listen on {address}; {option} names another address"))
}

/// The address to open in a browser.
fn address(config: &Config, listener: &TcpListener) -> Result<String> {
    if !config.server.public_url.is_empty() {
        return Ok(config.server.public_url.clone());
    }
    let bound = listener.local_addr()?;
    let host = if bound.ip().is_unspecified() { "127.0.0.1".to_owned() } else { bound.ip().to_string() };
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    Ok(format!("http://{host}:{}/", bound.port()))
}
