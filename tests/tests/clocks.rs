//! What is charged to a player's clock when the server stands still, its system's time is changed, or a line is slow.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use kingscross_client::{Client, GameView};
use kingscross_engine::{SplitMix64, Variant};
use kingscross_protocol::{
    ClientMessage, CommandId, Event, GameId, LobbyOptions, OutageCause, Played, Request, TimeControl,
    Timestamp,
};
use kingscross_server::Clock;
use kingscross_tests::{
    Database, FaultProxy, Process, ProxyMode, Server, StillTime, Stored, TestPlayer, guests, lobby_options,
    play_on, start_game,
};
use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;

const SERVER: &str = env!("CARGO_BIN_EXE_test_server");

/// What the clocks of 5+0 hold.
const FIVE: TimeControl = TimeControl::increment(300_000, 0);

struct Table {
    players: Vec<TestPlayer>,
    views: Vec<GameView>,
    game: GameId,
}

/// Cross chess for two, at which each has made a move.
async fn a_table(url: &str, time: TimeControl) -> Table {
    seat(guests(url, Variant::CrossA).await, time).await
}

async fn seat(mut players: Vec<TestPlayer>, time: TimeControl) -> Table {
    let game = start_game(&mut players, LobbyOptions { time, ..lobby_options(Variant::CrossA) }).await;
    let mut views = Vec::new();
    for player in &mut players {
        views.push(player.watch(game).await);
    }
    let mut table = Table { players, views, game };
    table.play(2).await;
    table
}

impl Table {
    async fn play(&mut self, plies: u32) {
        play_on(&mut self.players, &mut self.views, &mut SplitMix64::new(1), plies).await;
    }

    /// Sends a move of the player on turn; it is answered when the task ends.
    fn send_a_move(&self) -> tokio::task::JoinHandle<()> {
        let mover = self.views.iter().position(GameView::is_my_turn).expect("someone is on turn");
        let view = &self.views[mover];
        let mv = view.legal.as_ref().expect("on turn")[0].mv.clone();
        let request = Request::Move { game: view.game, ply: view.board.ply, mv };
        let asks = self.players[mover].connection.requester();
        tokio::spawn(async move {
            asks.request(request).await.expect("the move is in time");
        })
    }
}

/// Events after the first three: those of the turn that is looked at.
fn outages(stored: &Stored, cause: OutageCause) -> i64 {
    let outages = stored.events.iter().filter_map(|(_, event)| match event {
        Event::Outage { millis, cause: why } if *why == cause => Some(*millis),
        _ => None,
    });
    i64::try_from(outages.sum::<u64>()).expect("short")
}

fn moves(stored: &Stored) -> Vec<(Timestamp, Played)> {
    let played = stored.events.iter().filter_map(|(row, event)| match event {
        Event::Played(played) => Some((row.at, played.clone())),
        _ => None,
    });
    played.collect()
}

/// The last turn took what was charged and what was left out, and nobody was charged for more than it took to stop.
fn check_last_turn(stored: &Stored, stopped: Duration, stood: Duration) {
    let moves = moves(stored);
    let [.., (before, _), (at, played)] = moves.as_slice() else { panic!("{moves:?}") };
    let left_out = outages(stored, OutageCause::Stall);
    let (spent, stopped) = (i64::from(played.spent), i64::try_from(stopped.as_millis()).expect("short"));
    assert_eq!(spent + left_out, at.since(*before), "{moves:?}");
    assert!(spent <= stopped + 1, "{spent} ms charged of {stopped}");
    assert!(left_out >= i64::try_from(stood.as_millis()).expect("short") - 1, "{left_out}");
    assert!(!played.by_server, "{played:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_server_charges_nobody() {
    let database = Database::sqlite();
    let process = Process::start(SERVER, &database.location).await;
    let turn = Instant::now();
    let mut table = a_table(&process.url(), FIVE).await;
    sleep(Duration::from_millis(200)).await;
    process.stand_still().await;
    let (stopped, still) = (turn.elapsed(), Instant::now());
    let answer = table.send_a_move();
    sleep(Duration::from_secs(3)).await;
    let stood = still.elapsed();
    process.go_on();
    answer.await.expect("answered");
    for (player, view) in table.players.iter_mut().zip(&mut table.views) {
        while view.board.ply < 3 {
            player.follow(view).await;
        }
    }
    table.play(2).await;
    process.kill();
    let store = database.open().await;
    let mut stored = Stored::read(&store, table.game).await;
    stored.events.truncate(stored.events.len() - 2);
    check_last_turn(&stored, stopped, stood);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn moves_that_lie_in_their_sockets_save_their_players_from_the_flag() {
    let database = Database::sqlite();
    let process = Process::start(SERVER, &database.location).await;
    let mut tables = Vec::new();
    for _ in 0..8 {
        let players = guests(&process.url(), Variant::CrossA).await;
        tables.push(players);
    }
    let ten = TimeControl::increment(10_000, 0);
    let seated: Vec<_> = tables.into_iter().map(|players| tokio::spawn(seat(players, ten))).collect();
    let mut tables = Vec::new();
    for table in seated {
        tables.push(table.await.expect("seated"));
    }
    process.stand_still().await;
    let answers: Vec<_> = tables.iter().map(Table::send_a_move).collect();
    // Longer than any of them has.
    sleep(Duration::from_millis(10_500)).await;
    process.go_on();
    for answer in answers {
        answer.await.expect("in time");
    }
    process.kill();
    let store = database.open().await;
    for table in &tables {
        let stored = Stored::read(&store, table.game).await;
        assert!(moves(&stored).iter().all(|(_, played)| !played.by_server), "nobody is flagged");
        assert!(outages(&stored, OutageCause::Stall) > 10_000);
    }
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_server_lets_nobody_go_for_silence() {
    const QUIET: &str = "[websocket]\nsilence_ms = 2000\nping_ms = 3600000\nwrite_stall_ms = 1000";
    let database = Database::sqlite();
    let process = Process::start_with(SERVER, &database.location, QUIET).await;
    let mut sockets = Vec::new();
    for _ in 0..4 {
        let client = Client::guest(&process.url()).await.expect("a guest");
        let mut socket = client.socket().await.expect("a socket");
        socket.greet("test").await.expect("greeted");
        sockets.push(socket);
    }
    process.stand_still().await;
    let ask = || ClientMessage { id: CommandId::fresh(), request: Request::Ping };
    let (waiting, silent) = sockets.split_at_mut(2);
    for socket in waiting.iter_mut() {
        socket.send(&ask()).await.expect("written");
    }
    sleep(Duration::from_millis(4_500)).await;
    process.go_on();
    for socket in silent {
        socket.send(&ask()).await.expect("written");
        // The answer to the hello, and this one.
        socket.next().await.expect("it is still served");
        socket.next().await.expect("it is still served");
    }
    for socket in waiting {
        socket.next().await.expect("it is still served");
        socket.next().await.expect("it is still served");
    }
    process.kill();
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

#[test]
fn a_server_whose_threads_are_kept_busy_charges_nobody() {
    let (served, here) = (runtime(), runtime());
    let server =
        served.block_on(Server::start_with(&Database::sqlite(), |config| config.clocks.stall_ms = 500));
    here.block_on(async {
        let turn = Instant::now();
        let table = a_table(&server.url, FIVE).await;
        let (blocked, is_blocked) = mpsc::channel();
        let mut releases = Vec::new();
        for _ in 0..2 {
            let (release, released) = mpsc::channel::<()>();
            let blocked = blocked.clone();
            served.spawn(async move {
                blocked.send(()).expect("waited for");
                // Both threads of the server's runtime wait here.
                let _ = released.recv();
            });
            releases.push(release);
        }
        for _ in 0..2 {
            is_blocked.recv().expect("they run");
        }
        let (stopped, still) = (turn.elapsed(), Instant::now());
        let answer = table.send_a_move();
        sleep(Duration::from_millis(2_000)).await;
        let stood = still.elapsed();
        drop(releases);
        answer.await.expect("answered");
        let stored = Stored::read(&server.store, table.game).await;
        check_last_turn(&stored, stopped, stood);
    });
    served.block_on(server.stop());
}

/// A table at which the first player's line brings everything so late.
async fn a_table_over_a_slow_line(delay: Duration, proxies: &str) -> (Server, FaultProxy, Table) {
    let proxies: Vec<_> = proxies.split_whitespace().map(|one| one.parse().expect("an address")).collect();
    let server =
        Server::start_with(&Database::sqlite(), |config| config.server.trusted_proxies = proxies).await;
    let address = server.url.strip_prefix("http://").expect("plain");
    let proxy = FaultProxy::start(address).await;
    proxy.set(ProxyMode::Delay(delay));
    let players = vec![TestPlayer::guest(&proxy.url()).await, TestPlayer::guest(&server.url).await];
    let table = seat(players, FIVE).await;
    (server, proxy, table)
}

/// What is refunded to the first player in each move so far.
async fn refunds(server: &Server, table: &Table) -> Vec<u32> {
    let stored = Stored::read(&server.store, table.game).await;
    moves(&stored).into_iter().step_by(2).map(|(_, played)| played.refund).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pongs_that_are_held_back_buy_no_time() {
    // For the server it is the same whether the client waits or something that is no proxy of ours.
    let (server, _proxy, mut table) = a_table_over_a_slow_line(Duration::from_millis(400), "").await;
    table.play(8).await;
    let refunds = refunds(&server, &table).await;
    server.stop().await;
    // An acknowledgement may come 40 ms late.
    assert!(refunds.len() == 5 && refunds.iter().all(|&refund| refund <= 60), "{refunds:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_line_behind_a_proxy_is_made_good() {
    let (server, _proxy, mut table) = a_table_over_a_slow_line(Duration::from_millis(100), "127.0.0.1").await;
    // Until the first ping is answered, however many moves that takes, nothing is known of the line.
    let mut before = 1;
    while refunds(&server, &table).await[before - 1] == 0 {
        assert!(before < 500, "the line is never measured");
        table.play(2).await;
        before += 1;
    }
    table.play(8).await;
    let refunds = &refunds(&server, &table).await[before..];
    server.stop().await;
    assert!(refunds.len() == 4 && refunds.iter().all(|&refund| refund >= 100), "{refunds:?}");
}

#[tokio::test]
async fn clocks_run_on_whatever_became_of_the_systems_time_meanwhile() {
    const DAY: i64 = 86_400_000;
    let ten = TimeControl::increment(10_000, 0);
    for moved in [-8_000, -3_600_000, -DAY, DAY] {
        let database = Database::sqlite();
        let wall = Clock::system().now();
        let server = Server::start_at(Clock::starting_at(wall), &database, |_| {}).await;
        let table = a_table(&server.url, ten).await;
        server.stop().await;

        let time = StillTime::hold();
        let clock = Clock::starting_at(wall.plus(moved));
        let server = Server::start_at(clock, &database, |config| config.websocket.ping_ms = 36_000_000).await;
        let address = kingscross_client::Address::parse(&server.url).expect("an address");
        let (mut players, mut views) = (Vec::new(), Vec::new());
        for old in &table.players {
            let client = old.client.at(address.clone());
            let connection = client.connect().await.expect("the session holds");
            let mut player = TestPlayer::new(client, connection);
            views.push(player.watch(table.game).await);
            players.push(player);
        }
        let left = views[0].clocks.remaining.iter().map(|(_, left)| *left).min().expect("clocks");
        time.pass(u64::from(left) - 50, &players.iter().collect::<Vec<_>>()).await;
        assert!(!views[0].is_over());
        time.pass(60, &players.iter().collect::<Vec<_>>()).await;
        for (player, view) in players.iter_mut().zip(&mut views) {
            player.follow_to_the_end(view).await;
        }
        time.end();
        let stored = Stored::read(&server.store, table.game).await;
        let times: Vec<_> = stored.events.iter().map(|(row, _)| row.at).collect();
        assert!(times.is_sorted(), "{moved}: {times:?}");
        assert!(matches!(stored.events[3].1, Event::Outage { cause: OutageCause::Restart, .. }), "{moved}");
        assert_eq!(outages(&stored, OutageCause::Restart) > DAY / 2, moved == DAY);
        let (_, last) = moves(&stored).pop().expect("moves");
        assert!(last.action.starts_with("timeout:"), "{moved}: {last:?}");
        // Of what the clock read after the restart, not of a whole one: the moves before it took real time.
        assert!((i64::from(left) - 1_000..=10_100).contains(&i64::from(last.spent)), "{moved}: {last:?}");
        server.stop().await;
    }
}
