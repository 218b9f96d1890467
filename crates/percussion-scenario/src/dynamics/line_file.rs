//! A file that grows line by line; a line counts when its end is there, so that a kill costs one line.

use crate::error::Result;
use crate::run::{plain_file, unwritable};
use crate::sweep::locked;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Such a file, open at its end.
pub struct LineFile {
    path: PathBuf,
    file: File,
}

impl LineFile {
    /// Opens or makes it, with its folder; the whole lines it holds. What was cut off is removed.
    pub fn open(path: &Path) -> Result<(Self, Vec<String>)> {
        let open = || {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let file = locked(plain_file::open(path, OpenOptions::new().create(true).append(true))?)?;
            let text = std::fs::read_to_string(path)?;
            let whole = text.rfind('\n').map_or(0, |k| k + 1);
            file.set_len(whole as u64)?;
            Ok((file, text[..whole].lines().map(str::to_string).collect()))
        };
        let (file, lines) = open().map_err(|error: std::io::Error| unwritable(path, &error))?;
        Ok((Self { path: path.to_path_buf(), file }, lines))
    }

    /// Adds a line.
    pub fn push(&mut self, line: &str) -> Result<()> {
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(|error| unwritable(&self.path, &error))
    }
}
