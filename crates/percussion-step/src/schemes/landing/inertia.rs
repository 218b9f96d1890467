//! What the kinetic energy adds to a step of `landing` where the mass depends on q.
//!
//!   Δq = h D_p,   D_p = ½(M_k⁻¹ + M_{k+1}⁻¹) p_m,   p_m = ½(p_k + p),   p_k = M_k v_k,   p = M_{k+1} v₁
//!   D_T = the discrete gradient from q_k to q_{k+1} of T̄(q) = ¼ (p_kᵀM(q)⁻¹p_k + pᵀM(q)⁻¹p)
//!
//! T_{k+1} − T_k is ½(T(q_k, ·) + T(q_{k+1}, ·)) from p_k to p, plus ½(T(·, p_k) + T(·, p)) from q_k to q_{k+1}: the first is D_p·Δp because T is
//! quadratic in p, the second D_T·Δq. So D_p·Δp + D_T·Δq = ΔT exactly, and with v̂ := 2Δq/h − v_k for the unknown of the step
//!
//!   q_{k+1} = q_k + ½h(v_k + v̂),   p_m = B ½(v_k + v̂),   B = 2M_k(M_k + M_{k+1})⁻¹M_{k+1},   v₁ = M_{k+1}⁻¹(2p_m − p_k)
//!
//! Where the mass is constant B = M, D_T = 0 and v₁ = v̂: the midpoint rule. Derivatives, with T[x] = ∂(M(q)x)/∂q, a = M⁻¹p:
//!
//!   ∂p/∂v̂ = B + ½h B M_{k+1}⁻¹ T_{k+1}[M_{k+1}⁻¹p_m],   ∂D_T/∂p = −½ T[a]ᵀM⁻¹ in the middle

use crate::newton::evaluation::mul_add;
use crate::schemes::energy_momentum::discrete_gradient::{Between, Potential, Room, gonzalez};
use crate::schemes::energy_momentum::hamiltonian::{factorised, mass, mass_tangent, times, transposed};
use percussion_matrix::{DenseMatrix, SmallLu, vector};
use percussion_model::Lagrangian;

/// T̄ as a function of q.
pub struct Kinetic<'a> {
    pub model: &'a dyn Lagrangian,
    /// p_k and p.
    pub momenta: [&'a [f64]; 2],
}

impl Kinetic<'_> {
    /// M⁻¹p of both momenta; nothing where M is singular, which the step finds out by itself.
    fn velocities(&self, q: &[f64]) -> (Option<SmallLu>, [Vec<f64>; 2]) {
        let lu = factorised(&mass(self.model, q));
        let of = |p: &[f64]| {
            let mut a = p.to_vec();
            lu.iter().for_each(|lu| lu.solve(&mut a));
            a
        };
        let all = self.momenta.map(of);
        (lu, all)
    }
}

impl Potential for Kinetic<'_> {
    fn value(&self, q: &[f64]) -> f64 {
        let (_, a) = self.velocities(q);
        a.iter().zip(self.momenta).map(|(a, p)| 0.25 * vector::dot(a, p)).sum()
    }

    fn gradient(&self, q: &[f64], d: &mut [f64]) {
        for a in self.velocities(q).1 {
            vector::axpy(-0.25, &transposed(&mass_tangent(self.model, q, &a), &a), d);
        }
    }

    /// ½ Σ (T[a]ᵀM⁻¹T[a] − ∂²(½aᵀMa)/∂q²), the last where the model has it: without, Newton's matrix misses a part of order h².
    fn hessian(&self, q: &[f64], H: &mut DenseMatrix) {
        let (lu, all) = self.velocities(q);
        for a in all {
            let T = mass_tangent(self.model, q, &a);
            let mut turning = DenseMatrix::zeros(a.len(), a.len());
            if let Some(second) = self.model.second_derivatives() {
                second.mass_hessian(q, &a, &mut turning);
            }
            for j in 0..a.len() {
                let mut solved = T.column(j).to_vec();
                lu.iter().for_each(|lu| lu.solve(&mut solved));
                for i in 0..a.len() {
                    H.set(i, j, H.get(i, j) + 0.5 * (vector::dot(T.column(i), &solved) - turning.get(i, j)));
                }
            }
        }
    }
}

/// M_k + M_{k+1}, M in the middle and M_{k+1}, factorised.
#[derive(Debug)]
struct Factors {
    sum: SmallLu,
    middle: SmallLu,
    end: SmallLu,
}

/// Mass and momenta of a step.
#[derive(Debug)]
pub struct Inertia {
    /// Whether the mass depends on q; all three are M where it does not.
    varies: bool,
    /// M at q_k, in the middle and at q_{k+1}.
    start: DenseMatrix,
    pub middle: DenseMatrix,
    pub end: DenseMatrix,
    factors: Option<Factors>,
    /// p_k.
    p_start: Vec<f64>,
}

impl Inertia {
    /// At any place of a model.
    pub fn new(model: &dyn Lagrangian) -> Self {
        let M = mass(model, &vec![0.0; model.n()]);
        let (varies, start, middle) = (!model.mass_is_constant(), M.clone(), M.clone());
        Self { varies, start, middle, end: M, factors: None, p_start: vec![0.0; model.n()] }
    }

    /// A step begins at (q_k, v_k).
    pub fn begin(&mut self, model: &dyn Lagrangian, q: &[f64], v: &[f64]) {
        if self.varies {
            self.start = mass(model, q);
            self.p_start = times(&self.start, v);
        }
    }

    /// The masses of a motion to q_{k+1}.
    pub fn place(&mut self, model: &dyn Lagrangian, q1: &[f64], qm: &[f64]) {
        if !self.varies {
            return;
        }
        (self.middle, self.end) = (mass(model, qm), mass(model, q1));
        let mut sum = self.start.clone();
        vector::axpy(1.0, self.end.values(), sum.values_mut());
        let all = (factorised(&sum), factorised(&self.middle), factorised(&self.end));
        self.factors = match all {
            (Some(sum), Some(middle), Some(end)) => Some(Factors { sum, middle, end }),
            (None, _, _) | (_, None, _) | (_, _, None) => None,
        };
    }

    /// B x.
    fn mean_momentum(&self, factors: &Factors, x: &[f64]) -> Vec<f64> {
        let mut y = times(&self.end, x);
        factors.sum.solve(&mut y);
        let mut p = times(&self.start, &y);
        p.iter_mut().for_each(|p| *p *= 2.0);
        p
    }

    /// Takes Δp + hD_T from `left` and adds its derivative by v̂ to M̂; false where a mass is singular.
    pub fn weigh(
        &self,
        model: &dyn Lagrangian,
        (q0, q1, qm): (&[f64], &[f64], &[f64]),
        (v, v_hat): (&[f64], &[f64]),
        h: f64,
        (left, M_hat): (&mut [f64], &mut DenseMatrix),
    ) -> bool {
        if !self.varies {
            let change: Vec<f64> = v_hat.iter().zip(v).map(|(a, b)| a - b).collect();
            mul_add(&self.end, -1.0, &change, left);
            vector::axpy(1.0, self.end.values(), M_hat.values_mut());
            return true;
        }
        let Some(factors) = &self.factors else { return false };
        let n = v.len();
        let (mean, dq): (Vec<f64>, Vec<f64>) = (0..n).map(|i| (0.5 * (v_hat[i] + v[i]), q1[i] - q0[i])).unzip();
        let mut w = self.mean_momentum(factors, &mean);
        let p_end: Vec<f64> = w.iter().zip(&self.p_start).map(|(p_m, p_k)| 2.0 * p_m - p_k).collect();
        for i in 0..n {
            left[i] -= 2.0 * (w[i] - self.p_start[i]);
        }
        let (Mdq, mut D, mut J) = (times(&self.middle, &dq), vec![0.0; n], DenseMatrix::zeros(n, n));
        let at = Between { q0, q1, qm, dq: &dq, M: &self.middle, Mdq: &Mdq };
        let kinetic = Kinetic { model, momenta: [&self.p_start, &p_end] };
        gonzalez(&kinetic, &at, &mut D, &mut J, &mut Room::new(n));
        vector::axpy(-h, &D, left);
        vector::axpy(0.5 * h * h, J.values(), M_hat.values_mut());

        factors.end.solve(&mut w);
        let mut a = p_end;
        factors.middle.solve(&mut a);
        let (T_end, T) = (mass_tangent(model, q1, &w), mass_tangent(model, qm, &a));
        for k in 0..n {
            let mut x = T_end.column(k).to_vec();
            factors.end.solve(&mut x);
            x.iter_mut().for_each(|x| *x *= 0.5 * h);
            x[k] += 1.0;
            let mut by_velocity = self.mean_momentum(factors, &x);
            let column = M_hat.column_mut(k);
            vector::axpy(1.0, &by_velocity, column);
            factors.middle.solve(&mut by_velocity);
            vector::axpy(-0.5 * h, &transposed(&T, &by_velocity), column);
        }
        true
    }

    /// p_k and p; none where a mass is singular.
    pub fn momenta(&self, v: &[f64], v_hat: &[f64]) -> Option<[Vec<f64>; 2]> {
        if !self.varies {
            return Some([times(&self.end, v), times(&self.end, v_hat)]);
        }
        let both: Vec<f64> = v_hat.iter().zip(v).map(|(a, b)| a + b).collect();
        let mut p = self.mean_momentum(self.factors.as_ref()?, &both);
        vector::axpy(-1.0, &self.p_start, &mut p);
        Some([self.p_start.clone(), p])
    }

    /// Whether the mass depends on q.
    pub fn varies(&self) -> bool {
        self.varies
    }

    /// v₁ in place of v̂.
    pub fn end_velocity(&self, v: &[f64], v_hat: &mut [f64]) {
        let Some(factors) = self.factors.as_ref().filter(|_| self.varies) else { return };
        let both: Vec<f64> = v_hat.iter().zip(v).map(|(a, b)| a + b).collect();
        let p = self.mean_momentum(factors, &both);
        for i in 0..v.len() {
            v_hat[i] = p[i] - self.p_start[i];
        }
        factors.end.solve(v_hat);
    }
}
