//! Time per step on the systems the project measures itself by.
//!
//! `cargo run --release -p percussion-bench` prints wall times (best of several). `percussion-bench CASE STEPS` runs one
//! case silently, for counting instructions under valgrind (`bench/instructions`).

use percussion_model::build::column;
use percussion_solve::SolverOptions;
use percussion_step::measure::BarImpact;
use percussion_step::problems::{Known, OneMass, pendulum, rocking_block, rotating_beam};
use percussion_step::{Outcome, Problem, Recorder, Scheme, SchemeOptions, Simulation, Trajectory};
use std::time::Instant;

/// One system with the schemes it is timed under and the figure asked for.
struct Case {
    name: String,
    problem: Box<dyn Fn() -> Problem>,
    n: usize,
    h: f64,
    /// Steps before the clock starts, so that the state is the one to be measured.
    warm_up: u64,
    steps: u64,
    schemes: &'static [&'static str],
    /// Microseconds per step asked, if any.
    asked: Option<f64>,
}

const SEVEN: &[&str] = &[
    "moreau-jean",
    "moreau-jean-midpoint",
    "newmark",
    "hht",
    "generalized-alpha",
    "kh-generalized-alpha",
    "implicit-newmark",
];

/// Asked of the first two; the others stand beside them.
const OTHERS: &[&str] = &["schatzman-paoli", "d1-minus-linear", "d0-constant", "splitting"];

fn ball() -> Problem {
    OneMass::ball().problem().expect("a ball")
}

fn bar() -> Problem {
    BarImpact::USUAL.problem().expect("a bar")
}

fn resting_column(n: usize) -> Problem {
    let model = column(&vec![1.0; n], -10.0, 0.5).expect("a column");
    Problem::linear(model, vec![0.0; n], vec![0.0; n]).expect("a problem")
}

const NONLINEAR: &[&str] = &["generalized-alpha-ggl", "moreau-jean", "generalized-alpha", "energy-momentum"];

fn cases() -> Vec<Case> {
    let mut list = vec![
        Case {
            name: "ball".into(),
            problem: Box::new(ball),
            n: 1,
            h: 2e-3,
            warm_up: 0,
            steps: 200_000,
            schemes: SEVEN,
            asked: Some(0.25),
        },
        Case {
            name: "ball-others".into(),
            problem: Box::new(ball),
            n: 1,
            h: 2e-3,
            warm_up: 0,
            steps: 200_000,
            schemes: OTHERS,
            asked: Some(0.3),
        },
        // in flight and bouncing only, not at rest
        Case {
            name: "ball-bouncing".into(),
            problem: Box::new(ball),
            n: 1,
            h: 2e-5,
            warm_up: 0,
            steps: 180_000,
            schemes: OTHERS,
            asked: Some(0.3),
        },
        Case {
            name: "bar-200".into(),
            problem: Box::new(bar),
            n: 201,
            h: 2e-3,
            warm_up: 0,
            steps: 750,
            schemes: SEVEN,
            asked: Some(10.0),
        },
    ];
    type Row = (&'static str, fn() -> Problem, usize, f64, u64, f64);
    let jointed: [Row; 3] = [
        ("pendulum", || pendulum(0.8).expect("a pendulum"), 3, 1e-3, 8000, 6.0),
        ("rocking-block", || rocking_block(0.5).expect("a block"), 3, 1e-2, 500, 5.0),
        ("beam-4", rotating_beam, 13, 5e-4, 1600, 25.0),
    ];
    for (name, problem, n, h, steps, asked) in jointed {
        let schemes = if name == "beam-4" { &NONLINEAR[..1] } else { NONLINEAR };
        let asked = Some(asked);
        list.push(Case { name: name.into(), problem: Box::new(problem), n, h, warm_up: 0, steps, schemes, asked });
    }
    list.push(Case {
        name: "bar-200-ggl".into(),
        problem: Box::new(bar),
        n: 201,
        h: 2e-3,
        warm_up: 0,
        steps: 750,
        schemes: &NONLINEAR[..1],
        asked: Some(100.0),
    });
    for (n, asked) in [(10, None), (100, Some(60.0)), (1000, Some(1000.0)), (10_000, None), (100_000, None)] {
        list.push(Case {
            name: format!("column-{n}"),
            problem: Box::new(move || resting_column(n)),
            n,
            h: 1e-3,
            warm_up: 20,
            steps: (2_000_000 / n as u64).clamp(20, 20_000),
            schemes: if n == 1000 { SEVEN } else { &SEVEN[..1] },
            asked,
        });
    }
    list
}

/// Seconds for the timed steps, everything recorded in memory that earlier runs have touched (`record`): the page faults
/// of fresh memory, about 0.09 µs per step of the ball here, are the operating system's.
fn run(case: &Case, scheme: &Scheme, steps: u64, record: &mut Trajectory) -> f64 {
    let mut simulation =
        Simulation::new(&(case.problem)(), scheme, SolverOptions::default(), case.h).expect("an accepted problem");
    // recording the whole of a large column would measure memory, not steps
    record.clear();
    let recorder: &mut dyn Recorder = if case.n <= 300 { record } else { &mut Nothing };
    let finished = |outcome: Outcome| assert!(matches!(outcome, Outcome::Finished), "the run did not finish");
    finished(simulation.run(case.warm_up, recorder));
    let start = Instant::now();
    finished(simulation.run(steps, recorder));
    start.elapsed().as_secs_f64()
}

/// Events of the ball until it rests, and microseconds for each, best of several hundred runs: flights, roots, impacts.
fn per_event(method: &str) -> (usize, f64) {
    let options = SchemeOptions { method: Some(method.into()), ..Default::default() };
    let scheme = Scheme::resolve("event-driven", &options).expect("a scheme").0;
    let (mut events, mut best) = (0, f64::MAX);
    for _ in 0..300 {
        let mut simulation = Simulation::new(&ball(), &scheme, SolverOptions::default(), 5.0).expect("accepted");
        let start = Instant::now();
        events = simulation.advance().expect("a step").events.len();
        best = best.min(start.elapsed().as_secs_f64());
    }
    (events, 1e6 * best / events as f64)
}

/// Keeps nothing.
struct Nothing;

impl Recorder for Nothing {
    fn start(&mut self, _: &percussion_step::Start) -> Result<(), percussion_step::Stop> {
        Ok(())
    }

    fn record(&mut self, _: u64, _: &percussion_step::Step) -> Result<(), percussion_step::Stop> {
        Ok(())
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["events"] {
        for method in ["explicit", "stiff"] {
            println!("{method}: {:?}", per_event(method));
        }
        return;
    }
    if let [name, steps, rest @ ..] = arguments.as_slice() {
        let all = cases();
        let case = all.iter().find(|c| c.name == *name).expect("a case name");
        let scheme = rest.first().map_or("moreau-jean", String::as_str);
        let steps = steps.parse().expect("a number of steps");
        run(case, &Scheme::named(scheme).expect("a scheme"), steps, &mut Trajectory::new());
        return;
    }
    println!("| case | scheme | µs per step (best of 7) | asked |");
    println!("|---|---|---:|---:|");
    let mut column: Vec<(f64, f64)> = Vec::new();
    let mut record = Trajectory::new();
    for case in cases() {
        for name in case.schemes {
            let scheme = Scheme::named(name).expect("a scheme");
            let best = (0..7).map(|_| run(&case, &scheme, case.steps, &mut record)).fold(f64::MAX, f64::min);
            let each = 1e6 * best / case.steps as f64;
            let asked = case.asked.map_or("".to_string(), |a| format!("≤ {a}"));
            println!("| {} | {name} | {each:.3} | {asked} |", case.name);
            if case.name.starts_with("column") && *name == "moreau-jean" {
                column.push((case.n as f64, each));
            }
        }
    }
    for method in ["explicit", "stiff"] {
        let (events, each) = per_event(method);
        let asked = if method == "explicit" { "≤ 2" } else { "" };
        println!("| ball, {events} events in one step | event-driven, {method} | {each:.3} per event | {asked} |");
    }
    for pair in column.windows(2) {
        let growth = (pair[1].1 / pair[0].1).ln() / (pair[1].0 / pair[0].0).ln();
        println!("column {} → {}: cost grows as N^{growth:.2}", pair[0].0, pair[1].0);
    }
}
