//! One player (or watcher) of the load: a socket, what it has asked, and what it was told.

use std::time::Duration;

use anyhow::{Context, bail};
use kingscross_client::{Address, Client, Lost, Socket};
use kingscross_engine::SplitMix64;
use kingscross_protocol::{
    ClientMessage, CommandId, GameId, LobbyId, Request, SeatLetter, Seq, ServerMessage, Snapshot,
};
use tokio::time::{Instant, timeout};

use super::measure::{Tally, Window};
use super::message::Message;

/// As real clients do.
const PING: Duration = Duration::from_secs(5);

/// No answer may take longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Player {
    client: Client,
    socket: Socket,
    /// Requests without an answer; commands in a game are kept whole, to be sent again after a cut.
    open: Vec<(CommandId, Option<Request>)>,
    next_ping: Instant,
    /// The lobby one is in, with its key.
    lobby: Option<(LobbyId, String)>,
    pub(crate) seen: Seen,
}

/// What a player knows about the game.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) game: Option<GameId>,
    pub(crate) seq: u32,
    /// Of the position after `seq`.
    pub(crate) hash: u64,
    pub(crate) ply: u32,
    pub(crate) is_over: bool,
    /// A move chosen at random from the legal ones, when on turn.
    pub(crate) choice: Option<String>,
    /// The most that each clock can show, by the events alone.
    clocks: Vec<(SeatLetter, u32)>,
    increment: u32,
    /// The answers to commands, until they are taken: the id, and the seq or the code of the refusal.
    answer: Option<(CommandId, Result<Option<u32>, String>)>,
}

impl Player {
    pub(crate) async fn connect(address: &Address, tally: &mut Tally) -> anyhow::Result<Self> {
        let client = Client::guest_of(address).await.context("a guest could not be made")?;
        let mut socket = client.socket().await?;
        let greeting = socket.greet("kingscross-load").await?;
        tally.requests += 1;
        Ok(Self {
            client,
            socket,
            open: vec![(greeting.hello, None)],
            next_ping: Instant::now() + PING,
            lobby: None,
            seen: Seen::default(),
        })
    }

    pub(crate) async fn send(&mut self, request: Request, tally: &mut Tally) -> anyhow::Result<CommandId> {
        let id = CommandId::fresh();
        tally.requests += 1;
        let message = ClientMessage { id, request };
        self.socket.send(&message).await?;
        let repeatable = matches!(message.request, Request::Move { .. }).then_some(message.request);
        self.open.push((id, repeatable));
        Ok(id)
    }

    /// Pings when it is time to.
    pub(crate) async fn stay_alive(&mut self, now: Instant, tally: &mut Tally) -> anyhow::Result<()> {
        if now >= self.next_ping {
            self.next_ping = now + PING;
            self.send(Request::Ping, tally).await?;
        }
        Ok(())
    }

    /// Sends a request and waits for its answer, which must be `ok`.
    pub(crate) async fn call(
        &mut self,
        request: Request,
        tally: &mut Tally,
    ) -> anyhow::Result<ServerMessage> {
        let what = format!("{request:?}");
        let id = self.send(request, tally).await?;
        self.wait(
            what,
            |message| {
                matches!(message, ServerMessage::Ok { id: answered, .. } if *answered == id)
                    || matches!(message, ServerMessage::Error { id: Some(answered), .. } if *answered == id)
            },
            tally,
        )
        .await
        .and_then(|message| match message {
            ServerMessage::Error { error, .. } => bail!("{}: {}", error.code.as_str(), error.message),
            answer => Ok(answer),
        })
    }

    /// Waits for a message, reading those before it.
    pub(crate) async fn wait(
        &mut self,
        what: impl AsRef<str>,
        wanted: impl Fn(&ServerMessage) -> bool,
        tally: &mut Tally,
    ) -> anyhow::Result<ServerMessage> {
        let waiting = async {
            loop {
                let text = self.socket.next().await?;
                let message: ServerMessage = serde_json::from_str(&text).context("unreadable")?;
                self.settle(&message, tally);
                if wanted(&message) {
                    return Ok(message);
                }
            }
        };
        timeout(PATIENCE, waiting)
            .await
            .with_context(|| format!("{} was not answered in time", what.as_ref()))?
    }

    /// The key of the lobby that one has just opened.
    pub(crate) async fn lobby_key(&mut self, lobby: LobbyId, tally: &mut Tally) -> anyhow::Result<String> {
        // The lobby shows itself before or after the answer to the request that opened it.
        if self.lobby.as_ref().is_none_or(|(known, _)| *known != lobby) {
            let wanted =
                |message: &ServerMessage| matches!(message, ServerMessage::Lobby(v) if v.lobby == lobby);
            self.wait("create_lobby", wanted, tally).await?;
        }
        let (_, key) = self.lobby.take().context("the lobby was seen")?;
        Ok(key)
    }

    /// Crosses off an answered request, and remembers the lobby.
    fn settle(&mut self, message: &ServerMessage, tally: &mut Tally) {
        let id = match message {
            ServerMessage::Lobby(view) => {
                self.lobby = Some((view.lobby, view.key.clone()));
                return;
            }
            ServerMessage::Ok { id, .. } | ServerMessage::Error { id: Some(id), .. } => *id,
            _ => return,
        };
        self.cross_off(id, tally);
    }

    fn cross_off(&mut self, id: CommandId, tally: &mut Tally) {
        tally.answers += 1;
        match self.open.iter().position(|(open, _)| *open == id) {
            Some(place) => {
                self.open.swap_remove(place);
            }
            None => tally.problem(format!("an answer to {id}, which was answered before or never asked")),
        }
    }

    /// How many requests have no answer yet.
    pub(crate) fn unanswered(&self) -> usize {
        self.open.len()
    }

    /// Follows a game from its snapshot on. Tells whether one has a seat in it.
    pub(crate) async fn watch(
        &mut self,
        game: GameId,
        chance: &mut SplitMix64,
        tally: &mut Tally,
    ) -> anyhow::Result<bool> {
        self.call(Request::Watch { game, after: None }, tally).await?;
        let wanted =
            |message: &ServerMessage| matches!(message, ServerMessage::Snapshot(s) if s.game == game);
        let ServerMessage::Snapshot(snapshot) = self.wait("watch", wanted, tally).await? else {
            bail!("no snapshot");
        };
        let is_seated = snapshot.you.is_some();
        self.seen = Seen::new(*snapshot, chance)?;
        Ok(is_seated)
    }

    /// Reads one message. Events are checked and noted, answers kept.
    pub(crate) async fn read(
        &mut self,
        window: &Window,
        chance: &mut SplitMix64,
        tally: &mut Tally,
    ) -> anyhow::Result<()> {
        let text = self.socket.next().await?;
        self.note(&text, window, chance, tally)
    }

    pub(crate) fn poll(&mut self, cx: &mut std::task::Context<'_>) -> std::task::Poll<Result<String, Lost>> {
        self.socket.poll_next(cx).map_ok(|text| text.to_string())
    }

    pub(crate) fn note(
        &mut self,
        text: &str,
        window: &Window,
        chance: &mut SplitMix64,
        tally: &mut Tally,
    ) -> anyhow::Result<()> {
        let message: Message<'_> =
            serde_json::from_str(text).with_context(|| format!("unreadable: {text}"))?;
        match message.kind {
            "event" if message.game == self.seen.game => {
                if window.holds(Instant::now()) {
                    tally.deliveries += 1;
                }
                self.seen.event(&message, chance, tally);
            }
            // To one who comes back and missed more than the server keeps at hand.
            "snapshot" if message.game == self.seen.game => {
                let ServerMessage::Snapshot(snapshot) = serde_json::from_str(text)? else {
                    bail!("no snapshot")
                };
                let answer = self.seen.answer.take();
                self.seen = Seen { answer, ..Seen::new(*snapshot, chance)? };
            }
            "ok" => {
                let id = message.id.context("an ok without an id")?;
                self.cross_off(id, tally);
                self.seen.answer = Some((id, Ok(message.seq)));
            }
            "error" => {
                let code = message.code.unwrap_or("none").to_owned();
                *tally.refused.entry(code.clone()).or_default() += 1;
                let id = message.id.with_context(|| format!("an error without an id: {text}"))?;
                self.cross_off(id, tally);
                self.seen.answer = Some((id, Err(code)));
            }
            _ => {}
        }
        Ok(())
    }

    /// The answer to this command, if it has come.
    pub(crate) fn answer(&mut self, id: CommandId) -> Option<Result<Option<u32>, String>> {
        match self.seen.answer.take() {
            Some((answered, answer)) if answered == id => Some(answer),
            _ => None,
        }
    }

    /// Cuts the connection without a word and comes back as a client that resumes.
    pub(crate) async fn cut_and_resume(&mut self, tally: &mut Tally) -> anyhow::Result<()> {
        let mut socket = self.client.socket().await?;
        let greeting = socket.greet("kingscross-load").await?;
        // The old one is dropped without a close frame; its answers can never be read.
        self.socket = socket;
        tally.requests += 1;
        tally.resumed += 1;
        let repeat: Vec<_> =
            self.open.drain(..).filter_map(|(id, request)| request.map(|request| (id, request))).collect();
        self.open.push((greeting.hello, None));
        if let Some(game) = self.seen.game {
            self.send(Request::Watch { game, after: Some(Seq(self.seen.seq)) }, tally).await?;
        }
        for (id, request) in repeat {
            tally.requests += 1;
            let message = ClientMessage { id, request };
            self.socket.send(&message).await?;
            self.open.push((id, Some(message.request)));
        }
        Ok(())
    }
}

impl Seen {
    fn new(snapshot: Snapshot, chance: &mut SplitMix64) -> anyhow::Result<Self> {
        let initial = snapshot.setup.time.initial;
        let legal = snapshot.legal.unwrap_or_default();
        let mut clocks: Vec<_> = snapshot.setup.players.iter().map(|player| (player.seat, initial)).collect();
        for entry in &snapshot.history {
            if let kingscross_protocol::Event::Played(played) = &entry.event {
                for (_, most) in clocks.iter_mut().filter(|(seat, _)| *seat == played.seat) {
                    *most = played.clock;
                }
            }
        }
        Ok(Self {
            game: Some(snapshot.game),
            seq: snapshot.seq.0,
            hash: u64::from_str_radix(&snapshot.hash, 16).context("the hash cannot be read")?,
            ply: snapshot.board.ply,
            is_over: snapshot.ending.is_some() || snapshot.aborted,
            choice: (!legal.is_empty()).then(|| legal[chance.below(legal.len())].mv.clone()),
            clocks,
            increment: snapshot.setup.time.increment,
            answer: None,
        })
    }

    fn event(&mut self, message: &Message<'_>, chance: &mut SplitMix64, tally: &mut Tally) {
        let (Some(seq), Some(hash), Some(event)) = (message.seq, message.hash, &message.event) else {
            return tally.problem("an event without seq, hash or event");
        };
        let Ok(hash) = u64::from_str_radix(hash, 16) else {
            return tally.problem(format!("`{hash}` is not a hash"));
        };
        if seq <= self.seq {
            if seq == self.seq && hash != self.hash {
                tally.problem(format!("event {seq} came with two hashes"));
            }
            return;
        }
        if seq != self.seq + 1 {
            tally.problem(format!("event {seq} came after event {}", self.seq));
        }
        self.seq = seq;
        self.hash = hash;
        if let Some(change) = &message.change {
            if change.ply < self.ply || change.ply > self.ply + 1 {
                tally.problem(format!("event {seq} leads from ply {} to {}", self.ply, change.ply));
            }
            self.ply = change.ply;
        }
        if matches!(event.kind, "finished" | "aborted") {
            self.is_over = true;
        }
        if event.kind == "played" {
            self.choice = None;
        }
        if let Some(legal) = message.legal.as_ref().filter(|legal| !legal.is_empty()) {
            self.choice = Some(legal[chance.below(legal.len())].mv.to_owned());
        }
        self.check_clocks(message, tally);
    }

    fn check_clocks(&mut self, message: &Message<'_>, tally: &mut Tally) {
        if let Some(event) = &message.event
            && let ("played", Some(seat), Some(clock)) = (event.kind, event.seat, event.clock)
            && let Some((_, most)) = self.clocks.iter_mut().find(|(each, _)| *each == seat)
        {
            let used = event.spent.saturating_sub(event.refund);
            let allowed = most.saturating_sub(used).saturating_add(self.increment);
            if clock > allowed {
                tally.problem(format!("{seat} has {clock} ms, at most {allowed} are accounted for"));
            }
            *most = clock;
        }
        for (seat, has) in message.clocks.iter().flat_map(|clocks| &clocks.remaining) {
            if let Some((_, most)) = self.clocks.iter().find(|(each, most)| each == seat && has > most) {
                tally.problem(format!("{seat} shows {has} ms, at most {most} are accounted for"));
            }
        }
    }
}
