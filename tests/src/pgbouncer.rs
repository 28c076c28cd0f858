//! A pgbouncer before a PostgreSQL server.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::Postgres;
use crate::postgres::{give_away, is_root};

/// A running pooler. Dropping it stops it.
pub struct PgBouncer {
    child: Child,
    port: u16,
    _folder: TempDir,
}

impl PgBouncer {
    /// Starts one before a server, in a mode: `session`, `transaction` or `statement`. Blocks until it serves.
    pub fn start(postgres: &Postgres, mode: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        drop(listener);
        let users = folder.path().join("users");
        std::fs::write(&users, "\"postgres\" \"\"\n").expect("our folder");
        let settings = folder.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
            auth_type = trust\nauth_file = {}\nunix_socket_dir =\npool_mode = {mode}\n",
            postgres.address().port(),
            users.display(),
        );
        std::fs::write(&settings, text).expect("our folder");
        give_away(folder.path());
        // Where a user's PATH does not lead.
        let program = "/usr/sbin/pgbouncer";
        let mut command = if is_root() {
            // It refuses to run as root. `setpriv` becomes the program, so that it can be stopped by its id.
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", program]);
            command
        } else {
            Command::new(program)
        };
        let mut child =
            command.arg(&settings).stderr(Stdio::piped()).spawn().expect("pgbouncer is installed");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let is_up = lines.any(|line| line.is_ok_and(|line| line.contains("process up")));
        assert!(is_up, "pgbouncer starts");
        // It goes on to write, and must find somebody who reads.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, port, _folder: folder }
    }

    /// The URL of the server's database through it.
    pub fn location(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        // Killing what has ended already is an error of no interest.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
