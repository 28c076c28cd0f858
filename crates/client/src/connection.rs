//! A connection as its user sees it: requests with answers, and what the server says by itself.

use std::time::Duration;

use kingscross_protocol::{
    BootId, ClientMessage, CommandId, ErrorBody, GameId, LobbyId, Request, Seq, ServerMessage, Timestamp,
    UserView,
};
use tokio::sync::{mpsc, oneshot};

use crate::driver::{Command, Driver};
use crate::{Client, ConnectError, Lost};

/// What has come but was not read by the user yet; when it is full the client stops reading the socket.
const INCOMING: usize = 1024;
const COMMANDS: usize = 256;

/// How a connection behaves.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name and version of the program, for the server's log.
    pub name: String,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How often the client shows that it lives.
    pub ping: Duration,
    /// A connection that brings nothing for this long is given up.
    pub silence: Duration,
    /// The first wait before reconnecting; doubled up to `longest_wait`. Zero tries at once.
    pub wait: Duration,
    /// The longest wait before reconnecting.
    pub longest_wait: Duration,
    /// How long after it was sent a command outside of games is sent again on the next connection. The server remembers
    /// its answer for a minute; what is sent again arrives later still.
    pub remembered: Duration,
    /// How many attempts in a row may fail before the connection is given up for good.
    pub attempts: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: concat!("kingscross-client/", env!("CARGO_PKG_VERSION")).to_owned(),
            timeout: Duration::from_secs(20),
            ping: Duration::from_secs(5),
            silence: Duration::from_secs(15),
            wait: Duration::from_millis(100),
            longest_wait: Duration::from_secs(5),
            remembered: Duration::from_secs(45),
            attempts: 60,
        }
    }
}

/// What a request brought about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The event that a command in a game produced.
    pub seq: Option<Seq>,
    /// The game that was started or is meant.
    pub game: Option<GameId>,
    /// The lobby that was opened or entered.
    pub lobby: Option<LobbyId>,
    /// The server's time (answer to `ping`).
    pub now: Option<Timestamp>,
}

/// Why a request was not carried out, or is not known to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// The server refused; nothing was done.
    #[error("refused: {}", .0.error.message)]
    Refused(Refusal),
    /// No answer in time. A command may be sent again with the same id: one in a game at any time, others within a minute
    /// and to the same start of the server.
    #[error("no answer in time")]
    TimedOut,
    /// The connection broke before the answer, and the request is not one that may be sent again.
    #[error("the connection broke before the answer: {0}")]
    Lost(Lost),
    /// The connection has ended for good.
    #[error("the connection has ended")]
    Ended,
}

/// A refusal of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub error: ErrorBody,
    /// The game's last event, when its table refused one of its players.
    pub seq: Option<Seq>,
    /// The hash of the position after that event.
    pub hash: Option<String>,
}

impl Unanswered {
    /// Why the server refused, if it did.
    pub fn refusal(&self) -> Option<&ErrorBody> {
        match self {
            Self::Refused(refusal) => Some(&refusal.error),
            _ => None,
        }
    }
}

/// What a connection brings.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// The server said something. Answers to requests made here are not among it.
    Message(ServerMessage),
    /// The connection broke; the client is trying to come back.
    Lost(Lost),
    /// The connection is back; games, lobbies and stream are followed again from where they were.
    Resumed {
        /// The server's boot id; another one than before when it has restarted.
        boot: BootId,
    },
    /// The connection has ended for good.
    Ended(Lost),
}

/// A connection of one user. Dropping it and every [`Requester`] closes it.
pub struct Connection {
    requester: Requester,
    incoming: mpsc::Receiver<Incoming>,
    user: UserView,
    boot: BootId,
}

/// Makes requests on a connection; cheap to clone.
#[derive(Clone)]
pub struct Requester {
    commands: mpsc::Sender<Command>,
    timeout: Duration,
}

impl Connection {
    pub(crate) async fn open(client: Client, options: Options) -> Result<Self, ConnectError> {
        let mut socket = client.socket().await?;
        let greeting = socket.greet(&options.name).await?;
        let (commands, requests) = mpsc::channel(COMMANDS);
        let (sender, incoming) = mpsc::channel(INCOMING);
        let requester = Requester { commands, timeout: options.timeout };
        // Ends by itself when the connection and its requesters are dropped, or the server is lost for good.
        tokio::spawn(
            Driver::new(client, options, requests, sender, greeting.boot).run(socket, greeting.hello),
        );
        Ok(Self { requester, incoming, user: greeting.user, boot: greeting.boot })
    }

    /// Who the server says one is.
    pub fn user(&self) -> &UserView {
        &self.user
    }

    /// The boot id of the server at the first greeting.
    pub fn boot(&self) -> BootId {
        self.boot
    }

    /// Something to make requests with, elsewhere.
    pub fn requester(&self) -> Requester {
        self.requester.clone()
    }

    /// Makes a request under a fresh id.
    pub async fn request(&self, request: Request) -> Result<Done, Unanswered> {
        self.requester.request(request).await
    }

    /// The next thing that comes; none after [`Incoming::Ended`]. Cancelling loses nothing.
    pub async fn next(&mut self) -> Option<Incoming> {
        self.incoming.recv().await
    }

    /// The next message of the server, skipping news of the connection itself.
    pub async fn message(&mut self) -> Result<ServerMessage, Lost> {
        loop {
            match self.next().await {
                Some(Incoming::Message(message)) => return Ok(message),
                Some(Incoming::Ended(lost)) => return Err(lost),
                Some(Incoming::Lost(_) | Incoming::Resumed { .. }) => {}
                None => return Err(Lost::without_code("the connection has ended")),
            }
        }
    }
}

impl Requester {
    /// Makes a request under a fresh id.
    pub async fn request(&self, request: Request) -> Result<Done, Unanswered> {
        self.request_as(CommandId::fresh(), request).await
    }

    /// Makes a request under an id of one's own: the same id and request get the same answer.
    pub async fn request_as(&self, id: CommandId, request: Request) -> Result<Done, Unanswered> {
        let (answer, answered) = oneshot::channel();
        let command = Command { message: ClientMessage { id, request }, answer };
        let asked = async {
            self.commands.send(command).await.map_err(|_| Unanswered::Ended)?;
            answered.await.unwrap_or(Err(Unanswered::Ended))
        };
        tokio::time::timeout(self.timeout, asked).await.unwrap_or(Err(Unanswered::TimedOut))
    }
}
