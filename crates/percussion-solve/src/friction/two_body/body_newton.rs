//! Proximal point with Newton's method on the velocities of the bodies: piles and walls whose contacts are redundant.
//!
//!   v − v₀ − M⁻¹Hᵀr(v) = 0,    r(v) = A(c − R (H v + w)),    R = ρ/ε,    then c ← r
//!   J = 1 + M⁻¹Hᵀ ∂A R H
//!
//! A is Alart and Curnier's map: [y_N]₊ and the disc of radius μ[y_N]₊, so that r = c is Coulomb's law. The unknowns are six
//! numbers a body, however many contacts share a face, and 1 + M⁻¹Hᵀ∂A R H is regular where W = H M⁻¹ Hᵀ is not. A wall of 180
//! bricks has 1080 unknowns here and 6000 in its contacts.

use crate::Residuals;
use crate::friction::TwoBodyProblem;
use crate::friction::newton::alart_curnier::Law;
use crate::friction::residual::natural;
use crate::friction::two_body::solver::BodyTask;
use crate::report::Outcome;
use percussion_matrix::{BlockLu, BlockMatrix};

/// First ε far from and near a solution, its bounds, and its changes where Newton was quick or failed.
const START: f64 = 1e-4;
const WARM: f64 = 1e-6;
const SMALLEST: f64 = 1e-8;
const LARGEST: f64 = 1.0;
const QUICK: usize = 4;
const FAIR: usize = 8;
/// Newton iterations for one proximal step; those that arrive need 3 to 11 as a rule, and with a larger ε the others do.
const INNER: usize = 12;
/// Merits remembered by the line search, and its shortest step.
const MEMORY: usize = 4;
const SHORTEST: f64 = 1.0 / 32.0;
/// Proximal steps without a tenth off the residual after which the method gives up.
const PATIENCE: usize = 4;

/// Part of the residual left by a proximal step after which another is worth its price though the answer is good enough.
const WORTH: f64 = 0.2;

/// Iterations that may be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// In all.
    pub limit: usize,
    /// Where the answer is good enough already and the last proximal step did not gain much.
    pub beyond: usize,
}

/// A 6 × 6 block by columns.
type Block = [f64; 36];

/// The method with its work memory, for contacts of D components (D2 = D²).
#[derive(Debug, Default)]
pub(crate) struct BodyNewton<const D: usize, const D2: usize> {
    graph: Graph,
    laws: Vec<Law<D, D2>>,
    /// c, r(v) and the best r.
    centre: Vec<f64>,
    r: Vec<f64>,
    best: Vec<f64>,
    /// A first guess that is kept.
    kept: Vec<f64>,
    u: Vec<f64>,
    v: Vec<[f64; 6]>,
    trial: Vec<[f64; 6]>,
    /// v − v₀ − M⁻¹Hᵀr, then Newton's direction.
    off: Vec<[f64; 6]>,
    step: Vec<[f64; 6]>,
}

/// Which bodies touch, and J on that pattern.
#[derive(Debug, Default)]
struct Graph {
    n_bodies: usize,
    /// Pairs of bodies that touch, the smaller first, sorted.
    pairs: Vec<[u32; 2]>,
    /// The pair of each contact between two bodies.
    pair_of: Vec<u32>,
    /// (neighbour, pair) of each body.
    neighbours: Vec<Vec<(u32, u32)>>,
    diagonal: Vec<Block>,
    /// Rows of the smaller body, rows of the larger.
    beside: Vec<[Block; 2]>,
    lu: BlockLu<6, 36>,
}

impl<const D: usize, const D2: usize> BodyNewton<D, D2> {
    /// Takes in which bodies touch.
    pub fn prepare(&mut self, problem: &TwoBodyProblem) {
        self.graph.prepare(problem);
    }

    /// Block products of one factorisation; after `prepare`.
    pub fn n_products(&self) -> f64 {
        self.graph.lu.n_products()
    }

    /// Keeps r; its residuals.
    pub fn keep(&mut self, task: BodyTask, r: &[f64], u: &mut [f64]) -> Residuals {
        self.kept.clear();
        self.kept.extend_from_slice(r);
        self.trial.resize(task.problem.v.len(), [0.0; 6]);
        self.judge(task, r, u)
    }

    /// What was kept, with its velocity and residuals.
    pub fn take_back(&mut self, task: BodyTask, r: &mut [f64], u: &mut [f64]) -> Residuals {
        r.copy_from_slice(&self.kept);
        self.judge(task, r, u)
    }

    /// Improves r and leaves its velocity in u; after `prepare`.
    pub fn solve(&mut self, task: BodyTask, effort: Effort, r: &mut [f64], u: &mut [f64]) -> Outcome {
        let n_bodies = task.problem.v.len();
        for x in [&mut self.v, &mut self.trial, &mut self.off, &mut self.step] {
            x.resize(n_bodies, [0.0; 6]);
        }
        self.u.resize(r.len(), 0.0);
        self.r.resize(r.len(), 0.0);
        self.best.clear();
        self.best.extend_from_slice(r);
        let mut residuals = self.judge(task, r, u);
        let (mut best, mut since, mut gaining) = (residuals.worst(), 0, true);
        let (mut epsilon, mut failed_at, mut iterations) = ((10.0 * best).clamp(WARM, START), 0.0_f64, 0);
        while best > task.goal.tolerance && since < PATIENCE && !task.goal.stop.requested() {
            // near a solution a few iterations more are worth it: the next step starts from there
            let limit = if best <= task.goal.enough && !gaining { effort.beyond } else { effort.limit };
            if iterations >= limit {
                break;
            }
            let before = best;
            self.centre.clear();
            self.centre.extend_from_slice(r);
            let target = (1e-3 * residuals.worst()).clamp(1e-15, 1e-4);
            task.problem.body_velocities(r, &mut self.v);
            let (count, reached) = self.proximal_step(task, epsilon, INNER.min(limit - iterations), target);
            iterations += count.max(1);
            let solved = reached <= target.max(1e-14);
            if solved || reached <= 1e-2 {
                // y may be large beside r, and round-off leave r outside its cone
                for (i, (r, found)) in r.as_chunks_mut::<D>().0.iter_mut().zip(self.r.as_chunks::<D>().0).enumerate() {
                    *r = task.problem.cone(i).project(found);
                }
                residuals = self.judge(task, r, u);
            }
            since += 1;
            if residuals.worst() < best {
                since = if residuals.worst() < 0.9 * best { 0 } else { since };
                best = residuals.worst();
                self.best.copy_from_slice(r);
            }
            gaining = best <= WORTH * before;
            if solved {
                failed_at *= 0.5;
                if count <= FAIR {
                    let smaller = if count <= QUICK { 0.1 } else { 0.3 };
                    epsilon = (smaller * epsilon).max(2.0 * failed_at).min(epsilon).max(SMALLEST);
                }
            } else {
                failed_at = epsilon;
                epsilon = (10.0 * epsilon).min(LARGEST);
            }
        }
        r.copy_from_slice(&self.best);
        Outcome { iterations, residuals: self.judge(task, r, u) }
    }

    /// Exact velocities of r, and its residuals.
    fn judge(&mut self, task: BodyTask, r: &[f64], u: &mut [f64]) -> Residuals {
        let BodyTask { problem, b, rho, .. } = task;
        problem.body_velocities(r, &mut self.trial);
        problem.contact_velocities(&self.trial, u);
        natural::<D>(b, |i| problem.cone(i), rho, r, u)
    }

    /// Newton's method from `self.v` with the centre held; iterations, and the relative size of what is left.
    fn proximal_step(&mut self, task: BodyTask, epsilon: f64, limit: usize, target: f64) -> (usize, f64) {
        let problem = task.problem;
        let mut merit = self.evaluate(task, epsilon);
        let scale = self.scale(problem);
        let (mut history, mut iterations) = (vec![merit], 0);
        while iterations < limit && merit > target * scale && !task.goal.stop.requested() {
            self.assemble(task, epsilon);
            if !self.direction(task) {
                break;
            }
            iterations += 1;
            let bound = history.iter().copied().fold(0.0, f64::max);
            std::mem::swap(&mut self.v, &mut self.trial);
            let mut length = 1.0;
            let next = loop {
                for ((v, start), step) in self.v.iter_mut().zip(&self.trial).zip(&self.step) {
                    for k in 0..6 {
                        v[k] = start[k] + length * step[k];
                    }
                }
                let next = self.evaluate(task, epsilon);
                if next <= (1.0 - 1e-4 * length) * bound || length <= SHORTEST {
                    break next;
                }
                length *= 0.5;
            };
            if !next.is_finite() {
                return (iterations, f64::INFINITY);
            }
            merit = next;
            if history.len() == MEMORY {
                history.remove(0);
            }
            history.push(merit);
        }
        (iterations, if scale > 0.0 { merit / scale } else { merit })
    }

    /// r(v), its law at every contact, and v − v₀ − M⁻¹Hᵀr; the size of the latter, weighted by masses.
    fn evaluate(&mut self, task: BodyTask, epsilon: f64) -> f64 {
        let BodyTask { problem, rho, .. } = task;
        let Self { laws, centre, r, u, v, off, .. } = self;
        problem.contact_velocities(v, u);
        laws.clear();
        let contacts = r.as_chunks_mut::<D>().0.iter_mut().zip(u.as_chunks::<D>().0).zip(centre.as_chunks::<D>().0);
        for (i, ((r, u), c)) in contacts.enumerate() {
            let y: [f64; D] = std::array::from_fn(|k| c[k] - rho[i] / epsilon * u[k]);
            let law = Law::at(problem.cone(i), 1.0, &y, &[0.0; D]);
            *r = std::array::from_fn(|k| y[k] - law.F[k]);
            laws.push(law);
        }
        problem.body_velocities(r, off);
        for (off, v) in off.iter_mut().zip(v.iter()) {
            *off = std::array::from_fn(|k| v[k] - off[k]);
        }
        weighted(problem, off)
    }

    /// The size of v − v₀, weighted by masses.
    fn scale(&mut self, problem: &TwoBodyProblem) -> f64 {
        problem.body_velocities(&self.centre, &mut self.step);
        for (x, v) in self.step.iter_mut().zip(&problem.v) {
            *x = std::array::from_fn(|k| x[k] - v[k]);
        }
        let scale = weighted(problem, &self.step);
        scale.max(weighted(problem, &problem.v) * 1e-3)
    }

    /// J at the present laws.
    fn assemble(&mut self, task: BodyTask, epsilon: f64) {
        let BodyTask { problem, rho, .. } = task;
        let graph = &mut self.graph;
        graph.clear();
        for (i, law) in self.laws.iter().enumerate().filter(|(_, law)| !law.open) {
            // G = ∂A R
            let size = rho[i] / epsilon;
            let mut G = law.G_r.map(|x| -size * x);
            for k in 0..D {
                G[k * D + k] += size;
            }
            let bodies = problem.bodies[i];
            let T = [0, 1].map(|side| {
                let H = problem.rows::<D>(i, side);
                let mut T = [[0.0; 6]; D];
                for c in 0..D {
                    for k in 0..D {
                        for j in 0..6 {
                            T[k][j] += G[c * D + k] * H[c][j];
                        }
                    }
                }
                T
            });
            for (side, &body) in bodies.iter().enumerate().filter(|(_, body)| **body != TwoBodyProblem::GROUND) {
                let H = problem.rows::<D>(i, side);
                add_product(&mut graph.diagonal[body as usize], H, &T[side]);
                let other = bodies[1 - side];
                if other != TwoBodyProblem::GROUND {
                    let rows = usize::from(body > other);
                    add_product(&mut graph.beside[graph.pair_of[i] as usize][rows], H, &T[1 - side]);
                }
            }
        }
        graph.finish(problem);
    }

    /// `step` ← −J⁻¹ off.
    fn direction(&mut self, task: BodyTask) -> bool {
        if !self.graph.factorise(|| !task.goal.stop.requested()) {
            return false;
        }
        for (step, off) in self.step.iter_mut().zip(&self.off) {
            *step = off.map(|x| -x);
        }
        self.graph.lu.solve(self.step.as_flattened_mut());
        self.step.as_flattened().iter().all(|x| x.is_finite())
    }
}

impl Graph {
    /// Pairs and neighbours; order and fill only where they changed.
    fn prepare(&mut self, problem: &TwoBodyProblem) {
        let pair = |bodies: &[u32; 2]| [bodies[0].min(bodies[1]), bodies[0].max(bodies[1])];
        let joined = |bodies: &[u32; 2]| !bodies.contains(&TwoBodyProblem::GROUND) && bodies[0] != bodies[1];
        let mut pairs: Vec<[u32; 2]> = problem.bodies.iter().filter(|bodies| joined(bodies)).map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        if pairs != self.pairs || self.n_bodies != problem.v.len() {
            let n = problem.v.len();
            self.n_bodies = n;
            self.pairs = pairs;
            self.neighbours = vec![Vec::new(); n];
            for (k, &[a, b]) in self.pairs.iter().enumerate() {
                self.neighbours[a as usize].push((b, k as u32));
                self.neighbours[b as usize].push((a, k as u32));
            }
            let zero = [0.0; 1];
            let blocks: Vec<(usize, usize, &[f64])> =
                self.pairs.iter().map(|&[a, b]| (a as usize, b as usize, &zero[..])).collect();
            let pattern = BlockMatrix::from_blocks(1, n, &blocks).unwrap_or_else(|| BlockMatrix::empty(1));
            self.lu = BlockLu::new(&pattern);
            self.diagonal = vec![[0.0; 36]; n];
            self.beside = vec![[[0.0; 36]; 2]; self.pairs.len()];
        }
        self.pair_of.clear();
        let place = |bodies: &[u32; 2]| self.pairs.binary_search(&pair(bodies)).unwrap_or(0) as u32;
        self.pair_of.extend(problem.bodies.iter().map(place));
    }

    fn clear(&mut self) {
        self.diagonal.fill([0.0; 36]);
        self.beside.fill([[0.0; 36]; 2]);
    }

    /// Hᵀ∂A R H → 1 + M⁻¹Hᵀ∂A R H.
    fn finish(&mut self, problem: &TwoBodyProblem) {
        for (body, block) in self.diagonal.iter_mut().enumerate() {
            respond(problem, body, block);
            for k in 0..6 {
                block[7 * k] += 1.0;
            }
        }
        for (&[a, b], [upper, lower]) in self.pairs.iter().zip(&mut self.beside) {
            respond(problem, a as usize, upper);
            respond(problem, b as usize, lower);
        }
    }

    fn factorise(&mut self, go_on: impl Fn() -> bool) -> bool {
        let Self { lu, neighbours, diagonal, beside, .. } = self;
        lu.factorise(
            |_| false,
            |i, put| {
                put(i, &diagonal[i]);
                for &(j, pair) in &neighbours[i] {
                    put(j as usize, &beside[pair as usize][usize::from(i as u32 > j)]);
                }
                go_on()
            },
        )
    }
}

/// K ← K + Hᵀ T.
#[inline(always)]
fn add_product<const D: usize>(K: &mut Block, H: &[[f64; 6]], T: &[[f64; 6]; D]) {
    for (h, t) in H.iter().zip(T) {
        for c in 0..6 {
            for k in 0..6 {
                K[6 * c + k] += h[k] * t[c];
            }
        }
    }
}

/// K ← M⁻¹ K for a body's rows.
fn respond(problem: &TwoBodyProblem, body: usize, K: &mut Block) {
    for column in K.as_chunks_mut::<6>().0 {
        *column = problem.respond(body, column);
    }
}

/// √(Σ m v² + Σ I_kk w_k²), a body without mass or inertia apart.
fn weighted(problem: &TwoBodyProblem, v: &[[f64; 6]]) -> f64 {
    let mut sum = 0.0;
    let share = |x: f64, inverse: f64| if inverse > 0.0 { x * x / inverse } else { 0.0 };
    for (body, v) in v.iter().enumerate() {
        let (m, J) = (problem.inverse_mass[body], &problem.inverse_inertia[body]);
        for k in 0..3 {
            sum += share(v[k], m) + share(v[3 + k], J[4 * k]);
        }
    }
    sum.sqrt()
}
