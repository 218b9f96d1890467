//! Residuals, active sets and matrix of the GGL step.
//!
//! Unknowns x = [Δv̂, −hΔλ, ΔU/h, −Δν/h, ΔW, −ΔΛ], equations
//!
//!   r1 = h(M v̇ − f − g_bᵀλ)    r2 = g_b v̂    r3 = (M U − g_qᵀν)/h    r4 = g_j/h (j ∈ A), ν_j/h else
//!   r5 = M W − g_qᵀΛ           r6 = g_j v + ê_j u_n,j (j ∈ B), Λ_j else
//!
//!   A = {ν_j − r_j g_j(q) ≥ 0},   B = {closed, Λ_j − r_j (g_j v + ê_j u_n,j) ≥ 0},   r_j = 1/(g_q M⁻¹ g_qᵀ)_jj
//!
//! The penalty terms of the augmented Lagrangian, −r_j times a row's own residual beside its multiplier in r1, r3 and r5, add
//! r_j times the row to the matrix; the solution stays. With Δv̇ = (1−α_m)/((1−α_f)γh) Δv̂ and Δq = (hβ/γ)Δv̂ + ΔU. Rows of the matrix, b = β/γ:
//!
//!   1: [(1−α_m)/((1−α_f)γ) M + hC + b h²K_t,  g_bᵀ,  h²K_t, 0, hC, 0]
//!   2: [g_b + h b G_ss, 0, h G_ss, 0, 0, 0]
//!   3: [b G_p, 0, M + G_p, g_qᵀ, 0, 0]            4: A: [b g_q, 0, g_q, 0, 0, 0], else −1 on the diagonal
//!   5: [h b G_v, 0, h G_v, 0, M, g_qᵀ]            6: B: [g_q + h b G_sv, 0, h G_sv, 0, g_q, 0], else −1 on the diagonal

use crate::NewmarkLike;
use crate::newton::evaluation::{Evaluation, mul_add};
use crate::newton::system::{NewtonSystem, effective_masses, larger, over};
use crate::schemes::ggl::conditions::{ClosedAt, GglVariant, restitution, touches};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::Lagrangian;

/// What steers the iterations and leaves the solution as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numerics {
    /// r over the mass a constraint sees.
    pub r: f64,
    /// Whether residuals carry the penalty terms of the augmented Lagrangian.
    pub augmented: bool,
    /// Tolerances of the smooth, position and velocity parts, where they are asked for one by one.
    pub tolerances: [Option<f64>; 3],
}

impl Default for Numerics {
    fn default() -> Self {
        Self { r: 1.0, augmented: false, tolerances: [None; 3] }
    }
}

/// What does not change during the iterations of a step.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub model: &'a dyn Lagrangian,
    pub p: NewmarkLike,
    pub variant: GglVariant,
    /// The hold rule: closed also where ν > 0, u_n with the new gradient, ê = 1 for opening contacts.
    pub hold: bool,
    pub h: f64,
    /// t_{n+1}.
    pub t: f64,
    pub v_n: &'a [f64],
    pub closed_at: ClosedAt,
    pub numerics: Numerics,
    /// The common tolerance over that of each part.
    pub weights: [f64; 3],
    /// h(1−θ)μ_n of each constraint in the modified condition.
    pub carried: &'a [f64],
}

impl Setting<'_> {
    fn n(&self) -> usize {
        self.model.n()
    }
    /// Number of joints.
    pub fn nb(&self) -> usize {
        self.model.n_joints()
    }
    /// Number of joints and contacts.
    pub fn nc(&self) -> usize {
        self.nb() + self.model.restitutions().len()
    }
    // where the blocks begin
    fn at_U(&self) -> usize {
        self.n() + self.nb()
    }
    fn at_nu(&self) -> usize {
        self.at_U() + self.n()
    }
    fn at_W(&self) -> usize {
        self.at_nu() + self.nc()
    }
    fn at_La(&self) -> usize {
        self.at_W() + self.n()
    }
    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.at_La() + self.nc()
    }
    /// Where U, ν, W and Λ begin.
    pub fn blocks(&self) -> (usize, usize, usize, usize) {
        (self.at_U(), self.at_nu(), self.at_W(), self.at_La())
    }
    /// Change of a gap over h by the increment x.
    pub fn gap_change(&self, row: &[f64], x: &[f64]) -> f64 {
        let (n, at_U) = (self.n(), self.at_U());
        self.p.beta / self.p.gamma * vector::dot(row, &x[..n]) + vector::dot(row, &x[at_U..at_U + n])
    }
    /// The constraint behind unknown i if it is a contact multiplier, and whether it is a Λ.
    pub fn contact_of(&self, i: usize) -> Option<(usize, bool)> {
        let nb = self.nb();
        if i >= self.at_La() + nb {
            Some((i - self.at_La(), true))
        } else if (self.at_nu() + nb..self.at_W()).contains(&i) {
            Some((i - self.at_nu(), false))
        } else {
            None
        }
    }
    /// The joint behind unknown i if it is a joint multiplier of any level.
    pub fn joint_of(&self, i: usize) -> Option<usize> {
        let nb = self.nb();
        [self.n(), self.at_nu(), self.at_La()].iter().find_map(|&at| (at..at + nb).contains(&i).then(|| i - at))
    }
    /// Where −ΔΛ_j stands.
    pub fn place_of_La(&self, j: usize) -> usize {
        self.at_La() + j
    }
    /// ν_j/h or Λ_j of the contact multiplier at place i.
    pub fn multiplier(&self, x: &Iterate, i: usize) -> f64 {
        match self.contact_of(i) {
            Some((j, true)) => x.La[j],
            Some((j, false)) => x.nu[j] / self.h,
            None => 0.0,
        }
    }
}

/// The unknowns of a step.
#[derive(Debug, Default)]
pub struct Iterate {
    /// v̇, the smooth acceleration.
    pub vd: Vec<f64>,
    /// λ of the joints.
    pub lt: Vec<f64>,
    pub U: Vec<f64>,
    pub nu: Vec<f64>,
    pub W: Vec<f64>,
    pub La: Vec<f64>,
    pub q: Vec<f64>,
    /// v̂.
    pub vt: Vec<f64>,
    pub v: Vec<f64>,
}

impl Iterate {
    /// Zero, of the sizes of a model.
    pub fn new(n: usize, nb: usize, nc: usize) -> Self {
        let zero = |k| vec![0.0; k];
        Self {
            vd: zero(n),
            lt: zero(nb),
            U: zero(n),
            nu: zero(nc),
            W: zero(n),
            La: zero(nc),
            q: zero(n),
            vt: zero(n),
            v: zero(n),
        }
    }

    /// Adds the Newton increment.
    pub fn update(&mut self, s: &Setting, x: &[f64]) {
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, .. } = s.p;
        let rate = (1.0 - alpha_m) / ((1.0 - alpha_f) * gamma * s.h);
        let (U, nu, W, La) = (s.at_U(), s.at_nu(), s.at_W(), s.at_La());
        for i in 0..s.n() {
            let (dv, dU) = (x[i], s.h * x[U + i]);
            self.vt[i] += dv;
            self.vd[i] += rate * dv;
            self.U[i] += dU;
            self.W[i] += x[W + i];
            self.q[i] += s.h * beta / gamma * dv + dU;
            self.v[i] = self.vt[i] + self.W[i];
        }
        for j in 0..s.nb() {
            self.lt[j] -= x[s.n() + j] / s.h;
        }
        for j in 0..s.nc() {
            self.nu[j] -= s.h * x[nu + j];
            self.La[j] -= x[La + j];
        }
    }
}

/// Evaluations, active sets and buffers of the iterations.
#[derive(Debug)]
pub struct GglNewton {
    pub at: Evaluation,
    pub system: NewtonSystem,
    part: NewtonSystem,
    /// q̂ = q − U.
    pub qt: Vec<f64>,
    /// r_j.
    pub r: Vec<f64>,
    /// g_j(q_n) v_n, or g_j(q_{n+1}) v_n under `hold`.
    pub u_n: Vec<f64>,
    pub e_hat: Vec<f64>,
    /// g_j(q̂) ≤ 0 to round-off (or ν_j > 0 under `hold`).
    pub closed: Vec<bool>,
    /// g_j at the place known before the step, where it is asked there.
    pub g_ahead: Vec<f64>,
    pub in_A: Vec<bool>,
    pub in_B: Vec<bool>,
    residual: Vec<f64>,
    Kt: DenseMatrix,
    Gp: DenseMatrix,
    Gv: DenseMatrix,
    hessian: DenseMatrix,
    row: Vec<f64>,
}

impl GglNewton {
    /// Buffers for a model.
    pub fn new(model: &dyn Lagrangian) -> Self {
        let at = Evaluation::new(model);
        let (n, nc) = (model.n(), at.g.len());
        let square = || DenseMatrix::zeros(n, n);
        Self {
            at,
            system: NewtonSystem::default(),
            part: NewtonSystem::default(),
            qt: vec![0.0; n],
            r: vec![0.0; nc],
            u_n: vec![0.0; nc],
            e_hat: vec![0.0; nc],
            closed: vec![false; nc],
            g_ahead: vec![0.0; nc],
            in_A: vec![false; nc],
            in_B: vec![false; nc],
            residual: Vec::new(),
            Kt: square(),
            Gp: square(),
            Gv: square(),
            hessian: square(),
            row: vec![0.0; n],
        }
    }

    /// Evaluates the model at the iterate.
    pub fn evaluate(&mut self, s: &Setting, x: &Iterate) {
        self.at.dynamics(s.model, &x.q, &x.v, s.t);
        self.at.constraints(s.model, &x.q, s.t);
    }

    /// r_j = 1/(g_q M⁻¹ g_qᵀ)_jj; false when mass and joints leave some motion without inertia.
    pub fn scale_multipliers(&mut self, s: &Setting) -> bool {
        effective_masses(&self.at, s.nb(), &mut self.system, &mut self.r)
    }

    /// Active sets at the evaluated iterate; `relax` shrinks r_j on the ladder of fallbacks.
    pub fn choose_sets(&mut self, s: &Setting, x: &Iterate, relax: f64) {
        let nb = s.nb();
        for i in 0..s.n() {
            self.qt[i] = x.q[i] - x.U[i];
        }
        for j in 0..s.nc() {
            if j < nb {
                (self.in_A[j], self.in_B[j], self.closed[j]) = (true, true, true);
                continue;
            }
            let row = self.at.G.column(j);
            if s.hold {
                self.u_n[j] = vector::dot(row, s.v_n);
            }
            self.e_hat[j] = restitution(s.hold, self.u_n[j], s.model.restitutions()[j - nb]);
            let r = relax * self.r[j];
            self.in_A[j] = position_force(s, x, j) - r * self.at.g[j] >= 0.0;
            // ν of an open contact may be round-off above zero: in A it is not
            let held = s.hold && self.in_A[j] && x.nu[j] > 0.0;
            let gap = match s.closed_at {
                ClosedAt::Smooth => s.model.constraint(j, &self.qt),
                ClosedAt::Start | ClosedAt::Ahead => self.g_ahead[j],
                ClosedAt::End(tolerance) => self.at.g[j] - tolerance,
            };
            self.closed[j] = touches(gap, self.u_n[j], s.h) || held;
            let u = vector::dot(row, &x.v) + self.e_hat[j] * self.u_n[j];
            self.in_B[j] = self.closed[j] && x.La[j] - r * u >= 0.0;
        }
    }

    /// Fills r1 … r6 and returns the largest of (r1, r3, r5) and of (r2, r4, r6).
    pub fn residuals(&mut self, s: &Setting, x: &Iterate) -> (f64, f64) {
        let (n, nb, nc, h) = (s.n(), s.nb(), s.nc(), s.h);
        let (U, nu, W, La) = (s.at_U(), s.at_nu(), s.at_W(), s.at_La());
        let r = &mut self.residual;
        r.clear();
        r.resize(s.size(), 0.0);
        mul_add(&self.at.M, h, &x.vd, &mut r[..n]);
        vector::axpy(-h, &self.at.f, &mut r[..n]);
        mul_add(&self.at.M, 1.0 / h, &x.U, &mut r[U..U + n]);
        mul_add(&self.at.M, 1.0, &x.W, &mut r[W..W + n]);
        for j in 0..nc {
            let column = self.at.G.column(j);
            if j < nb {
                vector::axpy(-h * x.lt[j], column, &mut r[..n]);
                r[n + j] = vector::dot(column, &x.vt);
            }
            vector::axpy(-x.nu[j] / h, column, &mut r[U..U + n]);
            vector::axpy(-x.La[j], column, &mut r[W..W + n]);
            r[nu + j] = if self.in_A[j] { self.at.g[j] / h } else { position_force(s, x, j) / h };
            r[La + j] = if self.in_B[j] { vector::dot(column, &x.v) + self.e_hat[j] * self.u_n[j] } else { x.La[j] };
        }
        // each part by its own tolerance
        let [smooth, position, velocity] = s.weights;
        let momentum = larger(smooth * vector::max_abs(&r[..n]), position * vector::max_abs(&r[U..U + n]));
        let momentum = larger(momentum, velocity * vector::max_abs(&r[W..W + n]));
        // a multiplier that should vanish counts by the velocity it would give
        let mut conditions = smooth * vector::max_abs(&r[n..U]);
        for j in 0..nc {
            let as_velocity = |active: bool, x: f64, mass: f64| if active { x.abs() } else { over(x.abs(), mass) };
            conditions = larger(conditions, position * as_velocity(self.in_A[j], r[nu + j], self.r[j]));
            conditions = larger(conditions, velocity * as_velocity(self.in_B[j], r[La + j], self.r[j]));
        }
        if s.numerics.augmented {
            self.penalise(s);
        }
        (momentum, conditions)
    }

    /// r1, r3 and r5 with r_j times the residual of each active row beside its multiplier.
    fn penalise(&mut self, s: &Setting) {
        let (n, nb) = (s.n(), s.nb());
        let r = &mut self.residual;
        for j in 0..s.nc() {
            let (column, mass) = (self.at.G.column(j), s.numerics.r * self.r[j]);
            let rows =
                [(j < nb, n + j, 0), (self.in_A[j], s.at_nu() + j, s.at_U()), (self.in_B[j], s.at_La() + j, s.at_W())];
            for (_, row, at) in rows.into_iter().filter(|(active, ..)| *active) {
                let x = mass * r[row];
                vector::axpy(x, column, &mut r[at..at + n]);
            }
        }
    }

    /// The same in the matrix.
    fn penalise_matrix(&mut self, s: &Setting) {
        let (n, nb, size) = (s.n(), s.nb(), s.size());
        for j in 0..s.nc() {
            let (column, mass) = (self.at.G.column(j), s.numerics.r * self.r[j]);
            let rows =
                [(j < nb, n + j, 0), (self.in_A[j], s.at_nu() + j, s.at_U()), (self.in_B[j], s.at_La() + j, s.at_W())];
            for (_, row, at) in rows.into_iter().filter(|(active, ..)| *active) {
                for k in 0..size {
                    let x = self.system.entry(row, k);
                    if x != 0.0 {
                        self.system.add_column(at, k, mass * x, column);
                    }
                }
            }
        }
    }

    /// Whether nothing is constrained and no multiplier is left: only the smooth unknowns then move.
    pub fn is_free(&self, s: &Setting, x: &Iterate) -> bool {
        let zero = |part: &[f64]| part.iter().all(|&y| y == 0.0);
        s.nb() == 0
            && !self.in_A.iter().chain(&self.in_B).any(|&active| active)
            && zero(&x.nu)
            && zero(&x.La)
            && zero(&x.U)
            && zero(&x.W)
    }

    /// Solves row 1 alone for Δv̂, all other increments being zero; false when its matrix is singular.
    pub fn solve_free(&mut self, s: &Setting, x: &Iterate) -> bool {
        let (n, h) = (s.n(), s.h);
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, .. } = s.p;
        self.at.tangents(s.model, &x.q, &x.v, s.t);
        if !s.model.mass_is_constant() {
            s.model.mass_tangent(&x.q, &x.vd, &mut self.at.K);
        }
        let T = &mut self.system;
        T.clear(n);
        T.add_block(0, 0, (1.0 - alpha_m) / ((1.0 - alpha_f) * gamma), &self.at.M);
        if self.at.damped {
            T.add_block(0, 0, h, &self.at.C);
        }
        T.add_block(0, 0, beta / gamma * h * h, &self.at.K);
        for (x, r) in T.x.iter_mut().zip(&self.residual) {
            *x = -r;
        }
        if !(T.factorise() && T.solve()) {
            return false;
        }
        T.x.resize(s.size(), 0.0);
        true
    }

    /// The matrix at the evaluated iterate and sets; the right-hand side is −r.
    pub fn assemble(&mut self, s: &Setting, x: &Iterate) {
        let (n, nb, nc, h) = (s.n(), s.nb(), s.nc(), s.h);
        let (at_U, at_nu, at_W, at_La) = (s.at_U(), s.at_nu(), s.at_W(), s.at_La());
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, .. } = s.p;
        let b = beta / gamma;
        self.at.tangents(s.model, &x.q, &x.v, s.t);
        for A in [&mut self.Kt, &mut self.Gp, &mut self.Gv] {
            A.values_mut().fill(0.0);
        }
        if !s.model.mass_is_constant() {
            s.model.mass_tangent(&x.q, &x.vd, &mut self.Kt);
            s.model.mass_tangent(&x.q, &x.U, &mut self.Gp);
            s.model.mass_tangent(&x.q, &x.W, &mut self.Gv);
        }
        let T = &mut self.system;
        T.clear(s.size());

        // constraints one by one
        for j in 0..nc {
            let column = self.at.G.column(j);
            self.hessian.values_mut().fill(0.0);
            s.model.hessian(j, &x.q, 1.0, &mut self.hessian);
            if j < nb {
                vector::axpy(-x.lt[j], self.hessian.values(), self.Kt.values_mut());
                T.add_column(0, n + j, 1.0, column);
                self.row.fill(0.0);
                mul_add(&self.hessian, 1.0, &x.vt, &mut self.row);
                T.add_row(n + j, 0, 1.0, column);
                T.add_row(n + j, 0, h * b, &self.row);
                T.add_row(n + j, at_U, h, &self.row);
            }
            vector::axpy(-x.nu[j], self.hessian.values(), self.Gp.values_mut());
            vector::axpy(-x.La[j], self.hessian.values(), self.Gv.values_mut());
            T.add_column(at_U, at_nu + j, 1.0, column);
            T.add_column(at_W, at_La + j, 1.0, column);
            if self.in_A[j] {
                T.add_row(at_nu + j, 0, b, column);
                T.add_row(at_nu + j, at_U, 1.0, column);
            } else {
                T.add(at_nu + j, at_nu + j, -1.0);
                if s.variant.is_mixed() {
                    T.add(at_nu + j, at_La + j, s.variant.share());
                }
            }
            if self.in_B[j] {
                self.row.fill(0.0);
                mul_add(&self.hessian, 1.0, &x.v, &mut self.row);
                if s.hold {
                    mul_add(&self.hessian, self.e_hat[j], s.v_n, &mut self.row);
                }
                T.add_row(at_La + j, 0, 1.0, column);
                T.add_row(at_La + j, 0, h * b, &self.row);
                T.add_row(at_La + j, at_U, h, &self.row);
                T.add_row(at_La + j, at_W, 1.0, column);
            } else {
                T.add(at_La + j, at_La + j, -1.0);
            }
        }
        vector::axpy(1.0, self.at.K.values(), self.Kt.values_mut());

        // momentum balances
        T.add_block(0, 0, (1.0 - alpha_m) / ((1.0 - alpha_f) * gamma), &self.at.M);
        T.add_block(0, 0, h, &self.at.C);
        T.add_block(0, 0, b * h * h, &self.Kt);
        T.add_block(0, at_U, h * h, &self.Kt);
        T.add_block(0, at_W, h, &self.at.C);
        T.add_block(at_U, 0, b, &self.Gp);
        T.add_block(at_U, at_U, 1.0, &self.at.M);
        T.add_block(at_U, at_U, 1.0, &self.Gp);
        T.add_block(at_W, 0, h * b, &self.Gv);
        T.add_block(at_W, at_U, h, &self.Gv);
        T.add_block(at_W, at_W, 1.0, &self.at.M);
        for (x, r) in T.x.iter_mut().zip(&self.residual) {
            *x = -r;
        }
        if s.numerics.augmented {
            self.penalise_matrix(s);
        }
    }

    /// Solves the diagonal block of one of the three parts (0: smooth, 1: position, 2: velocity) and leaves the increment,
    /// zero elsewhere, in `system.x`; false when the block is singular.
    pub fn solve_part(&mut self, s: &Setting, x: &Iterate, part: usize) -> bool {
        self.assemble(s, x);
        let (start, end) = [(0, s.at_U()), (s.at_U(), s.at_W()), (s.at_W(), s.size())][part];
        let k = end - start;
        self.part.clear(k);
        for j in 0..k {
            for i in 0..k {
                self.part.add(i, j, self.system.entry(start + i, start + j));
            }
            self.part.x[j] = self.system.x[start + j];
        }
        if !(self.part.factorise() && self.part.solve()) {
            return false;
        }
        self.system.x.fill(0.0);
        self.system.x[start..end].copy_from_slice(&self.part.x);
        true
    }

    /// The residual vector r1 … r6.
    pub fn residual(&self) -> &[f64] {
        &self.residual
    }
}

/// ν_j, or ν_j − hθΛ_j − h(1−θ)μ_n,j in the modified condition.
#[inline]
fn position_force(s: &Setting, x: &Iterate, j: usize) -> f64 {
    match s.variant {
        GglVariant::ModifiedLcp { theta } if j >= s.nb() => x.nu[j] - theta * s.h * x.La[j] - s.carried[j],
        GglVariant::Ggl | GglVariant::ModifiedLcp { .. } => x.nu[j],
    }
}

#[cfg(test)]
#[path = "newton_test.rs"]
mod test;
