//! Along the central path of the cones to the solution, de Saxcé's shift inside Newton's equations.
//!
//!   S y = W r + b + s n,    x = S r,    x ∘ y = τ e,    τ → 0,       s = μ(√(‖u_T‖² + δ²) − δ),  δ ~ τ
//!
//! S = diag(√μ, 1/√μ, 1/√μ) turns Coulomb's cone and its dual into the same second-order cone, whose scaling (Nesterov and Todd)
//! gives one linear system for all contacts, with C = 1 + n ∂sᵀ:
//!
//!   (C⁻¹ S F⁻² S + W + εD) δr = C⁻¹ (S F⁻¹ c − (u + s n − S y)),    δy = F⁻¹ c − F⁻² S δr
//!
//! c = λ⁻¹∘(στ e − λ∘λ − correction) (Mehrotra 1992, two solves a step). Inside the cones nothing sticks, slides or opens yet:
//! where contacts are redundant, W singular and sliding undecided, the path leads to the middle of all solutions, and each
//! step costs one factorisation on the pattern of W. εD, D = diag ρ⁻¹, keeps the matrix regular where F⁻² has vanished and W is
//! singular: without it the directions lose all digits at τ = 1e-12 of a wall of 42 bricks, with it 20 steps reach 1e-10. Friction
//! is not monotone, and ∂s may lead from one contact's corner to the next: its weight falls while steps are short. Acary, Armand, Nguyen and Shpakovych (2024) follow the same path with s held.
//! Rolling friction adds a second cone (r_N, r_R) with a y of its own; without friction the cone is r_N ≥ 0.

use super::nesterov_todd::{Point, Scaling, divide, dot, longest, product};
use super::newton_ac::Newton;
use super::prox_newton::{ProxNewton, START};
use crate::Method;
use crate::entry::{Complementarity, Entry, Friction, friction_method};
use crate::friction::solver::FrictionTools;
use crate::friction::task::Task;
use crate::friction::two_body::OnBodies;
use crate::report::Outcome;
use percussion_matrix::BlockLu;
use percussion_matrix::vector::norm;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "central-path",
    summary: "interior points with the shift of friction inside; redundant contacts, high accuracy",
    most_rows: None,
    complementarity: Complementarity::None,
    friction: Some(Friction::of::<InnerPath>(OnBodies::Momentum)),
};

friction_method! {
    /// The path, and Newton's method from where it ends.
    InnerPath(tools, task, r) {
        let FrictionTools { u, newton, memories, .. } = tools;
        let path = memories.get::<CentralPath>().solve(newton, task, r, u);
        if path.residuals.worst() <= task.tolerance {
            return path.unjudged(Method::CentralPath);
        }
        let rest = task.limited(task.limit.saturating_sub(path.iterations));
        let end = memories.get::<ProxNewton>().solve(newton, &rest, START, r, u);
        Outcome { iterations: path.iterations + end.iterations, ..end }.unjudged(Method::CentralPath)
    }
}

/// Part of the way to the boundary of the cones that a step takes at most.
const NEAR: f64 = 0.995;
/// Steps shorter than this, as part of Newton's, put less weight on ∂s; longer ones than that put more.
const SHORT: f64 = 0.1;
const LONG: f64 = 0.7;
/// First ε.
const SHIFT: f64 = 1e-7;
/// A correction of δr by refinement that is larger than this part of δr asks for a larger ε.
const INACCURATE: f64 = 0.1;
/// Steps without a better residual after which the path is lost.
const PATIENCE: usize = 20;
/// How far inside the cones the path starts, relative to the largest reaction or velocity.
const INSIDE: f64 = 0.1;

/// One cone of a contact.
#[derive(Clone, Copy, Debug)]
struct Part {
    contact: usize,
    /// First tangential component; there are `size` − 1.
    first: usize,
    size: usize,
    mu: f64,
    /// S: of the normal, of the tangents.
    s: [f64; 2],
    y: Point,
    scaling: Scaling,
    dy: Point,
    /// c of the last solve.
    c: Point,
}

/// The method with its work memory.
#[derive(Debug, Default)]
pub(crate) struct CentralPath {
    parts: Vec<Part>,
    /// u + s n − S y, and ∂s.
    gap: Vec<f64>,
    slope: Vec<f64>,
    rhs: Vec<f64>,
    step: Vec<f64>,
    product: Vec<f64>,
    inside: Vec<f64>,
    best: Vec<f64>,
    /// C⁻¹ S F⁻² S of each contact.
    blocks: Vec<f64>,
    /// How much of ∂s enters the system: all of it near the solution, none where it makes steps short.
    weight: f64,
    /// ε of εD, relative.
    shift: f64,
}

impl Part {
    /// S r.
    fn x(&self, r: &[f64]) -> Point {
        let mut x = [0.0; 3];
        x[0] = self.s[0] * r[0];
        for k in 1..self.size {
            x[k] = self.s[1] * r[self.first + k - 1];
        }
        x
    }

    /// v ← v + sign S y.
    fn add(&self, sign: f64, y: &Point, v: &mut [f64]) {
        v[0] += sign * self.s[0] * y[0];
        for k in 1..self.size {
            v[self.first + k - 1] += sign * self.s[1] * y[k];
        }
    }
}

impl CentralPath {
    /// Improves r and leaves its velocity in u; iterations are factorisations.
    pub fn solve<const D: usize, const D2: usize>(
        &mut self,
        newton: &mut Newton<D, D2>,
        task: &Task,
        r: &mut [f64],
        u: &mut [f64],
    ) -> Outcome {
        let n = r.len();
        for x in [&mut self.gap, &mut self.slope, &mut self.rhs, &mut self.step, &mut self.product, &mut self.inside] {
            x.resize(n, 0.0);
        }
        let mut residuals = task.judge(r, u);
        let mut best = residuals.worst();
        self.best.clear();
        self.best.extend_from_slice(r);
        self.start::<D>(task, r, u);
        (self.weight, self.shift) = (1.0, SHIFT);
        let mut lu = newton.block_lu(task.problem);
        let (mut iterations, mut idle) = (0, 0);
        while iterations < task.limit && best > task.tolerance && idle < PATIENCE && !task.stop.requested() {
            iterations += 1;
            let inside = std::mem::take(&mut self.inside);
            task.problem.velocity(&inside, u);
            self.inside = inside;
            if !self.advance::<D, D2>(task, &mut lu, u) {
                break;
            }
            for (i, r) in r.as_chunks_mut::<D>().0.iter_mut().enumerate() {
                let x: [f64; D] = std::array::from_fn(|k| self.inside[i * D + k]);
                *r = task.problem.cone(i).project(&x);
            }
            residuals = task.judge(r, u);
            idle = if residuals.worst() < 0.9 * best { 0 } else { idle + 1 };
            if residuals.worst() < best {
                best = residuals.worst();
                self.best.copy_from_slice(r);
            }
        }
        newton.keep(task.problem, lu);
        r.copy_from_slice(&self.best);
        Outcome { iterations, residuals: task.judge(r, u) }
    }

    /// Points inside all cones, near the reactions and velocities given.
    fn start<const D: usize>(&mut self, task: &Task, r: &[f64], u: &[f64]) {
        self.parts.clear();
        self.inside.fill(0.0);
        // the size of reactions, in the metric of ρ: R² = Σ r²/ρ, of velocities: Σ ρ u²
        let (mut size, mut count) = (0.0_f64, 0.0);
        for i in 0..task.problem.len() {
            for k in i * D..(i + 1) * D {
                let b = task.problem.b[k];
                size += (r[k] * r[k] / task.rho[i]).max(task.rho[i] * b * b);
            }
            count += 1.0;
        }
        let level = INSIDE * (size / count).sqrt().max(f64::MIN_POSITIVE);
        for i in 0..task.problem.len() {
            let cone = task.problem.cone(i);
            let (xi, psi) = (level * task.rho[i].sqrt(), level / task.rho[i].sqrt());
            let all: &[(f64, usize, usize)] =
                if D == 5 { &[(cone.mu, 1, 3), (cone.mu_rolling, 3, 3)] } else { &[(cone.mu, 1, D)] };
            let with_friction = all.iter().filter(|(mu, ..)| *mu > 0.0).count();
            let at = i * D;
            let place = &mut self.inside[at..at + D];
            place[0] = r[at].max(0.0) + xi;
            for &(mu, first, size) in all.iter().filter(|(mu, ..)| *mu > 0.0) {
                let s = [mu.sqrt(), 1.0 / mu.sqrt()];
                // r_T pulled inside by as much as r_N grew
                let length = (0..size - 1).map(|k| r[at + first + k].powi(2)).sum::<f64>().sqrt();
                let shrink = (mu * r[at].max(0.0) / length).min(1.0);
                for k in 0..size - 1 {
                    place[first + k] = if length > 0.0 { shrink * r[at + first + k] } else { 0.0 };
                }
                let speed = (0..size - 1).map(|k| u[at + first + k].powi(2)).sum::<f64>().sqrt();
                let mut y = [0.0; 3];
                for k in 1..size {
                    y[k] = u[at + first + k - 1] / s[1];
                }
                y[0] = (u[at].max(0.0) / with_friction as f64 + mu * speed) / s[0] + psi / s[0];
                self.parts.push(Part {
                    contact: i,
                    first,
                    size,
                    mu,
                    s,
                    y,
                    scaling: Scaling::default(),
                    dy: [0.0; 3],
                    c: [0.0; 3],
                });
            }
            if with_friction == 0 {
                let y = [u[at].max(0.0) + psi, 0.0, 0.0];
                let scaling = Scaling::default();
                let part = Part { contact: i, first: 1, size: 1, mu: 0.0, s: [1.0; 2], y, scaling, dy: y, c: y };
                self.parts.push(part);
            }
        }
    }

    /// τ, the mean of x·y.
    fn mean(&self) -> f64 {
        let D = self.inside.len() / self.parts.last().map_or(1, |part| part.contact + 1);
        let sum: f64 = self.parts.iter().map(|p| dot(&p.x(&self.inside[p.contact * D..]), &p.y)).sum();
        sum / self.parts.len() as f64
    }

    /// One step of predictor and corrector from the points inside, whose velocity is u; false when there is none.
    fn advance<const D: usize, const D2: usize>(&mut self, task: &Task, lu: &mut BlockLu<D, D2>, u: &[f64]) -> bool {
        let tau = self.mean();
        if !(tau > 0.0 && tau.is_finite()) {
            return false;
        }
        self.linearise::<D>(task.rho, u, tau);
        if !self.factorise::<D, D2>(task, lu) {
            return false;
        }

        // predictor: straight to τ = 0
        for part in &mut self.parts {
            part.c = part.scaling.lambda.map(|x| -x);
        }
        self.direction::<D, D2>(task, lu);
        let reach = self.reach::<D>(1.0);
        let mut ahead = 0.0;
        for part in &self.parts {
            let at = part.contact * D;
            let (x, dx) = (part.x(&self.inside[at..at + D]), part.x(&self.step[at..at + D]));
            let x: Point = std::array::from_fn(|k| x[k] + reach * dx[k]);
            let y: Point = std::array::from_fn(|k| part.y[k] + reach * part.dy[k]);
            ahead += dot(&x, &y);
        }
        let sigma = (ahead / (self.parts.len() as f64 * tau)).clamp(0.0, 1.0).powi(3);

        // corrector: to στ, with the second-order term of the predictor
        self.aim::<D>(sigma * tau);
        self.direction::<D, D2>(task, lu);
        let alpha = (NEAR * self.reach::<D>(1.0 / NEAR)).min(1.0);
        if !alpha.is_finite() || alpha <= 0.0 {
            return false;
        }
        if alpha < SHORT {
            self.weight = if self.weight > 0.1 { 0.5 * self.weight } else { 0.0 };
        } else if alpha > LONG {
            self.weight = (self.weight + 0.2).min(1.0);
        }
        for (x, dx) in self.inside.iter_mut().zip(&self.step) {
            *x += alpha * dx;
        }
        for part in &mut self.parts {
            for k in 0..3 {
                part.y[k] += alpha * part.dy[k];
            }
        }
        self.inside.iter().all(|x| x.is_finite())
    }

    /// c ← λ⁻¹∘(target e − λ∘λ − F⁻¹δx∘Fδy) with the steps of the predictor.
    fn aim<const D: usize>(&mut self, target: f64) {
        for part in &mut self.parts {
            let at = part.contact * D;
            let dx = part.scaling.over(&part.x(&self.step[at..at + D]));
            let steps = product(&dx, &part.scaling.times(&part.dy));
            let square = product(&part.scaling.lambda, &part.scaling.lambda);
            let mut d: Point = std::array::from_fn(|k| -square[k] - steps[k]);
            d[0] += target;
            part.c = divide(&part.scaling.lambda, &d);
        }
    }

    /// Scalings, u + s n − S y and ∂s.
    fn linearise<const D: usize>(&mut self, rho: &[f64], u: &[f64], tau: f64) {
        self.gap.copy_from_slice(u);
        self.slope.fill(0.0);
        for part in &mut self.parts {
            let at = part.contact * D;
            let x = part.x(&self.inside[at..at + D]);
            part.scaling = Scaling::new(&x, &part.y);
            let delta = (tau / x[0] * part.s[0]).min((tau / rho[part.contact]).sqrt());
            let square: f64 = (0..part.size - 1).map(|k| u[at + part.first + k].powi(2)).sum();
            let root = (square + delta * delta).sqrt();
            // √(v² + δ²) − δ without cancellation
            self.gap[at] += part.mu * square / (root + delta);
            for k in 0..part.size - 1 {
                self.slope[at + part.first + k] = self.weight * part.mu * u[at + part.first + k] / root;
            }
            part.add(-1.0, &part.y, &mut self.gap[at..at + D]);
        }
    }

    /// C⁻¹ S F⁻² S + W, factorised.
    fn factorise<const D: usize, const D2: usize>(&mut self, task: &Task, lu: &mut BlockLu<D, D2>) -> bool {
        self.blocks.clear();
        self.blocks.resize(task.problem.len() * D2, 0.0);
        for part in &self.parts {
            let H = part.scaling.hessian();
            let block = &mut self.blocks[part.contact * D2..(part.contact + 1) * D2];
            let place = |k: usize| if k == 0 { (0, part.s[0]) } else { (part.first + k - 1, part.s[1]) };
            for i in 0..part.size {
                for j in 0..part.size {
                    let ((row, s), (column, t)) = (place(i), place(j));
                    block[column * D + row] += s * H[i][j] * t;
                }
            }
        }
        for i in 0..task.problem.len() {
            let slope = &self.slope[i * D..(i + 1) * D];
            for k in 0..D {
                self.blocks[i * D2 + k * D + k] += self.shift / task.rho[i];
            }
            let block = &mut self.blocks[i * D2..(i + 1) * D2];
            for column in 0..D {
                for row in 1..D {
                    block[column * D] -= slope[row] * block[column * D + row];
                }
            }
        }
        let W = &task.problem.W;
        let stored = W.values().as_chunks::<D2>().0;
        let own = self.blocks.as_chunks::<D2>().0;
        lu.factorise(
            |_| false,
            |i, put| {
                let cone = task.problem.cone(i);
                for e in W.row_ptr()[i]..W.row_ptr()[i + 1] {
                    let j = W.col_idx()[e] as usize;
                    let mut block = stored[e];
                    if i == j {
                        for k in 0..D2 {
                            block[k] += own[i][k];
                        }
                    }
                    // components without friction stay zero
                    for row in (1..D).filter(|&row| cone_of(&cone, row) == 0.0) {
                        for column in 0..D {
                            block[column * D + row] = if i == j && column == row { 1.0 / task.rho[i] } else { 0.0 };
                        }
                    }
                    put(j, &block);
                }
                !task.stop.requested()
            },
        )
    }

    /// δr in `step` and δy of every cone, from their c.
    fn direction<const D: usize, const D2: usize>(&mut self, task: &Task, lu: &mut BlockLu<D, D2>) {
        for (rhs, gap) in self.rhs.iter_mut().zip(&self.gap) {
            *rhs = -gap;
        }
        for part in &self.parts {
            let at = part.contact * D;
            part.add(1.0, &part.scaling.over(&part.c), &mut self.rhs[at..at + D]);
        }
        for i in 0..task.problem.len() {
            let cone = task.problem.cone(i);
            for k in 1..D {
                self.rhs[i * D] -= self.slope[i * D + k] * self.rhs[i * D + k];
            }
            for k in (1..D).filter(|&k| cone_of(&cone, k) == 0.0) {
                self.rhs[i * D + k] = 0.0;
            }
        }
        self.step.copy_from_slice(&self.rhs);
        lu.solve(&mut self.step);

        // one step of refinement: the blocks grow and shrink by many orders near the end
        self.product.copy_from_slice(&self.rhs);
        for i in 0..task.problem.len() {
            let cone = task.problem.cone(i);
            let mut sum = [0.0; D];
            for (j, block) in task.problem.W.row(i) {
                for c in 0..D {
                    for k in 0..D {
                        sum[k] += block[c * D + k] * self.step[j * D + c];
                    }
                }
            }
            for c in 0..D {
                for k in 0..D {
                    sum[k] += self.blocks[i * D2 + c * D + k] * self.step[i * D + c];
                }
            }
            for k in 0..D {
                let free = k == 0 || cone_of(&cone, k) > 0.0;
                self.product[i * D + k] = if free { self.product[i * D + k] - sum[k] } else { 0.0 };
            }
        }
        lu.solve(&mut self.product);
        if norm(&self.product) > INACCURATE * norm(&self.step) {
            self.shift = (10.0 * self.shift).min(1e-3);
        }
        for (step, more) in self.step.iter_mut().zip(&self.product) {
            *step += more;
        }
        for part in &mut self.parts {
            let at = part.contact * D;
            let (dx, H) = (part.x(&self.step[at..at + D]), part.scaling.hessian());
            let c = part.scaling.over(&part.c);
            part.dy = std::array::from_fn(|k| if k < part.size { c[k] - dot(&H[k], &dx) } else { 0.0 });
        }
    }

    /// How far all points may go, at most `most`.
    fn reach<const D: usize>(&self, most: f64) -> f64 {
        self.parts.iter().fold(most, |alpha, part| {
            let at = part.contact * D;
            let (x, dx) = (part.x(&self.inside[at..at + D]), part.x(&self.step[at..at + D]));
            longest(&part.y, &part.dy, longest(&x, &dx, alpha))
        })
    }
}

/// The coefficient of friction of component k ≥ 1.
fn cone_of(cone: &crate::friction::Cone, k: usize) -> f64 {
    if k < 3 { cone.mu } else { cone.mu_rolling }
}
