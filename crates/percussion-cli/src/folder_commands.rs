//! Commands on run folders: `verify`, `report`, `plot` and `export`.

use crate::exit::Exit;
use crate::paint::Paint;
use crate::show_error::show;
use crate::{complain, say};
use percussion::model::Code;
use percussion::scenario::{self, FIGURE_FORMATS, FIGURES, FRICTION_FIGURES, Finding, ScenarioError};
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
pub fn report(folders: &[PathBuf], out: Option<&Path>) -> Exit {
    if out == Some(Path::new("-")) {
        let reports: Result<Vec<_>, _> = folders.iter().map(|folder| scenario::report(folder)).collect();
        return match reports {
            Ok(reports) => {
                crate::output::text(&scenario::page(&reports));
                Exit::Good
            }
            Err(error) => show(&error, false),
        };
    }
    let written = match (folders, out) {
        ([folder], None) => scenario::write_report(folder).map(|()| folder.join("report.html")),
        _ => {
            let path = out.unwrap_or(Path::new("percussion-report.html")).to_path_buf();
            let reports: Result<Vec<_>, _> = folders.iter().map(|folder| scenario::report(folder)).collect();
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

/// `percussion plot RUN… --figure NAME --out FILE.svg` (or `.png`).
pub fn plot(folders: &[PathBuf], figure: &str, out: &Path) -> Exit {
    // what is wrong with the words of the command is a matter of usage
    let refuse = |place: &str, message: String, help: String| {
        show(&ScenarioError::file(Code::NO_FIGURE, place, message, help), false);
        Exit::Usage
    };
    let Some(name) = scenario::figure_name(figure) else {
        let near = scenario::nearest(figure, FIGURES.into_iter().chain(FRICTION_FIGURES))
            .map_or(String::new(), |near| format!("did you mean \"{near}\"? "));
        let all = format!("{near}there are {}; with friction {}", FIGURES.join(", "), FRICTION_FIGURES.join(" and "));
        return refuse("--figure", format!("percussion plot knows no figure \"{figure}\""), all);
    };
    let known =
        |extension: &std::ffi::OsStr| FIGURE_FORMATS.iter().any(|format| extension.eq_ignore_ascii_case(format));
    if !out.extension().is_some_and(known) {
        let formats = FIGURE_FORMATS.iter().map(|format| format!(".{format}")).collect::<Vec<_>>().join(" or ");
        let message = format!("{} is no file a figure is written to", out.display());
        return refuse("--out", message, format!("give a file that ends in {formats}"));
    }
    let reports: Result<Vec<_>, _> = folders.iter().map(|folder| scenario::report(folder)).collect();
    match reports.and_then(|reports| scenario::write_figure(&reports, name, out)) {
        Ok(true) => {
            say!("wrote {}", out.display());
            Exit::Good
        }
        Ok(false) => {
            let message = format!("these runs have no figure \"{name}\": no contact has friction");
            refuse("--figure", message, format!("there are {}", FIGURES.join(", ")))
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
