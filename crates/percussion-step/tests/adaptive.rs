//! Adaptive steps: ledgers close whatever the steps, t is exact, nothing stalls at rest, tolerances are met, refusals are told.

mod common;

use common::random_problem;
use percussion_solve::SolverOptions;
use percussion_step::measure::{Bounce, Exact, l1_unequal};
use percussion_step::problems::{Dice, Known, Recipe};
use percussion_step::{
    Ability, AdaptiveOptions, AdaptiveOrder, AdaptiveStatistics, Control, Estimate, Outcome, Problem, SCHEMES, Scheme,
    SchemeOptions, Simulation, Tolerance, Trajectory, simulate_adaptive,
};

fn ball(gap: f64) -> Problem {
    Bounce { g: 2.0, e: 0.5, gap, floor: 0.0 }.problem().expect("a ball")
}

fn run(problem: &Problem, scheme: &Scheme, options: &AdaptiveOptions, end: f64) -> (Trajectory, AdaptiveStatistics) {
    let mut run = Trajectory::new();
    let solver = SolverOptions::default();
    let (outcome, statistics) =
        simulate_adaptive(problem, scheme, solver, (1e-2, end), options, &mut run).expect("accepted");
    assert!(matches!(outcome, Outcome::Finished), "{}: {outcome:?}", scheme.name);
    (run, statistics)
}

/// Schemes whose steps may change.
fn adaptable() -> impl Iterator<Item = Scheme> {
    SCHEMES.iter().map(|entry| Scheme::named(entry.name).expect("a scheme")).filter(|scheme| {
        let options = AdaptiveOptions::new(1e-3, 1.0);
        Simulation::adaptive(&ball(1.0), scheme, SolverOptions::default(), 1e-2, 1.0, &options).is_ok()
    })
}

/// Every scheme with an identity, on random systems with damping, loads, moving walls and joints: each recorded step closes, and H
/// jumps with h only where it contains h.
#[test]
fn ledgers_close_with_changing_steps() {
    let mut jumped = Vec::new();
    for scheme in adaptable() {
        let (mut worst, mut steps, mut impulses, mut jump) = (0.0_f64, 0, 0, 0.0_f64);
        for k in 0..24 {
            let dense = ["ggl", "modified", "smooth", "energy"].iter().any(|x| scheme.name.contains(x));
            let recipe = Recipe { walls_move: !dense && k % 2 == 0, joints: (k % 3) as usize, ..Recipe::USUAL };
            let problem = random_problem(&mut Dice(4000 + k), recipe);
            let options = AdaptiveOptions { step_max: 0.1, ..AdaptiveOptions::new(1e-3, 1.0) };
            // naive schemes and contacts at position level may fail or stall on purpose
            let mut record = Trajectory::new();
            let times = (1e-2, 1.0);
            let result = simulate_adaptive(&problem, &scheme, SolverOptions::default(), times, &options, &mut record);
            let Ok((outcome, statistics)) = result else { continue };
            if !scheme.name.starts_with("naive") && !scheme.name.contains("smooth") && !scheme.name.contains("modified")
            {
                assert!(matches!(outcome, Outcome::Finished), "{} system {k}: {outcome:?}", scheme.name);
            }
            let largest = record.ledger.iter().fold(1e-3_f64, |s, e| s.max(e.energy().abs()));
            if percussion_step::Guarantee::new(&scheme, &problem.model).has_identity() {
                for entry in &record.ledger {
                    worst = worst.max(entry.balance.abs() / largest);
                }
            }
            jump = jump.max(statistics.energy_jump / largest);
            steps += record.len();
            impulses += record.contacts.iter().filter(|(_, c)| c.p > 0.0).count();
        }
        println!("{:<32} residual {worst:.1e}, {steps} steps, {impulses} impulses, H jumps {jump:.1e}", scheme.name);
        assert!(worst <= 1e-11, "{}: {worst:e}", scheme.name);
        assert!(steps > 500 && impulses > 50, "{}: {steps} steps, {impulses} impulses", scheme.name);
        assert_eq!(jump > 1e-13, scheme.facts().has(Ability::EnergyOfStep), "{}: {jump:e}", scheme.name);
        jumped.extend((jump > 1e-13).then_some(scheme.name));
    }
    assert!(jumped.contains(&"generalized-alpha") && jumped.contains(&"d0-constant"), "{jumped:?}");
}

/// t rises to the very end, differences of t are the steps bit by bit, and a second run is the same.
#[test]
fn times_are_exact_and_runs_repeat() {
    let problem = ball(0.93);
    for end in [4.0, 3.7, 0.123_456_789] {
        let options = AdaptiveOptions::new(1e-5, end);
        let (a, statistics) = run(&problem, &Scheme::moreau_jean(0.5), &options, end);
        assert_eq!(*a.t.last().expect("rows"), end);
        // the ball's free flight is exact, so v_{k+1} − v_k = −2 h to the round-off of v tells h
        let smallest = a.t.windows(2).map(|t| t[1] - t[0]).fold(f64::MAX, f64::min);
        assert_eq!(smallest, statistics.smallest_step, "a difference of two times is the step itself");
        assert!(a.t.windows(2).all(|t| t[1] > t[0]));
        let (b, again) = run(&problem, &Scheme::moreau_jean(0.5), &options, end);
        assert!(a == b && statistics == again);
    }
}

/// A step in which the run is told to stop leaves no trace, in equal and in adaptive steps: what goes on afterwards is the run nobody
/// interrupted, counts included.
///
/// The bug: solvers that are told to stop end early with what they have, and such a step was recorded, off by up to 1e-3.
#[test]
fn interrupted_steps_leave_no_trace() {
    use percussion_solve::Stop as Cut;
    use percussion_step::{PackPart, Stop};
    use std::sync::{Arc, atomic::AtomicBool};
    let (problem, scheme, options) = (ball(0.93), Scheme::moreau_jean(0.5), AdaptiveOptions::new(1e-4, 2.0));
    let start = |adaptive: bool| {
        let solver = SolverOptions::default();
        match adaptive {
            true => Simulation::adaptive(&problem, &scheme, solver, 1e-2, 2.0, &options).expect("accepted"),
            false => Simulation::new(&problem, &scheme, solver, 1e-2).expect("accepted"),
        }
    };
    let packed = |simulation: &Simulation| {
        let mut bytes = Vec::new();
        simulation.pack_part(&mut bytes);
        bytes
    };
    for adaptive in [false, true] {
        let (mut whole, mut cut) = (start(adaptive), start(adaptive));
        let (mut rows, mut again) = (Trajectory::new(), Trajectory::new());
        assert!(matches!(whole.run(60, &mut rows), Outcome::Finished));
        let flag = Arc::new(AtomicBool::new(false));
        cut.stop_when(&Cut::when(Arc::clone(&flag)));
        for _ in 0..30 {
            assert!(matches!(cut.run(2, &mut again), Outcome::Finished));
            let before = packed(&cut);
            flag.store(true, std::sync::atomic::Ordering::Relaxed);
            // half a pair of adaptive steps that waits is handed on: it was made before
            let (number, outcome) = (cut.number(), cut.run(1, &mut Trajectory::new()));
            assert!(matches!(outcome, Outcome::Stopped(Stop::Interrupted)), "{outcome:?}");
            assert!(cut.number() == number && packed(&cut) == before);
            flag.store(false, std::sync::atomic::Ordering::Relaxed);
        }
        assert!(rows == again, "adaptive: {adaptive}");
        assert_eq!(whole.adaptive_statistics(), cut.adaptive_statistics());
    }
}

/// A rejected attempt leaves no trace: the accepted steps, made again by hand one size at a time, give the same bits.
#[test]
fn rejected_steps_leave_no_trace() {
    let problem = ball(1.07);
    let (record, statistics) = run(&problem, &Scheme::moreau_jean(0.5), &AdaptiveOptions::new(1e-4, 3.2), 3.2);
    assert!(statistics.rejected > 20, "{statistics:?}");
    // M = 1, K = 0: v_free = v − 2h, contact when g + h v ≤ 1e-9 h push, q⁺ = q + h (v + v⁺)/2
    let (mut q, mut v, mut push, mut pushes) = (1.07, 0.0, 0.0, 0);
    for k in 1..record.len() {
        let h: f64 = record.t[k] - record.t[k - 1];
        let free = v - 2.0 * h;
        let mut p = 0.0;
        if q + h * v <= 1e-9 * h * push {
            let e = if v > 0.0 { 1.0 } else { 0.5 };
            p = f64::max(0.0, -(free + e * v));
            pushes += usize::from(p > 0.0);
        }
        let after = v + (-2.0 * h + p);
        q += h * (v + 0.5 * (after - v));
        (v, push) = (after, p);
        assert!((q - record.q(k)[0]).abs() < 1e-13 && (v - record.v(k)[0]).abs() < 1e-13, "row {k}");
    }
    assert!(pushes > 10);
}

/// Smaller tolerances give smaller errors for proportionate work, and at rest steps grow to the largest allowed: no stall.
#[test]
fn errors_follow_tolerances_and_rest_is_cheap() {
    let exact = Bounce { g: 2.0, e: 0.5, gap: 1.03, floor: 0.0 };
    let mut last = f64::MAX;
    for tolerance in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6] {
        for order in [AdaptiveOrder::Fixed(0), AdaptiveOrder::Fixed(1), AdaptiveOrder::Variable] {
            let end = 50.0;
            let options = AdaptiveOptions { order, step_max: 0.5, ..AdaptiveOptions::new(tolerance, end) };
            let (record, statistics) = run(&ball(1.03), &Scheme::moreau_jean(0.5), &options, end);
            let q: Vec<f64> = record.t.iter().map(|&t| exact.q(t)[0]).collect();
            let error = l1_unequal(&record.t[..], &record.q, &q);
            println!("{tolerance:.0e} {order:?}: error {error:.1e}, {statistics:?}");
            // 47 s of rest in steps of at most ½ s, and three seconds of bounces
            assert!(statistics.solves < 2000, "{statistics:?}");
            assert_eq!(statistics.forced, 0);
            assert_eq!(statistics.largest_step, 0.25);
            // rest: nothing moves, and the depth is what a few bounces added, each at most its tolerance
            let end = record.len() - 1;
            assert!(record.v(end)[0].abs() < 1e-12 && record.q(end)[0].abs() <= 5.0 * tolerance);
            // that depth during 47 s is most of the error
            assert!(error <= 5.0 * 50.0 * tolerance);
            if order == AdaptiveOrder::Variable {
                assert!(error < last);
                last = error;
            }
        }
    }
}

/// Euler's rule beside the trapezoidal one tells of impacts too: one step computed for an attempt, and an error that follows the tolerance, under
/// schemes at velocity level and under those that close gaps. What is recorded closes.
#[test]
fn an_embedded_pair_estimates() {
    let exact = Bounce { g: 2.0, e: 0.5, gap: 1.03, floor: 0.0 };
    for name in ["moreau-jean", "newmark", "landing", "energy-momentum"] {
        let scheme = Scheme::named(name).expect("a scheme");
        for tolerance in [1e-2, 1e-3, 1e-4, 1e-5] {
            let options = AdaptiveOptions { estimate: Estimate::Embedded, ..AdaptiveOptions::new(tolerance, 4.0) };
            let (record, statistics) = run(&ball(1.03), &scheme, &options, 4.0);
            let q: Vec<f64> = record.t.iter().map(|&t| exact.q(t)[0]).collect();
            let error = l1_unequal(&record.t[..], &record.q, &q);
            println!("{name} {tolerance:.0e}: error {error:.1e}, {statistics:?}");
            assert_eq!(statistics.solves, statistics.accepted + statistics.rejected + statistics.failed);
            assert_eq!(record.len() as u64, statistics.accepted + 1);
            assert!(statistics.forced == 0 && error <= 20.0 * tolerance, "{name} {tolerance}: {error} {statistics:?}");
            for entry in &record.ledger {
                assert!(entry.balance.abs() <= 1e-13, "{name}: {}", entry.balance);
            }
        }
    }
}

/// `predicted-and-closing` never rests for 0 < e < 1; it still does not stall.
#[test]
fn a_body_that_never_rests_does_not_stall() {
    let options = SchemeOptions { activation: Some("predicted-and-closing".into()), ..Default::default() };
    let scheme = Scheme::resolve("moreau-jean", &options).expect("a scheme").0;
    for violation in [false, true] {
        let adaptive = AdaptiveOptions { violation, ..AdaptiveOptions::new(1e-3, 20.0) };
        let (_, statistics) = run(&ball(1.0), &scheme, &adaptive, 20.0);
        println!("violation {violation}: {statistics:?}");
        assert!(statistics.solves < 60_000 && statistics.forced == 0, "{statistics:?}");
    }
}

/// Velocities in control as well cost more: the error of v at an impact is of the order of the load times h, that of q of h².
#[test]
fn controlled_velocities_cost_more() {
    for tolerance in [1e-3, 1e-4, 1e-5] {
        let solves = |control| {
            let adaptive = AdaptiveOptions { control, ..AdaptiveOptions::new(tolerance, 4.0) };
            run(&ball(1.0), &Scheme::moreau_jean(0.5), &adaptive, 4.0).1.solves
        };
        let (positions, both) = (solves(Control::Positions), solves(Control::Both));
        println!("{tolerance:.0e}: {positions} steps computed for q, {both} for q and v");
        assert!(both > positions);
    }
}

/// Tolerances per quantity: a loose one frees the step, a tight one on the same coordinate binds it.
#[test]
fn tolerances_per_quantity() {
    let problem = random_problem(&mut Dice(7), Recipe { n: (5, 5), ..Recipe::USUAL });
    let scheme = Scheme::moreau_jean(0.5);
    let solves = |q: Vec<f64>| {
        let atol = Tolerance { q, ..Tolerance::all(1e-2) };
        let options = AdaptiveOptions { atol, rtol: Tolerance::all(0.0), ..AdaptiveOptions::new(1e-2, 1.0) };
        run(&problem, &scheme, &options, 1.0).1.solves
    };
    let (loose, one, all) = (solves(vec![1e-2]), solves(vec![1e-5, 1e-2, 1e-2, 1e-2, 1e-2]), solves(vec![1e-5]));
    assert!(loose < one && loose < all, "{loose} {one} {all}");
}

/// Each nonsense is refused with its field.
#[test]
fn nonsense_is_refused() {
    let base = AdaptiveOptions::new(1e-3, 4.0);
    let cases: Vec<(AdaptiveOptions, &str, &str)> = vec![
        (AdaptiveOptions { order: AdaptiveOrder::Fixed(3), ..base.clone() }, "moreau-jean", "E156"),
        (AdaptiveOptions { atol: Tolerance::all(-1.0), ..base.clone() }, "moreau-jean", "E156"),
        (AdaptiveOptions { atol: Tolerance::all(0.0), ..base.clone() }, "moreau-jean", "E156"),
        (AdaptiveOptions { step_min: 0.0, ..base.clone() }, "moreau-jean", "E156"),
        (AdaptiveOptions { step_min: 1.0, step_max: 0.5, ..base.clone() }, "moreau-jean", "E156"),
        (AdaptiveOptions { alpha: 1.5, ..base.clone() }, "moreau-jean", "E156"),
        (
            AdaptiveOptions { atol: Tolerance { q: vec![1e-3; 4], ..Tolerance::all(1e-3) }, ..base.clone() },
            "moreau-jean",
            "E111",
        ),
        (base.clone(), "schatzman-paoli", "E155"),
        (AdaptiveOptions { extrapolate: true, ..base.clone() }, "newmark", "E155"),
        (AdaptiveOptions { estimate: Estimate::Embedded, control: Control::Both, ..base.clone() }, "newmark", "E155"),
        (AdaptiveOptions { estimate: Estimate::Embedded, ..base.clone() }, "generalized-alpha", "E155"),
        (
            AdaptiveOptions { estimate: Estimate::Embedded, order: AdaptiveOrder::Fixed(2), ..base.clone() },
            "moreau-jean",
            "E152",
        ),
    ];
    for (options, name, code) in cases {
        let scheme = Scheme::named(name).expect("a scheme");
        let refused = Simulation::adaptive(&ball(1.0), &scheme, SolverOptions::default(), 1e-2, 4.0, &options);
        let error = refused.err().unwrap_or_else(|| panic!("{options:?} was accepted"));
        assert_eq!(error.code.as_str(), code, "{error}");
        assert!(error.field.starts_with("time.adaptive"), "{}", error.field);
    }
}
