//! Orders, by the library's own convergence test; the accumulation instant; the bar's contact force and energies.

use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::build::{Bar, MassKind};
use percussion_model::{Contact, LinearModel, LinearParts, Signal};
use percussion_solve::SolverOptions;
use percussion_step::measure::{BarImpact, Bounce, Exact, ImpactOscillator, converge};
use percussion_step::{Activation, Outcome, Problem, Scheme, SchemeOptions, Trajectory, simulate};

const SEVEN: [&str; 7] = [
    "moreau-jean",
    "moreau-jean-midpoint",
    "newmark",
    "hht",
    "generalized-alpha",
    "kh-generalized-alpha",
    "implicit-newmark",
];

fn one_mass(force: f64, k: f64, q0: f64, contact: Option<(f64, f64)>) -> Problem {
    let matrix = |x: f64| Matrix::Dense(DenseMatrix::from_rows(&[vec![x]]).expect("1 × 1"));
    let contacts = contact.map(|(radius, e)| Contact {
        normal: vec![(0, 1.0)],
        offset: Signal::constant(-radius),
        restitution: e,
        ..Contact::default()
    });
    let parts = LinearParts {
        mass: matrix(1.0),
        damping: None,
        stiffness: (k != 0.0).then(|| matrix(k)),
        force: vec![Signal::constant(force)],
        contacts: contacts.into_iter().collect(),
        joints: vec![],
    };
    Problem::linear(LinearModel::new(parts).expect("a model"), vec![q0], vec![0.0]).expect("a problem")
}

/// Steps that are not commensurate with the impacts.
fn steps(end: f64, coarsest: usize, levels: u32) -> Vec<f64> {
    (0..levels).map(|l| end / (coarsest << l) as f64).collect()
}

/// With impacts every scheme is of order 1 in L1, in q and (with more scatter) in v.
#[test]
fn order_one_with_impacts() {
    let ball = Bounce { g: 2.0, e: 0.5, gap: 1.0, floor: 0.0 };
    let oscillator = ImpactOscillator { omega: 1.0, e: 0.5, q0: 1.0 };
    let cases: [(&str, Problem, &dyn Exact, f64); 2] = [
        ("ball", one_mass(-2.0, 0.0, 1.0, Some((0.0, 0.5))), &ball, 4.0),
        ("oscillator", one_mass(0.0, 1.0, 1.0, Some((0.0, 0.5))), &oscillator, 10.0),
    ];
    for (case, problem, exact, end) in &cases {
        for name in SEVEN {
            let scheme = Scheme::named(name).expect("a scheme");
            let steps = steps(*end, 77, 9);
            let table = converge(problem, &scheme, SolverOptions::default(), *end, &steps, *exact).expect("runs");
            let (q, v) = (table.order_q().expect("a fit"), table.order_v().expect("a fit"));
            println!("{case:<11} {name:<22} q {:.2} ± {:.2}   v {:.2} ± {:.2}", q.order, q.scatter, v.order, v.scatter);
            // the impact phase scatters errors; ±0.25 is three times the largest standard error met
            assert!((q.order - 1.0).abs() <= 0.25, "{case} {name}: order of q {:.3}", q.order);
            assert!((v.order - 1.0).abs() <= 0.25, "{case} {name}: order of v {:.3}", v.order);
        }
    }
}

/// q = cos t without a wall: order 2 where the scheme has it, 1 where it dissipates to first order.
#[test]
fn order_two_on_smooth_motion() {
    struct Cosine;
    impl Exact for Cosine {
        fn q(&self, t: f64) -> Vec<f64> {
            vec![t.cos()]
        }
        fn v(&self, t: f64) -> Vec<f64> {
            vec![-t.sin()]
        }
    }
    let problem = one_mass(0.0, 1.0, 1.0, None);
    let theta = |name: &str, theta: f64| {
        Scheme::resolve(name, &SchemeOptions { theta: Some(theta), ..Default::default() }).expect("a scheme").0
    };
    let named = |name: &str| Scheme::named(name).expect("a scheme");
    let cases = [
        (theta("moreau-jean", 0.5), 2.0),
        (theta("moreau-jean", 1.0), 1.0),
        (theta("moreau-jean-midpoint", 0.5), 2.0),
        (theta("moreau-jean-midpoint", 1.0), 1.0),
        (named("newmark"), 2.0),
        (named("hht"), 2.0),
        (named("generalized-alpha"), 2.0),
        (named("kh-generalized-alpha"), 2.0),
        (named("implicit-newmark"), 1.0),
    ];
    for (scheme, expected) in cases {
        let steps = steps(10.0, 200, 6);
        let table = converge(&problem, &scheme, SolverOptions::default(), 10.0, &steps, &Cosine).expect("runs");
        let order = table.order_q().expect("a fit").order;
        println!("{:<22} {:?}: {order:.3}", scheme.name, scheme.parameters());
        assert!((order - expected).abs() < 0.05, "{} has order {order:.3}", scheme.name);
    }
}

/// The ball with g = 10, e = 0.8: the start of persistent contact tends to t∞ = 3.602249 s.
#[test]
fn accumulation_instant() {
    let exact = Bounce { g: 10.0, e: 0.8, gap: 0.801, floor: 0.2 }.accumulation();
    let problem = one_mass(-10.0, 0.0, 1.001, Some((0.2, 0.8)));
    println!("      h    accumulation   error");
    let mut last = f64::MAX;
    for h in [2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5] {
        let mut run = Trajectory::new();
        let scheme = Scheme::moreau_jean(0.5);
        let outcome = simulate(&problem, &scheme, SolverOptions::default(), h, 4.0, &mut run).expect("accepted");
        assert!(matches!(outcome, Outcome::Finished));
        let p = run.impulses(0);
        // contact in every step from here on
        let first = p.len() - p.iter().rev().take_while(|p| **p > 0.0).count();
        let error = run.t[first] - exact;
        println!("{h:>9.0e} {:>12.6} {error:>+10.2e}", run.t[first]);
        // every bounce longer than a step, 2 eⁿ v₁/g > h, is late or early by at most one step
        let bounces = (2.0 * 4.0025 / 10.0 / h).ln() / (1.0_f64 / 0.8).ln();
        assert!(error.abs() <= bounces * h, "h = {h}: {error:e}");
        assert!(error.abs() < last, "h = {h}: the error must shrink");
        last = error.abs();
    }
}

fn bar(mass: MassKind) -> Problem {
    let bar = Bar { young: 900.0, density: 1.0, area: 1.0, length: 10.0, elements: 200, mass };
    let (M, K) = bar.matrices().expect("a bar");
    let parts = LinearParts {
        mass: M,
        damping: None,
        stiffness: Some(K),
        force: vec![Signal::constant(0.0); 201],
        contacts: vec![Contact {
            normal: vec![(0, 1.0)],
            offset: Signal::constant(5.005),
            restitution: 0.0,
            ..Contact::default()
        }],
        joints: vec![],
    };
    Problem::linear(LinearModel::new(parts).expect("a model"), vec![0.0; 201], vec![-10.0; 201]).expect("a problem")
}

fn bar_schemes() -> Vec<(Scheme, f64, f64)> {
    let theta = |name: &str, theta: f64| {
        Scheme::resolve(name, &SchemeOptions { theta: Some(theta), ..Default::default() }).expect("a scheme").0
    };
    let rho = |name: &str, rho: f64| {
        Scheme::resolve(name, &SchemeOptions { rho_inf: Some(rho), ..Default::default() }).expect("a scheme").0
    };
    // energies at T = 1.5 of the reference, consistent and lumped mass
    vec![
        (theta("moreau-jean", 0.5), 498.335418, 498.047438),
        (theta("moreau-jean", 1.0 / 1.8), 476.923693, 476.749173),
        (theta("moreau-jean", 1.0), 430.936679, 430.928646),
        (theta("moreau-jean-midpoint", 1.0), 451.254154, 451.239740),
        (rho("generalized-alpha", 0.6), 495.781899, 495.726664),
        (rho("generalized-alpha", 0.8), 497.437923, 497.338504),
        (rho("kh-generalized-alpha", 0.8), 497.437923, 497.338504),
        (Scheme::named("implicit-newmark").expect("a scheme"), 451.244820, 451.227306),
    ]
}

/// Contact force 300 N ± 0.5 % over the middle half of the contact, duration 2/3 s within 3h, energies of the reference to
/// its digits under the papers' rule; force and duration also under `hold`.
#[test]
fn bar_force_duration_and_energy() {
    let h = 2e-3;
    let exact = BarImpact { c: 30.0, length: 10.0, v0: 10.0, d0: 5.005, nodes: 201 };
    for mass in [MassKind::Consistent, MassKind::Lumped] {
        for (scheme, consistent, lumped) in bar_schemes() {
            for activation in [Activation::PredictedAndClosing, Activation::Hold] {
                let scheme = scheme.clone().with_activation(activation);
                let mut run = Trajectory::new();
                let outcome = simulate(&bar(mass), &scheme, SolverOptions::default(), h, 1.5, &mut run);
                assert!(matches!(outcome.expect("accepted"), Outcome::Finished));
                let p = run.impulses(0);
                let pushing: Vec<usize> = (0..p.len()).filter(|&k| p[k] > 0.0).collect();
                let (first, last) = (pushing[0], pushing[pushing.len() - 1]);
                let quarter = (last - first) / 4;
                let middle = &p[first + quarter..last - quarter];
                let force = middle.iter().sum::<f64>() / middle.len() as f64 / h;
                let lasts = (last - first + 1) as f64 * h;
                let energy = run.ledger[run.len() - 1].energy();
                println!(
                    "{mass:?} {:<22} {:<22} force {force:.4} lasts {lasts:.4} energy {energy:.6}",
                    scheme.name,
                    activation.name()
                );
                assert!((force - 300.0).abs() <= 1.5, "{} {activation:?}: force {force}", scheme.name);
                assert!((lasts - exact.contact_lasts()).abs() <= 3.0 * h + 1e-12, "{}: lasts {lasts}", scheme.name);
                if activation == Activation::PredictedAndClosing {
                    let expected = if mass == MassKind::Consistent { consistent } else { lumped };
                    assert!((energy - expected).abs() <= 1e-6, "{}: {energy} for {expected}", scheme.name);
                }
            }
        }
    }
}
