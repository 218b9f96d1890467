//! Energy-exact steps of solids in finite deformation, on sparse matrices (Simo, Tarnow 1992; Gonzalez 2000).
//!
//!   q₁ − q₀ = h v_m,   M (v₁ − v₀) = h (−D_V + w + F(t_m) − C v_m) + Σ D p,   v_m = ½(v₀ + v₁)
//!   Newton:  [M + ½h C + ½h² ∂D_V/∂q₁] δ = −r
//!
//! D_V and the rows D are exact over a step, so ΔE = h (F − C v_m)·v_m + Σ p·(u₀ + u₁)/2; both keep linear and angular momentum. What a
//! node touches is found at the start of a step and kept through it: to touch another facet in the next one costs no energy,
//! since the law speaks of velocities. That the rows turn is left to the iteration. Where obstacles move by d their mean velocity joins every u, and
//! p·D Δd/h is external work.

use crate::contact::activation::Approach;
use crate::newton::driver::close_step;
use crate::newton::system::{Scales, larger, over};
use crate::schemes::energy_momentum::frame::ContactRows;
use crate::schemes::energy_momentum::friction::{Left, Motion};
use crate::{Activation, ContactState, LedgerEntry, Memory, MomentumEntry, State, Step, StepFailure, StepStart};
use percussion_matrix::{DenseMatrix, Factor, Matrix, SparseMatrix, phase, vector};
use percussion_model::Lagrangian;
use percussion_model::bodies::math::{add, cross, norm, scale as scale_by};
use percussion_model::solid::finite::{FiniteModel, StepRow, Touch};
use std::sync::Arc;

type Vec3 = [f64; 3];

/// Coordinates from which the matrix is eliminated in the order of the mesh, without pivots where that is exact.
const ORDERED_FROM: usize = 2000;
/// Halvings of an increment that would turn an element inside out.
const HALVINGS: usize = 20;

/// The motion of a solid over a step, and its contacts.
pub struct FiniteMotion {
    model: Arc<dyn Lagrangian>,
    activation: Activation,
    tolerance: f64,
    /// Places at the ends of the step.
    x0: Vec<Vec3>,
    x1: Vec<Vec3>,
    q1: Vec<f64>,
    v1: Vec<f64>,
    vm: Vec<f64>,
    /// F − C v_m.
    outer: Vec<f64>,
    /// M (v₁ − v₀) − h f̄, with and without the normal impulses.
    residual: Vec<f64>,
    right: Vec<f64>,
    forces: Vec<Vec3>,
    matrix: Option<Matrix>,
    factor: Option<Factor>,
    /// The unknowns as they are eliminated.
    order: Vec<usize>,
    threads: usize,
    stiffness: f64,
    /// By contact: what it touches, whether it takes part, its rows at the iterate, its impulse, and u₀ at the start.
    touch: Vec<Option<Touch>>,
    index: Vec<bool>,
    rows: Vec<StepRow>,
    p: Vec<f64>,
    u_start: Vec<f64>,
    masses: Vec<f64>,
    /// Diagonal of M.
    diagonal: Vec<f64>,
    /// h and v₀ of the step.
    h: f64,
    v0: Vec<f64>,
}

impl FiniteMotion {
    /// Of a solid in finite deformation; none for other models.
    pub fn new(model: &Arc<dyn Lagrangian>, activation: Activation, tolerance: f64) -> Option<Self> {
        let solid = model.finite_solid()?;
        let (n, m) = (model.n(), model.restitutions().len());
        let zero = || vec![0.0; n];
        Some(Self {
            activation,
            tolerance,
            x0: Vec::new(),
            x1: Vec::new(),
            q1: zero(),
            v1: zero(),
            vm: zero(),
            outer: zero(),
            residual: zero(),
            right: zero(),
            forces: Vec::new(),
            matrix: None,
            factor: None,
            order: solid.solid().elimination_order(),
            threads: 1,
            stiffness: 0.0,
            touch: vec![None; m],
            index: vec![false; m],
            rows: vec![StepRow::default(); m],
            p: vec![0.0; m],
            u_start: vec![0.0; m],
            masses: vec![0.0; m],
            diagonal: solid.mass_matrix().diagonal(),
            h: 0.0,
            v0: zero(),
            model: Arc::clone(model),
        })
    }

    /// The solid: `new` has seen that there is one.
    fn solid(&self) -> &FiniteModel {
        self.model.finite_solid().expect("made of a solid in finite deformation")
    }

    /// v_m, q₁ and x₁ from v₁; false where an element is inside out.
    fn place(&mut self, state: &State) -> bool {
        for i in 0..self.v1.len() {
            self.vm[i] = 0.5 * (state.v[i] + self.v1[i]);
            self.q1[i] = state.q[i] + self.h * self.vm[i];
        }
        let mut x1 = std::mem::take(&mut self.x1);
        self.solid().places(&self.q1, &mut x1);
        self.x1 = x1;
        self.solid().elastic().energy(&self.x1, self.threads).is_some()
    }

    /// D_g·v of a contact along its row, and what its obstacle adds.
    fn rate(&self, row: &StepRow, v: &[f64]) -> f64 {
        let mut entries = Vec::new();
        self.solid().row_entries(row, &row.normal, &mut entries);
        entries.iter().fold(0.0, |sum, &(i, x)| sum + x * v[i]) + row.rate(&row.normal)
    }

    /// 1/Σ row²/M_kk: the mass a contact sees, the coupling of masses aside.
    fn mass_along(&self, row: &StepRow) -> f64 {
        let mut entries = Vec::new();
        self.solid().row_entries(row, &row.normal, &mut entries);
        let w: f64 = entries.iter().filter(|(_, g)| *g != 0.0).map(|&(i, g)| g * g / self.diagonal[i]).sum();
        if w > 0.0 { 1.0 / w } else { 0.0 }
    }

    fn inside_out(from: &StepStart) -> StepFailure {
        from.failure("an element would be turned inside out")
    }
}

impl ContactRows for FiniteMotion {
    fn begin(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        (self.h, step.h, step.smallest_gap) = (h, h, None);
        phase::enter("what nodes touch");
        self.v0.clone_from(&state.v);
        let mut places = [std::mem::take(&mut self.x0), std::mem::take(&mut self.x1)];
        self.solid().places(&state.q, &mut places[0]);
        // where velocities lead by themselves
        self.q1.copy_from_slice(&state.q);
        vector::axpy(h, &state.v, &mut self.q1);
        self.solid().places(&self.q1, &mut places[1]);
        [self.x0, self.x1] = places;
        self.touch = self.solid().touches(&self.x0);
        next.u_max = memory.u_max;
        for i in 0..self.p.len() {
            self.index[i] = false;
            (self.u_start[i], self.masses[i]) = (0.0, 0.0);
            let Some(touch) = self.touch[i] else { continue };
            let row = self.solid().row(i, touch, [&self.x0, &self.x0], [state.t; 2]);
            let above = |x: &[Vec3]| self.solid().is_above(i, touch, x);
            if !above(&self.x0) && !above(&self.x1) {
                continue;
            }
            let u = self.rate(&row, &state.v);
            next.u_max = next.u_max.max(u.abs());
            if step.smallest_gap.is_none_or(|(g, _)| row.before < g) {
                step.smallest_gap = Some((row.before, i));
            }
            let predicted = self.solid().row(i, touch, [&self.x1, &self.x1], [from.end(); 2]).before;
            let approach = Approach { gap: predicted - h * u, u, push: memory.push[i] };
            self.index[i] = self.activation.admits(&approach, h, next.u_max);
            (self.u_start[i], self.masses[i]) = (u, self.mass_along(&row));
        }
        Ok(())
    }

    fn takes_part(&self, i: usize) -> bool {
        self.index[i]
    }

    fn normal(&self, i: usize, row: &mut [f64]) {
        self.solid().add_row(&self.rows[i], &self.rows[i].normal, row);
    }

    fn tangent(&self, i: usize, k: usize, _: &[f64], row: &mut [f64]) {
        self.solid().add_row(&self.rows[i], &self.rows[i].tangents[k], row);
    }

    fn entries(&self, i: usize, row: usize, _: &[f64], _: &mut Vec<f64>, entries: &mut Vec<(usize, f64)>) {
        let at = &self.rows[i];
        let vectors = if row == 0 { &at.normal } else { &at.tangents[row - 1] };
        self.solid().row_entries(at, vectors, entries);
        entries.retain(|(_, x)| *x != 0.0);
    }

    fn drag(&self, i: usize, k: usize) -> f64 {
        let row = &self.rows[i];
        row.rate(if k == 0 { &row.normal } else { &row.tangents[k - 1] })
    }

    fn restitution(&self, i: usize) -> f64 {
        let opening = self.activation == Activation::Hold && self.rate(&self.rows[i], &self.v0) > 0.0;
        if opening { 1.0 } else { self.model.restitutions()[i] }
    }

    fn mass_seen(&self, i: usize) -> f64 {
        self.masses[i]
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    fn right_side(&self) -> &[f64] {
        &self.right
    }

    fn factorise(&mut self) -> bool {
        let Some(matrix) = &self.matrix else { return false };
        phase::enter("factor");
        match &mut self.factor {
            Some(factor) => factor.refactor(matrix).is_ok(),
            None => {
                self.factor = if self.order.len() < ORDERED_FROM {
                    Factor::lu(matrix).ok()
                } else {
                    Factor::lu_in_order(matrix, &self.order, self.threads).ok()
                };
                self.factor.is_some()
            }
        }
    }

    fn solve(&mut self, x: &mut [f64]) {
        if let Some(factor) = &mut self.factor {
            phase::enter("back-substitution");
            factor.solve(x);
            phase::enter("rows");
        }
    }

    fn between(&mut self, G: &SparseMatrix, H: &SparseMatrix) -> DenseMatrix {
        phase::enter("responses");
        let W = match &mut self.factor {
            Some(factor) => factor.between(G, H),
            None => DenseMatrix::zeros(G.n_cols(), H.n_cols()),
        };
        phase::enter("rows");
        W
    }
}

impl Motion for FiniteMotion {
    fn rows(&mut self) -> &mut dyn ContactRows {
        self
    }

    fn memory(&mut self, state: &State) -> Memory {
        let E = self.model.kinetic_energy(&state.q, &state.v) + self.model.potential_energy(&state.q);
        Memory::new(E, self.p.len())
    }

    /// From the old velocity, or, where that turns an element inside out, from where the solid is.
    fn prepare(&mut self, from: &StepStart) {
        self.p.fill(0.0);
        self.v1.copy_from_slice(&from.state.v);
        if !self.place(from.state) {
            self.v1.iter_mut().for_each(|v| *v = -*v);
        }
    }

    fn evaluate(&mut self, from: &StepStart) -> Result<Left, StepFailure> {
        let StepStart { state, h, .. } = *from;
        phase::enter("forces");
        if !self.place(state) {
            return Err(Self::inside_out(from));
        }
        // F − C v_m, and the whole force
        let mut outer = std::mem::take(&mut self.outer);
        outer.fill(0.0);
        self.solid().add_loads(state.t + 0.5 * h, &mut outer);
        if let Some(C) = self.solid().damping() {
            C.mul_add(-1.0, &self.vm, &mut outer);
        }
        self.outer = outer;
        let mut forces = std::mem::take(&mut self.forces);
        forces.resize(self.x0.len(), [0.0; 3]);
        let done = self.solid().elastic().force(&self.x0, &self.x1, &mut forces, self.threads);
        self.forces = forces;
        done.ok_or_else(|| Self::inside_out(from))?;
        let mut f = self.outer.clone();
        vector::axpy(1.0, self.solid().solid().weight(), &mut f);
        self.solid().gather(-1.0, &self.forces, &mut f);

        // −r without contacts, then r with their normal impulses
        let change: Vec<f64> = self.v1.iter().zip(&state.v).map(|(v1, v0)| v1 - v0).collect();
        let mut r = std::mem::take(&mut self.residual);
        r.fill(0.0);
        let M = self.solid().mass_matrix();
        M.mul_add(1.0, &change, &mut r);
        let inertia = vector::max_abs(&r);
        let mut momentum = vec![0.0; r.len()];
        M.mul_add(1.0, &self.v1, &mut momentum);
        vector::axpy(-h, &f, &mut r);
        self.right.iter_mut().zip(&r).for_each(|(right, r)| *right = -r);
        for i in (0..self.p.len()).filter(|&i| self.index[i]) {
            let Some(touch) = self.touch[i] else { continue };
            self.rows[i] = self.solid().row(i, touch, [&self.x0, &self.x1], [state.t, from.end()]);
            if self.p[i] != 0.0 {
                let scaled = self.rows[i].normal.map(|n| n.map(|x| -self.p[i] * x));
                self.solid().add_row(&self.rows[i], &scaled, &mut r);
            }
        }
        self.residual = r;
        phase::enter("rows");

        let size = self.x1.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        let scales = Scales {
            momentum: larger(larger(vector::max_abs(&momentum), inertia), h * vector::max_abs(&f)),
            velocity: larger(larger(vector::max_abs(&self.v1), vector::max_abs(&state.v)), vector::max_abs(&change)),
            velocity_floor: 8.0 * f64::EPSILON * size / h,
        };
        let scales = scales.with_impulses(&self.p, &self.masses);
        Ok(Left { scales, conditions: 0.0, floor: 16.0 * f64::EPSILON * h * self.stiffness * size })
    }

    fn linearise(&mut self, from: &StepStart) -> Result<(), StepFailure> {
        let h = from.h;
        phase::enter("matrix");
        let solid = self.solid();
        let tangent =
            || solid.elastic().tangent(&self.x0, &self.x1, self.threads).ok_or_else(|| Self::inside_out(from));
        let mut A = tangent()?;
        let stiffness = A.values().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let others = || std::iter::once((1.0, solid.mass_matrix())).chain(solid.damping().map(|C| (0.5 * h, C)));
        // masses and dampers stand where the solid has stiffness, and are added there
        A.values_mut().iter_mut().for_each(|x| *x *= 0.5 * h * h);
        let added = others().all(|(c, B)| match B {
            Matrix::Sparse(B) => A.add_within(c, B),
            Matrix::Dense(_) => false,
        });
        let matrix = if added {
            Matrix::Sparse(A)
        } else {
            let K = Matrix::Sparse(tangent()?);
            let terms: Vec<_> = std::iter::once((0.5 * h * h, &K)).chain(others()).collect();
            Matrix::combination(self.v1.len(), &terms)
        };
        self.stiffness = stiffness;
        self.matrix = Some(matrix);
        Ok(())
    }

    fn balance(&self) -> &[f64] {
        &self.residual
    }

    fn first_row(&self) -> usize {
        0
    }

    fn way(&self, h: f64) -> f64 {
        0.5 * h
    }

    /// Takes an increment, or as much of it as turns no element inside out.
    fn update(&mut self, from: &StepStart, x: &[f64]) {
        let before = self.v1.clone();
        let mut part = 1.0;
        for _ in 0..HALVINGS {
            self.v1.copy_from_slice(&before);
            vector::axpy(part, x, &mut self.v1);
            if self.place(from.state) {
                return;
            }
            part *= 0.5;
        }
    }

    fn push(&mut self, j: usize, p: f64) {
        self.p[j] = p;
    }

    fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
        if let Some(factor) = &mut self.factor {
            factor.use_threads(threads);
        }
    }

    fn mean_velocity(&self) -> &[f64] {
        &self.vm
    }

    /// Moments are taken at the middle of the step: r = Δ(P, L) − h (w + F − C v_m) − Σ D p.
    fn account(&self, from: &StepStart, step: &mut Step) {
        step.momentum = MomentumEntry::default();
        let solid = self.solid();
        let (Some((before, size)), Some((total, scale))) =
            (solid.momentum(&from.state.q, &from.state.v), solid.momentum(&step.after.q, &step.after.v))
        else {
            return;
        };
        let middle: Vec<Vec3> =
            self.x0.iter().zip(&self.x1).map(|(a, b)| std::array::from_fn(|k| 0.5 * (a[k] + b[k]))).collect();
        let mut force = self.outer.clone();
        vector::axpy(1.0, solid.solid().weight(), &mut force);
        let load = solid.resultant(from.h, &force, &middle).0;
        let mut entry = MomentumEntry {
            kept: true,
            total,
            load,
            scale: [0, 1].map(|k| size[k].max(scale[k])),
            ..Default::default()
        };
        for (k, c) in step.contacts.iter().enumerate() {
            let (row, along) = (&self.rows[c.id], step.friction.get(k).map_or([0.0; 2], |along| along.p));
            let pushes = [(self.p[c.id], &row.normal), (along[0], &row.tangents[0]), (along[1], &row.tangents[1])];
            for (p, vectors) in pushes.into_iter().filter(|(p, _)| *p != 0.0) {
                for (&node, vector) in row.nodes[..row.n].iter().zip(vectors) {
                    let given = scale_by(p, vector);
                    let moment = cross(&middle[node], &given);
                    entry.contact = [add(&entry.contact[0], &given), add(&entry.contact[1], &moment)];
                    entry.scale[0] += norm(&given);
                    entry.scale[1] += norm(&middle[node]) * norm(&given);
                }
            }
        }
        entry.residual = entry.left_since(&before);
        step.momentum = entry;
    }

    fn finish(
        &mut self,
        from: &StepStart,
        (work_friction, dragged): (f64, f64),
        (step, next): (&mut Step, &mut Memory),
    ) {
        let work_external = from.h * vector::dot(&self.outer, &self.vm);
        let damping = self.solid().damping().map_or(0.0, |C| -from.h * C.bilinear(&self.vm, &self.vm));
        let mut entry = LedgerEntry {
            work_external: work_external - damping + dragged,
            work_damping: damping,
            work_contact: work_friction,
            ..Default::default()
        };
        step.after.set(from.end(), &self.q1, &self.v1);
        step.contacts.clear();
        next.clear_impulses(self.p.len());
        for i in (0..self.p.len()).filter(|&i| self.index[i]) {
            let Some(touch) = self.touch[i] else { continue };
            let p = self.p[i];
            entry.work_contact += p * self.rate(&self.rows[i], &self.vm);
            entry.work_external -= p * self.rows[i].rate(&self.rows[i].normal);
            (next.p[i], next.push[i]) = (p, over(p, self.masses[i]));
            // velocities as the gap has them at either end; the law and the work use the row over the step
            let end = self.solid().row(i, touch, [&self.x1, &self.x1], [from.end(); 2]);
            let u_after = self.rate(&end, &self.v1);
            step.contacts.push(ContactState {
                id: i,
                gap: self.rows[i].after,
                u_before: self.u_start[i],
                u_free: u_after - over(p, self.masses[i]),
                u_after,
                p: p.max(0.0),
            });
        }
        close_step(&*self.model, entry, from, step, next);
    }
}
