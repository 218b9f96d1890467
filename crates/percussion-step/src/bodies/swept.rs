//! Steps on bodies that nothing passes through: a step whose path leads a body through another is made in parts, and so is one that cannot be
//! made as a whole.
//!
//!   depth on the way > ½ of what fails, and growing  ⟹  a part to just before the two meet, one in which they do, and the rest, each looked at again
//!   impulses between two that never come near, one of them turning by φ > ½  ⟹  a part in which it turns by ½
//!   play of a joint overrun by as much, ℓ its clearance  ⟹  the same
//!   energy gained on elements or by impulses of joints, or although a theorem excludes it  ⟹  halves, down to h/16
//!   the account of energy open, a body turning by φ > ½           ⟹  the same
//!   Newton's method ends before it arrives, a body fast  ⟹  halves, down to a way of ℓ/4
//!   rows still move when their passes end, or the account of momentum that is promised stays open, or that of energy by what Newton's method
//!   left  ⟹  halves, down to h/16
//!   longer than the scheme takes: contacts of GGL wind up stiff elements  ⟹  equal parts that are not
//!   no step of length h           ⟹  halves, down to h/16 and to a way of ℓ/4, and longer parts again after each that was made
//!
//! A law on velocities lets bodies move by (1 − θ) h U into each other, a law on positions looks at the end of a step only; what is fast
//! beside its thickness ℓ is on the other side by then. In a part short enough for a way of ℓ/4 every scheme meets the contact by its
//! own law. Steps are pure, so that one is thrown away without a trace, and the parts are handed on as one step. Steps of bodies that
//! are slow beside their thickness cost one look at how far each of them came.

use crate::step::parts::Parts;
use crate::{
    Ability, ContactState, Guarantee, Memory, Model, MomentumEntry, Scheme, State, Step, StepFailure, StepStart,
    Stepper, Stored, Warning,
};
use percussion_matrix::parts::{all_of, largest_by, reduced};
use percussion_matrix::phase;
use percussion_model::InputError;
use percussion_model::bodies::math::norm;
use percussion_model::bodies::{Bodies, Crossing, PathSearch, Twist, turn};
use percussion_solve::friction::{Device, FrictionProblem};
use std::ops::Range;
use std::sync::Arc;

/// Overlap, over ℓ, for which the certificate of the gap fails.
pub const THROUGH: f64 = 0.5;
/// Part of the overlap that makes the certificate fail from which on a step is made in parts. Under laws on velocities every impact leaves
/// (1 − θ) h U, which the next ones add to: shorter parts are taken well before the sum is too deep.
const DEEP: f64 = 0.5;
/// What a step must add to an overlap that is there to be made in parts: this part of what is left until the certificate fails, or of the
/// second part of the overlap for which it does.
const DEEPER: f64 = 0.1;
const LEAST: f64 = 0.04;
/// Overlap, over ℓ, that the certificate of the gap warns of, or fails for where the scheme or its law promises g ≥ 0.
pub const NOTICED: f64 = 0.1;
/// How near bodies are brought before the part in which they meet, and their way in that part, over ℓ.
const NEAR: f64 = 0.0625;
const MEETING: f64 = 0.25;
/// Turn in a step [rad] beyond which a gap along the normal of its start tells nothing of its end.
const FAR: f64 = 0.5;
/// Tries to make parts of a step at most, and the shortest of them: what still passes is left to the certificate.
const MOST: usize = 2000;
/// The same where Newton's method does not arrive or energy is gained: shorter parts help soon or not at all.
const FEW: usize = 400;
/// Tries after which the next part is no longer than twice the last, not all that is left: what spins on a plate meets it again and again.
const MANY: usize = 40;
const SMALLEST: f64 = 1e-6;
/// Where the Cayley map sends Newton's method to infinity, a turn of nearly π: h|w| of a body, and the part of the energies by which the
/// identity of the step is open.
const NEARLY_HALF_TURN: f64 = 50.0;
const ASTRAY: f64 = 1e-3;
/// Energy that a scheme without a theorem may gain in a step, in parts of the kinetic energy, where elements hold bodies together: at hω of 10 and
/// more the α-method is unstable where elements turn, where cables go slack and taut, and what a contact moves in position winds them up. A rope that
/// wraps round a corner went from 87 to 175 J where a twentieth was let pass, and stays at 87 J for a third of the work: what was wound up has to be unwound.
const GAINED: f64 = 3e-3;
/// The same where joints do: their impulses at q_{k+1} work on velocities that were allowed at q_k, and a chain that is thrown by a ball in a step in which it
/// turns by half a radian had 7 kJ of 150 J after it. One that is struck by its stops in every step, e = 1, gained a sixth and more of its energy in each,
/// 110 kJ of 2 kJ after 22 steps.
const JOLTED: f64 = 0.05;
/// What Newton's method for the joints may leave of a step in which bodies are fast, a part of the motion.
const UNFINISHED: f64 = 1e-11;
/// What an iteration may leave of any step, a part of the motion.
const LEFT: f64 = 1e-7;
/// Part of the momenta of a step by which their account may stay open: a tenth of what makes the certificate fail.
const LOST: f64 = 1e-10;
/// What is round-off of energies.
const ROUND_OFF: f64 = 1e-9;
/// The shortest part, of the step, for a step that cannot be made as a whole, where no body is fast beside the thinnest.
const SHORTEST: f64 = 1.0 / 16.0;
/// The same where a step in such parts would gain more energy than there is: a rod on a cable had 1.4 MJ of 3.7 J.
const FINEST: f64 = 1.0 / 1024.0;

/// Whether a step was made.
type Made = Result<(), StepFailure>;

/// A stepper on bodies whose steps are swept.
pub struct Swept {
    inner: Box<dyn Stepper>,
    scene: Arc<Bodies>,
    search: PathSearch,
    /// The least half-thickness of a body or clearance of a joint with play [m].
    thinnest: f64,
    /// Overlap, over ℓ, for which the certificate fails.
    worst: f64,
    /// Overlap, over ℓ, from which on a step is made in parts.
    limit: f64,
    /// Whether the scheme or its law promises g ≥ 0.
    promised: bool,
    /// Whether the law does, of gaps linearised at the start of a step.
    on_gap: bool,
    /// Whether the ledger of every step closes.
    identity: bool,
    /// Whether elements may be wound up: the scheme moves positions onto contacts and has no theorem to keep it from that.
    winds: bool,
    /// Whether joints may create energy: the same of them.
    jolts: bool,
    /// Whether a theorem says that no step creates energy.
    theorem: bool,
    /// Whether momentum is promised.
    momentum: bool,
    /// Whether a step may be made in parts: those that locate their events are only looked at.
    cuts: bool,
    /// The longest part of a step, and the shortest for one that cannot be made as a whole, of the step.
    longest: f64,
    shortest: f64,
    /// Pairs that overlap and are slow.
    slow: Vec<[usize; 2]>,
    found: Vec<Crossing>,
    parts: Parts,
    part: Step,
    at: State,
    memory: Memory,
    /// Threads that the look at a step is shared among; what is seen does not depend on it.
    threads: usize,
}

impl Swept {
    /// A stepper of the model, its steps swept where it moves bodies that may meet.
    pub fn over(inner: Box<dyn Stepper>, model: &Model, scheme: &Scheme) -> Box<dyn Stepper> {
        // where nothing touches, hinges still turn too far
        let moves = |scene: &Arc<Bodies>| scene.len() > 1 || model.has_contacts() || !scene.spans().is_empty();
        let Some(scene) = model.bodies().cloned().filter(moves) else { return inner };
        let promised = scheme.promises_gap(model) || scheme.activation == crate::Activation::Gap;
        let facts = scheme.facts();
        let worst = if promised { NOTICED } else { THROUGH };
        let search = PathSearch::new(&scene);
        let guarantee = Guarantee::new(scheme, model);
        let (identity, theorem) = (guarantee.has_identity(), guarantee.holds);
        Box::new(Self {
            longest: inner.longest(),
            shortest: SHORTEST,
            inner,
            thinnest: (0..scene.len())
                .map(|i| search.half_thickness([i, i]))
                .chain(scene.joints().iter().filter_map(|joint| joint.play.as_ref().map(|play| play.clearance)))
                .fold(f64::INFINITY, f64::min),
            search,
            worst,
            limit: DEEP * worst,
            promised,
            on_gap: scheme.activation == crate::Activation::Gap,
            identity,
            theorem,
            momentum: facts.promises.momentum,
            winds: matches!(facts.stored, Stored::Projected(_)) && !scene.spans().is_empty(),
            jolts: matches!(facts.stored, Stored::Projected(_)) && !scene.joints().is_empty(),
            cuts: !facts.has(Ability::LocatesEvents),
            parts: Parts::new(model, facts.contact_frame),
            slow: Vec::new(),
            found: Vec::new(),
            part: Step::default(),
            at: State::default(),
            memory: Memory::default(),
            threads: 1,
            scene,
        })
    }

    /// The deepest overlap on the way to the end of a step, and the part of it that may be made: up to the first that is too deep and can
    /// still be kept from being so. The search leaves out what is slow; of that, what is deep is found among the contacts, and under `gap` what
    /// touches and may have become so: the point of a rim that is lowest at the end is not the one whose gap was linearised. `began` is where the
    /// whole step does.
    fn look(&mut self, began: &[f64], q0: &[f64], step: &Step) -> (Option<Crossing>, Option<f64>) {
        let Self { search, scene, slow, found, .. } = self;
        let (worst, limit, on_gap) = (self.worst, self.limit, self.on_gap);
        let q1 = &step.after.q;
        found.clear();
        search.crossings(scene, q0, q1, |c| found.push(*c));
        slow.clear();
        let touching = |c: &ContactState| (on_gap || c.gap < 0.0) && scene.joint_of(c.id as u64).is_none();
        let deep = |c: &ContactState| -c.gap > limit * search.half_thickness(scene.pair_of(c.id as u64));
        if on_gap || !all_of(&step.contacts, self.threads, |c| !(touching(c) && deep(c))) {
            let suspect = |c: &ContactState| {
                let pair = scene.pair_of(c.id as u64);
                let may_be_deep = || on_gap && search.way(scene, pair, q0, q1) > limit * search.half_thickness(pair);
                (touching(c) && (deep(c) || may_be_deep())).then_some(pair)
            };
            let suspects = |rows: Range<usize>| step.contacts[rows].iter().filter_map(suspect).collect::<Vec<_>>();
            slow.extend(reduced(step.contacts.len(), self.threads, suspects, |a, b| [a, b].concat()));
        }
        slow.sort_unstable();
        slow.dedup();
        slow.retain(|pair| found.iter().all(|c| c.bodies != *pair));
        found.extend(slow.iter().filter_map(|&pair| search.overlap(scene, pair, q0, q1)));
        let mut first: Option<Crossing> = None;
        for c in found.iter().filter(|c| c.part > limit) {
            let before = search.overlap(scene, c.bodies, began, began).map_or(0.0, |start| start.part);
            let added = DEEPER * (worst - before).max(LEAST * worst);
            let grows = c.part > before + added && c.part > c.before;
            if grows && c.way > added && first.is_none_or(|f| c.from < f.from) {
                first = Some(*c);
            }
        }
        let mut in_joint = |c: &Crossing| {
            let added = DEEPER * (worst - c.before).max(LEAST * worst);
            if c.part > limit && c.part > c.before + added && first.is_none_or(|f| c.from < f.from) {
                first = Some(*c);
            }
        };
        search.overruns(scene, q0, q1, limit, &mut in_joint);
        if !scene.joints().is_empty() {
            step.contacts.iter().filter_map(|c| overrun(scene, step.h, c)).for_each(|c| in_joint(&c));
        }
        let deepest = found.iter().copied().max_by(|a, b| a.part.total_cmp(&b.part));
        (deepest, first.map(|first| shorter(&first)).or_else(|| self.pushed_from_afar(q0, step)))
    }

    /// The part of a step in which a body turns little, where it was pushed by what it never comes near.
    fn pushed_from_afar(&mut self, q0: &[f64], step: &Step) -> Option<f64> {
        let Self { search, scene, slow, .. } = self;
        let q1 = &step.after.q;
        let turn = |pair: [usize; 2]| pair.map(|i| turn(scene, i, q0, q1)).into_iter().fold(0.0, f64::max);
        slow.clear();
        if largest_by(scene.len(), self.threads, |i| turn([i, i])) <= FAR {
            return None;
        }
        let pushed = step.contacts.iter().filter(|c| c.p > 0.0 && scene.joint_of(c.id as u64).is_none());
        slow.extend(pushed.map(|c| scene.pair_of(c.id as u64)).filter(|&pair| turn(pair) > FAR));
        slow.dedup();
        let from_afar = slow.iter().filter(|pair| search.keep_apart(scene, **pair, q0, q1));
        from_afar.map(|&pair| FAR / turn(pair)).reduce(f64::min)
    }

    /// The same step in parts, the first of this length.
    fn by_parts(&mut self, from: &StepStart, first: f64, step: &mut Step, next: &mut Memory) -> Made {
        self.inner.part_of(Some(from.h));
        let mut made = self.make_parts(from, first, step, next);
        let there = self.scene.kinetic_energy(&from.state.v);
        if made.is_ok() && step.ledger.created() > there + step.ledger.potential.abs() {
            self.shortest = FINEST;
            let finer = self.make_parts(from, SHORTEST * first, step, next);
            self.shortest = SHORTEST;
            if finer.is_err() {
                made = self.make_parts(from, first, step, next);
            }
        }
        self.inner.part_of(None);
        made?;
        self.refuse_passage(from, step)
    }

    fn make_parts(&mut self, from: &StepStart, first: f64, step: &mut Step, next: &mut Memory) -> Made {
        self.at.clone_from(from.state);
        self.memory.clone_from(from.memory);
        self.parts.begin(from, step);
        let cap = self.equal_part(from.h);
        let (mut left, mut length, mut longest) = (from.h, first, cap);
        let most = if self.shortest == SHORTEST { FEW } else { MOST };
        for number in 1.. {
            StepFailure::unless_stopped(from.state.t, from.h)?;
            let at = StepStart { state: &self.at, memory: &self.memory, h: length };
            let made = self
                .inner
                .step(&at, &mut self.part, next)
                .and_then(|()| astray(&self.scene, self.identity, &at, &self.part));
            if let Err(failure) = made {
                if !self.may_halve(length, from.h.min(cap)) || number >= most {
                    return Err(failure);
                }
                length *= 0.5;
                longest = length;
                continue;
            }
            let long = length > self.shortest * from.h.min(cap)
                && (self.gained(&self.at, &self.part) || self.unfinished(&self.part));
            if number < most && (long || (length > SMALLEST * from.h && self.astray_in_joints(&self.at, length))) {
                length *= 0.5;
                longest = length;
                continue;
            }
            let (at, part) = (std::mem::take(&mut self.at), std::mem::take(&mut self.part));
            let (deepest, share) = self.look(&from.state.q, &at.q, &part);
            (self.at, self.part) = (at, part);
            if let Some(share) = share.filter(|_| number < MOST && length > SMALLEST * from.h) {
                length *= share;
                continue;
            }
            self.part.crossing = deepest;
            self.parts.add(&self.part, step);
            left -= length;
            if left <= 1e-12 * from.h {
                break;
            }
            self.at.clone_from(&self.part.after);
            std::mem::swap(&mut self.memory, next);
            longest = cap.min(2.0 * if number > MANY { length } else { longest });
            length = left.min(longest);
        }
        self.parts.finish(from, step);
        Ok(())
    }

    /// The longest of equal parts of a step that the scheme takes.
    fn equal_part(&self, h: f64) -> f64 {
        if h <= self.longest { f64::INFINITY } else { h / (h / self.longest).ceil() }
    }

    /// Whether half of a part that cannot be made is tried: it is long, or a body is still fast in it. What is thrown that far meets both
    /// sides of a plate, and turns by radians when it does.
    fn may_halve(&self, length: f64, whole: f64) -> bool {
        length > self.shortest * whole || (length > SMALLEST * whole && self.fast(&self.at, length))
    }

    /// Whether a body goes further than a quarter of the thinnest one's half-thickness, or of the least clearance.
    fn fast(&self, from: &State, h: f64) -> bool {
        let scene = &self.scene;
        let way = |i: usize| {
            let Twist { v, w } = scene.imposed(i, from.t).unwrap_or_else(|| scene.twist(i, &from.v));
            h * (norm(&v) + norm(&w) * scene.bodies()[i].reach.min(1e6))
        };
        (0..scene.len()).any(|i| way(i) > MEETING * self.thinnest)
    }

    /// Whether a step from here gained energy on elements, or although a theorem excludes it, or left its account open: a body that turns by more
    /// than the rows in the middle of the step can follow is struck along rows that are no longer its own.
    fn gained(&self, from: &State, step: &Step) -> bool {
        let entry = &step.ledger;
        let created = entry.created();
        let still = entry.kinetic + entry.potential.abs();
        let excluded = self.theorem && created > step.info.slack.max(ROUND_OFF * still);
        let open = self.identity && entry.balance.abs() > ROUND_OFF * still;
        if !excluded && !self.winds && !self.jolts && !open {
            return false;
        }
        let moving = self.scene.kinetic_energy(&from.v).max(entry.kinetic);
        let turns = |i: usize| turn(&self.scene, i, &from.q, &step.after.q) > FAR;
        if open
            && entry.balance.abs() > ROUND_OFF * (moving + entry.potential.abs())
            && (0..self.scene.len()).any(turns)
        {
            return true;
        }
        let wound = entry.work_projection.unwrap_or(0.0) - entry.dissipation_numerical;
        (excluded && created > ROUND_OFF * (moving + entry.potential.abs()))
            || (self.winds && wound > GAINED * moving + ROUND_OFF * entry.potential.abs())
            || (self.jolts && wound + entry.work_joints > JOLTED * moving + ROUND_OFF * entry.potential.abs())
    }

    /// Whether Newton's method went no further before it arrived, in a step in which a body is fast: a pin that crosses its hole turns the normal
    /// it will be pushed along by radians, and what is left is open in the account of momentum.
    fn astray_in_joints(&self, from: &State, h: f64) -> bool {
        self.inner.left_over() > UNFINISHED && self.fast(from, h)
    }

    /// Whether the iterations of a step ended before it was found: rows of contacts still moved, momentum came or went with nothing that took it,
    /// or what Newton's method left keeps the account of energy open.
    fn unfinished(&self, step: &Step) -> bool {
        let MomentumEntry { kept, residual, scale, .. } = &step.momentum;
        let lost = |k: usize| residual[k] > LOST * scale[k];
        let entry = &step.ledger;
        let open = self.identity && entry.balance.abs() > ROUND_OFF * (entry.kinetic + entry.potential.abs());
        let left = self.inner.left_over();
        left > LEFT || (left > 0.0 && open) || (self.momentum && *kept && (0..2).any(lost))
    }

    /// No step where the scheme promises g ≥ 0 and bodies still pass through each other, however short its parts are.
    fn refuse_passage(&self, from: &StepStart, step: &Step) -> Made {
        let Some(crossing) = step.crossing.filter(|c| self.promised && c.part > THROUGH) else { return Ok(()) };
        let [a, b] = crossing.bodies.map(|i| &self.scene.bodies()[i].name);
        let part = crossing.part;
        let message = format!(
            "\"{a}\" and \"{b}\" pass through each other, {part:.2} of the least half-thickness of the two deep"
        );
        Err(StepFailure::newton(from.state, from.h, message))
    }
}

/// No step where Newton's method went to infinity.
fn astray(scene: &Bodies, identity: bool, from: &StepStart, step: &Step) -> Made {
    let entry = &step.ledger;
    let (open, size) = (entry.balance.abs(), entry.kinetic + entry.potential.abs());
    if !identity || open <= ASTRAY * size {
        return Ok(());
    }
    let turns = |i: &usize| from.h * norm(&scene.twist(*i, &step.after.v).w) > NEARLY_HALF_TURN;
    let Some(i) = (0..scene.len()).filter(|&i| scene.bodies()[i].is_free()).find(turns) else { return Ok(()) };
    let name = &scene.bodies()[i].name;
    let by = if open.is_finite() { format!("by {open:.1e} J") } else { "without end".to_string() };
    let message = format!("\"{name}\" would turn by nearly half a turn, and the balance of energy is open {by}");
    Err(StepFailure::newton(from.state, from.h, message))
}

/// The way between two stops or teeth that a step overran, ℓ; the gap goes as its rate does, g_k = g_{k+1} − h (U_k + U_{k+1})/2.
fn overrun(scene: &Bodies, h: f64, c: &ContactState) -> Option<Crossing> {
    let id = c.id as u64;
    let between_two = scene.stop_of(id).is_some() || scene.backlash_of(id).is_some();
    let l = scene.joint_clearance(id).filter(|_| between_two && c.gap < 0.0)?;
    let [start, end] = [(c.gap - 0.5 * h * (c.u_before + c.u_after)) / l, c.gap / l];
    let from = if start > 0.0 { start / (start - end) } else { 0.0 };
    let way = (start - end).abs();
    Some(Crossing { bodies: scene.pair_of(id), depth: -c.gap, part: -end, from, way, before: (-start).max(0.0) })
}

/// How much of a step to make: to just before the two meet, or, where they are that near, until they have.
fn shorter(crossing: &Crossing) -> f64 {
    let until = crossing.from * crossing.way - NEAR;
    // what overlaps already has less left until it is through
    let meeting = MEETING * (1.0 - crossing.before / THROUGH).clamp(0.2, 1.0);
    let way = if until > NEAR { until } else { meeting.min(0.5 * crossing.way) };
    (way / crossing.way).min(0.9)
}

impl Stepper for Swept {
    /// Only what would fail is made in parts: steps of any length would overlap alike, and their difference tell nothing of the error.
    fn follow_errors(&mut self) {
        self.limit = self.worst;
        self.inner.follow_errors();
    }

    fn settle(&mut self, state: &mut State) -> Option<Warning> {
        self.inner.settle(state)
    }

    fn start(&mut self, state: &State) -> Memory {
        self.inner.start(state)
    }

    fn step(&mut self, from: &StepStart, step: &mut Step, next: &mut Memory) -> Made {
        if self.cuts && from.h > self.longest {
            return self.by_parts(from, self.equal_part(from.h), step, next);
        }
        let made = self.inner.step(from, step, next).and_then(|()| astray(&self.scene, self.identity, from, step));
        if let Err(failure) = made {
            // what is told is why the whole step failed
            return match self.cuts {
                true => self.by_parts(from, 0.5 * from.h, step, next).map_err(|_| failure),
                false => Err(failure),
            };
        }
        let open = self.gained(from.state, step) || self.unfinished(step) || self.astray_in_joints(from.state, from.h);
        if self.cuts && open {
            if self.by_parts(from, 0.5 * from.h, step, next).is_ok() {
                return Ok(());
            }
            self.inner.step(from, step, next)?;
        }
        phase::enter("paths");
        let (deepest, share) = self.look(&from.state.q, &from.state.q, step);
        (step.crossing, step.parts) = (deepest, 1);
        step.turns.clear();
        match share.filter(|_| self.cuts) {
            Some(share) => self.by_parts(from, share * from.h, step, next),
            None => self.refuse_passage(from, step),
        }
    }

    fn contact_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        self.inner.contact_problem()
    }

    fn algorithmic_energy(&self, memory: &Memory, h: f64) -> f64 {
        self.inner.algorithmic_energy(memory, h)
    }

    fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
        self.search.threads = threads;
        self.inner.use_threads(threads);
    }

    fn use_device(&mut self, device: &Device) {
        self.inner.use_device(device);
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        self.inner.statistics()
    }

    fn refuse(&mut self, state: &State, h: f64) -> Option<InputError> {
        self.inner.refuse(state, h)
    }

    fn warnings(&mut self, h: f64) -> Vec<Warning> {
        self.inner.warnings(h)
    }
}
