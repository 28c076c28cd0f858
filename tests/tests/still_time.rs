//! Clocks and absences to the millisecond, by a time that only the test moves; real sockets, a real database.

use std::time::Duration;

use kingscross_client::{Address, Applied, Client, GameView};
use kingscross_engine::{SplitMix64, Variant};
use kingscross_protocol::{
    AbortCause, AuditAction, ErrorCode, Event, GameId, LobbyOptions, Presence, Request, Saying, Seq,
    ServerMessage, TimeControl, Timestamp, close,
};
use kingscross_server::config::Config;
use kingscross_storage::AuditEntry;
use kingscross_tests::{
    Database, Metrics, Server, StillTime, Stored, TestPlayer, guests, lobby_options, play_on, start_game,
};
use tokio::sync::Mutex;

/// Longer than anything takes once time runs again.
const PATIENCE: Duration = Duration::from_secs(60);

/// Figures are a process's: only one test at a time looks at its own.
static COUNTING: Mutex<()> = Mutex::const_new(());

/// A timer fires up to a millisecond late.
const TIMER: u64 = 1;

struct Table {
    server: Server,
    players: Vec<TestPlayer>,
    views: Vec<GameView>,
    game: GameId,
    metrics: Metrics,
}

/// Cross chess for two.
async fn a_table(time: TimeControl) -> Table {
    a_table_with(time, |_| {}).await
}

async fn a_table_with(time: TimeControl, change: impl FnOnce(&mut Config)) -> Table {
    let metrics = Metrics::somewhere();
    let server = Server::start_with(&Database::sqlite(), |config| {
        // No lag is measured while time jumps.
        config.websocket.ping_ms = 36_000_000;
        config.metrics.listen.clone_from(&metrics.address);
        change(config);
    })
    .await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start_game(&mut players, LobbyOptions { time, ..lobby_options(Variant::CrossA) }).await;
    let mut views = Vec::new();
    for player in &mut players {
        views.push(player.watch(game).await);
    }
    Table { server, players, views, game, metrics }
}

impl Table {
    /// One move of each, which takes no time.
    async fn open(&mut self) {
        play_on(&mut self.players, &mut self.views, &mut SplitMix64::new(1), 2).await;
        // The pings that follow a move are answered before time jumps: the answers to these come behind theirs.
        for player in self.players.iter().chain(&self.players) {
            player.connection.request(Request::Ping).await.expect("the server answers");
        }
    }

    async fn pass(&self, time: &StillTime, millis: u64) {
        time.pass(millis, &self.players.iter().collect::<Vec<_>>()).await;
    }

    async fn events(&self) -> Vec<(Timestamp, Event)> {
        let stored = Stored::read(&self.server.store, self.game).await;
        stored.events.into_iter().map(|(row, event)| (row.at, event)).collect()
    }

    async fn is_running(&self) -> bool {
        !self
            .events()
            .await
            .iter()
            .any(|(_, event)| matches!(event, Event::Finished(_) | Event::Aborted { .. }))
    }

    /// Lets one of two go; the table has noticed when this returns.
    async fn let_go(&mut self) -> kingscross_client::Client {
        let TestPlayer { client, connection, .. } = self.players.pop().expect("two");
        drop(connection);
        let counting = COUNTING.lock().await;
        self.metrics.falls_to("kingscross_sockets", 1).await;
        drop(counting);
        // Answered by the table, behind the word that someone has gone.
        let request = self.views[0].rewatch();
        self.players[0].connection.request(request).await.expect("the table answers");
        client
    }

    async fn see_the_end(&mut self) {
        for (player, view) in self.players.iter_mut().zip(&mut self.views) {
            player.follow_to_the_end(view).await;
        }
    }
}

/// People take eight seconds to find the button, and the queue tells its news every five.
#[tokio::test]
async fn four_who_take_eight_seconds_to_say_that_they_are_ready_play() {
    let time = StillTime::hold();
    let server = Server::start_with(&Database::sqlite(), |config| {
        config.websocket.ping_ms = 36_000_000;
    })
    .await;
    let mut players = guests(&server.url, Variant::Crossfire).await;
    for player in &players {
        let pools = vec!["crossfire/10+5".to_owned()];
        player.connection.request(Request::JoinQueue { pools, bots: false }).await.expect("queued");
    }
    let mut found = Vec::new();
    for player in &mut players {
        let name = player.until(|message| match message {
            ServerMessage::Match(found) => Some(found.r#match),
            _ => None,
        });
        found.push(name.await);
    }
    time.pass(8_000, &players.iter().collect::<Vec<_>>()).await;
    // Whoever connects again in the middle is shown the check again, with what is left of its time.
    let again = players[0].client.connect().await.expect("a second tab");
    let mut again = TestPlayer::new(players[0].client.clone(), again);
    let shown = again.until(|message| match message {
        ServerMessage::Queue(view) => Some(view.r#match.expect("the queue names the match")),
        _ => None,
    });
    let shown = shown.await;
    assert_eq!((&shown.r#match, shown.you_confirmed), (&found[0], false));
    assert!((3_000..=4_000).contains(&shown.millis), "{} ms left", shown.millis);
    for (player, name) in players.iter().zip(&found) {
        let confirm = Request::Confirm { r#match: name.clone() };
        player.connection.request(confirm).await.expect("in time");
    }
    let mut games = Vec::new();
    for player in &mut players {
        let game = player.until(|message| match message {
            ServerMessage::Queue(view) => panic!("the queue speaks over a pending match: {view:?}"),
            ServerMessage::GameStart { game, .. } => Some(game),
            _ => None,
        });
        games.push(game.await);
    }
    assert!(games.iter().all(|game| *game == games[0]), "{games:?}");
    time.end();
    server.stop().await;
}

#[tokio::test]
async fn a_flag_falls_by_itself_at_the_millisecond() {
    for (control, until) in [
        (TimeControl::increment(60_000, 0), 60_000),
        (TimeControl { initial: 60_000, increment: 0, delay: 3_000 }, 63_000),
    ] {
        let time = StillTime::hold();
        let mut table = a_table(control).await;
        table.open().await;
        table.pass(&time, until - 1).await;
        assert!(table.is_running().await);
        table.pass(&time, TIMER + 1).await;
        table.see_the_end().await;
        let events = table.events().await;
        let turn = events[2].0;
        match &events[3] {
            (at, Event::Played(played)) => {
                let late = at.since(turn) - i64::try_from(until).expect("short");
                assert!((0..=1).contains(&late), "{late} ms late");
                assert!(played.action.starts_with("timeout:") && played.by_server, "{played:?}");
                assert_eq!(played.clock, 0);
            }
            other => panic!("{other:?}"),
        }
        time.end();
        table.server.stop().await;
    }
}

#[tokio::test]
async fn a_move_in_the_last_millisecond_is_in_time() {
    let time = StillTime::hold();
    let mut table = a_table(TimeControl::increment(60_000, 2_000)).await;
    // The first moves gained the increment.
    table.open().await;
    table.pass(&time, 61_999).await;
    play_on(&mut table.players, &mut table.views, &mut SplitMix64::new(2), 1).await;
    let events = table.events().await;
    match &events[3].1 {
        Event::Played(played) => {
            assert_eq!((played.spent, played.refund, played.clock), (61_999, 0, 2_001), "{played:?}");
        }
        other => panic!("{other:?}"),
    }
    time.end();
    table.server.stop().await;
}

#[tokio::test]
async fn a_first_move_that_does_not_come_aborts_the_game() {
    let time = StillTime::hold();
    let mut table = a_table(TimeControl::increment(600_000, 0)).await;
    table.pass(&time, 29_999).await;
    assert!(table.is_running().await);
    table.pass(&time, TIMER + 1).await;
    table.see_the_end().await;
    let events = table.events().await;
    assert_eq!(events[1].1, Event::Aborted { cause: AbortCause::FirstMove });
    let after = events[1].0.since(events[0].0);
    assert!((30_000..=30_001).contains(&after), "{after}");
    time.end();
    table.server.stop().await;
}

async fn absence(player: &mut TestPlayer) -> Vec<Presence> {
    player
        .until(|message| match message {
            ServerMessage::Presence { seats, .. } => Some(seats),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn an_absence_shows_after_five_seconds_and_is_judged_after_its_grace() {
    let time = StillTime::hold();
    // Nobody's clock runs out meanwhile.
    let mut table = a_table(TimeControl::increment(120_000, 0)).await;
    table.open().await;
    table.let_go().await;
    let mut me = table.players.pop().expect("one of two");
    time.pass(5_000 + TIMER, &[&me]).await;
    // The answer to the table's question came with everyone present.
    let left = loop {
        let seats = absence(&mut me).await;
        if let Some(away) = seats.iter().find(|seat| !seat.present) {
            break away.judged_in.expect("it will be judged");
        }
    };
    assert!((24_000..=25_000).contains(&left), "{left}");
    time.pass(u64::from(left) - 1 - TIMER, &[&me]).await;
    assert!(table.is_running().await);
    time.pass(1 + 2 * TIMER, &[&me]).await;
    me.follow_to_the_end(&mut table.views[0]).await;
    let ending = table.views[0].ending.clone().expect("a result");
    assert_eq!(ending.winners, [table.views[0].you.expect("seated")]);
    time.end();
    table.server.stop().await;
}

#[tokio::test]
async fn who_comes_back_in_time_is_not_judged() {
    let time = StillTime::hold();
    let mut table = a_table(TimeControl::increment(120_000, 0)).await;
    table.open().await;
    let client = table.let_go().await;
    let mut me = table.players.pop().expect("one of two");
    time.pass(20_000, &[&me]).await;
    let connection = client.connect().await.expect("back");
    let back = TestPlayer::new(client, connection);
    // First the absence, then its end.
    for is_back in [false, true] {
        while absence(&mut me).await.iter().all(|seat| seat.present) != is_back {}
    }
    time.pass(20_000, &[&me, &back]).await;
    assert!(table.is_running().await);
    time.end();
    table.server.stop().await;
}

/// Takes in all that has come, without waiting for more; gives the number of lines that were said.
async fn take_in(player: &mut TestPlayer, view: &mut GameView) -> usize {
    let mut lines = 0;
    // What was told before the answer is here with it.
    player.connection.request(Request::Ping).await.expect("the server answers");
    loop {
        let message = tokio::select! {
            biased;
            message = player.message() => message,
            () = std::future::ready(()) => return lines,
        };
        lines += usize::from(matches!(message, ServerMessage::Chat(_)));
        assert_ne!(view.apply(&message), Ok(Applied::Gap), "{message:?}");
    }
}

#[tokio::test]
async fn spectators_see_it_later_and_players_at_once() {
    let time = StillTime::hold();
    let mut table = a_table_with(TimeControl::increment(600_000, 0), |config| {
        config.tables.spectator_delay_ms = 10_000;
        // Its end must be told before the game leaves memory.
        config.tables.linger_ms = 0;
        config.proposals.rematch_ms = 0;
    })
    .await;
    table.open().await;
    assert_eq!(table.views[0].board.ply, 2);
    let (game, url) = (table.game, table.server.url.clone());
    let mut visitor = table.server.visitor();
    let mut recorded = async || {
        let record = visitor.get(&format!("/api/v1/games/{game}/record")).await.json();
        record["events"].as_array().expect("events").len()
    };
    let mut early = TestPlayer::guest(&url).await;
    let mut seen = early.watch(game).await;
    assert_eq!((seen.board.ply, seen.seq, recorded().await), (0, Seq(1), 1));
    table.players[0]
        .connection
        .request(Request::Say { game, what: Saying::Text("Ha!".into()) })
        .await
        .expect("said");

    pass(&time, 9_999, &table, &early).await;
    let lines = take_in(&mut early, &mut seen).await;
    assert_eq!((seen.board.ply, lines, recorded().await), (0, 0, 1));
    pass(&time, 1 + TIMER, &table, &early).await;
    let lines = take_in(&mut early, &mut seen).await;
    assert_eq!((seen.board.ply, lines, recorded().await), (2, 1, 3));
    assert_eq!(seen.hash, table.views[0].hash);

    let loser = &table.players[0];
    loser.connection.request(Request::Resign { game }).await.expect("resigned");
    table.see_the_end().await;
    let mut visitor = table.server.visitor();
    let mut status = async || visitor.get(&format!("/api/v1/games/{game}")).await.json()["status"].clone();
    let mut newcomer = TestPlayer::guest(&url).await;
    assert!(!newcomer.watch(game).await.is_over(), "neither who comes now");
    // Nobody can ask for a rematch any more: only the spectators keep the game in memory.
    table.players.clear();
    pass(&time, 9_998, &table, &early).await;
    take_in(&mut early, &mut seen).await;
    assert!(!seen.is_over());
    assert_eq!(status().await, "running");
    pass(&time, 2 + TIMER, &table, &early).await;
    take_in(&mut early, &mut seen).await;
    assert!(seen.is_over());
    assert_eq!((seen.hash, status().await), (table.views[0].hash.clone(), "finished".into()));
    time.end();
    table.server.stop().await;
}

#[tokio::test]
async fn what_spectators_have_not_seen_survives_a_restart() {
    let database = Database::sqlite();
    let late = |config: &mut Config| config.tables.spectator_delay_ms = 60_000;
    let server = Server::start_with(&database, late).await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start_game(&mut players, lobby_options(Variant::CrossA)).await;
    let mut views = Vec::new();
    for player in &mut players {
        views.push(player.watch(game).await);
    }
    play_on(&mut players, &mut views, &mut SplitMix64::new(1), 2).await;
    drop(players);
    server.stop().await;

    let time = StillTime::hold();
    let server = Server::start_with(&database, late).await;
    let mut spectator = TestPlayer::guest(&server.url).await;
    let mut seen = spectator.watch(game).await;
    assert_eq!(seen.board.ply, 0);
    time.pass(60_000 + TIMER, &[&spectator]).await;
    take_in(&mut spectator, &mut seen).await;
    assert_eq!((seen.board.ply, &seen.hash), (2, &views[0].hash));
    time.end();
    server.stop().await;
}

#[tokio::test]
async fn a_lobby_chooses_how_late_spectators_are_and_its_game_keeps_to_it() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let with = |spectator_delay| LobbyOptions { spectator_delay, ..lobby_options(Variant::CrossA) };
    let asked = players[0].connection.request(Request::CreateLobby(with(Some(300_001)))).await;
    let refused = asked.expect_err("too late").refusal().expect("a refusal").code;
    assert_eq!(refused, ErrorCode::BadRequest);
    let at_once = start_game(&mut players, with(None)).await;
    let game = start_game(&mut players, with(Some(300_000))).await;
    let mut views = Vec::new();
    for player in &mut players {
        assert_eq!(player.watch(at_once).await.setup.spectator_delay, 0);
        views.push(player.watch(game).await);
    }
    // Each follows the moves of the other as they come.
    play_on(&mut players, &mut views, &mut SplitMix64::new(1), 2).await;
    let mut spectator = TestPlayer::guest(&server.url).await;
    let seen = spectator.watch(game).await;
    assert_eq!((seen.board.ply, seen.setup.spectator_delay), (0, 300_000));
    let mut visitor = server.visitor();
    let record = visitor.get(&format!("/api/v1/games/{game}/record")).await.json();
    assert_eq!(record["events"].as_array().map(Vec::len), Some(1));
    assert_eq!(record["setup"]["spectator_delay"], 300_000);
    let clients: Vec<Client> = players.into_iter().map(|player| player.client).collect();
    drop(spectator);
    server.stop().await;

    let time = StillTime::hold();
    // What a server does by itself, and what it lets be chosen, is for games to come.
    let server = Server::start_with(&database, |config| {
        config.tables.spectator_delay_ms = 1;
        config.tables.max_spectator_delay_ms = 1;
    })
    .await;
    let variants = server.visitor().get("/api/v1/variants").await.json();
    assert_eq!(variants[0]["max_spectator_delay"], 1, "what a lobby may choose");
    // The players come back: an absence that is judged would be written while time is moved on.
    let mut players = Vec::new();
    for client in clients {
        let client = client.at(Address::parse(&server.url).expect("an address"));
        let connection = client.connect().await.expect("the session still counts");
        players.push(TestPlayer::new(client, connection));
    }
    let mut spectator = TestPlayer::guest(&server.url).await;
    let mut seen = spectator.watch(game).await;
    assert_eq!((seen.board.ply, seen.setup.spectator_delay), (0, 300_000));
    let present: Vec<&TestPlayer> = players.iter().chain([&spectator]).collect();
    time.pass(300_000 + TIMER, &present).await;
    take_in(&mut spectator, &mut seen).await;
    assert_eq!((seen.board.ply, &seen.hash), (2, &views[0].hash));
    time.end();
    server.stop().await;
}

async fn pass(time: &StillTime, millis: u64, table: &Table, spectator: &TestPlayer) {
    let present: Vec<&TestPlayer> = table.players.iter().chain([spectator]).collect();
    time.pass(millis, &present).await;
}

#[tokio::test]
async fn a_ban_from_the_command_line_is_seen_whatever_its_time_says() {
    let time = StillTime::hold();
    let server = Server::start(&Database::sqlite()).await;
    let mut player = TestPlayer::guest(&server.url).await;
    time.pass(1_000, &[&player]).await;
    let line = AuditEntry {
        // Another machine's clock is late.
        at: Timestamp(0),
        actor: None,
        action: AuditAction::Ban,
        subject: player.connection.user().id.to_string(),
        detail: "{}".to_owned(),
    };
    server.store.append_audit(&line).await.expect("written");
    for _ in 0..6 {
        tokio::time::advance(Duration::from_millis(1_000)).await;
        // Refused once the socket is being closed.
        let _ = player.connection.request(Request::Ping).await;
    }
    let lost = async {
        loop {
            if let Err(lost) = player.connection.message().await {
                return lost;
            }
        }
    };
    let lost = tokio::time::timeout(PATIENCE, lost).await.expect("the ban is seen");
    assert_eq!(lost.code, Some(close::SESSION_REVOKED));
    time.end();
    server.stop().await;
}
