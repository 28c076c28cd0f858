//! The client's modules as two files, and its style sheets as one: a browser that asks for ninety small files one after
//! the other shows nothing for as long. The modules stay what they are; each becomes a function that runs when it is
//! first needed, in the order in which modules run. What the home page needs comes first, all else when it is loaded.
//!
//! What is understood is what the client is written in: imports by name, exports in front of declarations and without
//! `export let`, no module that needs itself. Tests hold the client to it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The style sheets in their order.
pub(super) const SHEETS: [&str; 5] =
    ["css/tokens.css", "css/base.css", "css/board.css", "css/table.css", "css/pages.css"];

/// What runs first.
const MAIN: &str = "main.js";
/// What is in the first script, with all that it needs.
const FIRST: [&str; 3] = [MAIN, "views/home.js", "i18n/en.js"];

/// What finds and runs modules, each once.
const PRELUDE: &str = "export const $made = {}, $found = {};
export const $need = (name) => $found[name] ??= $made[name]();
export const $load = async (name) => {
  if (!$made[name]) await import('./more.js');
  return $need(name);
};
";

/// The two scripts of all modules, which are given as path and text in any order.
pub(super) fn scripts(modules: &[(String, String)]) -> [String; 2] {
    let modules: Vec<_> = modules.iter().map(|(path, text)| (path.clone(), code(text))).collect();
    let first = closure(&modules, &FIRST);
    let mut scripts = [PRELUDE.to_owned(), "import { $made, $need, $load } from './client.js';\n".to_owned()];
    for (path, code) in &modules {
        let (body, exports) = body(path, code, &|path| modules.iter().any(|(known, _)| known == path));
        // Only what runs first may wait for something.
        let kind = if path == MAIN { "async " } else { "" };
        let exports = exports.join(", ");
        let script = &mut scripts[usize::from(!first.contains(path.as_str()))];
        let _ = writeln!(script, "$made['{path}'] = {kind}() => {{\n{body}return {{ {exports} }};\n}};");
    }
    // From an empty stack: whoever asks a browser where a request came from makes it read the outermost script on the
    // stack again, which would be all of this.
    let _ = writeln!(scripts[0], "queueMicrotask(() => $need('{MAIN}'));");
    scripts
}

/// These modules and all that they import.
fn closure(modules: &[(String, String)], roots: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<String> = roots.iter().map(|&root| root.to_owned()).collect();
    while let Some(path) = open.pop() {
        if let Some((_, code)) = modules.iter().find(|(known, _)| *known == path)
            && found.insert(path.clone())
        {
            open.extend(code.lines().filter_map(import).map(|(_, from)| resolve(&path, from)));
        }
    }
    found
}

/// A module's code with its imports as constants; and the names that it exports.
fn body(path: &str, code: &str, is_module: &dyn Fn(&str) -> bool) -> (String, Vec<String>) {
    let (mut body, mut exports) = (String::with_capacity(code.len()), Vec::new());
    for line in code.lines() {
        if let Some((names, from)) = import(line) {
            let names = names.replace(" as ", ": ");
            let _ = writeln!(body, "const {{{names}}} = $need('{}');", resolve(path, from));
            continue;
        }
        let line = match line.strip_prefix("export ") {
            Some(rest) => {
                exports.push(declared(rest).to_owned());
                rest
            }
            None => line,
        };
        body.push_str(&with_loads(path, line, is_module));
        body.push('\n');
    }
    (body, exports)
}

/// The names and the source of `import { names } from 'source';`.
fn import(line: &str) -> Option<(&str, &str)> {
    let (names, rest) = line.strip_prefix("import {")?.split_once('}')?;
    Some((names, rest.strip_prefix(" from '")?.strip_suffix("';")?))
}

/// The name that a declaration gives.
fn declared(declaration: &str) -> &str {
    let words = ["async ", "function ", "const ", "class "];
    let rest = words.iter().fold(declaration, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
    &rest[..end]
}

/// A line whose `import('./module.js')` looks among the joined modules.
fn with_loads(path: &str, line: &str, is_module: &dyn Fn(&str) -> bool) -> String {
    let mut parts = line.split("import('");
    let mut loads = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let found = part.split_once("')").map(|(from, rest)| (resolve(path, from), rest));
        match found.filter(|(target, _)| is_module(target)) {
            Some((target, rest)) => {
                let _ = write!(loads, "$load('{target}'){rest}");
            }
            None => {
                let _ = write!(loads, "import('{part}");
            }
        }
    }
    loads
}

/// The path that a module means by `./x.js` or `../x.js`.
fn resolve(module: &str, from: &str) -> String {
    let mut parts: Vec<&str> = module.split('/').collect();
    parts.pop();
    for step in from.split('/') {
        match step {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// A module's text without comments, with each import on one line.
fn code(text: &str) -> String {
    with_imports_on_one_line(&without_comments(text))
}

/// Joins the lines of an import that spans several.
fn with_imports_on_one_line(code: &str) -> String {
    let (mut joined, mut in_import) = (String::with_capacity(code.len()), false);
    for line in code.lines() {
        joined.push_str(if in_import { line.trim_start() } else { line });
        in_import = (in_import || line.starts_with("import {")) && !line.contains('}');
        joined.push(if in_import { ' ' } else { '\n' });
    }
    joined
}

/// Leaves out comments that begin a line, and the lines that are empty then. Others stay: to tell them from strings
/// takes a parser.
fn without_comments(text: &str) -> String {
    let (mut kept, mut in_comment) = (String::with_capacity(text.len()), false);
    for line in text.lines() {
        let code = code_of(line, &mut in_comment);
        if !code.trim().is_empty() {
            kept.push_str(code);
            kept.push('\n');
        }
    }
    kept
}

/// What a line has behind the comments that it begins with.
fn code_of<'a>(line: &'a str, in_comment: &mut bool) -> &'a str {
    let mut rest = line;
    loop {
        if *in_comment {
            let Some((_, after)) = rest.split_once("*/") else { return "" };
            (rest, *in_comment) = (after.trim_start(), false);
        }
        let start = rest.trim_start();
        if start.starts_with("//") {
            return "";
        }
        let Some(comment) = start.strip_prefix("/*") else { return rest };
        (rest, *in_comment) = (comment, true);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Web;
    use super::*;

    fn client() -> Vec<(String, String)> {
        super::super::modules()
    }

    fn joined(modules: &[(&str, &str)]) -> [String; 2] {
        let modules: Vec<_> =
            modules.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect();
        scripts(&modules)
    }

    #[test]
    fn modules_become_functions_that_need_each_other_by_path() {
        let [first, more] = joined(&[
            ("main.js", "/** Starts. */\n\nimport { a, b as c } from './ui/x.js';\n\nawait a(c);\n"),
            (
                "ui/x.js",
                "import { go } from '../go.js';\n/** @type {import('../go.js').Go} */ export const kept = 1;\nexport const b = '/* no comment */ // at all';\n/**\n * Long.\n */\nexport async function a() {\n  // Later.\n  return import('../late.js');\n}\nclass Own {\n  /** @type {string} */ name = 'x';\n}\n",
            ),
            ("late.js", "import { go } from './go.js';\nexport const late = go;\n"),
            ("go.js", "export function go() {}\nexport class Gone {}\n"),
        ]);
        assert_eq!(
            first.strip_prefix(PRELUDE).expect("the prelude"),
            "$made['main.js'] = async () => {\nconst { a, b: c } = $need('ui/x.js');\nawait a(c);\nreturn {  };\n};\n\
             $made['ui/x.js'] = () => {\nconst { go } = $need('go.js');\nconst kept = 1;\nconst b = '/* no comment */ // at all';\n\
             async function a() {\n  return $load('late.js');\n}\nclass Own {\nname = 'x';\n}\nreturn { kept, b, a };\n};\n\
             $made['go.js'] = () => {\nfunction go() {}\nclass Gone {}\nreturn { go, Gone };\n};\n\
             queueMicrotask(() => $need('main.js'));\n"
        );
        assert_eq!(
            more,
            "import { $made, $need, $load } from './client.js';\n\
             $made['late.js'] = () => {\nconst { go } = $need('go.js');\nconst late = go;\nreturn { late };\n};\n"
        );
    }

    #[test]
    fn an_import_may_span_several_lines() {
        let [first, _] = joined(&[
            ("main.js", "import {\n  a,\n  // Renamed.\n  b as c,\n} from './x.js';\n\na(c);\n"),
            ("x.js", "export const a = {\n  b: 1,\n};\nexport function b() {}\n"),
        ]);
        assert_eq!(
            first.strip_prefix(PRELUDE).expect("the prelude"),
            "$made['main.js'] = async () => {\nconst { a, b: c, } = $need('x.js');\na(c);\nreturn {  };\n};\n\
             $made['x.js'] = () => {\nconst a = {\n  b: 1,\n};\nfunction b() {}\nreturn { a, b };\n};\n\
             queueMicrotask(() => $need('main.js'));\n"
        );
    }

    #[test]
    fn the_client_is_written_in_what_is_understood() {
        let modules = client();
        assert!(modules.len() > 60, "{} modules", modules.len());
        for (path, text) in &modules {
            let code = code(text);
            for line in code.lines() {
                if line.starts_with("import") {
                    let (names, _) = import(line).unwrap_or_else(|| panic!("{path}: {line}"));
                    assert!(!names.contains("//"), "a comment hides the rest of {path}: {line}");
                }
                assert!(!line.starts_with("} from"), "{path}: {line}");
                let Some(rest) = line.strip_prefix("export ") else { continue };
                let known = ["async function ", "function ", "const ", "class "];
                assert!(known.iter().any(|word| rest.starts_with(word)), "{path}: {line}");
                assert!(!declared(rest).is_empty(), "{path}: {line}");
            }
            let is_async =
                code.lines().any(|line| line.starts_with("await ") || line.starts_with("for await"));
            assert!(!is_async || path == MAIN, "{path} waits for something");
        }
        let [first, more] = scripts(&modules);
        assert!(first.len() > 50_000 && more.len() > 50_000, "{} and {} bytes", first.len(), more.len());
        let script = first.replacen("import('./more.js')", "", 1) + &more;
        assert!(!script.contains("import("), "a module that is loaded from elsewhere");
        let mut names: Vec<&str> = Vec::new();
        for needed in script.split("$need('").skip(1).chain(script.split("$load('").skip(1)) {
            names.push(needed.split('\'').next().expect("a name"));
        }
        assert!(names.iter().all(|name| modules.iter().any(|(path, _)| path == name)), "{names:?}");
    }

    #[test]
    fn no_module_of_the_client_needs_itself() {
        let modules = client();
        let needs = |path: &str| -> Vec<String> {
            let text = &modules.iter().find(|(known, _)| known == path).expect("a module").1;
            code(text).lines().filter_map(import).map(|(_, from)| resolve(path, from)).collect()
        };
        // Depth first: a path on the way that comes again is a circle.
        fn walk(
            path: &str,
            way: &mut Vec<String>,
            done: &mut Vec<String>,
            needs: &dyn Fn(&str) -> Vec<String>,
        ) {
            assert!(!way.iter().any(|seen| seen == path), "{way:?} → {path}");
            if done.iter().any(|seen| seen == path) {
                return;
            }
            way.push(path.to_owned());
            needs(path).iter().for_each(|next| walk(next, way, done, needs));
            done.extend(way.pop());
        }
        let mut done = Vec::new();
        modules.iter().for_each(|(path, _)| walk(path, &mut Vec::new(), &mut done, &needs));
        assert_eq!(done.len(), modules.len());
    }

    #[test]
    fn the_page_asks_for_what_is_joined_and_every_sheet_is_in_it() {
        let page = Web::get("index.html").expect("the page").data;
        let page = String::from_utf8_lossy(&page).into_owned();
        assert!(page.contains("<script type=\"module\" src=\"/client.js\">"), "{page}");
        assert!(page.contains("<link rel=\"stylesheet\" href=\"/client.css\">"), "{page}");
        let mut sheets: Vec<_> = Web::iter().filter(|path| path.ends_with(".css")).collect();
        sheets.sort();
        let mut joined = SHEETS.to_vec();
        joined.sort_unstable();
        assert_eq!(sheets, joined);
    }
}
