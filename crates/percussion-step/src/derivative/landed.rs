//! A part of a step of `landing`: x = (q, v, s), y = (q₁, v⁺, s⁺, v̂, λ, Λ, p₁, p₁°, p₂), s the time since the step began, h = s⁺ − s.
//!
//!   q₁ = q + h v_m,   Δp + hD_T = h f̄ + Ḡ_bᵀλ + Ḡp₁,   g_b(q₁) = 0,   g(q₁) = 0 and Coulomb's law in the middle where p₁ pushes
//!   p₁°: the same laws of the contacts that were closed alone, with the velocity v̂ + M̂⁻¹Ḡ(p₁° − p₁)
//!   v⁻ = v₁ − Σ κδ,   δ = M̂⁻¹G(p₁ − p₁°) by islands,   ½cκ² − bκ = D
//!   M(v⁺ − v⁻) = Gp₂ + G_bᵀΛ,   G_b v⁺ = −ê_b G_b v⁻,   u⁺ + ê u⁻ = 0 where p₂ pushes;   v⁺ = v⁻ where nothing is struck
//!   s⁺ = the end of the step, or where a contact that does not act yet is reached: g(q₁) = 0
//!
//! Signs, rows and M̂ are those of `schemes/landing`; κ is a function of the others and no unknown.

use crate::StepStart;
use crate::derivative::balance::joint_rows;
use crate::derivative::contacts::{Along, Rows, Touch};
use crate::derivative::implicit::Whole;
use crate::derivative::whole::{THOUSANDTH, sizes};
use crate::schemes::energy_momentum::PotentialOf;
use crate::schemes::energy_momentum::discrete_gradient::{
    Between, Defect, Room, chosen_defect, five_points, gonzalez, gonzalez_by,
};
use crate::schemes::energy_momentum::frame::ConstraintOf;
use crate::schemes::energy_momentum::hamiltonian::{mass, outer_damping, outer_force, times};
use crate::schemes::landing::contacts::root;
use crate::schemes::landing::held::Held;
use crate::schemes::landing::inertia::{Inertia, Kinetic};
use crate::schemes::landing::part::{First, Part};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::{AtTime, Lagrangian};

/// Part of velocities, lengths and impulses below which a margin is round-off.
const FLOOR: f64 = 1e-13;

/// A part of a step, its contacts in the form they had.
pub struct Landed<'a> {
    part: &'a Part,
    /// When the step begins and how long it is.
    t: f64,
    whole: f64,
    n: usize,
    /// Whether M, C, K and H are constant: loads are then the mean of those of both ends.
    constant: bool,
    /// Where the defects of D_V and D_T come from.
    defects: [Defect; 2],
    /// g − level of each contact, by which round-off of closed gaps is not taken back.
    offsets: Vec<f64>,
    /// Sizes of places, velocities and impulses, for margins.
    sizes: [f64; 3],
    /// Which terms of D there were, by islands: differences reach farther than some of them are from zero.
    terms: Vec<Terms>,
}

/// Which terms of what an island gives back there are: D = (landed)⁺ + (min(rest, 0) − rough)⁺, the work of friction with all contacts and with the closed alone.
#[derive(Clone, Copy)]
struct Terms {
    landed: bool,
    rest: bool,
    rough: bool,
}

impl Terms {
    fn of(landed: f64, rough_rest: f64, rough: f64) -> Self {
        Self { landed: landed > 0.0, rest: rough_rest < 0.0, rough: rough_rest.min(0.0) > rough }
    }

    /// D.
    fn sum(self, landed: f64, rough_rest: f64, rough: f64) -> f64 {
        let part = |there: bool, x: f64| if there { x } else { 0.0 };
        part(self.landed, landed) + part(self.rough, part(self.rest, rough_rest) - rough)
    }
}

/// The motion of step 1.
struct Motion {
    inertia: Inertia,
    t: f64,
    h: f64,
    vm: Vec<f64>,
    qm: Vec<f64>,
    dq: Vec<f64>,
    Mdq: Vec<f64>,
}

/// Impulses of a step by contact, then row.
type Pushes = Vec<[f64; 3]>;

impl<'a> Landed<'a> {
    /// The equations of a part that begins at x with the guess.
    pub fn of(model: &dyn Lagrangian, part: &'a Part, constant: bool, from: &StepStart, x: &[f64]) -> (Self, Vec<f64>) {
        let n = from.state.q.len();
        let (q, v, s) = (&x[..n], &x[n..2 * n], x[2 * n]);
        let v_hat: Vec<f64> = (0..n).map(|i| 2.0 * (part.q[i] - q[i]) / part.h - v[i]).collect();
        let mut y: Vec<f64> = part.q.iter().chain(&part.v).copied().collect();
        y.push(s + part.h);
        y.extend_from_slice(&v_hat);
        y.resize(y.len() + model.n_joints() * if part.struck.is_some() { 2 } else { 1 }, 0.0);
        let nb = model.n_joints();
        let gap = |id: usize| AtTime(model, from.state.t + s).constraint(nb + id, q);
        let offsets = part.first.iter().map(|first| gap(first.touch.id) - first.level).collect();
        let fastest = [v, &v_hat, &part.v].iter().map(|v| vector::max_abs(v)).fold(f64::MIN_POSITIVE, f64::max);
        let mut form = Self {
            part,
            t: from.state.t,
            whole: from.h,
            n,
            constant,
            defects: [Defect::Gradients; 2],
            offsets,
            sizes: [vector::max_abs(q).max(part.h * fastest), fastest, f64::MIN_POSITIVE],
            terms: Vec::new(),
        };
        for touch in form.touches(model) {
            y.extend_from_slice(&touch.p[..=touch.tangents]);
            form.sizes[2] = form.sizes[2].max(touch.p[0]);
        }
        let motion = form.motion(model, x, &y);
        form.defects[0] = chosen_defect(&PotentialOf(model), (q, &part.q), &motion.inertia.middle);
        if let Some([p, p_end]) = motion.inertia.momenta(v, &v_hat) {
            let kinetic = Kinetic { model, momenta: [&p, &p_end] };
            form.defects[1] = chosen_defect(&kinetic, (q, &part.q), &motion.inertia.middle);
        }
        // the guess has all that these are made of
        form.terms = form.make(model, x, &y).map_or_else(Vec::new, |made| made.terms);
        (form, y)
    }

    /// Those of the three problems that push, with as many tangents as act. A contact at whose touchdown the part ends does not push yet.
    fn touches(&self, model: &dyn Lagrangian) -> Vec<Touch> {
        let acting = |touch: &Touch| {
            let tangents = if touch.along == Along::Free { 0 } else { model.n_tangents(touch.id) };
            touch.pushes.then_some(Touch { tangents, ..*touch })
        };
        let first = self.part.first.iter().filter_map(|first| self.first(first));
        let rest = self.part.first.iter().filter_map(|first| first.rest.as_ref());
        first.chain(rest).chain(&self.part.last).filter_map(acting).collect()
    }

    fn first<'b>(&self, first: &'b First) -> Option<&'b Touch> {
        (self.part.cut != Some(first.touch.id)).then_some(&first.touch)
    }

    fn motion(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> Motion {
        let n = self.n;
        let (q, v, q1, v_hat) = (&x[..n], &x[n..2 * n], &y[..n], &y[2 * n + 1..3 * n + 1]);
        let mean = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect::<Vec<f64>>();
        let (vm, qm) = (mean(v, v_hat), mean(q, q1));
        let mut inertia = Inertia::new(model);
        inertia.begin(model, q, v);
        inertia.place(model, q1, &qm);
        let dq: Vec<f64> = q1.iter().zip(q).map(|(a, b)| a - b).collect();
        let Mdq = times(&inertia.middle, &dq);
        Motion { inertia, t: self.t + x[2 * n], h: y[2 * n] - x[2 * n], vm, qm, dq, Mdq }
    }

    /// The gradients of step 1: joints, then rows of contacts, normals between the ends and tangents in the middle.
    fn row(&self, model: &dyn Lagrangian, at: &Motion, [x, y]: [&[f64]; 2], j: usize, c: usize) -> Vec<f64> {
        if c > 0 {
            return Rows(model).row(j - model.n_joints(), c, &at.qm, at.t);
        }
        let between =
            Between { q0: &x[..self.n], q1: &y[..self.n], qm: &at.qm, dq: &at.dq, M: &at.inertia.middle, Mdq: &at.Mdq };
        let mut row = vec![0.0; self.n];
        five_points(&ConstraintOf(AtTime(model, at.t + 0.5 * at.h), j), &between, &mut row, &mut Room::new(self.n));
        row
    }

    /// h f̄ − Δp − hD_T.
    fn momentum(&self, model: &dyn Lagrangian, at: &Motion, [x, y]: [&[f64]; 2]) -> Option<Vec<f64>> {
        let n = self.n;
        let (ends, M) = ((&x[..n], &y[..n]), &at.inertia.middle);
        let mut f = vec![0.0; n];
        match model.discrete_force() {
            Some(own) => own.evaluate(ends.0, ends.1, &mut f),
            None if self.constant => {
                model.potential_gradient(&at.qm, &mut f);
                f.iter_mut().for_each(|f| *f = -*f);
            }
            None => vector::axpy(-1.0, &gonzalez_by(&PotentialOf(model), ends, M, self.defects[0]), &mut f),
        }
        let mut outer = |weight: f64, t: f64| {
            let mut own = vec![0.0; n];
            outer_force(model, &at.qm, &at.vm, t, &mut own);
            vector::axpy(weight, &own, &mut f);
        };
        if self.constant {
            outer(0.5, at.t);
            outer(0.5, at.t + at.h);
        } else {
            outer(1.0, at.t + 0.5 * at.h);
        }
        let [p, p_end] = at.inertia.momenta(&x[n..2 * n], &y[2 * n + 1..3 * n + 1])?;
        if at.inertia.varies() {
            let kinetic = Kinetic { model, momenta: [&p, &p_end] };
            vector::axpy(-1.0, &gonzalez_by(&kinetic, ends, M, self.defects[1]), &mut f);
        }
        Some((0..n).map(|i| at.h * f[i] - (p_end[i] - p[i])).collect())
    }

    /// M̂ and M_{k+1} in it in place of all that momenta do.
    fn stiffness(&self, model: &dyn Lagrangian, at: &Motion, [x, y]: [&[f64]; 2]) -> Option<[DenseMatrix; 2]> {
        let (n, h) = (self.n, at.h);
        let (q0, q1) = (&x[..n], &y[..n]);
        let zero = || DenseMatrix::zeros(n, n);
        let (mut J, mut C, mut M_hat) = (zero(), zero(), zero());
        match model.discrete_force() {
            Some(own) => {
                let mut stresses = vec![[0.0; 3]; own.n_stresses()];
                own.stresses(q0, q1, &mut stresses);
                own.tangent(q0, q1, &stresses, &mut J);
            }
            None if self.constant => {
                model.potential_hessian(&at.qm, &mut J);
                J.values_mut().iter_mut().for_each(|x| *x *= 0.5);
            }
            None => {
                let M = &at.inertia.middle;
                let between = Between { q0, q1, qm: &at.qm, dq: &at.dq, M, Mdq: &at.Mdq };
                gonzalez(&PotentialOf(model), &between, &mut vec![0.0; n], &mut J, &mut Room::new(n));
            }
        }
        outer_damping(model, &at.qm, &at.vm, at.t + 0.5 * h, &mut C);
        vector::axpy(0.5 * h * h, J.values(), M_hat.values_mut());
        vector::axpy(0.5 * h, C.values(), M_hat.values_mut());
        let mut M_end = M_hat.clone();
        vector::axpy(1.0, at.inertia.end.values(), M_end.values_mut());
        let velocities = (&x[n..2 * n], &y[2 * n + 1..3 * n + 1]);
        let to = (&mut vec![0.0; n][..], &mut M_hat);
        at.inertia.weigh(model, (q0, q1, &at.qm), velocities, h, to).then_some([M_hat, M_end])
    }

    /// p₁, p₁° and p₂ as they stand in y.
    fn impulses(&self, model: &dyn Lagrangian, y: &[f64]) -> [Pushes; 3] {
        let count = |touch: &Touch| if touch.along == Along::Free { 0 } else { model.n_tangents(touch.id) };
        let mut k = 3 * self.n + 1 + model.n_joints() * if self.part.struck.is_some() { 2 } else { 1 };
        let mut take = |touch: Option<&Touch>| {
            let mut p = [0.0; 3];
            if let Some(touch) = touch.filter(|touch| touch.pushes) {
                let tangents = count(touch);
                p[..=tangents].copy_from_slice(&y[k..=k + tangents]);
                k += 1 + tangents;
            }
            p
        };
        let first = self.part.first.iter().map(|first| take(self.first(first))).collect();
        let rest = self.part.first.iter().map(|first| take(first.rest.as_ref())).collect();
        [first, rest, self.part.last.iter().map(|touch| take(Some(touch))).collect()]
    }

    /// All rows of the contacts of step 1.
    fn rows(&self, model: &dyn Lagrangian, at: &Motion, ends: [&[f64]; 2]) -> Vec<Vec<Vec<f64>>> {
        let of = |first: &First| {
            let rough = [Some(&first.touch), first.rest.as_ref()];
            let acts = rough.iter().flatten().any(|touch| touch.along != Along::Free);
            let tangents = if acts { model.n_tangents(first.touch.id) } else { 0 };
            (0..=tangents).map(|c| self.row(model, at, ends, model.n_joints() + first.touch.id, c)).collect()
        };
        self.part.first.iter().map(of).collect()
    }

    /// g_k as step 1 meets it.
    fn level(&self, model: &dyn Lagrangian, at: &Motion, x: &[f64], i: usize) -> f64 {
        let j = model.n_joints() + self.part.first[i].touch.id;
        AtTime(model, at.t).constraint(j, &x[..self.n]) - self.offsets[i]
    }
}

/// Adds Σ rows·p.
fn push(rows: &[Vec<Vec<f64>>], p: &[[f64; 3]], to: &mut [f64]) {
    for (rows, p) in rows.iter().zip(p) {
        rows.iter().zip(p).filter(|(_, p)| **p != 0.0).for_each(|(row, p)| vector::axpy(*p, row, to));
    }
}

/// Everything a part computes from x and y.
struct Made {
    at: Motion,
    p: [Pushes; 3],
    joints: Vec<Vec<f64>>,
    /// h f̄ + Ḡp₁ + Ḡ_bλ − Δp − hD_T.
    momentum: Vec<f64>,
    /// w of the contacts of step 1, and of the closed ones alone.
    w: Vec<Vec<f64>>,
    w_rest: Vec<Vec<f64>>,
    v_minus: Vec<f64>,
    /// What contacts did in steps 1 and 2.
    work: f64,
    terms: Vec<Terms>,
}

impl Landed<'_> {
    /// Everything; none where a matrix is singular.
    fn make(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> Option<Made> {
        let (n, nb, ends) = (self.n, model.n_joints(), [x, y]);
        let (v, v_hat) = (&x[n..2 * n], &y[2 * n + 1..3 * n + 1]);
        let at = self.motion(model, x, y);
        let p = self.impulses(model, y);
        let rows = self.rows(model, &at, ends);
        let joints: Vec<Vec<f64>> = (0..nb).map(|j| self.row(model, &at, ends, j, 0)).collect();
        let mut momentum = self.momentum(model, &at, ends)?;
        push(&rows, &p[0], &mut momentum);
        joints.iter().zip(&y[3 * n + 1..]).for_each(|(row, x)| vector::axpy(*x, row, &mut momentum));

        // velocities of the laws: 2 g_{k+1}/h, and u⁺ + αu along tangents
        let t_end = at.t + at.h;
        let law = |i: usize, velocity: &[f64], alpha: f64| {
            let id = self.part.first[i].touch.id;
            let level = self.level(model, &at, x, i);
            // what an obstacle moves on its way, as `LagrangianMotion::shift` has it
            let gap = |q: &[f64], t: f64| AtTime(model, t).constraint(nb + id, q);
            let (q0, q1, middle) = (&x[..n], &y[..n], at.t + 0.5 * at.h);
            let moves = model.moving_gaps().is_some();
            let shift = if moves { gap(q1, t_end) - gap(q1, middle) + gap(q0, middle) - gap(q0, at.t) } else { 0.0 };
            let both = |row: &Vec<f64>, alpha: f64| vector::dot(row, velocity) + alpha * vector::dot(row, v);
            let mut w = vec![both(&rows[i][0], 1.0) + 2.0 * (level + shift) / at.h];
            w.extend(rows[i][1..].iter().map(|row| both(row, alpha)));
            (w, shift / at.h)
        };
        let count = self.part.first.len();
        let firsts: Vec<(Vec<f64>, f64)> = (0..count).map(|i| law(i, v_hat, self.part.first[i].touch.alpha)).collect();
        let (w, drift): (Vec<Vec<f64>>, Vec<f64>) = firsts.into_iter().unzip();

        // steps 1 and 2
        let mut v1 = v_hat.to_vec();
        at.inertia.end_velocity(v, &mut v1);
        let mut v_minus = v1;
        let friction = |i: usize, velocity: &[f64], p: &[f64; 3]| -> f64 {
            let along = |(row, p): (&Vec<f64>, &f64)| 0.5 * p * (vector::dot(row, v) + vector::dot(row, velocity));
            rows[i][1..].iter().zip(&p[1..]).map(along).sum()
        };
        let levels: Vec<f64> = (0..count).map(|i| self.level(model, &at, x, i)).collect();
        let mut work: f64 =
            (0..count).map(|i| p[0][i][0] * (0.5 * w[i][0] - levels[i] / at.h) + friction(i, v_hat, &p[0][i])).sum();
        let (mut w_rest, mut terms) = (vec![Vec::new(); count], Vec::new());
        let lands = |first: &First| first.given_back && self.part.cut != Some(first.touch.id);
        if self.part.first.iter().any(lands) {
            let [M_hat, M_end] = self.stiffness(model, &at, ends)?;
            let mut held = Held::default();
            // the closed contacts alone
            let mut v_rest = v_hat.to_vec();
            if self.part.first.iter().any(|first| first.rest.is_some()) {
                let mut change = vec![0.0; n];
                push(&rows, &p[1], &mut change);
                let less: Pushes = p[0].iter().map(|p| p.map(|p| -p)).collect();
                push(&rows, &less, &mut change);
                if !held.make(&M_hat, &joints) {
                    return None;
                }
                held.solve(&mut change, (0..nb).map(|_| 0.0));
                vector::axpy(1.0, &change, &mut v_rest);
                for (i, first) in self.part.first.iter().enumerate() {
                    if let Some(rest) = &first.rest {
                        w_rest[i] = law(i, &v_rest, rest.alpha).0;
                    }
                }
            }
            if !held.make(&M_end, &joint_rows(model, &y[..n])) {
                return None;
            }
            for island in 0..count {
                let members = |i: &usize| self.part.first[*i].island == Some(island) && self.part.first[*i].given_back;
                let list: Vec<usize> = (0..count).filter(members).collect();
                let (mut delta, mut D, mut drifting, mut rough, mut rough_rest) = (vec![0.0; n], 0.0, 0.0, 0.0, 0.0);
                for &i in &list {
                    let first = &self.part.first[i];
                    if first.landed {
                        D -= p[0][i][0] * (0.5 * w[i][0] - levels[i] / at.h);
                    }
                    rough += friction(i, v_hat, &p[0][i]);
                    if first.rest.is_some() {
                        rough_rest += friction(i, &v_rest, &p[1][i]);
                    }
                    for c in 0..rows[i].len() {
                        let p = p[0][i][c] - p[1][i][c];
                        vector::axpy(p, &Rows(model).row(first.touch.id, c, &y[..n], t_end), &mut delta);
                    }
                    drifting += (p[0][i][0] - p[1][i][0]) * drift[i];
                }
                held.solve(&mut delta, (0..nb).map(|_| 0.0));
                let own = self.terms.get(island).copied().unwrap_or_else(|| Terms::of(D, rough_rest, rough));
                terms.push(own);
                let D = own.sum(D, rough_rest, rough);
                let Mdelta = times(&at.inertia.end, &delta);
                let (c, b) = (vector::dot(&delta, &Mdelta), vector::dot(&v_minus, &Mdelta) + drifting);
                if c > 0.0 {
                    vector::axpy(-root(b, c, D), &delta, &mut v_minus);
                    work += D;
                }
            }
        }
        Some(Made { at, p, joints, momentum, w, w_rest, v_minus, work, terms })
    }

    /// u⁻ and u⁺ + ê u⁻ along the normal, and w along the tangents, of a contact under the impact law.
    fn impact(&self, model: &dyn Lagrangian, touch: &Touch, made: &Made, y: &[f64]) -> (f64, Vec<f64>) {
        let (n, t) = (self.n, made.at.t + made.at.h);
        let (q, v) = (&y[..n], &y[n..2 * n]);
        let rate = AtTime(model, t).rate(model.n_joints() + touch.id, q);
        let row = Rows(model).row(touch.id, 0, q, t);
        let before = vector::dot(&row, &made.v_minus) + rate;
        let mut w = vec![vector::dot(&row, v) + rate + Rows(model).restitution(touch, 1.0) * before];
        let tangents = if touch.along == Along::Free { 0 } else { model.n_tangents(touch.id) };
        w.extend((1..=tangents).map(|c| {
            let row = Rows(model).row(touch.id, c, q, t);
            vector::dot(&row, v) + touch.alpha * vector::dot(&row, &made.v_minus)
        }));
        (before, w)
    }
}

impl Whole<dyn Lagrangian> for Landed<'_> {
    fn residual(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> Vec<f64> {
        let (n, nb) = (self.n, model.n_joints());
        let Some(made) = self.make(model, x, y) else { return vec![f64::NAN; y.len()] };
        let Made { at, p, momentum, w, w_rest, v_minus, .. } = &made;
        let (q, v) = (&y[..n], &y[n..2 * n]);
        let mut R: Vec<f64> = (0..n).map(|i| y[i] - x[i] - at.h * at.vm[i]).collect();
        R.extend_from_slice(momentum);
        R.push(match self.part.cut {
            Some(id) => AtTime(model, at.t + at.h).constraint(nb + id, q),
            None => y[2 * n] - self.whole,
        });
        R.extend(made.joints.iter().zip(0..).map(|(_, j)| model.constraint(j, q) / at.h));
        let change: Vec<f64> = (0..n).map(|i| v[i] - v_minus[i]).collect();
        let Some(factor) = self.part.struck else {
            R.extend(change);
            self.laws(model, (p, w, w_rest), &mut R);
            return R;
        };
        let mut pushed = times(&mass(model, q), &change);
        let rows = joint_rows(model, q);
        for (row, x) in rows.iter().zip(&y[3 * n + 1 + nb..]) {
            vector::axpy(-x, row, &mut pushed);
        }
        let mut laws = Vec::new();
        for (touch, p) in self.part.last.iter().zip(&p[2]).filter(|(touch, _)| touch.pushes) {
            let w = self.impact(model, touch, &made, y).1;
            for (c, p) in p.iter().enumerate().take(w.len()) {
                vector::axpy(-p, &Rows(model).row(touch.id, c, q, at.t + at.h), &mut pushed);
            }
            laws.push(w[0]);
            touch.along(model.frictions(), p, &w[1..], &mut laws);
        }
        R.extend(pushed);
        R.extend(rows.iter().map(|row| vector::dot(row, v) + (factor - 1.0) * vector::dot(row, v_minus)));
        self.laws(model, (p, w, w_rest), &mut R);
        R.append(&mut laws);
        R
    }

    fn numbers(&self, model: &dyn Lagrangian, x: &[f64], y: &[f64]) -> (f64, Vec<(usize, f64)>) {
        let Some(made) = self.make(model, x, y) else { return (f64::NAN, Vec::new()) };
        let (n, nb) = (self.n, model.n_joints());
        let [length, speed, impulse] = self.sizes.map(|size| FLOOR * size);
        let (mut margins, mut work) = (Vec::new(), made.work);
        let t_end = made.at.t + made.at.h;
        for id in 0..model.restitutions().len() {
            let found = self.part.first.iter().position(|first| first.touch.id == id);
            let gap = |t: f64, q: &[f64]| AtTime(model, t).constraint(nb + id, &q[..n]);
            match found {
                _ if self.part.cut == Some(id) => {}
                Some(i) if self.part.first[i].touch.pushes => {
                    let (touch, p) = (&self.part.first[i].touch, &made.p[0][i]);
                    margins.push((id, p[0] + impulse));
                    let own = touch.slack(model.frictions(), p, &made.w[i][1..]);
                    margins.extend(own.map(|own| (id, own + impulse.max(speed))));
                    // what was closed must stay so
                    if self.part.first[i].closed {
                        margins.push((id, gap(made.at.t, x) + length));
                    }
                }
                Some(_) | None => margins.push((id, gap(t_end, y) + length)),
            }
        }
        for (touch, p) in self.part.last.iter().zip(&made.p[2]) {
            let (before, w) = self.impact(model, touch, &made, y);
            let sign = if touch.held { 1.0 } else { -1.0 };
            margins.push((touch.id, sign * before + speed));
            if !touch.pushes {
                margins.push((touch.id, w[0] + speed));
                continue;
            }
            margins.push((touch.id, p[0] + impulse));
            margins.extend(touch.slack(model.frictions(), p, &w[1..]).map(|own| (touch.id, own + impulse.max(speed))));
            for (c, p) in p.iter().enumerate().take(w.len()) {
                let row = Rows(model).row(touch.id, c, &y[..n], t_end);
                let rate = if c == 0 { 2.0 * AtTime(model, t_end).rate(nb + touch.id, &y[..n]) } else { 0.0 };
                work += 0.5 * p * (vector::dot(&row, &made.v_minus) + vector::dot(&row, &y[n..2 * n]) + rate);
            }
        }
        (work, margins)
    }

    fn reach(&self, x: &[f64], y: &[f64]) -> [Vec<f64>; 2] {
        let n = self.n;
        let h = y[2 * n] - x[2 * n];
        let way = (0..n).map(|i| (y[i] - x[i]).abs()).fold(0.0, f64::max);
        let [place, speed] = sizes(&[&x[..n], &y[..n]], &[&x[n..2 * n], &y[n..2 * n], &y[2 * n + 1..3 * n + 1]], h);
        let near = if self.constant { THOUSANDTH * place } else { (0.03 * way).max(1e-6 * place) };
        let (place, speed, time) = (near.min(THOUSANDTH * place), THOUSANDTH * speed, 1e-2 * h);
        let largest = vector::max_abs(&y[3 * n + 1..]);
        let push = THOUSANDTH * if largest > 0.0 { largest } else { 1.0 };
        let list = |count: usize| {
            let one = |k: usize| match k {
                k if k < n => place,
                k if k == 2 * n => time,
                k if k <= 3 * n => speed,
                _ => push,
            };
            (0..count).map(one).collect()
        };
        [list(x.len()), list(y.len())]
    }
}

impl Landed<'_> {
    /// The laws of step 1, with all contacts and with those that were closed.
    fn laws(&self, model: &dyn Lagrangian, (p, w, w_rest): (&[Pushes; 3], &[Vec<f64>], &[Vec<f64>]), R: &mut Vec<f64>) {
        for (i, first) in self.part.first.iter().enumerate() {
            let Some(touch) = self.first(first).filter(|touch| touch.pushes) else { continue };
            R.push(w[i][0]);
            touch.along(model.frictions(), &p[0][i], &w[i][1..], R);
        }
        for (i, first) in self.part.first.iter().enumerate() {
            let Some(touch) = first.rest.as_ref().filter(|touch| touch.pushes) else { continue };
            match w_rest[i].first() {
                Some(normal) => {
                    R.push(*normal);
                    touch.along(model.frictions(), &p[1][i], &w_rest[i][1..], R);
                }
                // nothing is given back: p₁° is not asked for
                None => R.extend(
                    p[1][i].iter().take(1 + if touch.along == Along::Free { 0 } else { model.n_tangents(touch.id) }),
                ),
            }
        }
    }
}
