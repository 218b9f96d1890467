//! Contacts under a law of friction: velocities and W in, impulses out.
//!
//!   u = W p + u_free,    the law between u_k, u and p by `FrictionRule`
//!
//! A step of a linear model asks once, Newton's method in every iteration, an event at its instant; what differs is where
//! u_free and W come from. Components a contact does not have are padded: a tangent that couples to nothing and whose free
//! velocity is zero has no reaction.

use crate::contact::friction_rule::{FrictionRule, TIGHT, Velocities};
use crate::{FrictionLaw, StepFailure, StepInfo, StepStart};
use percussion_matrix::{BlockMatrix, DenseMatrix};
use percussion_model::Lagrangian;
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{OneStepProblem, SolverOptions};

/// A set of contacts with its problem, all in blocks of d components.
#[derive(Debug)]
pub struct ContactLaw {
    rule: FrictionRule,
    /// W, μ and identities; the rule fills in b.
    pub problem: FrictionProblem,
    /// ê of each contact.
    pub restitution: Vec<f64>,
    /// u_k as the law sees it [m/s].
    pub u_before: Vec<f64>,
    /// u at the end of the step without impulses [m/s].
    pub u_free: Vec<f64>,
    /// Contacts in front whose rows are conditions on positions.
    pub positions: usize,
    /// A first guess, then the impulses [N·s].
    pub p: Vec<f64>,
}

impl ContactLaw {
    /// For contacts of d components; `alpha` is Frémond's α for the scheme.
    pub fn new(d: usize, law: FrictionLaw, alpha: f64, options: SolverOptions) -> Self {
        Self {
            rule: FrictionRule::new(law, alpha, options),
            problem: FrictionProblem::empty(d),
            restitution: Vec::new(),
            u_before: Vec::new(),
            u_free: Vec::new(),
            positions: 0,
            p: Vec::new(),
        }
    }

    /// The same law where impacts are told by something else than the approach.
    pub fn without_impacts(mut self) -> Self {
        self.rule.finds_impacts = false;
        self
    }

    /// Components per contact.
    #[inline]
    pub fn dim(&self) -> usize {
        self.problem.dim()
    }

    /// Forgets the contacts and which of them obeyed Frémond's law; W, μ and identities stay.
    pub fn clear(&mut self) {
        self.restitution.clear();
        self.u_before.clear();
        self.u_free.clear();
        self.positions = 0;
        self.p.clear();
        self.rule.wish = TIGHT;
        self.decide_again();
    }

    /// Forgets which contacts obeyed Frémond's law.
    pub fn decide_again(&mut self) {
        self.rule.fremond.clear();
    }

    /// The rule with what it is asked.
    fn posed(&mut self) -> (&mut FrictionRule, &mut FrictionProblem, Velocities<'_>, &mut Vec<f64>) {
        let Self { rule, problem, restitution, u_before, u_free, positions, p } = self;
        let u = Velocities { before: u_before, free: u_free, restitution, positions: *positions };
        (rule, problem, u, p)
    }

    /// Finds the impulses, for a step of length h from t.
    pub fn solve(&mut self, t: f64, h: f64) -> Result<StepInfo, StepFailure> {
        let (rule, problem, u, p) = self.posed();
        rule.solve(problem, u, p).map_err(|report| StepFailure::unsolved_friction(t, h, problem, &report))
    }

    /// Finds the impulses of one of Newton's iterations, whose counts add up in `info`. Which contacts obey Frémond's law is decided
    /// again while velocities are rough; later flags are only added, so that the iteration cannot go back and forth between two laws.
    pub fn iterate(&mut self, from: &StepStart, rough: bool, info: &mut StepInfo) -> Result<(), StepFailure> {
        if rough {
            self.decide_again();
            info.fallbacks = 0;
        }
        let (report, fallbacks) = (self.solve(from.state.t, from.h)?, info.fallbacks);
        info.repeat(&report);
        info.fallbacks += fallbacks;
        Ok(())
    }

    /// How well the impulses meet the law as it was flagged last, at velocities that make their own u_free.
    pub fn judge(&mut self, t: f64, h: f64) -> Result<StepInfo, StepFailure> {
        let (rule, problem, u, p) = self.posed();
        rule.judge(problem, u, p).map_err(|report| StepFailure::unsolved_friction(t, h, problem, &report))
    }

    /// Follows `p`, the impulses of a problem near this one, with the least change; the iterations, none where that was not tried.
    pub fn follow(&mut self) -> Option<usize> {
        let (rule, problem, u, p) = self.posed();
        rule.follow(problem, u, p)
    }

    /// b of the law as it is flagged, for a problem that something else solves.
    pub fn state(&mut self) {
        let (rule, problem, u, _) = self.posed();
        rule.fremond.resize(problem.len(), false);
        rule.state(problem, u);
    }

    /// The same for problems that come again and again until a step has arrived.
    pub fn repeated(mut self) -> Self {
        self.rule.repeated = true;
        self
    }

    /// Wishes no more of the next problems of this step than a residual that was reached.
    pub fn be_content(&mut self, reached: f64) {
        self.rule.wish = self.rule.wish.max(reached);
    }

    /// Finds the impulses with the flags as they are.
    pub fn solve_flagged(&mut self, t: f64, h: f64) -> Result<StepInfo, StepFailure> {
        let (rule, problem, u, p) = self.posed();
        rule.solve_flagged(problem, u, p).map_err(|report| StepFailure::unsolved_friction(t, h, problem, &report))
    }

    /// Lets contacts obey Frémond's law from the start, one flag each.
    pub fn flag(&mut self, fremond: impl Iterator<Item = bool>) {
        self.rule.fremond.clear();
        self.rule.fremond.extend(fremond);
    }

    /// W_NN of contact i.
    #[inline]
    pub fn mobility(&self, i: usize) -> f64 {
        self.problem.W.diagonal_block(i)[0]
    }

    /// Whether contact i obeyed Frémond's law.
    #[inline]
    pub fn fremond(&self, i: usize) -> bool {
        self.rule.fremond.get(i).copied().unwrap_or(false)
    }

    /// w = W p + b, the velocities the law speaks of.
    pub fn w(&self) -> &[f64] {
        &self.rule.w
    }

    /// u = W p + u_free.
    pub fn velocities(&self) -> impl Iterator<Item = f64> + '_ {
        self.w().iter().zip(&self.problem.b).zip(&self.u_free).map(|((w, b), free)| w - b + free)
    }

    /// The problem with its impulses, if any contact took part.
    pub fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        (!self.p.is_empty()).then(|| (self.problem.clone(), self.p.clone()))
    }
}

/// Tangents of contact i, where it has friction.
pub fn tangents(model: &dyn Lagrangian, i: usize) -> usize {
    if model.frictions()[i] > 0.0 { model.n_tangents(i) } else { 0 }
}

/// Components per contact: a normal and the most tangents any has, at least one.
pub fn components(model: &dyn Lagrangian) -> usize {
    1 + (0..model.restitutions().len()).map(|i| tangents(model, i)).max().unwrap_or(0).max(1)
}

/// A problem without friction and its impulses as one with μ = 0, whose tangents have no velocity; none without contacts.
pub fn without_friction(problem: &OneStepProblem, p: &[f64]) -> Option<(FrictionProblem, Vec<f64>)> {
    let n = p.len();
    if n == 0 || problem.len() != n {
        return None;
    }
    let rows: Vec<Option<usize>> = (0..2 * n).map(|k| k.is_multiple_of(2).then_some(k / 2)).collect();
    let entries: Vec<(usize, usize, f64)> = (0..n)
        .flat_map(|j| (0..n).map(move |i| (2 * i, 2 * j, problem.W.get(i, j))))
        .filter(|(_, _, x)| *x != 0.0)
        .collect();
    let pad = |x: &[f64]| x.iter().flat_map(|&x| [x, 0.0]).collect::<Vec<f64>>();
    let mut with = FrictionProblem::new(padded_blocks(2, &rows, &entries), pad(&problem.b), vec![0.0; n], Vec::new())?;
    with.ids.clone_from(&problem.ids);
    Some((with, pad(p)))
}

/// c W in blocks of d × d, where row and column k of W are those of the k-th row that stands for something; the others get the normal's diagonal entry.
pub fn padded_full(d: usize, rows: &[Option<usize>], W: &DenseMatrix, c: f64) -> BlockMatrix {
    let n = rows.len() / d;
    let mut place = vec![None; rows.len()];
    let used = (0..rows.len()).filter(|&k| rows[k].is_some());
    used.enumerate().for_each(|(own, k)| place[k] = Some(own));
    if (0..n).any(|i| place[d * i].is_none()) {
        // blocks of contacts that nothing moves are not stored
        let of = |k: usize| place.iter().position(|at| *at == Some(k)).expect("a row of W");
        let ids: Vec<usize> = (0..W.n_cols()).map(of).collect();
        let entry = |(i, j): (usize, usize)| (ids[i], ids[j], c * W.get(i, j));
        let entries: Vec<_> = (0..ids.len()).flat_map(|i| (0..ids.len()).map(move |j| (i, j))).map(entry).collect();
        return padded_blocks(d, rows, &entries);
    }
    BlockMatrix::full(d, n, |i, j, block| {
        for (k, x) in block.iter_mut().enumerate() {
            if let (Some(row), Some(column)) = (place[d * i + k % d], place[d * j + k / d]) {
                *x = c * W.get(row, column);
            }
        }
        let normal = if i == j && block[0] > 0.0 { block[0] } else { 1.0 };
        for k in (0..d).filter(|&k| i == j && place[d * i + k].is_none()) {
            block[k * d + k] = normal;
        }
    })
}

/// W in blocks of d × d from entries (row, column, value); rows that stand for nothing get the normal's diagonal entry.
pub fn padded_blocks(d: usize, rows: &[Option<usize>], entries: &[(usize, usize, f64)]) -> BlockMatrix {
    let n = rows.len() / d;
    let mut normal = vec![0.0; n];
    for &(i, j, x) in entries {
        if i == j && i.is_multiple_of(d) {
            normal[i / d] += x;
        }
    }
    let mut blocks: Vec<(usize, usize, Vec<f64>)> = Vec::new();
    let mut sorted: Vec<(usize, usize, usize, f64)> =
        entries.iter().map(|&(i, j, x)| (i / d, j / d, (j % d) * d + i % d, x)).collect();
    for (k, row) in rows.iter().enumerate() {
        if row.is_none() {
            let size = if normal[k / d] > 0.0 { normal[k / d] } else { 1.0 };
            sorted.push((k / d, k / d, (k % d) * d + k % d, size));
        }
    }
    sorted.sort_unstable_by_key(|&(i, j, k, _)| (i, j, k));
    for (i, j, k, x) in sorted {
        match blocks.last_mut() {
            Some((a, b, block)) if (*a, *b) == (i, j) => block[k] += x,
            _ => {
                let mut block = vec![0.0; d * d];
                block[k] = x;
                blocks.push((i, j, block));
            }
        }
    }
    let blocks: Vec<_> = blocks.iter().map(|(i, j, block)| (*i, *j, block.as_slice())).collect();
    BlockMatrix::from_blocks(d, n, &blocks).expect("blocks lie inside the matrix")
}
