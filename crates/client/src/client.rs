//! Who one is on which server: REST calls, and the way to a connection.

use std::io;
use std::sync::Arc;

use hyper::Method;
use hyper::header::{AUTHORIZATION, COOKIE, HeaderName};
use kingscross_protocol::{GameId, GameRecord, UserView};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::http::{self, CallError};
use crate::{Address, BadAddress, Connection, Lost, Options, Socket};

/// How a client shows who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// The `name=value` of a session cookie.
    Cookie(String),
    /// An API token.
    Token(String),
}

impl Credentials {
    pub(crate) fn header(&self) -> (HeaderName, String) {
        match self {
            Self::Cookie(cookie) => (COOKIE, cookie.clone()),
            Self::Token(token) => (AUTHORIZATION, format!("Bearer {token}")),
        }
    }
}

/// A user of a server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Client {
    address: Arc<Address>,
    credentials: Credentials,
}

/// Why no connection came about.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The server could not be reached.
    #[error("the server cannot be reached: {0}")]
    Unreachable(#[from] io::Error),
    /// The server refused the WebSocket.
    #[error("the server refused the WebSocket with status {status}: {body}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The body of the answer.
        body: String,
    },
    /// The server's first message was no greeting.
    #[error("the server did not greet: {0}")]
    NotGreeted(String),
    /// The connection ended before the greeting.
    #[error("the connection ended before the greeting: {0}")]
    Lost(Lost),
}

impl Client {
    /// A user known by credentials that one has already.
    pub fn new(address: Address, credentials: Credentials) -> Self {
        Self { address: Arc::new(address), credentials }
    }

    /// A user known by an API token.
    pub fn with_token(url: &str, token: impl Into<String>) -> Result<Self, BadAddress> {
        Ok(Self::new(Address::parse(url)?, Credentials::Token(token.into())))
    }

    /// A new guest of the server.
    pub async fn guest(url: &str) -> Result<Self, CallError> {
        let address = Address::parse(url).map_err(|error| CallError::Unreadable(error.to_string()))?;
        Self::guest_of(&address).await
    }

    /// A new guest of the server.
    pub async fn guest_of(address: &Address) -> Result<Self, CallError> {
        let answer = http::call::<()>(address, Method::POST, "/api/v1/guest", None, None).await?;
        let cookie =
            answer.cookie.ok_or_else(|| CallError::Unreadable("a guest without a cookie".to_owned()))?;
        Ok(Self::new(address.clone(), Credentials::Cookie(cookie)))
    }

    /// The server's address.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The same user at another address: behind a proxy, or after the server has moved.
    #[must_use]
    pub fn at(&self, address: Address) -> Self {
        Self::new(address, self.credentials.clone())
    }

    /// What the user shows to be known.
    pub fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// `GET` of a path of the REST API (`/api/v1/…`).
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        let header = Some(self.credentials.header());
        http::call::<()>(&self.address, Method::GET, path, header, None).await?.json()
    }

    /// `POST` of a JSON body to a path of the REST API.
    pub async fn post<B: Serialize, T: DeserializeOwned>(
        &self,
        path: &str,
        body: &B,
    ) -> Result<T, CallError> {
        let header = Some(self.credentials.header());
        http::call(&self.address, Method::POST, path, header, Some(body)).await?.json()
    }

    /// Who one is.
    pub async fn me(&self) -> Result<UserView, CallError> {
        self.get("/api/v1/me").await
    }

    /// A game with everything that happened in it.
    pub async fn record(&self, game: GameId) -> Result<GameRecord, CallError> {
        self.get(&format!("/api/v1/games/{game}")).await
    }

    /// A bare WebSocket, before any greeting: for load and fault tests. Others use [`Client::connect`].
    pub async fn socket(&self) -> Result<Socket, ConnectError> {
        Socket::open(&self.address, &self.credentials).await
    }

    /// A connection that resumes by itself.
    pub async fn connect(&self) -> Result<Connection, ConnectError> {
        self.connect_with(Options::default()).await
    }

    /// A connection with options of one's own.
    pub async fn connect_with(&self, options: Options) -> Result<Connection, ConnectError> {
        Connection::open(self.clone(), options).await
    }
}
