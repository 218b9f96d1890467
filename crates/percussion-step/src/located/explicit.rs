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
}

impl Explicit {
    /// For one table.
    pub fn new(tableau: Tableau) -> Self {
        Self { tableau, v: Vec::new(), a: Vec::new(), q: Vec::new(), lambda: Vec::new(), reactions: Vec::new() }
    }

    /// The table.
    pub fn tableau(&self) -> &Tableau {
        &self.tableau
    }

    /// One step; what it starts from comes with its acceleration, `to` leaves with its own.
    #[inline]
    pub fn step(&mut self, over: Stretch, to: &mut Phase, integrals: &mut Integrals) -> Result<(), FlowFailure> {
        let Stretch { mechanism, held, from, h } = over;
        let Self { tableau, v: V, a: A, q: Q, lambda, reactions } = self;
        let (n, s) = (from.q.len(), tableau.stages);
        V.resize(s * n, 0.0);
        A.resize(s * n, 0.0);
        Q.resize(n, 0.0);
        lambda.resize(held.len(), [0.0; 3]);
        integrals.clear(held.len());

        // stages; the first is where the step starts
        V[..n].copy_from_slice(&from.v);
        A[..n].copy_from_slice(&from.a);
        let stage = Stage { t: from.t, q: &from.q, v: &from.v, lambda: &from.lambda, reactions: &from.reactions };
        integrals.add(h * tableau.b[0], mechanism, held, &stage);
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
        to.evaluate(mechanism, held)
    }

    /// The embedded estimate of the last step's error in q and in v, largest entries.
    pub fn error(&self, h: f64, to: &Phase) -> (f64, f64) {
        let (n, s) = (to.q.len(), self.tableau.stages);
        let e = &self.tableau.error;
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

/// The larger of two numbers, NaN if either is.
#[inline]
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
