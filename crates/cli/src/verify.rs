//! `kingscross verify` and `kingscross rebuild-ratings`

use std::path::Path;

use anyhow::{Result, bail};
use kingscross_server::admin::Desk;
use kingscross_server::ratings::Pool;
use kingscross_server::verify::verify;

use crate::context::{now, on_database};

/// Replays every stored game and computes every rating anew; fails when anything differs from what is stored.
pub(crate) fn run(file: Option<&Path>, database: Option<String>) -> Result<()> {
    on_database(file, database, async |config, store| {
        let report = verify(store, config, |games| eprint!("\r{games} games")).await?;
        eprintln!();
        report.faults.iter().for_each(|fault| println!("{fault}"));
        let (games, events, rated) = (report.games, report.events, report.rated);
        println!("{games} games with {events} events replayed, {rated} of them rated anew");
        match report.faults.len() {
            0 => Ok(()),
            1 => bail!("1 fault"),
            many => bail!("{many} faults"),
        }
    })
}

/// Computes all ratings anew from the results and writes them. Stop the server first.
pub(crate) fn rebuild(file: Option<&Path>, database: Option<String>) -> Result<()> {
    on_database(file, database, async |_, store| {
        let desk = Desk { store, actor: None, now: now() };
        for pool in Pool::all() {
            let differences = desk.rebuild(pool).await?;
            println!("{pool}: {differences} differences to what was stored");
        }
        Ok(())
    })
}
