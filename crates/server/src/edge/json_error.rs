//! Why JSON does not fit, in the words of the protocol: serde says it in those of Rust, with the names of types.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{Error as ValueError, MapAccessDeserializer};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// What is read from a JSON object. Without this, serde takes a list of the values, too.
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(fields)).map(Object)
            }
        }
        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// What serde says, in the words of JSON: `expected an object, found a list at line 1 column 0`.
pub(crate) fn plain_message(message: &str) -> String {
    let (text, place) = message.split_at(message.rfind(" at line ").unwrap_or(message.len()));
    let is_no_form = ["data did not match any variant of untagged enum ", "no variant of enum "];
    if is_no_form.iter().any(|begin| text.starts_with(begin)) {
        return format!("none of the known forms fits{place}");
    }
    // The last one is serde's; those before it are in what the client wrote.
    let Some((found, expected)) = text.rsplit_once(", expected ") else { return message.to_owned() };
    let expected = kind_of(expected);
    match found.strip_prefix("invalid type: ").or_else(|| found.strip_prefix("invalid value: ")) {
        Some("map") => format!("expected {expected}, found an object{place}"),
        Some("sequence") => format!("expected {expected}, found a list{place}"),
        Some(other) => format!("expected {expected}, found {other}{place}"),
        None => match found.strip_prefix("unknown variant ") {
            Some(word) => format!("unknown word {word}, expected {expected}{place}"),
            None => format!("{found}, expected {expected}{place}"),
        },
    }
}

/// What an error of reading JSON or a query says, with the field that it is about: `` `name`: expected a string … ``.
/// The innermost cause counts, without axum's preface.
pub(crate) fn explain(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    loop {
        if let Some(found) = innermost.downcast_ref::<serde_path_to_error::Error<serde_json::Error>>() {
            return at(found.path(), found.inner());
        }
        if let Some(found) = innermost.downcast_ref::<serde_path_to_error::Error<ValueError>>() {
            return at(found.path(), found.inner());
        }
        match innermost.source() {
            Some(source) => innermost = source,
            None => return plain_message(&innermost.to_string()),
        }
    }
}

fn at(path: &serde_path_to_error::Path, error: &dyn Error) -> String {
    let why = plain_message(&error.to_string());
    let path = path.to_string();
    // Within a key that is not read to its end, the path ends with a question mark.
    let path = path.trim_end_matches('?').trim_end_matches('.');
    // Fields that are unknown are named by serde itself; the whole document has no name.
    if path.is_empty() || why.starts_with("unknown field ") { why } else { format!("`{path}`: {why}") }
}

/// The JSON name of a kind of value.
pub(crate) fn kind_of(expected: &str) -> String {
    let number = |least: i128, most: i128| format!("a whole number from {least} to {most}");
    match expected {
        "u8" => number(0, u8::MAX.into()),
        "u16" => number(0, u16::MAX.into()),
        "u32" => number(0, u32::MAX.into()),
        "u64" | "usize" | "u128" => "a whole number from 0".to_owned(),
        "i8" => number(i8::MIN.into(), i8::MAX.into()),
        "i16" => number(i16::MIN.into(), i16::MAX.into()),
        "i32" => number(i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" | "i128" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "an object".to_owned(),
        "unit" => "null".to_owned(),
        "a formatted UUID string" => "a UUID".to_owned(),
        "variant identifier" => "a word".to_owned(),
        "map with a single key" => "an object with one field".to_owned(),
        "string or map" => "a string or an object".to_owned(),
        _ => match expected.split(' ').collect::<Vec<_>>()[..] {
            ["a", "tuple", "of", "size", size] => format!("a list of {size}"),
            ["an", "array", "of", "length", size] => format!("a list of {size}"),
            ["tuple", ..] => "a list".to_owned(),
            ["unit", ..] => "null".to_owned(),
            ["struct" | "internally" | "adjacently", ..] => "an object".to_owned(),
            ["enum" | "newtype", ..] => "another form".to_owned(),
            _ => expected.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use kingscross_protocol::{
        ClientMessage, Credentials, NewReport, NewToken, PositionRequest, ViewRequest,
    };
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;

    const WRONG: [&str; 11] =
        ["null", "[]", "{}", "1", "-1", "1.5", "true", "\"x\"", "[1]", "[[]]", "{\"type\": [1]}"];

    /// What is said of a text that does not fit, if it does not.
    fn said<T: DeserializeOwned>(text: &str) -> Option<String> {
        serde_json::from_str::<Object<T>>(text).err().map(|error| plain_message(&error.to_string()))
    }

    #[test]
    fn a_field_that_does_not_fit_is_named() {
        let said = |text: &str| {
            let mut deserializer = serde_json::Deserializer::from_str(text);
            let read: Result<Object<NewToken>, _> = serde_path_to_error::deserialize(&mut deserializer);
            explain(&read.err().expect("it does not fit"))
        };
        let text = r#"{"name": "robot", "scopes": [1]}"#;
        assert!(said(text).starts_with("`scopes[0]`: expected "), "{}", said(text));
        let text = r#"{"name": ["robot"], "scopes": []}"#;
        assert_eq!(said(text), "`name`: expected a string, found a list at line 1 column 9");
        assert_eq!(said("[]"), "expected an object, found a list at line 1 column 0");
        assert_eq!(said("{"), "EOF while parsing an object at line 1 column 1");
        let cut = said(r#"{"name": "robot", "sc"#);
        assert!(cut.starts_with("EOF while parsing a string"), "{cut}");
    }

    #[track_caller]
    fn check(said: &str, text: &str) {
        // Words in backticks come from the client or the protocol.
        let own: String = said.split('`').step_by(2).collect();
        let words = own.split(|c: char| !c.is_alphanumeric() && c != '_').collect::<Vec<_>>();
        for word in
            ["struct", "enum", "tuple", "variant", "sequence", "map", "u8", "u32", "u64", "i64", "f64"]
        {
            assert!(!words.contains(&word), "{text}: {said}");
        }
        // Names of types have a capital within a word.
        let is_camel = |word: &&str| {
            let signs: Vec<char> = word.chars().collect();
            signs.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase())
        };
        assert!(!words.iter().any(is_camel), "{text}: {said}");
    }

    /// Every text with one value, at any depth, replaced by a wrong one.
    fn spoilt(value: &Value) -> Vec<Value> {
        let mut all: Vec<Value> =
            WRONG.iter().map(|wrong| serde_json::from_str(wrong).expect("JSON")).collect();
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    for wrong in spoilt(field) {
                        let mut changed = fields.clone();
                        changed.insert(name.clone(), wrong);
                        all.push(Value::Object(changed));
                    }
                    let mut shorter = fields.clone();
                    shorter.remove(name);
                    all.push(Value::Object(shorter));
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    for wrong in spoilt(item) {
                        let mut changed = items.clone();
                        changed[at] = wrong;
                        all.push(Value::Array(changed));
                    }
                }
            }
            _ => {}
        }
        all
    }

    #[test]
    fn no_message_that_does_not_fit_is_answered_with_a_name_of_ours() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/examples");
        let mut refused = 0;
        for file in std::fs::read_dir(folder).expect("the examples") {
            let path = file.expect("a file").path();
            if !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("client.")) {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("text");
            let examples: Vec<Value> = serde_json::from_str(&text).expect("a list");
            for value in examples.iter().flat_map(spoilt) {
                let text = value.to_string();
                if let Some(said) = said::<ClientMessage>(&text) {
                    check(&said, &text);
                    refused += 1;
                }
            }
        }
        assert!(refused > 1000, "{refused}");
    }

    #[test]
    fn no_body_that_does_not_fit_is_answered_with_a_name_of_ours() {
        fn all<T: DeserializeOwned>(example: &Value) {
            assert_eq!(said::<T>(&example.to_string()), None, "{example}");
            for value in spoilt(example) {
                let text = value.to_string();
                if let Some(said) = said::<T>(&text) {
                    check(&said, &text);
                }
            }
            assert!(said::<T>("[]").is_some_and(|said| said.starts_with("expected an object, found a list")));
        }
        all::<Credentials>(&json!({ "name": "Ada", "password": "x" }));
        all::<NewToken>(&json!({ "name": "robot", "scopes": ["read"] }));
        all::<NewReport>(&json!({ "user": uuid::Uuid::nil(), "reason": "abuse", "note": "x" }));
        all::<PositionRequest>(&json!({ "variant": "crossfire", "actions": ["k2-k4"] }));
        all::<ViewRequest>(&json!({ "pgn4": "1. k2-k4", "game": 1 }));
    }

    #[test]
    fn what_a_client_wrote_is_repeated_as_it_is() {
        let id = uuid::Uuid::nil();
        let text = json!({ "id": id, "type": "hello", "version": ", expected struct X" }).to_string();
        let said = said::<ClientMessage>(&text).expect("no number");
        let wanted = "expected a whole number from 0 to 4294967295, found string \", expected struct X\"";
        assert!(said.starts_with(wanted), "{said}");
        for (text, wanted) in [
            ("null", "expected an object, found null at line 1 column 4"),
            ("1", "expected an object, found integer `1` at line 1 column 1"),
            ("[]", "expected an object, found a list at line 1 column 0"),
        ] {
            assert_eq!(self::said::<ClientMessage>(text).as_deref(), Some(wanted));
        }
    }
}
