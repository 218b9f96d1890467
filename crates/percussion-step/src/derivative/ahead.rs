//! Schatzman–Paoli: x = (q_k, v_k, w_{k+½}), y = (q_{k+1}, v_{k+1}, w_{k+3/2}, p).
//!
//!   q⁺ = q + h w,   v⁺ = ½(w + w⁺),   q⁺⁺ = q⁺ + h w⁺
//!   M(q⁺)(w⁺ − w) = h (θ f(q⁺⁺, v⁺, t⁺⁺) + (1−θ) f(q⁺, v⁺, t⁺)) + Σ ∇g(q̄) p,   g(q⁺⁺) + e g(q) = 0 of linear gaps, (1+e) g(q̄) = 0 of others
//!
//! with q̄ = (q⁺⁺ + e q)/(1+e). A run begins with w_{½} from w_{−½} = v₀ − ½h a₀, M a₀ = f₀, by the same equation at q₀.

use crate::derivative::balance::{balance, force};
use crate::derivative::contacts::{Along, Rows, Touch};
use crate::derivative::equations::Forces;
use crate::derivative::implicit::Whole;
use crate::derivative::whole::{Setting, THOUSANDTH, impulses, sizes};
use crate::{State, Step};
use percussion_matrix::vector;
use percussion_model::{AtTime, Lagrangian};

/// A step.
pub struct Ahead {
    theta: f64,
    /// The time of the place that is left: t⁺.
    t: f64,
    h: f64,
    n: usize,
    constant: bool,
    touches: Vec<Touch>,
    /// Whether it is the first, which finds w_{½} alone.
    first: bool,
}

impl Ahead {
    /// The equations of w_{½} and a₀, y = (w_{½}, a₀), no contact pushing; with the guess.
    pub fn start(theta: f64, setting: &Setting, state: &State, step: &Step) -> (Self, Vec<f64>) {
        let (n, h) = (state.q.len(), step.h);
        let mut y: Vec<f64> = step.after.q.iter().zip(&state.q).map(|(a, b)| (a - b) / h).collect();
        let change: Vec<f64> = y.iter().zip(&state.v).map(|(w, v)| (w - v) / (0.5 * h)).collect();
        y.extend(change);
        let constant = setting.constant;
        (Self { theta, t: state.t, h, n, constant, touches: Vec::new(), first: true }, y)
    }

    /// The equations of a step with the guess.
    pub fn of(
        model: &dyn Lagrangian,
        theta: f64,
        setting: &Setting,
        (state, x): (&State, &[f64]),
        step: &Step,
    ) -> (Self, Vec<f64>) {
        let n = state.q.len();
        let mut M_v = vec![0.0; n];
        let zero = vec![0.0; n];
        M_v.copy_from_slice(&balance(model, &state.q, &step.after.v, &[], &zero)[..n]);
        let least = 1e-11 * vector::max_abs(&M_v);
        let touch = |c: &crate::ContactState| Touch {
            id: c.id,
            pushes: c.p > least,
            held: false,
            along: Along::Free,
            alpha: 0.0,
            tangents: 0,
            p: [c.p, 0.0, 0.0],
        };
        let touches: Vec<Touch> = step.contacts.iter().map(touch).collect();
        let mut y: Vec<f64> = step.after.q.iter().chain(&step.after.v).copied().collect();
        y.extend(step.after.v.iter().zip(&x[2 * n..]).map(|(v, w)| 2.0 * v - w));
        y.extend(impulses(&touches));
        (Self { theta, t: step.after.t, h: step.h, n, constant: setting.constant, touches, first: false }, y)
    }

    /// M(q)(w⁺ − w) − h f̄ where q is left at t.
    fn momentum(&self, model: &dyn Lagrangian, q: &[f64], [w, w_next]: [&[f64]; 2]) -> Vec<f64> {
        let (h, theta) = (self.h, self.theta);
        let ahead: Vec<f64> = q.iter().zip(w_next).map(|(q, w)| q + h * w).collect();
        let v: Vec<f64> = w.iter().zip(w_next).map(|(a, b)| 0.5 * (a + b)).collect();
        let mut f = force(model, Forces::All, (q, &v, self.t));
        f.iter_mut().for_each(|f| *f *= h * (1.0 - theta));
        if theta != 0.0 {
            vector::axpy(h * theta, &force(model, Forces::All, (&ahead, &v, self.t + h)), &mut f);
        }
        let change: Vec<f64> = w_next.iter().zip(w).map(|(a, b)| a - b).collect();
        balance(model, q, &change, &[], &f)[..self.n].to_vec()
    }

    /// The law of a contact over h, and the row it pushes along.
    fn law(&self, model: &dyn Lagrangian, touch: &Touch, x: &[f64], y: &[f64]) -> (f64, Vec<f64>) {
        let (n, h) = (self.n, self.h);
        let ahead: Vec<f64> = (0..n).map(|i| y[i] + h * y[2 * n + i]).collect();
        let (e, j) = (model.restitutions()[touch.id], model.n_joints() + touch.id);
        if self.constant {
            let gaps =
                AtTime(model, self.t + h).constraint(j, &ahead) + e * AtTime(model, self.t - h).constraint(j, &x[..n]);
            return (gaps / h, Rows(model).row(touch.id, 0, &y[..n], self.t));
        }
        let mean: Vec<f64> = (0..n).map(|i| (ahead[i] + e * x[i]) / (1.0 + e)).collect();
        let at = AtTime(model, self.t);
        ((1.0 + e) * at.constraint(j, &mean) / h, Rows(model).row(touch.id, 0, &mean, self.t))
    }
}

impl Whole<dyn Lagrangian> for Ahead {
    fn residual(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> Vec<f64> {
        let (n, h) = (self.n, self.h);
        if self.first {
            let (q, v, w, a) = (&x[..n], &x[n..2 * n], &y[..n], &y[n..2 * n]);
            let before: Vec<f64> = v.iter().zip(a).map(|(v, a)| v - 0.5 * h * a).collect();
            let mut R = self.momentum(model, q, [&before, w]);
            let f = force(model, Forces::All, (q, v, self.t));
            R.extend_from_slice(&balance(model, q, a, &[], &f)[..n]);
            return R;
        }
        let (w, w_next) = (&x[2 * n..3 * n], &y[2 * n..3 * n]);
        let mut R: Vec<f64> = (0..n).map(|i| y[i] - x[i] - h * w[i]).collect();
        R.extend((0..n).map(|i| y[n + i] - 0.5 * (w[i] + w_next[i])));
        let mut momentum = self.momentum(model, &y[..n], [w, w_next]);
        let mut laws = Vec::new();
        for (k, touch) in self.touches.iter().filter(|touch| touch.pushes).enumerate() {
            let (law, row) = self.law(model, touch, x, y);
            vector::axpy(-y[3 * n + k], &row, &mut momentum);
            laws.push(law);
        }
        R.append(&mut momentum);
        R.append(&mut laws);
        R
    }

    fn numbers(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> (f64, Vec<(usize, f64)>) {
        let (n, h) = (self.n, self.h);
        let (mut work, mut margins, mut k) = (0.0, Vec::new(), 3 * n);
        for touch in &self.touches {
            let (law, row) = self.law(model, touch, x, y);
            if !touch.pushes {
                margins.push((touch.id, law));
                continue;
            }
            let p = y[k];
            k += 1;
            margins.push((touch.id, p));
            let rate = if self.constant {
                let j = model.n_joints() + touch.id;
                let ahead: Vec<f64> = (0..n).map(|i| y[i] + h * y[2 * n + i]).collect();
                let gap = |t: f64, q: &[f64]| AtTime(model, t).constraint(j, q);
                (gap(self.t + h, &ahead) - gap(self.t - h, &x[..n])) / (2.0 * h)
            } else {
                vector::dot(&row, &y[n..2 * n])
            };
            work += p * rate;
        }
        (work, margins)
    }

    /// Steps on constant matrices are affine in x and y: the longer a difference, the less round-off it has.
    fn reach(&self, x: &[f64], y: &[f64]) -> [Vec<f64>; 2] {
        let (n, h) = (self.n, self.h);
        let part = if self.constant { 1.0 } else { THOUSANDTH };
        let next = if self.first { &y[..0] } else { &y[..n] };
        let rates = if self.first { &y[..n] } else { &y[n..3 * n] };
        let [place, speed] = sizes(&[&x[..n], next], &[&x[n..], rates], h);
        let (place, speed, rate) = (part * place, part * speed, part * speed / h);
        let list = |count: usize, last: f64, parts: &[f64]| {
            let mut list: Vec<f64> = parts.iter().flat_map(|x| vec![*x; n]).collect();
            list.resize(count, last);
            list
        };
        // the law and the equations are affine in p
        let largest = vector::max_abs(&y[(3 * n).min(y.len())..]);
        let push = if largest > 0.0 { largest } else { 1.0 };
        let of_y = if self.first { list(2 * n, rate, &[speed]) } else { list(y.len(), push, &[place, speed, speed]) };
        [list(x.len(), speed, &[place]), of_y]
    }
}
