//! The program and what surrounds it: open files, signals, service managers, proxies on the same machine, variables.

use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};

use kingscross_tests::Http;
use tempfile::TempDir;
use tokio::net::TcpStream;

const BINARY: &str = env!("CARGO_BIN_EXE_kingscross");

/// A running server, whose words are read as they come. Dropping it kills it.
struct Running {
    child: Child,
    /// What its first line names.
    address: String,
    errors: Lines<BufReader<ChildStderr>>,
    // Open as long as it runs.
    _words: BufReader<ChildStdout>,
    folder: TempDir,
}

impl Running {
    /// Starts a server by a shell, after `before` (`ulimit …;`), with these variables.
    fn start(before: &str, variables: &[(&str, &str)], arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = Command::new("sh")
            .args(["-c", &format!("{before} exec {BINARY} \"$@\""), "kingscross", "serve"])
            .args(arguments)
            .current_dir(folder.path())
            .env_remove("RUST_LOG")
            .env_remove("PORT")
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut words = BufReader::new(child.stdout.take().expect("piped"));
        let errors = BufReader::new(child.stderr.take().expect("piped")).lines();
        let mut line = String::new();
        words.read_line(&mut line).expect("text");
        let address = line.split_whitespace().last().unwrap_or_default().trim_end_matches('/').to_owned();
        Self { child, address, errors, _words: words, folder }
    }

    fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
    }

    /// Reads what it says until a line has these words.
    fn until(&mut self, words: &str) -> String {
        let mut lines = self.errors.by_ref().map_while(Result::ok);
        lines.find(|line| line.contains(words)).unwrap_or_else(|| panic!("it never says {words}"))
    }

    /// Ends it in order.
    fn end(self) {
        self.signal("TERM");
        self.has_ended();
    }

    /// Waits for an end in order.
    fn has_ended(mut self) {
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Killing what has been waited for already is an error of no interest.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command to its end, with these variables.
fn run(variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(BINARY);
    command.args(arguments).current_dir(folder.path()).env_remove("PORT").envs(variables.iter().copied());
    command.output().expect("the program runs")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_of_one_address_leave_room_for_others() {
    // Nobody is cut off for being idle while the test runs.
    let patient = [("KINGSCROSS__SERVER__HEAD_MS", "3600000")];
    let server = Running::start("ulimit -n 300;", &patient, &["--listen", "127.0.0.1:0"]);
    let target = server.address.trim_start_matches("http://").to_owned();
    let mut held = Vec::new();
    // A quarter of what is left of 300 after the server's own.
    for _ in 0..50 {
        held.push(TcpStream::connect(&target).await.expect("it listens"));
    }
    // The greedy one is told why it gets nothing more.
    let refused = Http::new(&server.address).get("/healthz").await;
    assert_eq!(refused.refusal(), (503, "too_many".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("5"));
    for _ in 0..270 {
        held.push(TcpStream::connect(&target).await.expect("it listens"));
    }
    let mut other = Http::new(&server.address);
    other.from = [127, 0, 0, 2].into();
    assert_eq!(other.get("/healthz").await.status, 200);
    assert_eq!(other.get("/readyz").await.status, 200, "the database has what it needs");
    drop(held);
    server.end();
}

#[tokio::test]
async fn a_low_limit_of_open_files_is_raised_as_far_as_the_system_allows() {
    let server = Running::start("ulimit -Sn 100;", &[], &["--listen", "127.0.0.1:0"]);
    assert_eq!(Http::new(&server.address).get("/healthz").await.status, 200);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", server.child.id())).expect("Linux tells");
    let line = limits.lines().find(|line| line.starts_with("Max open files")).expect("a line");
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[3], words[4], "{line}");
    server.end();
}

#[test]
fn a_hangup_reads_the_level_of_the_log_again_and_ends_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("config.toml");
    let config = file.to_str().expect("a plain name");
    std::fs::write(&file, "[log]\nlevel = \"warn\"\n").expect("writable");
    let mut server = Running::start("", &[], &["--listen", "127.0.0.1:0", "--config", config]);

    std::fs::write(&file, "[log]\nlevel = \"nonsense=nonsense\"\n").expect("writable");
    server.signal("HUP");
    assert!(server.until("SIGHUP").contains("everything stays as it is"));

    std::fs::write(&file, "[log]\nlevel = \"info\"\n[server]\nstop_ms = 7000\n").expect("writable");
    server.signal("HUP");
    // A line of the level `info`, which was not written before.
    assert!(server.until("SIGHUP").contains("level of the log was read again"));
    assert!(server.until("SIGHUP").contains("count from the next start on"));
    server.end();
}

#[test]
fn a_service_manager_hears_when_the_server_is_ready_lives_and_stops() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).expect("a socket");
    let hear = || {
        let mut bytes = [0; 64];
        let length = socket.recv(&mut bytes).expect("a datagram");
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    };
    let variables = [("NOTIFY_SOCKET", path.to_str().expect("plain")), ("WATCHDOG_USEC", "100000")];
    let server = Running::start("", &variables, &["--listen", "127.0.0.1:0"]);
    assert_eq!((hear(), hear(), hear()), ("READY=1".into(), "WATCHDOG=1".into(), "WATCHDOG=1".into()));
    server.signal("TERM");
    while hear() != "STOPPING=1" {}
    server.has_ended();
}

/// One request by a socket in the file system.
fn ask(path: &PathBuf, head: &str) -> String {
    let mut stream = UnixStream::connect(path).expect("the server listens");
    write!(stream, "{head}\r\nHost: play.example\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_server_behind_a_socket_believes_its_proxy_and_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kingscross.sock");
    let listen = format!("unix:{}", path.display());
    // What a dead server has left is replaced.
    drop(UnixListener::bind(&path).expect("a socket"));
    let variables = [("KINGSCROSS__ACCOUNTS__GUESTS_PER_ADDRESS", "1")];
    let server = Running::start("", &variables, &["--listen", &listen]);
    assert_eq!(server.address, listen);
    let mode = std::fs::metadata(&path).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o660);

    assert_eq!(ask(&path, "GET /healthz HTTP/1.1"), "HTTP/1.1 200 OK");
    let guest = |from: &str| ask(&path, &format!("POST /api/v1/guest HTTP/1.1\r\nX-Forwarded-For: {from}"));
    assert_eq!(guest("203.0.113.1"), "HTTP/1.1 201 Created");
    assert_eq!(guest("203.0.113.2:4711"), "HTTP/1.1 201 Created");
    assert_eq!(guest("203.0.113.1:4712"), "HTTP/1.1 429 Too Many Requests");

    assert!(run(&[], &["health", "--listen", &listen]).status.success());
    let second = run(&[], &["serve", "--listen", &listen]);
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(!second.status.success() && said.contains("another program listens there"), "{said}");
    assert!(server.folder.path().join("kingscross.db").exists());
    server.end();
    assert!(!path.exists());

    // What is no socket is never replaced.
    std::fs::write(&path, "precious").expect("writable");
    assert!(!run(&[], &["serve", "--listen", &listen]).status.success());
    assert_eq!(std::fs::read_to_string(&path).expect("still there"), "precious");
}

#[test]
fn the_port_that_a_host_gives_is_used_unless_the_command_line_says_otherwise() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = free.local_addr().expect("bound").port().to_string();
    drop(free);
    let server = Running::start("", &[], &["--listen", "127.0.0.1:0"]);
    assert!(!server.address.ends_with(&format!(":{port}")), "{}", server.address);
    server.end();
    let shown = run(&[("PORT", &port)], &["config"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains(&format!("listen = \"0.0.0.0:{port}\"")));
    let shown = run(&[("PORT", &port)], &["config", "--listen", "127.0.0.1:9"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("listen = \"127.0.0.1:9\""));
}

#[test]
fn a_variable_that_is_not_an_option_is_reported_at_the_start_and_by_the_doctor() {
    let slip = [("KINGSCROSS_SERVER_LISTEN", "0.0.0.0:80")];
    let meant = "KINGSCROSS_SERVER_LISTEN in the environment is not an option and is not read; did you mean \
                 KINGSCROSS__SERVER__LISTEN?";
    let mut server = Running::start("", &slip, &["--listen", "127.0.0.1:0"]);
    assert!(server.until("KINGSCROSS_SERVER_LISTEN").contains(meant));
    server.end();
    let looked = run(&slip, &["doctor", "--listen", "127.0.0.1:0"]);
    assert!(String::from_utf8_lossy(&looked.stdout).contains(meant));
}

#[test]
fn an_address_that_browsers_do_not_write_is_refused_with_what_to_write() {
    let refused = [("KINGSCROSS__SERVER__PUBLIC_URL", "x.example")];
    let advice = "`x.example` has no scheme; write `https://x.example`";
    for command in ["serve", "doctor"] {
        let output = run(&refused, &[command, "--listen", "127.0.0.1:0"]);
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(!output.status.success() && said.contains(advice), "{said}");
        assert!(said.contains("public_url"), "{said}");
    }
    let odd = [("KINGSCROSS__SERVER__PUBLIC_URL", "HTTPS://X.Example:443")];
    let shown = String::from_utf8_lossy(&run(&odd, &["config"]).stdout).into_owned();
    assert!(shown.contains("public_url = \"https://x.example/\""), "{shown}");
}
