//! A client that asks for more than it reads.

use kingscross_client::Socket;
use kingscross_protocol::{ClientMessage, CommandId, GameId, Request};

/// Asks for so many snapshots of a game without reading one, until the server has had enough.
pub async fn ask_for_snapshots(socket: &mut Socket, game: GameId, count: usize) {
    for _ in 0..count {
        let watch = ClientMessage { id: CommandId::fresh(), request: Request::Watch { game, after: None } };
        if socket.send(&watch).await.is_err() {
            return;
        }
    }
}
