//! `kingscross engine`

use std::io::{BufRead, Write};

use anyhow::{Context, Result};
use kingscross_engine::command::Session;

/// Answers each line of stdin with one line on stdout until stdin ends.
pub(crate) fn run() -> Result<()> {
    let (mut stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut session = Session::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        if stdin.read_until(b'\n', &mut line).context("cannot read stdin")? == 0 {
            return Ok(());
        }
        // What is not UTF-8 is not JSON either, and is answered as such.
        let text = String::from_utf8_lossy(&line);
        if text.trim().is_empty() {
            continue;
        }
        let answer = session.answer(text.trim_end_matches(['\r', '\n']));
        if let Err(error) = writeln!(stdout, "{answer}").and_then(|()| stdout.flush()) {
            if error.kind() == std::io::ErrorKind::BrokenPipe {
                return Ok(());
            }
            return Err(error).context("cannot write to stdout");
        }
    }
}
