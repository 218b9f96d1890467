//! Several schemes on one scenario: the energy split, penetration, drift and cost of each, side by side.

use crate::parallel::{Threads, Watch, ordered};
use crate::reference::Reference;
use crate::variant::Variant;
use crate::{ErrorMeter, Errors, Load};
use percussion_model::Code;
use percussion_scenario::{
    Kept, Report, Result, Row, Run, RunEnd, RunFolder, Scenario, ScenarioError, exact, report, run, run_kept,
    write_page, write_text,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The columns of `compare.csv`; all but the last are the same whatever the number of threads.
pub const COMPARE_HEADER: &str = "scheme,status,code,steps,t_end,energy,gap,cone,joints,solver,energy_start,energy_end,work_external,\
work_damping,work_contact,work_joints,dissipation_numerical,created,residual,penetration,drift,impacts,l1_q,l1_v,state_hash,wall_s";

/// One scheme's part.
pub struct Compared {
    /// The scheme with its parameters.
    pub label: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Its run, or why the scheme refused the scenario.
    pub run: std::result::Result<(Run, Account), Box<ScenarioError>>,
}

/// What the ledger of a run adds up to [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// E at the start.
    pub energy_start: f64,
    /// E at the end.
    pub energy_end: f64,
    /// Sum of the works of loads.
    pub external: f64,
    /// Of dampers.
    pub damping: f64,
    /// Of contacts.
    pub contact: f64,
    /// Of joints.
    pub joints: f64,
    /// Of what the scheme itself takes.
    pub dissipation: f64,
    /// Of the steps in which neither loads nor dampers account for a gain.
    pub created: f64,
    /// Largest |residual|.
    pub residual: f64,
    /// Errors where the exact motion is known.
    pub errors: Option<Errors>,
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
    for variant in variants {
        if let Err(error) = load(&variant.options)
            && error.code != Code::UNSUPPORTED
        {
            return Err(error);
        }
    }
    let task = |i: usize, stop: &AtomicBool| one(load, &variants[i], &folder.join(slug(i, &variants[i].label)), stop);
    let Some(answers) = ordered(variants.len(), threads, watch, task) else { return Ok(None) };
    let list = answers.into_iter().collect::<Result<Vec<Compared>>>()?;
    let exact = list.iter().any(|c| c.run.as_ref().is_ok_and(|(_, account)| account.errors.is_some()));
    let comparison = Comparison { list, exact };
    write_text(&folder.join("compare.csv"), &comparison.csv())?;
    let reports: Vec<Report> =
        comparison.list.iter().filter(|c| c.run.is_ok()).map(|c| report(&c.folder)).collect::<Result<_>>()?;
    if !reports.is_empty() {
        write_page(&reports, &folder.join("report.html"))?;
    }
    Ok(Some(comparison))
}

/// The same without folders, every table kept in memory; a scheme that refuses the scenario is an error in its place.
pub fn compare_in_memory(
    load: &Load,
    variants: &[Variant],
    threads: Threads,
    watch: &Watch,
) -> Option<Vec<Result<(Scenario, Run, Kept)>>> {
    ordered(variants.len(), threads, watch, |i, stop| {
        run_kept(load(&variants[i].options)?, None, &mut |_| !stop.load(Ordering::Relaxed))
    })
}

fn one(load: &Load, variant: &Variant, folder: &Path, stop: &AtomicBool) -> Result<Compared> {
    let label = variant.label.clone();
    let loaded = match load(&variant.options) {
        Ok(loaded) => loaded,
        Err(error) => return Ok(Compared { label, folder: folder.to_path_buf(), run: Err(error) }),
    };
    let made = run(loaded, folder, &mut |_| !stop.load(Ordering::Relaxed))?;
    let account = account(folder)?;
    Ok(Compared { label, folder: folder.to_path_buf(), run: Ok((made, account)) })
}

/// Sums up what a run folder holds.
fn account(folder: &Path) -> Result<Account> {
    let run = RunFolder::open(folder)?;
    let reference = exact(&run.loaded.scenario).map(|exact| Reference::Exact(exact.into()));
    let never = AtomicBool::new(false);
    let mut meter =
        reference.as_ref().map(|reference| ErrorMeter::new(reference, run.loaded.scenario.end, false, &never));
    let (mut rows, mut row, mut sums, mut first) = (run.rows()?, Row::default(), Account::default(), true);
    while rows.next(&mut row)? {
        let entry = &row.ledger;
        if std::mem::take(&mut first) {
            sums.energy_start = entry.energy();
        }
        sums.energy_end = entry.energy();
        sums.external += entry.work_external;
        sums.damping += entry.work_damping;
        sums.contact += entry.work_contact;
        sums.joints += entry.work_joints;
        sums.dissipation += entry.dissipation_numerical;
        sums.created += entry.created().max(0.0);
        sums.residual = sums.residual.max(entry.balance.abs());
        if let Some(meter) = &mut meter {
            meter.push(row.state.t, &row.state.q, &row.state.v);
        }
    }
    sums.errors = meter.map(|meter| meter.errors());
    Ok(sums)
}

impl Comparison {
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
    let sums = [a.energy_start, a.energy_end, a.external, a.damping, a.contact, a.joints, a.dissipation, a.created];
    cells.extend(sums.map(|x| format!("{x:e}")));
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
