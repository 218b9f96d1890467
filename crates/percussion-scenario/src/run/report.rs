//! From a run folder to its page.

use super::report_tables;
use crate::build::attachments::Attachments;
use crate::build::load::Loaded;
#[cfg(not(target_family = "wasm"))]
use crate::build::load::{LoadOptions, Source};
use crate::build::scenario::Scenario;
use crate::error::Result;
use crate::format::write::scenario_text;
use crate::run::folder::{Row, Rows, RunFolder, TABLES};
use crate::run::memory::Kept;
use crate::run::summary::{Failure, Summary};
use crate::run::table_reader::TableReader;
use crate::run::unwritable;
use crate::scene;
use percussion_report::{
    FailureInfo, GuaranteeInfo, Meta, Plot, Report, ReportBuilder, RunInfo, VerdictInfo, plot_svg, render, render_with,
};
use std::path::Path;
use std::sync::Arc;

/// Contacts up to which every gap is drawn at every state, in contact or not.
const ALL_GAPS: usize = 16;
/// States besides impacts at which the impulses between bodies are drawn, about.
const ARROW_STATES: u64 = 2000;

/// (Re)writes `report.html` of a run.
pub fn write_report(folder: &Path) -> Result<()> {
    write_report_with(folder, &Attachments::default())
}

/// The same with what a program hands over again.
pub fn write_report_with(folder: &Path, given: &Attachments) -> Result<()> {
    write_page(&[report_with(folder, given)?], &folder.join("report.html"))
}

/// The text of one page about one or several runs.
pub fn page(reports: &[Report]) -> String {
    render(reports)
}

/// Writes one page about one or several runs.
pub fn write_page(reports: &[Report], path: &Path) -> Result<()> {
    crate::run::atomic_file::replace(path, render(reports).as_bytes()).map_err(|error| unwritable(path, &error))
}

/// The same with remarks: what is not there, and why.
pub fn write_page_with(reports: &[Report], notes: &[String], path: &Path) -> Result<()> {
    crate::run::atomic_file::replace(path, render_with(reports, notes).as_bytes())
        .map_err(|error| unwritable(path, &error))
}

/// Writes a text, and the folder it lies in where there is none.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|error| unwritable(path, &error))
}

/// The text of a file, if it is there and is one.
pub fn read_text(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Endings of the files figures are written to.
pub const FIGURE_FORMATS: &[&str] = if cfg!(feature = "png") { &["svg", "png"] } else { &["svg"] };

/// The page of `percussion play`: a scenario with the files it names, and the simulator to run it.
#[cfg(not(target_family = "wasm"))]
pub fn play_page(source: &Source, options: &LoadOptions) -> Result<String> {
    // what is wrong with it is told here rather than on the page
    let title = source.load(options)?.scenario.name;
    crate::play::play_numbers(source)?;
    let files = crate::play::play_files(source)?.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
    let name =
        Path::new(&source.name).file_name().map_or(source.name.clone(), |name| name.to_string_lossy().into_owned());
    Ok(percussion_report::Playground { name, title, text: source.text.clone(), files }.render())
}

/// Writes one figure of one or several runs, as PNG where the file ends so and as SVG otherwise; false when the runs have no
/// figure of that name.
pub fn write_figure(reports: &[Report], figure: &str, path: &Path) -> Result<bool> {
    let png = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
    let bytes = if png { pixels(reports, figure) } else { plot_svg(reports, figure).map(String::into_bytes) };
    let Some(bytes) = bytes else { return Ok(false) };
    std::fs::write(path, bytes).map_err(|error| unwritable(path, &error)).map(|()| true)
}

/// Writes a plot, as PNG where the file ends so and as SVG otherwise.
pub fn write_plot(plot: &Plot, path: &Path) -> Result<()> {
    let png = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
    let bytes = if png { plot_pixels(plot) } else { Some(plot.svg().into_bytes()) };
    bytes.map_or(Ok(()), |bytes| super::plain_file::write(path, &bytes).map_err(|error| unwritable(path, &error)))
}

#[cfg(feature = "png")]
fn plot_pixels(plot: &Plot) -> Option<Vec<u8>> {
    plot.png()
}

#[cfg(not(feature = "png"))]
fn plot_pixels(_: &Plot) -> Option<Vec<u8>> {
    None
}

#[cfg(feature = "png")]
fn pixels(reports: &[Report], figure: &str) -> Option<Vec<u8>> {
    percussion_report::plot_png(reports, figure)
}

#[cfg(not(feature = "png"))]
fn pixels(_: &[Report], _: &str) -> Option<Vec<u8>> {
    None
}

/// Reads a run in constant memory.
pub fn report(folder: &Path) -> Result<Report> {
    report_with(folder, &Attachments::default())
}

/// The same with what a program hands over again.
pub fn report_with(folder: &Path, given: &Attachments) -> Result<Report> {
    let run = RunFolder::open_with(folder, given)?;
    let Loaded { scenario, .. } = &run.loaded;
    build(scenario, &run.summary, &run.scenario_toml, run.rows()?, run.events()?)
}

/// The report of a run in memory.
pub fn report_kept(scenario: &Scenario, summary: &Summary, kept: Kept) -> Result<Report> {
    let Kept { trajectory, contacts, ledger, events, .. } = kept;
    let [trajectory, contacts, ledger, events] = [trajectory, contacts, ledger, events].map(Arc::new);
    let table = |k: usize, cells| TableReader::kept(TABLES[k], cells);
    let rows = Rows::new(scenario.model(), table(0, trajectory), table(1, contacts), table(2, ledger));
    build(scenario, summary, &scenario_text(scenario).0, rows, table(3, events))
}

fn build(
    scenario: &Scenario,
    summary: &Summary,
    text: &str,
    mut rows: Rows,
    mut events: TableReader,
) -> Result<Report> {
    let model = scenario.model();
    let m = model.n_contacts();
    let frictional = model.has_friction();
    let bodies = scene::bodies(scenario);
    let mut meta =
        Meta { n_contacts: m, film: scene::film(scenario), tables: report_tables::meta(model), ..Meta::default() };
    if let Some(bodies) = bodies {
        scene::bodies::describe(bodies, &mut meta);
    }
    let mut builder = ReportBuilder::new(meta);
    let every = (summary.steps / ARROW_STATES).max(1);
    let has_identity = scenario.guarantee().has_identity();
    let mut event_waits = events.next()?;
    let mut row = Row::default();
    while rows.next(&mut row)? {
        let (t, state, entry) = (row.state.t, &row.state, &row.ledger);
        let mut impact = false;
        while event_waits && events.integer(1)? <= row.step {
            let number = |column| events.number_or_zero(column);
            builder.push_event(
                events.number(0)?,
                events.word(2),
                events.integer(3)? as usize,
                number(4)?,
                number(5)?,
                number(6)?,
            );
            impact |= report_tables::push_event(&mut builder, &events)?;
            event_waits = events.next()?;
        }
        report_tables::push_row(&mut builder, &row, impact, has_identity, model.has_rolling());
        builder.push_state(t, &state.q, &state.v);
        builder.push_ledger(
            t,
            entry.kinetic,
            entry.potential,
            entry.algorithmic_energy,
            entry.work_external,
            entry.work_damping,
            entry.work_contact + entry.work_projection.unwrap_or(0.0),
            entry.dissipation_numerical,
            has_identity.then_some(entry.balance),
        );
        if let Some(work) = entry.work_projection {
            builder.push_projection(t, work);
        }
        if model.n_joints() > 0 {
            builder.push_joint_work(t, entry.work_joints);
        }
        // where impulses act is found again from the places of the bodies: at impacts, and often enough to see the rest
        if let Some(bodies) = bodies.filter(|_| impact || row.step.is_multiple_of(every)) {
            scene::bodies::push_arrows(&mut builder, bodies, &row);
        }
        if m <= ALL_GAPS && bodies.is_none() {
            for i in 0..m {
                let p = row.contacts.iter().find(|c| c.id == i).map_or(0.0, |c| c.p);
                builder.push_gap(t, i, model.gap(i, &state.q, t), p);
                let n = model.n_tangents(i);
                if frictional && n > 0 {
                    let u = model.tangent_rate(i, &state.q, &state.v);
                    let at = row.contacts.iter().position(|c| c.id == i);
                    let p = at.and_then(|k| row.friction.get(k)).map_or([0.0; 2], |along| along.p);
                    builder.push_sliding(t, i, &u[..n], &p[..n]);
                }
            }
        } else {
            for (k, c) in row.contacts.iter().enumerate() {
                if bodies.is_some() {
                    builder.name_contact(c.id, || model.contact_name(c.id));
                }
                builder.push_gap(t, c.id, c.gap, c.p);
                if let Some(along) = row.friction.get(k).filter(|along| along.n > 0) {
                    builder.push_sliding(t, c.id, &along.u_after[..along.n], &along.p[..along.n]);
                }
            }
        }
    }
    let picture = scene::scene(scenario, builder.ranges());
    let mut report = builder.finish(info(scenario, summary, text));
    if let Some(picture) = picture {
        report.set_scene(picture);
    }
    Ok(report)
}

/// A parameter for people: text without quotes, counts as `name number, …`.
fn words(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Object(counts) => {
            counts.iter().map(|(key, n)| format!("{key} {n}")).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn info(run: &Scenario, summary: &Summary, text: &str) -> RunInfo {
    let Summary { scenario, version, scheme, solver, steps, t_end, wall_s, verdicts, guarantee, .. } = summary.clone();
    let name = |map: &serde_json::Map<String, serde_json::Value>| {
        map.get("name").and_then(|name| name.as_str()).unwrap_or_default().to_string()
    };
    let parameters = |map: &serde_json::Map<String, serde_json::Value>| {
        let others = map.iter().filter(|(key, _)| *key != "name");
        others.map(|(key, value)| (key.clone(), words(value))).collect()
    };
    let order = ["energy", "gap", "cone", "joints", "solver"];
    let failure = match &summary.failure {
        Some(Failure { code, t, message, help, .. }) => {
            Some(FailureInfo { code: code.clone(), t: *t, message: message.clone(), help: help.clone() })
        }
        None => summary.interrupted.then(|| FailureInfo {
            t: t_end,
            message: "it was interrupted before its end".into(),
            ..FailureInfo::default()
        }),
    };
    RunInfo {
        scheme: name(&scheme),
        scheme_parameters: parameters(&scheme),
        solver: name(&solver),
        solver_parameters: parameters(&solver),
        step: run.step,
        verdicts: order
            .iter()
            .filter_map(|&name| verdicts.get(name).map(|c| (name, c)))
            .map(|(name, c)| {
                let judged = c.status != "none";
                VerdictInfo {
                    name: name.into(),
                    status: c.status.clone(),
                    text: c.text.clone(),
                    worst: judged.then_some(c.worst),
                    t: judged.then_some(c.t),
                    contact: c.contact_id,
                }
            })
            .collect(),
        guarantee: Some(GuaranteeInfo {
            theorem: guarantee.theorem,
            condition: guarantee.condition,
            holds: guarantee.holds,
            reason: guarantee.reason,
            identity: guarantee.identity,
        }),
        failure,
        warnings: summary.warnings.clone(),
        state_hash: summary.state_hash.clone(),
        scenario_toml: text.to_string(),
        scenario,
        version,
        steps,
        t_end,
        wall_s,
    }
}
