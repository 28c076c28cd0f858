//! What a connection does, against a server that follows a script.

mod script;

use std::time::Duration;

use kingscross_client::{CallError, Client, Incoming, Options, Unanswered};
use kingscross_protocol::{
    BootId, CommandId, ErrorBody, ErrorCode, GameId, Request, Seq, ServerMessage, TimeControl, close,
};
use script::{Script, at_once};

const LIMIT: Duration = Duration::from_secs(20);

async fn limited<T>(test: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIMIT, test).await.expect("the whole test fits into its limit")
}

fn a_move(game: GameId) -> Request {
    Request::Move { game, ply: 0, mv: "e2-e4".to_owned() }
}

/// A message that carries a seq without a whole position.
fn an_event(game: GameId, seq: u32) -> ServerMessage {
    let text = format!(
        r#"{{"type":"event","game":"{game}","seq":{seq},"at":0,"hash":"00000000000000aa",
            "event":{{"kind":"departed","seat":"s"}},"clocks":{{"remaining":[]}}}}"#
    );
    serde_json::from_str(&text).expect("an event")
}

#[tokio::test]
async fn a_guest_is_known_by_the_cookie_that_the_server_gave() {
    limited(async {
        let script = Script::bind().await;
        let answer =
            "HTTP/1.1 200 OK\r\nset-cookie: kingscross=abc; HttpOnly; Path=/\r\ncontent-length: 2\r\n\r\n{}";
        let url = script.url();
        let (client, asked) = tokio::join!(Client::guest(&url), script.answer_http(answer));
        let client = client.expect("a guest");
        assert!(asked.starts_with("POST /api/v1/guest HTTP/1.1\r\n"), "{asked}");
        let (connection, end) = tokio::join!(client.connect_with(at_once()), script.accept(BootId::fresh()));
        assert_eq!(connection.expect("connected").user().name, "Ada");
        assert!(
            end.upgrade.contains(&("cookie".to_owned(), "kingscross=abc".to_owned())),
            "{:?}",
            end.upgrade
        );
        assert!(end.upgrade.contains(&("origin".to_owned(), script.url())), "{:?}", end.upgrade);
    })
    .await;
}

#[tokio::test]
async fn a_token_goes_into_the_header_and_a_refusal_comes_back_as_its_code() {
    limited(async {
        let script = Script::bind().await;
        let body =
            serde_json::to_string(&ErrorBody::new(ErrorCode::Unauthorized, "No.")).expect("plain data");
        let answer = format!("HTTP/1.1 401 Unauthorized\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let client = script.client();
        let (me, asked) = tokio::join!(client.me(), script.answer_http(&answer));
        assert!(asked.contains("authorization: Bearer secret\r\n"), "{asked}");
        match me {
            Err(CallError::Refused { status: 401, body }) => assert_eq!(body.code, ErrorCode::Unauthorized),
            other => panic!("{other:?}"),
        }
    })
    .await;
}

#[tokio::test]
async fn answers_find_their_requests_in_any_order() {
    limited(async {
        let (_script, connection, mut end) = Script::connected(at_once()).await;
        let asks = connection.requester();
        let (game, other) = (GameId::fresh(), GameId::fresh());
        let server = async {
            let first = end.hear().await;
            let second = end.hear().await;
            end.refuse(second.id, ErrorBody::new(ErrorCode::Stale, "Late.")).await;
            let ok =
                ServerMessage::Ok { id: first.id, seq: Some(Seq(7)), game: None, lobby: None, now: None };
            end.say(&ok).await;
        };
        let (done, refused, ()) =
            tokio::join!(asks.request(a_move(game)), connection.request(a_move(other)), server);
        assert_eq!(done.expect("done").seq, Some(Seq(7)));
        assert_eq!(refused.expect_err("refused").refusal().map(|body| body.code), Some(ErrorCode::Stale));
    })
    .await;
}

#[tokio::test]
async fn a_request_without_an_answer_times_out() {
    limited(async {
        let options = Options { timeout: Duration::from_millis(20), ..at_once() };
        let (_script, connection, _end) = Script::connected(options).await;
        let answer = connection.request(Request::WatchLobbies).await;
        assert_eq!(answer, Err(Unanswered::TimedOut));
    })
    .await;
}

#[tokio::test]
async fn an_answer_to_nothing_asked_is_shown_to_the_user() {
    limited(async {
        let (_script, mut connection, mut end) = Script::connected(at_once()).await;
        let asked = async {
            let id = end.hear().await.id;
            end.ok(id).await;
            end.ok(id).await;
        };
        let (answer, ()) = tokio::join!(connection.request(Request::WatchLobbies), asked);
        answer.expect("the first answer");
        let message = connection.message().await.expect("the second answer");
        assert!(matches!(message, ServerMessage::Ok { .. }), "{message:?}");
    })
    .await;
}

#[tokio::test]
async fn a_lost_connection_resumes_after_the_last_event_and_repeats_commands_under_their_ids() {
    limited(async {
        let second = BootId::fresh();
        let (script, mut connection, mut end) = Script::connected(at_once()).await;
        let game = GameId::fresh();
        let watch = Request::Watch { game, after: None };
        let (watching, ()) = tokio::join!(connection.request(watch), async {
            let id = end.hear().await.id;
            end.ok(id).await;
            end.say(&an_event(game, 4)).await;
        });
        watching.expect("watching");
        connection.message().await.expect("the event");

        let id = CommandId::fresh();
        let asks = connection.requester();
        let server = async {
            let command = end.hear().await;
            assert_eq!(command.id, id);
            end.close(close::RESTART).await;
            let mut end = script.accept(second).await;
            let rewatch = end.hear().await;
            assert_eq!(rewatch.request, Request::Watch { game, after: Some(Seq(4)) });
            end.ok(rewatch.id).await;
            let again = end.hear().await;
            assert_eq!(again, command);
            end.ok(again.id).await;
            end
        };
        let (done, _end) = tokio::join!(asks.request_as(id, a_move(game)), server);
        done.expect("answered after the restart");
        assert!(
            matches!(connection.next().await, Some(Incoming::Lost(lost)) if lost.code == Some(close::RESTART))
        );
        assert_eq!(connection.next().await, Some(Incoming::Resumed { boot: second }));
    })
    .await;
}

/// A game's end, with nothing around it.
fn an_end(game: GameId, seq: u32) -> ServerMessage {
    let text = format!(
        r#"{{"type":"event","game":"{game}","seq":{seq},"at":0,"hash":"00000000000000aa",
            "event":{{"kind":"finished","reason":"throne","winners":["s"],"placements":[]}},
            "clocks":{{"remaining":[]}}}}"#
    );
    serde_json::from_str(&text).expect("an event")
}

#[tokio::test]
async fn games_that_are_over_are_not_asked_for_again() {
    limited(async {
        let (script, mut connection, mut end) = Script::connected(at_once()).await;
        let (running, mut last) = (GameId::fresh(), GameId::fresh());
        for number in 0..300 {
            let game = if number == 0 { running } else { GameId::fresh() };
            let watch = Request::Watch { game, after: None };
            let (watching, ()) = tokio::join!(connection.request(watch), async {
                let id = end.hear().await.id;
                end.ok(id).await;
                if game == running {
                    end.say(&an_event(game, 2)).await;
                } else {
                    end.say(&an_end(game, 2)).await;
                    last = game;
                }
            });
            watching.expect("watching");
            connection.message().await.expect("the event");
        }
        end.close(close::RESTART).await;
        let mut end = script.accept(BootId::fresh()).await;
        let mut asked = Vec::new();
        for _ in 0..2 {
            let again = end.hear().await;
            end.ok(again.id).await;
            asked.push(again.request);
        }
        for game in [running, last] {
            assert!(asked.contains(&Request::Watch { game, after: Some(Seq(2)) }), "{asked:?}");
        }
        let (answer, next) = tokio::join!(connection.request(Request::WatchLobbies), async {
            let next = end.hear().await;
            end.ok(next.id).await;
            next.request
        });
        answer.expect("watching");
        assert_eq!(next, Request::WatchLobbies, "nothing else was asked for");
    })
    .await;
}

#[tokio::test]
async fn what_the_server_was_too_busy_to_resume_is_asked_for_again() {
    limited(async {
        let options = Options { ping: Duration::from_millis(20), ..at_once() };
        let (script, connection, mut end) = Script::connected(options).await;
        let game = GameId::fresh();
        let watch = Request::Watch { game, after: None };
        let (watching, ()) = tokio::join!(connection.request(watch.clone()), async {
            let id = end.hear_but_pings().await.id;
            end.ok(id).await;
        });
        watching.expect("watching");
        end.close(close::RESTART).await;
        let mut end = script.accept(BootId::fresh()).await;
        for _ in 0..3 {
            let again = end.hear_but_pings().await;
            assert_eq!(again.request, watch);
            end.refuse(again.id, ErrorBody::new(ErrorCode::Unavailable, "Busy.")).await;
        }
        let again = end.hear_but_pings().await;
        assert_eq!(again.request, watch);
    })
    .await;
}

#[tokio::test]
async fn an_answer_comes_through_although_nobody_reads_the_rest() {
    limited(async {
        let options = Options { timeout: Duration::from_secs(5), ..at_once() };
        let (_script, mut connection, mut end) = Script::connected(options).await;
        let game = GameId::fresh();
        // More than waits for a user who does not read.
        let events = 3_000;
        let (answer, ()) = tokio::join!(connection.request(Request::WatchLobbies), async {
            let id = end.hear().await.id;
            for seq in 1..=events {
                end.say(&an_event(game, seq)).await;
            }
            end.ok(id).await;
        });
        answer.expect("answered");
        for seq in 1..=events {
            match connection.message().await.expect("nothing is lost") {
                ServerMessage::Event(event) => assert_eq!(event.seq, Seq(seq)),
                other => panic!("{other:?}"),
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_command_that_its_user_gave_up_on_is_not_sent_again() {
    limited(async {
        let options = Options { timeout: Duration::from_millis(50), ..at_once() };
        let (script, connection, mut end) = Script::connected(options).await;
        let game = GameId::fresh();
        assert_eq!(connection.request(Request::Resign { game }).await, Err(Unanswered::TimedOut));
        end.hear().await;
        end.close(close::RESTART).await;
        let mut end = script.accept(BootId::fresh()).await;
        let asks = connection.requester();
        let asked = tokio::spawn(async move { asks.request(Request::WatchLobbies).await });
        assert_eq!(end.hear().await.request, Request::WatchLobbies);
        asked.await.expect("no panic").ok();
    })
    .await;
}

fn play_now() -> Request {
    let time = Some(TimeControl::increment(60_000, 0));
    Request::PlayNow { variant: kingscross_engine::Variant::Crossfire, time, level: None }
}

#[tokio::test]
async fn what_the_server_remembers_is_repeated_in_order_under_its_id() {
    limited(async {
        let boot = BootId::fresh();
        let (script, connection, mut end) = Script::connected_to(boot, at_once()).await;
        let asks = connection.requester();
        let ids: Vec<_> = (0..8).map(|_| CommandId::fresh()).collect();
        // Ids that do not sort by time, as other programs make them.
        let ids: Vec<_> = ids.into_iter().rev().collect();
        let mut answers = Vec::new();
        for &id in &ids {
            let asks = asks.clone();
            answers.push(tokio::spawn(async move { asks.request_as(id, play_now()).await }));
            assert_eq!(end.hear().await.id, id);
        }
        end.close(close::RESTART).await;
        let mut end = script.accept(boot).await;
        for &id in &ids {
            let again = end.hear().await;
            assert_eq!((again.id, again.request), (id, play_now()));
            end.ok(id).await;
        }
        for answer in answers {
            answer.await.expect("no panic").expect("carried out");
        }
    })
    .await;
}

#[tokio::test]
async fn what_a_restarted_server_has_forgotten_is_not_repeated() {
    limited(async {
        let (script, connection, mut end) = Script::connected(at_once()).await;
        let (answer, mut end) = tokio::join!(connection.request(play_now()), async {
            end.hear().await;
            end.close(close::RESTART).await;
            script.accept(BootId::fresh()).await
        });
        assert!(matches!(answer, Err(Unanswered::Lost(_))), "{answer:?}");
        let (next, heard) = tokio::join!(connection.request(Request::WatchLobbies), async {
            let next = end.hear().await;
            end.ok(next.id).await;
            next.request
        });
        next.expect("answered");
        assert_eq!(heard, Request::WatchLobbies);
    })
    .await;
}

#[tokio::test]
async fn what_the_server_has_forgotten_by_now_is_not_repeated() {
    limited(async {
        let boot = BootId::fresh();
        let options = Options { remembered: Duration::ZERO, ..at_once() };
        let (script, connection, mut end) = Script::connected_to(boot, options).await;
        let (answer, _end) = tokio::join!(connection.request(play_now()), async {
            end.hear().await;
            end.close(close::RESTART).await;
            script.accept(boot).await
        });
        assert!(matches!(answer, Err(Unanswered::Lost(_))), "{answer:?}");
    })
    .await;
}

#[tokio::test]
async fn a_refusal_says_how_far_the_game_is() {
    limited(async {
        let (_script, connection, mut end) = Script::connected(at_once()).await;
        let (answer, ()) = tokio::join!(connection.request(a_move(GameId::fresh())), async {
            let id = Some(end.hear().await.id);
            let error = ErrorBody::new(ErrorCode::Stale, "Late.");
            let hash = Some("00000000000000aa".to_owned());
            end.say(&ServerMessage::Error { id, error, seq: Some(Seq(9)), hash }).await;
        });
        match answer {
            Err(Unanswered::Refused(refusal)) => {
                assert_eq!(refusal.seq, Some(Seq(9)));
                assert_eq!(refusal.hash.as_deref(), Some("00000000000000aa"));
            }
            other => panic!("{other:?}"),
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_that_falls_silent_is_pinged_and_then_given_up() {
    limited(async {
        let (ping, silence) = (Duration::from_millis(5), Duration::from_millis(50));
        let options = Options { ping, silence, ..at_once() };
        let (script, mut connection, mut end) = Script::connected(options).await;
        assert_eq!(end.hear().await.request, Request::Ping);
        // The socket stays open and says nothing, like a line behind a black hole.
        assert!(matches!(connection.next().await, Some(Incoming::Lost(lost)) if lost.code.is_none()));
        let _back = script.accept(BootId::fresh()).await;
        assert!(matches!(connection.next().await, Some(Incoming::Resumed { .. })));
    })
    .await;
}

#[tokio::test]
async fn a_revoked_session_ends_the_connection_for_good() {
    limited(async {
        let (_script, mut connection, mut end) = Script::connected(at_once()).await;
        let (answer, ()) = tokio::join!(connection.request(a_move(GameId::fresh())), async {
            end.hear().await;
            end.close(close::SESSION_REVOKED).await;
        });
        assert!(matches!(answer, Err(Unanswered::Lost(_))), "{answer:?}");
        assert!(
            matches!(connection.next().await, Some(Incoming::Ended(lost)) if lost.code == Some(close::SESSION_REVOKED))
        );
        assert_eq!(connection.request(Request::Ping).await, Err(Unanswered::Ended));
    })
    .await;
}

#[tokio::test]
async fn a_server_that_stays_away_ends_the_connection_after_the_attempts() {
    limited(async {
        let (script, mut connection, end) = Script::connected(at_once()).await;
        drop(script);
        drop(end);
        assert!(matches!(connection.next().await, Some(Incoming::Lost(_))));
        assert!(matches!(connection.next().await, Some(Incoming::Ended(_))));
        assert_eq!(connection.next().await, None);
    })
    .await;
}
