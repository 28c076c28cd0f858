//! The modules of the server form layers: each one uses those before it, and none that comes later.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Every module at the root of the crate, from the lowest layer to the highest.
const LAYERS: [&str; 30] = [
    "clock",
    "text",
    "error",
    "edge",
    "config",
    "auth",
    "sockets",
    "delays",
    "ratings",
    "metrics",
    "stalls",
    "excluded",
    "bots",
    "archive",
    "table",
    "lobby",
    "matchmaking",
    "expel",
    "arena",
    "admin",
    "generate",
    "upkeep",
    "http",
    "ws",
    "assets",
    "connections",
    "waiting",
    "app",
    "serve",
    "lib",
];
/// The state that all tasks share: every layer may name its type.
const SHARED: &str = "app";

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|&layer| layer == module)
}

/// The names that follow a prefix such as `crate::` in a file, outside comments.
fn named(prefix: &str, source: &str) -> BTreeSet<String> {
    let code: String =
        source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let mut found = BTreeSet::new();
    for (at, prefix) in code.match_indices(prefix) {
        // `$crate::` and `kingscross_crate::` are other paths.
        if code[..at].ends_with(|last: char| last.is_alphanumeric() || last == '_' || last == '$') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(list) => found.extend(first_names(list)),
            None => found.extend(name(rest)),
        }
    }
    found
}

/// The modules of the crate's root that a file names by `super::`; `depth` of them lead from its module to the root, one
/// more from a module within the file.
fn named_by_super(depth: usize, source: &str) -> BTreeSet<String> {
    let reached = (depth..depth + 2).flat_map(|count| named(&"super::".repeat(count), source));
    reached.filter(|name| layer(name).is_some()).collect()
}

/// How many `super::` lead from the module of a file, given by its path in `src`, to the root.
fn depth(inside: &Path) -> usize {
    inside.components().count() - usize::from(inside.ends_with("mod.rs"))
}

fn name(path: &str) -> Option<String> {
    let path = path.trim_start();
    let end = path.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(path.len());
    (end > 0).then(|| path[..end].to_owned())
}

/// The first name of each path in a list such as `a::b, c::{d, e}}`, up to the brace that closes it.
fn first_names(list: &str) -> Vec<String> {
    let (mut depth, mut names, mut path) = (0, Vec::new(), String::new());
    for sign in list.chars() {
        match sign {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.extend(name(&std::mem::take(&mut path))),
            _ if depth == 0 => path.push(sign),
            _ => {}
        }
    }
    names.extend(name(&path));
    names
}

/// What a module's file names that lies above it, or is no module that has a layer.
fn violations(module: &str, depth: usize, source: &str) -> Vec<String> {
    let Some(own) = layer(module) else { return vec![format!("`{module}` has no layer")] };
    let is_wrong = |name: &String| {
        let is_item = !name.starts_with(|first: char| first.is_ascii_lowercase());
        name != SHARED && (is_item || layer(name).is_none_or(|other| other > own))
    };
    let names = named("crate::", source).into_iter().chain(named_by_super(depth, source));
    names.filter(is_wrong).map(|name| format!("`{module}` uses `{name}`")).collect()
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the source is there") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn no_module_uses_one_of_a_higher_layer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    files(&root, &mut sources);
    assert!(sources.len() > 100, "the source was found");
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for path in sources {
        let inside = path.strip_prefix(&root).expect("below the root");
        let first = inside.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_owned();
        let source = fs::read_to_string(&path).expect("text");
        let here = violations(&module, depth(inside), &source);
        wrong.extend(here.into_iter().map(|what| format!("{}: {what}", inside.display())));
        seen.insert(module);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let layers: BTreeSet<String> = LAYERS.iter().map(|&layer| layer.to_owned()).collect();
    assert_eq!(seen, layers, "each layer is a module, and each module a layer");
}

#[test]
fn an_upward_import_is_found_however_it_is_written() {
    let upward = [
        "use crate::http::Router;",
        "use crate::{auth, http::{a, b}};",
        "use crate::{\n    auth::{self, Auth},\n    http,\n};",
        "fn f() -> crate::http::Router {}",
        "pub(in crate::http) fn f() {}",
    ];
    for source in upward {
        assert_eq!(violations("table", 2, source), ["`table` uses `http`"], "{source}");
    }
    let by_super = [
        (1, "use super::http::Router;"),
        (1, "mod tests {\n    use super::super::http;\n}"),
        (2, "use super::super::{auth, http::a};"),
        (3, "fn f() -> super::super::super::http::Router {}"),
    ];
    for (depth, source) in by_super {
        assert_eq!(violations("table", depth, source), ["`table` uses `http`"], "{source}");
    }
    assert!(violations("table", 2, "use super::http;").is_empty(), "a module beside this one");
    assert_eq!(
        [depth(Path::new("clock.rs")), depth(Path::new("ws/mod.rs")), depth(Path::new("ws/a.rs"))],
        [1, 1, 2]
    );
    let fine =
        ["use crate::auth::Auth;", "use crate::app::App;", "// crate::http\n", "use kingscross_crate::http;"];
    for source in fine {
        assert!(violations("table", 2, source).is_empty(), "{source}");
    }
    assert_eq!(
        violations("table", 2, "use crate::App;"),
        ["`table` uses `App`"],
        "items of the root have no layer"
    );
    assert_eq!(violations("actions", 1, ""), ["`actions` has no layer"]);
}
