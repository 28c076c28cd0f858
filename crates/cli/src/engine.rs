//! `kingscross engine`

use std::io::{BufRead, Read as _, Write as _};

use anyhow::{Context, Result};
use kingscross_engine::command::{LONGEST_LINE, Session};

use crate::output::Output;

/// Answers each line of stdin with one line on stdout until stdin ends.
pub(crate) fn run() -> Result<()> {
    let mut stdin = std::io::stdin().lock();
    let mut session = Session::new();
    let mut line = Vec::new();
    while read_line(&mut stdin, &mut line).context("cannot read stdin")? {
        let answer = session.answer(&line);
        Output.write_all(format!("{answer}\n").as_bytes())?;
        Output.flush()?;
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
