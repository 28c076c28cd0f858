//! Sockets that do not read are closed, and nobody waits for them.

use std::time::Duration;

use kingscross_client::{Client, Lost, Socket};
use kingscross_engine::Variant;
use kingscross_protocol::{GameId, TimeControl, close};
use kingscross_tests::{
    Database, Server, Stored, TestPlayer, Until, ask_for_snapshots, guest_clients, persistent, play_all,
    start_tracked, without_limits,
};

use tokio::net::TcpSocket;

const LIMIT: Duration = Duration::from_secs(120);

const GUESTS: usize = 5;
const SOCKETS_EACH: usize = 10;

/// More snapshots than the kernel keeps, by far.
const SNAPSHOTS: usize = 20_000;

async fn a_table(server: &Server, seed: u64) -> (Vec<TestPlayer>, GameId) {
    let mut players = Vec::new();
    for (place, guest) in guest_clients(&server.url, Variant::Crossfire).await.into_iter().enumerate() {
        players.push(TestPlayer::connect_with(&guest, persistent(), seed << 3 | place as u64).await);
    }
    let game = start_tracked(&mut players, Variant::Crossfire, TimeControl::increment(600_000, 0)).await;
    (players, game)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_sockets_that_do_not_read_are_closed_and_both_tables_play_on() {
    let database = Database::sqlite();
    // What the kernel keeps for a reader who does not come is small, so that the server feels it soon.
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_send_buffer_size(16 << 10).expect("an option");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
    let listener = socket.listen(1024).expect("a listener");
    let server = Server::start_on(listener, &database, |config| {
        without_limits(config);
        config.websocket.write_stall_ms = 200;
    })
    .await;
    let (mut watched, game) = a_table(&server, 1).await;
    let (mut other, other_game) = a_table(&server, 2).await;

    let mut stuck = Vec::new();
    for _ in 0..GUESTS {
        let guest = Client::guest(&server.url).await.expect("a guest");
        for _ in 0..SOCKETS_EACH {
            stuck.push(tokio::spawn(ask_and_never_read(guest.clone(), game)));
        }
    }
    for (players, game) in [(&mut watched, game), (&mut other, other_game)] {
        let until = Until::ply(60);
        let playing = play_all(players, &until);
        let views = tokio::time::timeout(LIMIT, playing).await.expect("the table plays on");
        assert!(views.iter().all(kingscross_client::GameView::is_over));
        let stored = Stored::read(&server.store, game).await;
        stored.check_commands(players);
        stored.check_views(&views);
    }
    for task in stuck {
        let lost = tokio::time::timeout(LIMIT, task).await.expect("it is closed in time").expect("no panic");
        // The farewell itself may be what could not be written.
        assert!(matches!(lost.code, Some(close::SLOW) | None), "{lost}");
    }
    // They have left the table, too.
    let left = async {
        while watched[0].view.as_ref().is_some_and(|view| view.spectators > 0) {
            watched[0].take_message().await;
        }
    };
    tokio::time::timeout(LIMIT, left).await.expect("nobody of them is counted any more");
    server.stop().await;
}

/// Asks for snapshot after snapshot without reading one, until the server has had enough.
async fn ask_and_never_read(guest: Client, game: GameId) -> Lost {
    let mut socket = guest.socket().await.expect("a socket");
    socket.greet("stuck").await.expect("greeted");
    ask_for_snapshots(&mut socket, game, SNAPSHOTS).await;
    end(&mut socket).await
}

/// Reads what had arrived, up to how the socket ended.
async fn end(socket: &mut Socket) -> Lost {
    loop {
        if let Err(lost) = socket.next().await {
            return lost;
        }
    }
}
