//! Standard output, and what became of it.

use crate::exit::Exit;
use std::fmt::Arguments;
use std::io::{ErrorKind, Result, Write as _};
use std::sync::OnceLock;

/// The first failure to write.
static LOST: OnceLock<String> = OnceLock::new();

/// Writes a line; a failure is remembered until the end.
pub fn line(text: Arguments) {
    let mut out = std::io::stdout().lock();
    note(out.write_fmt(text).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()));
}

/// Writes a text as it is.
pub fn text(text: &str) {
    let mut out = std::io::stdout().lock();
    note(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Remembers a failure; a reader that has gone away is none.
pub fn note(result: Result<()>) {
    if let Err(error) = result
        && error.kind() != ErrorKind::BrokenPipe
    {
        LOST.get_or_init(|| error.to_string());
    }
}

/// How to end: what was printed but lost is a file that could not be written.
pub fn end(exit: Exit) -> Exit {
    match LOST.get() {
        Some(error) => {
            crate::complain!("percussion: standard output cannot be written: {error}");
            Exit::Files
        }
        None => exit,
    }
}
