//! Any column of a run's tables against any other: phase portraits, force against displacement, energy against time.
//!
//!   x and y at the same step; of contacts and joints, of the same one

use crate::error::{Result, ScenarioError};
use crate::format::suggest;
use crate::run::along::along;
use crate::run::approach::{GAPS, GAPS_HEADER};
use crate::run::beam_table::BEAMS;
use crate::run::column::Column;
use crate::run::folder::{RunFolder, TABLES, open_table, tables_in, trajectory_header};
use crate::run::momentum_table::MOMENTUM;
use crate::run::names::{ColumnName, add_groups, columns};
use crate::run::selection::means;
use percussion_model::Code;
use percussion_report::{Line, Plot};
use std::collections::BTreeMap;

/// The abscissa of beams.
const ALONG: &str = "s";
/// Lines of one figure at most, where none are chosen.
const LINES: usize = 8;

/// What to draw of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// Coordinates, contacts and joints by name, as in `output.select`; empty: a few.
    pub only: Vec<String>,
    /// The part of the time that is shown [s]; all of it where absent.
    pub window: Option<(f64, f64)>,
}

impl Choice {
    /// Whether an instant is shown.
    pub fn shows(&self, t: f64) -> bool {
        self.window.is_none_or(|(from, to)| (from..=to).contains(&t))
    }

    /// Whether a name is among those chosen, or none is.
    pub fn takes(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|word| means(word, name))
    }
}

/// A column of a table.
struct Found {
    table: &'static str,
    header: String,
    /// Its place among the columns.
    place: usize,
    name: String,
    /// Empty where it has none, or where each joint has its own.
    unit: &'static str,
}

/// The values of a column by number of the row of states; of contacts, joints and beams, for each of them.
enum Values {
    States(Vec<f64>),
    Items(BTreeMap<String, Item>),
}

impl Values {
    /// Contacts, joints and elements it has values of.
    fn names(&self) -> Vec<String> {
        match self {
            Self::States(_) => Vec::new(),
            Self::Items(items) => items.keys().cloned().collect(),
        }
    }
}

/// Whether a word of `--only` means a contact, a joint or an element, the last by its own name or by that of its beam.
fn is_meant(word: &str, name: &str) -> bool {
    means(word, name) || name.rsplit_once(' ').is_some_and(|(beam, _)| means(word, beam))
}

/// A word of `--only` that means nothing of what is drawn.
fn chooses_nothing(run: &RunFolder, word: &str, y: &[String], items: &[String]) -> Box<ScenarioError> {
    let (message, help) = match items {
        [] => (
            format!("\"{word}\" selects nothing: {} has no rows of such a contact, joint or element", y.join(", ")),
            "coordinates are chosen with --y; --only chooses among contacts, joints and elements".to_string(),
        ),
        [..] => (
            format!("no contact, joint or element that is drawn is called \"{word}\""),
            format!("there are {}; names.csv has all", items[..items.len().min(LINES)].join(", ")),
        ),
    };
    ScenarioError::file(Code::NO_FIGURE, run.folder.display().to_string(), message, help)
}

/// The values of one contact, joint or element.
#[derive(Default)]
struct Item {
    /// Its own unit, where a column has several.
    unit: Option<&'static str>,
    rows: Vec<(usize, f64)>,
}

/// A line of a panel.
struct Curve {
    /// Empty where there is but one.
    name: String,
    unit: Option<&'static str>,
    points: Vec<(f64, f64)>,
}

/// The lines y over x of one run, a plot for each unit of y; every word of the choice means some of them.
pub fn against(run: &RunFolder, x: &str, y: &[String], choice: &Choice) -> Result<Vec<Plot>> {
    if x == ALONG {
        return along(run, y, choice);
    }
    let (plots, items) = among(run, x, y, choice)?;
    match choice.only.iter().find(|word| !items.iter().any(|name| is_meant(word, name))) {
        Some(word) => Err(chooses_nothing(run, word, y, &items)),
        None => Ok(plots),
    }
}

/// The lines y over x of what the choice leaves, a plot for each unit of y, and the contacts, joints and elements there are.
pub fn among(run: &RunFolder, x: &str, y: &[String], choice: &Choice) -> Result<(Vec<Plot>, Vec<String>)> {
    let steps = steps(run)?;
    let x_column = find(run, x)?;
    let xs = read(run, &x_column, &steps, choice)?;
    let x_unit = only_unit(&x_column, &xs);
    let x_label = with_unit(told(&x_column, x_unit), x_unit);
    // over time all panels show the same part, as long as something happens in one of them or not
    let shown = || steps.iter().map(|(_, t)| *t).filter(|t| choice.shows(*t));
    let x_range = (x == "t").then(|| (shown().fold(f64::INFINITY, f64::min), shown().fold(0.0, f64::max)));
    let x_range = x_range.filter(|(from, to)| from < to);
    let mut items = xs.names();
    // plots by unit, with the names of the columns in each
    let mut panels: Vec<(&'static str, Vec<String>, Plot)> = Vec::new();
    for word in y {
        let column = find(run, word)?;
        let ys = read(run, &column, &steps, choice)?;
        items.extend(ys.names());
        let mut lines = pairs(&xs, &ys, x, word, &steps)?;
        let mut dropped = 0;
        if choice.only.is_empty() && lines.len() > LINES {
            dropped = lines.len() - LINES;
            lines.truncate(LINES);
        }
        for Curve { name, unit, points } in lines {
            let unit = unit.unwrap_or(column.unit);
            let at = panels.iter().position(|(of, _, _)| *of == unit).unwrap_or_else(|| {
                panels.push((unit, Vec::new(), Plot { x_label: x_label.clone(), x_range, ..Plot::default() }));
                panels.len() - 1
            });
            let (_, names, plot) = &mut panels[at];
            let of = told(&column, unit);
            let name = match (name.is_empty(), y.len() > 1) {
                (true, _) => of.to_string(),
                (false, true) => format!("{of}, {name}"),
                (false, false) => name,
            };
            if !names.iter().any(|known| known == of) {
                names.push(of.to_string());
            }
            plot.lines.push(Line::new(name, points));
            if dropped > 0 {
                plot.caption = format!("{dropped} more contacts, joints or elements are not drawn; --only chooses.");
            }
        }
    }
    let finished = |(unit, names, plot): (&'static str, Vec<String>, Plot)| {
        // the legend names what would not fit beside the axis
        let names = if names.len() > NAMED { format!("{}, …", names[..NAMED].join(", ")) } else { names.join(", ") };
        let y_label = with_unit(&names, unit);
        Plot { title: format!("{y_label} over {x_label}"), y_label, ..plot }
    };
    Ok((panels.into_iter().map(finished).collect(), items))
}

/// Columns an axis names.
const NAMED: usize = 3;

/// The unit of a column; of joints, if all of them have the same.
fn only_unit(column: &Found, values: &Values) -> &'static str {
    let Values::Items(items) = values else { return column.unit };
    let mut units: Vec<&'static str> = items.values().map(|item| item.unit.unwrap_or(column.unit)).collect();
    units.dedup();
    if let [unit] = units[..] { unit } else { column.unit }
}

/// What an axis and a legend call a column: that of a joint's coordinate is an angle or a displacement.
fn told<'a>(column: &'a Found, unit: &str) -> &'a str {
    match (column.table, column.name.as_str(), unit) {
        ("joints.csv", "value", "rad") => "angle",
        ("joints.csv", "value", "m") => "displacement",
        ("joints.csv", "rate", "rad/s") => "angular velocity",
        ("joints.csv", "rate", "m/s") => "velocity",
        (_, name, _) => name,
    }
}

pub fn with_unit(name: &str, unit: &str) -> String {
    if unit.is_empty() || unit == "1" { name.to_string() } else { format!("{name} [{unit}]") }
}

/// Number of the step and time of every row of states.
fn steps(run: &RunFolder) -> Result<Vec<(u64, f64)>> {
    let mut table = open_table(&run.folder, "ledger.csv", crate::run::folder::LEDGER)?;
    let mut list = Vec::new();
    while table.next()? {
        list.push((table.integer(0)?, table.number(1)?));
    }
    Ok(list)
}

/// The column a word means: of the trajectory by column or name, of another table by its header, `table.column` where two have it.
fn find(run: &RunFolder, word: &str) -> Result<Found> {
    let model = run.model();
    let selection = run.selection();
    let mut names = columns(&run.loaded.scenario.description, model);
    add_groups(&run.loaded.scenario.description, &mut names);
    let header = trajectory_header(selection);
    let kept = selection.q.iter().map(|&k| &names[0][k]).chain(selection.v.iter().map(|&k| &names[1][k])).enumerate();
    let state = |(place, of): (usize, &ColumnName), name: &str| Found {
        table: TABLES[0],
        header: header.clone(),
        place: 1 + place,
        name: name.into(),
        unit: of.unit,
    };
    if let Some(own) = kept.clone().find(|(_, of)| word == of.column || word == of.name) {
        return Ok(state(own, &own.1.name));
    }
    // a group of the mesh with one node
    let members: Vec<_> = kept.filter(|(_, of)| of.also.iter().any(|name| name == word)).collect();
    match members[..] {
        [] => {}
        [one] => return Ok(state(one, word)),
        [first, ..] => {
            let message = format!("\"{word}\" is of {} nodes", members.len());
            return Err(refuse(run, message, format!("write one of them: {}; names.csv has all", first.1.name)));
        }
    }
    if word == "t" {
        return Ok(Found { table: TABLES[0], header, place: 0, name: "t".into(), unit: "s" });
    }
    let mut known = vec!["t".to_string()];
    let mut found: Vec<Found> = Vec::new();
    let mut tables = tables_in(&run.folder, model, selection);
    if run.folder.join(GAPS).exists() {
        tables.push((GAPS, GAPS_HEADER.to_string()));
    }
    for (table, header) in tables {
        if matches!(table, "trajectory.csv" | "events.csv") {
            continue;
        }
        let stem = table.trim_end_matches(".csv");
        for (place, column) in header.split(',').enumerate() {
            if Column::of_run(column) != Column::Number || column == "t" {
                continue;
            }
            known.push(format!("{stem}.{column}"));
            // gaps of contacts that approach are asked for by the name of their table
            let plainly = word == column && table != GAPS;
            if plainly || word.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.')) == Some(column) {
                let (name, unit) = (column.to_string(), unit_of(table, column));
                found.push(Found { table, header: header.clone(), place, name, unit });
            }
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => {
            known.extend(names.iter().flat_map(|list| list.iter().take(8)).map(|column| column.name.clone()));
            let help = match suggest::nearest(word, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("there are {}; names.csv has all coordinates and velocities", known.join(", ")),
            };
            Err(refuse(run, format!("no table of the run has a column \"{word}\""), help))
        }
        _ => {
            let tables: Vec<String> =
                found.iter().map(|f| format!("{}.{word}", f.table.trim_end_matches(".csv"))).collect();
            Err(refuse(
                run,
                format!("several tables have a column \"{word}\""),
                format!("write {}", tables.join(" or ")),
            ))
        }
    }
}

fn refuse(run: &RunFolder, message: String, help: String) -> Box<ScenarioError> {
    ScenarioError::file(Code::NO_FIGURE, run.folder.display().to_string(), message, help)
}

/// The unit of a column; empty for a joint's coordinate, which is an angle or a length.
pub fn unit_of(table: &str, column: &str) -> &'static str {
    match (table, column) {
        ("joints.csv", _) => "",
        (BEAMS, "N" | "Q2" | "Q3") => "N",
        (BEAMS, "T" | "M2" | "M3") => "N m",
        (BEAMS, name) if name.starts_with("kappa") => "1/m",
        (_, "gap" | "x" | "y" | "z") => "m",
        (_, "u_n" | "u_t1" | "u_t2") => "m/s",
        (_, "w_1" | "w_2") => "rad/s",
        (_, "m_1" | "m_2") => "N m s",
        (_, "pressure") => "Pa",
        (_, "p_n" | "p_t1" | "p_t2" | "residual_p") => "N s",
        (_, "residual_l") => "N m s",
        (_, "f_n" | "f_t1" | "f_t2" | "fx" | "fy" | "fz" | "bfx" | "bfy" | "bfz") => "N",
        (_, "mx" | "my" | "mz" | "bmx" | "bmy" | "bmz") => "N m",
        (MOMENTUM, name) => match name.rsplit('_').next() {
            Some("px" | "py" | "pz") => "N s",
            _ => "N m s",
        },
        ("ledger.csv", _) => "J",
        _ => "",
    }
}

/// The unit of a contact's column where its gap is an angle.
fn turned(unit: &'static str) -> &'static str {
    match unit {
        "m" => "rad",
        "m/s" => "rad/s",
        "N" => "N m",
        "N s" => "N m s",
        other => other,
    }
}

/// The values of a column inside the window; NaN where a cell is empty.
fn read(run: &RunFolder, column: &Found, steps: &[(u64, f64)], choice: &Choice) -> Result<Values> {
    let mut table = open_table(&run.folder, column.table, &column.header)?;
    let header: Vec<&str> = column.header.split(',').collect();
    let at = |name: &str| header.iter().position(|column| *column == name);
    // contacts, joints and elements have rows of their own
    let Some(item) = at("contact").or(at("joint")).or(at("beam")) else {
        let mut list = Vec::with_capacity(steps.len());
        while table.next()? {
            let shown = steps.get(list.len()).is_some_and(|(_, t)| choice.shows(*t));
            list.push(if shown && !table.word(column.place).is_empty() {
                table.number(column.place)?
            } else {
                f64::NAN
            });
        }
        return Ok(Values::States(list));
    };
    let mut items: BTreeMap<String, Item> = BTreeMap::new();
    let mut named: BTreeMap<String, Option<String>> = BTreeMap::new();
    let (mut row, contacts, names) = (0, at("contact").is_some(), run.contact_names()?);
    let (element, coordinate) = (at("element"), at("coordinate"));
    while table.next()? {
        let step = table.integer(0)?;
        while steps.get(row).is_some_and(|(number, _)| *number < step) {
            row += 1;
        }
        let word = match element {
            Some(element) => format!("{} {}", table.word(item), table.word(element)),
            None => table.word(item).to_string(),
        };
        let name = named.entry(word).or_insert_with_key(|word| {
            let name = match word.parse::<usize>() {
                Ok(id) if contacts => names.name(run.model(), id),
                _ => word.clone(),
            };
            (choice.takes(&name) || element.is_some() && choice.takes(table.word(item))).then_some(name)
        });
        let shown = steps.get(row).is_some_and(|(_, t)| choice.shows(*t)) && !table.word(column.place).is_empty();
        if let (Some(name), true) = (name, shown) {
            let value = table.number(column.place)?;
            let turns = contacts && table.word(item).parse().is_ok_and(|id| run.model().is_angular(id));
            let item = items.entry(name.clone()).or_default();
            item.rows.push((row, value));
            if turns {
                item.unit = Some(turned(column.unit));
            }
            item.unit = item.unit.or_else(|| {
                coordinate.map(|place| match (table.word(place), column.name.as_str()) {
                    ("angle", "rate") => "rad/s",
                    ("angle", _) => "rad",
                    (_, "rate") => "m/s",
                    _ => "m",
                })
            });
        }
    }
    Ok(Values::Items(items))
}

/// A line for each thing that has both an x and a y. Where a thing has no row in between, or a cell is empty, the line breaks: a contact
/// that was open for a second is not drawn through it.
fn pairs(xs: &Values, ys: &Values, x: &str, y: &str, steps: &[(u64, f64)]) -> Result<Vec<Curve>> {
    let by_row = |item: &Item| {
        let mut list = vec![f64::NAN; steps.len()];
        item.rows.iter().for_each(|&(row, value)| list[row] = value);
        list
    };
    let broken = |item: &Item, point: &dyn Fn(usize, f64) -> (f64, f64)| {
        let (mut points, mut last) = (Vec::with_capacity(item.rows.len()), None);
        for &(row, value) in &item.rows {
            if last.is_some_and(|last| row > last + 1) {
                points.push((f64::NAN, f64::NAN));
            }
            points.push(point(row, value));
            last = Some(row);
        }
        points
    };
    Ok(match (xs, ys) {
        (Values::States(xs), Values::States(ys)) => {
            let points = xs.iter().copied().zip(ys.iter().copied()).collect();
            vec![Curve { name: String::new(), unit: None, points }]
        }
        (Values::States(xs), Values::Items(items)) => {
            let line = |(name, item): (&String, &Item)| {
                let points = broken(item, &|row, y| (xs[row], y));
                Curve { name: name.clone(), unit: item.unit, points }
            };
            items.iter().map(line).collect()
        }
        (Values::Items(items), Values::States(ys)) => {
            let line = |(name, item): (&String, &Item)| {
                let points = broken(item, &|row, x| (x, ys[row]));
                Curve { name: name.clone(), unit: None, points }
            };
            items.iter().map(line).collect()
        }
        (Values::Items(xs), Values::Items(ys)) => {
            let mut lines = Vec::new();
            for (name, item) in ys {
                // the same contact or joint, or the only one there is
                let alone = xs.values().next().filter(|_| xs.len() == 1);
                let Some(other) = xs.get(name).or(alone) else { continue };
                let x = by_row(other);
                let points = broken(item, &|row, y| (x[row], y));
                lines.push(Curve { name: name.clone(), unit: item.unit, points });
            }
            if lines.is_empty() && !ys.is_empty() && !xs.is_empty() {
                let message = format!("{x} and {y} are of different things");
                let help = "choose one contact or joint with --only";
                return Err(ScenarioError::file(Code::NO_FIGURE, "--x", message, help));
            }
            lines
        }
    })
}
