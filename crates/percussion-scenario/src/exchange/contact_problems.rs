//! Contact problems on disk: read, and their solutions written.

use crate::error::{Place, Result, ScenarioError};
use crate::limits::{MAX_FILE, too_large};
use crate::run::{plain_file, unwritable};
use percussion_files::{Answer, FileError, Kind, ProblemFile};
use percussion_model::Code;
use std::path::{Path, PathBuf};

/// The problem a file holds, of the kind asked for or of whichever kind it is.
pub fn load_problem(path: &Path, kind: Option<Kind>) -> Result<ProblemFile> {
    let name = path.display().to_string();
    let unreadable = |error: std::io::Error| {
        let message = format!("cannot be read: {error}");
        ScenarioError::file(Code::UNREADABLE, name.clone(), message, "check the path")
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(ScenarioError::file(Code::UNREADABLE, name, "is not a file", "give a .dat or .hdf5 file"));
    }
    if metadata.len() > MAX_FILE {
        return Err(too_large(&name, "bytes", metadata.len(), MAX_FILE));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    percussion_files::read(&bytes, kind).map_err(|error| at_file(*error, path))
}

/// The error with the name of its file.
pub fn at_file(error: FileError, path: &Path) -> Box<ScenarioError> {
    Box::new(ScenarioError {
        code: error.code,
        file: Some(path.display().to_string()),
        place: error.line.map(|line| Place { line, column: 1, length: 1 }),
        field: error.field,
        message: error.message,
        help: error.help,
        source_line: None,
    })
}

/// Writes `<file name>.csv` into a folder: `r_n,r_t1[,r_t2[,r_r1,r_r2]]` by contact, or `z`; 17 significant digits.
pub fn write_solution(folder: &Path, problem: &Path, answer: &Answer) -> Result<PathBuf> {
    let mut name = problem.file_name().unwrap_or_default().to_os_string();
    name.push(".csv");
    let path = folder.join(name);
    let header = match answer.width {
        1 => "z",
        2 => "r_n,r_t1",
        3 => "r_n,r_t1,r_t2",
        _ => "r_n,r_t1,r_t2,r_r1,r_r2",
    };
    let mut text = format!("{header}\n");
    for row in answer.solution.chunks(answer.width) {
        let cells: Vec<String> = row.iter().map(|x| format!("{x:.16e}")).collect();
        text += &cells.join(",");
        text.push('\n');
    }
    if plain_file::is_foreign(&path, &["z\n", "r_n,"]) {
        let message = "is there already, and holds no solution: it is not replaced";
        let help = "choose another --out folder, or remove the file";
        return Err(ScenarioError::file(Code::UNWRITABLE, path.display().to_string(), message, help));
    }
    std::fs::create_dir_all(folder)
        .and_then(|()| plain_file::write(&path, text.as_bytes()))
        .map_err(|error| unwritable(&path, &error))?;
    Ok(path)
}
