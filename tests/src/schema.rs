//! The API's own description, to hold its answers against.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::Answer;

/// An OpenAPI document, and which of its answers have been seen.
pub struct Described {
    /// The document.
    pub api: Value,
    seen: BTreeSet<(String, String, u16)>,
}

impl Described {
    /// Reads a document.
    pub fn new(api: Value) -> Self {
        Self { api, seen: BTreeSet::new() }
    }

    /// Every operation: path and method.
    pub fn operations(&self) -> Vec<(String, String)> {
        let paths = self.api["paths"].as_object().expect("paths").iter();
        paths
            .flat_map(|(path, methods)| {
                let methods = methods.as_object().expect("methods").keys();
                methods.map(move |method| (path.clone(), method.clone()))
            })
            .collect()
    }

    /// Whether an operation takes a body.
    pub fn takes_body(&self, path: &str, method: &str) -> bool {
        self.api["paths"][path][method]["requestBody"].is_object()
    }

    /// Whether an operation may be answered so.
    pub fn has(&self, path: &str, method: &str, status: u16) -> bool {
        self.api["paths"][path][method]["responses"][status.to_string()].is_object()
    }

    /// The answer is one of those described for this operation.
    #[track_caller]
    pub fn check(&mut self, path: &str, method: &str, answer: &Answer) {
        let operation = &self.api["paths"][path][method];
        let documented = &operation["responses"][answer.status.to_string()];
        assert!(
            documented.is_object(),
            "{method} {path}: {} is not documented: {}",
            answer.status,
            answer.text()
        );
        let kind = answer.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default();
        match documented["content"].as_object() {
            None => assert!(answer.body.is_empty(), "{method} {path}: an undocumented body"),
            Some(content) => {
                let schema =
                    &content.get(kind).unwrap_or_else(|| panic!("{method} {path}: {kind:?}"))["schema"];
                if kind == "application/json" {
                    fits(&self.api, schema, &answer.json())
                        .unwrap_or_else(|why| panic!("{method} {path}: {why}"));
                }
            }
        }
        self.seen.insert((path.to_owned(), method.to_owned(), answer.status));
    }

    /// Answers that are described and have not been seen.
    pub fn unseen(&self) -> Vec<(String, String, u16)> {
        let mut unseen = Vec::new();
        for (path, method) in self.operations() {
            let answers = self.api["paths"][&path][&method]["responses"].as_object().expect("answers");
            for status in answers.keys() {
                let key = (path.clone(), method.clone(), status.parse().expect("a status"));
                if !self.seen.contains(&key) {
                    unseen.push(key);
                }
            }
        }
        unseen
    }
}

/// Whether a value fits a schema, whose references point into a document.
///
/// # Errors
/// Where it does not.
pub fn fits(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let mut whole = schema.as_object().expect("a schema").clone();
    for folder in ["components", "$defs"] {
        if let Some(definitions) = document.get(folder) {
            whole.insert(folder.to_owned(), definitions.clone());
        }
    }
    let schema = jsonschema::draft202012::new(&Value::Object(whole)).expect("a sound schema");
    let faults = schema.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path()));
    let faults: Vec<String> = faults.collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}
