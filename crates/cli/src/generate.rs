//! `kingscross generate`

use std::time::Instant;

use anyhow::Result;
use kingscross_protocol::Timestamp;
use kingscross_server::{Generate, generate};

use crate::context::{open_alone, run as block_on};
use crate::output::{note, say};
use crate::sources::Sources;

/// Games between two lines of progress.
const REPORT: u64 = 50_000;

/// How many games, and which. They replay and verify like any others; the same values give the same games.
#[derive(Debug, clap::Args)]
pub(crate) struct GenerateArgs {
    /// How many games.
    #[arg(long, default_value_t = 1_000_000)]
    games: u64,
    /// How many accounts play them; a few play most of them.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(4..=1_000_000))]
    players: u32,
    /// Another number gives other games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// In 2017: a million games, five minutes apart, end in 2027.
const FROM: Timestamp = Timestamp(1_500_000_000_000);

pub(crate) fn run(sources: &Sources, args: &GenerateArgs) -> Result<()> {
    let config = sources.load()?;
    let what = Generate { games: args.games, players: args.players, seed: args.seed, from: FROM };
    block_on(async {
        let store = open_alone(&config.database.url, config.storage()).await?;
        let begun = Instant::now();
        let done = generate(&store, &config, what, |games| {
            if games.is_multiple_of(REPORT) {
                note!("{games} games, {:.0?}", begun.elapsed());
            }
        })
        .await;
        store.close().await;
        done?;
        Ok(say!("generated {} games of {} players in {:.0?}", args.games, args.players, begun.elapsed())?)
    })
}
