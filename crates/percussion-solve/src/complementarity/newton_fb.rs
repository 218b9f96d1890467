//! Semismooth Newton on the Fischer–Burmeister map (De Luca, Facchinei, Kanzow 1996).
//!
//!   φ_i = √(p_i² + v_i²) − p_i − v_i,    v = ρ∘u;    (D_a + D_b diag(ρ) W) d = φ,    a_i = 1 − p_i/r_i,  b_i = 1 − v_i/r_i
//!
//! The merit ½‖φ‖² is smooth: an Armijo search along d, or along the gradient when d fails, makes it fall. A small
//! multiple of ‖φ‖ on the diagonal keeps the matrix regular for redundant contacts and fades at the solution.

use super::Tools;
use super::lcp::Lcp;
use super::newton_min::ROUND_OFF;
use super::pattern::FullPattern;
use crate::entry::Friction;
use crate::entry::{Complementarity, Entry};
use crate::friction;
use crate::friction::two_body::OnBodies;
use crate::report::Outcome;
use crate::{Method, SolveReport, SolverOptions};
use percussion_matrix::{DenseMatrix, Factor, Matrix, math, vector};

/// Slope fraction of the Armijo search.
const ARMIJO: f64 = 1e-4;
/// Shortest step of the search.
const SHORTEST_STEP: f64 = 1e-12;
/// Iterations spent on a good p: where W is nearly singular they gain digits that the residual does not ask for.
const POLISH: usize = 2;
/// Largest regularisation of the diagonal, dimensionless.
const REGULARISATION: f64 = 1e-4;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "newton-fb",
    summary: "Fischer-Burmeister with line search; nonsymmetric problems without a good guess",
    most_rows: None,
    complementarity: Complementarity::Run(run),
    friction: Some(Friction::of::<friction::newton::newton_fb::FischerBurmeister>(OnBodies::Momentum)),
};

/// The method alone.
fn run(tools: &mut Tools, lcp: &Lcp, p: &mut [f64], options: &SolverOptions) -> SolveReport {
    let Tools { u, memories, .. } = tools;
    let outcome = memories.get::<NewtonFb>().solve(lcp, p, u, options.tolerance, options.max_iterations);
    lcp.judged(Method::NewtonFb, outcome, false, p, u, options.tolerance)
}

/// The method with its work memory.
#[derive(Debug, Default)]
pub(crate) struct NewtonFb {
    phi: Vec<f64>,
    a: Vec<f64>,
    b: Vec<f64>,
    direction: Vec<f64>,
    W_direction: Vec<f64>,
    pattern: Option<FullPattern>,
    factor: Option<Factor>,
}

impl NewtonFb {
    /// Improves p and leaves its velocity in u.
    pub fn solve(&mut self, lcp: &Lcp, p: &mut [f64], u: &mut [f64], tolerance: f64, max_iterations: usize) -> Outcome {
        let n = lcp.len();
        for buffer in [&mut self.phi, &mut self.a, &mut self.b, &mut self.direction, &mut self.W_direction] {
            buffer.clear();
            buffer.resize(n, 0.0);
        }
        lcp.velocity(p, u);
        let mut good = 0;
        for iteration in 0..max_iterations {
            let residuals = lcp.residuals(p, u);
            good += usize::from(residuals.worst() <= tolerance);
            let exact = residuals.worst() <= ROUND_OFF;
            if good > POLISH || exact || residuals.worst() == f64::INFINITY || lcp.stop.requested() {
                return Outcome { iterations: iteration, residuals: lcp.finish(p, u) };
            }

            // Newton's direction, or else that of steepest descent
            let merit = self.linearise(lcp, p, u);
            let scale = vector::norm(p).max(f64::MIN_POSITIVE);
            let mu = REGULARISATION * (merit.sqrt() / scale).min(1.0);
            let newton = self.newton_direction(lcp, mu);
            let step = if newton { self.search(lcp, p, u, merit, merit) } else { None };
            let step = step.or_else(|| {
                let slope = self.steepest_direction(lcp);
                self.search(lcp, p, u, merit, slope)
            });
            let Some(t) = step else {
                return Outcome { iterations: iteration + 1, residuals: lcp.finish(p, u) };
            };
            vector::axpy(t, &self.direction, p);
            lcp.velocity(p, u);
        }
        Outcome { iterations: max_iterations, residuals: lcp.finish(p, u) }
    }

    /// φ and its generalised derivatives; ‖φ‖².
    fn linearise(&mut self, lcp: &Lcp, p: &[f64], u: &[f64]) -> f64 {
        let corner = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
        for i in 0..p.len() {
            let v = lcp.rho[i] * u[i];
            let r = math::hypot(p[i], v);
            self.phi[i] = fischer_burmeister(p[i], v);
            (self.a[i], self.b[i]) = if r > 0.0 { (1.0 - p[i] / r, 1.0 - v / r) } else { (corner, corner) };
        }
        vector::dot(&self.phi, &self.phi)
    }

    /// Solves (D_a + μ + D_b diag(ρ) W) d = φ; false when singular.
    fn newton_direction(&mut self, lcp: &Lcp, mu: f64) -> bool {
        let (a, b) = (&self.a, &self.b);
        let entry = |i: usize, j: usize, w: f64| {
            let diagonal = if i == j { a[i] + mu + b[i] * lcp.shift } else { 0.0 };
            diagonal + b[i] * lcp.rho[i] * w
        };
        let regular = match lcp.W {
            Matrix::Dense(W) => {
                let n = lcp.len();
                let mut A = DenseMatrix::zeros(n, n);
                for j in 0..n {
                    for (i, x) in A.column_mut(j).iter_mut().enumerate() {
                        *x = entry(i, j, W.get(i, j));
                    }
                }
                self.factor = Factor::lu(&Matrix::Dense(A)).ok();
                self.factor.is_some()
            }
            Matrix::Sparse(W) => {
                if !self.pattern.as_ref().is_some_and(|pattern| pattern.fits(W)) {
                    self.pattern = None;
                    self.factor = None;
                }
                let A = self.pattern.get_or_insert_with(|| FullPattern::new(W)).fill(W, entry);
                let kept = match &mut self.factor {
                    Some(factor @ Factor::SparseLu(_)) => factor.refactor(A).is_ok(),
                    _ => false,
                };
                if !kept {
                    self.factor = Factor::lu(A).ok();
                }
                self.factor.is_some()
            }
        };
        self.direction.copy_from_slice(&self.phi);
        match &mut self.factor {
            Some(factor) if regular => factor.solve(&mut self.direction),
            _ => return false,
        }
        self.direction.iter().all(|x| x.is_finite())
    }

    /// d = (D_a + D_b diag(ρ) W)ᵀ φ, against the gradient; the slope ‖d‖².
    fn steepest_direction(&mut self, lcp: &Lcp) -> f64 {
        let n = lcp.len();
        for i in 0..n {
            self.W_direction[i] = self.b[i] * lcp.rho[i] * self.phi[i];
        }
        for j in 0..n {
            let product = match lcp.W {
                Matrix::Dense(W) => vector::dot(W.column(j), &self.W_direction),
                Matrix::Sparse(W) => W.column_dot(j, &self.W_direction),
            };
            self.direction[j] = (self.a[j] + self.b[j] * lcp.shift) * self.phi[j] + product;
        }
        vector::dot(&self.direction, &self.direction)
    }

    /// The first t = 1, ½, ¼ … with ‖φ(p + t d)‖² ≤ merit − 2·ARMIJO·t·slope.
    fn search(&mut self, lcp: &Lcp, p: &[f64], u: &[f64], merit: f64, slope: f64) -> Option<f64> {
        self.W_direction.fill(0.0);
        lcp.W.mul_add(1.0, &self.direction, &mut self.W_direction);
        let mut t = 1.0;
        while t > SHORTEST_STEP {
            let mut sum = 0.0;
            for i in 0..p.len() {
                let d = self.direction[i];
                let v = lcp.rho[i] * (u[i] + t * self.W_direction[i]) + lcp.shift * t * d;
                let phi = fischer_burmeister(p[i] + t * d, v);
                sum += phi * phi;
            }
            if sum <= merit - 2.0 * ARMIJO * t * slope {
                return Some(t);
            }
            t *= 0.5;
        }
        None
    }
}

/// √(x² + y²) − x − y, without cancellation where both are positive.
fn fischer_burmeister(x: f64, y: f64) -> f64 {
    let (r, sum) = (math::hypot(x, y), x + y);
    if sum > 0.0 { -2.0 * x * y / (r + sum) } else { r - sum }
}
