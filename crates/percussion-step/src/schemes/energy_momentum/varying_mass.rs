//! Energy-exact stepping where the mass depends on q: the discrete gradient of Gonzalez
//! (1996) of the Hamiltonian on z = (q, p), p = M(q) v.
//!
//!   Δq = h D_p,   Δp = −h D_q + h f_np + Σ D_g P,   D_p = w + s M_m⁻¹Δp,   D_q = ∇V − ½(∂(M w)/∂q)ᵀw + s M_mΔq/h²
//!   w = M_m⁻¹p_m,   s = (H₁ − H₀ − ∇H(z_m)·Δz) / (ΔqᵀM_mΔq/h² + ΔpᵀM_m⁻¹Δp)
//!
//! so that ΔH = f_np·Δq + Σ P (D_g·Δq)/h exactly. Joints: g(q₁) = 0. Contacts: with u_m = D_g·Δq/h and u₀ = D_g·v₀,
//! 0 ≤ (2u_m − u₀) + ê u₀ ⟂ P ≥ 0, so P u_m ≤ 0 under `hold`.
//!
//! The residual is exact; Newton's matrix is taken by differences of it, for small systems such as users write.

use crate::newton::driver::{Iteration, Judged, iterate};
use crate::newton::evaluation::mul_add;
use crate::newton::system::{Scales, larger, over, sharing};
use crate::schemes::energy_momentum::discrete_gradient::{Between, GAUSS_POINT, GAUSS_WEIGHT, Room, gonzalez};
use crate::schemes::energy_momentum::frame::{ConstraintOf, Frame};
use crate::{Activation, Memory, State, Step, StepFailure, StepInfo, StepStart, Stepper};
use percussion_matrix::{DenseMatrix, SmallLu, vector};
use percussion_model::Lagrangian;
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

const MAX_ITERATIONS: usize = 40;
/// Relative residual below which an iteration that makes no more progress has met round-off.
const STALLED: f64 = 1e-10;

/// The scheme bound to a model.
pub struct EnergyMomentumVarying {
    frame: Frame,
    /// (q₁, v₁, P) and the residual there.
    x: Vec<f64>,
    r: Vec<f64>,
    /// What the last residual found: f_np, and by constraint u_m and 2u_m − u₀ + ê u₀.
    outer: Vec<f64>,
    u_mid: Vec<f64>,
    law: Vec<f64>,
    /// The last residual's size.
    last: f64,
}

/// Dᵀx.
fn transposed(D: &DenseMatrix, x: &[f64]) -> Vec<f64> {
    (0..x.len()).map(|k| vector::dot(D.column(k), x)).collect()
}

impl EnergyMomentumVarying {
    /// Binds the scheme to a model.
    pub fn new(model: Arc<dyn Lagrangian>, activation: Activation, tolerance: f64) -> Self {
        let frame = Frame::new(model, activation, tolerance);
        let (n, nc) = (frame.model.n(), frame.r.len());
        Self {
            frame,
            x: Vec::new(),
            r: Vec::new(),
            outer: vec![0.0; n],
            u_mid: vec![0.0; nc],
            law: vec![0.0; nc],
            last: f64::MAX,
        }
    }

    /// r(x) for x = (q₁, v₁, P), rows in metres, N·s and m/s; `choose`: the active set is read off x.
    fn residual(&mut self, state: &State, h: f64, x: &[f64], choose: bool) -> Option<Vec<f64>> {
        let model = Arc::clone(&self.frame.model);
        let (n, nc) = (model.n(), self.frame.r.len());
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

        let vm: Vec<f64> = dq.iter().map(|x| x / h).collect();
        self.outer_forces(state.t + 0.5 * h, &qm, &vm);
        let mut r = vec![0.0; 2 * n + nc];
        for i in 0..n {
            r[i] = dq[i] - h * (w[i] + s * Mdp[i]);
            r[n + i] = dp[i] + h * (gradient[i] + s * Mdq[i] / (h * h) - self.outer[i]);
        }
        let at = Between { q0: &state.q, q1, qm: &qm, dq: &dq, M: &M, Mdq: &Mdq };
        self.conditions(state, h, &at, (&vm, P), choose, &mut r);
        Some(r)
    }

    /// Forces without a potential: f + ∇V + Ṁv − ∂T/∂q at the midpoint.
    fn outer_forces(&mut self, t: f64, qm: &[f64], vm: &[f64]) {
        let (model, n) = (&*self.frame.model, qm.len());
        model.force(qm, vm, t, &mut self.outer);
        let (mut tangent, mut slope) = (DenseMatrix::zeros(n, n), vec![0.0; n]);
        model.potential_gradient(qm, &mut slope);
        vector::axpy(1.0, &slope, &mut self.outer);
        model.mass_tangent(qm, vm, &mut tangent);
        mul_add(&tangent, 1.0, vm, &mut self.outer);
        vector::axpy(-0.5, &transposed(&tangent, vm), &mut self.outer);
    }

    /// Impulses of joints and contacts in the rows of motion, and the rows of their own.
    fn conditions(
        &mut self,
        state: &State,
        h: f64,
        at: &Between,
        (vm, P): (&[f64], &[f64]),
        choose: bool,
        r: &mut [f64],
    ) {
        let model = Arc::clone(&self.frame.model);
        let (n, nb) = (model.n(), model.n_joints());
        let (mut jacobian, mut room) = (DenseMatrix::zeros(n, n), Room::new(n));
        let frame = &mut self.frame;
        for j in 0..P.len() {
            gonzalez(&ConstraintOf(&*model, j), at, frame.D.column_mut(j), &mut jacobian, &mut room);
            let column = frame.D.column(j);
            frame.u0[j] = vector::dot(column, &state.v);
            self.u_mid[j] = vector::dot(column, vm);
            vector::axpy(-P[j], column, &mut r[n..2 * n]);
            if j < nb {
                // 2 g(q₁)/h, with the round-off of g over h in a constant of the step
                r[2 * n + j] = 2.0 * (self.u_mid[j] + frame.at.g[j] / h);
                continue;
            }
            let law = 2.0 * self.u_mid[j] + (frame.restitution(j) - 1.0) * frame.u0[j];
            self.law[j] = law;
            if choose {
                frame.choose(j, P[j], law);
            }
            r[2 * n + j] = if frame.active[j] { law } else { P[j] };
        }
    }

    /// The largest residual relative to the step's impulses and velocities, and whether Newton may stop.
    fn worst(&self, state: &State, h: f64, x: &[f64], r: &[f64]) -> (f64, bool) {
        let (n, nb) = (self.frame.model.n(), self.frame.model.n_joints());
        let (q1, v1) = (&x[..n], &x[n..2 * n]);
        let change: Vec<f64> = v1.iter().zip(&state.v).map(|(a, b)| (a - b) / h).collect();
        let scales =
            Scales::new(&self.frame.at, q1, v1, &change, &state.v, h).with_impulses(&x[2 * n..], &self.frame.r);
        let mut conditions = vector::max_abs(&r[..n]) / h;
        for (j, x) in r[2 * n..].iter().enumerate() {
            let by_velocity = if j < nb || self.frame.active[j] { x.abs() } else { over(x.abs(), self.frame.r[j]) };
            conditions = larger(conditions, by_velocity);
        }
        let momentum = vector::max_abs(&r[n..2 * n]);
        (scales.worst(momentum, conditions), scales.met(momentum, conditions, self.frame.tolerance, 0.0))
    }
}

impl Iteration for EnergyMomentumVarying {
    fn judge(&mut self, from: &StepStart, iteration: usize) -> Result<Judged, StepFailure> {
        let StepStart { state, h, .. } = *from;
        let x = std::mem::take(&mut self.x);
        let r = self.residual(state, h, &x, true).ok_or_else(|| undefined(from))?;
        let (worst, met) = self.worst(state, h, &x, &r);
        (self.x, self.r) = (x, r);
        // a discrete gradient has the round-off of H over |Δz|: near rest Newton stalls there
        let stalled = worst <= STALLED && iteration > 2 && worst > 0.5 * self.last;
        self.last = worst;
        Ok(Judged { worst, done: met || stalled })
    }

    /// The matrix by differences.
    fn improve(&mut self, from: &StepStart, _iteration: usize) -> Result<(), StepFailure> {
        let StepStart { state, h, .. } = *from;
        let (n, size) = (self.frame.model.n(), self.x.len());
        self.frame.system.clear(size);
        let (speed, way) = (vector::max_abs(&self.x[n..2 * n]), vector::max_abs(&self.x[..n]));
        for j in 0..size {
            let scale = match j {
                j if j < n => way,
                j if j < 2 * n => speed.max(way / h * 1e-3),
                j => self.frame.r[j - 2 * n] * speed,
            };
            let delta = 1e-7 * scale.max(1e-7 * way.max(speed)).max(f64::MIN_POSITIVE.sqrt());
            let mut y = self.x.clone();
            y[j] += delta;
            let plus = self.residual(state, h, &y, false).ok_or_else(|| undefined(from))?;
            y[j] = self.x[j] - delta;
            let minus = self.residual(state, h, &y, false).ok_or_else(|| undefined(from))?;
            for i in 0..size {
                self.frame.system.add(i, j, (plus[i] - minus[i]) / (2.0 * delta));
            }
        }
        let Frame { system, r, .. } = &mut self.frame;
        system.x.iter_mut().zip(&self.r).for_each(|(x, r)| *x = -r);
        if !system.solve_sharing(|i| sharing(r, 2 * n, i)) {
            return Err(from.failure("the Newton matrix is singular"));
        }
        self.x.iter_mut().zip(&system.x).for_each(|(x, dx)| *x += dx);
        Ok(())
    }
}

fn undefined(from: &StepStart) -> StepFailure {
    from.failure("the mass matrix became singular")
}

impl Stepper for EnergyMomentumVarying {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        let P = self.x.get(2 * self.frame.model.n()..)?;
        self.frame.problem(P, |j| self.law[j])
    }

    fn start(&mut self, state: &State) -> Memory {
        Memory::new(self.frame.energy(state), self.frame.model.restitutions().len())
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, h, .. } = *from;
        self.frame.begin(from, step, next)?;

        // Newton from the old velocity
        let n = state.q.len();
        self.x.clear();
        self.x.extend(state.q.iter().zip(&state.v).map(|(q, v)| q + h * v));
        self.x.extend_from_slice(&state.v);
        self.x.resize(2 * n + self.u_mid.len(), 0.0);
        self.last = f64::MAX;
        let (iterations, residual) = iterate(self, from, MAX_ITERATIONS)?;
        step.info = StepInfo { solves: 1, iterations, residual, ..Default::default() };

        // the new state, contacts and ledger
        let Self { frame, x, outer, u_mid, .. } = self;
        let (q1, v1, P) = (&x[..n], &x[n..2 * n], &x[2 * n..]);
        let work: f64 = (0..n).map(|i| outer[i] * (q1[i] - state.q[i])).sum();
        frame.conclude(from, (q1, v1, P), |_, j| u_mid[j], work, (step, next));
        Ok(())
    }
}
