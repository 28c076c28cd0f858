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
                    fits(&self.api, schema, &answer.json(), "body")
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

/// Whether a value fits a schema: the part of JSON Schema that the API uses.
///
/// # Errors
/// Where it does not.
pub fn fits(api: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = api.pointer(&reference[1..]).ok_or_else(|| format!("{at}: no {reference}"))?;
        return fits(api, target, value, at);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        fits(api, part, value, at)?;
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(parts) = schema[key].as_array() {
            let fitting = parts.iter().filter(|part| fits(api, part, value, at).is_ok()).count();
            if fitting == 0 || (key == "oneOf" && fitting > 1) {
                return Err(format!("{at}: {fitting} of {key} fit {value}"));
            }
        }
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        return Err(format!("{at}: {value} is none of {values:?}"));
    }
    if let Some(only) = schema.get("const")
        && only != value
    {
        return Err(format!("{at}: {value} is not {only}"));
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    };
    let is = |kind: &&str| match *kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    if !kinds.is_empty() && !kinds.iter().any(is) {
        return Err(format!("{at}: {value} is no {kinds:?}"));
    }
    if let Some(object) = value.as_object() {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                return Err(format!("{at}: no {name}"));
            }
        }
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            if let Some(value) = object.get(name) {
                fits(api, schema, value, &format!("{at}.{name}"))?;
            }
        }
    }
    if let Some(items) = value.as_array() {
        let count = items.len() as u64;
        let (least, most) = (schema["minItems"].as_u64(), schema["maxItems"].as_u64());
        if least.is_some_and(|least| count < least) || most.is_some_and(|most| count > most) {
            return Err(format!("{at}: {count} items, not {least:?} to {most:?}"));
        }
    }
    for (index, value) in value.as_array().into_iter().flatten().enumerate() {
        let schema = schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
        fits(api, schema, value, &format!("{at}[{index}]"))?;
    }
    Ok(())
}
