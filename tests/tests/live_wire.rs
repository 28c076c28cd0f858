//! What the server does with odd, broken, greedy and silent clients.

use kingscross_client::{Client, Lost, Socket};
use kingscross_protocol::{ErrorCode, ServerMessage, close};
use kingscross_server::config::Config;
use kingscross_tests::{Database, Server};
use tokio_tungstenite::tungstenite::Message;

async fn server(change: impl FnOnce(&mut Config)) -> Server {
    Server::start_with(&Database::sqlite(), change).await
}

async fn socket(server: &Server) -> Socket {
    let mut socket =
        Client::guest(&server.url).await.expect("guests are welcome").socket().await.expect("opens");
    socket.greet("test").await.expect("greeted");
    let _answer_to_hello = next(&mut socket).await;
    socket
}

async fn next(socket: &mut Socket) -> ServerMessage {
    serde_json::from_str(&socket.next().await.expect("open")).expect("a message of the protocol")
}

/// Reads until the socket ends.
async fn end(socket: &mut Socket) -> Lost {
    loop {
        if let Err(lost) = socket.next().await {
            return lost;
        }
    }
}

async fn refusal(socket: &mut Socket, text: &str) -> (bool, ErrorCode) {
    socket.send_text(text.to_owned().into()).await.expect("open");
    match next(socket).await {
        ServerMessage::Error { id, error, .. } => (id.is_some(), error.code),
        other => panic!("{other:?} is no refusal"),
    }
}

const ID: &str = "018f2b7e-0000-7000-8000-000000000001";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_that_are_not_spoken_here_close_their_own_socket_only() {
    let server = server(|_| {}).await;
    let mut bystander = socket(&server).await;

    let mut binary = socket(&server).await;
    binary.send_frame(Message::Binary(vec![1, 2, 3].into())).await.expect("open");
    assert_eq!(end(&mut binary).await.code, Some(close::BINARY));

    let mut big = socket(&server).await;
    big.send_text("x".repeat(8193).into()).await.expect("open");
    assert_eq!(end(&mut big).await.code, Some(close::TOO_BIG));

    let mut garbled = socket(&server).await;
    // A masked text frame of two bytes that are no UTF-8; the mask is zero.
    garbled.send_raw(&[0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]).await.expect("open");
    assert_eq!(end(&mut garbled).await.code, Some(close::BAD_UTF8));

    let ping = format!(r#"{{"id":"{ID}","type":"ping"}}"#);
    bystander.send_text(ping.into()).await.expect("open");
    assert!(matches!(next(&mut bystander).await, ServerMessage::Ok { now: Some(_), .. }));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_read_is_answered_and_the_socket_stays() {
    let server = server(|_| {}).await;
    let mut odd = socket(&server).await;
    for text in ["", "{", "[]", "null", "{\"type\":\"ping\"}", "\"ping\"", "{\"id\":7,\"type\":\"ping\"}"] {
        assert_eq!(refusal(&mut odd, text).await, (false, ErrorCode::BadRequest), "{text}");
    }
    odd.send_text("[]".into()).await.expect("open");
    let ServerMessage::Error { error, .. } = next(&mut odd).await else { panic!("no refusal") };
    assert!(error.message.contains("expected an object, found a list"), "{}", error.message);
    for text in [r#""type":"fly""#, r#""type":"watch""#, r#""type":"watch","game":"x""#, r#""type":7"#] {
        let text = format!(r#"{{"id":"{ID}",{text}}}"#);
        assert_eq!(refusal(&mut odd, &text).await, (true, ErrorCode::BadRequest), "{text}");
    }
    let unknown = format!(r#"{{"id":"{ID}","type":"watch","game":"{ID}"}}"#);
    assert_eq!(refusal(&mut odd, &unknown).await, (true, ErrorCode::UnknownGame));
    let unknown = format!(r#"{{"id":"{ID}","type":"move","game":"{ID}","ply":0,"mv":"e2-e4"}}"#);
    assert_eq!(refusal(&mut odd, &unknown).await, (true, ErrorCode::UnknownGame));
    let unknown = format!(r#"{{"id":"{ID}","type":"join_lobby","lobby":"{ID}"}}"#);
    assert_eq!(refusal(&mut odd, &unknown).await, (true, ErrorCode::UnknownLobby));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_many_messages_are_refused_and_a_flood_is_ended() {
    let server = server(|config| {
        config.limits.lobby_messages = 2;
        config.limits.lobby_window_ms = 3_600_000;
        config.limits.flood_messages = 3;
        config.limits.flood_window_ms = 3_600_000;
    })
    .await;
    let mut greedy = socket(&server).await;
    let leave = format!(r#"{{"id":"{ID}","type":"leave_lobby","lobby":"{ID}"}}"#);
    let ping = format!(r#"{{"id":"{ID}","type":"ping"}}"#);
    for code in [ErrorCode::UnknownLobby, ErrorCode::UnknownLobby, ErrorCode::TooMany] {
        assert_eq!(refusal(&mut greedy, &leave).await, (true, code));
    }
    greedy.send_text(ping.into()).await.expect("open");
    assert!(matches!(next(&mut greedy).await, ServerMessage::Ok { .. }), "signs of life cost nothing");
    for _ in 0..2 {
        assert_eq!(refusal(&mut greedy, &leave).await, (true, ErrorCode::TooMany));
    }
    greedy.send_text(leave.into()).await.expect("open");
    assert_eq!(end(&mut greedy).await.code, Some(close::FLOOD));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_protocol_version_gets_one_clear_close() {
    let server = server(|_| {}).await;
    let mut old = socket(&server).await;
    let hello = format!(r#"{{"id":"{ID}","type":"hello","version":999}}"#);
    assert_eq!(refusal(&mut old, &hello).await, (true, ErrorCode::BadVersion));
    assert_eq!(end(&mut old).await.code, Some(close::VERSION));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_silent_for_too_long_is_let_go() {
    let server = server(|config| config.websocket.silence_ms = 100).await;
    let mut silent = socket(&server).await;
    assert_eq!(end(&mut silent).await.code, Some(close::SILENT));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_done_for_a_client_before_it_says_hello() {
    let server = server(|_| {}).await;
    let guest = Client::guest(&server.url).await.expect("guests are welcome");
    let mut socket = guest.socket().await.expect("opens");
    assert!(matches!(next(&mut socket).await, ServerMessage::Hello { .. }));
    let ping = format!(r#"{{"id":"{ID}","type":"ping"}}"#);
    assert_eq!(refusal(&mut socket, &ping).await, (true, ErrorCode::BadRequest));
    let hello = format!(r#"{{"id":"{ID}","type":"hello","version":1,"client":"late"}}"#);
    for text in [hello, ping] {
        socket.send_text(text.into()).await.expect("open");
        let answer = next(&mut socket).await;
        assert!(matches!(answer, ServerMessage::Ok { .. }), "{answer:?}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_user_may_have_so_many_sockets_and_no_more() {
    let server = server(|config| config.websocket.max_per_user = 2).await;
    let client = Client::guest(&server.url).await.expect("guests are welcome");
    let mut sockets = Vec::new();
    for _ in 0..2 {
        let mut socket = client.socket().await.expect("opens");
        socket.greet("test").await.expect("greeted");
        sockets.push(socket);
    }
    let mut third = client.socket().await.expect("opens, to be told why it closes");
    assert_eq!(end(&mut third).await.code, Some(close::TOO_MANY_SOCKETS));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_is_announced_and_closes_with_1012() {
    let server = server(|_| {}).await;
    let mut socket = socket(&server).await;
    let stopping = tokio::spawn(server.stop());
    assert_eq!(next(&mut socket).await, ServerMessage::Stopping);
    assert_eq!(end(&mut socket).await.code, Some(close::RESTART));
    stopping.await.expect("stops");
}
