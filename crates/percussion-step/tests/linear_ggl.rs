//! GGL on linear models: the reference bar, agreement with the nonlinear implementation, no penetration, the ledger.

mod common;
#[path = "common/ggl_conditions.rs"]
mod ggl_conditions;

use common::{Dice, Recipe, USUAL, random_problem};
use percussion_model::build::{Bar, MassKind, column};
use percussion_model::nonlinear::LinearAsLagrangian;
use percussion_model::{Contact, LinearModel, LinearParts, Signal};
use percussion_solve::SolverOptions;
use percussion_step::{
    Audit, Both, Ggl, GglVariant, Guarantee, LinearGgl, Memory, Model, NewmarkLike, Outcome, Problem, Scheme,
    SchemeOptions, State, Step, Stepper, Trajectory, Verdict, simulate,
};
use std::sync::Arc;

fn ggl(activation: &str) -> Scheme {
    let options = SchemeOptions { activation: Some(activation.into()), ..Default::default() };
    Scheme::resolve("generalized-alpha-ggl", &options).expect("a scheme").0
}

fn run(problem: &Problem, scheme: &Scheme, h: f64, end: f64) -> (Trajectory, Audit) {
    let (mut audit, mut run) = (Audit::new(), Trajectory::new());
    let options = SolverOptions::default();
    let outcome = simulate(problem, scheme, options, h, end, &mut Both(&mut audit, &mut run)).expect("accepted");
    assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
    (run, audit)
}

/// The 200-element bar of the reference, given there in positions X + 5.005 + u.
#[test]
fn reference_bar() {
    let bar = Bar { young: 900.0, density: 1.0, area: 1.0, length: 10.0, elements: 200, mass: MassKind::Consistent };
    let (mass, stiffness) = bar.matrices().expect("a bar");
    let model = LinearModel::new(LinearParts {
        mass,
        damping: None,
        stiffness: Some(stiffness),
        force: vec![Signal::constant(0.0); 201],
        contacts: vec![Contact { normal: vec![(0, 1.0)], offset: Signal::constant(5.005), restitution: 0.0 }],
        joints: vec![],
    });
    let problem = Problem::linear(model.expect("a model"), vec![0.0; 201], vec![-10.0; 201]).expect("a problem");
    let (run, audit) = run(&problem, &ggl("predicted"), 2e-3, 2.0);
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/ggl/bar_ggl_mono.csv"));
    let text = text.expect("the reference");
    let p = run.impulses(0);
    let mut worst = [0.0_f64; 4];
    for line in text.lines().skip(1) {
        let x: Vec<f64> = line.split(',').map(|x| x.parse().expect("a number")).collect();
        let row = (x[0] / 2e-3).round() as usize;
        for (k, node) in [0usize, 100, 200].into_iter().enumerate() {
            let place = run.q(row)[node] + 5.005 + 0.05 * node as f64;
            worst[0] = worst[0].max((place - x[6 + k]).abs() / 15.0);
            worst[1] = worst[1].max((run.v(row)[node] - x[9 + k]).abs() / 10.0);
        }
        worst[2] = worst[2].max((p[row] - x[4]).abs() / 0.6);
        worst[3] = worst[3].max((run.ledger[row].energy() - x[1]).abs() / 500.0);
    }
    let force: f64 = p[300..500].iter().sum::<f64>() / 200.0 / 2e-3;
    println!("bar: q {:.1e}, v {:.1e}, Λ {:.1e}, E {:.1e}, force {force:.4}", worst[0], worst[1], worst[2], worst[3]);
    assert!(worst.iter().all(|&w| w <= 1.3e-7), "{worst:?}");
    assert!((force - 300.0).abs() < 0.1 && audit.deepest() <= 1e-12, "penetration {:e}", audit.deepest());
    assert!((run.ledger[1000].energy() - 497.306).abs() < 1e-3);
}

/// Step by step from the same states, the two implementations of the scheme agree, and both answers meet every condition of the
/// step. Without damping they must: ν solves a problem with GᵀS⁻¹G, so it, q̂, the closed contacts and Λ are unique.
#[test]
fn agrees_with_the_nonlinear_implementation() {
    let (h, p) = (5e-3, NewmarkLike::chung_hulbert(0.8));
    let (mut steps, mut apart, mut worst) = (0, 0, 0.0_f64);
    for case in 0..80 {
        let (seed, damping, activation) = (case / 4, case % 4 < 2, ["hold", "predicted"][case as usize % 2]);
        let recipe = Recipe { contacts: (1, 3), restitution: Some(0.6), damping, ..USUAL };
        let problem = random_problem(&mut Dice(500 + seed), recipe);
        let Model::Linear(model) = &problem.model else { panic!("linear") };
        let hold = activation == "hold";
        let options = SolverOptions::default();
        let mut ours = LinearGgl::new(Arc::clone(model), p, &ggl(activation), options);
        let face = LinearAsLagrangian::new(LinearModel::clone(model)).expect("still walls");
        let mut theirs = Ggl::new(Arc::new(face), GglVariant::Ggl, p, hold, 1e-11);
        let mut state = State { t: 0.0, q: problem.q0.clone(), v: problem.v0.clone() };
        let mut memory = ours.start(&state);
        for _ in 0..200 {
            let mut answers = Vec::new();
            for stepper in [&mut ours as &mut dyn Stepper, &mut theirs] {
                let (mut step, mut next) = (Step::default(), Memory::default());
                stepper.step(&state, &memory, h, &mut step, &mut next).unwrap_or_else(|f| panic!("seed {seed}: {f}"));
                let left = ggl_conditions::left(model, &p, hold, h, (&state, &memory), (&step.after, &next));
                answers.push((step, next, left));
            }
            assert_eq!(theirs.counts.halved, 0, "seed {seed}");
            let v = |i: usize| &answers[i].0.after.v;
            let difference = v(0).iter().zip(v(1)).fold(0.0_f64, |s, (x, y)| s.max((x - y).abs()));
            steps += 1;
            apart += usize::from(difference > 1e-8);
            for (_, _, left) in &answers {
                worst = worst.max(left.momentum).max(left.conditions);
            }
            let (step, next, _) = answers.swap_remove(0);
            (state, memory) = (step.after, next);
        }
    }
    println!("{apart} of {steps} steps apart, conditions left by either {worst:.1e}");
    assert!(worst <= 1e-11, "{worst:e}");
    assert_eq!(apart, 0, "of {steps} steps");
}

/// Ledger to 1e-11, gap certificate passed, joints kept, also with moving walls and redundant contacts.
#[test]
fn ledger_and_certificates() {
    for seed in 0..40 {
        for recipe in [
            Recipe { walls_move: true, ..USUAL },
            Recipe { joints: 2, ..USUAL },
            Recipe { n: (4, 4), contacts: (8, 8), ..USUAL },
        ] {
            let problem = random_problem(&mut Dice(900 + seed), recipe);
            let scheme = ggl("hold");
            let (run, audit) = run(&problem, &scheme, 5e-3, 1.0);
            let largest = audit.largest_energy();
            let residual = run.ledger.iter().fold(0.0_f64, |s, e| s.max(e.balance.abs()));
            assert!(residual <= 1e-11 * largest, "seed {seed}: {residual:e}");
            let verdicts = audit.verdicts(&Guarantee::new(&scheme, &problem.model), 1e-10);
            assert_eq!(verdicts.gap.status, Verdict::Pass, "seed {seed}: {}", verdicts.gap.text);
            assert!(!verdicts.failed(), "seed {seed}: {verdicts:?}");
        }
    }
}

/// A dropped stack comes to rest on contact, at g = 0, and its contacts do no work there.
#[test]
fn stack_rests_at_zero_gap() {
    let model = column(&[1.0, 0.7, 1.5, 0.6], -10.0, 0.5).expect("a column");
    let problem = Problem::linear(model, vec![0.1, 0.2, 0.3, 0.4], vec![0.0; 4]).expect("a problem");
    let (run, audit) = run(&problem, &ggl("hold"), 2e-3, 4.0);
    let last = run.len() - 1;
    let speed = run.v(last).iter().fold(0.0_f64, |s, v| s.max(v.abs()));
    println!("stack: |v| {speed:.1e}, q {:?}, contact work at rest {:.1e}", run.q(last), run.ledger[last].work_contact);
    assert!(speed <= 1e-9 && audit.deepest() <= 1e-12);
    assert!(run.q(last).iter().all(|q| q.abs() <= 1e-9), "rests at {:?}", run.q(last));
    assert!(run.ledger[last].work_contact.abs() <= 1e-12);
}
