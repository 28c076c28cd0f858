//! Accounts: from guest to account and away again, sessions, tokens, conduct.

use hyper::Method;
use kingscross_client::Incoming;
use kingscross_protocol::AuditAction;
use kingscross_tests::{Database, Http, PASSWORD, Server, TestPlayer, on_both_databases};
use serde_json::{Value, json};

on_both_databases!(
    a_guest_becomes_an_account_and_keeps_its_id,
    names_are_unique_however_they_are_written,
    signing_in_and_out_changes_the_session,
    a_new_password_ends_the_other_sessions_and_their_sockets,
    a_deleted_account_leaves_no_name_behind,
    tokens_may_do_what_their_scopes_say_until_they_are_revoked,
    mutes_blocks_and_reports_are_kept,
);

/// Longer than the server takes for anything here.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

fn credentials(name: &str, password: &str) -> Value {
    json!({ "name": name, "password": password })
}

async fn a_guest_becomes_an_account_and_keeps_its_id(database: Database) {
    let server = Server::start(&database).await;
    let mut guest = server.guest().await;
    let (before, cookie) = (guest.get("/api/v1/me").await.json(), guest.cookie.clone());
    let made = guest.post("/api/v1/accounts", &credentials("Ada Lovelace", PASSWORD)).await;
    assert_eq!((made.status, &made.json()["id"]), (201, &before["id"]));
    assert_eq!(made.json()["kind"], "account");
    assert_ne!(guest.cookie, cookie, "the session has a new secret");
    let mut old = server.visitor();
    old.cookie = cookie;
    assert_eq!(old.get("/api/v1/me").await.status, 401, "the old secret is worth nothing");
    let me = guest.get("/api/v1/me").await.json();
    assert_eq!((&me["name"], &me["kind"]), (&json!("Ada Lovelace"), &json!("account")));
    let again = guest.post("/api/v1/accounts", &credentials("Somebody Else", PASSWORD)).await;
    assert_eq!(again.refusal(), (409, "conflict".into()));
    server.stop().await;
}

async fn names_are_unique_however_they_are_written(database: Database) {
    let server = Server::start(&database).await;
    server.account("Paul").await;
    for name in ["paul", "PAUL", "Ｐａｕｌ", "Pau1"] {
        let answer = server.visitor().post("/api/v1/accounts", &credentials(name, PASSWORD)).await;
        assert_eq!(answer.refusal(), (409, "name_taken".into()), "{name}");
    }
    for name in ["al", "a\u{200b}bc", "<script>", "admin", "Alicе", " x "] {
        let answer = server.visitor().post("/api/v1/accounts", &credentials(name, PASSWORD)).await;
        assert_eq!(answer.refusal(), (400, "bad_name".into()), "{name}");
    }
    for password in ["short", "password123", "aaaaaaaaaa", "Paula Paula"] {
        let answer = server.visitor().post("/api/v1/accounts", &credentials("Paula Paula", password)).await;
        assert_eq!(answer.refusal(), (400, "bad_password".into()), "{password}");
    }
    let found = server.visitor().get("/api/v1/users?name=PA").await.json();
    assert_eq!(found[0]["name"], "Paul");
    server.stop().await;
}

async fn signing_in_and_out_changes_the_session(database: Database) {
    let server = Server::start(&database).await;
    let account = server.account("Ada").await;
    let mut other = server.guest().await;
    for (name, password) in [("Ada", "wrong password"), ("Nobody", PASSWORD), ("", "")] {
        let answer = other.post("/api/v1/session", &credentials(name, password)).await;
        assert_eq!(answer.refusal(), (401, "bad_credentials".into()));
    }
    let guest = other.cookie.clone();
    let signed_in = other.post("/api/v1/session", &credentials("ADA", PASSWORD)).await;
    assert_eq!((signed_in.status, &signed_in.json()["name"]), (200, &json!("Ada")));
    assert_ne!(other.cookie, guest);
    let sessions = other.get("/api/v1/me/sessions").await.json();
    assert_eq!(sessions.as_array().map(Vec::len), Some(2));
    assert_eq!(sessions.as_array().expect("a list").iter().filter(|it| it["current"] == true).count(), 1);

    let signed_out = other.delete("/api/v1/session").await;
    assert_eq!((signed_out.status, &other.cookie), (204, &None));
    let mut first = account;
    assert_eq!(first.get("/api/v1/me").await.status, 200, "other sessions go on");
    let id = first.get("/api/v1/me/sessions").await.json()[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(first.delete("/api/v1/me/sessions/00").await.refusal(), (404, "not_found".into()));
    assert_eq!(first.delete(&format!("/api/v1/me/sessions/{id}")).await.status, 204);
    assert_eq!(first.get("/api/v1/me").await.status, 401);
    server.stop().await;
}

async fn a_new_password_ends_the_other_sessions_and_their_sockets(database: Database) {
    let server = Server::start(&database).await;
    let mut mine = server.account("Ada").await;
    let mut other = server.visitor();
    assert_eq!(other.post("/api/v1/session", &credentials("Ada", PASSWORD)).await.status, 200);
    let mut other = TestPlayer::connect(&server, other).await;
    let change = |current: &str, new: &str| json!({ "current": current, "new": new });
    let path = "/api/v1/me/password";
    let wrong = mine.post(path, &change("not it at all", "a new password")).await;
    assert_eq!(wrong.refusal(), (401, "bad_credentials".into()));
    assert_eq!(mine.post(path, &change(PASSWORD, "short")).await.refusal(), (400, "bad_password".into()));
    assert_eq!(mine.post(path, &change(PASSWORD, "another password")).await.status, 204);
    assert_eq!(mine.get("/api/v1/me").await.status, 200);
    assert_eq!(other.http.get("/api/v1/me").await.status, 401);
    loop {
        match other.connection.next().await.expect("an end") {
            Incoming::Ended(lost) => {
                break assert!(lost.code == Some(4002), "{lost:?}");
            }
            Incoming::Message(_) | Incoming::Lost(_) | Incoming::Resumed { .. } => {}
        }
    }
    let old = server.visitor().post("/api/v1/session", &credentials("Ada", PASSWORD)).await;
    assert_eq!(old.status, 401);
    let new = server.visitor().post("/api/v1/session", &credentials("Ada", "another password")).await;
    assert_eq!(new.status, 200);
    server.stop().await;
}

async fn a_deleted_account_leaves_no_name_behind(database: Database) {
    let server = Server::start(&database).await;
    let mut mine = server.account("Ada").await;
    let id = mine.get("/api/v1/me").await.json()["id"].as_str().expect("an id").to_owned();
    let export = mine.get("/api/v1/me/export").await;
    assert_eq!(export.json()["user"]["name"], "Ada");
    let path = "/api/v1/me";
    let refused = mine.json(Method::DELETE, path, &json!({ "password": "no" })).await;
    assert_eq!(refused.refusal(), (401, "bad_credentials".into()));
    assert_eq!(mine.json(Method::DELETE, path, &json!({ "password": PASSWORD })).await.status, 204);
    assert_eq!(mine.get(path).await.status, 401);
    let profile = server.visitor().get(&format!("/api/v1/users/{id}")).await.json();
    assert_eq!((&profile["name"], &profile["deleted"]), (&json!("deleted player"), &json!(true)));
    server.account("Ada").await;
    server.stop().await;
}

async fn tokens_may_do_what_their_scopes_say_until_they_are_revoked(database: Database) {
    let server = Server::start(&database).await;
    let mut mine = server.account("Ada").await;
    let path = "/api/v1/me/tokens";
    for scopes in [json!([]), json!(["manage"]), json!(["everything"])] {
        let answer = mine.post(path, &json!({ "name": "bot", "scopes": scopes })).await;
        assert_eq!(answer.refusal(), (400, "bad_request".into()), "{scopes}");
    }
    let made = mine.post(path, &json!({ "name": "bot", "scopes": ["read"] })).await;
    assert_eq!(made.status, 201);
    let secret = made.json()["secret"].as_str().expect("a secret").to_owned();
    let mut program = server.visitor().with_token(&secret);
    assert_eq!(program.get("/api/v1/me").await.json()["scopes"], json!(["read"]));
    assert_eq!(program.get(path).await.refusal(), (403, "forbidden".into()));
    let other = server.guest().await.get("/api/v1/me").await.json()["id"].as_str().expect("an id").to_owned();
    let mute = format!("/api/v1/me/mutes/{other}");
    assert_eq!(program.send(Method::PUT, &mute, &[], "".into()).await.refusal(), (403, "forbidden".into()));
    let listed = mine.get(path).await.json();
    assert_eq!((listed.as_array().map(Vec::len), &listed[0]["name"]), (Some(1), &json!("bot")));
    assert!(listed[0]["last_used"].is_i64(), "{listed}");
    assert!(!listed.to_string().contains(&secret), "the secret is told once");
    let id = listed[0]["id"].as_str().expect("an id");
    assert_eq!(mine.delete(&format!("{path}/{id}")).await.status, 204);
    assert_eq!(program.get("/api/v1/me").await.refusal(), (401, "unauthorized".into()));
    let mut guest = server.guest().await;
    let refused = guest.post(path, &json!({ "name": "bot", "scopes": ["play"] })).await;
    assert_eq!(refused.refusal(), (403, "needs_account".into()));
    server.stop().await;
}

async fn mutes_blocks_and_reports_are_kept(database: Database) {
    let server = Server::start(&database).await;
    let (mut mine, mut other) = (server.guest().await, server.guest().await);
    let id_of =
        async |http: &mut Http| http.get("/api/v1/me").await.json()["id"].as_str().expect("an id").to_owned();
    let (me, them) = (id_of(&mut mine).await, id_of(&mut other).await);
    for list in ["/api/v1/me/mutes", "/api/v1/me/blocks"] {
        let path = format!("{list}/{them}");
        for _ in 0..2 {
            assert_eq!(mine.send(Method::PUT, &path, &[], "".into()).await.status, 204);
        }
        let listed = mine.get(list).await.json();
        assert_eq!((listed.as_array().map(Vec::len), &listed[0]["id"]), (Some(1), &json!(them)));
        assert_eq!(mine.delete(&path).await.status, 204);
        assert_eq!(mine.get(list).await.json(), json!([]));
        let own = mine.send(Method::PUT, &format!("{list}/{me}"), &[], "".into()).await;
        assert_eq!(own.refusal(), (409, "conflict".into()));
        let nobody = mine.send(Method::PUT, &format!("{list}/nobody"), &[], "".into()).await;
        assert_eq!(nobody.refusal(), (404, "not_found".into()));
    }
    let report = json!({ "user": them, "reason": "teaming", "note": "They never attack each other." });
    assert_eq!(mine.post("/api/v1/reports", &report).await.status, 202);
    let stored = server.store.list_open_reports(10).await.expect("stored");
    assert_eq!((stored.len(), stored[0].report.reason.as_str()), (1, "teaming"));
    let unknown = json!({ "user": them, "reason": "dislike" });
    assert_eq!(mine.post("/api/v1/reports", &unknown).await.refusal(), (400, "bad_request".into()));
    let long = json!({ "user": them, "reason": "other", "note": "x".repeat(501) });
    assert_eq!(mine.post("/api/v1/reports", &long).await.refusal(), (400, "bad_text".into()));
    server.stop().await;
}

/// Only on PostgreSQL, where the test can hold the server between knowing a user and opening the socket: it waits for
/// the mutes meanwhile, which are locked here.
#[tokio::test]
async fn a_session_that_ends_while_its_socket_opens_does_not_keep_the_socket() {
    use kingscross_client::{Address, Client, Credentials};
    use sqlx::Connection as _;

    let Some(database) = Database::postgres().await else { return };
    let server = Server::start(&database).await;
    let mut mine = server.account("Ada").await;
    let mut other = server.visitor();
    let token = json!({ "name": "bot", "scopes": ["play"] });
    let change = json!({ "current": PASSWORD, "new": "another password" });
    for end in ["token", "session", "sessions", "bot", "password"] {
        assert_eq!(other.post("/api/v1/session", &credentials("Ada", PASSWORD)).await.status, 200);
        let made = mine.post("/api/v1/me/tokens", &token).await.json();
        let credentials = match end {
            "token" => Credentials::Token(made["secret"].as_str().expect("a secret").to_owned()),
            _ => Credentials::Cookie(other.cookie.clone().expect("a session")),
        };
        let client = Client::new(Address::parse(&server.url).expect("an address"), credentials);
        let mut holder = sqlx::PgConnection::connect(&database.location).await.expect("it answers");
        let mut hold = holder.begin().await.expect("begun");
        sqlx::query("lock table mutes in access exclusive mode").execute(&mut *hold).await.expect("held");
        let opening = tokio::spawn(async move { client.connect().await.expect("a socket") });
        let waiting = "select count(*) from pg_locks where not granted and relation = 'mutes'::regclass";
        while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut *hold).await.expect("counted") == 0 {}
        let ended = match end {
            "token" => {
                let id = made["token"]["id"].as_str().expect("an id").to_owned();
                mine.delete(&format!("/api/v1/me/tokens/{id}")).await
            }
            "session" => other.delete("/api/v1/session").await,
            "sessions" => mine.delete("/api/v1/me/sessions").await,
            "bot" => mine.send(Method::PUT, "/api/v1/me/bot", &[], "".into()).await,
            _ => mine.post("/api/v1/me/password", &change).await,
        };
        assert_eq!(ended.status, 204, "{end}: {}", ended.text());
        hold.commit().await.expect("let go");
        let mut socket = opening.await.expect("no panic");
        let closed = async {
            loop {
                match socket.next().await.expect("an end") {
                    Incoming::Ended(lost) => break lost.code,
                    Incoming::Message(_) | Incoming::Lost(_) | Incoming::Resumed { .. } => {}
                }
            }
        };
        let code = tokio::time::timeout(PATIENCE, closed).await;
        assert_eq!(code, Ok(Some(4002)), "the socket is kept: {end}");
    }
    server.stop().await;
    database.remove().await;
}

#[tokio::test]
async fn guessing_is_limited_by_name_and_by_address() {
    let server = Server::start_with(&Database::sqlite(), |config| {
        config.accounts.sign_ins_per_name = 3;
        config.accounts.sign_ins_per_address = 5;
    })
    .await;
    server.account("Ada").await;
    let mut guesser = server.visitor();
    for _ in 0..3 {
        assert_eq!(guesser.post("/api/v1/session", &credentials("ada", "wrong guess")).await.status, 401);
    }
    let answer = guesser.post("/api/v1/session", &credentials("Ada", PASSWORD)).await;
    assert_eq!(answer.refusal(), (429, "too_many".into()), "even the right one");
    assert_eq!(guesser.post("/api/v1/session", &credentials("Bob", "wrong guess")).await.status, 401);
    let answer = guesser.post("/api/v1/session", &credentials("Cid", "wrong guess")).await;
    assert_eq!(answer.refusal(), (429, "too_many".into()));
    server.stop().await;
}

#[tokio::test]
async fn bodies_that_do_not_fit_are_refused() {
    let server = Server::start(&Database::sqlite()).await;
    let mut visitor = server.visitor();
    let json_type = [("content-type", "application/json")];
    for (headers, body, status, code) in [
        (&json_type[..], "{", 400, "bad_request"),
        (&json_type[..], "{\"name\":\"Ada\"}", 400, "bad_request"),
        (&json_type[..], "{\"name\":\"Ada\",\"password\":\"x\",\"admin\":true}", 400, "bad_request"),
        (&json_type[..], "[[[[[[[[", 400, "bad_request"),
        (&[("content-type", "text/plain")][..], "{}", 400, "bad_request"),
        (&[][..], "{}", 400, "bad_request"),
    ] {
        let answer =
            visitor.send(Method::POST, "/api/v1/accounts", headers, body.as_bytes().to_vec().into()).await;
        assert_eq!(answer.refusal(), (status, code.into()), "{body}");
    }
    let large = format!("{{\"name\":\"{}\"}}", "x".repeat(20_000));
    let answer = visitor.send(Method::POST, "/api/v1/accounts", &json_type, large.into()).await;
    assert_eq!(answer.refusal(), (413, "too_large".into()));
    let deep = "[".repeat(10_000);
    let answer = visitor.send(Method::POST, "/api/v1/accounts", &json_type, deep.into()).await;
    assert_eq!(answer.refusal(), (400, "bad_request".into()));
    server.stop().await;
}

#[tokio::test]
async fn a_banned_player_is_shut_out() {
    let server = Server::start(&Database::sqlite()).await;
    let mut mine = server.account("Ada").await;
    let actions = kingscross_server::AdminActions {
        store: &server.store,
        actor: None,
        now: kingscross_server::Clock::system().now(),
    };
    actions.ban("ada", "a test").await.expect("banned");
    assert_eq!(mine.get("/api/v1/me").await.status, 401, "its sessions have ended");
    let answer = mine.post("/api/v1/session", &credentials("Ada", PASSWORD)).await;
    assert_eq!(answer.refusal(), (403, "forbidden".into()));
    actions.unban("ada").await.expect("unbanned");
    assert_eq!(mine.post("/api/v1/session", &credentials("Ada", PASSWORD)).await.status, 200);
    let acts: Vec<AuditAction> =
        server.store.list_audit(10).await.expect("a log").iter().map(|it| it.action).collect();
    assert_eq!(acts, [AuditAction::Unban, AuditAction::Ban]);
    server.stop().await;
}
