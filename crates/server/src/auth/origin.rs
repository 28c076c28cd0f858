//! Refuses requests that change something if they come from a page of another site.

use axum::http::{HeaderMap, header};

use crate::config;

/// A request that a browser sent on behalf of another site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request came from a page of another site")]
pub struct BadOrigin;

/// Checks the headers that browsers set and pages cannot: `Origin` must be this server or on the list, exactly.
/// A program that sends neither `Origin` nor `Sec-Fetch-Site` is not a browser, so no page made it send the request.
pub fn check_origin(config: &config::Server, headers: &HeaderMap) -> Result<(), BadOrigin> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("null"));
    let Some(origin) = text(header::ORIGIN) else {
        return match text(header::HeaderName::from_static("sec-fetch-site")) {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) => Err(BadOrigin),
        };
    };
    if headers.get_all(header::ORIGIN).iter().count() > 1 {
        return Err(BadOrigin);
    }
    if is_own(config, headers, origin) || config.origins.iter().any(|allowed| allowed.as_str() == origin) {
        Ok(())
    } else {
        Err(BadOrigin)
    }
}

/// Whether the request comes from a page of another origin. Such a page must use an API token: cookies, which a browser
/// also sends between hosts of one site, are not for it.
pub fn is_foreign(config: &config::Server, headers: &HeaderMap) -> bool {
    headers
        .get(header::ORIGIN)
        .is_some_and(|origin| !is_own(config, headers, origin.to_str().unwrap_or("null")))
}

fn is_own(config: &config::Server, headers: &HeaderMap, origin: &str) -> bool {
    match config.public_url.origin() {
        Some(own) => origin == own.as_str(),
        None => {
            let host = headers.get(header::HOST).map_or("", |host| host.to_str().unwrap_or("null"));
            !host.is_empty() && (origin == format!("http://{host}") || origin == format!("https://{host}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(public_url: &str, pairs: &[(&'static str, &'static str)]) -> Result<(), BadOrigin> {
        let mut config = config::Config::defaults().server;
        config.public_url = public_url.parse().expect("an address");
        config.origins = vec!["https://club.example".parse().expect("an origin")];
        let headers = pairs
            .iter()
            .map(|(name, value)| {
                (header::HeaderName::from_static(name), header::HeaderValue::from_static(value))
            })
            .collect();
        check_origin(&config, &headers)
    }

    #[test]
    fn pages_of_this_server_and_of_the_list_may_ask() {
        assert_eq!(asked("", &[("host", "a.example:8080"), ("origin", "http://a.example:8080")]), Ok(()));
        assert_eq!(
            asked("https://a.example/play", &[("host", "x"), ("origin", "https://a.example")]),
            Ok(())
        );
        assert_eq!(asked("", &[("host", "a.example"), ("origin", "https://club.example")]), Ok(()));
        assert_eq!(asked("", &[("host", "a.example")]), Ok(()), "no browser");
        assert_eq!(asked("", &[("host", "a.example"), ("sec-fetch-site", "same-origin")]), Ok(()));
    }

    #[test]
    fn other_pages_may_not() {
        for origin in [
            "http://evil.example",
            "null",
            "",
            "http://a.example:8081",
            "http://a.example.evil.example",
            "ftp://a.example",
            "http://A.example",
            "https://club.example.evil",
        ] {
            assert_eq!(asked("", &[("host", "a.example"), ("origin", origin)]), Err(BadOrigin), "{origin}");
        }
        assert_eq!(
            asked("https://a.example", &[("host", "a.example"), ("origin", "http://a.example")]),
            Err(BadOrigin)
        );
        assert_eq!(asked("", &[("host", "a.example"), ("sec-fetch-site", "cross-site")]), Err(BadOrigin));
        assert_eq!(asked("", &[("origin", "http://")]), Err(BadOrigin));
        let twice =
            [("host", "a.example"), ("origin", "http://a.example"), ("origin", "http://evil.example")];
        assert_eq!(asked("", &twice), Err(BadOrigin));
    }
}
