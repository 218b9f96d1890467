//! Files of results: created under their own name, never through a symbolic link, never over a file somebody else wrote.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::path::Path;

/// Creates a file, or empties the one there is; refuses a symbolic link.
pub fn create(path: &Path) -> Result<File> {
    open(path, OpenOptions::new().write(true).create(true).truncate(true))
}

/// Writes a file as a whole; refuses a symbolic link.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    create(path)?.write_all(bytes)
}

/// Opens a file with these options; refuses a symbolic link.
#[cfg(unix)]
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // the system refuses the link itself: nothing can be put in its place between a look and the opening
    options.custom_flags(nix::libc::O_NOFOLLOW).open(path).map_err(|error| if is_link(path) { link() } else { error })
}

/// Opens a file with these options; refuses a symbolic link.
#[cfg(not(unix))]
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<File> {
    if is_link(path) { Err(link()) } else { options.open(path) }
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|there| there.is_symlink())
}

fn link() -> Error {
    Error::new(ErrorKind::InvalidInput, "it is a symbolic link, and results are not written through links")
}

/// Whether there is a file that does not begin with one of these: somebody else's.
pub fn is_foreign(path: &Path, beginnings: &[&str]) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let longest = beginnings.iter().map(|text| text.len()).max().unwrap_or(0);
    let mut first = Vec::new();
    let read = BufReader::new(file.take(longest as u64)).read_until(b'\n', &mut first);
    // an empty file is nobody's loss
    read.is_ok_and(|n| n > 0) && !beginnings.iter().any(|text| first.starts_with(text.as_bytes()))
}
