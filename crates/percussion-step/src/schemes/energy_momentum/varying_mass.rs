//! Energy-exact stepping where the mass depends on q: Gonzalez' gradient of the Hamiltonian on z = (q, p), p = M(q) v.
//!
//!   Δq = h D_p,   Δp = −h D_q + h f_np + Σ D_g P,   D_p = w + s M_m⁻¹Δp,   D_q = ∇V − ½(∂(M w)/∂q)ᵀw + s M_mΔq/h²
//!   w = M_m⁻¹p_m,   s = (H₁ − H₀ − ∇H(z_m)·Δz) / (ΔqᵀM_mΔq/h² + ΔpᵀM_m⁻¹Δp)
//!
//! so that ΔH = f_np·Δq + Σ P (D_g·Δq)/h exactly. Joints: g(q₁) = 0. Contacts: with u_m = D_g·Δq/h and u₀ = D_g·v₀,
//! 0 ≤ (2u_m − u₀) + ê u₀ ⟂ P ≥ 0, so P u_m ≤ 0 under `hold`.
//!
//! The residual is exact; Newton's matrix is taken by differences of it, for small systems such as users write.

use crate::newton::contact_problem::contact_problem;
use crate::newton::evaluation::{Evaluation, mul_add};
use crate::newton::system::{NewtonSystem, REDUNDANT, Scales, effective_masses, larger, over};
use crate::schemes::energy_momentum::discrete_gradient::{Between, GAUSS_POINT, GAUSS_WEIGHT, Room, gonzalez};
use crate::schemes::energy_momentum::{ConstraintOf, admitted};
use crate::{Activation, ContactState, LedgerEntry, Memory, State, Step, StepFailure, StepInfo, StepStart, Stepper};
use percussion_matrix::{DenseMatrix, SmallLu, vector};
use percussion_model::Lagrangian;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

const MAX_ITERATIONS: usize = 40;
/// Relative residual below which an iteration that makes no more progress has met round-off.
const STALLED: f64 = 1e-10;

/// The scheme bound to a model.
pub struct EnergyMomentumVarying {
    model: Arc<dyn Lagrangian>,
    activation: Activation,
    tolerance: f64,
    at: Evaluation,
    system: NewtonSystem,
    index: Vec<bool>,
    active: Vec<bool>,
    r: Vec<f64>,
    /// What the last residual found: D_g by column, f_np, u₀ and u_m by constraint.
    D: DenseMatrix,
    outer: Vec<f64>,
    u0: Vec<f64>,
    u_mid: Vec<f64>,
    /// 2u_m − u₀ + ê u₀ of each contact, and the impulses of the last step.
    law: Vec<f64>,
    P: Vec<f64>,
}

impl EnergyMomentumVarying {
    /// Binds the scheme to a model.
    pub fn new(model: Arc<dyn Lagrangian>, activation: Activation, tolerance: f64) -> Self {
        let at = Evaluation::new(&*model);
        let (n, nc) = (model.n(), at.g.len());
        Self {
            activation,
            tolerance,
            at,
            system: NewtonSystem::default(),
            index: vec![false; nc],
            active: vec![false; nc],
            r: vec![0.0; nc],
            D: DenseMatrix::zeros(n, nc),
            outer: vec![0.0; n],
            u0: vec![0.0; nc],
            u_mid: vec![0.0; nc],
            law: vec![0.0; nc],
            P: vec![0.0; nc],
            model,
        }
    }

    /// r(x) for x = (q₁, v₁, P), rows in metres, N·s and m/s; `choose`: the active set is read off x.
    fn residual(&mut self, state: &State, h: f64, x: &[f64], choose: bool) -> Option<Vec<f64>> {
        let model = Arc::clone(&self.model);
        let (n, nb, nc) = (model.n(), model.n_joints(), self.r.len());
        let (q1, v1, P) = (&x[..n], &x[n..2 * n], &x[2 * n..]);
        let mass = |q: &[f64]| {
            let mut M = DenseMatrix::zeros(n, n);
            model.mass(q, &mut M);
            M
        };
        let times = |M: &DenseMatrix, x: &[f64]| {
            let mut y = vec![0.0; n];
            mul_add(M, 1.0, x, &mut y);
            y
        };
        let (p0, p1) = (times(&mass(&state.q), &state.v), times(&mass(q1), v1));
        let dq: Vec<f64> = (0..n).map(|i| q1[i] - state.q[i]).collect();
        let dp: Vec<f64> = (0..n).map(|i| p1[i] - p0[i]).collect();
        let qm: Vec<f64> = (0..n).map(|i| 0.5 * (q1[i] + state.q[i])).collect();
        let M = mass(&qm);
        let mut lu = SmallLu::default();
        lu.reset(n).copy_from_slice(M.values());
        if !lu.factorise() {
            return None;
        }
        let mut Mdp = dp.clone();
        lu.solve(&mut Mdp);
        let Mdq = times(&M, &dq);

        // ∇H = (∇V − ½(∂(M w)/∂q)ᵀw, w) with M w = p, at the midpoint and off it
        let transposed = |D: &DenseMatrix, x: &[f64]| (0..n).map(|k| vector::dot(D.column(k), x)).collect::<Vec<_>>();
        let p_m: Vec<f64> = (0..n).map(|i| 0.5 * (p0[i] + p1[i])).collect();
        let gradient_of_H = |c: f64| {
            let along = |x: &[f64], dx: &[f64]| (0..n).map(|i| x[i] + c * dx[i]).collect::<Vec<_>>();
            let (q, mut w) = (along(&qm, &dq), along(&p_m, &dp));
            let mut lu = SmallLu::default();
            lu.reset(n).copy_from_slice(mass(&q).values());
            if !lu.factorise() {
                return None;
            }
            lu.solve(&mut w);
            let (mut tangent, mut by_q) = (DenseMatrix::zeros(n, n), vec![0.0; n]);
            model.mass_tangent(&q, &w, &mut tangent);
            model.potential_gradient(&q, &mut by_q);
            vector::axpy(-0.5, &transposed(&tangent, &w), &mut by_q);
            Some((by_q, w))
        };
        let (gradient, w) = gradient_of_H(0.0)?;

        // H₁ − H₀ − ∇H·Δz by values, or by Gauss' points where they agree to round-off, as for any discrete gradient
        let energy = |q: &[f64], v: &[f64]| (model.kinetic_energy(q, v), model.potential_energy(q));
        let ((T0, V0), (T1, V1)) = (energy(&state.q, &state.v), energy(q1, v1));
        let by_values = (T1 - T0) + (V1 - V0) - vector::dot(&gradient, &dq) - vector::dot(&w, &dp);
        let mut by_gradients = 0.0;
        for c in [GAUSS_POINT, -GAUSS_POINT] {
            let (by_q, by_p) = gradient_of_H(c)?;
            for i in 0..n {
                by_gradients += GAUSS_WEIGHT * ((by_q[i] - gradient[i]) * dq[i] + (by_p[i] - w[i]) * dp[i]);
            }
        }
        let round_off = 4.0 * f64::EPSILON * (T0 + T1 + V0.abs() + V1.abs());
        let defect = if (by_values - by_gradients).abs() <= round_off { by_gradients } else { by_values };
        let size = vector::dot(&dq, &Mdq) / (h * h) + vector::dot(&dp, &Mdp);
        let s = if size > f64::MIN_POSITIVE { defect / size } else { 0.0 };

        // forces without a potential: f + ∇V + Ṁv − ∂T/∂q at the midpoint
        let vm: Vec<f64> = dq.iter().map(|x| x / h).collect();
        model.force(&qm, &vm, state.t + 0.5 * h, &mut self.outer);
        let (mut tangent, mut slope) = (DenseMatrix::zeros(n, n), vec![0.0; n]);
        model.potential_gradient(&qm, &mut slope);
        vector::axpy(1.0, &slope, &mut self.outer);
        model.mass_tangent(&qm, &vm, &mut tangent);
        mul_add(&tangent, 1.0, &vm, &mut self.outer);
        vector::axpy(-0.5, &transposed(&tangent, &vm), &mut self.outer);

        let mut r = vec![0.0; 2 * n + nc];
        for i in 0..n {
            r[i] = dq[i] - h * (w[i] + s * Mdp[i]);
            r[n + i] = dp[i] + h * (gradient[i] + s * Mdq[i] / (h * h) - self.outer[i]);
        }
        let at = Between { q0: &state.q, q1, qm: &qm, dq: &dq, M: &M, Mdq: &Mdq };
        let (mut jacobian, mut room) = (DenseMatrix::zeros(n, n), Room::new(n));
        for j in 0..nc {
            gonzalez(&ConstraintOf(&*model, j), &at, self.D.column_mut(j), &mut jacobian, &mut room);
            let column = self.D.column(j);
            self.u0[j] = vector::dot(column, &state.v);
            self.u_mid[j] = vector::dot(column, &vm);
            vector::axpy(-P[j], column, &mut r[n..2 * n]);
            if j < nb {
                // 2 g(q₁)/h, with the round-off of g over h in a constant of the step
                r[2 * n + j] = 2.0 * (self.u_mid[j] + self.at.g[j] / h);
                continue;
            }
            let opening = self.activation == Activation::Hold && self.u0[j] > 0.0;
            let e_hat = if opening { 1.0 } else { model.restitutions()[j - nb] };
            let law = 2.0 * self.u_mid[j] + (e_hat - 1.0) * self.u0[j];
            self.law[j] = law;
            if choose {
                self.active[j] = self.index[j] && P[j] - self.r[j] * law >= 0.0;
            }
            r[2 * n + j] = if self.active[j] { law } else { P[j] };
        }
        Some(r)
    }

    /// The largest residual relative to the step's impulses and velocities, and whether Newton may stop.
    fn worst(&self, state: &State, h: f64, x: &[f64], r: &[f64]) -> (f64, bool) {
        let (n, nb) = (self.model.n(), self.model.n_joints());
        let (q1, v1) = (&x[..n], &x[n..2 * n]);
        let change: Vec<f64> = v1.iter().zip(&state.v).map(|(a, b)| (a - b) / h).collect();
        let scales = Scales::new(&self.at, q1, v1, &change, &state.v, h).with_impulses(&x[2 * n..], &self.r);
        let mut conditions = vector::max_abs(&r[..n]) / h;
        for (j, x) in r[2 * n..].iter().enumerate() {
            let by_velocity = if j < nb || self.active[j] { x.abs() } else { over(x.abs(), self.r[j]) };
            conditions = larger(conditions, by_velocity);
        }
        let momentum = vector::max_abs(&r[n..2 * n]);
        (scales.worst(momentum, conditions), scales.met(momentum, conditions, self.tolerance, 0.0))
    }
}

impl Stepper for EnergyMomentumVarying {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        let nb = self.model.n_joints();
        let contacts: Vec<(usize, f64, f64)> =
            (nb..self.index.len()).filter(|&j| self.index[j]).map(|j| (j - nb, self.law[j], self.P[j])).collect();
        contact_problem(&self.at.M, &self.D, nb, &contacts)
    }

    fn start(&mut self, state: &State) -> Memory {
        let H = self.model.kinetic_energy(&state.q, &state.v) + self.model.potential_energy(&state.q);
        Memory::new(H, self.model.restitutions().len())
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let model = Arc::clone(&self.model);
        let (n, nb, m) = (model.n(), model.n_joints(), model.restitutions().len());
        step.h = h;
        step.after.t = state.t + h;
        self.at.dynamics(&*model, &state.q, &state.v, state.t);
        self.at.constraints(&*model, &state.q);
        if !effective_masses(&self.at, nb, &mut self.system, &mut self.r) {
            return Err(StepFailure::newton(state, h, "the mass matrix is singular".into()));
        }
        admitted(&*model, &self.at, self.activation, state, memory, h, step, next, &mut self.index);

        // Newton from the old velocity, its matrix by differences
        let size = 2 * n + nb + m;
        let mut x = vec![0.0; size];
        for i in 0..n {
            x[i] = state.q[i] + h * state.v[i];
            x[n + i] = state.v[i];
        }
        let undefined = || StepFailure::newton(state, h, "the mass matrix became singular".into());
        let (mut iterations, mut last) = (0, f64::MAX);
        let worst = loop {
            let r = self.residual(state, h, &x, true).ok_or_else(undefined)?;
            let (worst, met) = self.worst(state, h, &x, &r);
            // a discrete gradient has the round-off of H over |Δz|: near rest Newton stalls there
            if met || (worst <= STALLED && iterations > 2 && worst > 0.5 * last) {
                break worst;
            }
            last = worst;
            if iterations == MAX_ITERATIONS || !worst.is_finite() {
                let message = format!("Newton stopped at residual {worst:.1e} after {iterations} iterations");
                return Err(StepFailure::newton(state, h, message));
            }
            self.system.clear(size);
            let (speed, way) = (vector::max_abs(&x[n..2 * n]), vector::max_abs(&x[..n]));
            for j in 0..size {
                let scale = match j {
                    j if j < n => way,
                    j if j < 2 * n => speed.max(way / h * 1e-3),
                    j => self.r[j - 2 * n] * speed,
                };
                let delta = 1e-7 * scale.max(1e-7 * way.max(speed)).max(f64::MIN_POSITIVE.sqrt());
                let mut y = x.clone();
                y[j] += delta;
                let plus = self.residual(state, h, &y, false).ok_or_else(undefined)?;
                y[j] = x[j] - delta;
                let minus = self.residual(state, h, &y, false).ok_or_else(undefined)?;
                for i in 0..size {
                    self.system.add(i, j, (plus[i] - minus[i]) / (2.0 * delta));
                }
            }
            for (x, r) in self.system.x.iter_mut().zip(&r) {
                *x = -r;
            }
            let masses = &self.r;
            let compliance =
                |i: usize| if i < 2 * n { 0.0 } else { -REDUNDANT / masses[i - 2 * n].max(f64::MIN_POSITIVE) };
            if !self.system.solve_sharing(compliance) {
                return Err(StepFailure::newton(state, h, "the Newton matrix is singular".into()));
            }
            x.iter_mut().zip(&self.system.x).for_each(|(x, dx)| *x += dx);
            iterations += 1;
        };
        step.info = StepInfo { solves: 1, iterations, residual: worst, ..Default::default() };
        self.P.copy_from_slice(&x[2 * n..]);

        // the new state, contacts and ledger
        let (q1, v1, P) = (&x[..n], &x[n..2 * n], &x[2 * n..]);
        step.after.set(state.t + h, q1, v1);
        next.clear_impulses(m);
        step.contacts.clear();
        let way: f64 = (0..n).map(|i| self.outer[i] * (q1[i] - state.q[i])).sum();
        let mut entry = LedgerEntry {
            kinetic: model.kinetic_energy(q1, v1),
            potential: model.potential_energy(q1),
            work_external: way,
            ..Default::default()
        };
        let mut row = vec![0.0; n];
        for j in 0..nb + m {
            let work = P[j] * self.u_mid[j];
            if j < nb {
                entry.work_joints += work;
                continue;
            }
            entry.work_contact += work;
            next.p[j - nb] = P[j];
            next.push[j - nb] = over(P[j], self.r[j]);
            if self.index[j] {
                row.fill(0.0);
                model.gradient(j, q1, &mut row);
                let u_after = vector::dot(&row, v1);
                step.contacts.push(ContactState {
                    id: j - nb,
                    gap: model.constraint(j, q1),
                    u_before: vector::dot(self.at.G.column(j), &state.v),
                    u_free: u_after - over(P[j], self.r[j]),
                    u_after,
                    p: P[j].max(0.0),
                });
            }
        }
        entry.close(memory.H, entry.energy());
        next.H = entry.algorithmic_energy;
        step.ledger = entry;
        Ok(())
    }
}
