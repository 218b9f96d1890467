//! The sequential solution of a GGL step (Algorithm 1 of Brüls, Acary and Cardona 2014) on a linear model.
//!
//!   smooth:    v̇ = S⁻¹(F⁺ − K(q_p + U) − C(v_p + W))                      U, W of the last iteration
//!   position:  G_Aᵀ(q̂ + Yν) + w = 0 on A = {ν − r g(q) ≥ 0}, else ν = 0     q̂ of this one
//!   velocity:  G_Bᵀ(v̂ + YΛ) + ê U_n = 0 on B = {closed, Λ − r(U + ê U_n) ≥ 0}, else Λ = 0
//!
//! until all residuals are small with the sets at the iterate. Each part is linear, so only K Y ΔU and C Y ΔW are left over: the
//! iteration contracts as h²K and hC, 14 times a step for the 200-element bar where the problem for all at once needs one solve.

use crate::newton::system::{larger, over};
use crate::schemes::ggl::conditions::{GglVariant, restitution};
use crate::schemes::ggl::linear::LinearGgl;
use crate::{State, StepInfo};
use percussion_matrix::{Matrix, SmallLu, vector};
use percussion_solve::SolverOptions;

/// Iterations after which the whole problem is solved at once instead.
const ITERATIONS: usize = 60;

/// Buffers of the iterations.
#[derive(Debug)]
pub struct Sequence {
    tolerance: f64,
    in_A: Vec<bool>,
    in_B: Vec<bool>,
    closed: Vec<bool>,
    /// U and W as the smooth part saw them.
    U: Vec<f64>,
    W: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    row: Vec<f64>,
    members: Vec<usize>,
    lu: SmallLu,
    rhs: Vec<f64>,
}

/// One of the two conditions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Position,
    Velocity,
}

impl Sequence {
    /// For n coordinates and m contacts.
    pub fn new(n: usize, m: usize, options: SolverOptions) -> Self {
        let zero = || vec![0.0; n];
        Self {
            // as for nonlinear models
            tolerance: (0.1 * options.tolerance).min(1e-11),
            in_A: vec![false; m],
            in_B: vec![false; m],
            closed: vec![false; m],
            U: zero(),
            W: zero(),
            q: zero(),
            v: zero(),
            row: zero(),
            members: Vec::new(),
            lu: SmallLu::default(),
            rhs: Vec::new(),
        }
    }
}

impl LinearGgl {
    /// Iterates from v̇ = 0 without multipliers; false when it does not converge, or is not asked for. `free` is
    /// ‖F⁺ − K q_p − C v_p‖.
    pub(super) fn sequence(&mut self, state: &State, h: f64, free: f64, info: &mut StepInfo) -> bool {
        let Some(mut s) = self.sequence.take() else { return false };
        let converged = self.iterate(&mut s, state, h, free, info);
        self.sequence = Some(s);
        converged
    }

    fn iterate(&mut self, s: &mut Sequence, state: &State, h: f64, free: f64, info: &mut StepInfo) -> bool {
        let t = state.t + h;
        self.x.clear();
        let smooth = &mut self.smooth;
        for zeroed in [&mut smooth.vd, &mut smooth.U, &mut smooth.W] {
            zeroed.fill(0.0);
        }
        smooth.qt.copy_from_slice(&smooth.q_p);
        smooth.vt.copy_from_slice(&smooth.v_p);
        info.solves = 1;
        for iteration in 0..=ITERATIONS {
            self.choose_A(s, t);
            self.choose_B(s, h, t);
            let first = (iteration == 0).then_some(h * free);
            let (worst, met) = self.left(s, state, h, first);
            if met {
                (info.iterations, info.residual) = (iteration, worst);
                self.list(s);
                return true;
            }
            if iteration == ITERATIONS || !worst.is_finite() {
                break;
            }

            // smooth part
            self.smooth.place(&self.x, h);
            s.U.copy_from_slice(&self.smooth.U);
            s.W.copy_from_slice(&self.smooth.W);

            // positions: ν on A, and hΛ off it in the modified condition
            self.choose_A(s, t);
            for j in 0..self.x.nu.len() {
                self.x.nu[j] = if s.in_A[j] { 0.0 } else { self.shared(h, j) };
            }
            self.correct(Level::Position);
            if !self.close(s, Level::Position, t) {
                break;
            }
            self.correct(Level::Position);

            // velocities
            self.choose_B(s, h, t);
            self.x.La.fill(0.0);
            self.correct(Level::Velocity);
            if !self.close(s, Level::Velocity, t) {
                break;
            }
            self.correct(Level::Velocity);
            for j in 0..self.x.mu.len() {
                self.x.mu[j] = self.x.nu[j] - self.shared(h, j);
            }
        }
        false
    }

    /// The part of ν_j that the modified condition takes from Λ_j.
    fn shared(&self, h: f64, j: usize) -> f64 {
        match self.variant {
            GglVariant::Ggl => 0.0,
            GglVariant::ModifiedLcp { theta } => theta * h * self.x.La[j],
        }
    }

    /// U(v) + ê U_n of contact j at the present iterate.
    fn law(&self, j: usize, t: f64) -> f64 {
        let (model, smooth) = (&self.smooth.model, &self.smooth);
        let u = model.gap_rate(j, &smooth.vt, t) + model.G().column_dot(j, &smooth.W);
        u + restitution(self.hold, self.u_n[j], model.contacts()[j].restitution) * self.u_n[j]
    }

    fn choose_A(&mut self, s: &mut Sequence, t: f64) {
        for j in 0..self.x.mu.len() {
            s.in_A[j] = self.x.mu[j] * self.smooth.mobility(j) - self.smooth.gap(j, t) >= 0.0;
            if s.in_A[j] {
                self.smooth.ensure(j);
            }
        }
    }

    fn choose_B(&mut self, s: &mut Sequence, h: f64, t: f64) {
        for j in 0..self.x.La.len() {
            s.closed[j] = self.is_closed(j, h, t);
            s.in_B[j] = s.closed[j] && self.x.La[j] * self.smooth.mobility(j) - self.law(j, t) >= 0.0;
            if s.in_B[j] {
                self.smooth.ensure(j);
            }
        }
    }

    /// U ← Yν or W ← YΛ.
    fn correct(&mut self, level: Level) {
        let mut sum = std::mem::take(if level == Level::Position { &mut self.smooth.U } else { &mut self.smooth.W });
        let multipliers = if level == Level::Position { &self.x.nu } else { &self.x.La };
        sum.fill(0.0);
        for (j, &multiplier) in multipliers.iter().enumerate() {
            if multiplier != 0.0
                && let Some(columns) = self.smooth.columns(j)
            {
                vector::axpy(multiplier, &columns.Y, &mut sum);
            }
        }
        *(if level == Level::Position { &mut self.smooth.U } else { &mut self.smooth.W }) = sum;
    }

    /// Adds the multipliers of A (or B) that bring what is left of their conditions to zero; false when they are dependent.
    fn close(&mut self, s: &mut Sequence, level: Level, t: f64) -> bool {
        let set = if level == Level::Position { &s.in_A } else { &s.in_B };
        s.members.clear();
        s.members.extend((0..set.len()).filter(|&j| set[j]));
        s.rhs.clear();
        for &j in &s.members {
            s.rhs.push(if level == Level::Position { -self.smooth.gap(j, t) } else { -self.law(j, t) });
        }
        let size = s.members.len();
        if size == 0 {
            return true;
        }
        let A = s.lu.reset(size);
        for (b, &j) in s.members.iter().enumerate() {
            let columns = self.smooth.made(j);
            for (a, &i) in s.members.iter().enumerate() {
                A[a + b * size] = self.smooth.model.G().column_dot(i, &columns.Y);
            }
        }
        if !s.lu.factorise() {
            return false;
        }
        s.lu.solve(&mut s.rhs);
        let multipliers = if level == Level::Position { &mut self.x.nu } else { &mut self.x.La };
        s.members.iter().zip(&s.rhs).for_each(|(&j, x)| multipliers[j] += x);
        s.rhs.iter().all(|x| x.is_finite())
    }

    /// The largest residual relative to the impulses and velocities of the step, and whether it is small; `first` stands for the
    /// momentum residual of the prediction, where nothing was solved yet.
    fn left(&mut self, s: &mut Sequence, state: &State, h: f64, first: Option<f64>) -> (f64, bool) {
        let t = state.t + h;
        let smooth = &self.smooth;
        let model = &*smooth.model;
        for i in 0..s.q.len() {
            s.q[i] = smooth.qt[i] + smooth.U[i];
            s.v[i] = smooth.vt[i] + smooth.W[i];
        }
        let size = |A: &Matrix, x: &[f64], row: &mut Vec<f64>| {
            row.fill(0.0);
            A.mul_add(1.0, x, row);
            vector::max_abs(row)
        };
        let inertia = size(model.mass(), &s.v, &mut s.row).max(h * size(model.mass(), &smooth.vd, &mut s.row));
        s.row.copy_from_slice(&smooth.load.next);
        model.stiffness().into_iter().for_each(|K| K.mul_add(-1.0, &s.q, &mut s.row));
        model.damping().into_iter().for_each(|C| C.mul_add(-1.0, &s.v, &mut s.row));
        let impulse = inertia.max(h * vector::max_abs(&s.row));

        // the smooth part saw other U and W
        let momentum = first.unwrap_or_else(|| {
            for i in 0..s.q.len() {
                s.U[i] = smooth.U[i] - s.U[i];
                s.W[i] = smooth.W[i] - s.W[i];
            }
            s.row.fill(0.0);
            model.stiffness().into_iter().for_each(|K| K.mul_add(h, &s.U, &mut s.row));
            model.damping().into_iter().for_each(|C| C.mul_add(h, &s.W, &mut s.row));
            vector::max_abs(&s.row)
        });
        let velocity = vector::max_abs(&s.v).max(vector::max_abs(&state.v)).max(h * vector::max_abs(&smooth.vd));
        let floor = 8.0 * f64::EPSILON * vector::max_abs(&s.q) / h;
        let mut conditions = 0.0_f64;
        for j in 0..self.x.nu.len() {
            let place = if s.in_A[j] { smooth.gap(j, t) } else { self.x.mu[j] * smooth.mobility(j) };
            let rate = if s.in_B[j] { self.law(j, t) } else { self.x.La[j] * smooth.mobility(j) };
            conditions = larger(larger(conditions, (place / h).abs()), rate.abs());
        }
        let worst = larger(over(momentum, impulse), over(conditions, velocity));
        let met = momentum <= s.tolerance * impulse && conditions <= (s.tolerance * velocity).max(floor);
        (worst, met)
    }

    /// The lists of the whole problem, as the step's records read them.
    fn list(&mut self, s: &Sequence) {
        self.closed.clear();
        self.closed.extend((0..self.x.La.len()).filter(|&j| s.closed[j]));
        self.x.mu.iter_mut().for_each(|x| *x = x.max(0.0));
        self.x.La.iter_mut().for_each(|x| *x = x.max(0.0));
    }
}
