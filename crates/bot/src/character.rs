//! What makes one bot play differently from another, as data.

use std::fmt;
use std::str::FromStr;

use kingscross_engine::Variant;

use crate::level::Level;

/// How a bot arrives at its move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumCount)]
pub enum Kind {
    /// Any legal move.
    Random,
    /// A mate, else the best capture.
    Greedy,
    /// Search in which all others play against the bot; with two players this is alpha-beta.
    Paranoid,
    /// Search in which everyone plays for itself.
    MaxN,
    /// Search in which, between two moves of the bot, one of the others makes the worst move for it.
    BestReply,
}

impl Kind {
    const ALL: [Kind; <Kind as strum::EnumCount>::COUNT] =
        [Kind::Random, Kind::Greedy, Kind::Paranoid, Kind::MaxN, Kind::BestReply];

    const fn name(self) -> &'static str {
        match self {
            Kind::Random => "random",
            Kind::Greedy => "greedy",
            Kind::Paranoid => "paranoid",
            Kind::MaxN => "maxn",
            Kind::BestReply => "brs",
        }
    }
}

/// The traits of a bot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Character {
    /// How it arrives at its move.
    pub kind: Kind,
    /// How many plies it looks ahead at most, captures that follow aside.
    pub sight: u8,
    /// How many captures in a row it follows beyond its sight.
    pub exchanges: u8,
    /// Of 100 moves further on in its search, how many it sees; what is far away on the board is overlooked first.
    pub attention: u8,
    /// How vague its judgement is, in hundredths of a pawn.
    pub blur: u16,
    /// How many nodes it searches at most, whatever the budget.
    pub nodes: u64,
}

impl Character {
    /// The traits of a level in a game.
    #[must_use]
    pub fn of(level: Level, variant: Variant) -> Character {
        let kind = strongest_kind(variant);
        let full = Character { kind, sight: 30, exchanges: 8, attention: 100, blur: 4, nodes: u64::MAX };
        match level {
            Level::Random => Character { kind: Kind::Random, ..full },
            Level::Greedy => Character { kind: Kind::Greedy, ..full },
            Level::Page => Character { sight: 1, exchanges: 0, attention: 60, blur: 60, ..full },
            Level::Squire => Character { sight: 1, exchanges: 2, attention: 60, blur: 60, ..full },
            Level::Captain => Character { sight: 2, exchanges: 4, attention: 80, blur: 30, ..full },
            Level::Marshal => Character { sight: 4, attention: 93, blur: 10, nodes: 1_500, ..full },
            Level::Sovereign => full,
        }
    }
}

/// The kind of search that won the tournament of docs/bots.md.
fn strongest_kind(variant: Variant) -> Kind {
    if variant.rules().turn_order.len() == 2 { Kind::Paranoid } else { Kind::BestReply }
}

/// The text describes no character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadCharacter(String);

impl fmt::Display for BadCharacter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadCharacter {}

impl Character {
    /// Reads a level's name and, after it, traits that differ from the level's: `sovereign,kind=maxn,nodes=4000`.
    ///
    /// # Errors
    /// If the level or a trait is unknown, or a number is none.
    pub fn read(text: &str, variant: Variant) -> Result<Character, BadCharacter> {
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default();
        let level: Level =
            name.parse().map_err(|_| BadCharacter(format!("no bot has the level `{name}`")))?;
        let mut character = Character::of(level, variant);
        for part in parts {
            let (key, value) =
                part.split_once('=').ok_or_else(|| BadCharacter(format!("`{part}` is not a trait")))?;
            match key {
                "kind" => {
                    let known = Kind::ALL.into_iter().find(|kind| kind.name() == value);
                    character.kind =
                        known.ok_or_else(|| BadCharacter(format!("no search is called `{value}`")))?;
                }
                "sight" => character.sight = number(value)?,
                "exchanges" => character.exchanges = number(value)?,
                "attention" => character.attention = number(value)?,
                "blur" => character.blur = number(value)?,
                "nodes" => character.nodes = number(value)?,
                _ => return Err(BadCharacter(format!("no trait is called `{key}`"))),
            }
        }
        Ok(character)
    }
}

fn number<T: FromStr>(text: &str) -> Result<T, BadCharacter> {
    text.parse().map_err(|_| BadCharacter(format!("`{text}` is not a number of the right size")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traits_after_a_level_replace_its_own() {
        let read = |text| Character::read(text, Variant::Crossfire);
        let plain = Character::of(Level::Sovereign, Variant::Crossfire);
        assert_eq!(read("sovereign"), Ok(plain));
        assert_eq!(
            read("sovereign,kind=maxn,nodes=9"),
            Ok(Character { kind: Kind::MaxN, nodes: 9, ..plain })
        );
        for wrong in
            ["", "king", "page,depth=1", "page,sight", "page,sight=x", "page,kind=chess", "page,sight=999"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
