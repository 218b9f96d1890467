//! The sequential solution of a GGL step (Algorithm 1 of Brüls, Acary and Cardona 2014) on a linear model.
//!
//!   smooth:    v̇ = S⁻¹(F⁺ − K(q_p + U) − C(v_p + W))                      U, W of the last iteration
//!   position:  G_Aᵀ(q̂ + Yν) + w = 0 on A = {ν − r g(q) ≥ 0}, else ν = 0     q̂ of this one
//!   velocity:  G_Bᵀ(v̂ + YΛ) + ê U_n = 0 on B = {closed, Λ − r(U + ê U_n) ≥ 0}, else Λ = 0
//!
//! until all residuals are small with the sets at the iterate. Each part is linear, so only K Y ΔU and C Y ΔW are left over: the
//! iteration contracts as h²K and hC, 14 times a step for the 200-element bar where the problem for all at once needs one solve.

use crate::newton::system::{larger, over};
use crate::schemes::ggl::linear::LinearGgl;
use crate::schemes::ggl::newton::GglVariant;
use crate::{State, StepInfo};
use percussion_matrix::{SmallLu, vector};

/// Iterations after which the whole problem is solved at once instead.
const ITERATIONS: usize = 60;

/// Buffers of the iterations.
#[derive(Debug)]
pub struct Sequence {
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

impl Sequence {
    /// For n coordinates and m contacts.
    pub fn new(n: usize, m: usize) -> Self {
        let zero = || vec![0.0; n];
        Self {
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
    /// Iterates from v̇ = 0 without multipliers; false when it does not converge. `free` is ‖F⁺ − K q_p − C v_p‖.
    pub(crate) fn sequence(&mut self, k: usize, state: &State, h: f64, free: f64, info: &mut StepInfo) -> bool {
        let t = state.t + h;
        for zeroed in [&mut self.nu, &mut self.mu, &mut self.La, &mut self.vd, &mut self.U, &mut self.W] {
            zeroed.fill(0.0);
        }
        self.qt.copy_from_slice(&self.q_p);
        self.vt.copy_from_slice(&self.v_p);
        info.solves = 1;
        for iteration in 0..=ITERATIONS {
            self.choose_A(k, t);
            self.choose_B(k, t);
            let first = (iteration == 0).then_some(h * free);
            let (worst, met) = self.left(k, state, h, first);
            if met {
                (info.iterations, info.residual) = (iteration, worst);
                self.list();
                return true;
            }
            if iteration == ITERATIONS || !worst.is_finite() {
                break;
            }

            // smooth part
            self.place(k, h);
            self.sequence.U.copy_from_slice(&self.U);
            self.sequence.W.copy_from_slice(&self.W);

            // positions: ν on A, and hΛ off it in the modified condition
            self.choose_A(k, t);
            for j in 0..self.nu.len() {
                self.nu[j] = match self.variant {
                    _ if self.sequence.in_A[j] => 0.0,
                    GglVariant::Ggl => 0.0,
                    GglVariant::ModifiedLcp => h * self.La[j],
                };
            }
            self.correct(k, true);
            let gap = |s: &Self, j: usize| s.gap(j, t);
            if !self.close(k, true, gap) {
                break;
            }
            self.correct(k, true);

            // velocities
            self.choose_B(k, t);
            self.La.fill(0.0);
            self.correct(k, false);
            let law = |s: &Self, j: usize| s.law(j, t);
            if !self.close(k, false, law) {
                break;
            }
            self.correct(k, false);
            for j in 0..self.mu.len() {
                self.mu[j] = self.nu[j] - if self.variant == GglVariant::Ggl { 0.0 } else { h * self.La[j] };
            }
        }
        false
    }

    /// U(v) + ê U_n of contact j at the present iterate.
    fn law(&self, j: usize, t: f64) -> f64 {
        let u = self.model.gap_rate(j, &self.vt, t) + self.model.G().column_dot(j, &self.W);
        u + self.restitution(j) * self.u_n[j]
    }

    /// (GᵀY)_jj; only asked of contacts whose columns are made.
    fn mobility(&self, k: usize, j: usize) -> f64 {
        self.operators[k].columns[j].as_ref().map_or(0.0, |c| self.model.G().column_dot(j, &c.Y))
    }

    fn choose_A(&mut self, k: usize, t: f64) {
        for j in 0..self.mu.len() {
            let gap = self.gap(j, t);
            self.sequence.in_A[j] = self.mu[j] * self.mobility(k, j) - gap >= 0.0;
            if self.sequence.in_A[j] {
                self.ensure(k, j);
            }
        }
    }

    fn choose_B(&mut self, k: usize, t: f64) {
        for j in 0..self.La.len() {
            self.sequence.closed[j] = self.is_closed(k, j, t);
            let acts = self.sequence.closed[j] && self.La[j] * self.mobility(k, j) - self.law(j, t) >= 0.0;
            self.sequence.in_B[j] = acts;
            if acts {
                self.ensure(k, j);
            }
        }
    }

    /// U ← Yν or W ← YΛ.
    fn correct(&mut self, k: usize, position: bool) {
        let (x, multipliers) = if position { (&mut self.U, &self.nu) } else { (&mut self.W, &self.La) };
        x.fill(0.0);
        for (j, &multiplier) in multipliers.iter().enumerate() {
            if multiplier != 0.0
                && let Some(columns) = &self.operators[k].columns[j]
            {
                vector::axpy(multiplier, &columns.Y, x);
            }
        }
    }

    /// Adds the multipliers of A (or B) that bring what is `left` of their conditions to zero; false when they are dependent.
    fn close(&mut self, k: usize, position: bool, left: impl Fn(&Self, usize) -> f64) -> bool {
        let mut members = std::mem::take(&mut self.sequence.members);
        let mut rhs = std::mem::take(&mut self.sequence.rhs);
        members.clear();
        let set = if position { &self.sequence.in_A } else { &self.sequence.in_B };
        members.extend((0..set.len()).filter(|&j| set[j]));
        rhs.clear();
        rhs.extend(members.iter().map(|&j| -left(self, j)));
        let size = members.len();
        let A = self.sequence.lu.reset(size);
        for (b, &j) in members.iter().enumerate() {
            let columns = self.operators[k].columns[j].as_ref().expect("made when its contact entered the set");
            for (a, &i) in members.iter().enumerate() {
                A[a + b * size] = self.model.G().column_dot(i, &columns.Y);
            }
        }
        let solved = size == 0 || self.sequence.lu.factorise();
        if solved && size > 0 {
            self.sequence.lu.solve(&mut rhs);
            let multipliers = if position { &mut self.nu } else { &mut self.La };
            members.iter().zip(&rhs).for_each(|(&j, x)| multipliers[j] += x);
        }
        let finite = rhs.iter().all(|x| x.is_finite());
        (self.sequence.members, self.sequence.rhs) = (members, rhs);
        solved && finite
    }

    /// The largest residual relative to the impulses and velocities of the step, and whether it is small; `first` stands for the
    /// momentum residual of the prediction, where nothing was solved yet.
    fn left(&mut self, k: usize, state: &State, h: f64, first: Option<f64>) -> (f64, bool) {
        let t = state.t + h;
        let model = &*self.model;
        let s = &mut self.sequence;
        for i in 0..s.q.len() {
            s.q[i] = self.qt[i] + self.U[i];
            s.v[i] = self.vt[i] + self.W[i];
        }
        let size = |A: &percussion_matrix::Matrix, x: &[f64], row: &mut Vec<f64>| {
            row.fill(0.0);
            A.mul_add(1.0, x, row);
            vector::max_abs(row)
        };
        let inertia = size(model.mass(), &s.v, &mut s.row).max(h * size(model.mass(), &self.vd, &mut s.row));
        s.row.copy_from_slice(&self.load.next);
        model.stiffness().into_iter().for_each(|K| K.mul_add(-1.0, &s.q, &mut s.row));
        model.damping().into_iter().for_each(|C| C.mul_add(-1.0, &s.v, &mut s.row));
        let impulse = inertia.max(h * vector::max_abs(&s.row));

        // the smooth part saw other U and W
        let momentum = first.unwrap_or_else(|| {
            for i in 0..s.q.len() {
                s.U[i] = self.U[i] - s.U[i];
                s.W[i] = self.W[i] - s.W[i];
            }
            s.row.fill(0.0);
            model.stiffness().into_iter().for_each(|K| K.mul_add(h, &s.U, &mut s.row));
            model.damping().into_iter().for_each(|C| C.mul_add(h, &s.W, &mut s.row));
            vector::max_abs(&s.row)
        });
        let velocity = vector::max_abs(&s.v).max(vector::max_abs(&state.v)).max(h * vector::max_abs(&self.vd));
        let floor = 8.0 * f64::EPSILON * vector::max_abs(&s.q) / h;
        let mut conditions = 0.0_f64;
        for j in 0..self.nu.len() {
            let place = if self.sequence.in_A[j] { self.gap(j, t) } else { self.mu[j] * self.mobility(k, j) };
            let rate = if self.sequence.in_B[j] { self.law(j, t) } else { self.La[j] * self.mobility(k, j) };
            conditions = larger(larger(conditions, (place / h).abs()), rate.abs());
        }
        let worst = larger(over(momentum, impulse), over(conditions, velocity));
        let met = momentum <= self.tolerance * impulse && conditions <= (self.tolerance * velocity).max(floor);
        (worst, met)
    }

    /// The lists of the whole problem, as the step's records read them.
    fn list(&mut self) {
        self.closed.clear();
        self.closed.extend((0..self.La.len()).filter(|&j| self.sequence.closed[j]));
        self.mu.iter_mut().for_each(|x| *x = x.max(0.0));
        self.La.iter_mut().for_each(|x| *x = x.max(0.0));
    }
}
