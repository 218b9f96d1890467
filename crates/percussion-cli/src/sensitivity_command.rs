//! `percussion sensitivity`: derivatives of what a run gives by keys of its scenario.

use crate::args::SensitivityCommand;
use crate::bar::RunsBar;
use crate::exit::Exit;
use crate::paint::Paint;
use crate::run_command::{default_folder, interrupt_flag};
use crate::show_error::{clean, show};
use crate::{complain, say};
use percussion::scenario::{LoadOptions, Result, SensitivityRequest, load, write_text};
use percussion::study::sensitivity::{Sensitivity, SensitivityOptions, Side, sensitivity};
use percussion::study::{StudyProgress, Threads};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// Part of a parameter's value: where a derivative holds no farther, its line says so.
const NARROW: f64 = 1e-3;

/// `percussion sensitivity SCENARIO`.
pub fn sensitivities(options: &SensitivityCommand) -> Exit {
    let json = options.changes.json;
    let made = match make(options) {
        Ok(Some(made)) => made,
        Ok(None) => {
            complain!("interrupted");
            return Exit::Interrupted;
        }
        Err(error) => return show(&error, json),
    };
    let folder = options.out.clone().unwrap_or_else(|| default_folder(&format!("{}-sensitivity", made.name)));
    let files = match write(&made, &folder) {
        Ok(files) => files,
        Err(error) => return show(&error, json),
    };
    if json {
        say!("{}", as_json(&made, &files));
    } else if !options.changes.quiet {
        tell(&made, &files);
    }
    Exit::Good
}

fn make(options: &SensitivityCommand) -> Result<Option<Sensitivity>> {
    let base = LoadOptions { kept: false, ..options.changes.load_options() };
    let written = SensitivityRequest::open(&options.scenario, &base)?;
    let or = |given: &[String], written: Vec<String>| if given.is_empty() { written } else { given.to_vec() };
    let asked = SensitivityOptions {
        of: or(&options.of, written.of),
        wrt: or(&options.wrt, written.wrt),
        times: if options.at.is_empty() { written.times } else { options.at.clone() },
        base,
    };
    let threads = options.threads.map_or_else(Threads::default, |n| Threads(n as usize));
    let quiet = options.changes.json || options.changes.quiet;
    let (stop, bar) = (interrupt_flag(), Mutex::new(RunsBar::new(!quiet)));
    let watch = |progress: StudyProgress| {
        if let Ok(mut bar) = bar.lock() {
            bar.weigh(progress.done as u64, progress.runs as u64, progress.share);
        }
        !stop.load(Ordering::Relaxed)
    };
    let made = sensitivity(&|base: &LoadOptions| load(&options.scenario, base), &asked, threads, &watch);
    if let Ok(bar) = bar.lock() {
        bar.clear();
    }
    made
}

fn write(made: &Sensitivity, folder: &std::path::Path) -> Result<Vec<PathBuf>> {
    let mut files = vec![folder.join("sensitivity.csv")];
    write_text(&files[0], &made.csv())?;
    if !made.impacts.is_empty() {
        files.push(folder.join("impacts.csv"));
        write_text(&files[1], &made.impacts_csv())?;
    }
    Ok(files)
}

fn as_json(made: &Sensitivity, files: &[PathBuf]) -> serde_json::Value {
    let row = |row: &percussion::study::sensitivity::Derivative| {
        serde_json::json!({
            "of": made.names[row.quantity], "t": row.t, "value": row.value,
            "derivatives": row.derivatives, "errors": row.errors,
        })
    };
    let wrt = |p: usize| {
        let (key, at) = &made.wrt[p];
        let reach = made.reach[p].map(|reach| reach.change);
        serde_json::json!({ "key": key, "at": at, "side": Side::name(made.sides[p]), "reach": reach })
    };
    let impact = |impact: &percussion::study::sensitivity::ImpactTime| serde_json::json!({ "t": impact.t, "contact": impact.contact, "derivatives": impact.derivatives });
    serde_json::json!({
        "name": made.name, "scheme": made.scheme, "way": made.way.name(), "remark": made.remark,
        "wrt": (0..made.wrt.len()).map(wrt).collect::<Vec<_>>(),
        "rows": made.rows.iter().map(row).collect::<Vec<_>>(),
        "impacts": made.impacts.iter().map(impact).collect::<Vec<_>>(),
        "files": files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
    })
}

fn tell(made: &Sensitivity, files: &[PathBuf]) {
    let paint = Paint::stdout();
    let way = match made.way {
        percussion::study::sensitivity::Way::Exact => "by the variational equation, events included",
        percussion::study::sensitivity::Way::Steps => "by the equations of every step",
        percussion::study::sensitivity::Way::Differences => {
            "by differences of order 8 of whole runs with the same history of contacts, each with an estimate of its error"
        }
    };
    say!("{}, {}: derivatives {way}", paint.bold(&clean(&made.name)), made.scheme);
    if let Some(remark) = &made.remark {
        say!("  {}", clean(remark));
    }
    for (p, (key, at)) in made.wrt.iter().enumerate() {
        let side = made.sides[p].map_or(String::new(), |side| {
            format!(", the end of its range: one-sided, the limit of derivatives {} it", Side::name(Some(side)))
        });
        let reach = made.reach[p].filter(|reach| reach.change < NARROW * if *at == 0.0 { 1.0 } else { at.abs() });
        let reach = reach.map_or(String::new(), |reach| format!(", good for changes to about {:.0e}", reach.change));
        say!("by {} = {at}{side}{reach}", paint.bold(&clean(key)));
        for row in &made.rows {
            let (name, d, error) = (clean(&made.names[row.quantity]), row.derivatives[p], row.errors[p]);
            let error = if error > 0.0 { format!("  ± {error:.0e}") } else { String::new() };
            say!("  {name:>10} at {:<10} {:>22.14e}   derivative {d:>22.14e}{error}", row.t, row.value);
        }
    }
    for file in files {
        say!("  {}", file.display());
    }
}
