//! One contact problem of a step, with or without friction.
//!
//!   w = W p + b,   b_N = u_free + e u_before,   b_T = u_free + α u_before,   0 ≤ w_N ⟂ p_N ≥ 0 or Coulomb's cone

use crate::contact::law::{ContactLaw, padded_blocks, without_friction};
use crate::schemes::landing::normals::Normals;
use crate::{FrictionLaw, StepFailure, StepInfo};
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions, Stop};

/// Contacts from which W without friction is kept sparse.
const SPARSE_FROM: usize = 40;

/// A contact problem with its solvers; all lists but the first two hold d rows for each contact.
#[derive(Debug)]
pub struct ContactProblem {
    /// Velocities, restitution, impulses and, with friction, W and μ.
    pub law: ContactLaw,
    /// W without friction.
    pub lcp: OneStepProblem,
    solver: Solver,
    /// Normal impulses where friction stands.
    normals: Normals,
    /// The part of each velocity that obstacles impose [m/s].
    pub drift: Vec<f64>,
    /// w of the answer [m/s].
    pub w: Vec<f64>,
}

impl ContactProblem {
    /// For contacts of d components.
    pub fn new(d: usize, law: FrictionLaw, options: SolverOptions) -> Self {
        Self {
            // the identity speaks of the middle of the step: α = 1
            law: ContactLaw::new(d, law, 1.0, options).without_impacts(),
            lcp: OneStepProblem::empty(),
            solver: Solver::new(options),
            normals: Normals::new(options),
            drift: Vec::new(),
            w: Vec::new(),
        }
    }

    /// A request from outside at which a solve gives up.
    pub fn stop_when(&mut self, stop: &Stop) {
        self.law.stop_when(stop);
        self.solver.stop = stop.clone();
        self.normals.stop_when(stop);
    }

    /// Components per contact.
    #[inline]
    pub fn dim(&self) -> usize {
        self.law.dim()
    }

    /// Whether contacts have normals only.
    #[inline]
    fn is_frictionless(&self) -> bool {
        self.dim() == 1
    }

    /// Number of contacts.
    #[inline]
    pub fn len(&self) -> usize {
        self.law.restitution.len()
    }

    /// Forgets the contacts; W and their numbers stay.
    pub fn clear(&mut self) {
        self.law.clear();
        self.drift.clear();
        self.w.clear();
    }

    /// The numbers of the contacts.
    #[inline]
    pub fn ids(&self) -> &[usize] {
        if self.is_frictionless() { &self.lcp.ids } else { &self.law.problem.ids }
    }

    /// μ and μ_r of contact i, as they were taken over.
    pub fn frictions(&self, i: usize) -> (f64, f64) {
        let problem = &self.law.problem;
        (problem.mu[i], problem.mu_rolling.get(i).copied().unwrap_or(0.0))
    }

    /// Takes over numbers, μ and μ_r of the contacts; W is to be made.
    pub fn name(&mut self, ids: &[usize], laws: impl Iterator<Item = (f64, f64)>) {
        let to = if self.is_frictionless() { &mut self.lcp.ids } else { &mut self.law.problem.ids };
        to.clear();
        to.extend_from_slice(ids);
        let rolls = self.dim() == 5;
        let problem = &mut self.law.problem;
        problem.mu.clear();
        problem.mu_rolling.clear();
        for (mu, rolling) in laws {
            problem.mu.push(mu);
            if rolls {
                problem.mu_rolling.push(rolling);
            }
        }
    }

    /// W from its entries; rows that stand for nothing are padded.
    pub fn set_operator(&mut self, rows: &[Option<usize>], entries: &[(usize, usize, f64)]) {
        if !self.is_frictionless() {
            self.law.problem.W = padded_blocks(self.dim(), rows, entries);
            self.law.problem.revision += 1;
            return;
        }
        let n = rows.len();
        self.lcp.W = if n < SPARSE_FROM {
            let mut W = DenseMatrix::zeros(n, n);
            entries.iter().for_each(|&(i, j, x)| W.set(i, j, W.get(i, j) + x));
            Matrix::Dense(W)
        } else {
            Matrix::Sparse(SparseMatrix::from_triplets(n, n, entries).expect("entries inside W"))
        };
        self.lcp.revision += 1;
    }

    /// The entries of W between the rows of some contacts, numbered among these.
    pub fn part(&self, of: &[usize]) -> Vec<(usize, usize, f64)> {
        let (d, mut place) = (self.dim(), vec![usize::MAX; self.len()]);
        of.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        let mut entries = Vec::new();
        let mut take = |i: usize, j: usize, x: f64| {
            let (a, b) = (place[i / d], place[j / d]);
            if a != usize::MAX && b != usize::MAX && x != 0.0 {
                entries.push((a * d + i % d, b * d + j % d, x));
            }
        };
        if self.is_frictionless() {
            match &self.lcp.W {
                Matrix::Sparse(W) => W.triplets().for_each(|(i, j, x)| take(i, j, x)),
                Matrix::Dense(W) => of.iter().for_each(|&i| of.iter().for_each(|&j| take(i, j, W.get(i, j)))),
            }
        } else {
            for &i in of {
                for (j, block) in self.law.problem.W.row(i) {
                    // blocks are stored by columns
                    block.iter().enumerate().for_each(|(k, &x)| take(i * d + k % d, j * d + k / d, x));
                }
            }
        }
        entries
    }

    /// Every entry of W between normals.
    pub fn each_normal(&self, mut take: impl FnMut(usize, usize, f64)) {
        if !self.is_frictionless() {
            for i in 0..self.len() {
                self.law.problem.W.row(i).for_each(|(j, block)| take(i, j, block[0]));
            }
            return;
        }
        match &self.lcp.W {
            Matrix::Sparse(W) => W.triplets().for_each(|(i, j, x)| take(i, j, x)),
            Matrix::Dense(W) => {
                (0..self.len()).for_each(|j| W.column(j).iter().enumerate().for_each(|(i, x)| take(i, j, *x)));
            }
        }
    }

    /// Finds the impulses of a step of length h from t; `checked` tests their work by the rule of the friction law.
    pub fn solve(&mut self, (t, h): (f64, f64), checked: bool) -> Result<StepInfo, StepFailure> {
        self.w.clear();
        if self.len() == 0 {
            return Ok(StepInfo::default());
        }
        // a motion that has overflowed is not a contact problem without solution
        if let Some(k) = self.law.u_free.iter().position(|u| !u.is_finite()) {
            return Err(StepFailure::not_finite(t, h, self.ids()[k / self.dim()]));
        }
        if !self.is_frictionless() {
            let info = if checked { self.law.solve(t, h)? } else { self.law.solve_flagged(t, h)? };
            self.w.extend_from_slice(self.law.w());
            return Ok(info);
        }
        let Self { law, lcp, solver, w, .. } = self;
        lcp.b.clear();
        for ((free, before), e) in law.u_free.iter().zip(&law.u_before).zip(&law.restitution) {
            lcp.b.push(free + e * before);
        }
        let report = solver.solve(lcp, &mut law.p);
        let loose =
            report.status == SolveStatus::NotConverged && report.residuals.worst() <= solver.options.acceptable();
        if report.status != SolveStatus::Solved && !loose {
            return Err(StepFailure::unsolved(t, h, lcp, &report));
        }
        // a solver's −1e-17 is a zero impulse
        law.p.iter_mut().for_each(|p| *p = p.max(0.0));
        w.resize(law.p.len(), 0.0);
        lcp.velocity(&law.p, w);
        let slack = if loose { law.p.iter().zip(&*w).map(|(p, w)| (p * w).abs()).sum() } else { 0.0 };
        Ok(StepInfo { loose: usize::from(loose), slack, ..StepInfo::of(&report) })
    }

    /// The same for gaps: where a solver of cones leaves w_N below −`small` [m/s], normal impulses are found again, and friction that
    /// sticks follows them.
    pub fn solve_level(&mut self, at: (f64, f64), small: f64) -> Result<StepInfo, StepFailure> {
        let info = self.solve(at, true)?;
        if self.is_frictionless() || self.w.iter().step_by(self.dim()).all(|w| *w >= -small) {
            return Ok(info);
        }
        let found = self.law.p.clone();
        match self.judged_normals(at, true) {
            Ok(more) => {
                Ok(StepInfo { iterations: info.iterations + more.iterations, fallbacks: info.fallbacks, ..more })
            }
            Err(_) => {
                self.law.p = found;
                self.law.judge(at.0, at.1)?;
                self.w.clone_from_slice(self.law.w());
                Ok(info)
            }
        }
    }

    /// Normal impulses for the friction that `law.p` holds, and how well both meet the law.
    pub fn follow(&mut self, at: (f64, f64)) -> Result<StepInfo, StepFailure> {
        self.judged_normals(at, false)
    }

    /// Normal impulses to round-off, friction standing or following them.
    fn judged_normals(&mut self, (t, h): (f64, f64), rubbed: bool) -> Result<StepInfo, StepFailure> {
        let Self { law, normals, w, .. } = self;
        law.state();
        w.resize(law.p.len(), 0.0);
        let iterations = normals.settle(&law.problem, &mut law.p, w, rubbed);
        let info = law.judge(t, h)?;
        w.clone_from_slice(law.w());
        Ok(StepInfo { iterations, solves: 1, ..info })
    }

    /// Velocity along a row after the impulses.
    #[inline]
    pub fn after(&self, row: usize) -> f64 {
        let b = if self.is_frictionless() { &self.lcp.b } else { &self.law.problem.b };
        self.w[row] - b[row] + self.law.u_free[row]
    }

    /// W_NN of contact i.
    #[inline]
    pub fn mobility(&self, i: usize) -> f64 {
        if self.is_frictionless() { self.lcp.W.get(i, i) } else { self.law.mobility(i) }
    }

    /// Whether contact i pushes: its impulse outweighs what is left of its w.
    #[inline]
    pub fn pushes(&self, i: usize) -> bool {
        let k = i * self.dim();
        self.law.p[k] > 0.0 && self.mobility(i) * self.law.p[k] > self.w[k]
    }

    /// The problem with its impulses, if any contact took part.
    pub fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        match self.len() {
            0 => None,
            _ if self.is_frictionless() => without_friction(&self.lcp, &self.law.p),
            _ => self.law.contact_problem(),
        }
    }
}
