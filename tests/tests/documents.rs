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
            let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a plain name").to_owned();
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
