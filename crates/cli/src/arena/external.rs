//! A bot that is another program: one JSON line asks it for an action, one JSON line answers.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use kingscross_engine::{Action, Game};
use serde_json::Value;

/// The running program.
pub(super) struct External {
    child: Child,
    /// `None` once it has been closed.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl External {
    /// Starts a program by a shell command.
    pub(super) fn start(command: &str) -> std::io::Result<External> {
        let mut child =
            Command::new("sh").args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = child.stdin.take();
        let answers =
            child.stdout.take().ok_or_else(|| std::io::Error::other("the program has no output"))?;
        Ok(External { child, requests, answers: BufReader::new(answers) })
    }

    /// The action that the program answers; `None` if it gives none, or one that is not open to the player on turn.
    pub(super) fn choose(&mut self, request: &Value, game: &Game) -> Option<Action> {
        let requests = self.requests.as_mut()?;
        writeln!(requests, "{request}").and_then(|()| requests.flush()).ok()?;
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        let answer: Value = serde_json::from_str(&line).ok()?;
        let text = answer.get("action")?.as_str()?;
        let legal = game.legal().iter().any(|legal| legal == text);
        Action::parse(game.variant(), text).ok().filter(|_| legal)
    }
}

impl Drop for External {
    fn drop(&mut self) {
        // A program that reads to the end of its input ends by this; one that does not is ended.
        self.requests = None;
        for _ in 0..2 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            // It may have ended in between; then there is nothing to end.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
