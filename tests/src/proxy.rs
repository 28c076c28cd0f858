//! A bad line between clients and the server: it cuts, swallows, delays and chops what passes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::Chance;

/// What a connection through the proxy meets, after so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The connection breaks off.
    Cut,
    /// Nothing passes any more, and nobody is told.
    BlackHole,
    /// Every piece passes so much later.
    Delay(Duration),
    /// So many bytes pass at a time, with a pause between them.
    Throttle(usize, Duration),
}

/// A proxy on a port of its own. Dropping it cuts everything.
pub struct Proxy {
    /// `http://127.0.0.1:port`
    pub url: String,
    target: watch::Sender<Option<SocketAddr>>,
    /// Connections may still meet so many troubles.
    left: Arc<AtomicU64>,
    met: Arc<AtomicU64>,
    _stop: DropGuard,
}

impl Proxy {
    /// A proxy whose connections meet `troubles` troubles in all, drawn from the seed.
    pub async fn start(target: SocketAddr, troubles: u64, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let stop = CancellationToken::new();
        let (aim, target) = watch::channel(Some(target));
        let left = Arc::new(AtomicU64::new(troubles));
        let met = Arc::new(AtomicU64::new(0));
        let line = Line { target, left: left.clone(), met: met.clone(), stop: stop.clone(), slow: None };
        tokio::spawn(accept(listener, line, Chance::new(seed)));
        Self { url, target: aim, left, met, _stop: stop.drop_guard() }
    }

    /// A proxy over which all that the server says comes so much later.
    pub async fn slow(target: SocketAddr, delay: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let stop = CancellationToken::new();
        let (aim, target) = watch::channel(Some(target));
        let (left, met) = (Arc::default(), Arc::default());
        let line = Line {
            target,
            left: Arc::clone(&left),
            met: Arc::clone(&met),
            stop: stop.clone(),
            slow: Some(delay),
        };
        tokio::spawn(accept(listener, line, Chance::new(0)));
        Self { url, target: aim, left, met, _stop: stop.drop_guard() }
    }

    /// Where new connections lead from now on; none refuses them. Those that are open stay as they are.
    pub fn aim(&self, target: Option<SocketAddr>) {
        self.target.send_replace(target);
    }

    /// From now on the line is good for new connections.
    pub fn calm(&self) {
        self.left.store(0, Ordering::Relaxed);
    }

    /// How many troubles connections have met.
    pub fn met(&self) -> u64 {
        self.met.load(Ordering::Relaxed)
    }
}

#[derive(Clone)]
struct Line {
    target: watch::Receiver<Option<SocketAddr>>,
    left: Arc<AtomicU64>,
    met: Arc<AtomicU64>,
    stop: CancellationToken,
    slow: Option<Duration>,
}

async fn accept(listener: TcpListener, line: Line, mut chance: Chance) {
    loop {
        let accepted = tokio::select! {
            () = line.stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((client, _)) = accepted else { continue };
        let plan = match line.slow {
            Some(delay) => Some((Trouble::Delay(delay), 0)),
            None => draw(&line, &mut chance),
        };
        let line = line.clone();
        tokio::spawn(async move {
            let Some(target) = *line.target.borrow() else { return };
            // A target that is gone refuses, and the client sees its connection closed.
            let Ok(server) = TcpStream::connect(target).await else { return };
            let stop = line.stop.clone();
            tokio::select! {
                () = stop.cancelled() => {}
                () = carry(client, server, plan, &line) => {}
            }
        });
    }
}

/// The trouble that a new connection will meet, and after how many bytes.
fn draw(line: &Line, chance: &mut Chance) -> Option<(Trouble, usize)> {
    let take = |left: u64| left.checked_sub(1);
    line.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
    let trouble = match chance.below(4) {
        0 => Trouble::BlackHole,
        1 => Trouble::Delay(Duration::from_millis(1 + chance.below(20) as u64)),
        2 => Trouble::Throttle(1 + chance.below(200), Duration::from_millis(1)),
        _ => Trouble::Cut,
    };
    // The upgrade and the greeting alone are about 1 KiB; a snapshot is 5 to 50.
    Some((trouble, 500 + chance.below(40_000)))
}

async fn carry(client: TcpStream, server: TcpStream, plan: Option<(Trouble, usize)>, line: &Line) {
    let _ = client.set_nodelay(true);
    let _ = server.set_nodelay(true);
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    // The trouble comes in one direction, the one in which the server speaks; a cut ends both.
    let up = pass(from_client, to_server, None, line);
    let down = pass(from_server, to_client, plan, line);
    tokio::select! { () = up => {} () = down => {} }
}

/// Passes bytes on until one side ends, or the trouble that is planned ends it.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut plan: Option<(Trouble, usize)>,
    line: &Line,
) {
    let mut buffer = vec![0; 16 << 10];
    let mut passed = 0;
    let mut now = None;
    loop {
        let read = match from.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(read) => read,
        };
        if let Some((trouble, after)) = plan
            && passed + read > after
        {
            plan = None;
            now = Some(trouble);
            line.met.fetch_add(1, Ordering::Relaxed);
        }
        let result = match now {
            None => to.write_all(&buffer[..read]).await,
            Some(Trouble::Cut) => {
                // A part still arrives: frames are cut in the middle.
                let _ = to.write_all(&buffer[..read / 2]).await;
                return;
            }
            Some(Trouble::BlackHole) => std::future::pending().await,
            Some(Trouble::Delay(delay)) => {
                sleep(delay).await;
                to.write_all(&buffer[..read]).await
            }
            Some(Trouble::Throttle(piece, pause)) => chop(&mut to, &buffer[..read], piece, pause).await,
        };
        if result.is_err() {
            return;
        }
        passed += read;
    }
}

async fn chop(
    to: &mut (impl AsyncWrite + Unpin),
    bytes: &[u8],
    piece: usize,
    pause: Duration,
) -> std::io::Result<()> {
    for piece in bytes.chunks(piece) {
        to.write_all(piece).await?;
        to.flush().await?;
        sleep(pause).await;
    }
    Ok(())
}
