//! The configuration: compiled-in defaults, then a file, the environment and the command line.

mod environment;
mod overrides;

use std::path::Path;
use std::time::Duration;

use figment::Figment;
use figment::error::Kind;
use figment::providers::{Format, Serialized, Toml};
use kingscross_protocol::TimeControl;
use kingscross_storage as storage;
use kingscross_table::{ClockSettings, PresenceSettings, Terms};
use serde::{Deserialize, Serialize};

use self::environment::Environment;
pub use self::environment::misspelt;
pub use self::overrides::{DatabaseOverrides, Overrides, ServerOverrides};
use crate::edge::{Origin, Proxies, PublicUrl, kind_of};

/// The defaults with their comments, as compiled in.
pub const DEFAULTS: &str = include_str!("../../../../config/default.toml");

/// The shortest stall that differs from an ordinary gap between beats.
const SHORTEST_STALL_MS: u64 = 250;

/// More threads than this are a slip of the pen.
const MOST_WORKERS: usize = 1024;

/// Everything that can be set; `config/default.toml` describes each option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where the server listens and how it is reached.
    pub server: Server,
    /// Where games are kept.
    pub database: Database,
    /// Buffers, queues and time limits of sockets.
    pub websocket: WebSocket,
    /// How much one connection may ask.
    pub limits: Limits,
    /// First moves, refunds, gifts.
    pub clocks: ClockSettings,
    /// Absence and what follows.
    pub presence: PresenceSettings,
    /// Draw, abort, rematch.
    pub proposals: Proposals,
    /// Games in memory.
    pub tables: Tables,
    /// Arranging games.
    pub lobby: Lobby,
    /// Seats played by the server.
    pub bots: Bots,
    /// Guests, accounts, sessions.
    pub accounts: Accounts,
    /// Finding opponents.
    pub matchmaking: Matchmaking,
    /// What Prometheus is told.
    pub metrics: Metrics,
    /// What is written to standard error.
    pub log: Log,
}

macro_rules! section {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $kind:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[allow(missing_docs)]
        pub struct $name { $(pub $field: $kind),* }
    };
}

section! {
    /// `[server]`
    Server {
        listen: String, public_url: PublicUrl, origins: Vec<Origin>, head_ms: u64, stall_ms: u64,
        connections_per_address: usize, stop_ms: u64, workers: usize, trusted_proxies: Vec<Proxies>,
    }
}
section! {
    /// `[database]`
    Database { url: String, password_file: String, timeout_ms: u64, wait_ms: u64 }
}
section! {
    /// `[websocket]`
    WebSocket {
        max_message_bytes: usize, read_buffer_bytes: usize, write_buffer_bytes: usize,
        queue_messages: usize, queue_bytes: usize, write_stall_ms: u64, silence_ms: u64, ping_ms: u64,
        max_per_user: usize, max_per_address: usize, max_watched: usize,
    }
}
section! {
    /// `[limits]`
    Limits {
        moves_burst: u32, moves_per_second: u32, playing_messages: u32, playing_window_ms: u32,
        watching_messages: u32, watching_window_ms: u32, lobby_messages: u32, lobby_window_ms: u32,
        chat_lines: u32, chat_window_ms: u32, flood_messages: u32, flood_window_ms: u32, table_queue: usize,
        answers_ms: u32, answers_per_user: usize, answers: usize,
    }
}
section! {
    /// `[proposals]`
    Proposals { refused_moves: u32, rematch_ms: u32, rematches: u32 }
}
section! {
    /// `[tables]`
    Tables {
        linger_ms: u32, keep_ms: u32, spectator_delay_ms: u32, max_spectator_delay_ms: u32, tail_events: usize,
        chat_lines: usize, retry_first_ms: u64, retry_longest_ms: u64, max_games_per_user: usize,
    }
}
section! {
    /// `[lobby]`
    Lobby { vanished_ms: u32, max_per_user: usize, max_open: usize, usual_time: String }
}
section! {
    /// `[bots]`
    Bots { delay_ms: u64, searches: usize, search_nodes: u64, search_ms: u64, level: String }
}

section! {
    /// `[accounts]`
    Accounts {
        session_days: u32, argon2_memory_kib: u32, argon2_passes: u32, argon2_at_once: usize,
        guests_per_address: u32, guests_window_ms: u64, registrations_per_address: u32,
        registrations_window_ms: u64, sign_ins_per_address: u32, sign_ins_per_name: u32,
        sign_ins_by_strangers: u32, sign_ins_window_ms: u64,
        requests_per_address: u32, requests_window_ms: u64, tokens_per_user: usize, reports_per_user: u32,
        reports_window_ms: u64,
    }
}
section! {
    /// `[metrics]`
    Metrics { listen: String }
}
section! {
    /// `[log]`
    Log { format: LogFormat, level: String }
}

/// How a line of the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

section! {
    /// `[matchmaking]`
    Matchmaking {
        times: Vec<String>, window_start: f64, window_per_second: f64, window_open_after_ms: i64,
        mix_after_ms: i64, block_until_ms: i64, ready_check_ms: i64, bots_after_ms: i64, vanished_after_ms: i64,
        dodge_waits_ms: Vec<i64>, dodge_forget_ms: i64,
    }
}

/// The configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadConfig {
    /// The file named on the command line cannot be read.
    #[error("cannot read {0}: {1}")]
    NoFile(String, std::io::Error),
    /// A key that does not exist.
    #[error("unknown option `{key}`{at}; did you mean `{nearest}`?")]
    UnknownKey {
        /// The key as written, with its section.
        key: String,
        /// The key that resembles it most.
        nearest: String,
        /// Where it was written.
        at: String,
    },
    /// A value of the wrong type or outside its range.
    #[error("{0}")]
    BadValue(String),
}

impl Config {
    /// The defaults alone.
    pub fn defaults() -> Self {
        Figment::from(Toml::string(DEFAULTS)).extract().expect("config/default.toml fits Config")
    }

    /// Reads the text of a file above the defaults, and no other source.
    pub fn read(text: &str) -> Result<Self, BadConfig> {
        let figment = Figment::from(Toml::string(DEFAULTS)).merge(Toml::string(text));
        figment.extract::<Self>().map_err(|error| explain(&error, None))?.check()
    }

    /// Reads all sources in their order of precedence.
    pub fn load(file: Option<&Path>, overrides: &Overrides) -> Result<Self, BadConfig> {
        let mut figment = Figment::from(Toml::string(DEFAULTS));
        if let Some(path) = file {
            let text = std::fs::read_to_string(path)
                .map_err(|error| BadConfig::NoFile(path.display().to_string(), error))?;
            figment = figment.merge(Toml::string(&text));
        }
        let config: Self = figment
            .merge(Environment::of_the_process()?)
            .merge(Serialized::defaults(overrides))
            .extract()
            .map_err(|error| explain(&error, file))?;
        config.check()?.with_password()
    }

    /// Puts the password of `database.password_file` into the URL, so that no process list or environment shows it.
    fn with_password(mut self) -> Result<Self, BadConfig> {
        let path = &self.database.password_file;
        if path.is_empty() {
            return Ok(self);
        }
        let password =
            std::fs::read_to_string(path).map_err(|error| BadConfig::NoFile(path.clone(), error))?;
        let (scheme, rest) = self.database.url.split_once("://").unwrap_or_default();
        let Some((user, host)) = rest.split_once('@').filter(|(user, _)| !user.contains(':')) else {
            let why = "database.password_file needs a database.url with a user and without a password";
            return Err(BadConfig::BadValue(why.to_owned()));
        };
        // Everything but letters and digits is written as its code, or it would end the password early.
        let encode = |byte: u8| match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        };
        let password: String = password.trim_end().bytes().map(encode).collect();
        self.database.url = format!("{scheme}://{user}:{password}@{host}");
        Ok(self)
    }

    /// The whole configuration as TOML, without passwords.
    pub fn to_toml(&self) -> String {
        let mut shown = self.clone();
        shown.database.url = without_password(&self.database.url);
        toml::to_string_pretty(&shown).expect("plain values")
    }

    /// The numbers that games go by.
    pub fn terms(&self) -> Terms {
        Terms {
            clocks: self.clocks.clone(),
            presence: self.presence.clone(),
            refused_moves: self.proposals.refused_moves,
            rematches: self.proposals.rematches,
        }
    }

    /// How the database is used.
    pub fn storage(&self) -> storage::Options {
        let time_limit = Duration::from_millis(self.database.timeout_ms);
        storage::Options { time_limit, ..storage::Options::default() }
    }

    /// The time control of games that name none.
    pub fn usual_time(&self) -> TimeControl {
        self.lobby.usual_time.parse().expect("checked on loading")
    }

    /// How many threads serve connections and tables on a machine with so many cores.
    pub fn workers(&self, cores: usize) -> usize {
        if self.server.workers == 0 { cores } else { self.server.workers }
    }

    fn check(self) -> Result<Self, BadConfig> {
        self.lobby
            .usual_time
            .parse::<TimeControl>()
            .map_err(|error| BadConfig::BadValue(format!("lobby.usual_time: {error}")))?;
        for time in &self.matchmaking.times {
            time.parse::<TimeControl>()
                .map_err(|error| BadConfig::BadValue(format!("matchmaking.times: {error}")))?;
        }
        for (name, value) in [
            ("websocket.queue_messages", self.websocket.queue_messages),
            ("websocket.max_message_bytes", self.websocket.max_message_bytes),
            ("websocket.read_buffer_bytes", self.websocket.read_buffer_bytes),
            ("limits.table_queue", self.limits.table_queue),
            ("limits.answers_per_user", self.limits.answers_per_user),
            ("limits.answers", self.limits.answers),
            ("bots.searches", self.bots.searches),
        ] {
            if value == 0 {
                return Err(BadConfig::BadValue(format!("{name} must not be 0")));
            }
        }
        if self.server.workers > MOST_WORKERS {
            return Err(BadConfig::BadValue(format!("server.workers must not be above {MOST_WORKERS}")));
        }
        if self.clocks.stall_ms < SHORTEST_STALL_MS {
            let why = format!("clocks.stall_ms must not be below {SHORTEST_STALL_MS}");
            return Err(BadConfig::BadValue(why));
        }
        if self.database.timeout_ms == 0 {
            return Err(BadConfig::BadValue("database.timeout_ms must not be 0".to_owned()));
        }
        Ok(self)
    }
}

/// A database's URL as it may be shown.
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    match rest.rsplit_once('@') {
        Some((user, host)) => {
            let name = user.split_once(':').map_or(user, |(name, _)| name);
            let hidden = if name.len() < user.len() { ":***" } else { "" };
            format!("{scheme}://{name}{hidden}@{host}")
        }
        None => url.to_owned(),
    }
}

fn explain(error: &figment::Error, file: Option<&Path>) -> BadConfig {
    let first = error.clone().into_iter().next().unwrap_or_else(|| error.clone());
    let at = match (&first.metadata, file) {
        (Some(metadata), _) if metadata.name.contains("environment") => " in the environment".to_owned(),
        (_, Some(path)) => format!(" in {}", path.display()),
        _ => String::new(),
    };
    match &first.kind {
        Kind::UnknownField(field, known) => {
            let mut path = first.path.clone();
            if path.last() != Some(field) {
                path.push(field.clone());
            }
            let nearest = known
                .iter()
                .min_by_key(|candidate| strsim::levenshtein(field, candidate))
                .copied()
                .unwrap_or("");
            BadConfig::UnknownKey { key: path.join("."), nearest: nearest.to_owned(), at }
        }
        kind => {
            let why = match kind {
                Kind::InvalidType(found, expected) | Kind::InvalidValue(found, expected) => {
                    format!("expected {}, found {found}", kind_of(expected))
                }
                other => other.to_string(),
            };
            let key = first.path.join(".");
            let place = format!("{key}{at}");
            let place = place.trim_start();
            BadConfig::BadValue(if place.is_empty() { why } else { format!("{place}: {why}") })
        }
    }
}

#[cfg(test)]
mod tests;
