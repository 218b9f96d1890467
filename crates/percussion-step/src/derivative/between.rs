//! Discrete gradients between both ends, M constant: x = (q, v), y = (q⁺, v⁺, multipliers of joints, P).
//!
//!   q⁺ − q = ½h(v + v⁺),   M(v⁺ − v) = −h D_V + h f_np(q_m, v_m, t_m) + Σ D_g P_N + Σ T(q_m) P_T
//!   joints: g(q⁺) = 0;    contacts: u⁺ + ê u = 0 along D_g, u = D_g·v + ∂g/∂t(q_m, t_m), friction along the tangents at q_m
//!
//! D is Gonzalez' gradient. Its defect is taken by values or by gradients (`discrete_gradient.rs`), whichever the step took, so that the
//! difference of the two does not enter derivatives as noise.

use crate::derivative::balance::{balance, force};
use crate::derivative::contacts::{Along, Ends, Rows, Rule, Touch, touches};
use crate::derivative::equations::Forces;
use crate::derivative::implicit::Whole;
use crate::derivative::whole::{Setting, THOUSANDTH, impulses, sizes};
use crate::schemes::energy_momentum::PotentialOf;
use crate::schemes::energy_momentum::discrete_gradient::{Defect, Potential, chosen_defect, gonzalez_by};
use crate::schemes::energy_momentum::frame::ConstraintOf;
use crate::schemes::energy_momentum::hamiltonian::mass;
use crate::{State, Step};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::{AtTime, Lagrangian};

/// A step.
pub struct Between {
    t: f64,
    h: f64,
    n: usize,
    e_open: f64,
    touches: Vec<Touch>,
    /// How contacts were chosen.
    rule: Rule,
    /// Where the defect of D_V comes from, then that of each constraint.
    defects: Vec<Defect>,
}

impl Between {
    /// The equations of a step with the guess.
    pub fn of(model: &dyn Lagrangian, setting: &Setting, state: &State, step: &Step) -> (Self, Vec<f64>) {
        let n = state.q.len();
        let Setting { activation, e_open, .. } = *setting;
        let zero = vec![0.0; n];
        let least = 1e-11 * vector::max_abs(&balance(model, &state.q, &step.after.v, &[], &zero)[..n]);
        let mut touches = touches(model, step, activation, e_open);
        for touch in touches.iter_mut().filter(|touch| touch.p[0] <= least) {
            (touch.pushes, touch.along, touch.tangents) = (false, Along::Free, 0);
        }
        let ends = Ends { now: state, next: &step.after, turned: false };
        let rule = Rows(model).rule(&touches, (activation, e_open), false, (ends, 0.0));
        let M = mass(model, &state.q);
        let (q0, q1) = (&state.q[..], &step.after.q[..]);
        let middle = AtTime(model, state.t + 0.5 * step.h);
        let constraints = model.n_joints() + model.restitutions().len();
        let mut defects = vec![chosen_defect(&PotentialOf(model), (q0, q1), &M)];
        defects.extend((0..constraints).map(|j| chosen_defect(&ConstraintOf(middle, j), (q0, q1), &M)));
        let mut y: Vec<f64> = step.after.q.iter().chain(&step.after.v).copied().collect();
        y.resize(2 * n + model.n_joints(), 0.0);
        y.extend(impulses(&touches));
        (Self { t: state.t, h: step.h, n, e_open, touches, rule, defects }, y)
    }

    /// D of a function between the ends of the step.
    fn gradient(&self, phi: &dyn Potential, defect: Defect, M: &DenseMatrix, [x, y]: [&[f64]; 2]) -> Vec<f64> {
        gonzalez_by(phi, (&x[..self.n], &y[..self.n]), M, defect)
    }

    fn middle(&self, x: &[f64], y: &[f64]) -> [Vec<f64>; 2] {
        let mean = |from: usize| (0..self.n).map(|i| 0.5 * (x[from + i] + y[from + i])).collect::<Vec<f64>>();
        [mean(0), mean(self.n)]
    }

    /// The rows of a contact: D_g, then the tangents in the middle; with what the obstacle adds to u.
    fn rows(&self, model: &dyn Lagrangian, touch: &Touch, M: &DenseMatrix, ends: [&[f64]; 2]) -> (Vec<Vec<f64>>, f64) {
        let [qm, _] = self.middle(ends[0], ends[1]);
        let (j, at) = (model.n_joints() + touch.id, AtTime(model, self.t + 0.5 * self.h));
        let mut rows = vec![self.gradient(&ConstraintOf(at, j), self.defects[1 + j], M, ends)];
        rows.extend((1..=touch.tangents).map(|c| Rows(model).row(touch.id, c, &qm, at.1)));
        (rows, at.rate(j, &qm))
    }

    /// w along each row: u⁺ + ê u, u⁺ + α u.
    fn velocities(
        &self,
        model: &dyn Lagrangian,
        touch: &Touch,
        (rows, rate): (&[Vec<f64>], f64),
        [x, y]: [&[f64]; 2],
    ) -> Vec<f64> {
        let (v, v_next) = (&x[self.n..2 * self.n], &y[self.n..2 * self.n]);
        let of = |(c, row): (usize, &Vec<f64>)| {
            let (part, rate) =
                if c == 0 { (Rows(model).restitution(touch, self.e_open), rate) } else { (touch.alpha, 0.0) };
            vector::dot(row, v_next) + rate + part * (vector::dot(row, v) + rate)
        };
        rows.iter().enumerate().map(of).collect()
    }
}

impl Whole<dyn Lagrangian> for Between {
    fn residual(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> Vec<f64> {
        let (n, h, joints, ends) = (self.n, self.h, model.n_joints(), [x, y]);
        let [qm, vm] = self.middle(x, y);
        let (M, t) = (mass(model, &qm), self.t + 0.5 * h);
        let mut R: Vec<f64> = (0..n).map(|i| y[i] - x[i] - h * vm[i]).collect();
        let mut f = force(model, Forces::Others, (&qm, &vm, t));
        match model.discrete_force() {
            Some(own) => {
                let mut pull = vec![0.0; n];
                own.evaluate(&x[..n], &y[..n], &mut pull);
                vector::axpy(1.0, &pull, &mut f);
            }
            None => vector::axpy(-1.0, &self.gradient(&PotentialOf(model), self.defects[0], &M, ends), &mut f),
        }
        f.iter_mut().for_each(|f| *f *= h);
        let mut laws = Vec::new();
        for j in 0..joints {
            let row = self.gradient(&ConstraintOf(AtTime(model, t), j), self.defects[1 + j], &M, ends);
            vector::axpy(y[2 * n + j], &row, &mut f);
            laws.push(model.constraint(j, &y[..n]) / h);
        }
        let mut k = 2 * n + joints;
        for touch in self.touches.iter().filter(|touch| touch.pushes) {
            let (rows, rate) = self.rows(model, touch, &M, ends);
            let w = self.velocities(model, touch, (&rows, rate), ends);
            let p = &y[k..=k + touch.tangents];
            rows.iter().zip(p).for_each(|(row, p)| vector::axpy(*p, row, &mut f));
            touch.laws(model.frictions(), p, &w, &mut laws);
            k += 1 + touch.tangents;
        }
        let change: Vec<f64> = (0..n).map(|i| y[n + i] - x[n + i]).collect();
        R.extend_from_slice(&balance(model, &qm, &change, &vec![0.0; joints], &f)[..n]);
        R.append(&mut laws);
        R
    }

    fn numbers(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> (f64, Vec<(usize, f64)>) {
        let (n, ends) = (self.n, [x, y]);
        let M = mass(model, &self.middle(x, y)[0]);
        let now = State { t: self.t, q: x[..n].to_vec(), v: x[n..2 * n].to_vec() };
        let mut margins = Rows(model).selection(&self.rule, &now);
        let (mut work, mut k) = (0.0, 2 * n + model.n_joints());
        for touch in &self.touches {
            let (rows, rate) = self.rows(model, touch, &M, ends);
            let w = self.velocities(model, touch, (&rows, rate), ends);
            if !touch.pushes {
                margins.push((touch.id, w[0]));
                continue;
            }
            let p = &y[k..=k + touch.tangents];
            margins.push((touch.id, p[0]));
            margins.extend(touch.slack(model.frictions(), p, &w[1..]).map(|slack| (touch.id, slack)));
            let vm = &self.middle(x, y)[1];
            for (c, (row, p)) in rows.iter().zip(p).enumerate() {
                work += p * (vector::dot(row, vm) + if c == 0 { rate } else { 0.0 });
            }
            k += 1 + touch.tangents;
        }
        (work, margins)
    }

    /// D changes over the way of the step, not over the place.
    fn reach(&self, x: &[f64], y: &[f64]) -> [Vec<f64>; 2] {
        let n = self.n;
        let way = (0..n).map(|i| (y[i] - x[i]).abs()).fold(0.0, f64::max);
        let [place, speed] = sizes(&[&x[..n], &y[..n]], &[&x[n..], &y[n..2 * n]], self.h);
        let (place, speed) = ((0.03 * way).max(1e-6 * place).min(THOUSANDTH * place), THOUSANDTH * speed);
        // the laws and the equations are affine in multipliers and impulses
        let largest = vector::max_abs(&y[2 * n..]);
        let push = if largest > 0.0 { largest } else { 1.0 };
        let list = |count: usize| (0..count).map(|k| [place, speed, push][(k / n).min(2)]).collect();
        [list(x.len()), list(y.len())]
    }
}
