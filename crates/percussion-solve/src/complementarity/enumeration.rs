//! All complementary bases in turn: the reference for small problems.
//!
//!   for every A ⊆ {1 … n}:    W_AA p_A = −b_A,    p_A ≥ 0,    W_IA p_A + b_I ≥ 0
//!
//! No solution is claimed only when every basis is refuted. A regular basis has one candidate. A singular one is
//! refuted when its equations contradict each other, or when a one-parameter family of candidates never satisfies the
//! signs. For symmetric positive semidefinite W singular bases need no look: a solvable problem has a regular one.

use super::Tools;
use super::lcp::Lcp;
use crate::Residuals;
use crate::entry::{Complementarity, Entry};
use crate::report::Outcome;
use crate::{Method, SolveReport, SolverOptions};
use percussion_matrix::SmallLu;

/// More rows would take minutes.
pub(crate) const LARGEST: usize = 20;
/// Relative size below which a pivot of the full elimination is zero.
const ZERO_PIVOT: f64 = 1e-10;
/// A basis is refuted only by an error larger than this.
const CLEAR: f64 = 1e-6;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "enumeration",
    summary: "tries all complementary bases; the reference for up to 20 rows",
    most_rows: Some(LARGEST),
    complementarity: Complementarity::Run(run),
    friction: None,
};

/// The method alone.
fn run(tools: &mut Tools, lcp: &Lcp, p: &mut [f64], options: &SolverOptions) -> SolveReport {
    let Tools { u, memories, .. } = tools;
    let (verdict, outcome) = memories.get::<Enumeration>().solve(lcp, p, u, options.tolerance);
    lcp.judged(Method::Enumeration, outcome, verdict == Verdict::NoSolution, p, u, options.tolerance)
}

/// What the search showed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// A basis satisfies everything.
    Found,
    /// Every basis is refuted.
    NoSolution,
    /// Some basis could be neither confirmed nor refuted, or the problem is too large.
    Undecided,
}

/// The method with its work memory; data are scaled to diag(W) = 1.
#[derive(Debug, Default)]
pub(crate) struct Enumeration {
    /// Scaled W, column-major, and scaled b.
    W: Vec<f64>,
    b: Vec<f64>,
    scale: Vec<f64>,
    lu: SmallLu,
    rows: Vec<usize>,
    x: Vec<f64>,
    trial: Vec<f64>,
    u_trial: Vec<f64>,
    elimination: Elimination,
}

impl Enumeration {
    /// Overwrites p, and u with its velocity; the guess is not used.
    pub fn solve(&mut self, lcp: &Lcp, p: &mut [f64], u: &mut [f64], tolerance: f64) -> (Verdict, Outcome) {
        let n = lcp.len();
        if n > LARGEST || !self.load(lcp) {
            p.fill(0.0);
            return (Verdict::Undecided, Outcome { iterations: 0, residuals: Residuals::INFINITE });
        }
        let semidefinite = self.is_semidefinite();
        let mut best = (f64::INFINITY, Residuals::INFINITE);
        let mut refuted = true;
        for mask in 0..1usize << n {
            if lcp.stop.requested() {
                return (Verdict::Undecided, Outcome { iterations: mask, residuals: best.1 });
            }
            self.rows.clear();
            self.rows.extend((0..n).filter(|i| mask >> i & 1 == 1));
            let clear = match self.regular_candidate() {
                Some(impossible) if impossible => true,
                Some(_) => self.judge(lcp, p, u, &mut best),
                None if semidefinite => true,
                None => match self.elimination.candidate(&self.W, &self.b, &self.rows, &mut self.x) {
                    Candidate::Impossible => true,
                    Candidate::Only => self.judge(lcp, p, u, &mut best),
                    Candidate::OneOfMany => {
                        self.judge(lcp, p, u, &mut best);
                        false
                    }
                },
            };
            if best.0 <= CLEAR && lcp.accepts(p, u, &best.1, tolerance) {
                return (Verdict::Found, Outcome { iterations: mask + 1, residuals: best.1 });
            }
            refuted &= clear;
        }
        let verdict = if refuted { Verdict::NoSolution } else { Verdict::Undecided };
        (verdict, Outcome { iterations: 1 << n, residuals: best.1 })
    }

    fn load(&mut self, lcp: &Lcp) -> bool {
        let n = lcp.len();
        self.scale.clear();
        self.scale.extend(lcp.rho.iter().map(|rho| rho.sqrt()));
        self.W.clear();
        for j in 0..n {
            for i in 0..n {
                self.W.push(lcp.W.get(i, j) * self.scale[i] * self.scale[j]);
            }
            self.W[j + j * n] += lcp.shift;
        }
        self.b.clear();
        self.b.extend((0..n).map(|i| lcp.b[i] * self.scale[i]));
        self.trial.resize(n, 0.0);
        self.u_trial.resize(n, 0.0);
        self.W.iter().chain(&self.b).all(|x| x.is_finite())
    }

    /// Symmetric, and positive definite once 1e-11 is added to the diagonal.
    fn is_semidefinite(&self) -> bool {
        let n = self.b.len();
        let mut L = self.W.clone();
        for j in 0..n {
            for i in 0..j {
                if (L[i + j * n] - L[j + i * n]).abs() > 1e-13 {
                    return false;
                }
            }
        }
        for j in 0..n {
            let pivot = L[j + j * n] + 1e-11;
            if pivot <= 0.0 || pivot.is_nan() {
                return false;
            }
            for i in j + 1..n {
                let factor = L[i + j * n] / pivot;
                for k in j + 1..=i {
                    L[i + k * n] -= factor * L[k + j * n];
                }
            }
        }
        true
    }

    /// x_A of a regular basis, and whether its signs alone refute it; `None` for a singular basis.
    fn regular_candidate(&mut self) -> Option<bool> {
        let (n, k) = (self.b.len(), self.rows.len());
        let A = self.lu.reset(k);
        for (c, &j) in self.rows.iter().enumerate() {
            for (r, &i) in self.rows.iter().enumerate() {
                A[r + c * k] = self.W[i + j * n];
            }
        }
        if !self.lu.factorise() {
            return None;
        }
        self.x.clear();
        self.x.extend(self.rows.iter().map(|&i| -self.b[i]));
        self.lu.solve(&mut self.x);
        let size = percussion_matrix::vector::max_abs(&self.x);
        Some(self.x.iter().any(|&x| x < -1e-5 * size))
    }

    /// Whether the candidate is refuted; it is kept when it is the best.
    fn judge(&mut self, lcp: &Lcp, p: &mut [f64], u: &mut [f64], best: &mut (f64, Residuals)) -> bool {
        self.trial.fill(0.0);
        for (c, &i) in self.rows.iter().enumerate() {
            self.trial[i] = self.x[c] * self.scale[i];
        }
        let residuals = lcp.finish(&mut self.trial, &mut self.u_trial);
        let error = lcp.error(&self.trial, &self.u_trial);
        if error < best.0 {
            *best = (error, residuals);
            p.copy_from_slice(&self.trial);
            u.copy_from_slice(&self.u_trial);
        }
        // the velocities of a large p are wrong by rounding
        let size = percussion_matrix::vector::norm(&self.x) / percussion_matrix::vector::norm(&self.b);
        error > CLEAR.max(1e-14 * size)
    }
}

/// The solutions of a singular basis.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Candidate {
    /// There are none, or none with the right signs.
    Impossible,
    /// The most likely one of a one-parameter family: if it fails, all do.
    Only,
    /// One of a larger family.
    OneOfMany,
}

/// Gauss elimination with full pivoting of the singular blocks.
#[derive(Debug, Default)]
struct Elimination {
    /// [W_AA | −b_A], column-major, k × (k + 1).
    A: Vec<f64>,
    order: Vec<usize>,
}

impl Elimination {
    /// A solution x of W_AA x = −b_A, chosen within the signs where the family has one parameter.
    fn candidate(&mut self, W: &[f64], b: &[f64], rows: &[usize], x: &mut Vec<f64>) -> Candidate {
        let (n, k) = (b.len(), rows.len());
        self.A.clear();
        for &j in rows {
            self.A.extend(rows.iter().map(|&i| W[i + j * n]));
        }
        self.A.extend(rows.iter().map(|&i| -b[i]));
        self.order.clear();
        self.order.extend(0..k);
        let rank = self.eliminate(k);

        // equations without unknowns must hold
        let size = percussion_matrix::vector::max_abs(b);
        let rest = self.A[k * k + rank..k * (k + 1)].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if rest > CLEAR * size {
            return Candidate::Impossible;
        }
        x.clear();
        x.resize(k, 0.0);
        self.back_substitute(k, rank, self.A[k * k..].to_vec(), x);
        if k - rank != 1 {
            return Candidate::OneOfMany;
        }

        // x + t y: the interval of t that keeps all signs
        let mut y = vec![0.0; k];
        let column: Vec<f64> = self.A[(k - 1) * k..k * k].iter().map(|a| -a).collect();
        self.back_substitute(k, rank, column, &mut y);
        y[self.order[k - 1]] = 1.0;
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut bound = |value: f64, slope: f64| {
            if slope > ZERO_PIVOT {
                low = low.max(-value / slope);
            } else if slope < -ZERO_PIVOT {
                high = high.min(-value / slope);
            }
        };
        for c in 0..k {
            bound(x[c], y[c]);
        }
        for i in (0..n).filter(|i| !rows.contains(i)) {
            let (mut value, mut slope) = (b[i], 0.0);
            for (c, &j) in rows.iter().enumerate() {
                value += W[i + j * n] * x[c];
                slope += W[i + j * n] * y[c];
            }
            bound(value, slope);
        }
        let t = match (low.is_finite(), high.is_finite()) {
            (true, true) => 0.5 * (low + high),
            (true, false) => low,
            (false, true) => high,
            (false, false) => 0.0,
        };
        for c in 0..k {
            x[c] += t * y[c];
        }
        Candidate::Only
    }

    /// Brings A to upper triangular form with columns exchanged; its rank.
    fn eliminate(&mut self, k: usize) -> usize {
        let A = &mut self.A;
        let size = percussion_matrix::vector::max_abs(&A[..k * k]);
        for step in 0..k {
            let (mut row, mut column) = (step, step);
            for j in step..k {
                for i in step..k {
                    if A[i + j * k].abs() > A[row + column * k].abs() {
                        (row, column) = (i, j);
                    }
                }
            }
            if A[row + column * k].abs() <= ZERO_PIVOT * size {
                return step;
            }
            for j in 0..=k {
                A.swap(step + j * k, row + j * k);
            }
            for i in 0..k {
                A.swap(i + step * k, i + column * k);
            }
            self.order.swap(step, column);
            for i in step + 1..k {
                let factor = A[i + step * k] / A[step + step * k];
                for j in step..=k {
                    A[i + j * k] -= factor * A[step + j * k];
                }
            }
        }
        k
    }

    /// Solves the leading rank × rank triangle, free unknowns zero.
    fn back_substitute(&self, k: usize, rank: usize, mut rhs: Vec<f64>, x: &mut [f64]) {
        for j in (0..rank).rev() {
            let value = rhs[j] / self.A[j + j * k];
            x[self.order[j]] = value;
            for i in 0..j {
                rhs[i] -= self.A[i + j * k] * value;
            }
        }
    }
}
