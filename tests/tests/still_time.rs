//! Clocks and absences to the millisecond, by a time that only the test moves; real sockets, a real database.

use std::time::Duration;

use kingscross_engine::Variant;
use kingscross_protocol::{
    AbortCause, Event, GameId, LobbyOptions, Presence, Request, ServerMessage, TimeControl, Timestamp, close,
};
use kingscross_storage::AuditEntry;
use kingscross_tests::play::{Dice, Player, guests, options, play_on, start};
use kingscross_tests::{Database, Metrics, Server, StillTime, Stored};
use tokio::sync::Mutex;

/// Longer than anything takes once time runs again.
const PATIENCE: Duration = Duration::from_secs(60);

/// Figures are a process's: only one test at a time looks at its own.
static COUNTING: Mutex<()> = Mutex::const_new(());

/// A timer fires up to a millisecond late.
const TIMER: u64 = 1;

struct Table {
    server: Server,
    players: Vec<Player>,
    views: Vec<kingscross_client::GameView>,
    game: GameId,
    metrics: Metrics,
}

/// Cross chess for two.
async fn a_table(time: TimeControl) -> Table {
    let metrics = Metrics::somewhere();
    let server = Server::start_with(&Database::sqlite(), |config| {
        // No lag is measured while time jumps.
        config.websocket.ping_ms = 36_000_000;
        config.metrics.listen.clone_from(&metrics.address);
    })
    .await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start(&mut players, LobbyOptions { time, ..options(Variant::CrossA) }).await;
    let mut views = Vec::new();
    for player in &mut players {
        views.push(player.watch(game).await);
    }
    Table { server, players, views, game, metrics }
}

impl Table {
    /// One move of each, which takes no time.
    async fn open(&mut self) {
        play_on(&mut self.players, &mut self.views, &mut Dice(1), 2).await;
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
        let Player { client, connection } = self.players.pop().expect("two");
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
    play_on(&mut table.players, &mut table.views, &mut Dice(2), 1).await;
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

async fn absence(player: &mut Player) -> Vec<Presence> {
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
    let back = Player { client, connection };
    // First the absence, then its end.
    for is_back in [false, true] {
        while absence(&mut me).await.iter().all(|seat| seat.present) != is_back {}
    }
    time.pass(20_000, &[&me, &back]).await;
    assert!(table.is_running().await);
    time.end();
    table.server.stop().await;
}

#[tokio::test]
async fn a_ban_from_the_command_line_is_seen_whatever_its_time_says() {
    let time = StillTime::hold();
    let server = Server::start(&Database::sqlite()).await;
    let mut player = Player::guest(&server.url).await;
    time.pass(1_000, &[&player]).await;
    let line = AuditEntry {
        // Another machine's clock is late.
        at: Timestamp(0),
        actor: None,
        action: "ban".to_owned(),
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
