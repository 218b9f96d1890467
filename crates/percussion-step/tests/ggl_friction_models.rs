//! GGL with friction on nonlinear models: rocking block, pendulum with joints, flexible beam, linear models seen as nonlinear ones.

mod common;

use common::{as_nonlinear, scheme, start};
use percussion_model::Lagrangian;
use percussion_step::problems::{incline, pendulum_model, rocking_block_model, rotating_beam_model};
use percussion_step::{ContactStatus, Problem, Scheme, Simulation};
use std::sync::Arc;

fn ggl() -> Scheme {
    scheme("generalized-alpha-ggl", |_| ())
}

fn released(model: impl Lagrangian + 'static, q0: Vec<f64>, v0: Vec<f64>) -> Problem {
    Problem::nonlinear(Arc::new(model), q0, v0).expect("a problem")
}

/// What a run left of its conditions, each relative: penetration, joints, cone, and the energy account.
#[derive(Debug, Default)]
struct Left {
    gap: f64,
    joints: f64,
    cone: f64,
    balance: f64,
    law: f64,
    frictional: usize,
}

fn run(problem: &Problem, scheme: &Scheme, h: f64, end: f64) -> Left {
    let mut simulation: Simulation = start(problem, scheme, h);
    let mut left = Left::default();
    let model = &problem.model;
    for k in 0..(end / h).round() as usize {
        let step = simulation.advance().unwrap_or_else(|failure| panic!("step {k} of {h} s: {failure}"));
        assert_eq!(step.contacts.len(), step.friction.len());
        for (c, f) in step.contacts.iter().zip(&step.friction) {
            left.gap = left.gap.max(-c.gap);
            let p_t = f.p[0].hypot(f.p[1]);
            left.cone = left.cone.max((p_t - model.friction(c.id) * c.p) / c.p.hypot(p_t).max(1e-300));
            left.frictional += usize::from(p_t > 0.0);
        }
        for j in 0..model.n_joints() {
            left.joints = left.joints.max(model.joint(j, &step.after.q).abs());
        }
        left.balance = left.balance.max(step.ledger.balance.abs());
        left.law = left.law.max(step.ledger.work_contact);
    }
    left
}

/// A block that rocks and slides: it keeps the floor, the cone and the account, whatever μ and the step.
#[test]
fn rocking_block() {
    for mu in [0.3, 0.6, 1.0] {
        for h in [1e-2, 5e-3, 2e-3] {
            let block = rocking_block_model(0.5).and_then(|b| b.with_friction(mu)).expect("a block");
            let left = run(&released(block, vec![0.0, 1.0, 0.2], vec![0.5, 0.0, 0.0]), &ggl(), h, 2.0);
            assert!(left.gap <= 1e-12 && left.cone <= 1e-9 && left.frictional > 10, "μ = {mu}, h = {h}: {left:?}");
            assert!(left.balance <= 1e-9 && left.law <= 1e-9, "μ = {mu}, h = {h}: {left:?}");
        }
    }
}

/// The pendulum slides along its wall while two joints hold it: one degree of freedom and two impulses, of which p_T is not unique.
#[test]
fn pendulum_with_joints() {
    for mu in [0.3, 0.6, 1.0] {
        for h in [2e-3, 1e-3, 5e-4] {
            let model = pendulum_model(0.8).and_then(|p| p.with_friction(mu)).expect("a pendulum");
            let q0 = model.at_angle(std::f64::consts::PI / 12.0).to_vec();
            let left = run(&released(model, q0, vec![0.0; 3]), &ggl(), h, 2.0);
            assert!(left.gap <= 1e-12 && left.joints <= 1e-12, "μ = {mu}, h = {h}: {left:?}");
            assert!(left.cone <= 1e-9 && left.balance <= 1e-9, "μ = {mu}, h = {h}: {left:?}");
        }
    }
}

/// A stiff beam whose tip meets a rough wall, with the ρ∞ of the built-in scenario and with 0.8, where its axial modes ring and some
/// steps are halved.
#[test]
fn flexible_beam() {
    for (rho_inf, h) in [(0.65, 5e-4), (0.8, 5e-4), (0.8, 1e-3)] {
        let model = rotating_beam_model().with_friction(0.3).expect("a beam");
        let q0 = model.straight();
        let n = q0.len();
        let damped = scheme("generalized-alpha-ggl", |o| o.rho_inf = Some(rho_inf));
        let left = run(&released(model, q0, vec![0.0; n]), &damped, h, 0.4);
        assert!(left.gap <= 1e-12 && left.cone <= 1e-9 && left.frictional > 0, "ρ∞ = {rho_inf}, h = {h}: {left:?}");
        assert!(left.balance <= 1e-6, "ρ∞ = {rho_inf}, h = {h}: {left:?}");
    }
}

/// Where normals and tangents do not act on each other the nonlinear form is that of linear models, step by step; a stuck block does
/// not creep.
#[test]
fn as_on_linear_models() {
    let problem = incline(20_f64.to_radians(), 0.5, 0.1).expect("a block");
    let (mut linear, mut nonlinear) = (start(&problem, &ggl(), 1e-2), start(&as_nonlinear(&problem), &ggl(), 1e-2));
    let mut last = 0.0;
    for k in 0..300 {
        linear.advance().expect("a step");
        let step = nonlinear.advance().expect("a step");
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(apart(&linear.state().q, &step.after.q) <= 1e-11, "step {k}");
        assert!(apart(&linear.state().v, &step.after.v) <= 1e-10, "step {k}");
        if k > 100 {
            assert_eq!(step.friction[0].status, ContactStatus::Stick);
            assert!((step.after.q[0] - last).abs() < 1e-13, "it creeps by {:e}", step.after.q[0] - last);
        }
        last = step.after.q[0];
    }
}
