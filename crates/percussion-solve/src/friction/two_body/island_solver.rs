//! Groups of islands solved one by one, on as many threads as there are: each a problem of its own, judged alone.
//!
//!   e ≤ tol on every group, and on the whole
//!
//! The residuals are relative: a group that barely moves is solved as if nothing else moved. What the whole then lacks (at most a factor
//! √3, where different norms are the largest in different groups) is asked of every group again. Who solves a group does not matter
//! to its numbers, so the bytes do not depend on the number of threads. Sums of the whole are those of the groups, added in their order.

use crate::friction::residual::Sums;
use crate::friction::two_body::islands::Islands;
use crate::friction::two_body::problem::Scratch;
use crate::friction::{TwoBodyProblem, TwoBodySolver};
use crate::{Residuals, SolveReport, SolveStatus};
use percussion_matrix::pool::together;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Times all groups are solved at most.
const ROUNDS: usize = 4;
/// Contacts below which a second thread costs more than it brings.
const WORTH: usize = 300;

/// Contacts from which threads copy the groups.
const MANY: usize = 10_000;

/// Contacts from which all threads work on a group together.
const LARGE_PART: usize = 3000;

/// Contacts above which a problem that is nearly all one group is solved as it is: a copy of it would cost more than the rest gains.
const LARGE: usize = 50_000;

/// A group as a problem of its own.
#[derive(Debug, Default)]
pub(crate) struct Part {
    problem: TwoBodyProblem,
    solver: TwoBodySolver,
    r: Vec<f64>,
    v: Vec<[f64; 6]>,
    report: Option<SolveReport>,
    sums: Sums,
    scratch: Scratch,
}

/// The groups with their problems.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    islands: Islands,
    parts: Vec<Part>,
    /// Number of each body in its part.
    local: Vec<AtomicU32>,
}

impl Part {
    /// Takes the contacts of a group and their bodies.
    fn take(&mut self, whole: &TwoBodyProblem, contacts: &[u32], r: &[f64], local: &[AtomicU32]) {
        let (part, d) = (&mut self.problem, whole.dim);
        part.dim = d;
        part.inverse_mass.clear();
        part.inverse_inertia.clear();
        part.v.clear();
        part.bodies.clear();
        part.H.clear();
        part.w.clear();
        part.mu.clear();
        part.mu_rolling.clear();
        part.places.clear();
        self.r.clear();
        for i in contacts.iter().map(|&i| i as usize) {
            let number = |body: u32| {
                if body == TwoBodyProblem::GROUND {
                    return body;
                }
                // a body is in one part only: nobody else writes here
                let at = &local[body as usize];
                if at.load(Ordering::Relaxed) == TwoBodyProblem::GROUND {
                    at.store(part.v.len() as u32, Ordering::Relaxed);
                    part.v.push(whole.v[body as usize]);
                    part.inverse_mass.push(whole.inverse_mass[body as usize]);
                    part.inverse_inertia.push(whole.inverse_inertia[body as usize]);
                    part.places.extend(whole.places.get(body as usize));
                }
                at.load(Ordering::Relaxed)
            };
            part.bodies.push(whole.bodies[i].map(number));
            part.H.extend_from_slice(&whole.H[2 * d * i..2 * d * (i + 1)]);
            part.w.extend_from_slice(&whole.w[d * i..d * (i + 1)]);
            part.mu.push(whole.mu[i]);
            part.mu_rolling.extend(whole.mu_rolling.get(i));
            self.r.extend_from_slice(&r[d * i..d * (i + 1)]);
        }
        self.v.clone_from(&part.v);
    }
}

impl Parts {
    /// Solves the groups of a problem; `None` where it is one.
    pub fn solve(&mut self, whole: &TwoBodyProblem, asked: &TwoBodySolver, r: &mut [f64]) -> Option<SolveReport> {
        if !self.islands.split(whole) {
            return None;
        }
        let d = whole.dim;
        let count = self.islands.count;
        let largest = self.islands.groups[..count].iter().map(Vec::len).max().unwrap_or(0);
        if whole.len() > LARGE && 10 * largest > 9 * whole.len() {
            return None;
        }
        if self.parts.len() < count {
            self.parts.resize_with(count, Part::default);
        }
        let threads = if whole.len() < WORTH { 1 } else { asked.threads };
        self.local.clear();
        self.local.resize_with(whole.v.len(), || AtomicU32::new(TwoBodyProblem::GROUND));
        let (local, guess) = (&self.local, &*r);
        let takes = if whole.len() < MANY { 1 } else { threads };
        for_all(self.parts.iter_mut().zip(&self.islands.groups[..count]), takes, |(part, contacts)| {
            part.take(whole, contacts, guess, local);
            part.solver.options = asked.options;
            part.solver.stop = asked.stop.clone();
            part.solver.device = asked.device.clone();
        });

        let (mut visits, mut status) = (0, SolveStatus::NotConverged);
        let mut residuals = Residuals::INFINITE;
        for _ in 0..ROUNDS {
            solve_all(&mut self.parts[..count], threads);
            status = SolveStatus::Solved;
            let (mut sums, mut reached) = (Sums::default(), true);
            for (part, contacts) in self.parts.iter().zip(&self.islands.groups[..count]) {
                for (k, &i) in contacts.iter().enumerate() {
                    r[d * i as usize..d * (i as usize + 1)].copy_from_slice(&part.r[d * k..d * (k + 1)]);
                }
                sums.add(&part.sums);
                if let Some(report) = part.report {
                    visits += report.iterations * contacts.len();
                    reached &= report.residuals.worst() <= part.solver.options.tolerance;
                    if report.status != SolveStatus::Solved {
                        status = report.status;
                    }
                }
            }
            residuals = sums.residuals();
            let short = residuals.worst() / asked.options.tolerance;
            let lacks = residuals.worst() / asked.options.acceptable();
            // a group that stopped at what is enough would stop there again
            if short <= 1.0 || (!reached && lacks <= 1.0) || status != SolveStatus::Solved {
                break;
            }
            status = SolveStatus::NotConverged;
            for part in &mut self.parts[..count] {
                let options = &mut part.solver.options;
                options.tolerance *= if reached { 0.9 / short } else { 1.0 };
                options.enough = options.enough.map(|enough| enough * if lacks > 1.0 { 0.9 / lacks } else { 1.0 });
            }
        }
        // what the groups took, in sweeps over all contacts
        let iterations = visits.div_ceil(whole.len());
        let mut report = SolveReport { status, method: crate::Method::Auto, iterations, residuals };
        report.judge(&asked.options, &asked.stop);
        Some(report)
    }
}

/// All parts, each taken by the next free thread.
fn solve_all(parts: &mut [Part], threads: usize) {
    let solve = |part: &mut Part| {
        part.report = Some(part.solver.solve_whole(&part.problem, &mut part.r, &mut part.v));
        part.sums = part.solver.sums(&part.problem, &part.r, &mut part.scratch);
    };
    // a large one by all threads together, then the others side by side
    for part in parts.iter_mut() {
        part.solver.threads = 1;
        if part.problem.len() >= LARGE_PART {
            part.solver.threads = threads;
            solve(part);
        }
    }
    let threads = threads.min(parts.len());
    for_all(parts.iter_mut().filter(|part| part.problem.len() < LARGE_PART), threads, solve);
}

/// Does the work on every item, each taken by the next free thread.
fn for_all<X>(mut items: impl Iterator<Item = X> + Send, threads: usize, work: impl Fn(X) + Sync) {
    if threads < 2 {
        return items.for_each(work);
    }
    let queue = Mutex::new(&mut items);
    let work = || {
        // the lock ends before the work begins
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some(item) = next() {
            work(item);
        }
    };
    let work = &work;
    together(threads, |crew| {
        (1..threads).for_each(|_| crew.give(work));
        work();
    });
}
