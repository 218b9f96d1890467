//! From free motion to impulses inside Coulomb's cone: blocks of W, the law, what the contacts did.
//!
//!   u_i = (G_iᵀv + ẇ_i, T_iᵀv),    W_ij = [G_i T_i]ᵀ N [G_j T_j],    the law by `FrictionRule`
//!
//! Contacts with fewer tangents than the others, or with μ = 0, are padded: a tangent that couples to nothing and whose
//! free velocity is zero has no reaction.

use crate::contact::friction_rule::{FrictionRule, Velocities};
use crate::contact::response::Response;
use crate::{ContactState, ContactStatus, Memory, Scheme, Step, StepFailure, StepStart, Tangential};
use percussion_matrix::BlockMatrix;
use percussion_model::LinearModel;
use percussion_solve::SolverOptions;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

/// Rows of a full W: its blocks, their places and their sorting take 60 bytes an entry.
const LARGEST_DENSE: usize = 3_000;
/// Relative distance to the cone's surface, and to zero velocity, that separates sticking from sliding.
const STUCK: f64 = 1e-9;

/// The frictional contacts of a step with their buffers.
#[derive(Debug)]
pub struct FrictionPhase {
    model: Arc<LinearModel>,
    rule: FrictionRule,
    problem: FrictionProblem,
    /// Components per contact.
    d: usize,
    /// Column of H behind each row of the problem; none for padding.
    rows: Vec<Option<usize>>,
    /// Columns of H of the tangents that rub, with their impulses after a solve.
    pub tangents: Vec<usize>,
    /// p_T, beside `tangents`.
    pub p: Vec<f64>,
    u_before: Vec<f64>,
    u_free: Vec<f64>,
    r: Vec<f64>,
    assembled_for: Option<u64>,
    previous: Vec<usize>,
}

impl FrictionPhase {
    /// For a model that has friction.
    pub fn new(model: &Arc<LinearModel>, scheme: &Scheme, options: SolverOptions) -> Self {
        let rubbing = model.contacts().iter().filter(|c| c.friction > 0.0);
        let d = 1 + rubbing.map(|c| c.tangents.len()).max().unwrap_or(1);
        Self {
            model: Arc::clone(model),
            rule: FrictionRule::new(scheme.friction_law, scheme.facts().opening_restitution, options),
            problem: FrictionProblem::empty(d),
            d,
            rows: Vec::new(),
            tangents: Vec::new(),
            p: Vec::new(),
            u_before: Vec::new(),
            u_free: Vec::new(),
            r: Vec::new(),
            assembled_for: None,
            previous: Vec::new(),
        }
    }

    /// The rows of an index set and the velocities at the start of the step.
    pub fn select(&mut self, from: &StepStart, contacts: &[ContactState]) {
        let model = &self.model;
        self.rows.clear();
        self.tangents.clear();
        self.u_before.clear();
        for c in contacts {
            self.rows.push(Some(c.id));
            self.u_before.push(c.u_before);
            let columns = if model.contacts()[c.id].friction > 0.0 { model.tangent_columns(c.id) } else { 0..0 };
            self.tangents.extend(columns.clone());
            let padding = self.d - 1 - columns.len();
            for column in columns {
                self.rows.push(Some(column));
                self.u_before.push(model.H().column_dot(column, &from.state.v));
            }
            for _ in 0..padding {
                self.rows.push(None);
                self.u_before.push(0.0);
            }
        }
    }

    /// Solves the law; impulses go to `p_n`, `self.p`, `step` and `next`.
    #[expect(clippy::too_many_arguments, reason = "one call site: the other half of the contact phase")]
    pub fn solve(
        &mut self,
        from: &StepStart,
        v_free: &[f64],
        restitution: &[f64],
        response: &Response,
        p_n: &mut Vec<f64>,
        step: &mut Step,
        next: &mut Memory,
    ) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let model = Arc::clone(&self.model);
        let (d, m) = (self.d, model.n_contacts());
        next.p_t.clear();
        next.p_t.resize(m, [0.0; 2]);
        self.p.clear();
        self.r.clear();
        if step.contacts.is_empty() {
            return Ok(());
        }
        self.assemble(from, response, &step.contacts)?;

        // free velocities, and the last impulses as a first guess
        self.u_free.clear();
        for (c, rows) in step.contacts.iter().zip(self.rows.chunks_exact(d)) {
            self.u_free.push(c.u_free);
            self.u_free
                .extend(rows[1..].iter().map(|row| row.map_or(0.0, |column| model.H().column_dot(column, v_free))));
            let p_t = memory.p_t.get(c.id).copied().unwrap_or_default();
            self.r.push(memory.p[c.id]);
            self.r.extend(rows[1..].iter().zip(p_t).map(|(row, p)| if row.is_some() { p } else { 0.0 }));
        }
        // a motion that has overflowed is not a contact problem without solution
        if let Some(k) = self.u_free.iter().position(|u| !u.is_finite()) {
            let coordinate = model.contacts()[step.contacts[k / d].id].normal[0].0;
            return Err(StepFailure::not_finite(state.t, h, coordinate));
        }

        self.rule.fremond.clear();
        let u = Velocities { before: &self.u_before, free: &self.u_free, restitution, positions: 0 };
        let report = match self.rule.solve(&mut self.problem, u, &mut self.r) {
            Ok(report) => report,
            Err(report) => return Err(StepFailure::unsolved_friction(state.t, h, &self.problem, &report)),
        };
        step.info.solves = report.solves;
        step.info.iterations = report.iterations;
        step.info.residual = report.residual;
        step.info.impacts = report.impacts;
        step.info.fallbacks = report.fallbacks;

        let scale = velocity_scale(&self.problem, &self.r);
        for (i, c) in step.contacts.iter_mut().enumerate() {
            let (r, w) = (&self.r[i * d..(i + 1) * d], &self.rule.w[i * d..(i + 1) * d]);
            c.p = r[0];
            p_n.push(r[0]);
            next.p[c.id] = r[0];
            next.push[c.id] = self.problem.W.diagonal_block(i)[0] * r[0];
            let mut tangential = Tangential::default();
            for (k, row) in self.rows[i * d + 1..(i + 1) * d].iter().enumerate() {
                if row.is_some() {
                    self.p.push(r[1 + k]);
                    tangential.p[k] = r[1 + k];
                }
            }
            next.p_t[c.id] = tangential.p;
            tangential.status = status(self.problem.mu[i], r, w, scale);
            tangential.fremond = self.rule.fremond[i];
            tangential.rubs = self.problem.mu[i] > 0.0;
            step.friction.push(tangential);
        }
        Ok(())
    }

    /// The problem of the last step and its impulses.
    pub fn last(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        (!self.r.is_empty()).then(|| (self.problem.clone(), self.r.clone()))
    }

    /// W on the index set; changes only with the step size or the set.
    fn assemble(
        &mut self,
        from: &StepStart,
        response: &Response,
        contacts: &[ContactState],
    ) -> Result<(), StepFailure> {
        let key = from.h.to_bits();
        let same = self.previous.len() == contacts.len() && self.previous.iter().zip(contacts).all(|(&i, c)| i == c.id);
        if same && self.assembled_for == Some(key) {
            return Ok(());
        }
        if response.delassus_is_dense(contacts.len()) && self.rows.len() > LARGEST_DENSE {
            return Err(StepFailure::too_large(from.state.t, from.h, contacts.len(), LARGEST_DENSE / self.d));
        }
        self.previous.clear();
        self.previous.extend(contacts.iter().map(|c| c.id));
        self.problem.ids.clone_from(&self.previous);
        self.problem.mu.clear();
        self.problem.mu.extend(contacts.iter().map(|c| self.model.contacts()[c.id].friction));
        self.problem.W = padded_blocks(self.d, &self.rows, &response.delassus_rows(self.model.H(), &self.rows));
        self.problem.revision += 1;
        self.assembled_for = Some(key);
        Ok(())
    }
}

/// Blocks from entries (row, column, value), with the normal's diagonal entry in place of each missing tangent.
pub fn padded_blocks(d: usize, rows: &[Option<usize>], entries: &[(usize, usize, f64)]) -> BlockMatrix {
    let n = rows.len() / d;
    let mut normal = vec![0.0; n];
    for &(i, j, x) in entries {
        if i == j && i.is_multiple_of(d) {
            normal[i / d] += x;
        }
    }
    let mut blocks: Vec<(usize, usize, Vec<f64>)> = Vec::new();
    let mut sorted: Vec<(usize, usize, usize, f64)> =
        entries.iter().map(|&(i, j, x)| (i / d, j / d, (j % d) * d + i % d, x)).collect();
    for (k, row) in rows.iter().enumerate() {
        if row.is_none() {
            let size = if normal[k / d] > 0.0 { normal[k / d] } else { 1.0 };
            sorted.push((k / d, k / d, (k % d) * d + k % d, size));
        }
    }
    sorted.sort_unstable_by_key(|&(i, j, k, _)| (i, j, k));
    for (i, j, k, x) in sorted {
        match blocks.last_mut() {
            Some((a, b, block)) if (*a, *b) == (i, j) => block[k] += x,
            _ => {
                let mut block = vec![0.0; d * d];
                block[k] = x;
                blocks.push((i, j, block));
            }
        }
    }
    let blocks: Vec<_> = blocks.iter().map(|(i, j, block)| (*i, *j, block.as_slice())).collect();
    BlockMatrix::from_blocks(d, n, &blocks).expect("blocks lie inside the matrix")
}

/// The largest velocity an impulse gives its own contact, by which velocities count as zero: max W_ii r_i over the normals.
pub fn velocity_scale(problem: &FrictionProblem, r: &[f64]) -> f64 {
    let d = problem.dim();
    (0..problem.len()).fold(0.0, |s: f64, i| s.max(problem.W.diagonal_block(i)[0] * r[i * d]))
}

/// Judged on w, the velocity the law speaks of: a contact slides when its impulse lies on the cone and w_T is not zero.
pub fn status(mu: f64, r: &[f64], w: &[f64], scale: f64) -> ContactStatus {
    let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    if r[0] <= 0.0 {
        ContactStatus::Open
    } else if mu == 0.0 {
        ContactStatus::Closed
    } else if size(&r[1..]) < mu * r[0] * (1.0 - STUCK) || size(&w[1..]) <= STUCK * scale {
        ContactStatus::Stick
    } else {
        ContactStatus::Slip
    }
}
