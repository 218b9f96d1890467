//! Basins of attraction: where every start of a grid ends.
//!
//! A start is a row of its own (`starts.csv`: shards, threads and a second call share the work): the number of points of the cycle
//! it ends on and the first of them in the order of components. Rows with the same cycle are one attractor, numbered in the order of rows;
//! 0 is whatever is no cycle. What had not settled is followed on first (`settled.rs`).

use super::figures::{basin_plot, write_figures};
use super::page::basin_page;
use super::prepared::{Prepared, Sampled, Shortage, first_of, prepare, words};
use super::settled::{Settled, settle};
use crate::compare::quoted;
use crate::parallel::{StudyProgress, Threads, Watch};
use percussion_dynamics::{Attractors, cycle, spread};
use percussion_model::Code;
use percussion_scenario::{
    Column, Dynamics, Result, RowMaker, ScenarioError, Shard, SweepProgress, TableFormat, csv_cells, read_text,
    run_sweep, write_text,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// A map of starts.
#[derive(Default)]
pub struct Basin {
    /// The scheme that made it.
    pub scheme: String,
    /// Points of each attractor's cycle, and the starts that end there; the first entry is what is no cycle.
    pub attractors: Vec<(usize, usize)>,
    /// Starts that were refused or failed.
    pub failed: usize,
    /// Why the first of them was.
    pub message: Option<String>,
    /// Groups of starts that had not settled: how many were followed on, how many of them are one with others, how many still drift.
    pub followed: [usize; 3],
    /// Starts made now.
    pub made: u64,
    /// Starts that are missing, of other shards.
    pub missing: u64,
    /// The tables and figures.
    pub files: Vec<PathBuf>,
}

/// The rows of `starts.csv`.
pub(super) struct Starts<'a> {
    pub(super) study: &'a Dynamics,
    /// Components of a point without its time.
    n: usize,
    names: Vec<String>,
}

impl RowMaker for Starts<'_> {
    fn stem(&self) -> &'static str {
        "starts"
    }

    fn count(&self) -> u64 {
        self.study.axes.iter().map(|axis| axis.points as u64).product()
    }

    fn columns(&self) -> Vec<(String, Column)> {
        let mut list = vec![("start".to_string(), Column::Integer)];
        list.extend(self.study.axes.iter().map(|axis| (axis.key.clone(), Column::Number)));
        let outcome = ["status", "code", "message"].map(|name| (name.to_string(), Column::Word));
        list.extend(outcome);
        list.extend(["cycle", "impacts"].map(|name| (name.to_string(), Column::Number)));
        list.extend(self.names.iter().map(|name| (name.clone(), Column::Number)));
        list
    }

    fn identity(&self) -> String {
        self.study.identity()
    }

    fn row(&self, i: u64, stop: &AtomicBool) -> Option<String> {
        let x = self.place(i);
        let mut cells = vec![i.to_string()];
        cells.extend(x.iter().map(|x| format!("{x:e}")));
        let short = |status: &str, code: Code, message: &str| {
            let mut cells = vec![status.to_string(), code.to_string(), quoted(&message.replace('\n', " "))];
            cells.resize(5 + self.n, String::new());
            cells
        };
        let outcome = match prepare(self.study, &x, None) {
            Err(error) => {
                let (code, message) = words(&error);
                short("refused", code, &message)
            }
            Ok(prepared) => match self.until_it_repeats(&prepared, stop) {
                Err(Shortage::Stopped) => return None,
                Err(Shortage::Failed(failure)) => short("failed", failure.code, &failure.message),
                Ok(sampled) => {
                    let impacts = prepared.impacts_per_period(sampled.impacts);
                    let (points, first) = self.canonical(&sampled);
                    let mut cells = vec!["finished".into(), String::new(), String::new(), points.to_string()];
                    cells.push(format!("{impacts:e}"));
                    cells.extend(first.iter().map(|x| format!("{x:e}")));
                    cells
                }
            },
        };
        cells.extend(outcome);
        Some(cells.join(","))
    }
}

impl Starts<'_> {
    /// A motion, gone on with as often as the study allows while it repeats no cycle.
    fn until_it_repeats(&self, prepared: &Prepared, stop: &AtomicBool) -> std::result::Result<Sampled, Shortage> {
        let mut sampled = prepared.sample(None, stop, &|_| {})?;
        let rounds = if prepared.can_go_on() { self.study.spec.rounds } else { 0 };
        for _ in 0..rounds {
            if round(self.study, &sampled).0 > 0 {
                break;
            }
            sampled = prepared.sample(Some(&sampled.end), stop, &|_| {})?;
        }
        Ok(sampled)
    }

    /// The start with a number, the abscissa fastest.
    pub(super) fn place(&self, i: u64) -> Vec<f64> {
        place(self.study, i)
    }

    /// Points of the cycle, 0 where there is none, and its first point in the order of components.
    fn canonical(&self, sampled: &Sampled) -> (usize, Vec<f64>) {
        let spec = &self.study.spec;
        let (m, last) = round(self.study, sampled);
        // components that agree to the tolerance do not decide the order
        let size = spread(sampled.values.chunks_exact(sampled.width).map(|point| &point[1..]));
        let key = |point: &[f64]| -> Vec<i64> {
            let part =
                |(x, size): (&f64, &f64)| (x / (10.0 * spec.tolerance * size.max(f64::MIN_POSITIVE))).round() as i64;
            point.iter().zip(&size).map(part).collect()
        };
        (m, last.into_iter().min_by_key(|point| key(point)).unwrap_or_default())
    }
}

/// Points of the cycle a motion ends on, 0 where there is none, and these points; without a cycle the last.
pub(super) fn round(study: &Dynamics, sampled: &Sampled) -> (usize, Vec<Vec<f64>>) {
    let spec = &study.spec;
    let found = cycle(&sampled.values, sampled.width, 1, spec.longest as usize, spec.tolerance);
    let points: Vec<&[f64]> = sampled.values.chunks_exact(sampled.width).map(|point| &point[1..]).collect();
    let m = found.map_or(0, |cycle| cycle.points);
    let last = &points[points.len().saturating_sub(m.max(1))..];
    (m, last.iter().map(|point| point.to_vec()).collect())
}

/// The start with a number, the abscissa fastest.
fn place(study: &Dynamics, i: u64) -> Vec<f64> {
    let (x, y) = (&study.axes[0], &study.axes[1]);
    vec![x.at(i as usize % x.points), y.at(i as usize / x.points)]
}

/// Makes or goes on with a basin in a folder; none when it was stopped.
pub fn basin(study: &Dynamics, folder: &Path, shard: Shard, threads: Threads, watch: &Watch) -> Result<Option<Basin>> {
    let start = |i: u64| prepare(study, &place(study, i), None);
    let first = first_of(study.axes.iter().map(|axis| axis.points as u64).product(), start)?;
    let names: Vec<String> = first.columns()[1..].to_vec();
    let starts = Starts { study, n: names.len(), names };
    let progress = |p: SweepProgress| {
        let share = p.done as f64 / p.runs.max(1) as f64;
        watch(StudyProgress { done: p.done as usize, runs: p.runs as usize, share })
    };
    let end = run_sweep(&starts, folder, shard, threads.0, TableFormat::Csv, &progress)?;
    if end.interrupted {
        return Ok(None);
    }
    let scheme = first.label();
    if end.missing > 0 {
        return Ok(Some(Basin { scheme, made: end.made, missing: end.missing, ..Basin::default() }));
    }
    let path = folder.join("starts.csv");
    let text = read_text(&path).unwrap_or_default();
    let Some(rows) = Rows::read(&text, starts.n) else {
        let name = path.display().to_string();
        return Err(ScenarioError::file(Code::BAD_DYNAMICS, name, "cannot be read again", "remove the folder"));
    };
    let Some(classified) = rows.classify(&starts, &first, threads, watch)? else { return Ok(None) };
    let mut files = vec![path, folder.join("basin.csv"), folder.join("attractors.csv")];
    write_text(&files[1], &classified.csv(study))?;
    write_text(&files[2], &classified.attractors_csv(&starts.names))?;
    files.extend(write_figures(&basin_plot(study, &first, &classified.numbers), folder, "basin")?);
    let cycles: Vec<usize> = classified.attractors.list().map(|(m, _)| m).collect();
    let Some(page) = basin_page(study, &first, &classified.numbers, &cycles, threads, watch) else { return Ok(None) };
    files.push(folder.join("basin.html"));
    write_text(&files[files.len() - 1], &page.render())?;
    let failed = classified.numbers.iter().filter(|number| number.is_none()).count();
    let (message, followed) = (classified.message.clone(), classified.followed);
    let attractors = classified.counts();
    Ok(Some(Basin { scheme, attractors, failed, message, followed, made: end.made, missing: 0, files }))
}

/// What each start ended on, as `starts.csv` tells it: the points of a cycle and one of them; none where the run failed.
struct Rows {
    ends: Vec<Option<(usize, Vec<f64>)>>,
    /// Why the first that failed did.
    message: Option<String>,
}

impl Rows {
    fn read(text: &str, n: usize) -> Option<Self> {
        let (mut ends, mut message) = (Vec::new(), None);
        for line in text.lines().skip(1) {
            let row = csv_cells(line);
            if row.get(3)? != "finished" {
                message = message.or_else(|| Some(format!("{}: {}", row.get(4)?, row.get(5)?)));
                ends.push(None);
                continue;
            }
            let point: Vec<f64> = row.get(8..8 + n)?.iter().map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
            ends.push(Some((row.get(6)?.parse().ok()?, point)));
        }
        Some(Self { ends, message })
    }

    /// Which attractor each is. Ends that agree are a group; each group is followed on until it has settled, and groups that settle on one
    /// cycle are one attractor. None when it was stopped.
    fn classify(
        self,
        starts: &Starts,
        first: &Prepared,
        threads: Threads,
        watch: &Watch,
    ) -> Result<Option<Classified>> {
        let size = spread(self.ends.iter().flatten().map(|(_, point)| point.as_slice()));
        let tolerance = 10.0 * starts.study.spec.tolerance;
        let mut groups = Attractors::new(size.clone(), tolerance);
        let mut first_row: Vec<usize> = Vec::new();
        let number = |(i, end): (usize, Option<(usize, Vec<f64>)>)| {
            let (m, point) = end?;
            let number = if m == 0 { 0 } else { groups.number(m, &[point]) };
            if number > first_row.len() {
                first_row.push(i);
            }
            Some(number)
        };
        let of_group: Vec<Option<usize>> = self.ends.into_iter().enumerate().map(number).collect();
        let list: Vec<(usize, usize, &[f64])> =
            groups.list().zip(&first_row).map(|((m, point), row)| (*row, m, point)).collect();
        let Some(settled) = settle(starts, first, &list, &size, threads, watch) else { return Ok(None) };

        let mut attractors = Attractors::new(size, tolerance);
        let mut named = |end: &Settled| if end.cycle == 0 { 0 } else { attractors.number(end.cycle, &end.points) };
        let of_end: Vec<usize> = settled.iter().map(&mut named).collect();
        let numbers = of_group.iter().map(|group| group.map(|k| if k == 0 { 0 } else { of_end[k - 1] })).collect();
        let count = |which: &dyn Fn(&Settled) -> bool| settled.iter().filter(|end| which(end)).count();
        let followed = [count(&|end| end.moved), settled.len() - attractors.list().len(), count(&|end| !end.rests)];
        Ok(Some(Classified { numbers, attractors, followed, message: self.message }))
    }
}

/// The rows with their attractors.
struct Classified {
    /// By row; none where the run failed.
    numbers: Vec<Option<usize>>,
    attractors: Attractors,
    followed: [usize; 3],
    message: Option<String>,
}

impl Classified {
    fn counts(&self) -> Vec<(usize, usize)> {
        let starts = |k: usize| self.numbers.iter().filter(|number| **number == Some(k)).count();
        let cycles = self.attractors.list().enumerate().map(|(k, (m, _))| (m, starts(k + 1)));
        std::iter::once((0, starts(0))).chain(cycles).collect()
    }

    fn csv(&self, study: &Dynamics) -> String {
        let (x, y) = (&study.axes[0], &study.axes[1]);
        let mut text = format!("start,{},{},attractor\n", quoted(&x.key), quoted(&y.key));
        for (i, number) in self.numbers.iter().enumerate() {
            let number = number.map_or(String::new(), |number| number.to_string());
            text += &format!("{i},{:e},{:e},{number}\n", x.at(i % x.points), y.at(i / x.points));
        }
        text
    }

    fn attractors_csv(&self, names: &[String]) -> String {
        let mut text = format!("attractor,cycle,starts,{}\n", names.join(","));
        let counts = self.counts();
        for (k, (m, first)) in self.attractors.list().enumerate() {
            let starts = counts[k + 1].1;
            let point = first.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(",");
            text += &format!("{},{m},{starts},{point}\n", k + 1);
        }
        text
    }
}
