//! Generalized-α with positions and velocities apart, on linear models without friction: x = (q, v, v̇, a), y = (x⁺, ν, Λ).
//!
//!   M v̇⁺ = f(q⁺, v⁺, t⁺),   (1−α_m)a⁺ + α_m a = (1−α_f)v̇⁺ + α_f v̇
//!   q⁺ = q + hv + h²(½−β)a + h²βa⁺ + U,   M U = Gν,   g(q⁺) = 0 where ν pushes
//!   v⁺ = v + h(1−γ)a + hγa⁺ + W,   M W = GΛ,   u⁺ + ê u = 0 where Λ pushes

use crate::derivative::balance::{balance, force};
use crate::derivative::contacts::{Ends, Rows, Touch, touches};
use crate::derivative::equations::Forces;
use crate::derivative::whole::{Setting, Whole, sizes};
use crate::{NewmarkLike, State, Step};
use percussion_matrix::vector;
use percussion_model::{AtTime, Lagrangian};

/// Part of the coordinates within which a gap is closed.
const CLOSED: f64 = 1e-10;

/// A step, or the start of a run, which finds v̇₀ alone.
pub struct Corrected {
    p: NewmarkLike,
    t: f64,
    h: f64,
    n: usize,
    e_open: f64,
    touches: Vec<Touch>,
    /// Of each, whether ν pushes.
    lifted: Vec<bool>,
    first: bool,
}

impl Corrected {
    /// The equation of v̇₀ at the start of a run, with a guess.
    pub fn start(p: NewmarkLike, state: &State) -> (Self, Vec<f64>) {
        let n = state.q.len();
        let (touches, lifted) = (Vec::new(), Vec::new());
        (Self { p, t: state.t, h: 0.0, n, e_open: 0.0, touches, lifted, first: true }, vec![0.0; n])
    }

    /// The equations of a step with the guess.
    pub fn of(
        model: &dyn Lagrangian,
        p: NewmarkLike,
        setting: &Setting,
        (state, x): (&State, &[f64]),
        step: &Step,
    ) -> (Self, Vec<f64>) {
        let n = state.q.len();
        let Setting { activation, e_open, .. } = *setting;
        let touches = touches(model, step, activation, e_open);
        let size = vector::max_abs(&step.after.q).max(vector::max_abs(&state.q));
        let lifted: Vec<bool> = step.contacts.iter().map(|c| c.gap.abs() <= CLOSED * size).collect();
        let mut y: Vec<f64> = step.after.q.iter().chain(&step.after.v).copied().collect();
        y.extend_from_slice(&x[2 * n..4 * n]);
        y.extend(lifted.iter().filter(|lifted| **lifted).map(|_| 0.0));
        y.extend(touches.iter().filter(|touch| touch.pushes).map(|touch| touch.p[0]));
        (Self { p, t: step.after.t, h: step.h, n, e_open, touches, lifted, first: false }, y)
    }

    fn ends<'a>(&self, now: &'a State, next: &'a State) -> Ends<'a> {
        Ends { now, next, turned: false }
    }

    fn states(&self, x: &[f64], y: &[f64]) -> [State; 2] {
        let n = self.n;
        let state = |t: f64, x: &[f64]| State { t, q: x[..n].to_vec(), v: x[n..2 * n].to_vec() };
        [state(self.t - self.h, x), state(self.t, y)]
    }
}

impl Whole for Corrected {
    fn residual(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> Vec<f64> {
        let (n, h) = (self.n, self.h);
        if self.first {
            let f = force(model, Forces::All, (&x[..n], &x[n..2 * n], self.t));
            return balance(model, &x[..n], y, &[], &f)[..n].to_vec();
        }
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, .. } = self.p;
        let [now, next] = self.states(x, y);
        let part = |list: &'_ [f64], k: usize| list[k * n..(k + 1) * n].to_vec();
        let (r, a, r_next, a_next) = (part(x, 2), part(x, 3), part(y, 2), part(y, 3));
        // what is left of q⁺ and v⁺ are U and W
        let U: Vec<f64> = (0..n)
            .map(|i| next.q[i] - now.q[i] - h * now.v[i] - h * h * ((0.5 - beta) * a[i] + beta * a_next[i]))
            .collect();
        let W: Vec<f64> =
            (0..n).map(|i| next.v[i] - now.v[i] - h * ((1.0 - gamma) * a[i] + gamma * a_next[i])).collect();
        let (mut lift, mut push) = (vec![0.0; n], vec![0.0; n]);
        let (mut laws, mut k) = (Vec::new(), 4 * n);
        for (touch, _) in self.touches.iter().zip(&self.lifted).filter(|(_, lifted)| **lifted) {
            vector::axpy(y[k], &Rows(model).row(touch.id, 0, &next.q, self.t), &mut lift);
            laws.push(AtTime(model, self.t).constraint(model.n_joints() + touch.id, &next.q));
            k += 1;
        }
        for touch in self.touches.iter().filter(|touch| touch.pushes) {
            vector::axpy(y[k], &Rows(model).row(touch.id, 0, &next.q, self.t), &mut push);
            laws.push(Rows(model).velocity(touch, 0, self.e_open, self.ends(&now, &next)));
            k += 1;
        }
        let mut R = balance(model, &next.q, &U, &[], &lift);
        R.truncate(n);
        R.extend_from_slice(&balance(model, &next.q, &W, &[], &push)[..n]);
        let f = force(model, Forces::All, (&next.q, &next.v, self.t));
        R.extend_from_slice(&balance(model, &next.q, &r_next, &[], &f)[..n]);
        R.extend(
            (0..n).map(|i| (1.0 - alpha_m) * a_next[i] + alpha_m * a[i] - (1.0 - alpha_f) * r_next[i] - alpha_f * r[i]),
        );
        R.append(&mut laws);
        R
    }

    /// The work of the positions that are lifted is not that of a law: what contacts take is left to differences.
    fn numbers(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> (f64, Vec<(usize, f64)>) {
        let [now, next] = self.states(x, y);
        let mut margins = Vec::new();
        let count = self.lifted.iter().filter(|lifted| **lifted).count();
        let (mut nu, mut p) = (4 * self.n, 4 * self.n + count);
        for i in 0..model.restitutions().len() {
            let gap = AtTime(model, self.t).constraint(model.n_joints() + i, &next.q);
            let Some(k) = self.touches.iter().position(|touch| touch.id == i) else {
                margins.push((i, gap));
                continue;
            };
            if self.lifted[k] {
                margins.push((i, y[nu]));
                nu += 1;
            } else {
                margins.push((i, gap));
            }
            if self.touches[k].pushes {
                margins.push((i, y[p]));
                p += 1;
            } else {
                margins.push((i, Rows(model).velocity(&self.touches[k], 0, self.e_open, self.ends(&now, &next))));
            }
        }
        (0.0, margins)
    }

    /// Everything is affine: the longer a difference, the less round-off it has.
    fn reach(&self, x: &[f64], y: &[f64]) -> [Vec<f64>; 2] {
        let n = self.n;
        if self.first {
            return [vec![1.0; x.len()], vec![1.0; y.len()]];
        }
        let [place, speed] = sizes(&[&x[..n], &y[..n]], &[&x[n..2 * n], &y[n..2 * n]], self.h);
        let list = |count: usize| (0..count).map(|k| [place, speed, speed / self.h][(k / n).min(2)]).collect();
        [list(x.len()), list(y.len())]
    }
}
