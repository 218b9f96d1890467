//! Joints and springs of bodies in a step of `landing`.
//!
//!   step 1:       Newton directions of `JointSystem` with the contact problem inside, W = H (A⁻¹ − A⁻¹Dᵀ S⁻¹ θN A⁻¹) Hᵀ
//!   steps 2, 3:   M̂ and M with the joints held where the bodies are; U_b⁺ = −ê_b U_b⁻ across joints in step 3
//!   hands:        what moves bodies and drives does −λ·U_told of work for a reaction λ (`JointSystem::told`)
//!
//! Rigid joints are held on positions, c(q⁺) − c(q) = h D v_m = −b with |b| ≤ κ h V of what earlier steps left, and do no work over a step but
//! κ V λ, of the size of what solvers leave: in a part 1e-13 of a step long round-off of places would be metres per second. Their velocities
//! across at its end are O(h) and change sign from step to step.

use crate::bodies::joint_system::{JointSystem, Push};
use crate::bodies::momentum::MomentumBook;
use crate::bodies::rows::apply;
use crate::bodies::theta_step::BodiesStart;
use crate::bodies::turns::Turns;
use crate::schemes::landing::body_rows::Row;
use crate::schemes::landing::contacts::Contacts;
use crate::schemes::landing::instant::Landed;
use crate::{JointReaction, LedgerEntry, StepFailure};
use percussion_matrix::vector;
use percussion_model::bodies::measure::{BodyRow, Passage};
use percussion_model::bodies::{Bodies, Frame, RowLaw, Twist};
use std::sync::Arc;

/// How velocities and reactions answer unit impulses along rows of contacts.
#[derive(Debug, Default)]
pub struct Answers {
    N: Vec<Vec<f64>>,
    L: Vec<Vec<f64>>,
    /// U_told of each row of the joints.
    told: Vec<f64>,
}

impl Answers {
    /// x ← x + p N_row.
    pub fn add(&self, row: usize, p: f64, x: &mut [f64]) {
        vector::axpy(p, &self.N[row], x);
    }

    /// N_row·x.
    pub fn dot(&self, row: usize, x: &[f64]) -> f64 {
        vector::dot(&self.N[row], x)
    }

    /// U_told·L_row: what the hands that move bodies and drives take for a unit impulse.
    pub fn hands(&self, row: usize) -> f64 {
        vector::dot(&self.L[row], &self.told)
    }

    /// The entries of W.
    pub fn entries(&self, scene: &Bodies, rows: &[Row], pairs: &[[usize; 2]], d: usize) -> Vec<(usize, usize, f64)> {
        let mut entries = Vec::new();
        for (j, N) in self.N.iter().enumerate() {
            for (i, row) in rows.iter().enumerate() {
                let along = |side: usize| apply(&row[side], &scene.twist(pairs[i / d][side], N));
                let w = along(0) + along(1);
                if w != 0.0 {
                    entries.push((i, j, w));
                }
            }
        }
        entries
    }
}

/// The joints of a scene in a step of `landing`.
pub struct Joints {
    scene: Arc<Bodies>,
    system: JointSystem,
    turns: Turns,
    push: Push,
    lambda: Vec<f64>,
    dv: Vec<BodyRow>,
    dl: Vec<f64>,
    /// Answers of step 1, of step 2 and of step 3.
    first: Answers,
    pub taken: Answers,
    pub struck: Answers,
    /// Reactions across joints in step 3, before those that contacts cause.
    bounced: Vec<f64>,
    /// Whole turns and values of rows at the end of the step.
    pub turned: Vec<f64>,
    values: Vec<f64>,
    /// Reactions up to this part of the step, and with its step 1.
    given: Vec<JointReaction>,
    booked: Vec<JointReaction>,
}

impl Joints {
    /// Of a scene.
    pub fn new(scene: &Arc<Bodies>) -> Self {
        let system = JointSystem::new(Arc::clone(scene), 0.5);
        let (n, m) = (scene.len(), system.len());
        Self {
            scene: Arc::clone(scene),
            system,
            turns: Turns::new(scene),
            push: Push::none(n),
            lambda: vec![0.0; m],
            dv: vec![[0.0; 6]; n],
            dl: vec![0.0; m],
            first: Answers::default(),
            taken: Answers::default(),
            struck: Answers::default(),
            bounced: vec![0.0; m],
            turned: vec![0.0; scene.joints().len()],
            values: Vec::new(),
            given: Vec::new(),
            booked: Vec::new(),
        }
    }

    /// What the first step is told.
    pub fn start(&mut self, frames: &[Frame], landed: &mut Landed) {
        self.turned.fill(0.0);
        landed.turns = self.turned.clone();
        landed.lambda = vec![0.0; self.system.len()];
        self.system.values(frames, &mut landed.values);
    }

    /// No reactions yet.
    pub fn begin_step(&mut self) {
        self.given.clear();
    }

    /// From what the last step left, of which a part of length h takes back no more than does work of the size `small`.
    pub fn begin(&mut self, landed: &Landed, h: f64, small: f64) {
        self.system.takes_back = Some(landed.taken_back(h, small));
        self.lambda.clone_from(&landed.lambda);
        self.system.c_start.copy_from_slice(&landed.values);
    }

    /// Whether rounds take joints as contacts are taken, see `JointSystem::secant`.
    pub fn take_as_contacts(&mut self, secant: bool) {
        self.system.secant = secant;
    }

    /// Whether they do.
    pub fn are_taken_as_contacts(&self) -> bool {
        self.system.secant
    }

    /// The ways of the bodies to velocities v₁.
    pub fn go(&mut self, from: &BodiesStart, after: &[Twist]) -> &Vec<Passage> {
        self.system.go(from, after);
        &self.system.passages
    }

    /// Hᵀp on every body.
    fn set_push(&mut self, rows: &[Row], pairs: &[[usize; 2]], d: usize, p: &[f64]) {
        self.push.impulses.fill([0.0; 6]);
        for (k, &p) in p.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            for (side, &i) in pairs[k / d].iter().enumerate() {
                for c in 0..6 {
                    self.push.impulses[i][c] += p * rows[k][side][c];
                }
            }
        }
    }

    /// The Newton direction that keeps the impulses `acting`.
    pub fn direct(
        &mut self,
        from: &BodiesStart,
        after: &[Twist],
        (rows, pairs, d, acting): (&[Row], &[[usize; 2]], usize, &[f64]),
    ) -> Result<(), StepFailure> {
        self.set_push(rows, pairs, d, acting);
        self.system.evaluate(from, after, &self.lambda, &self.push, true);
        if !self.system.factor(from, after) {
            return Err(StepFailure::singular(from.t, from.h, None));
        }
        self.system.direction(&mut self.dv, &mut self.dl);
        Ok(())
    }

    /// The velocities of a body after that direction.
    pub fn next(&self, i: usize, after: &Twist) -> Twist {
        let d = &self.dv[i];
        Twist { v: std::array::from_fn(|k| after.v[k] + d[k]), w: std::array::from_fn(|k| after.w[k] + d[3 + k]) }
    }

    /// Answers to rows with the factors of the system as they are.
    pub fn respond(&mut self, rows: &[Row], pairs: &[[usize; 2]], d: usize) -> Answers {
        let mut answers = Answers { told: self.system.told.clone(), ..Default::default() };
        let (mut dv, mut dl) = (vec![[0.0; 6]; self.scene.len()], vec![0.0; self.system.len()]);
        for (k, row) in rows.iter().enumerate() {
            self.system.answer(pairs[k / d], row, &mut dv, &mut dl);
            let mut N = vec![0.0; self.scene.n_v()];
            for (i, x) in dv.iter().enumerate() {
                let twist = Twist { v: [x[0], x[1], x[2]], w: [x[3], x[4], x[5]] };
                self.scene.write_twist(i, &twist, &mut N);
            }
            answers.N.push(N);
            answers.L.push(dl.clone());
        }
        answers
    }

    /// W of step 1.
    pub fn answer(&mut self, rows: &[Row], pairs: &[[usize; 2]], d: usize) -> Vec<(usize, usize, f64)> {
        self.first = self.respond(rows, pairs, d);
        self.first.entries(&self.scene, rows, pairs, d)
    }

    /// Velocities and reactions for impulses p in place of those acting.
    pub fn take(&mut self, after: &[Twist], p: &[f64], acting: &[f64]) -> Vec<Twist> {
        let mut change = vec![0.0; self.scene.n_v()];
        for (k, (p, acting)) in p.iter().zip(acting).enumerate().filter(|(_, (p, acting))| p != acting) {
            self.first.add(k, p - acting, &mut change);
            vector::axpy(p - acting, &self.first.L[k], &mut self.dl);
        }
        vector::axpy(1.0, &self.dl, &mut self.lambda);
        let of = |(i, after): (usize, &Twist)| {
            let (Twist { v, w }, add) = (self.next(i, after), self.scene.twist(i, &change));
            Twist { v: std::array::from_fn(|k| v[k] + add.v[k]), w: std::array::from_fn(|k| w[k] + add.w[k]) }
        };
        after.iter().enumerate().map(of).collect()
    }

    /// Whole turns at the end of step 1.
    pub fn arrive(
        &mut self,
        from: &BodiesStart,
        after: &[Twist],
        frames: &[Frame],
        turns: &[f64],
    ) -> Result<(), StepFailure> {
        self.turned.clear();
        self.turned.extend_from_slice(turns);
        self.turns.count(&self.scene, from, after, frames, 0.5, &mut self.turned)
    }

    /// Works, reactions and momentum of step 1, the impulses of its contacts being p.
    pub fn account(
        &mut self,
        from: &BodiesStart,
        after: &[Twist],
        (rows, pairs, d, p): (&[Row], &[[usize; 2]], usize, &[f64]),
        most: f64,
        entry: &mut LedgerEntry,
        book: &mut MomentumBook,
    ) -> Result<(), String> {
        self.set_push(rows, pairs, d, p);
        self.system.evaluate(from, after, &self.lambda, &self.push, false);
        let works = self.system.works(from, after, &self.lambda);
        let jammed = p.iter().any(|&p| p != 0.0);
        if let Some(message) = self.system.locked(from, after, (&works, &self.lambda), (jammed, most)) {
            return Err(message);
        }
        entry.work_external += works.external;
        entry.work_damping += works.damping;
        entry.work_joints += works.joints;
        entry.work_motors = Some(works.motors);
        entry.dissipation_numerical += works.numerical;
        self.values.clone_from(&self.system.c_end);
        self.system.book(&self.lambda, book);
        self.booked.clone_from(&self.given);
        self.add_reactions(&self.lambda.clone());
        Ok(())
    }

    /// Adds reactions λ at the rows as they are.
    fn add_reactions(&mut self, lambda: &[f64]) {
        let mut new = Vec::new();
        self.system.reactions(lambda, &mut new);
        if self.booked.is_empty() {
            self.booked = new;
            return;
        }
        for (to, r) in self.booked.iter_mut().zip(&new) {
            for k in 0..3 {
                to.force[k] += r.force[k];
                to.moment[k] += r.moment[k];
                to.own[0][k] += r.own[0][k];
                to.own[1][k] += r.own[1][k];
            }
        }
    }

    /// The joints held at the end of a step (t, h); springs weigh as in a step of length `stiff`.
    pub fn stand(
        &mut self,
        q: &[f64],
        frames: &[Frame],
        v: &[f64],
        (t, h): (f64, f64),
        stiff: f64,
    ) -> Result<(), StepFailure> {
        self.system.c_start.copy_from_slice(&self.values);
        let twists: Vec<Twist> = (0..frames.len()).map(|i| self.scene.twist(i, v)).collect();
        match self.system.stand(q, frames, &twists, t + h, stiff) {
            true => Ok(()),
            false => Err(StepFailure::singular(t, h, None)),
        }
    }

    /// v ← v with U_b⁺ = −ê_b U_b⁻ across rigid joints, 1 + ê_b given.
    pub fn bounce(&mut self, across: f64, v: &mut [f64]) {
        let scene = &self.scene;
        let rates = self.system.rates_of(|i| scene.twist(i, v));
        self.bounced.clear();
        for (r, rate) in rates.into_iter().enumerate() {
            let rigid = matches!(self.system.law(r), RowLaw::Rigid { .. });
            self.bounced.push(if rigid { -0.5 * across * rate } else { 0.0 });
        }
        self.system.react(&mut self.bounced, |i, x| {
            let Twist { v: a, w: b } = scene.twist(i, v);
            let sum = Twist { v: std::array::from_fn(|k| a[k] + x[k]), w: std::array::from_fn(|k| b[k] + x[3 + k]) };
            scene.write_twist(i, &sum, v);
        });
    }

    /// Work of hands and drives as joints turn back.
    pub fn hand_of_bounce(&self) -> f64 {
        -vector::dot(&self.bounced, &self.system.told)
    }

    /// What steps 2 and 3 did, and what the next step is told.
    pub fn remember(&mut self, contacts: &Contacts, book: &mut MomentumBook, landed: &mut Landed) {
        let mut lambda = vec![0.0; self.lambda.len()];
        if contacts.landed.contains(&true) {
            let taken = contacts.taken.iter().zip(&self.taken.L);
            taken.for_each(|(p, L)| vector::axpy(-p, L, &mut lambda));
        }
        if contacts.struck {
            vector::axpy(1.0, &self.bounced, &mut lambda);
            let struck = contacts.last.law.p.iter().zip(&self.struck.L);
            struck.for_each(|(p, L)| vector::axpy(*p, L, &mut lambda));
        }
        if lambda.iter().any(|&l| l != 0.0) {
            self.system.book_jump(&lambda, book);
            self.add_reactions(&lambda);
        }
        self.given.clone_from(&self.booked);
        landed.turns.clone_from(&self.turned);
        landed.values.clone_from(&self.values);
        // the first guess of the next step is without what contacts caused
        landed.lambda.clone_from(&self.lambda);
        let caused = contacts.first.law.p.iter().zip(&self.first.L);
        caused.for_each(|(p, L)| vector::axpy(-p, L, &mut landed.lambda));
    }

    /// Impulses of the joints over the step.
    pub fn reactions(&self, out: &mut Vec<JointReaction>) {
        out.clone_from(&self.given);
    }
}
