//! A line to a server that can be made to fail.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the line does with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Carries them.
    Open,
    /// Takes them and never delivers them; connections that saw this stay broken.
    Swallowing,
    /// Carries requests and swallows answers.
    Deaf,
    /// Closes every connection, old and new.
    Cut,
}

/// A proxy on a free port; it ends with the test's runtime.
pub(crate) struct Proxy {
    address: SocketAddr,
    line: watch::Sender<Line>,
}

impl Proxy {
    /// A line to the server of a PostgreSQL URL.
    pub(crate) async fn start(location: &str) -> Self {
        let target = authority(location).to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (line, state) = watch::channel(Line::Open);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                if *state.borrow() == Line::Cut {
                    continue;
                }
                let Ok(far) = TcpStream::connect(&target).await else { continue };
                let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
                tokio::spawn(carry(near_in, far_out, state.clone(), false));
                tokio::spawn(carry(far_in, near_out, state.clone(), true));
            }
        });
        Self { address, line }
    }

    /// The URL through this line.
    pub(crate) fn location(&self, location: &str) -> String {
        location.replacen(authority(location), &self.address.to_string(), 1)
    }

    /// Changes the line for all connections.
    pub(crate) fn set(&self, line: Line) {
        self.line.send_replace(line);
    }
}

/// Host and port of a URL.
fn authority(location: &str) -> &str {
    let (_, rest) = location.split_once("://").expect("it is a URL");
    let host = rest.split(['/', '?']).next().expect("a split has a first part");
    host.rsplit_once('@').map_or(host, |(_, host)| host)
}

async fn carry(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut line: watch::Receiver<Line>,
    answers: bool,
) {
    let mut buffer = vec![0; 64 * 1024];
    let mut broken = false;
    loop {
        let state = *line.borrow_and_update();
        broken |= match state {
            Line::Open => false,
            Line::Swallowing => true,
            Line::Deaf => answers,
            Line::Cut => return,
        };
        tokio::select! {
            changed = line.changed() => if changed.is_err() { return },
            read = from.read(&mut buffer) => match read {
                // Whoever is behind the hole does not hear that the other side has gone, either.
                Ok(0) | Err(_) if broken => return std::future::pending().await,
                Ok(0) | Err(_) => return,
                Ok(_) if broken => {}
                Ok(length) => if to.write_all(&buffer[..length]).await.is_err() { return },
            },
        }
    }
}
