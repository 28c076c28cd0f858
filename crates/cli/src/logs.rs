//! What the server writes to standard error: structured lines, for people or as JSON.

use std::io::IsTerminal as _;

use anyhow::{Context, Result};
use kingscross_server::config::{Log, LogFormat};
use tracing_subscriber::{EnvFilter, reload};

/// Overrides `log.level`, as everywhere in the world of Rust.
const VARIABLE: &str = "RUST_LOG";

/// Which lines are written.
pub(crate) fn filter(log: &Log) -> Result<EnvFilter> {
    let (level, whose) = match std::env::var(VARIABLE) {
        Ok(level) if !level.is_empty() => (level, VARIABLE),
        _ => (log.level.clone(), "log.level"),
    };
    // PostgreSQL's notices are no news of ours, and statements would be too many, unless they are asked for by name.
    EnvFilter::builder()
        .parse(format!("sqlx=warn,{level}"))
        .with_context(|| format!("{whose} `{level}` cannot be used"))
}

/// Chooses other lines while the program runs.
pub(crate) struct Choice(Box<dyn Fn(EnvFilter) -> Result<(), reload::Error> + Send + Sync>);

impl Choice {
    /// From now on the lines of this configuration are written.
    pub(crate) fn change(&self, log: &Log) -> Result<()> {
        Ok((self.0)(filter(log)?)?)
    }
}

/// Begins to write.
pub(crate) fn start(log: &Log) -> Result<Choice> {
    let lines = tracing_subscriber::fmt().with_env_filter(filter(log)?).with_writer(std::io::stderr);
    // It would be told on standard error, which is just what cannot be written, and panic.
    let lines = lines.log_internal_errors(false);
    match log.format {
        LogFormat::Text => {
            let lines = lines.with_ansi(std::io::stderr().is_terminal()).with_filter_reloading();
            let handle = lines.reload_handle();
            lines.init();
            Ok(Choice(Box::new(move |filter| handle.reload(filter))))
        }
        // Fields stand beside the message; those of the request that a line belongs to in `span`.
        LogFormat::Json => {
            let lines = lines.json().flatten_event(true).with_span_list(false).with_filter_reloading();
            let handle = lines.reload_handle();
            lines.init();
            Ok(Choice(Box::new(move |filter| handle.reload(filter))))
        }
    }
}
