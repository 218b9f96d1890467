//! Bodies by the θ-method, with joints and contacts: x = (q, v), y = (v⁺ of the free bodies, λ, P).
//!
//!   m Δv = h F + D_vᵀλ + H_vᵀP,   I Δw + h w_θ × I w* = h τ + D_wᵀλ + H_wᵀP,   c(q⁺) = c₀ and the other rows of joints
//!   u⁺ + ê u = 0 where P_N pushes;   w_T = u_T⁺ + α u_T = 0 where it sticks, P_T + μ P_N w_T/|w_T| = 0 where it slides
//!   x⁺ = (q ⊕ h v_θ, v⁺), a function of x and y
//!
//! Residuals, rows and places of contacts are those of the steppers (`joint_system/evaluate.rs`, `contact/jointed.rs`); bodies that nothing
//! joins have the same ones, with springs between points as loads at the predicted middle and, for θ ≠ ½, w* of their start.

use crate::bodies::joint_system::{JointSystem, Push};
use crate::bodies::spin::{Gyroscopic, spin};
use crate::bodies::theta_step::{BodiesStart, StartBuffers, ThetaStep};
use crate::contact::jointed::JointedContacts;
use crate::derivative::contacts::{Along, Touch};
use crate::derivative::implicit::{Carried, Solved, Whole, obeyed};
use crate::derivative::{Columns, Follow, NotDifferentiated, Variants};
use crate::schemes::moreau_jean::bodies::load_springs;
use crate::schemes::moreau_jean::jointed::JointedMemory;
use crate::{
    Activation, ContactState, ContactStatus, Memory, Model, ParameterModels, Problem, Scheme, State, Step, StepStart,
};
use percussion_matrix::vector;
use percussion_model::bodies::math::{Vec3, axpy, cross, mul, mul_t, scale, sub};
use percussion_model::bodies::{Bodies, Frame, Pull, Twist};
use percussion_model::flexible::mean_frame::body_moment;
use percussion_solve::SolverOptions;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Part of a body's size, and angle, over which numbers are differenced.
const REACH: f64 = 4e-3;
/// Part of a body's size by which contacts are looked for beyond what a step can reach: more than differences move anything.
pub(super) const BEYOND: f64 = 0.1;
/// Part of the velocity of sliding over which its direction is differenced.
const TURNED: f64 = 0.02;
/// Part of the fastest velocity below which a contact does not open.
const AT_REST: f64 = 1e-9;
/// Part of a momentum below which an impulse is what a solver leaves.
const NO_IMPULSE: f64 = 1e-11;

/// A scene with what its equations need.
struct BodyEquations {
    scene: Arc<Bodies>,
    work: Mutex<Work>,
}

/// Work memory.
struct Work {
    motion: ThetaStep,
    system: JointSystem,
    contacts: JointedContacts,
    push: Push,
    memory: Memory,
    step: Step,
    next: Memory,
    pulls: Vec<[Pull; 2]>,
    ends: Vec<[Vec3; 2]>,
}

impl BodyEquations {
    fn new(model: &Model, scheme: &Scheme, theta: f64) -> Result<Arc<Self>, String> {
        let scene = model.bodies().ok_or("no bodies")?;
        let contacts =
            JointedContacts::new(scene, theta, scheme.activation, scheme.friction_law, SolverOptions::default());
        let work = Work {
            motion: ThetaStep::new(theta),
            system: JointSystem::new(Arc::clone(scene), theta),
            contacts,
            push: Push::none(scene.len()),
            memory: Memory::default().carrying(JointedMemory::default()),
            step: Step::default(),
            next: Memory::default().carrying(JointedMemory::default()),
            pulls: Vec::new(),
            ends: Vec::new(),
        };
        Ok(Arc::new(Self { scene: Arc::clone(scene), work: Mutex::new(work) }))
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What does not change from step to step.
pub(super) struct Setting {
    theta: f64,
    /// Whether springs are rows of the joints' system.
    rows: bool,
    gyroscopic: Gyroscopic,
    pub activation: Activation,
    /// ê of opening contacts, α of Frémond's law.
    pub e_open: f64,
    pub planar: bool,
    /// The bodies that are free.
    pub free: Vec<usize>,
    /// The least size of them [m], and the largest mass [kg].
    pub size: f64,
    pub mass: f64,
}

impl Setting {
    /// Of a scheme on a scene, with θ, `rows` where springs are rows of the joints' system.
    pub fn of(scene: &Bodies, scheme: &Scheme, (theta, rows): (f64, bool)) -> Result<Self, String> {
        let why = if scene.has_elements() || !scene.reduced().is_empty() {
            "beams, solids and reduced bodies"
        } else if scene.has_rolling() {
            "rolling friction"
        } else if scene.has_massless() {
            "bodies without mass"
        } else {
            ""
        };
        if !why.is_empty() {
            return Err(format!("{why}: differentiated by differences"));
        }
        let free: Vec<usize> = (0..scene.len()).filter(|&i| scene.bodies()[i].is_free()).collect();
        let sizes = free.iter().flat_map(|&i| {
            let body = &scene.bodies()[i];
            let inertia = (0..3).map(|k| body.inertia[k][k]).fold(0.0, f64::max);
            [body.reach, (inertia / body.mass).sqrt()]
        });
        let size = sizes.filter(|x| x.is_finite() && *x > 0.0).fold(f64::INFINITY, f64::min);
        let mass = free.iter().map(|&i| scene.bodies()[i].mass).fold(f64::MIN_POSITIVE, f64::max);
        Ok(Self {
            theta,
            rows,
            gyroscopic: scheme.gyroscopic,
            activation: scheme.activation,
            e_open: scheme.facts().opening_restitution,
            planar: scene.is_planar(),
            free,
            size: if size.is_finite() { size } else { 1.0 },
            mass,
        })
    }

    /// What a contact within reach did in a step in which bodies have such a momentum, and how fast it slid in space.
    pub fn touch(&self, id: usize, given: bool, step: &Step, momentum: f64) -> (Touch, f64) {
        let free = Touch { id, pushes: false, held: false, along: Along::Free, alpha: 0.0, tangents: 0, p: [0.0; 3] };
        let Some(k) = step.contacts.iter().position(|c| c.id == id) else { return (free, f64::INFINITY) };
        let (c, tangential) = (&step.contacts[k], step.friction.get(k).copied().unwrap_or_default());
        // the corners of a body at rest must not differ by the signs of their round-off
        let held = self.activation == Activation::Hold && c.u_before * self.mass > AT_REST * momentum;
        if c.p <= NO_IMPULSE * momentum {
            return (Touch { held, ..free }, f64::INFINITY);
        }
        let along = match tangential.status {
            ContactStatus::Stick if tangential.frictional => Along::Sticks,
            ContactStatus::Slip if tangential.frictional => Along::Slides,
            ContactStatus::Stick | ContactStatus::Slip | ContactStatus::Open | ContactStatus::Closed => Along::Free,
        };
        let tangents = match along {
            Along::Free => 0,
            Along::Sticks | Along::Slides if given => 1,
            Along::Sticks | Along::Slides => tangential.n,
        };
        let alpha = if tangential.fremond { self.e_open } else { 0.0 };
        let mut slip = f64::INFINITY;
        if along == Along::Slides && tangents > 1 {
            slip = vector::norm(&[0, 1].map(|k| tangential.u_after[k] + alpha * tangential.u_before[k]));
        }
        (Touch { id, pushes: true, held, along, alpha, tangents, p: [c.p, tangential.p[0], tangential.p[1]] }, slip)
    }

    /// How far places and velocities of a body are moved for differences in a step that slides as slowly as this.
    pub fn reach(&self, h: f64, slip: f64) -> [Vec<f64>; 2] {
        let list = |lengths: usize, angles: usize, length: f64, angle: f64| {
            [vec![length; lengths], vec![angle; angles]].concat()
        };
        let (size, speed) = (self.size, (REACH * self.size / h).min(TURNED * slip));
        if self.planar {
            return [list(2, 1, REACH * size, REACH), list(2, 1, speed, speed / size)];
        }
        [list(3, 4, REACH * size, REACH), list(3, 3, speed, speed / size)]
    }
}

/// The laws of a contact that pushes with p, by the equation of its normal, w along its tangents and μ; and how far it is from another one.
pub(super) fn laws(
    (touch, p): (&Touch, &[f64; 3]),
    normal: f64,
    w: impl Fn(usize) -> f64,
    mu: f64,
    (residual, margins): (&mut Vec<f64>, &mut Vec<(usize, f64)>),
) {
    margins.push((touch.id, p[0]));
    residual.push(normal);
    let (along, most): (Vec<f64>, f64) = ((1..=touch.tangents).map(w).collect(), mu * p[0]);
    match touch.along {
        Along::Free => {}
        Along::Sticks => {
            margins.push((touch.id, most - vector::norm(&p[1..=touch.tangents])));
            residual.extend(along);
        }
        Along::Slides => {
            let speed = vector::norm(&along);
            margins.push((touch.id, speed));
            // along one line the direction cannot turn
            let direction = |w: f64| if touch.tangents == 1 { -touch.p[1].signum() } else { w / speed };
            residual.extend(along.iter().zip(&p[1..]).map(|(&w, p)| p + most * direction(w)));
        }
    }
}

/// A step, its contacts in the form they had.
struct BodyStep<'a> {
    by: &'a Setting,
    t: f64,
    h: f64,
    /// The contacts within reach, and whether each took part.
    touches: Vec<Touch>,
    members: Vec<bool>,
    /// c at the start of the step less what frames tell of it: whole turns.
    turned: Vec<f64>,
    /// The slowest sliding in space [m/s].
    slip: f64,
    /// A momentum of the step [N·s].
    momentum: f64,
}

/// Everything a step computes from x and y.
struct Made {
    residual: Vec<f64>,
    after: State,
    /// c at the end.
    c_end: Vec<f64>,
    work: f64,
    margins: Vec<(usize, f64)>,
}

impl<'a> BodyStep<'a> {
    /// The equations of a step from a state, with c of its joints there, and the guess.
    fn of(by: &'a Setting, model: &BodyEquations, from: (&State, &[f64]), step: &Step) -> (Self, Vec<f64>) {
        let (scene, (state, c)) = (&*model.scene, from);
        let speed = vector::max_abs(&state.v).max(vector::max_abs(&step.after.v)).max(f64::MIN_POSITIVE);
        let momentum = by.mass * speed;
        let (touches, members, turned, slip) = (Vec::new(), Vec::new(), Vec::new(), f64::INFINITY);
        let mut form = Self { by, t: state.t, h: step.h, touches, members, turned, slip, momentum };
        let mut y = Vec::new();
        for &i in &by.free {
            let n = scene.v_per_body();
            let mut twist = scene.twist(i, &step.after.v);
            if scene.bodies()[i].isotropic && !scene.is_planar() {
                // counted in the world frame: ŵ⁺ = RᵀR⁺w⁺
                let [R, R1] = [&state.q, &step.after.q].map(|q| scene.frame(i, q).R);
                twist.w = mul_t(&R, &mul(&R1, &twist.w));
            }
            let first = y.len();
            y.resize(first + n, 0.0);
            scene.write_twist(0, &twist, &mut y[first..]);
        }
        let mut work = model.work();
        let work = &mut *work;
        let from = StepStart { state, memory: &work.memory, h: step.h };
        work.motion.begin(scene, &from);
        form.put(scene, &mut work.motion, &y);
        work.motion.reach(scene, step.h);
        let at = work.motion.start.of(&from);
        let all = |_: u64| true;
        work.contacts.take((&from, &at, &work.motion.margins), Some(&all), &mut work.step, &mut work.next);
        for touch in work.contacts.touches() {
            let id = touch.joint.id as usize;
            let (known, slip) = by.touch(id, touch.joint.given.is_some(), step, momentum);
            form.slip = form.slip.min(slip);
            form.touches.push(known);
            form.members.push(step.contacts.iter().any(|c| c.id == id));
        }
        let mut seen = Vec::new();
        work.system.values(at.frames, &mut seen);
        form.turned = c.iter().zip(&seen).map(|(c, seen)| c - seen).collect();
        y.resize(y.len() + form.rows(&work.system), 0.0);
        for touch in form.touches.iter().filter(|touch| touch.pushes) {
            y.extend_from_slice(&touch.p[..=touch.tangents]);
            form.momentum = form.momentum.max(touch.p[0]);
        }
        (form, y)
    }

    /// Rows that are unknowns of the step.
    fn rows(&self, system: &JointSystem) -> usize {
        if self.by.rows { system.len() } else { 0 }
    }

    /// The velocities after the step that y begins with.
    fn put(&self, scene: &Bodies, motion: &mut ThetaStep, y: &[f64]) {
        for (k, &i) in self.by.free.iter().enumerate() {
            motion.after[i] = scene.twist(k, y);
        }
    }

    /// Springs as loads: their forces, and their moments as those of impulses where these are taken in the middle of the step.
    fn springs(&self, scene: &Bodies, work: &mut Work, from: &StepStart) -> Vec<Vec3> {
        let Work { motion, pulls, ends, .. } = work;
        let StartBuffers { before, wrenches, .. } = &mut motion.start;
        load_springs(scene, from, before, wrenches, (pulls, ends));
        let mut moments = Vec::new();
        if self.by.theta != 0.5 {
            return moments;
        }
        moments.resize(scene.len(), [0.0; 3]);
        for ((spring, pulls), ends) in scene.springs().iter().zip(pulls).zip(ends) {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let i = spring.bodies[side];
                let x = axpy(&motion.start.frames[i].x, 0.5 * self.h, &motion.passing(scene, i, self.h).v);
                for pull in pulls.iter() {
                    let own = &mut motion.start.wrenches[i].moment;
                    *own = sub(own, &pull.moments[side]);
                    moments[i] = axpy(&moments[i], self.h * sign, &cross(&sub(&ends[side], &x), &pull.force));
                }
            }
        }
        moments
    }

    fn make(&self, model: &BodyEquations, x: &[f64], y: &[f64]) -> Made {
        let (scene, n_q, n_v) = (&*model.scene, model.scene.n_q(), model.scene.v_per_body());
        let mut work = model.work();
        let work = &mut *work;
        let state = State { t: self.t, q: x[..n_q].to_vec(), v: x[n_q..].to_vec() };
        let memory = std::mem::take(&mut work.memory);
        let from = StepStart { state: &state, memory: &memory, h: self.h };
        work.motion.begin(scene, &from);
        self.put(scene, &mut work.motion, y);
        let moments = if self.by.rows { Vec::new() } else { self.springs(scene, work, &from) };
        let Work { motion, system, contacts, push, step, next, .. } = work;
        motion.reach(scene, self.h);
        motion.margins.iter_mut().for_each(|margin| *margin += BEYOND * self.by.size);

        // contacts with their impulses
        let at = motion.start.of(&from);
        let named = |id: u64| self.touches.iter().any(|touch| touch.id == id as usize);
        contacts.take((&from, &at, &motion.margins), Some(&named), step, next);
        let (lambda, impulses) = self.impulses(system, &y[self.by.free.len() * n_v..]);
        contacts.put(|joint| {
            let own = self.touches.iter().zip(&impulses).find(|(of, _)| of.id == joint.id as usize);
            own.map_or(&[], |(of, p)| &p[..=of.tangents])
        });
        system.go(&at, &motion.after);
        contacts.turn(&at, &system.passages);
        contacts.push(push, at.frames);
        for (i, moment) in moments.iter().enumerate() {
            let way = &system.passages[i];
            let m = body_moment(&way.ends[0].R, &way.tilt, moment);
            (0..3).for_each(|k| push.impulses[i][3 + k] += m[k]);
        }

        // bodies and joints
        let mut c_start = Vec::new();
        system.values(at.frames, &mut c_start);
        vector::axpy(1.0, &self.turned, &mut c_start);
        system.c_start = c_start;
        system.evaluate(&at, &motion.after, &lambda, push, false);
        let mut residual = Vec::new();
        for &i in &self.by.free {
            let mut r = system.r_body[i];
            let turn = self.left_of_spin(scene, &at, motion, i);
            (0..3).for_each(|k| r[3 + k] += turn[k]);
            if n_v == 3 { residual.extend([r[0], r[1], r[5]]) } else { residual.extend(r) }
        }
        residual.extend_from_slice(&system.r_row[..self.rows(system)]);

        let (c_end, after) = (system.c_end.clone(), State::default());
        let mut made = Made { residual, after, c_end, work: 0.0, margins: Vec::new() };
        motion.finish(scene, &from, &mut made.after);
        self.contacts((contacts, &step.contacts), (&impulses, &motion.after), &mut made);
        work.memory = memory;
        made
    }

    /// λ and the impulses of the contacts, in their order.
    fn impulses(&self, system: &JointSystem, y: &[f64]) -> (Vec<f64>, Vec<[f64; 3]>) {
        let mut lambda = y[..self.rows(system)].to_vec();
        let mut k = lambda.len();
        lambda.resize(system.len(), 0.0);
        let mut list = Vec::new();
        for touch in &self.touches {
            let mut p = [0.0; 3];
            if touch.pushes {
                p[..=touch.tangents].copy_from_slice(&y[k..=k + touch.tangents]);
                k += 1 + touch.tangents;
            }
            list.push(p);
        }
        (lambda, list)
    }

    /// h w_θ × I(w* − w_θ) of a body whose spin is not that of the middle.
    fn left_of_spin(&self, scene: &Bodies, at: &BodiesStart, motion: &ThetaStep, i: usize) -> Vec3 {
        let (body, by) = (&scene.bodies()[i], self.by);
        if by.rows || by.theta == 0.5 || by.gyroscopic == Gyroscopic::Newton || body.isotropic || scene.is_planar() {
            return [0.0; 3];
        }
        let w = motion.mean(i).w;
        let w_star = spin(body, &at.before[i].w, &at.wrenches[i].moment, self.h, by.theta, by.gyroscopic);
        scale(self.h, &cross(&w, &mul(&body.inertia, &sub(&w_star, &w))))
    }

    /// Laws, work and margins of the contacts, which took part in a step from these gaps and approaches.
    fn contacts(
        &self,
        (contacts, starts): (&JointedContacts, &[ContactState]),
        (impulses, after): (&[[f64; 3]], &[Twist]),
        made: &mut Made,
    ) {
        for (k, (touch, p)) in self.touches.iter().zip(impulses).enumerate() {
            let Some(i) = contacts.touches().iter().position(|of| of.joint.id as usize == touch.id) else {
                // where it is another one the step has no derivative that differences could find
                let lost = if touch.pushes { 1 + touch.tangents } else { 0 };
                made.residual.resize(made.residual.len() + lost, f64::NAN);
                let count = if self.members[k] { 2 + usize::from(touch.along != Along::Free) } else { 1 };
                made.margins.resize(made.margins.len() + count, (touch.id, f64::NAN));
                continue;
            };
            let (joint, (before, u)) = (&contacts.touches()[i].joint, contacts.velocities(i, after));
            // the force of dry friction in a joint is always there
            let chosen = if joint.given.is_some() { 1.0 } else { starts[i].gap + self.ahead() * starts[i].u_before };
            made.margins.push((touch.id, chosen));
            let e = if touch.held { self.by.e_open } else { joint.restitution };
            let w = |k: usize| u[k] + before[k] * if k == 0 { e } else { touch.alpha };
            if !touch.pushes {
                if self.members[k] {
                    made.margins.push((touch.id, w(0)));
                }
                continue;
            }
            let theta = self.by.theta;
            made.work += (0..=touch.tangents).map(|k| p[k] * ((1.0 - theta) * before[k] + theta * u[k])).sum::<f64>();
            let normal = joint.given.map_or(w(0), |force| p[0] - self.h * force);
            laws((touch, p), normal, w, joint.friction, (&mut made.residual, &mut made.margins));
        }
    }

    /// How far ahead gaps are predicted.
    fn ahead(&self) -> f64 {
        match self.by.activation {
            Activation::Predicted { prediction } => prediction * self.h,
            Activation::Hold | Activation::PredictedAndClosing | Activation::Gap | Activation::Equilibrium => self.h,
        }
    }
}

impl Whole<BodyEquations> for BodyStep<'_> {
    fn residual(&self, model: &BodyEquations, x: &[f64], y: &[f64]) -> Vec<f64> {
        self.make(model, x, y).residual
    }

    fn numbers(&self, model: &BodyEquations, x: &[f64], y: &[f64]) -> (f64, Vec<(usize, f64)>) {
        let made = self.make(model, x, y);
        (made.work, made.margins)
    }

    /// Velocities turn rows by h v; equations are affine in λ and P.
    fn reach(&self, x: &[f64], y: &[f64]) -> [Vec<f64>; 2] {
        let [place, twist] = self.by.reach(self.h, self.slip);
        let bodies = x.len() / (place.len() + twist.len());
        let many =
            |list: &[f64], count: usize| list.iter().copied().cycle().take(count * list.len()).collect::<Vec<f64>>();
        let mut of_y = many(&twist, self.by.free.len());
        of_y.resize(y.len(), self.momentum);
        [[many(&place, bodies), many(&twist, bodies)].concat(), of_y]
    }
}

/// A run under way.
pub struct ByBodies {
    run: Carried<BodyEquations>,
    by: Setting,
    state: State,
    /// c of the joints' rows, whole turns counted.
    c: Vec<f64>,
}

impl ByBodies {
    /// At the start of a run with θ, `rows` where springs are rows of the joints' system.
    pub fn new(
        problem: &Problem,
        scheme: &Scheme,
        (theta, rows): (f64, bool),
        parameters: &[ParameterModels],
        columns: &[Vec<f64>],
    ) -> Result<Self, String> {
        let kind = |model: &Model| BodyEquations::new(model, scheme, theta);
        let (model, parameters) = (kind(&problem.model)?, Variants::of(parameters, kind)?);
        let scene = &*model.scene;
        let by = Setting::of(scene, scheme, (theta, rows))?;
        let state = State { t: 0.0, q: problem.q0.clone(), v: problem.v0.clone() };
        let frames: Vec<Frame> = (0..scene.len()).map(|i| scene.frame(i, &state.q)).collect();
        let mut c = Vec::new();
        model.work().system.values(&frames, &mut c);
        let x = problem.q0.iter().chain(&problem.v0).copied().collect();
        Ok(Self { run: Carried::new(model, parameters, false, x, columns), by, state, c })
    }
}

impl Follow for ByBodies {
    fn state(&self) -> &State {
        &self.state
    }

    fn carried(&self) -> &dyn Columns {
        &self.run
    }

    fn advance(&mut self, step: &Step) -> Result<(), NotDifferentiated> {
        let Self { run, by, state, c } = self;
        if step.parts > 1 {
            let why = format!("the step to {} s was made in parts: differences are taken", step.after.t);
            return Err(NotDifferentiated::Unknown(why));
        }
        let (form, guess) = BodyStep::of(by, &run.model, (state, c), step);
        let solved = run.solve(&form, guess, &[], step.after.t)?;
        let list = |state: &State| state.q.iter().chain(&state.v).copied().collect::<Vec<f64>>();
        let (made, after) = (form.make(&run.model, &run.x, &solved.y), list(&step.after));
        if !obeyed(&list(&made.after), &after, run.largest) {
            let why = format!("the step to {} s is not that of the equations: differences are taken", step.after.t);
            return Err(NotDifferentiated::Unknown(why));
        }
        run.account(&form, &solved, state.t)?;
        let Solved { y, columns, .. } = &solved;
        let [reach_x, reach_y] = form.reach(&run.x, y);
        let arrival = |model: &BodyEquations, at: &[Vec<f64>]| list(&form.make(model, &at[0], &at[1]).after);
        let one = |(p, d): (usize, &Vec<f64>)| {
            let lists = [(&run.x[..], &run.columns[p][..], &reach_x[..]), (&y[..], &d[..], &reach_y[..])];
            run.total(p, &lists, after.len(), arrival)
        };
        let next: Vec<Vec<f64>> = columns.iter().enumerate().map(one).collect();
        // the run's own state, from which it goes on
        (run.columns, run.x, *c) = (next, after, made.c_end);
        *state = step.after.clone();
        Ok(())
    }
}
