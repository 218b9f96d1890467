//! Equilibrium of bodies, joints, beams and contacts: steps from rest that grow.
//!
//!   M Δx/h² = F(q₁) + Dᵀλ/h + Hᵀp/h,    c(q₁) = c₀,  0 ≤ g(q₁) ⟂ p ≥ 0,    v = 0 before every step
//!
//! Stresses are those of the end of the step, lines of action those of its middle, so half of each step is gone. A short step goes down the slope of the potential, a
//! long one is Newton's for the equilibrium; where it leads nowhere it is made shorter, where it converges no longer. Joints keep the values c₀ of the very start, so
//! long steps leave nothing open. What comes to rest is an equilibrium that a small push does not leave at once; its residual is M Δx/h².
//!
//! Ropes that fall on something have contacts that come and go, and long steps with them are not solved. After some that were not, the scene moves for a while as it
//! would in time, with θ = ½ and the law of impact, its velocities fading with e^(−t/τ); the search goes on from where that leads.

use crate::schemes::moreau_jean::jointed::{JointedBodies, JointedMemory};
use crate::{Activation, Memory, Scheme, SchemeOptions, State, Step, StepFailure, StepStart, Stepper};
use percussion_model::bodies::math::{norm, sub};
use percussion_model::bodies::{Bodies, Body, Frame, at};
use percussion_model::{Code, InputError};
use percussion_solve::SolverOptions;
use std::sync::Arc;

/// Steps at most.
const STEPS: usize = 2000;
/// Part of the scene's size, and angle, by which bodies may still move in a long step.
const AT_REST: f64 = 1e-14;
/// The same where longer steps move them no less: the round-off of stiff forces in soft directions.
const ROUND_OFF: f64 = 1e-8;
/// Part of the scene's size, and angle, that one step may go.
const FAR: f64 = 0.5;
/// How much longer the next step is.
const GROWTH: f64 = 3.0;
/// Steps that must leave everything where it is.
const QUIET: usize = 3;
/// The first step at least, and the longest: what nothing holds drifts by its round-off times h² [s].
const FIRST: f64 = 1e-3;
const LONGEST: f64 = 100.0;
/// The shortest that is tried [s].
const SHORTEST: f64 = 1e-12;
/// Contacts are looked for within so many times the last way, and within this part of the scene's size at least.
const AHEAD: f64 = 12.0;
const NEAR: f64 = 1e-4;
/// Iterations of the solvers of contact problems at most: a step that takes more is better made shorter.
const SOLVE: usize = 1000;
/// Steps that may fail before the scene is let move, how often that is, and for how many steps at most.
const FAILURES: usize = 8;
const MOTIONS: usize = 3;
const MOVED: usize = 3000;
/// τ of a scene that is let move [s], and part of what weights make of rest in τ at which it stands.
const FADING: f64 = 0.1;
const STANDS: f64 = 1e-7;
/// The shortest of its steps, in parts of the scenario's.
const SHORT: f64 = 1.0 / 64.0;
/// Part of the energies of a step by which it may have gained some.
const CLIMB: f64 = 1e-6;
/// What each step leaves of the way before it where it converges.
const CONVERGES: f64 = 0.6;
/// Part of weights and loads that may stay unbalanced where contacts carry them.
const UNBALANCED: f64 = 1e-8;

/// An equilibrium.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Where everything is at rest.
    pub state: State,
    /// Steps made.
    pub steps: usize,
    /// The farthest that a body has moved from where it was [m].
    pub moved: f64,
    /// What the last step still moved [m].
    pub left: f64,
    /// The last step: impulses of contacts and reactions of joints over its length.
    pub last: Step,
}

/// Why nothing came to rest.
#[derive(Clone, Debug)]
pub enum Unsettled {
    /// The scene cannot be asked.
    Input(InputError),
    /// No step, however short, leads on.
    Failed(StepFailure),
}

/// The equilibrium nearest downhill from q₀ under the loads of time t; h is the first step [s].
pub fn settle(scene: &Bodies, q0: &[f64], t: f64, h: f64, options: SolverOptions) -> Result<Settled, Unsettled> {
    let (scheme, _) = Scheme::resolve("moreau-jean", &SchemeOptions { theta: Some(1.0), ..Default::default() })
        .map_err(Unsettled::Input)?;
    let scheme = Scheme { activation: Activation::Gap, ..scheme };
    let still = scene.held_at(t);
    let size = still.size(q0);
    let options = SolverOptions { max_iterations: options.max_iterations.min(SOLVE), ..options };
    let mut state = State { t, q: q0.to_vec(), v: vec![0.0; scene.n_v()] };
    let own = h;
    let (mut failed, mut motions) = (0, 0);
    let (mut h, mut ceiling) = (h.clamp(FIRST, 100.0 * FIRST), LONGEST);
    let (mut quiet, mut last) = (0, f64::INFINITY);
    let (mut step, mut next) = (Step::default(), Memory::new(0.0, 0));
    let mut held: Option<Memory> = None;
    let mut look = FAR;
    let pull = strongest(&still, t);
    for made in 1..=STEPS {
        let damped = Arc::new(still.stressed_at_the_end(h));
        let mut stepper =
            JointedBodies::new(Arc::clone(&damped), 1.0, &scheme, options).seeking_rest(2.0 * look * size);
        let mut memory = stepper.start(&state);
        // joints at the values of the very start
        if let Some(first) = &held {
            memory.carried.renew::<JointedMemory>().clone_from(first.carried.of());
        }
        let before = memory.H;
        let outcome = stepper.step(&StepStart { state: &state, memory: &memory, h }, &mut step, &mut next);
        held.get_or_insert(memory);
        let way = match &outcome {
            Ok(()) if climbs(&step, before) => f64::INFINITY,
            Ok(()) => farthest(&damped, &state.q, &step.after.q, size),
            Err(_) => f64::INFINITY,
        };
        if way > look && look < FAR && way.is_finite() {
            look = (AHEAD * look).min(FAR);
            continue;
        }
        if way.is_finite() {
            look = (AHEAD * way).clamp(NEAR, FAR);
        }
        failed += usize::from(!way.is_finite());
        if failed > FAILURES && motions < MOTIONS && still.has_touching_shapes() {
            (failed, motions, quiet, last, look) = (0, motions + 1, 0, f64::INFINITY, FAR);
            (h, ceiling) = (FIRST, LONGEST);
            fall(&still, &mut state, own.min(10.0 * FIRST), STANDS * pull * FADING, options);
            continue;
        }
        if way > FAR {
            (ceiling, h) = (0.7 * h, 0.3 * h);
            if h < SHORTEST {
                return Err(Unsettled::Failed(outcome.err().unwrap_or_else(|| lost(t, h))));
            }
            continue;
        }
        // forces stand in the mean frame: half of a long step leads to where they would be at rest, all of it beyond
        let from = state.q.clone();
        for i in (0..damped.len()).filter(|&i| damped.bodies()[i].is_free()) {
            damped.advance(i, &from, 0.5 * h, &damped.twist(i, &step.after.v), &mut state.q);
        }
        // what converges moves less and less; round-off does not, and a step that only began goes farther by the square of its length
        let round_off = way <= ROUND_OFF && way >= last && way <= GROWTH * last;
        // contacts end at the tolerance of their solver: what is left of the way goes on shrinking, and of the balance hardly anything
        let carried = step.contacts.iter().any(|contact| contact.p > 0.0)
            && way <= ROUND_OFF.min(UNBALANCED * pull * h * h / size)
            && (way <= CONVERGES * last || motions > 0);
        if (way <= AT_REST || round_off || carried) && h >= FIRST {
            quiet += 1;
        } else if way > ROUND_OFF {
            quiet = 0;
        }
        if quiet == QUIET {
            let moved = size * farthest(&damped, q0, &state.q, size);
            return Ok(Settled { state, steps: made, moved, left: size * way, last: step });
        }
        ceiling = (1.5 * ceiling).min(LONGEST);
        let slow = way > CONVERGES * last && (way < last || way > ROUND_OFF);
        if slow {
            h = (GROWTH * h).min(ceiling);
        }
        last = way;
    }
    Err(Unsettled::Failed(lost(t, h)))
}

/// Whether a step from rest has more energy after it than its works gave it, which forces of its end exclude: its iterations stood still elsewhere, as those of cables
/// that go slack and taut may.
fn climbs(step: &Step, before: f64) -> bool {
    let entry = &step.ledger;
    let given = entry.work_external + entry.work_contact + entry.work_joints;
    let gained = entry.energy() - before - given;
    gained > CLIMB * (entry.kinetic + given.abs()) + ROUND_OFF * (entry.potential.abs() + before.abs())
}

/// Lets a scene move, its velocities fading, until it stands or the steps are made; velocities then are zero. A step that fails is made again at half the speed and length.
fn fall(still: &Bodies, state: &mut State, mut h: f64, stands: f64, options: SolverOptions) {
    let Ok((scheme, _)) = Scheme::resolve("moreau-jean", &SchemeOptions { theta: Some(0.5), ..Default::default() })
    else {
        return;
    };
    let damped = Arc::new(still.stressed_at_the_end(h));
    let mut stepper = JointedBodies::new(Arc::clone(&damped), 0.5, &scheme, options);
    let mut memory = stepper.start(state);
    let (mut step, mut next) = (Step::default(), memory.clone());
    let shortest = SHORT * h;
    for _ in 0..MOVED {
        if stepper.step(&StepStart { state, memory: &memory, h }, &mut step, &mut next).is_err() {
            if h <= shortest {
                break;
            }
            h *= 0.5;
            state.v.iter_mut().for_each(|v| *v *= 0.5);
            memory = stepper.start(state);
            continue;
        }
        std::mem::swap(state, &mut step.after);
        state.v.iter_mut().for_each(|v| *v /= 1.0 + h / FADING);
        std::mem::swap(&mut memory, &mut next);
        if state.v.iter().all(|v| v.abs() <= stands) {
            break;
        }
    }
    state.v.fill(0.0);
}

/// The largest acceleration that a weight or load gives a body by itself [m/s²].
fn strongest(scene: &Bodies, t: f64) -> f64 {
    let pulled = |body: &Body| body.inverse_mass * norm(&at(&body.force, t));
    let loads = scene.bodies().iter().filter(|body| body.is_free()).map(pulled);
    loads.fold(norm(&scene.gravity()), f64::max)
}

fn lost(t: f64, h: f64) -> StepFailure {
    StepFailure {
        code: Code::NO_EQUILIBRIUM,
        t,
        h,
        message: "nothing came to rest".into(),
        help: "hold what can fall or turn freely, check that loads are not larger than what carries them, and start nearer to rest: taut \
               instead of slack, touching instead of above; or run the scene with damping until it rests and go on from there with run --from"
            .into(),
        problem: None,
    }
}

/// The farthest way of a body's place over the size of the scene, and of its axes, whichever is larger.
fn farthest(scene: &Bodies, q0: &[f64], q1: &[f64], size: f64) -> f64 {
    let mut worst: f64 = 0.0;
    for (i, _) in scene.bodies().iter().enumerate().filter(|(_, body)| body.is_free()) {
        let (a, b): (Frame, Frame) = (scene.frame(i, q0), scene.frame(i, q1));
        worst = worst.max(norm(&sub(&b.x, &a.x)) / size);
        for k in 0..3 {
            worst = worst.max(norm(&sub(&b.R[k], &a.R[k])));
        }
    }
    if worst.is_finite() { worst } else { f64::INFINITY }
}
