//! The binary `kingscross`: without a command it serves.

mod arena;
mod config;
mod engine;
mod load;
mod perft;
mod serve;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A server for four-player chess and its relatives.
#[derive(Debug, Parser)]
#[command(name = "kingscross", version, about, propagate_version = true)]
struct Cli {
    /// A configuration file; `kingscross config` prints every option.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where games are kept: a file for SQLite, or postgres://user@host/name [default: kingscross.db].
    #[arg(long, global = true, value_name = "FILE|URL")]
    database: Option<String>,
    #[command(flatten)]
    serve: serve::Args,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve games (the default).
    Serve(serve::Args),
    /// Print the configuration that results from all sources.
    Config(config::Args),
    /// Answer JSON lines about the rules on stdin and stdout.
    Engine,
    /// Count the sequences of so many plies from a game's start.
    Perft(perft::Args),
    /// Let bots play each other, every pair from all seats, and count the results.
    Arena(arena::Arena),
    /// Play real games against a running server, check every answer, and measure.
    Load(load::LoadArgs),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        None => serve::run(cli.config.as_deref(), cli.database, cli.serve),
        Some(Command::Serve(args)) => serve::run(cli.config.as_deref(), cli.database, args.or(cli.serve)),
        Some(Command::Config(args)) => config::run(cli.config.as_deref(), cli.database, &args),
        Some(Command::Engine) => engine::run(),
        Some(Command::Perft(args)) => {
            perft::run(&args);
            Ok(())
        }
        Some(Command::Arena(arena)) => arena.run(&mut std::io::stdout().lock()),
        Some(Command::Load(args)) => load::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kingscross: {error:#}");
            ExitCode::FAILURE
        }
    }
}
