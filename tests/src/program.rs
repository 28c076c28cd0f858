//! The real program `kingscross serve` in a process of its own, all of whose words are kept.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

/// A running server. Dropping it kills it.
pub struct Program {
    child: Child,
    /// `http://127.0.0.1:port`
    pub url: String,
    words: Option<JoinHandle<String>>,
}

impl Program {
    /// Starts `binary` on a database, with settings by their environment names without the prefix: `LOG__LEVEL`.
    pub fn start(binary: &str, location: &str, settings: &[(&str, &str)]) -> Self {
        let settings = settings.iter().map(|(name, value)| (format!("KINGSCROSS__{name}"), value));
        let mut child = Command::new(binary)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env_remove("RUST_LOG")
            .env("KINGSCROSS__DATABASE__URL", location)
            .envs(settings)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut errors = child.stderr.take().expect("piped");
        let words = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            errors.read_to_end(&mut bytes).expect("a pipe of ours");
            String::from_utf8(bytes).expect("the program writes text")
        });
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("text");
        let url = line.split_whitespace().last().unwrap_or_default().trim_end_matches('/').to_owned();
        Self { child, url, words: Some(words) }
    }

    /// The memory that it holds, in KiB.
    pub fn memory_kib(&self) -> u64 {
        kingscross_server::resident_kib(self.child.id()).expect("it runs, on Linux")
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// `kill -9`.
    pub fn kill(mut self) {
        self.child.kill().expect("a process of ours can be killed");
        self.child.wait().expect("a killed process ends");
    }

    /// Waits until it ends by itself, which must be a failure, and gives what it has written to standard error.
    pub fn failed(mut self) -> String {
        assert!(!self.child.wait().expect("ends").success());
        self.words.take().expect("ended once").join().expect("no panic")
    }

    /// Ends it in order, which must succeed, and gives what it has written to standard error.
    pub fn end(mut self) -> String {
        // The shell's own `kill`: the program of that name is not everywhere.
        let kill = format!("kill -TERM {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
        assert!(self.child.wait().expect("ends").success());
        self.words.take().expect("ended once").join().expect("no panic")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Killing what has been waited for already is an error of no interest.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
