//! The smooth part of a GGL step on a linear model, affine in the multipliers.
//!
//! With Y = M⁻¹H, κ = hγ(1−α_f)/(1−α_m), κ_q = (hβ/γ)κ and S = M + κC + κ_q K a multiplier that moves q by U and v by W gives
//!
//!   v̇ = S⁻¹(F⁺ − K q_p − C v_p) − S⁻¹(K U + C W)
//!   q̂ = q_p + κ_q v̇,  q = q̂ + U,    v̂ = v_p + κ v̇,  v = v̂ + W

use crate::contact::response::keep_few;
use crate::linear::factorised::factorised;
use crate::linear::load::Load;
use crate::linear::mass::mass_factor;
use crate::newton::system::predict;
use crate::{Memory, NewmarkLike, State, StepFailure};
use percussion_matrix::{ConstrainedFactor, Matrix, vector};
use percussion_model::LinearModel;
use std::ops::Range;
use std::sync::Arc;

/// Multipliers by contact.
#[derive(Debug)]
pub struct Multipliers {
    /// ν: what moves q along the normal [kg·m].
    pub nu: Vec<f64>,
    /// ν, or ν − hΛ in the modified condition: what is complementary to the gap.
    pub mu: Vec<f64>,
    /// Λ, the normal impulse [N·s].
    pub La: Vec<f64>,
    /// p_T; it moves v by M⁻¹T p_T and q by (h/2) M⁻¹T p_T, without which a stuck contact would creep at (h/2) times its load.
    pub p_t: Vec<[f64; 2]>,
}

impl Multipliers {
    /// Zero, for m contacts.
    pub fn new(m: usize) -> Self {
        let zero = || vec![0.0; m];
        Self { nu: zero(), mu: zero(), La: zero(), p_t: vec![[0.0; 2]; m] }
    }

    /// Back to zero.
    pub fn clear(&mut self) {
        for list in [&mut self.nu, &mut self.mu, &mut self.La] {
            list.fill(0.0);
        }
        self.p_t.fill([0.0; 2]);
    }
}

/// What unit multipliers along one column of H do.
#[derive(Debug)]
pub struct Columns {
    /// Y = M⁻¹H_c.
    pub Y: Vec<f64>,
    /// S⁻¹K Y, empty without stiffness.
    pub B_K: Vec<f64>,
    /// S⁻¹C Y, empty without damping.
    pub B_C: Vec<f64>,
}

struct Operators {
    h: f64,
    factor: ConstrainedFactor,
    columns: Vec<Option<Box<Columns>>>,
}

/// The smooth part with its vectors.
pub struct SmoothLinear {
    pub model: Arc<LinearModel>,
    pub p: NewmarkLike,
    pub load: Load,
    pub mass: ConstrainedFactor,
    operators: Vec<Operators>,
    /// The operators of the present step.
    k: usize,
    pub q_p: Vec<f64>,
    pub v_p: Vec<f64>,
    /// v̇ without multipliers.
    vd_free: Vec<f64>,
    pub vd: Vec<f64>,
    /// q̂ and v̂.
    pub qt: Vec<f64>,
    pub vt: Vec<f64>,
    pub U: Vec<f64>,
    pub W: Vec<f64>,
}

impl SmoothLinear {
    /// For a model.
    pub fn new(model: Arc<LinearModel>, p: NewmarkLike) -> Self {
        let zero = || vec![0.0; model.n()];
        Self {
            p,
            load: Load::new(&model),
            mass: mass_factor(&model),
            operators: Vec::new(),
            k: 0,
            q_p: zero(),
            v_p: zero(),
            vd_free: zero(),
            vd: zero(),
            qt: zero(),
            vt: zero(),
            U: zero(),
            W: zero(),
            model,
        }
    }

    /// κ and κ_q: Δv̂ = κ Δv̇, Δq̂ = κ_q Δv̇.
    pub fn weights(&self, h: f64) -> (f64, f64) {
        let share = (1.0 - self.p.alpha_f) / (1.0 - self.p.alpha_m);
        (h * self.p.gamma * share, h * h * self.p.beta * share)
    }

    /// Takes the operators of this step length.
    fn choose_operators(&mut self, t: f64, h: f64) -> Result<(), StepFailure> {
        if let Some(k) = self.operators.iter().position(|o| o.h == h) {
            self.k = k;
            return Ok(());
        }
        let (kappa, kappa_q) = self.weights(h);
        let mut terms = vec![(1.0, self.model.mass())];
        terms.extend(self.model.damping().map(|C| (kappa, C)));
        terms.extend(self.model.stiffness().map(|K| (kappa_q, K)));
        let similar = self.operators.last().map(|o| &o.factor);
        let factor =
            factorised(&self.model, &terms, similar, 1).map_err(|failure| StepFailure::singular(t, h, failure.row))?;
        keep_few(&mut self.operators);
        let columns = (0..self.model.H().n_cols()).map(|_| None).collect();
        self.operators.push(Operators { h, factor, columns });
        self.k = self.operators.len() - 1;
        Ok(())
    }

    /// Prediction and acceleration without multipliers; gives ‖F⁺ − K q_p − C v_p‖.
    pub fn predict(&mut self, state: &State, memory: &Memory, h: f64) -> Result<f64, StepFailure> {
        self.choose_operators(state.t, h)?;
        predict(&self.p, state, memory, h, &mut self.v_p, &mut self.q_p);
        self.load.evaluate(&self.model, state.t, h);
        self.vd_free.copy_from_slice(&self.load.next);
        if let Some(K) = self.model.stiffness() {
            K.mul_add(-1.0, &self.q_p, &mut self.vd_free);
        }
        if let Some(C) = self.model.damping() {
            C.mul_add(-1.0, &self.v_p, &mut self.vd_free);
        }
        let force = vector::max_abs(&self.vd_free);
        self.operators[self.k].factor.solve(&mut self.vd_free);
        match self.vd_free.iter().position(|x| !x.is_finite()) {
            Some(i) => Err(StepFailure::not_finite(state.t, h, i)),
            None => Ok(force),
        }
    }

    /// The tangents of contact j that have friction, as columns of H.
    pub fn tangents(&self, j: usize) -> Range<usize> {
        if self.model.contacts()[j].friction > 0.0 { self.model.tangent_columns(j) } else { 0..0 }
    }

    /// Makes the columns of contact j.
    pub fn ensure(&mut self, j: usize) {
        for c in std::iter::once(j).chain(self.tangents(j)) {
            if self.operators[self.k].columns[c].is_some() {
                continue;
            }
            let n = self.model.n();
            let mut Y = vec![0.0; n];
            self.model.H().add_column(c, 1.0, &mut Y);
            self.mass.solve(&mut Y);
            let factor = &mut self.operators[self.k].factor;
            let mut through = |A: Option<&Matrix>| {
                A.map_or(Vec::new(), |A| {
                    let mut x = vec![0.0; n];
                    A.mul_add(1.0, &Y, &mut x);
                    factor.solve(&mut x);
                    x
                })
            };
            let (B_K, B_C) = (through(self.model.stiffness()), through(self.model.damping()));
            self.operators[self.k].columns[c] = Some(Box::new(Columns { Y, B_K, B_C }));
        }
    }

    /// The columns of one direction, if they are made.
    #[inline]
    pub fn columns(&self, c: usize) -> Option<&Columns> {
        self.operators[self.k].columns[c].as_deref()
    }

    /// The same of a contact in a set, whose columns are made when it enters.
    #[inline]
    pub fn made(&self, c: usize) -> &Columns {
        self.columns(c).expect("made when its contact entered the set")
    }

    /// ∂U_j/∂Λ_j where the part θ of hΛ moves positions too: GᵀY − κ(θh GᵀS⁻¹KY + GᵀS⁻¹CY).
    pub fn mixed_mobility(&mut self, j: usize, theta: f64, (t, h): (f64, f64)) -> Result<f64, StepFailure> {
        self.choose_operators(t, h)?;
        self.ensure(j);
        let (kappa, _) = self.weights(h);
        let along = |x: &[f64]| if x.is_empty() { 0.0 } else { self.model.G().column_dot(j, x) };
        let c = self.made(j);
        Ok(along(&c.Y) - kappa * (theta * h * along(&c.B_K) + along(&c.B_C)))
    }

    /// (GᵀY)_jj, zero where the columns are not made.
    #[inline]
    pub fn mobility(&self, j: usize) -> f64 {
        self.columns(j).map_or(0.0, |c| self.model.G().column_dot(j, &c.Y))
    }

    /// v̇, q̂, v̂, U and W for these multipliers.
    pub fn place(&mut self, x: &Multipliers, h: f64) {
        let (kappa, kappa_q) = self.weights(h);
        self.vd.copy_from_slice(&self.vd_free);
        self.U.fill(0.0);
        self.W.fill(0.0);
        for j in 0..x.nu.len() {
            let along = self.tangents(j).zip(x.p_t[j]).map(|(c, p)| (c, 0.5 * h * p, p));
            for (c, in_q, in_v) in std::iter::once((j, x.nu[j], x.La[j])).chain(along) {
                if in_q == 0.0 && in_v == 0.0 {
                    continue;
                }
                let Some(columns) = &self.operators[self.k].columns[c] else { continue };
                if !columns.B_K.is_empty() {
                    vector::axpy(-in_q, &columns.B_K, &mut self.vd);
                }
                if !columns.B_C.is_empty() {
                    vector::axpy(-in_v, &columns.B_C, &mut self.vd);
                }
                vector::axpy(in_q, &columns.Y, &mut self.U);
                vector::axpy(in_v, &columns.Y, &mut self.W);
            }
        }
        for i in 0..self.vd.len() {
            self.qt[i] = self.q_p[i] + kappa_q * self.vd[i];
            self.vt[i] = self.v_p[i] + kappa * self.vd[i];
        }
    }

    /// H_cᵀq̂ without multipliers, and H_cᵀv̂.
    #[inline]
    pub fn free(&self, c: usize, (kappa, kappa_q): (f64, f64)) -> (f64, f64) {
        let H = self.model.H();
        let rate = H.column_dot(c, &self.vd_free);
        (H.column_dot(c, &self.q_p) + kappa_q * rate, H.column_dot(c, &self.v_p) + kappa * rate)
    }

    /// g(q) of contact j at the present iterate.
    #[inline]
    pub fn gap(&self, j: usize, t: f64) -> f64 {
        self.model.gap(j, &self.qt, t) + self.model.G().column_dot(j, &self.U)
    }

    /// Whether μ_j pushes: above zero, and by more than a gap that is open would leave of it as round-off.
    #[inline]
    pub fn pushes(&self, x: &Multipliers, j: usize, t: f64) -> bool {
        x.mu[j] > 0.0 && self.columns(j).is_some() && x.mu[j] * self.mobility(j) >= self.gap(j, t)
    }
}
