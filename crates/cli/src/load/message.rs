//! What the load tool reads of a server's message: only what it checks, so that clients cost little beside the server.

use kingscross_protocol::{Clocks, CommandId, GameId, SeatLetter};
use serde::Deserialize;

/// A message of the server, in part; borrowed from its text.
#[derive(Debug, Deserialize)]
pub(crate) struct Message<'a> {
    #[serde(rename = "type", borrow)]
    pub(crate) kind: &'a str,
    #[serde(default)]
    pub(crate) id: Option<CommandId>,
    #[serde(default)]
    pub(crate) code: Option<&'a str>,
    #[serde(default)]
    pub(crate) game: Option<GameId>,
    #[serde(default)]
    pub(crate) seq: Option<u32>,
    #[serde(default)]
    pub(crate) hash: Option<&'a str>,
    #[serde(default)]
    pub(crate) event: Option<Event<'a>>,
    #[serde(default)]
    pub(crate) change: Option<Change>,
    #[serde(default)]
    pub(crate) clocks: Option<Clocks>,
    #[serde(default)]
    pub(crate) legal: Option<Vec<Choice<'a>>>,
}

/// An event, in part.
#[derive(Debug, Deserialize)]
pub(crate) struct Event<'a> {
    #[serde(borrow)]
    pub(crate) kind: &'a str,
    #[serde(default)]
    pub(crate) seat: Option<SeatLetter>,
    #[serde(default)]
    pub(crate) spent: u32,
    #[serde(default)]
    pub(crate) refund: u32,
    #[serde(default)]
    pub(crate) clock: Option<u32>,
}

/// What an event changed on the board, in part.
#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    pub(crate) ply: u32,
}

/// A legal move.
#[derive(Debug, Deserialize)]
pub(crate) struct Choice<'a> {
    #[serde(borrow)]
    pub(crate) mv: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_of_the_protocol_is_read() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/examples");
        let mut read = 0;
        for entry in std::fs::read_dir(folder).expect("the examples") {
            let path = entry.expect("readable").path();
            if !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("server.")) {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("readable");
            let examples: Vec<Box<serde_json::value::RawValue>> = serde_json::from_str(&text).expect("JSON");
            for example in examples {
                let message: Message<'_> =
                    serde_json::from_str(example.get()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                assert!(path.to_string_lossy().contains(message.kind));
                read += 1;
            }
        }
        assert!(read > 20);
    }
}
