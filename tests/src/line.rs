//! A line to a database that can be made to fail.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the line does with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Carries them.
    Open,
    /// Takes them and never delivers them; connections that saw this stay broken.
    BlackHole,
    /// Carries requests and swallows answers.
    Deaf,
}

/// A proxy on a free port; it ends with the test's runtime.
pub struct Wire {
    /// Where it listens.
    pub address: SocketAddr,
    state: watch::Sender<State>,
}

#[derive(Clone, Copy)]
struct State {
    line: Line,
    /// Connections of earlier ones are broken.
    generation: u64,
}

impl Wire {
    /// A line to a server.
    pub async fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (sender, state) = watch::channel(State { line: Line::Open, generation: 0 });
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let Ok(far) = TcpStream::connect(target).await else { continue };
                let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
                let generation = state.borrow().generation;
                tokio::spawn(carry(near_in, far_out, state.clone(), generation, false));
                tokio::spawn(carry(far_in, near_out, state.clone(), generation, true));
            }
        });
        Self { address, state: sender }
    }

    /// Changes the line for all connections.
    pub fn set(&self, line: Line) {
        self.state.send_modify(|state| state.line = line);
    }

    /// Breaks every connection that there is, as [`Line::BlackHole`] does; later ones are good.
    pub fn lose_all(&self) {
        self.state.send_modify(|state| state.generation += 1);
    }
}

async fn carry(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut state: watch::Receiver<State>,
    generation: u64,
    answers: bool,
) {
    let mut buffer = vec![0; 64 * 1024];
    let mut is_broken = false;
    loop {
        let now = *state.borrow_and_update();
        is_broken |= match now.line {
            _ if now.generation != generation => true,
            Line::Open => false,
            Line::BlackHole => true,
            Line::Deaf => answers,
        };
        tokio::select! {
            changed = state.changed() => if changed.is_err() { return },
            read = from.read(&mut buffer) => match read {
                // Whoever is behind the hole does not hear that the other side has gone, either.
                Ok(0) | Err(_) if is_broken => return std::future::pending().await,
                Ok(0) | Err(_) => return,
                Ok(_) if is_broken => {}
                Ok(length) => if to.write_all(&buffer[..length]).await.is_err() { return },
            },
        }
    }
}
