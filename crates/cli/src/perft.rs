//! `kingscross perft`

use std::time::Instant;

use anyhow::{Result, ensure};
use kingscross_engine::{DEEPEST_PERFT, Game, Variant, perft};

use crate::output::{note, say};

/// What is counted.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// crossfire, kingdoms, quaternity, cross-a or cross-b.
    variant: Variant,
    /// The number of plies, as deep as `engine` counts.
    depth: u32,
}

/// Prints the number of sequences of so many plies, and on standard error how fast they were counted.
pub(crate) fn run(args: &Args) -> Result<()> {
    ensure!(args.depth <= DEEPEST_PERFT, "`depth` is more than {DEEPEST_PERFT}");
    let game = Game::new(args.variant);
    let begun = Instant::now();
    let nodes = perft(&game, args.depth);
    let seconds = begun.elapsed().as_secs_f64();
    say!("{nodes}")?;
    note!("{:.3} s, {:.1} million nodes a second", seconds, nodes as f64 / seconds / 1e6);
    Ok(())
}
