//! A server that does what a test tells it, message by message.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use kingscross_client::{Client, Connection, Options};
use kingscross_protocol::{
    BootId, ClientMessage, CommandId, ErrorBody, PROTOCOL_VERSION, Request, ServerMessage, Timestamp, UserId,
    UserKind, UserView,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request as Upgrade, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

/// Where clients knock.
pub(crate) struct Script {
    listener: TcpListener,
}

/// The server's end of one WebSocket.
pub(crate) struct End {
    stream: WebSocketStream<TcpStream>,
    /// The headers that the client sent.
    pub(crate) upgrade: Vec<(String, String)>,
}

impl Script {
    pub(crate) async fn bind() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.expect("a free port") }
    }

    /// A server, a client with a token that is connected to it, and the server's end of the line.
    pub(crate) async fn connected(options: Options) -> (Self, Connection, End) {
        Self::connected_to(BootId::fresh(), options).await
    }

    /// The same, to a start of the server that comes back.
    pub(crate) async fn connected_to(boot: BootId, options: Options) -> (Self, Connection, End) {
        let script = Self::bind().await;
        let client = script.client();
        let (connection, end) = tokio::join!(client.connect_with(options), script.accept(boot));
        (script, connection.expect("connected"), end)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.listener.local_addr().expect("bound"))
    }

    /// A client with a token, of which this server knows nothing.
    pub(crate) fn client(&self) -> Client {
        Client::with_token(&self.url(), "secret").expect("a good address")
    }

    /// Answers one HTTP request with these bytes, and returns what was asked.
    pub(crate) async fn answer_http(&self, answer: &str) -> String {
        let (mut stream, _) = self.listener.accept().await.expect("a client");
        let mut asked = Vec::new();
        while !asked.ends_with(b"\r\n\r\n") {
            asked.push(stream.read_u8().await.expect("a whole request"));
        }
        stream.write_all(answer.as_bytes()).await.expect("the client listens");
        String::from_utf8(asked).expect("text")
    }

    /// Accepts a WebSocket and exchanges the greetings.
    #[allow(clippy::result_large_err, reason = "the callback's type is the library's")]
    pub(crate) async fn accept(&self, boot: BootId) -> End {
        let (stream, _) = self.listener.accept().await.expect("a client");
        // Many small messages must not wait for each other's confirmation.
        stream.set_nodelay(true).expect("an option");
        let mut upgrade = Vec::new();
        let note = |request: &Upgrade, response: Response| -> Result<Response, ErrorResponse> {
            for (name, value) in request.headers() {
                upgrade.push((name.to_string(), value.to_str().unwrap_or_default().to_owned()));
            }
            Ok(response)
        };
        let stream = tokio_tungstenite::accept_hdr_async(stream, note).await.expect("a WebSocket");
        let mut end = End { stream, upgrade };
        let user = UserView { id: UserId::fresh(), name: "Ada".to_owned(), kind: UserKind::Guest };
        let (version, build) = (PROTOCOL_VERSION, "test".to_owned());
        end.say(&ServerMessage::Hello { version, build, boot, now: Timestamp(0), user }).await;
        let hello = end.hear().await;
        assert!(matches!(hello.request, Request::Hello { version: PROTOCOL_VERSION, .. }), "{hello:?}");
        end.ok(hello.id).await;
        end
    }
}

impl End {
    pub(crate) async fn hear(&mut self) -> ClientMessage {
        loop {
            match self.stream.next().await.expect("the client is there").expect("a frame") {
                Message::Text(text) => return serde_json::from_str(&text).expect("a client message"),
                Message::Close(frame) => panic!("closed: {frame:?}"),
                _ => {}
            }
        }
    }

    pub(crate) async fn hear_but_pings(&mut self) -> ClientMessage {
        loop {
            let message = self.hear().await;
            if message.request != Request::Ping {
                return message;
            }
            self.ok(message.id).await;
        }
    }

    pub(crate) async fn say(&mut self, message: &ServerMessage) {
        let text = serde_json::to_string(message).expect("plain data");
        self.stream.send(Message::text(text)).await.expect("the client listens");
    }

    pub(crate) async fn ok(&mut self, id: CommandId) {
        self.say(&ServerMessage::Ok { id, seq: None, game: None, lobby: None, now: None }).await;
    }

    pub(crate) async fn refuse(&mut self, id: CommandId, error: ErrorBody) {
        self.say(&ServerMessage::Error { id: Some(id), error, seq: None, hash: None }).await;
    }

    pub(crate) async fn close(mut self, code: u16) {
        let frame = CloseFrame { code: code.into(), reason: "as the script says".into() };
        self.stream.close(Some(frame)).await.expect("the client listens");
    }
}

/// Options under which nothing waits.
pub(crate) fn at_once() -> Options {
    Options { wait: Duration::ZERO, attempts: 3, ..Options::default() }
}
