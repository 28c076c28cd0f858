//! `kingscross config`

use std::io::Write as _;

use anyhow::Result;
use kingscross_server::config::DEFAULTS;

use crate::output::{Output, say};
use crate::sources::Sources;

/// What `config` prints.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the defaults with their comments instead: a file to begin with.
    #[arg(long)]
    defaults: bool,
}

pub(crate) fn run(sources: &Sources, args: &Args) -> Result<()> {
    if args.defaults {
        sources.refuse("`config --defaults`")?;
        Output.write_all(DEFAULTS.as_bytes())?;
    } else {
        say!("{}", sources.load()?.to_toml())?;
    }
    Ok(())
}
