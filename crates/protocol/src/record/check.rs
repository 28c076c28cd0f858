//! Replaying a record: only what the events prove is believed.

use kingscross_engine::{Action, Game, RULES_VERSION};

use super::{BadGameRecord, GameRecord, RECORD_VERSION, RatingStep, action};
use crate::from_engine::letter;
use crate::{ClockProof, Ending, Event, GameStatus, HistoryEntry, Played, Player, SeatLetter, Timestamp};

impl GameRecord {
    /// Reads a record and checks it.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn read(text: &str) -> Result<Self, BadGameRecord> {
        let record: Self =
            serde_json::from_str(text).map_err(|error| BadGameRecord::Shape(error.to_string()))?;
        record.check()?;
        Ok(record)
    }

    /// Replays the record and compares every hash, who played when and with which clock, the ending (reason,
    /// winners, placements and points) and the summary. Rating changes are not computed anew.
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
        let mut replay = Replay::new(self);
        replay.check_seats()?;
        for entry in &self.events {
            replay.event(entry)?;
        }
        let (game, status) = replay.end()?;
        self.check_ratings()?;
        self.check_summary(status, &game).map_err(BadGameRecord::Summary)?;
        Ok(game)
    }

    /// When the game ended, by its events.
    fn ended(&self) -> Option<Timestamp> {
        self.events.iter().find(|entry| is_end(&entry.event)).map(|entry| entry.at)
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

    /// Names the first part of the summary that differs from the events.
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
}

/// A record in the middle of its replay.
struct Replay<'r> {
    record: &'r GameRecord,
    game: Game,
    clocks: ClockProof,
    draw_is_open: bool,
    status: GameStatus,
    /// The seq of the next event.
    next: u32,
    last_at: Option<Timestamp>,
}

impl<'r> Replay<'r> {
    fn new(record: &'r GameRecord) -> Self {
        Self {
            record,
            game: Game::new(record.setup.variant),
            clocks: ClockProof::default(),
            draw_is_open: false,
            status: GameStatus::Running,
            next: 1,
            last_at: None,
        }
    }

    /// The players sit in turn order, each at a seat of the variant.
    fn check_seats(&self) -> Result<(), BadGameRecord> {
        let rules = self.game.rules();
        let seats = rules.turn_order.iter().map(|&seat| letter(rules, seat));
        let fits = seats.eq(self.record.setup.players.iter().map(|player| player.seat));
        if fits { Ok(()) } else { Err(BadGameRecord::Seats) }
    }

    fn event(&mut self, entry: &HistoryEntry) -> Result<(), BadGameRecord> {
        self.check_place(entry)?;
        self.check_player_and_clock(entry)?;
        self.act(entry)?;
        self.note_end(entry)
    }

    /// Seqs have no gap, the first event and no other is `created`, and a game ends once.
    fn check_place(&mut self, entry: &HistoryEntry) -> Result<(), BadGameRecord> {
        let seq = entry.seq.0;
        let is_first = matches!(&entry.event, Event::Created(setup) if *setup == self.record.setup);
        if seq != self.next || is_first != (seq == 1) {
            return Err(BadGameRecord::Order { seq: self.next });
        }
        self.next += 1;
        if is_end(&entry.event) && self.status != GameStatus::Running {
            return Err(BadGameRecord::Order { seq });
        }
        Ok(())
    }

    fn check_player_and_clock(&mut self, entry: &HistoryEntry) -> Result<(), BadGameRecord> {
        let wrong = |what: &str| BadGameRecord::Event { seq: entry.seq.0, what: what.to_owned() };
        if self.last_at.is_some_and(|last| entry.at < last) {
            return Err(wrong("it is earlier than the event before it"));
        }
        self.last_at = Some(entry.at);
        if let Event::Played(played) = &entry.event
            && let Some(what) = misplaced(played, &self.game)
        {
            return Err(wrong(what));
        }
        self.clocks.follow(&entry.event).map_err(|what| wrong(&what))
    }

    /// Plays what the rules know of the event, and compares the hash after it.
    fn act(&mut self, entry: &HistoryEntry) -> Result<(), BadGameRecord> {
        let seq = entry.seq.0;
        let refused = |why| BadGameRecord::Refused { seq, why };
        if let Some(text) = action(&entry.event, &mut self.draw_is_open) {
            let action = Action::parse(self.record.setup.variant, &text).map_err(refused)?;
            self.game.act(&action).map_err(refused)?;
        }
        let found = self.game.hash().to_string();
        if found != entry.hash {
            return Err(BadGameRecord::Hash { seq, recorded: entry.hash.clone(), found });
        }
        Ok(())
    }

    fn note_end(&mut self, entry: &HistoryEntry) -> Result<(), BadGameRecord> {
        match &entry.event {
            Event::Finished(recorded) => {
                let by_rules = Ending::of(&self.game).ok_or(BadGameRecord::Ending("reason"))?;
                if let Some(part) = difference(recorded, &by_rules) {
                    return Err(BadGameRecord::Ending(part));
                }
                self.status = GameStatus::Finished;
            }
            Event::Aborted { .. } => self.status = GameStatus::Aborted,
            _ => {}
        }
        Ok(())
    }

    /// There is a first event, and a game that is over by its rules is recorded as such.
    fn end(self) -> Result<(Game, GameStatus), BadGameRecord> {
        if self.next == 1 {
            return Err(BadGameRecord::Order { seq: 1 });
        }
        if self.status == GameStatus::Running && self.game.outcome().is_some() {
            return Err(BadGameRecord::Order { seq: self.next });
        }
        Ok((self.game, self.status))
    }
}

fn is_end(event: &Event) -> bool {
    matches!(event, Event::Finished(_) | Event::Aborted { .. })
}

/// What an action that is not yet played gets wrong about its player or its ply.
fn misplaced(played: &Played, game: &Game) -> Option<&'static str> {
    let on_turn = game.turn().map(|seat| letter(game.rules(), seat));
    let named = match played.action.split_once(':') {
        Some(("random", _)) | None => None,
        Some((_, who)) => who.chars().next().map(SeatLetter),
    };
    if Some(played.seat) != named.or(on_turn) {
        Some("its seat is not the one that acts")
    } else if played.ply != game.ply() {
        Some("its ply is not that of the board")
    } else {
        None
    }
}

/// The first part in which two endings differ. The order of seats within a group does not count.
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
