//! Bifurcation diagrams: the points of a section for every value of a parameter, up and down, the state carried on.
//!
//! A value starts in the state its predecessor ended in, after whole periods, so that t may begin at zero again. Up and down are
//! independent chains; without carrying on, every value is, and shards may share them out. Each finished value is a line of its direction's or
//! shard's part: the same command goes on after the last.

use super::column::{Column, order};
use super::figures::{bifurcation_plot, write_figures};
use super::page::bifurcation_page;
use super::prepared::{Prepared, first_of, limit_numbers, prepare};
use super::repeat::{Repeated, repeat, repeat_csv, repeat_words};
use crate::compare::quoted;
use crate::parallel::{Task, Threads, Watch, ordered};
use percussion_dynamics::{MOST_NUMBERS, Section};
use percussion_model::Code;
use percussion_scenario::{
    Direction, Dynamics, DynamicsKind, LineFile, Result, ScenarioError, Shard, begin_rows, part_file, part_files,
    read_text, write_text,
};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A diagram.
pub struct Bifurcation {
    /// The scheme that made it.
    pub scheme: String,
    /// By direction, columns by rising number.
    pub columns: Vec<(Direction, Vec<Column>)>,
    /// Columns made now; the others were there.
    pub made: usize,
    /// Columns that other shards have still to make.
    pub missing: usize,
    /// Columns repeated event-driven.
    pub repeated: Vec<Repeated>,
    /// The tables and figures.
    pub files: Vec<PathBuf>,
}

/// What is still to be made of one direction.
struct Chain {
    direction: Direction,
    /// In the order they are made.
    missing: Vec<usize>,
    found: Vec<Column>,
    part: Mutex<LineFile>,
}

/// Makes or goes on with the diagram in a folder; none when it was stopped.
pub fn bifurcation(
    study: &Dynamics,
    folder: &Path,
    shard: Shard,
    threads: Threads,
    watch: &Watch,
) -> Result<Option<Bifurcation>> {
    let axis = &study.axes[0];
    let n = axis.points;
    let first = first_of(n as u64, |k| prepare(study, &[axis.at(k as usize)], None))?;
    let place = first.drawn(study)?;
    let kept = first.columns().len() as u64 * study.spec.periods as u64;
    if first.sampling.section == Section::Period {
        limit_numbers(study, kept.saturating_mul((n * study.directions.len()) as u64), MOST_NUMBERS as u64)?;
    }
    begin(study, folder)?;
    let directions = if study.spec.carry { study.directions.clone() } else { vec![Direction::Up] };
    let open = |&direction: &Direction| Chain::open(study, folder, direction, shard);
    let chains = directions.iter().map(open).collect::<Result<Vec<_>>>()?;
    let made = chains.iter().map(|chain| chain.missing.len()).sum();
    let Some(columns) = run_chains(study, &chains, &first, threads, watch)? else { return Ok(None) };
    let columns: Vec<(Direction, Vec<Column>)> = directions.into_iter().zip(columns).collect();
    let missing: usize = columns.iter().map(|(_, list)| n - list.len()).sum();
    if missing > 0 {
        let (scheme, repeated, files) = (first.label(), Vec::new(), Vec::new());
        return Ok(Some(Bifurcation { scheme, columns, made, missing, repeated, files }));
    }

    let Some(repeated) = repeat(study, &columns, place, threads, watch) else { return Ok(None) };
    let mut files = vec![folder.join("bifurcation.csv"), folder.join("columns.csv"), folder.join("repeat.csv")];
    write_text(&files[0], &points_csv(study, &first, &columns))?;
    write_text(&files[1], &columns_csv(study, &columns))?;
    write_text(&files[2], &repeat_csv(study, &repeated))?;
    let plot = bifurcation_plot(study, &first, place, &columns);
    files.extend(write_figures(&plot, folder, "bifurcation")?);
    let Some(mut page) = bifurcation_page(study, &first, place, &columns, threads, watch) else { return Ok(None) };
    page.remark = repeat_words(&repeated).unwrap_or_default();
    files.push(folder.join("bifurcation.html"));
    write_text(&files[files.len() - 1], &page.render())?;
    Ok(Some(Bifurcation { scheme: first.label(), columns, made, missing, repeated, files }))
}

/// Makes the folder of a study, and refuses one that holds another.
pub fn begin(study: &Dynamics, folder: &Path) -> Result<()> {
    let stem = match study.kind {
        DynamicsKind::Basin => "starts",
        DynamicsKind::Exponent => "exponent",
        DynamicsKind::Section | DynamicsKind::Spectrum | DynamicsKind::Bifurcation | DynamicsKind::Orbit => "dynamics",
    };
    begin_rows(folder, stem, &study.identity(), Code::BAD_DYNAMICS)
}

impl Chain {
    fn open(study: &Dynamics, folder: &Path, direction: Direction, shard: Shard) -> Result<Self> {
        let n = study.axes[0].points;
        let whole = folder.join(format!("part-{}.csv", direction.name()));
        let path = if study.spec.carry { whole } else { part_file(folder, shard) };
        let (part, lines) = LineFile::open(&path)?;
        let read = |path: &Path, lines: &[String]| {
            let found: Vec<Column> = lines.iter().filter_map(|line| Column::parse(line)).collect();
            if found.len() != lines.len() || found.iter().any(|column| column.number >= n) {
                let name = path.display().to_string();
                return Err(ScenarioError::file(
                    Code::BAD_DYNAMICS,
                    name,
                    "contains a line that is not a column",
                    "remove it",
                ));
            }
            Ok(found)
        };
        let mut found = read(&path, &lines)?;
        // what other shards, or the whole, made
        let others = if study.spec.carry { Vec::new() } else { part_files(folder)? };
        for other in others.into_iter().filter(|other| *other != path) {
            let text = read_text(&other).unwrap_or_default();
            let end = text.rfind('\n').map_or(0, |end| end + 1);
            found.extend(read(&other, &text[..end].lines().map(str::to_string).collect::<Vec<_>>())?);
        }
        found.sort_by_key(|column| column.number);
        found.dedup_by_key(|column| column.number);
        let mut missing = order(direction, n);
        let mine = |k: usize| k as u64 % shard.n == shard.i - 1;
        missing.retain(|&k| mine(k) && found.iter().all(|column| column.number != k));
        Ok(Self { direction, missing, found, part: Mutex::new(part) })
    }

    fn keep(&self, column: &Column) -> Result<()> {
        self.part.lock().map_or(Ok(()), |mut part| part.push(&column.line()))
    }
}

/// Every column of every chain, by rising number.
fn run_chains(
    study: &Dynamics,
    chains: &[Chain],
    first: &Prepared,
    threads: Threads,
    watch: &Watch,
) -> Result<Option<Vec<Vec<Column>>>> {
    // one task is a chain, or a single column where nothing is carried on
    let tasks: Vec<(usize, Vec<usize>)> = if study.spec.carry {
        chains.iter().enumerate().map(|(c, chain)| (c, chain.missing.clone())).collect()
    } else {
        chains.iter().enumerate().flat_map(|(c, chain)| chain.missing.iter().map(move |&k| (c, vec![k]))).collect()
    };
    let weights: Vec<f64> = tasks.iter().map(|(_, columns)| columns.len() as f64).collect();
    let work = |i: usize, task: &Task| {
        let (c, list) = &tasks[i];
        run_chain(study, &chains[*c], list, first.n, task)
    };
    let Some(made) = ordered(&weights, threads, watch, work) else { return Ok(None) };
    let mut columns: Vec<Vec<Column>> = chains.iter().map(|chain| chain.found.clone()).collect();
    for ((c, _), list) in tasks.iter().zip(made) {
        match list? {
            Some(list) => columns[*c].extend(list),
            None => return Ok(None),
        }
    }
    for list in &mut columns {
        list.sort_by_key(|column| column.number);
    }
    Ok(Some(columns))
}

/// Columns one after the other, each from where the last one ended.
fn run_chain(study: &Dynamics, chain: &Chain, list: &[usize], n: u64, task: &Task) -> Result<Option<Vec<Column>>> {
    let mut made = Vec::with_capacity(list.len());
    let before = |number: usize| match chain.direction {
        Direction::Up => number.checked_sub(1),
        Direction::Down => Some(number + 1),
    };
    let mut last = list.first().and_then(|&number| before(number));
    let mut end =
        chain.found.iter().find(|column| Some(column.number) == last && column.finished()).map(|c| c.end.clone());
    for (k, &number) in list.iter().enumerate() {
        if !study.spec.carry || before(number) != last {
            end = None;
        }
        let told = |steps: u64| task.at((k as f64 + steps as f64 / n.max(1) as f64) / list.len() as f64);
        let Some(column) = Column::run(study, number, end.as_ref(), None, task.stop, &told) else { return Ok(None) };
        chain.keep(&column)?;
        (last, end) = (Some(number), column.finished().then(|| column.end.clone()));
        made.push(column);
    }
    Ok(Some(made))
}

/// One row per point.
fn points_csv(study: &Dynamics, first: &Prepared, columns: &[(Direction, Vec<Column>)]) -> String {
    let axis = &study.axes[0];
    let mut text = format!("direction,column,{},{}\n", quoted(&axis.key), first.columns().join(","));
    for (direction, list) in columns {
        for column in list {
            let head = format!("{},{},{:e}", direction.name(), column.number, axis.at(column.number));
            for point in column.values.chunks_exact(column.width.max(1)) {
                text += &head;
                point.iter().for_each(|x| text += &format!(",{x:e}"));
                text.push('\n');
            }
        }
    }
    text
}

/// One row per value: how it ended, the cycle it ran through, impacts.
fn columns_csv(study: &Dynamics, columns: &[(Direction, Vec<Column>)]) -> String {
    let axis = &study.axes[0];
    let mut text =
        format!("direction,column,{},status,code,points,cycle,closure,impacts_per_period,message\n", quoted(&axis.key));
    for (direction, list) in columns {
        for column in list {
            let cycle = column.cycle(study);
            let cells = [
                direction.name().to_string(),
                column.number.to_string(),
                format!("{:e}", axis.at(column.number)),
                column.status.clone(),
                column.code.clone(),
                (column.values.len() / column.width.max(1)).to_string(),
                cycle.as_ref().map_or(String::new(), |cycle| cycle.points.to_string()),
                cycle.as_ref().map_or(String::new(), |cycle| format!("{:e}", cycle.closure)),
                if column.finished() { format!("{:e}", column.impacts) } else { String::new() },
                quoted(&column.message),
            ];
            text += &cells.join(",");
            text.push('\n');
        }
    }
    text
}
