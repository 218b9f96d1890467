//! GGL where factorisations fail: many contacts, redundant contacts, redundant joints.

mod common;
#[path = "common/ggl_conditions.rs"]
mod ggl_conditions;

use common::random_problem;
use percussion_matrix::DenseMatrix;
use percussion_model::nonlinear::LinearAsLagrangian;
use percussion_model::{Lagrangian, LinearModel, LinearParts};
use percussion_step::problems::{
    Dice, Recipe, contact, masses, pendulum_model, rocking_block_model, rotating_beam_model,
};
use percussion_step::{Ggl, GglVariant, Memory, NewmarkLike, Problem, Rung, State, Step, StepStart, Stepper};
use std::sync::Arc;

fn ggl(model: Arc<dyn Lagrangian>, hold: bool) -> Ggl {
    Ggl::new(model, GglVariant::Ggl, NewmarkLike::chung_hulbert(0.8), hold, 1e-11)
}

fn as_lagrangian(problem: &Problem) -> Arc<dyn Lagrangian> {
    let Some(model) = problem.model.linear() else { panic!("linear") };
    Arc::new(LinearAsLagrangian::new(LinearModel::clone(model)))
}

/// The largest difference of q and h·v between two runs, at any step.
fn difference(a: &[State], b: &[State], h: f64) -> f64 {
    assert_eq!(a.len(), b.len());
    let apart = |x: &[f64], y: &[f64]| x.iter().zip(y).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()));
    a.iter().zip(b).fold(0.0, |s: f64, (a, b)| s.max(apart(&a.q, &b.q)).max(h * apart(&a.v, &b.v)))
}

/// Runs n steps; the worst penetration and all states.
fn advance(stepper: &mut Ggl, model: &dyn Lagrangian, q: &[f64], v: &[f64], h: f64, n: usize) -> (f64, Vec<State>) {
    let mut state = State { t: 0.0, q: q.to_vec(), v: v.to_vec() };
    let mut memory = stepper.start(&state);
    let (mut step, mut next) = (Step::default(), Memory::default());
    let mut deepest = 0.0_f64;
    let mut states = Vec::new();
    for _ in 0..n {
        stepper
            .step(&StepStart { state: &state, memory: &memory, h }, &mut step, &mut next)
            .unwrap_or_else(|f| panic!("{f}"));
        std::mem::swap(&mut memory, &mut next);
        state.clone_from(&step.after);
        states.push(state.clone());
        for j in model.n_joints()..model.n_joints() + model.restitutions().len() {
            deepest = deepest.max(-model.constraint(j, &state.q));
        }
    }
    (deepest, states)
}

/// Random linear systems with 2–12 contacts, uniform e or the hold rule with any e: every one of 1000 steps is solved and
/// nothing penetrates beyond the solver's tolerance.
#[test]
fn random_systems_with_many_contacts() {
    for m in [2, 4, 6, 8, 12] {
        let mut counts = Vec::new();
        for seed in 0..6 {
            for hold in [false, true] {
                let restitution = (!hold).then_some(0.5);
                let recipe = Recipe { n: (5, 8), contacts: (m, m), restitution, loads_vary: false, ..Recipe::USUAL };
                let problem = random_problem(&mut Dice(4000 + seed), recipe);
                let model = as_lagrangian(&problem);
                let mut stepper = ggl(Arc::clone(&model), hold);
                let (deepest, _) = advance(&mut stepper, &*model, &problem.q0, &problem.v0, 5e-3, 1000);
                assert!(deepest <= 1e-12, "{m} contacts, seed {seed}: penetration {deepest:e}");
                counts.push(stepper.counts);
            }
        }
        let sum = |pick: fn(&percussion_step::LadderCounts) -> u64| counts.iter().map(pick).sum::<u64>();
        println!(
            "{m:>2} contacts: newton {}, damped {}, inner {}, halved {}",
            sum(|c| c.newton),
            sum(|c| c.damped),
            sum(|c| c.inner_lcp),
            sum(|c| c.halved)
        );
    }
}

/// Wraps a model and repeats each of its contacts and joints.
#[derive(Debug)]
struct Repeated {
    inner: Arc<dyn Lagrangian>,
    joints: usize,
    times: usize,
    e: Vec<f64>,
}

impl Repeated {
    fn new(inner: Arc<dyn Lagrangian>, joint_times: usize, times: usize) -> Self {
        let e = inner.restitutions().iter().flat_map(|&e| std::iter::repeat_n(e, times)).collect();
        Self { joints: joint_times, times, e, inner }
    }
    fn original(&self, j: usize) -> usize {
        let nb = self.inner.n_joints() * self.joints;
        if j < nb { j / self.joints } else { self.inner.n_joints() + (j - nb) / self.times }
    }
}

impl Lagrangian for Repeated {
    fn n(&self) -> usize {
        self.inner.n()
    }
    fn n_joints(&self) -> usize {
        self.inner.n_joints() * self.joints
    }
    fn restitutions(&self) -> &[f64] {
        &self.e
    }
    fn mass(&self, q: &[f64], M: &mut DenseMatrix) {
        self.inner.mass(q, M);
    }
    fn force(&self, q: &[f64], v: &[f64], t: f64, f: &mut [f64]) {
        self.inner.force(q, v, t, f);
    }
    fn force_tangents(&self, q: &[f64], v: &[f64], t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        self.inner.force_tangents(q, v, t, K, C);
    }
    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.inner.potential_energy(q)
    }
    fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        self.inner.constraint(self.original(j), q)
    }
    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        self.inner.gradient(self.original(j), q, row);
    }
    fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
        self.inner.hessian(self.original(j), q, weight, H);
    }
}

/// A block with every contact three times and a pendulum with every joint twice move as the plain ones, to 1e-12.
#[test]
fn duplicates_change_nothing() {
    let block: Arc<dyn Lagrangian> = Arc::new(rocking_block_model(0.5).expect("a block"));
    let q0 = [0.0, 1.0, 0.2];
    for hold in [false, true] {
        let (_, plain) = advance(&mut ggl(Arc::clone(&block), hold), &*block, &q0, &[0.0; 3], 1e-2, 500);
        let tripled: Arc<dyn Lagrangian> = Arc::new(Repeated::new(Arc::clone(&block), 1, 3));
        let mut stepper = ggl(Arc::clone(&tripled), hold);
        let (_, state) = advance(&mut stepper, &*tripled, &q0, &[0.0; 3], 1e-2, 500);
        let difference = difference(&state, &plain, 1e-2);
        println!("block, hold = {hold}: {difference:.1e}, {:?}", stepper.counts);
        assert!(difference <= 1e-12, "hold = {hold}: {difference:e}");
        assert!(stepper.counts.inner_lcp > 0, "duplicates must need the inner solve");
    }
    let pendulum: Arc<dyn Lagrangian> = Arc::new(pendulum_model(0.8).expect("a pendulum"));
    let angle = std::f64::consts::PI / 12.0;
    let q0 = [angle.cos(), angle.sin(), angle];
    let (_, plain) = advance(&mut ggl(Arc::clone(&pendulum), false), &*pendulum, &q0, &[0.0; 3], 1e-3, 1000);
    let doubled: Arc<dyn Lagrangian> = Arc::new(Repeated::new(Arc::clone(&pendulum), 2, 1));
    let mut stepper = ggl(Arc::clone(&doubled), false);
    let (_, state) = advance(&mut stepper, &*doubled, &q0, &[0.0; 3], 1e-3, 1000);
    let difference = difference(&state, &plain, 1e-3);
    println!("pendulum: {difference:.1e}, {:?}", stepper.counts);
    assert!(difference <= 1e-12, "pendulum: {difference:e}");
}

/// Duplicated contacts and joints are named at the start, and copies of a contact carry equal loads.
#[test]
fn copies_are_named_and_share_the_load() {
    let block: Arc<dyn Lagrangian> = Arc::new(rocking_block_model(0.5).expect("a block"));
    let tripled: Arc<dyn Lagrangian> = Arc::new(Repeated::new(block, 1, 3));
    let mut stepper = ggl(tripled, true);
    let mut state = State { t: 0.0, q: vec![0.0, 1.0, 0.2], v: vec![0.0; 3] };
    let mut memory = stepper.start(&state);
    let names: Vec<String> = stepper.warnings(1e-2).iter().map(ToString::to_string).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(names[0].contains("contact 1 repeats contact 0"), "{names:?}");
    let (mut step, mut next) = (Step::default(), Memory::default());
    let (mut worst, mut loaded) = (0.0_f64, 0);
    for _ in 0..300 {
        stepper
            .step(&StepStart { state: &state, memory: &memory, h: 1e-2 }, &mut step, &mut next)
            .unwrap_or_else(|f| panic!("{f}"));
        std::mem::swap(&mut memory, &mut next);
        state.clone_from(&step.after);
        for copies in memory.p.chunks(3) {
            let mean = copies.iter().sum::<f64>() / 3.0;
            if mean > 1e-6 {
                loaded += 1;
                worst = copies.iter().fold(worst, |w, p| w.max((p - mean).abs() / mean));
            }
        }
    }
    println!("copies: {loaded} loads, uneven by at most {worst:.1e}");
    assert!(loaded > 100 && worst <= 1e-6, "{worst:e}");
    let pendulum: Arc<dyn Lagrangian> = Arc::new(pendulum_model(0.8).expect("a pendulum"));
    let mut stepper = ggl(Arc::new(Repeated::new(pendulum, 2, 1)), true);
    stepper.start(&State { t: 0.0, q: vec![1.0, 0.0, 0.0], v: vec![0.0; 3] });
    assert_eq!(stepper.warnings(1e-3).len(), 2);
}

/// The last rung, two half steps, is the run with half the step: same states, works summed, same impulses.
#[test]
fn halved_steps_are_half_steps() {
    let block: Arc<dyn Lagrangian> = Arc::new(rocking_block_model(0.5).expect("a block"));
    let start = State { t: 0.0, q: vec![0.0, 1.0, 0.2], v: vec![0.0; 3] };
    let run = |first: Rung, h: f64, n: usize| {
        let mut stepper = ggl(Arc::clone(&block), true);
        stepper.first = first;
        let (mut state, mut memory) = (start.clone(), stepper.start(&start));
        let (mut step, mut next) = (Step::default(), Memory::default());
        let (mut impulse, mut work) = (0.0, 0.0);
        for _ in 0..n {
            stepper
                .step(&StepStart { state: &state, memory: &memory, h }, &mut step, &mut next)
                .unwrap_or_else(|f| panic!("{f}"));
            std::mem::swap(&mut memory, &mut next);
            state.clone_from(&step.after);
            impulse += step.contacts.iter().map(|c| c.p).sum::<f64>();
            work += step.ledger.work_contact;
            assert!(step.ledger.balance.abs() <= 1e-11);
        }
        (state, impulse, work, stepper.counts.halved)
    };
    let (halved, whole) = (run(Rung::Halved, 1e-2, 200), run(Rung::Newton, 5e-3, 400));
    assert_eq!(halved.3, 200);
    assert_eq!(halved.0.q, whole.0.q);
    assert!((halved.1 - whole.1).abs() <= 1e-12 && (halved.2 - whole.2).abs() <= 1e-12);
}

/// A steel beam at eight times its usual step needs the ladder, and climbs it without penetration.
#[test]
fn stiff_beam_climbs_the_ladder() {
    let beam = rotating_beam_model();
    let q0 = beam.straight();
    let model: Arc<dyn Lagrangian> = Arc::new(beam);
    let p = NewmarkLike::chung_hulbert(0.65);
    let mut stepper = Ggl::new(Arc::clone(&model), GglVariant::Ggl, p, true, 1e-9);
    let (deepest, _) = advance(&mut stepper, &*model, &q0, &vec![0.0; q0.len()], 4e-3, 250);
    println!("beam at h = 4e-3: {:?}, penetration {deepest:.1e}", stepper.counts);
    assert!(stepper.counts.newton < 250, "{:?}", stepper.counts);
    assert!(deepest <= 1e-12, "{deepest:e}");
}

/// Every rung of the ladder gives the same motion when the run starts on it.
#[test]
fn rungs_agree() {
    let block: Arc<dyn Lagrangian> = Arc::new(rocking_block_model(0.5).expect("a block"));
    let q0 = [0.0, 1.0, 0.2];
    let (_, plain) = advance(&mut ggl(Arc::clone(&block), true), &*block, &q0, &[0.0; 3], 1e-2, 300);
    for rung in [Rung::Damped, Rung::InnerLcp] {
        let mut stepper = ggl(Arc::clone(&block), true);
        stepper.first = rung;
        let (_, state) = advance(&mut stepper, &*block, &q0, &[0.0; 3], 1e-2, 300);
        let difference = difference(&state, &plain, 1e-2);
        assert!(difference <= 1e-9, "{rung:?}: {difference:e}");
        let counts = stepper.counts;
        assert_eq!(counts.newton, 0);
        assert!(if rung == Rung::Damped { counts.damped } else { counts.inner_lcp } >= 300);
    }
}

/// An impulse acts only where the step reaches: under `hold`, on random systems moved by Newton's implementation, no contact with an
/// impulse ends its step further open than its velocities can have moved it, h (|U⁻| + |U⁺|).
///
/// The bug: Newton can leave a multiplier of 1e-20 at a contact that is open. `hold` keeps contacts that pushed, took that for a
/// push, and an impulse acted across a wide gap in the next step.
#[test]
fn regression_no_impulse_acts_on_an_open_contact() {
    let h = 5e-3;
    let scheme = common::scheme("generalized-alpha-ggl", |o| o.activation = Some("hold".into()));
    let (mut pushed, mut widest) = (0, 0.0_f64);
    for seed in 0..40 {
        let recipe = Recipe { contacts: (2, 4), loads_vary: false, ..Recipe::USUAL };
        let problem = common::as_nonlinear(&random_problem(&mut Dice(5000 + seed), recipe));
        let run = common::run(&problem, &scheme, h, 1.0);
        for (_, contact) in run.contacts.iter().filter(|(_, contact)| contact.p > 0.0) {
            pushed += 1;
            let reach = h * (contact.u_before.abs() + contact.u_after.abs()) + 1e-9;
            widest = widest.max(contact.gap / reach);
        }
    }
    println!("{pushed} impulses, widest gap under one {widest:.2} of what the step reaches");
    assert!(pushed > 1000 && widest <= 1.0, "{pushed}, {widest:e}");
}

/// Makes the contact columns of one kind.
type Columns = fn(&mut Dice) -> Vec<Vec<f64>>;

/// One step of 250 random problems of each kind of redundancy: duplicated contacts, four coplanar corners, eight corners.
#[test]
fn one_step_of_redundant_kinds() {
    // bodies as small random linear systems with prescribed contact columns
    let kinds: [(&str, Columns); 4] = [
        ("random 8 on 4", |d| (0..8).map(|_| d.vector(4)).collect()),
        ("duplicated × 3", |d| {
            let two: Vec<Vec<f64>> = (0..2).map(|_| d.vector(4)).collect();
            two.iter().flat_map(|c| std::iter::repeat_n(c.clone(), 3)).collect()
        }),
        ("table on 4 corners", |d| corners(d, 4)),
        ("box on 8 corners", |d| corners(d, 8)),
    ];
    for (name, columns) in kinds {
        let mut failures = 0;
        for seed in 0..250 {
            let mut dice = Dice(7000 + seed);
            let normals = columns(&mut dice);
            let n = normals[0].len();
            let q0 = dice.vector(n);
            // closing fast enough that every contact is met within the step
            let v0: Vec<f64> = (0..n).map(|i| -normals.iter().map(|c| c[i]).sum::<f64>()).collect();
            let contacts = normals
                .iter()
                .map(|normal| {
                    let here: f64 = normal.iter().zip(&q0).map(|(a, b)| a * b).sum();
                    contact(normal, 1e-4 - here, 0.5)
                })
                .collect();
            let (mass, stiffness) = (dice.positive(n, 1.0, 0.5), Some(dice.positive(n, 20.0, 0.1)));
            let force: Vec<f64> = (0..n).map(|_| dice.real(-5.0, 5.0)).collect();
            let parts = LinearParts { mass, stiffness, contacts, ..masses(&vec![1.0; n], &force) };
            let model = LinearModel::new(parts).expect("a model");
            let model: Arc<dyn Lagrangian> = Arc::new(LinearAsLagrangian::new(model));
            let mut stepper = ggl(Arc::clone(&model), true);
            let state = State { t: 0.0, q: q0, v: v0 };
            let memory = stepper.start(&state);
            let (mut step, mut next) = (Step::default(), Memory::default());
            let result = stepper.step(&StepStart { state: &state, memory: &memory, h: 1e-2 }, &mut step, &mut next);
            if result.is_err() || stepper.counts.halved > 0 {
                failures += 1;
            }
        }
        println!("{name}: {failures} of 250 failed");
        assert_eq!(failures, 0, "{name}");
    }
}

/// One step of 250 random jointed systems with every joint and contact doubled: no failure, the velocity of the plain system, and
/// every condition of the plain system's step met by both.
#[test]
fn one_step_of_redundant_joints() {
    let (mut agree, mut acting, mut worst) = (0, 0, 0.0_f64);
    for seed in 0..250 {
        let recipe = Recipe {
            joints: 2,
            contacts: (2, 3),
            restitution: Some(0.5),
            loads_vary: false,
            damping: false,
            ..Recipe::USUAL
        };
        let problem = random_problem(&mut Dice(11_000 + seed), recipe);
        let plain = as_lagrangian(&problem);
        let doubled: Arc<dyn Lagrangian> = Arc::new(Repeated::new(Arc::clone(&plain), 2, 2));
        let mut ends = Vec::new();
        for model in [plain, doubled] {
            let mut stepper = ggl(Arc::clone(&model), true);
            let state = State { t: 0.0, q: problem.q0.clone(), v: problem.v0.clone() };
            let memory = stepper.start(&state);
            let (mut step, mut next) = (Step::default(), Memory::default());
            // long enough to reach contacts up to 0.3 m away
            stepper
                .step(&StepStart { state: &state, memory: &memory, h: 0.1 }, &mut step, &mut next)
                .unwrap_or_else(|f| panic!("seed {seed}: {f}"));
            assert_eq!(stepper.counts.halved, 0, "seed {seed}");
            acting += step.contacts.iter().filter(|c| c.p > 0.0).count();
            let Some(model) = problem.model.linear() else { panic!("linear") };
            let p = NewmarkLike::chung_hulbert(0.8);
            let left = ggl_conditions::left(model, &p, (true, false), 0.1, (&state, &memory), (&step.after, &next));
            worst = worst.max(left.momentum).max(left.conditions);
            ends.push(step.after);
        }
        let apart = ends[0].v.iter().zip(&ends[1].v).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()));
        agree += usize::from(apart <= 1e-8);
    }
    println!("doubled joints and contacts: {agree} of 250 agree to 1e-8, conditions to {worst:.1e}, {acting} impulses");
    assert!(acting > 200 && agree == 250 && worst <= 1e-10, "{agree}, {acting}, {worst:e}");
}

/// Columns (1, x, y) of a rigid plate met at corners of a rectangle, as coordinates (heave, roll, pitch).
fn corners(dice: &mut Dice, count: usize) -> Vec<Vec<f64>> {
    let (a, b) = (dice.real(0.2, 1.0), dice.real(0.2, 1.0));
    let four = [(a, b), (a, -b), (-a, b), (-a, -b)];
    (0..count).map(|k| vec![1.0, four[k % 4].0, four[k % 4].1]).collect()
}

/// The sequential solution gives the motion of the monolithic one, in about as many iterations on these soft systems.
#[test]
fn sequential_equals_monolithic() {
    let block: Arc<dyn Lagrangian> = Arc::new(rocking_block_model(0.5).expect("a block"));
    let pendulum = pendulum_model(0.8).expect("a pendulum");
    let swung = pendulum.at_angle(std::f64::consts::PI / 12.0).to_vec();
    let pendulum: Arc<dyn Lagrangian> = Arc::new(pendulum);
    for (model, q0, h, n) in [(block, vec![0.0, 1.0, 0.2], 1e-2, 500), (pendulum, swung, 1e-3, 3000)] {
        let (_, plain) = advance(&mut ggl(Arc::clone(&model), false), &*model, &q0, &[0.0; 3], h, n);
        let mut stepper = ggl(Arc::clone(&model), false);
        stepper.sequential = true;
        let (_, state) = advance(&mut stepper, &*model, &q0, &[0.0; 3], h, n);
        let difference = difference(&state, &plain, h);
        println!("sequential: {difference:.1e}, {:?}", stepper.counts);
        assert!(difference <= 1e-8, "{difference:e}");
        assert!(stepper.counts.newton as usize == n, "{:?}", stepper.counts);
    }
}
