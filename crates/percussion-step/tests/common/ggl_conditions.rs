//! The conditions of a GGL step on a linear model, checked from the two states and memories alone.
//!
//!   M v̇ = F − K q − C v + Jᵀλ,  J v̂ = 0      (1−α_m) a + α_m a_n = (1−α_f) v̇ + α_f v̇_n
//!   M U = Gν + Jᵀν_b,  J q + c = 0,  0 ≤ g(q) ⟂ ν ≥ 0 (modified: ν − hΛ)
//!   M W = GΛ + JᵀΛ_b,  J v = 0,      0 ≤ U + ê U_n ⟂ Λ ≥ 0 where closed, else Λ = 0
//!
//! Multipliers are found by least squares from U and W, so nothing is taken over from the implementation that made the step.

use percussion_matrix::{Matrix, SmallLu, SparseMatrix, vector};
use percussion_model::LinearModel;
use percussion_step::{Accelerations, Memory, NewmarkLike, State};

/// What a step leaves of each condition, relative to the impulses and velocities of the step.
#[derive(Debug, Default)]
pub struct Left {
    /// Balances of momentum.
    pub momentum: f64,
    /// Gaps, joints and velocities.
    pub conditions: f64,
}

fn column(A: &SparseMatrix, j: usize, n: usize) -> Vec<f64> {
    let mut x = vec![0.0; n];
    A.add_column(j, 1.0, &mut x);
    x
}

/// Multipliers μ of min |x − Σ μ_j c_j|, and what is left.
fn explained(columns: &[Vec<f64>], x: &[f64]) -> (Vec<f64>, f64) {
    let k = columns.len();
    let mut lu = SmallLu::default();
    let A = lu.reset(k);
    for i in 0..k {
        for j in 0..k {
            A[i + j * k] = vector::dot(&columns[i], &columns[j]);
        }
    }
    let mut mu: Vec<f64> = columns.iter().map(|c| vector::dot(c, x)).collect();
    if k > 0 {
        assert!(lu.factorise(), "columns are independent");
        lu.solve(&mut mu);
    }
    let mut rest = x.to_vec();
    columns.iter().zip(&mu).for_each(|(c, m)| vector::axpy(-m, c, &mut rest));
    (mu, vector::max_abs(&rest))
}

/// Checks one step of length h from (before, memory) to (after, next).
pub fn left(
    model: &LinearModel,
    p: &NewmarkLike,
    (hold, modified): (bool, bool),
    h: f64,
    (before, memory): (&State, &Memory),
    (after, next): (&State, &Memory),
) -> Left {
    let (n, m, nb) = (model.n(), model.n_contacts(), model.J_offsets().len());
    let t = before.t + h;
    let Accelerations { a: a0, vd: vd0, .. } = memory.carried.of();
    let Accelerations { a: a1, vd: vd1, .. } = next.carried.of();
    let times = |A: Option<&Matrix>, x: &[f64]| {
        let mut y = vec![0.0; n];
        if let Some(A) = A {
            A.mul_add(1.0, x, &mut y);
        }
        y
    };
    let joints: Vec<Vec<f64>> = (0..nb).map(|j| column(model.J(), j, n)).collect();
    let contacts: Vec<Vec<f64>> = (0..m).map(|j| column(model.G(), j, n)).collect();
    let all: Vec<Vec<f64>> = joints.iter().chain(&contacts).cloned().collect();

    // the predictions and the two corrections
    let (mut qt, mut vt, mut averages) = (vec![0.0; n], vec![0.0; n], 0.0_f64);
    for i in 0..n {
        qt[i] = before.q[i] + h * before.v[i] + h * h * ((0.5 - p.beta) * a0[i] + p.beta * a1[i]);
        vt[i] = before.v[i] + h * ((1.0 - p.gamma) * a0[i] + p.gamma * a1[i]);
        let mean = (1.0 - p.alpha_m) * a1[i] + p.alpha_m * a0[i] - (1.0 - p.alpha_f) * vd1[i] - p.alpha_f * vd0[i];
        averages = averages.max(h * mean.abs());
    }
    let U: Vec<f64> = (0..n).map(|i| after.q[i] - qt[i]).collect();
    let W: Vec<f64> = (0..n).map(|i| after.v[i] - vt[i]).collect();

    // momentum
    let mut force = vec![0.0; n];
    model.force(t, &mut force);
    vector::axpy(-1.0, &times(model.stiffness(), &after.q), &mut force);
    vector::axpy(-1.0, &times(model.damping(), &after.v), &mut force);
    let inertia = times(Some(model.mass()), vd1);
    let rest: Vec<f64> = (0..n).map(|i| h * (inertia[i] - force[i])).collect();
    let (_, smooth) = explained(&joints, &rest);
    let (nu, place) = explained(&all, &times(Some(model.mass()), &U));
    let (La, jump) = explained(&all, &times(Some(model.mass()), &W));
    let size = |A: Option<&Matrix>, x: &[f64]| vector::max_abs(&times(A, x));
    let mass = Some(model.mass());
    let impulse =
        size(mass, &after.v).max(size(mass, &before.v)).max(h * size(mass, vd1)).max(h * vector::max_abs(&force));
    let velocity = vector::max_abs(&after.v).max(vector::max_abs(&before.v)).max(h * vector::max_abs(vd1));

    // conditions, as velocities
    let mut out = Left { momentum: smooth.max(place / h).max(jump) / impulse, conditions: averages / velocity };
    let mut note = |x: f64| out.conditions = out.conditions.max(x.abs() / velocity);
    for (j, row) in joints.iter().enumerate() {
        note((vector::dot(row, &after.q) + model.J_offsets()[j]) / h);
        note(vector::dot(row, &vt));
        note(vector::dot(row, &after.v));
    }
    for (j, row) in contacts.iter().enumerate() {
        // multipliers count by the velocity they give
        let unit = vector::dot(row, row) / (size(mass, row) / vector::max_abs(row));
        let (nu, La) = (nu[nb + j] / h * unit, La[nb + j] * unit);
        let nu = if modified { nu - La } else { nu };
        let gap = model.gap(j, &after.q, t) / h;
        note(gap.min(nu));
        let (u, u_n) = (model.gap_rate(j, &after.v, t), model.gap_rate(j, &before.v, before.t));
        let e = if hold && u_n > 0.0 { 1.0 } else { model.contacts()[j].restitution };
        // where the decision is a tie of round-off either law will do
        let decides = model.gap(j, &qt, t) / h - 1e-10 * u_n.abs();
        let (closed, tie) = ((u + e * u_n).min(La), 1e-10 * velocity);
        let held = hold && nu > tie;
        if decides.abs() <= tie || (hold && !held && nu.abs().max(gap.abs()) <= tie) {
            note(if closed.abs() < La.abs() { closed } else { La });
        } else {
            note(if decides <= 0.0 || held { closed } else { La });
        }
    }
    out
}
