//! GGL with friction on linear models: no penetration, no creep, stacks at rest, cones to round-off.

mod common;

use percussion_model::{Contact, LinearParts};
use percussion_step::problems::{incline, linear, masses};
use percussion_step::{ContactStatus, Problem, Simulation};

fn start(problem: &Problem, h: f64) -> Simulation {
    common::start(problem, &common::scheme("generalized-alpha-ggl", |_| ()), h)
}

/// A block on a slope of 20° with μ = .5, started at 0.1 m/s: it stops, and then neither moves nor creeps. Without the shift of
/// q by (h/2) M⁻¹T p_T it would creep at (h/2) g sin 20° = 1.7 cm/s.
#[test]
fn a_stuck_block_does_not_creep() {
    let (s, c) = 20_f64.to_radians().sin_cos();
    let mut simulation = start(&incline(20_f64.to_radians(), 0.5, 0.1).expect("a block"), 1e-2);
    let mut stopped_at = 0.0;
    for k in 0..300 {
        let step = simulation.advance().expect("a step");
        assert!(step.contacts.iter().all(|c| c.gap.abs() <= 1e-15), "{:?}", step.contacts);
        if k == 100 {
            stopped_at = step.after.q[0];
        }
        if k > 100 {
            assert_eq!(step.friction[0].status, ContactStatus::Stick);
            assert!(step.after.v[0].abs() < 1e-14, "{}", step.after.v[0]);
        }
    }
    assert!((simulation.state().q[0] - stopped_at).abs() < 1e-13);
    // a = g(μ cos − sin): v²/2a
    let way = 0.01 / (2.0 * 9.81 * (0.5 * c - s));
    assert!((stopped_at - way).abs() < 1e-4, "{stopped_at} for {way}");
}

/// Five blocks of 1 kg dropped on each other with e = ½ and a sideways push on the top one: the stack rests, nothing penetrates, no block
/// slides on.
#[test]
fn a_stack_rests() {
    let n = 5;
    // q = (x_0, y_0, x_1, y_1, …); contact i between block i−1 and i, gaps of 1 cm
    let mut contacts = Vec::new();
    for i in 0..n {
        let mut normal = vec![(2 * i + 1, 1.0)];
        let mut tangent = vec![(2 * i, 1.0)];
        if i > 0 {
            normal.push((2 * i - 1, -1.0));
            tangent.push((2 * i - 2, -1.0));
        }
        contacts.push(Contact {
            normal,
            tangents: vec![tangent],
            restitution: 0.5,
            friction: 0.4,
            ..Contact::default()
        });
    }
    let force: Vec<f64> = (0..2 * n).map(|i| if i % 2 == 0 { 0.0 } else { -9.81 }).collect();
    let q0: Vec<f64> = (0..2 * n).map(|i| if i % 2 == 0 { 0.0 } else { 0.01 * (i / 2 + 1) as f64 }).collect();
    let v0: Vec<f64> = (0..2 * n).map(|i| if i == 2 * n - 2 { 0.2 } else { 0.0 }).collect();
    let parts = LinearParts { contacts, ..masses(&vec![1.0; 2 * n], &force) };
    let stack = linear(parts, &q0, &v0).expect("a stack");
    let mut simulation = start(&stack, 2e-3);
    let mut worst = 0.0_f64;
    for _ in 0..1500 {
        let step = simulation.advance().unwrap_or_else(|failure| panic!("{failure}"));
        assert!(step.ledger.balance.abs() < 1e-13, "{:e}", step.ledger.balance);
        for (c, f) in step.contacts.iter().zip(&step.friction) {
            worst = worst.max(-c.gap);
            assert!(f.p[0].abs() <= 0.4 * c.p * (1.0 + 1e-13));
        }
    }
    let speed = simulation.state().v.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
    println!("deepest {worst:e} m, speed left {speed:e} m/s");
    assert!(worst <= 1e-15 && speed <= 1e-9, "{worst:e} m, {speed:e} m/s");
}
