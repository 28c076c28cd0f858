//! The task that owns all lobbies: every race for a seat is decided here, once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use kingscross_protocol::{
    ErrorBody, ErrorCode, GameId, GameSummary, LobbyEnd, LobbyId, LobbyOptions, SeatLetter, ServerMessage,
    Timestamp, UserId,
};
use kingscross_storage::Fault;
use tokio::sync::{mpsc, oneshot};

use super::core::{Lobby, Person, Taken};
use super::list::LiveList;
use super::store;
use crate::app::App;
use crate::http::ApiError;
use crate::notices::Notices;
use crate::socket::Socket;
use crate::table::{Done, NewGame, Reply, Seated, TableHandle, other_board};

/// The way to the lobbies.
pub struct Lobbies {
    inbox: mpsc::Sender<Message>,
    notices: Arc<Notices>,
    list: Arc<LiveList>,
}

/// What the task has to begin with; made with the handle.
pub struct Inbox(mpsc::Receiver<Message>);

enum Message {
    Ask { person: Person, op: Box<Op>, reply: Reply },
    Follow { socket: Arc<Socket> },
    PutOut { user: UserId, done: oneshot::Sender<()> },
}

/// What a person wants of the lobbies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Open one.
    Create(LobbyOptions),
    /// Enter one.
    Join(LobbyId, Option<String>, Option<SeatLetter>),
    /// Change to a free seat.
    TakeSeat(LobbyId, SeatLetter),
    /// Seat or remove a bot.
    SeatBot(LobbyId, SeatLetter, Option<String>),
    /// Send someone away.
    Unseat(LobbyId, SeatLetter),
    /// Start the game.
    Start(LobbyId),
    /// Leave.
    Leave(LobbyId),
}

/// Questions that may wait.
const QUEUE: usize = 1024;

/// So many of those who have vanished lose their seats at a time: each takes a write.
const FREED_AT_ONCE: usize = 8;

impl Lobbies {
    /// The handle, and what its task begins with.
    pub fn new() -> (Self, Inbox) {
        let (inbox, messages) = mpsc::channel(QUEUE);
        (Self { inbox, notices: Arc::default(), list: Arc::default() }, Inbox(messages))
    }

    /// Asks for something; answered through `reply` in any case.
    pub fn ask(&self, person: Person, op: Op, reply: Reply) {
        // A full inbox answers by dropping the reply.
        let _ = self.inbox.try_send(Message::Ask { person, op: Box::new(op), reply });
    }

    /// Follows the list; the whole list comes first.
    pub fn follow(&self, socket: Arc<Socket>, reply: Reply) {
        match self.inbox.try_send(Message::Follow { socket }) {
            Ok(()) => reply.ok(),
            // Answers that the server is busy.
            Err(_) => drop(reply),
        }
    }

    /// Stops following the list.
    pub fn unfollow(&self, socket: u64) {
        self.list.unfollow(socket);
    }

    /// A person came or went.
    pub fn presence_changed(&self, user: UserId) {
        self.notices.note(user);
    }

    /// Frees every seat of a user who is out; returns when they are free.
    pub async fn put_out(&self, user: UserId) {
        let (done, freed) = oneshot::channel();
        // When the task has ended, the server stops.
        if self.inbox.send(Message::PutOut { user, done }).await.is_ok() {
            let _ = freed.await;
        }
    }

    /// A game began.
    pub fn game_listed(&self, game: GameSummary) {
        self.list.game_listed(game);
    }

    /// A running game is shown otherwise.
    pub fn game_changed(&self, table: &TableHandle) {
        self.list.game_changed(table);
    }

    /// A game ended.
    pub fn game_unlisted(&self, game: GameId) {
        self.list.game_unlisted(game);
    }
}

/// Takes up the stored lobbies and runs the task until the server stops.
pub async fn start(app: &App, inbox: Inbox) -> Result<(), Fault> {
    let now = app.clock.now();
    let mut task = Task {
        app: app.clone(),
        lobbies: BTreeMap::new(),
        away: HashMap::new(),
        sweep_at: now.plus(i64::from(app.config.lobby.vanished_ms)),
        looked: now,
    };
    for mut lobby in store::load(&app.store).await? {
        lobby.spectator_delay.get_or_insert(app.config.tables.spectator_delay_ms);
        // The absent are waited for anew.
        task.away.extend(lobby.order.iter().map(|&user| (user, now)));
        task.lobbies.insert(lobby.id, lobby);
    }
    app.tracker.spawn(task.run(inbox.0));
    Ok(())
}

struct Task {
    app: App,
    lobbies: BTreeMap<LobbyId, Lobby>,
    /// Since when persons of a lobby have no socket open.
    away: HashMap<UserId, Timestamp>,
    /// When everyone is looked at next.
    sweep_at: Timestamp,
    /// Until when stalls of the server are left out of absences.
    looked: Timestamp,
}

impl Task {
    async fn run(mut self, mut inbox: mpsc::Receiver<Message>) {
        let notices = self.app.lobbies.notices.clone();
        loop {
            self.leave_out_stalls();
            let freed = self.away.values().min().map(|since| since.plus(self.patience()));
            let swept = (!self.lobbies.is_empty()).then_some(self.sweep_at);
            let wake = freed.into_iter().chain(swept).min().map(|at| self.app.clock.instant(at));
            tokio::select! {
                biased;
                () = self.app.stop.cancelled() => return,
                message = inbox.recv() => match message {
                    Some(message) => self.receive(message).await,
                    None => return,
                },
                () = notices.noted() => self.presence_changed(&notices.take()),
                () = async { tokio::time::sleep_until(wake.expect("checked")).await }, if wake.is_some() => {
                    self.leave_out_stalls();
                    self.sweep();
                    self.free_seats().await;
                }
            }
        }
    }

    /// Nobody can come back while the server stands still.
    fn leave_out_stalls(&mut self) {
        let now = self.app.clock.now();
        let missed = self.app.stalls.missed(std::mem::replace(&mut self.looked, now), now);
        if missed > 0 {
            self.away.values_mut().for_each(|since| *since = since.plus(missed).min(now));
        }
    }

    /// Looks at everyone now and then: a person may enter a lobby just after the last socket has closed.
    fn sweep(&mut self) {
        let now = self.app.clock.now();
        if now < self.sweep_at {
            return;
        }
        self.sweep_at = now.plus(self.patience());
        let seated: BTreeSet<UserId> =
            self.lobbies.values().flat_map(|lobby| lobby.order.iter().copied()).collect();
        let overlooked: BTreeSet<UserId> = seated
            .into_iter()
            .filter(|user| self.app.hub.is_connected(*user) == self.away.contains_key(user))
            .collect();
        self.presence_changed(&overlooked);
    }

    fn patience(&self) -> i64 {
        i64::from(self.app.config.lobby.vanished_ms)
    }

    async fn receive(&mut self, message: Message) {
        match message {
            Message::Ask { person, op, reply } => {
                let result = self.carry_out(person, *op).await;
                reply.give(result);
            }
            Message::Follow { socket } => {
                let list = self.app.lobbies.list.clone();
                list.follow(socket, || {
                    let open = self.lobbies.values().rev().filter(|lobby| lobby.public);
                    (open.map(Lobby::summary).collect(), self.app.tables.running(self.app.clock.now()))
                });
            }
            Message::PutOut { user, done } => {
                self.leave_all(user).await;
                // Whoever waited for it may have gone.
                let _ = done.send(());
            }
        }
    }

    /// Looks at those who came or went; each lobby is shown once, however many of its members did.
    fn presence_changed(&mut self, users: &BTreeSet<UserId>) {
        let now = self.app.clock.now();
        let mut seated = BTreeSet::new();
        for lobby in self.lobbies.values() {
            let theirs: Vec<UserId> =
                lobby.order.iter().copied().filter(|user| users.contains(user)).collect();
            if !theirs.is_empty() {
                self.show(lobby);
                seated.extend(theirs);
            }
        }
        for &user in users {
            if !seated.contains(&user) || self.app.hub.is_connected(user) {
                self.away.remove(&user);
            } else {
                self.away.entry(user).or_insert(now);
            }
        }
    }

    /// Frees the seats of those who have been away for too long.
    async fn free_seats(&mut self) {
        let (now, patience) = (self.app.clock.now(), self.patience());
        let vanished: Vec<UserId> = self
            .away
            .iter()
            .filter(|(_, since)| now.since(**since) >= patience)
            .map(|(user, _)| *user)
            // Questions that have come meanwhile are answered before the next ones are freed.
            .take(FREED_AT_ONCE)
            .collect();
        for user in vanished {
            if self.app.hub.is_connected(user) && !self.app.barred.has(user) {
                self.away.remove(&user);
                continue;
            }
            self.leave_all(user).await;
        }
    }

    /// Frees every seat of a user. One that storage does not let go is freed at the next try.
    async fn leave_all(&mut self, user: UserId) {
        let seated = self.lobbies.values().filter(|lobby| lobby.seat_of(user).is_some());
        let theirs: Vec<LobbyId> = seated.map(|lobby| lobby.id).collect();
        self.away.remove(&user);
        for id in theirs {
            if self.leave(id, user, LobbyEnd::Left).await.is_err() {
                self.away.insert(user, self.app.clock.now());
            }
        }
    }

    async fn carry_out(&mut self, person: Person, op: Op) -> Result<Done, ErrorBody> {
        let user = person.user;
        if self.app.barred.has(user) {
            return Err(ErrorBody::new(ErrorCode::Forbidden, "This account is not here any more."));
        }
        match op {
            Op::Create(options) => self.create(person, &options).await,
            Op::Join(id, key, seat) => {
                let lobby = self.find(id)?;
                let is_in = lobby.seat_of(user).is_some();
                if !is_in && !lobby.public && key.as_deref() != Some(lobby.key.as_str()) {
                    return Err(unknown_lobby());
                }
                if !is_in {
                    self.check_open(user)?;
                }
                self.change(id, |lobby| lobby.join(person, seat)).await
            }
            Op::TakeSeat(id, seat) => self.change(id, |lobby| lobby.take_seat(user, seat)).await,
            Op::SeatBot(id, seat, level) => {
                self.change(id, |lobby| lobby.seat_bot(user, seat, level.as_deref())).await
            }
            Op::Unseat(id, seat) => {
                let mut removed = None;
                let done = self
                    .change(id, |lobby| {
                        removed = lobby.unseat(user, seat)?;
                        Ok(())
                    })
                    .await?;
                if let Some(removed) = removed {
                    self.closed(removed, id, LobbyEnd::Removed, None, None);
                }
                Ok(done)
            }
            Op::Start(id) => self.start_game(id, user).await,
            Op::Leave(id) => self.leave(id, user, LobbyEnd::Left).await,
        }
    }

    async fn create(&mut self, person: Person, options: &LobbyOptions) -> Result<Done, ErrorBody> {
        self.check_open(person.user)?;
        if self.app.stop.is_cancelled() {
            return Err(ErrorBody::new(ErrorCode::ShuttingDown, "The server is stopping."));
        }
        if self.lobbies.len() >= self.app.config.lobby.max_open {
            return Err(ErrorBody::new(ErrorCode::TooMany, "There are as many lobbies as the server keeps."));
        }
        let key = uuid::Uuid::new_v4().simple().to_string();
        let (now, tables) = (self.app.clock.now(), &self.app.config.tables);
        let lobby = Lobby::open(LobbyId::fresh(), key, options, person, now, tables)?;
        store::save(&self.app.store, &lobby).await.map_err(|fault| unavailable(&fault))?;
        let id = lobby.id;
        self.announce(&lobby);
        self.lobbies.insert(id, lobby);
        Ok(Done { lobby: Some(id), ..Done::default() })
    }

    /// Changes a copy, stores it, and only then makes it the truth.
    async fn change(
        &mut self,
        id: LobbyId,
        change: impl FnOnce(&mut Lobby) -> Result<(), ErrorBody>,
    ) -> Result<Done, ErrorBody> {
        let mut changed = self.find(id)?.clone();
        change(&mut changed)?;
        if changed != self.lobbies[&id] {
            store::save(&self.app.store, &changed).await.map_err(|fault| unavailable(&fault))?;
            self.lobbies.insert(id, changed);
        }
        self.announce(&self.lobbies[&id]);
        Ok(Done { lobby: Some(id), ..Done::default() })
    }

    async fn leave(&mut self, id: LobbyId, user: UserId, why: LobbyEnd) -> Result<Done, ErrorBody> {
        let mut changed = self.find(id)?.clone();
        changed.leave(user)?;
        if changed.is_empty() {
            self.app.store.delete_lobby(id).await.map_err(|fault| unavailable(&fault))?;
            self.lobbies.remove(&id);
            if changed.public {
                self.app.lobbies.list.lobby_unlisted(id);
            }
        } else {
            store::save(&self.app.store, &changed).await.map_err(|fault| unavailable(&fault))?;
            self.announce(&changed);
            self.lobbies.insert(id, changed);
        }
        self.closed(user, id, why, None, None);
        Ok(Done { lobby: Some(id), ..Done::default() })
    }

    async fn start_game(&mut self, id: LobbyId, user: UserId) -> Result<Done, ErrorBody> {
        let lobby = self.find(id)?.clone();
        let players: Vec<Seated> = lobby
            .ready(user, |player| self.app.hub.is_connected(player))?
            .into_iter()
            .map(|taken| match taken {
                Taken::Human(person) => Seated::Human { user: person.user, name: person.name.clone() },
                Taken::Bot(level) => Seated::Bot { level: level.clone() },
            })
            .collect();
        let (game, twin) = (GameId::fresh(), lobby.both_boards.then(GameId::fresh));
        let first = NewGame {
            id: Some(game),
            rated: lobby.counts(),
            free_chat: lobby.free_chat,
            spectator_delay: lobby.spectator_delay,
            twin,
            twin_follows: lobby.in_turn,
            lobby: Some(id),
            ..NewGame::casual(lobby.variant, lobby.time, players.clone())
        };
        let tables = &self.app.tables;
        tables.start(&self.app, first.clone()).await.map_err(|error| error.body())?;
        if let Some(second) = twin.filter(|_| !lobby.in_turn) {
            let mut players = players;
            players.reverse();
            let new = NewGame {
                id: Some(second),
                variant: other_board(lobby.variant),
                players,
                twin: Some(game),
                twin_follows: false,
                lobby: None,
                ..first
            };
            if let Err(error) = tables.start(&self.app, new).await {
                // The first game is being played already and stands by itself.
                tracing::error!(%game, %error, "the second game of a match did not start");
            }
        }
        self.lobbies.remove(&id);
        if lobby.public {
            self.app.lobbies.list.lobby_unlisted(id);
        }
        for &member in &lobby.order {
            self.closed(member, id, LobbyEnd::Started, Some(game), twin);
        }
        Ok(Done { lobby: Some(id), game: Some(game), seq: None })
    }

    fn find(&self, id: LobbyId) -> Result<&Lobby, ErrorBody> {
        self.lobbies.get(&id).ok_or_else(unknown_lobby)
    }

    fn check_open(&self, user: UserId) -> Result<(), ErrorBody> {
        let theirs = self.lobbies.values().filter(|lobby| lobby.seat_of(user).is_some()).count();
        if theirs >= self.app.config.lobby.max_per_user {
            return Err(ErrorBody::new(ErrorCode::TooManyOpen, "You are in as many lobbies as one may be."));
        }
        Ok(())
    }

    fn announce(&self, lobby: &Lobby) {
        self.show(lobby);
        if lobby.public {
            self.app.lobbies.list.lobby_listed(lobby.summary());
        }
    }

    fn show(&self, lobby: &Lobby) {
        let message = ServerMessage::Lobby(lobby.view(|user| self.app.hub.is_connected(user)));
        lobby.order.iter().for_each(|&user| self.app.hub.send(user, &message));
    }

    fn closed(
        &self,
        user: UserId,
        lobby: LobbyId,
        why: LobbyEnd,
        game: Option<GameId>,
        other_game: Option<GameId>,
    ) {
        self.app.hub.send(user, &ServerMessage::LobbyClosed { lobby, why, game, other_game });
    }
}

fn unknown_lobby() -> ErrorBody {
    ErrorBody::new(ErrorCode::UnknownLobby, "There is no such lobby, or its key is wrong.")
}

fn unavailable(fault: &Fault) -> ErrorBody {
    if !fault.is_outage() {
        return ApiError::internal(fault).into();
    }
    tracing::warn!(%fault, "a lobby was not stored");
    ErrorBody::new(ErrorCode::Unavailable, "The database does not answer; nothing was changed.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_that_goes_at_once_takes_no_place_from_questions() {
        let (lobbies, mut inbox) = Lobbies::new();
        let (one, crowd) = (UserId::fresh(), 5 * QUEUE);
        for _ in 0..crowd {
            lobbies.presence_changed(UserId::fresh());
            lobbies.presence_changed(one);
        }
        let person = Person { user: one, name: "a".into(), has_account: true, is_program: false };
        let (reply, mut answer) = Reply::channel();
        lobbies.ask(person, Op::Leave(LobbyId::fresh()), reply);
        answer.try_recv().expect_err("the question waits for the task");
        assert!(matches!(inbox.0.try_recv(), Ok(Message::Ask { .. })), "it is the first to be answered");
        assert_eq!(lobbies.notices.take().len(), crowd + 1, "nobody is forgotten, and nobody noted twice");
        assert!(lobbies.notices.take().is_empty());
    }
}
