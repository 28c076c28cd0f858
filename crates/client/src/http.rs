//! One REST call: a connection, a request with a JSON body, an answer.

use std::io;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, HeaderName, ORIGIN, SET_COOKIE};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use kingscross_protocol::ErrorBody;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Address;

/// The largest answer that is read, in bytes.
const LARGEST: usize = 64 << 20;

/// Why a REST call gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The server could not be reached, or the connection broke.
    #[error("the server cannot be reached: {0}")]
    Unreachable(#[from] io::Error),
    /// The server refused the request.
    #[error("refused ({status}): {}", body.message)]
    Refused {
        /// The HTTP status.
        status: u16,
        /// Why.
        body: ErrorBody,
    },
    /// The server answered something that this client cannot read.
    #[error("unreadable answer: {0}")]
    Unreadable(String),
}

/// An answer with status 2xx.
pub(crate) struct Answer {
    pub(crate) body: Bytes,
    /// The `name=value` part of the first cookie set.
    pub(crate) cookie: Option<String>,
}

impl Answer {
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, CallError> {
        serde_json::from_slice(&self.body).map_err(|error| CallError::Unreadable(error.to_string()))
    }
}

pub(crate) async fn call<B: Serialize>(
    address: &Address,
    method: Method,
    path: &str,
    credentials: Option<(HeaderName, String)>,
    body: Option<&B>,
) -> Result<Answer, CallError> {
    let mut request = Request::builder()
        .method(method)
        .uri(format!("{}{path}", address.path()))
        .header(HOST, address.authority())
        // The server refuses changes asked for by pages of other sites; this names us as none.
        .header(ORIGIN, address.origin());
    if let Some((name, value)) = credentials {
        request = request.header(name, value);
    }
    let mut bytes = Vec::new();
    if let Some(body) = body {
        bytes = serde_json::to_vec(body).map_err(|error| CallError::Unreadable(error.to_string()))?;
        request = request.header(CONTENT_TYPE, "application/json");
    }
    let request = request
        .body(Full::new(Bytes::from(bytes)))
        .map_err(|error| CallError::Unreadable(format!("request: {error}")))?;

    let stream = TokioIo::new(address.dial().await?);
    let (mut sender, connection) = http1::handshake(stream).await.map_err(io::Error::other)?;
    let exchange = async move {
        let response = sender.send_request(request).await.map_err(io::Error::other)?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, LARGEST).collect().await.map_err(io::Error::other)?;
        Ok::<_, io::Error>((head, body.to_bytes()))
    };
    // The connection ends when the exchange has dropped its sender; its own error shows in the exchange.
    let (exchanged, _) = tokio::join!(exchange, connection);
    let (head, body) = exchanged?;
    if !head.status.is_success() {
        return Err(refusal(head.status, &body));
    }
    let cookie = head.headers.get(SET_COOKIE).and_then(|value| value.to_str().ok());
    let cookie = cookie.and_then(|text| text.split(';').next()).map(str::to_owned);
    Ok(Answer { body, cookie })
}

fn refusal(status: StatusCode, body: &[u8]) -> CallError {
    match serde_json::from_slice(body) {
        Ok(body) => CallError::Refused { status: status.as_u16(), body },
        Err(_) => CallError::Unreadable(format!("status {status} without an error body")),
    }
}
