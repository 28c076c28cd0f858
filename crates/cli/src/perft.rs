//! `kingscross perft`

use kingscross_engine::{Game, Variant, perft};

/// What is counted.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// crossfire, kingdoms, quaternity, cross-a or cross-b.
    variant: Variant,
    /// The number of plies.
    depth: u32,
}

/// Prints the number of sequences of so many plies.
pub(crate) fn run(args: &Args) {
    println!("{}", perft(&Game::new(args.variant), args.depth));
}
