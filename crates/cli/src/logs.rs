//! What the server writes to standard error: structured lines, for people or as JSON.

use std::io::IsTerminal as _;

use anyhow::{Context, Result, bail};
use kingscross_server::config::{Log, LogFormat};
use tracing_subscriber::{EnvFilter, reload};

/// Overrides `log.level`, as everywhere in the world of Rust.
const VARIABLE: &str = "RUST_LOG";

const LEVELS: [&str; 6] = ["error", "warn", "info", "debug", "trace", "off"];

/// Which lines are written.
pub(crate) fn filter(log: &Log) -> Result<EnvFilter> {
    let (level, whose) = match std::env::var(VARIABLE) {
        Ok(level) if !level.is_empty() => (level, VARIABLE),
        // The variable has the whole syntax of Rust's filters, in which a bare word is a module.
        _ => {
            check(&log.level).with_context(|| format!("log.level `{}` cannot be used", log.level))?;
            (log.level.clone(), "log.level")
        }
    };
    // PostgreSQL's notices are no news of ours, and statements would be too many, unless they are asked for by name.
    EnvFilter::builder()
        .parse(format!("sqlx=warn,{level}"))
        .with_context(|| format!("{whose} `{level}` cannot be used"))
}

/// Refuses a misspelt level, which the filter takes for the name of a module: it would write nothing else.
fn check(text: &str) -> Result<()> {
    for part in text.split(',').map(str::trim) {
        let level = part.rsplit_once('=').map_or(part, |(_, level)| level);
        let has_target = !part.starts_with('=');
        if !has_target || !LEVELS.iter().any(|known| known.eq_ignore_ascii_case(level)) {
            bail!("`{part}` is neither a level ({}) nor target=level", LEVELS.join(", "));
        }
    }
    Ok(())
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
    // To report it on standard error, the very stream that cannot be written, would panic.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_a_level_or_a_target_with_one() {
        for level in
            ["info", "WARN", "off", "info,sqlx=debug", "warn, kingscross_server::table=trace,hyper=off"]
        {
            check(level).unwrap_or_else(|error| panic!("{level}: {error:#}"));
        }
        for (level, part) in [
            ("loud", "loud"),
            ("warning", "warning"),
            ("", ""),
            ("info,", ""),
            ("info,sqlx", "sqlx"),
            ("sqlx=loud", "sqlx=loud"),
            ("=info", "=info"),
            ("sqlx=", "sqlx="),
        ] {
            let error = check(level).expect_err(level).to_string();
            assert!(error.starts_with(&format!("`{part}` is neither")), "{error}");
        }
    }

    #[test]
    fn a_level_that_is_refused_is_named_with_its_option() {
        let mut log = kingscross_server::config::Config::defaults().log;
        log.level = "loud".to_owned();
        if std::env::var_os(VARIABLE).is_none() {
            let error = format!("{:#}", filter(&log).expect_err("no level"));
            assert!(error.starts_with("log.level `loud` cannot be used: `loud` is neither"), "{error}");
        }
    }
}
