//! Frictional contacts of a linear model: rows, blocks of W, impulses inside Coulomb's cone.
//!
//!   u_i = (G_iᵀv + ẇ_i, T_iᵀv),    W_ij = [G_i T_i]ᵀ N [G_j T_j],    the law by `ContactLaw`
//!
//! Contacts with fewer tangents than the others, or with μ = 0, are padded.

use crate::contact::law::{ContactLaw, padded_blocks};
use crate::contact::response::Response;
use crate::step::contact::judge;
use crate::{ContactState, Memory, Scheme, Step, StepFailure, StepStart, Tangential};
use percussion_model::LinearModel;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Rows of a full W: its blocks, their places and their sorting take 60 bytes an entry.
const LARGEST_DENSE: usize = 4_000;

/// The frictional contacts of a step with their buffers.
#[derive(Debug)]
pub struct FrictionPhase {
    model: Arc<LinearModel>,
    /// α of Frémond's law.
    alpha: f64,
    law: ContactLaw,
    /// Column of H behind each row of the problem; none for padding.
    rows: Vec<Option<usize>>,
    /// Columns of H of the tangents with friction, with their impulses after a solve.
    pub tangents: Vec<usize>,
    /// p_T, beside `tangents`.
    pub p: Vec<f64>,
    assembled_for: Option<u64>,
}

impl FrictionPhase {
    /// For a model that has friction.
    pub fn new(model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Self {
        let frictional = model.contacts().iter().filter(|c| c.friction > 0.0);
        let d = 1 + frictional.map(|c| c.tangents.len()).max().unwrap_or(1);
        let alpha = scheme.facts().opening_restitution;
        Self {
            model: Arc::clone(model),
            alpha,
            law: ContactLaw::new(d, scheme.friction_law, alpha, options),
            rows: Vec::new(),
            tangents: Vec::new(),
            p: Vec::new(),
            assembled_for: None,
        }
    }

    /// The rows of an index set, the velocities at the start of the step, and the last impulses as a first guess.
    pub fn select(&mut self, from: &StepStart, contacts: &[ContactState], restitution: &[f64]) {
        let Self { model, law, rows, tangents, .. } = self;
        rows.clear();
        tangents.clear();
        law.clear();
        law.restitution.extend_from_slice(restitution);
        for c in contacts {
            rows.push(Some(c.id));
            law.u_before.push(c.u_before);
            law.p.push(from.memory.p[c.id]);
            let p_t = from.memory.p_t.get(c.id).copied().unwrap_or_default();
            let columns = if model.contacts()[c.id].friction > 0.0 { model.tangent_columns(c.id) } else { 0..0 };
            tangents.extend(columns.clone());
            for k in 0..law.dim() - 1 {
                let column = columns.clone().nth(k);
                rows.push(column);
                law.u_before.push(column.map_or(0.0, |column| model.H().column_dot(column, &from.state.v)));
                law.p.push(if column.is_some() { p_t[k] } else { 0.0 });
            }
        }
    }

    /// Solves the law; impulses go to `p_n`, `self.p`, `step` and `next`.
    pub fn solve(
        &mut self,
        from: &StepStart,
        v_free: &[f64],
        response: &Response,
        p_n: &mut Vec<f64>,
        (step, next): (&mut Step, &mut Memory),
    ) -> Result<(), StepFailure> {
        next.p_t.clear();
        next.p_t.resize(self.model.n_contacts(), [0.0; 2]);
        self.p.clear();
        if step.contacts.is_empty() {
            return Ok(());
        }
        self.assemble(from, response, &step.contacts)?;
        let Self { model, law, rows, .. } = self;
        let d = law.dim();
        law.u_free.clear();
        for (c, rows) in step.contacts.iter().zip(rows.chunks_exact(d)) {
            law.u_free.push(c.u_free);
            let rate = |row: &Option<usize>| row.map_or(0.0, |column| model.H().column_dot(column, v_free));
            law.u_free.extend(rows[1..].iter().map(rate));
        }
        // a motion that has overflowed is not a contact problem without solution
        if let Some(k) = law.u_free.iter().position(|u| !u.is_finite()) {
            let coordinate = model.contacts()[step.contacts[k / d].id].normal[0].0;
            return Err(StepFailure::not_finite(from.state.t, from.h, coordinate));
        }
        step.info = law.solve(from.state.t, from.h)?;
        for (i, c) in step.contacts.iter_mut().enumerate() {
            let r = &law.p[i * d..(i + 1) * d];
            c.p = r[0];
            p_n.push(r[0]);
            next.p[c.id] = r[0];
            next.push[c.id] = law.mobility(i) * r[0];
            let frictional = law.problem.mu[i] > 0.0;
            let mut tangential = Tangential { fremond: law.fremond(i), frictional, ..Default::default() };
            for (k, row) in rows[i * d + 1..(i + 1) * d].iter().enumerate() {
                if row.is_some() {
                    self.p.push(r[1 + k]);
                    tangential.p[k] = r[1 + k];
                }
            }
            next.p_t[c.id] = tangential.p;
            step.friction.push(tangential);
        }
        Ok(())
    }

    /// Stick and slip, once the velocities at the end of the step are known.
    pub fn judge(&self, step: &mut Step) {
        let law = &self.law;
        judge(step, self.alpha, |i| (law.problem.mu[i], law.mobility(i) * law.p[i * law.dim()]));
    }

    /// The problem of the last step and its impulses.
    pub fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.law.contact_problem()
    }

    /// W on the index set; changes only with the step size or the set.
    fn assemble(
        &mut self,
        from: &StepStart,
        response: &Response,
        contacts: &[ContactState],
    ) -> Result<(), StepFailure> {
        let (key, d) = (from.h.to_bits(), self.law.dim());
        let problem = &mut self.law.problem;
        let same = problem.ids.len() == contacts.len() && problem.ids.iter().zip(contacts).all(|(&i, c)| i == c.id);
        if same && self.assembled_for == Some(key) {
            return Ok(());
        }
        if response.delassus_is_dense(contacts.len()) && self.rows.len() > LARGEST_DENSE {
            return Err(StepFailure::too_large(from.state.t, from.h, contacts.len(), LARGEST_DENSE / d));
        }
        problem.ids.clear();
        problem.ids.extend(contacts.iter().map(|c| c.id));
        problem.mu.clear();
        problem.mu.extend(contacts.iter().map(|c| self.model.contacts()[c.id].friction));
        problem.W = padded_blocks(d, &self.rows, &response.delassus_rows(self.model.H(), &self.rows));
        problem.revision += 1;
        self.assembled_for = Some(key);
        Ok(())
    }
}
