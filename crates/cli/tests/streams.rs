//! Where commands print: into pipes whose reader has gone, and behind what stands in a file already.

use std::io::{BufRead as _, BufReader, Write as _, pipe};
use std::process::{Child, Command, Stdio};

use kingscross_tests::Http;

const BINARY: &str = env!("CARGO_BIN_EXE_kingscross");
/// What a shell says of a program that SIGPIPE ended.
const READER_GONE: i32 = 141;

/// The end of a pipe that nobody reads.
fn unread() -> Stdio {
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

fn command(folder: &std::path::Path, line: &str) -> Command {
    let mut command = Command::new(BINARY);
    command.args(line.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command
}

/// A folder with a small database `kingscross.db`, a position `position.json` and a game `games.pgn4`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let done = |line: &str| {
        let output = command(folder.path(), line).output().expect("the program runs");
        assert!(output.status.success(), "{line}: {output:?}");
        output.stdout
    };
    done("generate --games 20 --players 8");
    let mut engine = command(folder.path(), "engine");
    let mut engine = engine.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program runs");
    let mut input = engine.stdin.take().expect("piped");
    input.write_all(b"{\"cmd\":\"new\",\"variant\":\"crossfire\"}\n").expect("it listens");
    drop(input);
    let answer = engine.wait_with_output().expect("it ends").stdout;
    let answer: serde_json::Value = serde_json::from_slice(&answer).expect("JSON");
    std::fs::write(folder.path().join("position.json"), answer["position"].to_string()).expect("writable");
    let fen4 = done("export --format fen4 position.json");
    std::fs::write(folder.path().join("position.fen4"), fen4).expect("writable");
    folder
}

#[test]
fn a_command_whose_reader_has_gone_ends_quietly() {
    let folder = folder();
    let users = command(folder.path(), "admin list").output().expect("the program runs");
    let users = String::from_utf8_lossy(&users.stdout).into_owned();
    let id = users.split_whitespace().next().expect("a user");
    let grant = format!("admin grant {id} moderator");
    for (line, input) in [
        ("config", ""),
        ("config --defaults", ""),
        ("doctor", ""),
        ("perft crossfire 2", ""),
        ("engine", "{\"cmd\":\"new\",\"variant\":\"cross-a\"}\n"),
        ("arena cross-a --bot page --bot random --games 2 --nodes 50 --longest 20", ""),
        ("verify", ""),
        ("rebuild-ratings", ""),
        ("admin list", ""),
        (grant.as_str(), ""),
        ("backup copy.db", ""),
        ("backup -", ""),
        ("export-all -", ""),
        ("--database restored.db restore copy.db", ""),
        ("--database generated.db generate --games 4 --players 8", ""),
        ("export --format fen4 position.json", ""),
        ("import --format fen4 position.fen4", ""),
    ] {
        let mut child = command(folder.path(), line)
            .stdin(Stdio::piped())
            .stdout(unread())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut stdin = child.stdin.take().expect("piped");
        // Most read nothing and may have ended.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(READER_GONE), "{line}: {said}");
        assert!(!said.contains("panicked") && !said.contains("pipe"), "{line}: {said}");
    }
    // What was to be done before is done.
    let verified = command(folder.path(), "--database restored.db verify").output().expect("it runs");
    assert!(String::from_utf8_lossy(&verified.stdout).contains("20 games"), "{verified:?}");
    let users = command(folder.path(), "admin list").output().expect("it runs");
    assert!(String::from_utf8_lossy(&users.stdout).contains("moderator"), "{users:?}");
}

#[test]
fn nobody_need_read_what_is_said_beside_a_result() {
    let folder = folder();
    for (line, result) in [
        ("perft crossfire 2", "395"),
        ("verify", "20 games"),
        ("export-all -", "kingscross_export"),
        ("--database none.db verify", ""),
    ] {
        let output = command(folder.path(), line).stderr(unread()).output().expect("the program runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(i32::from(result.is_empty())), "{line}: {text}");
        assert!(text.contains(result), "{line}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_serves_though_nobody_reads_its_log_or_its_greeting() {
    struct Killed(Child);
    impl Drop for Killed {
        fn drop(&mut self) {
            // Killing what has ended already is an error of no interest.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut serve = command(folder.path(), "serve --listen 127.0.0.1:0");
    serve.env("RUST_LOG", "debug").stdout(Stdio::piped()).stderr(unread());
    let mut server = Killed(serve.spawn().expect("the program runs"));
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().expect("piped")).read_line(&mut line).expect("text");
    let url = line.split_whitespace().last().expect("an address").trim_end_matches('/').to_owned();
    for _ in 0..3 {
        assert_eq!(Http::new(&url).get("/api/v1/variants").await.status, 200);
    }
    drop(server);

    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = free.local_addr().expect("bound").to_string();
    drop(free);
    let mut serve = command(folder.path(), &format!("serve --listen {address}"));
    serve.env("RUST_LOG", "info").stdout(unread()).stderr(Stdio::piped());
    let mut server = Killed(serve.spawn().expect("the program runs"));
    // It has greeted before it answers; if it had ended, its words would end too.
    let mut words = server.0.stderr.take().expect("piped");
    while std::net::TcpStream::connect(&address).is_err() {
        assert!(server.0.try_wait().expect("ours").is_none(), "it has ended: {}", rest(&mut words));
    }
    assert_eq!(Http::new(&format!("http://{address}")).get("/readyz").await.status, 200);
}

fn rest(words: &mut impl std::io::Read) -> String {
    let mut text = String::new();
    // Part of a message alone.
    let _ = words.read_to_string(&mut text);
    text
}

#[test]
fn a_full_disk_is_reported_in_one_line() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let output = command(folder.path(), "config").stdout(full).output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("kingscross: cannot write to standard output: No space left"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn an_export_into_a_stream_leaves_what_stands_there() {
    let folder = folder();
    let path = folder.path().join("both");
    std::fs::write(&path, "first\n").expect("writable");
    let file = std::fs::OpenOptions::new().append(true).open(&path).expect("a file");
    let output = command(folder.path(), "export-all -").stdout(file).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let text = std::fs::read_to_string(&path).expect("text");
    assert!(text.starts_with("first\n{\"kingscross_export\""), "{}", &text[..40]);
}
