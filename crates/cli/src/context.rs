//! What the commands on a database share: its configuration, its store, a runtime.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use kingscross_protocol::Timestamp;
use kingscross_server::config::Config;
use kingscross_storage::{Store, sqlite_file};

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

/// Runs async work to its end.
pub(crate) fn run<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}

/// The system's time.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    Timestamp(i64::try_from(since.as_millis()).expect("before the year 292 million"))
}

/// A moment as people read it: UTC, to the second.
pub(crate) fn moment(at: Timestamp) -> String {
    let seconds = at.0.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Civil date of a day number, by eras of 400 years beginning in March.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_read_as_dates() {
        assert_eq!(moment(Timestamp(0)), "1970-01-01 00:00:00");
        assert_eq!(moment(Timestamp(951_782_400_000)), "2000-02-29 00:00:00");
        assert_eq!(moment(Timestamp(1_795_991_999_999)), "2026-11-29 22:39:59");
        assert_eq!(moment(Timestamp(-1)), "1969-12-31 23:59:59");
    }
}
