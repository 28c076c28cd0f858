//! The one rule for all that people write freely: what is shown to others must be what it looks like.

pub(crate) mod phrases;

use kingscross_protocol::{ErrorBody, ErrorCode};
use unicode_normalization::char::is_combining_mark;

/// Marks that may stand on one letter; more of them cover the lines above and below.
const MARKS: usize = 4;

/// Whether a text may have several lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// One, as in names of things and what is said at a table.
    One,
    /// Several, as in a note.
    Several,
}

/// A text that is at most `longest` characters long, without the space around it. Refused as `bad_text`: characters
/// that cannot be seen or that turn the direction of writing, control characters, and heaps of marks.
pub(crate) fn clean<'a>(
    what: &str,
    text: &'a str,
    longest: usize,
    lines: Lines,
) -> Result<&'a str, ErrorBody> {
    let refuse = |why: String| Err(ErrorBody::new(ErrorCode::BadText, why));
    let text = text.trim();
    if text.chars().count() > longest {
        return refuse(format!("{what} has at most {longest} characters."));
    }
    let (mut before, mut marks) = (None, 0);
    for (index, c) in text.char_indices() {
        marks = if is_combining_mark(c) { marks + 1 } else { 0 };
        let is_break = c == '\n' && lines == Lines::Several;
        let after = text[index..].chars().nth(1);
        if marks > MARKS || (is_hidden(c) && !is_break && !joins(before, c, after)) {
            let code = u32::from(c);
            return refuse(format!(
                "{what} has a character that is not to be seen or misleads (U+{code:04X})."
            ));
        }
        before = Some(c);
    }
    Ok(text)
}

/// The same, and not empty.
pub(crate) fn filled<'a>(
    what: &str,
    text: &'a str,
    longest: usize,
    lines: Lines,
) -> Result<&'a str, ErrorBody> {
    match clean(what, text, longest, lines)? {
        "" => Err(ErrorBody::new(ErrorCode::BadText, format!("{what} is empty."))),
        text => Ok(text),
    }
}

/// Zero-width joiners and non-joiners belong between the letters of scripts that join, and into pictures that are made
/// of several; between other letters they only make two texts of one look.
fn joins(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_joined = |c: char| c >= '\u{600}' && !is_hidden(c);
    matches!(c, '\u{200c}' | '\u{200d}') && before.is_some_and(is_joined) && after.is_some_and(is_joined)
}

/// Control and format characters, invisible fillers, line separators, and code points that are not characters.
/// Variation selectors count as seen: they choose how the character before them looks.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || u32::from(c) & 0xfffe == 0xfffe
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffc}' | '\u{e000}'..='\u{f8ff}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<&str, ErrorCode> {
        clean("A text", text, 40, Lines::One).map_err(|error| error.code)
    }

    #[test]
    fn what_people_write_in_many_scripts_is_taken_as_it_is() {
        for text in [
            "Well played!",
            "żółć — «да», 好棋",
            "می\u{200c}خواهم",
            "👩\u{200d}👧 🏳\u{fe0f}",
            "नमस्ते",
            "e\u{301}",
            "a  b",
        ] {
            assert_eq!(one(text), Ok(text));
        }
        assert_eq!(one("  spaces around \n"), Ok("spaces around"));
    }

    #[test]
    fn what_cannot_be_seen_is_refused() {
        for hidden in [
            "\u{0}",
            "\u{7}",
            "\u{1b}",
            "\t",
            "\n",
            "\r",
            "\u{85}",
            "\u{ad}",
            "\u{200b}",
            "\u{200c}",
            "\u{200d}",
            "\u{200e}",
            "\u{202e}",
            "\u{2028}",
            "\u{2066}",
            "\u{2060}",
            "\u{feff}",
            "\u{3164}",
            "\u{2800}",
            "\u{e0041}",
            "\u{e000}",
            "\u{ffff}",
            "\u{10ffff}",
        ] {
            assert_eq!(one(&format!("a{hidden}b")), Err(ErrorCode::BadText), "{hidden:?}");
        }
        assert_eq!(one(&format!("a{}", "\u{301}".repeat(5))), Err(ErrorCode::BadText), "a heap of marks");
        assert_eq!(one(&"x".repeat(41)), Err(ErrorCode::BadText));
    }

    #[test]
    fn a_note_may_have_lines_and_nothing_else_of_the_kind() {
        let note = |text| clean("A note", text, 40, Lines::Several).map_err(|error| error.code);
        assert_eq!(note("one\ntwo"), Ok("one\ntwo"));
        assert_eq!(note("one\r\ntwo"), Err(ErrorCode::BadText));
        assert_eq!(note("one\u{202e}two"), Err(ErrorCode::BadText));
    }
}
