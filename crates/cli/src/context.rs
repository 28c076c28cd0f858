//! What the commands on a database share: its configuration, its store, a runtime.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use kingscross_protocol::Timestamp;
use kingscross_server::config::Config;
pub(crate) use kingscross_server::moment;
use kingscross_storage::{Options, Store, sqlite_file};

use crate::sources::Sources;

/// Runs work on the database, which is closed afterwards whatever comes of it. A SQLite file is not made by it.
pub(crate) fn on_database<T>(
    sources: &Sources,
    work: impl AsyncFnOnce(&Config, &Store) -> Result<T>,
) -> Result<T> {
    let config = sources.load()?;
    let url = &config.database.url;
    if sqlite_file(url).is_some_and(|file| !file.exists()) {
        anyhow::bail!("there is no database {url}");
    }
    run(async {
        let store = Store::open(url, config.storage()).await?;
        let done = work(&config, &store).await;
        store.close().await;
        done
    })
}

/// The same for work that rewrites what a running server keeps in memory: refused while one uses the database.
pub(crate) fn alone_on_database<T>(
    sources: &Sources,
    work: impl AsyncFnOnce(&Config, &Store) -> Result<T>,
) -> Result<T> {
    on_database(sources, async |config, store| {
        store.claim(&kingscross_server::holder(now())).await?;
        work(config, store).await
    })
}

/// Opens a database to fill it, made where it is absent; no server may use it meanwhile.
pub(crate) async fn open_alone(url: &str, options: Options) -> Result<Store> {
    let store = Store::open(url, options).await?;
    if let Err(error) = store.claim(&kingscross_server::holder(now())).await {
        store.close().await;
        return Err(error.into());
    }
    Ok(store)
}

/// Runs async work to its end.
pub(crate) fn run<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}

/// The system's time.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    Timestamp(i64::try_from(since.as_millis()).expect("before the year 292 million"))
}
