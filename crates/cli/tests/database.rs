//! The program and its database: over TLS, through poolers, of other encodings, shared, and not there yet.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, ChildStderr, Command, Stdio};

use kingscross_tests::{Database, Http, PgBouncer, Postgres, Program};

const BINARY: &str = env!("CARGO_BIN_EXE_kingscross");
/// Seconds after which a program that should have ended hangs.
const BOUND: &str = "60";
const COMMANDS: [&str; 3] = ["serve --listen 127.0.0.1:0", "doctor", "verify"];

/// Runs a command to its end, which must come by itself, and gives its success and all its words.
fn run(database: &str, line: &str) -> (bool, String) {
    let output = Command::new("timeout")
        .args([BOUND, BINARY, "--database", database])
        .args(line.split_whitespace())
        .stdin(Stdio::null())
        .output()
        .expect("coreutils are everywhere");
    let words =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert_ne!(output.status.code(), Some(124), "{line} hangs: {words}");
    (output.status.success(), words)
}

fn signal(id: u32, name: &str) {
    // The shell's own `kill`: the program of that name is not everywhere.
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {id}")]).status();
    assert!(status.expect("a shell").success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_over_tls_is_used_in_every_mode() {
    let Some(postgres) = Postgres::with_tls().await else { return };
    let root = format!("sslrootcert={}", postgres.root("root"));
    for (host, parameters) in [
        ("127.0.0.1", String::new()),
        ("127.0.0.1", "sslmode=disable".to_owned()),
        ("127.0.0.1", "sslmode=prefer".to_owned()),
        ("127.0.0.1", "sslmode=require".to_owned()),
        ("127.0.0.1", format!("sslmode=verify-ca&{root}")),
        ("localhost", format!("sslmode=verify-full&{root}")),
    ] {
        let url = postgres.url(host, "postgres", &parameters);
        let server = Program::start(BINARY, &url, &[]);
        let mut visitor = Http::new(&server.url);
        assert_eq!(visitor.get("/readyz").await.status, 200, "{parameters}");
        assert_eq!(visitor.post("/api/v1/guest", &serde_json::json!({})).await.status, 201, "{parameters}");
        server.end();
        for line in ["doctor", "verify"] {
            let (is_good, words) = run(&url, line);
            assert!(is_good, "{line} {parameters}: {words}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_that_does_not_hold_is_refused_by_name() {
    let Some(postgres) = Postgres::with_tls().await else { return };
    let [root, stranger] = ["root", "stranger"].map(|name| format!("sslrootcert={}", postgres.root(name)));
    for (parameters, why) in [
        (format!("sslmode=verify-ca&{stranger}"), "UnknownIssuer"),
        (format!("sslmode=verify-full&{stranger}"), "UnknownIssuer"),
        ("sslmode=verify-full".to_owned(), "UnknownIssuer"),
        // The certificate is for `localhost`.
        (format!("sslmode=verify-full&{root}"), "not valid for name"),
        ("sslmode=verify-ca&sslrootcert=/nowhere/root.crt".to_owned(), "a file that the URL names"),
    ] {
        let url = postgres.url("127.0.0.1", "postgres", &parameters);
        for line in COMMANDS {
            let (is_good, words) = run(&url, line);
            let named = format!("cannot use TLS with the PostgreSQL server at {}", postgres.address());
            assert!(
                !is_good && words.contains(&named) && words.contains(why),
                "{line} {parameters}: {words}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_tls_is_refused_where_tls_is_required() {
    let Some(postgres) = Postgres::start().await else { return };
    let url = postgres.url("127.0.0.1", "postgres", "sslmode=require");
    for line in COMMANDS {
        let (is_good, words) = run(&url, line);
        assert!(!is_good && words.contains("server does not support TLS"), "{line}: {words}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_cannot_hold_every_name_is_refused() {
    let Some(postgres) = Postgres::start().await else { return };
    for (name, encoding) in [("western", "LATIN1"), ("bytes", "SQL_ASCII")] {
        postgres
            .sql(&format!("create database {name} encoding '{encoding}' template template0 locale 'C'"))
            .await;
        for line in COMMANDS {
            let (is_good, words) = run(&postgres.url("127.0.0.1", name, ""), line);
            let named = format!("the database `{name}` has the encoding {encoding}");
            assert!(!is_good && words.contains(&named), "{line}: {words}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pooler_of_transactions_is_refused_by_name_and_one_of_sessions_is_used() {
    let Some(postgres) = Postgres::start().await else { return };
    for mode in ["transaction", "statement"] {
        let pooler = PgBouncer::start(&postgres, mode);
        for line in COMMANDS {
            let (is_good, words) = run(&pooler.location(), line);
            assert!(!is_good && words.contains("pool_mode = session"), "{mode} {line}: {words}");
        }
    }
    let pooler = PgBouncer::start(&postgres, "session");
    let server = Program::start(BINARY, &pooler.location(), &[]);
    let mut visitor = Http::new(&server.url);
    assert_eq!(visitor.post("/api/v1/guest", &serde_json::json!({})).await.status, 201);
    assert_eq!(visitor.get("/readyz").await.status, 200);
    refuse_a_second(&server, &pooler.location());
    server.end();
    for line in ["doctor", "verify"] {
        let (is_good, words) = run(&pooler.location(), line);
        assert!(is_good, "{line}: {words}");
    }
}

fn refuse_a_second(first: &Program, database: &str) {
    let (is_good, words) = run(database, "serve --listen 127.0.0.1:0");
    let named = format!("another kingscross server uses this database (process {} on ", first.id());
    assert!(!is_good && words.contains(&named) && words.contains(", since 20"), "{words}");
    assert!(!words.contains("is ready"), "{words}");
}

/// One server at a time; commands beside it; the next one at once, however the last one ended.
fn one_server_at_a_time(database: &str, backups: &std::path::Path) {
    let first = Program::start(BINARY, database, &[]);
    refuse_a_second(&first, database);
    let backup = format!("backup {}", backups.join("beside").display());
    for line in ["doctor", "verify", "admin list", &backup] {
        let (is_good, words) = run(database, line);
        assert!(is_good, "{line}: {words}");
    }
    // What rewrites the database waits for nobody, and changes nothing.
    let beside = backups.join("beside").display().to_string();
    for line in [
        "rebuild-ratings",
        "generate --games 1",
        &format!("restore {beside}"),
        &format!("import-all {beside}"),
    ] {
        let (is_good, words) = run(database, line);
        let named = format!("another kingscross server uses this database (process {} on ", first.id());
        assert!(!is_good && words.contains(&named), "{line}: {words}");
    }
    first.kill();
    let second = Program::start(BINARY, database, &[]);
    assert!(!second.url.is_empty(), "a killed server leaves nothing in the way");
    refuse_a_second(&second, database);
    second.end();
    let third = Program::start(BINARY, database, &[]);
    assert!(!third.url.is_empty());
    third.end();
}

#[test]
fn one_server_at_a_time_uses_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("games.db");
    one_server_at_a_time(database.to_str().expect("plain"), folder.path());
    // By another name it is the same file.
    let first = Program::start(BINARY, database.to_str().expect("plain"), &[]);
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(&database, &link).expect("our folder");
    refuse_a_second(&first, link.to_str().expect("plain"));
    first.end();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lock_file_belongs_to_the_owner_of_the_database() {
    use std::os::unix::fs::{MetadataExt as _, chown};

    let database = Database::sqlite();
    database.open().await.close().await;
    // Only root can give a file away.
    let _ = chown(&database.location, Some(65_534), Some(65_534));
    let (is_good, words) = run(&database.location, "rebuild-ratings");
    assert!(is_good, "{words}");
    let owner = |path: &str| std::fs::metadata(path).expect("it is there").uid();
    assert_eq!(owner(&format!("{}.lock", database.location)), owner(&database.location));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_server_at_a_time_uses_a_postgres_database() {
    let Some(postgres) = Postgres::start().await else { return };
    let folder = tempfile::tempdir().expect("a folder");
    one_server_at_a_time(&postgres.location(), folder.path());
    // Another schema of the same database is another database.
    postgres.sql("create schema other").await;
    let first = Program::start(BINARY, &postgres.location(), &[]);
    let other = postgres.url("127.0.0.1", "postgres", "options=-csearch_path%3Dother");
    let second = Program::start(BINARY, &other, &[]);
    assert!(!second.url.is_empty());
    second.end();
    first.end();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_loses_its_database_to_another_ends_and_says_so() {
    let Some(postgres) = Postgres::start().await else { return };
    let server = Program::start(BINARY, &postgres.location(), &[]);
    // It waits in the line, and so is the next.
    let other = postgres.session("select pg_advisory_lock(1262703187, hashtext('public'))");
    let waits =
        "do $$ begin while not exists (select from pg_locks where locktype = 'advisory' and not granted)
        loop perform pg_sleep(0.01); end loop; end $$";
    let cut = async {
        postgres.sql(waits).await;
        let end = "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted";
        postgres.sql(end).await;
    };
    let (other, ()) = tokio::join!(other, cut);
    let words = tokio::task::spawn_blocking(|| server.failed()).await.expect("no panic");
    assert!(words.contains("kingscross: the database is lost: another kingscross server uses"), "{words}");
    drop(other);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hold_that_was_cut_is_taken_anew() {
    let Some(postgres) = Postgres::start().await else { return };
    let server = Program::start(BINARY, &postgres.location(), &[]);
    postgres
        .sql(
            "do $$ declare old integer; begin
                select pid into strict old from pg_locks where locktype = 'advisory' and granted;
                perform pg_terminate_backend(old);
                while not exists (select from pg_locks where locktype = 'advisory' and granted and pid <> old)
                loop perform pg_sleep(0.01); end loop;
            end $$",
        )
        .await;
    refuse_a_second(&server, &postgres.location());
    assert_eq!(Http::new(&server.url).get("/readyz").await.status, 200);
    server.end();
}

/// A server that is started and not waited for.
struct Started(Child);

impl Started {
    fn new(database: &str, wait_ms: &str, timeout_ms: &str) -> (Self, BufReader<ChildStderr>) {
        let mut child = Command::new(BINARY)
            .args(["serve", "--listen", "127.0.0.1:0", "--database", database])
            .env_remove("RUST_LOG")
            .env("KINGSCROSS__DATABASE__WAIT_MS", wait_ms)
            .env("KINGSCROSS__DATABASE__TIMEOUT_MS", timeout_ms)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let errors = BufReader::new(child.stderr.take().expect("piped"));
        (Self(child), errors)
    }

    fn ends(mut self) -> bool {
        self.0.wait().expect("ends").success()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // Killing what has been waited for already is an error of no interest.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The address of a server that says that it waits.
fn waiting_at(errors: &mut impl std::io::BufRead) -> SocketAddr {
    for line in errors.lines() {
        let line = line.expect("text");
        if line.contains("the server waits for its database") {
            let (_, rest) = line.split_once("address=").expect("the line names the address");
            let (address, rest) = rest.split_once(' ').expect("and more");
            assert!(rest.contains("cannot reach the PostgreSQL server"), "{line}");
            return address.parse().expect("an address");
        }
    }
    panic!("it does not wait")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_starts_late_is_waited_for() {
    let Some(postgres) = Postgres::start().await else { return };
    tokio::task::block_in_place(|| postgres.stop());
    let (mut server, mut errors) = Started::new(&postgres.location(), "600000", "5000");
    let address = waiting_at(&mut errors);
    let mut visitor = Http::new(&format!("http://{address}"));
    assert_eq!(visitor.get("/healthz").await.text(), "ok");
    let ready = visitor.get("/readyz").await;
    assert_eq!((ready.status, ready.json()["server"].as_str()), (503, Some("starting")));
    let why = ready.json()["database"].as_str().expect("a reason").to_owned();
    assert!(why.contains("cannot reach the PostgreSQL server"), "{why}");
    let refused = visitor.post("/api/v1/guest", &serde_json::json!({})).await;
    assert_eq!(refused.refusal(), (503, "unavailable".to_owned()));
    let (is_good, words) = run(&postgres.location(), "verify");
    assert!(!is_good && words.contains("cannot reach"), "commands do not wait: {words}");

    tokio::task::block_in_place(|| postgres.start_again());
    let mut line = String::new();
    let output = server.0.stdout.take().expect("piped");
    BufReader::new(output).read_line(&mut line).expect("text");
    assert!(line.contains(&format!("ready: http://{address}/")), "{line}");
    assert_eq!(visitor.get("/readyz").await.status, 200);
    signal(server.0.id(), "TERM");
    assert!(server.ends());
}

#[test]
fn a_database_that_does_not_come_ends_the_wait() {
    // Bound and let go: nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound").port();
    let database = format!("postgres://someone@127.0.0.1:{port}/kingscross");
    for (wait, waits) in [("0", false), ("1", true)] {
        let (server, mut errors) = Started::new(&database, wait, "5000");
        let mut words = String::new();
        errors.read_to_string(&mut words).expect("text");
        assert!(!server.ends());
        assert_eq!(words.contains("the server waits for its database"), waits, "{words}");
        assert!(words.contains("kingscross: cannot reach the PostgreSQL server"), "{words}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_no_waiting_mends_ends_the_start_at_once() {
    let Some(postgres) = Postgres::start().await else { return };
    let (server, mut errors) = Started::new(&postgres.url("127.0.0.1", "absent", ""), "600000", "5000");
    let mut words = String::new();
    errors.read_to_string(&mut words).expect("text");
    assert!(!server.ends() && words.contains("the database `absent` does not exist"), "{words}");
}

#[test]
fn a_signal_counts_while_the_server_waits() {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound").port();
    let database = format!("postgres://someone@127.0.0.1:{port}/kingscross");
    let (server, mut errors) = Started::new(&database, "600000", "5000");
    waiting_at(&mut errors);
    signal(server.0.id(), "TERM");
    assert!(server.ends());
}

#[test]
fn a_signal_counts_while_the_database_says_nothing() {
    // It accepts and never says a word.
    let mute = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = mute.local_addr().expect("bound").port();
    for parameters in ["sslmode=disable", "sslmode=require"] {
        let database = format!("postgres://someone@127.0.0.1:{port}/kingscross?{parameters}");
        let (server, _errors) = Started::new(&database, "600000", "600000");
        let (mut line, _) = mute.accept().expect("it comes");
        line.read_exact(&mut [0; 8]).expect("it asks");
        signal(server.0.id(), "TERM");
        assert!(server.ends(), "{parameters}");
    }
}
