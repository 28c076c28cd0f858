//! The proxy settings of docs/operations.md, as they stand there, in a real nginx.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use hyper::Method;
use kingscross_client::{Address, Client, Credentials};
use kingscross_engine::Variant;
use kingscross_protocol::{Event, GameRecord, Request, ServerMessage};
use kingscross_server::config::Config;
use kingscross_tests::{Database, Http, Server, TestPlayer, start_game_of_two};
use tempfile::TempDir;
use tokio::net::TcpListener;

const OPERATIONS: &str = include_str!("../../docs/operations.md");

/// A running nginx. Dropping it ends it.
struct Nginx {
    process: Child,
    _folder: TempDir,
}

/// The server block of the documents, with another place to listen and another server behind it.
fn block(listen: SocketAddr, server: &str, location: &str) -> String {
    let (_, rest) = OPERATIONS.split_once("```nginx\n").expect("settings for nginx");
    let (block, _) = rest.split_once("```").expect("the block ends");
    let mut block = block.to_owned();
    for (written, meant) in [
        ("listen 443 ssl;", format!("listen {listen};")),
        ("http://127.0.0.1:8080;", format!("{server};")),
        ("location / {", format!("location {location} {{")),
    ] {
        assert_eq!(block.matches(written).count(), 1, "{written}: {block}");
        block = block.replace(written, &meant);
    }
    block
}

/// A port that nothing listens on.
fn free() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("bound")
}

impl Nginx {
    fn start(block: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("nginx.conf");
        std::fs::write(&config, Self::config(folder.path(), block)).expect("writable");
        // Debian has it outside of an ordinary user's path.
        let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default());
        let mut process = Command::new("sh")
            .env("PATH", path)
            .args(["-c", "exec nginx \"$@\"", "nginx"])
            .arg("-p")
            .arg(folder.path())
            .arg("-c")
            .arg(&config)
            .stderr(Stdio::piped())
            .spawn()
            .expect("nginx is installed");
        // It says how it waits for events after it has begun to listen.
        let mut lines = BufReader::new(process.stderr.take().expect("piped")).lines();
        let mut said = Vec::new();
        let is_ready = lines.by_ref().map_while(Result::ok).any(|line| {
            said.push(line);
            said.last().is_some_and(|line| line.contains("event method"))
        });
        assert!(is_ready, "{said:?}");
        // Whatever else it says must not fill the pipe.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self { process, _folder: folder }
    }

    fn config(folder: &Path, block: &str) -> String {
        let folder = folder.display();
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {folder}/{kind};\n"))
            .concat();
        format!(
            "daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log stderr notice;\nevents {{}}\n\
             http {{\naccess_log off;\n{temporary}{block}}}\n"
        )
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Ending what has ended already is an error of no interest.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A server that trusts the proxy on this machine, and nginx before it on a port of its own.
async fn behind_nginx(
    location: &str,
    change: impl FnOnce(&mut Config, SocketAddr),
) -> (Server, Nginx, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let (url, front) = (format!("http://{}", listener.local_addr().expect("bound")), free());
    let server = Server::start_on(listener, &Database::sqlite(), |config| {
        config.server.trusted_proxies = vec!["127.0.0.1".parse().expect("an address")];
        change(config, front);
    })
    .await;
    let text = block(front, &url, location);
    let nginx = tokio::task::spawn_blocking(move || Nginx::start(&text)).await.expect("no panic");
    (server, nginx, front)
}

/// Someone who comes by way of nginx.
async fn player(front: SocketAddr) -> TestPlayer {
    let url = format!("http://{front}");
    let mut http = Http::new(&url);
    // As a browser does it: its page names the port.
    let headers = [("origin", url.as_str())];
    let made = http.send(Method::POST, "/api/v1/guest", &headers, "".into()).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let cookie = http.cookie.clone().expect("a session");
    let client = Client::new(Address::parse(&url).expect("an address"), Credentials::Cookie(cookie));
    let connection = client.connect().await.expect("a socket");
    TestPlayer::new(client, connection)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_is_played_through_nginx_on_a_port_of_its_own() {
    let (server, nginx, front) = behind_nginx("/", |_, _| {}).await;
    let (mut ada, mut bob) = (player(front).await, player(front).await);
    let game = start_game_of_two(&mut ada, &mut bob, Variant::CrossA, false).await;
    // The line stays open, both ways.
    for player in [&ada, &bob] {
        for _ in 0..50 {
            player.request(Request::Ping).await;
        }
    }
    bob.request(Request::Watch { game, after: None }).await;
    ada.request(Request::Resign { game }).await;
    let is_end = |event: &Event| matches!(event, Event::Finished(_));
    bob.until(|message| match message {
        ServerMessage::Event(told) => is_end(&told.event).then_some(()),
        _ => None,
    })
    .await;
    let record = bob.http.get(&format!("/api/v1/games/{game}/record")).await;
    assert_eq!(record.status, 200, "{}", record.text());
    assert!(record.read::<GameRecord>().events.iter().any(|entry| is_end(&entry.event)));
    // An answer longer than nginx's buffers comes whole.
    let direct = server.visitor().get("/client.js").await;
    assert_eq!(bob.http.get("/client.js").await.body, direct.body);

    // A page of another port of the same host is one of another site.
    let stranger = format!("http://127.0.0.1:{}", front.port() - 1);
    let mut http = Http::new(&format!("http://{front}"));
    let refused = http.send(Method::POST, "/api/v1/guest", &[("origin", &stranger)], "".into()).await;
    assert_eq!(refused.refusal(), (403, "bad_origin".to_owned()));
    drop(nginx);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_behind_nginx_knows_tls_and_the_addresses_of_its_players() {
    let (server, nginx, front) = behind_nginx("/", |config, front| {
        config.server.public_url = format!("https://{front}").parse().expect("an address");
        config.accounts.guests_per_address = 1;
    })
    .await;
    let origin = format!("https://{front}");
    let guest_from = async |last: u8, forged: &str| {
        let mut http = Http::new(&format!("http://{front}"));
        http.from = Ipv4Addr::new(127, 0, 0, last).into();
        let headers = [("origin", origin.as_str()), ("x-forwarded-for", forged)];
        http.send(Method::POST, "/api/v1/guest", &headers, "".into()).await
    };
    let made = guest_from(2, "203.0.113.1").await;
    assert_eq!(made.status, 201, "{}", made.text());
    assert!(made.header("set-cookie").is_some_and(|cookie| cookie.contains("; Secure")), "{made:?}");
    assert_eq!(guest_from(3, "203.0.113.1").await.status, 201);
    // What a client says of its address does not count.
    assert_eq!(guest_from(2, "203.0.113.2").await.status, 429);
    drop(nginx);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_under_a_path_is_reached_through_nginx() {
    let (server, nginx, front) = behind_nginx("/chess/", |config, front| {
        config.server.public_url = format!("http://{front}/chess").parse().expect("an address");
    })
    .await;
    let url = format!("http://{front}/chess");
    let client = Client::guest(&url).await.expect("a guest");
    let connection = client.connect().await.expect("a socket");
    let wanted = Request::PlayNow { variant: Variant::CrossA, time: None, level: None };
    let game = connection.request(wanted).await.expect("carried out").game.expect("a game");
    connection.request(Request::Resign { game }).await.expect("resigned");
    let mut visitor = Http::new(&format!("http://{front}"));
    assert_eq!(visitor.get("/chess/client.js").await.status, 200);
    assert_eq!(visitor.get("/client.js").await.status, 404, "nginx has nothing there");
    drop(nginx);
    server.stop().await;
}
