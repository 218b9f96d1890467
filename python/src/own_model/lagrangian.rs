//! The functions as schemes ask for them, with the derivatives that were not given.

use super::function::{FIRST, Function, OF_DIFFERENCES, differences, stencil};
use super::{Facts, Inner};
use percussion::matrix::DenseMatrix;
use percussion::model::{Lagrangian, MovingGaps, SecondDerivatives};

/// q, t and q, v, t as functions take them.
fn at(q: &[f64], t: f64) -> Vec<f64> {
    [q, &[t]].concat()
}

fn moving(q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
    [q, v, &[t]].concat()
}

impl Inner {
    fn n(&self) -> usize {
        self.facts.n
    }

    fn n_constraints(&self) -> usize {
        self.facts.n_joints + self.facts.restitutions.len()
    }

    fn f(&self, q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
        let x = moving(q, v, t);
        let mut f = self.functions.force.at(&x);
        if let Some(load) = &self.functions.load {
            f.iter_mut().zip(load.at(&x)).for_each(|(f, load)| *f += load);
        }
        f
    }

    /// ∂f/∂q or ∂f/∂v in blocks by variable.
    fn f_by(&self, given: &Option<Function>, x: &[f64], first: usize) -> Vec<f64> {
        let (n, along) = (self.n(), first..first + self.n());
        let mut D = match given {
            Some(function) => transposed(&function.at(x), n, n),
            None => self.functions.force.slope(x, along.clone(), FIRST),
        };
        if let Some(load) = &self.functions.load {
            D.iter_mut().zip(load.slope(x, along, FIRST)).for_each(|(d, load)| *d += load);
        }
        D
    }

    fn M(&self, q: &[f64]) -> Vec<f64> {
        if self.facts.constant_mass { self.functions.mass.at(&vec![0.0; q.len()]) } else { self.functions.mass.at(q) }
    }

    /// ∂M_ij/∂q_k at [k·n² + i·n + j].
    fn M_q(&self, q: &[f64]) -> Vec<f64> {
        let n = self.n();
        match &self.functions.mass_q {
            Some(function) => transposed(&function.at(q), n * n, n),
            None => self.found.mass_q.or(q, || self.functions.mass.slope(q, 0..n, FIRST)),
        }
    }

    /// ∂²M_ij/∂q_k∂q_l at [(k·n + l)·n² + i·n + j].
    fn M_qq(&self, q: &[f64]) -> Vec<f64> {
        let n = self.n();
        self.found.mass_qq.or(q, || match &self.functions.mass_q {
            Some(_) => slopes(q, FIRST, |q| self.M_q(q)),
            None => self.functions.mass.curvature(q, n),
        })
    }

    fn V_q(&self, q: &[f64]) -> Vec<f64> {
        match (&self.functions.potential_q, &self.functions.potential) {
            (Some(function), _) => function.at(q),
            (None, Some(V)) => self.found.potential_q.or(q, || V.slope(q, 0..q.len(), FIRST)),
            (None, None) => vec![0.0; self.n()],
        }
    }

    fn V_qq(&self, q: &[f64]) -> Vec<f64> {
        let n = self.n();
        match (&self.functions.potential_q, &self.functions.potential) {
            (Some(slope), _) => self.found.potential_qq.or(q, || slope.slope(q, 0..n, FIRST)),
            (None, Some(V)) => self.found.potential_qq.or(q, || V.curvature(q, n)),
            (None, None) => vec![0.0; n * n],
        }
    }

    fn g(&self, q: &[f64], t: f64) -> Vec<f64> {
        self.functions.constraint.as_ref().map_or_else(Vec::new, |constraint| constraint.at(&at(q, t)))
    }

    /// ∂g/∂q, row after row.
    fn g_q(&self, q: &[f64], t: f64) -> Vec<f64> {
        let (n, m, x) = (self.n(), self.n_constraints(), at(q, t));
        match (&self.functions.constraint_q, &self.functions.constraint) {
            (Some(function), _) => function.at(&x),
            (None, Some(g)) => self.found.constraint_q.or(&x, || transposed(&g.slope(&x, 0..n, FIRST), n, m)),
            (None, None) => Vec::new(),
        }
    }

    /// ∂²g_i/∂q_j∂q_k at [(j·n + k)·m + i].
    fn g_qq(&self, q: &[f64], t: f64) -> Vec<f64> {
        let (n, m, x) = (self.n(), self.n_constraints(), at(q, t));
        self.found.constraint_qq.or(&x, || match (&self.functions.constraint_q, &self.functions.constraint) {
            // rows of g_q are [i·n + k] within each block
            (Some(rows), _) => {
                let D = rows.slope(&x, 0..n, FIRST);
                (0..n).flat_map(|j| transposed(&D[j * m * n..(j + 1) * m * n], m, n)).collect()
            }
            (None, Some(g)) => g.curvature(&x, n),
            (None, None) => vec![0.0; n * n * m],
        })
    }

    /// ∂g/∂t of the gaps.
    fn g_t(&self, q: &[f64], t: f64) -> Vec<f64> {
        let (n, x) = (self.n(), at(q, t));
        match (&self.functions.gap_t, &self.functions.constraint) {
            (Some(function), _) => function.at(&x),
            (None, Some(g)) => g.slope(&x, n..n + 1, FIRST).split_off(self.facts.n_joints),
            (None, None) => Vec::new(),
        }
    }

    /// The relative step of differences of g_t.
    fn step_of_rates(&self) -> f64 {
        if self.functions.gap_t.is_some() { FIRST } else { OF_DIFFERENCES }
    }

    fn gradient_at(&self, j: usize, q: &[f64], t: f64, row: &mut [f64]) {
        let n = self.n();
        row.copy_from_slice(&self.g_q(q, t)[j * n..(j + 1) * n]);
    }

    fn hessian_at(&self, j: usize, q: &[f64], t: f64, weight: f64, H: &mut DenseMatrix) {
        let (n, m, D) = (self.n(), self.n_constraints(), self.g_qq(q, t));
        for (k, h) in H.values_mut().iter_mut().enumerate().take(n * n) {
            *h += weight * D[k * m + j];
        }
    }

    /// ½ vᵀṀv: what −(Ṁv − ½ ∂(vᵀMv)/∂q) in f takes from v·f, and the kinetic energy gets back from M. It is no work.
    fn inertial_power(&self, q: &[f64], v: &[f64]) -> f64 {
        let speed = v.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
        if self.facts.constant_mass || speed == 0.0 {
            return 0.0;
        }
        // Ṁ as a difference along v, as long as those of the other derivatives
        let (n, d) = (self.n(), FIRST * q.iter().fold(1.0_f64, |s, q| s.max(q.abs())) / speed);
        let moved = |d: f64| q.iter().zip(v).map(|(q, v)| q + d * v).collect::<Vec<_>>();
        let kinetic =
            |M: &[f64]| 0.5 * (0..n).map(|i| v[i] * (0..n).map(|j| M[i * n + j] * v[j]).sum::<f64>()).sum::<f64>();
        let M = self.functions.mass.ask(&[moved(d), moved(-d)]);
        (kinetic(&M[0]) - kinetic(&M[1])) / (2.0 * d)
    }
}

/// ∂f_i/∂q_j at [j·m + i] by central differences of answers that are kept elsewhere.
fn slopes(q: &[f64], relative: f64, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let places = stencil(q, 0..q.len(), relative);
    differences(&places, &places.iter().map(|(_, place)| f(place)).collect::<Vec<_>>())
}

/// Blocks by variable to rows by function, or back: [j·m + i] to [i·n + j].
fn transposed(D: &[f64], n: usize, m: usize) -> Vec<f64> {
    (0..m).flat_map(|i| (0..n).map(move |j| D[j * m + i])).collect()
}

/// A ← A + weight·D with D in blocks by column.
fn add(A: &mut DenseMatrix, D: &[f64], weight: f64) {
    for (a, d) in A.values_mut().iter_mut().zip(D) {
        *a += weight * d;
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a model of {} coordinates written in Python", self.n())
    }
}

impl Lagrangian for Inner {
    fn n(&self) -> usize {
        self.facts.n
    }

    fn n_joints(&self) -> usize {
        self.facts.n_joints
    }

    fn restitutions(&self) -> &[f64] {
        &self.facts.restitutions
    }

    fn mass_is_constant(&self) -> bool {
        self.facts.constant_mass
    }

    fn frictions(&self) -> &[f64] {
        &self.facts.frictions
    }

    fn n_tangents(&self, i: usize) -> usize {
        let Facts { frictions, n_tangents, .. } = &self.facts;
        if frictions.get(i).is_some_and(|&mu| mu > 0.0) { *n_tangents } else { 0 }
    }

    fn contact_tangent(&self, i: usize, k: usize, q: &[f64], row: &mut [f64]) {
        let Some(function) = &self.functions.tangent else { return };
        let (n, rows) = (self.n(), function.at(q));
        let first = (i * self.facts.n_tangents + k) * n;
        row.copy_from_slice(&rows[first..first + n]);
    }

    fn mass(&self, q: &[f64], M: &mut DenseMatrix) {
        add(M, &transposed(&self.M(q), self.n(), self.n()), 1.0);
    }

    fn mass_tangent(&self, q: &[f64], x: &[f64], D: &mut DenseMatrix) {
        if self.facts.constant_mass {
            return;
        }
        let (n, M_q) = (self.n(), self.M_q(q));
        for (k, block) in M_q.chunks_exact(n * n).enumerate() {
            for (i, row) in block.chunks_exact(n).enumerate() {
                let sum: f64 = row.iter().zip(x).map(|(m, x)| m * x).sum();
                D.set(i, k, D.get(i, k) + sum);
            }
        }
    }

    fn force(&self, q: &[f64], v: &[f64], t: f64, f: &mut [f64]) {
        f.copy_from_slice(&self.f(q, v, t));
    }

    fn force_tangents(&self, q: &[f64], v: &[f64], t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        let x = moving(q, v, t);
        add(K, &self.f_by(&self.functions.force_q, &x, 0), -1.0);
        add(C, &self.f_by(&self.functions.force_v, &x, self.n()), -1.0);
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        self.functions.potential.as_ref().map_or(0.0, |V| V.at(q)[0])
    }

    fn potential_gradient(&self, q: &[f64], d: &mut [f64]) {
        d.copy_from_slice(&self.V_q(q));
    }

    fn potential_hessian(&self, q: &[f64], H: &mut DenseMatrix) {
        add(H, &self.V_qq(q), 1.0);
    }

    fn second_derivatives(&self) -> Option<&dyn SecondDerivatives> {
        (!self.facts.constant_mass).then_some(self)
    }

    fn power_without_potential(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        let (f, V_q) = (self.f(q, v, t), self.V_q(q));
        let power: f64 = (0..self.n()).map(|i| v[i] * (f[i] + V_q[i])).sum();
        power + self.inertial_power(q, v)
    }

    fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        self.g(q, 0.0)[j]
    }

    fn gradient(&self, j: usize, q: &[f64], row: &mut [f64]) {
        self.gradient_at(j, q, 0.0, row);
    }

    fn hessian(&self, j: usize, q: &[f64], weight: f64, H: &mut DenseMatrix) {
        self.hessian_at(j, q, 0.0, weight, H);
    }

    fn moving_gaps(&self) -> Option<&dyn MovingGaps> {
        self.facts.moving.then_some(self)
    }
}

impl SecondDerivatives for Inner {
    fn mass_hessian(&self, q: &[f64], x: &[f64], H: &mut DenseMatrix) {
        let (n, M_qq) = (self.n(), self.M_qq(q));
        for (h, block) in H.values_mut().iter_mut().zip(M_qq.chunks_exact(n * n)) {
            let Mx = block.chunks_exact(n).map(|row| row.iter().zip(x).map(|(m, x)| m * x).sum::<f64>());
            *h += 0.5 * Mx.zip(x).map(|(y, x)| y * x).sum::<f64>();
        }
    }

    /// Q = f + ∂V/∂q + (Σ_k ∂M/∂q_k v_k) v − ½ (vᵀ ∂M/∂q v).
    fn outer_force(&self, q: &[f64], v: &[f64], t: f64, Q: &mut [f64]) {
        let n = self.n();
        let mut D = DenseMatrix::zeros(n, n);
        self.mass_tangent(q, v, &mut D);
        let (f, V_q) = (self.f(q, v, t), self.V_q(q));
        for i in 0..n {
            let inertia: f64 = (0..n).map(|k| (D.get(i, k) - 0.5 * D.get(k, i)) * v[k]).sum();
            Q[i] = f[i] + V_q[i] + inertia;
        }
    }

    fn outer_tangents(&self, q: &[f64], v: &[f64], t: f64, K: &mut DenseMatrix, C: &mut DenseMatrix) {
        let (n, M_q, M_qq) = (self.n(), self.M_q(q), self.M_qq(q));
        self.force_tangents(q, v, t, K, C);
        add(K, &self.V_qq(q), -1.0);
        let first = |i: usize, j: usize, k: usize| M_q[(k * n + i) * n + j];
        let second = |i: usize, j: usize, k: usize, l: usize| M_qq[((k * n + l) * n + i) * n + j];
        for i in 0..n {
            for l in 0..n {
                let (mut by_q, mut by_v) = (0.0, 0.0);
                for j in 0..n {
                    by_v += (first(i, l, j) + first(i, j, l) - first(j, l, i)) * v[j];
                    by_q += (0..n).map(|k| (second(i, j, k, l) - 0.5 * second(j, k, i, l)) * v[j] * v[k]).sum::<f64>();
                }
                K.set(i, l, K.get(i, l) - by_q);
                C.set(i, l, C.get(i, l) - by_v);
            }
        }
    }
}

impl MovingGaps for Inner {
    fn gap(&self, i: usize, q: &[f64], t: f64) -> f64 {
        self.g(q, t)[self.facts.n_joints + i]
    }

    fn gradient(&self, i: usize, q: &[f64], t: f64, row: &mut [f64]) {
        self.gradient_at(self.facts.n_joints + i, q, t, row);
    }

    fn hessian(&self, i: usize, q: &[f64], t: f64, weight: f64, H: &mut DenseMatrix) {
        self.hessian_at(self.facts.n_joints + i, q, t, weight, H);
    }

    fn rate(&self, i: usize, q: &[f64], t: f64) -> f64 {
        self.g_t(q, t)[i]
    }

    fn gradient_rate(&self, i: usize, q: &[f64], t: f64, row: &mut [f64]) {
        let mixed = slopes(q, self.step_of_rates(), |q| vec![self.g_t(q, t)[i]]);
        row.iter_mut().zip(mixed).for_each(|(row, mixed)| *row += mixed);
    }

    fn acceleration(&self, i: usize, q: &[f64], t: f64) -> f64 {
        slopes(&[t], self.step_of_rates(), |t| vec![self.g_t(q, t[0])[i]])[0]
    }
}
