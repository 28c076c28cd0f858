//! The API does what it says of itself: each documented request is sent, each documented answer is brought about, and
//! each answer fits its schema.

use hyper::Method;
use kingscross_engine::Variant;
use kingscross_protocol::{ClientMessage, CommandId, Request, Role};
use kingscross_server::AdminActions;
use kingscross_server::Clock;
use kingscross_tests::{
    Answer, Database, Described, Http, PASSWORD, Server, TestPlayer, fits, start_game_of_two,
};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Visitor,
    Ada,
    Bob,
    Guest,
    Admin,
    /// A program of Ada's that may neither read nor play nor change the account.
    Tool,
    /// A page of another site, with Ada's cookie.
    Stranger,
}

/// A request, and the status that it must be answered with.
struct Ask(By, &'static str, &'static str, String, Option<Value>, u16);

struct Cast {
    visitor: Http,
    ada: Http,
    bob: Http,
    guest: Http,
    admin: Http,
    tool: Http,
}

impl Cast {
    async fn send(&self, by: By, method: &str, address: &str, body: Option<&Value>) -> Answer {
        let mut asker = match by {
            By::Visitor => &self.visitor,
            By::Ada | By::Stranger => &self.ada,
            By::Bob => &self.bob,
            By::Guest => &self.guest,
            By::Admin => &self.admin,
            By::Tool => &self.tool,
        }
        .clone();
        let mut headers = Vec::new();
        if by == By::Stranger {
            headers.push(("origin", "https://elsewhere.example"));
        }
        if body.is_some() {
            headers.push(("content-type", "application/json"));
        }
        let verb: Method = method.to_uppercase().parse().expect("a method");
        let body = body.map(|body| serde_json::to_vec(body).expect("JSON")).unwrap_or_default();
        asker.send(verb, address, &headers, body.into()).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_documented_request_is_answered_as_documented() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| {
        config.clocks.first_move_ms = 3_600_000;
        config.accounts.tokens_per_user = 2;
        config.accounts.reports_per_user = 1;
        config.accounts.sign_ins_per_name = 4;
    })
    .await;
    let api = server.visitor().get("/api/v1/openapi.json").await.json();
    assert!(api["openapi"].as_str().is_some_and(|version| version.starts_with("3.1")), "{}", api["openapi"]);
    let mut described = Described::new(api);

    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let game = start_game_of_two(&mut ada, &mut bob, Variant::CrossA, true).await;
    ada.request(Request::Watch { game, after: None }).await;
    ada.request(Request::Move { game, ply: 0, mv: "a2-a3".to_owned() }).await;
    bob.request(Request::Move { game, ply: 1, mv: "a7-a6".to_owned() }).await;
    ada.request(Request::Resign { game }).await;
    let running = start_game_of_two(&mut ada, &mut bob, Variant::CrossB, true).await;
    let (user, other) = (ada.user().id, bob.user().id);
    let large = ada.request(Request::PlayNow { variant: Variant::Kingdoms, time: None, level: None }).await;
    let large = large.game.expect("a game");
    let mut mine = ada.http.clone();
    let token = json!({ "name": "bot", "scopes": ["play"] });
    let made = mine.post("/api/v1/me/tokens", &token).await.json();
    let token_id = made["token"]["id"].as_str().expect("an id").to_owned();
    let tool = server.visitor().with_token(made["secret"].as_str().expect("a secret"));
    let mut again = server.visitor();
    again.post("/api/v1/session", &json!({ "name": "Bob", "password": PASSWORD })).await;
    let sessions: Vec<Value> = bob.http.get("/api/v1/me/sessions").await.read();
    let session = sessions.iter().find(|it| it["current"] == false).expect("another session")["id"].clone();
    let session = session.as_str().expect("an id").to_owned();
    let admin = server.account("Chief").await;
    let actions = AdminActions { store: &server.store, actor: None, now: Clock::system().now() };
    actions.grant("Chief", Role::Admin).await.expect("granted");
    server.account("Robot").await;
    bob.http.post("/api/v1/reports", &json!({ "user": user, "reason": "abuse" })).await;
    let report = server.store.list_open_reports(1).await.expect("read")[0].report.id;
    let cast = Cast {
        visitor: server.visitor(),
        guest: server.guest().await,
        ada: mine,
        bob: bob.http.clone(),
        admin,
        tool,
    };

    // Every operation from every documented side, in an order in which sessions end last.
    for Ask(by, method, path, address, body, status) in asks(&Known {
        user: user.to_string(),
        other: other.to_string(),
        chief: actions.find("Chief").await.expect("an account").id.to_string(),
        robot: actions.find("Robot").await.expect("an account").id.to_string(),
        game: game.to_string(),
        running: running.to_string(),
        large: large.to_string(),
        token: token_id,
        session,
        report: report.to_string(),
    }) {
        let answer = cast.send(by, method, &address, body.as_ref()).await;
        assert_eq!(answer.status, status, "{method} {address}: {}", answer.text());
        described.check(path, method, &answer);
    }
    let mut bot = server.account("Robot two").await;
    let marked = bot.send(Method::PUT, "/api/v1/me/bot", &[], "".into()).await;
    described.check("/api/v1/me/bot", "put", &marked);
    assert_eq!(bot.get("/api/v1/me").await.json()["kind"], "bot");

    strangers_are_refused_as_documented(&mut described, &server).await;
    too_much_is_refused_as_documented(&mut described, &server).await;
    // Nothing that is asked for is where it was.
    let mut raw =
        SqliteConnection::connect(&format!("sqlite://{}", database.location)).await.expect("the file");
    for table in ["users", "sessions", "tokens", "games", "game_players", "ratings", "rating_changes"] {
        let sql = AssertSqlSafe(format!("alter table {table} rename to {table}_elsewhere"));
        sqlx::query(sql).execute(&mut raw).await.expect("renamed");
    }
    raw.close().await.expect("closed");
    for (path, method) in described.operations() {
        if !described.has(&path, &method, 503) || UNREADY.contains(&path.as_str()) {
            continue;
        }
        let mut body = described.takes_body(&path, &method).then(|| body_for(&path));
        if path == "/api/v1/session" {
            // The strangers have tried the other name as often as one may.
            body = Some(json!({ "name": "Latecomer", "password": PASSWORD }));
        }
        let address = filled(&path, NOBODY);
        let address = if path == "/api/v1/users" { format!("{address}?name=ad") } else { address };
        let answer = cast.send(By::Bob, &method, &address, body.as_ref()).await;
        assert_eq!(answer.status, 503, "{method} {path}: {}", answer.text());
        described.check(&path, &method, &answer);
    }
    server.stop().await;

    let unseen: Vec<_> = described.unseen().into_iter().filter(|it| !cannot_be_brought_about(it)).collect();
    assert!(unseen.is_empty(), "documented, and never seen: {unseen:#?}");
}

/// What answers 503 only while the server stops, when a test cannot ask any more, or while the database is away, which
/// a test of its own brings about.
const UNREADY: [&str; 4] = ["/api/v1/positions", "/api/v1/positions/view", "/api/v1/pools", "/readyz"];

fn cannot_be_brought_about((path, _, status): &(String, String, u16)) -> bool {
    *status == 503 && UNREADY.contains(&path.as_str())
}

struct Known {
    user: String,
    other: String,
    chief: String,
    robot: String,
    game: String,
    running: String,
    large: String,
    token: String,
    session: String,
    report: String,
}

fn asks(known: &Known) -> Vec<Ask> {
    use By::{Ada, Admin, Bob, Guest, Stranger, Tool, Visitor};
    let Known { user, other, chief, robot, game, running, large, token, session, report } = known;
    let v1 = |rest: &str| format!("/api/v1/{rest}");
    let why = || Some(json!({ "why": "a test" }));
    let credentials = |name: &str| Some(json!({ "name": name, "password": PASSWORD }));
    let mut asks = vec![
        Ask(Visitor, "get", "/healthz", "/healthz".into(), None, 200),
        Ask(Visitor, "get", "/readyz", "/readyz".into(), None, 200),
        Ask(Visitor, "post", "/api/v1/guest", v1("guest"), None, 201),
        Ask(Guest, "post", "/api/v1/guest", v1("guest"), None, 200),
        Ask(Stranger, "post", "/api/v1/guest", v1("guest"), None, 403),
        Ask(Visitor, "post", "/api/v1/accounts", v1("accounts"), credentials("Cid"), 201),
        Ask(Visitor, "post", "/api/v1/accounts", v1("accounts"), credentials("Cid"), 409),
        Ask(Visitor, "post", "/api/v1/accounts", v1("accounts"), credentials("C"), 400),
        Ask(Tool, "post", "/api/v1/accounts", v1("accounts"), credentials("Dora"), 403),
        Ask(Ada, "get", "/api/v1/me", v1("me"), None, 200),
        Ask(Ada, "get", "/api/v1/me/export", v1("me/export"), None, 200),
        Ask(Ada, "get", "/api/v1/me/sessions", v1("me/sessions"), None, 200),
        Ask(
            Bob,
            "delete",
            "/api/v1/me/sessions/{session}",
            format!("/api/v1/me/sessions/{session}"),
            None,
            204,
        ),
        Ask(Bob, "delete", "/api/v1/me/sessions/{session}", v1("me/sessions/0"), None, 404),
        Ask(Ada, "delete", "/api/v1/me/sessions", v1("me/sessions"), None, 204),
        Ask(Ada, "get", "/api/v1/me/tokens", v1("me/tokens"), None, 200),
        Ask(
            Ada,
            "post",
            "/api/v1/me/tokens",
            v1("me/tokens"),
            Some(json!({ "name": "b", "scopes": ["read"] })),
            201,
        ),
        Ask(
            Ada,
            "post",
            "/api/v1/me/tokens",
            v1("me/tokens"),
            Some(json!({ "name": "c", "scopes": ["read"] })),
            409,
        ),
        Ask(
            Ada,
            "post",
            "/api/v1/me/tokens",
            v1("me/tokens"),
            Some(json!({ "name": "", "scopes": [] })),
            400,
        ),
        Ask(Ada, "get", "/api/v1/me/mutes", v1("me/mutes"), None, 200),
        Ask(Ada, "get", "/api/v1/me/blocks", v1("me/blocks"), None, 200),
        Ask(Ada, "put", "/api/v1/me/bot", v1("me/bot"), None, 409),
        Ask(Guest, "put", "/api/v1/me/bot", v1("me/bot"), None, 403),
    ];
    for (kind, template) in [("mutes", "/api/v1/me/mutes/{user}"), ("blocks", "/api/v1/me/blocks/{user}")] {
        for method in ["put", "delete"] {
            for (whom, status) in [(other.as_str(), 204), (user.as_str(), 409), (NOBODY, 404)] {
                asks.push(Ask(Ada, method, template, format!("/api/v1/me/{kind}/{whom}"), None, status));
            }
            // A token needs the scope `play`; a page of another site has none.
            asks.push(Ask(Stranger, method, template, format!("/api/v1/me/{kind}/{other}"), None, 403));
        }
    }
    let report_on = |whom: &str| Some(json!({ "user": whom, "reason": "abuse" }));
    let (reports, in_game) = ("/api/v1/reports", json!({ "user": other, "reason": "abuse", "game": NOBODY }));
    asks.extend([
        Ask(Ada, "post", reports, v1("reports"), Some(json!({})), 400),
        Ask(Ada, "post", reports, v1("reports"), report_on(user), 409),
        Ask(Ada, "post", reports, v1("reports"), Some(in_game), 404),
        Ask(Stranger, "post", reports, v1("reports"), report_on(other), 403),
        Ask(Ada, "post", reports, v1("reports"), report_on(other), 202),
        Ask(Ada, "post", reports, v1("reports"), report_on(other), 429),
    ]);
    for (method, path, address, done, has_body) in [
        ("get", "/api/v1/admin/reports", v1("admin/reports"), 200, false),
        ("get", "/api/v1/admin/audit", v1("admin/audit"), 200, false),
        ("put", "/api/v1/admin/users/{user}/ban", format!("/api/v1/admin/users/{NOBODY}/ban"), 404, true),
        ("delete", "/api/v1/admin/users/{user}/ban", format!("/api/v1/admin/users/{NOBODY}/ban"), 404, false),
        ("delete", "/api/v1/admin/users/{user}/ban", format!("/api/v1/admin/users/{user}/ban"), 204, false),
        ("post", "/api/v1/admin/games/{game}/end", format!("/api/v1/admin/games/{NOBODY}/end"), 404, true),
        ("post", "/api/v1/admin/games/{game}/end", format!("/api/v1/admin/games/{game}/end"), 409, true),
        (
            "put",
            "/api/v1/admin/games/{game}/annulment",
            format!("/api/v1/admin/games/{NOBODY}/annulment"),
            404,
            true,
        ),
        (
            "put",
            "/api/v1/admin/games/{game}/annulment",
            format!("/api/v1/admin/games/{running}/annulment"),
            409,
            true,
        ),
        (
            "put",
            "/api/v1/admin/games/{game}/annulment",
            format!("/api/v1/admin/games/{game}/annulment"),
            204,
            true,
        ),
        (
            "delete",
            "/api/v1/admin/games/{game}/annulment",
            format!("/api/v1/admin/games/{NOBODY}/annulment"),
            404,
            false,
        ),
        (
            "delete",
            "/api/v1/admin/games/{game}/annulment",
            format!("/api/v1/admin/games/{running}/annulment"),
            409,
            false,
        ),
        (
            "delete",
            "/api/v1/admin/games/{game}/annulment",
            format!("/api/v1/admin/games/{game}/annulment"),
            204,
            false,
        ),
        ("post", "/api/v1/admin/games/{game}/end", format!("/api/v1/admin/games/{running}/end"), 204, true),
    ] {
        let body = || if has_body { why() } else { None };
        asks.push(Ask(Ada, method, path, address.clone(), body(), 403));
        asks.push(Ask(Admin, method, path, address.clone(), body(), done));
        if has_body {
            asks.push(Ask(Admin, method, path, address, Some(json!({ "because": 1 })), 400));
        }
    }
    let (resolve, banning) = ("/api/v1/admin/reports/{report}", "/api/v1/admin/users/{user}/ban");
    let done = || Some(json!({ "resolution": "warned" }));
    asks.extend([
        Ask(Ada, "post", resolve, format!("/api/v1/admin/reports/{report}"), done(), 403),
        Ask(Admin, "post", resolve, format!("/api/v1/admin/reports/{report}"), Some(json!({})), 400),
        Ask(Admin, "post", resolve, format!("/api/v1/admin/reports/{report}"), done(), 204),
        Ask(Admin, "post", resolve, format!("/api/v1/admin/reports/{report}"), done(), 404),
        Ask(Admin, "put", banning, format!("/api/v1/admin/users/{chief}/ban"), why(), 409),
        Ask(Admin, "put", banning, format!("/api/v1/admin/users/{robot}/ban"), why(), 204),
        Ask(Admin, "delete", banning, format!("/api/v1/admin/users/{robot}/ban"), None, 204),
        Ask(Visitor, "get", "/api/v1/users", v1("users?name=ad"), None, 200),
        Ask(Visitor, "get", "/api/v1/users", v1("users?name=a"), None, 400),
        Ask(Visitor, "get", "/api/v1/users/{user}", format!("/api/v1/users/{user}"), None, 200),
        Ask(Visitor, "get", "/api/v1/users/{user}", format!("/api/v1/users/{NOBODY}"), None, 404),
        Ask(Visitor, "get", "/api/v1/users/{user}", format!("/api/v1/users/{user}?x=1"), None, 400),
    ]);
    let history = "/api/v1/users/{user}/ratings/{pool}";
    let board = "/api/v1/leaderboards/{pool}";
    asks.extend([
        Ask(Visitor, "get", history, format!("/api/v1/users/{user}/ratings/cross"), None, 200),
        Ask(Visitor, "get", history, format!("/api/v1/users/{user}/ratings/go"), None, 404),
        Ask(Visitor, "get", history, format!("/api/v1/users/{user}/ratings/cross?limit=0"), None, 400),
        Ask(Visitor, "get", board, v1("leaderboards/cross"), None, 200),
        Ask(Visitor, "get", board, v1("leaderboards/go"), None, 404),
        Ask(Visitor, "get", board, v1("leaderboards/cross?cursor=x"), None, 400),
        Ask(Visitor, "get", "/api/v1/games", v1("games"), None, 200),
        Ask(Visitor, "get", "/api/v1/games", v1("games?limit=0"), None, 400),
        Ask(Visitor, "get", "/api/v1/records", v1("records"), None, 200),
        Ask(Visitor, "get", "/api/v1/records", v1("records?limit=0"), None, 400),
        Ask(Visitor, "get", "/api/v1/variants", v1("variants"), None, 200),
        Ask(Visitor, "get", "/api/v1/variants", v1("variants?x=1"), None, 400),
        Ask(Visitor, "get", "/api/v1/pools", v1("pools"), None, 200),
        Ask(Visitor, "get", "/api/v1/pools", v1("pools?x=1"), None, 400),
    ]);
    for (end, template) in [
        ("", "/api/v1/games/{game}"),
        ("/record", "/api/v1/games/{game}/record"),
        ("/pgn4", "/api/v1/games/{game}/pgn4"),
        ("/fen4", "/api/v1/games/{game}/fen4"),
    ] {
        asks.extend([
            Ask(Visitor, "get", template, format!("/api/v1/games/{large}{end}"), None, 200),
            Ask(Visitor, "get", template, format!("/api/v1/games/{NOBODY}{end}"), None, 404),
            Ask(Visitor, "get", template, format!("/api/v1/games/{large}{end}?x=1"), None, 400),
        ]);
        // The 8×8 boards have no such text.
        let status = if end.ends_with('4') { 409 } else { 200 };
        asks.push(Ask(Visitor, "get", template, format!("/api/v1/games/{game}{end}"), None, status));
    }
    let positions = "/api/v1/positions";
    let look = |body| Ask(Visitor, "post", positions, v1("positions"), Some(body), 200);
    let refuse = |body, status| Ask(Visitor, "post", positions, v1("positions"), Some(body), status);
    asks.extend([
        look(json!({ "variant": "quaternity" })),
        refuse(json!({ "actions": [] }), 400),
        refuse(json!({ "variant": "cross-a", "fen4": "R" }), 409),
        refuse(json!({ "variant": "crossfire", "actions": ["a1-a1"] }), 422),
        Ask(Stranger, "post", positions, v1("positions"), Some(json!({ "variant": "crossfire" })), 403),
    ]);
    let view = "/api/v1/positions/view";
    let show = |body, status| Ask(Visitor, "post", view, v1("positions/view"), Some(body), status);
    asks.extend([
        show(json!({ "pgn4": "[StartFen4 \"4PC\"]\n1. d2-d4 .. R" }), 200),
        show(json!({}), 400),
        show(json!({ "fen4": "R" }), 422),
        Ask(Stranger, "post", view, v1("positions/view"), Some(json!({ "fen4": "4PC" })), 403),
    ]);
    let change = |current: &str| Some(json!({ "current": current, "new": "another password" }));
    let password = "/api/v1/me/password";
    asks.extend([
        Ask(Tool, "post", password, v1("me/password"), change(PASSWORD), 403),
        Ask(
            Ada,
            "post",
            password,
            v1("me/password"),
            Some(json!({ "current": PASSWORD, "new": "short" })),
            400,
        ),
        Ask(Ada, "post", password, v1("me/password"), change("not it at all"), 401),
        Ask(Ada, "post", password, v1("me/password"), change(PASSWORD), 204),
        Ask(
            Visitor,
            "post",
            "/api/v1/session",
            v1("session"),
            Some(json!({ "name": "Ada", "password": "another password" })),
            200,
        ),
        Ask(
            Visitor,
            "post",
            "/api/v1/session",
            v1("session"),
            Some(json!({ "name": "Ada", "password": "x" })),
            401,
        ),
        Ask(Visitor, "post", "/api/v1/session", v1("session"), Some(json!({ "name": "Ada" })), 400),
        Ask(Stranger, "post", "/api/v1/session", v1("session"), credentials("Ada"), 403),
    ]);
    // Four wrong passwords within the window, on each of the two ways.
    for _ in 0..3 {
        let wrong = Some(json!({ "name": "Ada", "password": "x" }));
        asks.push(Ask(Visitor, "post", "/api/v1/session", v1("session"), wrong, 401));
        asks.push(Ask(Ada, "post", password, v1("me/password"), change("not it at all"), 401));
    }
    asks.extend([
        Ask(Visitor, "post", "/api/v1/session", v1("session"), credentials("Ada"), 429),
        Ask(Ada, "post", password, v1("me/password"), change(PASSWORD), 429),
        Ask(Ada, "delete", "/api/v1/me", v1("me"), Some(json!({ "password": PASSWORD })), 429),
        Ask(Tool, "delete", "/api/v1/me/tokens/{token}", format!("/api/v1/me/tokens/{token}"), None, 403),
        Ask(Tool, "get", "/api/v1/me", v1("me"), None, 403),
        Ask(Tool, "get", "/api/v1/me/export", v1("me/export"), None, 403),
        Ask(Tool, "get", "/api/v1/me/sessions", v1("me/sessions"), None, 403),
        Ask(Tool, "delete", "/api/v1/me/sessions", v1("me/sessions"), None, 403),
        Ask(Tool, "delete", "/api/v1/me/sessions/{session}", v1("me/sessions/0"), None, 403),
        Ask(Tool, "get", "/api/v1/me/tokens", v1("me/tokens"), None, 403),
        Ask(
            Tool,
            "post",
            "/api/v1/me/tokens",
            v1("me/tokens"),
            Some(json!({ "name": "d", "scopes": ["read"] })),
            403,
        ),
        Ask(Tool, "get", "/api/v1/me/mutes", v1("me/mutes"), None, 403),
        Ask(Tool, "get", "/api/v1/me/blocks", v1("me/blocks"), None, 403),
        Ask(Tool, "delete", "/api/v1/session", v1("session"), None, 403),
        Ask(Tool, "delete", "/api/v1/me", v1("me"), Some(json!({})), 403),
        Ask(Ada, "delete", "/api/v1/me/tokens/{token}", v1("me/tokens/0"), None, 404),
        Ask(Ada, "delete", "/api/v1/me/tokens/{token}", format!("/api/v1/me/tokens/{token}"), None, 204),
        Ask(Ada, "delete", "/api/v1/session", v1("session"), None, 204),
        Ask(Guest, "delete", "/api/v1/me", v1("me"), Some(json!({ "why": 1 })), 400),
        Ask(Bob, "delete", "/api/v1/me", v1("me"), Some(json!({ "password": "wrong one" })), 401),
        Ask(Guest, "delete", "/api/v1/me", v1("me"), Some(json!({})), 204),
    ]);
    asks
}

/// An address of a path with something in its gaps.
fn filled(path: &str, what: &str) -> String {
    let mut address = path.replace("{pool}", "cross");
    while let (Some(open), Some(close)) = (address.find('{'), address.find('}')) {
        address.replace_range(open..=close, what);
    }
    address
}

/// A body that an operation takes.
fn body_for(path: &str) -> Value {
    match path {
        "/api/v1/accounts" => json!({ "name": "Somebody", "password": PASSWORD }),
        "/api/v1/session" => json!({ "name": "Nobody", "password": PASSWORD }),
        "/api/v1/me/password" => json!({ "current": PASSWORD, "new": "another password" }),
        "/api/v1/me/tokens" => json!({ "name": "t", "scopes": ["read"] }),
        "/api/v1/reports" => json!({ "user": NOBODY, "reason": "abuse" }),
        "/api/v1/admin/reports/{report}" => json!({ "resolution": "warned" }),
        "/api/v1/positions" => json!({ "variant": "crossfire" }),
        "/api/v1/positions/view" => json!({ "fen4": "4PC" }),
        _ => json!({}),
    }
}

/// Without a session or with a token that is none, with ids of nothing and with bodies of nonsense: never a fault,
/// never an undocumented answer.
async fn strangers_are_refused_as_documented(described: &mut Described, server: &Server) {
    for (path, method) in described.operations() {
        for mut stranger in [server.visitor(), server.visitor().with_token("kgx_none")] {
            for address in [filled(&path, "nothing"), filled(&path, "%FF%00"), filled(&path, NOBODY)] {
                let verb: Method = method.to_uppercase().parse().expect("a method");
                let answer = if described.takes_body(&path, &method) {
                    stranger.json(verb.clone(), &address, &json!({ "nonsense": true })).await
                } else {
                    stranger.send(verb.clone(), &address, &[], "".into()).await
                };
                assert!(answer.status < 500, "{method} {address}: {}", answer.text());
                described.check(&path, &method, &answer);
                stranger.cookie = None;
                if described.takes_body(&path, &method) {
                    let answer = stranger.json(verb, &address, &body_for(&path)).await;
                    assert!(answer.status < 500, "{method} {address}: {}", answer.text());
                    described.check(&path, &method, &answer);
                    stranger.cookie = None;
                }
            }
        }
    }
}

/// A body that nobody needs, and one request more than an address may make.
async fn too_much_is_refused_as_documented(described: &mut Described, server: &Server) {
    let large = json!({ "note": "x".repeat(300_000) });
    let mut bob = server.visitor();
    assert_eq!(
        bob.post("/api/v1/session", &json!({ "name": "Chief", "password": PASSWORD })).await.status,
        200
    );
    for (path, method) in described.operations() {
        if described.takes_body(&path, &method) {
            let verb: Method = method.to_uppercase().parse().expect("a method");
            let answer = bob.clone().json(verb, &filled(&path, NOBODY), &large).await;
            assert_eq!(answer.status, 413, "{method} {path}: {}", answer.text());
            described.check(&path, &method, &answer);
        }
    }
    let database = Database::sqlite();
    let strict = Server::start_with(&database, |config| config.accounts.requests_per_address = 1).await;
    strict.visitor().get("/api/v1/variants").await;
    for (path, method) in described.operations() {
        if path.starts_with("/api/") {
            let verb: Method = method.to_uppercase().parse().expect("a method");
            let answer = strict.visitor().send(verb, &filled(&path, NOBODY), &[], "".into()).await;
            assert_eq!(answer.status, 429, "{method} {path}: {}", answer.text());
            assert!(answer.header("retry-after").is_some());
            described.check(&path, &method, &answer);
        }
    }
    strict.stop().await;
}

#[tokio::test]
async fn the_schema_of_the_websocket_describes_its_messages() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let schema = server.visitor().get("/api/v1/schema.json").await.json();
    let message = ClientMessage { id: CommandId::fresh(), request: Request::LeaveQueue };
    let text = serde_json::to_value(&message).expect("JSON");
    fits(&schema, &schema["properties"]["client"], &text).expect("fits");
    for (side, name) in [("client", "ClientMessage"), ("server", "ServerMessage"), ("record", "GameRecord")] {
        assert_eq!(schema["properties"][side]["$ref"], format!("#/$defs/{name}"));
        assert!(schema["$defs"][name].is_object());
    }
    server.stop().await;
}

#[tokio::test]
async fn the_page_of_the_api_loads_nothing_from_elsewhere() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let mut visitor = server.visitor();
    let page = visitor.get("/api/v1/docs").await;
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    let mut text = page.text();
    for path in ["docs/docs.js", "docs/docs.css"] {
        assert!(text.contains(&format!("\"{path}\"")));
        let asset = visitor.get(&format!("/api/v1/{path}")).await;
        assert_eq!(asset.status, 200);
        text.push_str(&asset.text());
    }
    for elsewhere in ["http://", "https://", "src=\"//", "style=\"", "onclick", "innerHTML"] {
        assert!(!text.contains(elsewhere), "{elsewhere}");
    }
    server.stop().await;
}

/// Every schema below a value, wherever it stands.
fn walk<'a>(value: &'a Value, at: &str, each: &mut impl FnMut(&str, &'a Value)) {
    each(at, value);
    match value {
        Value::Object(object) => {
            object.iter().for_each(|(name, value)| walk(value, &format!("{at}/{name}"), each));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| walk(value, &format!("{at}/{index}"), each));
        }
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_document_is_whole() {
    let server = Server::start(&Database::sqlite()).await;
    let api = server.visitor().get("/api/v1/openapi.json").await.json();
    server.stop().await;
    let mut faults = Vec::new();
    let mut ids = std::collections::BTreeSet::new();
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    for (path, method) in Described::new(api.clone()).operations() {
        let operation = &api["paths"][&path][&method];
        if !is_text(&operation["operationId"]) || !ids.insert(operation["operationId"].to_string()) {
            faults.push(format!("{method} {path}: operationId {}", operation["operationId"]));
        }
        if !is_text(&operation["summary"]) || operation["tags"].as_array().is_none_or(|tags| tags.is_empty())
        {
            faults.push(format!("{method} {path}: no summary or no tags"));
        }
        let responses = operation["responses"].as_object().expect("responses");
        if !responses.keys().any(|status| status.starts_with('2')) {
            faults.push(format!("{method} {path}: no answer when all is well"));
        }
        for (status, response) in responses {
            if !is_text(&response["description"]) {
                faults.push(format!("{method} {path}: {status} has no description"));
            }
        }
        for name in path.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let fitting =
                parameters.filter(|it| it["in"] == "path" && it["name"] == name && it["required"] == true);
            if fitting.count() != 1 {
                faults.push(format!("{method} {path}: the parameter {name}"));
            }
        }
    }
    walk(&api, "", &mut |at, value| {
        if let Some(target) = value["$ref"].as_str()
            && target.strip_prefix('#').is_none_or(|place| api.pointer(place).is_none())
        {
            faults.push(format!("{at}: there is no {target}"));
        }
        // Schemas that are `true` or `false` are beyond many generators.
        if value["items"].is_boolean() {
            faults.push(format!("{at}: items is {}", value["items"]));
        }
        if let Some(length) = value["prefixItems"].as_array().map(Vec::len)
            && (value["minItems"] != length || value["maxItems"] != length)
        {
            faults.push(format!("{at}: a tuple of no certain length"));
        }
    });
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The address of an operation without the names of its parameters.
fn bare(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// The routes that the sources name: method and path, as the document writes them.
fn routes_in(folder: &std::path::Path, found: &mut std::collections::BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            routes_in(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("readable");
            for rest in text.split(".route(\"").skip(1) {
                let (route, rest) = rest.split_once('"').expect("a string ends");
                let line = rest.lines().next().expect("a line");
                for method in ["get", "post", "put", "delete", "patch"] {
                    let calls = [format!(" {method}("), format!(").{method}(")];
                    if calls.iter().any(|call| line.contains(call.as_str())) {
                        let prefix = if matches!(route, "/healthz" | "/readyz") { "" } else { "/api/v1" };
                        found.insert(format!("{} {prefix}{}", method.to_uppercase(), bare(route)));
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_route_is_in_the_document_and_in_the_manual() {
    let server = Server::start(&Database::sqlite()).await;
    let api = server.visitor().get("/api/v1/openapi.json").await.json();
    server.stop().await;
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut routes = std::collections::BTreeSet::new();
    routes_in(&root.join("crates/server/src/http"), &mut routes);
    // What describes the API is not part of it.
    for own in ["openapi.json", "schema.json", "docs", "docs/docs.js", "docs/docs.css"] {
        assert!(routes.remove(&format!("GET /api/v1/{own}")), "{own}");
    }
    let mut documented = std::collections::BTreeSet::new();
    let mut table = String::new();
    for (path, method) in Described::new(api.clone()).operations() {
        let summary = api["paths"][&path][&method]["summary"].as_str().expect("a summary").replace('\n', " ");
        let summary = summary.split(". ").next().expect("a sentence").trim_end_matches('.');
        let name = method.to_uppercase();
        documented.insert(format!("{name} {}", bare(&path)));
        table.push_str(&format!("| `{name} {path}` | {summary} |\n"));
    }
    assert_eq!(documented, routes);
    let page = root.join("docs/api.md");
    let text = std::fs::read_to_string(&page).expect("docs/api.md");
    let head = "| operation | what it does |\n|---|---|\n";
    let (before, rest) = text.split_once(head).expect("the table of operations");
    if std::env::var_os("KINGSCROSS_BLESS").is_some() {
        std::fs::write(&page, format!("{before}{head}{table}")).expect("writable");
        return;
    }
    assert!(rest == table, "docs/api.md differs from the document; run this test with KINGSCROSS_BLESS=1");
    // What the text above the table names is there.
    for named in before.split('`').skip(1).step_by(2) {
        let Some((method, path)) = named.split_once(' ') else { continue };
        if matches!(method, "GET" | "POST" | "PUT" | "DELETE") {
            let path = path.split('?').next().expect("a path");
            assert!(documented.contains(&format!("{method} /api/v1{}", bare(path))), "{named}");
        }
    }
}
