//! The pages of `docs/` keep to what there is.

use std::collections::BTreeSet;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// `file::test` of every test function in the workspace.
fn tests_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            tests_in(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            // A `mod.rs` goes by the name of its folder, and so do the tests beside it.
            let is_of_folder =
                path.ends_with("mod.rs") || (path.ends_with("tests.rs") && !folder.ends_with("src"));
            let named = if is_of_folder { folder } else { &path };
            let stem = named.file_stem().and_then(|stem| stem.to_str()).expect("a plain name").to_owned();
            let text = std::fs::read_to_string(&path).expect("readable");
            // Stories that run on both databases are named in a macro and have no attribute of their own.
            let stories: Vec<&str> = text
                .split("on_both_databases!(")
                .skip(1)
                .filter_map(|rest| rest.split(");").next())
                .collect();
            let mut is_test = false;
            for line in text.lines() {
                let line = line.trim();
                is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
                let Some((_, rest)) = line.split_once("fn ") else { continue };
                let name = rest.split('(').next().unwrap_or_default().to_owned();
                let is_story = stories.iter().any(|story| {
                    story.split(|sign: char| !sign.is_alphanumeric() && sign != '_').any(|word| word == name)
                });
                if is_test || is_story {
                    found.insert(format!("{stem}::{name}"));
                }
                is_test = false;
            }
        }
    }
}

#[test]
fn every_threat_names_tests_that_exist() {
    let root = Path::new(ROOT);
    let mut tests = BTreeSet::new();
    tests_in(&root.join("tests/tests"), &mut tests);
    for name in ["cli", "server", "storage", "table"] {
        tests_in(&root.join("crates").join(name), &mut tests);
    }
    let page = std::fs::read_to_string(root.join("docs/security.md")).expect("the threat model");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).skip(2).collect();
    assert!(rows.len() >= 20, "{} threats", rows.len());
    for row in rows {
        let cell = row.trim_end_matches('|').rsplit('|').next().expect("a last column");
        let named: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "{row}");
        for test in named {
            assert!(tests.contains(test), "there is no test {test}");
        }
    }
}

/// The names between backticks in a cell.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The text of a file, or of all files of a folder and what is below it; `None` where there is neither.
fn text(path: &Path) -> Option<String> {
    if !path.is_dir() {
        return std::fs::read_to_string(path).ok();
    }
    let entries = std::fs::read_dir(path).ok()?;
    Some(entries.filter_map(|entry| text(&entry.ok()?.path())).collect())
}

#[test]
fn every_word_of_the_glossary_is_where_it_says() {
    let root = Path::new(ROOT);
    let page = std::fs::read_to_string(root.join("docs/glossary.md")).expect("the glossary");
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| word"));
    let mut faults = Vec::new();
    for row in rows.filter(|row| !row.starts_with("| ---")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, word, _, types, places, _] = cells[..] else { panic!("four columns: {row}") };
        let (mut whole, mut folder) = (String::new(), "");
        for place in quoted(places) {
            // A bare name is in the folder of the file before it.
            let place = if place.contains('/') { place.to_owned() } else { format!("{folder}/{place}") };
            match text(&root.join("crates").join(&place)).or_else(|| text(&root.join(&place))) {
                Some(text) => whole += &text,
                None => faults.push(format!("{word}: there is no {place}")),
            }
            folder = quoted(places)[0].rsplit_once('/').map_or("", |(folder, _)| folder);
        }
        let words: BTreeSet<&str> =
            whole.split(|sign: char| !sign.is_alphanumeric() && sign != '_').collect();
        for name in quoted(types) {
            let last = name.rsplit("::").next().unwrap_or(name).trim_end_matches('!');
            if !words.contains(last) {
                faults.push(format!("{word}: no {name} in {places}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
