//! Velocities of bodies under GGL: one problem of impact and friction where the bodies end, the joints held.
//!
//!   v = ṽ + M⁻¹(Hᵀp + DᵀΛ),   D v = 0 or ω,   the friction law on u = H v with u_n = H v_n,   H and D at q
//!
//! v_n is O(h) off what the joints allow at q. Where contacts jam a body, as between a wall and a stop, or by friction on one that can move one way
//! alone, such a law may have no answer: for y ≥ 0 with Hᵀy = Dᵀz it asks for y·ê u_n ≥ −y·H ṽ = 0, and y·H v_n = z·D v_n is O(h) of either
//! sign. There u_n = H P v_n, P v_n being v_n on the joints at q: v = −P v_n then leaves w = ((ê − 1) u_n, 0), which is in the dual cone under Frémond's
//! law, and the problem has an answer. The account keeps H v_n.

use crate::bodies::drives::Reached;
use crate::contact::friction_rule::Velocities;
use crate::schemes::ggl::bodies::joints::{JointRow, as_row, product};
use crate::schemes::ggl::bodies::{Answer, BodiesGgl, Found, Place, Row, Touch, as_twist};
use crate::{Step, StepFailure, StepInfo, StepStart};
use percussion_matrix::BlockMatrix;
use percussion_matrix::stop::requested;
use percussion_model::bodies::math::norm;
use percussion_model::bodies::{RowLaw, Twist};
use percussion_solve::SolveReport;
use percussion_solve::friction::FrictionProblem;
use std::collections::{BTreeMap, BTreeSet};

impl BodiesGgl {
    /// ṽ as the joints and motors let it be at q, with what they do for it.
    pub(super) fn held_velocities(&mut self, tilde: &[Twist], q: &[f64], place: &Place) -> Result<Answer, StepFailure> {
        let mut answer = Answer { x: tilde.iter().map(as_row).collect(), l: vec![0.0; self.joints.rows.len()] };
        if self.jointed() {
            self.hold(q, place, true)?;
            let t = place.t + place.h;
            let from: Vec<Row> = tilde.iter().map(as_row).collect();
            self.joints.project(&mut answer.x, &mut answer.l, |_, row| driven(row, t));
            self.joints.unweighted(&from, &mut answer.l, |_, row| driven(row, t));
        }
        Ok(answer)
    }

    /// Impulses p on the closed contacts, and what they do to the velocities held by the joints. `fremond` names the contacts
    /// under Frémond's law.
    pub(super) fn velocities(
        &mut self,
        from: &StepStart,
        before: &[Twist],
        guess: &BTreeMap<u64, [f64; 3]>,
        fremond: &mut BTreeSet<u64>,
        found: &mut Found,
        step: &mut Step,
    ) -> Result<(), StepFailure> {
        let Found { closed, held: base, .. } = found;
        let (d, n, t, h) = (self.dim(), closed.len(), from.state.t, from.h);
        // answers of joints to every component that exists
        let mut answers: Vec<Option<Answer>> = Vec::new();
        if self.jointed() {
            for c in closed.iter() {
                for k in 0..d {
                    answers.push((k == 0 || c.tangential).then(|| self.answer(c.bodies, &c.rows[k])));
                }
            }
        }
        let free: Vec<Twist> = base.x.iter().map(as_twist).collect();
        let along = |v: &[Twist]| closed.iter().flat_map(|c| (0..d).map(|k| c.rate(k, v))).collect::<Vec<f64>>();
        let (u_before, u_free) = (along(before), along(&free));
        let first = |c: &Touch| guess.get(&c.id).copied().unwrap_or_default().into_iter().take(d);
        let guessed: Vec<f64> = closed.iter().flat_map(first).collect();
        let W = self.delassus(closed, &answers);
        let mu = closed.iter().map(Touch::mu).collect();
        let Some(mut problem) = FrictionProblem::new(W, vec![0.0; d * n], mu, Vec::new()) else {
            return Err(StepFailure::not_finite(t, h, 0));
        };
        problem.ids = closed.iter().map(|c| c.id as usize).collect();
        let mut r = guessed.clone();
        let mut report = self.obey(closed, (&u_before, &u_free), fremond, &mut problem, &mut r);
        if report.is_err() && self.jointed() {
            let held: Vec<Twist> = self.on_joints(before, t).iter().map(as_twist).collect();
            r = guessed;
            report = self.obey(closed, (&along(&held), &u_free), fremond, &mut problem, &mut r);
        }
        let fastest = fastest_of(before).max(fastest_of(&free));
        let blocked = self.blocked(closed, &u_free, &problem, report.is_ok().then_some((r.as_slice(), fastest)));
        let report = report.map_err(|report| StepFailure::unsolved_friction(t, h, &problem, &report));
        if let Some(reached) = blocked {
            let failure = report.err().unwrap_or_else(|| from.failure(String::new()));
            return Err(reached.failure(&self.scene, failure));
        }
        let report = report?;
        step.info.repeat(&report);
        fremond.extend(closed.iter().zip(&self.rule.fremond).filter(|(_, fremond)| **fremond).map(|(c, _)| c.id));

        // what the impulses do
        for (i, c) in closed.iter().enumerate() {
            for k in 0..d {
                let p = r[i * d + k];
                match answers.get(i * d + k) {
                    Some(Some(answer)) => base.add(p, answer),
                    Some(None) => {}
                    None => self.push(c, k, p, &mut base.x),
                }
            }
        }
        self.last = Some((problem, r.clone()));
        (found.p, found.u_before) = (r, u_before);
        Ok(())
    }

    /// A contact that is approached and that joints and drives leave no freedom; among those, where impulses were found, one that pushes in vain.
    fn blocked(
        &self,
        closed: &[Touch],
        free: &[f64],
        problem: &FrictionProblem,
        found: Option<(&[f64], f64)>,
    ) -> Option<Reached> {
        if !self.jointed() {
            return None;
        }
        let d = self.dim();
        closed.iter().enumerate().find_map(|(i, c)| {
            let row = (c.bodies, &c.rows[0]);
            let reached = Reached {
                id: c.id,
                bodies: c.bodies,
                is_stop: c.point.is_none(),
                u_free: free[i * d],
                mobility: problem.W.get(i * d, i * d),
                alone: self.coupling(row, row),
            };
            let vain = found.is_none_or(|(r, fastest)| reached.pushes_in_vain(r[i * d], fastest));
            (reached.is_blocked() && vain).then_some(reached)
        })
    }

    /// The impulses of the law with u_n and the velocities of the smooth motion.
    fn obey(
        &mut self,
        closed: &[Touch],
        (before, free): (&[f64], &[f64]),
        fremond: &BTreeSet<u64>,
        problem: &mut FrictionProblem,
        r: &mut [f64],
    ) -> Result<StepInfo, SolveReport> {
        let normals = before.iter().step_by(self.dim());
        let restitution: Vec<f64> =
            closed.iter().zip(normals).map(|(c, u)| self.activation.restitution(*u, c.restitution, 1.0)).collect();
        self.rule.fremond.clear();
        self.rule.fremond.extend(closed.iter().map(|c| fremond.contains(&c.id)));
        let u = Velocities { before, free, restitution: &restitution, positions: 0 };
        self.rule.solve(problem, u, r)
    }

    /// v_n as the joints, held where they were held last, allow it; drives as they turn at t.
    fn on_joints(&mut self, before: &[Twist], t: f64) -> Vec<Row> {
        let mut x: Vec<Row> = before.iter().map(as_row).collect();
        self.joints.project(&mut x, &mut vec![0.0; self.joints.rows.len()], |_, row| driven(row, t));
        x
    }

    /// W = H M⁻¹Hᵀ in blocks, with what the joints make of the impulses where there are any.
    fn delassus(&self, closed: &[Touch], answers: &[Option<Answer>]) -> BlockMatrix {
        let (d, n) = (self.dim(), closed.len());
        let mut blocks = Vec::new();
        for (i, a) in closed.iter().enumerate() {
            if requested() {
                return BlockMatrix::empty(d);
            }
            for (j, b) in closed.iter().enumerate() {
                let shared = a.bodies.iter().any(|x| b.bodies.contains(x) && self.scene.bodies()[*x].is_free());
                if !shared && answers.is_empty() {
                    continue;
                }
                let mut block = vec![0.0; d * d];
                for col in 0..d {
                    for k in 0..d {
                        let exists = |c: &Touch, k: usize| k == 0 || c.tangential;
                        block[col * d + k] = match answers.get(j * d + col) {
                            _ if !exists(a, k) || !exists(b, col) => 0.0,
                            Some(Some(answer)) => (0..2).map(|s| product(&a.rows[k][s], &answer.x[a.bodies[s]])).sum(),
                            _ => self.coupling((a.bodies, &a.rows[k]), (b.bodies, &b.rows[col])),
                        };
                    }
                }
                // tangents that do not exist stand alone
                if i == j && !a.tangential {
                    (1..d).for_each(|k| block[k * d + k] = block[0]);
                }
                blocks.push((i, j, block));
            }
        }
        let blocks: Vec<_> = blocks.iter().map(|(i, j, block)| (*i, *j, block.as_slice())).collect();
        BlockMatrix::from_blocks(d, n, &blocks).unwrap_or_else(|| BlockMatrix::empty(d))
    }
}

/// D v of a row that holds velocities.
fn driven(row: &JointRow, t: f64) -> f64 {
    match &row.law {
        RowLaw::Rate(w) => w.at(t),
        RowLaw::Rigid { .. }
        | RowLaw::Force(_)
        | RowLaw::Servo(_)
        | RowLaw::Spring { .. }
        | RowLaw::Curve(_)
        | RowLaw::Rotor { .. } => 0.0,
    }
}

/// The largest speed of a body.
fn fastest_of(twists: &[Twist]) -> f64 {
    twists.iter().map(|twist| norm(&twist.v)).fold(0.0, f64::max)
}
