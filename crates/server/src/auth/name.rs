//! Which names people may have, and which two names are the same.

use std::fmt;

use unicode_normalization::UnicodeNormalization;
use unicode_security::{GeneralSecurityProfile, RestrictionLevel, RestrictionLevelDetection, skeleton};

/// The fewest characters of a name.
const SHORTEST: usize = 3;
/// The most characters of a name.
const LONGEST: usize = 20;

/// Keys of names that would pass for the server or its staff.
const RESERVED: [&str; 13] = [
    "admin",
    "administrator",
    "anonymous",
    "bot",
    "deleted",
    "deleted player",
    "guest",
    "kingscross",
    "moderator",
    "root",
    "server",
    "staff",
    "system",
];

/// A name that may be shown, in Unicode's compatible composed form (NFKC).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    text: String,
    key: NameKey,
}

/// The key that names are looked up by: names that look alike, or differ only in case or width, have the same key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NameKey(String);

/// Why a name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// Fewer than 3 or more than 20 characters.
    #[error("a name has 3 to 20 characters")]
    Length,
    /// A character that is invisible, or not a letter, a digit or one of ` `, `-`, `_`, `.`, `'`.
    #[error(
        "a name has letters and digits, and between them single spaces, hyphens, dots, underscores or apostrophes"
    )]
    Character,
    /// Letters of scripts that are not used together, by which one name can pass for another.
    #[error("a name must use one script only")]
    MixedScripts,
    /// One of the names that would pass for the server or its staff.
    #[error("this name is reserved")]
    Reserved,
}

impl Name {
    /// Checks a name that someone wants to have.
    pub fn new(wanted: &str) -> Result<Self, BadName> {
        // Checked before it is normalised: one character can become eighteen.
        if wanted.len() > 200 {
            return Err(BadName::Length);
        }
        let text: String = wanted.nfkc().collect();
        let length = text.chars().count();
        if !(SHORTEST..=LONGEST).contains(&length) {
            return Err(BadName::Length);
        }
        let mut joined = true;
        for c in text.chars() {
            let is_letter = !is_joint(c) && is_letter_digit_or_mark(c) && c.identifier_allowed();
            if !is_letter && (!is_joint(c) || joined) {
                return Err(BadName::Character);
            }
            joined = is_joint(c);
        }
        if joined || !text.chars().any(char::is_alphabetic) {
            return Err(BadName::Character);
        }
        let letters: String = text.chars().filter(|&c| !is_joint(c)).collect();
        if !letters.as_str().check_restriction_level(RestrictionLevel::HighlyRestrictive) {
            return Err(BadName::MixedScripts);
        }
        let key = NameKey::of(&text);
        if RESERVED.iter().any(|reserved| NameKey::of(reserved) == key) {
            return Err(BadName::Reserved);
        }
        Ok(Self { text, key })
    }

    /// As it is shown.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// As it is looked up.
    pub fn key(&self) -> &NameKey {
        &self.key
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl NameKey {
    /// The key of any text, allowed as a name or not.
    pub fn of(text: &str) -> Self {
        let folded: String = text.chars().take(200).nfkc().flat_map(char::to_lowercase).nfkc().collect();
        // The skeleton of Unicode TS 39 maps every character to the one that it looks like; some of these are capitals.
        let alike: String = skeleton(&folded).flat_map(char::to_lowercase).collect();
        let counts = |&c: &char| !matches!(c, ' ' | '-' | '_' | '.' | '\'' | '\u{2010}'..='\u{2019}');
        // A capital I looks like l, so i, l and 1 are the same.
        Self(alike.chars().filter(counts).map(|c| if c == 'i' { 'l' } else { c }).collect())
    }

    /// The key of the beginning of a name; none if no name can begin so, or with fewer than 2 letters or digits.
    pub fn of_beginning(text: &str) -> Option<Self> {
        let folded: Vec<char> = text.chars().take(LONGEST + 1).nfkc().collect();
        let is_letter = |c: char| is_letter_digit_or_mark(c) && c.identifier_allowed();
        let fits = folded.len() <= LONGEST
            && folded.first().is_some_and(|&first| is_letter(first))
            && folded.iter().all(|&c| is_letter(c) || is_joint(c))
            && folded.iter().filter(|&&c| is_letter(c)).count() >= 2;
        fits.then(|| Self::of(text))
    }

    /// As the database holds it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The characters allowed between the letters of a name.
fn is_joint(c: char) -> bool {
    matches!(c, ' ' | '-' | '_' | '.' | '\'')
}

fn is_letter_digit_or_mark(c: char) -> bool {
    c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> NameKey {
        NameKey::of(text)
    }

    #[test]
    fn ordinary_names_of_many_scripts_are_allowed() {
        for name in [
            "Ada",
            "Zoë-Ann",
            "O'Neill",
            "Jürgen 2",
            "李小龍九",
            "Владимир",
            "佐藤たろう",
            "محمد",
            "Ίκαρος",
            "a.b_c",
        ] {
            assert_eq!(Name::new(name).map(|name| name.text), Ok(name.to_owned()), "{name}");
        }
    }

    #[test]
    fn length_is_counted_in_characters_of_the_folded_form() {
        assert_eq!(Name::new("Al"), Err(BadName::Length));
        assert!(Name::new(&"é".repeat(20)).is_ok());
        assert_eq!(Name::new(&"e".repeat(21)), Err(BadName::Length));
        assert_eq!(Name::new("ﷺﷺ"), Err(BadName::Length), "a ligature unfolds to 18 characters");
        assert_eq!(Name::new(&"ﷺ".repeat(100_000)), Err(BadName::Length));
    }

    #[test]
    fn invisible_and_foreign_characters_are_refused() {
        for name in [
            "ad\u{200b}min",
            "ali\u{202e}ce",
            "bob\u{0}",
            "bob\n",
            "tab\there",
            "two  spaces",
            " lead",
            "trail ",
            "<b>x</b>",
            "a\u{ad}bc",
            "emoji😀",
            "a\u{3164}b",
            "a/b/c",
            "---",
            "123",
            "a\u{fe0f}bc",
            "\u{2028}abc",
        ] {
            assert_eq!(Name::new(name), Err(BadName::Character), "{name:?}");
        }
    }

    #[test]
    fn scripts_that_can_be_taken_for_each_other_are_not_mixed() {
        assert_eq!(Name::new("Alicе"), Err(BadName::MixedScripts), "the last letter is Cyrillic");
        assert_eq!(Name::new("ΑdamSmith"), Err(BadName::MixedScripts), "the first letter is Greek");
    }

    #[test]
    fn names_that_differ_in_case_width_or_look_only_are_one() {
        assert_eq!(key("Alice"), key("aLICE"));
        assert_eq!(key("Ａｌｉｃｅ"), key("Alice"));
        assert_eq!(key("раура"), key("paypa"), "Cyrillic throughout");
        assert_eq!(key("B0B"), key("bob"));
        assert_eq!(key("pau1"), key("paul"));
        assert_eq!(key("Iris"), key("lris"));
        assert_eq!(key("ﬁsh"), key("fish"));
        assert_eq!(key("Anna-Lena"), key("Anna Lena"));
        assert_ne!(key("Anna"), key("Hanna"));
    }

    #[test]
    fn only_what_a_name_begins_with_is_looked_for() {
        for text in ["Ad", "Ada ", "Ada L", "李小", "o'n", "раура"] {
            assert_eq!(NameKey::of_beginning(text), Some(key(text)), "{text}");
        }
        for text in [
            "",
            "a",
            "%",
            "%%",
            "ad%",
            "a_",
            "*",
            "ad\u{0}",
            "ad\u{202e}a",
            " ad",
            "½½",
            "ad,",
            &"a".repeat(21),
        ] {
            assert_eq!(NameKey::of_beginning(text), None, "{text}");
        }
    }

    #[test]
    fn names_of_the_staff_are_reserved() {
        for name in ["Admin", "ADM1N", "kings-cross", "Systеm", "Deleted Player", "deleted-player"] {
            assert!(matches!(Name::new(name), Err(BadName::Reserved | BadName::MixedScripts)), "{name}");
        }
        assert_eq!(Name::new("Admin"), Err(BadName::Reserved));
    }
}
