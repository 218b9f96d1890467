//! Fixed points on friction thresholds: each inner problem is convex and solved by sweeps.
//!
//!   tresca           r solves u_N ⟂ r_N ≥ 0, r_T ∈ disc(g) opposing u_T;    g ← μ r_N
//!   panagiotopoulos  r_N solves u_N ⟂ r_N ≥ 0 with r_T held;  r_T ∈ disc(μ r_N) opposing u_T with r_N held
//!
//! With five components the rolling moments have a disc of their own. At a fixed point both are Coulomb's law.

use crate::Method;
use crate::entry::{Complementarity, Entry, Friction, friction_method};
use crate::friction::local::Local;
use crate::friction::solver::FrictionTools;
use crate::friction::sweeps::gauss_seidel::GaussSeidel;
use crate::friction::task::Task;
use crate::friction::two_body::OnBodies;
use crate::report::Outcome;

/// Sweeps of one inner problem at most.
const INNER: usize = 200;
/// An inner problem is left once its sweeps move r by this fraction of the last change of the thresholds.
const ENOUGH: f64 = 0.1;

/// The entry of `tresca` in the list.
pub(crate) const TRESCA: Entry = Entry {
    name: "tresca",
    summary: "fixed point on friction thresholds, sweeps inside; the classical reference",
    most_rows: None,
    complementarity: Complementarity::None,
    friction: Some(Friction::of::<Tresca>(OnBodies::Momentum)),
};

/// The entry of `panagiotopoulos` in the list.
pub(crate) const PANAGIOTOPOULOS: Entry = Entry {
    name: "panagiotopoulos",
    summary: "normal and tangential problems in turn, sweeps inside; the classical reference",
    most_rows: None,
    complementarity: Complementarity::None,
    friction: Some(Friction::of::<Panagiotopoulos>(OnBodies::Momentum)),
};

friction_method! {
    /// Both parts with the thresholds held.
    Tresca(tools, task, r) {
        let FrictionTools { u, sweeper, memories, .. } = tools;
        memories.get::<Thresholds>().solve(sweeper, task, Threshold::Tresca, r, u).unjudged(Method::Tresca)
    }
}

friction_method! {
    /// Normal and tangential parts in turn.
    Panagiotopoulos(tools, task, r) {
        let FrictionTools { u, sweeper, memories, .. } = tools;
        memories
            .get::<Thresholds>()
            .solve(sweeper, task, Threshold::Panagiotopoulos, r, u)
            .unjudged(Method::Panagiotopoulos)
    }
}

/// Which components a sweep may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Both,
    Normal,
    Tangent,
}

/// What is held in the inner problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threshold {
    Tresca,
    Panagiotopoulos,
}

/// The methods with their work memory.
#[derive(Debug, Default)]
pub(crate) struct Thresholds {
    /// r_N the discs are made of, n.
    normal: Vec<f64>,
    best: Vec<f64>,
}

impl Thresholds {
    /// Improves r and leaves its velocity in u; iterations are sweeps.
    pub fn solve<const D: usize, const D2: usize, L: Local<D>>(
        &mut self,
        sweeper: &mut GaussSeidel<D, D2, L>,
        task: &Task,
        threshold: Threshold,
        r: &mut [f64],
        u: &mut [f64],
    ) -> Outcome {
        sweeper.prepare(task.problem);
        let mut best = task.judge(r, u).worst();
        self.best.clear();
        self.best.extend_from_slice(r);
        let mut iterations = 0;
        let mut change = f64::INFINITY;
        while iterations < task.limit && best > task.tolerance && !task.stop.requested() {
            self.normal.clear();
            self.normal.extend(r.as_chunks::<D>().0.iter().map(|r| r[0].max(0.0)));
            let parts: &[Part] = match threshold {
                Threshold::Tresca => &[Part::Both],
                Threshold::Panagiotopoulos => &[Part::Normal, Part::Tangent],
            };
            for &part in parts {
                if part == Part::Tangent {
                    self.normal.clear();
                    self.normal.extend(r.as_chunks::<D>().0.iter().map(|r| r[0].max(0.0)));
                }
                for inner in 1..=INNER {
                    let moved = self.sweep(sweeper, task, part, r, u);
                    iterations += 1;
                    if moved <= (ENOUGH * change).max(0.01 * task.tolerance) || inner == INNER {
                        break;
                    }
                    if !moved.is_finite() || iterations >= task.limit || task.stop.requested() {
                        break;
                    }
                }
            }
            // how much the thresholds move decides how exact the next inner problem has to be
            let (mut sum, mut size) = (0.0, 0.0);
            for (r, g) in r.as_chunks::<D>().0.iter().zip(&self.normal) {
                sum += (r[0] - g) * (r[0] - g);
                size += r[0] * r[0];
            }
            change = (sum / f64::max(size, f64::MIN_POSITIVE)).sqrt().min(change);
            let worst = task.judge(r, u).worst();
            if worst < best {
                best = worst;
                self.best.copy_from_slice(r);
            } else if worst == f64::INFINITY {
                break;
            }
        }
        r.copy_from_slice(&self.best);
        Outcome { iterations, residuals: task.judge(r, u) }
    }

    /// One sweep on the held thresholds; returns ‖Δr‖/‖r‖.
    fn sweep<const D: usize, const D2: usize, L: Local<D>>(
        &self,
        sweeper: &GaussSeidel<D, D2, L>,
        task: &Task,
        part: Part,
        r: &mut [f64],
        u: &mut [f64],
    ) -> f64 {
        let (mut change, mut size) = (0.0, 0.0);
        for i in 0..task.problem.len() {
            let (w, cone, rho) = (task.problem.W.diagonal_block(i), task.problem.cone(i), task.rho[i]);
            let (old, mut v) = (r.as_chunks::<D>().0[i], u.as_chunks::<D>().0[i]);
            let mut new = old;
            if part != Part::Tangent {
                // exact along the normal
                let slope = if w[0] > 0.0 { w[0] } else { 1.0 / rho };
                new[0] = (old[0] - v[0] / slope).max(0.0);
                for k in 0..D {
                    v[k] += w[k] * (new[0] - old[0]);
                }
            }
            if part != Part::Normal {
                let g = self.normal[i];
                disc(&mut new[1..D.min(3)], &v[1..D.min(3)], rho, cone.mu * g);
                if D == 5 {
                    disc(&mut new[3..5], &v[3..5], rho, cone.mu_rolling * g);
                }
            }
            let mut delta = [0.0; D];
            let mut square = 0.0;
            for k in 0..D {
                delta[k] = new[k] - old[k];
                square += delta[k] * delta[k];
                size += new[k] * new[k];
            }
            if square > 0.0 {
                change += square;
                r[i * D..(i + 1) * D].copy_from_slice(&new);
                sweeper.add_column(i, &delta, u);
            }
        }
        if change == 0.0 { 0.0 } else { (change / f64::max(size, f64::MIN_POSITIVE)).sqrt() }
    }
}

/// x ← P_{‖·‖ ≤ g}(x − ρ v).
fn disc(x: &mut [f64], v: &[f64], rho: f64, g: f64) {
    let mut square = 0.0;
    for (x, v) in x.iter_mut().zip(v) {
        *x -= rho * v;
        square += *x * *x;
    }
    let size = square.sqrt();
    if size > g {
        for x in x.iter_mut() {
            *x *= g / size;
        }
    }
}
