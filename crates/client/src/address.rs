//! Where a server is, and the way to it: TCP, with TLS for `https`.

use std::io;
use std::sync::{Arc, OnceLock};

use hyper::Uri;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};
use tokio_tungstenite::MaybeTlsStream;

/// The address of a server: `http://host:port` or `https://host`, with the path under which the server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    secure: bool,
    host: String,
    port: u16,
    path: String,
}

/// The text is not the address of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a server address; write http://host:port, https://host or https://host/path")]
pub struct BadAddress(pub String);

impl Address {
    /// Reads `http://host[:port][/path]` or `https://host[:port][/path]`; a query behind it is refused.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let bad = || BadAddress(text.to_owned());
        let uri: Uri = text.trim_end_matches('/').parse().map_err(|_| bad())?;
        let secure = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(bad()),
        };
        if uri.query().is_some() || text.contains('#') {
            return Err(bad());
        }
        let path = uri.path().trim_end_matches('/').to_owned();
        let host = uri.host().ok_or_else(bad)?.to_owned();
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        Ok(Self { secure, host, port, path })
    }

    /// `host:port`, as the `Host` header wants it.
    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The path under which the server is, without a slash at its end; empty at the root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The origin that a page of this server would have.
    pub fn origin(&self) -> String {
        let standard = if self.secure { 443 } else { 80 };
        let scheme = if self.secure { "https" } else { "http" };
        if self.port == standard {
            format!("{scheme}://{}", self.host)
        } else {
            format!("{scheme}://{}", self.authority())
        }
    }

    /// The address of the WebSocket.
    pub(crate) fn websocket(&self) -> String {
        let scheme = if self.secure { "wss" } else { "ws" };
        format!("{scheme}://{}{}/api/v1/ws", self.authority(), self.path)
    }

    pub(crate) async fn dial(&self) -> io::Result<MaybeTlsStream<TcpStream>> {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((host, self.port)).await?;
        // Moves are small and urgent: they must not wait for more to send.
        stream.set_nodelay(true)?;
        if !self.secure {
            return Ok(MaybeTlsStream::Plain(stream));
        }
        let name = ServerName::try_from(host.to_owned())
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let stream = TlsConnector::from(tls()).connect(name, stream).await?;
        Ok(MaybeTlsStream::Rustls(stream))
    }
}

fn tls() -> Arc<ClientConfig> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    CONFIG
        .get_or_init(|| {
            let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
            let provider = Arc::new(crypto::ring::default_provider());
            let config = ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .expect("ring has the ciphers of TLS 1.2 and 1.3")
                .with_root_certificates(roots)
                .with_no_client_auth();
            Arc::new(config)
        })
        .clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_knows_its_origin_and_websocket() {
        let local = Address::parse("http://127.0.0.1:8080/").expect("good");
        assert_eq!(local.origin(), "http://127.0.0.1:8080");
        assert_eq!(local.websocket(), "ws://127.0.0.1:8080/api/v1/ws");
        let public = Address::parse("https://chess.example").expect("good");
        assert_eq!(public.origin(), "https://chess.example");
        assert_eq!(public.websocket(), "wss://chess.example:443/api/v1/ws");
        let shared = Address::parse("https://club.example/chess/").expect("good");
        assert_eq!((shared.origin(), shared.path()), ("https://club.example".to_owned(), "/chess"));
        assert_eq!(shared.websocket(), "wss://club.example:443/chess/api/v1/ws");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "",
            "chess.example",
            "ftp://chess.example",
            "http://",
            "http://chess.example/?a=b",
            "http://chess.example/#a",
        ] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }
}
