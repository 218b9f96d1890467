//! Basins of attraction: where every start of a grid ends.
//!
//! A start is a row of its own (`starts.csv`: shards, threads and a second call share the work): the number of points of the cycle
//! it ends on and the first of them in the order of components. Rows with the same cycle are one attractor, numbered in the order of rows;
//! 0 is whatever is no cycle.

use super::figures::{basin_plot, write_figures};
use super::page::basin_page;
use super::prepared::{Sampled, Shortage, prepare, words};
use crate::compare::quoted;
use crate::parallel::{StudyProgress, Threads, Watch};
use percussion_dynamics::{Attractors, cycle, spread};
use percussion_model::Code;
use percussion_scenario::{
    Column, Dynamics, Result, RowMaker, ScenarioError, Shard, SweepProgress, TableFormat, read_text, run_sweep,
    write_text,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// A map of starts.
pub struct Basin {
    /// The scheme that made it.
    pub scheme: String,
    /// Points of each attractor's cycle, and the starts that end there; the first entry is what is no cycle.
    pub attractors: Vec<(usize, usize)>,
    /// Starts that failed.
    pub failed: usize,
    /// Starts made now.
    pub made: u64,
    /// Starts that are missing, of other shards.
    pub missing: u64,
    /// The tables and figures.
    pub files: Vec<PathBuf>,
}

/// The rows of `starts.csv`.
struct Starts<'a> {
    study: &'a Dynamics,
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
            Ok(prepared) => match prepared.sample(None, stop, &|_| {}) {
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
    /// The start with a number, the abscissa fastest.
    fn place(&self, i: u64) -> Vec<f64> {
        let (x, y) = (&self.study.axes[0], &self.study.axes[1]);
        vec![x.at(i as usize % x.points), y.at(i as usize / x.points)]
    }

    /// Points of the cycle, 0 where there is none, and its first point in the order of components.
    fn canonical(&self, sampled: &Sampled) -> (usize, Vec<f64>) {
        let spec = &self.study.spec;
        let found = cycle(&sampled.values, sampled.width, 1, spec.longest as usize, spec.tolerance);
        let points: Vec<&[f64]> = sampled.values.chunks_exact(sampled.width).map(|point| &point[1..]).collect();
        let m = found.as_ref().map_or(0, |cycle| cycle.points);
        let last = &points[points.len().saturating_sub(m.max(1))..];
        // components that agree to the tolerance do not decide the order
        let size = spread(points.iter().copied());
        let key = |point: &[f64]| -> Vec<i64> {
            let part =
                |(x, size): (&f64, &f64)| (x / (10.0 * spec.tolerance * size.max(f64::MIN_POSITIVE))).round() as i64;
            point.iter().zip(&size).map(part).collect()
        };
        let first = last.iter().min_by_key(|point| key(point)).map_or(Vec::new(), |point| point.to_vec());
        (m, first)
    }
}

/// Makes or goes on with a basin in a folder; none when it was stopped.
pub fn basin(study: &Dynamics, folder: &Path, shard: Shard, threads: Threads, watch: &Watch) -> Result<Option<Basin>> {
    let first = prepare(study, &[study.axes[0].at(0), study.axes[1].at(0)], None)?;
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
        let (attractors, files) = (Vec::new(), Vec::new());
        return Ok(Some(Basin { scheme, attractors, failed: 0, made: end.made, missing: end.missing, files }));
    }
    let path = folder.join("starts.csv");
    let text = read_text(&path).unwrap_or_default();
    let Some(classified) = Classified::read(study, &text, starts.n) else {
        let name = path.display().to_string();
        return Err(ScenarioError::file(Code::BAD_DYNAMICS, name, "cannot be read again", "remove the folder"));
    };
    let mut files = vec![path, folder.join("basin.csv"), folder.join("attractors.csv")];
    write_text(&files[1], &classified.csv(study))?;
    write_text(&files[2], &classified.attractors_csv(&starts.names))?;
    files.extend(write_figures(&basin_plot(study, &classified.numbers), folder, "basin")?);
    let cycles: Vec<usize> = classified.attractors.list().iter().map(|(m, _)| *m).collect();
    let Some(page) = basin_page(study, &first, &classified.numbers, &cycles, threads, watch) else { return Ok(None) };
    files.push(folder.join("basin.html"));
    write_text(&files[files.len() - 1], &page.render())?;
    let failed = classified.numbers.iter().filter(|number| number.is_none()).count();
    Ok(Some(Basin { scheme, attractors: classified.counts(), failed, made: end.made, missing: 0, files }))
}

/// The rows with their attractors.
struct Classified {
    /// By row; none where the run failed.
    numbers: Vec<Option<usize>>,
    attractors: Attractors,
}

impl Classified {
    fn read(study: &Dynamics, text: &str, n: usize) -> Option<Self> {
        // the message of a failed row may hold commas: numbers are read from the end
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.rsplit(',').take(2 + n).collect()).collect();
        let mut ends: Vec<Option<(usize, Vec<f64>)>> = Vec::with_capacity(rows.len());
        for (row, line) in rows.iter().zip(text.lines().skip(1)) {
            if line.split(',').nth(3)? != "finished" {
                ends.push(None);
                continue;
            }
            let mut point: Vec<f64> = row[..n].iter().map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
            point.reverse();
            ends.push(Some((row[n + 1].parse().ok()?, point)));
        }
        let size = spread(ends.iter().flatten().map(|(_, point)| point.as_slice()));
        // cycles that settle slowly are still one
        let mut attractors = Attractors::new(size, 10.0 * study.spec.tolerance);
        let number = |end: Option<(usize, Vec<f64>)>| {
            end.map(|(m, first)| if m == 0 { 0 } else { attractors.number(m, &first) })
        };
        let numbers = ends.into_iter().map(number).collect();
        Some(Self { numbers, attractors })
    }

    fn counts(&self) -> Vec<(usize, usize)> {
        let starts = |k: usize| self.numbers.iter().filter(|number| **number == Some(k)).count();
        let cycles = self.attractors.list().iter().enumerate().map(|(k, (m, _))| (*m, starts(k + 1)));
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
        for (k, (m, first)) in self.attractors.list().iter().enumerate() {
            let starts = self.counts()[k + 1].1;
            let point = first.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(",");
            text += &format!("{},{m},{starts},{point}\n", k + 1);
        }
        text
    }
}
