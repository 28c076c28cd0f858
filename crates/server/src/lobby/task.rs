//! The task that owns all lobbies, so that every race for a seat is decided in one place.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kingscross_protocol::{GameId, LobbyEnd, LobbyId, LobbyOptions, ServerMessage, Timestamp, UserId};
use kingscross_storage::Fault;
use tokio::sync::mpsc;

use super::core::{Lobby, LobbyUser, Taken};
use super::handle::{Inbox, Message, Op};
use super::{Rejection, store};
use crate::app::App;
use crate::table::{Done, NewGame, Seated, other_board};

/// So many of those who have vanished lose their seats at a time: each takes a write.
const FREED_AT_ONCE: usize = 8;

/// Loads the stored lobbies and runs the task until the server stops.
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
        // Everyone is given the whole time to come back.
        task.away.extend(lobby.order.iter().map(|&user| (user, now)));
        task.lobbies.insert(lobby.id, lobby);
    }
    app.tracker.spawn(task.run(inbox.0));
    Ok(())
}

struct Task {
    app: App,
    lobbies: BTreeMap<LobbyId, Lobby>,
    /// Since when people in lobbies have had no socket open.
    away: HashMap<UserId, Timestamp>,
    /// When the presence of everyone is checked next.
    sweep_at: Timestamp,
    /// Up to when stalls of the server have been left out of absences.
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

    /// Leaves stalls of the server out of absences: nobody can come back meanwhile.
    fn leave_out_stalls(&mut self) {
        let now = self.app.clock.now();
        let missed = self.app.stalls.missed(std::mem::replace(&mut self.looked, now), now);
        if missed > 0 {
            self.away.values_mut().for_each(|since| *since = since.plus(missed).min(now));
        }
    }

    /// Checks the presence of everyone now and then: a person may enter a lobby just after the last socket has closed.
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
                reply.give(result.map_err(Into::into));
            }
            Message::Follow { socket } => {
                let list = self.app.lobbies.list.clone();
                list.follow(socket, || {
                    let open = self.lobbies.values().rev().filter(|lobby| lobby.public);
                    (open.map(Lobby::summary).collect(), self.app.tables.running(self.app.clock.now()))
                });
            }
            Message::Expel { user, done } => {
                self.leave_all(user).await;
                // Whoever waited for it may have gone.
                let _ = done.send(());
            }
        }
    }

    /// Looks at those who came or went. Each lobby is sent once, however many of its members did.
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
            // Requests that have come meanwhile are answered before the next seats are freed.
            .take(FREED_AT_ONCE)
            .collect();
        for user in vanished {
            if self.app.hub.is_connected(user) && !self.app.excluded.has(user) {
                self.away.remove(&user);
                continue;
            }
            self.leave_all(user).await;
        }
    }

    /// Frees every seat of a user. If storage fails, it is tried again later.
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

    async fn carry_out(&mut self, person: LobbyUser, op: Op) -> Result<Done, Rejection> {
        let user = person.user;
        if self.app.excluded.has(user) {
            return Err(Rejection::Excluded);
        }
        match op {
            Op::Create(options) => self.create(person, &options).await,
            Op::Join(id, key, seat) => {
                let lobby = self.find(id)?;
                let is_in = lobby.seat_of(user).is_some();
                if !is_in && !lobby.public && key.as_deref() != Some(lobby.key.as_str()) {
                    return Err(Rejection::UnknownLobby);
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

    async fn create(&mut self, person: LobbyUser, options: &LobbyOptions) -> Result<Done, Rejection> {
        self.check_open(person.user)?;
        if self.app.stop.is_cancelled() {
            return Err(Rejection::ShuttingDown);
        }
        if self.lobbies.len() >= self.app.config.lobby.max_open {
            return Err(Rejection::TooManyLobbies);
        }
        let key = uuid::Uuid::new_v4().simple().to_string();
        let (now, tables) = (self.app.clock.now(), &self.app.config.tables);
        let lobby = Lobby::open(LobbyId::fresh(), key, options, person, now, tables)?;
        store::save(&self.app.store, &lobby).await?;
        let id = lobby.id;
        self.announce(&lobby);
        self.lobbies.insert(id, lobby);
        Ok(Done { lobby: Some(id), ..Done::default() })
    }

    /// Changes a copy, stores it, and only then puts it in place.
    async fn change(
        &mut self,
        id: LobbyId,
        change: impl FnOnce(&mut Lobby) -> Result<(), Rejection>,
    ) -> Result<Done, Rejection> {
        let mut changed = self.find(id)?.clone();
        change(&mut changed)?;
        if changed != self.lobbies[&id] {
            store::save(&self.app.store, &changed).await?;
            self.lobbies.insert(id, changed);
        }
        self.announce(&self.lobbies[&id]);
        Ok(Done { lobby: Some(id), ..Done::default() })
    }

    async fn leave(&mut self, id: LobbyId, user: UserId, why: LobbyEnd) -> Result<Done, Rejection> {
        let mut changed = self.find(id)?.clone();
        changed.leave(user)?;
        if changed.is_empty() {
            self.app.store.delete_lobby(id).await?;
            self.lobbies.remove(&id);
            if changed.public {
                self.app.lobbies.list.lobby_unlisted(id);
            }
        } else {
            store::save(&self.app.store, &changed).await?;
            self.announce(&changed);
            self.lobbies.insert(id, changed);
        }
        self.closed(user, id, why, None, None);
        Ok(Done { lobby: Some(id), ..Done::default() })
    }

    async fn start_game(&mut self, id: LobbyId, user: UserId) -> Result<Done, Rejection> {
        let lobby = self.find(id)?.clone();
        let players: Vec<Seated> = lobby
            .ready(user, |player| self.app.hub.is_connected(player))?
            .into_iter()
            .map(|taken| match taken {
                Taken::Human(person) => Seated::Human { user: person.user, name: person.name.clone() },
                Taken::Bot(level) => Seated::Bot { level: level.clone() },
            })
            .collect();
        let (game, second) = (GameId::fresh(), lobby.both_boards.then(GameId::fresh));
        let first = NewGame {
            id: Some(game),
            rated: lobby.counts(),
            free_chat: lobby.free_chat,
            spectator_delay: lobby.spectator_delay,
            other_game: second,
            other_game_follows: lobby.in_turn,
            lobby: Some(id),
            ..NewGame::casual(lobby.variant, lobby.time, players.clone())
        };
        let tables = &self.app.tables;
        tables.start(&self.app, first.clone()).await.map_err(|error| Rejection::NotStarted(error.body()))?;
        if let Some(second) = second.filter(|_| !lobby.in_turn) {
            let mut players = players;
            players.reverse();
            let new = NewGame {
                id: Some(second),
                variant: other_board(lobby.variant),
                players,
                other_game: Some(game),
                other_game_follows: false,
                lobby: None,
                ..first
            };
            if let Err(error) = tables.start(&self.app, new).await {
                // The first game is being played already and counts by itself.
                tracing::error!(%game, %error, "the second game of a match did not start");
            }
        }
        self.lobbies.remove(&id);
        if lobby.public {
            self.app.lobbies.list.lobby_unlisted(id);
        }
        for &member in &lobby.order {
            self.closed(member, id, LobbyEnd::Started, Some(game), second);
        }
        Ok(Done { lobby: Some(id), game: Some(game), seq: None })
    }

    fn find(&self, id: LobbyId) -> Result<&Lobby, Rejection> {
        self.lobbies.get(&id).ok_or(Rejection::UnknownLobby)
    }

    fn check_open(&self, user: UserId) -> Result<(), Rejection> {
        let theirs = self.lobbies.values().filter(|lobby| lobby.seat_of(user).is_some()).count();
        if theirs >= self.app.config.lobby.max_per_user {
            return Err(Rejection::TooManyOpen);
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
