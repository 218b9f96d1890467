//! Generalized-α with positions and velocities apart: x = (q, v, v̇, a, μ), y = (x⁺, λ, ν_b, Λ_b, P).
//!
//!   M v̇⁺ = f(q⁺, v⁺, t⁺) + G_bᵀλ,   G_b v̂ = 0,   (1−α_m)a⁺ + α_m a = (1−α_f)v̇⁺ + α_f v̇
//!   q⁺ = q + hv + h²(½−β)a + h²βa⁺ + U,   M U = G_bᵀν_b + Gν + ½h T_c p_T,   g_b(q⁺) = 0,   g(q⁺) = 0 where a contact is lifted, else μ⁺ = 0
//!   v⁺ = v̂ + W,   v̂ = v + h(1−γ)a + hγa⁺,   M W = G_bᵀΛ_b + GΛ + T p_T,   G_b v⁺ = 0,   the laws on u⁺ and u where Λ pushes
//!
//! b are the joints. ν = μ⁺, in the modified condition ν = μ⁺ + hθΛ + (1−θ)/θ μ. T_c is T on linear models; on others, T less what moves
//! joints and the normals of closed contacts (`ggl/lagrangian/friction.rs`), and u is taken with the rows of the end unless gaps are predicted.

use crate::derivative::balance::{balance, force, joint_rows};
use crate::derivative::contacts::{Along, Ends, Rows, Touch, touches};
use crate::derivative::equations::Forces;
use crate::derivative::implicit::Whole;
use crate::derivative::whole::{Setting, THOUSANDTH, impulses, sizes};
use crate::schemes::energy_momentum::hamiltonian::{factorised, mass};
use crate::schemes::ggl::conditions::{ClosedAt, GglVariant};
use crate::schemes::ggl::ledger::Projection;
use crate::{Activation, NewmarkLike, State, Step};
use percussion_matrix::{DenseMatrix, SmallLu, vector};
use percussion_model::{AtTime, Lagrangian};

/// Part of the coordinates within which a gap is closed.
const CLOSED: f64 = 1e-10;

/// The scheme with its choices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// α_m, α_f, β, γ.
    pub alpha: NewmarkLike,
    /// How the multipliers enter.
    pub variant: GglVariant,
    /// Where a contact is found closed.
    pub closed_at: ClosedAt,
}

/// A step, or the start of a run, which finds v̇₀ and λ alone.
pub struct Corrected {
    form: Apart,
    t: f64,
    h: f64,
    n: usize,
    e_open: f64,
    /// Whether u is taken with the rows of the end.
    turned: bool,
    /// Whether sliding moves no closed gap.
    projected: bool,
    touches: Vec<Touch>,
    /// Of each contact of the model, whether its gap is closed by ν.
    lifted: Vec<bool>,
    first: bool,
}

/// The parts of y behind x⁺.
struct Multipliers<'a> {
    lambda: &'a [f64],
    nu: &'a [f64],
    La: &'a [f64],
    p: &'a [f64],
}

impl Corrected {
    /// The equations of v̇₀ and λ at the start of a run, with a guess.
    pub fn start(form: Apart, model: &dyn Lagrangian, constant: bool, state: &State) -> (Self, Vec<f64>) {
        let n = state.q.len();
        let (touches, lifted) = (Vec::new(), Vec::new());
        let start = Self {
            form,
            t: state.t,
            h: 0.0,
            n,
            e_open: 0.0,
            turned: false,
            projected: !constant,
            touches,
            lifted,
            first: true,
        };
        (start, vec![0.0; n + model.n_joints()])
    }

    /// The equations of a step with the guess.
    pub fn of(
        model: &dyn Lagrangian,
        form: Apart,
        setting: &Setting,
        (state, x): (&State, &[f64]),
        step: &Step,
    ) -> (Self, Vec<f64>) {
        let n = state.q.len();
        let Setting { activation, e_open, constant } = *setting;
        let touches = touches(model, step, activation, e_open);
        let size =
            vector::max_abs(&step.after.q).max(vector::max_abs(&state.q)).max(step.h * vector::max_abs(&state.v));
        let mut lifted = vec![false; model.restitutions().len()];
        step.contacts.iter().for_each(|c| lifted[c.id] = c.gap.abs() <= CLOSED * size);
        let mut y: Vec<f64> = step.after.q.iter().chain(&step.after.v).copied().collect();
        y.extend_from_slice(&x[2 * n..]);
        y.resize(y.len() + 3 * model.n_joints(), 0.0);
        y.extend(impulses(&touches));
        let turned = !constant && activation == Activation::Hold;
        let projected = !constant;
        (Self { form, t: step.after.t, h: step.h, n, e_open, turned, projected, touches, lifted, first: false }, y)
    }

    fn ends<'a>(&self, now: &'a State, next: &'a State) -> Ends<'a> {
        Ends { now, next, turned: self.turned }
    }

    fn states(&self, x: &[f64], y: &[f64]) -> [State; 2] {
        let n = self.n;
        let state = |t: f64, x: &[f64]| State { t, q: x[..n].to_vec(), v: x[n..2 * n].to_vec() };
        [state(self.t - self.h, x), state(self.t, y)]
    }

    fn multipliers<'a>(&self, model: &dyn Lagrangian, y: &'a [f64]) -> Multipliers<'a> {
        let (joints, from) = (model.n_joints(), 4 * self.n + self.lifted.len());
        let part = |k: usize| &y[from + k * joints..from + (k + 1) * joints];
        Multipliers { lambda: part(0), nu: part(1), La: part(2), p: &y[from + 3 * joints..] }
    }

    /// v̂ and U, W: what is left of q⁺ and v⁺.
    fn moved(&self, x: &[f64], y: &[f64]) -> [Vec<f64>; 3] {
        let (n, h) = (self.n, self.h);
        let NewmarkLike { beta, gamma, .. } = self.form.alpha;
        let (a, a_next) = (&x[3 * n..4 * n], &y[3 * n..4 * n]);
        let free: Vec<f64> = (0..n).map(|i| x[n + i] + h * ((1.0 - gamma) * a[i] + gamma * a_next[i])).collect();
        let U = (0..n).map(|i| y[i] - x[i] - h * x[n + i] - h * h * ((0.5 - beta) * a[i] + beta * a_next[i])).collect();
        let W = (0..n).map(|i| y[n + i] - free[i]).collect();
        [free, U, W]
    }

    /// The closed contacts' normals and the joints, with M⁻¹ of each and W_A; nothing where M is singular.
    fn held(&self, model: &dyn Lagrangian, q: &[f64], of: impl Fn(&Touch) -> bool) -> Option<Held> {
        let lu = factorised(&mass(model, q))?;
        let mut rows = joint_rows(model, q);
        rows.extend(self.touches.iter().filter(|touch| of(touch)).map(|touch| Rows(model).row(touch.id, 0, q, self.t)));
        Some(Held::new(rows, &lu))
    }

    /// ν of a contact, Λ given.
    fn nu(&self, id: usize, La: f64, x: &[f64], y: &[f64]) -> f64 {
        let k = 4 * self.n + id;
        y[k] + self.form.variant.share() * self.h * La + self.form.variant.carried(x[k])
    }

    /// The equations of the contacts: what they add to M U and M W, and their laws.
    fn contacts(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> [Vec<f64>; 3] {
        let (n, h) = (self.n, self.h);
        let [now, next] = self.states(x, y);
        let p = self.multipliers(model, y).p;
        let rough = self.projected && self.touches.iter().any(|touch| touch.along != Along::Free);
        let held = if rough { self.held(model, &next.q, |_| true) } else { None };
        let (mut lift, mut push, mut laws, mut k) = (vec![0.0; n], vec![0.0; n], Vec::new(), 0);
        let mut La = vec![0.0; self.lifted.len()];
        for touch in self.touches.iter().filter(|touch| touch.pushes) {
            let p = &p[k..=k + touch.tangents];
            La[touch.id] = p[0];
            let w: Vec<f64> = (0..=touch.tangents)
                .map(|c| Rows(model).velocity(touch, c, self.e_open, self.ends(&now, &next)))
                .collect();
            for (c, &p) in p.iter().enumerate() {
                let mut row = Rows(model).row(touch.id, c, &next.q, self.t);
                vector::axpy(p, &row, &mut push);
                if c > 0 {
                    held.iter().for_each(|held| held.take_out(&mut row));
                    vector::axpy(0.5 * h * p, &row, &mut lift);
                }
            }
            touch.laws(model.frictions(), p, &w, &mut laws);
            k += 1 + touch.tangents;
        }
        for (id, lifted) in self.lifted.iter().enumerate() {
            let nu = self.nu(id, La[id], x, y);
            if nu != 0.0 {
                vector::axpy(nu, &Rows(model).row(id, 0, &next.q, self.t), &mut lift);
            }
            let gap = || AtTime(model, self.t).constraint(model.n_joints() + id, &next.q);
            laws.push(if *lifted { gap() } else { y[4 * n + id] });
        }
        [lift, push, laws]
    }

    /// Pr and T of the ledger (`ggl/ledger.rs`), beside the work of the law: what contacts take in all.
    fn work(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> f64 {
        let (n, h, gamma) = (self.n, self.h, self.form.alpha.gamma);
        let [now, next] = self.states(x, y);
        let ends = self.ends(&now, &next);
        let (p, mut k, mut work) = (self.multipliers(model, y).p, 0, 0.0);
        for touch in self.touches.iter().filter(|touch| touch.pushes) {
            let turned = Ends { turned: true, ..ends };
            for c in 0..=touch.tangents {
                // the turning of rows is that of the normal alone
                let before = Rows(model).before(touch.id, c, if c == 0 { turned } else { ends });
                work += 0.5 * p[k + c] * (before + Rows(model).after(touch.id, c, ends));
            }
            k += 1 + touch.tangents;
        }
        let pushed = |touch: &Touch| touch.pushes || self.lifted[touch.id];
        let Some(held) = self.held(model, &next.q, pushed) else { return f64::NAN };
        let zeta: Vec<f64> = (0..n).map(|i| y[i] - x[i] - 0.5 * h * (x[n + i] + y[n + i])).collect();
        let a: Vec<f64> = (0..n).map(|i| (1.0 - gamma) * x[3 * n + i] + gamma * y[3 * n + i]).collect();
        work + held.work(&zeta, &a)
    }

    /// The gap that closes a contact.
    fn closing(&self, model: &dyn Lagrangian, id: usize, x: &[f64], y: &[f64]) -> f64 {
        let (n, j) = (self.n, model.n_joints() + id);
        let (place, t, less) = match self.form.closed_at {
            ClosedAt::Smooth => {
                let U = &self.moved(x, y)[1];
                ((0..n).map(|i| y[i] - U[i]).collect::<Vec<f64>>(), self.t, 0.0)
            }
            ClosedAt::Start => (x[..n].to_vec(), self.t - self.h, 0.0),
            ClosedAt::Ahead => ((0..n).map(|i| x[i] + self.h * x[n + i]).collect(), self.t - self.h, 0.0),
            ClosedAt::End(tolerance) => (y[..n].to_vec(), self.t, tolerance),
        };
        AtTime(model, t).constraint(j, &place) - less
    }
}

/// Rows with M⁻¹ of them and the factors of W_A = A M⁻¹Aᵀ.
struct Held {
    rows: Vec<Vec<f64>>,
    inverse: Vec<Vec<f64>>,
    factors: Projection,
}

impl Held {
    fn new(rows: Vec<Vec<f64>>, lu: &SmallLu) -> Self {
        let solved = |row: &Vec<f64>| {
            let mut x = row.clone();
            lu.solve(&mut x);
            x
        };
        let inverse: Vec<Vec<f64>> = rows.iter().map(solved).collect();
        let mut factors = Projection::default();
        factors.factorise(rows.len(), |a, b| vector::dot(&rows[a], &inverse[b]));
        Self { rows, inverse, factors }
    }

    /// T less Aᵀ W_A⁻¹ A M⁻¹T.
    fn take_out(&self, row: &mut [f64]) {
        let mut kappa: Vec<f64> = self.inverse.iter().map(|x| vector::dot(row, x)).collect();
        self.factors.solve(&mut kappa);
        self.rows.iter().zip(&kappa).for_each(|(held, kappa)| vector::axpy(-kappa, held, row));
    }

    /// −(A ζ)ᵀ W_A⁻¹ (A a).
    fn work(&self, zeta: &[f64], a: &[f64]) -> f64 {
        let along = |x: &[f64]| self.rows.iter().map(|row| vector::dot(row, x)).collect::<Vec<f64>>();
        let mut solved = along(a);
        self.factors.solve(&mut solved);
        -vector::dot(&along(zeta), &solved)
    }
}

/// v·∂²g_j/∂q² v.
fn bending(model: &dyn Lagrangian, j: usize, q: &[f64], v: &[f64]) -> f64 {
    let mut H = DenseMatrix::zeros(q.len(), q.len());
    model.hessian(j, q, 1.0, &mut H);
    (0..q.len()).map(|k| v[k] * vector::dot(H.column(k), v)).sum()
}

/// Adds the rows of joints times their multipliers.
fn add_joints(rows: &[Vec<f64>], multipliers: &[f64], to: &mut [f64]) {
    rows.iter().zip(multipliers).for_each(|(row, x)| vector::axpy(*x, row, to));
}

impl Whole<dyn Lagrangian> for Corrected {
    fn residual(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> Vec<f64> {
        let n = self.n;
        let momentum = |q: &[f64], r: &[f64], f: &[f64]| balance(model, q, r, &[], f)[..n].to_vec();
        if self.first {
            let (q, v) = (&x[..n], &x[n..2 * n]);
            let mut f = force(model, Forces::All, (q, v, self.t));
            let rows = joint_rows(model, q);
            add_joints(&rows, &y[n..], &mut f);
            let mut R = momentum(q, &y[..n], &f);
            R.extend(rows.iter().enumerate().map(|(j, row)| vector::dot(row, &y[..n]) + bending(model, j, q, v)));
            return R;
        }
        let NewmarkLike { alpha_m, alpha_f, .. } = self.form.alpha;
        let (q, v) = (&y[..n], &y[n..2 * n]);
        let [free, U, W] = self.moved(x, y);
        let [mut lift, mut push, laws] = self.contacts(model, x, y);
        let (rows, by) = (joint_rows(model, q), self.multipliers(model, y));
        let mut f = force(model, Forces::All, (q, v, self.t));
        add_joints(&rows, by.lambda, &mut f);
        add_joints(&rows, by.nu, &mut lift);
        add_joints(&rows, by.La, &mut push);
        let mut R = momentum(q, &U, &lift);
        R.extend(momentum(q, &W, &push));
        R.extend(momentum(q, &y[2 * n..3 * n], &f));
        let filter = |i: usize| {
            (1.0 - alpha_m) * y[3 * n + i] + alpha_m * x[3 * n + i]
                - (1.0 - alpha_f) * y[2 * n + i]
                - alpha_f * x[2 * n + i]
        };
        R.extend((0..n).map(filter));
        for (j, row) in rows.iter().enumerate() {
            R.extend([model.constraint(j, q), vector::dot(row, v), vector::dot(row, &free)]);
        }
        R.extend(laws);
        R
    }

    fn numbers(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> (f64, Vec<(usize, f64)>) {
        let [now, next] = self.states(x, y);
        let (p, mut k, mut margins) = (self.multipliers(model, y).p, 0, Vec::new());
        for touch in &self.touches {
            let along = |c: usize| Rows(model).velocity(touch, c, self.e_open, self.ends(&now, &next));
            if !touch.pushes {
                margins.push((touch.id, along(0)));
                continue;
            }
            let own = &p[k..=k + touch.tangents];
            margins.push((touch.id, own[0]));
            let w: Vec<f64> = (1..=touch.tangents).map(along).collect();
            margins.extend(touch.slack(model.frictions(), own, &w).map(|slack| (touch.id, slack)));
            k += 1 + touch.tangents;
        }
        for (id, lifted) in self.lifted.iter().enumerate() {
            if *lifted {
                margins.push((id, y[4 * self.n + id]));
                continue;
            }
            margins.push((id, AtTime(model, self.t).constraint(model.n_joints() + id, &next.q)));
            margins.push((id, self.closing(model, id, x, y)));
        }
        (self.work(model, x, y), margins)
    }

    /// On constant matrices everything but sliding in space is affine: the longer a difference, the less round-off it has.
    fn reach(&self, x: &[f64], y: &[f64]) -> [Vec<f64>; 2] {
        let n = self.n;
        if self.first {
            let [place, speed] = sizes(&[&x[..n]], &[&x[n..2 * n]], 1.0);
            let list = |count: usize| (0..count).map(|k| if k < n { place } else { speed });
            let part = |k: f64| k * if self.projected { THOUSANDTH } else { 1.0 };
            return [list(x.len()).map(part).collect(), vec![1.0; y.len()]];
        }
        let [place, speed] = sizes(&[&x[..n], &y[..n]], &[&x[n..2 * n], &y[n..2 * n]], self.h);
        let slides = self.touches.iter().any(|touch| touch.along == Along::Slides);
        let part = if self.projected || slides { THOUSANDTH } else { 1.0 };
        let sizes = [part * place, part * speed, part * speed / self.h];
        let list = |count: usize| (0..count).map(|k| sizes[(k / n).min(2)]).collect();
        [list(x.len()), list(y.len())]
    }
}
