//! What the commands print: results on standard output, what is said beside them on standard error.
//!
//! Whoever reads may go before everything is printed, as `head` does. That ends a command quietly, with the status of a
//! program that the system ends for it; the macros of the standard library would panic.

use std::fmt;
use std::io::{self, ErrorKind, Write};

/// What a shell says of a program that was ended by SIGPIPE, which is the way of most programs.
pub(crate) const STATUS: u8 = 128 + 13;

/// Whoever read our output has gone.
#[derive(Debug)]
struct ReaderGone;

impl fmt::Display for ReaderGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody reads the output any more")
    }
}

impl std::error::Error for ReaderGone {}

/// Standard output, whose errors tell what they are errors of.
pub(crate) struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().write(bytes).map_err(of_output)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush().map_err(of_output)
    }
}

/// An error of writing to standard output, by whatever way.
pub(crate) fn of_output(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::BrokenPipe => io::Error::new(ErrorKind::BrokenPipe, ReaderGone),
        // Its own sign to begin again, which `write_all` looks for.
        ErrorKind::Interrupted => error,
        kind => io::Error::new(kind, format!("cannot write to standard output: {error}")),
    }
}

/// Whether a command has failed only because nobody reads its output any more.
pub(crate) fn is_reader_gone(error: &anyhow::Error) -> bool {
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    inner.is_some_and(|inner| inner.is::<ReaderGone>())
}

/// Prints a line of a command's result.
macro_rules! say {
    ($($text:tt)*) => {
        std::io::Write::write_fmt(&mut $crate::output::Output, format_args!("{}\n", format_args!($($text)*)))
    };
}

/// Prints a line beside the result, on standard error; a reader that has gone is not a reason to stop.
macro_rules! note {
    () => { $crate::output::aside(format_args!("\n")) };
    ($($text:tt)*) => {
        $crate::output::aside(format_args!("{}\n", format_args!($($text)*)))
    };
}

pub(crate) use {note, say};

/// Writes to standard error, whether or not anyone reads there.
pub(crate) fn aside(text: fmt::Arguments<'_>) {
    let _ = io::stderr().write_fmt(text);
}
