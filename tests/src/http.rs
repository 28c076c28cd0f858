//! Plain HTTP: one request on one connection, whole answers, a cookie jar for the one cookie there is.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::HeaderMap;
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::net::TcpStream;

/// A browser, or a program, as far as HTTP goes.
#[derive(Clone)]
pub struct Http {
    authority: String,
    /// The session's cookie as it is sent: `kingscross=…`.
    pub cookie: Option<String>,
    /// An API token.
    pub token: Option<String>,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        self.read()
    }

    /// The body as a value of the protocol.
    #[track_caller]
    pub fn read<T: DeserializeOwned>(&self) -> T {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("{error}: {} {}", self.status, self.text()),
        }
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Status and code of a refusal.
    #[track_caller]
    pub fn refusal(&self) -> (u16, String) {
        (self.status, self.json()["code"].as_str().expect("an error body").to_owned())
    }

    /// A header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl Http {
    /// Without a session.
    pub fn new(url: &str) -> Self {
        Self { authority: url.trim_start_matches("http://").to_owned(), cookie: None, token: None }
    }

    /// A program with an API token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { authority: self.authority.clone(), cookie: None, token: Some(token.to_owned()) }
    }

    /// `GET`
    pub async fn get(&mut self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], Bytes::new()).await
    }

    /// `POST` with a JSON body.
    pub async fn post(&mut self, path: &str, body: &Value) -> Answer {
        self.json(Method::POST, path, body).await
    }

    /// `PUT` with a JSON body.
    pub async fn put(&mut self, path: &str, body: &Value) -> Answer {
        self.json(Method::PUT, path, body).await
    }

    /// `DELETE` without a body.
    pub async fn delete(&mut self, path: &str) -> Answer {
        self.send(Method::DELETE, path, &[], Bytes::new()).await
    }

    /// Any method with a JSON body.
    pub async fn json(&mut self, method: Method, path: &str, body: &Value) -> Answer {
        let headers = [("content-type", "application/json")];
        self.send(method, path, &headers, serde_json::to_vec(body).expect("JSON").into()).await
    }

    /// Anything; keeps the cookie that the answer sets.
    pub async fn send(
        &mut self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Bytes,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header("host", &self.authority);
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body)).expect("a sound request");
        let stream = TcpStream::connect(&self.authority).await.expect("the server listens");
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.expect("HTTP");
        let exchange = async move {
            let (head, body) = sender.send_request(request).await.expect("an answer").into_parts();
            (head, body.collect().await.expect("the whole answer").to_bytes())
        };
        // The connection ends when the exchange has dropped its sender; a failure shows in the exchange.
        let ((head, body), _) = tokio::join!(exchange, connection);
        if let Some(value) = head.headers.get("set-cookie").and_then(|value| value.to_str().ok()) {
            let pair = value.split(';').next().unwrap_or_default();
            self.cookie = (!pair.ends_with('=')).then(|| pair.to_owned());
        }
        Answer { status: head.status.as_u16(), headers: head.headers, body }
    }
}
