//! Players of random legal moves over any connection, who check every message.

use std::sync::Arc;
use std::time::Duration;

use kingscross_client::{Applied, GameView, Incoming, Options, Unanswered};
use kingscross_protocol::{CommandId, GameId, Request, Seq, ServerMessage, UserId};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::TestPlayer;
use crate::test_player::PATIENCE;

/// A client that reconnects at once, for a long time, and soon takes a silent connection for a dead one.
pub fn persistent() -> Options {
    Options {
        name: "test".to_owned(),
        timeout: Duration::from_secs(60),
        ping: Duration::from_millis(200),
        silence: Duration::from_secs(1),
        wait: Duration::from_millis(5),
        longest_wait: Duration::from_millis(100),
        remembered: Options::default().remembered,
        attempts: 1_000,
    }
}

/// A command that the server answered with `ok`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// The game.
    pub game: GameId,
    /// The user who sent it.
    pub user: UserId,
    /// Its id.
    pub id: CommandId,
    /// The event that it made.
    pub seq: Seq,
}

/// How far a game is played.
#[derive(Clone, Debug)]
pub struct Until {
    /// From this ply on, the player on turn resigns.
    pub ply: u32,
    /// Stops playing, wherever the game is.
    pub stop: CancellationToken,
    /// Counts acknowledged commands.
    pub count: Option<watch::Sender<u64>>,
}

impl Until {
    /// Plays to this ply.
    pub fn ply(ply: u32) -> Self {
        Self { ply, stop: CancellationToken::new(), count: None }
    }
}

impl TestPlayer {
    /// Watches a game and keeps its state in `view` from the snapshot on.
    pub async fn track(&mut self, game: GameId) {
        self.view = None;
        self.tracked = Some(game);
        self.request(Request::Watch { game, after: None }).await;
        while self.view.is_none() {
            self.take_message().await;
        }
    }

    /// Waits for one message and applies it. Panics if it contradicts an earlier one.
    pub async fn take_message(&mut self) {
        let Ok(incoming) = timeout(PATIENCE, self.connection.next()).await else {
            let seen = self.view.as_ref().map(|view| (view.game, view.seq, view.board.ply, view.frozen));
            panic!("no message; {:?} tracks {:?} and has seen {seen:?}", self.user().id, self.tracked);
        };
        match incoming.expect("the connection has not ended") {
            Incoming::Message(message) => self.apply(&message).await,
            Incoming::Lost(_) | Incoming::Resumed { .. } => {}
            Incoming::Ended(lost) => panic!("the connection has ended: {lost}"),
        }
    }

    async fn apply(&mut self, message: &ServerMessage) {
        assert!(
            !matches!(message, ServerMessage::Ok { .. } | ServerMessage::Error { .. }),
            "an answer without a request: {message:?}"
        );
        match (&mut self.view, message) {
            (None, ServerMessage::Snapshot(snapshot)) if Some(snapshot.game) == self.tracked => {
                self.view = Some(GameView::new(snapshot.as_ref().clone()).expect("consistent"));
            }
            (None, _) => {}
            (Some(view), message) => match view.apply(message).expect("consistent") {
                Applied::Gap => {
                    let rewatch = view.rewatch();
                    // The missing events come after the answer; a reconnecting client asks again by itself.
                    let _ = self.connection.request(rewatch).await;
                }
                Applied::Yes | Applied::No => {}
            },
        }
    }

    /// Plays whenever on turn, until the game is over or `until` stops it. Returns the view at the end.
    pub async fn play(&mut self, until: &Until) -> GameView {
        loop {
            let view = self.view.as_ref().expect("a game is tracked");
            if view.is_over() || until.stop.is_cancelled() {
                return view.clone();
            }
            if view.is_my_turn()
                && let Some(request) = self.choose(until.ply)
            {
                self.command(request, until.count.as_ref()).await;
                // The result of the command comes as a message.
                if let Some(view) = &mut self.view {
                    view.legal = None;
                }
                continue;
            }
            tokio::select! {
                biased;
                () = until.stop.cancelled() => {}
                () = self.take_message() => {}
            }
        }
    }

    fn choose(&mut self, last_ply: u32) -> Option<Request> {
        let view = self.view.as_ref()?;
        let legal = view.legal.as_ref().filter(|legal| !legal.is_empty())?;
        let game = view.game;
        if view.board.ply >= last_ply {
            return Some(Request::Resign { game });
        }
        let mv = legal[self.chance.below(legal.len())].mv.clone();
        Some(Request::Move { game, ply: view.board.ply, mv })
    }

    /// Sends a command and records its answer. A retryable refusal is retried.
    pub async fn command(&mut self, request: Request, count: Option<&watch::Sender<u64>>) {
        let id = CommandId::fresh();
        let game = self.view.as_ref().expect("a game is tracked").game;
        self.sent.push((game, id));
        let requester = self.connection.requester();
        loop {
            match requester.request_as(id, request.clone()).await {
                Ok(done) => {
                    let seq = done.seq.expect("a command in a game makes an event");
                    self.acknowledged.push(Acknowledged { game, user: self.user().id, id, seq });
                    if let Some(count) = count {
                        count.send_modify(|count| *count += 1);
                    }
                    return;
                }
                Err(Unanswered::Refused(refusal)) => {
                    let body = refusal.error;
                    *self.refusals.entry(body.code).or_default() += 1;
                    if !body.retryable {
                        return;
                    }
                    tokio::task::yield_now().await;
                }
                Err(Unanswered::TimedOut) => panic!("no answer to {request:?}"),
                Err(other) => panic!("{request:?}: {other}"),
            }
        }
    }
}

/// Lets all players of a game play side by side. Returns what each saw at the end.
pub async fn play_all(players: &mut Vec<TestPlayer>, until: &Until) -> Vec<GameView> {
    let until = Arc::new(until.clone());
    let tasks: Vec<_> = players
        .drain(..)
        .map(|mut player| {
            let until = until.clone();
            tokio::spawn(async move {
                let view = player.play(&until).await;
                (player, view)
            })
        })
        .collect();
    let mut views = Vec::new();
    for task in tasks {
        let (player, view) = task.await.expect("a player does not panic");
        players.push(player);
        views.push(view);
    }
    views
}
