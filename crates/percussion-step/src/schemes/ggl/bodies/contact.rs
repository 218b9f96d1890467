//! Contacts under GGL: positions without penetration, then impulses where the bodies end.

use crate::bodies::rows::directions;
use crate::contact::friction_rule::Velocities;
use crate::schemes::ggl::bodies::joints::{as_row, product};
use crate::schemes::ggl::bodies::{Answer, BodiesGgl, CLOSED, LINEARISED, Place, Row, STALLED, Touch, apply};
use crate::{State, Step, StepFailure};
use percussion_matrix::{BlockMatrix, DenseMatrix, Matrix};
use percussion_model::bodies::math::{cross, mul, mul_t};
use percussion_model::bodies::{Frame, RowLaw, Twist};
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
        let mut touches: Vec<Touch> = found
            .iter()
            .map(|point| {
                let rows = directions(&scene, &point.normal).map(|d| {
                    [(0, 1.0), (1, -1.0)].map(|(side, sign)| {
                        let m = mul_t(&frames[point.bodies[side]].R, &cross(&point.arms[side], &d));
                        [sign * d[0], sign * d[1], sign * d[2], sign * m[0], sign * m[1], sign * m[2]]
                    })
                });
                let [a, b] = point.bodies.map(|i| scene.bodies()[i].material);
                let law = scene.materials().law(a, b);
                Touch {
                    id: point.id,
                    bodies: point.bodies,
                    gap: point.gap,
                    rows,
                    rubs: true,
                    restitution: law.restitution,
                    friction: law.friction,
                    point: Some(*point),
                }
            })
            .collect();
        // stops and play
        let mut of_joints = Vec::new();
        scene.joint_touches(&frames, &self.turns_at(&frames), &mut of_joints);
        touches.extend(of_joints.into_iter().map(|touch| Touch {
            id: touch.id,
            bodies: touch.bodies,
            gap: touch.gap,
            rows: [touch.rows[0], touch.rows[1], touch.rows[2]],
            rubs: touch.rubs,
            restitution: touch.restitution,
            friction: touch.friction,
            point: None,
        }));
        touches
    }

    /// How the bodies answer an impulse along a row: M⁻¹ of it, and what the joints held make of that.
    fn answer(&mut self, bodies: [usize; 2], rows: &[Row; 2]) -> Answer {
        let mut answer = Answer { x: vec![[0.0; 6]; self.scene.len()], l: vec![0.0; self.joints.rows.len()] };
        for (body, row) in bodies.into_iter().zip(rows) {
            if self.scene.bodies()[body].is_free() {
                let x = self.respond(body, row);
                (0..6).for_each(|k| answer.x[body][k] += x[k]);
            }
        }
        self.joints.project(&mut answer.x, &mut answer.l, |_, _| 0.0);
        answer
    }

    /// Rows of joints at q, held at the level of positions or of velocities.
    pub(super) fn hold(&mut self, q: &[f64], place: &Place, velocities: bool) -> Result<(), StepFailure> {
        let scene = Arc::clone(&self.scene);
        let frames: Vec<Frame> = (0..scene.len()).map(|i| scene.frame(i, q)).collect();
        self.joints.place(place.start, place.c_start, &frames);
        if self.joints.hold(&scene, velocities) { Ok(()) } else { Err(StepFailure::singular(place.t, place.h, None)) }
    }

    /// ṽ as the joints and motors let it be at q, with what they do for it.
    pub(super) fn held_velocities(&mut self, tilde: &[Twist], q: &[f64], place: &Place) -> Result<Answer, StepFailure> {
        let mut answer = Answer { x: tilde.iter().map(as_row).collect(), l: vec![0.0; self.joints.rows.len()] };
        if !self.joints.rows.is_empty() {
            self.hold(q, place, true)?;
            let t = place.t + place.h;
            self.joints.project(&mut answer.x, &mut answer.l, |_, row| match &row.law {
                RowLaw::Rate(w) => w.at(t),
                _ => 0.0,
            });
        }
        Ok(answer)
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
        place: &Place,
    ) -> Result<(Vec<Touch>, Vec<f64>), StepFailure> {
        let Place { t, h, way, .. } = *place;
        let jointed = !self.joints.rows.is_empty();
        let mut U = U0.to_vec();
        let mut q = qt.to_vec();
        let mut last = f64::INFINITY;
        for _ in 0..LINEARISED {
            self.displaced(qt, &U, &mut q);
            let touches = self.touches(&q, margin);
            let deepest = touches.iter().map(|c| -c.gap).fold(0.0, f64::max);
            let n = touches.len();
            // where the joints want the bodies, contacts left out: c + D (U⁺ − U) = target
            let mut base = U0.to_vec();
            let mut answers = Vec::new();
            if jointed {
                self.hold(&q, place, false)?;
                let mut l = vec![0.0; self.joints.rows.len()];
                self.joints.project(&mut base, &mut l, |_, row| match row.law {
                    RowLaw::Rigid { target } => target - row.c + row.rate(&U),
                    _ => 0.0,
                });
                for c in &touches {
                    answers.push(self.answer(c.bodies, &c.rows[0]));
                }
            }
            let mut W = DenseMatrix::zeros(n, n);
            let mut b = Vec::with_capacity(n);
            for (i, c) in touches.iter().enumerate() {
                for (j, d) in touches.iter().enumerate() {
                    let entry = match answers.get(j) {
                        Some(answer) => (0..2).map(|s| product(&c.rows[0][s], &answer.x[c.bodies[s]])).sum(),
                        None => self.coupling((c.bodies, &c.rows[0]), (d.bodies, &d.rows[0])),
                    };
                    W.set(i, j, entry);
                }
                let moved: f64 = (0..2)
                    .map(|s| {
                        let (U, U0) = (&U[c.bodies[s]], &base[c.bodies[s]]);
                        (0..6).map(|k| c.rows[0][s][k] * (U[k] - U0[k])).sum::<f64>()
                    })
                    .sum();
                b.push((c.gap - moved) / h);
            }
            let mut z: Vec<f64> = touches.iter().map(|c| nu.get(&c.id).copied().unwrap_or(0.0) / h).collect();
            let problem = OneStepProblem::new(Matrix::Dense(W), b);
            let report = self.solver.solve(&problem, &mut z);
            if report.status != SolveStatus::Solved && report.residuals.worst() > self.tolerance {
                return Err(StepFailure::unsolved(t, h, &problem, &report));
            }
            let mut next = base;
            nu.clear();
            for (i, (c, z)) in touches.iter().zip(&z).enumerate().filter(|(_, (_, z))| **z > 0.0) {
                nu.insert(c.id, h * z);
                if let Some(answer) = answers.get(i) {
                    for (next, x) in next.iter_mut().zip(&answer.x) {
                        (0..6).for_each(|k| next[k] += h * z * x[k]);
                    }
                    continue;
                }
                for s in 0..2 {
                    let body = c.bodies[s];
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
            // light bodies turn far for a gap of round-off: where changes do not fall any more they are that
            let settled = change <= STALLED * way && change > 0.5 * last;
            last = change;
            if settled || change <= CLOSED * way + round_off {
                self.displaced(qt, &U, &mut q);
                return Ok((touches, q));
            }
        }
        let message = format!("positions without penetration were not found in {LINEARISED} linearised problems");
        Err(StepFailure::newton(&State { t, ..Default::default() }, h, message))
    }

    /// Impulses on the closed contacts from `base`, the velocities without them; gives p in blocks, and adds what it does to `base`.
    pub(super) fn velocities(
        &mut self,
        closed: &[Touch],
        before: &[Twist],
        base: &mut Answer,
        guess: &BTreeMap<u64, [f64; 3]>,
        (t, h): (f64, f64),
        step: &mut Step,
    ) -> Result<(Vec<f64>, Vec<f64>), StepFailure> {
        let (d, n) = (self.dim(), closed.len());
        // answers of joints to every component that exists
        let mut answers: Vec<Option<Answer>> = Vec::new();
        if !self.joints.rows.is_empty() {
            for c in closed {
                for k in 0..d {
                    answers.push((k == 0 || c.rubs).then(|| self.answer(c.bodies, &c.rows[k])));
                }
            }
        }
        let velocity = |c: &Touch, k: usize, twists: &[Twist]| {
            (0..2).map(|s| apply(&c.rows[k][s], &twists[c.bodies[s]])).sum::<f64>()
        };
        let free: Vec<Twist> = base.x.iter().map(|x| Twist { v: [x[0], x[1], x[2]], w: [x[3], x[4], x[5]] }).collect();
        let (mut u_before, mut u_free) = (Vec::new(), Vec::new());
        let mut restitution = Vec::new();
        let mut r = Vec::new();
        for c in closed {
            for k in 0..d {
                u_before.push(velocity(c, k, before));
                u_free.push(velocity(c, k, &free));
            }
            restitution.push(self.activation.restitution(u_before[u_before.len() - d], c.restitution, 1.0));
            r.extend_from_slice(&guess.get(&c.id).copied().unwrap_or_default()[..d]);
        }
        let mut blocks = Vec::new();
        for (i, a) in closed.iter().enumerate() {
            for (j, b) in closed.iter().enumerate() {
                let shared = a.bodies.iter().any(|x| b.bodies.contains(x) && self.scene.bodies()[*x].is_free());
                if !shared && answers.is_empty() {
                    continue;
                }
                let mut block = vec![0.0; d * d];
                for col in 0..d {
                    for k in 0..d {
                        let exists = |c: &Touch, k: usize| k == 0 || c.rubs;
                        block[col * d + k] = match answers.get(j * d + col) {
                            _ if !exists(a, k) || !exists(b, col) => 0.0,
                            Some(Some(answer)) => (0..2).map(|s| product(&a.rows[k][s], &answer.x[a.bodies[s]])).sum(),
                            _ => self.coupling((a.bodies, &a.rows[k]), (b.bodies, &b.rows[col])),
                        };
                    }
                }
                // tangents that do not exist stand alone
                if i == j && !a.rubs {
                    (1..d).for_each(|k| block[k * d + k] = block[0]);
                }
                blocks.push((i, j, block));
            }
        }
        let blocks: Vec<_> = blocks.iter().map(|(i, j, block)| (*i, *j, block.as_slice())).collect();
        let W = BlockMatrix::from_blocks(d, n, &blocks).unwrap_or_else(|| BlockMatrix::empty(d));
        let mu = closed.iter().map(|c| if c.rubs { c.friction } else { 0.0 }).collect();
        let Some(mut problem) = FrictionProblem::new(W, vec![0.0; d * n], mu, Vec::new()) else {
            return Err(StepFailure::not_finite(t, h, 0));
        };
        problem.ids = closed.iter().map(|c| c.id as usize).collect();
        let u = Velocities { before: &u_before, free: &u_free, restitution: &restitution, positions: 0 };
        let report = self.rule.solve(&mut problem, u, &mut r);
        let report = report.map_err(|report| StepFailure::unsolved_friction(t, h, &problem, &report))?;
        step.info.repeat(&report);
        self.last = Some((problem, r.clone()));

        // what the impulses do
        for (i, c) in closed.iter().enumerate() {
            for k in 0..d {
                let p = r[i * d + k];
                match answers.get(i * d + k) {
                    Some(Some(answer)) => base.add(p, answer),
                    Some(None) => {}
                    None => {
                        for s in 0..2 {
                            let body = c.bodies[s];
                            if self.scene.bodies()[body].is_free() {
                                let x = self.respond(body, &c.rows[k][s]);
                                (0..6).for_each(|m| base.x[body][m] += p * x[m]);
                            }
                        }
                    }
                }
            }
        }
        Ok((r, u_before))
    }
}
