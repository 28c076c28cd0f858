//! The configuration's part of the environment: `KINGSCROSS__SECTION__KEY`, and `PORT` as hosts of programs set it.

use std::collections::BTreeMap;

use figment::util::nest;
use figment::value::{Dict, Map, Value};
use figment::{Error, Metadata, Profile, Provider};

use crate::config::{BadConfig, Config};

const PREFIX: &str = "KINGSCROSS__";

/// Names that are ours without being options: of docker-compose.yml, of the tests and of the browser tests.
const OTHERS: [&str; 9] = [
    "KINGSCROSS_BINARY",
    "KINGSCROSS_DOMAIN",
    "KINGSCROSS_GAMES",
    "KINGSCROSS_HTTP_PORT",
    "KINGSCROSS_HTTPS_PORT",
    "KINGSCROSS_LONG",
    "KINGSCROSS_PORT",
    "KINGSCROSS_TEST",
    "KINGSCROSS_URL",
];

/// Two names of options that differ in more letters are not mistaken for each other.
const SLIPS: usize = 2;

/// What the environment sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    /// Values by key, such as `server.listen`.
    values: BTreeMap<String, String>,
}

impl Environment {
    /// That of this process.
    pub(crate) fn of_the_process() -> Result<Self, BadConfig> {
        Self::read(variables())
    }

    fn read(variables: impl Iterator<Item = (String, String)>) -> Result<Self, BadConfig> {
        let (mut values, mut port) = (BTreeMap::new(), None);
        for (name, value) in variables {
            let upper = name.to_ascii_uppercase();
            if let Some(key) = upper.strip_prefix(PREFIX) {
                values.insert(key.replace("__", ".").to_ascii_lowercase(), value);
            } else if name == "PORT" && !value.is_empty() {
                port = Some(value);
            }
        }
        if let Some(port) = port.filter(|_| !values.contains_key("server.listen")) {
            let number = port.parse::<u16>();
            let number = number.map_err(|_| {
                BadConfig::BadValue(format!("PORT in the environment is `{port}`, which is not a port"))
            })?;
            // Who gives a port expects to reach it from outside of the container.
            values.insert("server.listen".to_owned(), format!("0.0.0.0:{number}"));
        }
        Ok(Self { values })
    }
}

impl Provider for Environment {
    fn metadata(&self) -> Metadata {
        Metadata::named("environment")
    }

    fn data(&self) -> Result<Map<Profile, Dict>, Error> {
        let lists = lists();
        let dict = self.values.iter().fold(Dict::new(), |dict, (key, text)| {
            let list = lists.get(key).filter(|_| !text.trim_start().starts_with('['));
            let value = if let Some(of_numbers) = list {
                separated(text, *of_numbers)
            } else {
                text.parse().expect("every text is a value")
            };
            merged(dict, nest(key, value))
        });
        Ok(Profile::Default.collect(dict))
    }
}

/// A list of values between commas.
fn separated(text: &str, of_numbers: bool) -> Value {
    // A value that is not a number stays text, and is refused as text.
    let value = |entry: &str| match entry.parse::<i64>() {
        Ok(number) if of_numbers => Value::from(number),
        _ => Value::from(entry),
    };
    let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    Value::from(entries.map(value).collect::<Vec<_>>())
}

/// Options of another section beside the same section's others.
fn merged(mut dict: Dict, nested: Value) -> Dict {
    for (key, value) in nested.into_dict().unwrap_or_default() {
        let value = match (dict.remove(&key), value) {
            (Some(Value::Dict(tag, known)), new @ Value::Dict(..)) => Value::Dict(tag, merged(known, new)),
            (_, new) => new,
        };
        dict.insert(key, value);
    }
    dict
}

/// Every option, as `section.key`, with its default.
fn options() -> Vec<(String, toml::Value)> {
    let sections = toml::Table::try_from(Config::defaults()).expect("plain values");
    let keys = sections.into_iter().flat_map(|(section, keys)| {
        let keys = keys.as_table().cloned().unwrap_or_default();
        keys.into_iter().map(move |(key, value)| (format!("{section}.{key}"), value))
    });
    keys.collect()
}

/// Every option that is a list, with whether it is one of numbers.
fn lists() -> BTreeMap<String, bool> {
    let lists = options().into_iter().filter_map(|(key, value)| match value {
        toml::Value::Array(entries) => Some((key, entries.first().is_some_and(toml::Value::is_integer))),
        _ => None,
    });
    lists.collect()
}

/// Variables of this process whose values are text.
fn variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

/// A sentence for each variable of this process that looks like an option of ours and is none.
pub fn misspelt() -> Vec<String> {
    misspelt_among(variables().map(|(name, _)| name))
}

fn misspelt_among(names: impl Iterator<Item = String>) -> Vec<String> {
    let keys: Vec<String> = options().into_iter().map(|(key, _)| key).collect();
    let bare = |text: &str| text.replace(['_', '.'], "").to_ascii_lowercase();
    let nearest = |name: &str| {
        let upper = name.to_ascii_uppercase();
        let is_other = OTHERS.iter().any(|other| {
            let rest = upper.strip_prefix(other);
            rest.is_some_and(|rest| rest.is_empty() || (*other == "KINGSCROSS_TEST" && rest.starts_with('_')))
        });
        let written = bare(upper.strip_prefix("KINGSCROSS_")?);
        // Every variable with the prefix is read, and refused if there is no such option.
        if upper.starts_with(PREFIX) || is_other || written.is_empty() {
            return None;
        }
        let without_section = |key: &str| key.split_once('.').is_some_and(|(_, key)| bare(key) == written);
        let slips =
            |key: &String| if without_section(key) { 0 } else { strsim::levenshtein(&written, &bare(key)) };
        let found = keys.iter().map(|key| (slips(key), !key.starts_with("server."), key)).min();
        found.filter(|(slips, ..)| *slips <= SLIPS).map(|(.., key)| key)
    };
    let told = |name: String| {
        let key = nearest(&name)?.replace('.', "__").to_ascii_uppercase();
        Some(format!(
            "{name} in the environment is not an option and is not read; did you mean {PREFIX}{key}?"
        ))
    };
    names.filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use figment::Figment;
    use figment::providers::{Format, Toml};

    use super::*;
    use crate::config::DEFAULTS;

    fn read(pairs: &[(&str, &str)]) -> Result<Config, String> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let environment = Environment::read(pairs).map_err(|error| error.to_string())?;
        let figment = Figment::from(Toml::string(DEFAULTS)).merge(environment);
        figment.extract().map_err(|error| error.to_string())
    }

    #[test]
    fn options_are_read_and_lists_may_be_separated_by_commas() {
        let config = read(&[
            ("KINGSCROSS__SERVER__ORIGINS", "https://a.example, HTTPS://B.example:443,"),
            ("KINGSCROSS__SERVER__TRUSTED_PROXIES", "[\"10.0.0.0/8\", \"::1\"]"),
            ("KINGSCROSS__SERVER__WORKERS", "2"),
            ("KINGSCROSS__MATCHMAKING__TIMES", "5+3"),
            ("kingscross__log__level", "debug"),
            ("KINGSCROSS_TEST_POSTGRES", "postgres://x"),
        ])
        .expect("sound");
        let origins: Vec<&str> = config.server.origins.iter().map(|origin| origin.as_str()).collect();
        assert_eq!(origins, ["https://a.example", "https://b.example"]);
        let proxies: Vec<String> = config.server.trusted_proxies.iter().map(ToString::to_string).collect();
        assert_eq!(proxies, ["10.0.0.0/8", "::1/128"]);
        assert_eq!((config.server.workers, config.log.level.as_str()), (2, "debug"));
        assert_eq!(config.matchmaking.times, ["5+3"]);
        let none = read(&[("KINGSCROSS__SERVER__ORIGINS", "")]).expect("an empty list");
        assert!(none.server.origins.is_empty());
    }

    #[test]
    fn a_list_of_numbers_may_be_separated_by_commas() {
        let waits = |text| read(&[("KINGSCROSS__MATCHMAKING__DODGE_WAITS_MS", text)]);
        let waits = |text| waits(text).map(|config| config.matchmaking.dodge_waits_ms);
        assert_eq!(waits("0,60000"), Ok(vec![0, 60_000]));
        assert_eq!(waits("0"), Ok(vec![0]));
        assert_eq!(waits("[0, 5]"), Ok(vec![0, 5]));
        assert_eq!(waits(""), Ok(vec![]));
        assert!(waits("0,soon").expect_err("no number").contains("soon"));
        // Numbers in a list of texts stay texts.
        let names = read(&[("KINGSCROSS__MATCHMAKING__TIMES", "5")]).map(|config| config.matchmaking.times);
        assert_eq!(names, Ok(vec!["5".to_owned()]));
    }

    #[test]
    fn a_host_gives_the_port_unless_the_address_is_set() {
        let listens = |pairs| read(pairs).map(|config| config.server.listen);
        assert_eq!(listens(&[("PORT", "5000")]), Ok("0.0.0.0:5000".to_owned()));
        let both = [("PORT", "5000"), ("KINGSCROSS__SERVER__LISTEN", "127.0.0.1:1")];
        assert_eq!(listens(&both), Ok("127.0.0.1:1".to_owned()));
        assert_eq!(listens(&[("PORT", "")]), Ok("127.0.0.1:8080".to_owned()));
        assert!(listens(&[("PORT", "http")]).expect_err("no port").contains("PORT"));
    }

    #[test]
    fn an_unknown_option_is_refused() {
        for name in ["KINGSCROSS__SERVER__LISTN", "KINGSCROSS__SEVER__LISTEN", "KINGSCROSS__LISTEN"] {
            assert!(read(&[(name, "x")]).is_err(), "{name}");
        }
    }

    #[test]
    fn a_name_that_looks_like_an_option_is_reported() {
        let told = |name: &str| misspelt_among(std::iter::once(name.to_owned()));
        for (name, meant) in [
            ("KINGSCROSS_SERVER_LISTEN", "KINGSCROSS__SERVER__LISTEN"),
            ("KINGSCROSS_SERVER__LISTN", "KINGSCROSS__SERVER__LISTEN"),
            ("KINGSCROSS_LISTEN", "KINGSCROSS__SERVER__LISTEN"),
            ("KINGSCROSS_DATABASE_URL", "KINGSCROSS__DATABASE__URL"),
            ("KINGSCROSS_PUBLIC_URL", "KINGSCROSS__SERVER__PUBLIC_URL"),
            ("kingscross_log_level", "KINGSCROSS__LOG__LEVEL"),
        ] {
            let sentences = told(name);
            assert!(sentences.len() == 1 && sentences[0].ends_with(&format!("{meant}?")), "{sentences:?}");
        }
        for name in [
            "KINGSCROSS__SERVER__LISTEN",
            "KINGSCROSS_TEST_POSTGRES",
            "KINGSCROSS_TEST_PGBIN",
            "KINGSCROSS_URL",
            "KINGSCROSS_BINARY",
            "KINGSCROSS_LONG",
            "KINGSCROSS_DOMAIN",
            "KINGSCROSS_PORT",
            // What Kubernetes sets for a service of this name.
            "KINGSCROSS_SERVICE_HOST",
            "KINGSCROSS_PORT_8080_TCP_ADDR",
            "KINGSCROSS_SERVER_PORT",
            "KINGSCROSS",
            "HOME",
        ] {
            assert_eq!(told(name), Vec::<String>::new(), "{name}");
        }
    }
}
