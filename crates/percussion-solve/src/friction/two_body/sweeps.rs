//! Sweeps over contacts of bodies with momentum, one contact at a time and solved exactly: the plane, rolling friction, and
//! rows that no packet takes.
//!
//!   r ← sweep(r),    r ← r + β (r − r_last)
//!
//! Velocities of the bodies are affine in r and follow with the same β, so an iteration costs one sweep. A contact is
//! visited with H and Y = M⁻¹Hᵀ of its two bodies at hand; what is judged and returned is the r of a sweep, inside its
//! cones.

use crate::Residuals;
use crate::friction::local::{Local, Memory, fixed_point};
use crate::friction::residual::natural;
use crate::friction::two_body::momentum::Momentum;
use crate::friction::two_body::solver::BodyTask;
use crate::friction::{Cone, TwoBodyProblem};
use crate::report::Outcome;

/// Local fixed-point steps where no exact solution is offered.
const FIXED_POINT_STEPS: usize = 50;
/// Sweeps after which the residuals are looked at in any case.
const LOOK: usize = 20;

/// A contact as the sweeps meet it: all its numbers side by side.
#[derive(Clone, Copy, Debug)]
struct Visit<const D: usize, const D2: usize, L> {
    /// The two bodies; the ground is the body after the last.
    bodies: [u32; 2],
    H: [[[f64; 6]; D]; 2],
    Y: [[[f64; 6]; D]; 2],
    w: [f64; D],
    block: [f64; D2],
    local: L,
    cone: Cone,
    memory: Memory,
}

/// The method with its work memory.
#[derive(Debug)]
pub(crate) struct Sweeps<const D: usize, const D2: usize, L> {
    visits: Vec<Visit<D, D2, L>>,
    /// Velocities of the bodies, the ground last.
    v: Vec<[f64; 6]>,
    last_v: Vec<[f64; 6]>,
    last: Vec<[f64; D]>,
}

impl<const D: usize, const D2: usize, L> Default for Sweeps<D, D2, L> {
    fn default() -> Self {
        Self { visits: Vec::new(), v: Vec::new(), last_v: Vec::new(), last: Vec::new() }
    }
}

impl<const D: usize, const D2: usize, L: Local<D>> Sweeps<D, D2, L> {
    /// Improves r and leaves its velocity in u; b and ρ belong to the problem.
    pub fn solve(&mut self, task: BodyTask, r: &mut [f64], u: &mut [f64]) -> Outcome {
        let BodyTask { problem, b, rho, goal } = task;
        self.prepare(problem);
        let r = r.as_chunks_mut::<D>().0;
        for (visit, r) in self.visits.iter().zip(r.iter_mut()) {
            *r = visit.cone.project(r);
        }
        let mut residuals = self.judge(problem, b, rho, r, u);
        let mut iterations = 0;
        let (mut momentum, mut light, mut looked) = (Momentum::default(), f64::INFINITY, 0);
        self.last.clear();
        self.last.extend_from_slice(r);
        self.last_v.clone_from(&self.v);
        while iterations < goal.limit && residuals.worst() > goal.tolerance && !goal.stop.requested() {
            let change = self.sweep(rho, r);
            iterations += 1;
            if !change.is_finite() {
                break;
            }
            if change <= light || iterations - looked >= LOOK || iterations == goal.limit {
                looked = iterations;
                residuals = self.residuals(b, rho, r, u);
                if residuals.worst() <= goal.tolerance {
                    // rounding entered v with every update: what is accepted is judged by exact velocities
                    residuals = self.judge(problem, b, rho, r, u);
                    if residuals.worst() <= goal.tolerance {
                        break;
                    }
                }
                // changes are squares
                light = change * (goal.tolerance / residuals.worst()).clamp(0.02, 0.9).powi(2);
            }
            // what is returned is the r of a sweep
            if iterations == goal.limit {
                break;
            }
            self.extrapolate(momentum.beta(change), r);
        }
        let residuals = self.judge(problem, b, rho, r, u);
        Outcome { iterations, residuals }
    }

    fn prepare(&mut self, problem: &TwoBodyProblem) {
        let ground = problem.v.len() as u32;
        self.visits.clear();
        for i in 0..problem.len() {
            let mut visit = Visit {
                bodies: [ground; 2],
                H: [[[0.0; 6]; D]; 2],
                Y: [[[0.0; 6]; D]; 2],
                w: std::array::from_fn(|k| problem.w[i * D + k]),
                block: problem.diagonal_block::<D, D2>(i),
                local: L::default(),
                cone: problem.cone(i),
                memory: [0.0; 2],
            };
            visit.local = L::new(&visit.block, visit.cone);
            for (side, &body) in problem.bodies[i].iter().enumerate() {
                if body != TwoBodyProblem::GROUND {
                    visit.bodies[side] = body;
                    for (k, row) in problem.rows::<D>(i, side).iter().enumerate() {
                        visit.H[side][k] = *row;
                        visit.Y[side][k] = problem.respond(body as usize, row);
                    }
                }
            }
            self.visits.push(visit);
        }
    }

    /// All contacts once; ‖Δr‖².
    fn sweep(&mut self, rho: &[f64], r: &mut [[f64; D]]) -> f64 {
        let v = &mut self.v[..];
        let mut change = 0.0;
        for ((visit, r), rho) in self.visits.iter_mut().zip(r).zip(rho) {
            let old = *r;
            let mut b = visit.velocity(v);
            for c in 0..D {
                for k in 0..D {
                    b[k] -= visit.block[c * D + k] * old[c];
                }
            }
            let new = match visit.local.solve(&b, &old, &mut visit.memory) {
                Some(new) => new,
                None => fixed_point(&visit.block, visit.cone, *rho, &b, &old, FIXED_POINT_STEPS),
            };
            let (mut delta, mut square) = ([0.0; D], 0.0);
            for k in 0..D {
                delta[k] = new[k] - old[k];
                square += delta[k] * delta[k];
            }
            if square == 0.0 {
                continue;
            }
            change += square;
            *r = new;
            for side in 0..2 {
                let v = &mut v[visit.bodies[side] as usize];
                for k in 0..D {
                    for j in 0..6 {
                        v[j] += visit.Y[side][k][j] * delta[k];
                    }
                }
            }
        }
        change
    }

    /// r ← r + β (r − r_last), and v with it.
    fn extrapolate(&mut self, beta: f64, r: &mut [[f64; D]]) {
        let pairs = r.as_flattened_mut().iter_mut().zip(self.last.as_flattened_mut());
        let velocities = self.v.as_flattened_mut().iter_mut().zip(self.last_v.as_flattened_mut());
        for (x, last) in pairs.chain(velocities) {
            let now = *x;
            *x = now + beta * (now - *last);
            *last = now;
        }
    }

    /// Exact velocities of r, and its residuals.
    fn judge(&mut self, problem: &TwoBodyProblem, b: &[f64], rho: &[f64], r: &[[f64; D]], u: &mut [f64]) -> Residuals {
        let n = problem.v.len();
        self.v.resize(n + 1, [0.0; 6]);
        problem.body_velocities(r.as_flattened(), &mut self.v[..n]);
        self.v[n] = [0.0; 6];
        self.residuals(b, rho, r, u)
    }

    fn residuals(&self, b: &[f64], rho: &[f64], r: &[[f64; D]], u: &mut [f64]) -> Residuals {
        for (visit, u) in self.visits.iter().zip(u.as_chunks_mut::<D>().0) {
            *u = visit.velocity(&self.v);
        }
        natural::<D>(b, |i| self.visits[i].cone, rho, r.as_flattened(), u)
    }
}

impl<const D: usize, const D2: usize, L> Visit<D, D2, L> {
    /// H v + w.
    #[inline(always)]
    fn velocity(&self, v: &[[f64; 6]]) -> [f64; D] {
        let mut u = self.w;
        for side in 0..2 {
            let v = &v[self.bodies[side] as usize];
            for k in 0..D {
                let h = &self.H[side][k];
                u[k] += h[0] * v[0] + h[1] * v[1] + h[2] * v[2] + h[3] * v[3] + h[4] * v[4] + h[5] * v[5];
            }
        }
        u
    }
}
