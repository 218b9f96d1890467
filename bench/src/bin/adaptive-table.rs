//! The table of `docs/book/adaptive.md`: error against work of adaptive and equal steps.
//!
//! The ball (f = −2, e = ½) from 24 heights and the impact oscillator (ω = 1, e = ½) from 24 phases, Moreau–Jean θ = ½. Work is the
//! number of steps computed, three for each attempt of the controller. An equal-step run of the same work stands beside each.

use percussion_solve::SolverOptions;
use percussion_step::measure::{Bounce, Exact, l1_unequal};
use percussion_step::problems::{Known, OneMass};
use percussion_step::{
    AdaptiveOptions, AdaptiveOrder, Outcome, Problem, Scheme, Trajectory, simulate, simulate_adaptive,
};

const STARTS: usize = 24;
/// Work at which the strategies are compared.
const WORKS: [f64; 5] = [200.0, 300.0, 450.0, 600.0, 900.0];
const TOLERANCES: [f64; 5] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// A start with its exact motion.
struct Start {
    problem: Problem,
    exact: Box<dyn Exact>,
    end: f64,
}

/// q = e^{n} sin φ with φ = t + φ_0 reduced to an arc: the oscillator started at any phase of its first arc.
struct Arc(f64);

impl Arc {
    fn at(&self, t: f64) -> (f64, f64) {
        let phase = t + self.0;
        let impacts = (phase / std::f64::consts::PI).floor();
        (0.5_f64.powf(impacts), phase - impacts * std::f64::consts::PI)
    }
}

impl Exact for Arc {
    fn q(&self, t: f64) -> Vec<f64> {
        let (A, phase) = self.at(t);
        vec![A * phase.sin()]
    }

    fn v(&self, t: f64) -> Vec<f64> {
        let (A, phase) = self.at(t);
        vec![A * phase.cos()]
    }
}

fn balls() -> Vec<Start> {
    let start = |k: usize| {
        let gap = 0.8 + 0.4 * (k as f64 + 0.37) / STARTS as f64;
        let ball = Bounce { g: 2.0, e: 0.5, gap, floor: 0.0 };
        Start { problem: ball.problem().expect("a ball"), exact: Box::new(ball), end: 4.0 }
    };
    (0..STARTS).map(start).collect()
}

fn oscillators() -> Vec<Start> {
    let start = |k: usize| {
        let phase = 0.3 + 2.4 * (k as f64 + 0.37) / STARTS as f64;
        let mass = OneMass {
            stiffness: 1.0,
            floor: Some(0.0),
            restitution: 0.5,
            q0: phase.sin(),
            v0: phase.cos(),
            ..OneMass::default()
        };
        Start { problem: mass.problem().expect("an oscillator"), exact: Box::new(Arc(phase)), end: 10.0 }
    };
    (0..STARTS).map(start).collect()
}

fn error(run: &Trajectory, exact: &dyn Exact) -> f64 {
    let q: Vec<f64> = run.t.iter().map(|&t| exact.q(t)[0]).collect();
    l1_unequal(&run.t, &run.q, &q)
}

/// Work and error of one adaptive run.
fn adaptive(start: &Start, options: &AdaptiveOptions) -> (f64, f64) {
    let mut run = Trajectory::new();
    let times = (1e-2, start.end);
    let scheme = Scheme::moreau_jean(0.5);
    let (outcome, statistics) =
        simulate_adaptive(&start.problem, &scheme, SolverOptions::default(), times, options, &mut run)
            .expect("accepted");
    assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
    (statistics.solves as f64, error(&run, &*start.exact))
}

/// Error of equal steps of the given number.
fn equal(start: &Start, steps: f64) -> f64 {
    let mut run = Trajectory::new();
    let scheme = Scheme::moreau_jean(0.5);
    let h = start.end / steps.round();
    let outcome = simulate(&start.problem, &scheme, SolverOptions::default(), h, start.end, &mut run);
    assert!(matches!(outcome.expect("accepted"), Outcome::Finished));
    error(&run, &*start.exact)
}

fn median(mut x: Vec<f64>) -> f64 {
    x.sort_by(f64::total_cmp);
    let n = x.len();
    0.5 * (x[(n - 1) / 2] + x[n / 2])
}

type Strategy = (&'static str, AdaptiveOrder, bool, bool);

fn main() {
    let strategies: [Strategy; 9] = [
        ("order 0", AdaptiveOrder::Fixed(0), false, false),
        ("order 1", AdaptiveOrder::Fixed(1), false, false),
        ("order 2", AdaptiveOrder::Fixed(2), false, false),
        ("variable", AdaptiveOrder::Variable, false, false),
        ("order 0, violation", AdaptiveOrder::Fixed(0), true, false),
        ("order 1, violation", AdaptiveOrder::Fixed(1), true, false),
        ("order 2, violation", AdaptiveOrder::Fixed(2), true, false),
        ("variable, violation", AdaptiveOrder::Variable, true, false),
        ("variable, violation, extrapolate", AdaptiveOrder::Variable, true, true),
    ];
    for (case, starts) in [("ball", balls()), ("oscillator", oscillators())] {
        let mut curves: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
        println!("\n### {case}\n");
        println!("| strategy | tolerance | steps computed | L1 error of q | equal steps, same work | ratio |");
        println!("|---|---:|---:|---:|---:|---:|");
        for (name, order, violation, extrapolate) in strategies {
            let mut curve = Vec::new();
            for tolerance in TOLERANCES {
                let end = starts[0].end;
                let options = AdaptiveOptions { order, violation, extrapolate, ..AdaptiveOptions::new(tolerance, end) };
                let runs: Vec<(f64, f64)> = starts.iter().map(|start| adaptive(start, &options)).collect();
                let work = median(runs.iter().map(|r| r.0).collect());
                let found = median(runs.iter().map(|r| r.1).collect());
                let beside = median(starts.iter().zip(&runs).map(|(start, run)| equal(start, run.0)).collect());
                let ratio = beside / found;
                println!("| {name} | {tolerance:.0e} | {work:.0} | {found:.2e} | {beside:.2e} | {ratio:.1} |");
                curve.push((work, found));
            }
            curves.push((name, curve));
        }
        let steady = WORKS.map(|work| (work, median(starts.iter().map(|start| equal(start, work)).collect())));
        curves.push(("equal steps", steady.to_vec()));
        equal_work(&curves);
    }
}

/// The same curves read at equal work; a dash where a curve does not reach.
fn equal_work(curves: &[(&str, Vec<(f64, f64)>)]) {
    let works: Vec<String> = WORKS.iter().map(|work| format!(" {work:.0} |")).collect();
    println!("\n| L1 error of q at steps computed: |{}", works.concat());
    println!("|---|{}", "---:|".repeat(WORKS.len()));
    for (name, curve) in curves {
        let cells: Vec<String> = WORKS.iter().map(|&work| read(curve, work)).collect();
        println!("| {name} |{}", cells.concat());
    }
}

/// Between two points of a curve, linear in logarithms; where work falls with the tolerance there is nothing to read.
fn read(curve: &[(f64, f64)], work: f64) -> String {
    let between = curve.windows(2).find(|p| p[0].0 <= work && work <= p[1].0 && p[0].0 < p[1].0);
    match (between, curve.iter().find(|p| p.0 == work)) {
        (_, Some(point)) => format!(" {:.1e} |", point.1),
        (Some(p), None) => {
            let c = (work / p[0].0).ln() / (p[1].0 / p[0].0).ln();
            format!(" {:.1e} |", (p[0].1.ln() * (1.0 - c) + p[1].1.ln() * c).exp())
        }
        (None, None) => " – |".to_string(),
    }
}
