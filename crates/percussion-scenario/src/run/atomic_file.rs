//! Files that are either the old or the new one, whatever happens in between: written beside and renamed.

use crate::run::plain_file;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Replaces a file as a whole; a kill leaves the old one or the new one.
pub fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write(path, bytes, false)
}

/// The same, and on the disk when it returns: a power cut leaves the old one or the new one.
pub fn replace_on_disk(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write(path, bytes, true)
}

fn write(path: &Path, bytes: &[u8], to_disk: bool) -> std::io::Result<()> {
    // a pipe or a device is not replaced
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return std::fs::write(path, bytes);
    }
    let mut name = path.file_name().map(OsString::from).unwrap_or_default();
    name.push(".new");
    let beside = path.with_file_name(name);
    let written = plain_file::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        if to_disk { file.sync_all() } else { Ok(()) }
    });
    if let Err(error) = written.and_then(|()| std::fs::rename(&beside, path)) {
        // half a file helps nobody, least of all on a full disk
        let _ = std::fs::remove_file(&beside);
        return Err(error);
    }
    // the name too must survive; not every system lets a folder be synced
    if to_disk
        && let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
    Ok(())
}
