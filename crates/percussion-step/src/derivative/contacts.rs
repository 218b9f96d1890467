//! The contacts of a step on the set it was solved on: which push, stick and slide, and what their laws say.
//!
//!   pushing:   u_N⁺ + ê u_N = 0, or g⁺ = 0 of laws on positions;      not pushing:   P = 0
//!   sticking:  w_T = u_T⁺ + α u_T = 0;      sliding:   P_T + μ P_N w_T/|w_T| = 0      (α under Frémond's law, else 0)

use crate::located::tangent::WEIGHTS;
use crate::{Activation, ContactStatus, State, Step};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::{AtTime, Lagrangian};

/// Part of the coordinates over which tangents are differenced.
const REACH: f64 = 1e-3;

/// What a contact did along its surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Along {
    /// Nothing: it has no friction or does not push.
    Free,
    /// It stuck.
    Sticks,
    /// It slid.
    Slides,
}

/// A contact of the index set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Its number.
    pub id: usize,
    /// Whether it pushed.
    pub pushes: bool,
    /// Whether it opened, so that ê is that of the rule and not e.
    pub held: bool,
    /// Along its surface.
    pub along: Along,
    /// α of the law along the surface.
    pub alpha: f64,
    /// Tangents with friction.
    pub tangents: usize,
    /// P_N, P_T.
    pub p: [f64; 3],
}

impl Touch {
    /// Its laws, where it pushes with p and has the velocities w of them: one equation for each of its rows; μ of all contacts.
    pub fn laws(&self, mu: &[f64], p: &[f64], w: &[f64], laws: &mut Vec<f64>) {
        laws.push(w[0]);
        self.along(mu, p, &w[1..], laws);
    }

    /// Those along its tangents.
    pub fn along(&self, mu: &[f64], p: &[f64], w: &[f64], laws: &mut Vec<f64>) {
        match self.along {
            Along::Free => {}
            Along::Sticks => laws.extend_from_slice(w),
            Along::Slides => {
                let most = mu[self.id] * p[0] / vector::norm(w);
                laws.extend(w.iter().zip(&p[1..]).map(|(w, p)| p + most * w));
            }
        }
    }

    /// How far it is from sticking instead of sliding, or sliding instead of sticking.
    pub fn slack(&self, mu: &[f64], p: &[f64], w: &[f64]) -> Option<f64> {
        match self.along {
            Along::Free => None,
            Along::Sticks => Some(mu[self.id] * p[0] - vector::norm(&p[1..=w.len()])),
            Along::Slides => Some(vector::norm(w)),
        }
    }
}

/// The contacts of a step as its recorders are told.
pub fn touches(model: &dyn Lagrangian, step: &Step, activation: Activation, e_open: f64) -> Vec<Touch> {
    let touch = |(k, c): (usize, &crate::ContactState)| {
        let tangential = step.friction.get(k).copied().unwrap_or_default();
        let frictional = model.frictions().get(c.id).is_some_and(|&mu| mu > 0.0);
        let pushes = c.p > 0.0;
        let along = match tangential.status {
            ContactStatus::Stick if frictional && pushes => Along::Sticks,
            ContactStatus::Slip if frictional && pushes => Along::Slides,
            ContactStatus::Stick | ContactStatus::Slip | ContactStatus::Open | ContactStatus::Closed => Along::Free,
        };
        Touch {
            id: c.id,
            pushes,
            held: activation == Activation::Hold && c.u_before > 0.0,
            along,
            alpha: if tangential.fremond { e_open } else { 0.0 },
            tangents: if along == Along::Free { 0 } else { model.n_tangents(c.id) },
            p: [c.p, tangential.p[0], tangential.p[1]],
        }
    };
    step.contacts.iter().enumerate().map(touch).collect()
}

/// Where the law of a step looks: both ends of it.
#[derive(Clone, Copy)]
pub struct Ends<'a> {
    /// t, q, v where it begins.
    pub now: &'a State,
    /// t⁺, q⁺, v⁺.
    pub next: &'a State,
    /// Whether the velocities before are taken with the rows of the end.
    pub turned: bool,
}

/// How the contacts of a step were chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// ê of opening contacts under `hold`, α of Frémond's law.
    pub e_open: f64,
    /// Whether pushing contacts end at g = 0.
    pub on_positions: bool,
    /// How far ahead gaps are predicted [s].
    ahead: f64,
    /// Of each contact that is chosen by its gap, on which side its velocity is, where its sign matters too.
    by_sign: Vec<Option<f64>>,
    /// Where ê alone turns with the sign: the velocity that is none [m/s].
    rest: f64,
}

/// What the laws need of a model beside its own face.
#[derive(Clone, Copy)]
pub struct Rows<'a>(pub &'a dyn Lagrangian);

impl Rows<'_> {
    /// Row c of contact i: its normal, then its tangents.
    pub fn row(&self, i: usize, c: usize, q: &[f64], t: f64) -> Vec<f64> {
        let mut row = vec![0.0; q.len()];
        match c.checked_sub(1) {
            None => AtTime(self.0, t).gradient(self.0.n_joints() + i, q, &mut row),
            Some(k) => self.0.contact_tangent(i, k, q, &mut row),
        }
        row
    }

    /// What the motion of its obstacle adds to the velocity along it.
    fn rate(&self, i: usize, c: usize, q: &[f64], t: f64) -> f64 {
        if c == 0 { AtTime(self.0, t).rate(self.0.n_joints() + i, q) } else { 0.0 }
    }

    /// ∂row/∂q of row c of contact i: the Hessian of the gap, of tangents a difference of order 8.
    pub fn turning(&self, i: usize, c: usize, q: &[f64], t: f64) -> DenseMatrix {
        let n = q.len();
        let mut D = DenseMatrix::zeros(n, n);
        if c == 0 {
            AtTime(self.0, t).hessian(self.0.n_joints() + i, q, 1.0, &mut D);
            return D;
        }
        let size = vector::max_abs(q);
        let reach = REACH * if size > 0.0 { size } else { 1.0 };
        let mut place = q.to_vec();
        for b in 0..n {
            for (k, weight) in WEIGHTS.iter().enumerate() {
                for sign in [1.0, -1.0] {
                    place[b] = q[b] + sign * (k + 1) as f64 * reach;
                    vector::axpy(sign * weight / reach, &self.row(i, c, &place, t), D.column_mut(b));
                }
            }
            place[b] = q[b];
        }
        D
    }

    /// u⁺ along row c of contact i.
    pub fn after(&self, i: usize, c: usize, ends: Ends) -> f64 {
        let State { t, q, v } = ends.next;
        vector::dot(&self.row(i, c, q, *t), v) + self.rate(i, c, q, *t)
    }

    /// u before, along the row of the start, or of the end where `turned`.
    pub fn before(&self, i: usize, c: usize, ends: Ends) -> f64 {
        let State { t, q, v } = ends.now;
        let (place, time) = if ends.turned { (&ends.next.q, ends.next.t) } else { (q, *t) };
        vector::dot(&self.row(i, c, place, time), v) + self.rate(i, c, q, *t)
    }

    /// ê.
    pub fn restitution(&self, touch: &Touch, e_open: f64) -> f64 {
        if touch.held { e_open } else { self.0.restitutions()[touch.id] }
    }

    /// w along row c: u⁺ + ê u of the normal, u⁺ + α u of tangents.
    pub fn velocity(&self, touch: &Touch, c: usize, e_open: f64, ends: Ends) -> f64 {
        let part = if c == 0 { self.restitution(touch, e_open) } else { touch.alpha };
        self.after(touch.id, c, ends) + part * self.before(touch.id, c, ends)
    }

    /// The equations of a contact that pushes, one for each of its rows.
    pub fn law(&self, touch: &Touch, on_positions: bool, e_open: f64, ends: Ends) -> Vec<f64> {
        let normal = if on_positions {
            AtTime(self.0, ends.next.t).constraint(self.0.n_joints() + touch.id, &ends.next.q)
        } else {
            self.velocity(touch, 0, e_open, ends)
        };
        let mut w = vec![normal];
        w.extend((1..=touch.tangents).map(|c| self.velocity(touch, c, e_open, ends)));
        let mut law = Vec::new();
        touch.laws(self.0.frictions(), &touch.p, &w, &mut law);
        law
    }

    /// P·((1−c) u + c u⁺) of all contacts, u with the rows of the end.
    pub fn work(&self, touches: &[Touch], c: f64, ends: Ends) -> f64 {
        let ends = Ends { turned: true, ..ends };
        let one = |touch: &Touch| -> f64 {
            let along =
                |k| touch.p[k] * ((1.0 - c) * self.before(touch.id, k, ends) + c * self.after(touch.id, k, ends));
            (0..=touch.tangents).map(along).sum()
        };
        touches.iter().filter(|touch| touch.pushes).map(one).sum()
    }

    /// g and u of contact i at an end.
    fn approach(&self, i: usize, State { t, q, v }: &State) -> [f64; 2] {
        let gap = AtTime(self.0, *t).constraint(self.0.n_joints() + i, q);
        [gap, vector::dot(&self.row(i, 0, q, *t), v) + self.rate(i, 0, q, *t)]
    }

    /// How contacts are chosen in a step of length h that begins here; `rest`: a velocity that is none.
    pub fn rule(
        &self,
        touches: &[Touch],
        (activation, e_open): (Activation, f64),
        on_positions: bool,
        (ends, rest): (Ends, f64),
    ) -> Rule {
        let h = ends.next.t - ends.now.t;
        let ahead = match activation {
            Activation::Predicted { prediction } => prediction * h,
            Activation::Hold | Activation::PredictedAndClosing | Activation::Gap | Activation::Equilibrium => h,
        };
        let count = if on_positions { 0 } else { self.0.restitutions().len() };
        let by_sign = |i: usize| {
            let [gap, u] = self.approach(i, ends.now);
            let side = if u > 0.0 { 1.0 } else { -1.0 };
            match activation {
                Activation::Hold => touches.iter().any(|touch| touch.id == i).then_some(side),
                Activation::PredictedAndClosing => (gap + ahead * u <= 0.0).then_some(side),
                Activation::Predicted { .. } | Activation::Gap | Activation::Equilibrium => None,
            }
        };
        let rest = if activation == Activation::Hold { rest } else { 0.0 };
        Rule { e_open, on_positions, ahead, by_sign: (0..count).map(by_sign).collect(), rest }
    }

    /// How far each contact is from being chosen otherwise.
    pub fn selection(&self, rule: &Rule, now: &State) -> Vec<(usize, f64)> {
        let mut list = Vec::new();
        for (i, &by_sign) in rule.by_sign.iter().enumerate() {
            let [gap, u] = self.approach(i, now);
            list.push((i, gap + rule.ahead * u));
            if let Some(side) = by_sign {
                // a contact at rest has a velocity of round-off, and with it the same law on both sides
                list.push((i, side * u + rule.rest));
            }
        }
        list
    }

    /// How far each contact is from doing something else: numbers none of which changes its sign as long as the step is of one form.
    pub fn margins(&self, touches: &[Touch], rule: &Rule, ends: Ends) -> Vec<(usize, f64)> {
        let Rule { e_open, on_positions, .. } = *rule;
        let mut list = self.selection(rule, ends.now);
        for touch in touches {
            let own = if touch.pushes {
                touch.p[0]
            } else if on_positions {
                AtTime(self.0, ends.next.t).constraint(self.0.n_joints() + touch.id, &ends.next.q)
            } else {
                self.velocity(touch, 0, e_open, ends)
            };
            list.push((touch.id, own));
            let w: Vec<f64> = (1..=touch.tangents).map(|c| self.velocity(touch, c, e_open, ends)).collect();
            list.extend(touch.slack(self.0.frictions(), &touch.p, &w).map(|slack| (touch.id, slack)));
        }
        list
    }
}
