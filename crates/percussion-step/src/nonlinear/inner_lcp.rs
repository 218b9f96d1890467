//! A Newton iteration of the GGL step whose contacts are decided by a complementarity problem instead of an active set.
//!
//! With all contact rows of the matrix active, split the unknowns into y (motion and joints) and the contact multipliers:
//!
//!   T_yy y + T_yd d = −r_y,   z = (ν/h, Λ),   d = z_old − z
//!   0 ≤ R + C y ⟂ z ≥ 0   ⇒   W = −C Y,  b = R + C (y_0 + Y z_old),   y_0 = −T_yy⁻¹r_y,  Y = −T_yy⁻¹T_yd
//!
//! Rows of Λ exist for closed contacts only; the others get Λ = 0. Redundant contacts only make W rank-deficient, which
//! the contact solver copes with; redundant joints are regularised by −δ W_jj with iterative refinement.

use super::ggl_newton::{GglNewton, Iterate, Setting};
use percussion_matrix::{DenseMatrix, Matrix, SmallLu};
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};

/// Relative regularisation of joint rows.
const DELTA: f64 = 1e-8;

/// The buffers of the inner problem.
#[derive(Debug)]
pub struct InnerLcp {
    solver: Solver,
    lu: SmallLu,
    /// Places of y in the whole system.
    y: Vec<usize>,
    /// Places of the contact multipliers that are sought.
    z: Vec<usize>,
    T: DenseMatrix,
    columns: Vec<Vec<f64>>,
}

impl InnerLcp {
    /// With a solver of its own.
    pub fn new(options: SolverOptions) -> Self {
        Self {
            solver: Solver::new(options),
            lu: SmallLu::default(),
            y: Vec::new(),
            z: Vec::new(),
            T: DenseMatrix::zeros(0, 0),
            columns: Vec::new(),
        }
    }

    /// Computes the increment into `newton.system.x`; false when the inner problem cannot be solved.
    pub fn increment(&mut self, newton: &mut GglNewton, s: &Setting, x: &Iterate) -> bool {
        let (nb, nc) = (s.nb(), s.nc());
        for j in nb..nc {
            (newton.in_A[j], newton.in_B[j]) = (true, true);
        }
        newton.residuals(s, x);
        newton.assemble(s, x);

        // who is who
        self.y.clear();
        self.z.clear();
        for i in 0..s.size() {
            match s.contact_of(i) {
                None => self.y.push(i),
                Some((j, true)) if !newton.closed[j] => {}
                Some(_) => self.z.push(i),
            }
        }
        let (ny, nz) = (self.y.len(), self.z.len());
        let T = &newton.system;
        self.T.reset(ny, ny);
        for (b, &j) in self.y.iter().enumerate() {
            for (a, &i) in self.y.iter().enumerate() {
                self.T.set(a, b, T.entry(i, j));
            }
        }
        let regular = self.factorise(s, &newton.r);
        if !regular {
            return false;
        }

        // y_0 and Y; open contacts lose their Λ: d = Λ_old there
        self.columns.resize_with(nz + 1, Vec::new);
        for k in 0..=nz {
            let mut column = std::mem::take(&mut self.columns[k]);
            column.clear();
            if k == 0 {
                column.extend(self.y.iter().map(|&i| {
                    let mut sum = T.x[i];
                    for j in nb..nc {
                        if !newton.closed[j] && x.La[j] != 0.0 {
                            sum -= T.entry(i, s.place_of_La(j)) * x.La[j];
                        }
                    }
                    sum
                }));
            } else {
                column.extend(self.y.iter().map(|&i| -T.entry(i, self.z[k - 1])));
            }
            self.refined_solve(&mut column);
            self.columns[k] = column;
        }

        // the complementarity problem
        let z_old: Vec<f64> = self.z.iter().map(|&i| s.multiplier(x, i)).collect();
        let mut W = DenseMatrix::zeros(nz, nz);
        let mut b = vec![0.0; nz];
        for (a, &i) in self.z.iter().enumerate() {
            let along = |column: &[f64]| self.y.iter().zip(column).map(|(&k, c)| T.entry(i, k) * c).sum::<f64>();
            // T.x holds −r, and the contact rows of r are R
            b[a] = -T.x[i] + along(&self.columns[0]);
            for k in 0..nz {
                let w = -along(&self.columns[k + 1]);
                W.set(a, k, w);
                b[a] -= w * z_old[k];
            }
        }
        let problem = OneStepProblem::new(Matrix::Dense(W), b);
        let mut z: Vec<f64> = z_old.iter().map(|z| z.max(0.0)).collect();
        if self.solver.solve(&problem, &mut z).status != SolveStatus::Solved {
            return false;
        }

        // back to increments of everything
        let out = &mut newton.system.x;
        out.fill(0.0);
        for j in nb..nc {
            if !newton.closed[j] {
                out[s.place_of_La(j)] = x.La[j];
            }
        }
        for (k, &i) in self.z.iter().enumerate() {
            out[i] = z_old[k] - z[k].max(0.0);
        }
        for (a, &i) in self.y.iter().enumerate() {
            let mut sum = self.columns[0][a];
            for (k, &place) in self.z.iter().enumerate() {
                sum += self.columns[k + 1][a] * out[place];
            }
            out[i] = sum;
        }
        out.iter().all(|x| x.is_finite())
    }

    /// Factorises T_yy, with −δ W_jj on the joint rows when it is singular.
    fn factorise(&mut self, s: &Setting, r: &[f64]) -> bool {
        let ny = self.y.len();
        self.lu.reset(ny).copy_from_slice(self.T.values());
        if self.lu.factorise() {
            return true;
        }
        let buffer = self.lu.reset(ny);
        buffer.copy_from_slice(self.T.values());
        for (a, &i) in self.y.iter().enumerate() {
            if let Some(j) = s.joint_of(i) {
                buffer[a + a * ny] -= DELTA / r[j];
            }
        }
        self.lu.factorise()
    }

    /// x ← T_yy⁻¹ x with refinement, which removes what the regularisation added where a solution exists.
    fn refined_solve(&self, x: &mut [f64]) {
        let b = x.to_vec();
        self.lu.solve(x);
        for _ in 0..4 {
            let mut rest = b.clone();
            super::evaluation::mul_add(&self.T, -1.0, x, &mut rest);
            let size = percussion_matrix::vector::max_abs(&b);
            if percussion_matrix::vector::max_abs(&rest) <= 1e-15 * size {
                return;
            }
            self.lu.solve(&mut rest);
            percussion_matrix::vector::axpy(1.0, &rest, x);
        }
    }
}
