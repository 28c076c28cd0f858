//! `kingscross engine`

use std::io::{BufRead, Read as _, Write};

use anyhow::{Context, Result};
use kingscross_engine::command::{LONGEST_LINE, Session};

/// Answers each line of stdin with one line on stdout until stdin ends.
pub(crate) fn run() -> Result<()> {
    let (mut stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut session = Session::new();
    let mut line = Vec::new();
    while read_line(&mut stdin, &mut line).context("cannot read stdin")? {
        let answer = session.answer(&line);
        if let Err(error) = writeln!(stdout, "{answer}").and_then(|()| stdout.flush()) {
            if error.kind() == std::io::ErrorKind::BrokenPipe {
                return Ok(());
            }
            return Err(error).context("cannot write to stdout");
        }
    }
    Ok(())
}

/// Reads a line without its end; of one that is too long only so much that this can be seen. False at the end.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let most = LONGEST_LINE as u64 + 2;
    if input.by_ref().take(most).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() as u64 == most {
        input.skip_until(b'\n')?;
    }
    Ok(true)
}
