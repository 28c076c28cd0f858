//! What a table tells: events, snapshots, clocks, presence.

use kingscross_engine::Seat;
use kingscross_protocol::{
    BoardChange, BoardView, Choice, Clocks, Event, GameId, HistoryEntry, LegalList, Presence, ProposalView,
    SeatLetter, Seq, Snapshot, Timestamp,
};
use serde::Serialize;

use super::core::{Core, Stage};

impl Core {
    /// The clocks as they read at `now`.
    pub fn clocks_view(&self, now: Timestamp) -> Clocks {
        let clocks = &self.clocks;
        Clocks {
            remaining: self
                .rules()
                .turn_order
                .iter()
                .map(|&seat| (self.letter(seat), clip(clocks.reading(seat, now))))
                .collect(),
            running: clocks.running().map(|seat| self.letter(seat)),
            delay: clip(clocks.delay_left(now)),
            first_move: clocks.first_move_left(now).map(clip),
        }
    }

    /// The open proposal.
    pub fn proposal_view(&self) -> Option<ProposalView> {
        let open = self.proposals.open()?;
        let letters = |has: &dyn Fn(Seat) -> bool| {
            let seats = self.rules().turn_order.iter().filter(|&&seat| has(seat));
            seats.map(|&seat| self.letter(seat)).collect::<Vec<SeatLetter>>()
        };
        Some(ProposalView {
            proposal: open.id,
            what: open.what,
            by: self.letter(open.by),
            seq: open.seq,
            electorate: letters(&|seat| open.electorate.has(seat)),
            accepted: letters(&|seat| open.accepted.has(seat)),
        })
    }

    /// Who is at the table, and how long the absent are still waited for. Bots of the server are left out.
    pub fn presence_view(&self, now: Timestamp) -> Vec<Presence> {
        let humans = self.rules().turn_order.iter().filter(|&&seat| self.bot_level(seat).is_none());
        humans
            .map(|&seat| {
                let present = self.attendance.is_shown_present(seat, now);
                let judged_in = self
                    .attendance
                    .judged_at(seat)
                    .filter(|_| !present && self.is_running())
                    .map(|at| clip(at.since(now)));
                Presence { seat: self.letter(seat), present, judged_in }
            })
            .collect()
    }

    /// The legal list to be written, for the player on turn.
    pub fn legal_list_for(&self, seat: Option<Seat>) -> Option<LegalList<'_>> {
        (self.is_running() && seat.is_some() && self.game.turn() == seat).then_some(LegalList(&self.game))
    }

    /// The legal list, for the player on turn.
    pub fn legal_for(&self, seat: Option<Seat>) -> Option<Vec<Choice>> {
        self.legal_list_for(seat).map(|LegalList(game)| Choice::list(game))
    }

    /// Everything that follows from the events; what the table knows beside them is filled in by the caller.
    pub fn snapshot(
        &self,
        game: GameId,
        you: Option<Seat>,
        history: Vec<HistoryEntry>,
        now: Timestamp,
    ) -> Snapshot {
        Snapshot {
            game,
            seq: self.seq,
            hash: hash_text(self.hash()),
            setup: (*self.setup).clone(),
            board: BoardView::of(&self.game),
            clocks: self.clocks_view(now),
            you: you.map(|seat| self.letter(seat)),
            legal: self.legal_for(you),
            history,
            proposal: self.proposal_view(),
            presence: self.presence_view(now),
            spectators: 0,
            chat: Vec::new(),
            frozen: None,
            ending: match &self.stage {
                Stage::Finished(ending) => Some((**ending).clone()),
                Stage::Running | Stage::Aborted(_) => None,
            },
            aborted: matches!(self.stage, Stage::Aborted(_)),
            rematch: self.rematch,
        }
    }
}

/// A hash as it is written: 16 hex digits.
pub fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}

/// The part of an event message that is the same for every receiver at every time. It lacks clocks, legal list and
/// closing brace, so that each event is encoded once and finished by adding to its text.
pub fn event_head(
    game: GameId,
    seq: Seq,
    at: Timestamp,
    hash: u64,
    event: &Event,
    change: Option<&BoardChange>,
) -> Box<str> {
    #[derive(Serialize)]
    struct Head<'a> {
        r#type: &'static str,
        game: GameId,
        seq: Seq,
        at: Timestamp,
        hash: String,
        event: &'a Event,
        #[serde(skip_serializing_if = "Option::is_none")]
        change: Option<&'a BoardChange>,
    }
    let head = Head { r#type: "event", game, seq, at, hash: hash_text(hash), event, change };
    let mut text = serde_json::to_string(&head).expect("events are plain data");
    text.pop();
    text.into_boxed_str()
}

/// Finishes an event message with the clocks, and the legal list where the receiver is on turn.
pub fn event_message(head: &str, clocks: &Clocks, legal: Option<LegalList<'_>>) -> String {
    let mut text = Vec::with_capacity(head.len() + if legal.is_some() { 2048 } else { 192 });
    text.extend_from_slice(head.as_bytes());
    text.extend_from_slice(b",\"clocks\":");
    serde_json::to_writer(&mut text, clocks).expect("clocks are plain data");
    if let Some(legal) = legal {
        text.extend_from_slice(b",\"legal\":");
        serde_json::to_writer(&mut text, &legal).expect("choices are plain data");
    }
    text.push(b'}');
    String::from_utf8(text).expect("JSON is UTF-8")
}

fn clip(millis: i64) -> u32 {
    u32::try_from(millis.max(0)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use kingscross_engine::{Game, Variant};
    use kingscross_protocol::{EventMessage, OutageCause, ServerMessage};

    use super::*;

    #[test]
    fn an_event_message_put_together_reads_as_the_type_says() {
        let event = Event::Outage { millis: 5, cause: OutageCause::Restart };
        let game = GameId::fresh();
        let head = event_head(game, Seq(3), Timestamp(9), 0xabc, &event, None);
        let clocks = Clocks { remaining: vec![(SeatLetter('s'), 7)], ..Clocks::default() };
        let board = Game::new(Variant::Crossfire);
        let wanted = EventMessage {
            game,
            seq: Seq(3),
            at: Timestamp(9),
            hash: "0000000000000abc".into(),
            event,
            change: None,
            clocks: clocks.clone(),
            legal: Some(Choice::list(&board)),
        };
        let text = event_message(&head, &clocks, Some(LegalList(&board)));
        let read: ServerMessage = serde_json::from_str(&text).expect("readable");
        assert_eq!(read, ServerMessage::Event(Box::new(wanted.clone())));
        let text = event_message(&head, &clocks, None);
        let read: ServerMessage = serde_json::from_str(&text).expect("readable");
        assert_eq!(read, ServerMessage::Event(Box::new(EventMessage { legal: None, ..wanted })));
    }
}
