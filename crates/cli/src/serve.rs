//! `kingscross serve`

use std::time::{Duration, Instant};

use anyhow::Result;
use kingscross_server::Clock;
use kingscross_server::Listener;
use kingscross_server::Waiting;
use kingscross_server::config::Config;
use kingscross_server::config::misspelt;
use kingscross_storage::{OpenError, Store};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::listen::Listen;
use crate::logs::{self, Choice};
use crate::notify::Manager;
use crate::output::say;
use crate::sources::Sources;

/// How often a database that is not there is tried, and how often that is said.
const TRY_AGAIN: Duration = Duration::from_millis(500);
const SAY_AGAIN: Duration = Duration::from_secs(3);

/// Serves until a signal ends it.
pub(crate) fn run(sources: &Sources) -> Result<()> {
    let config = sources.load()?;
    let choice = logs::start(&config.log)?;
    for sentence in misspelt() {
        tracing::warn!("{sentence}");
    }
    let workers = config.workers(std::thread::available_parallelism()?.get());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build()?;
    runtime.block_on(serve(config, sources.clone(), choice))
}

async fn serve(config: Config, sources: Sources, choice: Choice) -> Result<()> {
    let stop = CancellationToken::new();
    // Heard from the beginning: a signal during the start must not be lost.
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    reload_on_hangup(config.clone(), sources, choice)?;
    // Addresses first: a start that fails on a taken port must leave no database behind.
    let listen = Listen::of(&config.server.listen);
    let listener = listen.bind("--listen").await?;
    if !config.metrics.listen.is_empty() {
        drop(Listen::Tcp(config.metrics.listen.clone()).bind("metrics.listen").await?);
    }
    let manager = Manager::of_the_process();
    let (token, told) = (stop.clone(), manager.clone());
    tokio::spawn(async move {
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        told.stopping();
        tracing::info!("stopping; a second signal ends at once");
        token.cancel();
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        std::process::exit(1);
    });

    let served = open_and_serve(config, listener, &manager, &stop).await;
    listen.clean_up();
    served
}

/// Serves until `stop`, which may come at any moment of the start.
async fn open_and_serve(
    config: Config,
    listener: Listener,
    manager: &Manager,
    stop: &CancellationToken,
) -> Result<()> {
    let Some((store, listener)) = open(&config, listener, stop).await? else { return Ok(()) };
    let address = address(&config, &listener)?;
    let running = tokio::select! {
        biased;
        // Also while games are taken up.
        () = stop.cancelled() => None,
        running = kingscross_server::start(config, store.clone(), Clock::system(), listener, stop.clone()) => {
            Some(running?)
        }
    };
    if let Some(running) = running {
        // A server that nobody listens to at its start serves all the same.
        let _ = say!("Kingscross is ready: {address}");
        manager.ready();
        running.until_stopped().await?;
    }
    store.close().await;
    Ok(())
}

/// Opens the database. One that is not there yet is waited for, in which time the listener answers that the server is
/// not ready. None when the stop came first.
async fn open(
    config: &Config,
    listener: Listener,
    stop: &CancellationToken,
) -> Result<Option<(Store, Listener)>> {
    let error = match attempt(config, stop).await {
        None => return Ok(None),
        Some(Ok(store)) => return Ok(Some((store, listener))),
        Some(Err(error)) => error,
    };
    if !error.may_pass() || config.database.wait_ms == 0 {
        return Err(error.into());
    }
    let address = match &listener {
        Listener::Tcp(listener) => listener.local_addr()?.to_string(),
        Listener::Unix(_) => config.server.listen.clone(),
    };
    let waiting = Waiting::start(listener, error.to_string(), config.server.clone())?;
    let opened = wait(config, &address, &waiting, error, stop).await;
    let listener = waiting.end().await?;
    Ok(opened?.map(|store| (store, listener)))
}

/// Tries to open the database until it is there, its time is up, or something else is wrong with it.
async fn wait(
    config: &Config,
    address: &str,
    waiting: &Waiting,
    mut error: OpenError,
    stop: &CancellationToken,
) -> Result<Option<Store>> {
    let until = Instant::now() + Duration::from_millis(config.database.wait_ms);
    let mut said: Option<Instant> = None;
    while error.may_pass() && Instant::now() < until {
        if said.is_none_or(|at| at.elapsed() >= SAY_AGAIN) {
            tracing::warn!(%address, %error, "the server waits for its database");
            said = Some(Instant::now());
        }
        waiting.tell(error.to_string());
        tokio::select! { () = stop.cancelled() => {} () = tokio::time::sleep(TRY_AGAIN) => {} }
        error = match attempt(config, stop).await {
            None => return Ok(None),
            Some(Ok(store)) => return Ok(Some(store)),
            Some(Err(error)) => error,
        };
    }
    Err(error.into())
}

/// Opens the database, unless the stop comes first.
async fn attempt(config: &Config, stop: &CancellationToken) -> Option<Result<Store, OpenError>> {
    tokio::select! {
        biased;
        () = stop.cancelled() => None,
        opened = Store::open(&config.database.url, config.storage()) => Some(opened),
    }
}

/// On SIGHUP reads the configuration again and takes over what can change while the server runs: the level of the log.
fn reload_on_hangup(mut config: Config, sources: Sources, choice: Choice) -> Result<()> {
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            let read = sources.load().and_then(|read| choice.change(&read.log).map(|()| read));
            let read = match read {
                Ok(read) => read,
                Err(error) => {
                    tracing::error!("SIGHUP: everything stays as it is: {error:#}");
                    continue;
                }
            };
            config.log.level.clone_from(&read.log.level);
            tracing::info!(level = config.log.level, "SIGHUP: the level of the log was read again");
            if config != read {
                tracing::warn!("SIGHUP: other options have changed, and count from the next start on");
            }
        }
    });
    Ok(())
}

/// The address to open in a browser.
fn address(config: &Config, listener: &Listener) -> Result<String> {
    if !config.server.public_url.is_empty() {
        return Ok(config.server.public_url.to_string());
    }
    let Listener::Tcp(listener) = listener else { return Ok(config.server.listen.clone()) };
    let bound = listener.local_addr()?;
    let host = if bound.ip().is_unspecified() { "127.0.0.1".to_owned() } else { bound.ip().to_string() };
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    Ok(format!("http://{host}:{}/", bound.port()))
}
