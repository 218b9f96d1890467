//! The conditions of a step with friction as one cone problem: rows of positions enter as contacts without friction.
//!
//!   0 ≤ g(q)/h ⟂ ν/h ≥ 0,   and on the closed contacts the friction law on u = Hᵀv with u_n = Hᵀv_n
//!
//! A multiplier that moves q by a_q Y_c and v by a_v Y_c changes v̇ by −a_q S⁻¹K Y_c − a_v S⁻¹C Y_c, with (a_q, a_v) = (h, 0) for
//! ν/h, (0, 1) for p_N and (h/2, 1) for p_T.

use crate::contact::friction_rule::{FrictionRule, Velocities};
use crate::contact::law::padded_blocks;
use crate::schemes::ggl::conditions::restitution;
use crate::schemes::ggl::linear::Round;
use crate::schemes::ggl::linear::smooth::{Multipliers, SmoothLinear};
use crate::{ContactStatus, Scheme, State, StepFailure, StepInfo, Tangential};
use percussion_model::LinearModel;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;

/// What a row of the problem stands for: a column of H, and how its multiplier moves q and v.
#[derive(Clone, Copy, Debug)]
struct Row {
    column: usize,
    a_q: f64,
    a_v: f64,
    /// A condition on g/h instead of a velocity.
    position: bool,
}

/// The problem with the friction law.
#[derive(Debug)]
pub struct Cones {
    rule: FrictionRule,
    /// Components per contact.
    d: usize,
    problem: FrictionProblem,
    /// Step size and sets for which `problem.W` was assembled.
    assembled: (u64, Vec<usize>, Vec<usize>),
    rows: Vec<Option<Row>>,
    u_before: Vec<f64>,
    u_free: Vec<f64>,
    restitution: Vec<f64>,
    z: Vec<f64>,
    /// Contacts under Frémond's law in this step; it only grows within a step.
    fremond: Vec<bool>,
    status: Vec<ContactStatus>,
}

impl Cones {
    /// For a model whose contacts have friction.
    pub fn new(model: &LinearModel, scheme: &Scheme, options: SolverOptions) -> Self {
        let with_friction = model.contacts().iter().filter(|c| c.friction > 0.0);
        let d = 1 + with_friction.map(|c| c.tangents.len()).max().unwrap_or(1);
        let m = model.n_contacts();
        Self {
            rule: FrictionRule::new(scheme.friction_law, scheme.facts().opening_restitution, options),
            d,
            problem: FrictionProblem::empty(d),
            assembled: (0, Vec::new(), Vec::new()),
            rows: Vec::new(),
            u_before: Vec::new(),
            u_free: Vec::new(),
            restitution: Vec::new(),
            z: Vec::new(),
            fremond: vec![false; m],
            status: vec![ContactStatus::default(); m],
        }
    }

    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.fremond.fill(false);
        self.status.fill(ContactStatus::default());
    }

    /// The last problem and its solution, if there was one.
    pub fn last(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        (!self.z.is_empty()).then(|| (self.problem.clone(), self.z.clone()))
    }

    /// The multipliers on the present sets.
    pub fn solve(&mut self, round: &Round, x: &mut Multipliers, info: &mut StepInfo) -> Result<(), StepFailure> {
        let Round { smooth, at_position, closed, h, .. } = *round;
        self.describe(round);
        self.assemble(round);
        let (d, np) = (self.d, at_position.len());
        self.rule.fremond.clear();
        self.rule.fremond.resize(np, false);
        self.rule.fremond.extend(closed.iter().map(|&j| self.fremond[j]));
        let u =
            Velocities { before: &self.u_before, free: &self.u_free, restitution: &self.restitution, positions: np };
        let report = self.rule.solve(&mut self.problem, u, &mut self.z);
        let report = report.map_err(|report| StepFailure::unsolved_friction(round.t - h, h, &self.problem, &report))?;
        let StepInfo { impacts, fallbacks, .. } = *info;
        info.repeat(&report);
        (info.impacts, info.fallbacks) = (impacts.max(report.impacts), fallbacks + report.fallbacks);
        x.clear();
        for (i, &j) in at_position.iter().enumerate() {
            (x.nu[j], x.mu[j]) = (h * self.z[i * d], h * self.z[i * d]);
        }
        let push = |i: usize| self.problem.W.diagonal_block(i)[0] * self.z[i * d];
        let scale = (0..self.problem.len()).fold(0.0, |scale: f64, i| scale.max(push(i)));
        for (i, &j) in closed.iter().enumerate() {
            let at = (np + i) * d..(np + i + 1) * d;
            let (r, w) = (&self.z[at.clone()], &self.rule.w[at]);
            x.La[j] = r[0];
            let tangents = smooth.tangents(j).len();
            x.p_t[j][..tangents].copy_from_slice(&r[1..=tangents]);
            self.fremond[j] |= self.rule.fremond[np + i];
            self.status[j] = ContactStatus::judge(self.problem.mu[np + i], r, w, scale, report.residual);
        }
        Ok(())
    }

    /// What contact j did along its tangents between two states.
    pub fn along(&self, smooth: &SmoothLinear, x: &Multipliers, j: usize, from: &State, to: &State) -> Tangential {
        let model = &smooth.model;
        Tangential {
            n: model.tangent_columns(j).len(),
            u_before: model.tangent_rate(j, &from.v),
            u_after: model.tangent_rate(j, &to.v),
            p: x.p_t[j],
            fremond: self.fremond[j],
            frictional: model.contacts()[j].friction > 0.0,
            status: self.status[j],
            ..Default::default()
        }
    }

    /// Rows and velocities of the present sets.
    fn describe(&mut self, round: &Round) {
        let Round { smooth, at_position, closed, u_n, hold, state, memory, h, t } = *round;
        let (d, weights, contacts) = (self.d, smooth.weights(h), smooth.model.contacts());
        for list in [&mut self.u_before, &mut self.u_free, &mut self.restitution, &mut self.z] {
            list.clear();
        }
        self.rows.clear();
        for &j in at_position {
            self.rows.push(Some(Row { column: j, a_q: h, a_v: 0.0, position: true }));
            self.u_before.push(0.0);
            self.u_free.push((smooth.free(j, weights).0 + contacts[j].offset.at(t)) / h);
            self.z.push(round.last_nu(j) / h);
            self.restitution.push(0.0);
            self.pad(d - 1);
        }
        for &j in closed {
            self.rows.push(Some(Row { column: j, a_q: 0.0, a_v: 1.0, position: false }));
            self.u_before.push(u_n[j]);
            self.u_free.push(smooth.free(j, weights).1 + contacts[j].offset.rate(t));
            self.z.push(memory.p[j]);
            self.restitution.push(restitution(hold, u_n[j], contacts[j].restitution));
            let last = memory.p_t.get(j).copied().unwrap_or_default();
            let tangents = smooth.tangents(j);
            let padding = d - 1 - tangents.len();
            for (c, last) in tangents.zip(last) {
                self.rows.push(Some(Row { column: c, a_q: 0.5 * h, a_v: 1.0, position: false }));
                self.u_before.push(smooth.model.H().column_dot(c, &state.v));
                self.u_free.push(smooth.free(c, weights).1);
                self.z.push(last);
            }
            self.pad(padding);
        }
    }

    /// Rows that stand for nothing.
    fn pad(&mut self, n: usize) {
        for list in [&mut self.u_before, &mut self.u_free, &mut self.z] {
            list.resize(list.len() + n, 0.0);
        }
        self.rows.resize(self.rows.len() + n, None);
    }

    /// W of the rows, unless it is there already.
    fn assemble(&mut self, round: &Round) {
        let Round { smooth, at_position, closed, h, .. } = *round;
        if self.assembled.0 == h.to_bits() && self.assembled.1 == at_position && self.assembled.2 == closed {
            return;
        }
        let (kappa, kappa_q) = smooth.weights(h);
        let along = |i: usize, x: &[f64]| if x.is_empty() { 0.0 } else { smooth.model.H().column_dot(i, x) };
        let mut entries = Vec::new();
        for (b, from) in self.rows.iter().enumerate() {
            let Some(from) = from else { continue };
            let c = smooth.made(from.column);
            for (a, to) in self.rows.iter().enumerate() {
                let Some(to) = to else { continue };
                let response = from.a_q * along(to.column, &c.B_K) + from.a_v * along(to.column, &c.B_C);
                let w = if to.position {
                    (from.a_q * along(to.column, &c.Y) - kappa_q * response) / h
                } else {
                    from.a_v * along(to.column, &c.Y) - kappa * response
                };
                if w != 0.0 {
                    entries.push((a, b, w));
                }
            }
        }
        let used: Vec<Option<usize>> = self.rows.iter().map(|row| row.map(|row| row.column)).collect();
        self.problem.W = padded_blocks(self.d, &used, &entries);
        self.problem.ids.clear();
        self.problem.ids.extend(at_position.iter().chain(closed));
        self.problem.mu.clear();
        self.problem.mu.resize(at_position.len(), 0.0);
        self.problem.mu.extend(closed.iter().map(|&j| smooth.model.contacts()[j].friction));
        self.problem.revision += 1;
        self.assembled.0 = h.to_bits();
        at_position.clone_into(&mut self.assembled.1);
        closed.clone_into(&mut self.assembled.2);
    }
}
