//! Any column of a run's tables against any other: phase portraits, force against displacement, energy against time.
//!
//!   x and y at the same step; of contacts and joints, of the same one

use crate::error::{Result, ScenarioError};
use crate::format::suggest;
use crate::run::folder::{RunFolder, open_table, tables_in};
use crate::run::names::{ColumnName, columns};
use crate::run::selection::means;
use percussion_model::Code;
use percussion_report::{Line, Plot};
use std::collections::BTreeMap;

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
    /// Its place among the columns.
    place: usize,
    /// Name with unit.
    label: String,
}

/// The values of a column by number of the row of states; of contacts and joints, for each of them.
enum Values {
    States(Vec<f64>),
    Items(BTreeMap<String, Vec<(usize, f64)>>),
}

/// The lines y over x of one run.
pub fn against(run: &RunFolder, x: &str, y: &[String], choice: &Choice) -> Result<Plot> {
    let steps = steps(run)?;
    let x_column = find(run, x)?;
    let mut plot = Plot { x_label: x_column.label.clone(), ..Plot::default() };
    let xs = read(run, &x_column, &steps, choice)?;
    let mut labels = Vec::new();
    let mut dropped = 0;
    for word in y {
        let column = find(run, word)?;
        let ys = read(run, &column, &steps, choice)?;
        let several = |name: &str| if y.len() > 1 { format!("{}, {name}", column.label) } else { name.to_string() };
        let mut lines = pairs(&xs, &ys, x, word, &steps)?;
        if choice.only.is_empty() && lines.len() > LINES {
            dropped += lines.len() - LINES;
            lines.truncate(LINES);
        }
        for (name, points) in lines {
            let name = if name.is_empty() { column.label.clone() } else { several(&name) };
            plot.lines.push(Line::new(name, points));
        }
        if !labels.contains(&column.label) {
            labels.push(column.label.clone());
        }
    }
    if dropped > 0 {
        plot.caption = format!("{dropped} more contacts or joints are not drawn; --only chooses.");
    }
    plot.y_label = labels.join(", ");
    plot.title = format!("{} over {}", plot.y_label, plot.x_label);
    Ok(plot)
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
    let names = columns(&run.loaded.scenario.description, model);
    let kept = selection.q.iter().map(|&k| &names[0][k]).chain(selection.v.iter().map(|&k| &names[1][k]));
    for (place, ColumnName { column, name, unit, .. }) in kept.enumerate() {
        if word == column || word == name {
            let label = if unit.is_empty() { name.clone() } else { format!("{name} [{unit}]") };
            return Ok(Found { table: "trajectory.csv", place: 1 + place, label });
        }
    }
    if word == "t" {
        return Ok(Found { table: "trajectory.csv", place: 0, label: "t [s]".into() });
    }
    let mut known = vec!["t".to_string()];
    let mut found: Vec<Found> = Vec::new();
    for (table, header) in tables_in(&run.folder, model, selection) {
        if matches!(table, "trajectory.csv" | "events.csv") {
            continue;
        }
        let stem = table.trim_end_matches(".csv");
        for (place, column) in header.split(',').enumerate() {
            if matches!(column, "step" | "t" | "contact" | "joint" | "status" | "body_a" | "body_b" | "coordinate") {
                continue;
            }
            known.push(format!("{stem}.{column}"));
            if word == column || word.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.')) == Some(column) {
                found.push(Found { table, place, label: labelled(column) });
            }
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => {
            known.extend(names.iter().flatten().take(12).map(|column| column.name.clone()));
            let help = match suggest::nearest(word, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("there are {}", known.join(", ")),
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

/// A column with its unit.
fn labelled(column: &str) -> String {
    let unit = match column {
        "gap" | "x" | "y" | "z" => "m",
        "u_n" | "u_t1" | "u_t2" => "m/s",
        "p_n" | "p_t1" | "p_t2" | "px" | "py" | "pz" => "N s",
        "f_n" | "f_t1" | "f_t2" | "fx" | "fy" | "fz" | "bfx" | "bfy" | "bfz" => "N",
        "mx" | "my" | "mz" | "bmx" | "bmy" | "bmz" => "N m",
        "lx" | "ly" | "lz" => "N m s",
        "kinetic" | "potential" | "energy" | "algorithmic_energy" | "dissipation_numerical" | "residual" => "J",
        name if name.starts_with("work_") => "J",
        _ => return column.to_string(),
    };
    format!("{column} [{unit}]")
}

/// The values of a column inside the window; empty cells are left out.
fn read(run: &RunFolder, column: &Found, steps: &[(u64, f64)], choice: &Choice) -> Result<Values> {
    let header = tables_in(&run.folder, run.model(), run.selection())
        .into_iter()
        .find(|(name, _)| *name == column.table)
        .map_or_else(String::new, |(_, header)| header);
    let mut table = open_table(&run.folder, column.table, &header)?;
    // contacts and joints have rows of their own
    let item = header.split(',').position(|name| matches!(name, "contact" | "joint"));
    let Some(item) = item else {
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
    let mut items: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
    let mut named: BTreeMap<String, Option<String>> = BTreeMap::new();
    let (mut row, contacts) = (0, column.table == "contacts.csv");
    while table.next()? {
        let step = table.integer(0)?;
        while steps.get(row).is_some_and(|(number, _)| *number < step) {
            row += 1;
        }
        let word = table.word(item);
        if !named.contains_key(word) {
            let name = match word.parse::<usize>() {
                Ok(id) if contacts => run.model().contact_name(id),
                _ => word.to_string(),
            };
            named.insert(word.to_string(), choice.takes(&name).then_some(name));
        }
        let shown = steps.get(row).is_some_and(|(_, t)| choice.shows(*t)) && !table.word(column.place).is_empty();
        if let (Some(Some(name)), true) = (named.get(word), shown) {
            let value = table.number(column.place)?;
            items.entry(name.clone()).or_default().push((row, value));
        }
    }
    Ok(Values::Items(items))
}

/// A name and its points.
type Curve = (String, Vec<(f64, f64)>);

/// A line for each thing that has both an x and a y; its name is empty where there is but one.
fn pairs(xs: &Values, ys: &Values, x: &str, y: &str, steps: &[(u64, f64)]) -> Result<Vec<Curve>> {
    let finite = |points: Vec<(f64, f64)>| points.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
    let by_row = |items: &[(usize, f64)]| {
        let mut list = vec![f64::NAN; steps.len()];
        items.iter().for_each(|&(row, value)| list[row] = value);
        list
    };
    Ok(match (xs, ys) {
        (Values::States(xs), Values::States(ys)) => {
            vec![(String::new(), finite(xs.iter().copied().zip(ys.iter().copied()).collect()))]
        }
        (Values::States(xs), Values::Items(items)) => {
            let line = |rows: &Vec<(usize, f64)>| rows.iter().map(|&(row, y)| (xs[row], y)).collect();
            items.iter().map(|(name, rows)| (name.clone(), finite(line(rows)))).collect()
        }
        (Values::Items(items), Values::States(ys)) => {
            let line = |rows: &Vec<(usize, f64)>| rows.iter().map(|&(row, x)| (x, ys[row])).collect();
            items.iter().map(|(name, rows)| (name.clone(), finite(line(rows)))).collect()
        }
        (Values::Items(xs), Values::Items(ys)) => {
            let mut lines = Vec::new();
            for (name, rows) in ys {
                // the same contact or joint, or the only one there is
                let alone = xs.values().next().filter(|_| xs.len() == 1);
                let Some(other) = xs.get(name).or(alone) else { continue };
                let x = by_row(other);
                lines.push((name.clone(), finite(rows.iter().map(|&(row, y)| (x[row], y)).collect())));
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
