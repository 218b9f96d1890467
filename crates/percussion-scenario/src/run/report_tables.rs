//! The four tables of a run as its page carries them, thinned as `[output] every` thins: works and dissipation summed,
//! of residuals the largest.

use crate::error::Result;
use crate::run::folder::{EVENTS, LEDGER, Row, TABLES, laws_header, trajectory_header};
use crate::run::selection::Selection;
use crate::run::table_reader::TableReader;
use percussion_report::{Column, ReportBuilder, Rule, TableMeta};
use percussion_step::{Model, State};

/// Bytes of each table on the page, in the order of `TABLES`; the events are many only where impacts are.
const BUDGETS: [usize; 4] = [400_000, 200_000, 450_000, 1_400_000];
/// Numbers of the tables.
const TRAJECTORY: usize = 0;
const CONTACT: usize = 1;
const LEDGERS: usize = 2;
const EVENT: usize = 3;

/// Words of the column `status` and of the column `kind`.
const STATUS: [&str; 4] = ["open", "closed", "stick", "slip"];
const KINDS: [&str; 6] = ["impact", "close", "open", "stick", "slip", "reverse"];

/// Names and rules of the columns.
pub fn meta(model: &Model, selection: &Selection) -> Vec<TableMeta> {
    let headers = [trajectory_header(selection), laws_header(model), LEDGER.to_string(), EVENTS.to_string()];
    let tables = TABLES.iter().zip(headers).zip(BUDGETS);
    tables
        .map(|((file, header), budget)| {
            let columns =
                header.split(',').map(|name| Column { name: name.into(), rule: rule(name), words: words(name) });
            TableMeta { file: file.to_string(), columns: columns.collect(), budget }
        })
        .collect()
}

// the rows of a step in contacts.csv stay or go together: nothing is summed there
fn rule(column: &str) -> Rule {
    match column {
        "residual" => Rule::Largest,
        name if name.starts_with("work_") || name.starts_with("dissipation_") => Rule::Sum,
        _ => Rule::Value,
    }
}

fn words(column: &str) -> Vec<String> {
    let words: &[&str] = match column {
        "status" => &STATUS,
        "kind" => &KINDS,
        _ => &[],
    };
    words.iter().map(|word| word.to_string()).collect()
}

// the number of a word; an empty cell for one that is not known
fn number(words: &[&str], word: &str) -> f64 {
    words.iter().position(|w| *w == word).map_or(f64::NAN, |k| k as f64)
}

/// The present row of `events.csv`; says whether it is an impact.
pub fn push_event(builder: &mut ReportBuilder, events: &TableReader) -> Result<bool> {
    let step = events.integer(1)?;
    let impact = events.word(2) == "impact";
    let or_empty = |column: usize| if events.is_empty(column) { Ok(f64::NAN) } else { events.number(column) };
    let kind = number(&KINDS, events.word(2));
    let row = [events.number(0)?, step as f64, kind, or_empty(3)?, or_empty(4)?, or_empty(5)?, or_empty(6)?];
    builder.push_row(EVENT, step, impact, row);
    Ok(impact)
}

/// The rows of a state in the three other tables.
pub fn push_row(
    builder: &mut ReportBuilder,
    (row, chosen): (&Row, &State),
    impact: bool,
    has_identity: bool,
    rolls: bool,
) {
    let (t, step) = (row.state.t, row.step as f64);
    let state = std::iter::once(t).chain(chosen.q.iter().copied()).chain(chosen.v.iter().copied());
    builder.push_row(TRAJECTORY, row.step, impact, state);
    for (k, c) in row.contacts.iter().enumerate() {
        let along = row.friction.get(k);
        let status = number(&STATUS, along.map_or(c.status(), |along| along.status).as_str());
        // cells of tangents a contact does not have stay empty
        let of = |x: [f64; 2]| {
            std::array::from_fn::<f64, 2, _>(|j| if along.is_some_and(|a| j < a.n) { x[j] } else { f64::NAN })
        };
        let (u, p) = along.map_or(([f64::NAN; 2], [f64::NAN; 2]), |along| (of(along.u_after), of(along.p)));
        let cells = [step, t, c.id as f64, c.gap, c.u_after, u[0], u[1], c.p, p[0], p[1], status];
        let turning = |x: [f64; 2], n: usize| std::array::from_fn::<f64, 2, _>(|j| if j < n { x[j] } else { f64::NAN });
        let rolling =
            along.map_or([[f64::NAN; 2]; 2], |a| [turning(a.w_after, a.n_rolling), turning(a.m, a.n_rolling)]);
        let more = if rolls { 4 } else { 0 };
        let cells = cells.into_iter().chain(rolling.into_iter().flatten().take(more));
        builder.push_row(CONTACT, row.step, impact, cells);
    }
    let e = &row.ledger;
    let residual = if has_identity { e.balance } else { f64::NAN };
    let cells = [
        step,
        t,
        e.kinetic,
        e.potential,
        row.energy,
        e.algorithmic_energy,
        e.work_external,
        e.work_damping,
        e.work_contact,
        e.work_joints,
        e.dissipation_numerical,
        residual,
        e.work_projection.unwrap_or(f64::NAN),
        e.work_external_plain.unwrap_or(f64::NAN),
        e.work_motors.unwrap_or(f64::NAN),
    ];
    builder.push_row(LEDGERS, row.step, impact, cells);
}
