//! A Newton iteration of the GGL step whose contacts are decided by a complementarity problem instead of an active set.
//!
//! With all contact rows of the matrix active, split the unknowns into y (motion and joints) and the contact multipliers:
//!
//!   T_yy y + T_yd d = −r_y,   z = (ν/h, Λ),   d = z_old − z
//!   0 ≤ R + C y ⟂ z ≥ 0   ⇒   W = −C Y,  b = R + C (y_0 + Y z_old),   y_0 = −T_yy⁻¹r_y,  Y = −T_yy⁻¹T_yd
//!
//! Rows of Λ exist for closed contacts only; the others get Λ = 0. Redundant contacts only make W rank-deficient, which
//! the contact solver copes with; redundant joints are regularised by −δ W_jj with iterative refinement.

use crate::newton::system::{NewtonSystem, REDUNDANT};
use crate::schemes::ggl::lagrangian::newton::{GglNewton, Iterate, Setting};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_solve::{Method, OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};

/// The buffers of the inner problem.
#[derive(Debug)]
pub struct InnerLcp {
    sharing: Solver,
    solver: Solver,
    /// T_yy.
    T: NewtonSystem,
    /// Places of y in the whole system.
    y: Vec<usize>,
    /// Places of the contact multipliers that are sought.
    z: Vec<usize>,
    columns: Vec<Vec<f64>>,
}

impl InnerLcp {
    /// With a solver of its own.
    pub fn new(options: SolverOptions) -> Self {
        Self {
            sharing: Solver::new(SolverOptions { method: Method::Proximal, ..options }),
            solver: Solver::new(options),
            T: NewtonSystem::default(),
            y: Vec::new(),
            z: Vec::new(),
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
        self.T.clear(ny);
        for (b, &j) in self.y.iter().enumerate() {
            for (a, &i) in self.y.iter().enumerate() {
                self.T.add(a, b, T.entry(i, j));
            }
        }
        let y = &self.y;
        let compliance = |a: usize| s.joint_of(y[a]).map_or(0.0, |j| -REDUNDANT / newton.r[j]);
        if !(self.T.factorise() || self.T.factorise_shifted(compliance)) {
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
            self.T.solve_refined(&mut column);
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
        // the proximal method from zero shares the load of redundant contacts evenly; where it fails any solution will do
        let problem = OneStepProblem::new(Matrix::Dense(W), b);
        let mut z = vec![0.0; nz];
        if self.sharing.solve(&problem, &mut z).status != SolveStatus::Solved {
            z.iter_mut().zip(&z_old).for_each(|(z, old)| *z = old.max(0.0));
            if self.solver.solve(&problem, &mut z).status != SolveStatus::Solved {
                return false;
            }
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
}
