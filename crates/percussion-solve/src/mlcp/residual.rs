//! The two residuals that judge answers to mixed problems.
//!
//!   F_i = w_i on equality rows,   F_i = z_k − [z_k − w_i]₊ on the others
//!   e   = ‖F‖ / max(‖q‖, ‖z‖, ‖w‖)
//!   eₛ  = the same with ρ_i w_i for w_i, over max(‖z‖, ‖ρ∘q‖),   ρ_i = 1/max_j |M_ij|
//!
//! The diagonal of a mixed problem is often zero, hence the largest entry of the row. The scaled residual does not
//! change when an equation is multiplied by a number.

use super::MlcpProblem;
use crate::Residuals;
use crate::residual::{inverse_size, relative};

/// Both residuals of z.
pub fn mlcp_residuals(problem: &MlcpProblem, z: &[f64]) -> Residuals {
    if z.len() != problem.len() {
        return Residuals::INFINITE;
    }
    let mut w = vec![0.0; problem.q.len()];
    problem.evaluate(z, &mut w);
    let rho = steps(problem);
    let mut plain: f64 = 0.0;
    let mut scaled: f64 = 0.0;
    for i in (0..w.len()).filter(|&i| problem.equality[i]) {
        plain += w[i] * w[i];
        scaled += (rho[i] * w[i]) * (rho[i] * w[i]);
    }
    for (i, k) in problem.pairs() {
        let d = z[k] - (z[k] - w[i]).max(0.0);
        let s = z[k] - (z[k] - rho[i] * w[i]).max(0.0);
        plain += d * d;
        scaled += s * s;
    }
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let (qq, zz, ww) = (square(&problem.q), square(z), square(&w));
    let rq: f64 = problem.q.iter().zip(&rho).map(|(q, rho)| (rho * q) * (rho * q)).sum();
    // max() turns a NaN into a zero residual, and an overflowing scale any residual
    if !(plain + scaled + qq + zz + ww + rq).is_finite() {
        return Residuals::INFINITE;
    }
    Residuals { plain: relative(plain, qq.max(zz).max(ww)), scaled: relative(scaled, zz.max(rq)) }
}

/// ρ_i = 1/max_j |M_ij|, and 1 where the row vanishes.
pub(crate) fn steps(problem: &MlcpProblem) -> Vec<f64> {
    let mut size = vec![0.0_f64; problem.q.len()];
    for (i, _, x) in problem.M.triplets() {
        size[i] = size[i].max(x.abs());
    }
    size.iter().map(|&x| inverse_size(x)).collect()
}
