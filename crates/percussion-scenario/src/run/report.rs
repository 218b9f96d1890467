//! From a run folder to its page.

use super::report_joints::{JointTables, PageJoints, Reached};
use super::report_tables;
use crate::build::attachments::Attachments;
use crate::build::scenario::Scenario;
use crate::error::{Result, ScenarioError};
use crate::format::write::scenario_text;
use crate::run::approach::{Approach, is_looked_at, write_gaps};
use crate::run::columns::Choice;
use crate::run::contact_names::ContactNames;
use crate::run::folder::{Row, Rows, RunFolder, TABLES};
use crate::run::heavy_contacts::heavy_contacts;
use crate::run::memory::Kept;
use crate::run::names::{ColumnName, columns, gap_unit};
use crate::run::selection::Selection;
use crate::run::summary::{Failure, Summary};
use crate::run::table_reader::TableReader;
use crate::run::unwritable;
use crate::scene;
use percussion_model::Code;
use percussion_report::{
    FailureInfo, GuaranteeInfo, Meta, Plot, Report, ReportBuilder, RunInfo, VerdictInfo, plot_svg, render, render_with,
};
use percussion_step::{Guarantee, LedgerEntry, Model, State};
use std::path::Path;
use std::sync::Arc;

/// Contacts up to which every gap is drawn at every state, in contact or not.
const ALL_GAPS: usize = 16;
/// Bytes of the table of contacts up to which it is read twice, first to see which of many carry most.
const READ_TWICE: u64 = 1 << 26;
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

/// Writes what is told of a finished run beside its tables: contacts that approach, and the page.
pub fn write_conclusions(folder: &Path, given: &Attachments) -> Result<()> {
    let run = RunFolder::open_with(folder, given)?;
    write_gaps(&run)?;
    write_page(&[report_of(&run, &Choice::default())?], &folder.join("report.html"))
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
pub const FIGURE_FORMATS: &[&str] = &["svg", "png", "pdf"];

/// Writes one figure of one or several runs, as PNG or PDF where the file ends so and as SVG otherwise; false when the runs have no
/// figure of that name.
pub fn write_figure(reports: &[Report], figure: &str, path: &Path) -> Result<bool> {
    let is = |ending: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending));
    let bytes = if is("png") || is("pdf") {
        picture(reports, figure, is("pdf"))
    } else {
        plot_svg(reports, figure).map(String::into_bytes)
    };
    let Some(bytes) = bytes else { return Ok(false) };
    std::fs::write(path, bytes).map_err(|error| unwritable(path, &error)).map(|()| true)
}

/// Writes plots one below the other, as PNG or PDF where the file ends so and as SVG otherwise.
pub fn write_plots(plots: &[Plot], path: &Path) -> Result<()> {
    let is = |ending: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending));
    let bytes = if is("png") || is("pdf") {
        plot_picture(plots, is("pdf"))
    } else {
        Some(Plot::stacked_svg(plots).into_bytes())
    };
    bytes.map_or(Ok(()), |bytes| super::plain_file::write(path, &bytes).map_err(|error| unwritable(path, &error)))
}

fn plot_picture(plots: &[Plot], pdf: bool) -> Option<Vec<u8>> {
    if pdf { Plot::pdf(plots) } else { Plot::png(plots) }
}

fn picture(reports: &[Report], figure: &str, pdf: bool) -> Option<Vec<u8>> {
    if pdf { percussion_report::plot_pdf(reports, figure) } else { percussion_report::plot_png(reports, figure) }
}

/// Reads a run in constant memory.
pub fn report(folder: &Path) -> Result<Report> {
    report_with(folder, &Attachments::default())
}

/// The same with what a program hands over again.
pub fn report_with(folder: &Path, given: &Attachments) -> Result<Report> {
    report_of(&RunFolder::open_with(folder, given)?, &Choice::default())
}

/// The same of what a reader chooses: curves by name, and a part of the time.
pub fn report_chosen(folder: &Path, choice: &Choice) -> Result<Report> {
    report_of(&RunFolder::open(folder)?, choice)
}

/// The same of a run that is open.
pub fn report_of(run: &RunFolder, choice: &Choice) -> Result<Report> {
    let (scenario, summary, text) = (&run.loaded.scenario, &run.summary, &run.scenario_toml);
    let told = Told { scenario, summary, text, folder: &run.folder };
    let names = run.contact_names()?;
    let small = std::fs::metadata(run.folder.join(TABLES[1])).is_ok_and(|table| table.len() <= READ_TWICE);
    let heavy = if small { heavy_contacts(&names, || run.contacts())? } else { Vec::new() };
    let tables = Tables { rows: run.chosen_rows()?, events: run.events()?, joints: JointTables::open(run)?, heavy };
    build(&told, choice, tables, names)
}

/// The report of a run in memory.
pub fn report_kept(scenario: &Scenario, summary: &Summary, mut kept: Kept) -> Result<Report> {
    let (joints, names) = (JointTables::kept(&mut kept)?, kept.contact_names(scenario.model()));
    let Kept { trajectory, contacts, ledger, events, .. } = kept;
    let [trajectory, contacts, ledger, events] = [trajectory, contacts, ledger, events].map(Arc::new);
    let table = |k: usize, cells| TableReader::kept(TABLES[k], cells);
    let of = (scenario.model(), &scenario.selection);
    let heavy = heavy_contacts(&names, || Ok(table(1, Arc::clone(&contacts))))?;
    let rows = Rows::new(of, table(0, trajectory), table(1, contacts), table(2, ledger));
    let told = Told { scenario, summary, text: &scenario_text(scenario).0, folder: Path::new("") };
    build(&told, &Choice::default(), Tables { rows, events: table(3, events), joints, heavy }, names)
}

/// A run apart from its tables.
struct Told<'a> {
    scenario: &'a Scenario,
    summary: &'a Summary,
    /// The resolved scenario.
    text: &'a str,
    /// Where it is; empty in memory.
    folder: &'a Path,
}

impl<'a> Told<'a> {
    fn model(&self) -> &'a Model {
        self.scenario.model()
    }

    fn selection(&self) -> &'a Selection {
        &self.scenario.selection
    }
}

/// The tables of a run as they are read side by side.
struct Tables {
    rows: Rows,
    events: TableReader,
    joints: JointTables,
    /// The contacts that carry most, where there are many.
    heavy: Vec<usize>,
}

fn build(run: &Told, choice: &Choice, tables: Tables, names: ContactNames) -> Result<Report> {
    let Tables { mut rows, mut events, joints: mut joint_tables, heavy } = tables;
    let (model, scenario) = (run.model(), run.scenario);
    let bodies = scene::bodies(scenario);
    let whole = run.selection().is_whole();
    let drawn = Selection::of_figure(choice.only.clone(), &scenario.description, model)?;
    let joints = PageJoints::new(scenario, run.selection(), &drawn);
    let reactions_of_two_steps = joints.of_two_steps;
    let known = Meta { joints: joints.list.clone(), reactions_of_two_steps, ..meta(run, &drawn) };
    let mut builder = ReportBuilder::new(known);
    for (id, name) in names.iter() {
        builder.name_contact(id, || on_page(model, id, name));
    }
    if !heavy.is_empty() {
        builder.draw_few_contacts(&heavy);
    }
    let mut touches = Touches::new(run, (&drawn, names), &mut builder);
    let every = (run.summary.steps / ARROW_STATES).max(1);
    let has_identity = scenario.guarantee().has_identity();
    let mut event_waits = events.next()?;
    let (mut row, mut chosen) = (Row::default(), State::default());
    let (picture, mut frame) = (scene::formula_picture(scenario).filter(|_| whole), Vec::new());
    let mut film = scene::elements(&scenario.description).filter(|_| whole).map(scene::SolidFilm::new);
    let mut before: Option<LedgerEntry> = None;
    let (mut times, mut states) = (None, [0_u64; 2]);
    while rows.next(&mut row)? {
        let (t, shown) = (row.state.t, choice.shows(row.state.t));
        times = Some((times.map_or(t, |(first, _)| first), t));
        states[usize::from(shown)] += 1;
        let mut impact = false;
        while event_waits && events.integer(1)? <= row.step {
            if shown {
                impact |= push_event(&mut builder, &events)?;
            }
            event_waits = events.next()?;
        }
        joint_tables.push(&mut builder, &joints, Reached { step: row.step, t, shown, impact })?;
        // works are summed from t = 0, whatever is shown
        let entry = match before.take() {
            None => row.ledger,
            Some(mut sum) => {
                sum.accumulate(&row.ledger);
                sum
            }
        };
        if let Some(film) = &mut film {
            film.values(&row, &mut frame);
        }
        if !shown {
            before = Some(entry);
            continue;
        }
        chosen_state(run.selection(), &row.state, &mut chosen);
        report_tables::push_row(&mut builder, (&row, &chosen), impact, has_identity, model.has_rolling());
        if let Some(picture) = &picture {
            picture.values(&row.state.q, t, &mut frame);
        }
        builder.set_frame(&frame);
        builder.push_state(t, &chosen.q, &chosen.v);
        push_ledger(&mut builder, t, &entry, has_identity, model.n_joints() > 0);
        // where impulses act is found again from the places of the bodies: at impacts, and often enough to see the rest
        if let Some(bodies) = bodies.filter(|_| whole && (impact || row.step.is_multiple_of(every))) {
            scene::bodies::push_arrows(&mut builder, bodies, &row);
        }
        touches.push(&mut builder, &row);
    }
    let [hidden, shown] = states;
    if let (Some(window), Some(times), 0) = (choice.window, times, shown) {
        return Err(nothing_shown(run, window, times));
    }
    let drawn_scene = if whole { scene::scene(scenario, builder.ranges()) } else { None };
    let deepest = run.summary.verdicts.get("gap").and_then(|verdict| verdict.contact_id);
    let size = size(run, builder.ranges(), deepest);
    let mut report = builder.finish(RunInfo {
        size,
        angular_depth: deepest.is_some_and(|id| model.is_angular(id)),
        window: choice.window.filter(|_| hidden > 0),
        ..info(scenario, run.summary, run.text)
    });
    if let Some(scene) = drawn_scene {
        report.set_scene(scene);
    }
    Ok(report)
}

/// A part of the time that holds no state of the run.
fn nothing_shown(run: &Told, (from, to): (f64, f64), (first, last): (f64, f64)) -> Box<ScenarioError> {
    let message =
        format!("no stored state lies between {from} s and {to} s: those of the run go from {first} s to {last} s");
    let help = "choose a part of these times with --time A,B";
    ScenarioError::file(Code::NO_FIGURE, run.folder.display().to_string(), message, help)
}

/// What is known before the first state: names, the curves that are drawn, tables, the coordinates of the picture.
fn meta(run: &Told, drawn: &Selection) -> Meta {
    let (model, scenario) = (run.model(), run.scenario);
    let tables = report_tables::meta(model, run.selection());
    let mut meta = Meta { n_contacts: model.n_contacts(), tables, ..Meta::default() };
    let names = columns(&scenario.description, model);
    let kept = run.selection();
    let of = |list: &[usize], names: &[ColumnName]| -> (Vec<String>, Vec<String>) {
        list.iter().map(|&k| (names[k].name.clone(), names[k].unit.to_string())).unzip()
    };
    (meta.q_names, meta.q_units) = of(&kept.q, &names[0]);
    (meta.v_names, meta.v_units) = of(&kept.v, &names[1]);
    // without whole states there is no moving picture
    if kept.is_whole() {
        meta.film = scene::film(scenario);
        if let Some(bodies) = scene::bodies(scenario) {
            scene::bodies::choose(bodies, &mut meta);
        }
    }
    choose_curves(run, drawn, &mut meta);
    meta
}

/// The present row of `events.csv`; says whether it is an impact.
fn push_event(builder: &mut ReportBuilder, events: &TableReader) -> Result<bool> {
    let number = |column| events.number_or_zero(column);
    let contact = events.integer(3)? as usize;
    builder.push_event(events.number(0)?, events.word(2), contact, number(4)?, number(5)?, number(6)?);
    report_tables::push_event(builder, events)
}

fn push_ledger(builder: &mut ReportBuilder, t: f64, entry: &LedgerEntry, has_identity: bool, jointed: bool) {
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
    if jointed {
        builder.push_joint_work(t, entry.work_joints);
    }
}

/// What the page calls a contact: where its gap is an angle its name says so.
fn on_page(model: &Model, id: usize, name: &str) -> String {
    if model.is_angular(id) { format!("{name} [rad]") } else { name.to_string() }
}

/// Gaps, impulses and sliding of the contacts, state by state.
struct Touches<'a> {
    model: &'a Model,
    drawn: &'a Selection,
    names: ContactNames,
    /// Whether curves are chosen by name.
    by_name: bool,
    /// Whether every gap is found from the state.
    all: bool,
    /// Contacts of bodies are followed while they approach, not only when they act.
    approach: Option<Approach>,
    /// Those that touch at some time and whose gap follows from the places of their bodies, while they are few: at every state.
    followed: Vec<usize>,
    /// Whether contacts have names, and are not only numbered.
    named: bool,
    /// The step [s].
    h: f64,
}

impl<'a> Touches<'a> {
    fn new(run: &Told<'a>, (drawn, names): (&'a Selection, ContactNames), builder: &mut ReportBuilder) -> Self {
        let (model, whole) = (run.model(), run.selection().is_whole());
        let (by_name, bodies) = (drawn.names_contacts(), model.bodies().is_some());
        if by_name {
            builder.choose_contacts();
        }
        let all = model.n_contacts() <= ALL_GAPS && !bodies && whole;
        let approach = (bodies && whole && is_looked_at(model)).then(Approach::default);
        let lasting = |id: &usize| model.bodies().is_some_and(|scene| scene.has_lasting_gap(*id as u64));
        let mut followed: Vec<usize> = names.order().iter().copied().filter(lasting).collect();
        followed.truncate(if whole && followed.len() <= ALL_GAPS { ALL_GAPS } else { 0 });
        let is_named = |i: usize| model.is_angular(i) || model.contact_name(i) != format!("contact {i}");
        let named = model.contacts_vary() || model.is_of_elements() || (0..model.n_contacts()).any(is_named);
        Self { model, drawn, names, by_name, all, approach, followed, named, h: run.scenario.step }
    }

    fn gap(&mut self, builder: &mut ReportBuilder, t: f64, id: usize, gap: f64, p: f64) {
        if self.model.contacts_vary() {
            self.names.meet(self.model, id);
        }
        if self.model.is_angular(id) {
            builder.contact_turns(id);
        }
        if self.named {
            builder.name_contact(id, || on_page(self.model, id, &self.names.name(self.model, id)));
        }
        if self.by_name && self.drawn.contact(self.model, &self.names, id) {
            builder.draw_contact(id);
        }
        builder.push_gap(t, id, gap, p);
    }

    fn push(&mut self, builder: &mut ReportBuilder, row: &Row) {
        let (model, state, t) = (self.model, &row.state, row.state.t);
        if self.all {
            for i in 0..model.n_contacts() {
                let at = row.contacts.iter().position(|c| c.id == i);
                self.gap(builder, t, i, model.gap(i, &state.q, t), at.map_or(0.0, |k| row.contacts[k].p));
                let n = model.n_tangents(i);
                if model.has_friction() && n > 0 {
                    let u = model.tangent_rate(i, &state.q, &state.v);
                    let p = at.and_then(|k| row.friction.get(k)).map_or([0.0; 2], |along| along.p);
                    builder.push_sliding(t, i, &u[..n], &p[..n]);
                }
            }
            return;
        }
        if let Some(mut approach) = self.approach.take() {
            approach.of(model, state, self.h, |id, gap, _| {
                if row.contacts.iter().all(|c| c.id != id) && !self.followed.contains(&id) {
                    self.gap(builder, t, id, gap, 0.0);
                }
            });
            self.approach = Some(approach);
        }
        for id in self.followed.clone() {
            let gap = model.gap(id, &state.q, t);
            if gap.is_finite() && row.contacts.iter().all(|c| c.id != id) {
                self.gap(builder, t, id, gap, 0.0);
            }
        }
        for (k, c) in row.contacts.iter().enumerate() {
            self.gap(builder, t, c.id, c.gap, c.p);
            if let Some(along) = row.friction.get(k).filter(|along| along.n > 0 && along.frictional) {
                builder.push_sliding(t, c.id, &along.u_after[..along.n], &along.p[..along.n]);
            }
        }
    }
}

/// What penetration is measured by: where the deepest is that of a joint its play or the way between its stops, else the thinnest body that
/// moves, or the longest way of a coordinate.
fn size(run: &Told, ranges: &[(f64, f64)], deepest: Option<usize>) -> Option<(f64, String)> {
    if let Some((scene, id)) = run.model().bodies().zip(deepest)
        && let Some(name) = scene.clearance_name(id as u64)
    {
        return scene.joint_clearance(id as u64).map(|clearance| (clearance, name));
    }
    let least = |lengths: &mut dyn Iterator<Item = f64>| lengths.filter(|&l| l > 0.0).fold(f64::INFINITY, f64::min);
    let (length, what) = match run.model().bodies() {
        Some(scene) => {
            let free = scene.bodies().iter().filter(|body| body.is_free() && body.contact);
            let mut halves = free.map(|body| body.shape.half_thickness(scene.is_planar()));
            (least(&mut halves), "the least half-thickness of a body")
        }
        None => {
            // a depth in radians beside angles
            let names = columns(&run.scenario.description, run.model());
            let unit = deepest.map(|id| gap_unit(run.scenario, id));
            let alike = |k: &usize| names[0].get(*k).is_some_and(|name| Some(name.unit) == unit);
            let longest = |takes: &dyn Fn(&usize) -> bool| {
                let kept = ranges.iter().zip(&run.selection().q).filter(|(_, k)| takes(k));
                kept.map(|((low, high), _)| high - low).fold(0.0, f64::max)
            };
            let way = longest(&alike);
            (if way > 0.0 { way } else { longest(&|_| true) }, "the longest way of a coordinate")
        }
    };
    (length > 0.0 && length.is_finite()).then(|| (length, what.to_string()))
}

/// The curves of coordinates and velocities that a reader chose; those of the page where none is named.
fn choose_curves(run: &Told, drawn: &Selection, meta: &mut Meta) {
    if drawn.is_whole() {
        return;
    }
    let kept = run.selection();
    let lists = [(&kept.q, &drawn.q, &mut meta.q_drawn), (&kept.v, &drawn.v, &mut meta.v_drawn)];
    for ((kept, drawn, places), rule) in lists.into_iter().zip(&mut meta.candidates) {
        let chosen: Vec<usize> = (0..kept.len()).filter(|&place| drawn.contains(&kept[place])).collect();
        if !chosen.is_empty() {
            *places = chosen;
            *rule = None;
        }
    }
}

/// The part of a long vibration that a figure can show: some forty periods from just before the first impact on; none where all
/// of it can be seen.
pub fn legible_window(run: &RunFolder) -> Result<Option<(f64, f64)>> {
    let columns = run.selection().q.len().min(WATCHED);
    let (mut rows, mut row) = (run.chosen_rows()?, Row::default());
    let (mut curves, mut end) = (vec![Vec::new(); columns], 0.0);
    while rows.next(&mut row)? {
        end = row.state.t;
        for (curve, &k) in curves.iter_mut().zip(&run.selection().q) {
            curve.push(row.state.q[k]);
        }
    }
    let range = |curve: &Vec<f64>| {
        let (low, high) = curve.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &x| (a.min(x), b.max(x)));
        (high - low).max(0.0)
    };
    // a coordinate that rests trembles by round-off, which is no vibration
    let widest = curves.iter().map(range).fold(0.0, f64::max);
    let moves = |curve: &&Vec<f64>| range(curve) > 1e-6 * widest;
    let most = curves.iter().filter(moves).map(|curve| reversals(curve)).max().unwrap_or(0);
    if most <= LEGIBLE {
        return Ok(None);
    }
    let length = end * (LEGIBLE / 3) as f64 / most as f64;
    let mut events = run.events()?;
    let first = if events.next()? { events.number(0)? } else { 0.0 };
    let from = (first - 0.1 * length).max(0.0);
    Ok(Some((from, (from + length).min(end))))
}

/// Turns of a curve that the eye can tell apart.
const LEGIBLE: usize = 240;
/// Coordinates that are watched for vibrations.
const WATCHED: usize = 16;

/// How often a curve turns by more than a hundredth of its range.
fn reversals(curve: &[f64]) -> usize {
    let (low, high) = curve.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &x| (a.min(x), b.max(x)));
    let least = 0.01 * (high - low);
    let (mut count, mut extreme, mut rising) = (0, curve.first().copied().unwrap_or(0.0), true);
    for &x in curve {
        let turned = if rising { extreme - x > least } else { x - extreme > least };
        if turned {
            (count, rising, extreme) = (count + 1, !rising, x);
        } else if (x > extreme) == rising {
            extreme = x;
        }
    }
    count
}

/// The coordinates and velocities that are kept.
fn chosen_state(selection: &Selection, state: &State, chosen: &mut State) {
    chosen.q.clear();
    chosen.q.extend(selection.q.iter().map(|&k| state.q[k]));
    chosen.v.clear();
    chosen.v.extend(selection.v.iter().map(|&k| state.v[k]));
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
        // `chosen` is a sentence about them
        let others = map.iter().filter(|(key, _)| !["name", "chosen"].contains(&key.as_str()));
        others.map(|(key, value)| (key.clone(), words(value))).collect()
    };
    let order = ["energy", "gap", "cone", "joints", "momentum", "solver"];
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
        chosen: scheme.get("chosen").map(words),
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
            identity: if guarantee.identity == Guarantee::NO_IDENTITY { String::new() } else { guarantee.identity },
        }),
        failure,
        warnings: summary.warnings.clone(),
        state_hash: summary.state_hash.clone(),
        scenario_toml: text.to_string(),
        size: None,
        angular_depth: false,
        window: None,
        scenario,
        version,
        steps,
        t_end,
        wall_s,
    }
}
