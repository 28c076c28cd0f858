//! The task of one socket: reads, has messages dispatched, and writes within a time limit. It holds no game state.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use axum::http::HeaderMap;
use futures_util::SinkExt;
use kingscross_protocol::{ErrorCode, PROTOCOL_VERSION, ServerMessage, Timestamp, UserId, close};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite;

use super::credits::Credits;
use super::dispatch::Session;
use crate::app::App;
use crate::auth::{CurrentUser, identify};
use crate::edge::TcpConnection;
use crate::sockets::TooManySockets;
use crate::sockets::{Outgoing, Socket};

/// How long closing may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// For how long unread frames put off the end for silence, each time it is due.
const UNREAD: Duration = Duration::from_secs(1);

/// The TCP connection below a socket.
pub(super) struct Below {
    pub(super) line: TcpConnection,
    /// Whether it comes from a proxy, not from the client.
    pub(super) is_proxied: bool,
}

/// Serves a socket until either side ends it. `user` was identified by `headers`.
pub(super) async fn run(
    app: App,
    mut ws: WebSocket,
    below: Option<Below>,
    headers: HeaderMap,
    user: CurrentUser,
    muted: Vec<UserId>,
) {
    let view = user.view();
    let greeting = ServerMessage::Hello {
        version: PROTOCOL_VERSION,
        build: env!("CARGO_PKG_VERSION").to_owned(),
        boot: app.boot,
        now: app.clock.now(),
        user: view,
    };
    let greet = |socket: &Socket| {
        muted.into_iter().for_each(|other| socket.mute(other, true));
        socket.send(&greeting);
    };
    let socket = match app.hub.connect(user.id, user.session, &app.config.websocket, greet) {
        Ok(socket) => socket,
        Err(TooManySockets) => return say_goodbye(&mut ws, close::TOO_MANY_SOCKETS).await,
    };
    app.queue.greet(socket.clone());
    if let Err(code) = ask_again(&app, headers, &user).await {
        socket.close(code);
    }
    if app.stop.is_cancelled() {
        // Connected while all sockets were being closed.
        socket.close(close::RESTART);
    }
    let now = Instant::now();
    let mut session = Session::new(app.clone(), socket.clone(), &user, Credits::new(&app.config.limits, now));
    let stalls = app.stalls.look();
    let code = Connection {
        app: &app,
        ws: &mut ws,
        below,
        socket: &socket,
        heard: now,
        pinged: now,
        ping: None,
        pings: 0,
        seen: stalls,
        caught_up: stalls,
        looked: app.clock.now(),
    }
    .serve(&mut session)
    .await;
    // Closed first: a table whose inbox is full misses `unwatch`, and drops the closed socket later.
    socket.close(close::RESTART);
    session.end();
    app.hub.disconnect(&socket);
    if let Some(code) = code {
        crate::metrics::closed(code);
        say_goodbye(&mut ws, code).await;
    }
}

/// Identifies the user once more, now that the socket can be found: whatever ends a session or excludes a user stores
/// that first and then closes the sockets it finds, so that one of the two sees the other. Takes the headers, since an
/// open socket must not hold them.
async fn ask_again(app: &App, headers: HeaderMap, user: &CurrentUser) -> Result<(), u16> {
    match identify(app, &headers).await {
        Ok(Some(still)) if still == *user => Ok(()),
        Err(error) if error.body.retryable || error.body.code == ErrorCode::Internal => Err(close::RESTART),
        Ok(_) | Err(_) => Err(close::SESSION_REVOKED),
    }
}

struct Connection<'a> {
    app: &'a App,
    ws: &'a mut WebSocket,
    socket: &'a Arc<Socket>,
    /// When the last frame of the client came.
    heard: Instant,
    /// When we last sent a ping, and the ping whose pong is awaited.
    pinged: Instant,
    ping: Option<(u32, Instant)>,
    pings: u32,
    below: Option<Below>,
    /// The stalls that its time limits have left out.
    seen: u64,
    /// The stalls after which all that was in the socket has been read.
    caught_up: u64,
    /// When it last checked for stalls.
    looked: Timestamp,
}

impl Connection<'_> {
    /// Returns the code to close with; none when the socket is closed already.
    async fn serve(mut self, session: &mut Session) -> Option<u16> {
        // One timer that is set anew when it fires: what it waits for moves on with every frame.
        let mut alarm = pin!(sleep_until(self.due()));
        loop {
            if let Err(code) = self.write().await {
                return code;
            }
            if self.leave_out_stalls() {
                alarm.as_mut().reset(self.due());
            }
            tokio::select! {
                biased;
                frame = self.ws.recv() => {
                    // Stamped here: what a player waits for afterwards is the server's own time.
                    let arrived = self.arrival();
                    self.heard = Instant::now();
                    match frame {
                        Some(Ok(Message::Text(text))) => {
                            if let Err(code) = self.receive(session, text.as_str(), arrived).await {
                                return code;
                            }
                        }
                        Some(Ok(Message::Binary(_))) => return Some(close::BINARY),
                        Some(Ok(Message::Pong(payload))) => self.pong(&payload),
                        Some(Ok(Message::Ping(_))) => {}
                        Some(Ok(Message::Close(_))) | None => return None,
                        Some(Err(error)) => return code_of(error),
                    }
                }
                () = tokio::task::yield_now(), if self.caught_up != self.seen => self.catch_up(),
                // Whatever wakes the loop, all that is queued is written first.
                () = self.socket.woken() => {}
                () = &mut alarm => {
                    if !self.leave_out_stalls()
                        && let Err(code) = self.look_at_the_clock()
                    {
                        return Some(code);
                    }
                    alarm.as_mut().reset(self.due());
                }
            }
        }
    }

    /// Has a message dispatched, and meanwhile writes what is queued: while it waits for the database, the socket's own
    /// queue must not fill up.
    async fn receive(
        &mut self,
        session: &mut Session,
        text: &str,
        arrived: Timestamp,
    ) -> Result<(), Option<u16>> {
        let mut receiving = pin!(session.receive(text, arrived));
        loop {
            tokio::select! {
                biased;
                () = receiving.as_mut() => return Ok(()),
                () = self.socket.woken() => {}
            }
            self.write().await?;
        }
    }

    fn silence(&self) -> Duration {
        Duration::from_millis(self.app.config.websocket.silence_ms)
    }

    fn ping_after(&self) -> Duration {
        Duration::from_millis(self.app.config.websocket.ping_ms)
    }

    /// When its time limits must be looked at next.
    fn due(&self) -> Instant {
        (self.heard + self.silence()).min(self.pinged + self.ping_after())
    }

    /// Asks for a ping that is due. The code to close with, when nothing was heard for too long.
    fn look_at_the_clock(&mut self) -> Result<(), u16> {
        let now = Instant::now();
        if now >= self.heard + self.silence() {
            if !self.has_unread() {
                return Err(close::SILENT);
            }
            self.heard = now.checked_sub(self.silence()).unwrap_or(now) + UNREAD;
        }
        if now >= self.pinged + self.ping_after() {
            self.pinged = now;
            self.socket.ask_ping();
        }
        Ok(())
    }

    /// Moves its time limits on by the stalls since the last call. Returns whether there were any.
    fn leave_out_stalls(&mut self) -> bool {
        let seen = self.app.stalls.look();
        let (before, now) = (std::mem::replace(&mut self.looked, self.app.clock.now()), Instant::now());
        if seen == self.seen {
            return false;
        }
        self.seen = seen;
        let missed = self.app.stalls.missed(before, self.looked);
        let missed = Duration::from_millis(u64::try_from(missed).unwrap_or(0));
        self.heard = (self.heard + missed).min(now);
        self.pinged = (self.pinged + missed).min(now);
        // Its pong would measure the stall, too.
        self.ping = None;
        true
    }

    /// When the frame that was just read arrived. A frame that was in the socket during a stall counts from the stall's
    /// end, however long it takes to read all sockets.
    fn arrival(&mut self) -> Timestamp {
        let (seen, now) = (self.app.stalls.look(), self.app.clock.now());
        if self.caught_up == seen {
            return now;
        }
        match self.app.stalls.catching_up(now) {
            Some((end, _)) => end.min(now),
            None => {
                self.caught_up = seen;
                now
            }
        }
    }

    /// Called when there is nothing to read; the operating system knows whether that is true.
    fn catch_up(&mut self) {
        if !self.has_unread() || self.app.stalls.catching_up(self.app.clock.now()).is_none() {
            self.caught_up = self.seen;
        }
    }

    fn has_unread(&self) -> bool {
        self.below.as_ref().is_some_and(|below| below.line.has_unread())
    }

    /// Writes all that is queued, in one go, within the time limit.
    async fn write(&mut self) -> Result<(), Option<u16>> {
        let stall = Duration::from_millis(self.app.config.websocket.write_stall_ms);
        let mut has_written = false;
        let mut closing = None;
        let work = async {
            loop {
                match self.socket.take() {
                    Outgoing::Message(text) => self.ws.feed(Message::Text(text)).await?,
                    Outgoing::Close(code) => {
                        closing = Some(code);
                        break;
                    }
                    Outgoing::Empty => break,
                }
                has_written = true;
            }
            if self.socket.take_ping() {
                let now = Instant::now();
                self.pinged = now;
                // A ping that is under way goes on measuring.
                if self.ping.is_none() {
                    let number = self.pings.wrapping_add(1);
                    self.pings = number;
                    self.ping = Some((number, now));
                    self.ws.feed(Message::Ping(number.to_le_bytes().to_vec().into())).await?;
                    has_written = true;
                }
            }
            if has_written { self.ws.flush().await } else { Ok(()) }
        };
        match self.app.stalls.timeout(stall, work).await {
            Ok(Ok(())) => closing.map_or(Ok(()), |code| Err(Some(code))),
            Ok(Err(_)) => Err(None),
            Err(_) => Err(Some(close::SLOW)),
        }
    }

    fn pong(&mut self, payload: &[u8]) {
        if let Some((number, sent)) = self.ping
            && payload == number.to_le_bytes()
        {
            self.ping = None;
            let by_pong = sent.elapsed();
            // A client can delay its pongs, but not the acknowledgements of its system.
            let direct = self.below.as_ref().filter(|below| !below.is_proxied);
            let by_line = direct.and_then(|below| below.line.round_trip());
            let lag = by_line.map_or(by_pong, |by_line| by_pong.min(by_line));
            self.socket.measured(u32::try_from(lag.as_millis()).unwrap_or(u32::MAX));
        }
    }
}

fn code_of(error: axum::Error) -> Option<u16> {
    use tungstenite::Error;
    let inner = error.into_inner();
    match inner.downcast_ref::<Error>() {
        Some(Error::Capacity(_)) => Some(close::TOO_BIG),
        Some(Error::Utf8(_)) => Some(close::BAD_UTF8),
        Some(Error::Protocol(_)) => Some(close::PROTOCOL),
        _ => None,
    }
}

async fn say_goodbye(ws: &mut WebSocket, code: u16) {
    let frame = Message::Close(Some(CloseFrame { code, reason: reason(code).into() }));
    // A client that does not read it in time is gone anyway.
    let _ = timeout(FAREWELL, async {
        ws.send(frame).await.ok()?;
        // Read up to the client's own close frame, so that nothing unread resets the connection.
        while let Some(Ok(_)) = ws.recv().await {}
        Some(())
    })
    .await;
}

fn reason(code: u16) -> &'static str {
    match code {
        close::RESTART => "the server is restarting; come back and resume",
        close::TOO_BIG => "the message is too big",
        close::BINARY => "only text frames are read",
        close::BAD_UTF8 => "the text is not UTF-8",
        close::FLOOD => "too many refused messages",
        close::VERSION => "this protocol version is not supported",
        close::SLOW => "the client reads too slowly; come back and resume",
        close::SESSION_REVOKED => {
            "the session has ended or its account has changed; connect or sign in again"
        }
        close::SILENT => "the client was silent for too long",
        close::TOO_MANY_SOCKETS => "too many sockets",
        _ => "",
    }
}
