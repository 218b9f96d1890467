//! Energy-exact stepping where the mass depends on q: the discrete gradient of Gonzalez
//! (1996) of the Hamiltonian on z = (q, p), p = M(q) v.
//!
//!   Δq = h D_p,   Δp = −h D_q + h f_np + Σ D_g P        D of `hamiltonian.rs`
//!
//! so that ΔH = f_np·Δq + Σ P (D_g·Δq)/h exactly. Joints: g(q₁) = 0. Contacts: with u_m = D_g·Δq/h and u₀ = D_g·v₀,
//! 0 ≤ (2u_m − u₀) + ê u₀ ⟂ P ≥ 0, so P u_m ≤ 0 under `hold`.
//!
//! Newton's matrix is written out where the model has second derivatives (`SecondDerivatives`), with ∂p₁ = ∂(M₁v₁)/∂q ∂q₁ + M₁∂v₁;
//! else its columns of motion are differences of the residual. Unknowns (Δq₁, Δv₁, −ΔP).

use crate::newton::driver::{Iteration, Judged, iterate};
use crate::newton::system::{Scales, larger, over, sharing};
use crate::schemes::energy_momentum::discrete_gradient::{Between, Room, gonzalez};
use crate::schemes::energy_momentum::frame::{ConstraintOf, ContactRows, Frame};
use crate::schemes::energy_momentum::friction::{Left, Motion};
use crate::schemes::energy_momentum::hamiltonian::{Hamiltonian, mass, mass_tangent, outer_force, times};
use crate::{Activation, Memory, State, Step, StepFailure, StepInfo, StepStart, Stepper};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::{AtTime, Lagrangian, SecondDerivatives};
use percussion_solve::friction::FrictionProblem;
use std::sync::Arc;

const MAX_ITERATIONS: usize = 40;
/// Relative residual below which an iteration that makes no more progress has met round-off.
const STALLED: f64 = 1e-10;

/// The scheme bound to a model.
pub struct EnergyMomentumVarying {
    frame: Frame,
    /// Whether a problem of its own decides the contacts.
    apart: bool,
    /// (q₁, v₁), P, and the residual there.
    x: Vec<f64>,
    P: Vec<f64>,
    r: Vec<f64>,
    /// What the last residual found: f_np, Δq/h, and by constraint u_m and 2u_m − u₀ + ê u₀.
    between: Option<Hamiltonian>,
    outer: Vec<f64>,
    vm: Vec<f64>,
    u_mid: Vec<f64>,
    law: Vec<f64>,
    /// The last residual's size.
    last: f64,
}

impl EnergyMomentumVarying {
    /// Binds the scheme to a model.
    pub fn new(model: Arc<dyn Lagrangian>, activation: Activation, tolerance: f64) -> Self {
        let frame = Frame::new(model, activation, tolerance);
        let (n, nc) = (frame.model.n(), frame.r.len());
        Self {
            frame,
            apart: false,
            x: Vec::new(),
            P: vec![0.0; nc],
            r: Vec::new(),
            between: None,
            outer: vec![0.0; n],
            vm: vec![0.0; n],
            u_mid: vec![0.0; nc],
            law: vec![0.0; nc],
            last: f64::MAX,
        }
    }

    /// The same for contacts decided by a problem of their own.
    pub fn apart(self) -> Self {
        Self { apart: true, ..self }
    }

    /// r(x) for x = (q₁, v₁), rows in metres, N·s and m/s; `choose`: the active set is read off x.
    fn residual(&mut self, from: &StepStart, x: &[f64], choose: bool) -> Result<Vec<f64>, StepFailure> {
        let StepStart { state, h, .. } = *from;
        let model = Arc::clone(&self.frame.model);
        let n = model.n();
        let between = Hamiltonian::between(&*model, state, h, (&x[..n], &x[n..]))
            .ok_or_else(|| from.failure("the mass matrix became singular"))?;
        self.vm.clear();
        self.vm.extend(between.dq.iter().map(|x| x / h));
        outer_force(&*model, &between.qm, &self.vm, state.t + 0.5 * h, &mut self.outer);
        let mut r = vec![0.0; 2 * n + self.P.len()];
        between.rows(&self.outer, &mut r);
        self.conditions(state, h, &x[..n], &between, choose, &mut r);
        self.between = Some(between);
        Ok(r)
    }

    /// Impulses of joints and contacts in the rows of motion, and the rows of their own.
    fn conditions(&mut self, state: &State, h: f64, q1: &[f64], between: &Hamiltonian, choose: bool, r: &mut [f64]) {
        let model = Arc::clone(&self.frame.model);
        let (n, nb) = (model.n(), model.n_joints());
        let (mut jacobian, mut room) = (DenseMatrix::zeros(n, n), Room::new(n));
        let Hamiltonian { qm, dq, M, Mdq, .. } = between;
        let at = Between { q0: &state.q, q1, qm, dq, M, Mdq };
        let middle = AtTime(&*model, state.t + 0.5 * h);
        let frame = &mut self.frame;
        for j in 0..self.P.len() {
            if frame.far(j) {
                (self.u_mid[j], self.law[j], r[2 * n + j]) = (0.0, 0.0, self.P[j]);
                continue;
            }
            gonzalez(&ConstraintOf(middle, j), &at, frame.D.column_mut(j), &mut jacobian, &mut room);
            let (column, rate) = (frame.D.column(j), middle.rate(j, qm));
            frame.rates[j] = rate;
            frame.u0[j] = vector::dot(column, &state.v) + rate;
            self.u_mid[j] = vector::dot(column, &self.vm) + rate;
            vector::axpy(-self.P[j], column, &mut r[n..2 * n]);
            if j < nb {
                // 2 g(q₁)/h, with the round-off of g over h in a constant of the step
                r[2 * n + j] = 2.0 * (self.u_mid[j] + frame.at.g[j] / h);
                continue;
            }
            let law = 2.0 * self.u_mid[j] + (frame.restitution(j) - 1.0) * frame.u0[j];
            self.law[j] = law;
            if self.apart {
                frame.active[j] = false;
            } else if choose {
                frame.choose(j, self.P[j], law);
            }
            r[2 * n + j] = if frame.active[j] { law } else { self.P[j] };
        }
    }

    /// What is left beside the momentum: as velocities.
    fn left(&self, from: &StepStart) -> Left {
        let (n, nb, h) = (self.frame.model.n(), self.frame.model.n_joints(), from.h);
        let (q1, v1) = self.x.split_at(n);
        let change: Vec<f64> = v1.iter().zip(&from.state.v).map(|(a, b)| (a - b) / h).collect();
        let scales =
            Scales::new(&self.frame.at, q1, v1, &change, &from.state.v, h).with_impulses(&self.P, &self.frame.r);
        let mut conditions = vector::max_abs(&self.r[..n]) / h;
        for (j, x) in self.r[2 * n..].iter().enumerate().filter(|(j, _)| *j < nb || !self.apart) {
            let by_velocity = if j < nb || self.frame.active[j] { x.abs() } else { over(x.abs(), self.frame.r[j]) };
            conditions = larger(conditions, by_velocity);
        }
        Left { scales, conditions, floor: 0.0 }
    }

    /// Newton's matrix at x; the right-hand side is −r.
    fn assemble(&mut self, from: &StepStart) -> Result<(), StepFailure> {
        let model = Arc::clone(&self.frame.model);
        let n = model.n();
        self.frame.system.clear(self.r.len());
        match (model.second_derivatives(), self.between.take()) {
            (Some(second), Some(between)) => self.write_out(from, second, &between),
            (Some(_), None) | (None, _) => self.differences(from)?,
        }
        let Frame { system, D, active, .. } = &mut self.frame;
        for j in 0..self.P.len() {
            system.add_column(n, 2 * n + j, 1.0, D.column(j));
            if j >= model.n_joints() && !active[j] {
                system.add(2 * n + j, 2 * n + j, -1.0);
            }
        }
        system.x.iter_mut().zip(&self.r).for_each(|(x, r)| *x = -r);
        Ok(())
    }

    /// The columns of q₁ and v₁ from second derivatives.
    fn write_out(&mut self, from: &StepStart, second: &dyn SecondDerivatives, between: &Hamiltonian) {
        let StepStart { state, h, .. } = *from;
        let model = Arc::clone(&self.frame.model);
        let (n, nb) = (model.n(), model.n_joints());
        let (q1, v1) = self.x.split_at(n);
        let derivatives = between.derivatives(&*model, second, (q1, v1));
        let near: Vec<usize> = (0..self.P.len()).filter(|&j| !self.frame.far(j)).collect();
        let e_hat: Vec<f64> = (nb..self.P.len()).map(|j| self.frame.restitution(j)).collect();
        let (M1, T1) = (mass(&*model, q1), mass_tangent(&*model, q1, v1));
        let T = &mut self.frame.system;
        T.add_block(0, 0, 1.0, &derivatives.q_by_q);
        T.add_block(n, 0, 1.0, &derivatives.p_by_q);
        for k in 0..n {
            for (row, by_p) in [(0, &derivatives.q_by_p), (n, &derivatives.p_by_p)] {
                T.add_column(row, k, 1.0, &times(by_p, T1.column(k)));
                T.add_column(row, n + k, 1.0, &times(by_p, M1.column(k)));
            }
        }
        let square = || DenseMatrix::zeros(n, n);
        let (mut K, mut C, mut jacobian, mut room) = (square(), square(), square(), Room::new(n));
        second.outer_tangents(&between.qm, &self.vm, state.t + 0.5 * h, &mut K, &mut C);
        T.add_block(n, 0, 0.5 * h, &K);
        T.add_block(n, 0, 1.0, &C);

        // rows of joints and contacts; what the turning of M adds to the last term of D_g is of order |Δq|²
        let Hamiltonian { qm, dq, M, Mdq, .. } = between;
        let at = Between { q0: &state.q, q1, qm, dq, M, Mdq };
        let (mut row, middle) = (vec![0.0; n], AtTime(&*model, state.t + 0.5 * h));
        for j in near {
            gonzalez(&ConstraintOf(middle, j), &at, &mut row, &mut jacobian, &mut room);
            T.add_block(n, 0, -self.P[j], &jacobian);
            if j < nb {
                row.fill(0.0);
                model.gradient(j, q1, &mut row);
                T.add_row(2 * n + j, 0, 2.0 / h, &row);
            } else if self.frame.active[j] {
                for k in 0..n {
                    let turned = jacobian.column(k);
                    let by_way = 2.0 / h * (row[k] + vector::dot(turned, dq));
                    T.add(2 * n + j, k, by_way + (e_hat[j - nb] - 1.0) * vector::dot(turned, &state.v));
                }
                // (1 + ê) ∂g/∂t at the middle
                row.fill(0.0);
                middle.gradient_rate(j, qm, &mut row);
                T.add_row(2 * n + j, 0, 0.5 * (1.0 + e_hat[j - nb]), &row);
            }
        }
    }

    /// The same by differences of the residual.
    fn differences(&mut self, from: &StepStart) -> Result<(), StepFailure> {
        let (n, size) = (self.frame.model.n(), self.r.len());
        let (speed, way) = (vector::max_abs(&self.x[n..]), vector::max_abs(&self.x[..n]));
        for j in 0..2 * n {
            let scale = if j < n { way } else { speed.max(way / from.h * 1e-3) };
            let delta = 1e-7 * scale.max(1e-7 * way.max(speed)).max(f64::MIN_POSITIVE.sqrt());
            let mut y = self.x.clone();
            y[j] += delta;
            let plus = self.residual(from, &y, false)?;
            y[j] = self.x[j] - delta;
            let minus = self.residual(from, &y, false)?;
            for i in 0..size {
                self.frame.system.add(i, j, (plus[i] - minus[i]) / (2.0 * delta));
            }
        }
        // D_g and what else the residual leaves behind, at the iterate again
        let x = self.x.clone();
        self.residual(from, &x, false)?;
        Ok(())
    }
}

impl Motion for EnergyMomentumVarying {
    fn rows(&mut self) -> &mut dyn ContactRows {
        &mut self.frame
    }

    fn memory(&mut self, state: &State) -> Memory {
        self.start(state)
    }

    fn prepare(&mut self, from: &StepStart) {
        let StepStart { state, h, .. } = *from;
        self.x.clear();
        self.x.extend(state.q.iter().zip(&state.v).map(|(q, v)| q + h * v));
        self.x.extend_from_slice(&state.v);
        self.P.fill(0.0);
        self.last = f64::MAX;
    }

    fn evaluate(&mut self, from: &StepStart) -> Result<Left, StepFailure> {
        let x = std::mem::take(&mut self.x);
        let r = self.residual(from, &x, true);
        self.x = x;
        self.r = r?;
        Ok(self.left(from))
    }

    fn linearise(&mut self, from: &StepStart) -> Result<(), StepFailure> {
        self.assemble(from)
    }

    fn balance(&self) -> &[f64] {
        let n = self.vm.len();
        &self.r[n..2 * n]
    }

    fn first_row(&self) -> usize {
        self.vm.len()
    }

    fn way(&self, _h: f64) -> f64 {
        1.0
    }

    fn update(&mut self, _: &StepStart, x: &[f64]) {
        let (motion, impulses) = x.split_at(self.x.len());
        self.x.iter_mut().zip(motion).for_each(|(x, dx)| *x += dx);
        self.P.iter_mut().zip(impulses).for_each(|(P, dx)| *P -= dx);
    }

    fn push(&mut self, j: usize, p: f64) {
        self.P[j] = p;
    }

    fn mean_velocity(&self) -> &[f64] {
        &self.vm
    }

    fn finish(&mut self, from: &StepStart, (work_friction, _): (f64, f64), (step, next): (&mut Step, &mut Memory)) {
        let Self { frame, x, P, outer, u_mid, .. } = self;
        let (q1, v1) = x.split_at(outer.len());
        let work: f64 = (0..q1.len()).map(|i| outer[i] * (q1[i] - from.state.q[i])).sum();
        frame.conclude(from, (q1, v1, P), |_, j| u_mid[j], (work, work_friction), (step, next));
    }
}

impl Iteration for EnergyMomentumVarying {
    fn judge(&mut self, from: &StepStart, iteration: usize) -> Result<Judged, StepFailure> {
        let Left { scales, conditions, .. } = self.evaluate(from)?;
        let momentum = vector::max_abs(self.balance());
        let worst = scales.worst(momentum, conditions);
        // a discrete gradient has the round-off of H over |Δz|: near rest Newton stalls there
        let stalled = worst <= STALLED && iteration > 2 && worst > 0.5 * self.last;
        self.last = worst;
        Ok(Judged { worst, done: scales.met(momentum, conditions, self.frame.tolerance, 0.0) || stalled })
    }

    fn improve(&mut self, from: &StepStart, _iteration: usize) -> Result<(), StepFailure> {
        self.assemble(from)?;
        let (n, Frame { system, r, .. }) = (self.vm.len(), &mut self.frame);
        if !system.solve_sharing(|i| sharing(r, 2 * n, i)) {
            return Err(from.failure("the Newton matrix is singular"));
        }
        let x = std::mem::take(&mut self.frame.system.x);
        self.update(from, &x);
        self.frame.system.x = x;
        Ok(())
    }
}

impl Stepper for EnergyMomentumVarying {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.frame.problem(&self.P, |j| self.law[j])
    }

    fn start(&mut self, state: &State) -> Memory {
        Memory::new(self.frame.energy(state), self.frame.model.restitutions().len())
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        self.frame.begin(from, step, next)?;
        self.prepare(from);
        let (iterations, residual) = iterate(self, from, MAX_ITERATIONS)?;
        step.info = StepInfo { solves: 1, iterations, residual, ..Default::default() };
        self.finish(from, (0.0, 0.0), (step, next));
        Ok(())
    }
}

#[cfg(test)]
#[path = "varying_mass_test.rs"]
mod test;
