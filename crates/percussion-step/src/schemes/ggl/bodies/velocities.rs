//! Velocities of bodies under GGL: one problem of impact and friction where the bodies end, the joints held.
//!
//!   v = ṽ + M⁻¹(Hᵀp + DᵀΛ),   D v = 0 or ω,   the friction law on u = H v with u_n = H v_n,   H and D at q

use crate::contact::friction_rule::Velocities;
use crate::schemes::ggl::bodies::joints::{JointRow, as_row, product};
use crate::schemes::ggl::bodies::{Answer, BodiesGgl, Found, Place, Row, Touch, as_twist};
use crate::{Step, StepFailure, StepStart};
use percussion_matrix::BlockMatrix;
use percussion_model::bodies::{RowLaw, Twist};
use percussion_solve::friction::FrictionProblem;
use std::collections::{BTreeMap, BTreeSet};

impl BodiesGgl {
    /// ṽ as the joints and motors let it be at q, with what they do for it.
    pub(super) fn held_velocities(&mut self, tilde: &[Twist], q: &[f64], place: &Place) -> Result<Answer, StepFailure> {
        let mut answer = Answer { x: tilde.iter().map(as_row).collect(), l: vec![0.0; self.joints.rows.len()] };
        if self.jointed() {
            self.hold(q, place, true)?;
            let t = place.t + place.h;
            let wanted = |_: usize, row: &JointRow| match &row.law {
                RowLaw::Rate(w) => w.at(t),
                RowLaw::Rigid { .. }
                | RowLaw::Force(_)
                | RowLaw::Servo(_)
                | RowLaw::Spring { .. }
                | RowLaw::Curve(_)
                | RowLaw::Rotor { .. } => 0.0,
            };
            let from: Vec<Row> = tilde.iter().map(as_row).collect();
            self.joints.project(&mut answer.x, &mut answer.l, wanted);
            self.joints.unweighted(&from, &mut answer.l, wanted);
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
        let (mut u_before, mut u_free) = (Vec::new(), Vec::new());
        let mut restitution = Vec::new();
        let mut r = Vec::new();
        for c in closed.iter() {
            for k in 0..d {
                u_before.push(c.rate(k, before));
                u_free.push(c.rate(k, &free));
            }
            restitution.push(self.activation.restitution(u_before[u_before.len() - d], c.restitution, 1.0));
            r.extend_from_slice(&guess.get(&c.id).copied().unwrap_or_default()[..d]);
        }
        let W = self.delassus(closed, &answers);
        let mu = closed.iter().map(Touch::mu).collect();
        let Some(mut problem) = FrictionProblem::new(W, vec![0.0; d * n], mu, Vec::new()) else {
            return Err(StepFailure::not_finite(t, h, 0));
        };
        problem.ids = closed.iter().map(|c| c.id as usize).collect();
        let u = Velocities { before: &u_before, free: &u_free, restitution: &restitution, positions: 0 };
        self.rule.fremond.clear();
        self.rule.fremond.extend(closed.iter().map(|c| fremond.contains(&c.id)));
        let report = self.rule.solve(&mut problem, u, &mut r);
        let report = report.map_err(|report| StepFailure::unsolved_friction(t, h, &problem, &report))?;
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

    /// W = H M⁻¹Hᵀ in blocks, with what the joints make of the impulses where there are any.
    fn delassus(&self, closed: &[Touch], answers: &[Option<Answer>]) -> BlockMatrix {
        let (d, n) = (self.dim(), closed.len());
        let mut blocks = Vec::new();
        for (i, a) in closed.iter().enumerate() {
            if self.solver.stop.requested() {
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
