//! The task behind a connection: matches answers to requests, pings, reconnects and resumes.

use std::collections::HashMap;

use kingscross_protocol::{ClientMessage, CommandId, GameId, Request, Seq, ServerMessage, close};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, sleep_until, timeout};

use crate::{Client, ConnectError, Done, Greeting, Incoming, Lost, Options, Socket, Unanswered};

pub(crate) type Answer = Result<Done, Unanswered>;

pub(crate) struct Command {
    pub(crate) message: ClientMessage,
    pub(crate) answer: oneshot::Sender<Answer>,
}

/// A request without an answer yet.
struct Pending {
    request: Request,
    /// None for the driver's own requests (hello, ping, resuming).
    answer: Option<oneshot::Sender<Answer>>,
}

pub(crate) struct Driver {
    client: Client,
    options: Options,
    commands: mpsc::Receiver<Command>,
    incoming: mpsc::Sender<Incoming>,
    pending: HashMap<CommandId, Pending>,
    /// Games that are followed, with the last event of each.
    watched: HashMap<GameId, Option<Seq>>,
    watches_lobbies: bool,
    streams: bool,
}

/// Why serving a socket ended.
enum End {
    /// Nobody uses the connection any more.
    Unused,
    Lost(Lost),
}

impl Driver {
    pub(crate) fn new(
        client: Client,
        options: Options,
        commands: mpsc::Receiver<Command>,
        incoming: mpsc::Sender<Incoming>,
    ) -> Self {
        Self {
            client,
            options,
            commands,
            incoming,
            pending: HashMap::new(),
            watched: HashMap::new(),
            watches_lobbies: false,
            streams: false,
        }
    }

    /// `hello` is the id of the hello that has been sent.
    pub(crate) async fn run(mut self, mut socket: Socket, mut hello: CommandId) {
        loop {
            self.pending.insert(hello, Pending { request: Request::Ping, answer: None });
            let lost = match self.serve(&mut socket).await {
                End::Unused => return socket.close().await,
                End::Lost(lost) => lost,
            };
            self.fail_what_cannot_be_repeated(&lost);
            if is_final(lost.code) {
                return self.end(lost).await;
            }
            self.tell(Incoming::Lost(lost)).await;
            let Some((fresh, greeting)) = self.reconnect().await else { return };
            socket = fresh;
            hello = greeting.hello;
            self.tell(Incoming::Resumed { boot: greeting.boot }).await;
            if let Err(lost) = self.resume(&mut socket).await {
                // The next round finds the socket broken and comes back here.
                tracing::debug!(%lost, "lost while resuming");
            }
        }
    }

    async fn serve(&mut self, socket: &mut Socket) -> End {
        let mut ping = interval_at(Instant::now() + self.options.ping, self.options.ping);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            // In this order, so that a stalled process pings before it calls the server silent.
            let outcome = tokio::select! {
                biased;
                _ = ping.tick() => {
                    let message = ClientMessage { id: CommandId::fresh(), request: Request::Ping };
                    self.send(socket, message, None).await
                }
                command = self.commands.recv() => match command {
                    None => return End::Unused,
                    Some(Command { message, answer }) => self.send(socket, message, Some(answer)).await,
                },
                text = socket.next() => match text {
                    Ok(text) => {
                        heard = Instant::now();
                        self.hear(&text).await
                    }
                    Err(lost) => Err(lost),
                },
                () = sleep_until(heard + self.options.silence) => {
                    Err(Lost::without_code("nothing was heard for too long"))
                }
            };
            if let Err(lost) = outcome {
                return End::Lost(lost);
            }
        }
    }

    async fn send(
        &mut self,
        socket: &mut Socket,
        message: ClientMessage,
        answer: Option<oneshot::Sender<Answer>>,
    ) -> Result<(), Lost> {
        let sent = socket.send(&message).await;
        // Noted even if sending failed: it may have arrived, and resuming decides what to do about it.
        self.pending.insert(message.id, Pending { request: message.request, answer });
        sent
    }

    async fn hear(&mut self, text: &str) -> Result<(), Lost> {
        let message: ServerMessage = serde_json::from_str(text)
            .map_err(|error| Lost::without_code(format!("unreadable message ({error}): {text}")))?;
        let (id, answer) = match &message {
            ServerMessage::Ok { id, seq, game, lobby, now } => {
                (*id, Ok(Done { seq: *seq, game: *game, lobby: *lobby, now: *now }))
            }
            ServerMessage::Error { id: Some(id), error } => (*id, Err(Unanswered::Refused(error.clone()))),
            _ => {
                self.note(&message);
                self.tell(Incoming::Message(message)).await;
                return Ok(());
            }
        };
        match self.pending.remove(&id) {
            Some(pending) => {
                if answer.is_ok() {
                    self.follow(&pending.request);
                }
                if let Some(sender) = pending.answer {
                    // Whoever asked may have stopped waiting.
                    let _ = sender.send(answer);
                }
            }
            // An answer to nothing that was asked: the user shall see it.
            None => self.tell(Incoming::Message(message)).await,
        }
        Ok(())
    }

    /// Remembers what is followed, to follow it again after a reconnect.
    fn follow(&mut self, request: &Request) {
        match request {
            Request::Watch { game, after } => {
                let seq = self.watched.entry(*game).or_insert(None);
                *seq = (*seq).max(*after);
            }
            Request::Unwatch { game } => {
                self.watched.remove(game);
            }
            Request::WatchLobbies => self.watches_lobbies = true,
            Request::UnwatchLobbies => self.watches_lobbies = false,
            Request::Stream => self.streams = true,
            _ => {}
        }
    }

    /// Remembers the last event of each followed game.
    fn note(&mut self, message: &ServerMessage) {
        let (game, seq) = match message {
            ServerMessage::Snapshot(snapshot) => (snapshot.game, snapshot.seq),
            ServerMessage::Event(event) => (event.game, event.seq),
            _ => return,
        };
        let last = self.watched.entry(game).or_insert(None);
        *last = (*last).max(Some(seq));
    }

    fn fail_what_cannot_be_repeated(&mut self, lost: &Lost) {
        let gone: Vec<_> = self
            .pending
            .iter()
            .filter(|(_, p)| p.answer.is_none() || !is_repeatable(&p.request))
            .map(|(id, _)| *id)
            .collect();
        for id in gone {
            if let Some(sender) = self.pending.remove(&id).and_then(|pending| pending.answer) {
                // Whoever asked may have stopped waiting.
                let _ = sender.send(Err(Unanswered::Lost(lost.clone())));
            }
        }
    }

    async fn reconnect(&mut self) -> Option<(Socket, Greeting)> {
        let mut wait = self.options.wait;
        let mut last = Lost::without_code("no attempt to reconnect is allowed");
        for _ in 0..self.options.attempts {
            if self.commands.is_closed() {
                return None;
            }
            sleep(wait).await;
            wait = (wait * 2).min(self.options.longest_wait);
            last = match timeout(self.options.silence, dial(&self.client, &self.options.name)).await {
                Ok(Ok(connected)) => return Some(connected),
                Ok(Err(ConnectError::Refused { status: 401 | 403, body })) => {
                    let lost = Lost { code: Some(close::SESSION_REVOKED), reason: body };
                    self.end(lost).await;
                    return None;
                }
                Ok(Err(ConnectError::Lost(lost))) if is_final(lost.code) => {
                    self.end(lost).await;
                    return None;
                }
                Ok(Err(error)) => Lost::without_code(error.to_string()),
                Err(_) => Lost::without_code("the server did not greet in time"),
            };
        }
        self.end(last).await;
        None
    }

    /// Follows again what was followed, and repeats the commands that have no answer under their own ids.
    async fn resume(&mut self, socket: &mut Socket) -> Result<(), Lost> {
        let mut requests: Vec<Request> =
            self.watched.iter().map(|(game, after)| Request::Watch { game: *game, after: *after }).collect();
        if self.watches_lobbies {
            requests.push(Request::WatchLobbies);
        }
        if self.streams {
            requests.push(Request::Stream);
        }
        for request in requests {
            self.send(socket, ClientMessage { id: CommandId::fresh(), request }, None).await?;
        }
        for (id, pending) in &self.pending {
            if pending.answer.is_some() {
                socket.send(&ClientMessage { id: *id, request: pending.request.clone() }).await?;
            }
        }
        Ok(())
    }

    async fn tell(&self, incoming: Incoming) {
        // A user who only makes requests may have dropped the other half of the connection.
        let _ = self.incoming.send(incoming).await;
    }

    async fn end(&mut self, lost: Lost) {
        for (_, pending) in self.pending.drain() {
            if let Some(sender) = pending.answer {
                // Whoever asked may have stopped waiting.
                let _ = sender.send(Err(Unanswered::Lost(lost.clone())));
            }
        }
        self.commands.close();
        self.tell(Incoming::Ended(lost)).await;
    }
}

async fn dial(client: &Client, name: &str) -> Result<(Socket, Greeting), ConnectError> {
    let mut socket = client.socket().await?;
    let greeting = socket.greet(name).await?;
    Ok((socket, greeting))
}

/// Whether the server knows the command by its id, so that sending it again cannot do it twice; or whether doing it
/// twice is the same as once.
fn is_repeatable(request: &Request) -> bool {
    matches!(
        request,
        Request::Ping
            | Request::Watch { .. }
            | Request::Unwatch { .. }
            | Request::Stream
            | Request::Move { .. }
            | Request::Resign { .. }
            | Request::Propose { .. }
            | Request::Vote { .. }
            | Request::GiveTime { .. }
            | Request::Depart { .. }
            | Request::WatchLobbies
            | Request::UnwatchLobbies
            | Request::LeaveQueue
    )
}

/// Whether coming back is useless.
fn is_final(code: Option<u16>) -> bool {
    matches!(
        code,
        Some(
            close::VERSION
                | close::SESSION_REVOKED
                | close::FLOOD
                | close::BINARY
                | close::BAD_UTF8
                | close::TOO_BIG
        )
    )
}
