//! Block Gauss–Seidel (Moreau, Jean 1988; NSGS): one contact after the other, each solved exactly.
//!
//!   r_i ← the reaction of contact i alone to f_i = u_i − W_ii r_i,    f_j ← f_j + W_ji Δr_i  (j ≠ i)
//!
//! Between sweeps each contact keeps f_i, what its velocity would be without its own reaction: a visit finds it ready
//! and touches neighbours only. Kept up to date column by column, it gives the true residual without a product with W, and a
//! contact that has settled costs nothing but its own solution.

use crate::Method;
use crate::entry::{Complementarity, Entry, Friction, friction_method};
use crate::friction::local::{Local, Memory, fixed_point};
use crate::friction::solver::FrictionTools;
use crate::friction::sweeps::colouring::by_colour;
use crate::friction::task::Task;
use crate::friction::two_body::OnBodies;
use crate::friction::{Cone, FrictionProblem};
use crate::report::Outcome;

/// In which order contacts are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// 0, 1, 2, …
    #[default]
    Natural,
    /// There and back again: the sweeps alternate.
    Symmetric,
    /// A new permutation each sweep, from a fixed seed.
    Random,
    /// Colour by colour: contacts of one colour do not feel each other.
    Coloured,
}

/// Sweeps between exact recomputations of u, which rounding enters with every update, and looks at the residuals.
const REFRESH: usize = 50;
/// Where random orders start.
const SEED: u64 = 0x2545f4914f6cdd1d;
/// Local fixed-point steps where no exact solution is offered.
const FIXED_POINT_STEPS: usize = 50;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "nsgs",
    summary: "block Gauss-Seidel, each contact solved exactly; robust, linear convergence",
    most_rows: None,
    complementarity: Complementarity::None,
    friction: Some(Friction::of::<Nsgs>(OnBodies::GaussSeidel)),
};

friction_method! {
    /// Plain sweeps in the given order.
    Nsgs(tools, task, r) {
        let FrictionTools { u, sweeper, .. } = tools;
        sweeper.solve(task, r, u, Order::Natural).unjudged(Method::Nsgs)
    }
}

/// The method with its work memory, for contacts of D components (D2 = D²).
#[derive(Debug, Default)]
pub(crate) struct GaussSeidel<const D: usize, const D2: usize, L> {
    revision: u64,
    cones: Vec<Cone>,
    locals: Vec<L>,
    /// What the local solver keeps of each contact from sweep to sweep.
    memory: Vec<Memory>,
    /// W_ii, by columns.
    diagonal: Vec<[f64; D2]>,
    // the rest of W by block columns
    col_ptr: Vec<usize>,
    row_idx: Vec<u32>,
    blocks: Vec<[f64; D2]>,
    fill: Vec<usize>,
    order: Vec<u32>,
    coloured: bool,
    seed: u64,
}

impl<const D: usize, const D2: usize, L: Local<D>> GaussSeidel<D, D2, L> {
    /// Columns of W and local solvers, unless they are those of the last call.
    pub fn prepare(&mut self, problem: &FrictionProblem) {
        let n = problem.len();
        // nothing of the last solve may show in the next one: same numbers whatever was solved before
        self.memory.clear();
        self.memory.resize(n, [0.0; 2]);
        self.order.clear();
        self.order.extend(0..n as u32);
        self.coloured = false;
        self.seed = SEED;
        let same_matrix = problem.revision != 0 && problem.revision == self.revision && self.cones.len() == n;
        if same_matrix && (0..n).all(|i| self.cones[i] == problem.cone(i)) {
            return;
        }
        self.revision = problem.revision;
        self.cones.clear();
        self.cones.extend((0..n).map(|i| problem.cone(i)));
        self.locals.clear();
        self.locals.extend((0..n).map(|i| L::new(problem.W.diagonal_block(i), self.cones[i])));

        let (row_ptr, col_idx) = (problem.W.row_ptr(), problem.W.col_idx());
        let rows = problem.W.values().as_chunks::<D2>().0;
        self.col_ptr.clear();
        self.col_ptr.resize(n + 1, 0);
        for i in 0..n {
            for &j in col_idx[row_ptr[i]..row_ptr[i + 1]].iter().filter(|&&j| j as usize != i) {
                self.col_ptr[j as usize + 1] += 1;
            }
        }
        for j in 0..n {
            self.col_ptr[j + 1] += self.col_ptr[j];
        }
        let size = self.col_ptr[n];
        self.row_idx.clear();
        self.row_idx.resize(size, 0);
        self.blocks.clear();
        self.blocks.resize(size, [0.0; D2]);
        self.diagonal.clear();
        self.diagonal.resize(n, [0.0; D2]);
        self.fill.clone_from(&self.col_ptr);
        for i in 0..n {
            for k in row_ptr[i]..row_ptr[i + 1] {
                if col_idx[k] as usize == i {
                    self.diagonal[i] = rows[k];
                    continue;
                }
                let place = &mut self.fill[col_idx[k] as usize];
                self.row_idx[*place] = i as u32;
                self.blocks[*place] = rows[k];
                *place += 1;
            }
        }
    }

    /// u ← f, with f_i = u_i − W_ii r_i.
    pub fn without_own(&self, r: &[f64], u: &mut [f64]) {
        self.add_own(-1.0, r, u);
    }

    /// f ← u, with u_i = f_i + W_ii r_i.
    pub fn with_own(&self, r: &[f64], f: &mut [f64]) {
        self.add_own(1.0, r, f);
    }

    fn add_own(&self, sign: f64, r: &[f64], u: &mut [f64]) {
        for ((w, r), u) in self.diagonal.iter().zip(r.as_chunks::<D>().0).zip(u.as_chunks_mut::<D>().0) {
            for k in 0..D {
                let mut sum = 0.0;
                for c in 0..D {
                    sum += w[c * D + k] * r[c];
                }
                u[k] += sign * sum;
            }
        }
    }

    /// Sweeps until both residuals are within the tolerance; the velocity of r is left in u.
    pub fn solve(&mut self, task: &Task, r: &mut [f64], u: &mut [f64], order: Order) -> Outcome {
        let (problem, tolerance) = (task.problem, task.tolerance);
        self.prepare(problem);
        let mut residuals = task.judge(r, u);
        // relative change of r in a sweep below which the true residuals are worth computing
        let mut light = tolerance;
        let mut iterations = 0;
        self.without_own(r, u);
        while iterations < task.limit && residuals.worst() > tolerance && !task.stop.requested() {
            let change = self.sweep(problem, task.rho, r, u, order);
            iterations += 1;
            let refresh = iterations % REFRESH == 0;
            if change <= light || iterations == task.limit || refresh {
                self.with_own(r, u);
                residuals = task.residuals(r, u);
                if refresh || residuals.worst() <= tolerance {
                    // what is accepted is judged by exact velocities
                    residuals = task.judge(r, u);
                }
                let ratio = (tolerance / residuals.worst()).clamp(0.05, 0.9);
                light = light.min(change * ratio);
                self.without_own(r, u);
            }
            // nothing moved: nothing will
            if change == 0.0 || !change.is_finite() {
                break;
            }
        }
        Outcome { iterations, residuals: task.judge(r, u) }
    }

    /// One sweep over all contacts, whose f are given and kept; returns ‖Δr‖/‖r‖.
    pub fn sweep(&mut self, problem: &FrictionProblem, rho: &[f64], r: &mut [f64], f: &mut [f64], order: Order) -> f64 {
        match order {
            Order::Natural => {}
            Order::Symmetric => self.order.reverse(),
            Order::Random => self.shuffle(),
            Order::Coloured if !self.coloured => {
                (self.order, _) = by_colour(&problem.W);
                self.coloured = true;
            }
            Order::Coloured => {}
        }
        let r = r.as_chunks_mut::<D>().0;
        let f = f.as_chunks_mut::<D>().0;
        let (mut change, mut size) = (0.0, 0.0);
        let mut fallback;
        for &i in &self.order {
            let i = i as usize;
            let (old, free) = (r[i], f[i]);
            let new = match self.locals[i].solve(&free, &old, &mut self.memory[i]) {
                Some(new) => new,
                // arrays whose address is taken live in memory, and every visit would wait for them there
                None => {
                    fallback = fixed_point(&self.diagonal[i], problem.cone(i), rho[i], &f[i], &r[i], FIXED_POINT_STEPS);
                    std::array::from_fn(|k| fallback[k])
                }
            };
            let mut delta = [0.0; D];
            // one addition to the long sum: it would be waited for
            let (mut square, mut length) = (0.0, 0.0);
            for k in 0..D {
                delta[k] = new[k] - old[k];
                square += delta[k] * delta[k];
                length += new[k] * new[k];
            }
            size += length;
            if square == 0.0 {
                continue;
            }
            change += square;
            r[i] = new;
            self.add_blocks(i, &delta, f);
        }
        if change == 0.0 { 0.0 } else { (change / size.max(f64::MIN_POSITIVE)).sqrt() }
    }

    /// f ← f + W_·i Δ of the others.
    pub fn add_to_others(&self, i: usize, delta: &[f64; D], f: &mut [f64]) {
        self.add_blocks(i, delta, f.as_chunks_mut::<D>().0);
    }

    /// u ← u + W_·i Δ.
    pub fn add_column(&self, i: usize, delta: &[f64; D], u: &mut [f64]) {
        let u = u.as_chunks_mut::<D>().0;
        for k in 0..D {
            for c in 0..D {
                u[i][k] += self.diagonal[i][c * D + k] * delta[c];
            }
        }
        self.add_blocks(i, delta, u);
    }

    #[inline(always)]
    fn add_blocks(&self, i: usize, delta: &[f64; D], u: &mut [[f64; D]]) {
        let column = self.col_ptr[i]..self.col_ptr[i + 1];
        for (block, &row) in self.blocks[column.clone()].iter().zip(&self.row_idx[column]) {
            let u = &mut u[row as usize];
            for k in 0..D {
                let mut sum = u[k];
                for c in 0..D {
                    sum += block[c * D + k] * delta[c];
                }
                u[k] = sum;
            }
        }
    }

    /// Fisher–Yates with a linear congruential generator: the same permutations in every run.
    fn shuffle(&mut self) {
        for k in (1..self.order.len()).rev() {
            self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let j = ((self.seed >> 33) as usize) % (k + 1);
            self.order.swap(k, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;
    use crate::friction::FrictionProblem;
    use crate::friction::local::plane::Plane;
    use crate::friction::residual::steps;
    use percussion_matrix::BlockMatrix;

    /// A chain of contacts: every order ends at the same reactions.
    #[test]
    fn every_order_reaches_the_same_answer() {
        let n = 9;
        let (own, next) = ([2.0, 0.1, 0.1, 1.5], [-0.5, 0.0, 0.1, 0.3]);
        let transposed = [-0.5, 0.1, 0.0, 0.3];
        let mut blocks: Vec<(usize, usize, &[f64])> = Vec::new();
        for i in 0..n {
            blocks.push((i, i, &own));
            if i + 1 < n {
                blocks.push((i, i + 1, &next));
                blocks.push((i + 1, i, &transposed));
            }
        }
        let W = BlockMatrix::from_blocks(2, n, &blocks).unwrap();
        let b = (0..2 * n).map(|k| (1.7 * k as f64).sin() - 0.4).collect();
        let problem = FrictionProblem::new(W, b, vec![0.3; n], Vec::new()).unwrap();
        let mut rho = Vec::new();
        steps(&problem.W, &mut rho);
        let task =
            Task { problem: &problem, rho: &rho, tolerance: 1e-13, enough: 1e-13, limit: 1000, stop: &Stop::default() };
        let mut answers = Vec::new();
        for order in [Order::Natural, Order::Symmetric, Order::Random, Order::Coloured] {
            let (mut r, mut u) = (vec![0.0; 2 * n], vec![0.0; 2 * n]);
            let outcome = GaussSeidel::<2, 4, Plane>::default().solve(&task, &mut r, &mut u, order);
            assert!(outcome.residuals.worst() <= 1e-13, "{order:?}");
            answers.push(r);
        }
        for r in &answers {
            for (x, y) in r.iter().zip(&answers[0]) {
                assert!((x - y).abs() < 1e-12);
            }
        }
    }
}
