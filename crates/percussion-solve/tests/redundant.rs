//! Redundant problems in random variants: contacts permuted, tangents rotated, units of mass and velocity changed. The order of
//! the contacts and their units must not decide whether a problem is solved. And a request to stop ends every method within a
//! second, whatever it is doing.
//!
//! The problems of piles live outside the repository, in `../shared` beside it or where `PERCUSSION_DATA` points (its folder
//! `data`); walls and arches are made here. A few variants of each are tried; `PERCUSSION_VARIANTS=20` tries as many and takes
//! minutes, `PERCUSSION_METHOD` and `PERCUSSION_TOLERANCE` ask for something else than `auto` and 1e-8. `bench/results/redundant.md` has the figures.

mod common;
#[path = "common/masonry.rs"]
mod masonry;

use common::Dice;
use percussion_files::{ContactProblem, read};
use percussion_matrix::BlockMatrix;
use percussion_solve::friction::{FrictionProblem, FrictionSolver, TwoBodySolver, friction_residuals};
use percussion_solve::{Method, OneStepSolver, SolveStatus, Solver, SolverOptions, Stop};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const TOLERANCE: f64 = 1e-8;
/// Seconds of processor time a problem may take.
const LIMIT: f64 = 5.0;
/// Variants of each problem where nothing else is asked.
const FEW: usize = 3;

fn shared(path: &str) -> PathBuf {
    let data = std::env::var_os("PERCUSSION_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    data.join("..").join(path)
}

/// The problem of a file, or a word that it is absent.
fn load(path: &str) -> Option<FrictionProblem> {
    let Ok(bytes) = std::fs::read(shared(path)) else {
        println!("skipped: no file {}", shared(path).display());
        return None;
    };
    match read(&bytes, None).map(|file| file.problem) {
        Ok(ContactProblem::Local(problem)) => Some(problem),
        _ => panic!("{path} is not a friction problem"),
    }
}

/// The same problem with its contacts in another order, its tangents turned, and in other units.
fn variant(problem: &FrictionProblem, dice: &mut Dice) -> FrictionProblem {
    let (d, n) = (problem.dim(), problem.len());
    let mut order: Vec<usize> = (0..n).collect();
    for k in (1..n).rev() {
        order.swap(k, dice.below(k + 1));
    }
    let mut place = vec![0; n];
    for (k, &i) in order.iter().enumerate() {
        place[i] = k;
    }
    let angles: Vec<f64> = (0..n).map(|_| dice.between(0.0, std::f64::consts::TAU)).collect();
    // 1 kg and 1 m/s in the new units
    let (mass, speed) = (10_f64.powf(dice.between(-3.0, 3.0)), 10_f64.powf(dice.between(-3.0, 3.0)));
    // the new components of contact i are Q times the old ones
    let turn = |i: usize| -> Vec<f64> {
        let mut Q = vec![0.0; d * d];
        Q[0] = 1.0;
        let (s, c) = angles[i].sin_cos();
        if d == 2 {
            Q[3] = if s > 0.0 { 1.0 } else { -1.0 };
        }
        for t in (1..d).step_by(2).filter(|_| d > 2) {
            (Q[t * d + t], Q[t * d + t + 1], Q[(t + 1) * d + t], Q[(t + 1) * d + t + 1]) = (c, s, -s, c);
        }
        Q
    };
    let turns: Vec<Vec<f64>> = (0..n).map(turn).collect();
    let mut blocks = Vec::new();
    for i in 0..n {
        for (j, block) in problem.W.row(i) {
            let mut new = vec![0.0; d * d];
            for a in 0..d {
                for b in 0..d {
                    // (Q_i W Q_jᵀ)_ab, Q by rows, W by columns
                    let mut sum = 0.0;
                    for k in 0..d {
                        for c in 0..d {
                            sum += turns[i][a * d + k] * block[c * d + k] * turns[j][b * d + c];
                        }
                    }
                    new[b * d + a] = sum / mass;
                }
            }
            blocks.push((place[i], place[j], new));
        }
    }
    blocks.sort_by_key(|&(i, j, _)| (i, j));
    let blocks: Vec<_> = blocks.iter().map(|(i, j, block)| (*i, *j, block.as_slice())).collect();
    let W = BlockMatrix::from_blocks(d, n, &blocks).expect("a permutation of blocks");
    let mut b = vec![0.0; d * n];
    for i in 0..n {
        for a in 0..d {
            b[place[i] * d + a] = speed * (0..d).map(|k| turns[i][a * d + k] * problem.b[i * d + k]).sum::<f64>();
        }
    }
    let permuted = |x: &[f64]| order.iter().filter_map(|&i| x.get(i).copied()).collect();
    FrictionProblem::new(W, b, permuted(&problem.mu), permuted(&problem.mu_rolling)).expect("sizes as before")
}

/// Processor time of the thread that started it, where the system tells; else the time on the wall.
struct Clock {
    task: Option<PathBuf>,
    used: f64,
    start: Instant,
}

impl Clock {
    fn start() -> Self {
        let task = std::fs::read_link("/proc/thread-self").ok().map(|link| PathBuf::from("/proc").join(link));
        let used = task.as_deref().and_then(processor_seconds).unwrap_or(0.0);
        Self { task, used, start: Instant::now() }
    }

    fn seconds(&self) -> f64 {
        let used = self.task.as_deref().and_then(processor_seconds);
        used.map_or_else(|| self.start.elapsed().as_secs_f64(), |used| used - self.used)
    }
}

/// Of a thread, from its `schedstat`: nanoseconds on a processor come first.
fn processor_seconds(task: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(task.join("schedstat")).ok()?;
    text.split_whitespace().next()?.parse::<f64>().ok().map(|ns| 1e-9 * ns)
}

/// Variants solved of each problem, with the time of the slowest; asserts that all are.
fn try_variants(problems: &[(&str, FrictionProblem)], count: usize) {
    let method = std::env::var("PERCUSSION_METHOD").ok().and_then(|name| Method::from_name(&name)).unwrap_or_default();
    let tolerance = std::env::var("PERCUSSION_TOLERANCE").ok().and_then(|x| x.parse().ok()).unwrap_or(TOLERANCE);
    let mut failures = Vec::new();
    for (name, problem) in problems {
        let mut dice = Dice::new(11);
        let (mut solved, mut slowest, mut total, mut worst) = (0, 0.0_f64, 0.0, 0.0_f64);
        for k in 0..count {
            // the first variant is the problem itself
            let problem = if k == 0 { problem.clone() } else { variant(problem, &mut dice) };
            let flag = Arc::new(AtomicBool::new(false));
            let mut solver = FrictionSolver::new(SolverOptions { method, tolerance, ..SolverOptions::default() });
            solver.stop = Stop::when(flag.clone());
            let mut r = vec![0.0; problem.b.len()];
            let clock = Clock::start();
            let done = AtomicBool::new(false);
            let report = std::thread::scope(|scope| {
                let (clock, done) = (&clock, &done);
                scope.spawn(move || {
                    while !done.load(Ordering::Relaxed) && clock.seconds() < LIMIT {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    flag.store(true, Ordering::Relaxed);
                });
                let report = solver.solve(&problem, &mut r);
                done.store(true, Ordering::Relaxed);
                report
            });
            let time = clock.seconds();
            let mut u = vec![0.0; r.len()];
            problem.velocity(&r, &mut u);
            let residual = friction_residuals(&problem, &r, &u).worst();
            (slowest, total) = (slowest.max(time), total + time);
            worst = worst.max(residual);
            if report.status == SolveStatus::Solved && residual <= tolerance {
                solved += 1;
            } else {
                failures.push(format!("{name} #{k}: {:?} {residual:.1e} in {time:.2} s", report.status));
            }
            println!(
                "  {name} #{k}: {:?} {residual:.1e} by {} after {} in {time:.2} s",
                report.status, report.method, report.iterations
            );
        }
        let (n, mean) = (problem.len(), total / count as f64);
        println!(
            "{name:<16} {n:>5} contacts  {solved:>2}/{count}  mean {mean:.2} s, slowest {slowest:.2} s, {worst:.1e}"
        );
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Walls, arches, RockPile and the Kaplas tower (Acary, Brémond, Huber: FCLIB): every variant to 1e-8 under both residuals.
#[test]
fn every_variant_is_solved() {
    let count = std::env::var("PERCUSSION_VARIANTS").ok().and_then(|x| x.parse().ok()).unwrap_or(FEW);
    let mut problems = Vec::new();
    for (name, path) in [
        ("wall of 42", "cases/walls/wall-42-step.dat"),
        ("rock pile", "data/contact-problems/RockPile_var1.dat"),
        ("Kaplas tower", "data/contact-problems/KaplasTower-i1061-4.hdf5.dat"),
    ] {
        problems.extend(load(path).map(|problem| (name, problem)));
    }
    for (name, problem) in
        [("wall 5 x 6", masonry::wall(5, 6)), ("arch of 13", masonry::arch(13)), ("arch of 25", masonry::arch(25))]
    {
        problems.push((name, problem.condense().expect("well-formed")));
    }
    if count > FEW {
        problems.push(("wall 12 x 15", masonry::wall(12, 15).condense().expect("well-formed")));
    }
    try_variants(&problems, count);
}

/// Seconds until the request, and of processor time from the request to the end.
const WAIT: f64 = 0.3;
const LATEST: f64 = 1.0;
/// One factorisation of the conic solver on 2500 contacts took 2.9 s.
const ONE_ITERATION: f64 = 10.0;

/// Runs a solve that is asked to stop; the seconds it went on.
fn overrun(solve: impl FnOnce(Stop)) -> f64 {
    let flag = Arc::new(AtomicBool::new(false));
    let clock = Clock::start();
    std::thread::scope(|scope| {
        let (timer, clock) = (flag.clone(), &clock);
        let asked = scope.spawn(move || {
            std::thread::sleep(Duration::from_secs_f64(WAIT));
            timer.store(true, Ordering::Relaxed);
            clock.seconds()
        });
        solve(Stop::when(flag));
        let end = clock.seconds();
        end - asked.join().expect("no panic in a timer")
    })
}

/// Options under which nothing is ever good enough.
fn endless(method: Method) -> SolverOptions {
    SolverOptions { method, tolerance: 1e-300, enough: None, max_iterations: usize::MAX }
}

/// A wall of 180 bricks, 2500 contacts, with W formed.
#[test]
fn friction_methods_end() {
    let bodies = masonry::wall(12, 15);
    let problem = bodies.condense().expect("well-formed");
    for method in Method::ALL.into_iter().filter(|method| method.solves_friction()) {
        let late = overrun(|stop| {
            let mut solver = FrictionSolver::new(endless(method));
            solver.stop = stop;
            let report = solver.solve(&problem, &mut vec![0.0; problem.b.len()]);
            assert!(report.status != SolveStatus::Solved, "{method}: {report:?}");
        });
        println!("{method:<16} went on for {late:.2} s");
        // the conic solver looks at a request between its iterations only, and one takes seconds on so full a W
        let latest = if method == Method::InteriorPoint { ONE_ITERATION } else { LATEST };
        assert!(late <= latest, "{method} went on for {late:.2} s");
    }
    let late = overrun(|stop| {
        let mut solver = TwoBodySolver::new(endless(Method::Auto));
        solver.stop = stop;
        solver.solve(&bodies, &mut vec![0.0; problem.b.len()], &mut bodies.v.clone());
    });
    println!("on bodies        went on for {late:.2} s");
    assert!(late <= LATEST);
}

/// A stack of 400 plates on four points each: 1600 redundant rows.
#[test]
fn methods_without_friction_end() {
    let problem = common::stack(400, &mut Dice::new(3));
    for method in Method::ALL.into_iter().filter(|method| method.solves_complementarity()) {
        let late = overrun(|stop| {
            let mut solver = Solver::new(endless(method)).stopping(stop);
            solver.solve(&problem, &mut vec![0.0; problem.len()]);
        });
        println!("{method:<16} went on for {late:.2} s");
        // the conic solver looks at a request between its iterations only, and one takes seconds on so full a W
        let latest = if method == Method::InteriorPoint { ONE_ITERATION } else { LATEST };
        assert!(late <= latest, "{method} went on for {late:.2} s");
    }
}

/// Two contacts at one place, whose rows are the same: b grows by a hundredth, and the normals differ by 1e-12. The impulses carry it together, and neither
/// hands its share to the other, however often they are followed.
#[test]
fn shares_that_are_followed_stay() {
    let one: &[f64] = &[1.0, 0.2, 0.2, 2.0];
    let blocks = [(0, 0, one), (0, 1, one), (1, 0, one), (1, 1, one)];
    let W = BlockMatrix::from_blocks(2, 2, &blocks).unwrap();
    let b = vec![-1.01, 0.1, -1.01 + 1e-12, 0.1];
    let problem = FrictionProblem::new(W, b, vec![0.6; 2], Vec::new()).unwrap();
    let mut solver = FrictionSolver::new(SolverOptions::default());
    let mut r = vec![0.7, -0.07, 0.3, -0.03];
    for _ in 0..100 {
        solver.follow(&problem, &mut r).expect("two contacts");
    }
    let mut u = [0.0; 4];
    problem.velocity(&r, &mut u);
    assert!(friction_residuals(&problem, &r, &u).worst() < 1e-11, "{u:?}");
    let sticks = -(0.1 + 0.2 * (r[0] + r[2])) / 2.0;
    assert!((r[1] + r[3] - sticks).abs() < 1e-11, "{r:?}");
    assert!((r[0] - 0.7).abs() < 0.1 && (r[2] - 0.3).abs() < 0.1, "{r:?}");
}
