//! Clients that flood, forge and break the protocol: they are answered or closed, and nobody else notices.

use std::time::Duration;

use kingscross_client::{Client, ConnectError, Credentials, Lost, Socket, Unanswered};
use kingscross_engine::Variant;
use kingscross_protocol::{
    ClientMessage, CommandId, ErrorCode, GameId, Request, SeatLetter, ServerMessage, TimeControl, close,
};
use kingscross_tests::{
    Database, Server, Stored, TestPlayer, Until, guest_clients, on_both_databases, persistent, play_all,
    start_tracked,
};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{Frame, FrameHeader};

const LIMIT: Duration = Duration::from_secs(120);

on_both_databases!(
    broken_frames_close_their_own_socket_with_their_own_code,
    what_cannot_be_read_is_answered_and_a_flood_of_it_closes_the_socket,
    a_spectator_cannot_change_a_game,
    a_player_cannot_play_for_another_or_for_another_moment,
    a_command_sent_again_has_its_first_answer_and_another_under_its_id_is_refused,
    strangers_and_other_protocol_versions_are_kept_out,
);

async fn greeted(client: &Client) -> Socket {
    let mut socket = client.socket().await.expect("a socket");
    socket.greet("hostile").await.expect("a greeting");
    // The answer to our hello.
    next(&mut socket).await;
    socket
}

async fn next(socket: &mut Socket) -> ServerMessage {
    let text = tokio::time::timeout(LIMIT, socket.next()).await.expect("in time").expect("a message");
    serde_json::from_str(&text).expect("a message of the protocol")
}

/// Reads until the server closes the socket.
async fn end(socket: &mut Socket) -> Lost {
    let ended = async {
        loop {
            if let Err(lost) = socket.next().await {
                return lost;
            }
        }
    };
    tokio::time::timeout(LIMIT, ended).await.expect("the server closes the socket")
}

/// Two players of cross-a, the quickest game to start_tracked, and their game.
async fn pair(server: &Server) -> (Vec<TestPlayer>, GameId) {
    let mut players = Vec::new();
    for (seed, guest) in guest_clients(&server.url, Variant::CrossA).await.into_iter().enumerate() {
        players.push(TestPlayer::connect_with(&guest, persistent(), seed as u64).await);
    }
    let game = start_tracked(&mut players, Variant::CrossA, TimeControl::increment(600_000, 0)).await;
    (players, game)
}

fn first_move(player: &TestPlayer) -> Request {
    let view = player.view.as_ref().expect("watching");
    let legal = view.legal.as_ref().expect("on turn");
    Request::Move { game: view.game, ply: view.board.ply, mv: legal[0].mv.clone() }
}

async fn refusal(player: &TestPlayer, request: Request) -> ErrorCode {
    match player.connection.request(request.clone()).await {
        Err(Unanswered::Refused(refusal)) => refusal.error.code,
        other => panic!("{request:?}: {other:?}"),
    }
}

async fn broken_frames_close_their_own_socket_with_their_own_code(database: Database) {
    let server = Server::start(&database).await;
    let (mut players, game) = pair(&server).await;
    let guest = Client::guest(&server.url).await.expect("a guest");

    let mut socket = greeted(&guest).await;
    socket.send_frame(Message::Binary(b"{}".to_vec().into())).await.expect("sent");
    assert_eq!(end(&mut socket).await.code, Some(close::BINARY));

    let mut socket = greeted(&guest).await;
    let large = format!(r#"{{"id":"{}","type":"ping","x":"{}"}}"#, CommandId::fresh(), "x".repeat(9000));
    socket.send_text(large.into()).await.expect("sent");
    assert_eq!(end(&mut socket).await.code, Some(close::TOO_BIG));

    let mut socket = greeted(&guest).await;
    let header = FrameHeader { opcode: OpCode::Data(Data::Text), ..FrameHeader::default() };
    let broken = Frame::from_payload(header, vec![0xff, 0xfe, 0xfd].into());
    socket.send_frame(Message::Frame(broken)).await.expect("sent");
    assert_eq!(end(&mut socket).await.code, Some(close::BAD_UTF8));

    let mut socket = greeted(&guest).await;
    socket.send_raw(&[0xff; 64]).await.expect("sent");
    assert!(end(&mut socket).await.code.is_none_or(|code| code == 1002));

    // Neither the same guest's next socket nor anyone's game has taken harm.
    greeted(&guest).await;
    let views = play_all(&mut players, &Until::ply(10)).await;
    let stored = Stored::read(&server.store, game).await;
    stored.check_views(&views);
    server.stop().await;
}

async fn what_cannot_be_read_is_answered_and_a_flood_of_it_closes_the_socket(database: Database) {
    let server = Server::start_with(&database, |config| config.limits.flood_messages = 20).await;
    let guest = Client::guest(&server.url).await.expect("a guest");
    let mut socket = greeted(&guest).await;
    let id = CommandId::fresh();
    let unreadable = [
        ("no JSON".to_owned(), None),
        ("[]".to_owned(), None),
        (format!(r#"{{"id":"{id}","type":"teleport"}}"#), Some(id)),
        (format!(r#"{{"id":"{id}","type":"move","game":7}}"#), Some(id)),
        (format!(r#"{{"id":"{id}"}}"#), Some(id)),
        (r#"{"type":"ping"}"#.to_owned(), None),
        (format!(r#"{{"id":"{id}","type":"vote","game":"{}"}}"#, GameId::fresh()), Some(id)),
    ];
    for (text, answered) in unreadable {
        socket.send_text(text.clone().into()).await.expect("sent");
        match next(&mut socket).await {
            ServerMessage::Error { id, error, .. } => {
                assert_eq!((error.code, id), (ErrorCode::BadRequest, answered), "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    let ping = ClientMessage { id, request: Request::Ping };
    socket.send(&ping).await.expect("sent");
    assert!(matches!(next(&mut socket).await, ServerMessage::Ok { now: Some(_), .. }));

    let mut answers = 0;
    let lost = loop {
        // Once the server has closed, writing may fail before the close is read.
        let _ = socket.send_text("no JSON".into()).await;
        match socket.next().await {
            Ok(_) => answers += 1,
            Err(lost) => break lost,
        }
    };
    assert_eq!(lost.code, Some(close::FLOOD));
    assert!((10..=20).contains(&answers), "{answers} answers to a flood");
    greeted(&guest).await;
    server.stop().await;
}

async fn a_spectator_cannot_change_a_game(database: Database) {
    let server = Server::start(&database).await;
    let (mut players, game) = pair(&server).await;
    let guest = Client::guest(&server.url).await.expect("a guest");
    let mut spectator = TestPlayer::connect_with(&guest, persistent(), 5).await;
    spectator.track(game).await;
    let view = spectator.view.as_ref().expect("watching");
    assert_eq!((view.you, view.legal.as_ref()), (None, None), "legal moves are the players'");
    let proposal = kingscross_protocol::ProposalId::fresh();
    let to = SeatLetter('s');
    for request in [
        first_move(&players[0]),
        Request::Resign { game },
        Request::Propose { game, what: kingscross_protocol::ProposalKind::Draw },
        Request::Vote { game, proposal, accept: true },
        Request::GiveTime { game, to },
        Request::Depart { game },
    ] {
        assert_eq!(refusal(&spectator, request).await, ErrorCode::NotAPlayer);
    }
    let before = Stored::read(&server.store, game).await.events.len();
    assert_eq!(before, 1, "only the creation");
    let views = play_all(&mut players, &Until::ply(6)).await;
    Stored::read(&server.store, game).await.check_views(&views);
    server.stop().await;
}

async fn a_player_cannot_play_for_another_or_for_another_moment(database: Database) {
    let server = Server::start(&database).await;
    let (mut players, game) = pair(&server).await;
    let on_turn = usize::from(!players[0].view.as_ref().expect("watching").is_my_turn());
    let wanted = first_move(&players[on_turn]);
    let (Request::Move { mv, .. }, other) = (wanted.clone(), &players[1 - on_turn]) else { panic!("a move") };

    // The other player sends the move of the one on turn.
    assert_eq!(refusal(other, wanted.clone()).await, ErrorCode::NotYourTurn);
    // The one on turn sends it for the past's or the future's ply, and something that is no move.
    let player = &players[on_turn];
    let with = |ply, mv: &str| Request::Move { game, ply, mv: mv.to_owned() };
    assert_eq!(refusal(player, with(3, &mv)).await, ErrorCode::Stale);
    assert_eq!(refusal(player, with(0, "castle")).await, ErrorCode::BadAction);
    assert_eq!(refusal(player, with(0, "offer")).await, ErrorCode::BadAction);
    assert_eq!(refusal(player, with(0, "a1-a1")).await, ErrorCode::IllegalMove);
    for action in ["resign:s", "timeout:n", "leave:n"] {
        let code = refusal(player, with(0, action)).await;
        assert!(matches!(code, ErrorCode::BadAction | ErrorCode::IllegalMove), "{action}: {code:?}");
    }
    let elsewhere = Request::Move { game: GameId::fresh(), ply: 0, mv: mv.clone() };
    assert_eq!(refusal(player, elsewhere).await, ErrorCode::UnknownGame);
    assert_eq!(Stored::read(&server.store, game).await.events.len(), 1, "nothing was played");

    players[on_turn].command(wanted.clone(), None).await;
    assert_eq!(refusal(&players[on_turn], wanted).await, ErrorCode::Stale, "the turn has passed");
    let views = play_all(&mut players, &Until::ply(6)).await;
    Stored::read(&server.store, game).await.check_views(&views);
    server.stop().await;
}

async fn a_command_sent_again_has_its_first_answer_and_another_under_its_id_is_refused(database: Database) {
    let server = Server::start(&database).await;
    let (players, game) = pair(&server).await;
    let on_turn = usize::from(!players[0].view.as_ref().expect("watching").is_my_turn());
    let (player, other) = (&players[on_turn], &players[1 - on_turn]);
    let (id, wanted) = (CommandId::fresh(), first_move(player));
    let asks = player.connection.requester();
    let first = asks.request_as(id, wanted.clone()).await.expect("a legal move");
    assert_eq!(asks.request_as(id, wanted.clone()).await, Ok(first), "the first answer again");
    let resign = Request::Resign { game };
    let reused = asks.request_as(id, resign.clone()).await.expect_err("another command");
    assert_eq!(reused.refusal().map(|body| body.code), Some(ErrorCode::IdReused));

    // An id is its player's own: for another player it is new.
    let theirs = other.connection.requester().request_as(id, resign).await.expect("resigned");
    assert!(theirs.seq > first.seq);
    // Over the end of the game, too.
    assert_eq!(asks.request_as(id, wanted.clone()).await, Ok(first));
    server.stop().await;
}

async fn strangers_and_other_protocol_versions_are_kept_out(database: Database) {
    let server = Server::start(&database).await;
    let address = kingscross_client::Address::parse(&server.url).expect("an address");
    for credentials in
        [Credentials::Token("made-up".to_owned()), Credentials::Cookie("kingscross=made-up".to_owned())]
    {
        let stranger = Client::new(address.clone(), credentials);
        match stranger.socket().await {
            Err(ConnectError::Refused { status: 401, body }) => {
                let body: kingscross_protocol::ErrorBody =
                    serde_json::from_str(&body).expect("an error body");
                assert_eq!(body.code, ErrorCode::Unauthorized);
            }
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("a stranger got in"),
        }
    }
    let guest = Client::guest(&server.url).await.expect("a guest");
    let mut socket = guest.socket().await.expect("a socket");
    let hello = Request::Hello { version: 99, client: "hostile".to_owned() };
    socket.send(&ClientMessage { id: CommandId::fresh(), request: hello }).await.expect("sent");
    assert_eq!(end(&mut socket).await.code, Some(close::VERSION));
    server.stop().await;
}
