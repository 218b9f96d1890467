//! Files named by a scenario or a sweep: in its own folder and below, unless the user allows others.
//!
//! Links are followed before the folder is compared, so that a link out of it does not help.

use crate::build::load::{Source, plain};
use crate::error::{Result, ScenarioError};
use crate::limits::{MAX_FILE, too_large};
use percussion_model::{Code, InputError};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The bytes of a file that `field` names, and what messages call it: one handed over, or one of the scenario's folder.
pub fn bytes(name: &str, field: &str, source: &Source) -> Result<(Arc<[u8]>, String)> {
    if let Some(bytes) = source.given.files.get(name) {
        return Ok((Arc::clone(bytes), name.to_string()));
    }
    let real = inside(name, field, source)?;
    let shown = source.folder.as_ref().map_or(real.clone(), |folder| folder.join(name)).display().to_string();
    let unreadable = |error: std::io::Error| {
        let message = format!("cannot be read: {error}");
        ScenarioError::file(Code::UNREADABLE, shown.as_str(), message, "check that you may read it")
    };
    let length = std::fs::metadata(&real).map_err(unreadable)?.len();
    if length > MAX_FILE {
        return Err(too_large(&shown, "bytes", length, MAX_FILE));
    }
    let bytes = std::fs::read(&real).map_err(unreadable)?;
    Ok((bytes.into(), shown))
}

/// The real path of a file that `field` names.
pub fn inside(name: &str, field: &str, source: &Source) -> Result<PathBuf> {
    let outside = |message: &str| {
        let help = "give a relative path to a file in the scenario's folder or below it, or run with --allow-outside";
        InputError::new(Code::OUTSIDE_FOLDER, field, format!("\"{name}\" {message}"), help)
    };
    let Some(folder) = &source.folder else {
        let message = format!("\"{name}\": the file is not here; a scenario that is text alone has no folder");
        let help = "give the scenario as a file, with what it reads beside it";
        return Err(InputError::new(Code::UNREADABLE, field, message, help).into());
    };
    let path = Path::new(name);
    let plain_path = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !plain_path && !source.anywhere {
        return Err(outside("leaves the scenario's folder").into());
    }
    let missing = |error: std::io::Error| {
        let message = format!("\"{name}\": {}", plain(&error));
        InputError::new(Code::UNREADABLE, field, message, "paths are taken from the scenario's folder")
    };
    let root = folder.canonicalize().map_err(missing)?;
    let real = folder.join(path).canonicalize().map_err(missing)?;
    if !real.starts_with(&root) && !source.anywhere {
        return Err(outside("is a link out of the scenario's folder").into());
    }
    // a pipe or a device would be waited for
    if !real.is_file() {
        let message = format!("\"{name}\" is not a regular file");
        return Err(InputError::new(Code::UNREADABLE, field, message, "give a file").into());
    }
    Ok(real)
}
