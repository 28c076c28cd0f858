//! A short game that was really played, by chance: generated games repeat it.

use std::sync::Arc;

use kingscross_engine::{RULES_VERSION, Variant};
use kingscross_protocol::{
    Ending, ErrorBody, Event, HistoryEntry, Player, ProposalId, ProposalKind, SeatLetter, Setup, TimeControl,
    Timestamp, UserId,
};
use kingscross_storage::Finish;
use kingscross_table::{Command, Core, Moment, Seed, Stage, Terms, Who};
use uuid::Uuid;

use super::cast::Random;
use crate::archive::finish;

/// Nobody's lag.
const NO_LAG: u32 = 0;
/// Casual games know no dodging.
const NO_DODGE: i64 = 0;

/// An event after the first.
pub(super) struct Line {
    /// Milliseconds after the start.
    pub(super) after: i64,
    /// The hash of the position after it.
    pub(super) hash: u64,
    /// The event as JSON; no event but the first names a player.
    pub(super) body: String,
}

/// A game that ended, counted from its start.
pub(super) struct Script {
    /// With nobody in its seats yet.
    pub(super) setup: Setup,
    /// The hash of the start position.
    pub(super) start: u64,
    pub(super) lines: Vec<Line>,
    pub(super) finish: Finish,
    /// None when it was aborted.
    pub(super) ending: Option<Ending>,
}

impl Script {
    /// Plays a few moves at random, and then to an end: by resignations, by agreement, or by leaving it to the clock.
    pub(super) fn play(terms: &Arc<Terms>, variant: Variant, time: TimeControl, random: &mut Random) -> Self {
        let setup = empty_setup(variant, time);
        let core = Core::new(terms.clone(), Arc::new(setup.clone()), Seed([0; 32]), Timestamp(0));
        let created = HistoryEntry {
            seq: core.seq(),
            at: Timestamp(0),
            hash: String::new(),
            event: Event::Created(setup.clone()),
            change: None,
        };
        let start = core.hash();
        let mut play = Play { core, now: 0, lines: Vec::new(), history: vec![created], finish: None };
        for _ in 0..random.below(9) {
            play.now += 500 + i64::try_from(random.below(2_000)).expect("two seconds fit");
            play.at_random(random);
        }
        match random.below(20) {
            0..8 => play.resign_to_the_last(),
            8..13 => play.agree(random),
            _ => play.until_time_decides(),
        }
        let mut finish = play.finish.expect("a game that is over has an end");
        if setup.players.len() > 2 {
            let count = crate::archive::count_aggression(&play.history);
            finish.statistics = Some(serde_json::to_string(&count).expect("plain data"));
        }
        let ending = match play.core.stage() {
            Stage::Finished(ending) => Some((**ending).clone()),
            Stage::Running | Stage::Aborted(_) => None,
        };
        Self { setup, start, lines: play.lines, finish, ending }
    }
}

fn empty_setup(variant: Variant, time: TimeControl) -> Setup {
    let rules = variant.rules();
    let player = |&seat| Player {
        seat: SeatLetter(rules.letter(seat)),
        user: UserId(Uuid::nil()),
        name: String::new(),
        bot: None,
        rating: None,
        provisional: false,
    };
    Setup {
        variant,
        rules: RULES_VERSION,
        time,
        rated: false,
        players: rules.turn_order.iter().map(player).collect(),
        free_chat: false,
        spectator_delay: 0,
        rematch_of: None,
        other_game: None,
        other_game_follows: false,
    }
}

/// A game while it is played.
struct Play {
    core: Core,
    now: i64,
    lines: Vec<Line>,
    history: Vec<HistoryEntry>,
    finish: Option<Finish>,
}

impl Play {
    fn at_random(&mut self, random: &mut Random) {
        let legal = self.core.game().legal();
        if !self.core.is_running() || legal.is_empty() {
            return;
        }
        let (mv, ply) = (legal[random.index(legal.len())].clone(), self.core.game().ply());
        self.on_turn(&Command::Move { ply, mv });
    }

    fn resign_to_the_last(&mut self) {
        loop {
            self.now += 700;
            if !self.core.is_running() || !self.on_turn(&Command::Resign) {
                return;
            }
        }
    }

    fn agree(&mut self, random: &mut Random) {
        if !self.core.is_running() {
            return;
        }
        let proposal = ProposalId(random.id(Timestamp(0)));
        let what = if random.below(4) == 0 { ProposalKind::Abort } else { ProposalKind::Draw };
        self.now += 900;
        self.on_turn(&Command::Propose { proposal, what });
        while let (true, Some(open)) = (self.core.is_running(), self.core.proposal()) {
            let mut seats = self.core.rules().turn_order.iter();
            let Some(&seat) = seats.find(|seat| open.awaits(**seat)) else { break };
            self.now += 300;
            self.give(Who::Player(seat), &Command::Vote { proposal, accept: true }).expect("a vote is open");
        }
        // Where the rules know no agreed draw, or it did not carry.
        self.resign_to_the_last();
    }

    /// Nobody moves any more: flags fall, the absent are judged, or the game is aborted for want of first moves.
    fn until_time_decides(&mut self) {
        while let Some(due) = self.core.deadline(NO_LAG) {
            let before = self.lines.len();
            self.now = self.now.max(due.0);
            self.give(Who::Server, &Command::Tick).expect("what is due can be done");
            // Whatever falls due at a moment may be done only when it has passed.
            self.now += i64::from(self.lines.len() == before);
        }
    }

    /// False when the rules do not allow it now: then the game ends another way.
    fn on_turn(&mut self, command: &Command) -> bool {
        self.core.game().turn().is_some_and(|seat| self.give(Who::Player(seat), command).is_ok())
    }

    fn give(&mut self, who: Who, command: &Command) -> Result<(), ErrorBody> {
        let at = Timestamp(self.now);
        let decision = self.core.decide(Moment { now: at, lag: NO_LAG }, who, command)?;
        self.finish = self.finish.take().or_else(|| finish(&decision.after, &decision.steps, at, NO_DODGE));
        for step in decision.steps {
            let body = serde_json::to_string(&step.event).expect("plain data");
            self.lines.push(Line { after: self.now, hash: step.hash, body });
            self.history.push(HistoryEntry {
                seq: self.core.seq(),
                at,
                hash: String::new(),
                event: step.event,
                change: step.change,
            });
        }
        self.core = decision.after;
        Ok(())
    }
}
