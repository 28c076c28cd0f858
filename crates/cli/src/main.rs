//! The program `kingscross`.

mod load;

use clap::{Parser, Subcommand};

/// An authoritative server for four-player chess.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play real games against a running server, check every answer, and measure.
    Load(load::LoadArgs),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Load(args) => load::run(&args),
    }
}
