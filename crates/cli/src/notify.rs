//! Reports the server's state to systemd (`sd_notify`), if `NOTIFY_SOCKET` is set.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::time::Duration;

/// Whoever started the server and wants to know how it does; nobody, mostly.
#[derive(Clone, Debug)]
pub(crate) struct Manager(Option<Arc<UnixDatagram>>);

impl Manager {
    /// That of this process.
    pub(crate) fn of_the_process() -> Self {
        let Some(name) = std::env::var("NOTIFY_SOCKET").ok().filter(|name| !name.is_empty()) else {
            return Self(None);
        };
        match connect(&name) {
            Ok(socket) => Self(Some(Arc::new(socket))),
            Err(error) => {
                tracing::warn!(%error, "NOTIFY_SOCKET `{name}` cannot be used");
                Self(None)
            }
        }
    }

    /// The server answers. From now on the watchdog, if there is one, gets its keep-alives.
    pub(crate) fn ready(&self) {
        self.tell("READY=1");
        let Some(every) = watchdog().filter(|_| self.0.is_some()) else { return };
        let told = self.clone();
        // By a task among all others: where these do not get on, it does not either.
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(every);
            loop {
                ticks.tick().await;
                told.tell("WATCHDOG=1");
            }
        });
    }

    /// The server has begun to stop.
    pub(crate) fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    fn tell(&self, state: &str) {
        if let Some(socket) = &self.0
            && let Err(error) = socket.send(state.as_bytes())
        {
            tracing::warn!(%error, "NOTIFY_SOCKET was not told {state}");
        }
    }
}

/// A path, or with `@` a name of Linux's own.
fn connect(name: &str) -> std::io::Result<UnixDatagram> {
    let address = match name.strip_prefix('@') {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.connect_addr(&address)?;
    // A manager that does not read must not hold the server up.
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// How often the watchdog is told: twice in the time that it waits, if it watches this process.
fn watchdog() -> Option<Duration> {
    let whose = std::env::var("WATCHDOG_PID").ok();
    if whose.is_some_and(|pid| pid != std::process::id().to_string()) {
        return None;
    }
    let micros: u64 = std::env::var("WATCHDOG_USEC").ok()?.parse().ok()?;
    (micros > 1).then(|| Duration::from_micros(micros / 2))
}
