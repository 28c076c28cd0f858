//! The examples are the contract: every message kind has one, all are read and written back unchanged, and
//! `docs/protocol.md` shows them as they are. The browser client's tests read the same files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use kingscross_protocol::{ClientMessage, Effect, ErrorCode, Event, Request, ServerMessage, Setup};
use serde_json::Value;
use serde_json::value::RawValue;
use strum::{IntoEnumIterator, VariantNames};

/// Rewrites the code blocks of `docs/protocol.md` from the examples, when set.
const BLESS: &str = "KINGSCROSS_BLESS";

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The examples of each file, as they are written there, by the file's name without `.json`.
fn examples() -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(crate_folder().join("examples")).expect("the folder is there") {
        let path = entry.expect("readable").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("readable");
        let items: Vec<Box<RawValue>> =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!items.is_empty(), "{name} has no example");
        found.insert(name, items.iter().map(|item| item.get().replace("\n  ", "\n")).collect());
    }
    found
}

fn kinds_of(side: &str, examples: &BTreeMap<String, Vec<String>>) -> BTreeSet<String> {
    examples.keys().filter_map(|name| name.strip_prefix(side)).map(str::to_owned).collect()
}

fn names(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn every_message_kind_has_examples_and_there_are_no_others() {
    let examples = examples();
    assert_eq!(kinds_of("client.", &examples), names(Request::VARIANTS));
    assert_eq!(kinds_of("server.", &examples), names(ServerMessage::VARIANTS));
    for (file, items) in &examples {
        for item in items {
            let value: Value = serde_json::from_str(item).expect("JSON");
            let kind = value["type"].as_str().expect("a type");
            assert_eq!(file.split_once('.').map(|(_, name)| name), Some(kind), "{file}: {item}");
        }
    }
}

#[test]
fn every_example_is_read_and_written_back_unchanged() {
    for (file, items) in examples() {
        for item in items {
            let value: Value = serde_json::from_str(&item).expect("JSON");
            let again = if file.starts_with("client.") {
                let message: ClientMessage =
                    serde_json::from_str(&item).unwrap_or_else(|error| panic!("{file}: {error}: {item}"));
                serde_json::to_value(message)
            } else {
                let message: ServerMessage =
                    serde_json::from_str(&item).unwrap_or_else(|error| panic!("{file}: {error}: {item}"));
                serde_json::to_value(message)
            };
            assert_eq!(again.expect("writable"), value, "{file}");
        }
    }
}

#[test]
fn every_event_and_every_effect_is_shown() {
    let (mut events, mut effects) = (BTreeSet::new(), BTreeSet::new());
    let mut note = |event: &Value, change: &Value| {
        events.insert(event["kind"].as_str().expect("a kind").to_owned());
        for effect in change["effects"].as_array().into_iter().flatten() {
            effects.insert(effect["kind"].as_str().expect("a kind").to_owned());
        }
    };
    for items in examples().values() {
        for item in items {
            let value: Value = serde_json::from_str(item).expect("JSON");
            if value["type"] == "event" {
                note(&value["event"], &value["change"]);
            }
            for entry in value["history"].as_array().into_iter().flatten() {
                note(&entry["event"], &entry["change"]);
            }
        }
    }
    assert_eq!(events, names(Event::VARIANTS));
    assert_eq!(effects, names(Effect::VARIANTS));
}

#[test]
fn the_documentation_shows_the_examples_as_they_are() {
    let examples = examples();
    let path: PathBuf = crate_folder().join("../../docs/protocol.md");
    let text = fs::read_to_string(&path).expect("docs/protocol.md");
    let mut fresh = String::new();
    let mut shown = BTreeSet::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find("```json ") {
        let (before, block) = rest.split_at(start);
        let (head, body) = block.split_once('\n').expect("a block has lines");
        let end = body.find("```").expect("a block ends");
        let label = head.trim_start_matches("```json ");
        let (file, index) = label.split_once(' ').unwrap_or((label, "0"));
        let items = examples.get(file).unwrap_or_else(|| panic!("the documentation shows {file}"));
        let index: usize = index.parse().expect("the number of an example");
        let item = items.get(index).unwrap_or_else(|| panic!("{file} has no example {index}"));
        fresh.push_str(before);
        fresh.push_str(&format!("{head}\n{item}\n```"));
        shown.insert(file.to_owned());
        rest = &body[end + 3..];
    }
    fresh.push_str(rest);
    assert_eq!(shown, examples.keys().cloned().collect(), "the documentation shows every message kind");
    if std::env::var_os(BLESS).is_some() {
        fs::write(&path, &fresh).expect("writable");
        return;
    }
    assert!(text == fresh, "docs/protocol.md differs from the examples; run this test with {BLESS}=1");
}

#[test]
fn the_documentation_names_every_error_code() {
    let text = fs::read_to_string(crate_folder().join("../../docs/protocol.md")).expect("docs/protocol.md");
    for code in ErrorCode::iter() {
        let row = format!("| `{}` | {} |", code.as_str(), if code.is_retryable() { "yes" } else { "no" });
        assert!(text.contains(&row), "docs/protocol.md lacks {row}");
    }
}

/// What an earlier version has stored or sends is read under its old names: no client loses the second board.
#[test]
fn fields_are_read_under_their_earlier_names() {
    let mut renamed = 0;
    let mut check = |text: &str, read: &dyn Fn(&str) -> Value| {
        let old = text
            .replace("\"both_boards\"", "\"twin\"")
            .replace("\"other_game\"", "\"twin\"")
            .replace("\"other_game_follows\"", "\"twin_follows\"");
        renamed += usize::from(old != text);
        assert_eq!(read(&old), read(text), "{old}");
    };
    let request = |text: &str| {
        let read: ClientMessage = serde_json::from_str(text).expect("a message");
        serde_json::to_value(read).expect("JSON")
    };
    let setup = |text: &str| {
        let read: Setup = serde_json::from_str(text).expect("a setup");
        serde_json::to_value(read).expect("JSON")
    };
    let lobbies =
        fs::read_to_string(crate_folder().join("examples/client.create_lobby.json")).expect("examples");
    for example in serde_json::from_str::<Vec<Value>>(&lobbies).expect("a list") {
        check(&example.to_string(), &request);
    }
    let starts = fs::read_to_string(crate_folder().join("examples/server.snapshot.json")).expect("examples");
    for mut example in serde_json::from_str::<Vec<Value>>(&starts).expect("a list") {
        let mut start = example["setup"].take();
        start["other_game"] = "0197b0c4-5a00-7000-8000-000000000001".into();
        start["other_game_follows"] = true.into();
        check(&start.to_string(), &setup);
    }
    assert!(renamed >= 2, "{renamed}");
}
