//! The binary `kingscross`: without a command it serves.

mod admin;
mod arena;
mod config;
mod context;
mod copies;
mod doctor;
mod engine;
mod exchange;
mod generate;
mod health;
mod load;
mod logs;
mod perft;
mod serve;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    /// List, ban, end, annul, grant.
    #[command(subcommand)]
    Admin(admin::Act),
    /// Replay every stored game and check hashes, clocks, results and ratings.
    Verify,
    /// Compute all ratings anew from the results.
    RebuildRatings,
    /// Copy the whole database into a new file, while a server may be running.
    Backup(copies::File),
    /// Read a backup into an empty database.
    Restore(copies::File),
    /// Write every row of the database as a line of JSON.
    ExportAll(copies::File),
    /// Read what `export-all` wrote into an empty database.
    ImportAll(copies::File),
    /// Write a game or position in a format of other programs.
    Export(exchange::ExportArgs),
    /// Read a game or position of another program, replay it, and write it as ours.
    Import(exchange::ImportArgs),
    /// Fill an empty database with games that nobody played, to measure with.
    Generate(generate::GenerateArgs),
    /// Ask the server of this configuration whether it is ready.
    Health,
    /// Look at everything that a server needs.
    Doctor,
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
        Some(Command::Arena(arena)) => arena.run(cli.config.as_deref(), cli.database, &mut std::io::stdout()),
        Some(Command::Admin(act)) => admin::run(cli.config.as_deref(), cli.database, act),
        Some(Command::Verify) => verify::run(cli.config.as_deref(), cli.database),
        Some(Command::RebuildRatings) => verify::rebuild(cli.config.as_deref(), cli.database),
        Some(Command::Backup(args)) => copies::backup(cli.config.as_deref(), cli.database, &args),
        Some(Command::Restore(args)) => copies::restore(cli.config.as_deref(), cli.database, &args),
        Some(Command::ExportAll(args)) => copies::export(cli.config.as_deref(), cli.database, &args),
        Some(Command::ImportAll(args)) => copies::import(cli.config.as_deref(), cli.database, &args),
        Some(Command::Export(args)) => exchange::export(cli.config.as_deref(), cli.database, &args),
        Some(Command::Import(args)) => exchange::import(&args),
        Some(Command::Generate(args)) => generate::run(cli.config.as_deref(), cli.database, &args),
        Some(Command::Health) => health::run(cli.config.as_deref()),
        Some(Command::Doctor) => doctor::doctor(cli.config.as_deref(), cli.database),
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
