//! The description of the API: OpenAPI, the JSON Schema of the WebSocket, and a page that shows both.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder, Server};

use crate::app::App;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/openapi.json", get(openapi))
        .route("/schema.json", get(schema))
        .route("/docs", get(page))
        .route("/docs/docs.js", get(script))
        .route("/docs/docs.css", get(style))
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Kingscross",
        description = "An authoritative server for four-player chess and its relatives. Games are played over the \
            WebSocket at /api/v1/ws, whose messages /api/v1/schema.json describes; everything else is here. \
            Times are milliseconds; moments are milliseconds since 1970-01-01 UTC by the server's clock.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        super::guest::become_guest,
        super::accounts::create_account,
        super::accounts::sign_in,
        super::accounts::sign_out,
        super::accounts::me,
        super::accounts::delete_me,
        super::accounts::change_password,
        super::accounts::export_me,
        super::accounts::become_bot,
        super::sessions::list_sessions,
        super::sessions::end_other_sessions,
        super::sessions::end_session,
        super::tokens::list_tokens,
        super::tokens::create_token,
        super::tokens::revoke_token,
        super::users::find_users,
        super::users::profile,
        super::users::rating_history,
        super::users::leaderboard,
        super::conduct::list_mutes,
        super::conduct::mute,
        super::conduct::unmute,
        super::conduct::list_blocks,
        super::conduct::block,
        super::conduct::unblock,
        super::conduct::report,
        super::admin::list_reports,
        super::admin::resolve_report,
        super::admin::ban,
        super::admin::unban,
        super::admin::end_game,
        super::admin::annul,
        super::admin::restore,
        super::admin::list_audit,
        super::games::list_games,
        super::games::find_game,
        super::records::list_records,
        super::games::record_of_game,
        super::games::pgn4_of_game,
        super::games::fen4_of_game,
        super::variants::variants,
        super::pools::pools,
        super::positions::look,
        super::positions::show,
        super::health::alive,
        super::health::ready,
    ),
    modifiers(&Ways, &Refusals, &Meanings),
    security((), ("session" = []), ("token" = []))
)]
struct Api;

/// The two ways to authenticate.
struct Ways;

impl utoipa::Modify for Ways {
    fn modify(&self, api: &mut utoipa::openapi::OpenApi) {
        let components = api.components.get_or_insert_default();
        let cookie =
            ApiKeyValue::with_description("kingscross", "Set by POST /api/v1/guest and by signing in.");
        components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("An API token, made with POST /api/v1/me/tokens."));
        components.add_security_scheme("token", SecurityScheme::Http(bearer.build()));
    }
}

/// The refusals that any request may get.
struct Refusals;

impl utoipa::Modify for Refusals {
    fn modify(&self, api: &mut utoipa::openapi::OpenApi) {
        for (path, item) in &mut api.paths.paths {
            if !path.starts_with("/api/") {
                continue;
            }
            let ways = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete];
            for operation in ways.into_iter().flatten() {
                let mut add = |status: &str| {
                    let all = &mut operation.responses.responses;
                    all.entry(status.to_owned()).or_insert_with(|| RefOr::T(refusal()));
                };
                add("429");
                // Answered from memory alone.
                if path != "/api/v1/variants" {
                    add("503");
                }
                if operation.request_body.is_some() {
                    add("413");
                }
            }
        }
    }
}

fn refusal() -> Response {
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody"))).build();
    ResponseBuilder::new().content("application/json", body).build()
}

/// Describes a status where the operation does not: the format demands a description of every response.
struct Meanings;

impl utoipa::Modify for Meanings {
    fn modify(&self, api: &mut utoipa::openapi::OpenApi) {
        for item in api.paths.paths.values_mut() {
            let ways = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete];
            for operation in ways.into_iter().flatten() {
                for (status, response) in &mut operation.responses.responses {
                    if let (RefOr::T(response), Some(meaning)) = (response, meaning(status))
                        && response.description.is_empty()
                    {
                        meaning.clone_into(&mut response.description);
                    }
                }
            }
        }
    }
}

fn meaning(status: &str) -> Option<&'static str> {
    Some(match status {
        "400" => "the request is malformed, or a value in it is not allowed",
        "401" => "no session or token, an ended one, or wrong credentials",
        "403" => "not allowed for this user, this token or pages of other sites",
        "404" => "there is no such thing, or none that the user may see",
        "409" => "the request contradicts the present state",
        "413" => "the body is larger than the server reads",
        "429" => "too many requests; `Retry-After` says when to try again",
        "503" => "the database does not answer, or the server is stopping",
        _ => return None,
    })
}

/// Gives tuples a length instead of forbidding further items (`items: false`): many generators expect a schema there.
fn count_tuples(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(object) => {
            let length = object.get("prefixItems").and_then(|items| items.as_array()).map(Vec::len);
            if let Some(length) = length
                && object.get("items") == Some(&false.into())
            {
                object.remove("items");
                object.insert("minItems".to_owned(), length.into());
                object.insert("maxItems".to_owned(), length.into());
            }
            object.values_mut().for_each(count_tuples);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(count_tuples),
        _ => {}
    }
}

/// Makes each alternative of a tagged union a schema of its own, named for its tag (`Event` and `played`: `EventPlayed`),
/// and names the field that tells them apart: without it generators invent poor names, or none.
fn name_alternatives(schemas: &mut serde_json::Value) {
    let mut named = serde_json::Map::new();
    for (union, schema) in schemas.as_object_mut().expect("schemas by name") {
        let Some(alternatives) = schema.get_mut("oneOf").and_then(|it| it.as_array_mut()) else { continue };
        let tags: Option<Vec<(String, String)>> = alternatives.iter().map(tag).collect();
        let Some(tags) = tags.filter(|tags| tags.iter().all(|(field, _)| *field == tags[0].0)) else {
            continue;
        };
        let mut mapping = serde_json::Map::new();
        for (alternative, (_, tag)) in alternatives.iter_mut().zip(&tags) {
            let name = format!("{union}{}", camel(tag));
            let reference = format!("#/components/schemas/{name}");
            mapping.insert(tag.clone(), reference.clone().into());
            named.insert(name, std::mem::replace(alternative, serde_json::json!({ "$ref": reference })));
        }
        schema["discriminator"] = serde_json::json!({ "propertyName": tags[0].0, "mapping": mapping });
    }
    schemas.as_object_mut().expect("schemas by name").extend(named);
}

/// The field of an alternative that can have one value only, and that value.
fn tag(alternative: &serde_json::Value) -> Option<(String, String)> {
    let parts = alternative["allOf"].as_array().into_iter().flatten();
    std::iter::once(alternative).chain(parts).find_map(|part| {
        part["properties"].as_object()?.iter().find_map(|(field, schema)| {
            match &schema["enum"].as_array()?[..] {
                [only] => Some((field.clone(), only.as_str()?.to_owned())),
                _ => None,
            }
        })
    })
}

/// `match_ended` as `MatchEnded`.
fn camel(word: &str) -> String {
    let parts = word.split('_').map(|part| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    });
    parts.collect()
}

/// The document as text; it never changes while the server runs.
static OPENAPI: LazyLock<String> = LazyLock::new(|| {
    let mut document = serde_json::to_value(Api::openapi()).expect("plain data");
    count_tuples(&mut document);
    name_alternatives(&mut document["components"]["schemas"]);
    document.to_string()
});

/// The messages of the WebSocket in both directions.
static SCHEMA: LazyLock<String> = LazyLock::new(|| {
    let mut generator = schemars::SchemaGenerator::default();
    let client = generator.subschema_for::<kingscross_protocol::ClientMessage>();
    let server = generator.subschema_for::<kingscross_protocol::ServerMessage>();
    let record = generator.subschema_for::<kingscross_protocol::GameRecord>();
    let document = serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Kingscross WebSocket",
        "description": "`client` describes every message of a client, `server` every message of the server, \
            `record` an exported game.",
        "type": "object",
        "properties": { "client": client, "server": server, "record": record },
        "$defs": generator.take_definitions(true),
    });
    document.to_string()
});

async fn openapi(State(app): State<App>) -> impl IntoResponse {
    let path = app.config.server.public_url.path();
    let document = if path.is_empty() { Cow::Borrowed(OPENAPI.as_str()) } else { Cow::Owned(under(path)) };
    ([(header::CONTENT_TYPE, "application/json")], document)
}

/// The document of a server whose public URL has a path.
fn under(path: &str) -> String {
    let mut api = Api::openapi();
    api.servers = Some(vec![Server::new(path)]);
    api.to_json().expect("plain data")
}

async fn schema() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/schema+json")], SCHEMA.as_str())
}

/// Nothing is loaded from elsewhere, and there are no inline scripts or styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

async fn page() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, include_str!("docs/docs.html"))
}

async fn script() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("docs/docs.js"))
}

async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("docs/docs.css"))
}
