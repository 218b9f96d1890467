//! Which friction law a step obeys: Newton–Coulomb, Frémond, or the checked rule that takes the better of the two.
//!
//!   b_N = u_free,N + ê u_N,k,    b_T = u_free,T + α u_T,k,    C* ∋ w + μ‖w_T‖n ⟂ p ∈ C,  w = W p + b
//!
//! α = 0 is Coulomb's law at the end of the step: sticking contacts stop, but an impact can create energy. α = (1−θ)/θ
//! (1 where the scheme's identity speaks of u_{k+½}) is Frémond's law, on u_{k+θ}: work u_{k+θ}·p ≤ 0 at every contact,
//! but a sticking contact's velocity is reversed, not stopped. The checked rule, per island of contacts coupled by W:
//!
//!   1. impact when some −u_N > 2 s, s_i = W_ii P_i of the static problem 0 ≤ W_NN P + (u_free − u_k)_N ⟂ P ≥ 0: Frémond
//!   2. else Coulomb; accepted when Σ u_{k+θ}·p ≤ ε
//!   3. else, or where that problem is not solved, Frémond at the contacts that gain (at all of them), and again
//!
//! so that either the sum was tested or every contact obeys Frémond's law. P shares the load of redundant contacts
//! (proximal point method from zero): a vertex solution would leave corners of a box without load, and call every step
//! an impact. Only the sum may be tested: tangential impulses are not unique where a body rests on several points.

use crate::{FrictionLaw, StepInfo};
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};
use percussion_solve::friction::{Cone, FrictionProblem, FrictionSolver, friction_residuals};
use percussion_solve::{Method, OneStepProblem, OneStepSolver, SolveReport, SolveStatus, Solver, SolverOptions};

/// Work up to this part of |p|(|u_k| + |u_free − u_k|) is the solver's noise.
const NOISE: f64 = 1e-11;
/// Approach up to this part of the velocities is round-off.
const ROUND_OFF: f64 = 1e-12;
/// The contact problem is solved to this, where it can be: noise in p must stay below `NOISE`.
pub const TIGHT: f64 = 1e-13;
/// Sweeps or iterations this may cost, of a few contacts and of many: an iteration of Newton's method costs like the cube of their number.
const TIGHT_SWEEPS: [f64; 2] = [1000.0, 100.0];
const FEW: f64 = 12.0;
/// Contacts from which the static problem is kept sparse.
const SPARSE_FROM: usize = 13;

/// What the rule is asked: velocities in blocks of d, one per contact of the problem.
#[derive(Clone, Copy, Debug)]
pub struct Velocities<'a> {
    /// u_k; zero in rows that are no velocities.
    pub before: &'a [f64],
    /// The velocity at the end of the step without impulses.
    pub free: &'a [f64],
    /// ê of each contact.
    pub restitution: &'a [f64],
    /// Leading rows that are conditions on positions: no restitution, no friction, no work.
    pub positions: usize,
}

/// A friction law with its solvers and memory.
#[derive(Debug)]
pub struct FrictionRule {
    law: FrictionLaw,
    /// α of Frémond's law.
    alpha: f64,
    options: SolverOptions,
    solver: FrictionSolver,
    sharing: Solver,
    any: Solver,
    statics: OneStepProblem,
    static_p: Vec<f64>,
    /// Revision for which `statics.W` and the islands were made.
    static_revision: u64,
    island_revision: u64,
    /// Island of each contact.
    island: Vec<usize>,
    parent: Vec<usize>,
    islands: Vec<Island>,
    /// First guess of the problem under way.
    guess: Vec<f64>,
    /// Whether the approach decides what is an impact, and so obeys Frémond's law from the start.
    pub finds_impacts: bool,
    /// What the next problem is to reach; tighter than asked is a wish, granted where it is cheap.
    pub wish: f64,
    /// Whether problems come again and again until a step has arrived, so that no single one is worth much more than asked.
    pub repeated: bool,
    /// Contacts under Frémond's law.
    pub fremond: Vec<bool>,
    /// w = W p + b of the answer, in blocks.
    pub w: Vec<f64>,
}

/// What is known of the contacts that act on each other.
#[derive(Clone, Copy, Debug, Default)]
struct Island {
    /// Squares of |p|, |u_k|, |u_free − u_k|.
    p: f64,
    before: f64,
    change: f64,
    work: f64,
    impact: bool,
    gains: bool,
    flagged: bool,
}

/// Impulses to the nearest ones inside their cones.
pub fn put_inside(problem: &FrictionProblem, r: &mut [f64]) {
    let d = problem.dim();
    for (i, r) in r.chunks_exact_mut(d).enumerate() {
        let cone = problem.cone(i);
        match r {
            [a, b] => [*a, *b] = cone.project(&[*a, *b]),
            [a, b, c] => [*a, *b, *c] = cone.project(&[*a, *b, *c]),
            [a, b, c, e, f] => [*a, *b, *c, *e, *f] = cone.project(&[*a, *b, *c, *e, *f]),
            _ => {}
        }
    }
}

/// What a tighter answer than asked may cost for so many contacts.
fn tight_sweeps(contacts: usize) -> usize {
    let [most, least] = TIGHT_SWEEPS;
    (most * (FEW / contacts.max(1) as f64).powi(2)).clamp(least, most) as usize
}

impl FrictionRule {
    /// A law; `alpha` is Frémond's α for the scheme.
    pub fn new(law: FrictionLaw, alpha: f64, options: SolverOptions) -> Self {
        let statics = SolverOptions { method: Method::Proximal, tolerance: options.tolerance.min(1e-9), ..options };
        Self {
            law,
            alpha,
            options,
            solver: FrictionSolver::new(options),
            sharing: Solver::new(statics),
            any: Solver::new(SolverOptions { method: Method::Auto, ..statics }),
            statics: OneStepProblem::empty(),
            static_p: Vec::new(),
            static_revision: 0,
            island_revision: 0,
            island: Vec::new(),
            parent: Vec::new(),
            islands: Vec::new(),
            guess: Vec::new(),
            finds_impacts: true,
            wish: TIGHT,
            repeated: false,
            fremond: Vec::new(),
            w: Vec::new(),
        }
    }

    /// Solves a step's problem, whose b this fills in; r holds a first guess. The flags of `fremond` that are set stay set:
    /// clear them at the start of a step.
    pub fn solve(
        &mut self,
        problem: &mut FrictionProblem,
        u: Velocities,
        r: &mut [f64],
    ) -> Result<StepInfo, SolveReport> {
        let n = problem.len();
        let mut report = StepInfo::default();
        self.fremond.resize(n, false);
        if self.law == FrictionLaw::Fremond {
            self.fremond.fill(true);
        }
        if self.law != FrictionLaw::Checked {
            self.solve_once(problem, u, r, &mut report)?;
            return Ok(report);
        }
        self.find_islands(problem);
        self.measure(problem, u);
        if self.finds_impacts {
            self.find_impacts(problem, u, &mut report);
        }
        loop {
            if let Err(failure) = self.solve_once(problem, u, r, &mut report) {
                // Coulomb's law may have reactions without bound where Frémond's has not
                let raised = self.fremond.iter().filter(|&&fremond| !fremond).count();
                if raised == 0 {
                    return Err(failure);
                }
                self.fremond.fill(true);
                report.fallbacks += raised;
                r.fill(0.0);
                continue;
            }
            let raised = self.raise_gaining(problem, u, r);
            if raised == 0 {
                return Ok(report);
            }
            report.fallbacks += raised;
        }
    }

    /// Solves a problem with the flags as they are and without a test of its work; every contact obeys Frémond's law where
    /// these flags leave no solution.
    pub fn solve_flagged(
        &mut self,
        problem: &mut FrictionProblem,
        u: Velocities,
        r: &mut [f64],
    ) -> Result<StepInfo, SolveReport> {
        let mut report = StepInfo::default();
        self.fremond.resize(problem.len(), false);
        if let Err(failure) = self.solve_once(problem, u, r, &mut report) {
            if self.fremond.iter().all(|&fremond| fremond) {
                return Err(failure);
            }
            self.fremond.fill(true);
            r.fill(0.0);
            self.solve_once(problem, u, r, &mut report)?;
        }
        Ok(report)
    }

    /// One problem with the present flags.
    fn solve_once(
        &mut self,
        problem: &mut FrictionProblem,
        u: Velocities,
        r: &mut [f64],
        report: &mut StepInfo,
    ) -> Result<(), SolveReport> {
        let d = problem.dim();
        self.state(problem, u);
        let asked = self.options;
        let enough = if self.repeated { asked.acceptable() } else { asked.tolerance };
        self.solver.options = SolverOptions {
            tolerance: self.wish.min(enough),
            max_iterations: asked.max_iterations.min(tight_sweeps(problem.len())),
            enough: self.repeated.then_some(enough),
            ..asked
        };
        self.guess.clear();
        self.guess.extend_from_slice(r);
        let mut outcome = self.solver.solve(problem, r);
        report.iterations += outcome.iterations;
        if outcome.residuals.worst() > enough {
            r.copy_from_slice(&self.guess);
            self.solver.options = asked;
            outcome = self.solver.solve(problem, r);
            report.iterations += outcome.iterations;
        }
        report.solves += 1;
        report.residual = outcome.residuals.worst();
        if outcome.status != SolveStatus::Solved && report.residual > asked.tolerance {
            return Err(outcome);
        }
        // a solver's −1e-17 is no impulse
        for r in r.chunks_exact_mut(d).filter(|r| r[0] <= 0.0) {
            r.fill(0.0);
        }
        if report.residual > asked.tolerance {
            put_inside(problem, r);
        }
        self.w.resize(r.len(), 0.0);
        problem.velocity(r, &mut self.w);
        if report.residual > asked.tolerance {
            report.loose += 1;
            report.slack = slack(d, r, &self.w, |i| problem.cone(i));
        }
        Ok(())
    }

    /// b of the law as it is flagged.
    pub fn state(&self, problem: &mut FrictionProblem, u: Velocities) {
        let d = problem.dim();
        problem.b.clear();
        for (i, &e) in u.restitution.iter().enumerate() {
            let alpha = if self.fremond[i] { self.alpha } else { 0.0 };
            problem.b.push(u.free[i * d] + e * u.before[i * d]);
            for k in i * d + 1..(i + 1) * d {
                problem.b.push(u.free[k] + alpha * u.before[k]);
            }
        }
    }

    /// Follows impulses r of a problem near this one with the least change; the iterations, none where that was not tried.
    pub fn follow(&mut self, problem: &mut FrictionProblem, u: Velocities, r: &mut [f64]) -> Option<usize> {
        self.fremond.resize(problem.len(), false);
        self.state(problem, u);
        let iterations = self.solver.follow(problem, r)?;
        put_inside(problem, r);
        Some(iterations)
    }

    /// How well impulses that nobody solved for meet the law as it was flagged last.
    pub fn judge(&mut self, problem: &mut FrictionProblem, u: Velocities, r: &[f64]) -> Result<StepInfo, SolveReport> {
        self.state(problem, u);
        self.w.resize(r.len(), 0.0);
        problem.velocity(r, &mut self.w);
        let residuals = friction_residuals(problem, r, &self.w);
        let residual = residuals.worst();
        if residual > self.options.acceptable() {
            let (method, iterations) = (self.options.method, 0);
            return Err(SolveReport { method, iterations, residuals, status: SolveStatus::NotConverged });
        }
        let loose = usize::from(residual > self.options.tolerance);
        let slack = if loose > 0 { slack(problem.dim(), r, &self.w, |i| problem.cone(i)) } else { 0.0 };
        Ok(StepInfo { residual, loose, slack, ..Default::default() })
    }

    /// Contacts joined by blocks of W, numbered; kept as long as W is.
    fn find_islands(&mut self, problem: &FrictionProblem) {
        let n = problem.len();
        if problem.revision != 0 && problem.revision == self.island_revision && self.island.len() == n {
            return;
        }
        self.island_revision = problem.revision;
        self.parent.clear();
        self.parent.extend(0..n);
        for i in 0..n {
            for (j, _) in problem.W.row(i) {
                let (a, b) = (root(&mut self.parent, i), root(&mut self.parent, j));
                self.parent[a.max(b)] = a.min(b);
            }
        }
        self.island.clear();
        let mut count = 0;
        for i in 0..n {
            // a root comes before its members
            let a = root(&mut self.parent, i);
            self.island.push(if a == i { count } else { self.island[a] });
            count += usize::from(a == i);
        }
        self.islands.clear();
        self.islands.resize(count, Island::default());
    }

    /// The sizes of velocities by island.
    fn measure(&mut self, problem: &FrictionProblem, u: Velocities) {
        let d = problem.dim();
        self.islands.fill(Island::default());
        for i in u.positions..problem.len() {
            let island = &mut self.islands[self.island[i]];
            for k in i * d..(i + 1) * d {
                island.before += u.before[k] * u.before[k];
                island.change += (u.free[k] - u.before[k]) * (u.free[k] - u.before[k]);
            }
            island.flagged |= self.fremond[i];
        }
    }

    /// Sets the flags of islands where a contact is approached faster than twice what one step of load explains.
    fn find_impacts(&mut self, problem: &FrictionProblem, u: Velocities, report: &mut StepInfo) {
        let (d, n, first) = (problem.dim(), problem.len(), u.positions);
        let floor = |island: &Island| ROUND_OFF * island.before.max(island.change).sqrt();
        let approaches = |i: usize, islands: &[Island], island: &[usize]| -u.before[i * d] > floor(&islands[island[i]]);
        if !(first..n).any(|i| approaches(i, &self.islands, &self.island)) {
            return;
        }
        let solved = self.static_load(problem, u);
        for i in first..n {
            let s = problem.W.diagonal_block(i)[0] * self.static_p[i - first];
            let island = &mut self.islands[self.island[i]];
            // without a static load the safe law
            if -u.before[i * d] > 2.0 * s + floor(island) || (!solved && -u.before[i * d] > floor(island)) {
                island.impact = true;
            }
        }
        for i in first..n {
            self.fremond[i] |= self.islands[self.island[i]].impact;
        }
        report.impacts = self.islands.iter().filter(|island| island.impact).count();
    }

    /// P of 0 ≤ W_NN P + (u_free − u_k)_N ⟂ P ≥ 0, shared evenly; false when it was not found.
    fn static_load(&mut self, problem: &FrictionProblem, u: Velocities) -> bool {
        let (d, n, first) = (problem.dim(), problem.len(), u.positions);
        let m = n - first;
        if problem.revision == 0 || self.static_revision != problem.revision || self.statics.len() != m {
            self.static_revision = problem.revision;
            self.statics.revision += 1;
            let entries: Vec<(usize, usize, f64)> = (first..n)
                .flat_map(|i| problem.W.row(i).map(move |(j, block)| (i, j, block[0])))
                .filter(|&(_, j, _)| j >= first)
                .map(|(i, j, x)| (i - first, j - first, x))
                .collect();
            self.statics.W = if m < SPARSE_FROM {
                let mut W = DenseMatrix::zeros(m, m);
                entries.iter().for_each(|&(i, j, x)| W.set(i, j, x));
                Matrix::Dense(W)
            } else {
                Matrix::Sparse(SparseMatrix::from_triplets(m, m, &entries).expect("indices of a valid matrix"))
            };
            self.statics.ids.clear();
            self.statics.ids.extend(0..m);
        }
        self.statics.b.clear();
        self.statics.b.extend((first..n).map(|i| u.free[i * d] - u.before[i * d]));
        self.static_p.clear();
        self.static_p.resize(m, 0.0);
        if self.sharing.solve(&self.statics, &mut self.static_p).status == SolveStatus::Solved {
            return true;
        }
        self.static_p.fill(0.0);
        self.any.solve(&self.statics, &mut self.static_p).status == SolveStatus::Solved
    }

    /// Flags the contacts of islands whose work is positive; how many were flagged.
    fn raise_gaining(&mut self, problem: &FrictionProblem, u: Velocities, r: &[f64]) -> usize {
        let (d, n, first) = (problem.dim(), problem.len(), u.positions);
        let theta = 1.0 / (1.0 + self.alpha);
        // u_{k+θ}·p with u_{k+1} = w − b + u_free
        let work = |i: usize, w: &[f64]| {
            let mut sum = 0.0;
            for k in i * d..(i + 1) * d {
                let after = w[k] - problem.b[k] + u.free[k];
                sum += r[k] * ((1.0 - theta) * u.before[k] + theta * after);
            }
            sum
        };
        for island in &mut self.islands {
            (island.p, island.work, island.gains, island.flagged) = (0.0, 0.0, false, false);
        }
        for i in first..n {
            let island = &mut self.islands[self.island[i]];
            island.work += work(i, &self.w);
            island.p += r[i * d..(i + 1) * d].iter().map(|r| r * r).sum::<f64>();
        }
        for island in &mut self.islands {
            let noise = NOISE * island.p.sqrt() * (island.before.sqrt() + island.change.sqrt());
            island.gains = island.work > noise;
        }
        if !self.islands.iter().any(|island| island.gains) {
            return 0;
        }
        let mut raised = 0;
        for i in first..n {
            let island = &mut self.islands[self.island[i]];
            if island.gains && !self.fremond[i] && work(i, &self.w) > 0.0 {
                self.fremond[i] = true;
                island.flagged = true;
                raised += 1;
            }
        }
        // a gain without a gaining contact of Coulomb's law: Frémond for the island
        for i in first..n {
            let island = &self.islands[self.island[i]];
            if island.gains && !island.flagged && !self.fremond[i] {
                self.fremond[i] = true;
                raised += 1;
            }
        }
        raised
    }
}

/// Σ|w·p| with de Saxcé's shift in w: zero where the law is met.
pub fn slack(d: usize, p: &[f64], w: &[f64], cone: impl Fn(usize) -> Cone) -> f64 {
    let mut sum = 0.0;
    for (i, (p, w)) in p.chunks_exact(d).zip(w.chunks_exact(d)).enumerate() {
        let cone = cone(i);
        let along = |from: usize, to: usize| w[from..to].iter().map(|w| w * w).sum::<f64>().sqrt();
        let mut shift = cone.mu * along(1, d.min(3));
        if d == 5 {
            shift += cone.mu_rolling * along(3, 5);
        }
        sum += (p[0] * shift + p.iter().zip(w).map(|(p, w)| p * w).sum::<f64>()).abs();
    }
    sum
}

/// The smallest number of an island, with path halving.
fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
