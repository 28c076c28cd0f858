//! What may be said at a table.

use kingscross_protocol::{ErrorBody, ErrorCode, Saying, Setup};

/// The keys of the preset phrases, which clients translate.
pub const PHRASES: [&str; 12] = [
    "hello",
    "good_luck",
    "have_fun",
    "thanks",
    "well_played",
    "nice_move",
    "good_game",
    "sorry",
    "oops",
    "wow",
    "one_more",
    "bye",
];

/// The longest free text, in characters.
pub const LONGEST_TEXT: usize = 200;

/// Refuses what may not be said in this game.
pub fn check(what: &Saying, setup: &Setup) -> Result<(), ErrorBody> {
    let refused = |message: &str| Err(ErrorBody::new(ErrorCode::BadPhrase, message));
    match what {
        Saying::Phrase(key) if PHRASES.contains(&key.as_str()) => Ok(()),
        Saying::Phrase(_) => refused("There is no such phrase."),
        Saying::Text(_) if setup.rated || !setup.free_chat => refused("Here one speaks in preset phrases."),
        Saying::Text(text) if text.trim().is_empty() => refused("The text is empty."),
        Saying::Text(text) if text.chars().count() > LONGEST_TEXT => {
            refused("A text has at most 200 characters.")
        }
        Saying::Text(text) if text.chars().any(|c| c.is_control() && c != '\n') => {
            refused("The text contains control characters.")
        }
        Saying::Text(_) => Ok(()),
    }
}
