//! The bouncing ball for 10⁶ steps with everything kept in memory, as `percussion.run` keeps it: the time Python is
//! compared with (`python/tests/overhead.py`). Prints the best of several runs in seconds; with an argument makes one run and
//! prints nothing, for its CPU time to be measured from outside.

use percussion::prelude::*;
use percussion::scenario::run_kept;
use percussion::step::Both;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = LoadOptions { step: Some(2e-6), end: Some(2.0), ..LoadOptions::default() };
    if std::env::args().len() > 1 {
        let (_, run, kept) = run_kept(load("bouncing-ball", &options)?, None, &mut |_| true)?;
        assert_eq!((run.summary.steps, kept.trajectory.len()), (1_000_000, 1_000_001));
        return Ok(());
    }
    let (mut kept_best, mut trajectory_best) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..7 {
        let started = Instant::now();
        let (_, run, kept) = run_kept(load("bouncing-ball", &options)?, None, &mut |_| true)?;
        kept_best = kept_best.min(started.elapsed().as_secs_f64());
        assert_eq!((run.summary.steps, kept.trajectory.len()), (1_000_000, 1_000_001));

        let started = Instant::now();
        let loaded = load("bouncing-ball", &options)?;
        let (mut trajectory, mut audit) = (Trajectory::new(), Audit::new());
        let mut simulation = loaded.simulation;
        simulation.run(loaded.scenario.count.n, &mut Both(&mut trajectory, &mut audit));
        trajectory_best = trajectory_best.min(started.elapsed().as_secs_f64());
        assert_eq!(trajectory.len(), 1_000_001);
    }
    println!("{kept_best:.4} s with all tables, {trajectory_best:.4} s with trajectory and audit only");
    Ok(())
}
