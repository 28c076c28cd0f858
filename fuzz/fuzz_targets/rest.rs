//! Any request to the REST API of a real server over a real connection is answered, never by a fault of the server's,
//! and every refusal has its code. Paths, queries and bodies are the input's.

#![no_main]

use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;

use kingscross_tests::{Database, Server};
use libfuzzer_sys::fuzz_target;

const METHODS: [&str; 4] = ["GET", "POST", "DELETE", "PUT"];
const PATHS: [&str; 24] = [
    "guest", "accounts", "session", "me", "me/password", "me/export", "me/sessions", "me/tokens", "me/tokens/{}",
    "me/sessions/{}", "users", "users/{}", "users/{}/ratings", "games", "games/{}", "games/{}/record", "games/{}/pgn4",
    "games/{}/fen4", "pools", "positions", "variants", "reports", "openapi.json", "{}",
];

/// A guest on a connection that is kept.
struct Guest {
    server: String,
    line: Option<BufReader<TcpStream>>,
    cookie: String,
}

static GUEST: Mutex<Option<Guest>> = Mutex::new(None);

/// Starts the server, once, on a thread of its own.
fn start() -> Guest {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        runtime.expect("a runtime").block_on(async move {
            let server = Server::start_with(&Database::sqlite(), |config| {
                kingscross_tests::without_limits(config);
                config.accounts.requests_per_address = u32::MAX;
                config.accounts.guests_per_address = u32::MAX;
                config.accounts.registrations_per_address = u32::MAX;
                config.accounts.sign_ins_per_address = u32::MAX;
                config.accounts.sign_ins_per_name = u32::MAX;
                config.accounts.reports_per_user = u32::MAX;
            })
            .await;
            tell.send(server.url.trim_start_matches("http://").to_owned()).expect("it is awaited");
            std::future::pending::<()>().await;
        });
    });
    Guest { server: told.recv().expect("the server starts"), line: None, cookie: String::new() }
}

impl Guest {
    /// Sends one request and gives status and body. A kept connection may have been closed for standing still; what was
    /// lost with it is sent again on a new one, which must answer.
    fn ask(&mut self, method: &str, path: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let is_kept = self.line.is_some();
        let status = match self.send(method, path, body) {
            Err(_) if is_kept => {
                self.line = None;
                self.send(method, path, body)
            }
            sent => sent,
        };
        let status = status.expect("it answers");
        let line = self.line.as_mut().expect("it was just used");
        let (mut length, mut is_chunked, mut is_last) = (0, false, false);
        loop {
            let mut header = String::new();
            line.read_line(&mut header).expect("a header");
            let Some((name, value)) = header.trim_end().split_once(": ") else { break };
            match name {
                "content-length" => length = value.parse().expect("a number"),
                "transfer-encoding" => is_chunked = value == "chunked",
                "connection" => is_last = value == "close",
                "set-cookie" => value.split(';').next().unwrap_or_default().clone_into(&mut self.cookie),
                _ => {}
            }
        }
        let mut content = Vec::new();
        loop {
            if is_chunked {
                let mut size = String::new();
                line.read_line(&mut size).expect("a chunk");
                length = usize::from_str_radix(size.trim_end(), 16).expect("its size");
            }
            let begun = content.len();
            content.resize(begun + length, 0);
            line.read_exact(&mut content[begun..]).expect("the whole answer");
            if !is_chunked {
                break;
            }
            line.read_line(&mut String::new()).expect("the end of the chunk");
            if length == 0 {
                break;
            }
        }
        if is_last {
            self.line = None;
        }
        (status, content)
    }

    /// Sends one request and reads the first line of its answer, which is its status.
    fn send(&mut self, method: &str, path: &str, body: &[u8]) -> io::Result<u16> {
        let line = match &mut self.line {
            Some(line) => line,
            None => self.line.insert(BufReader::new(TcpStream::connect(&self.server)?)),
        };
        let head = format!(
            "{method} /api/v1/{path} HTTP/1.1\r\nHost: fuzz\r\nContent-Type: application/json\r\nCookie: {}\r\nContent-Length: {}\r\n\r\n",
            self.cookie,
            body.len()
        );
        line.get_mut().write_all(head.as_bytes())?;
        line.get_mut().write_all(body)?;
        let mut status = String::new();
        if line.read_line(&mut status)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(status.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status line"))
    }
}

/// Only what may stand in a request's first line; everything else percent-encoded, so that it reaches our parsers.
fn encoded(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| match byte {
            b'!' | b'$'..=b';' | b'=' | b'?'..=b'Z' | b'_' | b'a'..=b'z' | b'~' => char::from(*byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

fuzz_target!(|input: (u8, u8, &[u8], &[u8])| {
    let (method, path, words, body) = input;
    let method = METHODS[usize::from(method) % METHODS.len()];
    let mut words = words.split(|byte| *byte == b'\n');
    let place = encoded(words.next().unwrap_or_default());
    let mut path = PATHS[usize::from(path) % PATHS.len()].replace("{}", &place);
    if let Some(query) = words.next() {
        path = format!("{path}?{}", encoded(query));
    }
    let mut guest = GUEST.lock().expect("no panic goes on");
    let guest = guest.get_or_insert_with(start);
    if guest.cookie.is_empty() || guest.cookie.ends_with('=') {
        assert!(matches!(guest.ask("POST", "guest", b"{}").0, 200 | 201));
    }
    let (status, answer) = guest.ask(method, &path, body);
    assert!(status < 500, "{method} {path}: {status} {}", String::from_utf8_lossy(&answer));
    if status >= 400 && method != "HEAD" {
        let refusal: serde_json::Value = serde_json::from_slice(&answer).expect("a refusal is JSON");
        assert!(refusal["code"].is_string(), "{method} {path}: {refusal}");
    }
    if status == 401 {
        guest.cookie.clear();
    }
});
