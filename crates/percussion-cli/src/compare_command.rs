//! `percussion compare`: several schemes, one scenario.

use crate::args::CompareOptions;
use crate::exit::Exit;
use crate::paint::Paint;
use crate::show_error::{clean, show};
use crate::verdict_table::plain;
use crate::{complain, say};
use percussion::scenario::RunEnd;
use percussion::study::{Compared, Comparison, compare as run_all, variants};

/// `percussion compare SCENARIO --schemes a,b,c`.
pub fn compare(options: &CompareOptions) -> Exit {
    let study = &options.study;
    let result = study.source().and_then(|source| {
        let base = study.load_options(options.step);
        let list = variants(study.schemes.iter().map(String::as_str), &base)?;
        let folder = study.folder(&source, "compare");
        let load = |options: &_| source.load(options);
        let made = study.watched(|watch| run_all(&load, &list, &folder, study.threads(), watch))?;
        Ok((made, folder))
    });
    let (comparison, folder) = match result {
        Ok((Some(comparison), folder)) => (comparison, folder),
        Ok((None, _)) => {
            complain!("interrupted");
            return Exit::Interrupted;
        }
        Err(error) => return show(&error, study.json),
    };
    if study.json {
        let list: Vec<_> = comparison.list.iter().map(json).collect();
        say!("{}", serde_json::json!({ "runs": list, "folder": folder.display().to_string() }));
    } else if study.talks() {
        table(&comparison);
        say!("\ntables, page and the folder of each run are in {}", folder.display());
    }
    let refused = comparison.list.iter().all(|c| c.run.is_err());
    let runs = || comparison.list.iter().filter_map(|c| c.run.as_ref().ok());
    if refused {
        Exit::Input
    } else if runs().any(|(run, _)| matches!(run.end, RunEnd::Failed(_))) {
        Exit::Numerical
    } else if runs().any(|(run, _)| run.summary.failed()) {
        Exit::Certificate
    } else {
        Exit::Good
    }
}

fn json(compared: &Compared) -> serde_json::Value {
    match &compared.run {
        Err(error) => {
            serde_json::json!({ "scheme": compared.label, "status": "refused", "code": error.code.as_str(), "message": error.message })
        }
        Ok((run, a)) => serde_json::json!({
            "scheme": compared.label,
            "status": match run.end { RunEnd::Finished => "finished", RunEnd::Interrupted => "interrupted", RunEnd::Failed(_) => "failed" },
            "folder": compared.folder.display().to_string(),
            "summary": serde_json::to_value(&run.summary).unwrap_or_default(),
            "energy_start": a.energy_start, "energy_end": a.energy_end, "work_external": a.external, "work_damping": a.damping,
            "work_contact": a.contact, "work_joints": a.joints, "dissipation_numerical": a.dissipation, "created": a.created,
            "l1_q": a.errors.map(|e| e.l1_q), "l1_v": a.errors.map(|e| e.l1_v),
        }),
    }
}

fn table(comparison: &Comparison) {
    let paint = Paint::stdout();
    let mut header =
        vec!["scheme", "energy", "ΔE [J]", "loads", "contact", "scheme took", "created", "residual", "penetration"];
    let joints = comparison.list.iter().any(|c| c.run.as_ref().is_ok_and(|(run, _)| drift(run).is_some()));
    if joints {
        header.push("drift");
    }
    if comparison.exact {
        header.extend(["L1 q", "L1 v"]);
    }
    header.extend(["steps", "wall [s]"]);
    let mut table = plain(&header);
    for compared in &comparison.list {
        let mut row = vec![clean(&compared.label)];
        match &compared.run {
            Err(error) => row.push(format!("{} refused", error.code)),
            Ok((run, a)) => {
                let s = &run.summary;
                let status = match &run.end {
                    RunEnd::Failed(failure) => format!("{} at {:.3} s", failure.code, failure.t),
                    _ => s.verdicts.get("energy").map_or(String::new(), |c| c.status.clone()),
                };
                let identity = !s.guarantee.identity.is_empty();
                row.extend([
                    status,
                    format!("{:+.4}", a.energy_end - a.energy_start),
                    format!("{:+.4}", a.external + a.damping),
                    format!("{:+.4}", a.contact),
                    format!("{:+.4}", a.dissipation),
                    format!("{:.1e}", a.created),
                    if identity { format!("{:.1e}", a.residual) } else { "no identity".into() },
                    s.verdicts
                        .get("gap")
                        .filter(|c| c.status != "none")
                        .map_or("–".into(), |c| format!("{:.1e}", c.worst)),
                ]);
                if joints {
                    row.push(drift(run).map_or("–".into(), |x| format!("{x:.1e}")));
                }
                if comparison.exact {
                    let error = |x: Option<f64>| x.map_or("–".into(), |x| format!("{x:.2e}"));
                    row.extend([error(a.errors.map(|e| e.l1_q)), error(a.errors.map(|e| e.l1_v))]);
                }
                row.extend([s.steps.to_string(), format!("{:.2}", s.wall_s)]);
            }
        }
        table.add_row(row);
    }
    for (k, line) in table.lines().enumerate() {
        let line = line.trim_end();
        say!("{}", if k == 0 { paint.bold(line) } else { line.to_string() });
    }
    for compared in &comparison.list {
        if let Err(error) = &compared.run {
            say!("{}: {} {}", clean(&compared.label), error.code, error.message);
        }
    }
}

/// The largest violation of a joint, where there are joints.
fn drift(run: &percussion::scenario::Run) -> Option<f64> {
    run.summary.verdicts.get("joints").filter(|c| c.status != "none").map(|c| c.worst)
}
