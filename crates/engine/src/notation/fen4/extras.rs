//! The extras of FEN4: named values between braces.

use std::collections::BTreeMap;

use super::{BadFen4, bad};

/// Keys that have a meaning here; all others are kept as they are.
const OWN: [&str; 10] =
    ["enPassant", "gameOver", "left", "offer", "passes", "phase", "ply", "resultPoints", "ruleset", "status"];

/// More of other programs' extras is not kept: what is written must be short enough to be read again.
const MAX_KEPT: usize = 8 * 1024;

/// One value of the extras: a word, a number or a list in round brackets.
#[derive(Debug)]
pub(super) struct Extra {
    /// As written.
    raw: String,
    /// Without the quotes around it.
    pub(super) text: String,
}

impl Extra {
    pub(super) fn list(&self) -> Vec<String> {
        let inner = self.text.trim_start_matches('(').trim_end_matches(')');
        inner.split(',').map(|part| part.trim().trim_matches('\'').trim().to_owned()).collect()
    }
}

/// The extras by their keys.
pub(super) type Extras = BTreeMap<String, Extra>;

/// Extras of other programs that change the game; what is said of each. They are kept, and no rule here knows them.
const RULES: [(&str, &str); 15] = [
    ("lives", "how many lives each army has"),
    ("royal", "which piece is the king"),
    ("kingSquares", "which piece is the king"),
    ("zombieImmune", "which dead pieces cannot be taken"),
    ("zombieType", "how dead pieces move"),
    ("pawnsBaseRank", "from where pawns step twice"),
    ("pawnBaseRank", "from where pawns step twice"),
    ("pawnPromotionRank", "where pawns are promoted"),
    ("promotionRank", "where pawns are promoted"),
    ("bank", "which pieces can be dropped"),
    ("seirawanDrops", "which pieces can be dropped"),
    ("std2pc", "that it is a game of two"),
    ("wb", "that it is a game of White and Black"),
    ("noCorners", "that the corners are part of the board"),
    ("cb", "how the board is coloured"),
];

/// What extras say that changes the game, one sentence each.
///
/// # Errors
/// The board has another size.
pub(super) fn note_rules(extras: &Extras, dropped: &mut Vec<String>) -> Result<(), BadFen4> {
    if let Some(size) = extras.get("dim").filter(|size| size.text != "14x14") {
        let shown: String = size.text.chars().take(20).collect::<String>().escape_debug().to_string();
        return bad(format!("the extra dim says {shown}, and the board is 14x14"));
    }
    for (key, what) in RULES {
        let Some(extra) = extras.get(key) else { continue };
        let is_usual = match key {
            "pawnsBaseRank" | "pawnBaseRank" => extra.text == "2",
            // The kings are on the board.
            "royal" | "kingSquares" | "zombieType" | "bank" => extra.list().iter().all(String::is_empty),
            _ => extra.list().iter().all(|said| matches!(said.as_str(), "" | "false" | "False" | "0")),
        };
        if !is_usual {
            dropped.push(format!("{what} (the extra {key}, which is kept and means nothing here)"));
        }
    }
    Ok(())
}

/// Reads `'key':value,…`; a value is quoted text, a word, or a bracketed list. Unknown keys are carried along.
pub(super) fn parse_extras(text: &str) -> Result<Extras, BadFen4> {
    let mut extras = BTreeMap::new();
    for part in split_outside(text) {
        if part.is_empty() {
            continue;
        }
        let Some((key, raw)) = part.split_once(':') else { return bad("an extra without a value") };
        let quoted = raw.starts_with('\'') && raw.len() > 1;
        let value = if quoted { raw.trim_matches('\'').trim() } else { raw };
        let extra = Extra { raw: raw.to_owned(), text: value.to_owned() };
        extras.insert(key.trim_matches('\'').to_owned(), extra);
    }
    Ok(extras)
}

/// The extras that are not ours, as they are written, and the keys of those that cannot be written again.
pub(super) fn foreign(extras: &Extras) -> (String, Vec<String>) {
    let (mut kept, mut lost) = (String::new(), Vec::new());
    for (key, extra) in extras.iter().filter(|(key, _)| !OWN.contains(&key.as_str())) {
        let text = format!("'{key}':{}", extra.raw);
        if key.contains(['\'', '{', '}', '(', ')'])
            || !is_closed(&extra.raw)
            || kept.len() + text.len() > MAX_KEPT
        {
            lost.push(key.clone());
            continue;
        }
        if !kept.is_empty() {
            kept.push(',');
        }
        kept.push_str(&text);
    }
    (kept, lost)
}

/// One form of quotes, and no blanks but single ones inside quotes.
pub(super) fn without_blanks(text: &str) -> String {
    let pairs = text.matches(['\'', '"']).count().is_multiple_of(2);
    let (mut quoted, mut tidy) = (false, String::with_capacity(text.len()));
    for c in text.chars() {
        match c {
            '\'' | '"' => {
                quoted = !quoted;
                tidy.push('\'');
            }
            c if c.is_whitespace() && quoted && pairs && !tidy.ends_with(' ') => tidy.push(' '),
            c if c.is_whitespace() || c.is_control() => {}
            c => tidy.push(c),
        }
    }
    tidy
}

/// Does every quote and bracket of the text end in it?
fn is_closed(text: &str) -> bool {
    let (mut depth, mut quoted) = (0_i32, false);
    for c in text.chars() {
        match c {
            '\'' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && !quoted
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
