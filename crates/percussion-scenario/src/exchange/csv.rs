//! The tables of a run copied into another folder.

use crate::error::{Result, ScenarioError};
use crate::run::folder::{RunFolder, all_tables_in};
use crate::run::{plain_file, unwritable};
use percussion_model::Code;
use std::path::Path;

/// How the tables of runs begin.
const HEADERS: [&str; 4] = ["t,", "t\n", "step,t,", "kind,column,"];

/// Copies the tables of a run; files that are no tables of a run are not replaced. Their names.
pub fn export_csv(folder: &Path, out: &Path) -> Result<Vec<String>> {
    let run = RunFolder::open(folder)?;
    std::fs::create_dir_all(out).map_err(|error| unwritable(out, &error))?;
    let mut names = Vec::new();
    for (name, _) in all_tables_in(folder, run.model(), run.selection()) {
        let (from, to) = (folder.join(name), out.join(name));
        names.push(name.to_string());
        // a table copied onto itself would be emptied
        if from.canonicalize().ok().is_some_and(|from| to.canonicalize().is_ok_and(|to| to == from)) {
            continue;
        }
        if plain_file::is_foreign(&to, &HEADERS) {
            let message = "is there already, and is no table of a run: it is not replaced";
            let help = "choose another --out folder, or remove the file";
            return Err(ScenarioError::file(Code::UNWRITABLE, to.display().to_string(), message, help));
        }
        let copied =
            std::fs::File::open(&from).and_then(|mut from| std::io::copy(&mut from, &mut plain_file::create(&to)?));
        copied.map_err(|error| unwritable(&to, &error))?;
    }
    Ok(names)
}
