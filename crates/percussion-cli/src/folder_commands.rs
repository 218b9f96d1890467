//! Commands on run folders: `verify`, `report` and `export`.

use crate::exit::Exit;
use crate::paint::Paint;
use crate::show_error::show;
use crate::{complain, say};
use percussion::scenario::{self, Choice, Finding};
use std::path::{Path, PathBuf};

/// `percussion verify RUN`.
pub fn verify(folder: &Path, json: bool) -> Exit {
    let verification = match scenario::verify(folder) {
        Ok(verification) => verification,
        Err(error) => return show(&error, json),
    };
    let paint = Paint::stdout();
    let mut list = Vec::new();
    for check in &verification.checks {
        let (word, text) = match &check.finding {
            Finding::Agrees(worst) => ("ok", format!("{worst:.1e}")),
            Finding::Differs { worst, place } => ("differs", format!("{worst:.1e} at {place}")),
            Finding::Unsupported(reason) => ("-", reason.clone()),
        };
        if json {
            let word = if word == "-" { "unsupported" } else { word };
            list.push(serde_json::json!({ "check": check.name, "rule": check.rule, "status": word, "text": text }));
            continue;
        }
        let padding = " ".repeat(8_usize.saturating_sub(word.len()));
        let coloured = match word {
            "ok" => paint.green(word),
            "differs" => paint.red(word),
            _ => paint.dim(word),
        };
        say!("  {:<19} {coloured}{padding}{}  {}", check.name, text, paint.dim(check.rule));
    }
    if json {
        say!("{}", serde_json::Value::Array(list));
    }
    if verification.differs() {
        complain!("the stored run does not agree with itself");
        Exit::Certificate
    } else {
        Exit::Good
    }
}

/// `percussion report RUN…`.
pub fn report(folders: &[PathBuf], out: Option<&Path>, choice: &Choice) -> Exit {
    let read = |folder: &PathBuf| scenario::report_chosen(folder, choice);
    if out == Some(Path::new("-")) {
        let reports: Result<Vec<_>, _> = folders.iter().map(read).collect();
        return match reports {
            Ok(reports) => {
                crate::output::text(&scenario::page(&reports));
                Exit::Good
            }
            Err(error) => show(&error, false),
        };
    }
    let written = match (folders, out) {
        ([folder], None) => {
            let path = folder.join("report.html");
            read(folder).and_then(|report| scenario::write_page(&[report], &path)).map(|()| path)
        }
        _ => {
            let path = out.unwrap_or(Path::new("percussion-report.html")).to_path_buf();
            let reports: Result<Vec<_>, _> = folders.iter().map(read).collect();
            reports.and_then(|reports| scenario::write_page(&reports, &path)).map(|()| path)
        }
    };
    match written {
        Ok(path) => {
            say!("wrote {}", path.display());
            Exit::Good
        }
        Err(error) => show(&error, false),
    }
}

/// `percussion export RUN --to csv --out DIR`.
pub fn export(folder: &Path, out: &Path) -> Exit {
    match scenario::export_csv(folder, out) {
        Ok(names) => {
            say!("wrote {} to {}", names.join(", "), out.display());
            Exit::Good
        }
        Err(error) => show(&error, false),
    }
}

/// `percussion export RUN --to parquet`, into the run's own folder unless another is given.
pub fn export_parquet(folder: &Path, out: &Path) -> Exit {
    match scenario::export_parquet(folder, out) {
        Ok(paths) => {
            let names = paths.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy());
            say!("wrote {} to {}", names.collect::<Vec<_>>().join(", "), out.display());
            Exit::Good
        }
        Err(error) => show(&error, false),
    }
}

/// `percussion export RUN --to hdf5`, into the run's own folder unless another is given.
pub fn export_hdf5(folder: &Path, out: &Path) -> Exit {
    match scenario::export_hdf5(folder, out) {
        Ok(path) => {
            say!("wrote {}", path.display());
            Exit::Good
        }
        Err(error) => show(&error, false),
    }
}

/// `percussion export RUN --to vtk --out DIR`.
pub fn export_vtk(folder: &Path, out: &Path) -> Exit {
    match scenario::export_vtk(folder, out) {
        Ok(frames) => {
            say!("wrote {frames} frames; open {} in ParaView", out.join("run.pvd").display());
            Exit::Good
        }
        Err(error) => show(&error, false),
    }
}

/// `percussion export RUN --to fclib --out DIR`.
pub fn export_fclib(folder: &Path, out: &Path) -> Exit {
    let interrupted = crate::run_command::interrupt_flag();
    let mut watch = |_step: u64| !interrupted.load(std::sync::atomic::Ordering::Relaxed);
    match scenario::export_fclib(folder, out, &mut watch) {
        Ok(done) => {
            let steps = match done.every {
                1 => format!("{} steps", done.steps),
                every => format!("{} steps, one in {every} looked at", done.steps),
            };
            match done.files {
                0 => say!("wrote no contact problem: no contact took part in {steps}"),
                files => say!("wrote {files} contact problems of {steps} to {}", out.display()),
            }
            if interrupted.load(std::sync::atomic::Ordering::Relaxed) { Exit::Interrupted } else { Exit::Good }
        }
        Err(error) => show(&error, false),
    }
}
