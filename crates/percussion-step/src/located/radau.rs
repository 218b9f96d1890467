//! One Radau IIA step of the motion with some contacts held closed, its stages found together.
//!
//!   A_i = a(t + c_i h, Q_i, V_i),    V = v + h 𝒜 A,    Q = q + h c v + h² 𝒜² A        (𝒜 the table)
//!
//! Simplified Newton on the stage accelerations with the matrix I − h 𝒜 ⊗ ∂a/∂v − h² 𝒜² ⊗ ∂a/∂q. Where the model does not
//! give the derivatives they are differences of a: they only steer the iteration, and for a linear model they are exact.

use crate::JointReaction;
use crate::located::explicit::{Unresolved, larger};
use crate::located::phase::{FlowFailure, Integrals, Phase, Stage, Stretch};
use crate::located::tableau::Tableau;
use crate::mechanism::Mechanism;
use crate::mechanism::hold::{Hold, TangentialMotion};
use percussion_matrix::{DenseMatrix, Factor, Matrix, SmallLu, math, vector};

/// Newton steps before a step counts as failed.
const ITERATIONS: usize = 40;
/// Part of a sliding velocity over which it is differenced.
const SLIDING: f64 = 1e-4;
/// Unknowns up to which the plain factorisation is the faster one.
const SMALL: usize = 64;

/// A table with the memory of its stages and of its matrix.
pub struct Radau {
    tableau: Tableau,
    /// 𝒜².
    square: Vec<f64>,
    /// Stage accelerations, and the Newton increments.
    A: Vec<f64>,
    increment: Vec<f64>,
    Q: Vec<f64>,
    V: Vec<f64>,
    lambda: Vec<[f64; 3]>,
    reactions: Vec<Vec<JointReaction>>,
    /// ∂a/∂q and ∂a/∂v, with the place and the held contacts they belong to.
    Jq: DenseMatrix,
    Jv: DenseMatrix,
    /// Their largest entries.
    stiffness: (f64, f64),
    place: Option<(u64, Vec<Hold>)>,
    system: System,
    /// Step length the system was factorised for.
    h: f64,
    filter: System,
}

/// A factorised matrix, small or not.
#[derive(Default)]
struct System {
    small: SmallLu,
    large: Option<Factor>,
}

impl System {
    fn factorise(&mut self, A: DenseMatrix) -> bool {
        self.large = None;
        let k = A.n_rows();
        if k <= SMALL {
            self.small.reset(k).copy_from_slice(A.values());
            return self.small.factorise();
        }
        self.large = Factor::lu(&Matrix::Dense(A)).ok();
        self.large.is_some()
    }

    fn solve(&mut self, x: &mut [f64]) {
        match &mut self.large {
            Some(factor) => factor.solve(x),
            None => self.small.solve(x),
        }
    }
}

/// The slowest sliding in space: velocities are differenced over a small part of it.
fn slowest(mechanism: &mut dyn Mechanism, held: &[Hold], from: &Phase) -> f64 {
    let mut slowest = f64::INFINITY;
    for hold in held {
        if let TangentialMotion::Slides(sliding) = hold.along
            && mechanism.n_tangents(hold.contact) == 2
        {
            let u = mechanism.tangent_rate(hold.contact, &from.q, &from.v);
            slowest = slowest.min(math::hypot(u[0], u[1]).max(sliding.slow));
        }
    }
    slowest
}

impl Radau {
    /// For one table.
    pub fn new(tableau: Tableau) -> Self {
        let s = tableau.stages;
        let mut square = vec![0.0; s * s];
        for i in 0..s {
            for j in 0..s {
                square[i * s + j] = (0..s).map(|k| tableau.a[i * s + k] * tableau.a[k * s + j]).sum();
            }
        }
        Self {
            tableau,
            square,
            A: Vec::new(),
            increment: Vec::new(),
            Q: Vec::new(),
            V: Vec::new(),
            lambda: Vec::new(),
            reactions: vec![Vec::new(); s],
            Jq: DenseMatrix::zeros(0, 0),
            Jv: DenseMatrix::zeros(0, 0),
            stiffness: (0.0, 0.0),
            place: None,
            system: System::default(),
            h: 0.0,
            filter: System::default(),
        }
    }

    /// One step; what it starts from comes with its acceleration, `to` leaves with its own.
    pub fn step(&mut self, over: Stretch, to: &mut Phase, integrals: &mut Integrals) -> Result<(), FlowFailure> {
        let Stretch { mechanism, held, from, h } = over;
        let (n, s) = (from.q.len(), self.tableau.stages);
        self.differentiate(mechanism, held, from)?;
        self.factorise(h)?;
        for part in [&mut self.A, &mut self.increment, &mut self.Q, &mut self.V] {
            part.resize(s * n, 0.0);
        }
        self.lambda.resize(s * held.len(), [0.0; 3]);
        for i in 0..s {
            self.A[i * n..(i + 1) * n].copy_from_slice(&from.a);
        }

        // simplified Newton
        let (q_start, v_start) = (vector::max_abs(&from.q), vector::max_abs(&from.v));
        let mut last = f64::INFINITY;
        for iteration in 0.. {
            self.stages(from, h);
            for i in 0..s {
                let t = from.t + self.tableau.c[i] * h;
                let place = i * n..(i + 1) * n;
                let (Q, V) = (&self.Q[place.clone()], &self.V[place.clone()]);
                let a = &mut self.increment[place.clone()];
                let lambda = &mut self.lambda[i * held.len()..(i + 1) * held.len()];
                if !mechanism.accelerate(t, Q, V, held, a, lambda) {
                    return Err(FlowFailure::Singular);
                }
                self.reactions[i].clear();
                self.reactions[i].extend_from_slice(mechanism.reactions());
                for (x, A) in a.iter_mut().zip(&self.A[place]) {
                    *x -= A;
                }
            }
            self.system.solve(&mut self.increment);
            vector::axpy(1.0, &self.increment, &mut self.A);
            let change = vector::max_abs(&self.increment);
            // an acceleration is the difference of terms of the size of stiffness times coordinates
            let (q, v) = (vector::max_abs(&self.Q).max(q_start), vector::max_abs(&self.V).max(v_start));
            let terms = self.stiffness.0 * q + self.stiffness.1 * v;
            let size = vector::max_abs(&self.A).max(terms);
            // to round-off, or as near as the differences allow
            if change <= 4.0 * f64::EPSILON * size || (change <= 1e-11 * size && change >= 0.5 * last) {
                break;
            }
            if iteration == ITERATIONS || !change.is_finite() {
                return Err(FlowFailure::Stages);
            }
            last = change;
        }
        self.stages(from, h);

        // the last stage is the end
        let end = (s - 1) * n;
        to.place(from.t + h, &self.Q[end..], &self.V[end..]);
        integrals.clear(held.len());
        for i in 0..s {
            let stage = Stage {
                t: from.t + self.tableau.c[i] * h,
                q: &self.Q[i * n..(i + 1) * n],
                v: &self.V[i * n..(i + 1) * n],
                lambda: &self.lambda[i * held.len()..(i + 1) * held.len()],
                reactions: &self.reactions[i],
            };
            integrals.add(h * self.tableau.b[i], mechanism, held, &stage);
        }
        to.evaluate(mechanism, held)
    }

    /// Q and V from the stage accelerations.
    fn stages(&mut self, from: &Phase, h: f64) {
        let (n, s) = (from.q.len(), self.tableau.stages);
        for i in 0..s {
            for k in 0..n {
                let (mut dv, mut dq) = (0.0, 0.0);
                for j in 0..s {
                    dv += self.tableau.a[i * s + j] * self.A[j * n + k];
                    dq += self.square[i * s + j] * self.A[j * n + k];
                }
                self.V[i * n + k] = from.v[k] + h * dv;
                self.Q[i * n + k] = from.q[k] + h * (self.tableau.c[i] * from.v[k] + h * dq);
            }
        }
    }

    /// ∂a/∂q and ∂a/∂v where the step starts; a linear model keeps them.
    fn differentiate(&mut self, mechanism: &mut dyn Mechanism, held: &[Hold], from: &Phase) -> Result<(), FlowFailure> {
        let n = from.q.len();
        // friction in space turns with the velocity
        let turns =
            |hold: &Hold| matches!(hold.along, TangentialMotion::Slides(_)) && mechanism.n_tangents(hold.contact) > 1;
        let affine = mechanism.is_linear() && !held.iter().any(turns);
        let key = if affine { 0 } else { from.t.to_bits() };
        if self.place.as_ref().is_some_and(|(at, set)| *at == key && set == held) && self.Jq.n_rows() == n {
            return Ok(());
        }
        self.place = Some((key, held.to_vec()));
        self.h = 0.0;
        if mechanism.derivatives(from.t, &from.q, &from.v, held, &mut self.Jq, &mut self.Jv) {
            self.stiffness = (vector::max_abs(self.Jq.values()), vector::max_abs(self.Jv.values()));
            return Ok(());
        }
        self.Jq.reset(n, n);
        self.Jv.reset(n, n);
        let mut x = (from.q.clone(), from.v.clone());
        let (mut a, mut lambda) = (vec![0.0; n], vec![[0.0; 3]; held.len()]);
        let sizes = [vector::max_abs(&from.q), vector::max_abs(&from.v)];
        let slowest = slowest(mechanism, held, from);
        for k in 0..2 * n {
            let (velocity, i) = (k >= n, k % n);
            let part = if velocity { &mut x.1 } else { &mut x.0 };
            let (kept, size) = (part[i], sizes[velocity as usize]);
            // an affine function has no truncation error
            let mut delta = if affine { size.max(1.0) } else { 1.5e-8 * if size > 0.0 { size } else { 1.0 } };
            if velocity && slowest > 0.0 {
                delta = delta.min(SLIDING * slowest);
            }
            part[i] = kept + delta;
            let delta = part[i] - kept;
            if !mechanism.accelerate(from.t, &x.0, &x.1, held, &mut a, &mut lambda) {
                return Err(FlowFailure::Singular);
            }
            let column = if velocity { self.Jv.column_mut(i) } else { self.Jq.column_mut(i) };
            for j in 0..n {
                column[j] = (a[j] - from.a[j]) / delta;
            }
            let part = if velocity { &mut x.1 } else { &mut x.0 };
            part[i] = kept;
        }
        self.stiffness = (vector::max_abs(self.Jq.values()), vector::max_abs(self.Jv.values()));
        Ok(())
    }

    /// I − h 𝒜 ⊗ Jv − h² 𝒜² ⊗ Jq.
    fn factorise(&mut self, h: f64) -> Result<(), FlowFailure> {
        if self.h == h {
            return Ok(());
        }
        let (n, s) = (self.Jq.n_rows(), self.tableau.stages);
        let mut N = DenseMatrix::zeros(s * n, s * n);
        for (bj, j) in (0..s * n).map(|c| (c / n, c % n)) {
            let (dq, dv) = (self.Jq.column(j), self.Jv.column(j));
            let column = N.column_mut(bj * n + j);
            for bi in 0..s {
                let (a, b) = (h * self.tableau.a[bi * s + bj], h * h * self.square[bi * s + bj]);
                for i in 0..n {
                    column[bi * n + i] = -a * dv[i] - b * dq[i];
                }
            }
            column[bj * n + j] += 1.0;
        }
        self.h = h;
        if !self.system.factorise(N) {
            self.h = 0.0;
            return Err(FlowFailure::Stages);
        }
        Ok(())
    }

    /// What the last step did not resolve of the forces of held contacts: how far λ at a stage lies from the line between its start and its end.
    pub fn unresolved_forces(&self, from: &Phase) -> Unresolved {
        let (m, s) = (from.lambda.len(), self.tableau.stages);
        let mut found = Unresolved::default();
        for i in 0..s.saturating_sub(1) {
            let c = self.tableau.c[i];
            for k in 0..m {
                for x in 0..3 {
                    let (start, stage, end) =
                        (from.lambda[k][x], self.lambda[i * m + k][x], self.lambda[(s - 1) * m + k][x]);
                    found.add(k, (stage - (1.0 - c) * start - c * end).abs());
                    found.force = found.force.max(start.abs()).max(stage.abs()).max(end.abs());
                }
            }
        }
        found
    }

    /// Hairer and Wanner's estimate for order 5, filtered by (I − γ₀hJ)⁻¹: largest entries in q and in v.
    ///
    ///   e = (I − γ₀hJ)⁻¹ γ₀h (f(y) + Σ d_i (Y_i − y)/h)
    pub fn error(&mut self, h: f64, from: &Phase) -> (f64, f64) {
        let (n, s, r) = (from.q.len(), self.tableau.stages, 6.0_f64.sqrt());
        let d = [-(13.0 + 7.0 * r) / 3.0, (-13.0 + 7.0 * r) / 3.0, -1.0 / 3.0];
        let gamma = h * (6.0 + math::cbrt(81.0) - math::cbrt(9.0)) / 30.0;
        let mut N = DenseMatrix::zeros(n, n);
        for j in 0..n {
            let column = N.column_mut(j);
            for i in 0..n {
                column[i] = -gamma * self.Jv.get(i, j) - gamma * gamma * self.Jq.get(i, j);
            }
            column[j] += 1.0;
        }
        if !self.filter.factorise(N) {
            return (f64::NAN, f64::NAN);
        }
        let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
        for k in 0..n {
            (x[k], y[k]) = (gamma * from.v[k], gamma * from.a[k]);
            for i in 0..s {
                x[k] += gamma / h * d[i] * (self.Q[i * n + k] - from.q[k]);
                y[k] += gamma / h * d[i] * (self.V[i * n + k] - from.v[k]);
            }
        }
        for j in 0..n {
            vector::axpy(gamma * x[j], self.Jq.column(j), &mut y);
        }
        self.filter.solve(&mut y);
        vector::axpy(gamma, &y, &mut x);
        (larger(0.0, vector::max_abs(&x)), larger(0.0, vector::max_abs(&y)))
    }
}
