//! Accelerated projected gradient (Nesterov 1983; Mazhar et al. 2015) with de Saxcé's shift in the gradient.
//!
//!   r⁺ = P_C(y − ρ∘g/L),   g = W y + b + s(y) n,   y ← r⁺ + β (r⁺ − r),   β = (k − 1)/(k + 2)
//!
//! L, dimensionless in the metric of ρ, falls a little at every step and grows where ½δᵀWδ ≤ ½L δᵀρ⁻¹δ fails. The
//! momentum is dropped where it points uphill, g·(r⁺ − r) > 0 (O'Donoghue and Candès 2015). Velocities are affine in r
//! and follow y without a product, so a step costs one product with W.

use crate::Method;
use crate::entry::{Complementarity, Entry, Friction, friction_method};
use crate::friction::gradient::product::Product;
use crate::friction::solver::FrictionTools;
use crate::friction::task::Goal;
use crate::friction::two_body::OnBodies;
use crate::report::Outcome;

/// Steps between looks at the residuals.
const LOOK: usize = 5;
/// Factor by which L falls at each step.
const RELAX: f64 = 0.97;
/// Steps without a better residual after which the momentum is dropped and L kept higher.
const STALL: usize = 300;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "apgd",
    summary: "accelerated projected gradient; many contacts at low accuracy, products with W only",
    most_rows: None,
    complementarity: Complementarity::None,
    friction: Some(Friction::of::<Gradient>(OnBodies::Gradient)),
};

friction_method! {
    /// The method on a stored W.
    Gradient(tools, task, r) {
        let FrictionTools { u, memories, .. } = tools;
        memories.get::<Apgd>().solve::<D, _>(&mut task.clone(), task.goal(), r, u).unjudged(Method::Apgd)
    }
}

/// The method with its work memory.
#[derive(Debug, Default)]
pub(crate) struct Apgd {
    y: Vec<f64>,
    u_y: Vec<f64>,
    next: Vec<f64>,
    u_next: Vec<f64>,
    g: Vec<f64>,
    best: Vec<f64>,
}

impl Apgd {
    /// Improves r and leaves its velocity in u.
    pub fn solve<const D: usize, P: Product>(
        &mut self,
        product: &mut P,
        goal: Goal,
        r: &mut [f64],
        u: &mut [f64],
    ) -> Outcome {
        let n = r.len();
        for x in [&mut self.y, &mut self.u_y, &mut self.next, &mut self.u_next, &mut self.g, &mut self.best] {
            x.resize(n, 0.0);
        }
        project_all::<D, P>(product, r);
        product.velocity(r, u);
        let mut residuals = product.residuals::<D>(r, u);
        self.best.copy_from_slice(r);
        let mut best = residuals.worst();
        let mut since_best = 0;
        let mut L = 1.0;
        let mut momentum = 0;
        self.y.copy_from_slice(r);
        self.u_y.copy_from_slice(u);
        let mut iterations = 0;
        while iterations < goal.limit && best > goal.tolerance && !goal.stop.requested() {
            iterations += 1;
            product.shifted::<D>(&self.u_y, &mut self.g);
            self.advance::<D, P>(product, &mut L);
            if !self.next.iter().all(|x| x.is_finite()) {
                break;
            }

            // momentum, or none where it leads uphill
            let mut uphill = 0.0;
            for k in 0..n {
                uphill += self.g[k] * (self.next[k] - r[k]);
            }
            momentum = if uphill > 0.0 { 0 } else { momentum + 1 };
            let beta = momentum as f64 / (momentum + 3) as f64;
            for k in 0..n {
                self.y[k] = self.next[k] + beta * (self.next[k] - r[k]);
                self.u_y[k] = self.u_next[k] + beta * (self.u_next[k] - u[k]);
            }
            r.copy_from_slice(&self.next);
            u.copy_from_slice(&self.u_next);
            L *= RELAX;

            if iterations % LOOK == 0 || iterations == goal.limit {
                residuals = product.residuals::<D>(r, u);
                if residuals.worst() < best {
                    best = residuals.worst();
                    self.best.copy_from_slice(r);
                    since_best = 0;
                } else {
                    since_best += LOOK;
                    if since_best % STALL == 0 {
                        momentum = 0;
                        self.y.copy_from_slice(r);
                        self.u_y.copy_from_slice(u);
                    }
                }
            }
        }
        r.copy_from_slice(&self.best);
        product.velocity(r, u);
        Outcome { iterations, residuals: product.residuals::<D>(r, u) }
    }

    /// r⁺ and its velocity, with L large enough.
    fn advance<const D: usize, P: Product>(&mut self, product: &mut P, L: &mut f64) {
        for _ in 0..60 {
            let next = self.next.as_chunks_mut::<D>().0;
            for (i, next) in next.iter_mut().enumerate() {
                let step = product.rho()[i] / *L;
                let mut x = [0.0; D];
                for k in 0..D {
                    x[k] = self.y[i * D + k] - step * self.g[i * D + k];
                }
                *next = product.cone(i).project(&x);
            }
            product.velocity(&self.next, &mut self.u_next);
            let (mut curvature, mut size) = (0.0, 0.0);
            for i in 0..product.rho().len() {
                let mut square = 0.0;
                for k in i * D..(i + 1) * D {
                    let delta = self.next[k] - self.y[k];
                    curvature += delta * (self.u_next[k] - self.u_y[k]);
                    square += delta * delta;
                }
                size += square / product.rho()[i];
            }
            // NaN also ends the search; the caller looks
            if curvature <= *L * size || size == 0.0 || curvature.is_nan() {
                return;
            }
            *L = (1.5 * *L).max((curvature / size).min(1e3 * *L));
        }
    }
}

fn project_all<const D: usize, P: Product>(product: &P, r: &mut [f64]) {
    for (i, r) in r.as_chunks_mut::<D>().0.iter_mut().enumerate() {
        *r = product.cone(i).project(r);
    }
}
