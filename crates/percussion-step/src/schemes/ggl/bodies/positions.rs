//! Positions of bodies under GGL: no penetration, joints closed.
//!
//!   q = q̃ ⊕ (U₀ + M⁻¹(H_Nᵀν + Dᵀν_b)),    0 ≤ g(q) ⟂ ν ≥ 0,   c(q) = target,   by linearised problems

use crate::bodies::rows::directions;
use crate::run::audit::NO_PENETRATION;
use crate::schemes::ggl::bodies::joints::{JointRow, product};
use crate::schemes::ggl::bodies::shift::SparseRow;
use crate::schemes::ggl::bodies::{Answer, BodiesGgl, Place, Row, Touch, as_twist};
use crate::{State, StepFailure};
use percussion_matrix::stop::requested;
use percussion_matrix::{BlockMatrix, DenseMatrix, Matrix, SparseMatrix};
use percussion_model::bodies::math::{cross, mul_t, norm};
use percussion_model::bodies::{Body, RowLaw};
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Contacts from which W is kept sparse.
const SPARSE_FROM: usize = 200;
/// Linearised problems of a round.
const LINEARISED: usize = 60;
/// Those after which contacts once found stay: features that come and go would keep the iteration from ending.
const COMING_AND_GOING: usize = 12;
/// Positions have arrived when they change by less than this part of the way of a step.
const CLOSED: f64 = 1e-12;
/// The same where changes have stopped falling, and the part of what is promised of gaps that they may leave.
const STALLED: f64 = 1e-8;
const WITHIN: f64 = 0.25;
/// Part of the way by which features that come and go may still move what touches and does not overlap: the normal of a rim on a corner is known
/// to 1e-5.
const JITTER: f64 = 1e-4;
/// A displacement this many times the way and the deepest overlap answers overlaps that no displacement ends: bodies pushed from both sides.
const THROWN: f64 = 100.0;
/// Parts of the way by which bodies keep away from each other, one after the other, where features that come and go let positions not arrive.
const STAND_OFF: [f64; 4] = [1e-8, 1e-6, 1e-4, 1e-2];
/// Linearised problems for each of them.
const AWAY: usize = 15;
/// Newton steps that close joints again then.
const CLOSING: usize = 6;

impl BodiesGgl {
    /// M⁻¹ of a row on two bodies.
    pub(super) fn respond(&self, bodies: [usize; 2], rows: &[Row; 2]) -> SparseRow {
        self.joints.masses.respond(&self.scene, bodies.into_iter().zip(*rows))
    }

    /// Contacts near q, with rows there.
    pub(super) fn touches(&mut self, q: &[f64], margin: &[f64]) -> Vec<Touch> {
        let scene = Arc::clone(&self.scene);
        let frames = self.frames(q);
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
                let law = scene.law_between(point.bodies, point.id);
                Touch {
                    id: point.id,
                    bodies: point.bodies,
                    gap: point.gap,
                    rows,
                    tangential: true,
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
            tangential: touch.frictional,
            restitution: touch.restitution,
            friction: touch.friction,
            point: None,
        }));
        touches
    }

    /// These contacts, and those of `last` that are not among them, with the rows they had, where their gaps at q are not below
    /// `deepest`: features that lie deeper have given way to others.
    pub(super) fn with_lost(&self, mut touches: Vec<Touch>, last: Vec<Touch>, q: &[f64], deepest: f64) -> Vec<Touch> {
        let frames = self.frames(q);
        for mut lost in last {
            if touches.iter().all(|c| c.id != lost.id) {
                if let Some(point) = &lost.point {
                    lost.gap = point.gap_at(&frames[lost.bodies[0]], &frames[lost.bodies[1]]);
                }
                if lost.gap >= deepest {
                    touches.push(lost);
                }
            }
        }
        touches.sort_by_key(|c| c.id);
        touches
    }

    /// How the bodies answer an impulse along a row: M⁻¹ of it, and what the joints held make of that.
    pub(super) fn answer(&mut self, bodies: [usize; 2], rows: &[Row; 2]) -> Answer {
        let mut answer = Answer { x: vec![[0.0; 6]; self.scene.len()], l: vec![0.0; self.joints.rows.len()] };
        for (body, x) in self.respond(bodies, rows) {
            (0..6).for_each(|k| answer.x[body][k] += x[k]);
        }
        self.joints.project(&mut answer.x, &mut answer.l, |_, _| 0.0);
        answer
    }

    /// Rows of joints at q, held at the level of positions or of velocities.
    pub(super) fn hold(&mut self, q: &[f64], place: &Place, velocities: bool) -> Result<(), StepFailure> {
        let scene = Arc::clone(&self.scene);
        let frames = self.frames(q);
        self.joints.place(place.start, place.c_start, &frames);
        if self.joints.hold(&scene, velocities) { Ok(()) } else { Err(StepFailure::singular(place.t, place.h, None)) }
    }

    /// H_i M⁻¹ H_jᵀ of two rows.
    pub(super) fn coupling(&self, a: ([usize; 2], &[Row; 2]), b: ([usize; 2], &[Row; 2])) -> f64 {
        coupling(a, &self.respond(b.0, b.1))
    }

    /// q from q̃ by the displacement of each body.
    fn displaced(&self, q: &[f64], U: &[Row], out: &mut [f64]) {
        for (i, U) in U.iter().enumerate() {
            self.scene.advance(i, q, 1.0, &as_twist(U), out);
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
        let mut U = U0.to_vec();
        let mut q = qt.to_vec();
        let mut last = f64::INFINITY;
        let mut seen = Vec::new();
        for iteration in 0..LINEARISED {
            if requested() {
                break;
            }
            self.displaced(qt, &U, &mut q);
            let mut touches = self.touches(&q, margin);
            if iteration >= COMING_AND_GOING {
                let allowed = allowed(&q);
                let apart = touches.iter().all(|c| c.gap >= -allowed);
                touches = self.with_lost(touches, std::mem::take(&mut seen), &q, f64::NEG_INFINITY);
                // 0 ≤ g ⟂ ν ≥ 0 holds, and only rows still change
                let touching = touches.iter().all(|c| c.gap <= allowed || !nu.contains_key(&c.id));
                let stands = iteration > COMING_AND_GOING && apart && touching && last <= JITTER * way;
                if stands && !self.penetrates(&q) && self.open_joints(&q, place) <= allowed {
                    return Ok((touches, q));
                }
                seen.clone_from(&touches);
            }
            let deepest = touches.iter().map(|c| -c.gap).fold(0.0, f64::max);
            let next = self.pushed_out(&q, (U0, &U), (&touches, 0.0), nu, place)?;
            if self.longest(&next) > THROWN * (way + deepest) {
                let message = "bodies overlap from both sides: no displacement parts them".to_string();
                return Err(StepFailure::newton(&State { t, ..Default::default() }, h, message));
            }
            let change = largest_change(&U, &next);
            U = next;
            // what was pushed out may meet something further on
            margin.iter_mut().for_each(|m| *m = m.max(deepest));
            // gaps carry the round-off of places
            let round_off = 4.0 * f64::EPSILON * q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            // light bodies turn far for a gap of round-off: where changes do not fall any more they are that
            let settled = change <= STALLED * way && change > 0.5 * last;
            last = change;
            let arrived = change <= CLOSED * way + round_off;
            if settled || arrived {
                self.displaced(qt, &U, &mut q);
                // a change that has only stopped falling may be larger than what is promised of gaps and joints, and a feature may have just come
                if !self.penetrates(&q) && (arrived || self.open_joints(&q, place) <= allowed(&q)) {
                    return Ok((touches, q));
                }
            }
        }
        for part in STAND_OFF {
            for round in 0..AWAY {
                if requested() {
                    break;
                }
                self.displaced(qt, &U, &mut q);
                let mut touches = self.touches(&q, margin);
                let apart = touches.iter().all(|c| c.gap >= 0.0) && touches.iter().any(|c| nu.contains_key(&c.id));
                if apart && !self.penetrates(&q) {
                    if self.open_joints(&q, place) <= allowed(&q) {
                        return Ok((touches, q));
                    }
                    // bodies keep away from each other by more than joints are open
                    self.close_joints(qt, &mut U, &mut q, place)?;
                    touches = self.touches(&q, margin);
                    if !self.penetrates(&q) && self.open_joints(&q, place) <= allowed(&q) {
                        return Ok((touches, q));
                    }
                }
                let next = self.pushed_out(&q, (U0, &U), (&touches, part * way), nu, place)?;
                // two places whose features ask for each other: the answer lies between them (4 of 2,000 fast throws need it)
                let share = if round < AWAY / 2 { 1.0 } else { 0.5 };
                for (U, next) in U.iter_mut().zip(&next) {
                    (0..6).for_each(|k| U[k] += share * (next[k] - U[k]));
                }
            }
        }
        let message = format!("positions without penetration were not found in {LINEARISED} linearised problems");
        Err(StepFailure::newton(&State { t, ..Default::default() }, h, message))
    }

    /// By how much rigid rows at q miss their targets; rows are placed there.
    fn open_joints(&mut self, q: &[f64], place: &Place) -> f64 {
        if !self.jointed() {
            return 0.0;
        }
        let frames = self.frames(q);
        self.joints.place(place.start, place.c_start, &frames);
        self.joints.rows.iter().fold(0.0, |most, row| match row.law {
            RowLaw::Rigid { target } => most.max((row.c - target).abs()),
            RowLaw::Rate(_)
            | RowLaw::Force(_)
            | RowLaw::Servo(_)
            | RowLaw::Spring { .. }
            | RowLaw::Curve(_)
            | RowLaw::Rotor { .. } => most,
        })
    }

    /// Brings joints back by Newton's method, contacts left out.
    fn close_joints(&mut self, qt: &[f64], U: &mut [Row], q: &mut [f64], place: &Place) -> Result<(), StepFailure> {
        for _ in 0..CLOSING {
            self.hold(q, place, false)?;
            let before = U.to_vec();
            let mut l = vec![0.0; self.joints.rows.len()];
            self.joints.project(U, &mut l, |_, row| wanted(row, &before));
            self.displaced(qt, U, q);
        }
        Ok(())
    }

    /// Whether bodies at q overlap, or joints overrun their stops, by more than is promised.
    fn penetrates(&mut self, q: &[f64]) -> bool {
        let allowed = allowed(q);
        if self.least_gap(q).is_some_and(|(gap, _)| gap < -allowed) {
            return true;
        }
        let (mut of_joints, frames) = (Vec::new(), self.frames(q));
        self.scene.joint_touches(&frames, &self.turns_at(&frames), &mut of_joints);
        of_joints.iter().any(|touch| touch.gap < -allowed)
    }

    /// The least gap of all that touch at q, whether the step looks at them or not, and its contact.
    pub(super) fn least_gap(&mut self, q: &[f64]) -> Option<(f64, usize)> {
        if !self.scene.has_touching_shapes() {
            return None;
        }
        let (scene, frames) = (Arc::clone(&self.scene), self.frames(q));
        let found = self.detector.detect(&scene, &frames, &vec![0.0; scene.len()]);
        found.iter().map(|point| (point.gap, point.id as usize)).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The longest way that a displacement leads a point of a body.
    fn longest(&self, U: &[Row]) -> f64 {
        let way = |(U, body): (&Row, &Body)| {
            let [shift, turn] = [[U[0], U[1], U[2]], [U[3], U[4], U[5]]].map(|x| norm(&x));
            shift + if turn == 0.0 { 0.0 } else { turn * body.reach.min(1e6) }
        };
        U.iter().zip(self.scene.bodies()).map(way).fold(0.0, f64::max)
    }

    /// The displacement that the problem linearised at q, itself displaced by U, asks for, gaps no smaller than `away`; its ν replace the old ones.
    fn pushed_out(
        &mut self,
        q: &[f64],
        (U0, U): (&[Row], &[Row]),
        (touches, away): (&[Touch], f64),
        nu: &mut BTreeMap<u64, f64>,
        place: &Place,
    ) -> Result<Vec<Row>, StepFailure> {
        let Place { t, h, .. } = *place;
        let n = touches.len();
        // where the joints want the bodies, contacts left out: c + D (U⁺ − U) = target
        let mut base = U0.to_vec();
        let mut answers = Vec::new();
        if self.jointed() {
            self.hold(q, place, false)?;
            let mut l = vec![0.0; self.joints.rows.len()];
            self.joints.project(&mut base, &mut l, |_, row| wanted(row, U));
            for c in touches {
                StepFailure::unless_stopped(t, h)?;
                answers.push(self.answer(c.bodies, &c.rows[0]));
            }
        }
        let mut responses = Vec::new();
        if answers.is_empty() {
            responses.extend(touches.iter().map(|c| self.respond(c.bodies, &c.rows[0])));
        }
        StepFailure::unless_stopped(t, h)?;
        let W = match answers.is_empty() {
            true if n >= SPARSE_FROM => sparse_operator(touches, &responses, self.scene.len()),
            true => dense_operator(touches, |c, j| coupling((c.bodies, &c.rows[0]), &responses[j])),
            false => {
                dense_operator(touches, |c, j| (0..2).map(|s| product(&c.rows[0][s], &answers[j].x[c.bodies[s]])).sum())
            }
        };
        let mut b = Vec::with_capacity(n);
        for c in touches {
            let moved: f64 = (0..2)
                .map(|s| {
                    let (U, U0) = (&U[c.bodies[s]], &base[c.bodies[s]]);
                    (0..6).map(|k| c.rows[0][s][k] * (U[k] - U0[k])).sum::<f64>()
                })
                .sum();
            b.push((c.gap - away - moved) / h);
        }
        let mut z: Vec<f64> = touches.iter().map(|c| nu.get(&c.id).copied().unwrap_or(0.0) / h).collect();
        let mut problem = OneStepProblem::new(W, b);
        problem.ids = touches.iter().map(|c| c.id as usize).collect();
        self.matrices += 1;
        problem.revision = self.matrices;
        let swept = matches!(&problem.W, Matrix::Sparse(W) if self.swept(W, &problem.b, &mut z));
        if !swept {
            let report = self.solver.solve(&problem, &mut z);
            if report.status != SolveStatus::Solved && report.residuals.worst() > self.tolerance {
                return Err(StepFailure::unsolved(t, h, &problem, &report));
            }
        }
        nu.clear();
        for (i, (c, z)) in touches.iter().zip(&z).enumerate().filter(|(_, (_, z))| **z > 0.0) {
            nu.insert(c.id, h * z);
            match answers.get(i) {
                Some(answer) => {
                    for (next, x) in base.iter_mut().zip(&answer.x) {
                        (0..6).for_each(|k| next[k] += h * z * x[k]);
                    }
                }
                None => self.push(c, 0, h * z, &mut base),
            }
        }
        Ok(base)
    }

    /// 0 ≤ W z + b ⟂ z ≥ 0 by accelerated sweeps; whether they arrived. Contacts of a pile repeat each other, and of a singular W active sets are factorised
    /// one after the other (2 s a step of a wall of 30 bricks), which sweeps do not mind. As a problem with μ = 0, whose tangents stand alone.
    fn swept(&mut self, W: &SparseMatrix, b: &[f64], z: &mut [f64]) -> bool {
        let n = b.len();
        let alone = |i: usize, j: usize, w: f64| if i == j { w } else { 0.0 };
        let entries: Vec<_> = W.triplets().map(|(i, j, w)| (i, j, [w, 0.0, 0.0, alone(i, j, w)])).collect();
        let blocks: Vec<(usize, usize, &[f64])> = entries.iter().map(|(i, j, w)| (*i, *j, &w[..])).collect();
        let normal = |x: &[f64]| x.iter().flat_map(|x| [*x, 0.0]).collect::<Vec<f64>>();
        let W = BlockMatrix::from_blocks(2, n, &blocks);
        let problem = W.and_then(|W| FrictionProblem::new(W, normal(b), vec![0.0; n], Vec::new()));
        let (Some(problem), mut r) = (problem, normal(z)) else { return false };
        let solved = self.sweeps.solve(&problem, &mut r).status == SolveStatus::Solved;
        if solved {
            z.iter_mut().zip(r.iter().step_by(2)).for_each(|(z, r)| *z = *r);
        }
        solved
    }

    /// x ← x + p M⁻¹H_kᵀ of one row of a contact, joints left out.
    pub(super) fn push(&self, c: &Touch, k: usize, p: f64, x: &mut [Row]) {
        for (body, response) in self.respond(c.bodies, &c.rows[k]) {
            (0..6).for_each(|m| x[body][m] += p * response[m]);
        }
    }
}

/// D U⁺ of a row that holds positions, placed at U: c + D (U⁺ − U) = target.
fn wanted(row: &JointRow, U: &[Row]) -> f64 {
    match row.law {
        RowLaw::Rigid { target } => target - row.c + row.rate(U),
        RowLaw::Rate(_)
        | RowLaw::Force(_)
        | RowLaw::Servo(_)
        | RowLaw::Spring { .. }
        | RowLaw::Curve(_)
        | RowLaw::Rotor { .. } => 0.0,
    }
}

/// What of the promise on gaps positions at q may use up.
fn allowed(q: &[f64]) -> f64 {
    WITHIN * NO_PENETRATION * q.iter().fold(1e-3_f64, |m, x| m.max(x.abs()))
}

/// H_i M⁻¹H_jᵀ of a row and what the bodies answer to another.
fn coupling((bodies, rows): ([usize; 2], &[Row; 2]), response: &SparseRow) -> f64 {
    let mut sum = 0.0;
    for s in 0..2 {
        for (_, x) in response.iter().filter(|(body, _)| *body == bodies[s]) {
            sum += product(&rows[s], x);
        }
    }
    sum
}

/// W of normal rows, entry by entry.
fn dense_operator(touches: &[Touch], entry: impl Fn(&Touch, usize) -> f64) -> Matrix {
    let n = touches.len();
    let mut W = DenseMatrix::zeros(n, n);
    for (i, c) in touches.iter().enumerate() {
        (0..n).take_while(|_| !requested()).for_each(|j| W.set(i, j, entry(c, j)));
    }
    Matrix::Dense(W)
}

/// The same where only contacts that share a body are coupled: a factorisation of all of them would take seconds in a pile.
fn sparse_operator(touches: &[Touch], responses: &[SparseRow], n_bodies: usize) -> Matrix {
    let mut of: Vec<Vec<(usize, &Row)>> = vec![Vec::new(); n_bodies];
    for (j, response) in responses.iter().enumerate() {
        response.iter().for_each(|(body, x)| of[*body].push((j, x)));
    }
    let mut entries = Vec::new();
    for (i, c) in touches.iter().enumerate() {
        for s in 0..2 {
            entries.extend(of[c.bodies[s]].iter().map(|(j, x)| (i, *j, product(&c.rows[0][s], x))));
        }
    }
    let n = touches.len();
    Matrix::Sparse(SparseMatrix::from_triplets(n, n, &entries).expect("entries inside W"))
}

/// The largest component by which two displacements differ.
pub(super) fn largest_change(a: &[Row], b: &[Row]) -> f64 {
    a.iter().zip(b).flat_map(|(a, b)| (0..6).map(move |k| (a[k] - b[k]).abs())).fold(0.0, f64::max)
}
