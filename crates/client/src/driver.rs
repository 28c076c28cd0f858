//! The task behind a connection: matches answers to requests, pings, reconnects and resumes.

use std::collections::{HashMap, VecDeque};

use kingscross_protocol::{
    BootId, ClientMessage, CommandId, Event, GameId, Repetition, Request, Seq, ServerMessage, close,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, sleep_until, timeout};

use crate::{Client, ConnectError, Done, Greeting, Incoming, Lost, Options, Refusal, Socket, Unanswered};

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
    /// When it was sent first, and to which start of the server.
    sent: Instant,
    boot: BootId,
    /// Its place among all requests.
    place: u64,
}

pub(crate) struct Driver {
    client: Client,
    options: Options,
    commands: mpsc::Receiver<Command>,
    incoming: mpsc::Sender<Incoming>,
    pending: HashMap<CommandId, Pending>,
    /// The server's boot id, as it said last.
    boot: BootId,
    /// How many requests there have been.
    requests: u64,
    /// Games that are followed, with the last event of each.
    watched: HashMap<GameId, Option<Seq>>,
    /// The last game of them that ended: its rematch may come. Those that ended before are not followed again.
    ended: Option<GameId>,
    /// Own requests that the server was too busy for, to be made again.
    refused: Vec<Request>,
    /// What the user has no room for yet; while it is not empty, the socket is read for answers only.
    overflow: VecDeque<Incoming>,
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
        boot: BootId,
    ) -> Self {
        Self {
            client,
            options,
            commands,
            incoming,
            pending: HashMap::new(),
            boot,
            requests: 0,
            watched: HashMap::new(),
            ended: None,
            refused: Vec::new(),
            overflow: VecDeque::new(),
            watches_lobbies: false,
            streams: false,
        }
    }

    /// `hello` is the id of the hello that has been sent.
    pub(crate) async fn run(mut self, mut socket: Socket, mut hello: CommandId) {
        loop {
            self.note_sent(hello, Request::Ping, None);
            let lost = match self.serve(&mut socket).await {
                End::Unused => return socket.close().await,
                End::Lost(lost) => lost,
            };
            self.fail_what_cannot_be_repeated(&lost, None);
            if is_final(lost.code) {
                return self.end(lost).await;
            }
            self.tell(Incoming::Lost(lost.clone()));
            let Some((fresh, greeting)) = self.reconnect().await else { return };
            socket = fresh;
            hello = greeting.hello;
            self.boot = greeting.boot;
            self.fail_what_cannot_be_repeated(&lost, Some(Instant::now()));
            self.tell(Incoming::Resumed { boot: greeting.boot });
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
        let incoming = self.incoming.clone();
        loop {
            let reads = self.overflow.is_empty() || self.is_awaited();
            // In this order, so that a stalled process pings before it calls the server silent.
            let outcome = tokio::select! {
                biased;
                _ = ping.tick() => {
                    self.forget_what_nobody_awaits();
                    self.ask_again(socket).await
                }
                command = self.commands.recv() => match command {
                    None => return End::Unused,
                    Some(Command { message, answer }) => self.send(socket, message, Some(answer)).await,
                },
                permit = incoming.reserve(), if !self.overflow.is_empty() => {
                    match (permit, self.overflow.pop_front()) {
                        (Ok(permit), Some(incoming)) => permit.send(incoming),
                        // The user reads no more.
                        _ => self.overflow.clear(),
                    }
                    if self.overflow.is_empty() {
                        // Nothing could be heard meanwhile.
                        heard = Instant::now();
                    }
                    Ok(())
                }
                text = socket.next(), if reads => match text {
                    Ok(text) => {
                        heard = Instant::now();
                        self.hear(&text)
                    }
                    Err(lost) => Err(lost),
                },
                () = sleep_until(heard + self.options.silence), if reads => {
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
        self.note_sent(message.id, message.request, answer);
        sent
    }

    fn note_sent(&mut self, id: CommandId, request: Request, answer: Option<oneshot::Sender<Answer>>) {
        self.requests += 1;
        let (sent, boot, place) = (Instant::now(), self.boot, self.requests);
        self.pending.insert(id, Pending { request, answer, sent, boot, place });
    }

    /// Whether the user waits for an answer.
    fn is_awaited(&self) -> bool {
        self.pending.values().any(|pending| pending.answer.as_ref().is_some_and(|answer| !answer.is_closed()))
    }

    /// Requests that the user has given up on must not be made again after a reconnect.
    fn forget_what_nobody_awaits(&mut self) {
        self.pending.retain(|_, pending| pending.answer.as_ref().is_none_or(|answer| !answer.is_closed()));
    }

    /// A sign of life, and what the server was too busy for.
    async fn ask_again(&mut self, socket: &mut Socket) -> Result<(), Lost> {
        let refused = std::mem::take(&mut self.refused);
        for request in std::iter::once(Request::Ping).chain(refused) {
            self.send(socket, ClientMessage { id: CommandId::fresh(), request }, None).await?;
        }
        Ok(())
    }

    fn hear(&mut self, text: &str) -> Result<(), Lost> {
        let message: ServerMessage = serde_json::from_str(text)
            .map_err(|error| Lost::without_code(format!("unreadable message ({error}): {text}")))?;
        let (id, answer) = match &message {
            ServerMessage::Ok { id, seq, game, lobby, now } => {
                (*id, Ok(Done { seq: *seq, game: *game, lobby: *lobby, now: *now }))
            }
            ServerMessage::Error { id: Some(id), error, seq, hash } => {
                let refusal = Refusal { error: error.clone(), seq: *seq, hash: hash.clone() };
                (*id, Err(Unanswered::Refused(refusal)))
            }
            _ => {
                self.note(&message);
                self.tell(Incoming::Message(message));
                return Ok(());
            }
        };
        match self.pending.remove(&id) {
            Some(pending) => {
                match (&answer, pending.answer.is_none()) {
                    (Ok(_), _) => self.follow(&pending.request),
                    (Err(Unanswered::Refused(refusal)), true) => {
                        self.resume_later(pending.request, refusal.error.retryable);
                    }
                    (Err(_), _) => {}
                }
                if let Some(sender) = pending.answer {
                    // Whoever asked may have stopped waiting.
                    let _ = sender.send(answer);
                }
            }
            // An answer to nothing that was asked: the user shall see it.
            None => self.tell(Incoming::Message(message)),
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

    /// An own request was refused: following again what was followed.
    fn resume_later(&mut self, request: Request, is_retryable: bool) {
        match request {
            Request::Watch { .. } | Request::WatchLobbies | Request::Stream if is_retryable => {
                self.refused.push(request);
            }
            Request::Watch { game, .. } => drop(self.watched.remove(&game)),
            _ => {}
        }
    }

    /// Remembers the last event of each followed game, until it is over and another one is, too.
    fn note(&mut self, message: &ServerMessage) {
        let (game, seq, is_over) = match message {
            ServerMessage::Snapshot(snapshot) => {
                self.watched.entry(snapshot.game).or_insert(None);
                let is_over = snapshot.ending.is_some() || snapshot.aborted;
                (snapshot.game, snapshot.seq, is_over)
            }
            ServerMessage::Event(event) => {
                let is_over = matches!(event.event, Event::Finished(_) | Event::Aborted { .. });
                (event.game, event.seq, is_over)
            }
            _ => return,
        };
        if let Some(last) = self.watched.get_mut(&game) {
            *last = (*last).max(Some(seq));
        }
        if is_over
            && self.ended != Some(game)
            && let Some(before) = self.ended.replace(game)
        {
            self.watched.remove(&before);
        }
    }

    /// Gives up what may not be sent again: some of it at once, more of it once there is a server again that may have
    /// forgotten.
    fn fail_what_cannot_be_repeated(&mut self, lost: &Lost, greeted: Option<Instant>) {
        self.forget_what_nobody_awaits();
        // All that is followed is asked for anew.
        self.refused.clear();
        let gone: Vec<_> = self
            .pending
            .iter()
            .filter(|(_, p)| {
                let is_forgotten =
                    greeted.is_some_and(|now| p.boot != self.boot || now - p.sent >= self.options.remembered);
                p.answer.is_none()
                    || match p.request.repetition() {
                        Repetition::Never => true,
                        Repetition::Remembered => is_forgotten,
                        Repetition::Harmless | Repetition::Stored => false,
                    }
            })
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
        // In the order in which they were made.
        let mut again: Vec<_> = self.pending.iter().filter(|(_, pending)| pending.answer.is_some()).collect();
        again.sort_by_key(|(_, pending)| pending.place);
        for (id, pending) in again {
            socket.send(&ClientMessage { id: *id, request: pending.request.clone() }).await?;
        }
        Ok(())
    }

    fn tell(&mut self, incoming: Incoming) {
        if self.overflow.is_empty() {
            match self.incoming.try_send(incoming) {
                Err(mpsc::error::TrySendError::Full(incoming)) => self.overflow.push_back(incoming),
                // A user who only makes requests may have dropped the other half of the connection.
                Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => {}
            }
            return;
        }
        // Of several interruptions that the user has not heard of, the last one says it all.
        if let (Incoming::Lost(_), [.., Incoming::Lost(_), Incoming::Resumed { .. }]) =
            (&incoming, &*self.overflow.make_contiguous())
        {
            self.overflow.truncate(self.overflow.len() - 2);
        }
        self.overflow.push_back(incoming);
    }

    async fn end(&mut self, lost: Lost) {
        for (_, pending) in self.pending.drain() {
            if let Some(sender) = pending.answer {
                // Whoever asked may have stopped waiting.
                let _ = sender.send(Err(Unanswered::Lost(lost.clone())));
            }
        }
        self.commands.close();
        self.overflow.push_back(Incoming::Ended(lost));
        for incoming in self.overflow.drain(..) {
            // Nobody may read any more.
            let _ = self.incoming.send(incoming).await;
        }
    }
}

async fn dial(client: &Client, name: &str) -> Result<(Socket, Greeting), ConnectError> {
    let mut socket = client.socket().await?;
    let greeting = socket.greet(name).await?;
    Ok((socket, greeting))
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
