//! `kingscross config`

use std::path::Path;

use anyhow::Result;
use kingscross_server::config::{Config, DEFAULTS, Overrides};

/// What `config` prints.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the defaults with their comments instead: a file to begin with.
    #[arg(long)]
    defaults: bool,
}

pub(crate) fn run(file: Option<&Path>, database: Option<String>, args: &Args) -> Result<()> {
    if args.defaults {
        print!("{DEFAULTS}");
        return Ok(());
    }
    let mut overrides = Overrides::default();
    overrides.database.url = database;
    let config = Config::load(file, &overrides)?;
    println!("{}", config.to_toml());
    Ok(())
}
