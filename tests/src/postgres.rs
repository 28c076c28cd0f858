//! A PostgreSQL server of a test's own, to be stopped and started.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kingscross_storage::Options;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tempfile::TempDir;

use crate::Database;

/// The variable that names the folder of PostgreSQL's programs.
const PROGRAMS: &str = "KINGSCROSS_TEST_PGBIN";

/// A running server with a database of its own. Dropping it stops it.
pub struct Postgres {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
    tls: bool,
}

/// A session with the server.
pub struct Session {
    _connection: PgConnection,
}

impl Postgres {
    /// Starts one, if the environment says where its programs are.
    pub async fn start() -> Option<Self> {
        Self::start_as(false).await
    }

    /// Starts one that offers TLS, with a certificate for `localhost` and a root of its own.
    pub async fn with_tls() -> Option<Self> {
        Self::start_as(true).await
    }

    async fn start_as(tls: bool) -> Option<Self> {
        let programs = PathBuf::from(std::env::var_os(PROGRAMS)?);
        let make = move || {
            let folder = tempfile::tempdir().expect("a temporary folder can be made");
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
            let port = listener.local_addr().expect("bound").port();
            drop(listener);
            give_away(folder.path());
            let server = Self { programs, folder, port, tls };
            let data = server.data();
            server.run(
                "initdb",
                &[
                    "-D",
                    &data,
                    "-U",
                    "postgres",
                    "-A",
                    "trust",
                    "--no-sync",
                    "-E",
                    "UTF8",
                    "--locale=C.UTF-8",
                ],
            );
            if tls {
                server.make_certificates();
            }
            server.start_again();
            server
        };
        Some(tokio::task::spawn_blocking(make).await.expect("the start does not panic"))
    }

    /// Its database, opened with these options.
    pub fn database(&self, options: Options) -> Database {
        Database::at(self.location(), options)
    }

    /// `127.0.0.1:port`
    pub fn address(&self) -> std::net::SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }

    /// The URL of its database.
    pub fn location(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// The URL of one of its databases, by a host's name and with parameters.
    pub fn url(&self, host: &str, database: &str, parameters: &str) -> String {
        format!("postgres://postgres@{host}:{}/{database}?{parameters}", self.port)
    }

    /// The file of a root: `root` has signed the server's certificate, `stranger` has not.
    pub fn root(&self, name: &str) -> String {
        self.folder.path().join(format!("{name}.crt")).display().to_string()
    }

    /// Runs SQL in its database.
    pub async fn sql(&self, sql: &str) {
        let mut connection = PgConnection::connect(&self.location()).await.expect("it serves");
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.expect("it may");
    }

    /// Runs a statement on a session that lasts as long as what is given.
    pub async fn session(&self, sql: &str) -> Session {
        let mut connection = PgConnection::connect(&self.location()).await.expect("it serves");
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.expect("it may");
        Session { _connection: connection }
    }

    fn make_certificates(&self) {
        let openssl = |arguments: &str| {
            let mut command = self.as_its_user("openssl".into());
            let output = command.args(arguments.split_whitespace()).output().expect("openssl is installed");
            assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        };
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
        for root in ["root", "stranger"] {
            openssl(&format!("req -x509 {key} -days 30 -subj /CN={root} -keyout {root}.key -out {root}.crt"));
        }
        openssl(&format!("req {key} -subj /CN=localhost -keyout server.key -out server.csr"));
        let extensions = self.folder.path().join("extensions");
        std::fs::write(extensions, "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
            .expect("its folder is ours");
        openssl(
            "x509 -req -in server.csr -CA root.crt -CAkey root.key -CAcreateserial -days 30 -extfile extensions \
            -out server.crt",
        );
    }

    /// Starts it after a stop. Blocks until it serves.
    pub fn start_again(&self) {
        let (data, folder) = (self.data(), self.folder.path().display().to_string());
        let mut options = format!("-p {} -h 127.0.0.1 -k {folder} -c max_connections=100", self.port);
        if self.tls {
            let files = format!("-c ssl_cert_file={folder}/server.crt -c ssl_key_file={folder}/server.key");
            options = format!("{options} -c ssl=on {files}");
        }
        let log = format!("{folder}/log");
        self.run("pg_ctl", &["-D", &data, "-w", "-l", &log, "-o", &options, "start"]);
    }

    /// Stops it at once, throwing everyone out. Blocks until it is gone.
    pub fn stop(&self) {
        self.run("pg_ctl", &["-D", &self.data(), "-w", "-m", "fast", "stop"]);
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let status = self.command(program, arguments).status().expect("the program can be run");
        assert!(status.success(), "{program}: {status}");
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = self.as_its_user(self.programs.join(program));
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn as_its_user(&self, program: PathBuf) -> Command {
        let mut command = if is_root() {
            // It refuses to run as root.
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(self.folder.path());
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let data = self.data();
        // It may be stopped already.
        let _ = self.command("pg_ctl", &["-D", &data, "-w", "-m", "immediate", "stop"]).status();
    }
}

pub(crate) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0)
}

/// Lets the database's user write into a folder of root's.
pub(crate) fn give_away(folder: &Path) {
    if is_root() {
        let status = Command::new("chown").arg("postgres").arg(folder).status();
        assert!(status.expect("chown can be run").success());
    }
}
