//! What is answered where nothing is, or not so: the one error body for programs, a page for people.

use hyper::Method;
use kingscross_tests::{Database, Server};
use serde_json::json;

#[tokio::test]
async fn every_refusal_of_a_path_or_method_has_the_one_body() {
    let server = Server::start(&Database::sqlite()).await;
    let mut visitor = server.visitor();
    for (method, path, status, code) in [
        (Method::POST, "/healthz", 405, "method_not_allowed"),
        (Method::DELETE, "/readyz", 405, "method_not_allowed"),
        (Method::PUT, "/api/v1/games", 405, "method_not_allowed"),
        (Method::POST, "/", 405, "method_not_allowed"),
        (Method::POST, "/games", 405, "method_not_allowed"),
        (Method::DELETE, "/js/main.js", 405, "method_not_allowed"),
        (Method::GET, "/api/v1/nothing", 404, "not_found"),
        (Method::GET, "/api/v1", 404, "not_found"),
        (Method::GET, "/api/v1/", 404, "not_found"),
        (Method::GET, "/api", 404, "not_found"),
        (Method::GET, "/api/v2/games", 404, "not_found"),
        (Method::GET, "/api/v1/docs/none.js", 404, "not_found"),
        (Method::GET, "/js/none.js", 404, "not_found"),
        (Method::GET, "/favicon.ico", 404, "not_found"),
        (Method::GET, "/api/v1/users/%ff", 404, "not_found"),
    ] {
        let answer = visitor.send(method.clone(), path, &[], "".into()).await;
        assert_eq!(answer.refusal(), (status, code.into()), "{method} {path}");
        assert_eq!(answer.header("content-type"), Some("application/json"), "{method} {path}");
        if status == 405 {
            assert!(answer.header("allow").is_some_and(|allow| allow.contains("GET")), "{method} {path}");
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn a_body_that_is_no_object_is_refused_as_that() {
    let server = Server::start(&Database::sqlite()).await;
    let mut visitor = server.visitor();
    for path in ["/api/v1/accounts", "/api/v1/session", "/api/v1/positions"] {
        for (body, found) in [
            // As a list of the values it would be an account.
            (json!(["Ada", "four kings, one throne"]), "found a list"),
            (json!([]), "found a list"),
            (json!(null), "found null"),
            (json!(1), "found integer `1`"),
            (json!("x"), "found string \"x\""),
        ] {
            let answer = visitor.post(path, &body).await;
            assert_eq!(answer.refusal(), (400, "bad_request".into()), "{path} {body}");
            let said = answer.json()["message"].as_str().expect("a sentence").to_owned();
            let wanted = format!("The body does not fit: expected an object, {found} at line 1 column ");
            assert!(said.starts_with(&wanted), "{path} {body}: {said}");
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn a_page_that_is_not_there_says_so_and_is_shown_all_the_same() {
    let server = Server::start(&Database::sqlite()).await;
    let mut visitor = server.visitor();
    for (path, status) in [
        ("/", 200),
        ("/games", 200),
        ("/game/0190", 200),
        ("/rules/crossfire", 200),
        ("/settings", 200),
        ("/nothing", 404),
        ("/game", 404),
        ("/wp-admin/setup", 404),
    ] {
        let answer = visitor.get(path).await;
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.text().contains("<title>Kingscross</title>"), "{path}");
        assert!(answer.header("content-security-policy").is_some(), "{path}");
        // A known page is not sent again; one that is not there stays so.
        let tag = answer.header("etag").expect("a tag").to_owned();
        let again = visitor.send(Method::GET, path, &[("if-none-match", &tag)], "".into()).await;
        assert_eq!(again.status, if status == 200 { 304 } else { 404 }, "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_token_that_cannot_be_is_refused_with_the_scopes_that_can() {
    let server = Server::start(&Database::sqlite()).await;
    let mut ada = server.account("Ada").await;
    for scope in ["everything", "manage"] {
        let answer = ada.post("/api/v1/me/tokens", &json!({ "name": "bot", "scopes": [scope] })).await;
        assert_eq!(answer.refusal(), (400, "bad_request".into()));
        let message =
            answer.json()["message"].as_str().expect("a sentence").replace(&format!("`{scope}`"), "");
        assert!(message.contains("`read`") && message.contains("`play`"), "{message}");
        assert!(!message.contains("manage"), "{message}");
    }
    server.stop().await;
}

#[tokio::test]
async fn free_text_is_what_it_looks_like() {
    let server = Server::start(&Database::sqlite()).await;
    let mut ada = server.account("Ada").await;
    let bob = server.account("Bob").await.get("/api/v1/me").await.json()["id"].clone();
    for hidden in ["\u{200b}", "\u{202e}", "\u{2066}", "\u{7}", "\u{feff}", "\u{e0041}", "\t", "\r"] {
        let text = format!("good{hidden}bot");
        let token = ada.post("/api/v1/me/tokens", &json!({ "name": text, "scopes": ["read"] })).await;
        assert_eq!(token.refusal(), (400, "bad_text".into()), "{hidden:?}");
        let report =
            ada.post("/api/v1/reports", &json!({ "user": bob, "reason": "other", "note": text })).await;
        assert_eq!(report.refusal(), (400, "bad_text".into()), "{hidden:?}");
    }
    let token = |name: &str| json!({ "name": name, "scopes": ["read"] });
    assert_eq!(ada.post("/api/v1/me/tokens", &token("two\nlines")).await.refusal(), (400, "bad_text".into()));
    assert_eq!(ada.post("/api/v1/me/tokens", &token("   ")).await.refusal(), (400, "bad_text".into()));
    let made = ada.post("/api/v1/me/tokens", &token("  мой бот 🤖 ")).await;
    assert_eq!(made.json()["token"]["name"], "мой бот 🤖");
    let note = json!({ "user": bob, "reason": "other", "note": "first line\nsecond line" });
    assert_eq!(ada.post("/api/v1/reports", &note).await.status, 202);
    server.stop().await;
}

#[tokio::test]
async fn players_are_looked_for_by_what_a_name_can_begin_with() {
    let server = Server::start(&Database::sqlite()).await;
    server.account("Adam").await;
    let mut visitor = server.visitor();
    for name in ["%25", "%25%25", "ad%25", "__", "a*", "ad%00", "%E2%80%AEad", "%20ad", "a", "", "ad%2Cam"] {
        let answer = visitor.get(&format!("/api/v1/users?name={name}")).await;
        assert_eq!(answer.refusal(), (400, "bad_parameter".into()), "{name}");
    }
    for (name, found) in [("ad", 1), ("ADAM", 1), ("adam%20", 1), ("Adamant", 0), ("da", 0)] {
        let list = visitor.get(&format!("/api/v1/users?name={name}")).await.json();
        assert_eq!(list.as_array().map(Vec::len), Some(found), "{name}");
    }
    server.stop().await;
}
