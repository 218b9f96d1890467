//! `percussion` alone: one model, three schemes, and what each does to the energy.

use crate::exit::Exit;
use crate::paint::Paint;
use crate::say;
use crate::show_error::show;
use crate::verdict_table::plain;
use percussion::model::Code;
use percussion::scenario::{self, LoadOptions, Report, Run, ScenarioError};
use std::path::{Path, PathBuf};

/// The page it writes.
const PAGE: &str = "percussion-report.html";
/// The scenario it shows.
const SCENARIO: &str = "slider-crank";
/// The schemes: within the theorem, within it and damping, and outside it.
const SCHEMES: [(&str, &str, &str); 3] = [
    ("energy-momentum", "scheme.friction_law=checked", "θ = ½"),
    ("moreau-jean", "scheme.theta=0.7", "θ = 0.7"),
    ("moreau-jean", "scheme.theta=1.0", "θ = 1"),
];

/// A folder that goes away with its owner.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs it, prints the verdicts and writes the page.
pub fn demonstrate() -> Exit {
    match runs() {
        Ok(runs) => {
            say!("\nwrote {PAGE}; next: percussion list scenarios, percussion new NAME, percussion --help");
            if runs.iter().any(|run| run.summary.failed()) { Exit::Certificate } else { Exit::Good }
        }
        Err(error) => show(&error, false),
    }
}

fn runs() -> Result<Vec<Run>, Box<ScenarioError>> {
    let paint = Paint::stdout();
    say!(
        "{}",
        paint.bold(
            "A slider-crank with a flexible rod, whose slider has a millimetre of play in its guide, three times."
        )
    );
    say!(
        "Every joule is followed: loads, contact, what the scheme itself takes, and what is left over (residual) [J].\n"
    );
    let scratch = Scratch(scratch_folder()?);
    let mut table =
        plain(&["scheme", "", "guarantee", "energy", "residual", "created", "contact", "scheme", "penetration"]);
    let (mut runs, mut reports) = (Vec::new(), Vec::<Report>::new());
    for (k, (scheme, set, words)) in SCHEMES.into_iter().enumerate() {
        let options = LoadOptions { scheme: Some(scheme.into()), set: vec![set.into()], ..LoadOptions::default() };
        let folder = scratch.0.join(k.to_string());
        let run = scenario::run(scenario::load(SCENARIO, &options)?, &folder, &mut |_| true)?;
        let sums = Sums::read(&folder)?;
        let verdict = |name: &str| run.summary.verdicts.get(name);
        table.add_row([
            scheme.to_string(),
            words.to_string(),
            if run.summary.guarantee.holds { "holds" } else { "none" }.to_string(),
            verdict("energy").map_or(String::new(), |c| c.status.clone()),
            format!("{:.1e}", sums.residual),
            format!("{:.2e}", sums.created),
            format!("{:.3}", sums.contact),
            format!("{:.3}", -sums.dissipation),
            verdict("gap").map_or(String::new(), |c| format!("{:.1e} m", c.worst)),
        ]);
        reports.push(scenario::report(&folder)?);
        runs.push(run);
    }
    for line in table.lines() {
        say!("{}", line.trim_end());
    }
    say!("");
    for run in &runs {
        let Some(c) = run.summary.verdicts.get("energy") else { continue };
        say!("  {} {}", paint.status(&c.status), c.text);
    }
    scenario::write_page(&reports, Path::new(PAGE))?;
    Ok(runs)
}

/// What the ledger of a run adds up to.
#[derive(Default)]
struct Sums {
    contact: f64,
    dissipation: f64,
    created: f64,
    residual: f64,
}

impl Sums {
    fn read(folder: &Path) -> Result<Self, Box<ScenarioError>> {
        let run = scenario::RunFolder::open(folder)?;
        let (mut rows, mut row, mut sums) = (run.rows()?, scenario::Row::default(), Self::default());
        while rows.next(&mut row)? {
            let entry = &row.ledger;
            sums.contact += entry.work_contact + entry.work_projection.unwrap_or(0.0);
            sums.dissipation += entry.dissipation_numerical;
            sums.created += entry.created().max(0.0);
            sums.residual = sums.residual.max(entry.balance.abs());
        }
        Ok(sums)
    }
}

/// A new folder among the system's temporary ones.
fn scratch_folder() -> Result<PathBuf, Box<ScenarioError>> {
    let folder = std::env::temp_dir().join(format!("percussion-demo-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| {
        let message = format!("cannot be written: {error}");
        ScenarioError::file(
            Code::UNWRITABLE,
            folder.display().to_string(),
            message,
            "set TMPDIR to a folder you may write",
        )
    })?;
    Ok(folder)
}
