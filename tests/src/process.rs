//! A server in a process of its own, to be killed.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use kingscross_server::Clock;
use kingscross_server::config::Config;
use kingscross_server::serve;
use kingscross_storage::Store;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::server::{quick_accounts, without_limits};

/// A running server process. Dropping it kills it.
pub struct Process {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Process {
    /// Starts `program` (the test server's binary) on a database.
    pub async fn start(program: &str, location: &str) -> Self {
        Self::start_with(program, location, "").await
    }

    /// The same with options, written as in a configuration file.
    pub async fn start_with(program: &str, location: &str, options: &str) -> Self {
        let (program, location, options) = (program.to_owned(), location.to_owned(), options.to_owned());
        let start = move || {
            let mut child = Command::new(program)
                .args([location, options])
                .stdout(Stdio::piped())
                .spawn()
                .expect("the test server starts");
            let mut line = String::new();
            let output = child.stdout.take().expect("the output is piped");
            BufReader::new(output).read_line(&mut line).expect("the test server tells its address");
            let address = line.trim().parse().expect("an address");
            Self { child, address }
        };
        tokio::task::spawn_blocking(start).await.expect("the start does not panic")
    }

    /// `http://127.0.0.1:port`
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stops it as a paused machine would: `kill -STOP`. It stands still when this returns.
    pub async fn stand_still(&self) {
        self.signal("-STOP");
        let stat = format!("/proc/{}/stat", self.child.id());
        while !std::fs::read_to_string(&stat).expect("a process of ours").contains(") T ") {
            tokio::task::yield_now().await;
        }
    }

    /// Lets it go on.
    pub fn go_on(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let done = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(done.expect("kill is installed").success());
    }

    /// `kill -9`.
    pub fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.child.kill().expect("a process of ours can be killed");
        self.child.wait().expect("a killed process ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Killing what has been waited for already is an error of no interest.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The test server's main function: serves the database until it is killed, after telling its address.
pub async fn serve_in_process(location: &str, options: &str) {
    let mut config = Config::read(options).expect("options");
    quick_accounts(&mut config);
    without_limits(&mut config);
    location.clone_into(&mut config.database.url);
    let store =
        Store::open(location, kingscross_storage::Options::default()).await.expect("the database opens");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    println!("{}", listener.local_addr().expect("bound"));
    serve(config, store, Clock::system(), listener, CancellationToken::new()).await.expect("it serves");
}
