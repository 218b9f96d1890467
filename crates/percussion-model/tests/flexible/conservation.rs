//! Free flight: energy, momentum and angular momentum over ten thousand steps.

use crate::joints::Joint;
use crate::motion::Mover;
use crate::structure::{Load, Make, Node, PLAIN, Structure, apart};
use percussion_model::bodies::Frame;
use percussion_model::bodies::math::{IDENTITY, norm};
use percussion_model::flexible::layout::straight;
use percussion_model::flexible::{MassKind, Section, StrainMeasure, diagonal6};

pub fn diagonal3(d: [f64; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { d[i] } else { 0.0 }))
}

/// Simo and Vu-Quoc's beam, thrown by a force and moments at one end (1988, in space).
pub fn spaghetti(elements: usize, make: Make) -> Mover {
    let section = Section::new(diagonal6(&[1e4, 1e4, 1e4, 500.0, 500.0, 500.0]), 1.0, diagonal3([10.0; 3])).unwrap();
    let mut s = Structure::default();
    let frames = straight(&[6.0, 0.0, 0.0], &[0.0, 8.0, 0.0], &[0.0, 0.0, 1.0], elements).unwrap();
    s.add_beam(&frames, &section, make);
    Mover::new(s)
}

pub fn throw(mover: &mut Mover, h: f64) {
    while mover.t < 5.0 - 0.5 * h {
        let t = mover.t + 0.5 * h;
        let M = if t < 2.5 { 80.0 * t } else { 80.0 * (5.0 - t) };
        mover.step(h, &[Load { node: 0, force: [0.1 * M, 0.0, 0.0], moment: [0.0, -0.5 * M, -M] }]);
    }
}

/// ΔE, ΔH ≤ 1e-11 and ΔP ≤ 1e-13 of their values over 10⁴ steps of 0.1 s, in which the beam turns and bends through large
/// angles: for consistent and lumped mass, with and without residual flexibility.
#[test]
fn ten_thousand_free_steps() {
    for (mass, residual) in [(MassKind::Consistent, false), (MassKind::Lumped, false), (MassKind::Consistent, true)] {
        let mut mover = spaghetti(10, Make { mass, residual, ..PLAIN });
        mover.tolerance = 1e-13;
        throw(&mut mover, 0.1);
        let (E, (P, H)) = (mover.s.energy(), mover.s.momenta());
        mover.iterations = 0;
        let mut worst = [0.0_f64; 3];
        for _ in 0..10_000 {
            mover.step(0.1, &[]);
            let (p, l) = mover.s.momenta();
            worst[0] = worst[0].max((mover.s.energy() - E).abs() / E);
            worst[1] = worst[1].max(apart(&p, &P));
            worst[2] = worst[2].max(apart(&l, &H));
        }
        println!("{mass:?} {residual}: E, P, H {worst:?}, {} iterations a step", mover.iterations as f64 / 1e4);
        assert!(worst[0] < 1e-11 && worst[1] < 1e-13 && worst[2] < 1e-11, "{worst:?}");
    }
}

/// The rational and the bilinear strain conserve as well; they are only less accurate.
#[test]
fn other_measures_conserve() {
    for measure in [StrainMeasure::Cayley, StrainMeasure::Director] {
        let mut mover = spaghetti(16, Make { measure, ..PLAIN });
        mover.tolerance = 1e-13;
        throw(&mut mover, 0.05);
        let (E, (_, H)) = (mover.s.energy(), mover.s.momenta());
        for _ in 0..500 {
            mover.step(0.05, &[]);
        }
        let (_, l) = mover.s.momenta();
        assert!((mover.s.energy() - E).abs() < 1e-11 * E && apart(&l, &H) < 1e-11, "{measure:?}");
    }
}

/// θ ≠ ½ and viscosity: ΔE = −dissipation − (θ − ½)‖Δv‖²_M to round-off in every step.
#[test]
fn balance_for_any_theta() {
    let mut mover = spaghetti(6, Make { damping: 0.02, ..PLAIN });
    throw(&mut mover, 0.1);
    mover.theta = 0.7;
    mover.tolerance = 1e-13;
    for _ in 0..50 {
        let (E, before, lost) = (mover.s.energy(), mover.s.clone(), mover.work_damping);
        mover.step(0.05, &[]);
        let mut change = mover.s.clone();
        for (node, old) in change.nodes.iter_mut().zip(&before.nodes) {
            for k in 0..3 {
                node.twist.v[k] -= old.twist.v[k];
                node.twist.w[k] -= old.twist.w[k];
            }
        }
        let numerical = 2.0 * 0.2 * change.kinetic();
        let balance = mover.s.energy() - E - (mover.work_damping - lost) + numerical;
        assert!(balance.abs() < 1e-11 * E, "{balance:e} of {E}");
    }
}

/// Two bodies on a spherical joint in free flight, 2000 steps of 0.02 s: ΔE, ΔH ≤ 1e-11, the joint to 1e-12 m.
#[test]
fn two_bodies_on_a_spherical_joint() {
    let mut s = Structure::default();
    let frame = |x: [f64; 3]| Frame { x, q: [1.0, 0.0, 0.0, 0.0], R: IDENTITY };
    for (k, x) in [[0.0; 3], [1.0, 0.3, -0.2]].into_iter().enumerate() {
        let mut node = Node::new(frame(x));
        node.mass = 1.0 + k as f64;
        node.inertia = diagonal3([0.2, 0.5 + 0.1 * k as f64, 0.4]);
        node.twist.w = [1.0, -2.0, 0.5 + k as f64];
        s.add_node(node);
    }
    let anchor = [0.4, 0.2, 0.1];
    let joint = Joint::spherical([0, 1], [&s.nodes[0].frame, &s.nodes[1].frame], anchor);
    // velocities that the joint allows
    let arm = |k: usize| percussion_model::bodies::math::sub(&anchor, &s.nodes[k].frame.x);
    let speed = |k: usize| percussion_model::bodies::math::cross(&s.nodes[k].twist.w, &arm(k));
    s.nodes[1].twist.v = percussion_model::bodies::math::sub(&speed(0), &speed(1));
    s.joints.push(joint);
    let mut mover = Mover::new(s);
    mover.tolerance = 1e-13;
    let (E, (_, H)) = (mover.s.energy(), mover.s.momenta());
    for _ in 0..2000 {
        mover.step(0.02, &[]);
    }
    let (_, l) = mover.s.momenta();
    println!("E {:e}, H {:e}, joint {:e}", (mover.s.energy() - E).abs() / E, apart(&l, &H), mover.joint_error());
    assert!((mover.s.energy() - E).abs() < 1e-11 * E && apart(&l, &H) < 1e-11 && mover.joint_error() < 1e-12);
    assert!(norm(&mover.s.nodes[0].twist.w) > 0.1);
}
