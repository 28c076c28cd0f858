//! `kingscross serve`

use anyhow::{Context, Result};
use kingscross_server::clock::Clock;
use kingscross_server::config::Config;
use kingscross_storage::Store;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::logs;
use crate::output::say;
use crate::sources::Sources;

/// Serves until a signal ends it.
pub(crate) fn run(sources: &Sources) -> Result<()> {
    let config = sources.load()?;
    logs::start(&config.log)?;
    let workers = config.workers(std::thread::available_parallelism()?.get());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build()?;
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
    // A server that nobody listens to at its start serves all the same.
    let _ = say!("Kingscross is ready: {}", address(&config, &listener)?);

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
