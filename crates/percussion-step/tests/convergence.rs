//! Orders, by the library's own convergence test; the accumulation instant; the bar's contact force and energies.

mod common;

use common::{run, scheme};
use percussion_model::build::MassKind;
use percussion_solve::SolverOptions;
use percussion_step::measure::{BarImpact, Bounce, Free, ImpactOscillator, converge};
use percussion_step::problems::{Known, OneMass, bar};
use percussion_step::{Activation, Scheme};

const SEVEN: [&str; 7] = [
    "moreau-jean",
    "moreau-jean-midpoint",
    "newmark",
    "hht",
    "generalized-alpha",
    "kh-generalized-alpha",
    "implicit-newmark",
];

/// Steps that are not commensurate with the impacts.
fn steps(end: f64, coarsest: usize, levels: u32) -> Vec<f64> {
    (0..levels).map(|l| end / (coarsest << l) as f64).collect()
}

/// With impacts every scheme is of order 1 in L1, in q and (with more scatter) in v.
#[test]
fn order_one_with_impacts() {
    let ball = Bounce { g: 2.0, e: 0.5, gap: 1.0, floor: 0.0 };
    let oscillator = ImpactOscillator { omega: 1.0, e: 0.5, q0: 1.0 };
    let cases: [(&str, &dyn Known, f64); 2] = [("ball", &ball, 4.0), ("oscillator", &oscillator, 10.0)];
    for (case, exact, end) in cases {
        let problem = exact.problem().expect("a problem");
        for name in SEVEN {
            let scheme = Scheme::named(name).expect("a scheme");
            let steps = steps(end, 77, 9);
            let table = converge(&problem, &scheme, SolverOptions::default(), end, &steps, exact).expect("runs");
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
    let cosine = Free { omega: 1.0, acceleration: 0.0, q0: 1.0, v0: 0.0 };
    let problem = cosine.problem().expect("a problem");
    let theta = |name: &str, theta: f64| scheme(name, |o| o.theta = Some(theta));
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
        let table = converge(&problem, &scheme, SolverOptions::default(), 10.0, &steps, &cosine).expect("runs");
        let order = table.order_q().expect("a fit").order;
        println!("{:<22} {:?}: {order:.3}", scheme.name, scheme.parameters());
        assert!((order - expected).abs() < 0.05, "{} has order {order:.3}", scheme.name);
    }
}

/// The ball with g = 10, e = 0.8: the start of persistent contact tends to t∞ = 3.602249 s.
#[test]
fn accumulation_instant() {
    let exact = Bounce { g: 10.0, e: 0.8, gap: 0.801, floor: 0.2 }.accumulation();
    let problem = OneMass::ball().problem().expect("a ball");
    println!("      h    accumulation   error");
    let mut last = f64::MAX;
    for h in [2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5] {
        let run = run(&problem, &Scheme::moreau_jean(0.5), h, 4.0);
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

fn bar_schemes() -> Vec<(Scheme, f64, f64)> {
    let theta = |name: &str, theta: f64| scheme(name, |o| o.theta = Some(theta));
    let rho = |name: &str, rho: f64| scheme(name, |o| o.rho_inf = Some(rho));
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
    let exact = BarImpact::USUAL;
    for mass in [MassKind::Consistent, MassKind::Lumped] {
        for (scheme, consistent, lumped) in bar_schemes() {
            for activation in [Activation::PredictedAndClosing, Activation::Hold] {
                let scheme = scheme.clone().with_activation(activation);
                let run = run(&bar(&exact, mass).expect("a bar"), &scheme, h, 1.5);
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
