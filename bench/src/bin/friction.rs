//! Friction problems from files: every method, both residuals, time beside a recorded baseline.
//!
//!   friction [--methods a,b] [--tolerances 1e-4,1e-8] [--limit SECONDS] [--only NAME] [--csv FILE]
//!
//! Problems are read from `../shared/data/contact-problems`, or where `PERCUSSION_DATA` points; the baseline from
//! `../shared/anchors/siconos-friction-baseline.csv`. Times are the best of several solves, each with a new solver, so
//! that nothing is kept from one to the next.

use percussion_files::{ContactProblem, read};
use percussion_solve::friction::{FrictionProblem, FrictionSolver, Stop};
use percussion_solve::{Method, SolveReport, SolveStatus, SolverOptions};
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Problems with fewer contacts are solved but not counted in the means.
const COUNTED: usize = 9;

struct Case {
    name: String,
    kind: &'static str,
    problem: FrictionProblem,
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

    let cases = load(&only)?;
    let baseline = baseline();
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
    if let Some(path) = option("--csv") {
        let mut out = std::fs::File::create(path)?;
        writeln!(
            out,
            "problem,kind,contacts,tolerance,method,answered_by,status,iterations,residual,residual_scaled,time_s"
        )?;
        for row in &rows {
            let case = &cases[row.case];
            let solved = if row.report.status == SolveStatus::Solved { "solved" } else { "unsolved" };
            writeln!(
                out,
                "{},{},{},{:e},{},{},{},{},{:e},{:e},{:e}",
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
                row.time
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
        let problem = match file.problem {
            ContactProblem::Local(problem) => problem,
            ContactProblem::Global(problem) => match problem.condense() {
                Ok((problem, _)) => problem,
                Err(failure) => {
                    eprintln!("{name}: {failure:?}");
                    continue;
                }
            },
            _ => continue,
        };
        cases.push(Case { name, kind, problem });
    }
    cases.sort_by(|a, b| (a.problem.len(), &a.name).cmp(&(b.problem.len(), &b.name)));
    Ok(cases)
}

/// The best time of several solves, and the report.
fn measure(problem: &FrictionProblem, method: Method, tolerance: f64, limit: f64) -> (SolveReport, f64) {
    let options = SolverOptions { method, tolerance, max_iterations: 1_000_000 };
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
        let start = Instant::now();
        let report = solver.solve(problem, &mut r);
        let time = start.elapsed().as_secs_f64();
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
