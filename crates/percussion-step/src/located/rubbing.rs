//! Contact problems of an instant where contacts rub: impulses at an impact, forces in persistent contact.
//!
//!   impact:  C* ∋ w + μ‖w_T‖n ⟂ p ∈ C,  w_N = u_N⁺ + e u_N⁻,  w_T = u_T⁺ + α u_T⁻            (`FrictionRule`)
//!   forces:  the same with Γ = W λ + Γ_free for w, on contacts that do not move along themselves
//!
//! A contact that slides has λ_T = −μ λ_N d: its normal force brings its friction along, W_iN ← W_iN − μ W_iT d, and it
//! takes part as a contact without friction. W is then not symmetric, and with large μ the problem may have no solution
//! (Painlevé).

use crate::FrictionLaw;
use crate::contact::friction_phase::padded_blocks;
use crate::contact::friction_rule::{FrictionRule, RuleReport, Velocities};
use crate::mechanism::hold::Row;
use percussion_matrix::DenseMatrix;
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{SolveReport, SolverOptions};

/// Frémond's α for an impact whose work is ½ p·(u⁻ + u⁺).
const ALPHA: f64 = 1.0;

/// Solvers of both problems with their memory.
pub struct Rubbing {
    impacts: FrictionRule,
    forces: FrictionRule,
    /// The last problem, for messages.
    pub problem: FrictionProblem,
    /// Components per contact.
    d: usize,
    padded: Vec<Option<usize>>,
    entries: Vec<(usize, usize, f64)>,
    before: Vec<f64>,
    free: Vec<f64>,
    r: Vec<f64>,
}

/// A contact of a problem.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Its number.
    pub contact: usize,
    /// The number by which results name it.
    pub id: usize,
    /// μ; zero where it does not rub, or slides and brings its friction along.
    pub friction: f64,
    /// e.
    pub restitution: f64,
    /// Whether its tangents take part.
    pub tangents: bool,
}

impl Rubbing {
    /// For contacts of at most d components.
    pub fn new(d: usize, law: FrictionLaw, options: SolverOptions) -> Self {
        Self {
            impacts: FrictionRule::new(law, ALPHA, options),
            forces: FrictionRule::new(FrictionLaw::Newton, 0.0, options),
            problem: FrictionProblem::empty(d),
            d,
            padded: Vec::new(),
            entries: Vec::new(),
            before: Vec::new(),
            free: Vec::new(),
            r: Vec::new(),
        }
    }

    /// Impulses of an impact, in the order of `rows`; `before` and `free` go with `rows` too. The contacts under Frémond's
    /// law are those of `fremond`.
    pub fn impact(
        &mut self,
        W: &DenseMatrix,
        rows: &[Row],
        members: &[Member],
        (before, free): (&[f64], &[f64]),
        p: &mut Vec<f64>,
    ) -> Result<RuleReport, SolveReport> {
        self.assemble(W, rows, members);
        self.before.clear();
        self.free.clear();
        for row in &self.padded {
            self.before.push(row.map_or(0.0, |k| before[k]));
            self.free.push(row.map_or(0.0, |k| free[k]));
        }
        self.impacts.fremond.clear();
        self.solve(members, false, p, rows.len())
    }

    /// Whether Frémond's law held at member k of the last impact.
    pub fn fremond(&self, k: usize) -> bool {
        self.impacts.fremond[k]
    }

    /// Forces, in the order of `rows`, at the accelerations `free` without them.
    pub fn forces(
        &mut self,
        W: &DenseMatrix,
        rows: &[Row],
        members: &[Member],
        free: &[f64],
        lambda: &mut Vec<f64>,
    ) -> Result<RuleReport, SolveReport> {
        self.assemble(W, rows, members);
        self.free.clear();
        self.free.extend(self.padded.iter().map(|row| row.map_or(0.0, |k| free[k])));
        self.before.clear();
        self.before.resize(self.free.len(), 0.0);
        self.solve(members, true, lambda, rows.len())
    }

    /// W in padded blocks.
    fn assemble(&mut self, W: &DenseMatrix, rows: &[Row], members: &[Member]) {
        let d = self.d;
        self.padded.clear();
        for member in members {
            let at = self.padded.len();
            self.padded.resize(at + d, None);
            for (k, row) in rows.iter().enumerate().filter(|(_, row)| row.contact == member.contact) {
                if row.component == 0 || member.tangents {
                    self.padded[at + row.component] = Some(k);
                }
            }
        }
        self.entries.clear();
        for (j, column) in self.padded.iter().enumerate() {
            let Some(l) = column else { continue };
            for (i, row) in self.padded.iter().enumerate() {
                if let Some(k) = row {
                    self.entries.push((i, j, W.get(*k, *l)));
                }
            }
        }
        self.problem.W = padded_blocks(d, &self.padded, &self.entries);
        self.problem.mu.clear();
        self.problem.mu.extend(members.iter().map(|member| member.friction));
        self.problem.ids.clear();
        self.problem.ids.extend(members.iter().map(|member| member.id));
        self.problem.revision += 1;
    }

    fn solve(
        &mut self,
        members: &[Member],
        forces: bool,
        answer: &mut Vec<f64>,
        rows: usize,
    ) -> Result<RuleReport, SolveReport> {
        let restitution: Vec<f64> = members.iter().map(|member| member.restitution).collect();
        self.r.clear();
        self.r.resize(self.padded.len(), 0.0);
        let u = Velocities { before: &self.before, free: &self.free, restitution: &restitution, positions: 0 };
        let rule = if forces { &mut self.forces } else { &mut self.impacts };
        let report = rule.solve(&mut self.problem, u, &mut self.r)?;
        answer.clear();
        answer.resize(rows, 0.0);
        for (row, r) in self.padded.iter().zip(&self.r) {
            if let Some(k) = row {
                answer[*k] = *r;
            }
        }
        Ok(report)
    }
}
