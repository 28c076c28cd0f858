//! The API does what it says of itself: each documented request is sent, each answer fits its schema.

use std::collections::BTreeSet;

use hyper::Method;
use kingscross_engine::Variant;
use kingscross_protocol::{ClientMessage, CommandId, Request};
use kingscross_tests::{Answer, Database, Http, PASSWORD, Player, Server, play_two};
use serde_json::{Value, json};

/// Whether a value fits a schema: the part of JSON Schema that the API uses. Says where it does not.
fn fits(api: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = api.pointer(&reference[1..]).ok_or_else(|| format!("{at}: no {reference}"))?;
        return fits(api, target, value, at);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        fits(api, part, value, at)?;
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(parts) = schema[key].as_array() {
            let fitting = parts.iter().filter(|part| fits(api, part, value, at).is_ok()).count();
            if fitting == 0 || (key == "oneOf" && fitting > 1) {
                return Err(format!("{at}: {fitting} of {key} fit {value}"));
            }
        }
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        return Err(format!("{at}: {value} is none of {values:?}"));
    }
    if let Some(only) = schema.get("const")
        && only != value
    {
        return Err(format!("{at}: {value} is not {only}"));
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    };
    let is = |kind: &&str| match *kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    if !kinds.is_empty() && !kinds.iter().any(is) {
        return Err(format!("{at}: {value} is no {kinds:?}"));
    }
    if let Some(object) = value.as_object() {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                return Err(format!("{at}: no {name}"));
            }
        }
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            if let Some(value) = object.get(name) {
                fits(api, schema, value, &format!("{at}.{name}"))?;
            }
        }
    }
    for (index, value) in value.as_array().into_iter().flatten().enumerate() {
        let schema = schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
        fits(api, schema, value, &format!("{at}[{index}]"))?;
    }
    Ok(())
}

/// The answer is one of those documented for this operation.
#[track_caller]
fn check(api: &Value, path: &str, method: &str, answer: &Answer) {
    let operation = &api["paths"][path][method];
    let documented = &operation["responses"][answer.status.to_string()];
    assert!(
        documented.is_object(),
        "{method} {path}: {} is not documented: {}",
        answer.status,
        answer.text()
    );
    let kind = answer.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default();
    match documented["content"].as_object() {
        None => assert!(answer.body.is_empty(), "{method} {path}: an undocumented body"),
        Some(content) => {
            let schema = &content.get(kind).unwrap_or_else(|| panic!("{method} {path}: {kind:?}"))["schema"];
            if kind == "application/json" {
                fits(api, schema, &answer.json(), "body")
                    .unwrap_or_else(|why| panic!("{method} {path}: {why}"));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_documented_request_is_answered_as_documented() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let api = server.visitor().get("/api/v1/openapi.json").await.json();
    assert!(api["openapi"].as_str().is_some_and(|version| version.starts_with("3.1")), "{}", api["openapi"]);

    let mut ada = Player::account(&server, "Ada").await;
    let mut bob = Player::account(&server, "Bob").await;
    let game = play_two(&mut ada, &mut bob, Variant::CrossA, true).await;
    ada.ask(Request::Watch { game, after: None }).await;
    ada.ask(Request::Move { game, ply: 0, mv: "a2-a3".to_owned() }).await;
    bob.ask(Request::Move { game, ply: 1, mv: "a7-a6".to_owned() }).await;
    ada.ask(Request::Resign { game }).await;
    let (user, other) = (ada.user().id, bob.user().id);
    let large = ada.ask(Request::PlayNow { variant: Variant::Kingdoms, time: None, level: None }).await;
    let large = large.game.expect("a game");
    let mut mine = ada.http.clone();
    let token = json!({ "name": "bot", "scopes": ["read", "play"] });
    let made = mine.post("/api/v1/me/tokens", &token).await.json();
    let token_id = made["token"]["id"].as_str().expect("an id").to_owned();
    let credentials = json!({ "name": "Cid", "password": PASSWORD });

    // Each operation: who asks, the address, the body. In order: sessions end last.
    let asked: Vec<(&str, &str, String, Option<Value>, bool)> = vec![
        ("/healthz", "get", "/healthz".into(), None, false),
        ("/readyz", "get", "/readyz".into(), None, false),
        ("/api/v1/guest", "post", "/api/v1/guest".into(), Some(json!({})), false),
        ("/api/v1/guest", "post", "/api/v1/guest".into(), Some(json!({})), true),
        ("/api/v1/accounts", "post", "/api/v1/accounts".into(), Some(credentials), false),
        ("/api/v1/me", "get", "/api/v1/me".into(), None, true),
        ("/api/v1/me/export", "get", "/api/v1/me/export".into(), None, true),
        ("/api/v1/me/sessions", "get", "/api/v1/me/sessions".into(), None, true),
        ("/api/v1/me/sessions", "delete", "/api/v1/me/sessions".into(), None, true),
        ("/api/v1/me/sessions/{session}", "delete", "/api/v1/me/sessions/0".into(), None, true),
        ("/api/v1/me/tokens", "get", "/api/v1/me/tokens".into(), None, true),
        ("/api/v1/me/tokens", "post", "/api/v1/me/tokens".into(), Some(token), true),
        ("/api/v1/me/tokens/{token}", "delete", format!("/api/v1/me/tokens/{token_id}"), None, true),
        ("/api/v1/me/mutes", "get", "/api/v1/me/mutes".into(), None, true),
        ("/api/v1/me/mutes/{user}", "put", format!("/api/v1/me/mutes/{other}"), None, true),
        ("/api/v1/me/mutes/{user}", "delete", format!("/api/v1/me/mutes/{other}"), None, true),
        ("/api/v1/me/blocks/{user}", "put", format!("/api/v1/me/blocks/{other}"), None, true),
        ("/api/v1/me/blocks", "get", "/api/v1/me/blocks".into(), None, true),
        ("/api/v1/me/blocks/{user}", "delete", format!("/api/v1/me/blocks/{other}"), None, true),
        (
            "/api/v1/reports",
            "post",
            "/api/v1/reports".into(),
            Some(json!({ "user": other, "reason": "abuse" })),
            true,
        ),
        ("/api/v1/users", "get", "/api/v1/users?name=ad".into(), None, false),
        ("/api/v1/users/{user}", "get", format!("/api/v1/users/{user}"), None, false),
        (
            "/api/v1/users/{user}/ratings/{pool}",
            "get",
            format!("/api/v1/users/{user}/ratings/cross"),
            None,
            false,
        ),
        ("/api/v1/leaderboards/{pool}", "get", "/api/v1/leaderboards/cross".into(), None, false),
        ("/api/v1/games", "get", "/api/v1/games".into(), None, false),
        ("/api/v1/games/{game}", "get", format!("/api/v1/games/{game}"), None, false),
        ("/api/v1/games/{game}", "get", format!("/api/v1/games/{large}"), None, false),
        ("/api/v1/games/{game}/record", "get", format!("/api/v1/games/{game}/record"), None, false),
        ("/api/v1/games/{game}/pgn4", "get", format!("/api/v1/games/{large}/pgn4"), None, false),
        ("/api/v1/games/{game}/fen4", "get", format!("/api/v1/games/{large}/fen4"), None, false),
        ("/api/v1/variants", "get", "/api/v1/variants".into(), None, false),
        ("/api/v1/pools", "get", "/api/v1/pools".into(), None, false),
        (
            "/api/v1/positions",
            "post",
            "/api/v1/positions".into(),
            Some(json!({ "variant": "quaternity" })),
            false,
        ),
        (
            "/api/v1/me/password",
            "post",
            "/api/v1/me/password".into(),
            Some(json!({ "current": PASSWORD, "new": "another password" })),
            true,
        ),
        (
            "/api/v1/session",
            "post",
            "/api/v1/session".into(),
            Some(json!({ "name": "Ada", "password": "another password" })),
            false,
        ),
        ("/api/v1/session", "delete", "/api/v1/session".into(), None, true),
        ("/api/v1/me", "delete", "/api/v1/me".into(), Some(json!({ "password": PASSWORD })), true),
    ];
    let mut sent = BTreeSet::new();
    for (path, method, address, body, is_known) in asked {
        let mut asker = if is_known { mine.clone() } else { server.visitor() };
        // The last one deletes another account: the session of this one has ended.
        if (path, method) == ("/api/v1/me", "delete") {
            asker = bob.http.clone();
        }
        let verb: Method = method.to_uppercase().parse().expect("a method");
        let answer = match &body {
            Some(body) => asker.json(verb, &address, body).await,
            None => asker.send(verb, &address, &[], "".into()).await,
        };
        let may_fail = path == "/api/v1/me/sessions/{session}";
        assert!(answer.status < 300 || may_fail, "{method} {address}: {} {}", answer.status, answer.text());
        check(&api, path, method, &answer);
        sent.insert((path.to_owned(), method.to_owned()));
    }
    let documented: BTreeSet<(String, String)> = api["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().expect("methods").keys();
            methods.map(move |method| (path.clone(), method.clone()))
        })
        .collect();
    assert_eq!(sent, documented, "each documented operation was tried, and each tried one is documented");
    strangers_are_refused_as_documented(&api, &mut server.visitor(), &documented).await;
    server.stop().await;
}

/// Without a session, with ids of nothing and with bodies of nonsense: never a fault, never an undocumented answer.
async fn strangers_are_refused_as_documented(
    api: &Value,
    stranger: &mut Http,
    documented: &BTreeSet<(String, String)>,
) {
    for (path, method) in documented {
        let address = path.replace("{pool}", "nothing");
        let address = match address.find('{') {
            Some(open) => {
                let close = address.find('}').expect("a whole name");
                format!("{}nothing{}", &address[..open], &address[close + 1..])
            }
            None => address,
        };
        let verb: Method = method.to_uppercase().parse().expect("a method");
        stranger.cookie = None;
        let answer = if matches!(method.as_str(), "post" | "delete") {
            stranger.json(verb, &address, &json!({ "nonsense": true })).await
        } else {
            stranger.send(verb, &address, &[], "".into()).await
        };
        assert!(answer.status < 500, "{method} {address}: {}", answer.text());
        check(api, path, method, &answer);
    }
}

#[tokio::test]
async fn the_schema_of_the_websocket_describes_its_messages() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let schema = server.visitor().get("/api/v1/schema.json").await.json();
    let message = ClientMessage { id: CommandId::fresh(), request: Request::LeaveQueue };
    let text = serde_json::to_value(&message).expect("JSON");
    fits(&schema, &schema["properties"]["client"], &text, "client").expect("fits");
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
    for path in ["/api/v1/docs/docs.js", "/api/v1/docs/docs.css"] {
        assert!(text.contains(path));
        let asset = visitor.get(path).await;
        assert_eq!(asset.status, 200);
        text.push_str(&asset.text());
    }
    for elsewhere in ["http://", "https://", "src=\"//", "style=\"", "onclick", "innerHTML"] {
        assert!(!text.contains(elsewhere), "{elsewhere}");
    }
    server.stop().await;
}
