//! Lemke's complementary pivoting with the lexicographic ratio rule (Cottle, Pang, Stone 1992, §4.4).
//!
//!   w − W z − d z₀ = b,    w, z, z₀ ≥ 0,    wᵀz = 0;    z₀ enters first, and its leaving ends the search
//!
//! The tableau is condensed: n rows for the basic variables, n + 1 columns for the others. Data are scaled to
//! diag(W) = 1, max |b| = 1 and d = 1. The lexicographic rule excludes cycling, so the search ends at a solution or
//! on a ray; for a positive semidefinite W the ray is a certificate that there is no solution.

use super::Tools;
use super::active_block::ActiveBlock;
use super::certificate::{PROOF, smallest_solution};
use super::lcp::Lcp;
use crate::Residuals;
use crate::entry::{Complementarity, Entry};
use crate::report::Outcome;
use crate::{Method, SolveReport, SolverOptions};
use percussion_matrix::Matrix;

/// Pivots below this, in scaled data, count as zero.
const ZERO_PIVOT: f64 = 1e-11;
/// Ratios that differ by less are ties.
const TIE: f64 = 1e-12;
/// Larger problems would need more memory than a tableau deserves.
pub(crate) const LARGEST: usize = 5000;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "lemke",
    summary: "complementary pivoting; redundant contacts, proofs that there is no solution; dense, small",
    most_rows: Some(LARGEST),
    complementarity: Complementarity::Run(run),
    friction: None,
};

/// The method alone.
fn run(tools: &mut Tools, lcp: &Lcp, p: &mut [f64], options: &SolverOptions) -> SolveReport {
    let Tools { u, lemke, .. } = tools;
    let (ending, outcome) = lemke.solve(lcp, p, u, options.max_iterations);
    let refuted = ending == Ending::Ray && smallest_solution(lcp, &lemke.ray) >= PROOF;
    lcp.judged(Method::Lemke, outcome, refuted, p, u, options.tolerance)
}

/// How the pivoting ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ending {
    /// z₀ left the basis.
    Solution,
    /// No pivot was left; the direction is in `Lemke::ray`.
    Ray,
    /// Too many pivots, too large a problem or data that are not numbers.
    Stopped,
}

/// The method with its work memory. Variables: w_i is i, z_i is n + i, z₀ is 2n.
#[derive(Debug, Default)]
pub(crate) struct Lemke {
    /// Column-major, n × (n + 1).
    tableau: Vec<f64>,
    rhs: Vec<f64>,
    /// Variable of each row.
    basic: Vec<usize>,
    /// Variable of each column.
    nonbasic: Vec<usize>,
    /// Row of a basic variable, n + column of the others.
    place: Vec<usize>,
    /// √(diagonal), the scale of each row and column.
    scale: Vec<f64>,
    pivot_column: Vec<f64>,
    candidates: Vec<usize>,
    active: Vec<bool>,
    trial: Vec<f64>,
    u_trial: Vec<f64>,
    block: ActiveBlock,
    /// The z part of the last secondary ray, n.
    pub ray: Vec<f64>,
}

impl Lemke {
    /// Overwrites p, and u with its velocity. The guess is not used.
    pub fn solve(&mut self, lcp: &Lcp, p: &mut [f64], u: &mut [f64], max_pivots: usize) -> (Ending, Outcome) {
        let n = lcp.len();
        p.fill(0.0);
        let Some(b_scale) = self.load(lcp) else {
            return (Ending::Stopped, Outcome { iterations: 0, residuals: Residuals::INFINITE });
        };

        // b ≥ 0: p = 0
        let Some(first) = self.first_row() else {
            return (Ending::Solution, Outcome { iterations: 0, residuals: lcp.finish(p, u) });
        };

        // z₀ enters where b is most negative; then always the complement of what left
        let mut iterations = 1;
        let mut left = self.pivot(first, n);
        let ending = loop {
            let column = self.place[complement(left, n)] - n;
            let Some(row) = self.leaving_row(column) else {
                self.read_ray(column);
                break Ending::Ray;
            };
            if iterations >= max_pivots || lcp.stop.requested() {
                break Ending::Stopped;
            }
            iterations += 1;
            left = self.pivot(row, column);
            if left == 2 * n {
                break Ending::Solution;
            }
        };

        // p from the tableau, then from the basis itself
        for (row, &variable) in self.basic.iter().enumerate() {
            if variable >= n && variable < 2 * n {
                p[variable - n] = b_scale * self.rhs[row] / self.scale[variable - n];
            }
        }
        let residuals = lcp.finish(p, u);
        let residuals = if ending == Ending::Solution { self.clean(lcp, p, u, residuals) } else { residuals };
        (ending, Outcome { iterations, residuals })
    }

    /// The scaled tableau; the scale of b, or `None` when something is not finite or too large.
    fn load(&mut self, lcp: &Lcp) -> Option<f64> {
        let n = lcp.len();
        if n > LARGEST {
            return None;
        }

        // rows without a usable diagonal take the size of their largest entry
        self.scale.clear();
        self.scale.resize(n, 0.0);
        self.tableau.clear();
        self.tableau.resize(n * (n + 1), 0.0);
        for j in 0..n {
            let column = &mut self.tableau[j * n..(j + 1) * n];
            match lcp.W {
                Matrix::Dense(W) => column.copy_from_slice(W.column(j)),
                Matrix::Sparse(W) => W.add_column(j, 1.0, column),
            }
            column[j] += lcp.shift / lcp.rho[j];
            for i in 0..n {
                let size = column[i].abs();
                if !size.is_finite() {
                    return None;
                }
                self.scale[i] = self.scale[i].max(size);
                self.scale[j] = self.scale[j].max(size);
            }
        }
        for i in 0..n {
            let diagonal = self.tableau[i + i * n].abs();
            let size = if diagonal > 1e-8 * self.scale[i] { diagonal } else { self.scale[i] };
            self.scale[i] = if size > f64::MIN_POSITIVE { size.sqrt() } else { 1.0 };
        }

        // columns of z: −Ŵ; column of z₀: −1
        for j in 0..n {
            for i in 0..n {
                self.tableau[i + j * n] /= -(self.scale[i] * self.scale[j]);
            }
        }
        self.tableau[n * n..].fill(-1.0);
        self.rhs.clear();
        self.rhs.extend((0..n).map(|i| lcp.b[i] / self.scale[i]));
        let b_scale = percussion_matrix::vector::max_abs(&self.rhs);
        if !b_scale.is_finite() {
            return None;
        }
        let b_scale = if b_scale > f64::MIN_POSITIVE { b_scale } else { 1.0 };
        self.rhs.iter_mut().for_each(|x| *x /= b_scale);

        self.basic.clear();
        self.basic.extend(0..n);
        self.nonbasic.clear();
        self.nonbasic.extend(n..2 * n + 1);
        self.place.clear();
        self.place.extend(0..2 * n + 1);
        self.pivot_column.resize(n, 0.0);
        Some(b_scale)
    }

    /// The most negative right-hand side, the last of equals (the lexicographically smallest row); `None` for b ≥ 0.
    fn first_row(&self) -> Option<usize> {
        let mut first: Option<usize> = None;
        for (i, &x) in self.rhs.iter().enumerate() {
            if x < 0.0 && first.is_none_or(|f| x <= self.rhs[f]) {
                first = Some(i);
            }
        }
        first
    }

    /// The lexicographic minimum of [rhs, B⁻¹] / column over its positive entries; z₀ goes first among equals.
    fn leaving_row(&mut self, column: usize) -> Option<usize> {
        let n = self.rhs.len();
        let entries = &self.tableau[column * n..(column + 1) * n];
        let size = percussion_matrix::vector::max_abs(entries);
        let zero = ZERO_PIVOT * size.max(1e-1);
        self.candidates.clear();
        self.candidates.extend((0..n).filter(|&i| entries[i] > zero));
        let rhs = &self.rhs;
        keep_smallest(&mut self.candidates, |i| rhs[i].max(0.0) / entries[i]);
        if let Some(&row) = self.candidates.iter().find(|&&i| self.basic[i] == 2 * n) {
            return Some(row);
        }

        // ties by the columns of B⁻¹: a tableau column, or a unit vector while w_k is basic
        for k in 0..n {
            if self.candidates.len() <= 1 {
                break;
            }
            let place = self.place[k];
            if place < n {
                keep_smallest(&mut self.candidates, |i| if i == place { 1.0 / entries[i] } else { 0.0 });
            } else {
                let inverse = &self.tableau[(place - n) * n..(place - n + 1) * n];
                keep_smallest(&mut self.candidates, |i| inverse[i] / entries[i]);
            }
        }
        self.candidates.first().copied()
    }

    /// Exchanges the variables of a row and a column; the one that leaves the basis.
    fn pivot(&mut self, row: usize, column: usize) -> usize {
        let n = self.rhs.len();
        self.pivot_column.copy_from_slice(&self.tableau[column * n..(column + 1) * n]);
        let pivot = self.pivot_column[row];
        self.pivot_column[row] = 0.0;
        let factor = &self.pivot_column;
        for (j, entries) in self.tableau.chunks_exact_mut(n).enumerate() {
            if j == column {
                continue;
            }
            let x = entries[row] / pivot;
            if x != 0.0 {
                for i in 0..n {
                    entries[i] -= factor[i] * x;
                }
                entries[row] = x;
            }
        }
        let x = self.rhs[row] / pivot;
        for i in 0..n {
            self.rhs[i] -= factor[i] * x;
        }
        self.rhs[row] = x;
        let entries = &mut self.tableau[column * n..(column + 1) * n];
        for i in 0..n {
            entries[i] = -factor[i] / pivot;
        }
        entries[row] = 1.0 / pivot;

        let (leaving, entering) = (self.basic[row], self.nonbasic[column]);
        self.basic[row] = entering;
        self.nonbasic[column] = leaving;
        self.place[entering] = row;
        self.place[leaving] = n + column;
        leaving
    }

    /// The z part of the direction in which the entering variable grows without bound.
    fn read_ray(&mut self, column: usize) {
        let n = self.rhs.len();
        self.ray.clear();
        self.ray.resize(n, 0.0);
        let entries = &self.tableau[column * n..(column + 1) * n];
        let size = percussion_matrix::vector::max_abs(entries).max(1.0);
        for (row, &variable) in self.basic.iter().enumerate() {
            if variable >= n && variable < 2 * n {
                // entries of rounding size would spoil the certificate's signs
                let y = -entries[row];
                self.ray[variable - n] = if y > 1e-13 * size { y / self.scale[variable - n] } else { 0.0 };
            }
        }
        let entering = self.nonbasic[column];
        if entering >= n && entering < 2 * n {
            self.ray[entering - n] = 1.0 / self.scale[entering - n];
        }
    }

    /// Solves W_AA p_A = −b_A of the final basis directly; kept when it is at least as good.
    fn clean(&mut self, lcp: &Lcp, p: &mut [f64], u: &mut [f64], tableau: Residuals) -> Residuals {
        let n = lcp.len();
        self.active.clear();
        self.active.extend((0..n).map(|i| self.place[n + i] < n));
        if !self.block.prepare(lcp, &self.active) {
            return tableau;
        }
        self.trial.clear();
        self.trial.extend(lcp.b.iter().map(|b| -b));
        self.u_trial.resize(n, 0.0);
        self.block.solve(&mut self.trial);
        let direct = lcp.finish(&mut self.trial, &mut self.u_trial);
        if direct.worst() <= tableau.worst() {
            p.copy_from_slice(&self.trial);
            u.copy_from_slice(&self.u_trial);
            return direct;
        }
        tableau
    }
}

fn complement(variable: usize, n: usize) -> usize {
    if variable < n { variable + n } else { variable - n }
}

/// Keeps the candidates whose value is within a tie of the smallest.
fn keep_smallest(candidates: &mut Vec<usize>, value: impl Fn(usize) -> f64) {
    let smallest = candidates.iter().map(|&i| value(i)).fold(f64::INFINITY, f64::min);
    let limit = smallest + TIE * smallest.abs().max(1.0);
    candidates.retain(|&i| value(i) <= limit);
}
