//! One table of the load: real players who play random legal moves, game after game.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use anyhow::{Context, bail};
use kingscross_client::Address;
use kingscross_engine::{SplitMix64, Variant};
use kingscross_protocol::{LobbyOptions, Request, ServerMessage, TimeControl};
use tokio::time::{Instant, sleep_until, timeout};

use super::Start;
use super::measure::{Tally, Window};
use super::player::{PATIENCE, Player};

/// One in so many moves meets a fault, when faults are wanted.
const FAULT_EVERY: usize = 25;

/// How a table plays.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    pub(crate) variant: Variant,
    pub(crate) time: TimeControl,
    /// Between the moves of a game; none for as fast as possible.
    pub(crate) every: Option<Duration>,
    pub(crate) watchers: usize,
    pub(crate) faults: bool,
}

pub(crate) struct Table {
    style: Style,
    players: Vec<Player>,
    watchers: Vec<Player>,
    chance: SplitMix64,
    pub(crate) tally: Tally,
}

impl Table {
    pub(crate) async fn connect(address: &Address, style: Style, seed: u64) -> anyhow::Result<Self> {
        let seats = style.variant.rules().turn_order.len();
        let mut tally = Tally::default();
        let mut players = Vec::with_capacity(seats);
        for _ in 0..seats {
            players.push(Player::connect(address, &mut tally).await?);
        }
        let mut watchers = Vec::with_capacity(style.watchers);
        for _ in 0..style.watchers {
            watchers.push(Player::connect(address, &mut tally).await?);
        }
        Ok(Self { style, players, watchers, chance: SplitMix64::new(seed), tally })
    }

    /// Arranges a game in a lobby that is entered by its link.
    pub(crate) async fn arrange(&mut self) -> anyhow::Result<()> {
        let tally = &mut self.tally;
        let options = LobbyOptions {
            variant: self.style.variant,
            time: self.style.time,
            rated: false,
            public: false,
            seat: None,
            bots: Vec::new(),
            both_boards: false,
            in_turn: false,
            free_chat: false,
            spectator_delay: None,
        };
        let (host, others) = self.players.split_first_mut().context("a game without players")?;
        let ServerMessage::Ok { lobby: Some(lobby), .. } =
            host.call(Request::CreateLobby(options), tally).await?
        else {
            bail!("the answer to create_lobby names no lobby");
        };
        let key = host.lobby_key(lobby, tally).await?;
        for player in others.iter_mut() {
            let join = Request::JoinLobby { lobby, key: Some(key.clone()), seat: None };
            player.call(join, tally).await?;
        }
        let ServerMessage::Ok { game: Some(game), .. } =
            host.call(Request::StartLobby { lobby }, tally).await?
        else {
            bail!("the answer to start_lobby names no game");
        };
        for player in &mut self.players {
            if !player.watch(game, &mut self.chance, tally).await? {
                bail!("a player of the lobby has no seat in the game");
            }
        }
        for watcher in &mut self.watchers {
            watcher.watch(game, &mut self.chance, tally).await?;
        }
        Ok(())
    }

    /// Everyone looks at another table for a moment.
    pub(crate) async fn look_at(&mut self, other: &Table) -> anyhow::Result<()> {
        let game = other.players[0].seen.game.context("the other table has a game")?;
        for player in self.players.iter_mut().chain(&mut self.watchers) {
            player.watch(game, &mut self.chance, &mut self.tally).await?;
            player.call(Request::Unwatch { game }, &mut self.tally).await?;
        }
        Ok(())
    }

    /// Waits for the start, reading what comes meanwhile.
    pub(crate) async fn wait(&mut self, start: &mut Start) -> anyhow::Result<Window> {
        let never = Window { start: Instant::now(), end: Instant::now() };
        loop {
            let (index, text) = tokio::select! {
                window = start.window() => return window,
                read = self.any() => read?,
            };
            self.note(index, &text, &never)?;
        }
    }

    /// Plays until so many plies are on the board (or the game has ended) and then only listens. The window measures nothing.
    pub(crate) async fn play_to(&mut self, plies: u32) -> anyhow::Result<()> {
        let never = Window { start: Instant::now(), end: Instant::now() };
        while self.players[0].seen.ply < plies && !self.players.iter().any(|player| player.seen.is_over) {
            timeout(PATIENCE, self.turn(&never)).await.context("a move was not told to all in time")??;
        }
        Ok(())
    }

    /// Plays until the window ends, in one game after the other.
    pub(crate) async fn play(&mut self, window: Window) -> anyhow::Result<()> {
        // Tables that play at a rate are spread over the interval.
        let spread = self.style.every.unwrap_or_default().mul_f64(self.chance.below(1000) as f64 / 1000.0);
        let mut due = Instant::now() + spread;
        while Instant::now() < window.end {
            if let Some(every) = self.style.every {
                self.idle_until(due.min(window.end), &window).await?;
                due = (due + every).max(Instant::now());
            }
            if self.players.iter().any(|player| player.seen.is_over) {
                self.tally.finished += 1;
                self.arrange().await?;
            }
            timeout(PATIENCE, self.turn(&window)).await.context("a move was not told to all in time")??;
        }
        self.finish(&window).await
    }

    /// One move: sent, answered, and broadcast.
    async fn turn(&mut self, window: &Window) -> anyhow::Result<()> {
        let now = Instant::now();
        for player in self.players.iter_mut().chain(&mut self.watchers) {
            player.stay_alive(now, &mut self.tally).await?;
        }
        // The server may be playing by itself just now (passes, random moves).
        let Some(mover) = self.mover(window).await? else { return Ok(()) };
        let fault = self.style.faults && self.chance.below(FAULT_EVERY) == 0;
        let seen = &mut self.players[mover].seen;
        let (game, ply) = (seen.game.context("a player without a game")?, seen.ply);
        let mv = seen.choice.take().context("a mover without a move")?;
        let sent = Instant::now();
        let id = self.players[mover].send(Request::Move { game, ply, mv }, &mut self.tally).await?;
        if fault {
            let victim = self.chance.below(self.players.len() + 1);
            // The last stands for the mover: the one whose command must not be done twice.
            let victim = if victim == self.players.len() { mover } else { victim };
            self.players[victim].cut_and_resume(&mut self.tally).await?;
        }
        let answer = loop {
            self.players[mover].read(window, &mut self.chance, &mut self.tally).await?;
            if let Some(answer) = self.players[mover].answer(id) {
                break answer;
            }
        };
        let seq = match answer {
            Ok(Some(seq)) => seq,
            Ok(None) => bail!("the answer to a move names no event"),
            Err(code) => {
                if code == "illegal_move" || code == "bad_action" {
                    self.tally.problem(format!("a move of the legal list was refused as {code}"));
                }
                return self.look_again(game).await;
            }
        };
        for player in self.players.iter_mut().chain(&mut self.watchers) {
            while player.seen.seq < seq {
                player.read(window, &mut self.chance, &mut self.tally).await?;
            }
        }
        if !fault && window.holds(sent) {
            self.tally.latency(sent.elapsed());
        }
        if window.holds(sent) {
            self.tally.accepted += 1;
        }
        self.compare();
        Ok(())
    }

    /// Everyone who is at the same event must see the same position.
    fn compare(&mut self) {
        let first = (self.players[0].seen.seq, self.players[0].seen.hash);
        for player in self.players.iter().chain(&self.watchers).skip(1) {
            if player.seen.seq == first.0 && player.seen.hash != first.1 {
                self.tally.problem(format!("event {} has two hashes", first.0));
            }
        }
    }

    /// After a refusal everything is asked anew.
    async fn look_again(&mut self, game: kingscross_protocol::GameId) -> anyhow::Result<()> {
        for player in &mut self.players {
            player.watch(game, &mut self.chance, &mut self.tally).await?;
        }
        Ok(())
    }

    /// Who is on turn; none when the game has ended.
    async fn mover(&mut self, window: &Window) -> anyhow::Result<Option<usize>> {
        loop {
            if self.players.iter().any(|player| player.seen.is_over) {
                return Ok(None);
            }
            if let Some(mover) = self.players.iter().position(|player| player.seen.choice.is_some()) {
                return Ok(Some(mover));
            }
            let (index, text) = self.any().await?;
            self.note(index, &text, window)?;
        }
    }

    /// Reads whatever comes until then.
    async fn idle_until(&mut self, then: Instant, window: &Window) -> anyhow::Result<()> {
        loop {
            let (index, text) = tokio::select! {
                biased;
                read = self.any() => read?,
                () = sleep_until(then) => return Ok(()),
            };
            self.note(index, &text, window)?;
        }
    }

    /// The next message to anyone.
    async fn any(&mut self) -> anyhow::Result<(usize, String)> {
        let read = poll_fn(|cx| {
            for (index, player) in self.players.iter_mut().chain(&mut self.watchers).enumerate() {
                if let Poll::Ready(text) = player.poll(cx) {
                    return Poll::Ready(text.map(|text| (index, text)));
                }
            }
            Poll::Pending
        });
        Ok(read.await?)
    }

    fn note(&mut self, index: usize, text: &str, window: &Window) -> anyhow::Result<()> {
        let players = self.players.len();
        let player =
            if index < players { &mut self.players[index] } else { &mut self.watchers[index - players] };
        player.note(text, window, &mut self.chance, &mut self.tally)
    }

    /// Every request must have had its answer.
    async fn finish(&mut self, window: &Window) -> anyhow::Result<()> {
        let waiting = async {
            while self.players.iter().chain(&self.watchers).any(|player| player.unanswered() > 0) {
                let (index, text) = self.any().await?;
                self.note(index, &text, window)?;
            }
            anyhow::Ok(())
        };
        if timeout(PATIENCE, waiting).await.is_err() {
            let open: usize = self.players.iter().map(Player::unanswered).sum();
            self.tally.problem(format!("{open} requests were never answered"));
        }
        Ok(())
    }
}
