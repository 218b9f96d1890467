//! Several schemes on one scenario: the energy split, penetration, drift and cost of each, side by side.

use crate::account::{Account, Accountant};
use crate::parallel::{Task, Threads, Watch, ordered};
use crate::reference::Reference;
use crate::variant::Variant;
use crate::{ErrorMeter, Load};
use percussion_model::Code;
use percussion_scenario::{
    Kept, Loaded, Result, Run, RunEnd, Scenario, ScenarioError, exact, remove_runs, report, run_kept, run_recorded,
    write_page_with, write_text,
};
use std::path::{Path, PathBuf};

/// Where the rows go, and by what an earlier comparison is known.
const TABLE: &str = "compare.csv";

/// The columns of `compare.csv`; all but the last are the same whatever the number of threads.
pub const COMPARE_HEADER: &str = "scheme,status,code,steps,t_end,energy,gap,cone,joints,solver,energy_start,energy_end,\
algorithmic_energy_start,algorithmic_energy_end,work_external,work_damping,work_contact,work_projection,work_joints,dissipation_numerical,created,residual,penetration,drift,impacts,l1_q,l1_v,state_hash,wall_s";

/// One scheme's part.
pub struct Compared {
    /// The scheme with its parameters.
    pub label: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Its run, or why the scheme refused the scenario.
    pub run: std::result::Result<(Run, Account), Box<ScenarioError>>,
}

/// A comparison.
pub struct Comparison {
    /// One per scheme, in the order asked.
    pub list: Vec<Compared>,
    /// Whether errors are against an exact motion.
    pub exact: bool,
}

/// Runs the schemes into folders below `folder`, and writes `compare.csv` and `report.html`; none when `watch` stopped it.
pub fn compare(
    load: &Load,
    variants: &[Variant],
    folder: &Path,
    threads: Threads,
    watch: &Watch,
) -> Result<Option<Comparison>> {
    if variants.is_empty() {
        let help = "name at least one scheme; percussion list schemes names them";
        return Err(ScenarioError::file(Code::BAD_STUDY, "--schemes", "there is no scheme to compare", help));
    }
    // what is wrong with the scenario itself is told once
    let mut weights = Vec::new();
    for variant in variants {
        weights.push(match load(&variant.options) {
            Ok(loaded) => steps_of(&loaded),
            Err(error) if error.code == Code::UNSUPPORTED => 0.0,
            Err(error) => return Err(error),
        });
    }
    // the runs of an earlier comparison would stand beside the new ones
    remove_runs(folder, TABLE)?;
    let task = |i: usize, task: &Task| {
        let Variant { label, options } = &variants[i];
        one(load(options), label.clone(), folder.join(slug(i, label)), task)
    };
    let Some(answers) = ordered(&weights, threads, watch, task) else { return Ok(None) };
    let list = answers.into_iter().collect::<Result<Vec<Compared>>>()?;
    let exact = list.iter().any(|c| c.run.as_ref().is_ok_and(|(_, account)| account.errors.is_some()));
    let comparison = Comparison { list, exact };
    write_text(&folder.join(TABLE), &comparison.csv())?;
    comparison.write_page(&folder.join("report.html"))?;
    Ok(Some(comparison))
}

/// How much of a study's progress a run is.
pub(crate) fn steps_of(loaded: &Loaded) -> f64 {
    loaded.scenario.count.n.max(1) as f64
}

/// The same without folders, every table kept in memory; a scheme that refuses the scenario is an error in its place.
pub fn compare_in_memory(
    load: &Load,
    variants: &[Variant],
    threads: Threads,
    watch: &Watch,
) -> Option<Vec<Result<(Scenario, Run, Kept)>>> {
    let weights: Vec<f64> = variants.iter().map(|v| load(&v.options).map_or(0.0, |loaded| steps_of(&loaded))).collect();
    ordered(&weights, threads, watch, |i, task| {
        run_kept(load(&variants[i].options)?, None, &mut |p| task.step(p.step, p.steps))
    })
}

fn one(loaded: Result<Loaded>, label: String, folder: PathBuf, task: &Task) -> Result<Compared> {
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(error) => return Ok(Compared { label, folder, run: Err(error) }),
    };
    let reference = exact(&loaded.scenario).map(|exact| Reference::Exact(exact.into()));
    let end = loaded.scenario.end;
    let meter = reference.as_ref().map(|reference| ErrorMeter::new(reference, end, false, task.stop));
    let mut accountant = Accountant::new(meter);
    let made = run_recorded(loaded, &folder, &mut accountant, &mut |p| task.step(p.step, p.steps))?;
    Ok(Compared { label, folder, run: Ok((made, accountant.account())) })
}

impl Comparison {
    /// Writes the page: what was measured beside what each run's report says, and why a scheme refused.
    fn write_page(&self, path: &Path) -> Result<()> {
        let (mut reports, mut notes) = (Vec::new(), Vec::new());
        for compared in &self.list {
            match &compared.run {
                Err(error) => notes.push(format!("{} refused: {} {}", compared.label, error.code, error.message)),
                Ok((_, account)) => {
                    let mut report = report(&compared.folder)?;
                    let mut measures = vec![("energy created [J]", account.created)];
                    if let Some(errors) = account.errors {
                        measures.extend([("L1 error of q", errors.l1_q), ("L1 error of v", errors.l1_v)]);
                    }
                    report.set_measures(measures.into_iter().map(|(name, x)| (name.to_string(), x)).collect());
                    reports.push(report);
                }
            }
        }
        write_page_with(&reports, &notes, path)
    }

    /// The table as CSV.
    pub fn csv(&self) -> String {
        let mut text = format!("{COMPARE_HEADER}\n");
        let columns = COMPARE_HEADER.split(',').count();
        for compared in &self.list {
            let mut cells = vec![quoted(&compared.label)];
            match &compared.run {
                Err(error) => {
                    cells.extend(["refused".to_string(), error.code.to_string()]);
                    cells.resize(columns, String::new());
                }
                Ok((run, account)) => cells.extend(row(run, account)),
            }
            text += &cells.join(",");
            text.push('\n');
        }
        text
    }
}

fn row(run: &Run, a: &Account) -> Vec<String> {
    let summary = &run.summary;
    let (status, code) = match &run.end {
        RunEnd::Finished => ("finished", String::new()),
        RunEnd::Interrupted => ("interrupted", String::new()),
        RunEnd::Failed(failure) => ("failed", failure.code.to_string()),
    };
    let worst = |name: &str| summary.verdicts.get(name).filter(|c| c.status != "none").map(|c| c.worst);
    let cell = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:e}"));
    let mut cells = vec![status.to_string(), code, summary.steps.to_string(), format!("{:e}", summary.t_end)];
    for name in ["energy", "gap", "cone", "joints", "solver"] {
        cells.push(summary.verdicts.get(name).map_or(String::new(), |c| c.status.clone()));
    }
    let energies = [a.energy_start, a.energy_end, a.algorithmic_start, a.algorithmic_end];
    let sums = [a.external, a.damping, a.contact, a.projection, a.joints, a.dissipation, a.created];
    cells.extend(energies.into_iter().chain(sums).map(|x| format!("{x:e}")));
    cells.push(cell((!summary.guarantee.identity.is_empty()).then_some(a.residual)));
    cells.push(cell(worst("gap")));
    cells.push(cell(worst("joints")));
    cells.push(summary.events.get("impact").copied().unwrap_or(0).to_string());
    cells.push(cell(a.errors.map(|e| e.l1_q)));
    cells.push(cell(a.errors.map(|e| e.l1_v)));
    cells.push(summary.state_hash.clone());
    cells.push(format!("{:.3e}", summary.wall_s));
    cells
}

/// A folder any file system takes, unique by its number.
fn slug(i: usize, label: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.=".contains(c) { c } else { '-' };
    let name: String = label.chars().map(plain).take(80).collect();
    format!("{}-{}", i + 1, name.trim_matches(['-', '.']))
}

/// A cell of text.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}
