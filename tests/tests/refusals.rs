//! A table that refuses one of its players says how far the game is.

use kingscross_client::{Refusal, Unanswered};
use kingscross_engine::Variant;
use kingscross_protocol::{
    CommandId, ErrorCode, GameId, LobbyOptions, ProposalId, ProposalKind, Request, Saying, SeatLetter, Seq,
    ServerMessage, TimeControl,
};
use kingscross_tests::{Database, Server, TestPlayer, on_both_databases, start_game_of_two};

async fn refused(player: &TestPlayer, id: CommandId, request: Request) -> Refusal {
    match player.connection.requester().request_as(id, request.clone()).await {
        Err(Unanswered::Refused(refusal)) => refusal,
        other => panic!("{request:?}: {other:?}"),
    }
}

/// The last stored event, as a refusal tells it.
async fn last(server: &Server, game: GameId) -> (Option<Seq>, Option<String>) {
    let events = server.store.load_events(game, Seq(0)).await.expect("readable");
    let last = events.last().expect("a game has events");
    (Some(last.seq), Some(format!("{:016x}", last.hash)))
}

fn a_move(game: GameId, ply: u32, mv: &str) -> Request {
    Request::Move { game, ply, mv: mv.to_owned() }
}

async fn every_refusal_at_the_table_says_how_far_the_game_is(database: Database) {
    let server = Server::start(&database).await;
    let (mut ada, mut bob) =
        (TestPlayer::account(&server, "Ada").await, TestPlayer::account(&server, "Bob").await);
    let game = start_game_of_two(&mut ada, &mut bob, Variant::CrossA, true).await;
    let moved = CommandId::fresh();
    ada.connection.requester().request_as(moved, a_move(game, 0, "a2-a3")).await.expect("legal");
    let south = SeatLetter('s');
    let vote = Request::Vote { game, proposal: ProposalId::fresh(), accept: true };
    let cases = [
        (a_move(game, 0, "b2-b3"), ErrorCode::Stale),
        (a_move(game, 1, "b2-b3"), ErrorCode::NotYourTurn),
        (vote, ErrorCode::NoOffer),
        (Request::GiveTime { game, to: south }, ErrorCode::Forbidden),
        (Request::Propose { game, what: ProposalKind::Rematch }, ErrorCode::GameRunning),
        (Request::Say { game, what: Saying::Phrase("no such phrase".to_owned()) }, ErrorCode::BadPhrase),
    ];
    let mut expected = last(&server, game).await;
    for (request, code) in cases {
        // The second time it is the answer to the first.
        let id = CommandId::fresh();
        for _ in 0..2 {
            let refusal = refused(&ada, id, request.clone()).await;
            assert_eq!(
                (refusal.error.code, (refusal.seq, refusal.hash)),
                (code, expected.clone()),
                "{request:?}"
            );
        }
    }
    let reused = refused(&ada, moved, a_move(game, 0, "b2-b3")).await;
    assert_eq!((reused.error.code, (reused.seq, reused.hash)), (ErrorCode::IdReused, expected.clone()));
    for (mv, code) in [("z9", ErrorCode::BadAction), ("a7-a1", ErrorCode::IllegalMove)] {
        let refusal = refused(&bob, CommandId::fresh(), a_move(game, 1, mv)).await;
        assert_eq!((refusal.error.code, (refusal.seq, refusal.hash)), (code, expected.clone()), "{mv}");
    }
    // The answer of a command sent again is the first one; how far the game is, is of now.
    let early = CommandId::fresh();
    let first = refused(&ada, early, a_move(game, 1, "b2-b3")).await;
    bob.request(a_move(game, 1, "a7-a6")).await;
    let again = refused(&ada, early, a_move(game, 1, "b2-b3")).await;
    assert_eq!((&again.error, again.seq), (&first.error, first.seq.map(Seq::next)));
    expected = last(&server, game).await;
    assert_eq!((again.seq, again.hash), expected);
    // Somebody else is told nothing about the game.
    let cid = TestPlayer::account(&server, "Cid").await;
    let stranger = refused(&cid, CommandId::fresh(), a_move(game, 2, "b2-b3")).await;
    assert_eq!((stranger.error.code, stranger.seq, stranger.hash), (ErrorCode::NotAPlayer, None, None));

    ada.request(Request::Resign { game }).await;
    expected = last(&server, game).await;
    let over = refused(&bob, CommandId::fresh(), a_move(game, 3, "b7-b6")).await;
    assert_eq!((over.error.code, (over.seq, over.hash)), (ErrorCode::GameOver, expected.clone()));
    let (http, cid) = (bob.http.clone(), cid.http.clone());
    server.stop().await;

    // The game has left memory.
    let server = Server::start(&database).await;
    let at = |mut http: kingscross_tests::Http| {
        let cookie = http.cookie.take();
        let mut http = server.visitor();
        http.cookie = cookie;
        http
    };
    let bob = TestPlayer::connect(&server, at(http)).await;
    let over = refused(&bob, CommandId::fresh(), a_move(game, 3, "b7-b6")).await;
    assert_eq!((over.error.code, (over.seq, over.hash)), (ErrorCode::GameOver, expected));
    let cid = TestPlayer::connect(&server, at(cid)).await;
    let stranger = refused(&cid, CommandId::fresh(), a_move(game, 3, "b7-b6")).await;
    assert_eq!((stranger.error.code, stranger.seq, stranger.hash), (ErrorCode::NotAPlayer, None, None));
    server.stop().await;
}

async fn a_spectator_who_sees_the_game_later_does_not_learn_how_far_it_is(database: Database) {
    let server = Server::start(&database).await;
    let (mut ada, mut eve) =
        (TestPlayer::account(&server, "Ada").await, TestPlayer::account(&server, "Eve").await);
    let options = LobbyOptions {
        variant: Variant::CrossA,
        time: TimeControl::increment(300_000, 3_000),
        rated: false,
        public: true,
        seat: None,
        bots: vec![(SeatLetter('b'), "random".to_owned())],
        both_boards: false,
        in_turn: false,
        free_chat: false,
        spectator_delay: Some(300_000),
    };
    let lobby = ada.request(Request::CreateLobby(options)).await.lobby.expect("a lobby");
    let game = ada.request(Request::StartLobby { lobby }).await.game;
    let game = match game {
        Some(game) => game,
        None => ada.game_start().await,
    };
    eve.request(Request::Watch { game, after: None }).await;
    eve.until(|message| matches!(message, ServerMessage::Snapshot(_)).then_some(())).await;
    let what = Saying::Phrase("no such phrase".to_owned());
    let refusal = refused(&eve, CommandId::fresh(), Request::Say { game, what: what.clone() }).await;
    assert_eq!((refusal.error.code, refusal.seq, refusal.hash), (ErrorCode::BadPhrase, None, None));
    let refusal = refused(&ada, CommandId::fresh(), Request::Say { game, what }).await;
    assert!(refusal.seq.is_some() && refusal.hash.is_some(), "{refusal:?}");
    server.stop().await;
}

on_both_databases!(
    every_refusal_at_the_table_says_how_far_the_game_is,
    a_spectator_who_sees_the_game_later_does_not_learn_how_far_it_is,
);
