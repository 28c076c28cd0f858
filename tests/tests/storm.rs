//! Five hundred sockets that do not read: memory stays bounded, and nothing outlives the storm.

use std::time::Duration;

use kingscross_client::{Client, Socket};
use kingscross_engine::Variant;
use kingscross_protocol::{GameId, TimeControl};
use kingscross_tests::{
    Database, Metrics, Server, TestPlayer, Until, ask_for_snapshots, guest_clients, persistent, play_all,
    start_tracked, without_limits,
};
use tokio::net::TcpSocket;
use tokio::time::timeout;

/// Longer than any step may take.
const PATIENCE: Duration = Duration::from_secs(120);

const GUESTS: usize = 50;
const SOCKETS_EACH: usize = 10;
/// Snapshots that each asks for: several times what may wait for it.
const SNAPSHOTS: usize = 200;

/// Resident memory of this process, server and clients, in KiB.
fn memory() -> u64 {
    kingscross_server::resident_kib(std::process::id()).expect("a Linux")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_sockets_that_do_not_read_leave_nothing_behind() {
    // What the kernel keeps for a reader who does not come is small, so that the server feels it soon.
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_send_buffer_size(16 << 10).expect("an option");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
    let listener = socket.listen(1024).expect("a listener");
    let mut metrics = Metrics::somewhere();
    let server = Server::start_on(listener, &Database::sqlite(), |config| {
        without_limits(config);
        config.metrics.listen.clone_from(&metrics.address);
        config.tables.linger_ms = 0;
        config.proposals.rematch_ms = 0;
    })
    .await;
    // The first answer needs a listener that is there.
    let mut players = Vec::new();
    for (seed, guest) in guest_clients(&server.url, Variant::CrossA).await.into_iter().enumerate() {
        players.push(TestPlayer::connect_with(&guest, persistent(), seed as u64).await);
    }
    let game = start_tracked(&mut players, Variant::CrossA, TimeControl::increment(600_000, 0)).await;
    let tasks = metrics.read("kingscross_tasks").await;

    let before = memory();
    let mut storm = Vec::new();
    for _ in 0..GUESTS {
        let guest = Client::guest(&server.url).await.expect("a guest");
        for _ in 0..SOCKETS_EACH {
            storm.push(tokio::spawn(ask_and_never_read(guest.clone(), game)));
        }
    }
    let mut stuck = Vec::new();
    for asking in storm {
        stuck.push(timeout(PATIENCE, asking).await.expect("the server reads or closes").expect("no panic"));
    }
    let grown = memory().saturating_sub(before);
    // The queue of each, a snapshot beyond it, and what a connection needs.
    let most = (GUESTS * SOCKETS_EACH * (256 + 64 + 64)) as u64;
    assert!(grown < most, "{grown} KiB for {} sockets", GUESTS * SOCKETS_EACH);
    println!("{grown} KiB for {} sockets that do not read", GUESTS * SOCKETS_EACH);

    // The table plays to its end meanwhile.
    let views = timeout(PATIENCE, play_all(&mut players, &Until::ply(20))).await.expect("the table plays on");
    assert!(views.iter().all(kingscross_client::GameView::is_over));
    drop((stuck, players));
    let calm = async {
        for name in ["kingscross_sockets", "kingscross_tables", "kingscross_addresses"] {
            metrics.falls_to(name, 0).await;
        }
        // Two players' sockets and one table are gone, too; the connection that asks is no task of the server's.
        metrics.falls_to("kingscross_tasks", tasks - 3).await;
    };
    timeout(PATIENCE, calm).await.expect("nothing outlives its socket or table");
    server.stop().await;
}

/// Asks for snapshot after snapshot without reading one.
async fn ask_and_never_read(guest: Client, game: GameId) -> Socket {
    let mut socket = guest.socket().await.expect("a socket");
    socket.greet("stuck").await.expect("greeted");
    ask_for_snapshots(&mut socket, game, SNAPSHOTS).await;
    socket
}
