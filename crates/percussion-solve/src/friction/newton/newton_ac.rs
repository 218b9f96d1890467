//! Semismooth Newton on the Alart–Curnier function (Alart and Curnier 1991).
//!
//!   (G_r + G_u (W + εD)) δr = −F(r, u),    D = diag ρ⁻¹
//!
//! Rows of open contacts say δr = −r and are eliminated. What is left is solved by a block LU that pivots inside blocks
//! only; where its solution leaves a residual, by a pivoting LU. A line search on ‖F‖ that tolerates some growth
//! chooses the step.

use crate::Method;
use crate::entry::{Complementarity, Entry, Friction, friction_method};
use crate::friction::FrictionProblem;
use crate::friction::newton::alart_curnier::Law;
use crate::friction::solver::FrictionTools;
use crate::friction::sweeps::Order;
use crate::friction::task::Task;
use crate::friction::two_body::OnBodies;
use crate::report::Outcome;
use percussion_matrix::{BlockLu, DenseMatrix, Factor, Matrix, SparseMatrix};

/// Up to so many unknowns of closed contacts the pivoting LU is a dense one.
const DENSE: usize = 360;
/// Merits remembered by the line search.
const MEMORY: usize = 6;
/// Shortest step.
const SHORTEST: f64 = 1.0 / 64.0;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "newton-ac",
    summary: "semismooth Newton on the Alart-Curnier function; quadratic near a solution, regular problems",
    most_rows: None,
    complementarity: Complementarity::None,
    friction: Some(Friction::of::<NewtonAc>(OnBodies::Momentum)),
};

friction_method! {
    /// Newton without a shift.
    NewtonAc(tools, task, r) {
        let FrictionTools { u, sweeper, newton, .. } = tools;
        // a few sweeps bring Newton near
        sweeper.solve(&task.limited(10), r, u, Order::Natural);
        newton.solve_plain(task, r, u).unjudged(Method::NewtonAc)
    }
}

/// The method with its work memory, for contacts of D components (D2 = D²).
#[derive(Debug, Default)]
pub(crate) struct Newton<const D: usize, const D2: usize> {
    laws: Vec<Law<D, D2>>,
    trial: Vec<f64>,
    u_trial: Vec<f64>,
    step: Vec<f64>,
    du: Vec<f64>,
    rows: Vec<usize>,
    place: Vec<usize>,
    /// Within one solve the pattern stays, whatever the revision says.
    same_pattern: bool,
    lu: Option<(u64, (usize, usize), BlockLu<D, D2>)>,
    sparse: Option<SparseSystem>,
}

/// Largest ‖A δr + F‖/‖F‖ of a direction from the block LU.
const LINEAR_RESIDUAL: f64 = 1e-4;

/// The sparse matrix on the pattern of W and its factor.
#[derive(Debug)]
struct SparseSystem {
    matrix: Matrix,
    /// Where each number of W's blocks goes among the values of `matrix`.
    places: Vec<usize>,
    factor: Option<Factor>,
    revision: u64,
    size: (usize, usize),
}

/// A proximal shift: W + εD, b − εD r₀.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proximal<'a> {
    pub epsilon: f64,
    pub centre: &'a [f64],
}

impl<const D: usize, const D2: usize> Newton<D, D2> {
    /// Newton's method on the (shifted) problem until ‖F‖ ≤ `target`·scale; u is the shifted velocity of r.
    ///
    /// Returns the iterations and the relative ‖F‖ reached.
    pub fn solve(
        &mut self,
        task: &Task,
        proximal: Option<Proximal>,
        r: &mut [f64],
        u: &mut [f64],
        target: f64,
    ) -> (usize, f64) {
        let n = r.len();
        for x in [&mut self.trial, &mut self.u_trial, &mut self.step, &mut self.du] {
            x.resize(n, 0.0);
        }
        velocity::<D>(task, proximal, r, u);
        let mut merit = self.evaluate(task, r, u);
        let scale = scale::<D>(task, r);
        let mut history = vec![merit];
        let mut iterations = 0;
        let mut best = merit;
        let mut since_best = 0;
        while iterations < task.limit && merit > target * scale && !task.stop.requested() {
            if !self.direction(task, proximal.map_or(0.0, |p| p.epsilon), merit) {
                break;
            }
            iterations += 1;
            let bound = history.iter().copied().fold(0.0, f64::max);
            let mut length = 1.0;
            let next = loop {
                for k in 0..n {
                    self.trial[k] = r[k] + length * self.step[k];
                    self.u_trial[k] = u[k] + length * self.du[k];
                }
                let (trial, u_trial) = (std::mem::take(&mut self.trial), std::mem::take(&mut self.u_trial));
                let next = self.evaluate(task, &trial, &u_trial);
                (self.trial, self.u_trial) = (trial, u_trial);
                if next <= (1.0 - 1e-4 * length) * bound || length <= SHORTEST {
                    break next;
                }
                length *= 0.5;
            };
            if !next.is_finite() {
                break;
            }
            r.copy_from_slice(&self.trial);
            u.copy_from_slice(&self.u_trial);
            merit = next;
            if history.len() == MEMORY {
                history.remove(0);
            }
            history.push(merit);
            if merit < 0.9 * best {
                (best, since_best) = (merit, 0);
            } else {
                since_best += 1;
                if since_best > 12 {
                    break;
                }
            }
        }
        (iterations, merit / scale)
    }

    /// Block products of a factorisation, from the order and fill that a later solve will use.
    pub fn block_products(&mut self, problem: &FrictionProblem) -> f64 {
        let lu = self.block_lu(problem);
        let products = lu.n_products();
        self.keep(problem, lu);
        self.same_pattern = true;
        products
    }

    /// The block LU of the problem's pattern: the last one if it may be kept.
    pub fn block_lu(&mut self, problem: &FrictionProblem) -> BlockLu<D, D2> {
        let size = (problem.W.n_blocks(), problem.W.n_stored());
        match self.lu.take() {
            Some((revision, known, lu))
                if revision == problem.revision && known == size && (revision != 0 || self.same_pattern) =>
            {
                lu
            }
            _ => BlockLu::new(&problem.W),
        }
    }

    /// Hands it back.
    pub fn keep(&mut self, problem: &FrictionProblem, lu: BlockLu<D, D2>) {
        self.lu = Some((problem.revision, (problem.W.n_blocks(), problem.W.n_stored()), lu));
    }

    /// Forgets that the pattern is known: the next problem may be another one.
    pub fn forget(&mut self) {
        self.same_pattern = false;
    }

    /// Plain Newton from r, judged by the common residuals.
    pub fn solve_plain(&mut self, task: &Task, r: &mut [f64], u: &mut [f64]) -> Outcome {
        let mut iterations = 0;
        let mut target = 0.1 * task.tolerance;
        let mut residuals = task.judge(r, u);
        // F and the common residuals differ by factors; the target follows
        for _ in 0..4 {
            if residuals.worst() <= task.tolerance {
                break;
            }
            let (count, _) = self.solve(&task.limited(task.limit - iterations), None, r, u, target);
            iterations += count;
            residuals = task.judge(r, u);
            target *= 0.01;
            if count == 0 {
                break;
            }
        }
        Outcome { iterations, residuals }
    }

    /// Laws of all contacts at (r, u), and ‖F‖.
    fn evaluate(&mut self, task: &Task, r: &[f64], u: &[f64]) -> f64 {
        self.laws.clear();
        let mut sum = 0.0;
        for (i, (r, u)) in r.as_chunks::<D>().0.iter().zip(u.as_chunks::<D>().0).enumerate() {
            let law = Law::at(task.problem.cone(i), task.rho[i], r, u);
            for f in law.F {
                sum += f * f;
            }
            self.laws.push(law);
        }
        sum.sqrt()
    }

    /// Solves for `step`; false when the matrix is singular.
    fn direction(&mut self, task: &Task, epsilon: f64, merit: f64) -> bool {
        let n = task.problem.len();
        self.rows.clear();
        self.place.clear();
        self.place.resize(n, usize::MAX);
        for i in 0..n {
            if !self.laws[i].open {
                self.place[i] = self.rows.len();
                self.rows.push(i);
            }
        }
        self.reset_step();
        if self.rows.is_empty() {
            self.response(task, epsilon);
            return true;
        }
        if self.direction_block(task, epsilon) {
            self.response(task, epsilon);
            if self.linear_residual() <= LINEAR_RESIDUAL * merit {
                return true;
            }
        }
        if task.stop.requested() {
            return false;
        }
        let regular = if self.rows.len() * D <= DENSE {
            self.direction_dense(task, epsilon)
        } else {
            self.direction_sparse(task, epsilon)
        };
        if regular {
            self.response(task, epsilon);
        }
        regular
    }

    /// δu = (W + εD) δr.
    fn response(&mut self, task: &Task, epsilon: f64) {
        self.du.fill(0.0);
        task.problem.W.mul_add(&self.step, &mut self.du);
        if epsilon != 0.0 {
            for k in 0..self.du.len() {
                self.du[k] += epsilon / task.rho[k / D] * self.step[k];
            }
        }
    }

    /// ‖G_r δr + G_u δu + F‖.
    fn linear_residual(&self) -> f64 {
        let mut sum = 0.0;
        let (step, du) = (self.step.as_chunks::<D>().0, self.du.as_chunks::<D>().0);
        for (i, law) in self.laws.iter().enumerate() {
            for k in 0..D {
                let mut x = law.F[k];
                for c in 0..D {
                    x += law.G_r[c * D + k] * step[i][c] + law.G_u[c * D + k] * du[i][c];
                }
                sum += x * x;
            }
        }
        if sum.is_finite() { sum.sqrt() } else { f64::INFINITY }
    }

    /// Solves for `step` by the block LU.
    fn direction_block(&mut self, task: &Task, epsilon: f64) -> bool {
        let problem = task.problem;
        let W = &problem.W;
        let mut lu = self.block_lu(problem);
        self.same_pattern = true;
        let blocks = W.values().as_chunks::<D2>().0;

        // closed rows: −F − Σ over open columns A_ij δr_j
        for &i in &self.rows {
            for e in W.row_ptr()[i]..W.row_ptr()[i + 1] {
                let j = W.col_idx()[e] as usize;
                if !self.laws[j].open {
                    continue;
                }
                let block = self.block(i, j, &blocks[e], epsilon, task.rho[i]);
                for c in 0..D {
                    let x = -self.laws[j].F[c];
                    for k in 0..D {
                        self.step[i * D + k] -= block[c * D + k] * x;
                    }
                }
            }
        }
        let (laws, this) = (&self.laws, &*self);
        let regular = lu.factorise(
            |i| laws[i].open,
            |i, put| {
                for e in W.row_ptr()[i]..W.row_ptr()[i + 1] {
                    let j = W.col_idx()[e] as usize;
                    if !laws[j].open {
                        put(j, &this.block(i, j, &blocks[e], epsilon, task.rho[i]));
                    }
                }
                !task.stop.requested()
            },
        );
        if regular {
            lu.solve(&mut self.step);
        }
        self.keep(problem, lu);
        if !regular {
            self.reset_step();
        }
        regular && self.step.iter().all(|x| x.is_finite())
    }

    /// δr ← −F: right for open contacts, the right-hand side for the others.
    fn reset_step(&mut self) {
        for (i, law) in self.laws.iter().enumerate() {
            for k in 0..D {
                self.step[i * D + k] = -law.F[k];
            }
        }
    }

    /// G_u (W_ij + ε D δ_ij) + G_r δ_ij.
    #[inline]
    fn block(&self, i: usize, j: usize, w: &[f64; D2], epsilon: f64, rho: f64) -> [f64; D2] {
        let law = &self.laws[i];
        let mut out = [0.0; D2];
        for c in 0..D {
            for m in 0..D {
                let mut x = w[c * D + m];
                if i == j && c == m {
                    x += epsilon / rho;
                }
                if x != 0.0 {
                    for k in 0..D {
                        out[c * D + k] += law.G_u[m * D + k] * x;
                    }
                }
            }
        }
        if i == j {
            for k in 0..D2 {
                out[k] += law.G_r[k];
            }
        }
        out
    }

    fn direction_dense(&mut self, task: &Task, epsilon: f64) -> bool {
        self.reset_step();
        let W = &task.problem.W;
        let blocks = W.values().as_chunks::<D2>().0;
        let size = self.rows.len() * D;
        let mut A = DenseMatrix::zeros(size, size);
        let mut rhs = vec![0.0; size];
        for (a, &i) in self.rows.iter().enumerate() {
            for k in 0..D {
                rhs[a * D + k] -= self.laws[i].F[k];
            }
            for e in W.row_ptr()[i]..W.row_ptr()[i + 1] {
                let j = W.col_idx()[e] as usize;
                let block = self.block(i, j, &blocks[e], epsilon, task.rho[i]);
                match self.place[j] {
                    usize::MAX => {
                        for c in 0..D {
                            for k in 0..D {
                                rhs[a * D + k] -= block[c * D + k] * self.step[j * D + c];
                            }
                        }
                    }
                    b => {
                        for c in 0..D {
                            A.column_mut(b * D + c)[a * D..(a + 1) * D].copy_from_slice(&block[c * D..(c + 1) * D]);
                        }
                    }
                }
            }
        }
        let Ok(mut factor) = Factor::lu(&Matrix::Dense(A)) else { return false };
        factor.solve(&mut rhs);
        for (a, &i) in self.rows.iter().enumerate() {
            self.step[i * D..(i + 1) * D].copy_from_slice(&rhs[a * D..(a + 1) * D]);
        }
        self.step.iter().all(|x| x.is_finite())
    }

    fn direction_sparse(&mut self, task: &Task, epsilon: f64) -> bool {
        let problem = task.problem;
        let W = &problem.W;
        let size = (W.n_blocks(), W.n_stored());
        let keep = |s: &SparseSystem| {
            (problem.revision != 0 || self.same_pattern) && s.revision == problem.revision && s.size == size
        };
        if !self.sparse.as_ref().is_some_and(keep) {
            self.sparse = Some(SparseSystem::new::<D>(W, problem.revision));
        }
        let Some(mut system) = self.sparse.take() else { return false };
        let blocks = W.values().as_chunks::<D2>().0;
        if let Matrix::Sparse(A) = &mut system.matrix {
            let values = A.values_mut();
            for i in 0..problem.len() {
                for e in W.row_ptr()[i]..W.row_ptr()[i + 1] {
                    let j = W.col_idx()[e] as usize;
                    let block = if self.laws[i].open {
                        if i == j { self.laws[i].G_r } else { [0.0; D2] }
                    } else {
                        self.block(i, j, &blocks[e], epsilon, task.rho[i])
                    };
                    for (k, x) in block.into_iter().enumerate() {
                        values[system.places[e * D2 + k]] = x;
                    }
                }
            }
        }
        let regular = match &mut system.factor {
            Some(factor) => factor.refactor(&system.matrix).is_ok(),
            place => match Factor::lu(&system.matrix) {
                Ok(factor) => {
                    *place = Some(factor);
                    true
                }
                Err(_) => false,
            },
        };
        if regular && let Some(factor) = &mut system.factor {
            self.reset_step();
            factor.solve(&mut self.step);
        }
        self.sparse = Some(system);
        regular && self.step.iter().all(|x| x.is_finite())
    }
}

impl SparseSystem {
    fn new<const D: usize>(W: &percussion_matrix::BlockMatrix, revision: u64) -> Self {
        let pattern = W.to_sparse();
        // to_sparse keeps every number of every block, zero or not
        let mut places = Vec::with_capacity(W.values().len());
        for i in 0..W.n_blocks() {
            for e in W.row_ptr()[i]..W.row_ptr()[i + 1] {
                let j = W.col_idx()[e] as usize;
                for k in 0..D * D {
                    let (row, col) = (i * D + k % D, j * D + k / D);
                    let (rows, _) = pattern.column(col);
                    let at = rows.binary_search(&row).expect("the pattern holds every block");
                    places.push(pattern.col_ptr()[col] + at);
                }
            }
        }
        let size = (W.n_blocks(), W.n_stored());
        Self { matrix: Matrix::Sparse(SparseMatrix::clone(&pattern)), places, factor: None, revision, size }
    }
}

/// u ← (W + εD) r + b − εD r₀.
pub(crate) fn velocity<const D: usize>(task: &Task, proximal: Option<Proximal>, r: &[f64], u: &mut [f64]) {
    task.problem.velocity(r, u);
    if let Some(p) = proximal {
        for k in 0..r.len() {
            u[k] += p.epsilon / task.rho[k / D] * (r[k] - p.centre[k]);
        }
    }
}

/// max(‖r‖, ‖ρ∘b‖): what F, an impulse, is compared with.
fn scale<const D: usize>(task: &Task, r: &[f64]) -> f64 {
    let (mut rr, mut bb) = (0.0, 0.0);
    for k in 0..r.len() {
        let b = task.rho[k / D] * task.problem.b[k];
        rr += r[k] * r[k];
        bb += b * b;
    }
    f64::max(rr, bb).sqrt().max(f64::MIN_POSITIVE)
}
