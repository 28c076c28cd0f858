//! Plain HTTP: one request on one connection, whole answers, a cookie jar for the two cookies there are.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::HeaderMap;
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::net::TcpSocket;

/// A browser, or a program, as far as HTTP goes.
#[derive(Clone)]
pub struct Http {
    authority: String,
    /// The session's cookie as it is sent: `kingscross=…`.
    pub cookie: Option<String>,
    /// The cookie of a browser that has signed in: `kx_device=…`.
    pub device: Option<String>,
    /// An API token.
    pub token: Option<String>,
    /// The address of this machine that requests come from.
    pub from: IpAddr,
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
        let authority = url.trim_start_matches("http://").to_owned();
        Self { authority, cookie: None, device: None, token: None, from: Ipv4Addr::LOCALHOST.into() }
    }

    /// A program with an API token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..Self::new(&self.authority) }
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
        let cookies: Vec<&str> =
            [&self.cookie, &self.device].into_iter().flatten().map(String::as_str).collect();
        if !cookies.is_empty() {
            request = request.header("cookie", cookies.join("; "));
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body)).expect("a sound request");
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::new(self.from, 0)).expect("an address of this machine");
        let target = self.authority.parse().expect("an address and a port");
        let stream = socket.connect(target).await.expect("the server listens");
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.expect("HTTP");
        let exchange = async move {
            let (head, body) = sender.send_request(request).await.expect("an answer").into_parts();
            (head, body.collect().await.expect("the whole answer").to_bytes())
        };
        // The connection ends when the exchange has dropped its sender; a failure shows in the exchange.
        let ((head, body), _) = tokio::join!(exchange, connection);
        for value in head.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok()) {
            let pair = value.split(';').next().unwrap_or_default();
            let kept = (!pair.ends_with('=')).then(|| pair.to_owned());
            if pair.starts_with("kx_device=") {
                self.device = kept;
            } else {
                self.cookie = kept;
            }
        }
        Answer { status: head.status.as_u16(), headers: head.headers, body }
    }
}
