//! Friction on systems small enough to check by hand: one impact, one stop, a slope, a box, a scan of impacts.

mod common;

use common::{parts, start};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_model::{LinearModel, LinearParts, Signal};
use percussion_solve::SolverOptions;
use percussion_step::problems::{incline, linear, masses, rough_contact};
use percussion_step::{
    Activation, ContactStatus, FrictionLaw, Guarantee, Problem, Scheme, SchemeOptions, Simulation, Step,
};

const LAWS: [FrictionLaw; 3] = [FrictionLaw::Checked, FrictionLaw::Newton, FrictionLaw::Fremond];

/// A uniform rod (m = 1, half length 1) at 45° that lands on its lower end.
fn rod() -> Problem {
    let c = 0.5_f64.sqrt();
    let contacts = vec![rough_contact(&[0.0, 1.0, -c], &[&[1.0, 0.0, c]], 0.0, 0.9, 1.0)];
    let parts = LinearParts { contacts, ..masses(&[1.0, 1.0, 1.0 / 3.0], &[0.0; 3]) };
    linear(parts, &[0.0; 3], &[0.57, -1.0, 0.0]).expect("a rod")
}

/// The canonical counterexample, by hand: Newton's law E .66245 → .71529375 with p = (.97375, .35625), u⁺ = (.9, 0);
/// Frémond's → .62445 with p = (.76, 0), u⁺ = (.9, −.57); the checked rule sees an impact.
#[test]
fn the_slanted_rod() {
    for (law, energy, p, u) in [
        (FrictionLaw::Newton, 0.71529375, (0.97375, 0.35625), (0.9, 0.0)),
        (FrictionLaw::Fremond, 0.62445, (0.76, 0.0), (0.9, -0.57)),
        (FrictionLaw::Checked, 0.62445, (0.76, 0.0), (0.9, -0.57)),
    ] {
        let scheme = Scheme::moreau_jean(0.5).with_friction_law(law);
        let problem = rod();
        let mut simulation = start(&problem, &scheme, 1e-2);
        assert!((simulation.initial_ledger().energy() - 0.66245).abs() < 1e-15);
        let step = simulation.advance().expect("a step");
        let (c, f) = (step.contacts[0], step.friction[0]);
        assert!((step.ledger.energy() - energy).abs() < 1e-14, "{law:?}: {}", step.ledger.energy());
        for (found, expected) in [(c.p, p.0), (f.p[0], p.1), (c.u_after, u.0), (f.u_after[0], u.1)] {
            assert!((found - expected).abs() < 1e-14, "{law:?}: {found} for {expected}");
        }
        assert_eq!(f.status, ContactStatus::Stick);
        assert!(step.ledger.balance.abs() < 1e-15);
        assert_eq!(Guarantee::new(&scheme, &problem.model).holds, law != FrictionLaw::Newton);
        assert_eq!(step.info.impacts, usize::from(law == FrictionLaw::Checked));
    }
}

/// x after 100 steps of 10 ms beside an independent implementation (8 digits printed), and the velocity left: Frémond's law
/// alone turns 6.2e-4 m/s back and forth for ever at θ = ½, the checked rule stops.
#[test]
fn the_sliding_block_stops() {
    let exact = 1.0 / (2.0 * 0.3 * 9.81);
    for (law, theta, x) in [
        (FrictionLaw::Fremond, 0.5, 0.16989460),
        (FrictionLaw::Fremond, 0.55, 0.16939429),
        (FrictionLaw::Fremond, 0.6, 0.16889398),
        (FrictionLaw::Fremond, 1.0, 0.16489770),
        (FrictionLaw::Newton, 0.5, 0.16989770),
        (FrictionLaw::Checked, 0.5, 0.16989770),
    ] {
        for activation in [Activation::PredictedAndClosing, Activation::Hold] {
            let scheme = Scheme::moreau_jean(theta).with_friction_law(law).with_activation(activation);
            let mut simulation = start(&incline(0.0, 0.3, 1.0).expect("a block"), &scheme, 1e-2);
            for _ in 0..100 {
                simulation.advance().expect("a step");
            }
            let state = simulation.state();
            assert!((state.q[0] - x).abs() < 6e-9, "{law:?} θ = {theta}: {}", state.q[0]);
            if theta == 0.5 {
                assert!((state.q[0] - exact).abs() < 4e-6);
                let left = if law == FrictionLaw::Fremond { 6.2e-4 } else { 0.0 };
                assert!((state.v[0].abs() - left).abs() < 1e-12, "{law:?}: {}", state.v[0]);
            }
        }
    }
}

/// On a slope of 20° a block with μ = .5 > tan 20° stops and stays; with μ = .2 it slides at g(sin − μ cos) exactly.
#[test]
fn a_slope_of_20_degrees() {
    let slope = 20_f64.to_radians();
    for law in LAWS {
        let scheme = Scheme::moreau_jean(0.5).with_friction_law(law);
        let mut simulation = start(&incline(slope, 0.5, 0.1).expect("a block"), &scheme, 1e-2);
        for _ in 0..200 {
            let step = simulation.advance().expect("a step");
            assert!(step.ledger.work_contact <= 1e-15 || law == FrictionLaw::Newton);
        }
        let v = simulation.state().v[0].abs();
        if law == FrictionLaw::Fremond {
            assert!(v > 1e-5, "Frémond's law alone keeps turning: {v}");
        } else {
            assert!(v < 1e-14, "{law:?}: {v}");
        }
        let mut simulation = start(&incline(slope, 0.2, 0.1).expect("a block"), &scheme, 1e-2);
        for _ in 0..200 {
            simulation.advance().expect("a step");
        }
        let a = 9.81 * (slope.sin() - 0.2 * slope.cos());
        assert!((simulation.state().v[0] - (0.1 + a * 2.0)).abs() < 1e-12);
        assert!((simulation.state().q[0] - (0.2 + 0.5 * a * 4.0)).abs() < 1e-12, "{law:?}");
    }
}

/// A block pulled to and fro by A sin 4t N against friction of 2.943 N.
fn driven(law: FrictionLaw, amplitude: f64, h: f64) -> (Vec<f64>, f64, usize, usize) {
    let mut parts = parts(&incline(0.0, 0.3, 0.0).expect("a block"));
    parts.force[0] = Signal::harmonic(0.0, amplitude, 4.0, 0.0);
    let problem = linear(parts, &[0.0; 2], &[0.0; 2]).expect("a block");
    let mut simulation = start(&problem, &Scheme::moreau_jean(0.5).with_friction_law(law), h);
    let (mut x, mut work, mut fallbacks, mut stuck) = (vec![0.0], 0.0_f64, 0, 0);
    for _ in 0..(6.0 / h).round() as usize {
        let step = simulation.advance().expect("a step");
        x.push(step.after.q[0]);
        work = work.max(step.ledger.work_contact);
        fallbacks += step.info.fallbacks;
        stuck += usize::from(step.friction[0].status == ContactStatus::Stick);
    }
    (x, work, fallbacks, stuck)
}

/// With A = 4 N the block sticks between its slips; the integral error falls by more than four when the step falls by eight.
#[test]
fn stick_slip_converges() {
    let fine = driven(FrictionLaw::Checked, 4.0, 6.25e-5).0;
    let mut errors = Vec::new();
    for h in [1e-2, 1.25e-3] {
        let (x, work, _, stuck) = driven(FrictionLaw::Checked, 4.0, h);
        let every = (h / 6.25e-5).round() as usize;
        errors.push(x.iter().enumerate().map(|(k, x)| h * (x - fine[k * every]).abs()).sum::<f64>());
        assert!(work <= 1e-15 && stuck as f64 * h > 1.0, "{work:e}, {stuck}");
    }
    println!("integral errors {errors:?}");
    assert!(errors[0] < 1e-3 && errors[1] < 0.25 * errors[0], "{errors:?}");
}

/// With A = 6 N the block turns back while it slides. There Coulomb's law at the end of the step gains, O(h²) at each turn; the
/// checked rule gains nowhere, with a few recorded fallbacks.
#[test]
fn turning_back_does_not_gain() {
    let (_, work, ..) = driven(FrictionLaw::Newton, 6.0, 1e-2);
    let (_, finer, ..) = driven(FrictionLaw::Newton, 6.0, 2.5e-3);
    println!("newton gains {work:.2e} at h = 1e-2, {finer:.2e} at 2.5e-3");
    assert!(work > 1e-6 && finer < 0.25 * work, "{work:e} {finer:e}");
    let (_, work, fallbacks, _) = driven(FrictionLaw::Checked, 6.0, 1e-2);
    assert!(work <= 1e-15 && (1..=10).contains(&fallbacks), "{work:e}, {fallbacks} fallbacks");
}

/// A box of 1 × .6 × .4 m on its four lower corners, as a linear system in small rotations; tilted gravity.
fn box_on_four_corners(e: f64, mu: f64, height: f64) -> Problem {
    let (a, b, c, m) = (0.5, 0.3, 0.2, 2.0);
    let inertia = |x: f64, y: f64| m * (x * x + y * y) / 3.0;
    let corners = [(a, b), (-a, b), (-a, -b), (a, -b)];
    // velocity of a corner r = (x, y, −c): v + ω × r
    let contacts = corners.map(|(x, y)| {
        rough_contact(
            &[0.0, 0.0, 1.0, y, -x, 0.0],
            &[&[1.0, 0.0, 0.0, 0.0, -c, -y], &[0.0, 1.0, 0.0, c, 0.0, x]],
            0.0,
            e,
            mu,
        )
    });
    let mass = [m, m, m, inertia(b, c), inertia(a, c), inertia(a, b)];
    let force = [0.2 * m * 9.81, 0.1 * m * 9.81, -m * 9.81, 0.0, 0.0, 0.0];
    let parts = LinearParts { contacts: contacts.to_vec(), ..masses(&mass, &force) };
    linear(parts, &[0.0, 0.0, height, 0.0, 0.0, 0.0], &[0.3, -0.2, 0.0, 0.2, 0.1, 0.4]).expect("a box")
}

/// Four coplanar corners: normal impulses are not unique, and a static problem solved at a vertex would leave a corner without
/// load and call every step an impact. Dropped and sliding, the box comes to rest and sticks on all corners.
#[test]
fn a_box_on_four_corners_sticks() {
    for e in [0.0, 0.3, 0.5] {
        for scheme in ["moreau-jean", "newmark", "generalized-alpha"] {
            let scheme = Scheme::named(scheme).expect("a scheme");
            let mut simulation = start(&box_on_four_corners(e, 0.5, 0.02), &scheme, 2e-3);
            let mut impacts = 0;
            for k in 0..1500 {
                let step: &Step = simulation.advance().unwrap_or_else(|failure| panic!("e = {e}: {failure}"));
                assert!(step.ledger.created() <= 1e-12, "e = {e} {}: {:e}", scheme.name, step.ledger.created());
                if k >= 1000 {
                    impacts += step.info.impacts + step.info.fallbacks;
                    assert_eq!(step.contacts.len(), 4);
                    for f in &step.friction {
                        let u = f.u_after[0].hypot(f.u_after[1]);
                        assert!(u <= 1e-8, "e = {e} {} step {k}: slides at {u:e}", scheme.name);
                        assert_ne!(f.status, ContactStatus::Slip);
                    }
                }
            }
            assert_eq!(impacts, 0, "e = {e}, {}: no step at rest is an impact", scheme.name);
        }
    }
}

/// A disk (R = .1, rim at 5 m/s) dropped from 1 m with μ = 1: at the first bounce the rim sticks; Frémond's law and the checked rule
/// reverse its velocity (−5 exactly), Newton's stops it. At the end the checked rule rolls, Frémond's rim still moves.
#[test]
fn the_spinning_disk() {
    let contacts = vec![rough_contact(&[0.0, 1.0, 0.0], &[&[1.0, 0.0, 0.1]], 0.0, 0.5, 1.0)];
    let parts = LinearParts { contacts, ..masses(&[1.0, 1.0, 0.005], &[0.0, -9.81, 0.0]) };
    let disk = linear(parts, &[0.0, 1.0, 0.0], &[0.0, 0.0, 50.0]).expect("a disk");
    for (law, bounce) in [(FrictionLaw::Checked, -5.0), (FrictionLaw::Fremond, -5.0), (FrictionLaw::Newton, 0.0)] {
        let mut simulation = start(&disk, &Scheme::moreau_jean(0.5).with_friction_law(law), 1e-3);
        let mut first = None;
        let mut last = f64::NAN;
        for _ in 0..4000 {
            let step = simulation.advance().expect("a step");
            if let (Some(c), Some(f)) = (step.contacts.first(), step.friction.first())
                && c.p > 0.0
            {
                first.get_or_insert(f.u_after[0]);
                last = f.u_after[0];
            }
        }
        assert!((first.expect("a bounce") - bounce).abs() < 1e-12, "{law:?}: {first:?}");
        if law == FrictionLaw::Fremond {
            assert!(last.abs() > 1e-3, "{last}");
        } else {
            assert!(last.abs() < 1e-12, "{law:?}: {last}");
        }
    }
}

/// Impacts of a double pendulum (two uniform rods, 1 m, 1 kg) on a rough floor, e = μ = ½: of 10039 approaching configurations Newton's
/// law gains in 366 (3.6 %), Frémond's and the checked rule in none. Kane's kind of example, not his own parameters.
#[test]
fn scan_of_the_double_pendulum() {
    let (mut cases, mut gains) = (0, [0, 0, 0]);
    for t1 in (5..=75).step_by(5) {
        for t2 in (-75..=75).step_by(5) {
            if t1 == t2 {
                // aligned rods: W is singular
                continue;
            }
            let (a, b) = (f64::from(t1).to_radians(), f64::from(t2).to_radians());
            for k in 0..=32 {
                let v = [-1.0, -4.0 + 0.25 * f64::from(k)];
                if a.sin() * v[0] + b.sin() * v[1] >= -1e-3 {
                    continue;
                }
                cases += 1;
                for (law, gains) in LAWS.into_iter().zip(&mut gains) {
                    let before = pendulum_energy(a, b, &v);
                    let after = pendulum_impact(a, b, &v, law);
                    *gains += usize::from(after > before * (1.0 + 1e-9));
                }
            }
        }
    }
    assert_eq!(cases, 10039);
    assert_eq!(gains, [0, 366, 0], "checked, newton, fremond");
}

fn pendulum_mass(a: f64, b: f64) -> DenseMatrix {
    let c = 0.5 * (a - b).cos();
    DenseMatrix::from_rows(&[vec![4.0 / 3.0, c], vec![c, 1.0 / 3.0]]).expect("2 × 2")
}

fn pendulum_energy(a: f64, b: f64, v: &[f64]) -> f64 {
    0.5 * Matrix::Dense(pendulum_mass(a, b)).bilinear(v, v)
}

fn pendulum_impact(a: f64, b: f64, v: &[f64; 2], law: FrictionLaw) -> f64 {
    let parts = LinearParts {
        mass: Matrix::Dense(pendulum_mass(a, b)),
        contacts: vec![rough_contact(&[a.sin(), b.sin()], &[&[a.cos(), b.cos()]], 0.0, 0.5, 0.5)],
        ..masses(&[1.0; 2], &[0.0; 2])
    };
    let problem = linear(parts, &[0.0; 2], v).expect("a problem");
    let mut simulation = start(&problem, &Scheme::moreau_jean(0.5).with_friction_law(law), 1e-3);
    simulation.advance().expect("a step").ledger.energy()
}

/// What is refused, and with which word.
#[test]
fn refusals() {
    for (name, word) in [
        ("naive-newmark-position", "positions"),
        ("schatzman-paoli", "positions"),
        ("smooth-generalized-alpha", "positions"),
        ("generalized-alpha-modified-lcp", "complementarity"),
        ("runge-kutta-moreau", "events"),
        ("splitting", "acceleration level"),
        ("d1-minus-linear", "acceleration level"),
    ] {
        let scheme = Scheme::named(name).expect("a scheme");
        let error = Simulation::new(&rod(), &scheme, SolverOptions::default(), 1e-3).err().expect("refused");
        assert_eq!(error.code.as_str(), "E155", "{name}");
        assert!(error.message.contains(word), "{}", error.message);
    }
    let options = SchemeOptions { friction_law: Some("newton".into()), ..Default::default() };
    let error = Scheme::resolve("moreau-jean-fremond", &options).expect_err("a contradiction");
    assert_eq!(error.code.as_str(), "E152");
    let fremond = Scheme::named("moreau-jean-fremond").expect("a scheme");
    assert_eq!(fremond.friction_law, FrictionLaw::Fremond);
    for (contact, code) in [
        (rough_contact(&[0.0, 1.0], &[&[1.0, 0.0]], 0.0, 0.0, -0.1), "E122"),
        (rough_contact(&[0.0, 1.0], &[&[1.0, 0.0]], 0.0, 0.0, f64::NAN), "E110"),
        (rough_contact(&[0.0, 1.0], &[], 0.0, 0.0, 0.1), "E122"),
        (rough_contact(&[0.0, 1.0], &[&[0.0, 0.0]], 0.0, 0.0, 0.1), "E122"),
        (rough_contact(&[0.0, 1.0], &[&[1.0, 0.5], &[-2.0, -1.0]], 0.0, 0.0, 0.1), "E122"),
        (rough_contact(&[0.0, 1.0], &[&[1.0, 0.0], &[0.5, 0.0], &[0.0, 1.0]], 0.0, 0.0, 0.1), "E122"),
        (rough_contact(&[0.0, 1.0], &[&[1.0, 0.0, 1.0]], 0.0, 0.0, 0.1), "E111"),
        (rough_contact(&[0.0, 1.0], &[&[1.0, f64::INFINITY]], 0.0, 0.0, 0.1), "E110"),
    ] {
        let parts = LinearParts { contacts: vec![contact], ..masses(&[1.0; 2], &[0.0; 2]) };
        assert_eq!(LinearModel::new(parts).expect_err("refused").code.as_str(), code);
    }
}
