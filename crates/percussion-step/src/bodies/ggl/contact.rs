//! Contacts under GGL: positions without penetration, then impulses where the bodies end.

use super::{BodiesGgl, CLOSED, LINEARISED, Row, Touch, apply};
use crate::bodies::rows::directions;
use crate::friction_rule::Velocities;
use crate::{State, Step, StepFailure};
use percussion_matrix::{BlockMatrix, DenseMatrix, Matrix};
use percussion_model::bodies::math::{cross, mul, mul_t};
use percussion_model::bodies::{Frame, Twist};
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus};
use std::collections::BTreeMap;
use std::sync::Arc;

impl BodiesGgl {
    /// M⁻¹ of a row.
    pub(super) fn respond(&self, body: usize, row: &Row) -> Row {
        let body = &self.scene.bodies()[body];
        let w = mul(&body.inverse_inertia, &[row[3], row[4], row[5]]);
        let m = body.inverse_mass;
        [m * row[0], m * row[1], m * row[2], w[0], w[1], w[2]]
    }

    /// Contacts near q, with rows there.
    pub(super) fn touches(&mut self, q: &[f64], margin: &[f64]) -> Vec<Touch> {
        let scene = Arc::clone(&self.scene);
        let frames: Vec<Frame> = (0..scene.len()).map(|i| scene.frame(i, q)).collect();
        let found = self.detector.detect(&scene, &frames, margin);
        found
            .iter()
            .map(|point| {
                let rows = directions(&scene, &point.normal).map(|d| {
                    [(0, 1.0), (1, -1.0)].map(|(side, sign)| {
                        let m = mul_t(&frames[point.bodies[side]].R, &cross(&point.arms[side], &d));
                        [sign * d[0], sign * d[1], sign * d[2], sign * m[0], sign * m[1], sign * m[2]]
                    })
                });
                Touch { point: *point, rows }
            })
            .collect()
    }

    /// H_i M⁻¹ H_jᵀ of two rows.
    pub(super) fn coupling(&self, a: ([usize; 2], &[Row; 2]), b: ([usize; 2], &[Row; 2])) -> f64 {
        let mut sum = 0.0;
        for s in 0..2 {
            for t in 0..2 {
                if a.0[s] == b.0[t] && self.scene.bodies()[a.0[s]].is_free() {
                    let x = self.respond(b.0[t], &b.1[t]);
                    sum += (0..6).map(|k| a.1[s][k] * x[k]).sum::<f64>();
                }
            }
        }
        sum
    }

    /// q from q̃ by the displacement of each body.
    fn displaced(&self, q: &[f64], U: &[Row], out: &mut [f64]) {
        for (i, U) in U.iter().enumerate() {
            let twist = Twist { v: [U[0], U[1], U[2]], w: [U[3], U[4], U[5]] };
            self.scene.advance(i, q, 1.0, &twist, out);
        }
    }

    /// 0 ≤ g(q̃ ⊕ U₀ ⊕ M⁻¹H_Nᵀν) ⟂ ν ≥ 0 by linearised problems; ν by identity, the contacts at the answer, and q.
    pub(super) fn positions(
        &mut self,
        qt: &[f64],
        U0: &[Row],
        nu: &mut BTreeMap<u64, f64>,
        margin: &mut [f64],
        way: f64,
        (t, h): (f64, f64),
    ) -> Result<(Vec<Touch>, Vec<f64>), StepFailure> {
        let mut U = U0.to_vec();
        let mut q = qt.to_vec();
        for _ in 0..LINEARISED {
            self.displaced(qt, &U, &mut q);
            let touches = self.touches(&q, margin);
            let deepest = touches.iter().map(|c| -c.point.gap).fold(0.0, f64::max);
            let n = touches.len();
            let mut W = DenseMatrix::zeros(n, n);
            let mut b = Vec::with_capacity(n);
            for (i, c) in touches.iter().enumerate() {
                for (j, d) in touches.iter().enumerate() {
                    W.set(i, j, self.coupling((c.point.bodies, &c.rows[0]), (d.point.bodies, &d.rows[0])));
                }
                let moved: f64 = (0..2)
                    .map(|s| {
                        let (U, U0) = (&U[c.point.bodies[s]], &U0[c.point.bodies[s]]);
                        (0..6).map(|k| c.rows[0][s][k] * (U[k] - U0[k])).sum::<f64>()
                    })
                    .sum();
                b.push((c.point.gap - moved) / h);
            }
            let mut z: Vec<f64> = touches.iter().map(|c| nu.get(&c.point.id).copied().unwrap_or(0.0) / h).collect();
            let problem = OneStepProblem::new(Matrix::Dense(W), b);
            let report = self.solver.solve(&problem, &mut z);
            if report.status != SolveStatus::Solved && report.residuals.worst() > self.tolerance {
                return Err(StepFailure::unsolved(t, h, &problem, &report));
            }
            let mut next = U0.to_vec();
            nu.clear();
            for (c, z) in touches.iter().zip(&z).filter(|(_, z)| **z > 0.0) {
                nu.insert(c.point.id, h * z);
                for s in 0..2 {
                    let body = c.point.bodies[s];
                    if self.scene.bodies()[body].is_free() {
                        let x = self.respond(body, &c.rows[0][s]);
                        for k in 0..6 {
                            next[body][k] += h * z * x[k];
                        }
                    }
                }
            }
            let change =
                U.iter().zip(&next).flat_map(|(a, b)| (0..6).map(move |k| (a[k] - b[k]).abs())).fold(0.0, f64::max);
            U = next;
            // what was pushed out may meet something further on
            margin.iter_mut().for_each(|m| *m = m.max(deepest));
            // gaps carry the round-off of places
            let round_off = 4.0 * f64::EPSILON * q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if change <= CLOSED * way + round_off {
                self.displaced(qt, &U, &mut q);
                return Ok((touches, q));
            }
        }
        let message = format!("positions without penetration were not found in {LINEARISED} linearised problems");
        Err(StepFailure::newton(&State { t, ..Default::default() }, h, message))
    }

    /// Impulses on the closed contacts; gives p in blocks.
    pub(super) fn velocities(
        &mut self,
        closed: &[Touch],
        before: &[Twist],
        tilde: &[Twist],
        guess: &BTreeMap<u64, [f64; 3]>,
        (t, h): (f64, f64),
        step: &mut Step,
    ) -> Result<(Vec<f64>, Vec<f64>), StepFailure> {
        let (d, n) = (self.dim(), closed.len());
        let law = |c: &Touch| {
            let [a, b] = c.point.bodies.map(|i| self.scene.bodies()[i].material);
            self.scene.materials().law(a, b)
        };
        let velocity = |c: &Touch, k: usize, twists: &[Twist]| {
            (0..2).map(|s| apply(&c.rows[k][s], &twists[c.point.bodies[s]])).sum::<f64>()
        };
        let (mut u_before, mut u_free) = (Vec::new(), Vec::new());
        let mut restitution = Vec::new();
        let mut r = Vec::new();
        for c in closed {
            for k in 0..d {
                u_before.push(velocity(c, k, before));
                u_free.push(velocity(c, k, tilde));
            }
            restitution.push(self.activation.restitution(u_before[u_before.len() - d], law(c).restitution, 1.0));
            r.extend_from_slice(&guess.get(&c.point.id).copied().unwrap_or_default()[..d]);
        }
        let mut blocks = Vec::new();
        for (i, a) in closed.iter().enumerate() {
            for (j, b) in closed.iter().enumerate() {
                let shared =
                    a.point.bodies.iter().any(|x| b.point.bodies.contains(x) && self.scene.bodies()[*x].is_free());
                if !shared {
                    continue;
                }
                let mut block = vec![0.0; d * d];
                for col in 0..d {
                    for k in 0..d {
                        block[col * d + k] =
                            self.coupling((a.point.bodies, &a.rows[k]), (b.point.bodies, &b.rows[col]));
                    }
                }
                blocks.push((i, j, block));
            }
        }
        let blocks: Vec<_> = blocks.iter().map(|(i, j, block)| (*i, *j, block.as_slice())).collect();
        let W = BlockMatrix::from_blocks(d, n, &blocks).unwrap_or_else(|| BlockMatrix::empty(d));
        let mu = closed.iter().map(|c| law(c).friction).collect();
        let Some(mut problem) = FrictionProblem::new(W, vec![0.0; d * n], mu, Vec::new()) else {
            return Err(StepFailure::not_finite(t, h, 0));
        };
        problem.ids = closed.iter().map(|c| c.point.id as usize).collect();
        let u = Velocities { before: &u_before, free: &u_free, restitution: &restitution, positions: 0 };
        let report = self.rule.solve(&mut problem, u, &mut r);
        let report = report.map_err(|report| StepFailure::unsolved_friction(t, h, &problem, &report))?;
        step.info.solves += report.solves;
        step.info.iterations += report.iterations;
        step.info.residual = report.residual;
        step.info.impacts = report.impacts;
        step.info.fallbacks = report.fallbacks;
        Ok((r, u_before))
    }
}
