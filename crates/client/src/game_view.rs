//! A game as one of its clients sees it, kept up to date by the server's messages and checked on the way.

use std::collections::BTreeMap;

use kingscross_protocol::{
    BoardChange, BoardView, Choice, Clocks, Ending, Event, EventMessage, GameId, OutageCause, Presence,
    ProposalView, Request, SeatLetter, Seq, ServerMessage, Setup, Snapshot,
};

use crate::Inconsistent;

/// One game that is followed.
#[derive(Clone, Debug, PartialEq)]
pub struct GameView {
    /// The game.
    pub game: GameId,
    /// The last event that is in this view.
    pub seq: Seq,
    /// Hash of the position after it.
    pub hash: String,
    /// Variant, time control and players.
    pub setup: Setup,
    /// The board.
    pub board: BoardView,
    /// The clocks when the last message was sent.
    pub clocks: Clocks,
    /// One's own seat.
    pub you: Option<SeatLetter>,
    /// What one may play, if one is on turn.
    pub legal: Option<Vec<Choice>>,
    /// The open proposal.
    pub proposal: Option<ProposalView>,
    /// Who is at the table.
    pub presence: Vec<Presence>,
    /// How many people watch.
    pub spectators: u32,
    /// Why play is suspended, if it is.
    pub frozen: Option<OutageCause>,
    /// The result, after the end.
    pub ending: Option<Ending>,
    /// Whether the game ended without a result.
    pub aborted: bool,
    /// The game that all agreed to play next.
    pub rematch: Option<GameId>,
    /// The most that each clock can show, by the events alone.
    most: BTreeMap<SeatLetter, u32>,
}

/// What a message did to a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It is new, and the view has it.
    Yes,
    /// The view had it already, or it is about something else.
    No,
    /// Events are missing before it: send [`GameView::rewatch`].
    Gap,
}

impl GameView {
    /// The view that a snapshot gives.
    pub fn new(snapshot: Snapshot) -> Result<Self, Inconsistent> {
        check_hash(snapshot.seq, &snapshot.hash)?;
        let most = snapshot.setup.players.iter().map(|p| (p.seat, snapshot.setup.time.initial)).collect();
        let mut view = Self {
            game: snapshot.game,
            seq: snapshot.seq,
            hash: snapshot.hash,
            setup: snapshot.setup,
            board: snapshot.board,
            clocks: snapshot.clocks,
            you: snapshot.you,
            legal: snapshot.legal,
            proposal: snapshot.proposal,
            presence: snapshot.presence,
            spectators: snapshot.spectators,
            frozen: snapshot.frozen,
            ending: snapshot.ending,
            aborted: snapshot.aborted,
            rematch: snapshot.rematch,
            most,
        };
        for entry in &snapshot.history {
            view.account(entry.seq, &entry.event)?;
        }
        view.check_clocks(view.seq)?;
        view.check_legal(view.seq)?;
        Ok(view)
    }

    /// Takes in what the server says. A snapshot of this game replaces the view, if it is not older.
    pub fn apply(&mut self, message: &ServerMessage) -> Result<Applied, Inconsistent> {
        match message {
            ServerMessage::Event(event) if event.game == self.game => self.event(event),
            ServerMessage::Snapshot(snapshot) if snapshot.game == self.game => {
                if snapshot.seq < self.seq {
                    return Ok(Applied::No);
                }
                if snapshot.seq == self.seq {
                    self.check_same(snapshot.seq, &snapshot.hash)?;
                }
                *self = Self::new(snapshot.as_ref().clone())?;
                Ok(Applied::Yes)
            }
            ServerMessage::Presence { game, seats } if *game == self.game => {
                self.presence.clone_from(seats);
                Ok(Applied::Yes)
            }
            ServerMessage::Spectators { game, count } if *game == self.game => {
                self.spectators = *count;
                Ok(Applied::Yes)
            }
            ServerMessage::Table { game, frozen } if *game == self.game => {
                self.frozen = *frozen;
                Ok(Applied::Yes)
            }
            _ => Ok(Applied::No),
        }
    }

    /// Asks for the events after the last one that is here.
    pub fn rewatch(&self) -> Request {
        Request::Watch { game: self.game, after: Some(self.seq) }
    }

    /// Whether nothing will be played here any more.
    pub fn is_over(&self) -> bool {
        self.aborted || self.ending.is_some()
    }

    /// Whether one is on turn.
    pub fn is_my_turn(&self) -> bool {
        !self.is_over() && self.you.is_some() && self.board.turn == self.you
    }

    fn event(&mut self, message: &EventMessage) -> Result<Applied, Inconsistent> {
        let seq = message.seq;
        check_hash(seq, &message.hash)?;
        if seq <= self.seq {
            if seq == self.seq {
                self.check_same(seq, &message.hash)?;
            }
            return Ok(Applied::No);
        }
        if seq != self.seq.next() {
            return Ok(Applied::Gap);
        }
        if self.is_over() && !allowed_after_the_end(&message.event) {
            return Err(Inconsistent::AfterTheEnd(seq));
        }
        if let Event::Played(played) = &message.event
            && played.ply != self.board.ply
        {
            return Err(Inconsistent::WrongPly { seq, named: played.ply, board: self.board.ply });
        }
        self.account(seq, &message.event)?;
        if let Some(change) = &message.change {
            self.change(seq, change)?;
        }
        self.seq = seq;
        self.hash.clone_from(&message.hash);
        self.clocks = message.clocks.clone();
        self.legal.clone_from(&message.legal);
        self.note(seq, &message.event);
        Ok(Applied::Yes)
    }

    fn change(&mut self, seq: Seq, change: &BoardChange) -> Result<(), Inconsistent> {
        let (from, to) = (self.board.ply, change.ply);
        if to < from || to > from + 1 {
            return Err(Inconsistent::PlyJumped { seq, from, to });
        }
        if let Some((square, _)) = change.moved.iter().find(|(from, _)| !self.board.pieces.contains_key(from))
        {
            return Err(Inconsistent::NoPiece { seq, square: square.clone() });
        }
        for (square, content) in &change.set {
            match content {
                Some(piece) => self.board.pieces.insert(square.clone(), piece.clone()),
                None => self.board.pieces.remove(square),
            };
        }
        if let Some(armies) = &change.armies {
            self.board.armies.clone_from(armies);
        }
        self.board.turn = change.turn;
        self.board.ply = change.ply;
        self.board.checks.clone_from(&change.checks);
        if change.phase.is_some() {
            self.board.phase.clone_from(&change.phase);
        }
        Ok(())
    }

    /// What an event says beside the board and the clocks.
    fn note(&mut self, seq: Seq, event: &Event) {
        match event {
            Event::Proposed { proposal, what, by, electorate } => {
                let (what, by, electorate) = (*what, *by, electorate.clone());
                let accepted = Vec::new();
                self.proposal =
                    Some(ProposalView { proposal: *proposal, what, by, seq, electorate, accepted });
            }
            Event::Voted { by, accept: true, .. } => {
                if let Some(proposal) = &mut self.proposal {
                    proposal.accepted.push(*by);
                }
            }
            Event::Voted { accept: false, .. } | Event::Lapsed { .. } => self.proposal = None,
            Event::Aborted { .. } => {
                self.aborted = true;
                self.proposal = None;
            }
            Event::Finished(ending) => {
                self.ending = Some(ending.clone());
                self.proposal = None;
            }
            Event::Rematch { game } => {
                self.rematch = Some(*game);
                self.proposal = None;
            }
            Event::Created(_)
            | Event::Played(_)
            | Event::Gift { .. }
            | Event::Outage { .. }
            | Event::Departed { .. }
            | Event::Returned { .. }
            | Event::MatchEnded { .. } => {}
        }
    }

    /// Follows each clock by the events alone: a player's time grows by increment and gifts, and by nothing else.
    fn account(&mut self, seq: Seq, event: &Event) -> Result<(), Inconsistent> {
        let (seat, clock, most) = match event {
            Event::Played(played) => {
                let Some(before) = self.most.get(&played.seat) else { return Ok(()) };
                let used = played.spent.saturating_sub(played.refund);
                let used = used.saturating_sub(self.setup.time.delay);
                let most = before.saturating_sub(used).saturating_add(self.setup.time.increment);
                (played.seat, played.clock, most)
            }
            Event::Gift { to, millis, clock, .. } => {
                let Some(before) = self.most.get(to) else { return Ok(()) };
                (*to, *clock, before.saturating_add(*millis))
            }
            _ => return Ok(()),
        };
        if clock > most {
            return Err(Inconsistent::TimeGained { seq, seat, has: clock, most });
        }
        self.most.insert(seat, clock);
        Ok(())
    }

    /// Only for snapshots: a repeated event shows today's clocks, which later increments may have filled.
    fn check_clocks(&self, seq: Seq) -> Result<(), Inconsistent> {
        for (seat, has) in &self.clocks.remaining {
            match self.most.get(seat) {
                Some(most) if has > most => {
                    return Err(Inconsistent::TimeGained { seq, seat: *seat, has: *has, most: *most });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_legal(&self, seq: Seq) -> Result<(), Inconsistent> {
        match &self.legal {
            Some(legal) if self.is_my_turn() && legal.is_empty() => {
                Err(Inconsistent::Legal(seq, "the player on turn may play nothing"))
            }
            Some(_) if !self.is_my_turn() => {
                Err(Inconsistent::Legal(seq, "legal moves for one who is not on turn"))
            }
            None if self.is_my_turn() && self.frozen.is_none() => {
                Err(Inconsistent::Legal(seq, "no legal moves for the player on turn"))
            }
            _ => Ok(()),
        }
    }

    fn check_same(&self, seq: Seq, hash: &str) -> Result<(), Inconsistent> {
        if self.hash == hash {
            return Ok(());
        }
        Err(Inconsistent::TwoHashes { seq, first: self.hash.clone(), then: hash.to_owned() })
    }
}

fn check_hash(seq: Seq, hash: &str) -> Result<(), Inconsistent> {
    if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(Inconsistent::BadHash(seq, hash.to_owned()))
}

fn allowed_after_the_end(event: &Event) -> bool {
    match event {
        Event::Proposed { .. }
        | Event::Voted { .. }
        | Event::Lapsed { .. }
        | Event::Departed { .. }
        | Event::Returned { .. }
        | Event::Rematch { .. }
        | Event::MatchEnded { .. }
        | Event::Outage { .. } => true,
        Event::Created(_)
        | Event::Played(_)
        | Event::Gift { .. }
        | Event::Aborted { .. }
        | Event::Finished(_) => false,
    }
}
