//! Friction problems from files: every method, both residuals, time beside a recorded baseline.
//!
//!   friction [--methods a,b] [--tolerances 1e-4,1e-8] [--limit SECONDS] [--only NAME] [--csv FILE]
//!            [--export FOLDER] [--siconos FILE.csv] [--profile FILE.svg] [--sweeps] [--generated]
//!
//! `--export` writes the problems in space (global ones condensed) for `bench/rivals/siconos_friction.py`, whose table
//! `--siconos` reads back: fastest solver per problem and default NSGS, measured on this machine. `--profile` draws the
//! share of problems solved within a factor of the fastest. `--generated` takes problems made here, nearly jammed or with
//! more contacts than coordinates, instead of files.
//!
//! Problems are read from `../shared/data/contact-problems`, or where `PERCUSSION_DATA` points; the baseline from
//! `../shared/anchors/siconos-friction-baseline.csv`. Times are the best of several solves, each with a new solver, so
//! that nothing is kept from one to the next; of long solves the processor time is taken where it is the smaller.

use percussion_files::{ContactProblem, read};
use percussion_solve::friction::{FrictionProblem, FrictionSolver, Stop};
use percussion_solve::{Method, SolveReport, SolveStatus, SolverOptions};
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[path = "../../../crates/percussion-solve/tests/common/jammed.rs"]
mod jammed;

/// Problems with fewer contacts are solved but not counted in the means.
const COUNTED: usize = 9;

struct Case {
    name: String,
    kind: &'static str,
    problem: FrictionProblem,
    /// Time to condense a global problem, once [s]; not part of the times of solvers.
    condense: f64,
}

struct Row {
    case: usize,
    tolerance: f64,
    method: Method,
    report: SolveReport,
    time: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| arguments.iter().position(|a| a == name).and_then(|k| arguments.get(k + 1)).cloned();
    let methods: Vec<Method> = match option("--methods") {
        Some(list) if list == "all" => Method::ALL.into_iter().filter(|m| m.solves_friction()).collect(),
        Some(list) => list.split(',').filter_map(Method::from_name).collect(),
        None => vec![Method::Auto],
    };
    let tolerances: Vec<f64> = option("--tolerances")
        .map_or(vec![1e-4, 1e-8], |list| list.split(',').filter_map(|t| t.parse().ok()).collect());
    let limit: f64 = option("--limit").and_then(|s| s.parse().ok()).unwrap_or(10.0);
    let only = option("--only").unwrap_or_default();

    let cases = if arguments.iter().any(|a| a == "--generated") { generated(&only) } else { load(&only)? };
    if let Some(folder) = option("--export") {
        std::fs::create_dir_all(&folder)?;
        for case in cases.iter().filter(|case| case.problem.dim() == 3 && !case.problem.is_empty()) {
            std::fs::write(PathBuf::from(&folder).join(format!("{}.dat", case.name)), dat(&case.problem))?;
        }
        return Ok(());
    }
    if arguments.iter().any(|a| a == "--sweeps") {
        sweeps(&cases);
        return Ok(());
    }
    let siconos = option("--siconos").map(|path| siconos(&path)).transpose()?;
    let baseline = siconos.as_ref().map_or_else(baseline, fastest);
    let mut rows = Vec::new();
    println!(
        "{:<36} {:>6} {:>5} {:>7} {:>6} {:>14} {:>9} {:>6} {:>9} {:>9} {:>10} {:>9} {:>9}",
        "problem", "kind", "n", "blocks", "tol", "method", "by", "iter", "e", "e_s", "time", "fastest", "nsgs"
    );
    for (index, case) in cases.iter().enumerate() {
        for &tolerance in &tolerances {
            for &method in &methods {
                let (report, time) = measure(&case.problem, method, tolerance, limit);
                let known = baseline.get(&(case.name.clone(), key(tolerance)));
                let text = |x: Option<f64>| x.map_or("-".to_string(), |x| format!("{x:.2e}"));
                println!(
                    "{:<36} {:>6} {:>5} {:>7} {:>6.0e} {:>14} {:>9} {:>6} {:>9.1e} {:>9.1e} {:>10.3e} {:>9} {:>9}{}",
                    case.name,
                    case.kind,
                    case.problem.len(),
                    case.problem.W.n_stored(),
                    tolerance,
                    method.name(),
                    report.method.name().chars().take(9).collect::<String>(),
                    report.iterations,
                    report.residuals.plain,
                    report.residuals.scaled,
                    time,
                    text(known.map(|k| k.0)),
                    text(known.map(|k| k.1)),
                    if report.status == SolveStatus::Solved { "" } else { "  UNSOLVED" }
                );
                rows.push(Row { case: index, tolerance, method, report, time });
            }
        }
    }
    summary(&cases, &rows, &baseline, &methods, &tolerances, limit);
    if let (Some(path), Some(siconos)) = (option("--profile"), &siconos) {
        std::fs::write(path, profile(&cases, &rows, siconos, &tolerances))?;
    }
    if let Some(path) = option("--csv") {
        let mut out = std::fs::File::create(path)?;
        writeln!(
            out,
            "problem,kind,contacts,tolerance,method,answered_by,status,iterations,residual,residual_scaled,time_s,condense_s"
        )?;
        for row in &rows {
            let case = &cases[row.case];
            let solved = if row.report.status == SolveStatus::Solved { "solved" } else { "unsolved" };
            writeln!(
                out,
                "{},{},{},{:e},{},{},{},{},{:e},{:e},{:e},{:e}",
                case.name,
                case.kind,
                case.problem.len(),
                row.tolerance,
                row.method,
                row.report.method,
                solved,
                row.report.iterations,
                row.report.residuals.plain,
                row.report.residuals.scaled,
                row.time,
                case.condense
            )?;
        }
    }
    Ok(())
}

/// The friction problems of the folder, smallest first; global ones condensed.
fn load(only: &str) -> Result<Vec<Case>, Box<dyn std::error::Error>> {
    let data = std::env::var_os("PERCUSSION_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")), PathBuf::from);
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(data.join("contact-problems"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
        let name = name.trim_end_matches(".dat").trim_end_matches(".hdf5").to_string();
        if !name.contains(only) {
            continue;
        }
        let Ok(file) = read(&std::fs::read(&path)?, None) else { continue };
        let kind = file.problem.kind().name();
        let start = processor_time();
        let (problem, global) = match file.problem {
            ContactProblem::Local(problem) => (problem, false),
            ContactProblem::Global(problem) => match problem.condense() {
                Ok((problem, _)) => (problem, true),
                Err(failure) => {
                    eprintln!("{name}: {failure:?}");
                    continue;
                }
            },
            _ => continue,
        };
        let condense = start.zip(processor_time()).filter(|_| global).map_or(0.0, |(before, after)| after - before);
        cases.push(Case { name, kind, problem, condense });
    }
    cases.sort_by(|a, b| (a.problem.len(), &a.name).cmp(&(b.problem.len(), &b.name)));
    Ok(cases)
}

/// Problems from seeds.
fn generated(only: &str) -> Vec<Case> {
    let wanted = jammed::all().into_iter().filter(|(name, _)| name.contains(only));
    wanted.map(|(name, problem)| Case { name, kind: "fc3d", problem, condense: 0.0 }).collect()
}

/// The best time of several solves, and the report.
fn measure(problem: &FrictionProblem, method: Method, tolerance: f64, limit: f64) -> (SolveReport, f64) {
    let options = SolverOptions { method, tolerance, enough: None, max_iterations: 1_000_000 };
    let (mut best, mut total, mut last) = (f64::INFINITY, 0.0, None);
    for repeat in 0..200 {
        let mut solver = FrictionSolver::new(options);
        let flag = Arc::new(AtomicBool::new(false));
        solver.stop = Stop::when(flag.clone());
        // the timer starts only where it may be needed
        let timer = (repeat == 0).then(|| {
            let (done, wait) = std::sync::mpsc::channel::<()>();
            let flag = flag.clone();
            let thread = std::thread::spawn(move || {
                if wait.recv_timeout(Duration::from_secs_f64(limit)).is_err() {
                    flag.store(true, Ordering::Relaxed);
                }
            });
            (done, thread)
        });
        let mut r = vec![0.0; problem.b.len()];
        // the kernel's count is asked outside what is measured: it takes microseconds
        let processor = processor_time();
        let start = Instant::now();
        let report = solver.solve(problem, &mut r);
        let time = start.elapsed().as_secs_f64();
        // on a busy machine a long solve waits for its turn; the kernel's own count is renewed every few milliseconds
        let time = match (processor, processor_time()) {
            (Some(before), Some(after)) if after - before > 0.05 => time.min(after - before),
            _ => time,
        };
        if let Some((done, thread)) = timer {
            let _ = done.send(());
            let _ = thread.join();
        }
        best = best.min(time);
        total += time;
        last = Some(report);
        if total > 0.15 {
            break;
        }
    }
    (last.expect("at least one solve"), best)
}

/// Processor time of this thread, where the kernel tells [s].
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

type Baseline = HashMap<(String, String), (f64, f64)>;

fn key(tolerance: f64) -> String {
    format!("{tolerance:e}")
}

/// (fastest, default NSGS) by problem and tolerance; unsolved ones are infinite.
fn baseline() -> Baseline {
    let path = std::env::var_os("PERCUSSION_ANCHORS")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/anchors")), PathBuf::from)
        .join("siconos-friction-baseline.csv");
    let Ok(text) = std::fs::read_to_string(path) else { return HashMap::new() };
    let mut table = HashMap::new();
    for line in text.lines().skip(1) {
        let field: Vec<&str> = line.split(',').collect();
        if field.len() < 11 {
            continue;
        }
        let number = |k: usize| field[k].parse::<f64>().unwrap_or(f64::INFINITY);
        let nsgs = if field[10] == "1" { number(9) } else { f64::INFINITY };
        table.insert((field[1].to_string(), key(number(4))), (number(6), nsgs));
    }
    table
}

/// Solved counts and geometric means over the problems that have a baseline.
fn summary(cases: &[Case], rows: &[Row], baseline: &Baseline, methods: &[Method], tolerances: &[f64], limit: f64) {
    println!();
    for &tolerance in tolerances {
        for &method in methods {
            let mine: Vec<&Row> = rows.iter().filter(|r| r.tolerance == tolerance && r.method == method).collect();
            let solved = mine.iter().filter(|r| r.report.status == SolveStatus::Solved).count();
            let (mut ours, mut fastest, mut nsgs, mut count) = (0.0, 0.0, 0.0, 0);
            for row in &mine {
                let case = &cases[row.case];
                let Some(known) = baseline.get(&(case.name.clone(), key(tolerance))) else { continue };
                if case.problem.len() < COUNTED {
                    continue;
                }
                let time = if row.report.status == SolveStatus::Solved { row.time } else { limit };
                ours += time.ln();
                fastest += known.0.min(limit).ln();
                nsgs += known.1.min(limit).ln();
                count += 1;
            }
            print!("{tolerance:.0e} {:>14}: {solved} of {} solved", method.name(), mine.len());
            if count > 0 {
                let mean = |sum: f64| (sum / f64::from(count)).exp();
                print!(
                    "; {count} with ≥ {COUNTED} contacts: {:.3e} s, fastest recorded {:.3e} s ({:.2}×), default nsgs {:.3e} s ({:.2}×)",
                    mean(ours),
                    mean(fastest),
                    mean(fastest - ours),
                    mean(nsgs),
                    mean(nsgs - ours)
                );
            }
            println!();
        }
    }
}

/// A local problem in the blocks of the `.dat` family, full precision.
fn dat(problem: &FrictionProblem) -> String {
    use std::fmt::Write;
    let (W, d, n) = (&problem.W, problem.dim(), problem.len());
    let mut out = format!("{d}\n{n}\n1\n{}\n{}\n{}\n{n}\n{n}\n", n * d, n * d, W.n_stored());
    let list = |out: &mut String, items: &mut dyn Iterator<Item = usize>| {
        for item in items {
            let _ = write!(out, "{item} ");
        }
        out.push('\n');
    };
    list(&mut out, &mut (1..=n).map(|i| i * d));
    list(&mut out, &mut (1..=n).map(|i| i * d));
    let _ = writeln!(out, "{} {}", n + 1, W.n_stored());
    list(&mut out, &mut W.row_ptr().iter().copied());
    list(&mut out, &mut W.col_idx().iter().map(|&j| j as usize));
    for (b, block) in W.values().chunks(d * d).enumerate() {
        let _ = writeln!(out, "{b}");
        for x in block {
            let _ = write!(out, "{x:.17e} ");
        }
        out.push('\n');
    }
    for x in problem.b.iter().chain(&problem.mu) {
        let _ = writeln!(out, "{x:.17e}");
    }
    out
}

/// Nanoseconds per block of W in a Gauss–Seidel sweep, local solutions and residual checks included: the best of many
/// runs of 200 sweeps.
fn sweeps(cases: &[Case]) {
    const COUNT: usize = 200;
    let options = SolverOptions { method: Method::Nsgs, tolerance: 0.0, enough: None, max_iterations: COUNT };
    println!("{:<36} {:>8} {:>8} {:>10} {:>12}", "problem", "contacts", "blocks", "sweep", "ns per block");
    for case in cases.iter().filter(|case| case.problem.len() >= 20 && case.problem.dim() == 3) {
        let mut problem = case.problem.clone();
        problem.revision = 1;
        let mut solver = FrictionSolver::new(options);
        let mut best = f64::INFINITY;
        let mut r = vec![0.0; problem.b.len()];
        for _ in 0..40 {
            // sweeps near the solution, where most of them are made
            let start = Instant::now();
            let report = solver.solve(&problem, &mut r);
            if report.iterations == COUNT {
                best = best.min(start.elapsed().as_secs_f64() / COUNT as f64);
            }
        }
        if best.is_finite() {
            let blocks = problem.W.n_stored();
            println!(
                "{:<36} {:>8} {:>8} {:>10.3e} {:>12.2}",
                case.name,
                problem.len(),
                blocks,
                best,
                1e9 * best / blocks as f64
            );
        }
    }
}

/// (solver, time, solved) by problem and tolerance.
type Siconos = HashMap<(String, String), Vec<(String, f64, bool)>>;

fn siconos(path: &str) -> std::io::Result<Siconos> {
    let mut table: Siconos = HashMap::new();
    for line in std::fs::read_to_string(path)?.lines().skip(1) {
        let field: Vec<&str> = line.split(',').collect();
        let number = |k: usize| field.get(k).and_then(|x| x.parse::<f64>().ok()).unwrap_or(f64::NAN);
        // its own word, and where they are known our two residuals of its answer
        let (problem, asked, solver, word, time) = match field[..] {
            [problem, _, _, solver, word, _, _, _] => (problem, number(2), solver, word, number(7)),
            [problem, _, _, solver, _, _, _, _, _, _] => {
                let both = number(6) <= number(2) && number(7) <= number(2);
                (problem, number(2), solver, if both { "1" } else { "0" }, number(9))
            }
            _ => continue,
        };
        let row = (solver.to_string(), if time.is_nan() { f64::INFINITY } else { time }, word == "1");
        table.entry((problem.to_string(), key(asked))).or_default().push(row);
    }
    Ok(table)
}

/// Fastest and default NSGS of Siconos' table.
fn fastest(siconos: &Siconos) -> Baseline {
    let time = |rows: &[(String, f64, bool)], name: Option<&str>| {
        rows.iter()
            .filter(|row| row.2 && name.is_none_or(|name| row.0 == name))
            .fold(f64::INFINITY, |best, row| best.min(row.1))
    };
    siconos.iter().map(|(key, rows)| (key.clone(), (time(rows, None), time(rows, Some("NSGS"))))).collect()
}

/// Performance profile: for each solver the share of problems it solves within τ times the fastest of all.
fn profile(cases: &[Case], rows: &[Row], siconos: &Siconos, tolerances: &[f64]) -> String {
    let (width, height, left, top) = (360.0, 240.0, 50.0, 40.0);
    let last = 4.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"11\">\n",
        tolerances.len() as f64 * (width + 90.0) + 120.0,
        height + 100.0
    );
    let palette = [
        "#0b6e4f", "#d1495b", "#edae49", "#00798c", "#8d6a9f", "#6b705c", "#c97b63", "#577590", "#9a031e", "#5f0f40",
        "#aaaaaa", "#444444",
    ];
    for (panel, &tolerance) in tolerances.iter().enumerate() {
        let x0 = left + panel as f64 * (width + 90.0);
        // times by solver, infinite where unsolved, over the problems Siconos was given
        let mut names: Vec<String> = rows.iter().map(|row| row.method.name().to_string()).collect();
        names.sort();
        names.dedup();
        let ours = names.len();
        let mut tables: Vec<Vec<f64>> = vec![Vec::new(); ours];
        for (index, case) in cases.iter().enumerate() {
            let Some(theirs) = siconos.get(&(case.name.clone(), key(tolerance))) else { continue };
            if case.problem.len() < COUNTED {
                continue;
            }
            for (name, table) in names[..ours].iter().zip(&mut tables) {
                let time = rows
                    .iter()
                    .find(|row| row.case == index && row.tolerance == tolerance && row.method.name() == name)
                    .filter(|row| row.report.status == SolveStatus::Solved)
                    .map_or(f64::INFINITY, |row| row.time);
                table.push(time);
            }
            for (solver, time, solved) in theirs {
                let name = format!("Siconos {solver}");
                let place = names.iter().position(|n| *n == name).unwrap_or_else(|| {
                    names.push(name);
                    names.len() - 1
                });
                tables.resize(names.len(), Vec::new());
                tables[place].push(if *solved { *time } else { f64::INFINITY });
            }
        }
        let count = tables.first().map_or(0, Vec::len);
        let best: Vec<f64> =
            (0..count).map(|k| tables.iter().filter_map(|t| t.get(k)).copied().fold(f64::INFINITY, f64::min)).collect();
        svg += &format!(
            "<text x=\"{x0}\" y=\"20\" font-weight=\"bold\">tolerance {tolerance:e}, {count} problems with at least {COUNTED} contacts</text>\n<rect x=\"{x0}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#999\"/>\n"
        );
        for tick in 0..=4 {
            let x = x0 + width * f64::from(tick) / last;
            let y = top + height - height * f64::from(tick) / 4.0;
            svg += &format!(
                "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">10^{tick}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                top + height + 16.0,
                x0 - 6.0,
                y + 4.0,
                f64::from(tick) / 4.0
            );
        }
        svg += &format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">time over the fastest</text>\n",
            x0 + width / 2.0,
            top + height + 34.0
        );
        for (k, (name, table)) in names.iter().zip(&tables).enumerate() {
            let mut ratios: Vec<f64> =
                table.iter().zip(&best).map(|(t, b)| (t / b).log10()).filter(|x| x.is_finite()).collect();
            ratios.sort_by(f64::total_cmp);
            let mut path = format!("M{x0},{}", top + height);
            for (j, ratio) in ratios.iter().enumerate() {
                let x = x0 + width * (ratio / last).clamp(0.0, 1.0);
                let (below, above) = (j as f64 / count as f64, (j + 1) as f64 / count as f64);
                path += &format!(
                    " L{x:.1},{:.1} L{x:.1},{:.1}",
                    top + height * (1.0 - below),
                    top + height * (1.0 - above)
                );
            }
            path +=
                &format!(" L{:.1},{:.1}", x0 + width, top + height * (1.0 - ratios.len() as f64 / count.max(1) as f64));
            let (colour, thick) = (palette[k % palette.len()], if k < ours { 2.6 } else { 1.2 });
            svg += &format!("<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{thick}\"/>\n");
            if panel + 1 == tolerances.len() {
                let y = top + 14.0 * k as f64 + 10.0;
                svg += &format!("<text x=\"{}\" y=\"{y}\" fill=\"{colour}\">{name}</text>\n", x0 + width + 8.0);
            }
        }
    }
    svg + "</svg>\n"
}
