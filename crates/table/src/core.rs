//! A game being played, as a pure state machine: what has happened, and how an event changes it.
//! What may happen next is decided in `decide`; storing and telling are left to `task`.

use std::sync::Arc;

use kingscross_engine::{Action, Game, Played as Applied, Rules, Seat, Seats};
use kingscross_protocol::{
    AbortCause, Ending, Event, GameId, Played, ProposalId, ProposalKind, SeatLetter, Seq, Setup, Timestamp,
    UserId,
};

use sha2::{Digest, Sha256};

use super::clocks::{ClockRules, Clocks};
use super::presence::{Attendance, Patience};
use super::proposals::{Outcome as VoteOutcome, Proposal, Proposals};
use super::settings::{ClockSettings, PresenceSettings};

/// What a game was started with and nobody may learn: random moves come from it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub [u8; 32]);

/// The numbers of the configuration that a game goes by.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// Time controls, refunds and gifts.
    pub clocks: ClockSettings,
    /// How long the absent are waited for.
    pub presence: PresenceSettings,
    /// For how many own moves a player may not ask again after a refusal.
    pub refused_moves: u32,
    /// How often one player may ask for a rematch.
    pub rematches: u32,
}

/// How far a game is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It is being played.
    Running,
    /// It ended by its rules.
    Finished(Arc<Ending>),
    /// It ended without a result.
    Aborted(AbortCause),
}

/// The state of one game.
#[derive(Clone)]
pub struct Core {
    pub(crate) terms: Arc<Terms>,
    pub(crate) setup: Arc<Setup>,
    pub(crate) seed: Seed,
    pub(crate) game: Game,
    pub(crate) clocks: Clocks,
    pub(crate) attendance: Attendance,
    pub(crate) proposals: Proposals,
    pub(crate) own_moves: [u32; 4],
    /// How often each player has left on purpose, has given time since its last move, and has asked for a rematch.
    pub(crate) departures: [u32; 4],
    pub(crate) gifts: [u32; 4],
    pub(crate) rematches_asked: [u32; 4],
    /// Since which ply and moment only bots play, of a game that had people.
    pub(crate) deserted: Option<(u32, Timestamp)>,
    pub(crate) stage: Stage,
    pub(crate) rematch: Option<GameId>,
    /// The question by which all have agreed to play again, while the new game is still to be made.
    pub(crate) rematch_agreed: Option<ProposalId>,
    /// The match that this game is the first of has no second one.
    pub(crate) is_match_over: bool,
    /// The other game of the match is known to be there.
    pub(crate) has_other_game: bool,
    pub(crate) seq: Seq,
    pub(crate) last_at: Timestamp,
}

/// A stored event that does not fit the game: the log is damaged or belongs to other rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} does not fit the game: {why}", seq = seq.0)]
pub struct ApplyError {
    /// The event.
    pub seq: Seq,
    /// What is wrong.
    pub why: String,
    /// What the rules say, when they refuse an action.
    pub rejection: Option<kingscross_engine::Rejection>,
}

impl Core {
    /// The game right after its first event, `Created`.
    pub fn new(terms: Arc<Terms>, setup: Arc<Setup>, seed: Seed, at: Timestamp) -> Self {
        let game = Game::new(setup.variant);
        let rules = game.rules();
        let is_bot = |seat: Seat| {
            let letter = SeatLetter(rules.letter(seat));
            setup
                .players
                .iter()
                .find(|player| player.seat == letter)
                .is_none_or(|player| player.bot.is_some())
        };
        let mut clocks = Clocks::new(ClockRules::new(setup.time, &terms.clocks));
        if let Some(turn) = game.turn() {
            clocks.start(turn, at);
        }
        Self {
            attendance: Attendance::new(
                Patience::new(setup.time, &terms.presence),
                |seat| !rules.turn_order.contains(&seat) || is_bot(seat),
                at,
            ),
            clocks,
            game,
            terms,
            setup,
            seed,
            proposals: Proposals::default(),
            own_moves: [0; 4],
            departures: [0; 4],
            gifts: [0; 4],
            rematches_asked: [0; 4],
            deserted: None,
            stage: Stage::Running,
            rematch: None,
            rematch_agreed: None,
            is_match_over: false,
            has_other_game: false,
            seq: Seq(1),
            last_at: at,
        }
    }

    /// Books an event. A played action says what it did to the board.
    pub fn apply(&mut self, at: Timestamp, event: &Event) -> Result<Option<Applied>, ApplyError> {
        let seq = self.seq.next();
        let mut applied = None;
        match event {
            Event::Created(_) => return Err(self.does_not_apply("a game begins once")),
            Event::Played(played) => applied = Some(self.apply_played(at, played)?),
            Event::Proposed { proposal, what, by, electorate } => {
                self.apply_proposed(*proposal, *what, *by, electorate)?;
            }
            Event::Voted { proposal, by, accept } => self.apply_voted(*proposal, *by, *accept)?,
            Event::Lapsed { .. } => {
                self.proposals.lapse();
                self.rematch_agreed = None;
            }
            Event::Gift { by, to, clock, .. } => {
                let (by, to) = (self.seat(*by)?, self.seat(*to)?);
                self.gifts[by.index()] += 1;
                self.clocks.set(to, i64::from(*clock));
            }
            Event::Outage { millis, .. } => {
                let millis = i64::try_from(*millis).unwrap_or(i64::MAX);
                self.clocks.skip(millis, at);
                self.attendance.skip(millis, at);
            }
            Event::Departed { seat } => {
                let seat = self.seat(*seat)?;
                self.departures[seat.index()] += 1;
                self.attendance.departed(seat, at);
            }
            Event::Returned { seat } => {
                let seat = self.seat(*seat)?;
                self.attendance.returned(seat, at);
            }
            Event::Aborted { cause } => self.end(Stage::Aborted(*cause)),
            Event::Finished(ending) => self.end(Stage::Finished(Arc::new(ending.clone()))),
            Event::Rematch { game } => self.rematch = Some(*game),
            Event::MatchEnded { .. } => self.is_match_over = true,
        }
        self.seq = seq;
        self.last_at = at;
        Ok(applied)
    }

    fn apply_proposed(
        &mut self,
        id: ProposalId,
        what: ProposalKind,
        by: SeatLetter,
        electorate: &[SeatLetter],
    ) -> Result<(), ApplyError> {
        let by = self.seat(by)?;
        let electorate = electorate.iter().map(|&letter| self.seat(letter)).collect::<Result<Seats, _>>()?;
        match what {
            ProposalKind::Draw => drop(self.act(&Action::Offer)?),
            ProposalKind::Rematch => self.rematches_asked[by.index()] += 1,
            ProposalKind::Abort => {}
        }
        let seq = self.seq.next();
        self.proposals.propose(Proposal { id, what, by, seq, electorate, accepted: Seats::NONE });
        Ok(())
    }

    fn apply_voted(&mut self, id: ProposalId, by: SeatLetter, accept: bool) -> Result<(), ApplyError> {
        let by = self.seat(by)?;
        if self.proposals.open().is_some_and(|open| open.what == ProposalKind::Draw) {
            self.act(&if accept { Action::Accept(by) } else { Action::Decline(by) })?;
        }
        let (own_moves, pause) = (self.own_moves, self.terms.refused_moves);
        let outcome = self.proposals.vote(by, accept, |seat| own_moves[seat.index()] + pause);
        self.rematch_agreed = (outcome == VoteOutcome::Carried(ProposalKind::Rematch)).then_some(id);
        Ok(())
    }

    /// Players are called otherwise than when the game began.
    pub fn rename(&mut self, setup: Arc<Setup>) {
        self.setup = setup;
    }

    /// After a restart: nobody is here yet, and the absent are waited for anew.
    pub fn absent_since(&mut self, now: Timestamp) {
        self.attendance.restart(now);
    }

    fn apply_played(&mut self, at: Timestamp, played: &Played) -> Result<Applied, ApplyError> {
        let seat = self.seat(played.seat)?;
        let action =
            Action::parse(self.setup.variant, &played.action).map_err(|refused| self.refused(refused))?;
        let (turn, ply) = (self.game.turn(), self.game.ply());
        let applied = self.act(&action)?;
        let clock = i64::from(played.clock);
        if matches!(action, Action::Move(_) | Action::Pass) && !played.by_server {
            self.clocks.moved(seat, i64::from(played.refund), clock);
            self.own_moves[seat.index()] += 1;
            self.gifts[seat.index()] = 0;
        } else {
            self.clocks.set(seat, clock);
        }
        match self.game.turn() {
            None => self.clocks.stop(),
            Some(next) if turn != Some(next) || ply != self.game.ply() => self.clocks.start(next, at),
            Some(_) => {}
        }
        for &seat in self.rules().turn_order {
            if !self.game.is_active(seat) {
                self.attendance.excuse(seat);
            }
        }
        let has_people = self.setup.players.iter().any(|player| player.bot.is_none());
        if self.deserted.is_none() && has_people && self.person_playing().is_none() {
            self.deserted = Some((self.game.ply(), at));
        }
        Ok(applied)
    }

    fn act(&mut self, action: &Action) -> Result<Applied, ApplyError> {
        self.game.act(action).map_err(|refused| self.refused(refused))
    }

    fn end(&mut self, stage: Stage) {
        self.stage = stage;
        self.proposals.lapse();
        self.clocks.stop();
    }

    fn refused(&self, rejection: kingscross_engine::Rejection) -> ApplyError {
        ApplyError { seq: self.seq.next(), why: rejection.message.clone(), rejection: Some(rejection) }
    }

    fn does_not_apply(&self, why: &str) -> ApplyError {
        ApplyError { seq: self.seq.next(), why: why.to_owned(), rejection: None }
    }

    fn seat(&self, letter: SeatLetter) -> Result<Seat, ApplyError> {
        self.rules().seat(letter.0).ok_or_else(|| self.does_not_apply("no such seat"))
    }

    /// The numbers that it goes by.
    pub fn terms(&self) -> &Arc<Terms> {
        &self.terms
    }

    /// What its random moves come from.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// When the last event happened.
    pub fn last_at(&self) -> Timestamp {
        self.last_at
    }

    /// Who is at the table.
    pub fn attendance(&self) -> &Attendance {
        &self.attendance
    }

    /// A player has a connection now, or has none any more.
    pub fn connected(&mut self, seat: Seat, is_connected: bool, now: Timestamp) {
        self.attendance.connected(seat, is_connected, now);
    }

    /// The rematch that has begun.
    pub fn rematch(&self) -> Option<GameId> {
        self.rematch
    }

    /// Whether all have agreed to play again, and the new game is still to be made.
    pub fn is_rematch_due(&self) -> bool {
        self.rematch_agreed.is_some() && self.rematch.is_none()
    }

    /// Whether all have agreed to play again.
    pub fn is_rematch_agreed(&self) -> bool {
        self.rematch_agreed.is_some()
    }

    /// Whether the other game of the match is still to begin.
    pub fn is_other_game_due(&self) -> bool {
        self.setup.other_game.is_some() && !self.has_other_game && !self.is_match_over
    }

    /// The other game of the match has begun.
    pub fn other_game_began(&mut self) {
        self.has_other_game = true;
    }

    /// The rules it is played by.
    pub fn rules(&self) -> &'static Rules {
        self.game.rules()
    }

    /// What it was started from.
    pub fn setup(&self) -> &Arc<Setup> {
        &self.setup
    }

    /// The board.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// How far it is.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Whether it goes on.
    pub fn is_running(&self) -> bool {
        self.stage == Stage::Running
    }

    /// The last event.
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// The hash of the position.
    pub fn hash(&self) -> u64 {
        self.game.hash().0
    }

    /// The letter of a seat.
    pub fn letter(&self, seat: Seat) -> SeatLetter {
        SeatLetter(self.rules().letter(seat))
    }

    /// The seat of a person; bots of the server are no persons.
    pub fn seat_of(&self, user: UserId) -> Option<Seat> {
        let player = self.setup.players.iter().find(|player| player.user == user && player.bot.is_none())?;
        self.rules().seat(player.seat.0)
    }

    /// The level of the bot at a seat.
    pub fn bot_level(&self, seat: Seat) -> Option<&str> {
        let letter = self.letter(seat);
        self.setup.players.iter().find(|player| player.seat == letter)?.bot.as_deref()
    }

    /// The first person in turn order who still plays.
    pub fn person_playing(&self) -> Option<UserId> {
        let mut seats = self.rules().turn_order.iter().zip(&self.setup.players);
        seats
            .find(|(seat, player)| player.bot.is_none() && self.game.is_active(**seat))
            .map(|(_, it)| it.user)
    }

    /// Since which ply and moment only bots play, of a game that had people.
    pub fn deserted(&self) -> Option<(u32, Timestamp)> {
        self.deserted
    }

    /// Whether the player on turn may offer a draw.
    pub fn may_offer_draw(&self, seat: Seat) -> bool {
        self.proposals.open().is_none() && self.proposals.may_ask(seat, self.own_moves[seat.index()])
    }

    /// Whether something is still to follow the end: a rematch that is asked for or agreed on, or the other game of the
    /// match.
    pub fn awaits_follow_up(&self) -> bool {
        self.awaits_rematch() || !self.is_running() && self.is_other_game_due()
    }

    /// Whether a question for a rematch is open, or one that was agreed on has not begun.
    pub fn awaits_rematch(&self) -> bool {
        let is_open = self.proposals.open().is_some_and(|open| open.what == ProposalKind::Rematch);
        !self.is_running() && self.rematch.is_none() && (is_open || self.rematch_agreed.is_some())
    }

    /// The open proposal.
    pub fn proposal(&self) -> Option<&Proposal> {
        self.proposals.open()
    }

    /// A number for the bot at a seat to play by: from the game's secret, so that nobody can foresee its moves.
    pub fn secret_for(&self, seat: Seat) -> u64 {
        let digest = Sha256::new().chain_update(self.seed.0).chain_update([0xb0, seat as u8]).finalize();
        u64::from_le_bytes(digest[..8].try_into().expect("32 bytes"))
    }

    /// The next moment at which something is due by time alone: a flag (which waits for the lag measured for the
    /// player on turn), a first move, an absence to be judged.
    pub fn deadline(&self, lag: u32) -> Option<Timestamp> {
        if !self.is_running() {
            return None;
        }
        let absence = self.rules().turn_order.iter().filter_map(|&seat| self.attendance.judged_at(seat));
        self.clocks.deadline(lag).into_iter().chain(absence).min()
    }

    /// The result that the rules give, once the game is over by them.
    pub fn outcome_as_ending(&self) -> Option<Ending> {
        Ending::of(&self.game)
    }
}
