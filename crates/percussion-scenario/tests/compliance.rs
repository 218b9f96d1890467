//! Contacts that give way, linear and by Hertz, with damping: against closed forms, with a ledger that closes and momenta that stay.

use percussion_model::Code;
use percussion_scenario::{LoadOptions, load_text, scenario_text};
use percussion_step::Step;
use std::f64::consts::PI;

const SCHEMES: [&str; 2] = ["moreau-jean", "energy-momentum"];

fn options(scheme: &str, step: f64) -> LoadOptions {
    LoadOptions { scheme: Some(scheme.into()), step: Some(step), ..LoadOptions::default() }
}

fn steps(text: &str, scheme: &str, h: f64, end: f64) -> Vec<Step> {
    let loaded = load_text("soft.toml", text, &options(scheme, h)).unwrap_or_else(|e| panic!("{scheme}: {e}\n{text}"));
    let written = scenario_text(&loaded.scenario).0;
    let again = load_text("again.toml", &written, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(scenario_text(&again.scenario).0, written);
    let mut run = loaded.simulation;
    (0..(end / h).round() as usize).map(|_| run.advance().unwrap_or_else(|e| panic!("{scheme}: {e}")).clone()).collect()
}

/// Every ledger closes, no step creates energy, and contacts and dampers only take.
fn check_ledgers(steps: &[Step], what: &str) {
    let scale = steps.iter().map(|s| s.ledger.kinetic.abs() + s.ledger.potential.abs()).fold(0.0, f64::max);
    for s in steps {
        let entry = &s.ledger;
        assert!(entry.balance.abs() <= 1e-12 * scale, "{what}: t = {}: open by {:e}", s.after.t, entry.balance);
        assert!(entry.created() <= 1e-12 * scale, "{what}: t = {}: created {:e}", s.after.t, entry.created());
        assert!(entry.work_damping <= 1e-13 * scale, "{what}: dampers give {:e}", entry.work_damping);
        assert!(entry.work_contact <= 1e-10 * scale, "{what}: contacts give {:e}", entry.work_contact);
    }
}

/// A ball of 2 kg, 10 cm, meets a plane at 1 m/s without gravity.
fn ball(compliance: &str) -> String {
    format!(
        "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, 0.0]\ncompliance = {{ {compliance} }}\n[[body]]\nname = \"plane\"\n\
         shape = {{ kind = \"plane\" }}\nfixed = true\n[[body]]\nname = \"ball\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\n\
         mass = 2.0\nposition = [0.0, 0.0, 0.1]\nvelocity = [0.0, 0.0, -1.0]\n[scheme]\nname = \"moreau-jean\"\n[time]\nend = 1.0\nstep = 1e-3\n"
    )
}

/// When the force ends, the largest mean force of a step, and the speed after.
fn impact(steps: &[Step], h: f64) -> [f64; 3] {
    let pushing: Vec<&Step> = steps.iter().filter(|s| s.contacts.iter().any(|c| c.p > 1e-12)).collect();
    let largest = pushing.iter().map(|s| s.contacts[0].p / h).fold(0.0, f64::max);
    [pushing.len() as f64 * h, largest, steps[steps.len() - 1].after.v[8]]
}

/// A linear spring of k = 2e4 N/m: T = π √(m/k), F = v √(k m), e = 1. Hertz, k = 1e7: δ = (5 m v²/4k)^{2/5}, F = k δ^{3/2}, T = 2.9432 δ/v.
#[test]
fn an_elastic_impact_takes_its_time() {
    let (m, v): (f64, f64) = (2.0, 1.0);
    let k = 2e4_f64;
    let depth = (5.0 * m * v * v / (4.0 * 1e7_f64)).powf(0.4);
    for scheme in SCHEMES {
        for (law, time, force) in [
            ("kind = \"linear\", stiffness = 2e4", PI * (m / k).sqrt(), v * (k * m).sqrt()),
            ("kind = \"hertz\", stiffness = 1e7", 2.943_275 * depth / v, 1e7 * depth.powf(1.5)),
        ] {
            for h in [4e-4, 2e-4, 1e-4] {
                let run = steps(&ball(law), scheme, h, 0.06);
                let [t, f, after] = impact(&run, h);
                assert!((t - time).abs() <= 1.01 * h, "{scheme} {law}: T = {t}, {time}");
                // the peak lies between two means
                let off = (f - force).abs() / force;
                assert!(off <= 5.0 * (h / time).powi(2), "{scheme} {law}: F = {f}, {force}");
                assert!((after - v).abs() <= 1e-11, "{scheme} {law}: v⁺ − 1 = {:e}", after - v);
                check_ledgers(&run, law);
            }
        }
    }
}

/// Hunt and Crossley: v dv/(1 + c v) goes with the depth alone, so that v₀ − ln(1 + c v₀)/c = −e v₀ − ln(1 − c e v₀)/c. A linear damper whose
/// force ends where it would pull: the damped oscillator up to k x + c ẋ = 0.
#[test]
fn damping_takes_what_its_closed_form_says() {
    let c = 0.8_f64;
    let of = |v: f64| v - (1.0 + c * v).ln() / c;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let e = 0.5 * (low + high);
        if of(-e) < of(1.0) { low = e } else { high = e }
    }
    let hunt = low;
    let (m, k, d) = (2.0_f64, 2e4_f64, 80.0_f64);
    let (omega, zeta) = ((k / m).sqrt(), d / (2.0 * (k * m).sqrt()));
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    let contact = (PI - (2.0 * zeta * (1.0 - zeta * zeta).sqrt()).atan2(1.0 - 2.0 * zeta * zeta)) / damped;
    let linear = (-zeta * omega * contact).exp();
    for scheme in SCHEMES {
        for (law, e) in [
            ("kind = \"hertz\", stiffness = 1e7, damping = 0.8", hunt),
            ("kind = \"linear\", stiffness = 2e4, damping = 80.0", linear),
        ] {
            let off = |h: f64| {
                let run = steps(&ball(law), scheme, h, 0.08);
                check_ledgers(&run, law);
                let taken: f64 = run.iter().map(|s| s.ledger.work_damping).sum();
                let after = run[run.len() - 1].after.v[8];
                assert!((taken + 1.0 - after * after).abs() <= 1e-11, "{law}: {taken} and {after}");
                (after - e).abs()
            };
            let (coarse, fine) = (off(4e-4), off(1e-4));
            assert!(coarse <= 2e-3 && fine <= 2e-4, "{scheme} {law}: e = {e}: off by {coarse:e}, {fine:e}");
        }
    }
}

/// At rest a ball sinks by m g/k or (m g/k)^{2/3}, and a box of 45 kg on four corners by a quarter of that each; on a slope of 0.2 both stay
/// where μ = 0.3 holds them, and do not creep.
#[test]
fn what_rests_sinks_by_its_weight() {
    for (kind, damping, power) in [("linear", 300.0, 1.0), ("hertz", 10.0, 2.0 / 3.0)] {
        for (shape, mass, points) in [
            ("{ kind = \"sphere\", radius = 0.1 }", 2.0_f64, 1.0_f64),
            ("{ kind = \"box\", size = [0.4, 0.4, 0.2] }", 45.0, 4.0),
        ] {
            let text = ball(&format!("kind = \"{kind}\", stiffness = 1e6, damping = {damping:?}"))
                .replace("gravity = [0.0, 0.0, 0.0]", "gravity = [2.0, 0.0, -10.0]\nfriction = 0.3\nrolling = 0.05")
                .replace("{ kind = \"sphere\", radius = 0.1 }", shape)
                .replace("mass = 2.0", &format!("mass = {mass}"))
                .replace("velocity = [0.0, 0.0, -1.0]", "");
            let run = steps(&text, "moreau-jean", 1e-3, 3.0);
            let (half, end) = (&run[1999].after, &run[2999].after);
            assert!(end.v.iter().all(|v| v.abs() <= 1e-9), "{kind} {shape}: {:?}", end.v);
            assert!((end.q[7] - half.q[7]).abs() <= 1e-9, "{kind} {shape}: creeps by {:e}", end.q[7] - half.q[7]);
            let sunk: f64 = run[2999].contacts.iter().map(|c| -c.gap).sum::<f64>() / points;
            // the moment of the slope loads the lower corners more, which the linear law leaves in the mean
            let exact = (mass * 10.0 / points / 1e6).powf(power);
            let tolerance = if power == 1.0 || points == 1.0 { 1e-6 } else { 3e-2 };
            assert!((sunk / exact - 1.0).abs() <= tolerance, "{kind} {shape}: {sunk:e}, {exact:e}");
            let carried: f64 = run[2999].contacts.iter().map(|c| c.p / 1e-3).sum();
            assert!((carried / (mass * 10.0) - 1.0).abs() <= 1e-9, "{kind} {shape}: {carried}");
        }
    }
}

/// Two balls that spin and meet off their centres, with friction: linear and angular momentum to round-off, friction in its cone.
#[test]
fn momentum_stays() {
    for scheme in SCHEMES {
        for law in ["kind = \"hertz\", stiffness = 1e7, damping = 0.3", "kind = \"linear\", stiffness = 3e4"] {
            let text = format!(
                "[model]\nkind = \"bodies\"\ngravity = [0.0, 0.0, 0.0]\nfriction = 0.4\ncompliance = {{ {law} }}\n\
                 [[body]]\nname = \"a\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\nmass = 2.0\nvelocity = [1.0, 0.1, 0.0]\n\
                 angular_velocity = [3.0, 20.0, -10.0]\n[[body]]\nname = \"b\"\nshape = {{ kind = \"box\", size = [0.2, 0.3, 0.4] }}\n\
                 mass = 3.0\nposition = [0.21, 0.04, 0.03]\nvelocity = [-1.0, 0.0, 0.2]\nangular_velocity = [1.0, 2.0, 3.0]\n\
                 [scheme]\nname = \"moreau-jean\"\n[time]\nend = 0.1\nstep = 1e-3\n"
            );
            let run = steps(&text, scheme, 2.5e-4, 0.1);
            assert!(run.iter().any(|s| s.contacts.iter().any(|c| c.p > 0.0)), "they never met");
            for s in &run {
                let left = s.momentum.residual;
                assert!(s.momentum.kept && left.iter().all(|x| *x <= 1e-12), "{scheme} {law}: {left:?}");
            }
            let scale = run[0].ledger.kinetic;
            for s in &run {
                assert!(s.ledger.balance.abs() <= 1e-11 * scale, "{scheme} {law}: {:e}", s.ledger.balance);
                for (c, along) in s.contacts.iter().zip(&s.friction) {
                    assert!(
                        along.p[0].hypot(along.p[1]) <= 0.4 * c.p * (1.0 + 1e-9),
                        "{scheme} {law}: outside its cone"
                    );
                }
            }
        }
    }
}

/// What a body is pressed on gives way beside what is rigid: a plate of 6 kg on a rigid stop and a soft one, 1 m apart, carries three
/// quarters of its weight where it lies nearer; a pendulum swings against a soft wall and comes back with its energy.
#[test]
fn soft_stands_beside_rigid() {
    let plate = "[model]\nkind = \"bodies\"\ngravity = [0.0, -10.0]\ndimension = 2\nfriction = 0.5\n[[material]]\nname = \"steel\"\n[[material]]\nname = \"rubber\"\n\
                 [[pair]]\nmaterials = [\"steel\", \"rubber\"]\nfriction = 0.5\ncompliance = { kind = \"linear\", stiffness = 1e4, damping = 200.0 }\n\
                 [[body]]\nname = \"left\"\nshape = { kind = \"disk\", radius = 0.1 }\nfixed = true\nposition = [-0.25, -0.15]\n\
                 [[body]]\nname = \"right\"\nshape = { kind = \"disk\", radius = 0.1 }\nfixed = true\nmaterial = \"rubber\"\nposition = [0.75, -0.15]\n\
                 [[body]]\nname = \"plate\"\nshape = { kind = \"box\", size = [2.0, 0.1] }\nmass = 6.0\n\
                 [scheme]\nname = \"moreau-jean\"\n[time]\nend = 1.0\nstep = 1e-3\n";
    let run = steps(plate, "moreau-jean", 1e-3, 4.0);
    // of two steps, between which rigid reactions may alternate
    let force = |k: usize| (run[3998].contacts[k].p + run[3999].contacts[k].p) / 2e-3;
    // tilted by 1.5 mrad it lies 0.15 mm further on both
    assert!((force(0) - 45.0).abs() < 3e-2 && (force(1) - 15.0).abs() < 3e-2, "{} {}", force(0), force(1));
    assert!((run[3999].contacts[1].gap + 15.0 / 1e4).abs() < 3e-6, "{:?}", run[3999].contacts);

    let pendulum = "[model]\nkind = \"bodies\"\ndimension = 2\ncompliance = { kind = \"hertz\", stiffness = 1e6 }\n\
                    [[body]]\nname = \"wall\"\nshape = { kind = \"plane\" }\nfixed = true\nangle = -1.5707963267948966\nposition = [-0.1, 0.0]\n\
                    [[body]]\nname = \"bob\"\nshape = { kind = \"disk\", radius = 0.1 }\nmass = 1.0\nposition = [0.8, -0.6]\n\
                    [[joint]]\nname = \"pin\"\nkind = \"revolute\"\na = \"wall\"\nb = \"bob\"\nanchor = [0.0, 0.0]\n\
                    [scheme]\nname = \"moreau-jean\"\n[time]\nend = 1.0\nstep = 1e-3\n";
    for scheme in SCHEMES {
        // what a joint holds does not touch: the wall is told apart from the bearing
        let text = pendulum
            .replace("a = \"wall\"", "a = \"bearing\"")
            .replace("[[joint]]", "[[body]]\nname = \"bearing\"\nfixed = true\n[[joint]]");
        let run = steps(&text, scheme, 5e-4, 2.0);
        assert!(run.iter().any(|s| s.contacts.iter().any(|c| c.p > 0.0)), "{scheme}: it never met the wall");
        let energy = |s: &Step| s.ledger.energy();
        let (first, last) = (energy(&run[0]), energy(&run[run.len() - 1]));
        assert!((last - first).abs() <= 1e-11 * 10.0, "{scheme}: {first} {last}");
        check_ledgers(&run, scheme);
    }
}

/// Restitution beside it, numbers that are none, and schemes with impulses alone are refused by code; bodies that overlap by it are not.
#[test]
fn what_is_refused() {
    let law = "kind = \"linear\", stiffness = 2e4";
    let code =
        |text: &str, scheme: &str| load_text("soft.toml", text, &options(scheme, 1e-3)).map(drop).map_err(|e| e.code);
    let bouncing = ball(law).replace("compliance", "restitution = 0.5\ncompliance");
    assert_eq!(code(&bouncing, "moreau-jean"), Err(Code::CONTRADICTION));
    for scheme in ["landing", "generalized-alpha-ggl", "event-driven", "runge-kutta-moreau"] {
        assert_eq!(code(&ball(law), scheme), Err(Code::UNSUPPORTED), "{scheme}");
    }
    assert!(code(&ball("kind = \"linear\", stiffness = 0.0"), "moreau-jean").is_err());
    assert!(code(&ball("kind = \"soft\", stiffness = 1.0"), "moreau-jean").is_err());
    let sunk = ball(law).replace("0.0, 0.0, 0.1]", "0.0, 0.0, 0.09]");
    assert_eq!(code(&sunk, "moreau-jean"), Ok(()));
    assert_eq!(
        code(&sunk.replace("compliance = { kind = \"linear\", stiffness = 2e4 }", ""), "moreau-jean"),
        Err(Code::PENETRATION)
    );
}
