//! Our own record of a game: complete, checked by replaying, and the source of every other format.

use kingscross_engine::notation::Script;
use kingscross_engine::{Action, Game, Rejection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Ending, Event, GameStatus, GameSummary, HistoryEntry, ProposalKind, SeatLetter, Setup, UserId};

/// The version of [`GameRecord`].
pub const RECORD_VERSION: u32 = 1;

/// A game with everything that happened in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct GameRecord {
    /// The version of this form, [`RECORD_VERSION`].
    pub record: u32,
    /// What lists show of it.
    #[serde(flatten)]
    pub summary: GameSummary,
    /// What it started from: variant, version of the rules, time control, players.
    pub setup: Setup,
    /// Every event with its time, its clocks, the hash of the position after it and what it did to the board.
    pub events: Vec<HistoryEntry>,
    /// What it did to the players' ratings, when it was rated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<RatingStep>,
}

/// A player's rating before and after a game, in hundredths of a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct RatingStep {
    /// The seat.
    pub seat: SeatLetter,
    /// Who sat there.
    pub user: UserId,
    /// Rating before.
    pub before: i32,
    /// Rating after.
    pub after: i32,
    /// Deviation before.
    pub deviation_before: i32,
    /// Deviation after.
    pub deviation_after: i32,
}

/// Why a record is not one of a game that can have been played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadGameRecord {
    /// Not JSON of this form.
    #[error("{0}")]
    Shape(String),
    /// A version that is not read here.
    #[error("record version {0} is not supported, only {RECORD_VERSION}")]
    Version(u32),
    /// The rules refuse an event.
    #[error("event {seq}: {why}")]
    Refused {
        /// Its seq.
        seq: u32,
        /// Why.
        why: Rejection,
    },
    /// The position after an event is not the one that was recorded.
    #[error("after event {seq} the position is {found}, not {recorded}")]
    Hash {
        /// Its seq.
        seq: u32,
        /// As recorded.
        recorded: String,
        /// As replayed.
        found: String,
    },
    /// Its seqs have a gap, or the first event is not `created`.
    #[error("event {seq} is out of place")]
    Order {
        /// The seq that was expected.
        seq: u32,
    },
    /// The ending does not follow from the actions.
    #[error("the recorded ending does not follow from the actions: its {0} differ")]
    Ending(&'static str),
    /// What lists show of the game is not what its events say.
    #[error("what the record says of the game, its {0}, is not what its events say")]
    Summary(&'static str),
}

impl GameRecord {
    /// Reads a record and believes only what replaying proves.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn read(text: &str) -> Result<Self, BadGameRecord> {
        let record: Self =
            serde_json::from_str(text).map_err(|error| BadGameRecord::Shape(error.to_string()))?;
        record.check()?;
        Ok(record)
    }

    /// Replays it, comparing every hash, the ending (reason, winners, placements and points) and what lists show.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<Game, BadGameRecord> {
        if self.record != RECORD_VERSION {
            return Err(BadGameRecord::Version(self.record));
        }
        let mut game = Game::new(self.setup.variant);
        let mut expected = 1;
        let mut draw_is_open = false;
        let mut status = GameStatus::Running;
        for entry in &self.events {
            let seq = entry.seq.0;
            let is_first = matches!(&entry.event, Event::Created(setup) if *setup == self.setup);
            if seq != expected || is_first != (seq == 1) {
                return Err(BadGameRecord::Order { seq: expected });
            }
            expected += 1;
            let refused = |why| BadGameRecord::Refused { seq, why };
            if let Some(text) = actions(&entry.event, &mut draw_is_open) {
                let action = Action::parse(self.setup.variant, &text).map_err(refused)?;
                game.act(&action).map_err(refused)?;
            }
            let found = game.hash().to_string();
            if found != entry.hash {
                return Err(BadGameRecord::Hash { seq, recorded: entry.hash.clone(), found });
            }
            match &entry.event {
                Event::Finished(told) => {
                    let by_rules = Ending::of(&game).ok_or(BadGameRecord::Ending("reason"))?;
                    if let Some(part) = difference(told, &by_rules) {
                        return Err(BadGameRecord::Ending(part));
                    }
                    status = GameStatus::Finished;
                }
                Event::Aborted { .. } => status = GameStatus::Aborted,
                _ => {}
            }
        }
        if expected == 1 {
            return Err(BadGameRecord::Order { seq: 1 });
        }
        self.check_summary(status, &game).map_err(BadGameRecord::Summary)?;
        Ok(game)
    }

    /// The first part of what lists show that the events do not.
    fn check_summary(&self, status: GameStatus, game: &Game) -> Result<(), &'static str> {
        let (shown, setup) = (&self.summary, &self.setup);
        let is_over = status != GameStatus::Running;
        let ending = Ending::of(game).filter(|_| status == GameStatus::Finished);
        for (holds, part) in [
            (shown.variant == setup.variant, "variant"),
            (shown.time == setup.time, "time control"),
            (shown.rated == setup.rated, "rating"),
            (shown.players == setup.players, "players"),
            (shown.status == status, "status"),
            (shown.plies == is_over.then(|| game.ply()), "length"),
            (shown.ending.is_some() == ending.is_some(), "ending"),
        ] {
            if !holds {
                return Err(part);
            }
        }
        let difference = shown.ending.as_ref().zip(ending.as_ref()).and_then(|(a, b)| difference(a, b));
        difference.map_or(Ok(()), Err)
    }

    /// The actions alone, with the players' names, for writing other formats.
    pub fn script(&self) -> Script {
        let mut draw_is_open = false;
        let colours = ["Red", "Blue", "Yellow", "Green"];
        let mut tags: Vec<(String, String)> = vec![("GameNr".to_owned(), self.summary.game.to_string())];
        tags.push(("TimeControl".to_owned(), self.setup.time.to_string()));
        for (colour, player) in colours.iter().zip(&self.setup.players) {
            tags.push(((*colour).to_owned(), player.name.clone()));
        }
        Script {
            variant: self.setup.variant,
            start: None,
            tags,
            actions: self.events.iter().flat_map(|entry| actions(&entry.event, &mut draw_is_open)).collect(),
        }
    }
}

/// In which part two endings differ; seats of a group stand in any order.
fn difference(one: &Ending, other: &Ending) -> Option<&'static str> {
    fn sorted<T: Ord + Clone>(list: &[T]) -> Vec<T> {
        let mut list = list.to_vec();
        list.sort();
        list
    }
    let groups = |ending: &Ending| ending.placements.iter().map(|group| sorted(group)).collect::<Vec<_>>();
    let points = |ending: &Ending| ending.points.as_deref().map(sorted);
    if one.reason != other.reason {
        Some("reason")
    } else if sorted(&one.winners) != sorted(&other.winners) {
        Some("winners")
    } else if groups(one) != groups(other) {
        Some("placements")
    } else if points(one) != points(other) {
        Some("points")
    } else {
        None
    }
}

/// The actions of the rules that an event stands for. Draw proposals are the rules' own offers and votes.
fn actions(event: &Event, draw_is_open: &mut bool) -> Option<String> {
    match event {
        Event::Played(played) => {
            *draw_is_open = false;
            Some(played.action.clone())
        }
        Event::Proposed { what, .. } => {
            *draw_is_open = *what == ProposalKind::Draw;
            draw_is_open.then(|| "offer".to_owned())
        }
        Event::Voted { by, accept, .. } if *draw_is_open => {
            *draw_is_open = *accept;
            Some(format!("{}:{by}", if *accept { "accept" } else { "decline" }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use kingscross_engine::Variant;

    use super::*;
    use crate::{GameId, Played, Player, ProposalId, Seq, TimeControl, Timestamp, UserId};

    fn record() -> GameRecord {
        let player = |letter| Player {
            seat: SeatLetter(letter),
            user: UserId::fresh(),
            name: format!("player {letter}"),
            bot: None,
            rating: None,
            provisional: false,
        };
        let setup = Setup {
            variant: Variant::CrossA,
            rules: kingscross_engine::RULES_VERSION,
            time: TimeControl::increment(300_000, 3000),
            rated: false,
            players: vec![player('w'), player('b')],
            free_chat: false,
            spectator_delay: 0,
            rematch_of: None,
            twin: None,
            twin_follows: false,
        };
        let played = |seat, action: &str, ply| {
            Event::Played(Played {
                seat: SeatLetter(seat),
                action: action.to_owned(),
                ply,
                by_server: false,
                spent: 1000,
                refund: 0,
                clock: 302_000,
            })
        };
        let ending = Ending {
            reason: "resignation".into(),
            winners: vec![SeatLetter('b')],
            placements: vec![vec![SeatLetter('b')], vec![SeatLetter('w')]],
            points: None,
        };
        let proposal = ProposalId::fresh();
        let events = [
            Event::Created(setup.clone()),
            played('w', "a2-a3", 0),
            Event::Proposed {
                proposal,
                what: ProposalKind::Draw,
                by: SeatLetter('b'),
                electorate: vec![SeatLetter('w')],
            },
            Event::Voted { proposal, by: SeatLetter('w'), accept: false },
            played('b', "a7-a6", 1),
            played('w', "resign:w", 2),
            Event::Finished(ending.clone()),
        ];
        let mut game = Game::new(Variant::CrossA);
        let mut draw_is_open = false;
        let entries = events.into_iter().enumerate().map(|(i, event)| {
            if let Some(text) = actions(&event, &mut draw_is_open) {
                let action = Action::parse(Variant::CrossA, &text).expect("an action");
                game.act(&action).expect("legal");
            }
            HistoryEntry {
                seq: Seq(i as u32 + 1),
                at: Timestamp(1000 * i as i64),
                hash: game.hash().to_string(),
                event,
                change: None,
            }
        });
        GameRecord {
            record: RECORD_VERSION,
            events: entries.collect(),
            summary: GameSummary {
                game: GameId::fresh(),
                variant: Variant::CrossA,
                status: GameStatus::Finished,
                time: setup.time,
                rated: false,
                players: setup.players.clone(),
                created: Timestamp(0),
                ended: Some(Timestamp(6000)),
                plies: Some(2),
                ending: Some(ending),
            },
            setup,
            ratings: Vec::new(),
        }
    }

    #[test]
    fn a_record_survives_its_own_text() {
        let record = record();
        let text = serde_json::to_string(&record).expect("writable");
        assert_eq!(GameRecord::read(&text), Ok(record.clone()));
        assert_eq!(record.script().actions, ["a2-a3", "offer", "decline:w", "a7-a6", "resign:w"]);
    }

    #[test]
    fn what_replaying_does_not_prove_is_refused() {
        let mut forged = record();
        forged.events[4].hash = "0000000000000000".into();
        assert!(matches!(forged.check(), Err(BadGameRecord::Hash { seq: 5, .. })));

        let mut illegal = record();
        if let Event::Played(played) = &mut illegal.events[1].event {
            played.action = "a2-a5".into();
        }
        assert!(matches!(illegal.check(), Err(BadGameRecord::Refused { seq: 2, .. })));

        let mut gap = record();
        gap.events.remove(1);
        assert_eq!(gap.check().expect_err("a gap"), BadGameRecord::Order { seq: 2 });

        let mut ending = record();
        if let Event::Finished(told) = &mut ending.events[6].event {
            told.reason = "checkmate".into();
        }
        assert_eq!(ending.check().expect_err("forged"), BadGameRecord::Ending("reason"));

        type Forge = fn(&mut Ending);
        let forgeries: [(&str, Forge); 3] = [
            ("winners", |ending| ending.winners = vec![SeatLetter('w')]),
            ("placements", |ending| ending.placements.reverse()),
            ("points", |ending| ending.points = Some(vec![(SeatLetter('w'), 3), (SeatLetter('b'), 0)])),
        ];
        for (part, forge) in forgeries {
            let mut ending = record();
            if let Event::Finished(told) = &mut ending.events[6].event {
                forge(told);
            }
            assert_eq!(ending.check().expect_err("forged"), BadGameRecord::Ending(part));
            let mut shown = record();
            forge(shown.summary.ending.as_mut().expect("an ending"));
            assert_eq!(shown.check().expect_err("forged"), BadGameRecord::Summary(part));
        }
        type Misstate = fn(&mut GameSummary);
        let summaries: [(&str, Misstate); 4] = [
            ("status", |summary| summary.status = GameStatus::Running),
            ("length", |summary| summary.plies = Some(3)),
            ("rating", |summary| summary.rated = true),
            ("ending", |summary| summary.ending = None),
        ];
        for (part, forge) in summaries {
            let mut shown = record();
            forge(&mut shown.summary);
            assert_eq!(shown.check().expect_err("forged"), BadGameRecord::Summary(part));
        }

        let newer = GameRecord { record: 2, ..record() };
        assert_eq!(newer.check().expect_err("newer"), BadGameRecord::Version(2));
        assert!(matches!(GameRecord::read("{}"), Err(BadGameRecord::Shape(_))));
    }
}
