//! The extras of FEN4: named values between braces.

use std::collections::BTreeMap;

use super::{BadFen4, bad};

/// One value of the extras: a word, a number or a list in round brackets.
#[derive(Debug)]
pub(super) struct Extra {
    pub(super) text: String,
}

impl Extra {
    pub(super) fn list(&self) -> Vec<String> {
        let inner = self.text.trim_start_matches('(').trim_end_matches(')');
        inner.split(',').map(|part| part.trim_matches('\'').to_owned()).collect()
    }
}

/// Reads `'key':value,…`; a value is quoted text, a word, or a bracketed list. Unknown keys are carried along.
pub(super) fn parse_extras(text: &str) -> Result<BTreeMap<String, Extra>, BadFen4> {
    let mut extras = BTreeMap::new();
    for part in split_outside(text) {
        if part.is_empty() {
            continue;
        }
        let Some((key, value)) = part.split_once(':') else { return bad("an extra without a value") };
        let quoted = value.starts_with('\'') && value.len() > 1;
        let value = if quoted { value.trim_matches('\'') } else { value };
        extras.insert(key.trim_matches(['\'', '"']).to_owned(), Extra { text: value.to_owned() });
    }
    Ok(extras)
}

/// Splits at the commas that stand outside brackets and quotes.
fn split_outside(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut quoted, mut begun) = (0_usize, false, 0);
    for (at, c) in text.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                parts.push(&text[begun..at]);
                begun = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begun..]);
    parts
}
