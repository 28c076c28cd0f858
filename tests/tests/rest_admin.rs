//! Moderators and administrators act on a running server: over REST, and from the command line through the database.

use kingscross_client::Incoming;
use kingscross_engine::Variant;
use kingscross_protocol::{AuditAction, Event, GameId, Request, Role, ServerMessage, Timestamp};
use kingscross_server::AdminActions;
use kingscross_server::Clock;
use kingscross_server::config::Config;
use kingscross_server::ratings::{Pool, rebuild};
use kingscross_server::verify;
use kingscross_storage::Store;
use kingscross_tests::{Database, Http, Server, TestPlayer, on_both_databases, start_game_of_two};
use serde_json::{Value, json};

on_both_databases!(
    a_banned_players_sockets_close_at_once_and_no_session_is_left,
    a_running_game_is_ended_for_everyone_who_is_in_it,
    the_command_line_reaches_the_running_server,
    a_game_is_annulled_while_others_of_its_pool_end,
    reports_are_listed_and_resolved,
);

fn actions(store: &Store) -> AdminActions<'_> {
    AdminActions { store, actor: None, now: Clock::system().now() }
}

/// An account with a role.
async fn official(server: &Server, name: &str, role: Role) -> Http {
    let http = server.account(name).await;
    actions(&server.store).grant(name, role).await.expect("granted");
    http
}

/// The code that a socket was closed with.
async fn closed(player: &mut TestPlayer) -> Option<u16> {
    loop {
        match player.connection.next().await.expect("an end") {
            Incoming::Ended(lost) => return lost.code,
            Incoming::Message(_) | Incoming::Lost(_) | Incoming::Resumed { .. } => {}
        }
    }
}

/// Waits until a player is told that the game was aborted.
async fn aborted(player: &mut TestPlayer, game: GameId) {
    player
        .until(|message| match message {
            ServerMessage::Event(told) if told.game == game => {
                matches!(told.event, Event::Aborted { .. }).then_some(())
            }
            _ => None,
        })
        .await;
}

async fn a_banned_players_sockets_close_at_once_and_no_session_is_left(database: Database) {
    let server = Server::start(&database).await;
    let mut judge = official(&server, "Judge", Role::Moderator).await;
    let mut player = TestPlayer::account(&server, "Ada").await;
    let id = player.user().id;
    let path = format!("/api/v1/admin/users/{id}/ban");
    let why = json!({ "why": "insults" });
    assert_eq!(
        player.http.put(&path, &why).await.refusal(),
        (403, "forbidden".into()),
        "a player bans nobody"
    );
    assert_eq!(judge.put(&path, &why).await.status, 204);
    assert_eq!(closed(&mut player).await, Some(4002));
    assert_eq!(player.http.get("/api/v1/me").await.status, 401);
    let again = json!({ "name": "Ada", "password": kingscross_tests::PASSWORD });
    assert_eq!(server.visitor().post("/api/v1/session", &again).await.refusal(), (403, "forbidden".into()));
    assert_eq!(judge.delete(&path).await.status, 204);
    assert_eq!(server.visitor().post("/api/v1/session", &again).await.status, 200);
    let me = judge.get("/api/v1/me").await.json()["id"].as_str().expect("an id").to_owned();
    let own = format!("/api/v1/admin/users/{me}/ban");
    assert_eq!(judge.put(&own, &why).await.refusal(), (409, "conflict".into()));
    assert_eq!(judge.get("/api/v1/admin/audit").await.refusal(), (403, "forbidden".into()));
    server.stop().await;
}

async fn a_running_game_is_ended_for_everyone_who_is_in_it(database: Database) {
    let server = Server::start(&database).await;
    let mut judge = official(&server, "Judge", Role::Moderator).await;
    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let game = start_game_of_two(&mut ada, &mut bob, Variant::CrossA, true).await;
    for player in [&ada, &bob] {
        player.request(Request::Watch { game, after: None }).await;
    }
    let path = format!("/api/v1/admin/games/{game}/end");
    let why = json!({ "why": "a test" });
    assert_eq!(ada.http.post(&path, &why).await.refusal(), (403, "forbidden".into()));
    assert_eq!(judge.post(&path, &why).await.status, 204);
    aborted(&mut ada, game).await;
    aborted(&mut bob, game).await;
    assert_eq!(ada.refusal(Request::Resign { game }).await, "game_over");
    assert_eq!(judge.post(&path, &why).await.refusal(), (409, "conflict".into()));
    let unknown = format!("/api/v1/admin/games/{}/end", GameId::fresh());
    assert_eq!(judge.post(&unknown, &why).await.refusal(), (404, "unknown_game".into()));
    let view = server.visitor().get(&format!("/api/v1/games/{game}")).await.json();
    assert_eq!((&view["status"], view.get("rating_changes")), (&json!("aborted"), None));
    server.stop().await;
}

/// The command line writes to the database; the server follows its log.
async fn the_command_line_reaches_the_running_server(database: Database) {
    let server = Server::start_with(&database, |config| config.clocks.first_move_ms = 3_600_000).await;
    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let game = start_game_of_two(&mut ada, &mut bob, Variant::CrossB, true).await;
    for player in [&ada, &bob] {
        player.request(Request::Watch { game, after: None }).await;
    }
    let beside = database.open().await;
    actions(&beside).end(game, &Config::defaults(), "a test").await.expect("ended");
    aborted(&mut ada, game).await;
    aborted(&mut bob, game).await;
    assert_eq!(bob.refusal(Request::Resign { game }).await, "game_over");
    // Both are free to play on.
    let next = start_game_of_two(&mut ada, &mut bob, Variant::CrossB, true).await;
    actions(&beside).ban("Ada", "a test").await.expect("banned");
    assert_eq!(closed(&mut ada).await, Some(4002));
    bob.request(Request::Watch { game: next, after: None }).await;
    bob.request(Request::Resign { game: next }).await;
    let report = verify(&beside, &Config::defaults(), |_| {}).await.expect("verified");
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    beside.close().await;
    server.stop().await;
}

async fn a_game_is_annulled_while_others_of_its_pool_end(database: Database) {
    let server = Server::start_with(&database, |config| config.clocks.first_move_ms = 3_600_000).await;
    let mut admin = official(&server, "Chief", Role::Admin).await;
    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let mut games = Vec::new();
    for _ in 0..8 {
        games.push(start_game_of_two(&mut ada, &mut bob, Variant::CrossA, true).await);
    }
    let annulment = |game: GameId| format!("/api/v1/admin/games/{game}/annulment");
    let why = json!({ "why": "a test" });
    assert_eq!(admin.put(&annulment(games[0]), &why).await.refusal(), (409, "conflict".into()), "it runs");
    ada.request(Request::Resign { game: games[0] }).await;
    // The pool is computed anew while games in it end.
    let ends = async {
        for &game in &games[1..] {
            bob.request(Request::Resign { game }).await;
        }
    };
    let path = annulment(games[0]);
    let (answer, ()) = tokio::join!(admin.put(&path, &why), ends);
    assert_eq!(answer.status, 204, "{}", answer.text());
    let found = rebuild(&server.store, Pool::of(Variant::CrossA)).await.expect("computed");
    assert_eq!((found.differences.len(), found.games), (0, 7), "{:?}", found.differences);
    let view = admin.get(&format!("/api/v1/games/{}", games[0])).await.json();
    assert!(view["annulled"].is_number());
    assert!(view["rating_changes"].as_array().expect("kept").iter().all(|row| row["annulled"] == true));

    assert_eq!(admin.put(&annulment(games[0]), &why).await.refusal(), (409, "conflict".into()));
    assert_eq!(admin.delete(&annulment(games[0])).await.status, 204);
    let found = rebuild(&server.store, Pool::of(Variant::CrossA)).await.expect("computed");
    assert_eq!((found.differences.len(), found.games), (0, 8), "{:?}", found.differences);
    let audit = admin.get("/api/v1/admin/audit").await.json();
    let did = |action: &str| audit.as_array().expect("lines").iter().any(|line| line["action"] == action);
    assert!(did("annul") && did("restore") && did("rebuild_ratings"), "{audit}");
    server.stop().await;
}

async fn reports_are_listed_and_resolved(database: Database) {
    let server = Server::start(&database).await;
    let mut judge = official(&server, "Judge", Role::Moderator).await;
    let mut ada = server.account("Ada").await;
    let bob = TestPlayer::account(&server, "Bob").await;
    let filed = json!({ "user": bob.user().id, "reason": "abuse", "note": "he said \u{201c}fool\u{201d}" });
    assert_eq!(ada.post("/api/v1/reports", &filed).await.status, 202);
    assert_eq!(ada.get("/api/v1/admin/reports").await.refusal(), (403, "forbidden".into()));
    let open: Vec<Value> = judge.get("/api/v1/admin/reports").await.read();
    let [report] = open.as_slice() else { panic!("{open:?}") };
    assert_eq!(
        (&report["reporter"]["name"], &report["reported"]["name"], &report["reason"]),
        (&json!("Ada"), &json!("Bob"), &json!("abuse"))
    );
    let path = format!("/api/v1/admin/reports/{}", report["id"].as_str().expect("an id"));
    assert_eq!(judge.post(&path, &json!({ "resolution": " " })).await.refusal(), (400, "bad_text".into()));
    assert_eq!(judge.post(&path, &json!({ "resolution": "warned" })).await.status, 204);
    assert_eq!(
        judge.post(&path, &json!({ "resolution": "warned" })).await.refusal(),
        (404, "not_found".into())
    );
    assert_eq!(judge.get("/api/v1/admin/reports").await.json(), json!([]));
    let export = ada.get("/api/v1/me/export").await.json();
    assert_eq!(export["reports"][0]["resolution"], "warned");
    let audit = server.store.list_audit(9).await.expect("read");
    assert!(
        audit.iter().any(|line| line.action == AuditAction::Resolve
            && line.actor.is_some()
            && line.at > Timestamp(0))
    );

    // A role is a person's: no token has it.
    let made = judge.post("/api/v1/me/tokens", &json!({ "name": "a tool", "scopes": ["read"] })).await.json();
    let mut tool = server.visitor().with_token(made["secret"].as_str().expect("a secret"));
    assert_eq!(tool.get("/api/v1/admin/reports").await.refusal(), (403, "forbidden".into()));
    server.stop().await;
}
