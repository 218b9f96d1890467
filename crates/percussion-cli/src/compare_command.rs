//! `percussion compare`: several schemes, one scenario.

use crate::args::CompareOptions;
use crate::exit::Exit;
use crate::paint::Paint;
use crate::show_error::{clean, show};
use crate::verdict_table::plain;
use crate::{complain, say};
use percussion::scenario::RunEnd;
use percussion::study::{Account, Compared, Comparison, compare as run_all, variants};

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
    for reason in comparison.list.iter().flat_map(reasons) {
        complain!("{reason}");
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
            "energy_start": a.energy_start, "energy_end": a.energy_end,
            "algorithmic_energy_start": a.algorithmic_start, "algorithmic_energy_end": a.algorithmic_end, "work_external": a.external, "work_damping": a.damping,
            "work_contact": a.contact, "work_projection": a.projection, "work_joints": a.joints, "dissipation_numerical": a.dissipation, "created": a.created,
            "l1_q": a.errors.map(|e| e.l1_q), "l1_v": a.errors.map(|e| e.l1_v),
        }),
    }
}

/// Joules to a part in 10⁵ of the energy there is; what is nought has no sign.
fn joules(x: f64, a: &Account) -> String {
    let size = a.energy_start.abs().max(a.energy_end.abs());
    let decimals = if size > 0.0 { (4.0 - size.log10().floor()).clamp(4.0, 12.0) as usize } else { 4 };
    let text = format!("{x:+.decimals$}");
    if text.contains(|c: char| c.is_ascii_digit() && c != '0') { text } else { text.replace('-', "+") }
}

/// A column of the table: its head and what it says of a run.
type ColumnOf = (&'static str, fn(&percussion::scenario::Run, &Account) -> String);

fn table(comparison: &Comparison) {
    let paint = Paint::stdout();
    let runs = || comparison.list.iter().filter_map(|c| c.run.as_ref().ok());
    // what is nought in every run is not shown, what is empty neither
    let any = |is: &dyn Fn(&percussion::scenario::Run, &Account) -> bool| runs().any(|(run, a)| is(run, a));
    let size = |a: &Account| a.energy_start.abs().max(a.energy_end.abs());
    let mut columns: Vec<ColumnOf> = vec![
        ("energy", |run, _| match &run.end {
            RunEnd::Failed(failure) => format!("{} at {:.3} s", failure.code, failure.t),
            _ => run.summary.verdicts.get("energy").map_or(String::new(), |c| c.status.clone()),
        }),
        ("ΔE [J]", |_, a| joules(a.energy_end - a.energy_start, a)),
    ];
    let changes = |a: &Account| (a.energy_end - a.energy_start, a.algorithmic_end - a.algorithmic_start);
    if any(&|_, a| (changes(a).0 - changes(a).1).abs() > 1e-9 * size(a)) {
        columns.push(("ΔH", |_, a| joules(a.algorithmic_end - a.algorithmic_start, a)));
    }
    columns.push(("loads", |_, a| joules(a.external, a)));
    if any(&|_, a| a.damping != 0.0) {
        columns.push(("dampers", |_, a| joules(a.damping, a)));
    }
    columns.push(("contacts", |_, a| joules(a.contact + a.projection, a)));
    let projected = any(&|_, a| a.projection != 0.0);
    if projected {
        columns.push(("by the law", |_, a| joules(a.contact, a)));
        columns.push(("by landing", |_, a| joules(a.projection, a)));
    }
    if any(&|run, a| a.joints != 0.0 || drift(run).is_some()) {
        columns.push(("joints", |_, a| format!("{:+.1e}", a.joints)));
    }
    columns.push(("scheme", |_, a| joules(0.0 - a.dissipation, a)));
    // schemes without an identity leave a part of ΔH to nobody
    let rest = any(&|_, a| a.not_booked().abs() > 1e-9 * size(a));
    if rest {
        columns.push(("not booked", |_, a| joules(a.not_booked(), a)));
    }
    columns.push(("created", |_, a| format!("{:.1e}", a.created)));
    columns.push(("residual", |run, a| match run.summary.guarantee.identity.as_str() {
        "" | "no identity" => "no identity".into(),
        _ => format!("{:.1e}", a.residual),
    }));
    columns.push(("penetration", |run, _| {
        let gap = run.summary.verdicts.get("gap").filter(|c| c.status != "none");
        gap.map_or("–".into(), |c| format!("{:.1e}", c.worst))
    }));
    if any(&|run, _| drift(run).is_some()) {
        columns.push(("drift", |run, _| drift(run).map_or("–".into(), |x| format!("{x:.1e}"))));
    }
    if comparison.exact {
        columns.push(("L1 q", |_, a| a.errors.map_or("–".into(), |e| format!("{:.2e}", e.l1_q))));
        columns.push(("L1 v", |_, a| a.errors.map_or("–".into(), |e| format!("{:.2e}", e.l1_v))));
    }
    columns.push(("impacts", |run, _| run.summary.events.get("impact").copied().unwrap_or(0).to_string()));
    columns.push(("steps", |run, _| run.summary.steps.to_string()));
    columns.push(("wall [s]", |run, _| format!("{:.2}", run.summary.wall_s)));

    let header: Vec<&str> = std::iter::once("scheme").chain(columns.iter().map(|(head, _)| *head)).collect();
    let mut table = plain(&header);
    for compared in &comparison.list {
        let mut row = vec![clean(&compared.label)];
        match &compared.run {
            Err(error) => row.push(format!("{} refused", error.code)),
            Ok((run, a)) => row.extend(columns.iter().map(|(_, cell)| cell(run, a))),
        }
        table.add_row(row);
    }
    for (k, line) in table.lines().enumerate() {
        let line = line.trim_end();
        say!("{}", if k == 0 { paint.bold(line) } else { line.to_string() });
    }
    let mut words = "ΔH = loads + dampers + contacts + joints + scheme; H is E where no other is shown".to_string();
    if rest {
        words = words.replace(" + scheme", " + scheme + not booked");
    }
    if projected {
        words += "; contacts = by the law + by landing on the surface";
    }
    say!("{}", paint.dim(&words));
}

/// Which scheme refused, which run failed, which certificate did not hold, and why.
fn reasons(compared: &Compared) -> Vec<String> {
    let label = clean(&compared.label);
    let (run, _) = match &compared.run {
        Err(error) => return vec![format!("{label} refused: {} {}", error.code, clean(&error.message))],
        Ok(made) => made,
    };
    let mut list = Vec::new();
    if let RunEnd::Failed(failure) = &run.end {
        list.push(format!("{label} failed: {} {}", failure.code, clean(&failure.to_string())));
    }
    for (name, c) in run.summary.verdicts.iter().filter(|(_, c)| c.status == "fail") {
        let place =
            if c.worst == 0.0 { String::new() } else { format!(" (worst {:.2e} at t = {:.6} s)", c.worst, c.t) };
        list.push(format!("{label}: certificate {name} failed: {}{place}", clean(&c.text)));
    }
    list
}

/// The largest violation of a joint, where there are joints.
fn drift(run: &percussion::scenario::Run) -> Option<f64> {
    run.summary.verdicts.get("joints").filter(|c| c.status != "none").map(|c| c.worst)
}
