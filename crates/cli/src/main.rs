//! The binary `kingscross`: without a command it serves.

// These panic when nobody reads; `output` does not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod admin;
mod arena;
mod backup;
mod config;
mod context;
mod convert;
mod doctor;
mod engine;
mod generate;
mod health;
mod listen;
mod load;
mod logs;
mod notify;
mod output;
mod perft;
mod serve;
mod sources;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use output::{Output, note};
use sources::Sources;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A server for four-player chess and its relatives.
#[derive(Debug, Parser)]
#[command(name = "kingscross", version, about, propagate_version = true)]
struct Cli {
    #[command(flatten)]
    sources: Sources,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve games (the default).
    Serve,
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
    Backup(backup::File),
    /// Read a backup into an empty database.
    Restore(backup::File),
    /// Write every row of the database as a line of JSON.
    ExportAll(backup::File),
    /// Read what `export-all` wrote into an empty database.
    ImportAll(backup::File),
    /// Write a game or position in a format of other programs.
    Export(convert::ExportArgs),
    /// Read a game or position of another program, replay it, and write it as ours.
    Import(convert::ImportArgs),
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
    let matches = sources::hide_unused(Cli::command()).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let checked = cli.sources.check(matches.subcommand_name().unwrap_or("serve"));
    checked.unwrap_or_else(|error| error.exit());
    match run(cli.command.unwrap_or(Command::Serve), &cli.sources) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_reader_gone(&error) => ExitCode::from(output::STATUS),
        Err(error) => {
            note!("kingscross: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command, sources: &Sources) -> anyhow::Result<()> {
    match command {
        Command::Serve => serve::run(sources),
        Command::Config(args) => config::run(sources, &args),
        Command::Engine => engine::run(),
        Command::Perft(args) => perft::run(&args),
        Command::Arena(arena) => arena.run(sources, &mut Output),
        Command::Admin(act) => admin::run(sources, act),
        Command::Verify => verify::run(sources),
        Command::RebuildRatings => verify::rebuild(sources),
        Command::Backup(args) => backup::backup(sources, &args),
        Command::Restore(args) => backup::restore(sources, &args),
        Command::ExportAll(args) => backup::export(sources, &args),
        Command::ImportAll(args) => backup::import(sources, &args),
        Command::Export(args) => convert::export(sources, &args),
        Command::Import(args) => convert::import(&args),
        Command::Generate(args) => generate::run(sources, &args),
        Command::Health => health::run(sources),
        Command::Doctor => doctor::doctor(sources),
        Command::Load(args) => load::run(&args),
    }
}
