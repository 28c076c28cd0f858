//! The yardstick: a bare axum server that sends every text to all sockets of a room and does nothing else.
//!
//! `kingscross load --compare PATH` starts it and measures it beside the real server, with the same clients. A socket's
//! first text names its room; it is answered to that socket alone.

use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

const QUEUE: usize = 128;

type Room = Arc<Mutex<Vec<mpsc::Sender<Utf8Bytes>>>>;
type Rooms = Arc<Mutex<HashMap<String, Room>>>;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    std::io::stdout().flush()?;
    let router = Router::new().route("/api/v1/ws", get(upgrade)).with_state(Rooms::default());
    axum::serve(
        axum::serve::ListenerExt::tap_io(listener, |stream| {
            // As in the real server: small messages must not wait for more. A socket without it is only slower.
            let _ = stream.set_nodelay(true);
        }),
        router,
    )
    .await
}

async fn upgrade(upgrade: WebSocketUpgrade, State(rooms): State<Rooms>) -> Response {
    // The buffers of the real server.
    upgrade.read_buffer_size(4096).write_buffer_size(4096).on_upgrade(move |socket| serve(socket, rooms))
}

async fn serve(mut socket: WebSocket, rooms: Rooms) {
    let Some(Ok(Message::Text(name))) = socket.recv().await else { return };
    let room = rooms.lock().expect("no panic while held").entry(name.to_string()).or_default().clone();
    let (sender, mut queue) = mpsc::channel(QUEUE);
    room.lock().expect("no panic while held").push(sender);
    if socket.send(Message::Text(name)).await.is_err() {
        return;
    }
    loop {
        tokio::select! {
            text = queue.recv() => match text {
                Some(text) => if socket.send(Message::Text(text)).await.is_err() { return },
                None => return,
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    // A socket that is gone or does not read misses it.
                    room.lock().expect("no panic while held").retain(|each| each.try_send(text.clone()).is_ok());
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            },
        }
    }
}
