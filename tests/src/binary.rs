//! The real program as a process of its own, to be killed.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use crate::Database;

/// A running `kingscross`; killed when dropped.
pub struct Binary {
    /// `http://127.0.0.1:port`
    pub url: String,
    child: Child,
}

impl Binary {
    /// Starts it on a database and a free port, and waits until it says where it listens.
    pub fn start(database: &Database) -> Self {
        use std::io::{BufRead, BufReader};
        let mut child = Command::new(path())
            .args(["--listen", "127.0.0.1:0", "--database", &database.location])
            .env("KINGSCROSS__ACCOUNTS__GUESTS_PER_ADDRESS", "1000000")
            .env("KINGSCROSS__ACCOUNTS__REQUESTS_PER_ADDRESS", "1000000")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("it says where it listens");
        let at = line.find("http://").unwrap_or_else(|| panic!("no address in {line:?}"));
        let url = line[at..].trim().trim_end_matches('/').to_owned();
        Self { url, child }
    }

    /// `kill -9`: nothing is finished, nothing is told.
    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it has ended");
    }

    /// SIGTERM, and the exit status.
    pub fn terminate(mut self) -> std::process::ExitStatus {
        let status = Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status();
        assert!(status.expect("kill runs").success());
        self.child.wait().expect("it ends")
    }
}

impl Drop for Binary {
    fn drop(&mut self) {
        // Fails when it has ended already, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Builds the program as it is now, once, and says where it is.
fn path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        // Cargo names itself to the tests that it runs; by hand the one of the path will do.
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["build", "--quiet", "--package", "kingscross", "--bin", "kingscross"])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .status();
        assert!(built.expect("cargo runs").success(), "the program builds");
        // This test lies in <target>/<profile>/deps.
        let test = std::env::current_exe().expect("a path");
        test.parent().and_then(Path::parent).expect("a profile's folder").join("kingscross")
    })
}
