//! What a step's contacts took, with its derivatives, and how far they are from doing something else.

use crate::State;
use crate::derivative::NotDifferentiated;
use crate::derivative::contacts::{Ends, Rows, Touch};
use crate::derivative::equations::{Q, StepEquations, V};
use crate::derivative::sums::{Arrived, BySums, Layout};
use crate::derivative::whole::sizes;
use crate::located::tangent::WEIGHTS;
use percussion_matrix::vector;
use percussion_model::Lagrangian;

/// Part of a parameter's step of differences within which no contact may change what it does: 1e-9 of the parameter.
const NEAR: f64 = 1e-5;
/// Part of the fastest velocity of a run that is none.
const FLOOR: f64 = 1e-13;
/// Part of the state over which numbers of a step are differenced.
const REACH: f64 = 1e-3;

impl BySums {
    /// The work of contacts with its derivatives, and whether no contact is about to change what it does.
    pub(super) fn account(
        &mut self,
        equations: &StepEquations,
        layout: &Layout,
        to: &Arrived,
        columns: &[Vec<f64>],
    ) -> Result<(), NotDifferentiated> {
        let n = layout.n;
        self.fastest = self.fastest.max(vector::max_abs(&self.state.v)).max(vector::max_abs(&to.state.v));
        let ends = self.ends(&to.state);
        // nonlinear steps without friction book the mean of both ends
        let weight = if self.constant || ends.turned { equations.work } else { 0.5 };
        let (law, rest) = ((self.activation, self.e_open), FLOOR * self.fastest);
        let rule = Rows(&*self.model).rule(&to.touches, law, equations.on_positions, (ends, rest));
        let numbers = |model: &dyn Lagrangian, touches: &[Touch], ends: Ends| {
            let rows = Rows(model);
            let mut list = vec![rows.work(touches, weight, ends)];
            list.extend(rows.margins(touches, &rule, ends).iter().map(|(_, margin)| *margin));
            list
        };
        // what rests on a contact has gaps and velocities of exactly nothing, and derivatives of them that are round-off
        let speed = self.fastest.max(vector::max_abs(&to.vectors[equations.jump]));
        let place = vector::max_abs(&to.state.q).max(speed * (to.state.t - self.state.t));
        let least = FLOOR * speed.min(place);
        let own = numbers(&*self.model, &to.touches, ends);
        let mut taken = Vec::new();
        for (p, (parameter, x)) in self.parameters.iter().zip(columns).enumerate() {
            let by_model = parameter.difference(own.len(), |model| numbers(model, &to.touches, ends));
            let along = self.along(p, x, n, layout, to);
            let moved = along.difference(own.len(), &|touches, now, next| {
                numbers(&*self.model, touches, Ends { now, next, ..ends })
            });
            let total = |k: usize| by_model[k] + moved[k];
            taken.push(total(0));
            let contacts = Rows(&*self.model).margins(&to.touches, &rule, ends);
            for (k, (contact, margin)) in contacts.into_iter().enumerate() {
                let change = parameter.step * total(1 + k).abs();
                if margin.abs() < NEAR * change && change > least {
                    return Err(NotDifferentiated::Changes { t: self.state.t, contact, parameter: p });
                }
            }
        }
        self.lost -= own[0];
        self.lost_columns.iter_mut().zip(taken).for_each(|(lost, work)| *lost -= work);
        Ok(())
    }

    /// The motion of a step in the direction of a column.
    fn along<'a>(&'a self, p: usize, x: &'a [f64], n: usize, layout: &Layout, to: &'a Arrived) -> Direction<'a> {
        let mut row = layout.law();
        let mut impulses = Vec::new();
        for touch in &to.touches {
            let mut d = [0.0; 3];
            if touch.pushes {
                d[..=touch.tangents].copy_from_slice(&x[row..=row + touch.tangents]);
                row += 1 + touch.tangents;
            }
            impulses.push(d);
        }
        let d = [&self.columns[p][Q][..], &self.columns[p][V], &x[Q * n..(Q + 1) * n], &x[V * n..(V + 1) * n]];
        Direction { now: &self.state, to, d, impulses }
    }
}

/// How a step moves with a parameter.
struct Direction<'a> {
    now: &'a State,
    to: &'a Arrived,
    /// δq, δv, δq⁺, δv⁺.
    d: [&'a [f64]; 4],
    impulses: Vec<[f64; 3]>,
}

/// Numbers of a step that is moved a little.
type OfStep<'a> = dyn Fn(&[Touch], &State, &State) -> Vec<f64> + 'a;

impl Direction<'_> {
    /// The derivative of numbers of a step in this direction, the model standing still.
    fn difference(&self, size: usize, of: &OfStep) -> Vec<f64> {
        let next = &self.to.state;
        // a small part of what moves farthest beside its size; a place that the motion passes through is not one
        let [place, speed] = sizes(&[&self.now.q, &next.q], &[&self.now.v, &next.v], next.t - self.now.t);
        let ratio = |(d, size): (&&[f64], f64)| vector::max_abs(d) / size;
        let most = self.d.iter().zip([place, speed, place, speed]).map(ratio).fold(0.0, f64::max);
        let reach = REACH / if most > 0.0 { most } else { 1.0 };
        let moved = |s: f64| {
            let shift = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + s * d).collect::<Vec<_>>();
            let now = State { t: self.now.t, q: shift(&self.now.q, self.d[0]), v: shift(&self.now.v, self.d[1]) };
            let next = State { t: next.t, q: shift(&next.q, self.d[2]), v: shift(&next.v, self.d[3]) };
            let push = |(touch, d): (&Touch, &[f64; 3])| {
                let mut touch = *touch;
                touch.p.iter_mut().zip(d).for_each(|(p, d)| *p += s * d);
                touch
            };
            let touches: Vec<Touch> = self.to.touches.iter().zip(&self.impulses).map(push).collect();
            of(&touches, &now, &next)
        };
        let mut sum = vec![0.0; size];
        for (k, weight) in WEIGHTS.iter().enumerate() {
            let s = (k + 1) as f64 * reach;
            for (sum, (a, b)) in sum.iter_mut().zip(moved(s).iter().zip(&moved(-s))) {
                *sum += weight * (a - b) / reach;
            }
        }
        sum
    }
}
