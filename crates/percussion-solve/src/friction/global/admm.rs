//! Alternating directions in global form: M is factorised with the contacts' stiffness, W never assembled.
//!
//!   (M + ρ H R Hᵀ) v = f + ρ H R (z − y − w − s n),    R = diag ρ_i
//!   x = Hᵀv̂ + w + s n + y,    z ← P_{C*}(x),    y ← x − z = −P_C(−x),    r = −ρR y
//!
//! v̂ is over-relaxed between Hᵀv + w + s n and z. The blocks W_ii = H_iᵀM⁻¹H_i, d solves each, give ρ_i = 1/‖W_ii‖ and
//! with it both residuals of the condensed problem: an answer is accepted when these and the global residual of
//! [`GlobalFrictionProblem::residual`] are within the tolerance.

use crate::friction::residual::{natural, spectral_norm};
use crate::friction::splitting::admm::Balance;
use crate::friction::{Cone, GlobalFrictionProblem, NotCondensed, Stop};
use crate::{Method, Residuals, SolveReport, SolveStatus, SolverOptions};
use percussion_matrix::{Factor, Matrix, SparseMatrix};

/// Over-relaxation.
const RELAXATION: f64 = 1.6;
/// Disproportion of the two residuals at which ρ is changed.
const BALANCE: f64 = 5.0;
/// Factorisations at most.
const FACTORS: usize = 20;
/// Iterations between looks at the residuals.
const LOOK: usize = 10;

/// What the method found.
#[derive(Clone, Debug)]
pub struct GlobalAnswer {
    /// v, the velocities M v = f + H r, n [m/s].
    pub v: Vec<f64>,
    /// r, the reactions [N s].
    pub r: Vec<f64>,
    /// How it went; the residuals are those of the condensed problem.
    pub report: SolveReport,
    /// The residual of the global form.
    pub global_residual: f64,
}

/// Improves the guess r by alternating directions; `options.method` is not looked at.
///
/// Fails only when the sizes disagree or M is singular.
pub fn solve_global_admm(
    problem: &GlobalFrictionProblem,
    r: &[f64],
    options: &SolverOptions,
    stop: &Stop,
) -> Result<GlobalAnswer, NotCondensed> {
    let mut mass = problem.factor()?;
    if r.len() != problem.w.len() {
        return Err(NotCondensed::Malformed);
    }
    match problem.dim {
        2 => Splitting::<2>::new(problem, &mut mass, r).solve(&mut mass, options, stop),
        3 => Splitting::<3>::new(problem, &mut mass, r).solve(&mut mass, options, stop),
        _ => Splitting::<5>::new(problem, &mut mass, r).solve(&mut mass, options, stop),
    }
}

/// The iterates.
struct Splitting<'a, const D: usize> {
    problem: &'a GlobalFrictionProblem,
    /// b = HᵀM⁻¹f + w.
    b: Vec<f64>,
    /// ρ_i = 1/‖W_ii‖.
    rho: Vec<f64>,
    z: Vec<f64>,
    y: Vec<f64>,
    shift: Vec<f64>,
    r: Vec<f64>,
    u: Vec<f64>,
}

impl<'a, const D: usize> Splitting<'a, D> {
    fn new(problem: &'a GlobalFrictionProblem, mass: &mut Factor, guess: &[f64]) -> Self {
        let m = problem.w.len();
        let mut v = problem.f.clone();
        mass.solve(&mut v);
        let b: Vec<f64> = (0..m).map(|j| problem.H.column_dot(j, &v) + problem.w[j]).collect();
        let mut rho = Vec::with_capacity(problem.len());
        let mut x = vec![0.0; v.len()];
        let mut block = vec![0.0; D * D];
        for i in 0..problem.len() {
            for c in 0..D {
                x.fill(0.0);
                problem.H.add_column(i * D + c, 1.0, &mut x);
                mass.solve(&mut x);
                for k in 0..D {
                    block[c * D + k] = problem.H.column_dot(i * D + k, &x);
                }
            }
            let size = spectral_norm(D, &block);
            rho.push(if size > f64::MIN_POSITIVE && size.is_finite() { 1.0 / size } else { 1.0 });
        }
        let finite = guess.iter().all(|x| x.is_finite());
        let r = if finite { guess.to_vec() } else { vec![0.0; m] };
        Self { problem, b, rho, z: vec![0.0; m], y: vec![0.0; m], shift: vec![0.0; problem.len()], r, u: vec![0.0; m] }
    }

    fn cone(&self, i: usize) -> Cone {
        self.problem.cone(i)
    }

    /// u = Hᵀv + w of v.
    fn relative(&mut self, v: &[f64]) {
        for j in 0..self.u.len() {
            self.u[j] = self.problem.H.column_dot(j, v) + self.problem.w[j];
        }
    }

    /// v = M⁻¹(f + H r), and the residuals of both forms.
    fn judge(&mut self, mass: &mut Factor, r: &[f64]) -> (Vec<f64>, Residuals, f64) {
        let v = self.problem.velocity(mass, r);
        self.relative(&v);
        let condensed = natural::<D>(&self.b, |i| self.cone(i), &self.rho, r, &self.u);
        let global = self.problem.residual(&v, r);
        (v, condensed, global)
    }

    fn solve(mut self, mass: &mut Factor, options: &SolverOptions, stop: &Stop) -> Result<GlobalAnswer, NotCondensed> {
        let mut rho = 1.0;
        let r = self.r.clone();
        let (v, residuals, global) = self.judge(mass, &r);
        let mut best = (v, r, residuals, global);
        let worst = |residuals: &Residuals, global: f64| residuals.worst().max(global);

        // z and y of the guess
        for i in 0..self.problem.len() {
            let u: [f64; D] = std::array::from_fn(|k| self.u[i * D + k]);
            self.shift[i] = self.cone(i).shift(&u);
            for k in 0..D {
                self.z[i * D + k] = u[k] + if k == 0 { self.shift[i] } else { 0.0 };
                self.y[i * D + k] = -self.r[i * D + k] / (rho * self.rho[i]);
            }
        }
        let mut factor = self.factorise(rho)?;
        let (mut factors, mut wait, mut iterations) = (1, 10, 0);
        let mut balance = Balance::default();
        let mut v = vec![0.0; self.problem.f.len()];
        while iterations < options.max_iterations
            && worst(&best.2, best.3) > options.tolerance
            && !stop.requested()
            && !self.problem.is_empty()
        {
            iterations += 1;
            balance.add(self.step(rho, &mut factor, &mut v));
            if !v.iter().all(|x| x.is_finite()) {
                break;
            }
            if iterations % LOOK == 0 || iterations == options.max_iterations {
                let r = self.r.clone();
                let (v, residuals, global) = self.judge(mass, &r);
                if worst(&residuals, global) < worst(&best.2, best.3) {
                    best = (v, r, residuals, global);
                }
            }
            if balance.count >= wait && factors < FACTORS {
                let change = balance.factor(rho);
                balance = Balance::default();
                if !(1.0 / BALANCE..=BALANCE).contains(&change) {
                    let Ok(next) = self.factorise(rho * change) else { break };
                    factor = next;
                    rho *= change;
                    // r = −ρR y is what stays
                    self.y.iter_mut().for_each(|y| *y /= change);
                    factors += 1;
                    wait += 10;
                }
            }
        }
        let status = if worst(&best.2, best.3) <= options.tolerance {
            SolveStatus::Solved
        } else if stop.requested() {
            SolveStatus::TimeLimit
        } else {
            SolveStatus::NotConverged
        };
        let report = SolveReport { status, method: Method::Admm, iterations, residuals: best.2 };
        Ok(GlobalAnswer { v: best.0, r: best.1, report, global_residual: best.3 })
    }

    /// M + ρ H R Hᵀ.
    fn factorise(&self, rho: f64) -> Result<Factor, NotCondensed> {
        let n = self.problem.f.len();
        let R: Vec<f64> = (0..self.z.len()).map(|j| rho * self.rho[j / D]).collect();
        let H = &self.problem.H;
        let HRH = Matrix::Sparse(H.times(&SparseMatrix::from_diagonal(&R)).times(&H.transpose()));
        let A = Matrix::combination(n, &[(1.0, &Matrix::Sparse(self.problem.M.clone())), (1.0, &HRH)]);
        Factor::new(&A).or_else(|_| Factor::lu(&A)).map_err(|failure| NotCondensed::SingularMass(failure.row))
    }

    /// One iteration; ‖Hᵀv + w + s n − z‖ and ‖z − z_last‖, in the metric of R.
    fn step(&mut self, rho: f64, factor: &mut Factor, v: &mut [f64]) -> [f64; 2] {
        v.copy_from_slice(&self.problem.f);
        for i in 0..self.problem.len() {
            for k in 0..D {
                let j = i * D + k;
                let shift = if k == 0 { self.shift[i] } else { 0.0 };
                let pull = rho * self.rho[i] * (self.z[j] - self.y[j] - self.problem.w[j] - shift);
                self.problem.H.add_column(j, pull, v);
            }
        }
        factor.solve(v);
        self.relative(v);
        let (mut primal, mut dual) = (0.0, 0.0);
        for i in 0..self.problem.len() {
            let cone = self.cone(i);
            let mut against = [0.0; D];
            for k in 0..D {
                let j = i * D + k;
                let shifted = self.u[j] + if k == 0 { self.shift[i] } else { 0.0 };
                against[k] = -(RELAXATION * shifted + (1.0 - RELAXATION) * self.z[j] + self.y[j]);
                let p = shifted - self.z[j];
                primal += self.rho[i] * p * p;
            }
            // Moreau: x = P_{C*}(x) − P_C(−x)
            let y = cone.project(&against);
            for k in 0..D {
                let j = i * D + k;
                let z = y[k] - against[k];
                let d = z - self.z[j];
                dual += self.rho[i] * d * d;
                self.z[j] = z;
                self.y[j] = -y[k];
                self.r[j] = rho * self.rho[i] * y[k];
            }
            let u: [f64; D] = std::array::from_fn(|k| self.u[i * D + k]);
            self.shift[i] = cone.shift(&u);
        }
        [primal.sqrt(), dual.sqrt()]
    }
}
