//! Every game, bot level and message is named wherever they are listed by hand: `docs/contributing.md` counts on it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kingscross_bot::Level;
use kingscross_engine::Variant;
use kingscross_protocol::{ClientMessage, Effect, Event, Repetition, Request, ServerMessage};
use strum::VariantNames as _;

/// A file, or all files of a folder and what is below it.
fn text(place: &str) -> String {
    fn collect(path: &Path, all: &mut String) {
        if path.is_dir() {
            let mut entries: Vec<PathBuf> = std::fs::read_dir(path)
                .expect("a folder")
                .map(|entry| entry.expect("readable").path())
                .collect();
            entries.sort();
            entries.iter().for_each(|entry| collect(entry, all));
        } else if let Ok(text) = std::fs::read_to_string(path) {
            *all += &text;
        }
    }
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(place);
    assert!(path.exists(), "there is no {place}");
    let mut all = String::new();
    collect(&path, &mut all);
    all
}

/// The languages that have a catalogue.
fn languages() -> BTreeSet<String> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../web/js/i18n"));
    let entries = std::fs::read_dir(folder).expect("the catalogues");
    let names = entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned());
    let stems = names.filter_map(|name| name.strip_suffix(".js").map(str::to_owned));
    stems.filter(|stem| stem != "load" && stem != "translate").collect()
}

/// What is missing in which file.
#[derive(Default)]
struct Missing(Vec<String>);

impl Missing {
    /// One of these texts must be in the place.
    fn expect(&mut self, place: &str, any: &[&str]) {
        let whole = text(place);
        if !any.iter().any(|wanted| whole.contains(wanted)) {
            self.0.push(format!("{place}: {}", any[0]));
        }
    }

    fn assert_none(self) {
        assert!(self.0.is_empty(), "not named:\n{}", self.0.join("\n"));
    }
}

/// `a, b or c`.
fn listed(names: &[&str], last: &str) -> String {
    let (end, begin) = names.split_last().expect("a name");
    format!("{}{last}{end}", begin.join(", "))
}

#[test]
fn every_game_is_named_where_games_are_listed() {
    let mut missing = Missing::default();
    let languages = languages();
    for variant in Variant::ALL {
        let (id, kind, rules) = (variant.id(), format!("{variant:?}"), variant.rules());
        missing.expect("README.md", &[&format!("| {} |", rules.name)]);
        missing.expect("docs/rules/README.md", &[&format!("| `{id}` |")]);
        missing.expect("docs/api.md", &[&format!("`{}`", rules.family)]);
        // The engine's tests: the second engine, its comparison with the first, and the carried vectors.
        missing.expect("crates/engine/tests/naive/board.rs", &[&format!("\"{id}\"")]);
        missing.expect("crates/engine/tests/differential.rs", &[&format!(": {kind};")]);
        missing.expect("crates/engine/tests/vectors.rs", &[&format!("perft_table(Variant::{kind})")]);
        missing.expect(
            "crates/engine/tests/vectors/perft.json",
            &[&format!("\"{id}\": {{"), &format!("\"{id}\":{{")],
        );
        missing.expect("fuzz/corpus/engine", &[&format!(r#"{{"cmd":"new","variant":"{id}"}}"#)]);
        missing.expect("crates/storage/benches", &[&format!("\"{id}\"")]);
        missing.expect("crates/storage/tests/story/made_up.rs", &[&format!("(\"{id}\"")]);
        // The client.
        for language in &languages {
            let catalogue = format!("web/js/i18n/{language}.js");
            for key in ["variant.{}", "about.{}", "rules.{}.1", "example.{}", "example.{}.solved"] {
                missing.expect(&catalogue, &[&format!("'{}'", key.replace("{}", id))]);
            }
            for seat in rules.turn_order {
                let own = format!("'army.{id}.{}'", rules.letter(*seat));
                missing.expect(&catalogue, &[&own]);
            }
        }
        let keys = [format!("\n  {id}: {{"), format!("\n  '{id}': {{")];
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        missing.expect("web/js/board", &keys);
        missing.expect("web/js/views/examples.js", &keys);
        missing.expect("web/test/browser/access.test.js", &[&format!("'/rules/{id}'")]);
        missing.expect("web/test/browser/table.test.js", &[&format!("{id}: ["), &format!("'{id}': [")]);
    }
    missing.assert_none();
}

/// Help of the command line, descriptions of the API, lists in the client: a line that names three games names all of
/// them, or all rating pools.
#[test]
fn a_line_that_lists_games_lists_all_of_them() {
    let ids = BTreeSet::from(Variant::ALL.map(Variant::id));
    let pools = BTreeSet::from(Variant::ALL.map(|variant| variant.rules().family));
    let mut missing = Missing::default();
    for crate_name in ["engine", "bot", "protocol", "storage", "server", "client", "cli"] {
        for line in text(&format!("crates/{crate_name}/src")).lines() {
            note_partial_list(crate_name, line, &ids, &pools, &mut missing);
        }
    }
    for line in text("web/js").lines() {
        note_partial_list("web/js", line, &ids, &pools, &mut missing);
    }
    missing.assert_none();
}

fn note_partial_list(
    place: &str,
    line: &str,
    ids: &BTreeSet<&'static str>,
    pools: &BTreeSet<&'static str>,
    missing: &mut Missing,
) {
    let words: BTreeSet<&str> =
        line.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '-').collect();
    let is_list = ids.union(pools).filter(|name| words.contains(*name)).count() >= 3;
    if is_list && !ids.is_subset(&words) && !pools.is_subset(&words) {
        missing.0.push(format!("{place}: {}", line.trim()));
    }
}

#[test]
fn every_level_is_named_where_levels_are_listed() {
    let mut missing = Missing::default();
    for level in Level::ALL {
        missing.expect("docs/bots.md", &[&format!("| `{level}` |")]);
        for language in languages() {
            missing.expect(&format!("web/js/i18n/{language}.js"), &[&format!("'level.{level}'")]);
        }
    }
    let names: Vec<&str> = Level::ALL.iter().map(|level| level.name()).collect();
    missing.expect("config/default.toml", &[&listed(&names, " or ")]);
    missing.assert_none();
}

#[test]
fn every_language_is_named_where_languages_are_listed() {
    let mut missing = Missing::default();
    for language in languages() {
        missing.expect("web/js/i18n/load.js", &[&format!("import('./{language}.js')")]);
        missing.expect("web/js/settings.js", &[&format!("'{language}'")]);
        for catalogue in languages() {
            let own_name = format!("'settings.language.{language}'");
            missing.expect(&format!("web/js/i18n/{catalogue}.js"), &[&own_name]);
        }
    }
    missing.assert_none();
}

#[test]
fn every_message_is_named_where_messages_are_listed() {
    let mut missing = Missing::default();
    let page = text("docs/protocol.md");
    let (_, rest) = page.split_once("## Sending again").expect("the section about repetition");
    let (section, _) = rest.split_once("\n## ").expect("another section");
    for request in Request::VARIANTS {
        missing.expect("web/js/protocol.js", &[&format!("{{type: '{request}'")]);
        missing.expect("web/js/protocol.js", &[&format!(" {request}: '")]);
        if !section.contains(&format!("`{request}`")) {
            missing.0.push(format!("docs/protocol.md, Sending again: {request}"));
        }
    }
    for message in ServerMessage::VARIANTS {
        missing.expect("web/js/protocol.js", &[&format!("{{type: '{message}'")]);
    }
    for kind in Event::VARIANTS.iter().chain(Effect::VARIANTS) {
        missing.expect("web/js/protocol.js", &[&format!("{{kind: '{kind}'")]);
    }
    missing.assert_none();
}

/// What the browser client sends again after a reconnect, in its words, is what the protocol allows.
#[test]
fn the_client_repeats_each_request_as_the_protocol_says() {
    let client = text("web/js/protocol.js");
    let (_, rest) = client.split_once("const REPEATS = {").expect("the client's table");
    let (table, _) = rest.split_once('}').expect("its end");
    let table: BTreeMap<&str, &str> =
        table.split(',').filter_map(|entry| entry.trim().split_once(": ")).collect();
    let allowed = Request::VARIANTS.iter().map(|&name| {
        let word = match example_of(name).repetition() {
            // Also what may be asked twice is asked anew: for what is followed when the connection is back.
            Repetition::Never | Repetition::Harmless => "'never'",
            Repetition::Stored => "'always'",
            Repetition::Remembered => "'remembered'",
        };
        (name, word)
    });
    assert_eq!(table, allowed.collect());
}

/// The first example of a request.
fn example_of(request: &str) -> Request {
    let examples = text(&format!("crates/protocol/examples/client.{request}.json"));
    let examples: Vec<ClientMessage> = serde_json::from_str(&examples).expect("a list of messages");
    examples.into_iter().next().expect("an example").request
}

#[test]
fn both_databases_have_the_same_migrations() {
    let names = |database: &str| -> Vec<_> {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations")).join(database);
        let entries = std::fs::read_dir(folder).expect("migrations");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("readable").file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names("sqlite"), names("postgres"));
}
