//! Generalized-α with contacts at position and velocity level on rigid bodies: nothing penetrates.
//!
//!   smooth     Δ = h w + h²(½−β)a_n + h²β a,  R̃ = R_n cay(Δ),  w̃ = w + h(1−γ)a_n + hγ a,  I ẇ + w̃ × I w̃ = τ
//!   positions  q = q̃ ⊕ M⁻¹(H_Nᵀν + (h/2) H_Tᵀp_T),    0 ≤ g(q) ⟂ ν ≥ 0,   turns by R̃ cay(·)
//!   velocities v = ṽ + M⁻¹Hᵀp on J = {g(q̃) ≤ 0 or ν > 0}, H at q, the laws of friction with u_n = H v_n, ê = α = 1
//!   ΔE = [E(q̃, ṽ) − E_n] + ½(u + ũ)·p + [V(q) − V(q̃)]
//!
//! Joints hold both: c(q) = target by ν, D(q) v = 0 by Λ, and D(q̃) ṽ = 0 by λ in the smooth motion, where springs and motors act too
//! (`joints.rs`, `jointed_smooth.rs`); ½ Λ·D(v + ṽ) is their work, and V(q) − V(q̃) where no contact is closed.
//!
//! Smooth motion does not see contact, so the three parts are solved one after the other, positions and velocities again
//! while the shift by p_T still moves; contacts are found anew wherever the bodies are.

pub mod contact;
pub mod jointed_smooth;
pub mod joints;
pub mod smooth;

use crate::schemes::ggl::bodies::joints::{JointRows, as_row};

use crate::contact::friction_rule::FrictionRule;
use crate::step::contact::judge;
use crate::{
    Activation, ContactState, LedgerEntry, Memory, NewmarkLike, PersistentContact, Scheme, State, Step, StepFailure,
    StepStart, Stepper, Tangential,
};
use percussion_model::bodies::math::{Vec3, add, axpy, cross, dot, mul, norm, scale, sub};
use percussion_model::bodies::{Bodies, ContactPoint, Detector, Frame, RowLaw, Twist, at};
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{Method, Solver, SolverOptions};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rounds of positions and velocities in a step, and of linearised positions in a round.
const ROUNDS: usize = 12;
const LINEARISED: usize = 30;
/// Positions have arrived when they change by less than this part of the way of a step.
const CLOSED: f64 = 1e-12;
/// The same where changes have stopped falling.
const STALLED: f64 = 1e-8;
/// A gap below this part of the way of a step is closed at q̃.
const TOUCHING: f64 = 1e-10;

/// A row on the velocities of a body: world velocity, body-frame angular velocity.
type Row = [f64; 6];

/// The scheme with its work memory.
#[derive(Debug)]
pub struct BodiesGgl {
    scene: Arc<Bodies>,
    p: NewmarkLike,
    activation: Activation,
    rule: FrictionRule,
    /// The last problem of velocities with its impulses.
    last: Option<(FrictionProblem, Vec<f64>)>,
    solver: Solver,
    tolerance: f64,
    detector: Detector,
    joints: JointRows,
    /// Frames and whole turns of the joints where the step began; empty without joints.
    start: Vec<Frame>,
    turns: Vec<f64>,
}

/// What the scheme carries from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
struct BodiesGglMemory {
    /// a and v̇ of each body, twelve numbers.
    rates: Vec<Vec<f64>>,
    /// λ and c of the rows of joints.
    lambda: Vec<f64>,
    c: Vec<f64>,
    /// Whole turns of the joints.
    turns: Vec<f64>,
}

crate::carried! { BodiesGglMemory { rates, lambda, c, turns } }

/// One contact of a step.
#[derive(Clone, Debug)]
struct Touch {
    id: u64,
    bodies: [usize; 2],
    gap: f64,
    /// Rows of normal and tangents on both bodies.
    rows: [[Row; 2]; 3],
    /// Whether it has tangents: stops have none.
    rubs: bool,
    restitution: f64,
    friction: f64,
    /// Where shapes touch: how the gap is found again.
    point: Option<ContactPoint>,
}

/// Velocities or displacements of all bodies, and what the joints do for them, by row.
#[derive(Clone, Debug, Default)]
struct Answer {
    x: Vec<Row>,
    l: Vec<f64>,
}

impl Answer {
    fn add(&mut self, p: f64, other: &Answer) {
        for (x, y) in self.x.iter_mut().zip(&other.x) {
            (0..6).for_each(|k| x[k] += p * y[k]);
        }
        for (x, y) in self.l.iter_mut().zip(&other.l) {
            *x += p * y;
        }
    }
}

/// What does not change within a step: its start, c of the joints there, its length and the way it makes.
struct Place<'a> {
    start: &'a [Frame],
    c_start: &'a [f64],
    t: f64,
    h: f64,
    way: f64,
}

/// The smooth part of one body.
#[derive(Clone, Copy, Debug, Default)]
struct Smooth {
    twist: Twist,
    /// h times what moves q̃: Δx, Δ.
    shift: Twist,
    a: Row,
    rate: Row,
}

fn apply(row: &Row, t: &Twist) -> f64 {
    dot(&[row[0], row[1], row[2]], &t.v) + dot(&[row[3], row[4], row[5]], &t.w)
}

impl BodiesGgl {
    /// For a scene.
    pub fn new(scene: Arc<Bodies>, p: NewmarkLike, scheme: &Scheme, options: SolverOptions) -> Self {
        let positions = SolverOptions { method: Method::Auto, tolerance: options.tolerance.min(1e-13), ..options };
        Self {
            p,
            activation: scheme.activation,
            rule: FrictionRule::new(scheme.friction_law, 1.0, options),
            last: None,
            solver: Solver::new(positions),
            tolerance: options.tolerance,
            detector: Detector::default(),
            joints: JointRows::new(&scene),
            start: Vec::new(),
            turns: Vec::new(),
            scene,
        }
    }

    fn dim(&self) -> usize {
        if self.scene.is_planar() { 2 } else { 3 }
    }

    /// Whole turns of the joints at these frames, within the step.
    fn turns_at(&self, frames: &[Frame]) -> Vec<f64> {
        let of = |(j, n): (usize, &f64)| self.scene.turns_after(j, *n, &self.start, frames);
        self.turns.iter().enumerate().map(of).collect()
    }

    /// V at q, with the turns made until there.
    fn potential(&self, q: &[f64]) -> f64 {
        if self.turns.is_empty() {
            return self.scene.potential_energy(q);
        }
        let frames: Vec<Frame> = (0..self.scene.len()).map(|i| self.scene.frame(i, q)).collect();
        self.scene.potential_energy_turned(q, &self.turns_at(&frames))
    }

    /// v̇ and ẇ of a body under its loads, without contact.
    fn rate(&self, i: usize, Twist { v, w }: &Twist, t: f64) -> Row {
        let body = &self.scene.bodies()[i];
        if !body.is_free() {
            return [0.0; 6];
        }
        let force = axpy(&axpy(&at(&body.force, t), body.mass, &self.scene.gravity()), -body.drag[0], v);
        let gyroscopic = if body.isotropic { [0.0; 3] } else { cross(w, &mul(&body.inertia, w)) };
        let moment = sub(&axpy(&at(&body.torque, t), -body.drag[1], w), &gyroscopic);
        let (a, b) = (scale(body.inverse_mass, &force), mul(&body.inverse_inertia, &moment));
        [a[0], a[1], a[2], b[0], b[1], b[2]]
    }
}

impl Stepper for BodiesGgl {
    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.last.clone()
    }

    fn use_threads(&mut self, threads: usize) {
        self.detector.threads = threads;
    }

    fn start(&mut self, state: &State) -> Memory {
        let scene = Arc::clone(&self.scene);
        let energy = scene.kinetic_energy(&state.v) + scene.potential_energy(&state.q);
        if !self.joints.rows.is_empty() {
            let (rates, lambda, c) = self.start_rates(state);
            let free = |i: usize| scene.bodies()[i].is_free();
            let kept = |(i, rate): (usize, &Row)| if free(i) { [*rate, *rate].concat() } else { vec![0.0; 12] };
            let rates = rates.iter().enumerate().map(kept).collect();
            let turns = vec![0.0; scene.joints().len()];
            return Memory::new(energy, 0).carrying(BodiesGglMemory { rates, lambda, c, turns });
        }
        // accelerations consistent with the loads at the start, without contacts
        let rates = (0..scene.len()).map(|i| self.rate(i, &scene.twist(i, &state.v), state.t).repeat(2)).collect();
        Memory::new(energy, 0).carrying(BodiesGglMemory { rates, ..Default::default() })
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let scene = Arc::clone(&self.scene);
        let (n, d) = (scene.len(), self.dim());
        step.h = h;
        step.info = Default::default();
        self.last = None;
        step.contacts.clear();
        step.friction.clear();

        // smooth motion
        let mut before = Vec::with_capacity(n);
        let mut tilde = Vec::with_capacity(n);
        let mut qt = state.q.clone();
        let (mut way, mut external, mut damping) = (0.0_f64, 0.0, 0.0);
        let mut margin = Vec::with_capacity(n);
        let jointed = !self.joints.rows.is_empty();
        let kept = memory.carried.of::<BodiesGglMemory>();
        let carried = next.carried.renew::<BodiesGglMemory>();
        carried.clone_from(kept);
        let start: Vec<Frame> = if jointed { (0..n).map(|i| scene.frame(i, &state.q)).collect() } else { Vec::new() };
        self.start.clone_from(&start);
        self.turns.clear();
        self.turns.extend_from_slice(if jointed { &kept.turns } else { &[] });
        let c_start: &[f64] = if jointed { &kept.c } else { &[] };
        let mut parts = Vec::new();
        if jointed {
            let old: Vec<Twist> =
                (0..n).map(|i| scene.imposed(i, state.t).unwrap_or_else(|| scene.twist(i, &state.v))).collect();
            let told: Vec<Option<Twist>> = (0..n).map(|i| scene.imposed(i, state.t + h)).collect();
            let (smooth, lambda, works) = self.smooth_jointed(state, &old, &told, (kept, c_start), h)?;
            parts = smooth;
            carried.lambda.clone_from(&lambda);
            external += works.external;
            damping += works.damping;
        }
        for (i, body) in scene.bodies().iter().enumerate() {
            let old = scene.imposed(i, state.t).unwrap_or_else(|| scene.twist(i, &state.v));
            let smooth = match scene.imposed(i, state.t + h) {
                _ if jointed => parts[i],
                None => self.smooth(body, state, &old, &kept.rates[i], h),
                Some(twist) => {
                    let mean = |a: &Vec3, b: &Vec3| scale(0.5 * h, &add(a, b));
                    let shift = Twist { v: mean(&old.v, &twist.v), w: mean(&old.w, &twist.w) };
                    Smooth { twist, shift, ..Default::default() }
                }
            };
            scene.advance(i, &state.q, 1.0, &smooth.shift, &mut qt);
            let turning = if smooth.shift.w == [0.0; 3] { 0.0 } else { norm(&smooth.shift.w) * body.reach.min(1e6) };
            way = way.max(norm(&smooth.shift.v) + turning);
            margin.push(0.1 * (norm(&smooth.shift.v) + turning));
            if body.is_free() {
                let t = state.t + h;
                external += dot(&at(&body.force, t), &smooth.shift.v) + dot(&at(&body.torque, t), &smooth.shift.w);
                let mean = |a: &Vec3, b: &Vec3| scale(0.5, &add(a, b));
                let (v, w) = (mean(&old.v, &smooth.twist.v), mean(&old.w, &smooth.twist.w));
                damping -= h * (body.drag[0] * dot(&v, &v) + body.drag[1] * dot(&w, &w));
            }
            carried.rates[i].clear();
            carried.rates[i].extend(smooth.a.iter().chain(&smooth.rate));
            before.push(old);
            tilde.push(smooth.twist);
        }
        way = way.max(1e-12);
        let place = Place { start: &start, c_start, t: state.t, h, way };

        // contacts closed at q̃, then positions and velocities in turn
        let first = self.touches(&qt, &margin);
        step.smallest_gap = None;
        let mut closed_at: Vec<u64> = first.iter().filter(|c| c.gap <= TOUCHING * way).map(|c| c.id).collect();
        let mut guess: BTreeMap<u64, [f64; 3]> =
            memory.persistent.iter().map(|p| (p.id, [p.p[0], p.p[1], p.p[2]])).collect();
        // ν of the last step is of the size of this one's
        let mut nu: BTreeMap<u64, f64> = memory.persistent.iter().map(|p| (p.id, p.nu)).collect();
        self.rule.fremond.clear();
        let mut U0 = vec![[0.0; 6]; n];
        let mut answer = None;
        for round in 0..ROUNDS {
            let (touches, q) = self.positions(&qt, &U0, &mut nu, &mut margin, &place)?;
            for c in &touches {
                // ν > 0 with a gap that it closed
                if nu.get(&c.id).is_some_and(|&nu| nu > 0.0) && !closed_at.contains(&c.id) {
                    closed_at.push(c.id);
                }
            }
            let closed: Vec<Touch> = touches.into_iter().filter(|c| closed_at.contains(&c.id)).collect();
            let mut held = self.held_velocities(&tilde, &q, &place)?;
            let (p, u_before) = if closed.is_empty() {
                (Vec::new(), Vec::new())
            } else {
                self.rule.fremond.clear();
                self.velocities(&closed, &before, &mut held, &guess, (state.t, h), step)?
            };
            // the shift by p_T
            let mut shift = vec![[0.0; 6]; n];
            for (i, c) in closed.iter().enumerate() {
                guess.insert(c.id, std::array::from_fn(|k| if k < d { p[i * d + k] } else { 0.0 }));
                for k in 1..d {
                    for s in 0..2 {
                        let body = c.bodies[s];
                        if scene.bodies()[body].is_free() {
                            let x = self.respond(body, &c.rows[k][s]);
                            for m in 0..6 {
                                shift[body][m] += 0.5 * h * p[i * d + k] * x[m];
                            }
                        }
                    }
                }
            }
            let change =
                shift.iter().zip(&U0).flat_map(|(a, b)| (0..6).map(move |k| (a[k] - b[k]).abs())).fold(0.0, f64::max);
            U0 = shift;
            answer = Some((closed, p, u_before, q, held));
            if change <= 1e-11 * way {
                break;
            }
            if round + 1 == ROUNDS && change > 1e-6 * way {
                let message = format!("positions and friction did not agree in {ROUNDS} rounds");
                return Err(StepFailure::newton(state, h, message));
            }
        }
        let (closed, p, u_before, q, held) = answer.unwrap_or_default();

        // correct
        let after: Vec<Twist> = held.x.iter().map(|x| Twist { v: [x[0], x[1], x[2]], w: [x[3], x[4], x[5]] }).collect();
        step.after.t = state.t + h;
        step.after.q.clone_from(&q);
        step.after.v.resize(state.v.len(), 0.0);
        let mut v_tilde = step.after.v.clone();
        for i in 0..n {
            scene.write_twist(i, &after[i], &mut step.after.v);
            scene.write_twist(i, &tilde[i], &mut v_tilde);
        }

        // impulses leave other velocities, and these other gyroscopic moments and drags: accelerations start anew
        for (i, body) in scene.bodies().iter().enumerate() {
            let pushed = closed.iter().any(|c| c.bodies.contains(&i)) && p.iter().any(|&p| p != 0.0);
            if !jointed && body.is_free() && pushed && !(body.isotropic && body.drag == [0.0; 2]) {
                let rate = self.rate(i, &after[i], state.t + h);
                carried.rates[i].clear();
                carried.rates[i].extend(rate.iter().chain(&rate));
            }
        }

        // contacts as they ended
        let frames: Vec<Frame> = (0..n).map(|i| scene.frame(i, &q)).collect();
        let mut of_joints = Vec::new();
        scene.joint_touches(&frames, &self.turns_at(&frames), &mut of_joints);
        next.persistent.clear();
        let (mut work, mut moved) = (0.0, 0.0);
        for (i, c) in closed.iter().enumerate() {
            let r = &p[i * d..(i + 1) * d];
            let of =
                |k: usize, twists: &[Twist]| (0..2).map(|s| apply(&c.rows[k][s], &twists[c.bodies[s]])).sum::<f64>();
            let (u, free): (Vec<f64>, Vec<f64>) =
                ((0..d).map(|k| of(k, &after)).collect(), (0..d).map(|k| of(k, &tilde)).collect());
            for k in 0..d {
                work += 0.5 * r[k] * (u[k] + free[k]);
                for s in 0..2 {
                    let body = c.bodies[s];
                    if !scene.bodies()[body].is_free() {
                        moved += r[k] * apply(&c.rows[k][s], &after[body]);
                    }
                }
            }
            let gap = match &c.point {
                Some(point) => point.gap_at(&frames[c.bodies[0]], &frames[c.bodies[1]]),
                None => of_joints.iter().find(|touch| touch.id == c.id).map_or(c.gap, |touch| touch.gap),
            };
            let id = c.id as usize;
            let before = &u_before[i * d..];
            step.contacts.push(ContactState { id, gap, u_before: before[0], u_free: free[0], u_after: u[0], p: r[0] });
            let mu = if c.rubs { c.friction } else { 0.0 };
            let mut along = Tangential { n: d - 1, frictional: mu > 0.0, ..Default::default() };
            along.fremond = self.rule.fremond.get(i).copied().unwrap_or(false);
            along.u_before[..d - 1].copy_from_slice(&before[1..d]);
            along.u_after[..d - 1].copy_from_slice(&u[1..d]);
            along.p[..d - 1].copy_from_slice(&r[1..d]);
            let mobility = self.coupling((c.bodies, &c.rows[0]), (c.bodies, &c.rows[0]));
            step.friction.push(along);
            let mut kept = [0.0; 5];
            kept[..d].copy_from_slice(r);
            let nu = nu.get(&c.id).copied().unwrap_or(0.0);
            next.persistent.push(PersistentContact { id: c.id, p: kept, push: mobility * r[0], nu });
        }

        judge(step, 1.0, |i| (if closed[i].rubs { closed[i].friction } else { 0.0 }, next.persistent[i].push));

        // ledger
        let (kinetic, potential) = (scene.kinetic_energy(&step.after.v), self.potential(&q));
        let smooth = scene.kinetic_energy(&v_tilde) + self.potential(&qt);
        let projection = potential - self.potential(&qt);
        let (mut joints, mut motors) = (0.0, 0.0);
        if jointed {
            self.joints.place(&start, c_start, &frames);
            let mean: Vec<Row> = after
                .iter()
                .zip(&tilde)
                .map(|(a, b)| {
                    let (a, b) = (as_row(a), as_row(b));
                    std::array::from_fn(|k| 0.5 * (a[k] + b[k]))
                })
                .collect();
            for (row, l) in self.joints.rows.iter().zip(&held.l) {
                match row.law {
                    RowLaw::Rate(_) => motors += l * row.rate(&mean),
                    _ => joints += l * row.rate(&mean),
                }
                moved += l * row.rate_of_told(&scene, &mean);
            }
            carried.turns = self.turns_at(&frames);
            carried.c.clear();
            carried.c.extend(self.joints.rows.iter().map(|row| row.c));
        }
        let alone = jointed && closed.is_empty();
        let mut entry = LedgerEntry {
            kinetic,
            potential,
            work_external: external + motors - moved,
            work_damping: damping,
            work_contact: work + if alone { 0.0 } else { projection },
            work_joints: joints + if alone { projection } else { 0.0 },
            dissipation_numerical: -(smooth - memory.H - external - damping),
            ..Default::default()
        };
        entry.close(memory.H, entry.energy());
        step.ledger = entry;
        next.H = entry.energy();
        next.u_max = 0.0;
        next.p.clear();
        next.p_t.clear();
        next.push.clear();
        Ok(())
    }
}
