//! PostgreSQL goes away under running tables and comes back: nothing that was acknowledged is lost, nobody's clock
//! pays for it, no wrong result is stored.

use std::time::Duration;

use kingscross_engine::Variant;
use kingscross_protocol::{ErrorCode, Event, GameId, OutageCause, TimeControl};
use kingscross_storage::Options;
use kingscross_tests::{
    FaultProxy, Postgres, ProxyMode, Server, Stored, TestPlayer, Until, guest_clients, persistent, play_all,
    start_tracked, without_limits,
};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// For all of it; it takes seconds.
const LIMIT: Duration = Duration::from_secs(180);

fn quick() -> Options {
    Options { time_limit: Duration::from_secs(1), ..Options::default() }
}

/// Starts a game of each variant; gives one of them, too.
async fn tables(server: &Server, until: &Until) -> (GameId, JoinSet<(GameId, Vec<TestPlayer>)>) {
    let (mut last, mut tables) = (None, JoinSet::new());
    for (number, variant) in Variant::ALL.into_iter().enumerate() {
        let mut players = Vec::new();
        for (place, guest) in guest_clients(&server.url, variant).await.into_iter().enumerate() {
            players.push(TestPlayer::connect_with(&guest, persistent(), (number << 3 | place) as u64).await);
        }
        let game = start_tracked(&mut players, variant, TimeControl::increment(600_000, 0)).await;
        last = Some(game);
        let until = until.clone();
        tables.spawn(async move {
            play_all(&mut players, &until).await;
            (game, players)
        });
    }
    (last.expect("there are variants"), tables)
}

async fn play_on(acknowledged: &mut watch::Receiver<u64>, more: u64) {
    let enough = *acknowledged.borrow() + more;
    acknowledged.wait_for(|&count| count >= enough).await.expect("the tables play");
}

/// Lets five games run while the database goes and comes `rounds` times.
async fn outages(
    database: &kingscross_tests::Database,
    rounds: usize,
    mut go: impl AsyncFnMut(),
    mut come: impl AsyncFnMut(),
) {
    let server = Server::start_with(database, without_limits).await;
    let (count, mut acknowledged) = watch::channel(0);
    // Too long to end by its rules in this time; if one does, its table is done.
    let until = Until { ply: 100_000, stop: CancellationToken::new(), count: Some(count) };
    let (watched, tables) = tables(&server, &until).await;
    let mut witness = TestPlayer::guest(&server.url).await;
    for _ in 0..rounds {
        play_on(&mut acknowledged, 40).await;
        let view = witness.watch(watched).await;
        go().await;
        if !view.is_over() {
            // Whoever looks is told that the table stands still, and when it goes on.
            witness.until(|message| frozen(&message, watched, Some(OutageCause::Storage))).await;
            come().await;
            witness.until(|message| frozen(&message, watched, None)).await;
        } else {
            come().await;
        }
    }
    play_on(&mut acknowledged, 40).await;
    until.stop.cancel();
    let played = tables.join_all().await;
    for (game, players) in &played {
        let stored = Stored::read(&server.store, *game).await;
        stored.check_commands(players);
        stored.check_clocks();
        let no_result = |event: &Event| match event {
            Event::Played(played) => {
                played.by_server
                    && (played.action.starts_with("timeout:") || played.action.starts_with("leave:"))
            }
            Event::Aborted { .. } => true,
            _ => false,
        };
        assert!(!stored.events.iter().any(|(_, event)| no_result(event)), "nobody lost by the outage");
        for player in players {
            let odd = |code: &&ErrorCode| {
                ![ErrorCode::Unavailable, ErrorCode::Stale, ErrorCode::NotYourTurn, ErrorCode::GameOver]
                    .contains(code)
            };
            let odd: Vec<_> = player.refusals.keys().filter(odd).collect();
            assert!(odd.is_empty(), "{odd:?}");
        }
    }
    let refused: u32 = played
        .iter()
        .flat_map(|(_, players)| players)
        .filter_map(|player| player.refusals.get(&ErrorCode::Unavailable))
        .sum();
    assert!(refused > 0, "moves were refused meanwhile, and could be repeated");
    let of_storage = |event: &Event| matches!(event, Event::Outage { cause: OutageCause::Storage, .. });
    for (game, _) in &played {
        let stored = Stored::read(&server.store, *game).await;
        let count = stored.events.iter().filter(|(_, event)| of_storage(event)).count();
        assert!(
            count > 0 || stored.events.iter().any(|(_, event)| matches!(event, Event::Finished(_))),
            "{game}"
        );
    }
    server.stop().await;
}

fn frozen(
    message: &kingscross_protocol::ServerMessage,
    game: GameId,
    wanted: Option<OutageCause>,
) -> Option<()> {
    match message {
        kingscross_protocol::ServerMessage::Table { game: of, frozen }
            if *of == game && *frozen == wanted =>
        {
            Some(())
        }
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_is_stopped_and_started_again_under_running_games() {
    let Some(postgres) = Postgres::start().await else { return };
    let database = postgres.database(quick());
    let blocking = |act: fn(&Postgres)| tokio::task::block_in_place(|| act(&postgres));
    let test =
        outages(&database, 3, async || blocking(Postgres::stop), async || blocking(Postgres::start_again));
    tokio::time::timeout(LIMIT, test).await.expect("all goes on by itself");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_line_to_postgres_swallows_everything_under_running_games() {
    let Some(postgres) = Postgres::start().await else { return };
    let proxy = FaultProxy::start(postgres.address()).await;
    let mut database = postgres.database(quick());
    database.location =
        database.location.replace(&postgres.address().to_string(), &proxy.address.to_string());
    for hole in [ProxyMode::BlackHole, ProxyMode::Deaf] {
        let test = outages(&database, 2, async || proxy.set(hole), async || proxy.set(ProxyMode::Open));
        tokio::time::timeout(LIMIT, test).await.expect("all goes on by itself");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_behind_a_dead_line_leaves_the_database_to_the_next() {
    let Some(postgres) = Postgres::start().await else { return };
    let proxy = FaultProxy::start(postgres.address()).await;
    let mut database = postgres.database(quick());
    database.location =
        database.location.replace(&postgres.address().to_string(), &proxy.address.to_string());
    let test = async {
        for _ in 0..2 {
            let server = Server::start(&database).await;
            server.guest().await;
            // PostgreSQL does not hear that these sessions have ended.
            proxy.lose_all();
            server.stop().await;
        }
    };
    tokio::time::timeout(LIMIT, test).await.expect("the next server starts");
}
