//! One contact problem of a step, with or without friction.
//!
//!   w = W p + b,   b_N = u_free + e u_before,   b_T = u_free + α u_before,   0 ≤ w_N ⟂ p_N ≥ 0 or Coulomb's cone

use crate::contact::law::{ContactLaw, padded_blocks, without_friction};
use crate::run::audit::ENERGY_TOLERANCE;
use crate::schemes::landing::normals::Normals;
use crate::{FrictionLaw, StepFailure, StepInfo};
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};

/// Contacts from which W without friction is kept sparse.
const SPARSE_FROM: usize = 40;
/// Part of the energy b²/W of a single contact that Σ p_N w_N, which the solver's residual creates, may reach.
const CREATED: f64 = 0.1 * ENERGY_TOLERANCE;
/// What a problem that leaves more is solved to.
const TIGHT: f64 = 1e-13;

/// A contact problem with its solvers; all lists but the first two hold d rows for each contact.
#[derive(Debug)]
pub struct ContactProblem {
    /// Velocities, restitution, impulses and, with friction, W and μ.
    pub law: ContactLaw,
    /// W without friction.
    pub lcp: OneStepProblem,
    solver: Solver,
    tight: Solver,
    /// Whether problems are solved that well anyway.
    is_tight: bool,
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
            is_tight: options.tolerance <= TIGHT,
            tight: Solver::new(SolverOptions { tolerance: TIGHT, enough: None, ..options.strict() }),
            normals: Normals::new(options),
            drift: Vec::new(),
            w: Vec::new(),
        }
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
            return if self.creates() { self.relieve((t, h), info) } else { Ok(info) };
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
        let mut info = StepInfo { loose: usize::from(loose), slack, ..StepInfo::of(&report) };
        if self.creates() {
            info.iterations += self.solve_tightly();
        }
        Ok(info)
    }

    /// Σ p_N max(w_N, 0) [J].
    pub fn created(&self) -> f64 {
        self.law.p.iter().zip(&self.w).step_by(self.dim()).map(|(p, w)| p * w.max(0.0)).sum()
    }

    /// Whether what is left of w works on the impulses by more than the energies at stake allow: impulses that hold each other, as those of a body
    /// wedged between others, may be any number of times larger than what the velocities need, and residuals are relative to them.
    fn creates(&self) -> bool {
        let b = if self.is_frictionless() { &self.lcp.b } else { &self.law.problem.b };
        let d = self.dim();
        let of = |i: usize| {
            let W = self.mobility(i);
            let own = &b[i * d..(i + 1) * d];
            if self.law.p[i * d] > 0.0 && W > 0.0 { own.iter().map(|b| b * b).sum::<f64>() / W } else { 0.0 }
        };
        !self.is_tight && self.created() > CREATED * (0..self.len()).map(of).fold(0.0, f64::max)
    }

    /// Normal impulses found again, where they create less.
    fn relieve(&mut self, at: (f64, f64), info: StepInfo) -> Result<StepInfo, StepFailure> {
        let (p, created) = (self.law.p.clone(), self.created());
        let found = self.settle_normals(at, &info)?;
        if self.created() < created {
            return Ok(found);
        }
        self.law.p = p;
        self.law.judge(at.0, at.1)?;
        self.w.clone_from_slice(self.law.w());
        Ok(info)
    }

    /// The same problem without friction as well as it can be solved; the iterations spent.
    fn solve_tightly(&mut self) -> usize {
        let (p, w, created) = (self.law.p.clone(), self.w.clone(), self.created());
        let report = self.tight.solve(&self.lcp, &mut self.law.p);
        self.law.p.iter_mut().for_each(|p| *p = p.max(0.0));
        self.lcp.velocity(&self.law.p, &mut self.w);
        if report.status != SolveStatus::Solved || self.created() > created {
            (self.law.p, self.w) = (p, w);
        }
        report.iterations
    }

    /// The same for gaps: where a solver leaves w_N below −`small` [m/s], normal impulses are found again.
    pub fn solve_level(&mut self, at: (f64, f64), small: f64) -> Result<StepInfo, StepFailure> {
        let mut info = self.solve(at, true)?;
        if self.is_level(small) {
            return Ok(info);
        }
        if self.is_frictionless() {
            // residuals are relative to velocities: at 100 m/s 1e-10 of them are 5e-12 m in a millisecond
            info.iterations += if self.is_tight { 0 } else { self.solve_tightly() };
            return Ok(info);
        }
        self.settle_normals(at, &info)
    }

    /// Normal impulses found again, where the law is met so too.
    fn settle_normals(&mut self, at: (f64, f64), info: &StepInfo) -> Result<StepInfo, StepFailure> {
        let found = self.law.p.clone();
        match self.follow(at) {
            Ok(more) => {
                Ok(StepInfo { iterations: info.iterations + more.iterations, fallbacks: info.fallbacks, ..more })
            }
            Err(_) => {
                self.law.p = found;
                self.law.judge(at.0, at.1)?;
                self.w.clone_from_slice(self.law.w());
                Ok(*info)
            }
        }
    }

    /// The impulses of the last round, which `law.p` holds, followed with the least change to where they meet the law of this one; none where they do not.
    pub fn hold(&mut self, (t, h): (f64, f64), small: f64) -> Option<StepInfo> {
        let before = self.law.p.clone();
        let gaps = self.level_out(small);
        let followed = self.law.follow();
        let judged = self.law.judge(t, h);
        self.put_back(gaps);
        let held = match (followed, judged) {
            (Some(iterations), Ok(info)) if info.loose == 0 => Some(StepInfo { iterations, solves: 1, ..info }),
            (Some(_), Ok(_) | Err(_)) | (None, Ok(_) | Err(_)) => None,
        };
        let held = held.filter(|_| self.is_level(small) && !self.creates());
        if held.is_none() {
            self.law.p = before;
        }
        held
    }

    /// The impulses of the last round as they are, where they meet the law of this one to what counts as solved and leave no w_N below −`small` [m/s].
    pub fn stand(&mut self, (t, h): (f64, f64), small: f64) -> Option<StepInfo> {
        let gaps = self.level_out(small);
        let judged = self.law.judge(t, h);
        self.put_back(gaps);
        judged.ok().filter(|_| self.is_level(small))
    }

    /// Takes what the impulses leave of w_N where contacts push, up to `small` [m/s], for round-off of their gaps: redundant contacts need not agree to
    /// more, and that little would move their shares from round to round for ever. The u_k in their place.
    fn level_out(&mut self, small: f64) -> Vec<f64> {
        let Self { law, w, .. } = self;
        let d = law.dim();
        law.state();
        w.resize(law.p.len(), 0.0);
        law.problem.velocity(&law.p, w);
        let gaps = law.u_before.iter().step_by(d).copied().collect();
        for ((u, p), w) in law.u_before.iter_mut().zip(&law.p).zip(&*w).step_by(d) {
            *u -= if *p > 0.0 && w.abs() <= small { *w } else { 0.0 };
        }
        gaps
    }

    /// The gaps as they were, and w with them.
    fn put_back(&mut self, gaps: Vec<f64>) {
        let Self { law, w, .. } = self;
        let d = law.dim();
        law.u_before.iter_mut().step_by(d).zip(gaps).for_each(|(u, gap)| *u = gap);
        law.state();
        law.problem.velocity(&law.p, w);
    }

    /// Whether no w_N is below −`small` [m/s].
    fn is_level(&self, small: f64) -> bool {
        self.w.iter().step_by(self.dim()).all(|w| *w >= -small)
    }

    /// Normal impulses to round-off for the friction that `law.p` holds, and how well both meet the law.
    pub fn follow(&mut self, (t, h): (f64, f64)) -> Result<StepInfo, StepFailure> {
        let Self { law, normals, w, .. } = self;
        law.state();
        w.resize(law.p.len(), 0.0);
        let iterations = normals.settle(&law.problem, &mut law.p, w);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Two contacts that hold a body from both sides, p₀ − p₁ = 1, with 1000 N·s each and 5e-8 m/s left of w, 5e-11 of what goes through them: what the
    /// residual creates is seen against the 1 J at stake, and gone when the problem is solved as well as it can be.
    #[test]
    fn a_residual_creates_nothing_with_large_impulses() {
        let mut problem = ContactProblem::new(1, FrictionLaw::default(), SolverOptions::default());
        problem.name(&[0, 1], [(0.0, 0.0); 2].into_iter());
        problem.law.restitution.extend([1.0; 2]);
        problem.law.u_before.extend([0.0; 2]);
        problem.law.u_free.extend([-1.0, 1.0]);
        problem.law.p.extend([1001.0, 1000.0 + 5e-8]);
        problem.set_operator(&[Some(0), Some(1)], &[(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0)]);
        problem.lcp.b = vec![-1.0, 1.0];
        problem.w = vec![-5e-8, 5e-8];
        assert!(problem.creates() && problem.created() > 4e-5, "{:e} J", problem.created());
        problem.solve_tightly();
        assert!(!problem.creates() && problem.created() < 1e-11, "{:e} J", problem.created());
        assert!((problem.law.p[0] - problem.law.p[1] - 1.0).abs() < 1e-12, "{:?}", problem.law.p);
    }
}
