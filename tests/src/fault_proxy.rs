//! A TCP proxy that fails the way networks do. The storage tests include this file too, so it needs nothing but tokio.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

/// What the proxy does with the bytes of a connection. Requests go to the target, answers come from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyMode {
    /// Everything passes.
    Open,
    /// Nothing passes, and neither side is told. A connection that met this stays broken.
    BlackHole,
    /// Requests pass, answers do not. A connection that met this stays broken.
    Deaf,
    /// Connections are closed, old and new.
    Cut,
    /// Answers arrive so much later.
    Delay(Duration),
    /// Answers arrive in pieces of so many bytes, with a pause after each.
    Throttle(usize, Duration),
}

/// What one connection meets after a number of bytes of its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedFault {
    /// The fault.
    pub mode: ProxyMode,
    /// The bytes that pass before it.
    pub after: usize,
}

/// A proxy on a free port. Dropping it closes all its connections.
pub struct FaultProxy {
    /// Where it listens.
    pub address: SocketAddr,
    state: watch::Sender<State>,
    met: Arc<AtomicU64>,
}

#[derive(Clone)]
struct State {
    target: String,
    mode: ProxyMode,
    /// Connections of earlier generations are broken.
    generation: u64,
}

impl FaultProxy {
    /// An open proxy to a host and port.
    pub async fn start(target: impl ToString) -> Self {
        Self::with_faults(target, || None).await
    }

    /// The same with a fault for each connection that `plan` gives one, in the order in which they are opened.
    pub async fn with_faults(
        target: impl ToString,
        plan: impl FnMut() -> Option<PlannedFault> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let state = State { target: target.to_string(), mode: ProxyMode::Open, generation: 0 };
        let (sender, state) = watch::channel(state);
        let met = Arc::new(AtomicU64::new(0));
        tokio::spawn(accept(listener, state, plan, met.clone()));
        Self { address, state: sender, met }
    }

    /// `http://127.0.0.1:port`
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes the mode of all connections, old and new.
    pub fn set(&self, mode: ProxyMode) {
        self.state.send_modify(|state| state.mode = mode);
    }

    /// Breaks every open connection as [`ProxyMode::BlackHole`] does; later ones are good.
    pub fn lose_all(&self) {
        self.state.send_modify(|state| state.generation += 1);
    }

    /// Sends new connections to another host and port. Open ones stay as they are.
    pub fn aim(&self, target: &impl ToString) {
        self.state.send_modify(|state| state.target = target.to_string());
    }

    /// How many planned faults connections have met.
    pub fn met(&self) -> u64 {
        self.met.load(Ordering::Relaxed)
    }
}

async fn accept(
    listener: TcpListener,
    state: watch::Receiver<State>,
    mut plan: impl FnMut() -> Option<PlannedFault>,
    met: Arc<AtomicU64>,
) {
    let mut dropped = state.clone();
    loop {
        let accepted = tokio::select! {
            changed = dropped.changed() => if changed.is_err() { return } else { continue },
            accepted = listener.accept() => accepted,
        };
        let Ok((client, _)) = accepted else { continue };
        tokio::spawn(carry(client, state.clone(), plan(), met.clone()));
    }
}

async fn carry(
    client: TcpStream,
    state: watch::Receiver<State>,
    planned: Option<PlannedFault>,
    met: Arc<AtomicU64>,
) {
    let State { target, mode, generation } = state.borrow().clone();
    if mode == ProxyMode::Cut {
        return;
    }
    // If the target refuses, the client sees its connection closed.
    let Ok(server) = TcpStream::connect(target).await else { return };
    let _ = client.set_nodelay(true);
    let _ = server.set_nodelay(true);
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let requests =
        Passage { state: state.clone(), generation, is_answers: false, planned: None, met: met.clone() };
    let answers = Passage { state, generation, is_answers: true, planned, met };
    // The first error closes both directions.
    let _ = tokio::try_join!(requests.pass(from_client, to_server), answers.pass(from_server, to_client));
}

/// The connection is closed at once, in both directions.
struct Closed;

/// One direction of a connection.
struct Passage {
    state: watch::Receiver<State>,
    generation: u64,
    is_answers: bool,
    planned: Option<PlannedFault>,
    met: Arc<AtomicU64>,
}

impl Passage {
    /// Passes bytes on until the sender ends.
    async fn pass(mut self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) -> Result<(), Closed> {
        let mut buffer = vec![0; 16 << 10];
        let (mut passed, mut fault) = (0, None);
        let (mut is_broken, mut has_ended) = (false, false);
        loop {
            let mode = self.mode(fault);
            if mode == ProxyMode::Cut {
                return Err(Closed);
            }
            is_broken |= self.breaks(mode);
            let read = tokio::select! {
                biased;
                changed = self.state.changed() => {
                    changed.map_err(|_| Closed)?;
                    continue;
                }
                read = from.read(&mut buffer), if !has_ended => read.unwrap_or(0),
            };
            if read == 0 && !is_broken {
                return Ok(());
            }
            // Behind a broken connection nobody hears that the other side has gone.
            has_ended = read == 0;
            passed += read;
            if let Some(planned) = self.planned.take_if(|planned| passed > planned.after) {
                self.met.fetch_add(1, Ordering::Relaxed);
                fault = Some(planned.mode);
                is_broken |= self.breaks(planned.mode);
            }
            if !is_broken {
                let mode = self.mode(fault);
                self.deliver(&mut to, &buffer[..read], mode).await.map_err(|_| Closed)?;
            }
        }
    }

    fn mode(&mut self, fault: Option<ProxyMode>) -> ProxyMode {
        let state = self.state.borrow_and_update();
        match fault {
            _ if state.generation != self.generation => ProxyMode::BlackHole,
            Some(fault) if state.mode == ProxyMode::Open => fault,
            _ => state.mode,
        }
    }

    fn breaks(&self, mode: ProxyMode) -> bool {
        mode == ProxyMode::BlackHole || mode == ProxyMode::Deaf && self.is_answers
    }

    async fn deliver(&self, to: &mut OwnedWriteHalf, bytes: &[u8], mode: ProxyMode) -> std::io::Result<()> {
        match mode {
            ProxyMode::Cut => {
                // A part still arrives: frames are cut in the middle.
                to.write_all(&bytes[..bytes.len() / 2]).await?;
                return Err(std::io::ErrorKind::ConnectionAborted.into());
            }
            ProxyMode::Delay(delay) if self.is_answers => sleep(delay).await,
            ProxyMode::Throttle(size, pause) if self.is_answers => {
                for piece in bytes.chunks(size) {
                    to.write_all(piece).await?;
                    sleep(pause).await;
                }
                return Ok(());
            }
            _ => {}
        }
        to.write_all(bytes).await
    }
}
