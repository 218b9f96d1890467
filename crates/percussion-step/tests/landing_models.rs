//! The scheme `landing` on nonlinear models: trajectories of an independent implementation, joints, friction, random mechanisms.
//!
//! The trajectories are read from `shared/reference/energy`; where that folder is absent the test says so.

mod common;

use common::{as_nonlinear, audited, run, scheme};
use percussion_model::nonlinear::RockingBlock;
use percussion_model::{Auto, Energies, Number};
use percussion_solve::SolverOptions;
use percussion_step::measure::fit_order;
use percussion_step::problems::{Dice, Recipe, pendulum, random_system};
use percussion_step::{Audit, Both, Outcome, Problem, Scheme, Trajectory, simulate};
use std::path::PathBuf;
use std::sync::Arc;

fn landing() -> Scheme {
    scheme("landing", |_| {})
}

fn inside() -> Scheme {
    scheme("landing", |o| o.landing = Some("inside".into()))
}

fn swing(e: f64) -> Problem {
    pendulum(e).expect("a pendulum")
}

fn block(e: f64, mu: f64, v_x: f64) -> Problem {
    let model = RockingBlock::new(1.0, 1.0, 1.5, 9.81, e).expect("a block").with_friction(mu).expect("a block");
    Problem::nonlinear(Arc::new(model), vec![0.0, 1.0, 0.2], vec![v_x, 0.0, 0.0]).expect("a block above the floor")
}

/// Gravity is a load in the files and a potential here: kinetic energies are compared.
#[test]
fn reference_trajectories() {
    let cases = [
        ("landing_pendulum", swing(0.8), 2e-3, 2.0, f64::INFINITY),
        ("landing_block", block(0.5, 0.0, 0.0), 1e-2, 2.0, f64::INFINITY),
        ("landing_block_friction", block(0.5, 0.3, 1.0), 1e-2, 2.0, 0.9),
    ];
    for (name, problem, h, end, until) in cases {
        let path =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../../shared/reference/energy/{name}.csv"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("{} is absent: not compared", path.display());
            return;
        };
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
        let found = run(&problem, &landing(), h, end);
        let (mut early, mut late) = (0.0_f64, 0.0_f64);
        for line in lines {
            let row: Vec<f64> = line.split(',').map(|x| x.parse().expect("a number")).collect();
            let k = (row[0] / h).round() as usize;
            for (name, x) in names.iter().zip(&row) {
                let here = match (name.split_at(1), *name) {
                    (_, "E") => found.ledger[k].kinetic,
                    (("q", i), _) => found.q(k)[i.parse::<usize>().expect("an index")],
                    (("v", i), _) => found.v(k)[i.parse::<usize>().expect("an index")],
                    _ => continue,
                };
                let worst = if row[0] <= until { &mut early } else { &mut late };
                *worst = worst.max((here - x).abs());
            }
        }
        println!("{name}: {early:.1e}, later {late:.1e}");
        assert!(early <= 1e-9 && late <= 1e-6, "{name}: {early:e}, {late:e}");
    }
}

/// Gain, closure and penetration of mechanisms at several steps, restitutions and frictions.
#[test]
fn mechanisms_gain_nothing_and_pass_nothing() {
    for e in [0.0, 0.5, 1.0] {
        for (name, problem, h) in [
            ("pendulum", swing(e), 1e-3),
            ("block", block(e, 0.0, 0.0), 1e-2),
            ("rough block", block(e, 0.3, 1.0), 1e-2),
        ] {
            for scheme in [landing(), inside()] {
                let (run, audit) = audited(&problem, &scheme, h, 3.0);
                let E = audit.largest_energy();
                let last = run.v(run.len() - 1).iter().fold(0.0_f64, |m, v| m.max(v.abs()));
                let joint = (0..problem.model.n_joints())
                    .map(|j| problem.model.joint_distance(j, run.q(run.len() - 1)))
                    .fold(0.0, f64::max);
                println!(
                    "{name} e = {e} {:?}: gain {:.1e}, closure {:.1e}, depth {:.1e}, joint {joint:.1e}, |v| {last:.1e}",
                    scheme.parameters()[0].1,
                    audit.largest_gain() / E,
                    audit.largest_residual() / E,
                    audit.deepest()
                );
                assert!(audit.largest_gain() <= 1e-12 * E && audit.largest_residual() <= 1e-11 * E, "{name} e = {e}");
                assert!(audit.deepest() <= 1e-13 && joint <= 1e-13, "{name} e = {e}");
            }
        }
    }
}

/// A linear model moved as a nonlinear one goes the same way.
#[test]
fn as_on_linear_models() {
    let mut dice = Dice(3);
    for _ in 0..20 {
        let problem =
            random_system(&mut dice, Recipe { joints: 1, loads_vary: false, ..Recipe::USUAL }).expect("a system");
        let (one, other) = (run(&problem, &landing(), 5e-3, 0.5), run(&as_nonlinear(&problem), &landing(), 5e-3, 0.5));
        let apart = one.q.iter().zip(&other.q).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()));
        assert!(apart <= 1e-6, "{apart:e}");
    }
}

/// A random mechanism: T = ½ Σ m_i w_i², w_i = v_i + Σ_j c_ij sin(q_j + φ_i) v_j, so that M(q) is full and positive; springs, weights, dampers, gaps that
/// bend with q, one joint or none, tangents that stand still.
#[derive(Debug)]
struct Tangled {
    n: usize,
    joints: usize,
    masses: Vec<f64>,
    mixing: Vec<Vec<f64>>,
    phase: Vec<f64>,
    stiffness: f64,
    weight: Vec<f64>,
    damping: f64,
    normals: Vec<Vec<f64>>,
    bend: f64,
    restitution: Vec<f64>,
    friction: Vec<f64>,
    tangents: Vec<Vec<f64>>,
}

impl Tangled {
    fn random(dice: &mut Dice, kind: usize) -> Self {
        let n = dice.whole(2, 4);
        let contacts = dice.whole(1, 3);
        let joints = usize::from(kind == 1 && n > 2);
        let many = |dice: &mut Dice, k: usize| (0..k).map(|_| dice.vector(n)).collect::<Vec<_>>();
        let friction = |dice: &mut Dice| if kind == 2 { dice.real(0.1, 0.8) } else { 0.0 };
        Self {
            n,
            joints,
            masses: (0..n).map(|_| dice.real(0.5, 2.0)).collect(),
            mixing: many(dice, n).into_iter().map(|row| row.into_iter().map(|x| 0.3 * x).collect()).collect(),
            phase: dice.vector(n),
            stiffness: dice.real(0.0, 60.0),
            weight: (0..n).map(|_| 5.0 * dice.real(-1.0, 1.0)).collect(),
            damping: if dice.real(0.0, 1.0) < 0.3 { dice.real(0.0, 0.5) } else { 0.0 },
            normals: many(dice, contacts),
            bend: dice.real(0.0, 0.3),
            restitution: (0..contacts).map(|_| if kind == 3 { 1.0 } else { dice.real(0.0, 1.0) }).collect(),
            friction: (0..contacts).map(|_| friction(dice)).collect(),
            tangents: many(dice, contacts),
        }
    }
}

impl Energies for Tangled {
    fn n(&self) -> usize {
        self.n
    }
    fn n_joints(&self) -> usize {
        self.joints
    }
    fn restitutions(&self) -> &[f64] {
        &self.restitution
    }
    fn frictions(&self) -> &[f64] {
        &self.friction
    }
    fn n_tangents(&self, i: usize) -> usize {
        usize::from(self.friction[i] > 0.0)
    }
    fn contact_tangent(&self, i: usize, _k: usize, _q: &[f64], row: &mut [f64]) {
        row.copy_from_slice(&self.tangents[i]);
    }
    fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D {
        let mut sum = v[0] * 0.0;
        for i in 0..self.n {
            let mut w = v[i];
            for j in 0..self.n {
                w += (q[j] + self.phase[i]).sin() * v[j] * self.mixing[i][j];
            }
            sum += w * w * (0.5 * self.masses[i]);
        }
        sum
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        let mut sum = q[0] * 0.0;
        for (q, weight) in q.iter().zip(&self.weight) {
            sum += *q * *q * (0.5 * self.stiffness) + *q * *weight;
        }
        sum
    }
    /// The joint bends as the gaps do; all are closed with room at q = 0.
    fn constraint<D: Number>(&self, j: usize, q: &[D]) -> D {
        if j < self.joints {
            return q[0] + q[1].sin() * 0.4 - q[2] * q[2] * 0.3;
        }
        let normal = &self.normals[j - self.joints];
        let mut sum = q[0] * 0.0 + 0.3;
        for (q, a) in q.iter().zip(normal) {
            sum += *q * *a;
        }
        sum + q[0] * q[self.n - 1] * self.bend
    }
    fn force<D: Number>(&self, _q: &[D], v: &[D], _t: f64, Q: &mut [D]) {
        for (Q, v) in Q.iter_mut().zip(v) {
            *Q = -*v * self.damping;
        }
    }
}

/// Random mechanisms whose mass depends on q, at solver tolerance 1e-13: free, jointed, with friction, elastic.
#[test]
fn masses_that_depend_on_q() {
    let mut dice = Dice(1996);
    let mut worst = [[0.0_f64; 5]; 4];
    let mut contacts = 0;
    for case in 0..160 {
        let kind = case % 4;
        let model = Tangled::random(&mut dice, kind);
        let damped = model.damping > 0.0;
        let joints = model.joints;
        let mut v0: Vec<f64> = (0..model.n).map(|_| 2.0 * dice.real(-1.0, 1.0)).collect();
        if joints > 0 {
            // ∂g/∂q·v = 0 at q = 0
            v0[0] = -0.4 * v0[1];
        }
        let model = Auto::new(model).expect("a model");
        let q0 = vec![0.0; v0.len()];
        let problem = Problem::nonlinear(Arc::new(model), q0, v0).expect("a problem");
        let h = [2e-3, 1e-2, 2e-2][dice.whole(0, 2)];
        let scheme = if case % 3 == 2 { inside() } else { landing() };
        let (mut audit, mut rows) = (Audit::new(), Trajectory::new());
        let options = SolverOptions { tolerance: 1e-13, ..Default::default() };
        let outcome = simulate(&problem, &scheme, options, h, 1.0, &mut Both(&mut rows, &mut audit)).expect("accepted");
        assert!(matches!(outcome, Outcome::Finished), "case {case}, h = {h}: {outcome:?}");
        let E = audit.largest_energy();
        let length = rows.q.iter().fold(0.3_f64, |L, q| L.max(q.abs()));
        let apart = (0..rows.len()).flat_map(|k| (0..joints).map(move |j| (k, j)));
        let joint = apart.map(|(k, j)| problem.model.joint_distance(j, rows.q(k))).fold(0.0, f64::max);
        let moved = if kind == 3 && !damped {
            rows.ledger.iter().map(|l| (l.energy() - rows.ledger[0].energy()).abs()).fold(0.0, f64::max) / E
        } else {
            0.0
        };
        contacts += rows.ledger.iter().filter(|l| l.work_contact != 0.0).count();
        let found = [audit.largest_gain() / E, audit.largest_residual() / E, audit.deepest() / length, joint, moved];
        for (worst, x) in worst[kind].iter_mut().zip(found) {
            *worst = worst.max(x);
        }
    }
    for (name, [gain, closure, depth, joint, moved]) in ["free", "jointed", "friction", "e = 1"].iter().zip(worst) {
        println!(
            "{name}: gain {gain:.1e}, closure {closure:.1e}, depth {depth:.1e}, joints {joint:.1e}, e = 1 {moved:.1e}"
        );
        assert!(gain <= 1e-12 && closure <= 1e-12 && depth <= 1e-13 && joint <= 1e-13 && moved <= 1e-12, "{name}");
    }
    assert!(contacts > 100, "{contacts} steps in which contacts worked");
}

/// Two unit rods with unit masses at their ends, angles from the vertical, the lower mass right of a wall.
#[derive(Debug)]
struct TwoRods;

impl Energies for TwoRods {
    fn n(&self) -> usize {
        2
    }
    fn restitutions(&self) -> &[f64] {
        &[0.8]
    }
    fn kinetic<D: Number>(&self, q: &[D], v: &[D]) -> D {
        v[0] * v[0] + v[1] * v[1] * 0.5 + v[0] * v[1] * (q[0] - q[1]).cos()
    }
    fn potential<D: Number>(&self, q: &[D]) -> D {
        (q[0].cos() * 2.0 + q[1].cos()) * -9.81
    }
    fn constraint<D: Number>(&self, _j: usize, q: &[D]) -> D {
        q[0].sin() + q[1].sin() + 0.3
    }
}

/// Order 1 with landings at the end of steps, 2 inside them, against a scheme that goes from event to event.
#[test]
fn orders_where_the_mass_depends_on_q() {
    let model = Auto::new(TwoRods).expect("a model");
    let problem = Problem::nonlinear(Arc::new(model), vec![0.9, 0.6], vec![0.0, 0.0]).expect("a problem");
    let end = 1.2;
    let events = run(&problem, &scheme("event-driven", |o| o.tolerance = Some(1e-12)), 1e-2, end);
    let exact = events.q(events.len() - 1).to_vec();
    assert!(events.ledger.iter().any(|l| l.work_contact < -1e-2), "it meets the wall");
    for (name, scheme, least) in [("end", landing(), 0.8), ("inside", inside(), 1.9)] {
        // steps that do not divide each other, so that impacts fall anywhere in them
        let mut points = Vec::new();
        for k in 0..40 {
            let h = end / (60.0 * 1.09_f64.powi(k)).round();
            let rows = run(&problem, &scheme, h, end);
            let last = rows.q(rows.len() - 1);
            points.push((h, (last[0] - exact[0]).hypot(last[1] - exact[1])));
        }
        let (steps, errors): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        let fit = fit_order(&steps, &errors).expect("a fit");
        println!("{name}: {:.2} ± {:.2}", fit.order, fit.scatter);
        assert!(fit.order >= least && fit.order <= least + 0.5, "{name}: {fit:?}");
    }
}
