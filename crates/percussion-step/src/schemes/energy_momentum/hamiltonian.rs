//! H = ½pᵀM(q)⁻¹p + V(q) between two states: its discrete gradient (Gonzalez 1996) and the derivatives of that.
//!
//!   D_p = w + s y,   D_q = ∇V − ½Tᵀw + s MΔq/h²,   w = M⁻¹p_m,   y = M⁻¹Δp,   T = ∂(M w)/∂q,   all at q_m
//!   s = (H₁ − H₀ − ∇H(z_m)·Δz)/σ,   σ = ΔqᵀMΔq/h² + Δpᵀy,   so that D·Δz = H₁ − H₀
//!
//!   H_qq = ∇²V − ∂²(½wᵀMw)/∂q² + TᵀM⁻¹T,   H_pq = −M⁻¹T,   H_pp = M⁻¹
//!   σ ∂s/∂z₁ = ∇H(z₁) − ∇H(z_m) − ½∇²H(z_m)Δz − s ∂σ/∂z₁

use crate::State;
use crate::newton::evaluation::mul_add;
use crate::schemes::energy_momentum::discrete_gradient::{GAUSS_POINT, GAUSS_WEIGHT};
use percussion_matrix::{DenseMatrix, SmallLu, vector};
use percussion_model::{Lagrangian, SecondDerivatives};

/// The motion from (q₀, p₀) to (q₁, p₁).
#[derive(Debug)]
pub struct Hamiltonian {
    h: f64,
    pub dq: Vec<f64>,
    pub dp: Vec<f64>,
    pub qm: Vec<f64>,
    /// M at the middle, factorised too.
    pub M: DenseMatrix,
    lu: SmallLu,
    pub Mdq: Vec<f64>,
    w: Vec<f64>,
    y: Vec<f64>,
    /// ∂H/∂q at the middle.
    by_q: Vec<f64>,
    s: f64,
    sigma: f64,
}

/// Derivatives of Δq − hD_p and Δp + hD_q by q₁ and p₁.
pub struct Derivatives {
    pub q_by_q: DenseMatrix,
    pub q_by_p: DenseMatrix,
    pub p_by_q: DenseMatrix,
    pub p_by_p: DenseMatrix,
}

/// M(q).
pub fn mass(model: &dyn Lagrangian, q: &[f64]) -> DenseMatrix {
    let mut M = DenseMatrix::zeros(q.len(), q.len());
    model.mass(q, &mut M);
    M
}

/// ∂(M(q) x)/∂q.
pub fn mass_tangent(model: &dyn Lagrangian, q: &[f64], x: &[f64]) -> DenseMatrix {
    let mut T = DenseMatrix::zeros(q.len(), q.len());
    model.mass_tangent(q, x, &mut T);
    T
}

/// A x.
pub fn times(A: &DenseMatrix, x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    mul_add(A, 1.0, x, &mut y);
    y
}

/// Aᵀx.
pub fn transposed(A: &DenseMatrix, x: &[f64]) -> Vec<f64> {
    (0..x.len()).map(|k| vector::dot(A.column(k), x)).collect()
}

/// M factorised, unless it is singular.
pub fn factorised(M: &DenseMatrix) -> Option<SmallLu> {
    let mut lu = SmallLu::default();
    lu.reset(M.n_rows()).copy_from_slice(M.values());
    lu.factorise().then_some(lu)
}

/// ∂H/∂q = ∇V − ½Tᵀw.
fn gradient(model: &dyn Lagrangian, q: &[f64], w: &[f64]) -> Vec<f64> {
    let mut by_q = vec![0.0; q.len()];
    model.potential_gradient(q, &mut by_q);
    vector::axpy(-0.5, &transposed(&mass_tangent(model, q, w), w), &mut by_q);
    by_q
}

/// Q ← the forces without a potential: f + ∇V + Ṁv − ∂T/∂q.
pub fn outer_force(model: &dyn Lagrangian, q: &[f64], v: &[f64], t: f64, Q: &mut [f64]) {
    if let Some(second) = model.second_derivatives() {
        return second.outer_force(q, v, t, Q);
    }
    model.force(q, v, t, Q);
    let mut slope = vec![0.0; q.len()];
    model.potential_gradient(q, &mut slope);
    vector::axpy(1.0, &slope, Q);
    if !model.mass_is_constant() {
        let tangent = mass_tangent(model, q, v);
        mul_add(&tangent, 1.0, v, Q);
        vector::axpy(-0.5, &transposed(&tangent, v), Q);
    }
}

/// C ← C − ∂Q/∂v.
pub fn outer_damping(model: &dyn Lagrangian, q: &[f64], v: &[f64], t: f64, C: &mut DenseMatrix) {
    let n = q.len();
    let mut K = DenseMatrix::zeros(n, n);
    if let Some(second) = model.second_derivatives() {
        return second.outer_tangents(q, v, t, &mut K, C);
    }
    model.force_tangents(q, v, t, &mut K, C);
    if model.mass_is_constant() {
        return;
    }
    // ∂(Ṁv − ∂T/∂q)/∂v = T[v] + Ṁ − T[v]ᵀ, column k of Ṁ being T[e_k]v
    let along = mass_tangent(model, q, v);
    for k in 0..n {
        let mut unit = vec![0.0; n];
        unit[k] = 1.0;
        let rate = times(&mass_tangent(model, q, &unit), v);
        for i in 0..n {
            C.set(i, k, C.get(i, k) - along.get(i, k) - rate[i] + along.get(k, i));
        }
    }
}

impl Hamiltonian {
    /// Between a state and (q₁, v₁) a time h later; `None` where M is singular.
    pub fn between(model: &dyn Lagrangian, state: &State, h: f64, (q1, v1): (&[f64], &[f64])) -> Option<Self> {
        let n = q1.len();
        let (p0, p1) = (times(&mass(model, &state.q), &state.v), times(&mass(model, q1), v1));
        let dq: Vec<f64> = (0..n).map(|i| q1[i] - state.q[i]).collect();
        let dp: Vec<f64> = (0..n).map(|i| p1[i] - p0[i]).collect();
        let qm: Vec<f64> = (0..n).map(|i| 0.5 * (q1[i] + state.q[i])).collect();
        let p_m: Vec<f64> = (0..n).map(|i| 0.5 * (p0[i] + p1[i])).collect();
        let M = mass(model, &qm);
        let lu = factorised(&M)?;
        let (mut w, mut y) = (p_m.clone(), dp.clone());
        lu.solve(&mut w);
        lu.solve(&mut y);
        let (Mdq, by_q) = (times(&M, &dq), gradient(model, &qm, &w));

        // H₁ − H₀ − ∇H·Δz by values, or by Gauss' points where they agree to round-off, as for any discrete gradient
        let energy = |q: &[f64], v: &[f64]| (model.kinetic_energy(q, v), model.potential_energy(q));
        let ((T0, V0), (T1, V1)) = (energy(&state.q, &state.v), energy(q1, v1));
        let by_values = (T1 - T0) + (V1 - V0) - vector::dot(&by_q, &dq) - vector::dot(&w, &dp);
        let mut by_gradients = 0.0;
        for c in [GAUSS_POINT, -GAUSS_POINT] {
            let along = |x: &[f64], dx: &[f64]| (0..n).map(|i| x[i] + c * dx[i]).collect::<Vec<_>>();
            let (q, mut off) = (along(&qm, &dq), along(&p_m, &dp));
            factorised(&mass(model, &q))?.solve(&mut off);
            let off_q = gradient(model, &q, &off);
            for i in 0..n {
                by_gradients += GAUSS_WEIGHT * ((off_q[i] - by_q[i]) * dq[i] + (off[i] - w[i]) * dp[i]);
            }
        }
        let round_off = 4.0 * f64::EPSILON * (T0 + T1 + V0.abs() + V1.abs());
        let defect = if (by_values - by_gradients).abs() <= round_off { by_gradients } else { by_values };
        let sigma = vector::dot(&dq, &Mdq) / (h * h) + vector::dot(&dp, &y);
        let s = if sigma > f64::MIN_POSITIVE { defect / sigma } else { 0.0 };
        Some(Self { h, dq, dp, qm, M, lu, Mdq, w, y, by_q, s, sigma })
    }

    /// Δq − hD_p and Δp + h(D_q − f_np) in the first 2n rows of r.
    pub fn rows(&self, outer: &[f64], r: &mut [f64]) {
        let (n, h) = (self.dq.len(), self.h);
        for i in 0..n {
            r[i] = self.dq[i] - h * (self.w[i] + self.s * self.y[i]);
            r[n + i] = self.dp[i] + h * (self.by_q[i] + self.s * self.Mdq[i] / (h * h) - outer[i]);
        }
    }

    /// M⁻¹A.
    fn solved(&self, mut A: DenseMatrix) -> DenseMatrix {
        (0..A.n_cols()).for_each(|k| self.lu.solve(A.column_mut(k)));
        A
    }

    /// ∂s/∂q₁ and ∂s/∂p₁; where the step is so short that only round-off is left of them, zero.
    fn slopes(
        &self,
        model: &dyn Lagrangian,
        (q1, v1): (&[f64], &[f64]),
        (H_qq, T, MT): (&DenseMatrix, &DenseMatrix, &DenseMatrix),
    ) -> [Vec<f64>; 2] {
        let (n, h, s) = (q1.len(), self.h, self.s);
        if s == 0.0 || vector::max_abs(&self.dq) <= f64::EPSILON.sqrt() * vector::max_abs(&self.qm) {
            return [vec![0.0; n], vec![0.0; n]];
        }
        let end = gradient(model, q1, v1);
        let (T_d, T_y) = (mass_tangent(model, &self.qm, &self.dq), mass_tangent(model, &self.qm, &self.y));
        let (turned, back) = (transposed(&T_d, &self.dq), transposed(&T_y, &self.y));
        let (HdQ, TdP, HdP) = (times(H_qq, &self.dq), transposed(T, &self.y), times(MT, &self.dq));
        let by_q = |i: usize| {
            let sigma = (2.0 * self.Mdq[i] + 0.5 * turned[i]) / (h * h) - 0.5 * back[i];
            (end[i] - self.by_q[i] - 0.5 * (HdQ[i] - TdP[i]) - s * sigma) / self.sigma
        };
        let by_p = |i: usize| (v1[i] - self.w[i] - 0.5 * (self.y[i] - HdP[i]) - 2.0 * s * self.y[i]) / self.sigma;
        [(0..n).map(by_q).collect(), (0..n).map(by_p).collect()]
    }

    /// The derivatives of the rows, but for those of f_np.
    pub fn derivatives(
        &self,
        model: &dyn Lagrangian,
        second: &dyn SecondDerivatives,
        end: (&[f64], &[f64]),
    ) -> Derivatives {
        let (n, h, s) = (self.dq.len(), self.h, self.s);
        let square = || DenseMatrix::zeros(n, n);
        let T = mass_tangent(model, &self.qm, &self.w);
        let MT = self.solved(T.clone());
        let (mut H_qq, mut turning) = (square(), square());
        model.potential_hessian(&self.qm, &mut H_qq);
        second.mass_hessian(&self.qm, &self.w, &mut turning);
        for j in 0..n {
            for i in 0..n {
                H_qq.set(i, j, H_qq.get(i, j) - turning.get(i, j) + vector::dot(T.column(i), MT.column(j)));
            }
        }
        let [s_q, s_p] = self.slopes(model, end, (&H_qq, &T, &MT));
        let inverse = self.solved(DenseMatrix::identity(n));
        let M_turned = mass_tangent(model, &self.qm, &self.dq);
        let y_turned = self.solved(mass_tangent(model, &self.qm, &self.y));
        let mut out = Derivatives { q_by_q: square(), q_by_p: square(), p_by_q: square(), p_by_p: square() };
        for j in 0..n {
            for i in 0..n {
                let one = f64::from(u8::from(i == j));
                let push = self.Mdq[i] / (h * h);
                let q_by_q = self.y[i] * s_q[j] - 0.5 * (MT.get(i, j) + s * y_turned.get(i, j));
                let p_by_q =
                    0.5 * H_qq.get(i, j) + push * s_q[j] + s / (h * h) * (self.M.get(i, j) + 0.5 * M_turned.get(i, j));
                out.q_by_q.set(i, j, one - h * q_by_q);
                out.q_by_p.set(i, j, -h * ((0.5 + s) * inverse.get(i, j) + self.y[i] * s_p[j]));
                out.p_by_q.set(i, j, h * p_by_q);
                out.p_by_p.set(i, j, one + h * (push * s_p[j] - 0.5 * MT.get(j, i)));
            }
        }
        out
    }
}
