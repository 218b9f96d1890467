//! Alternating directions on r = z (Boyd et al. 2011), one factorisation for many iterations.
//!
//!   (W + ρD) r = ρD (z − y) − b − s n,    z ← P_C(r̂ + y),    y ← y + r̂ − z,    r̂ = αr + (1 − α)z
//!
//! D = diag ρ_i⁻¹ is a number per contact, so P_C is the plain projection and ρ dimensionless. At the limit the
//! velocity of the law is u + s n = −ρD y, from which the shift s = μ‖u_T‖ is taken again in every iteration. ρ is
//! balanced between ‖r − z‖ and ρ‖z − z_last‖, seldom: each change costs a factorisation.

use crate::Method;
use crate::entry::{Complementarity, Entry, Friction, friction_method};
use crate::friction::solver::FrictionTools;
use crate::friction::task::Task;
use crate::friction::two_body::OnBodies;
use crate::report::Outcome;
use percussion_matrix::{DenseMatrix, Factor, Matrix, SparseMatrix};

/// Up to so many unknowns the matrix is dense.
const DENSE: usize = 360;
/// α of the over-relaxation.
const RELAXATION: f64 = 1.6;
/// Disproportion of the two residuals at which ρ is changed.
const BALANCE: f64 = 5.0;
/// Factorisations at most.
const FACTORS: usize = 20;
/// Iterations between looks at the residuals.
const LOOK: usize = 5;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "admm",
    summary: "alternating directions; medium accuracy, one factorisation of W + rho D for many iterations",
    most_rows: None,
    complementarity: Complementarity::None,
    friction: Some(Friction::of::<AlternatingDirections>(OnBodies::Momentum)),
};

friction_method! {
    /// The method on a stored W.
    AlternatingDirections(tools, task, r) {
        let FrictionTools { u, memories, .. } = tools;
        memories.get::<Admm>().solve::<D>(task, r, u).unjudged(Method::Admm)
    }
}

/// The method with its work memory.
#[derive(Debug, Default)]
pub(crate) struct Admm {
    x: Vec<f64>,
    z: Vec<f64>,
    y: Vec<f64>,
    shift: Vec<f64>,
    best: Vec<f64>,
}

impl Admm {
    /// Improves r and leaves its velocity in u.
    pub fn solve<const D: usize>(&mut self, task: &Task, r: &mut [f64], u: &mut [f64]) -> Outcome {
        let n = r.len();
        for x in [&mut self.x, &mut self.z, &mut self.y, &mut self.best] {
            x.resize(n, 0.0);
        }
        self.shift.resize(task.problem.len(), 0.0);
        let mut best = task.judge(r, u).worst();
        self.best.copy_from_slice(r);
        let mut iterations = 0;
        let mut rho = 1.0;
        let Some(mut factor) = factorise(task, rho) else {
            return Outcome { iterations, residuals: task.judge(r, u) };
        };
        let (mut factors, mut wait) = (1, 10);
        self.z.copy_from_slice(r);
        self.dual_of_velocity::<D>(task, rho, u);
        let mut balance = Balance::default();
        while iterations < task.limit && best > task.tolerance && !task.stop.requested() {
            iterations += 1;
            balance.add(self.step::<D>(task, rho, &mut factor));
            if !self.x.iter().all(|x| x.is_finite()) {
                break;
            }
            if iterations % LOOK == 0 || iterations == task.limit {
                let worst = task.judge(&self.z, u).worst();
                if worst < best {
                    best = worst;
                    self.best.copy_from_slice(&self.z);
                }
            }

            // another ρ, at growing intervals
            if balance.count >= wait && factors < FACTORS {
                let factor_of_rho = balance.factor(rho);
                balance = Balance::default();
                if !(1.0 / BALANCE..=BALANCE).contains(&factor_of_rho) {
                    let Some(next) = factorise(task, rho * factor_of_rho) else { break };
                    factor = next;
                    rho *= factor_of_rho;
                    // ρ y, a velocity, is what stays
                    self.y.iter_mut().for_each(|y| *y /= factor_of_rho);
                    factors += 1;
                    wait += 10;
                }
            }
        }
        r.copy_from_slice(&self.best);
        Outcome { iterations, residuals: task.judge(r, u) }
    }

    /// y = −(u + s n)/(ρD), the dual of the first guess.
    fn dual_of_velocity<const D: usize>(&mut self, task: &Task, rho: f64, u: &[f64]) {
        for (i, u) in u.as_chunks::<D>().0.iter().enumerate() {
            let s = task.problem.cone(i).shift(u);
            self.shift[i] = s;
            for k in 0..D {
                let velocity = u[k] + if k == 0 { s } else { 0.0 };
                self.y[i * D + k] = -velocity * task.rho[i] / rho;
            }
        }
    }

    /// One iteration; ‖r − z‖ and ‖z − z_last‖, in the metric of D.
    fn step<const D: usize>(&mut self, task: &Task, rho: f64, factor: &mut Factor) -> [f64; 2] {
        let b = &task.problem.b;
        for i in 0..task.problem.len() {
            let weight = rho / task.rho[i];
            for k in i * D..(i + 1) * D {
                self.x[k] = weight * (self.z[k] - self.y[k]) - b[k];
            }
            self.x[i * D] -= self.shift[i];
        }
        factor.solve(&mut self.x);
        let (mut primal, mut dual) = (0.0, 0.0);
        for i in 0..task.problem.len() {
            let cone = task.problem.cone(i);
            let at = i * D;
            let mut sum = [0.0; D];
            for k in 0..D {
                sum[k] = RELAXATION * self.x[at + k] + (1.0 - RELAXATION) * self.z[at + k] + self.y[at + k];
            }
            let z = cone.project(&sum);
            let mut velocity = [0.0; D];
            for k in 0..D {
                let (p, d) = (self.x[at + k] - z[k], z[k] - self.z[at + k]);
                primal += p * p / task.rho[i];
                dual += d * d / task.rho[i];
                self.y[at + k] = sum[k] - z[k];
                self.z[at + k] = z[k];
                velocity[k] = -rho / task.rho[i] * self.y[at + k];
            }
            self.shift[i] = cone.shift(&velocity);
        }
        [primal.sqrt(), dual.sqrt()]
    }
}

/// Means of the residuals since the last change of ρ.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Balance {
    pub count: usize,
    primal: f64,
    dual: f64,
}

impl Balance {
    /// One more iteration; the later ones count more.
    pub fn add(&mut self, [primal, dual]: [f64; 2]) {
        self.count += 1;
        self.primal = 0.8 * self.primal + primal;
        self.dual = 0.8 * self.dual + dual;
    }

    /// What ρ should be multiplied by to make ‖r − z‖ and ρ‖z − z_last‖ equal.
    pub fn factor(&self, rho: f64) -> f64 {
        let ratio = self.primal / (rho * self.dual);
        // both zero, or one of them: no reason to change
        if ratio.is_finite() && ratio > 0.0 { ratio.sqrt().clamp(1e-3, 1e3) } else { 1.0 }
    }
}

/// W + ρD, by Cholesky when symmetric and definite, else by LU.
fn factorise(task: &Task, rho: f64) -> Option<Factor> {
    let W = &task.problem.W;
    let (d, n) = (W.block_size(), W.n_blocks());
    let A = if d * n <= DENSE {
        let mut A: DenseMatrix = W.to_dense();
        for k in 0..d * n {
            A.set(k, k, A.get(k, k) + rho / task.rho[k / d]);
        }
        Matrix::Dense(A)
    } else {
        let diagonal: Vec<f64> = (0..d * n).map(|k| rho / task.rho[k / d]).collect();
        let W = Matrix::Sparse(W.to_sparse());
        Matrix::combination(d * n, &[(1.0, &W), (1.0, &Matrix::Sparse(SparseMatrix::from_diagonal(&diagonal)))])
    };
    Factor::new(&A).or_else(|_| Factor::lu(&A)).ok()
}
