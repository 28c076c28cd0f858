//! A PostgreSQL server of a test's own, to be stopped and started.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kingscross_storage::Options;
use tempfile::TempDir;

use crate::Database;

/// The variable that names the folder of PostgreSQL's programs.
const PROGRAMS: &str = "KINGSCROSS_TEST_PGBIN";

/// A running server with a database of its own. Dropping it stops it.
pub struct Postgres {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
}

impl Postgres {
    /// Starts one, if the environment says where its programs are.
    pub async fn start() -> Option<Self> {
        let programs = PathBuf::from(std::env::var_os(PROGRAMS)?);
        let make = move || {
            let folder = tempfile::tempdir().expect("a temporary folder can be made");
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
            let port = listener.local_addr().expect("bound").port();
            drop(listener);
            give_away(folder.path());
            let server = Self { programs, folder, port };
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

    /// Starts it after a stop. Blocks until it serves.
    pub fn start_again(&self) {
        let (data, folder) = (self.data(), self.folder.path().display().to_string());
        let options = format!("-p {} -h 127.0.0.1 -k {folder} -c max_connections=100", self.port);
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
        let program = self.programs.join(program);
        let mut command = if is_root() {
            // It refuses to run as root.
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.args(arguments).current_dir(self.folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
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

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0)
}

/// Lets the database's user write into a folder of root's.
fn give_away(folder: &Path) {
    if is_root() {
        let status = Command::new("chown").arg("postgres").arg(folder).status();
        assert!(status.expect("chown can be run").success());
    }
}
