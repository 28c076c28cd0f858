//! What follows from a command or from the passing of time: a list of events, or a refusal.

use kingscross_engine::{Action, Forced, Played as Applied, Seat, Seats};
use kingscross_protocol::{
    AbortCause, BoardChange, Event, Played, ProposalId, ProposalKind, SeatLetter, Timestamp,
};
use sha2::{Digest, Sha256};

use super::clocks::{Cost, Verdict};
use super::command::{Command, Moment, Who};
use super::core::{Core, Seed, Stage};
use super::rejection::Rejection;

/// What follows from a command, not yet stored.
pub struct Decision {
    /// The events with what they do, in order.
    pub steps: Vec<Step>,
    /// The game after them.
    pub after: Core,
    /// False when the clock had to be seen to first: the command must be decided again on what follows.
    pub is_carried_out: bool,
}

/// One event with what it does.
pub struct Step {
    /// The event.
    pub event: Event,
    /// The hash of the position after it.
    pub hash: u64,
    /// How the board changed.
    pub change: Option<BoardChange>,
}

type Decided = Result<(), Rejection>;

impl Core {
    /// What follows from a command, with the game as it is afterwards; refused commands change nothing. Looks at the clock before it looks at the
    /// command, so that a late move flags itself.
    pub fn decide(&self, moment: Moment, who: Who, command: &Command) -> Result<Decision, Rejection> {
        let now = moment.now.max(self.last_at);
        let mut draft = Draft { core: self.clone(), now, lag: moment.lag, steps: Vec::new() };
        // What is due waits while a time is being left out in which nothing could be done in time.
        if self.is_running() && !matches!(command, Command::Outage { .. }) {
            draft.tick()?;
            if !draft.steps.is_empty() {
                let is_carried_out = matches!(command, Command::Tick);
                return Ok(Decision { steps: draft.steps, after: draft.core, is_carried_out });
            }
        }
        match who {
            Who::Player(seat) => draft.player(seat, command)?,
            Who::Server => draft.server(command)?,
        }
        Ok(Decision { steps: draft.steps, after: draft.core, is_carried_out: true })
    }
}

struct Draft {
    core: Core,
    now: Timestamp,
    lag: u32,
    steps: Vec<Step>,
}

impl Draft {
    fn player(&mut self, seat: Seat, command: &Command) -> Decided {
        match command {
            Command::Move { ply, mv } => self.play(seat, *ply, mv),
            Command::Resign => {
                self.running()?;
                self.leave(seat, &Action::Resign(seat), false)
            }
            Command::Propose { proposal, what } => self.propose(seat, *proposal, *what),
            Command::Vote { proposal, accept } => self.vote(seat, *proposal, *accept),
            Command::GiveTime { to } => self.give_time(seat, *to),
            Command::Depart => {
                if self.core.is_running()
                    && self.core.game.is_active(seat)
                    && !self.core.attendance.has_departed(seat)
                    && self.core.departures[seat.index()] < self.core.terms.presence.departures
                {
                    let letter = self.core.letter(seat);
                    self.push(Event::Departed { seat: letter })?;
                }
                Ok(())
            }
            Command::Return => {
                if self.core.is_running() && self.core.attendance.has_departed(seat) {
                    let letter = self.core.letter(seat);
                    self.push(Event::Returned { seat: letter })?;
                }
                Ok(())
            }
            Command::Tick
            | Command::Outage { .. }
            | Command::Abort(_)
            | Command::Rematch(_)
            | Command::EndMatch(_)
            | Command::Lapse => Err(Rejection::ServerOnly),
        }
    }

    fn server(&mut self, command: &Command) -> Decided {
        match command {
            // Done before any command.
            Command::Tick => Ok(()),
            Command::Outage { millis, cause } => {
                self.running()?;
                self.push(Event::Outage { millis: *millis, cause: *cause })
            }
            Command::Abort(cause) => {
                self.running()?;
                self.push(Event::Aborted { cause: *cause })
            }
            Command::Rematch(game) => self.push(Event::Rematch { game: *game }),
            Command::EndMatch(gone) => self.push(Event::MatchEnded { gone: gone.clone() }),
            Command::Lapse => {
                match self.core.proposals.open().map(|open| open.id).or(self.core.rematch_agreed) {
                    Some(proposal) => self.push(Event::Lapsed { proposal }),
                    None => Ok(()),
                }
            }
            _ => Err(Rejection::PlayersOnly),
        }
    }

    fn play(&mut self, seat: Seat, ply: u32, mv: &str) -> Decided {
        self.running()?;
        let game = &self.core.game;
        if ply != game.ply() {
            return Err(Rejection::Stale { chosen: ply, now: game.ply() });
        }
        if game.turn() != Some(seat) {
            return Err(Rejection::NotYourTurn);
        }
        let action = Action::parse(self.core.setup.variant, mv)?;
        if !matches!(action, Action::Move(_) | Action::Pass) {
            return Err(Rejection::NotAMove);
        }
        let cost = self.core.clocks.cost(self.now, self.lag);
        let action = action.text(self.core.setup.variant);
        self.push(played(self.core.letter(seat), action, ply, false, cost))?;
        self.settle()
    }

    fn leave(&mut self, seat: Seat, action: &Action, by_server: bool) -> Decided {
        let mut cost = self.core.clocks.cost_of_leaving(seat, self.now);
        if matches!(action, Action::Timeout(_)) {
            cost.clock = 0;
        }
        let text = action.text(self.core.setup.variant);
        self.push(played(self.core.letter(seat), text, self.core.game.ply(), by_server, cost))?;
        self.settle()
    }

    /// Plays what the rules force, closes what a move voids, and ends the game when it is over.
    fn settle(&mut self) -> Decided {
        if self.core.game.outcome().is_none()
            && let Some(open) = self.core.proposals.open()
        {
            let proposal = open.id;
            self.push(Event::Lapsed { proposal })?;
        }
        while let (None, Some(forced), Some(turn)) =
            (self.core.game.outcome(), self.core.game.forced(), self.core.game.turn())
        {
            let variant = self.core.setup.variant;
            let text = match forced {
                Forced::Pass => Action::Pass.text(variant),
                Forced::Random => {
                    let choices = self.core.game.choices();
                    let index = pick(self.core.seed, self.core.game.ply(), choices.len());
                    choices[index].action.text(variant)
                }
            };
            let cost = Cost { spent: 0, refund: 0, clock: self.core.clocks.remaining(turn) };
            self.push(played(self.core.letter(turn), text, self.core.game.ply(), true, cost))?;
        }
        self.finish()
    }

    fn finish(&mut self) -> Decided {
        match self.core.outcome_as_ending() {
            Some(ending) if self.core.is_running() => self.push(Event::Finished(ending)),
            _ => Ok(()),
        }
    }

    fn propose(&mut self, seat: Seat, proposal: ProposalId, what: ProposalKind) -> Decided {
        if let Some(open) = self.core.proposals.open() {
            // However many ask for a rematch at once, it is one question.
            if what == ProposalKind::Rematch && open.what == what && open.awaits(seat) {
                let id = open.id;
                return self.vote(seat, id, true);
            }
            return Err(Rejection::ProposalOpen);
        }
        let electorate: Seats = if what == ProposalKind::Rematch {
            if self.core.is_running() {
                return Err(Rejection::GameRunning);
            }
            if self.core.rematch.is_some() {
                return Err(Rejection::RematchBegun);
            }
            if self.core.rematch_agreed.is_some() {
                return Err(Rejection::RematchAgreed);
            }
            if self.core.rematches_asked[seat.index()] >= self.core.terms.rematches {
                return Err(Rejection::RematchesAsked);
            }
            self.core.rules().turn_order.iter().copied().filter(|&other| other != seat).collect()
        } else {
            self.running()?;
            let game = &self.core.game;
            if !game.is_active(seat) {
                return Err(Rejection::Out);
            }
            if what == ProposalKind::Abort {
                self.may_abort()?;
            }
            if what == ProposalKind::Draw && game.turn() != Some(seat) {
                return Err(Rejection::DrawNotOnTurn);
            }
            if !self.core.proposals.may_ask(seat, self.core.own_moves[seat.index()]) {
                return Err(Rejection::RefusedJustNow);
            }
            let others = self.core.rules().turn_order.iter().copied();
            others.filter(|&other| other != seat && game.is_active(other)).collect()
        };
        let letters = self.core.rules().turn_order.iter().filter(|&&other| electorate.has(other));
        let electorate = letters.map(|&other| self.core.letter(other)).collect();
        self.push(Event::Proposed { proposal, what, by: self.core.letter(seat), electorate })
    }

    fn vote(&mut self, seat: Seat, proposal: ProposalId, accept: bool) -> Decided {
        let open = self.core.proposals.open().filter(|open| open.id == proposal);
        let open = open.ok_or(Rejection::NoProposal)?;
        if !open.awaits(seat) {
            return Err(Rejection::NoVote);
        }
        let is_last = open.electorate.without(open.accepted).len() == 1;
        let what = open.what;
        if accept && what == ProposalKind::Abort {
            self.may_abort()?;
        }
        self.push(Event::Voted { proposal, by: self.core.letter(seat), accept })?;
        if accept && is_last && what == ProposalKind::Abort {
            self.push(Event::Aborted { cause: AbortCause::Agreement })?;
        }
        self.finish()
    }

    /// Players may agree on an abort while the game has hardly begun: nobody is out, and not every army has made its
    /// second move.
    fn may_abort(&self) -> Decided {
        let core = &self.core;
        let mut seats = core.rules().turn_order.iter();
        if seats.clone().any(|&seat| !core.game.is_active(seat)) {
            return Err(Rejection::AbortAfterOut);
        }
        if seats.all(|&seat| core.own_moves[seat.index()] >= 2) {
            return Err(Rejection::AbortAfterMoves);
        }
        Ok(())
    }

    fn give_time(&mut self, seat: Seat, to: SeatLetter) -> Decided {
        self.running()?;
        if self.core.setup.rated {
            return Err(Rejection::GiftInRated);
        }
        let receiver = self.core.rules().seat(to.0).ok_or(Rejection::UnknownSeat)?;
        if receiver == seat || !self.core.game.is_active(receiver) || !self.core.game.is_active(seat) {
            return Err(Rejection::GiftToNobody);
        }
        if self.core.gifts[seat.index()] >= self.core.terms.clocks.gifts_per_move {
            return Err(Rejection::GiftsGiven);
        }
        let millis = self.core.terms.clocks.gift_ms;
        let clock = self.core.clocks.remaining(receiver) + i64::from(millis);
        if clock > MOST_ON_A_CLOCK {
            return Err(Rejection::ClockFull);
        }
        self.push(Event::Gift { by: self.core.letter(seat), to, millis, clock: millis_u32(clock) })
    }

    /// Sees to everything that is due by time alone.
    fn tick(&mut self) -> Decided {
        while self.core.is_running() {
            match self.core.clocks.judge(self.now, self.lag) {
                Verdict::InTime => {}
                Verdict::FirstMoveMissed => {
                    self.push(Event::Aborted { cause: AbortCause::FirstMove })?;
                    break;
                }
                Verdict::Flagged => {
                    let seat = self.core.clocks.running().expect("a flag falls on a running clock");
                    self.leave(seat, &Action::Timeout(seat), true)?;
                    continue;
                }
            }
            let Some(seat) = self.core.attendance.due(self.now).next() else { break };
            self.leave(seat, &Action::Leave(seat), true)?;
        }
        Ok(())
    }

    fn running(&self) -> Decided {
        match self.core.stage {
            Stage::Running => Ok(()),
            Stage::Finished(_) | Stage::Aborted(_) => Err(Rejection::GameOver),
        }
    }

    fn push(&mut self, event: Event) -> Decided {
        let before = BoardChange::before(&self.core.game);
        let applied: Option<Applied> = self.core.apply(self.now, &event)?;
        let change = applied.map(|applied| BoardChange::of(&before, &self.core.game, &applied));
        self.steps.push(Step { event, hash: self.core.hash(), change });
        Ok(())
    }
}

/// No gift takes a clock beyond a day.
const MOST_ON_A_CLOCK: i64 = 86_400_000;

fn played(seat: SeatLetter, action: String, ply: u32, by_server: bool, cost: Cost) -> Event {
    Event::Played(Played {
        seat,
        action,
        ply,
        by_server,
        spent: millis_u32(cost.spent),
        refund: millis_u32(cost.refund),
        clock: millis_u32(cost.clock),
    })
}

fn millis_u32(millis: i64) -> u32 {
    u32::try_from(millis.max(0)).unwrap_or(u32::MAX)
}

/// The index of the random move at a ply: from the game's secret seed, so that nobody can foresee it and a replay
/// by the server would find the same.
fn pick(seed: Seed, ply: u32, choices: usize) -> usize {
    let digest = Sha256::new().chain_update(seed.0).chain_update(ply.to_le_bytes()).finalize();
    let number = u64::from_le_bytes(digest[..8].try_into().expect("32 bytes"));
    usize::try_from(number % choices.max(1) as u64).expect("smaller than a length")
}
