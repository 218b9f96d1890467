//! Time per event of `event-driven`: a ball that bounces for ever (e = 1), a million impacts in pieces of ten thousand.
//!
//! The best piece is what the scheme takes when nothing else runs; the mean says what else ran. Nothing is recorded: what tables take
//! on top, `percussion run` shows (`bench/results/linear.md`).

use percussion_solve::SolverOptions;
use percussion_step::problems::OneMass;
use percussion_step::{Outcome, Recorder, Scheme, Simulation, Start, Step, Stop};
use std::time::Instant;

/// Counts events and keeps nothing.
struct Count(usize);

impl Recorder for Count {
    fn start(&mut self, _: &Start) -> Result<(), Stop> {
        Ok(())
    }

    fn record(&mut self, _: u64, step: &Step) -> Result<(), Stop> {
        self.0 += step.events.len();
        Ok(())
    }
}

fn main() {
    let ball = OneMass { restitution: 1.0, ..OneMass::ball() };
    let problem = ball.problem().expect("a ball");
    let scheme = Scheme::named("event-driven").expect("a scheme");
    // 80 s hold a hundred impacts
    let mut simulation = Simulation::new(&problem, &scheme, SolverOptions::default(), 80.0).expect("accepted");
    let mut count = Count(0);
    let (mut best, mut total) = (f64::INFINITY, 0.0);
    for _ in 0..100 {
        let (before, started) = (count.0, Instant::now());
        let outcome = simulation.run(100, &mut count);
        let took = started.elapsed().as_secs_f64();
        assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
        total += took;
        best = best.min(1e6 * took / (count.0 - before) as f64);
    }
    println!("{} events, best piece {best:.3} µs per event, mean {:.3} µs", count.0, 1e6 * total / count.0 as f64);
}
