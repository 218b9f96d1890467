//! One contact with rolling friction.
//!
//!   open (b_N ≥ 0), stick (r = −W⁻¹b in the cone), otherwise Newton's method on F(r, W r + b) = 0
//!
//! Sliding, rolling, or both at once have no closed form worth its length. F is Alart and Curnier's function; where its Newton
//! does not arrive, the ladder's projected fixed point takes over.

use crate::friction::Cone;
use crate::friction::local::{Local, Memory};
use crate::friction::newton::alart_curnier::Law;
use percussion_matrix::{SmallLu, math};

/// Newton steps, and the part of r below which the last one must be.
const STEPS: usize = 12;
const ARRIVED: f64 = 1e-14;

/// The block of one contact with its inverse.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rolling {
    cone: Cone,
    /// W by columns, components without rows standing alone.
    block: [f64; 25],
    /// 1/trace(W).
    rho: f64,
    /// W⁻¹ by columns, when W is regular.
    inverse: Option<[f64; 25]>,
}

impl Local<5> for Rolling {
    fn new(w: &[f64], cone: Cone) -> Self {
        let mut block = [0.0; 25];
        block.copy_from_slice(w);
        for k in (1..5).filter(|&k| w[k * 6] == 0.0) {
            block[k * 6] = w[0];
        }
        let trace: f64 = (0..5).map(|k| block[k * 6]).sum();
        let rho = if trace > 0.0 { 1.0 / trace } else { 1.0 };
        let mut lu = SmallLu::default();
        lu.reset(5).copy_from_slice(&block);
        if !lu.factorise() {
            return Self { cone, block, rho, inverse: None };
        }
        let mut inverse = [0.0; 25];
        for c in 0..5 {
            let column = &mut inverse[c * 5..c * 5 + 5];
            column[c] = 1.0;
            lu.solve(column);
        }
        Self { cone, block, rho, inverse: inverse.iter().all(|x| x.is_finite()).then_some(inverse) }
    }

    fn solve(&self, b: &[f64; 5], old: &[f64; 5], _: &mut Memory) -> Option<[f64; 5]> {
        if b[0] >= 0.0 {
            return Some([0.0; 5]);
        }
        if let Some(inverse) = self.inverse {
            let r: [f64; 5] = std::array::from_fn(|k| -(0..5).map(|c| inverse[c * 5 + k] * b[c]).sum::<f64>());
            if self.holds(&r) {
                return Some(r);
            }
        }
        self.newton(b, old)
    }
}

impl Rolling {
    /// Whether r lies in the cone.
    fn holds(&self, r: &[f64; 5]) -> bool {
        r[0] >= 0.0
            && math::hypot(r[1], r[2]) <= self.cone.mu * r[0]
            && math::hypot(r[3], r[4]) <= self.cone.mu_rolling * r[0]
    }

    /// (G_r + G_u W) δ = −F from the last reaction, or from a normal one.
    fn newton(&self, b: &[f64; 5], old: &[f64; 5]) -> Option<[f64; 5]> {
        let mut r = if old[0] > 0.0 { *old } else { [-b[0] / self.block[0], 0.0, 0.0, 0.0, 0.0] };
        let mut lu = SmallLu::default();
        for _ in 0..STEPS {
            let mut u = *b;
            for c in 0..5 {
                for k in 0..5 {
                    u[k] += self.block[c * 5 + k] * r[c];
                }
            }
            let law = Law::<5, 25>::at(self.cone, self.rho, &r, &u);
            let A = lu.reset(5);
            for c in 0..5 {
                for k in 0..5 {
                    let through: f64 = (0..5).map(|j| law.G_u[j * 5 + k] * self.block[c * 5 + j]).sum();
                    A[c * 5 + k] = law.G_r[c * 5 + k] + through;
                }
            }
            let mut step = law.F;
            if !lu.factorise() {
                return None;
            }
            lu.solve(&mut step);
            let (mut change, mut size) = (0.0, 0.0);
            for k in 0..5 {
                r[k] -= step[k];
                change += step[k] * step[k];
                size += r[k] * r[k];
            }
            if change <= ARRIVED * ARRIVED * size {
                // an end of Newton's that is one of the law's: b_N < 0, so it pushes
                return (r[0] > 0.0).then(|| self.cone.project(&r));
            }
            if !change.is_finite() {
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random symmetric blocks and velocities: what Newton gives back has a vanishing natural map; it arrives nearly always.
    #[test]
    fn newton_ends_at_the_law() {
        let mut seed = 11_u64;
        let mut dice = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (mut asked, mut given) = (0, 0);
        for _ in 0..2000 {
            let A: [f64; 25] = std::array::from_fn(|_| dice());
            let mut w = [0.0; 25];
            for i in 0..5 {
                for j in 0..5 {
                    w[j * 5 + i] = (0..5).map(|k| A[k * 5 + i] * A[k * 5 + j]).sum::<f64>();
                }
                w[i * 6] += 0.3;
            }
            let b: [f64; 5] = std::array::from_fn(|_| dice());
            let cone = Cone { mu: 0.6 + 0.5 * dice(), mu_rolling: 0.3 + 0.29 * dice() };
            let local = Rolling::new(&w, cone);
            asked += 1;
            if let Some(r) = local.solve(&b, &[0.0; 5], &mut Memory::default()) {
                given += 1;
                let u: [f64; 5] = std::array::from_fn(|k| b[k] + (0..5).map(|c| w[c * 5 + k] * r[c]).sum::<f64>());
                let size = r.iter().map(|x| x * x).sum::<f64>().sqrt().max(1.0);
                for x in cone.natural_map(&r, &u, 1.0) {
                    assert!(x.abs() <= 1e-12 * size, "{x:e} of {size}: {r:?} {u:?} {cone:?}");
                }
            }
        }
        assert!(given > asked * 9 / 10, "{given} of {asked}");
    }
}
