//! Our own record of a game: complete, checked by replaying, and the source of every other format.

use kingscross_engine::notation::Script;
use kingscross_engine::{Action, Game, RULES_VERSION, Rejection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::from_engine::letter;
use crate::{
    ClockProof, Ending, Event, GameStatus, GameSummary, HistoryEntry, Played, Player, ProposalKind,
    SeatLetter, Setup, Timestamp, UserId,
};

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
    /// A version of the rules that is not played here.
    #[error("version {0} of the rules is not played here, only {RULES_VERSION}")]
    Rules(u32),
    /// The players do not sit at the seats of the game, each at one.
    #[error("the players do not sit at the seats of the game in turn order")]
    Seats,
    /// What an event says of itself is not what the game says.
    #[error("event {seq}: {what}")]
    Event {
        /// Its seq.
        seq: u32,
        /// What is wrong, as a sentence.
        what: String,
    },
    /// The rating changes are not those of a rated game's players.
    #[error("the rating changes are not those of the players of a rated game")]
    Ratings,
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

    /// Replays it, comparing every hash, who played when and with which clock, the ending (reason, winners, placements and
    /// points) and what lists show. What rating changes a result makes is not computed.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<Game, BadGameRecord> {
        if self.record != RECORD_VERSION {
            return Err(BadGameRecord::Version(self.record));
        }
        if self.setup.rules != RULES_VERSION {
            return Err(BadGameRecord::Rules(self.setup.rules));
        }
        let mut game = Game::new(self.setup.variant);
        let seats = game.rules().turn_order.iter().map(|&seat| letter(game.rules(), seat));
        if !seats.eq(self.setup.players.iter().map(|player| player.seat)) {
            return Err(BadGameRecord::Seats);
        }
        let mut expected = 1;
        let mut draw_is_open = false;
        let mut status = GameStatus::Running;
        let mut clocks = ClockProof::default();
        let mut last_at = None;
        for entry in &self.events {
            let seq = entry.seq.0;
            let is_first = matches!(&entry.event, Event::Created(setup) if *setup == self.setup);
            if seq != expected || is_first != (seq == 1) {
                return Err(BadGameRecord::Order { seq: expected });
            }
            expected += 1;
            let ends = matches!(entry.event, Event::Finished(_) | Event::Aborted { .. });
            if ends && status != GameStatus::Running {
                return Err(BadGameRecord::Order { seq });
            }
            let wrong = |what: &str| BadGameRecord::Event { seq, what: what.to_owned() };
            if last_at.is_some_and(|last| entry.at < last) {
                return Err(wrong("it lies before the one before it"));
            }
            last_at = Some(entry.at);
            if let Event::Played(played) = &entry.event
                && let Some(what) = misplaced(played, &game)
            {
                return Err(wrong(what));
            }
            clocks.follow(&entry.event).map_err(|what| wrong(&what))?;
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
        if status == GameStatus::Running && game.outcome().is_some() {
            return Err(BadGameRecord::Order { seq: expected });
        }
        self.check_ratings()?;
        self.check_summary(status, &game).map_err(BadGameRecord::Summary)?;
        Ok(game)
    }

    /// When the game ended, by its events.
    fn ended(&self) -> Option<Timestamp> {
        let ends = |entry: &&HistoryEntry| matches!(entry.event, Event::Finished(_) | Event::Aborted { .. });
        self.events.iter().find(ends).map(|entry| entry.at)
    }

    /// Only a rated game changes ratings, and only those of its players, each once.
    fn check_ratings(&self) -> Result<(), BadGameRecord> {
        let belongs = |step: &RatingStep| {
            let mut steps = self.ratings.iter().filter(|other| other.seat == step.seat);
            let of_a_player = |player: &Player| player.seat == step.seat && player.user == step.user;
            self.setup.players.iter().any(of_a_player) && steps.nth(1).is_none()
        };
        let fits = self.ratings.is_empty() || (self.setup.rated && self.ratings.iter().all(belongs));
        if fits { Ok(()) } else { Err(BadGameRecord::Ratings) }
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
            (self.events.first().is_some_and(|entry| entry.at == shown.created), "beginning"),
            (self.ended() == shown.ended, "end"),
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

/// What an action says of its player and its place in the game that is not so, before it is played.
fn misplaced(played: &Played, game: &Game) -> Option<&'static str> {
    let on_turn = game.turn().map(|seat| letter(game.rules(), seat));
    let named = match played.action.split_once(':') {
        Some(("random", _)) | None => None,
        Some((_, who)) => who.chars().next().map(SeatLetter),
    };
    if Some(played.seat) != named.or(on_turn) {
        Some("it is not of the player who played it")
    } else if played.ply != game.ply() {
        Some("it is not of that ply")
    } else {
        None
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
            other_game: None,
            other_game_follows: false,
        };
        let played = |seat, action: &str, ply| {
            Event::Played(Played {
                seat: SeatLetter(seat),
                action: action.to_owned(),
                ply,
                by_server: false,
                spent: 1000,
                refund: 0,
                clock: if action.contains(':') { 301_000 } else { 302_000 },
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

    /// The error of a record with one change.
    fn forged(forge: impl FnOnce(&mut GameRecord)) -> BadGameRecord {
        let mut forged = record();
        forge(&mut forged);
        forged.check().expect_err("forged")
    }

    fn played(record: &mut GameRecord) -> &mut Played {
        match &mut record.events[4].event {
            Event::Played(played) => played,
            other => panic!("{other:?}"),
        }
    }

    fn set_setup(record: &mut GameRecord, change: impl Fn(&mut Setup)) {
        change(&mut record.setup);
        record.events[0].event = Event::Created(record.setup.clone());
        record.summary.players.clone_from(&record.setup.players);
    }

    #[test]
    fn who_played_and_when_is_proven() {
        let event = |what: &str| BadGameRecord::Event { seq: 5, what: what.to_owned() };
        assert_eq!(
            forged(|r| played(r).seat = SeatLetter('w')),
            event("it is not of the player who played it")
        );
        assert_eq!(forged(|r| played(r).ply = 2), event("it is not of that ply"));
        assert_eq!(forged(|r| played(r).spent = 0), event("the clock shows 302000 ms, not 303000"));
        assert_eq!(forged(|r| played(r).clock = 1), event("the clock shows 1 ms, not 302000"));
        assert_eq!(forged(|r| r.events[4].at = Timestamp(1)), event("it lies before the one before it"));
        assert_eq!(forged(|r| r.summary.created = Timestamp(-1)), BadGameRecord::Summary("beginning"));
        assert_eq!(forged(|r| r.summary.ended = None), BadGameRecord::Summary("end"));
        assert_eq!(forged(|r| r.summary.ended = Some(Timestamp(9))), BadGameRecord::Summary("end"));
    }

    #[test]
    fn who_sat_where_by_which_rules_is_proven() {
        assert_eq!(forged(|r| set_setup(r, |setup| setup.rules = 99)), BadGameRecord::Rules(99));
        for change in [
            |setup: &mut Setup| setup.players.clear(),
            |setup: &mut Setup| setup.players.reverse(),
            |setup: &mut Setup| setup.players[1].seat = SeatLetter('z'),
            |setup: &mut Setup| setup.players[1].seat = SeatLetter('w'),
            |setup: &mut Setup| setup.players.push(setup.players[0].clone()),
        ] {
            assert_eq!(forged(|r| set_setup(r, change)), BadGameRecord::Seats);
        }
        let step = |record: &GameRecord, seat: char| RatingStep {
            seat: SeatLetter(seat),
            user: record.setup.players[0].user,
            before: 150_000,
            after: 151_000,
            deviation_before: 35_000,
            deviation_after: 30_000,
        };
        assert_eq!(forged(|r| r.ratings = vec![step(r, 'w')]), BadGameRecord::Ratings);
        let rated = |r: &mut GameRecord, seats: &[char]| {
            set_setup(r, |setup| setup.rated = true);
            r.summary.rated = true;
            r.ratings = seats.iter().map(|&seat| step(r, seat)).collect();
        };
        for seats in [&['b'][..], &['z'], &['w', 'w']] {
            assert_eq!(forged(|r| rated(r, seats)), BadGameRecord::Ratings);
        }
        let mut right = record();
        rated(&mut right, &['w']);
        assert!(right.check().is_ok());
    }

    #[test]
    fn a_game_ends_once() {
        let unfinished = |r: &mut GameRecord| {
            r.events.pop();
            r.summary.status = GameStatus::Running;
            (r.summary.ended, r.summary.plies, r.summary.ending) = (None, None, None);
        };
        assert_eq!(forged(unfinished), BadGameRecord::Order { seq: 7 });
        let again = |event: Event| {
            move |r: &mut GameRecord| {
                let last = r.events[6].clone();
                r.events.push(HistoryEntry { seq: Seq(8), event, ..last });
            }
        };
        let finished = record().events[6].event.clone();
        assert_eq!(forged(again(finished)), BadGameRecord::Order { seq: 8 });
        let aborted = Event::Aborted { cause: crate::AbortCause::Agreement };
        assert_eq!(forged(again(aborted)), BadGameRecord::Order { seq: 8 });
    }
}
