//! One explicit Runge–Kutta step of the motion with some contacts held closed.
//!
//!   Q_i = q + h Σ_{j<i} a_ij V_j,    V_i = v + h Σ_{j<i} a_ij A_j,    A_i = a(t + c_i h, Q_i, V_i)

use crate::JointReaction;
use crate::located::phase::{FlowFailure, Integrals, Phase, Stage, Stretch};
use crate::located::tableau::Tableau;

/// A table with the memory of its stages.
pub struct Explicit {
    tableau: Tableau,
    /// V_i and A_i, stage by stage.
    v: Vec<f64>,
    a: Vec<f64>,
    q: Vec<f64>,
    lambda: Vec<[f64; 3]>,
    reactions: Vec<JointReaction>,
    /// Σ e_i λ_i, and the largest force of a stage.
    unresolved: Vec<[f64; 3]>,
    force: f64,
}

impl Explicit {
    /// For one table.
    pub fn new(tableau: Tableau) -> Self {
        let (v, a, q, lambda) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { tableau, v, a, q, lambda, reactions: Vec::new(), unresolved: Vec::new(), force: 0.0 }
    }

    /// The table.
    pub fn tableau(&self) -> &Tableau {
        &self.tableau
    }

    /// One step; what it starts from comes with its acceleration, `to` leaves with its own.
    #[inline]
    pub fn step(&mut self, over: Stretch, to: &mut Phase, integrals: &mut Integrals) -> Result<(), FlowFailure> {
        let Stretch { mechanism, held, from, h } = over;
        let Self { tableau, v: V, a: A, q: Q, lambda, reactions, unresolved, force } = self;
        let (n, s) = (from.q.len(), tableau.stages);
        V.resize(s * n, 0.0);
        A.resize(s * n, 0.0);
        Q.resize(n, 0.0);
        lambda.resize(held.len(), [0.0; 3]);
        integrals.clear(held.len());
        unresolved.clear();
        unresolved.resize(held.len(), [0.0; 3]);
        *force = 0.0;
        let e = &tableau.error;
        let mut estimate = |weight: f64, lambda: &[[f64; 3]]| {
            for (sum, lambda) in unresolved.iter_mut().zip(lambda) {
                for (sum, x) in sum.iter_mut().zip(lambda) {
                    *sum += weight * x;
                    *force = force.max(x.abs());
                }
            }
        };

        // stages; the first is where the step starts
        V[..n].copy_from_slice(&from.v);
        A[..n].copy_from_slice(&from.a);
        let stage = Stage { t: from.t, q: &from.q, v: &from.v, lambda: &from.lambda, reactions: &from.reactions };
        integrals.add(h * tableau.b[0], mechanism, held, &stage);
        estimate(e.first().copied().unwrap_or(0.0), &from.lambda);
        for i in 1..s {
            let row = tableau.row(i);
            let (done_v, V) = V.split_at_mut(i * n);
            let (done_a, A) = A.split_at_mut(i * n);
            for k in 0..n {
                let (mut dq, mut dv) = (0.0, 0.0);
                for j in 0..i {
                    dq += row[j] * done_v[j * n + k];
                    dv += row[j] * done_a[j * n + k];
                }
                Q[k] = from.q[k] + h * dq;
                V[k] = from.v[k] + h * dv;
            }
            let t = from.t + tableau.c[i] * h;
            if !mechanism.accelerate(t, Q, &V[..n], held, &mut A[..n], lambda) {
                return Err(FlowFailure::Singular);
            }
            estimate(e.get(i).copied().unwrap_or(0.0), lambda);
            reactions.clear();
            reactions.extend_from_slice(mechanism.reactions());
            integrals.add(h * tableau.b[i], mechanism, held, &Stage { t, q: Q, v: &V[..n], lambda, reactions });
        }

        // the end
        to.place(from.t + h, &from.q, &from.v);
        for k in 0..n {
            let (mut dq, mut dv) = (0.0, 0.0);
            for i in 0..s {
                dq += tableau.b[i] * V[i * n + k];
                dv += tableau.b[i] * A[i * n + k];
            }
            to.q[k] += h * dq;
            to.v[k] += h * dv;
        }
        to.evaluate(mechanism, held)?;
        estimate(e.get(s).copied().unwrap_or(0.0), &to.lambda);
        Ok(())
    }

    /// What the last step did not resolve of the forces of held contacts: the embedded estimate of ∫ λ dt over h. A contact that rests under a
    /// changing load moves nothing, and no error in q or v would tell that its force came and went.
    pub fn unresolved_forces(&self) -> Unresolved {
        let mut found = Unresolved { force: self.force, ..Default::default() };
        self.unresolved
            .iter()
            .enumerate()
            .for_each(|(k, of)| found.add(k, of.iter().fold(0.0, |a, x| larger(a, x.abs()))));
        found
    }

    /// The embedded estimate of the last step's error in q and in v, largest entries; none of a table without such a pair.
    pub fn error(&self, h: f64, to: &Phase) -> (f64, f64) {
        let (n, s) = (to.q.len(), self.tableau.stages);
        let e = &self.tableau.error;
        if e.is_empty() {
            return (0.0, 0.0);
        }
        let (mut q, mut v) = (0.0_f64, 0.0_f64);
        for k in 0..n {
            let (mut dq, mut dv) = (e[s] * to.v[k], e[s] * to.a[k]);
            for i in 0..s {
                dq += e[i] * self.v[i * n + k];
                dv += e[i] * self.a[i * n + k];
            }
            q = larger(q, (h * dq).abs());
            v = larger(v, (h * dv).abs());
        }
        (q, v)
    }
}

/// What a step left open of the forces of held contacts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unresolved {
    /// The largest estimate [N].
    pub estimate: f64,
    /// The held contact it belongs to, by its place in the list.
    pub held: usize,
    /// The largest force met [N].
    pub force: f64,
}

impl Unresolved {
    /// Takes the estimate of a held contact.
    pub fn add(&mut self, held: usize, estimate: f64) {
        if estimate > self.estimate || estimate.is_nan() {
            (self.estimate, self.held) = (estimate, held);
        }
    }
}

/// The larger of two numbers, NaN if either is.
#[inline]
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
