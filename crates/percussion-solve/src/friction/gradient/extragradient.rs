//! Self-adaptive extragradient (Korpelevich 1976; Khobotov 1987; He and Liao 2002) on the de Saxcé form.
//!
//!   r̄ = P_C(r − tρ∘F(r)),    r⁺ = P_C(r − tρ∘F(r̄)),    F(r) = u + s n,  u = W r + b
//!
//! The ratio q = t‖F(r) − F(r̄)‖/‖r − r̄‖, in the metric of ρ, keeps t honest: above 0.9 the prediction is made again
//! with t·⅔ min(1, 1/q), below 0.3 the next t is larger by 3/2. t is dimensionless, so units do not matter.

use crate::Method;
use crate::entry::{Complementarity, Entry, Friction, friction_method};
use crate::friction::gradient::product::Product;
use crate::friction::solver::FrictionTools;
use crate::friction::task::Goal;
use crate::friction::two_body::OnBodies;
use crate::report::Outcome;

/// Ratios between which t stays.
const HIGH: f64 = 0.9;
const LOW: f64 = 0.3;
/// Predictions at most in one step.
const TRIALS: usize = 40;
/// Steps between looks at the residuals.
const LOOK: usize = 5;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "extragradient",
    summary: "self-adaptive extragradient; nonsymmetric problems, products with W only",
    most_rows: None,
    complementarity: Complementarity::None,
    friction: Some(Friction::of::<Prediction>(OnBodies::Momentum)),
};

friction_method! {
    /// The method on a stored W.
    Prediction(tools, task, r) {
        let FrictionTools { u, extragradient, .. } = tools;
        extragradient.solve::<D, _>(&mut task.clone(), task.goal(), r, u).unjudged(Method::Extragradient)
    }
}

/// The method with its work memory.
#[derive(Debug, Default)]
pub(crate) struct Extragradient {
    F: Vec<f64>,
    F_bar: Vec<f64>,
    bar: Vec<f64>,
    u_bar: Vec<f64>,
    best: Vec<f64>,
}

impl Extragradient {
    /// Improves r and leaves its velocity in u.
    pub fn solve<const D: usize, P: Product>(
        &mut self,
        product: &mut P,
        goal: Goal,
        r: &mut [f64],
        u: &mut [f64],
    ) -> Outcome {
        for x in [&mut self.F, &mut self.F_bar, &mut self.bar, &mut self.u_bar, &mut self.best] {
            x.resize(r.len(), 0.0);
        }
        product.velocity(r, u);
        let mut best = product.residuals::<D>(r, u).worst();
        self.best.copy_from_slice(r);
        let mut t = 1.0;
        let mut iterations = 0;
        while iterations < goal.limit && best > goal.tolerance && !goal.stop.requested() {
            iterations += 1;
            product.shifted::<D>(u, &mut self.F);

            // prediction
            let mut ratio = 0.0;
            for _ in 0..TRIALS {
                step::<D, P>(product, t, r, &self.F, &mut self.bar);
                product.velocity(&self.bar, &mut self.u_bar);
                product.shifted::<D>(&self.u_bar, &mut self.F_bar);
                ratio = t * self.lipschitz::<D, P>(product, r);
                if ratio <= HIGH || ratio.is_nan() {
                    break;
                }
                t *= 2.0 / 3.0 * f64::min(1.0, 1.0 / ratio);
            }

            // correction
            step::<D, P>(product, t, r, &self.F_bar, &mut self.bar);
            if !self.bar.iter().all(|x| x.is_finite()) {
                break;
            }
            r.copy_from_slice(&self.bar);
            product.velocity(r, u);
            if ratio < LOW {
                t = (1.5 * t).min(1e8);
            }
            if iterations % LOOK == 0 || iterations == goal.limit {
                let worst = product.residuals::<D>(r, u).worst();
                if worst < best {
                    best = worst;
                    self.best.copy_from_slice(r);
                }
            }
        }
        r.copy_from_slice(&self.best);
        product.velocity(r, u);
        Outcome { iterations, residuals: product.residuals::<D>(r, u) }
    }

    /// ‖ρ∘(F − F̄)‖/‖r − r̄‖ with ‖x‖² = Σ ‖x_i‖²/ρ_i.
    fn lipschitz<const D: usize, P: Product>(&self, product: &P, r: &[f64]) -> f64 {
        let (mut top, mut bottom) = (0.0, 0.0);
        for (i, rho) in product.rho().iter().enumerate() {
            for k in i * D..(i + 1) * D {
                let (f, x) = (self.F[k] - self.F_bar[k], r[k] - self.bar[k]);
                top += rho * f * f;
                bottom += x * x / rho;
            }
        }
        if bottom > 0.0 { (top / bottom).sqrt() } else { 0.0 }
    }
}

/// y ← P_C(r − tρ∘F).
fn step<const D: usize, P: Product>(product: &P, t: f64, r: &[f64], F: &[f64], y: &mut [f64]) {
    let chunks = r.as_chunks::<D>().0.iter().zip(F.as_chunks::<D>().0);
    for (i, (y, (r, F))) in y.as_chunks_mut::<D>().0.iter_mut().zip(chunks).enumerate() {
        let t = t * product.rho()[i];
        let mut x = *r;
        for k in 0..D {
            x[k] -= t * F[k];
        }
        *y = product.cone(i).project(&x);
    }
}
