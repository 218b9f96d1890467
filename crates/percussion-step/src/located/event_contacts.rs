//! Contact problems of an instant: impulses at an impact, forces in persistent contact, with friction and without.
//!
//!   impact:  0 ≤ w_N ⟂ p ≥ 0,  w_N = u_N⁺ + e u_N⁻;     with friction the law of `ContactLaw` on w_T = u_T⁺ + α u_T⁻ too
//!   forces:  the same with Γ = W λ + Γ_free for w, on contacts whose tangential velocity is zero
//!
//! A contact that slides has λ_T = −μ λ_N d: its normal force brings its friction along, W_iN ← W_iN − μ W_iT d, and it
//! takes part as a contact without friction. W is then not symmetric, and with large μ the problem may have no solution
//! (Painlevé).

use crate::contact::law::{ContactLaw, padded_blocks, without_friction};
use crate::mechanism::hold::Row;
use crate::{FrictionLaw, StepFailure, StepInfo};
use percussion_matrix::{DenseMatrix, Matrix};
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{OneStepProblem, OneStepSolver, SolveStatus, Solver, SolverOptions};

/// Frémond's α for an impact whose work is ½ p·(u⁻ + u⁺).
const ALPHA: f64 = 1.0;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Impulses.
    Impact,
    /// Forces.
    Forces,
}

/// A contact of a problem.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Its number.
    pub contact: usize,
    /// The number by which results name it.
    pub id: usize,
    /// μ; zero where it has no friction, or slides and brings its friction along.
    pub friction: f64,
    /// e.
    pub restitution: f64,
    /// Whether its tangents take part.
    pub tangents: bool,
}

/// A problem; velocities go with the rows of W.
#[derive(Clone, Copy)]
pub struct Instant<'a> {
    /// When [s].
    pub t: f64,
    /// W.
    pub W: &'a DenseMatrix,
    /// Its rows.
    pub rows: &'a [Row],
    /// The contacts.
    pub members: &'a [Member],
    /// u⁻; empty where forces are asked for.
    pub before: &'a [f64],
    /// u or Γ without impulses or forces.
    pub free: &'a [f64],
}

/// Solvers of both problems with their memory.
pub struct EventContacts {
    solver: Solver,
    /// The last problem without friction, and its answer.
    normal: OneStepProblem,
    x: Vec<f64>,
    impacts: ContactLaw,
    forces: ContactLaw,
    padded: Vec<Option<usize>>,
    entries: Vec<(usize, usize, f64)>,
    /// The last problem of the step, and whether it had friction.
    last: Option<(Asked, bool)>,
}

impl EventContacts {
    /// For contacts of at most d components.
    pub fn new(d: usize, law: FrictionLaw, options: SolverOptions) -> Self {
        let d = d.max(2);
        Self {
            solver: Solver::new(options),
            normal: OneStepProblem::empty(),
            x: Vec::new(),
            impacts: ContactLaw::new(d, law, ALPHA, options),
            forces: ContactLaw::new(d, FrictionLaw::Newton, 0.0, options),
            padded: Vec::new(),
            entries: Vec::new(),
            last: None,
        }
    }

    /// Forgets the problems of the last step.
    pub fn begin_step(&mut self) {
        self.last = None;
    }

    /// Whether Frémond's law held at member k of the last impact with friction.
    pub fn fremond(&self, k: usize) -> bool {
        self.impacts.fremond(k)
    }

    /// The last problem of the step with its impulses or forces.
    pub fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        match self.last? {
            (_, false) => without_friction(&self.normal, &self.x),
            (Asked::Impact, true) => self.impacts.contact_problem(),
            (Asked::Forces, true) => self.forces.contact_problem(),
        }
    }

    /// Impulses or forces, in the order of the rows.
    pub fn solve(&mut self, asked: Asked, at: &Instant, answer: &mut Vec<f64>) -> Result<StepInfo, StepFailure> {
        answer.clear();
        answer.resize(at.rows.len(), 0.0);
        let friction = at.members.iter().any(|member| member.tangents);
        self.last = Some((asked, friction));
        if friction { self.solve_with_friction(asked, at, answer) } else { self.solve_normals(at, answer) }
    }

    /// Normals alone: rows that are tangents get nothing of their own.
    fn solve_normals(&mut self, at: &Instant, answer: &mut [f64]) -> Result<StepInfo, StepFailure> {
        let normals: Vec<usize> = (0..at.rows.len()).filter(|&k| at.rows[k].component == 0).collect();
        let mut W = DenseMatrix::zeros(normals.len(), normals.len());
        for (j, &l) in normals.iter().enumerate() {
            for (i, &k) in normals.iter().enumerate() {
                W.set(i, j, at.W.get(k, l));
            }
        }
        self.normal.W = Matrix::Dense(W);
        self.normal.ids.clear();
        self.normal.ids.extend(at.members.iter().map(|member| member.id));
        self.normal.b.clear();
        for (&k, member) in normals.iter().zip(at.members) {
            let before = at.before.get(k).copied().unwrap_or(0.0);
            self.normal.b.push(at.free[k] + member.restitution * before);
        }
        self.x.clear();
        self.x.resize(normals.len(), 0.0);
        let report = self.solver.solve(&self.normal, &mut self.x);
        if report.status != SolveStatus::Solved {
            return Err(StepFailure::unsolved(at.t, 0.0, &self.normal, &report));
        }
        for (&k, x) in normals.iter().zip(&mut self.x) {
            *x = x.max(0.0);
            answer[k] = *x;
        }
        Ok(StepInfo::of(&report))
    }

    fn solve_with_friction(&mut self, asked: Asked, at: &Instant, answer: &mut [f64]) -> Result<StepInfo, StepFailure> {
        let law = match asked {
            Asked::Impact => &mut self.impacts,
            Asked::Forces => &mut self.forces,
        };
        law.clear();
        let d = law.dim();
        self.padded.clear();
        for member in at.members {
            let first = self.padded.len();
            self.padded.resize(first + d, None);
            for (k, row) in at.rows.iter().enumerate().filter(|(_, row)| row.contact == member.contact) {
                if row.component == 0 || member.tangents {
                    self.padded[first + row.component] = Some(k);
                }
            }
            law.restitution.push(member.restitution);
        }
        self.entries.clear();
        for (j, column) in self.padded.iter().enumerate() {
            let Some(l) = column else { continue };
            for (i, row) in self.padded.iter().enumerate() {
                if let Some(k) = row {
                    self.entries.push((i, j, at.W.get(*k, *l)));
                }
            }
        }
        law.problem.W = padded_blocks(d, &self.padded, &self.entries);
        law.problem.mu.clear();
        law.problem.mu.extend(at.members.iter().map(|member| member.friction));
        law.problem.ids.clear();
        law.problem.ids.extend(at.members.iter().map(|member| member.id));
        law.problem.revision += 1;
        for row in &self.padded {
            law.u_before.push(row.and_then(|k| at.before.get(k).copied()).unwrap_or(0.0));
            law.u_free.push(row.map_or(0.0, |k| at.free[k]));
        }
        law.p.resize(self.padded.len(), 0.0);
        let report = law.solve(at.t, 0.0)?;
        for (row, p) in self.padded.iter().zip(&law.p) {
            if let Some(k) = row {
                answer[*k] = *p;
            }
        }
        Ok(report)
    }
}
