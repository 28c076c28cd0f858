//! The API described by itself: OpenAPI, the JSON Schema of the WebSocket, and a page to read both offline.

use std::sync::LazyLock;

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

use crate::App;

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
    modifiers(&Ways, &Refusals),
    security((), ("session" = []), ("token" = []))
)]
struct Api;

/// The two ways to be known.
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

/// What any request may be answered.
struct Refusals;

impl utoipa::Modify for Refusals {
    fn modify(&self, api: &mut utoipa::openapi::OpenApi) {
        for (path, item) in &mut api.paths.paths {
            if !path.starts_with("/api/") {
                continue;
            }
            let ways = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete];
            for operation in ways.into_iter().flatten() {
                let mut add = |status: &str, why: &str| {
                    let all = &mut operation.responses.responses;
                    all.entry(status.to_owned()).or_insert_with(|| RefOr::T(refusal(why)));
                };
                add("429", "too many requests of one address");
                // Told from memory alone.
                if path != "/api/v1/variants" {
                    add("503", "the database does not answer, or the server is stopping");
                }
                if operation.request_body.is_some() {
                    add("413", "the body is larger than the server reads");
                }
            }
        }
    }
}

fn refusal(why: &str) -> Response {
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody"))).build();
    ResponseBuilder::new().description(why).content("application/json", body).build()
}

/// The document as text; it never changes while the server runs.
static OPENAPI: LazyLock<String> = LazyLock::new(|| Api::openapi().to_json().expect("plain data"));

/// What is said on the WebSocket, each way.
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

async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI.as_str())
}

async fn schema() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/schema+json")], SCHEMA.as_str())
}

/// Nothing is loaded from elsewhere and nothing stands inline.
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
