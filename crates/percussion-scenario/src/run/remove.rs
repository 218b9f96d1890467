//! Runs of an earlier study are taken away before the next one writes into the same folder.
//!
//! Only what a run wrote is removed: a folder whose `scenario.toml` lacks our mark is a person's, and a file we do not know stays.

use crate::error::Result;
use crate::format::write::MARK;
use crate::run::folder::{BODY_TABLES, TABLES};
use crate::run::{alone, clear, prepare};
use std::path::Path;

/// Removes the runs in folders `1-…`, `2-…` below `folder`, if `table`, which the earlier study wrote, is there; and the table.
pub fn remove_runs(folder: &Path, table: &str) -> Result<()> {
    let Ok(list) = std::fs::read_dir(folder).map(|list| list.flatten().collect::<Vec<_>>()) else { return Ok(()) };
    if !folder.join(table).is_file() {
        return Ok(());
    }
    let numbered = |name: &str| name.split_once('-').is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    for entry in list.iter().filter(|entry| numbered(&entry.file_name().to_string_lossy())) {
        remove_run(&entry.path())?;
    }
    clear(folder, &[table, "report.html"])
}

/// Removes what a run wrote into a folder, and the folder unless something else is in it.
fn remove_run(folder: &Path) -> Result<()> {
    let ours = std::fs::read_to_string(folder.join("scenario.toml")).is_ok_and(|text| text.starts_with(MARK));
    if !ours {
        return Ok(());
    }
    let lock = alone(folder)?;
    prepare(folder)?;
    clear(folder, &TABLES)?;
    clear(folder, &BODY_TABLES)?;
    clear(folder, &[crate::live::inputs::INPUTS])?;
    // the scenario last: its mark says whose the folder is
    for name in ["mass", "stiffness", "damping", "force", "gravity", "q0", "v0"] {
        clear(folder, &[&format!("{name}.mtx"), &format!("{name}.bin")])?;
    }
    clear(folder, &["mesh.msh", "scenario.toml"])?;
    drop(lock);
    // a folder that is not empty holds what somebody else put there
    let _ = std::fs::remove_dir(folder);
    Ok(())
}
