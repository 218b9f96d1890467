//! GGL generalized-α on rigid bodies: nothing penetrates.
//!
//!   smooth     Δ = h w + h²(½−β)a_n + h²β a,  R̃ = R_n cay(Δ),  w̃ = w + h(1−γ)a_n + hγ a,  I ẇ + w̃ × I w̃ = τ
//!   positions  q = q̃ ⊕ (U_T + M⁻¹H_Nᵀν),    0 ≤ g(q) ⟂ ν ≥ 0,   turns by R̃ cay(·),   U_T by friction (`shift.rs`)
//!   velocities v = ṽ + M⁻¹Hᵀp on J = {g(q̃) ≤ 0 or ν > 0}, H at q, the laws of friction with u_n = H v_n, ê = α = 1
//!
//! Joints hold both: c(q) = target by ν, D(q) v = 0 by Λ, and D(q̃) ṽ = 0 by λ in the smooth motion, where springs and motors act too
//! (`joints.rs`, `jointed_smooth.rs`). Beams, cables and reduced bodies are elements of the smooth motion (`elements.rs`), and share mass (`mass.rs`).
//!
//! Smooth motion does not see contact, so the three parts are solved one after the other, positions and velocities again
//! while U_T still moves; contacts are detected wherever the bodies are. A contact once closed stays so for the step, and the
//! contacts under Frémond's law only become more: the rounds cannot go back and forth.

pub mod account;
pub mod elements;
mod eliminated;
pub mod given;
pub mod jointed_smooth;
pub mod joints;
pub mod mass;
pub mod positions;
pub mod reactions;
pub mod record;
pub mod shift;
pub mod smooth;
pub mod stiff;
pub mod velocities;

use crate::contact::friction_rule::FrictionRule;
use crate::schemes::ggl::bodies::account::Filtered;
use crate::schemes::ggl::bodies::elements::Elements;
use crate::schemes::ggl::bodies::joints::JointRows;
use crate::schemes::ggl::bodies::positions::largest_change;
use crate::schemes::ggl::bodies::stiff::Fastest;
use crate::schemes::ggl::ledger::Projection;
use crate::{Activation, Memory, NewmarkLike, Scheme, State, Step, StepFailure, StepStart, Stepper};
use percussion_model::InputError;
use percussion_model::bodies::math::dot;
use percussion_model::bodies::{Bodies, ContactPoint, Detector, Frame, Twist};
use percussion_solve::friction::{FrictionProblem, FrictionSolver};
use percussion_solve::{Method, Solver, SolverOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Sweeps over positions of many contacts before active sets are tried.
const SWEEPS: usize = 1000;
/// What they are to leave, a part of the way of a step: gh² at 1 ms leaves 1e-16 m, where places of metres have a round-off of more.
const SWEPT_TO: f64 = 1e-11;
/// Rounds of positions and velocities in a step.
const ROUNDS: usize = 12;
/// Rounds after which their rate says whether they will agree.
const AT_LEAST: usize = 3;
/// A gap below this part of the way of a step is closed at q̃.
const TOUCHING: f64 = 1e-10;

/// A row on the velocities of a body: world velocity, body-frame angular velocity.
pub type Row = [f64; 6];

/// The scheme with its work memory.
#[derive(Debug)]
pub struct BodiesGgl {
    scene: Arc<Bodies>,
    p: NewmarkLike,
    activation: Activation,
    rule: FrictionRule,
    solver: Solver,
    /// Sweeps over positions of many contacts.
    sweeps: FrictionSolver,
    /// Matrices of positions so far: by its number a solver knows one again.
    matrices: u64,
    tolerance: f64,
    detector: Detector,
    joints: JointRows,
    elements: Option<Elements>,
    fastest: Fastest,
    projection: Projection,
    /// Frames and whole turns of the joints where the step began; empty without joints.
    start: Vec<Frame>,
    turns: Vec<f64>,
    /// The last problem of velocities, with its impulses.
    last: Option<(FrictionProblem, Vec<f64>)>,
    /// Steps without U_T.
    unshifted: u64,
}

/// What the scheme carries from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
struct BodiesGglMemory {
    /// a and v̇ of each body, twelve numbers.
    rates: Vec<Vec<f64>>,
    /// Forces of rigid rows and of motors on each body, filtered and not, twice twelve numbers; empty without joints.
    forces: Vec<Vec<f64>>,
    /// λ and c of the rows of joints.
    lambda: Vec<f64>,
    c: Vec<f64>,
    /// Whole turns of the joints.
    turns: Vec<f64>,
    /// What joints do to their second bodies, filtered and not, twelve numbers each.
    reactions: Vec<Vec<f64>>,
}

crate::carried! { BodiesGglMemory { rates, forces, lambda, c, turns, reactions } }

/// One contact of a step.
#[derive(Clone, Debug)]
struct Touch {
    id: u64,
    bodies: [usize; 2],
    gap: f64,
    /// Rows of normal and tangents on both bodies.
    rows: [[Row; 2]; 3],
    /// Whether it has tangents: stops have none.
    tangential: bool,
    restitution: f64,
    friction: f64,
    /// Where shapes touch: how the gap is found again.
    point: Option<ContactPoint>,
}

impl Touch {
    /// μ, zero where there are no tangents.
    fn mu(&self) -> f64 {
        if self.tangential { self.friction } else { 0.0 }
    }

    /// The relative velocity along row k.
    fn rate(&self, k: usize, twists: &[Twist]) -> f64 {
        let of = |s: usize| apply(&self.rows[k][s], &twists[self.bodies[s]]);
        of(0) + of(1)
    }
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
#[derive(Clone, Copy)]
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

/// The smooth part of all bodies.
#[derive(Debug, Default)]
struct Motion {
    before: Vec<Twist>,
    parts: Vec<Smooth>,
    tilde: Vec<Twist>,
    qt: Vec<f64>,
    /// The longest way of a point, and a tenth of that of each body: how far to look for contacts.
    way: f64,
    margin: Vec<f64>,
    /// λ and the forces of joints and motors; empty without joints.
    lambda: Vec<f64>,
    reactions: Vec<Row>,
    forces: Filtered,
    /// Works of dampers of joints and springs, and of bodies that springs move.
    damping: f64,
    prescribed: f64,
}

/// Positions and velocities of a step.
#[derive(Debug, Default)]
struct Found {
    closed: Vec<Touch>,
    /// p and u_n in blocks by closed contact, ν by identity.
    p: Vec<f64>,
    u_before: Vec<f64>,
    nu: BTreeMap<u64, f64>,
    q: Vec<f64>,
    held: Answer,
}

fn apply(row: &Row, t: &Twist) -> f64 {
    dot(&[row[0], row[1], row[2]], &t.v) + dot(&[row[3], row[4], row[5]], &t.w)
}

fn as_twist(x: &Row) -> Twist {
    Twist { v: [x[0], x[1], x[2]], w: [x[3], x[4], x[5]] }
}

impl BodiesGgl {
    /// For a scene.
    pub fn new(scene: Arc<Bodies>, p: NewmarkLike, scheme: &Scheme, options: SolverOptions) -> Self {
        let tolerance = options.tolerance.min(1e-13);
        let enough = Some(options.tolerance);
        let joints = JointRows::new(&scene);
        let positions = SolverOptions { method: Method::Auto, tolerance, enough, ..options };
        Self {
            p,
            activation: scheme.activation,
            rule: FrictionRule::new(scheme.friction_law, 1.0, options),
            solver: Solver::new(positions),
            sweeps: FrictionSolver::new(SolverOptions {
                method: Method::NsgsAnderson,
                tolerance: SWEPT_TO,
                max_iterations: SWEEPS,
                enough: None,
            }),
            matrices: 0,
            tolerance: options.tolerance,
            detector: Detector::default(),
            elements: Elements::new(&scene, &joints.rows),
            fastest: Fastest::of(&scene),
            joints,
            projection: Projection::default(),
            start: Vec::new(),
            turns: Vec::new(),
            last: None,
            unshifted: 0,
            scene,
        }
    }

    fn dim(&self) -> usize {
        if self.scene.is_planar() { 2 } else { 3 }
    }

    /// Whether bodies answer together: by joints, springs or elements between them.
    fn jointed(&self) -> bool {
        !self.joints.rows.is_empty() || self.elements.is_some()
    }

    fn frames(&self, q: &[f64]) -> Vec<Frame> {
        (0..self.scene.len()).map(|i| self.scene.frame(i, q)).collect()
    }

    /// Velocities at a time, those of fixed and prescribed bodies as they are imposed.
    fn twists(&self, v: &[f64], t: f64) -> Vec<Twist> {
        let scene = &self.scene;
        (0..scene.len()).map(|i| scene.imposed(i, t).unwrap_or_else(|| scene.twist(i, v))).collect()
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
        self.scene.potential_energy_turned(q, &self.turns_at(&self.frames(q)))
    }

    /// Positions and velocities that agree; where they do not, the step goes without U_T: contacts that stick then creep by that much
    /// in this step, and everything else holds.
    fn settle(
        &mut self,
        from: &StepStart,
        motion: &mut Motion,
        place: &Place,
        step: &mut Step,
    ) -> Result<Found, StepFailure> {
        self.agree(from, motion, place, true, step).or_else(|failure| {
            let found = self.agree(from, motion, place, false, step).map_err(|_| failure)?;
            self.unshifted += 1;
            Ok(found)
        })
    }

    /// Contacts closed at q̃, then positions and velocities in turn until U_T stays.
    fn agree(
        &mut self,
        from: &StepStart,
        motion: &mut Motion,
        place: &Place,
        shifted: bool,
        step: &mut Step,
    ) -> Result<Found, StepFailure> {
        let Place { h, way, .. } = *place;
        let first = self.touches(&motion.qt, &motion.margin);
        let mut closed_at: BTreeSet<u64> = first.iter().filter(|c| c.gap <= TOUCHING * way).map(|c| c.id).collect();
        let kept = &from.memory.persistent;
        let mut guess: BTreeMap<u64, [f64; 3]> = kept.iter().map(|p| (p.id, [p.p[0], p.p[1], p.p[2]])).collect();
        // ν of the last step is of the size of this one's
        let mut found = Found { nu: kept.iter().map(|p| (p.id, p.nu)).collect(), ..Default::default() };
        let mut fremond = BTreeSet::new();
        let mut U_T = vec![[0.0; 6]; self.scene.len()];
        let mut last = f64::INFINITY;
        for round in 0..ROUNDS {
            StepFailure::unless_stopped(from.state.t, from.h)?;
            let touches;
            (touches, found.q) = self.positions(&motion.qt, &U_T, &mut found.nu, &mut motion.margin, place)?;
            // ν > 0 with a gap that it closed
            let pushes = |c: &&Touch| found.nu.get(&c.id).is_some_and(|&nu| nu > 0.0);
            closed_at.extend(touches.iter().filter(pushes).map(|c| c.id));
            let closed = touches.into_iter().filter(|c| closed_at.contains(&c.id)).collect();
            found.closed = self.with_lost(closed, std::mem::take(&mut found.closed), &found.q, -TOUCHING * way);
            found.held = self.held_velocities(&motion.tilde, &found.q, place)?;
            (found.p, found.u_before) = (Vec::new(), Vec::new());
            if !found.closed.is_empty() {
                self.velocities(from, &motion.before, &guess, &mut fremond, &mut found, step)?;
            }
            for (c, p) in found.closed.iter().zip(found.p.chunks_exact(self.dim())) {
                guess.insert(c.id, std::array::from_fn(|k| p.get(k).copied().unwrap_or(0.0)));
            }
            if !shifted {
                break;
            }
            let next = self.shift(&found.closed, &found.p, h);
            let change = largest_change(&next, &U_T);
            U_T = next;
            if change <= 1e-11 * way {
                break;
            }
            // at this rate the rounds left do not end it
            let rate = (change / last).min(1.0);
            let ahead = (round + 1..ROUNDS).fold(change, |change, _| rate * change);
            if round >= AT_LEAST && ahead > 1e-6 * way {
                return Err(from.failure(format!("positions and friction did not agree in {ROUNDS} rounds")));
            }
            last = change;
        }
        Ok(found)
    }
}

impl Stepper for BodiesGgl {
    fn refuse(&mut self, _state: &State, h: f64) -> Option<InputError> {
        self.fastest.refuse(&self.scene, h)
    }

    fn longest(&self) -> f64 {
        self.fastest.longest()
    }

    fn use_threads(&mut self, threads: usize) {
        self.detector.threads = threads;
    }

    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.last.clone()
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        vec![("unshifted", self.unshifted)]
    }

    fn start(&mut self, state: &State) -> Memory {
        let scene = Arc::clone(&self.scene);
        let energy = scene.kinetic_energy(&state.v) + scene.potential_energy(&state.q);
        if self.jointed() {
            let (rates, lambda, c) = self.start_rates(state);
            let forces = self.joint_forces(&lambda);
            let reactions = self.on_second_bodies(&lambda).iter().map(|f| f.repeat(2)).collect();
            let free = |i: usize| scene.bodies()[i].is_free();
            let kept = |(i, rate): (usize, &Row)| if free(i) { [*rate, *rate].concat() } else { vec![0.0; 12] };
            return Memory::new(energy, 0).carrying(BodiesGglMemory {
                rates: rates.iter().enumerate().map(kept).collect(),
                forces: (0..scene.len()).map(|i| forces.begin(i)).collect(),
                lambda,
                c,
                turns: vec![0.0; scene.joints().len()],
                reactions,
            });
        }
        // accelerations consistent with the loads at the start, without contacts
        let rates = (0..scene.len()).map(|i| self.rate(i, &scene.twist(i, &state.v), state.t).repeat(2)).collect();
        Memory::new(energy, 0).carrying(BodiesGglMemory { rates, ..Default::default() })
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Result<(), StepFailure> {
        let StepStart { state, memory, h } = *from;
        let kept = memory.carried.of::<BodiesGglMemory>();
        step.h = h;
        step.info = Default::default();
        step.smallest_gap = self.least_gap(&state.q);
        self.last = None;
        self.start.clear();
        self.turns.clear();
        let mut c_start: &[f64] = &[];
        if self.jointed() {
            self.start = self.frames(&state.q);
            self.turns.extend_from_slice(&kept.turns);
            c_start = &kept.c;
        }

        // smooth motion, then positions and velocities
        let mut motion = self.smooth_motion(from, kept)?;
        let start = self.start.clone();
        let place = Place { start: &start, c_start, t: state.t, h, way: motion.way };
        let found = self.settle(from, &mut motion, &place, step)?;

        // the new state and memory, contacts, energy
        let after: Vec<Twist> = found.held.x.iter().map(as_twist).collect();
        step.after.t = from.end();
        step.after.q.clone_from(&found.q);
        step.after.v.resize(state.v.len(), 0.0);
        for (i, twist) in after.iter().enumerate() {
            self.scene.write_twist(i, twist, &mut step.after.v);
        }
        let frames = self.frames(&found.q);
        if let Some(span) = Elements::folded(&self.scene, &frames) {
            return Err(StepFailure::folded(&self.scene, span, state.t, h));
        }
        if self.jointed() {
            self.joints.place(&start, c_start, &frames);
        }
        self.remember(from, &motion, &found, &after, &frames, next);
        self.tell_reactions(kept, next, &found.held.l, &frames, step);
        let mut works = self.record(&motion, &found, &after, &frames, step, next);
        self.account(from, next, &motion, &found, &after, &mut works);
        step.ledger = works.entry(self.scene.kinetic_energy(&step.after.v), self.potential(&found.q), memory.H);
        next.H = step.ledger.energy();
        StepFailure::unless_stopped(from.state.t, from.h)
    }
}
