//! What may be said at a table.

use kingscross_protocol::{ErrorBody, ErrorCode, Saying, Setup};

use crate::text::{self, Lines};

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

/// What is said, as everyone hears it. Refuses what may not be said in this game.
pub fn clean(what: Saying, setup: &Setup) -> Result<Saying, ErrorBody> {
    let refused = |message: &str| Err(ErrorBody::new(ErrorCode::BadPhrase, message));
    match what {
        Saying::Phrase(key) if PHRASES.contains(&key.as_str()) => Ok(Saying::Phrase(key)),
        Saying::Phrase(_) => refused("There is no such phrase."),
        Saying::Text(_) if setup.rated || !setup.free_chat => refused("Here one speaks in preset phrases."),
        Saying::Text(text) => {
            text::filled("A text", &text, LONGEST_TEXT, Lines::One).map(|text| Saying::Text(text.to_owned()))
        }
    }
}
