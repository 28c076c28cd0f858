//! Hands each message to the one who answers it.

use std::sync::Arc;

use kingscross_engine::{Seat, Variant};
use kingscross_protocol::{
    ClientMessage, CommandId, ErrorBody, ErrorCode, GameId, PROTOCOL_VERSION, ProposalId, Repetition,
    Request, Saying, Seq, ServerMessage, TimeControl, Timestamp, UserId, UserKind, close,
};
use kingscross_table::Command;
use serde::Deserialize;
use tokio::time::Instant;

use super::credits::{Credits, Kind};
use crate::app::App;
use crate::auth::CurrentUser;
use crate::edge::{Object, plain_message};
use crate::error::ApiError;
use crate::lobby::{LobbyUser, Op};
use crate::matchmaking::QueueUser;
use crate::sockets::{Socket, encode};
use crate::table::{self, Done, Follow, NewGame, Reply, Seated, TableHandle};

/// What the task of a socket keeps between messages.
pub(super) struct Session {
    app: App,
    socket: Arc<Socket>,
    name: String,
    kind: UserKind,
    credits: Box<Credits>,
    watched: Vec<GameId>,
    /// Whether the client has said which protocol version it speaks.
    has_greeted: bool,
}

impl Session {
    pub(super) fn new(app: App, socket: Arc<Socket>, user: &CurrentUser, credits: Credits) -> Self {
        let (name, kind) = (user.name.clone(), user.kind);
        Self { app, socket, name, kind, credits: Box::new(credits), watched: Vec::new(), has_greeted: false }
    }

    /// Answers one message, now or through whatever carries it out.
    pub(super) async fn receive(&mut self, text: &str, arrived: Timestamp) {
        let now = Instant::now();
        let message: ClientMessage = match serde_json::from_str(text) {
            Ok(Object(message)) => message,
            Err(error) => {
                let why = format!("The message cannot be read: {}.", plain_message(&error.to_string()));
                let body = ErrorBody::new(ErrorCode::BadRequest, why);
                return self.refuse_form(id_of(text), body, now);
            }
        };
        let user = self.socket.user;
        let kind = Kind::of(&message.request, || match &message.request {
            Request::Move { game, .. } => {
                self.app.tables.find(*game).is_some_and(|table| table.seat_of(user).is_some())
            }
            _ => false,
        });
        if !self.credits.take(kind, now) {
            let body = ErrorBody::new(ErrorCode::TooMany, "Too many messages of this kind; wait a little.");
            return self.refuse_form(Some(message.id), body, now);
        }
        let is_hello = matches!(message.request, Request::Hello { .. });
        if !is_hello && !self.has_greeted {
            let body = ErrorBody::new(ErrorCode::BadRequest, "The first message must be `hello`.");
            return self.refuse_form(Some(message.id), body, now);
        }
        self.has_greeted = true;
        self.dispatch(message, arrived).await;
    }

    /// The socket has ended.
    pub(super) fn end(&mut self) {
        self.app.lobbies.unfollow(self.socket.id);
        for game in self.watched.drain(..) {
            if let Some(table) = self.app.tables.find(game) {
                table.unwatch(self.socket.id);
            }
        }
    }

    fn refuse_form(&mut self, id: Option<CommandId>, error: ErrorBody, now: Instant) {
        self.socket.send(&ServerMessage::Error { id, error, seq: None, hash: None });
        if !self.credits.note_refusal(now) {
            self.socket.close(close::FLOOD);
        }
    }

    async fn dispatch(&mut self, ClientMessage { id, request }: ClientMessage, arrived: Timestamp) {
        let Some(reply) = self.reply_to(id, &request) else { return };
        match request {
            Request::Hello { version, client } => self.hello(version, &client, reply),
            Request::Ping => self.ping(id, reply),

            Request::Watch { game, after } => self.watch(game, after, reply).await,
            Request::Unwatch { game } => self.unwatch(game, reply),
            Request::Stream => self.stream(reply),

            Request::Move { game, ply, mv } => {
                self.command(game, id, Command::Move { ply, mv }, arrived, reply).await;
            }
            Request::Resign { game } => self.command(game, id, Command::Resign, arrived, reply).await,
            Request::Propose { game, what } => {
                let command = Command::Propose { proposal: ProposalId::fresh(), what };
                self.command(game, id, command, arrived, reply).await;
            }
            Request::Vote { game, proposal, accept } => {
                self.command(game, id, Command::Vote { proposal, accept }, arrived, reply).await;
            }
            Request::GiveTime { game, to } => {
                self.command(game, id, Command::GiveTime { to }, arrived, reply).await;
            }
            Request::Depart { game } => {
                self.watched.retain(|other| *other != game);
                self.command(game, id, Command::Depart, arrived, reply).await;
            }
            Request::Say { game, what } => self.say(game, what, reply),

            Request::WatchLobbies => self.app.lobbies.follow(self.socket.clone(), reply),
            Request::UnwatchLobbies => self.unwatch_lobbies(reply),
            Request::CreateLobby(options) => self.lobby(Op::Create(options), reply),
            Request::JoinLobby { lobby, key, seat } => self.lobby(Op::Join(lobby, key, seat), reply),
            Request::TakeSeat { lobby, seat } => self.lobby(Op::TakeSeat(lobby, seat), reply),
            Request::SeatBot { lobby, seat, level } => self.lobby(Op::SeatBot(lobby, seat, level), reply),
            Request::Unseat { lobby, seat } => self.lobby(Op::Unseat(lobby, seat), reply),
            Request::StartLobby { lobby } => self.lobby(Op::Start(lobby), reply),
            Request::LeaveLobby { lobby } => self.lobby(Op::Leave(lobby), reply),
            Request::PlayNow { variant, time, level } => {
                self.to_the_end(play_now(self.app.clone(), self.seated(), variant, time, level, reply)).await;
            }

            Request::Mute { user, muted } => {
                self.to_the_end(mute(self.app.clone(), self.socket.user, user, muted, reply)).await;
            }
            Request::JoinQueue { pools, bots } => self.app.queue.join(self.seeker(), pools, bots, reply),
            Request::LeaveQueue => self.app.queue.leave(self.socket.user, reply),
            Request::Confirm { r#match } => self.app.queue.confirm(self.socket.user, r#match, reply),
        }
    }

    /// How a message is answered. None when a command sent again needs no more than the answer it got, or will get.
    fn reply_to(&self, id: CommandId, request: &Request) -> Option<Reply> {
        match request.repetition() {
            Repetition::Never | Repetition::Harmless | Repetition::Stored => {
                Some(Reply::to_socket(self.socket.clone(), id))
            }
            Repetition::Remembered => self.app.answers.begin(&self.socket, id, request),
        }
    }

    fn hello(&self, version: u32, client: &str, reply: Reply) {
        if version != PROTOCOL_VERSION {
            let message = format!("This server speaks protocol version {PROTOCOL_VERSION}, not {version}.");
            reply.refuse(ErrorBody::new(ErrorCode::BadVersion, message));
            return self.socket.close(close::VERSION);
        }
        tracing::debug!(user = %self.socket.user, client, "hello");
        reply.ok();
    }

    fn ping(&self, id: CommandId, reply: Reply) {
        let now = Some(self.app.clock.now());
        reply.answered();
        self.socket.send(&ServerMessage::Ok { id, seq: None, game: None, lobby: None, now });
    }

    fn unwatch(&mut self, game: GameId, reply: Reply) {
        self.watched.retain(|other| *other != game);
        if let Some(table) = self.app.tables.find(game) {
            table.unwatch(self.socket.id);
        }
        reply.ok();
    }

    /// Follows all running games of this user, and those that begin later.
    fn stream(&mut self, reply: Reply) {
        self.socket.stream();
        reply.ok();
        for table in self.app.tables.of_user(self.socket.user) {
            if !table.has_ended() {
                if !self.watched.contains(&table.game) {
                    self.watched.push(table.game);
                }
                table.watch(&self.socket, Follow::Stream, Reply::channel().0);
            }
        }
    }

    fn say(&self, game: GameId, what: Saying, reply: Reply) {
        match self.table(game) {
            Some(table) => table.say(self.socket.clone(), self.name.clone(), what, reply),
            None => reply.refuse(unknown_game()),
        }
    }

    fn unwatch_lobbies(&self, reply: Reply) {
        self.app.lobbies.unfollow(self.socket.id);
        reply.ok();
    }

    /// Whether it is still hidden from this user that this game exists.
    fn is_unseen(&self, game: GameId) -> bool {
        self.app.tables.delays.is_unseen(Some(self.socket.user), game, self.app.clock.now())
    }

    /// The table of a game that this user may see.
    fn table(&self, game: GameId) -> Option<TableHandle> {
        self.app.tables.find(game).filter(|_| !self.is_unseen(game))
    }

    fn seated(&self) -> Seated {
        Seated::Human { user: self.socket.user, name: self.name.clone() }
    }

    fn seeker(&self) -> QueueUser {
        QueueUser { id: self.socket.user, name: self.name.clone(), kind: self.kind }
    }

    fn lobby_user(&self) -> LobbyUser {
        LobbyUser {
            user: self.socket.user,
            name: self.name.clone(),
            has_account: self.kind != UserKind::Guest,
            is_program: self.kind == UserKind::Bot,
        }
    }

    fn lobby(&self, op: Op, reply: Reply) {
        self.app.lobbies.ask(self.lobby_user(), op, reply);
    }

    async fn watch(&mut self, game: GameId, after: Option<Seq>, reply: Reply) {
        if !self.watched.contains(&game) {
            let limit = self.app.config.websocket.max_watched;
            if self.watched.len() >= limit {
                let tables = &self.app.tables;
                self.watched.retain(|game| tables.find(*game).is_some_and(|table| !table.has_ended()));
            }
            if self.watched.len() >= limit {
                let message = "This socket follows as many games as it may.";
                return reply.refuse(ErrorBody::new(ErrorCode::TooManyOpen, message));
            }
            self.watched.push(game);
        }
        if let Some(table) = self.table(game) {
            return table.watch(&self.socket, Follow::After(after), reply);
        }
        self.watched.retain(|other| *other != game);
        match self.app.tables.archived(&self.app, game, self.socket.user).await {
            Ok(Some(snapshot)) => {
                reply.done(Done { game: Some(game), ..Done::default() });
                self.socket.push_snapshot(encode(&ServerMessage::Snapshot(Box::new(snapshot))));
            }
            Ok(None) => reply.refuse(unknown_game()),
            Err(error) => reply.refuse(archive_failed(game, &error)),
        }
    }

    async fn command(&self, game: GameId, id: CommandId, command: Command, arrived: Timestamp, reply: Reply) {
        let user = self.socket.user;
        match self.table(game) {
            Some(table) => match table.seat_of(user) {
                Some(seat) => self.to_table(&table, seat, id, command, arrived, reply),
                None => reply.refuse(not_a_player()),
            },
            None if self.is_unseen(game) => reply.refuse(unknown_game()),
            None => table::answer_of_the_past(&self.app, game, user, id, &command, reply).await,
        }
    }

    fn to_table(
        &self,
        table: &TableHandle,
        seat: Seat,
        id: CommandId,
        command: Command,
        arrived: Timestamp,
        reply: Reply,
    ) {
        let is_departure = command == Command::Depart;
        table.command(self.socket.user, seat, id, command, arrived, reply);
        if is_departure {
            table.unwatch(self.socket.id);
        }
    }

    /// Carries out work to its end, even if the socket closes meanwhile: its answer is remembered.
    async fn to_the_end(&self, work: impl Future<Output = ()> + Send + 'static) {
        // The runtime reports a panic, and the dropped reply answers.
        let _ = self.app.tracker.spawn(work).await;
    }
}

async fn play_now(
    app: App,
    player: Seated,
    variant: Variant,
    time: Option<TimeControl>,
    level: Option<String>,
    reply: Reply,
) {
    let level = level.unwrap_or_else(|| app.config.bots.level.clone());
    if !crate::bots::is_level(&level) {
        return reply.refuse(ErrorBody::new(ErrorCode::UnknownLevel, crate::bots::unknown_level()));
    }
    let time = match time.unwrap_or_else(|| app.config.usual_time()).check() {
        Ok(time) => time,
        Err(error) => {
            return reply.refuse(ErrorBody::new(ErrorCode::BadTimeControl, error.to_string()));
        }
    };
    let bots = variant.rules().turn_order.len() - 1;
    let players = std::iter::once(player).chain((0..bots).map(|_| Seated::Bot { level: level.clone() }));
    let new = NewGame::casual(variant, time, players.collect());
    match app.tables.start(&app, new).await {
        Ok(game) => reply.done(Done { game: Some(game), ..Done::default() }),
        Err(error) => reply.refuse(error.body()),
    }
}

async fn mute(app: App, me: UserId, user: UserId, muted: bool, reply: Reply) {
    if user == me {
        return reply.refuse(ErrorBody::new(ErrorCode::Conflict, "That is you."));
    }
    let stored = async {
        if app.store.find_user(user).await?.is_none() {
            return Ok::<_, kingscross_storage::Fault>(false);
        }
        if muted {
            app.store.mute(me, user, app.clock.now()).await?;
        } else {
            app.store.unmute(me, user).await?;
        }
        Ok(true)
    };
    match stored.await {
        Ok(true) => {
            app.hub.of(me).iter().for_each(|socket| socket.mute(user, muted));
            reply.ok();
        }
        Ok(false) => reply.refuse(ErrorBody::new(ErrorCode::NotFound, "There is no such player.")),
        Err(fault) => {
            tracing::warn!(%fault, "a mute was not stored");
            reply.refuse(ApiError::not_done(&fault).into());
        }
    }
}

/// The id of a message whose other fields cannot be read.
fn id_of(text: &str) -> Option<CommandId> {
    #[derive(Deserialize)]
    struct Id {
        id: CommandId,
    }
    serde_json::from_str::<Object<Id>>(text).ok().map(|Object(message)| message.id)
}

fn unknown_game() -> ErrorBody {
    ErrorBody::new(ErrorCode::UnknownGame, "There is no such game.")
}

fn not_a_player() -> ErrorBody {
    ErrorBody::new(ErrorCode::NotAPlayer, "You have no seat in this game.")
}

fn archive_failed(game: GameId, error: &table::ArchiveError) -> ErrorBody {
    match error {
        table::ArchiveError::Storage(fault) => {
            tracing::warn!(%game, %fault, "a game could not be read");
            ApiError::not_done(fault).into()
        }
        table::ArchiveError::NotServed => {
            ErrorBody::new(ErrorCode::Unavailable, "This game is not being served; try again.")
        }
        table::ArchiveError::Record(damage) => {
            tracing::error!(%game, %damage, "a stored game is damaged");
            ErrorBody::new(ErrorCode::Internal, "The record of this game is damaged.")
        }
    }
}
