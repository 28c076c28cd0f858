//! The browser client, embedded: files of `web/`, and its page for every address of a view.

mod joined;

use std::borrow::Cow;
use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};
use tower_http::compression::CompressionLayer;

use crate::http::{no_such_path, wrong_method};

#[derive(RustEmbed)]
#[folder = "../../web"]
#[allow_missing = true]
#[exclude = "node_modules/*"]
#[exclude = "test/*"]
// Settings of the tools that check it.
#[exclude = "*.json"]
struct Web;

/// The addresses of the client's views, as its router writes them; `:` begins what may be anything.
const VIEWS: [&str; 11] = [
    "/",
    "/lobby/:lobby",
    "/game/:game",
    "/games",
    "/users/:user",
    "/leaderboards",
    "/queue",
    "/analysis",
    "/rules/:variant",
    "/account",
    "/settings",
];

/// Serves the client at every path that nothing else answers. Its page names `base`, the path under which the server is.
pub fn router<S: Clone + Send + Sync + 'static>(base: &str) -> Router<S> {
    let base: Arc<str> = base.into();
    let answer = move |method, uri, headers| asset(base.clone(), method, uri, headers);
    Router::new().fallback(answer).layer(CompressionLayer::new())
}

/// The page for a server under a path: its own addresses begin with it, and the client learns it.
fn based(page: File, base: &str) -> File {
    if base.is_empty() {
        return page;
    }
    let text = String::from_utf8_lossy(&page.data).replace("data-base=\"", &format!("data-base=\"{base}"));
    whole(
        ["href", "src"]
            .iter()
            .fold(text, |text, name| text.replace(&format!("{name}=\"/"), &format!("{name}=\"{base}/"))),
    )
}

async fn asset(base: Arc<str>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if !matches!(method, Method::GET | Method::HEAD) {
        let allowed = [(header::ALLOW, HeaderValue::from_static("GET, HEAD"))];
        return (allowed, wrong_method().await).into_response();
    }
    let path = uri.path().trim_start_matches('/');
    // A path with a dot in its last part names a file; everything else is an address within the client, which says so
    // itself when it has no such view.
    let is_file_name = path.rsplit('/').next().is_some_and(|last| last.contains('.'));
    let is_api = path == "api" || path.starts_with("api/");
    let found = match find(path) {
        Some(file) if path != "index.html" => Some((path, file)),
        None if is_file_name || is_api => None,
        _ => find("index.html").map(|page| ("index.html", based(page, &base))),
    };
    let Some((name, file)) = found else { return no_such_path().await.into_response() };
    let is_missing = name != path && !is_view(uri.path());
    let tag: String = file.hash[..12].iter().map(|byte| format!("{byte:02x}")).collect();
    let tag = HeaderValue::from_str(&format!("\"{tag}\"")).expect("hex digits");
    let is_known = !is_missing
        && headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let packed = file.packed.filter(|_| takes_gzip(&headers));
    let is_packed = packed.is_some();
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Body::from(packed.unwrap_or(file.data)).into_response()
    };
    if is_missing {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    let headers = response.headers_mut();
    if is_packed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    headers.insert(header::ETAG, tag);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(name)));
    // Checked by its tag each time, so a new server never meets an old client.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
        ),
    );
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

/// A file as it is sent.
#[derive(Clone)]
struct File {
    data: Cow<'static, [u8]>,
    hash: [u8; 32],
    /// The same, compressed ahead.
    packed: Option<Cow<'static, [u8]>>,
}

/// A file of the client, or one that is joined of many.
fn find(path: &str) -> Option<File> {
    // Joined once; while one works on the client, at every request.
    static JOINED: OnceLock<[File; 3]> = OnceLock::new();
    let index = match path {
        "client.js" => 0,
        "more.js" => 1,
        "client.css" => 2,
        _ => {
            let file = Web::get(path)?;
            return Some(File { data: file.data, hash: file.metadata.sha256_hash(), packed: None });
        }
    };
    let join = || {
        let [first, more] = joined::scripts(&modules());
        [first, more, sheets()].map(whole)
    };
    let files = if cfg!(debug_assertions) { join() } else { JOINED.get_or_init(join).clone() };
    files.into_iter().nth(index)
}

/// A text as a file, compressed as well as it can be.
fn whole(text: String) -> File {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    // Into memory, which does not fail.
    let packed = packer.write_all(text.as_bytes()).and_then(|()| packer.finish()).ok();
    let hash = Sha256::digest(text.as_bytes()).into();
    File { data: Cow::Owned(text.into_bytes()), hash, packed: packed.map(Cow::Owned) }
}

/// The modules of the client by their path under `js/`.
fn modules() -> Vec<(String, String)> {
    let paths = Web::iter().filter(|path| path.starts_with("js/"));
    paths.filter_map(|path| Some((path.strip_prefix("js/")?.to_owned(), text_of(&path)?))).collect()
}

fn sheets() -> String {
    joined::SHEETS.iter().filter_map(|path| text_of(path)).collect()
}

fn text_of(path: &str) -> Option<String> {
    String::from_utf8(Web::get(path)?.data.into_owned()).ok()
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| coding.trim() == "gzip")
}

/// Whether an address has a view.
fn is_view(path: &str) -> bool {
    let parts = |path: &'static str| path.split('/').filter(|part| !part.is_empty());
    VIEWS.iter().any(|&view| {
        let given = path.split('/').filter(|part| !part.is_empty());
        given.clone().count() == parts(view).count()
            && parts(view).zip(given).all(|(wanted, part)| wanted.starts_with(':') || wanted == part)
    })
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "webmanifest" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "ogg" => "audio/ogg",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_views_are_those_of_the_clients_router() {
        let router = Web::get("js/router.js").expect("the client is there");
        let text = String::from_utf8(router.data.into_owned()).expect("text");
        let paths: Vec<&str> =
            text.split("{ path: '").skip(1).filter_map(|rest| rest.split('\'').next()).collect();
        assert_eq!(paths, VIEWS);
    }

    #[test]
    fn an_address_is_that_of_a_view_or_of_nothing() {
        for path in ["/", "/games", "/games/", "/game/anything", "/users/%C3%A9"] {
            assert!(is_view(path), "{path}");
        }
        for path in ["/nothing", "/game", "/game/a/b", "/games/a", "/Games"] {
            assert!(!is_view(path), "{path}");
        }
    }
}
