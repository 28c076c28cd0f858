//! A command outside of games that is sent again under its id is answered again and not carried out again.

use kingscross_client::{Client, Socket};
use kingscross_protocol::{CommandId, ErrorCode, GameId, LobbyId, ServerMessage};
use kingscross_tests::{Answer, Database, Server, on_both_databases, without_limits};
use serde_json::{Value, json};

/// An answer, as far as it can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Done(Option<GameId>, Option<LobbyId>),
    Refused(ErrorCode),
}

async fn connect(client: &Client) -> Socket {
    let mut socket = client.socket().await.expect("opens");
    let hello = socket.greet("test").await.expect("greeted").hello;
    answer(&mut socket, hello).await;
    socket
}

async fn next(socket: &mut Socket) -> ServerMessage {
    serde_json::from_str(&socket.next().await.expect("open")).expect("a message of the protocol")
}

async fn send(socket: &mut Socket, id: CommandId, request: &Value) {
    let mut message = request.clone();
    message["id"] = json!(id);
    socket.send_text(message.to_string().into()).await.expect("open");
}

async fn answer(socket: &mut Socket, wanted: CommandId) -> Answer {
    loop {
        match next(socket).await {
            ServerMessage::Ok { id, game, lobby, .. } if id == wanted => return Answer::Done(game, lobby),
            ServerMessage::Error { id, error, .. } if id == Some(wanted) => {
                return Answer::Refused(error.code);
            }
            _ => {}
        }
    }
}

async fn ask(socket: &mut Socket, id: CommandId, request: &Value) -> Answer {
    send(socket, id, request).await;
    answer(socket, id).await
}

/// Sends a command under an id of its own, which must be carried out.
async fn done(socket: &mut Socket, request: &Value) -> (CommandId, Answer) {
    let id = CommandId::fresh();
    let answer = ask(socket, id, request).await;
    assert!(matches!(answer, Answer::Done(..)), "{request}: {answer:?}");
    (id, answer)
}

fn a_lobby() -> Value {
    json!({ "type": "create_lobby", "variant": "crossfire", "time": { "initial": 300_000 }, "public": true })
}

fn play_now() -> Value {
    json!({ "type": "play_now", "variant": "crossfire", "level": "random" })
}

async fn what_is_open(socket: &mut Socket) -> (usize, usize) {
    done(socket, &json!({ "type": "watch_lobbies" })).await;
    let listed = loop {
        if let ServerMessage::Lobbies { lobbies, games } = next(socket).await {
            break (lobbies.len(), games.len());
        }
    };
    done(socket, &json!({ "type": "unwatch_lobbies" })).await;
    listed
}

async fn lines_said(socket: &mut Socket, game: GameId) -> usize {
    done(socket, &json!({ "type": "watch", "game": game })).await;
    loop {
        if let ServerMessage::Snapshot(snapshot) = next(socket).await {
            return snapshot.chat.len();
        }
    }
}

async fn a_lobby_a_game_and_a_line_come_about_once(database: Database) {
    let server = Server::start_with(&database, without_limits).await;
    let client = Client::guest(&server.url).await.expect("a guest");
    let (mut one, mut two) = (connect(&client).await, connect(&client).await);
    for request in [a_lobby(), play_now()] {
        let (id, first) = done(&mut one, &request).await;
        assert_eq!(ask(&mut one, id, &request).await, first);
        assert_eq!(ask(&mut two, id, &request).await, first, "on another socket");
        drop(one);
        one = connect(&client).await;
        assert_eq!(ask(&mut one, id, &request).await, first, "after the connection was lost");
    }
    assert_eq!(what_is_open(&mut one).await, (1, 1));

    let (_, Answer::Done(Some(game), _)) = done(&mut one, &play_now()).await else { panic!("no game") };
    let say = json!({ "type": "say", "game": game, "phrase": "good_luck" });
    let (id, first) = done(&mut one, &say).await;
    for socket in [&mut one, &mut two] {
        assert_eq!(ask(socket, id, &say).await, first);
    }
    assert_eq!(lines_said(&mut one, game).await, 1);
    done(&mut one, &say).await;
    assert_eq!(lines_said(&mut two, game).await, 2, "another id is another line");
    server.stop().await;
}

async fn an_id_belongs_to_one_command(database: Database) {
    let server = Server::start_with(&database, without_limits).await;
    let client = Client::guest(&server.url).await.expect("a guest");
    let (mut one, mut two) = (connect(&client).await, connect(&client).await);
    let (id, first) = done(&mut one, &a_lobby()).await;
    let mut other = a_lobby();
    other["public"] = json!(false);
    for request in [&other, &play_now(), &json!({ "type": "leave_queue" })] {
        for socket in [&mut one, &mut two] {
            assert_eq!(ask(socket, id, request).await, Answer::Refused(ErrorCode::IdReused), "{request}");
        }
    }
    // What is left out is what stands for it.
    let mut same = a_lobby();
    same["rated"] = json!(false);
    assert_eq!(ask(&mut two, id, &same).await, first);
    assert_eq!(what_is_open(&mut one).await, (1, 0));
    // Other users have ids of their own.
    let stranger = Client::guest(&server.url).await.expect("a guest");
    let theirs = ask(&mut connect(&stranger).await, id, &a_lobby()).await;
    assert!(matches!(theirs, Answer::Done(..)) && theirs != first, "{theirs:?}");
    server.stop().await;
}

async fn a_late_repeat_undoes_nothing(database: Database) {
    let server = Server::start_with(&database, without_limits).await;
    let (client, guest) = (
        Client::guest(&server.url).await.expect("a guest"),
        Client::guest(&server.url).await.expect("a guest"),
    );
    let (mut host, mut other) = (connect(&client).await, connect(&guest).await);
    let (_, Answer::Done(_, Some(lobby))) = done(&mut host, &a_lobby()).await else { panic!("no lobby") };
    let of_lobby = |kind: &str, more: Value| {
        let mut request = json!({ "type": kind, "lobby": lobby });
        request.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        request
    };
    let user = guest.me().await.expect("a guest").id;
    // Each command, and the one that takes back what it did.
    let pairs = [
        (of_lobby("take_seat", json!({ "seat": "n" })), of_lobby("take_seat", json!({ "seat": "s" }))),
        (
            of_lobby("seat_bot", json!({ "seat": "w", "level": "random" })),
            of_lobby("seat_bot", json!({ "seat": "w", "level": null })),
        ),
        (
            json!({ "type": "mute", "user": user, "muted": true }),
            json!({ "type": "mute", "user": user, "muted": false }),
        ),
    ];
    for (does, undoes) in &pairs {
        let (id, first) = done(&mut host, does).await;
        done(&mut host, undoes).await;
        assert_eq!(ask(&mut host, id, does).await, first, "{does}");
    }
    let mutes: Vec<Value> = client.get("/api/v1/me/mutes").await.expect("a list");
    assert_eq!(mutes, [] as [Value; 0]);
    // The seats are where they were: a bot and a guest fit in beside the host, on the seats named.
    done(&mut host, &of_lobby("seat_bot", json!({ "seat": "n", "level": "random" }))).await;
    let join = of_lobby("join_lobby", json!({ "seat": "w" }));
    let (joined, first) = done(&mut other, &join).await;
    let leave = of_lobby("leave_lobby", json!({}));
    let (left, _) = done(&mut other, &leave).await;
    assert_eq!(ask(&mut other, joined, &join).await, first);
    let unseat = of_lobby("unseat", json!({ "seat": "w" }));
    let (again, _) = done(&mut other, &join).await;
    assert_ne!(again, joined);
    ask(&mut other, left, &leave).await;
    // Still there, so that the host can send it away; and once.
    let (sent, first) = done(&mut host, &unseat).await;
    done(&mut other, &join).await;
    assert_eq!(ask(&mut host, sent, &unseat).await, first);
    done(&mut host, &unseat).await;
    // A start that was refused stays refused under its id.
    let start = of_lobby("start_lobby", json!({}));
    let refused = CommandId::fresh();
    assert_eq!(ask(&mut host, refused, &start).await, Answer::Refused(ErrorCode::NotReady));
    for seat in ["w", "e"] {
        done(&mut host, &of_lobby("seat_bot", json!({ "seat": seat, "level": "random" }))).await;
    }
    assert_eq!(ask(&mut host, refused, &start).await, Answer::Refused(ErrorCode::NotReady));
    let (id, first) = done(&mut host, &start).await;
    assert_eq!(ask(&mut host, id, &start).await, first);
    server.stop().await;
}

async fn a_late_repeat_does_not_queue_again(database: Database) {
    let server = Server::start_with(&database, without_limits).await;
    let client = Client::guest(&server.url).await.expect("a guest");
    let mut socket = connect(&client).await;
    let pools: Vec<Value> = client.get("/api/v1/pools").await.expect("pools");
    let join = json!({ "type": "join_queue", "pools": [pools[0]["pool"]], "bots": false });
    let (joined, first) = done(&mut socket, &join).await;
    let leave = json!({ "type": "leave_queue" });
    let (left, _) = done(&mut socket, &leave).await;
    assert_eq!(ask(&mut socket, joined, &join).await, first);
    let fresh = CommandId::fresh();
    assert_eq!(ask(&mut socket, fresh, &leave).await, Answer::Refused(ErrorCode::NotQueued));
    done(&mut socket, &join).await;
    assert!(matches!(ask(&mut socket, left, &leave).await, Answer::Done(..)));
    assert_eq!(ask(&mut socket, fresh, &leave).await, Answer::Refused(ErrorCode::NotQueued));
    // Still queued.
    done(&mut socket, &leave).await;
    let confirm = json!({ "type": "confirm", "match": "x" });
    let id = CommandId::fresh();
    for _ in 0..2 {
        assert_eq!(ask(&mut socket, id, &confirm).await, Answer::Refused(ErrorCode::NoMatch));
    }
    server.stop().await;
}

async fn two_sockets_at_once_start_one_game(database: Database) {
    let server = Server::start_with(&database, without_limits).await;
    let client = Client::guest(&server.url).await.expect("a guest");
    let mut sockets = Vec::new();
    for _ in 0..4 {
        sockets.push(connect(&client).await);
    }
    for _ in 0..10 {
        let id = CommandId::fresh();
        // All are sent before any answer is read.
        for socket in &mut sockets {
            send(socket, id, &play_now()).await;
            send(socket, id, &play_now()).await;
        }
        let mut answers = Vec::new();
        for socket in &mut sockets {
            answers.push(answer(socket, id).await);
            answers.push(answer(socket, id).await);
        }
        assert!(matches!(answers[0], Answer::Done(Some(_), None)), "{:?}", answers[0]);
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    }
    assert_eq!(what_is_open(&mut sockets[0]).await, (0, 10));
    server.stop().await;
}

/// Documented: a client looks at the boot id and does not send such commands again.
async fn a_restarted_server_has_forgotten(database: Database) {
    let server = Server::start_with(&database, without_limits).await;
    let client = Client::guest(&server.url).await.expect("a guest");
    let (id, first) = done(&mut connect(&client).await, &play_now()).await;
    server.stop().await;
    let server = Server::start_with(&database, without_limits).await;
    let client = client.at(kingscross_client::Address::parse(&server.url).expect("an address"));
    let again = ask(&mut connect(&client).await, id, &play_now()).await;
    assert!(matches!(again, Answer::Done(Some(_), None)) && again != first, "{again:?}");
    server.stop().await;
}

on_both_databases!(
    a_lobby_a_game_and_a_line_come_about_once,
    an_id_belongs_to_one_command,
    a_late_repeat_undoes_nothing,
    a_late_repeat_does_not_queue_again,
    two_sockets_at_once_start_one_game,
    a_restarted_server_has_forgotten,
);
