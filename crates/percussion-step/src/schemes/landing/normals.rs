//! Normal impulses of a contact problem whose friction impulses stand.
//!
//!   0 ≤ W_NN p_N + (b_N + W_NT p_T) ⟂ p_N ≥ 0
//!
//! For y ≥ 0 with G y = 0 the right side gives (U_k + 2g_k/h)·y = 2g_k·y/h ≥ 0 whatever p_T is: there is always an answer, and its w_N is unique. So
//! what a solver of cones leaves may move friction by its residual, but opens no gap. Redundant contacts keep their shares: proximal points
//!
//!   p_{j+1} solves LCP(W_NN + ε D, b − ε D p_j),    D = diag(W_NN),    from the impulses found.
//!
//! Friction that then leaves its disc, |p_T| > μ p_N, is shortened, and the normal impulses found again. The last word is theirs.

use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{OneStepProblem, OneStepSolver, Solver, SolverOptions};

/// ε: small beside W, large beside round-off.
const EPSILON: f64 = 1e-6;
/// Proximal points, and times that friction is shortened.
const POINTS: usize = 3;
const PASSES: usize = 4;
/// Contacts from which W_NN is kept sparse.
const SPARSE_FROM: usize = 40;
/// What the normal problems are solved to.
const TIGHT: f64 = 1e-13;

/// The normal problem with its solver; the memory is buffers only.
#[derive(Debug)]
pub struct Normals {
    lcp: OneStepProblem,
    solver: Solver,
    p: Vec<f64>,
    centre: Vec<f64>,
    diagonal: Vec<f64>,
    b: Vec<f64>,
}

impl Normals {
    /// With the options of the contact problems it helps.
    pub fn new(options: SolverOptions) -> Self {
        let options = SolverOptions { tolerance: TIGHT, enough: None, ..options.strict() };
        Self {
            lcp: OneStepProblem::empty(),
            solver: Solver::new(options),
            p: Vec::new(),
            centre: Vec::new(),
            diagonal: Vec::new(),
            b: Vec::new(),
        }
    }

    /// Normal impulses of `p` once more for the friction it holds, and w = W p + b; the iterations spent.
    pub fn settle(&mut self, problem: &FrictionProblem, p: &mut [f64], w: &mut [f64]) -> usize {
        let mut iterations = 0;
        self.take(problem);
        for pass in 1..=PASSES {
            problem.velocity(p, w);
            iterations += self.solve(problem, p, w);
            if !shorten(problem, p) {
                break;
            }
            if pass == PASSES {
                problem.velocity(p, w);
                iterations += self.solve(problem, p, w);
            }
        }
        problem.velocity(p, w);
        iterations
    }

    /// W_NN + ε D.
    fn take(&mut self, problem: &FrictionProblem) {
        let n = problem.len();
        self.diagonal.clear();
        self.diagonal.extend((0..n).map(|i| problem.W.diagonal_block(i)[0].max(f64::MIN_POSITIVE)));
        let entries: Vec<(usize, usize, f64)> = (0..n)
            .flat_map(|i| problem.W.row(i).map(move |(j, block)| (i, j, block[0])))
            .map(|(i, j, x)| (i, j, if i == j { x + EPSILON * self.diagonal[i] } else { x }))
            .collect();
        self.lcp.W = if n < SPARSE_FROM {
            let mut W = DenseMatrix::zeros(n, n);
            entries.iter().for_each(|&(i, j, x)| W.set(i, j, x));
            Matrix::Dense(W)
        } else {
            Matrix::Sparse(SparseMatrix::from_triplets(n, n, &entries).expect("indices of a valid matrix"))
        };
        self.lcp.ids.clear();
        self.lcp.ids.extend(0..n);
        self.lcp.revision += 1;
    }

    /// p_N for the friction of p, whose velocity is w.
    fn solve(&mut self, problem: &FrictionProblem, p: &mut [f64], w: &[f64]) -> usize {
        let Self { lcp, solver, p: normal, centre, diagonal, b } = self;
        let (n, d) = (problem.len(), problem.dim());
        normal.clear();
        normal.extend(p.iter().step_by(d).map(|p| p.max(0.0)));
        // b_N + W_NT p_T = w_N − W_NN p_N
        b.clear();
        for i in 0..n {
            let own: f64 = problem.W.row(i).map(|(j, block)| block[0] * p[j * d]).sum();
            b.push(w[i * d] - own);
        }
        let mut iterations = 0;
        for _ in 0..POINTS {
            centre.clone_from(normal);
            lcp.b.clear();
            lcp.b.extend((0..n).map(|i| b[i] - EPSILON * diagonal[i] * centre[i]));
            iterations += solver.solve(lcp, normal).iterations;
        }
        for (p, normal) in p.iter_mut().step_by(d).zip(normal) {
            *p = normal.max(0.0);
        }
        iterations
    }
}

/// Shortens friction to μ p_N; whether any was longer.
fn shorten(problem: &FrictionProblem, p: &mut [f64]) -> bool {
    let (d, mut any) = (problem.dim(), false);
    for (i, p) in p.chunks_exact_mut(d).enumerate() {
        let (normal, cone) = (p[0], problem.cone(i));
        for (part, mu) in [(1..d.min(3), cone.mu), (d.min(3)..d, cone.mu_rolling)] {
            let length = p[part.clone()].iter().map(|p| p * p).sum::<f64>().sqrt();
            let most = mu * normal;
            if length > most * (1.0 + 1e-15) {
                p[part].iter_mut().for_each(|p| *p *= most / length);
                any = true;
            }
        }
    }
    any
}
