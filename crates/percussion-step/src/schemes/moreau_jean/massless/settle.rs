//! Nodes without mass must start in equilibrium, pushed back where they would penetrate.
//!
//!   K_cc q_c = F_c(0) − K_ci q_i + G_c λ,    0 ≤ g ⟂ λ ≥ 0,    B = −K_ic K_cc⁻¹ G_c

use crate::linear::load::Load;
use percussion_matrix::{DenseMatrix, Factor, Matrix, SparseMatrix, vector};
use percussion_model::LinearModel;
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};

/// Places nearer than this, relative to the largest displacement or gap, are the same.
const SAME: f64 = 1e-9;

/// K_cc with its factor, over the coordinates without mass.
#[derive(Debug)]
pub struct Surface {
    /// These coordinates, ascending.
    coordinates: Vec<usize>,
    /// The place of every coordinate among them.
    place: Vec<usize>,
    factor: Factor,
}

/// Where the nodes without mass are in equilibrium, and what holds them there.
#[derive(Debug)]
pub struct Settled {
    /// q.
    pub q: Vec<f64>,
    /// λ of each contact [N].
    pub lambda: Vec<f64>,
    /// Whether q is another place than the one given.
    pub moved: bool,
}

impl Surface {
    /// Of a model with nodes without mass; none where K_cc is singular.
    pub fn new(model: &LinearModel) -> Option<Self> {
        let coordinates: Vec<usize> = (0..model.n()).filter(|&i| model.massless()[i]).collect();
        let mut place = vec![usize::MAX; model.n()];
        coordinates.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        let n = coordinates.len();
        let mut entries = Vec::new();
        let Some(Matrix::Sparse(K)) = model.stiffness() else { return None };
        for (b, &j) in coordinates.iter().enumerate() {
            let (rows, values) = K.column(j);
            let own = rows.iter().zip(values).filter(|(i, _)| place[**i] != usize::MAX);
            entries.extend(own.map(|(&i, &x)| (place[i], b, x)));
        }
        let K_cc = SparseMatrix::from_triplets(n, n, &entries)?;
        let factor = Factor::new(&Matrix::Sparse(K_cc)).ok()?;
        Some(Self { coordinates, place, factor })
    }

    /// K_cc⁻¹ G_j over the coordinates without mass.
    fn column(&mut self, model: &LinearModel, j: usize) -> Vec<f64> {
        let mut y = vec![0.0; self.coordinates.len()];
        let (rows, values) = model.G().column(j);
        rows.iter().zip(values).for_each(|(&i, &x)| y[self.place[i]] += x);
        self.factor.solve(&mut y);
        y
    }

    /// G_jᵀ y of such a vector.
    fn gap_of(&self, model: &LinearModel, j: usize, y: &[f64]) -> f64 {
        let (rows, values) = model.G().column(j);
        rows.iter().zip(values).map(|(&i, &x)| x * y[self.place[i]]).sum()
    }

    /// B_j = −K_ic K_cc⁻¹ G_j, zero on the nodes without mass.
    pub fn interior(&mut self, model: &LinearModel, j: usize) -> Vec<f64> {
        let local = self.column(model, j);
        self.behind(model, &local)
    }

    /// Σ B_j α_j.
    pub fn push(&mut self, model: &LinearModel, alpha: &[f64]) -> Vec<f64> {
        let mut local = vec![0.0; self.coordinates.len()];
        for (j, &alpha) in alpha.iter().enumerate().filter(|(_, alpha)| **alpha != 0.0) {
            let (rows, values) = model.G().column(j);
            rows.iter().zip(values).for_each(|(&i, &x)| local[self.place[i]] += alpha * x);
        }
        self.factor.solve(&mut local);
        self.behind(model, &local)
    }

    /// Bᵀx over all contacts: −GᵀK_cc⁻¹ K_ci x_i.
    pub fn pull(&mut self, model: &LinearModel, x: &[f64]) -> Vec<f64> {
        let (mut interior, mut force) = (x.to_vec(), vec![0.0; model.n()]);
        self.coordinates.iter().for_each(|&i| interior[i] = 0.0);
        model.add_elastic_force(-1.0, &interior, &mut force);
        let mut local: Vec<f64> = self.coordinates.iter().map(|&i| force[i]).collect();
        self.factor.solve(&mut local);
        (0..model.n_contacts()).map(|j| self.gap_of(model, j, &local)).collect()
    }

    /// −K_ic y_c, zero on the nodes without mass.
    fn behind(&self, model: &LinearModel, local: &[f64]) -> Vec<f64> {
        let (mut y, mut B) = (vec![0.0; model.n()], vec![0.0; model.n()]);
        self.coordinates.iter().zip(local).for_each(|(&i, &value)| y[i] = value);
        model.add_elastic_force(-1.0, &y, &mut B);
        self.coordinates.iter().for_each(|&i| B[i] = 0.0);
        B
    }

    /// Equilibrium of the nodes without mass at t = 0, the others where they are in q; none where no forces hold them.
    pub fn settle(&mut self, model: &LinearModel, q: &[f64], options: SolverOptions) -> Option<Settled> {
        // K_cc Δ = F_c − (K q)_c: the change of place without contact forces
        let mut force = Load::new(model).now;
        model.add_elastic_force(-1.0, q, &mut force);
        let mut change: Vec<f64> = self.coordinates.iter().map(|&i| force[i]).collect();
        self.factor.solve(&mut change);
        let m = model.n_contacts();
        let b: Vec<f64> = (0..m).map(|j| model.gap(j, q, 0.0) + self.gap_of(model, j, &change)).collect();
        let size = b.iter().fold(vector::max_abs(q), |size: f64, b| size.max(b.abs()));
        let mut lambda = vec![0.0; m];
        if b.iter().any(|&b| b <= 0.0) {
            let columns: Vec<Vec<f64>> = (0..m).map(|j| self.column(model, j)).collect();
            let mut W = DenseMatrix::zeros(m, m);
            for (j, column) in columns.iter().enumerate() {
                (0..m).for_each(|i| W.set(i, j, self.gap_of(model, i, column)));
            }
            let problem = OneStepProblem::new(Matrix::Dense(W), b);
            let options = SolverOptions { tolerance: options.tolerance.min(1e-13), ..options };
            if Solver::new(options).solve(&problem, &mut lambda).status != SolveStatus::Solved {
                return None;
            }
            for (column, value) in columns.iter().zip(&mut lambda) {
                *value = value.max(0.0);
                vector::axpy(*value, column, &mut change);
            }
        }
        let moved = vector::max_abs(&change) > SAME * size;
        let mut q = q.to_vec();
        if moved {
            self.coordinates.iter().zip(&change).for_each(|(&i, &value)| q[i] += value);
        }
        Some(Settled { q, lambda, moved })
    }
}
