//! One WebSocket: text in, text out. Neither pings nor resumes by itself.

use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll, ready};

use futures_util::{SinkExt, StreamExt};
use kingscross_protocol::{
    BootId, ClientMessage, CommandId, PROTOCOL_VERSION, Request, ServerMessage, UserView,
};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::header::ORIGIN;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async_with_config};

use crate::{Address, ConnectError, Credentials};

/// A WebSocket to a server.
pub struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

/// What the server greets with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The id of our own hello, whose answer is still to come.
    pub hello: CommandId,
    /// Changes with every start of the server.
    pub boot: BootId,
    /// Who one is.
    pub user: UserView,
}

/// How a socket ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The close code, when the server closed it properly.
    pub code: Option<u16>,
    /// What the server or the network said.
    pub reason: String,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "closed with {code}: {}", self.reason),
            None => write!(f, "{}", self.reason),
        }
    }
}

impl std::error::Error for Lost {}

impl Lost {
    pub(crate) fn without_code(reason: impl Into<String>) -> Self {
        Self { code: None, reason: reason.into() }
    }
}

impl From<Error> for Lost {
    fn from(error: Error) -> Self {
        Self::without_code(error.to_string())
    }
}

impl Socket {
    pub(crate) async fn open(address: &Address, credentials: &Credentials) -> Result<Self, ConnectError> {
        let invalid = |error: Error| ConnectError::NotGreeted(error.to_string());
        let mut request = address.websocket().into_client_request().map_err(invalid)?;
        let (name, value) = credentials.header();
        let unfit = |error| ConnectError::NotGreeted(format!("header: {error}"));
        request.headers_mut().insert(ORIGIN, address.origin().parse().map_err(unfit)?);
        request.headers_mut().insert(name, value.parse().map_err(unfit)?);
        let stream = address.dial().await?;
        // Small buffers: the library clears its read buffer before each read, and thousands of sockets may share a process.
        let config = WebSocketConfig::default().read_buffer_size(4 << 10).write_buffer_size(0);
        match client_async_with_config(request, stream, Some(config)).await {
            Ok((stream, _)) => Ok(Self { stream }),
            Err(Error::Http(response)) => {
                let body = response.body().as_deref().unwrap_or_default();
                let body = String::from_utf8_lossy(body).into_owned();
                Err(ConnectError::Refused { status: response.status().as_u16(), body })
            }
            Err(error) => Err(ConnectError::Lost(error.into())),
        }
    }

    /// Exchanges the greetings: says hello and reads up to the server's. The answer to our own hello is still to come.
    pub async fn greet(&mut self, client: &str) -> Result<Greeting, ConnectError> {
        let hello = Request::Hello { version: PROTOCOL_VERSION, client: client.to_owned() };
        let id = CommandId::fresh();
        self.send(&ClientMessage { id, request: hello }).await.map_err(ConnectError::Lost)?;
        let text = self.next().await.map_err(ConnectError::Lost)?;
        match serde_json::from_str(&text) {
            Ok(ServerMessage::Hello { version: PROTOCOL_VERSION, boot, user, .. }) => {
                Ok(Greeting { hello: id, boot, user })
            }
            _ => Err(ConnectError::NotGreeted(text.to_string())),
        }
    }

    /// Sends one message.
    pub async fn send(&mut self, message: &ClientMessage) -> Result<(), Lost> {
        let text = serde_json::to_string(message).expect("messages are plain data");
        self.send_text(text.into()).await
    }

    /// Sends any text.
    pub async fn send_text(&mut self, text: Utf8Bytes) -> Result<(), Lost> {
        Ok(self.stream.send(Message::Text(text)).await?)
    }

    /// Sends any frame: for tests of what a server does with odd clients.
    pub async fn send_frame(&mut self, frame: Message) -> Result<(), Lost> {
        Ok(self.stream.send(frame).await?)
    }

    /// Sends bytes past the WebSocket protocol: for tests of what a server does with broken clients.
    pub async fn send_raw(&mut self, bytes: &[u8]) -> Result<(), Lost> {
        use tokio::io::AsyncWriteExt;
        let sent = async {
            self.stream.get_mut().write_all(bytes).await?;
            self.stream.get_mut().flush().await
        };
        sent.await.map_err(|error| Lost::without_code(error.to_string()))
    }

    /// The next text. Cancelling loses nothing.
    pub async fn next(&mut self) -> Result<Utf8Bytes, Lost> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// The next text, for those who wait for several sockets at once.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Utf8Bytes, Lost>> {
        loop {
            let lost = match ready!(self.stream.poll_next_unpin(cx)) {
                Some(Ok(Message::Text(text))) => return Poll::Ready(Ok(text)),
                Some(Ok(Message::Close(frame))) => {
                    let (code, reason) = frame.map_or((None, "closed without a code".to_owned()), |frame| {
                        (Some(frame.code.into()), frame.reason.to_string())
                    });
                    Lost { code, reason }
                }
                // Pings are answered by the library with the next read or write.
                Some(Ok(_)) => continue,
                Some(Err(error)) => error.into(),
                None => Lost::without_code("the connection ended"),
            };
            return Poll::Ready(Err(lost));
        }
    }

    /// Answers a ping of the WebSocket protocol that has been read, if one has; otherwise the next read or write does.
    pub async fn flush(&mut self) -> Result<(), Lost> {
        Ok(self.stream.flush().await?)
    }

    /// Closes the socket properly, without waiting for the other side.
    pub async fn close(mut self) {
        // The other side may be gone already; then there is nothing to say.
        let _ = self.stream.send(Message::Close(None)).await;
    }

    /// Sends a ping of the WebSocket protocol.
    pub async fn ping(&mut self) -> Result<(), Lost> {
        self.send_frame(Message::Ping(Bytes::new())).await
    }
}
