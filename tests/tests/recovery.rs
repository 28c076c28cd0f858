//! What went wrong under a table is put right by itself: late writes, slow storage, restarts, floods, lost notices.

use std::time::Duration;

use kingscross_client::{Client, GameView, Socket};
use kingscross_engine::{SplitMix64, Variant};
use kingscross_protocol::{
    ClientMessage, CommandId, ErrorCode, Event, GameId, LobbyOptions, OutageCause, Request, Seq,
    ServerMessage, Timestamp,
};
use kingscross_server::Clock;
use kingscross_server::ServeError;
use kingscross_tests::{
    Database, Server, Stored, TestPlayer, guests, lobby_key, lobby_options, play_on, start_game,
    without_limits,
};
use sqlx::{Connection as _, PgConnection, SqliteConnection};
use tokio::time::timeout;

/// Far more than anything here takes; a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// Two people at a table of cross chess, and what they see.
async fn two_at_a_table(server: &Server) -> (Vec<TestPlayer>, Vec<GameView>, GameId) {
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start_game(&mut players, lobby_options(Variant::CrossA)).await;
    let mut views = Vec::new();
    for player in &mut players {
        views.push(player.watch(game).await);
    }
    (players, views, game)
}

/// Who is on turn, and a move of theirs.
fn a_move(views: &[GameView]) -> (usize, Request) {
    let mover = views.iter().position(GameView::is_my_turn).expect("someone is on turn");
    let view = &views[mover];
    let mv = view.legal.as_ref().expect("on turn")[0].mv.clone();
    (mover, Request::Move { game: view.game, ply: view.board.ply, mv })
}

fn frozen(wanted: Option<OutageCause>) -> impl FnMut(ServerMessage) -> Option<()> {
    move |message| match message {
        ServerMessage::Table { frozen, .. } if frozen == wanted => Some(()),
        _ => None,
    }
}

/// Plays on with fresh snapshots, and checks the log.
async fn plays_on(server: &Server, players: &mut [TestPlayer], game: GameId, plies: u32) -> Stored {
    let mut views = Vec::new();
    for player in players.iter_mut() {
        views.push(player.watch(game).await);
    }
    let ply = views[0].board.ply;
    play_on(players, &mut views, &mut SplitMix64::new(3), plies).await;
    assert_eq!(views[0].board.ply, ply + plies);
    let stored = Stored::read(&server.store, game).await;
    // An outage may have been written since; it changes no position.
    let (last, _) = stored.events.last().expect("a game has events");
    assert!(views.iter().all(|view| view.hash == format!("{:016x}", last.hash)));
    stored
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_comes_late_after_all_is_taken_in() {
    let Some(mut database) = Database::postgres().await else { return };
    database.options.time_limit = Duration::from_secs(2);
    let server = Server::start(&database).await;
    let (mut players, mut views, game) = two_at_a_table(&server).await;
    play_on(&mut players, &mut views, &mut SplitMix64::new(1), 2).await;

    let mut lock = PgConnection::connect(&database.location).await.expect("opens");
    let mut look = PgConnection::connect(&database.location).await.expect("opens");
    // Reading is allowed, writing waits.
    sqlx::raw_sql("begin; lock table game_events in share row exclusive mode")
        .execute(&mut lock)
        .await
        .expect("locked");
    let (mover, request) = a_move(&views);
    let (id, requester) = (CommandId::fresh(), players[mover].connection.requester());
    let refusal = requester.request_as(id, request.clone()).await.expect_err("nothing can be stored");
    let refusal = refusal.refusal().expect("an answer");
    assert_eq!((refusal.code, refusal.retryable), (ErrorCode::Unavailable, true));
    // The table has read the log, which does not have the move yet, and waits with its outage behind the move.
    let waiting = "select count(*) from pg_locks where not granted and relation = 'game_events'::regclass";
    loop {
        let count: i64 = sqlx::query_scalar(waiting).fetch_one(&mut look).await.expect("a count");
        if count >= 2 {
            break;
        }
    }
    sqlx::raw_sql("rollback").execute(&mut lock).await.expect("unlocked");
    players[1 - mover].until(frozen(None)).await;

    let done = requester.request_as(id, request).await.expect("it is known");
    // Both were let in at once: the outage may have been first, and then this second try made the move.
    let next = views[0].seq.next();
    assert!([Some(next), Some(next.next())].contains(&done.seq), "{done:?}");
    let stored = plays_on(&server, &mut players, game, 2).await;
    let mine = |event: &&(kingscross_storage::StoredEvent, Event)| {
        event.0.commanded.is_some_and(|commanded| commanded.command == id)
    };
    assert_eq!(stored.events.iter().filter(mine).count(), 1);
    server.stop().await;
    database.remove().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_does_not_fit_its_log_begins_anew_from_it() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| {
        without_limits(config);
        config.tables.retry_longest_ms = 3_000;
    })
    .await;
    let (mut players, mut views, game) = two_at_a_table(&server).await;
    play_on(&mut players, &mut views, &mut SplitMix64::new(1), 2).await;

    let mut aside = SqliteConnection::connect(&database.location).await.expect("opens");
    let bogus = "insert into game_events (game_id, seq, at, hash, body)
        select game_id, seq + 1, at, hash + 1, '{\"kind\":\"outage\",\"millis\":1,\"cause\":\"storage\"}'
        from game_events where game_id = $1 order by seq desc limit 1";
    sqlx::query(bogus).bind(game.0).execute(&mut aside).await.expect("written behind the server's back");
    let (mover, request) = a_move(&views);
    let (id, requester) = (CommandId::fresh(), players[mover].connection.requester());
    let play = async {
        let mut is_mended = false;
        loop {
            let refused = match requester.request_as(id, request.clone()).await {
                Ok(_) => break,
                Err(refused) => refused,
            };
            let refusal = refused.refusal().expect("an answer").clone();
            assert!(refusal.retryable, "{refusal:?}");
            if !is_mended && refusal.message.contains("not being served") {
                let mend = "update game_events set hash = hash - 1 where game_id = $1
                    and seq = (select max(seq) from game_events where game_id = $1)";
                sqlx::query(mend).bind(game.0).execute(&mut aside).await.expect("mended");
                is_mended = true;
            }
        }
        assert!(is_mended);
    };
    timeout(PATIENCE, play).await.expect("the game goes on");
    plays_on(&server, &mut players, game, 2).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_storage_is_written_down_and_answers_all_the_same() {
    let database = Database::sqlite();
    // Every commit is slow.
    let server = Server::start_with(&database, |config| config.clocks.slow_commit_ms = 0).await;
    let (mut players, views, game) = two_at_a_table(&server).await;
    let mut lock = SqliteConnection::connect(&database.location).await.expect("opens");
    sqlx::query("begin immediate").execute(&mut lock).await.expect("the file can be locked");
    let (mover, request) = a_move(&views);
    let requester = players[mover].connection.requester();
    let asked = tokio::spawn(async move { requester.request(request).await });
    players[1 - mover].until(frozen(Some(OutageCause::Storage))).await;
    sqlx::query("rollback").execute(&mut lock).await.expect("unlocked");
    timeout(PATIENCE, asked).await.expect("answered").expect("no panic").expect("carried out");
    players[1 - mover].until(frozen(None)).await;
    let stored = Stored::read(&server.store, game).await;
    let outages = stored.events.iter().filter(|(_, event)| matches!(event, Event::Outage { .. })).count();
    assert!(outages <= 2, "{outages} outages for one move");
    // Each move adds no more than two.
    let stored = plays_on(&server, &mut players, game, 6).await;
    let outages = stored.events.iter().filter(|(_, event)| matches!(event, Event::Outage { .. })).count();
    assert!(outages <= 14, "{outages} outages for seven moves");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_downtime_right_after_the_start_is_charged_to_nobody() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start_game(&mut players, lobby_options(Variant::CrossA)).await;
    server.stop().await;

    let hour = Duration::from_secs(3_600);
    let wall = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970") + hour;
    let clock = Clock::starting_at(Timestamp(i64::try_from(wall.as_millis()).expect("a date")));
    let server = Server::start_at(clock, &database, |_| {}).await;
    let view = TestPlayer::guest(&server.url).await.watch(game).await;
    assert!(!view.is_over(), "{view:?}");
    let stored = Stored::read(&server.store, game).await;
    match &stored.events[1].1 {
        Event::Outage { millis, cause: OutageCause::Restart } => assert!(*millis > 3_500_000, "{millis}"),
        other => panic!("{other:?}"),
    }
    server.stop().await;
}

/// Asks for snapshot after snapshot, and reads them, until told by the game's own events to stop.
async fn flood(mut socket: Socket, game: GameId, enough: impl Fn(&ServerMessage) -> bool) {
    const AT_ONCE: usize = 64;
    let mut open = 0;
    loop {
        while open < AT_ONCE {
            let request = Request::Watch { game, after: None };
            socket.send(&ClientMessage { id: CommandId::fresh(), request }).await.expect("the server reads");
            open += 1;
        }
        let text = socket.next().await.expect("the socket stays");
        let message: ServerMessage = serde_json::from_str(&text).expect("a message");
        if matches!(message, ServerMessage::Ok { .. } | ServerMessage::Error { .. }) {
            open -= 1;
        }
        if enough(&message) {
            return;
        }
    }
}

async fn flooders(server: &Server) -> Vec<Socket> {
    let mut sockets = Vec::new();
    for _ in 0..8 {
        let guest = Client::guest(&server.url).await.expect("a guest");
        let mut socket = guest.socket().await.expect("a socket");
        socket.greet("flood").await.expect("greeted");
        sockets.push(socket);
    }
    sockets
}

fn without_any_limits(config: &mut kingscross_server::config::Config) {
    without_limits(config);
    config.websocket.queue_messages = 1_000_000;
    config.websocket.queue_bytes = 1 << 30;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_runs_out_in_time_however_many_ask_to_watch() {
    let server = Server::start_with(&Database::sqlite(), |config| {
        without_any_limits(config);
        config.clocks.first_move_ms = 1_000;
    })
    .await;
    let sockets = flooders(&server).await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start_game(&mut players, lobby_options(Variant::CrossA)).await;
    let is_aborted = |message: &ServerMessage| match message {
        ServerMessage::Event(event) => matches!(event.event, Event::Aborted { .. }),
        ServerMessage::Snapshot(snapshot) => snapshot.aborted,
        _ => false,
    };
    let floods: Vec<_> =
        sockets.into_iter().map(|socket| tokio::spawn(flood(socket, game, is_aborted))).collect();
    for flood in floods {
        timeout(PATIENCE, flood).await.expect("the game is aborted").expect("no panic");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_play_on_at_a_table_that_is_too_busy_to_hear_them() {
    let server = Server::start_with(&Database::sqlite(), |config| {
        without_any_limits(config);
        config.bots.delay_ms = 0;
        config.limits.table_queue = 1;
    })
    .await;
    let sockets = flooders(&server).await;
    let person = TestPlayer::guest(&server.url).await;
    let request =
        Request::PlayNow { variant: Variant::Crossfire, time: None, level: Some("random".to_owned()) };
    let game = person.connection.request(request).await.expect("starts").game.expect("a game");
    let is_enough = |message: &ServerMessage| match message {
        ServerMessage::Event(event) => event.seq >= Seq(40),
        ServerMessage::Snapshot(snapshot) => snapshot.seq >= Seq(40) || snapshot.ending.is_some(),
        _ => false,
    };
    let floods: Vec<_> =
        sockets.into_iter().map(|socket| tokio::spawn(flood(socket, game, is_enough))).collect();
    loop {
        match person.connection.request(Request::Resign { game }).await {
            Ok(_) => break,
            Err(error) => assert!(error.refusal().expect("an answer").retryable, "{error}"),
        }
    }
    for flood in floods {
        timeout(PATIENCE, flood).await.expect("the bots play").expect("no panic");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seat_is_freed_although_the_notice_that_its_player_has_gone_was_lost() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| {
        without_any_limits(config);
        config.lobby.vanished_ms = 500;
        config.presence.shown_after_ms = 1;
    })
    .await;
    let asker = TestPlayer::guest(&server.url).await;
    // At a table they see when the other has gone.
    let (mut players, _, _) = two_at_a_table(&server).await;
    let (guest, mut host) = (players.pop().expect("two"), players.pop().expect("two"));
    let wanted = LobbyOptions { public: true, ..lobby_options(Variant::CrossA) };
    let lobby =
        host.connection.request(Request::CreateLobby(wanted)).await.expect("opens").lobby.expect("its id");
    lobby_key(&mut host, lobby).await;
    guest.connection.request(Request::JoinLobby { lobby, key: None, seat: None }).await.expect("room");

    // The lobbies wait for the database, and more is asked of them than they can keep.
    let mut lock = SqliteConnection::connect(&database.location).await.expect("opens");
    sqlx::query("begin immediate").execute(&mut lock).await.expect("the file can be locked");
    let mut socket = asker.client.socket().await.expect("a socket");
    socket.greet("flood").await.expect("greeted");
    let create = Request::CreateLobby(lobby_options(Variant::CrossA));
    socket.send(&ClientMessage { id: CommandId::fresh(), request: create }).await.expect("sent");
    let mut was_refused = false;
    while !was_refused {
        let watch = ClientMessage { id: CommandId::fresh(), request: Request::WatchLobbies };
        socket.send(&watch).await.expect("sent");
        // Answered at once, since the list is told later.
        loop {
            let text = socket.next().await.expect("the socket stays");
            match serde_json::from_str(&text).expect("a message") {
                ServerMessage::Ok { id, .. } if id == watch.id => break,
                ServerMessage::Error { .. } => {
                    was_refused = true;
                    break;
                }
                _ => {}
            }
        }
    }
    drop(guest);
    host.until(|message| match message {
        ServerMessage::Presence { seats, .. } if seats.iter().any(|seat| !seat.present) => Some(()),
        _ => None,
    })
    .await;
    sqlx::query("rollback").execute(&mut lock).await.expect("unlocked");
    let freed = host.until(|message| match message {
        ServerMessage::Lobby(view) if view.seats.iter().filter(|seat| seat.user.is_some()).count() == 1 => {
            Some(())
        }
        _ => None,
    });
    freed.await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_can_store_nothing_any_more_ends() {
    let server = Server::start(&Database::sqlite()).await;
    server.guest().await;
    server.store.close().await;
    let ended = timeout(PATIENCE, server.ended()).await.expect("it ends by itself");
    assert!(matches!(ended, Err(ServeError::Writer)), "{ended:?}");
}
