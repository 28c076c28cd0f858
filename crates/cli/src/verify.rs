//! `kingscross verify` and `kingscross rebuild-ratings`

use anyhow::{Result, bail};
use kingscross_server::AdminActions;
use kingscross_server::ratings::Pool;
use kingscross_server::verify;

use crate::context::{alone_on_database, now, on_database};
use crate::output::{aside, note, say};
use crate::sources::Sources;

/// Replays every stored game and computes every rating anew; fails when anything differs from what is stored.
pub(crate) fn run(sources: &Sources) -> Result<()> {
    on_database(sources, async |config, store| {
        let report = verify(store, config, |games| aside(format_args!("\r{games} games"))).await?;
        note!();
        for fault in &report.faults {
            say!("{fault}")?;
        }
        let (games, events, rated) = (report.games, report.events, report.rated);
        say!("{games} games with {events} events replayed, {rated} of them rated anew")?;
        match report.faults.len() {
            0 => Ok(()),
            1 => bail!("1 fault"),
            many => bail!("{many} faults"),
        }
    })
}

/// Computes all ratings anew from the results and writes them; refused while a server uses the database.
pub(crate) fn rebuild(sources: &Sources) -> Result<()> {
    alone_on_database(sources, async |_, store| {
        let actions = AdminActions { store, actor: None, now: now() };
        let mut lines = Vec::new();
        for pool in Pool::all() {
            let differences = actions.rebuild(pool).await?;
            lines.push(format!("{pool}: {differences} differences to what was stored"));
        }
        // Only now: all pools are computed, whether or not anyone reads this.
        Ok(say!("{}", lines.join("\n"))?)
    })
}
