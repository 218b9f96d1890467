//! A scene of rigid bodies as a mechanism.
//!
//!   M (v̇, ẇ) = f + Cᵀλ,    H (v̇, ẇ) + drift = 0 over joints, held contacts and tangents that stick
//!   (H M⁻¹ Cᵀ) λ = −(H M⁻¹ f + drift)
//!
//! A rotor on a joint is a row that gives way: a·(v̇, ẇ) + λ/J = 0. M is constant and made of blocks, so forces are found first. The normal force of a contact that slides brings its friction
//! along: its row of C is n − μ d, that of H is n. Motions are solved for in the velocities of the bodies and handed on in the
//! coordinates of `chart.rs`.

use crate::JointReaction;
use crate::mechanism::body_contacts::{BodyContact, Touching, body_contacts};
use crate::mechanism::body_loads::{Load, loads, powers};
use crate::mechanism::body_reactions::{Told, tell};
use crate::mechanism::chart::Chart;
use crate::mechanism::hold::{Hold, Row, TangentialMotion, forces};
use crate::mechanism::{Forces, Mechanism, Power, SharedLoad};
use percussion_matrix::{DenseMatrix, vector};
use percussion_model::InputError;
use percussion_model::bodies::math::{Vec3, cross, mul, mul_t, scale};
use percussion_model::bodies::{Bodies, Frame, Twist, View};
use std::sync::Arc;

/// A scene with its work memory.
pub struct BodiesMechanism {
    chart: Chart,
    contacts: Vec<BodyContact>,
    /// Joints whose whole turns mean something.
    counted: Vec<usize>,
    frames: Vec<Frame>,
    twists: Vec<Twist>,
    loads: Vec<Load>,
    /// What the equations of the current set are about.
    conditions: Vec<Condition>,
    /// H and M⁻¹Cᵀ, one condition after the other.
    rows: Vec<f64>,
    columns: Vec<f64>,
    S: DenseMatrix,
    shared: SharedLoad,
    lambda: Vec<f64>,
    row: Vec<f64>,
    spare: Vec<f64>,
    /// Directions in which the held contacts slide; zero where they do not.
    directions: Vec<[f64; 2]>,
    /// Rows of the last response, and the rates of coordinates that unit impulses on them bring.
    set_rows: Vec<f64>,
    responses: Vec<f64>,
    /// What joints did when forces or impulses were found last, and in answer to unit impulses.
    reactions: Vec<JointReaction>,
    answers: Vec<Vec<JointReaction>>,
}

/// A row of H.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    /// The k-th row of the joints that holds.
    Joint(usize),
    /// The k-th rotor.
    Rotor(usize),
    /// A component of a contact: 0 is the normal.
    Contact(usize, usize),
}

/// Newton steps of a projection: it starts within the integration error of a solution.
const PROJECTIONS: usize = 4;
/// Refinements at most for bodies without mass; each leaves about 1e-4.
const REFINEMENTS: usize = 40;

impl BodiesMechanism {
    /// For a scene whose gaps are smooth; `scheme` is named in what is refused.
    pub fn new(scene: Arc<Bodies>, scheme: &str) -> Result<Self, InputError> {
        let contacts = body_contacts(&scene, scheme)?;
        let counted = scene.counted_joints();
        let chart = Chart::new(scene);
        Ok(Self {
            counted,
            row: vec![0.0; chart.n()],
            chart,
            contacts,
            frames: Vec::new(),
            twists: Vec::new(),
            loads: Vec::new(),
            conditions: Vec::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            S: DenseMatrix::zeros(0, 0),
            shared: SharedLoad::default(),
            lambda: Vec::new(),
            spare: Vec::new(),
            directions: Vec::new(),
            set_rows: Vec::new(),
            responses: Vec::new(),
            reactions: Vec::new(),
            answers: Vec::new(),
        })
    }

    /// Frames and velocities of all bodies.
    fn place(&mut self, q: &[f64], v: &[f64]) {
        let (n, chart) = (self.chart.scene.len(), &self.chart);
        self.frames.clear();
        self.frames.extend((0..n).map(|i| chart.frame(i, q)));
        self.twists.clear();
        self.twists.extend((0..n).map(|i| chart.twist(i, q, v)));
    }

    fn body(&self, i: usize, q: &[f64], v: &[f64]) -> (Frame, Twist) {
        (self.chart.frame(i, q), self.chart.twist(i, q, v))
    }

    /// A contact of shapes as it is, from the frames placed last.
    fn view(&self, i: usize) -> Option<View> {
        let BodyContact { bodies: [a, b], touching, .. } = &self.contacts[i];
        let Touching::Shapes(contact) = touching else { return None };
        let (a, b) = ((&self.frames[*a], &self.twists[*a]), (&self.frames[*b], &self.twists[*b]));
        Some(contact.view(self.chart.scene.is_planar(), a, b))
    }

    /// row ← row + a world force's and a body moment's parts.
    fn add(&self, body: usize, force: &Vec3, moment: &Vec3, row: &mut [f64]) {
        let Some(at) = self.chart.slot(body) else { return };
        let parts: &[f64] = if self.chart.scene.is_planar() {
            &[force[0], force[1], moment[2]]
        } else {
            &[force[0], force[1], force[2], moment[0], moment[1], moment[2]]
        };
        for (row, x) in row[at..].iter_mut().zip(parts) {
            *row += x;
        }
    }

    /// row ← row + c H_k of a condition, from the frames placed last.
    fn add_row(&self, condition: Condition, c: f64, row: &mut [f64]) {
        let scene = &self.chart.scene;
        let mut add_measure = |bodies: [usize; 2], rows: [[f64; 6]; 2], c: f64| {
            for (body, x) in bodies.into_iter().zip(rows) {
                self.add(body, &[c * x[0], c * x[1], c * x[2]], &[c * x[3], c * x[4], c * x[5]], row);
            }
        };
        match condition {
            Condition::Joint(k) => {
                let Some((_, joint_row, _)) = scene.rigid_row(k) else { return };
                for term in &joint_row.terms {
                    let [a, b] = term.bodies.map(|i| &self.frames[i]);
                    add_measure(term.bodies, term.measure.gradient(a, b), c * term.factor);
                }
            }
            Condition::Rotor(k) => {
                let rotor = &scene.rotors()[k];
                add_measure(rotor.bodies, rotor.rows, c);
            }
            Condition::Contact(i, k) => match (&self.contacts[i].touching, self.view(i)) {
                (Touching::Stop(stop), _) => {
                    let [a, b] = stop.term.bodies.map(|i| &self.frames[i]);
                    add_measure(stop.term.bodies, stop.term.measure.gradient(a, b), c * stop.side);
                }
                (_, Some(view)) => {
                    for (side, sign) in [(0, c), (1, -c)] {
                        let body = self.contacts[i].bodies[side];
                        let d = scale(sign, &view.directions[k]);
                        let moment = mul_t(&self.frames[body].R, &cross(&view.arms[side], &d));
                        self.add(body, &d, &moment, row);
                    }
                }
                _ => {}
            },
        }
    }

    /// The second derivative of a condition where no body accelerates.
    fn drift(&self, condition: Condition) -> f64 {
        let measured = |term: &percussion_model::bodies::Term| {
            let [a, b] = term.bodies.map(|i| (&self.frames[i], &self.twists[i]));
            term.measure.drift(a, b)
        };
        match condition {
            Condition::Joint(k) => self
                .chart
                .scene
                .rigid_row(k)
                .map_or(0.0, |(_, row, _)| row.terms.iter().map(|term| term.factor * measured(term)).sum()),
            // a constant row on the velocities
            Condition::Rotor(_) => 0.0,
            Condition::Contact(i, k) => match (&self.contacts[i].touching, self.view(i)) {
                (Touching::Stop(stop), _) => stop.side * measured(&stop.term),
                (_, Some(view)) => view.drift(k),
                _ => 0.0,
            },
        }
    }

    /// x ← M⁻¹x.
    fn divide_by_mass(&self, x: &mut [f64]) {
        let scene = &self.chart.scene;
        for (i, body) in scene.bodies().iter().enumerate() {
            let Some(at) = self.chart.slot(i) else { continue };
            if scene.is_planar() {
                x[at] *= body.inverse_mass;
                x[at + 1] *= body.inverse_mass;
                x[at + 2] *= body.inverse_inertia[2][2];
                continue;
            }
            x[at..at + 3].iter_mut().for_each(|x| *x *= body.inverse_mass);
            let w = mul(&body.inverse_inertia, &[x[at + 3], x[at + 4], x[at + 5]]);
            x[at + 3..at + 6].copy_from_slice(&w);
        }
    }

    /// H, M⁻¹Cᵀ and S = H M⁻¹Cᵀ over joints and held contacts at the frames placed last, S factorised. With `friction` the
    /// normal forces of contacts that slide bring theirs along, in the directions left in `directions`.
    fn assemble(&mut self, held: &[Hold], friction: bool) -> bool {
        let n = self.chart.n();
        let mut conditions = std::mem::take(&mut self.conditions);
        let mut rows = std::mem::take(&mut self.rows);
        let mut columns = std::mem::take(&mut self.columns);
        conditions.clear();
        conditions.extend((0..self.chart.scene.n_rigid_rows()).map(Condition::Joint));
        conditions.extend((0..self.chart.scene.rotors().len()).map(Condition::Rotor));
        for hold in held {
            let tangents = if hold.along == TangentialMotion::Sticks { self.n_tangents(hold.contact) } else { 0 };
            conditions.extend((0..=tangents).map(|k| Condition::Contact(hold.contact, k)));
        }
        let m = conditions.len();
        rows.clear();
        rows.resize(m * n, 0.0);
        for (condition, row) in conditions.iter().zip(rows.chunks_exact_mut(n.max(1))) {
            self.add_row(*condition, 1.0, row);
        }
        columns.clear();
        columns.extend_from_slice(&rows);
        self.directions.clear();
        for hold in held {
            let mut direction = [0.0; 2];
            if let (true, TangentialMotion::Slides(sliding), Some(view)) =
                (friction, hold.along, self.view(hold.contact))
            {
                let tangents = self.n_tangents(hold.contact);
                let u = std::array::from_fn(|k| if k < tangents { view.rate(1 + k) } else { 0.0 });
                direction = sliding.at(u, tangents);
                let at = conditions.iter().position(|c| *c == Condition::Contact(hold.contact, 0));
                let column = at.map_or(0..0, |at| at * n..(at + 1) * n);
                for (k, d) in direction.into_iter().enumerate().take(tangents) {
                    let drag = -self.contacts[hold.contact].friction * d;
                    self.add_row(Condition::Contact(hold.contact, 1 + k), drag, &mut columns[column.clone()]);
                }
            }
            self.directions.push(direction);
        }
        columns.chunks_exact_mut(n.max(1)).for_each(|column| self.divide_by_mass(column));
        self.S.reset(m, m);
        for (l, column) in columns.chunks_exact(n.max(1)).enumerate() {
            for (k, row) in rows.chunks_exact(n.max(1)).enumerate() {
                self.S.set(k, l, vector::dot(row, column));
            }
        }
        for (k, condition) in conditions.iter().enumerate() {
            if let Condition::Rotor(rotor) = condition {
                let given_way = 1.0 / self.chart.scene.rotors()[*rotor].inertia;
                self.S.set(k, k, self.S.get(k, k) + given_way);
            }
        }
        (self.conditions, self.rows, self.columns) = (conditions, rows, columns);
        m == 0 || self.shared.factorise(&self.S)
    }

    /// x ← x + M⁻¹Cᵀλ with λ = S⁻¹ rhs, where `lambda` holds the right-hand side and then λ; false when it is not finite.
    fn react(&mut self, x: &mut [f64]) -> bool {
        if self.lambda.is_empty() {
            return true;
        }
        self.shared.solve(&mut self.lambda);
        for (column, &lambda) in self.columns.chunks_exact(x.len().max(1)).zip(&self.lambda) {
            vector::axpy(lambda, column, x);
        }
        self.lambda.iter().all(|x| x.is_finite())
    }

    /// Takes out of x and of `lambda` what the stand-ins of bodies without mass did, whose change x is: the part of the last change that
    /// such a body made is an impulse on it that nothing gave.
    fn without_stand_ins(&mut self, x: &mut [f64]) -> bool {
        if !self.chart.scene.has_massless() {
            return true;
        }
        let slots = self.massless_slots();
        let mut whole = self.lambda.clone();
        let mut last = x.to_vec();
        for _ in 0..REFINEMENTS {
            let mut change = vec![0.0; x.len()];
            slots.iter().for_each(|slot| change[slot.clone()].copy_from_slice(&last[slot.clone()]));
            self.lambda.clear();
            for row in self.rows.chunks_exact(x.len().max(1)) {
                self.lambda.push(-vector::dot(row, &change));
            }
            if !self.react(&mut change) {
                return false;
            }
            vector::axpy(1.0, &change, x);
            whole.iter_mut().zip(&self.lambda).for_each(|(l, d)| *l += d);
            let largest = |x: &[f64]| slots.iter().map(|slot| vector::max_abs(&x[slot.clone()])).fold(0.0, f64::max);
            if largest(&change) <= f64::EPSILON * largest(x) {
                break;
            }
            last = change;
        }
        self.lambda = whole;
        true
    }

    /// Where the velocities of bodies without mass stand.
    fn massless_slots(&self) -> Vec<std::ops::Range<usize>> {
        let scene = &self.chart.scene;
        let n = if scene.is_planar() { 3 } else { 6 };
        let massless = scene.bodies().iter().enumerate().filter(|(_, body)| body.stand_in.is_some());
        massless.filter_map(|(i, _)| self.chart.slot(i)).map(|at| at..at + n).collect()
    }

    /// What joints do for the λ found last, at the frames placed last; at a time also by their motors and springs.
    fn tell(&self, at: Option<f64>, out: &mut Vec<JointReaction>) {
        let Self { frames, twists, lambda, .. } = self;
        tell(&self.chart.scene, &Told { frames, twists, lambda, at }, out);
    }

    /// The same, kept.
    fn keep_reactions(&mut self, at: Option<f64>) {
        let mut reactions = std::mem::take(&mut self.reactions);
        self.tell(at, &mut reactions);
        self.reactions = reactions;
    }

    /// Value of a condition at q.
    fn value(&self, condition: Condition, q: &[f64]) -> f64 {
        match condition {
            Condition::Joint(k) => self.chart.scene.rigid_violation_at(k, |i| self.chart.frame(i, q)),
            Condition::Contact(i, 0) => self.gap(i, q, 0.0),
            Condition::Rotor(_) | Condition::Contact(..) => 0.0,
        }
    }

    /// Normal velocity of a contact.
    fn contact_rate(&self, i: usize, q: &[f64], v: &[f64]) -> f64 {
        let bodies = self.contacts[i].bodies.map(|body| self.body(body, q, v));
        let [(a, s), (b, t)] = &bodies;
        match &self.contacts[i].touching {
            Touching::Shapes(contact) => contact.view(self.chart.scene.is_planar(), (a, s), (b, t)).rate(0),
            Touching::Stop(stop) => {
                let rows = stop.term.measure.gradient(a, b);
                let of = |row: &[f64; 6], x: &Twist| (0..3).map(|k| row[k] * x.v[k] + row[3 + k] * x.w[k]).sum::<f64>();
                stop.side * (of(&rows[0], s) + of(&rows[1], t))
            }
        }
    }

    /// du_k/dt of a component of a contact under the second derivatives a of the coordinates.
    fn contact_acceleration(&mut self, i: usize, k: usize, q: &[f64], v: &[f64], a: &[f64]) -> f64 {
        self.place(q, v);
        let mut row = std::mem::take(&mut self.row);
        row.fill(0.0);
        self.add_row(Condition::Contact(i, k), 1.0, &mut row);
        let mut sum = self.drift(Condition::Contact(i, k));
        let mut accelerations = std::mem::take(&mut self.spare);
        accelerations.clear();
        accelerations.extend_from_slice(a);
        self.chart.to_accelerations(q, v, &mut accelerations);
        sum += vector::dot(&row, &accelerations);
        (self.row, self.spare) = (row, accelerations);
        sum
    }
}

impl Mechanism for BodiesMechanism {
    fn n(&self) -> usize {
        self.chart.n()
    }

    fn n_contacts(&self) -> usize {
        self.contacts.len()
    }

    fn identity(&self, i: usize) -> usize {
        self.contacts[i].id
    }

    fn enter(&mut self, state: (&[f64], &[f64]), q: &mut Vec<f64>, v: &mut Vec<f64>) {
        self.chart.enter(state, q, v);
    }

    fn leave(&self, coordinates: (&[f64], &[f64]), q: &mut Vec<f64>, v: &mut Vec<f64>) {
        self.chart.leave(coordinates, q, v);
    }

    fn recentre(&mut self, q: &mut [f64], v: &mut [f64]) -> bool {
        self.chart.recentre(q, v)
    }

    fn turned_over(&self, before: &[f64], after: &[f64]) -> Option<String> {
        if self.counted.is_empty() {
            return None;
        }
        let scene = &self.chart.scene;
        let frames = |q: &[f64]| -> Vec<Frame> { (0..scene.len()).map(|i| scene.frame(i, q)).collect() };
        let (before, after) = (frames(before), frames(after));
        let over = self.counted.iter().find(|&&j| scene.turns_after(j, 0.0, &before, &after) != 0.0)?;
        Some(scene.joints()[*over].name.clone())
    }

    fn restitution(&self, i: usize) -> f64 {
        self.contacts[i].restitution
    }

    fn friction(&self, i: usize) -> f64 {
        self.contacts[i].friction
    }

    fn n_tangents(&self, i: usize) -> usize {
        match self.contacts[i].friction > 0.0 {
            false => 0,
            true if self.chart.scene.is_planar() => 1,
            true => 2,
        }
    }

    fn tangent_rate(&mut self, i: usize, q: &[f64], v: &[f64]) -> [f64; 2] {
        let n = self.n_tangents(i);
        let Touching::Shapes(contact) = self.contacts[i].touching else { return [0.0; 2] };
        if n == 0 {
            return [0.0; 2];
        }
        let [(a, s), (b, t)] = self.contacts[i].bodies.map(|body| self.body(body, q, v));
        let view = contact.view(self.chart.scene.is_planar(), (&a, &s), (&b, &t));
        [view.rate(1), if n == 2 { view.rate(2) } else { 0.0 }]
    }

    fn tangent_acceleration(&mut self, i: usize, q: &[f64], v: &[f64], a: &[f64]) -> [f64; 2] {
        let mut rate = [0.0; 2];
        for (k, rate) in rate.iter_mut().enumerate().take(self.n_tangents(i)) {
            *rate = self.contact_acceleration(i, 1 + k, q, v, a);
        }
        rate
    }

    fn is_linear(&self) -> bool {
        false
    }

    fn drifts(&self) -> bool {
        self.chart.scene.n_rigid_rows() > 0
    }

    fn gap(&self, i: usize, q: &[f64], _t: f64) -> f64 {
        let [a, b] = self.contacts[i].bodies.map(|body| self.chart.frame(body, q));
        match &self.contacts[i].touching {
            Touching::Shapes(contact) => contact.gap(&a, &b),
            Touching::Stop(stop) => stop.side * (stop.term.measure.value(&a, &b) - stop.bound),
        }
    }

    /// Places and sizes; of a stop at least a unit of its angle.
    fn gap_size(&mut self, i: usize, q: &[f64], _t: f64) -> f64 {
        let contact = &self.contacts[i];
        let mut size = if let Touching::Stop(_) = contact.touching { 1.0 } else { 0.0_f64 };
        for body in contact.bodies {
            let reach = self.chart.scene.bodies()[body].reach;
            size = size.max(vector::max_abs(&self.chart.frame(body, q).x));
            size = size.max(if reach.is_finite() { reach } else { 0.0 });
        }
        size
    }

    fn gap_rate(&mut self, i: usize, q: &[f64], v: &[f64], _t: f64) -> f64 {
        self.contact_rate(i, q, v)
    }

    fn gap_acceleration(&mut self, i: usize, q: &[f64], v: &[f64], a: &[f64], _t: f64) -> f64 {
        self.contact_acceleration(i, 0, q, v, a)
    }

    fn next_corner(&self, t: f64) -> f64 {
        self.chart.scene.next_corner(t)
    }

    fn obstacle_rate(&self, _i: usize, _q: &[f64], _t: f64) -> f64 {
        0.0
    }

    fn accelerate(&mut self, t: f64, q: &[f64], v: &[f64], held: &[Hold], a: &mut [f64], lambda: &mut Forces) -> bool {
        self.place(q, v);
        loads(&self.chart.scene, t, &self.frames, &self.twists, &mut self.loads);
        a.fill(0.0);
        for (i, load) in self.loads.iter().enumerate() {
            self.add(i, &load.force, &load.moment, a);
        }
        self.divide_by_mass(a);

        // forces that hold joints and contacts
        if !self.assemble(held, true) {
            return false;
        }
        self.lambda.clear();
        for (condition, row) in self.conditions.iter().zip(self.rows.chunks_exact(a.len().max(1))) {
            self.lambda.push(-vector::dot(row, a) - self.drift(*condition));
        }
        if !self.react(a) || !self.without_stand_ins(a) {
            return false;
        }
        self.keep_reactions(Some(t));
        let first = self.chart.scene.n_rigid_rows() + self.chart.scene.rotors().len();
        let of = (|i| self.n_tangents(i), |i: usize| self.contacts[i].friction);
        forces(held, &self.directions, of, self.lambda[first..].iter().copied(), lambda);
        self.chart.to_second_derivatives(q, v, a);
        true
    }

    fn response(&mut self, _t: f64, q: &[f64], rows: &[Row], W: &mut DenseMatrix) -> bool {
        let n = self.chart.n();
        let mut rest = std::mem::take(&mut self.row);
        rest.fill(0.0);
        self.place(q, &rest);
        self.row = rest;
        if !self.assemble(&[], false) {
            return false;
        }
        let mut gradients = std::mem::take(&mut self.set_rows);
        let mut responses = std::mem::take(&mut self.responses);
        gradients.clear();
        gradients.resize(n * rows.len(), 0.0);
        for (row, gradient) in rows.iter().zip(gradients.chunks_exact_mut(n.max(1))) {
            self.add_row(Condition::Contact(row.contact, row.component), 1.0, gradient);
        }
        responses.clear();
        responses.extend_from_slice(&gradients);
        let mut regular = true;
        let mut answers = std::mem::take(&mut self.answers);
        answers.resize(rows.len(), Vec::new());
        for (response, answer) in responses.chunks_exact_mut(n.max(1)).zip(&mut answers) {
            self.divide_by_mass(response);
            self.lambda.clear();
            for row in self.rows.chunks_exact(n.max(1)) {
                self.lambda.push(-vector::dot(row, response));
            }
            regular &= self.react(response) && self.without_stand_ins(response);
            self.tell(None, answer);
        }
        self.answers = answers;
        W.reset(rows.len(), rows.len());
        for (k, response) in responses.chunks_exact(n.max(1)).enumerate() {
            for (l, gradient) in gradients.chunks_exact(n.max(1)).enumerate() {
                W.set(l, k, vector::dot(gradient, response));
            }
        }
        responses.chunks_exact_mut(n.max(1)).for_each(|response| self.chart.to_coordinates(q, response));
        (self.set_rows, self.responses) = (gradients, responses);
        regular
    }

    fn push(&self, k: usize, p: f64, x: &mut [f64]) {
        let n = x.len();
        vector::axpy(p, &self.responses[k * n..(k + 1) * n], x);
    }

    fn reactions(&self) -> &[JointReaction] {
        &self.reactions
    }

    fn answering_reactions(&self, k: usize) -> &[JointReaction] {
        &self.answers[k]
    }

    fn project(&mut self, _t: f64, q: &mut [f64], v: &mut [f64], held: &[Hold]) -> bool {
        if !self.drifts() && held.is_empty() {
            self.reactions.clear();
            return true;
        }
        // places: normals alone
        let normals: Vec<Hold> = held.iter().map(|hold| Hold::frictionless(hold.contact)).collect();
        let mut x = vec![0.0; q.len()];
        for _ in 0..PROJECTIONS {
            self.place(q, v);
            if !self.assemble(&normals, false) {
                return false;
            }
            self.lambda.clear();
            for condition in &self.conditions {
                self.lambda.push(-self.value(*condition, q));
            }
            if vector::max_abs(&self.lambda) <= 4.0 * f64::EPSILON * vector::max_abs(q) {
                break;
            }
            x.fill(0.0);
            if !self.react(&mut x) {
                return false;
            }
            self.chart.to_coordinates(q, &mut x);
            vector::axpy(1.0, &x, q);
        }

        // velocities: tangents that stick too
        self.place(q, v);
        if !self.assemble(held, false) {
            return false;
        }
        x.fill(0.0);
        for (i, Twist { v, w }) in self.twists.iter().enumerate() {
            self.add(i, v, w, &mut x);
        }
        self.lambda.clear();
        for (condition, row) in self.conditions.iter().zip(self.rows.chunks_exact(x.len().max(1))) {
            let free = matches!(condition, Condition::Rotor(_));
            self.lambda.push(if free { 0.0 } else { -vector::dot(row, &x) });
        }
        x.fill(0.0);
        if !self.react(&mut x) {
            return false;
        }
        self.keep_reactions(None);
        self.chart.to_coordinates(q, &mut x);
        vector::axpy(1.0, &x, v);
        true
    }

    fn power(&self, t: f64, q: &[f64], v: &[f64]) -> Power {
        powers(&self.chart.scene, t, |i| self.body(i, q, v))
    }

    fn kinetic_energy(&self, q: &[f64], v: &[f64]) -> f64 {
        let free = self.chart.scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free());
        let bodies: f64 = free.map(|(i, body)| body.kinetic_energy(&self.chart.twist(i, q, v))).sum();
        if self.chart.scene.rotors().is_empty() {
            return bodies;
        }
        bodies + self.chart.scene.rotor_energy(|i| self.chart.twist(i, q, v))
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        let (mut full, mut rest) = (Vec::new(), Vec::new());
        self.chart.leave((q, &vec![0.0; q.len()]), &mut full, &mut rest);
        self.chart.scene.potential_energy(&full)
    }
}
