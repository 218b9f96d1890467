//! The exact motions satisfy what makes them exact: initial state, equations of motion between jumps, the impact law at them.

use percussion_scenario::{LoadOptions, Scenario, builtin, exact, load};
use percussion_step::measure::Exact;

fn scenario(name: &str, set: &[&str]) -> Scenario {
    let set = set.iter().map(|s| s.to_string()).collect();
    load(name, &LoadOptions { set, ..LoadOptions::default() }).expect("a scenario").scenario
}

/// M v̇ + K q − F − G λ = 0 where nothing touches, v = q̇, by central differences; returns the largest violation.
fn violation(scenario: &Scenario, exact: &dyn Exact) -> f64 {
    let model = scenario.linear().expect("linear");
    let end = scenario.end;
    let jumps = exact.jumps(end);
    let d = 1e-5;
    let (mut worst, mut checked) = (0.0_f64, 0);
    for k in 1..400 {
        let t = end * (k as f64 + 0.37) / 400.0;
        let (q, v) = (exact.q(t), exact.v(t));
        let free = (0..model.n_contacts()).all(|i| model.gap(i, &q, t) > 1e-3);
        if !free || t + d > end || jumps.iter().any(|jump| (jump - t).abs() < 2.0 * d) {
            continue;
        }
        checked += 1;
        let (after, before) = (exact.v(t + d), exact.v(t - d));
        let (q_after, q_before) = (exact.q(t + d), exact.q(t - d));
        let n = model.n();
        let mut force = vec![0.0; n];
        model.force(t, &mut force);
        let acceleration: Vec<f64> = (0..n).map(|i| (after[i] - before[i]) / (2.0 * d)).collect();
        let mut residual: Vec<f64> = force.iter().map(|f| -f).collect();
        model.mass().mul_add(1.0, &acceleration, &mut residual);
        if let Some(K) = model.stiffness() {
            K.mul_add(1.0, &q, &mut residual);
        }
        for i in 0..n {
            worst = worst.max(residual[i].abs()).max(((q_after[i] - q_before[i]) / (2.0 * d) - v[i]).abs());
        }
    }
    assert!(checked > 20, "{}: only {checked} times checked", scenario.name);
    worst
}

#[test]
fn closed_forms_satisfy_their_equations() {
    let cases: [(&str, &[&str], f64); 8] = [
        ("bouncing-ball", &[], 1e-6),
        ("bouncing-ball", &["model.contact.0.restitution=0.3", "model.mass=[[2.0]]", "model.q0=[1.5]"], 1e-6),
        ("bouncing-ball-f2", &[], 1e-6),
        ("impact-oscillator", &[], 1e-6),
        ("impact-oscillator", &["model.stiffness=[[4.0]]", "model.contact.0.restitution=0.9"], 1e-6),
        // ω = 141/s: the second difference of d = 1e-5 s leaves ω⁴d²·A ≈ 1e-3 of 1e4 m/s²
        ("two-mass-oscillator", &[], 1e-2),
        ("two-mass-oscillator-1e3", &[], 1e-2),
        ("two-mass-oscillator", &["model.contact.0.restitution=0.5", "model.force=[-9.0,-9.0]"], 1e-2),
    ];
    for (name, set, allowed) in cases {
        let scenario = scenario(name, set);
        let exact = exact(&scenario).unwrap_or_else(|| panic!("{name} {set:?} is known"));
        let same = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
        assert!(same(&exact.q(0.0), &scenario.problem.q0) && same(&exact.v(0.0), &scenario.problem.v0), "{name}");
        let worst = violation(&scenario, &*exact);
        println!("{name} {set:?}: {worst:.1e}");
        assert!(worst <= allowed, "{name} {set:?}: {worst:e}");
        // U⁺ = −e U⁻ at g = 0
        let model = scenario.linear().expect("linear");
        let e = model.contacts()[0].restitution;
        let jumps = exact.jumps(scenario.end);
        assert!(!jumps.is_empty());
        for t in jumps.into_iter().take(4) {
            let (before, after) = (exact.v(t * (1.0 - 1e-10)), exact.v(t * (1.0 + 1e-10)));
            let (u, u_next) = (model.gap_rate(0, &before, t), model.gap_rate(0, &after, t));
            assert!(u < 0.0 && (u_next + e * u).abs() < 1e-6 * u.abs(), "{name}: {u} to {u_next}");
            assert!(model.gap(0, &exact.q(t), t).abs() < 1e-8, "{name}: not at the wall");
        }
    }
}

/// Momentum of the bar before, during and after: 100 N·s at 10 m/s, changed by 300 N for 2/3 s.
#[test]
fn the_bar_takes_its_impulse() {
    let scenario = scenario("elastic-bar", &[]);
    let exact = exact(&scenario).expect("a bar is known");
    // ends of the bar carry half an element
    let momentum = |t: f64| -> f64 {
        let v = exact.v(t);
        (0..201).map(|i| v[i] * if i == 0 || i == 200 { 0.025 } else { 0.05 }).sum()
    };
    assert!((momentum(0.2) + 100.0).abs() < 1e-9 && (momentum(1.4) - 100.0).abs() < 1e-9);
    for t in [0.6, 0.8, 1.0] {
        // one element of 0.05 kg at 10 m/s is the resolution of the sum
        assert!((momentum(t) - (-100.0 + 300.0 * (t - 0.5005))).abs() < 0.5, "{t}: {}", momentum(t));
    }
}

/// Friction takes μ g until the block stands still, 1/(2·0.3·9.81) m away.
#[test]
fn the_sliding_block_stops() {
    let scenario = scenario("sliding-block", &[]);
    let exact = exact(&scenario).expect("a sliding block is known");
    assert!((exact.q(1.0)[0] - 1.0 / (2.0 * 0.3 * 9.81)).abs() < 1e-15 && exact.v(0.9) == [0.0, 0.0]);
    assert!(((exact.v(0.1)[0] - exact.v(0.2)[0]) / 0.1 - 0.3 * 9.81).abs() < 1e-12);
}

/// What is not the closed form's problem is not taken for it.
#[test]
fn others_are_not_recognised() {
    for (name, set) in [
        ("bouncing-ball", "model.damping=[[0.1]]"),
        ("bouncing-ball", "model.v0=[1.0]"),
        ("bouncing-ball", "model.contact.0.restitution=1.0"),
        ("impact-oscillator", "model.contact.0.offset=0.1"),
        ("two-mass-oscillator", "model.mass=[[1.0,0.0],[0.0,2.0]]"),
        ("two-mass-oscillator", "model.q0=[1.001,1.1]"),
        ("elastic-bar", "model.contact.0.restitution=0.5"),
    ] {
        assert!(exact(&scenario(name, &[set])).is_none(), "{name} with {set}");
    }
    let known: Vec<&str> =
        builtin::NAMES.iter().copied().filter(|name| exact(&scenario(name, &[])).is_some()).collect();
    assert_eq!(
        known,
        [
            "bouncing-ball",
            "bouncing-ball-f2",
            "impact-oscillator",
            "two-mass-oscillator",
            "two-mass-oscillator-1e3",
            "elastic-bar",
            "sliding-block"
        ]
    );
}
