//! The options that the commands share: where their configuration comes from. A command uses them, wherever they stand
//! on the line, or refuses them; none is passed over in silence.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::builder::Command;
use clap::error::ErrorKind;
use kingscross_server::config::{Config, Overrides};

/// A configuration file, and what the command line sets above it.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Sources {
    /// A configuration file; `kingscross config` prints every option.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where games are kept: a file for SQLite, or postgres://user@host/name [default: kingscross.db].
    #[arg(long, global = true, value_name = "FILE|URL")]
    database: Option<String>,
    /// Address and port of the server [default: 127.0.0.1:8080].
    #[arg(long, global = true, value_name = "ADDRESS")]
    listen: Option<String>,
}

impl Sources {
    /// The configuration of all sources.
    pub(crate) fn load(&self) -> Result<Config> {
        let mut overrides = Overrides::default();
        overrides.server.listen.clone_from(&self.listen);
        overrides.database.url.clone_from(&self.database);
        Ok(Config::load(self.config.as_deref(), &overrides)?)
    }

    /// Refuses every one of these options, for a command that has no use for them in the way it is called.
    pub(crate) fn refuse(&self, call: &str) -> Result<()> {
        match self.given().first() {
            Some(option) => bail!("{call} has no use for --{option}"),
            None => Ok(()),
        }
    }

    /// Refuses the options that a command never uses.
    pub(crate) fn check(&self, command: &str) -> Result<(), clap::Error> {
        let given = self.given();
        let Some(option) = given.iter().find(|option| !used(command).contains(option)) else { return Ok(()) };
        let message = format!("`{command}` has no use for --{option}\n");
        Err(clap::Error::raw(ErrorKind::ArgumentConflict, message))
    }

    /// The options that stand on the line.
    fn given(&self) -> Vec<&'static str> {
        let all = [
            ("config", self.config.is_some()),
            ("database", self.database.is_some()),
            ("listen", self.listen.is_some()),
        ];
        all.into_iter().filter(|(_, is_given)| *is_given).map(|(option, _)| option).collect()
    }
}

/// The options that a command uses, by its name.
fn used(command: &str) -> &'static [&'static str] {
    match command {
        "serve" | "config" | "doctor" | "arena" => &["config", "database", "listen"],
        "health" => &["config", "listen"],
        "admin" | "verify" | "rebuild-ratings" | "backup" | "restore" | "export-all" | "import-all"
        | "export" | "generate" => &["config", "database"],
        _ => &[],
    }
}

/// The command line, where the help of no command shows an option that it refuses.
pub(crate) fn hide_unused(mut line: Command) -> Command {
    let options: Vec<_> = line.get_arguments().filter(|option| option.is_global_set()).cloned().collect();
    let names: Vec<String> = line.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    for name in names {
        let unused = options.iter().filter(|option| !used(&name).contains(&option.get_id().as_str()));
        let hidden: Vec<_> = unused.cloned().map(|option| option.hide(true)).collect();
        line = line.mut_subcommand(name, |command| command.args(hidden));
    }
    line
}
