//! The address that players use, and origins: checked and written one way, so that what browsers send can be compared.

use std::fmt;
use std::str::FromStr;

use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use serde::{Deserialize, Serialize};

/// Scheme, host and port of a site, as a browser writes them: lower case, without the scheme's own port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Origin(String);

/// The server's address for players: an origin, and a path when the server is not at its root. Empty: none is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicUrl(Option<(Origin, String)>);

/// Why a text is not an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadUrl {
    /// No `http://` or `https://` in front.
    #[error("`{0}` has no scheme; write `https://{0}`, or `http://{0}` without TLS")]
    NoScheme(String),
    /// It does not read as an address.
    #[error(
        "`{0}` is not the address of a site; write https://host, with a :port only if it is not the usual one"
    )]
    Unreadable(String),
    /// `user:password@host`, `?query` or `#fragment`.
    #[error("`{0}` may have no {1}; write `{2}`")]
    Surplus(String, &'static str, String),
    /// A path that cannot be a prefix.
    #[error("the path of `{0}` may have letters, digits and `-`, `.`, `_`, `~` between single slashes only")]
    BadPath(String),
    /// An origin with a path.
    #[error("`{0}` is an origin, which has no path; write `{1}`")]
    HasPath(String, String),
}

/// An address taken apart: its origin, and its path without a slash at the end.
fn parse(text: &str) -> Result<(Origin, String), BadUrl> {
    let unreadable = || BadUrl::Unreadable(text.to_owned());
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
        // `x.example`, also with a port or a path; but nothing like `mailto:x`.
        None if text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[') => {
            return Err(BadUrl::NoScheme(text.to_owned()));
        }
        None => return Err(unreadable()),
    };
    let usual_port = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        _ => return Err(unreadable()),
    };
    for (mark, what) in [('#', "fragment"), ('?', "query")] {
        if let Some((before, _)) = text.split_once(mark) {
            return Err(BadUrl::Surplus(text.to_owned(), what, before.to_owned()));
        }
    }
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    if let Some((_, host)) = authority.rsplit_once('@') {
        return Err(BadUrl::Surplus(text.to_owned(), "user", format!("{scheme}://{host}{path}")));
    }
    let uri: Uri = format!("{scheme}://{authority}/").parse().map_err(|_| unreadable())?;
    let host = uri.host().unwrap_or_default().to_ascii_lowercase();
    let is_host = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let is_ipv6 =
        host.starts_with('[') && host[1..].trim_end_matches(']').parse::<std::net::Ipv6Addr>().is_ok();
    if host.is_empty() || !(is_ipv6 || host.chars().all(is_host)) {
        return Err(unreadable());
    }
    // A colon without a number, and one with something other than a port.
    let after_host = &authority[host.len()..];
    let port = match after_host.strip_prefix(':') {
        None if after_host.is_empty() => usual_port,
        Some(digits) => digits.parse::<u16>().ok().filter(|port| *port > 0).ok_or_else(unreadable)?,
        None => return Err(unreadable()),
    };
    let origin =
        if port == usual_port { format!("{scheme}://{host}") } else { format!("{scheme}://{host}:{port}") };
    let path = path.strip_suffix('/').unwrap_or(path);
    let is_part = |part: &str| {
        !matches!(part, "" | "." | "..")
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-._~".contains(c))
    };
    if !path.is_empty() && !path.split('/').skip(1).all(is_part) {
        return Err(BadUrl::BadPath(text.to_owned()));
    }
    Ok((Origin(origin), path.to_owned()))
}

impl PublicUrl {
    /// Whether none is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether players come by TLS.
    pub fn is_secure(&self) -> bool {
        self.0.as_ref().is_some_and(|(origin, _)| origin.0.starts_with("https://"))
    }

    /// The origin of the server's own pages, if it is known.
    pub fn origin(&self) -> Option<&Origin> {
        self.0.as_ref().map(|(origin, _)| origin)
    }

    /// The path under which the server is: `/chess`, or nothing at the root.
    pub fn path(&self) -> &str {
        self.0.as_ref().map_or("", |(_, path)| path.as_str())
    }
}

/// Takes the path under which the server is off a request's address. One without it stays as it is: a proxy may have
/// taken it off, and whoever asks the server itself for its health knows of no path.
pub(crate) fn without_path(uri: Uri, path: &str) -> Uri {
    if path.is_empty() {
        return uri;
    }
    let Some(rest) = uri.path_and_query().and_then(|all| all.as_str().strip_prefix(path)) else { return uri };
    let rest = match rest.as_bytes().first() {
        Some(b'/') => rest.to_owned(),
        None | Some(b'?') => format!("/{rest}"),
        // `/chessmen` is not under `/chess`.
        Some(_) => return uri,
    };
    let mut parts = uri.into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(rest).expect("the end of a path is one"));
    Uri::from_parts(parts).expect("only the path has changed")
}

impl Origin {
    /// As browsers write it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Origin {
    type Err = BadUrl;

    fn from_str(text: &str) -> Result<Self, BadUrl> {
        let (origin, path) = parse(text)?;
        if path.is_empty() { Ok(origin) } else { Err(BadUrl::HasPath(text.to_owned(), origin.0)) }
    }
}

impl FromStr for PublicUrl {
    type Err = BadUrl;

    fn from_str(text: &str) -> Result<Self, BadUrl> {
        if text.is_empty() { Ok(Self(None)) } else { parse(text).map(|parts| Self(Some(parts))) }
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some((origin, path)) => write!(f, "{}{path}/", origin.0),
            None => Ok(()),
        }
    }
}

impl TryFrom<String> for Origin {
    type Error = BadUrl;

    fn try_from(text: String) -> Result<Self, BadUrl> {
        text.parse()
    }
}

impl TryFrom<String> for PublicUrl {
    type Error = BadUrl;

    fn try_from(text: String) -> Result<Self, BadUrl> {
        text.parse()
    }
}

impl From<Origin> for String {
    fn from(origin: Origin) -> Self {
        origin.0
    }
}

impl From<PublicUrl> for String {
    fn from(url: PublicUrl) -> Self {
        url.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_written_one_way() {
        for (text, written, origin, path) in [
            ("https://x.example", "https://x.example/", "https://x.example", ""),
            ("https://x.example/", "https://x.example/", "https://x.example", ""),
            ("HTTPS://X.Example:443/", "https://x.example/", "https://x.example", ""),
            ("http://x.example:80", "http://x.example/", "http://x.example", ""),
            ("http://x.example:443", "http://x.example:443/", "http://x.example:443", ""),
            (
                "https://x.example:8443/Chess/",
                "https://x.example:8443/Chess/",
                "https://x.example:8443",
                "/Chess",
            ),
            ("https://x.example/a/b", "https://x.example/a/b/", "https://x.example", "/a/b"),
            ("http://[::1]:8080", "http://[::1]:8080/", "http://[::1]:8080", ""),
        ] {
            let url: PublicUrl = text.parse().expect(text);
            assert_eq!(url.to_string(), written);
            assert_eq!((url.origin().expect("set").as_str(), url.path()), (origin, path), "{text}");
        }
        let none: PublicUrl = "".parse().expect("none");
        assert!(none.is_empty() && none.path().is_empty() && !none.is_secure());
    }

    #[test]
    fn what_is_no_address_is_refused_with_what_to_write() {
        for (text, advice) in [
            ("x.example", "write `https://x.example`"),
            ("x.example:8080/chess", "write `https://x.example:8080/chess`"),
            ("localhost:8080", "`http://localhost:8080` without TLS"),
            ("https://x.example/?a=b", "may have no query; write `https://x.example/`"),
            ("https://x.example/#top", "may have no fragment; write `https://x.example/`"),
            ("https://ada:secret@x.example/chess", "may have no user; write `https://x.example/chess`"),
            ("ftp://x.example", "write https://host"),
            ("https://", "write https://host"),
            ("https://x.example:", "write https://host"),
            ("https://x.example:0", "write https://host"),
            ("https://x.example:99999", "write https://host"),
            ("https://kö.example", "write https://host"),
            ("https://x example", "write https://host"),
            ("/chess", "write https://host"),
            ("https://x.example//", "single slashes"),
            ("https://x.example/a//b", "single slashes"),
            ("https://x.example/../b", "single slashes"),
            ("https://x.example/a%20b", "single slashes"),
        ] {
            let error = text.parse::<PublicUrl>().expect_err(text).to_string();
            assert!(error.contains(advice), "{text}: {error}");
        }
    }

    #[test]
    fn an_origin_has_no_path() {
        let origin: Origin = "HTTPS://Club.example:443/".parse().expect("an origin");
        assert_eq!(origin.as_str(), "https://club.example");
        for text in ["", "*", "null", "club.example", "https://club.example/play"] {
            assert!(text.parse::<Origin>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_path_is_taken_off_requests_under_it_and_no_others() {
        for (asked, found) in [
            ("/chess/api/v1/me?x=1", "/api/v1/me?x=1"),
            ("/chess/", "/"),
            ("/chess", "/"),
            ("/chess?x=1", "/?x=1"),
            ("/chessmen", "/chessmen"),
            ("/healthz", "/healthz"),
            ("/chess/chess/", "/chess/"),
        ] {
            let uri: Uri = asked.parse().expect("an address");
            assert_eq!(without_path(uri, "/chess").to_string(), found);
        }
        assert_eq!(without_path("/chess/".parse().expect("an address"), "").to_string(), "/chess/");
    }
}
