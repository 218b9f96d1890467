//! Equilibrium of bodies, joints, beams and contacts: steps from rest that grow.
//!
//!   M Δx/h² = F(q₁) + Dᵀλ/h + Hᵀp/h,    c(q₁) = c₀,  0 ≤ g(q₁) ⟂ p ≥ 0,    v = 0 before every step
//!
//! Stresses are those of the end of the step, lines of action those of its middle, so half of each step is gone. A short step goes down the slope of the potential, a
//! long one is Newton's for the equilibrium; where it leads nowhere it is made shorter, where it converges no longer. Joints keep the values c₀ of the very start, so
//! long steps leave nothing open. What comes to rest is an equilibrium that a small push does not leave at once; its residual is M Δx/h².

use crate::schemes::moreau_jean::jointed::{JointedBodies, JointedMemory};
use crate::{Activation, Memory, Scheme, SchemeOptions, State, Step, StepFailure, StepStart, Stepper};
use percussion_model::bodies::math::{norm, sub};
use percussion_model::bodies::{Bodies, Frame};
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
    let mut state = State { t, q: q0.to_vec(), v: vec![0.0; scene.n_v()] };
    let (mut h, mut ceiling) = (h.clamp(FIRST, 100.0 * FIRST), LONGEST);
    let (mut quiet, mut last) = (0, f64::INFINITY);
    let (mut step, mut next) = (Step::default(), Memory::new(0.0, 0));
    let mut held: Option<Memory> = None;
    for made in 1..=STEPS {
        let damped = Arc::new(still.stressed_at_the_end(h));
        let mut stepper = JointedBodies::new(Arc::clone(&damped), 1.0, &scheme, options).without_ladder();
        let mut memory = stepper.start(&state);
        // joints at the values of the very start
        if let Some(first) = &held {
            memory.carried.renew::<JointedMemory>().clone_from(first.carried.of());
        }
        let outcome = stepper.step(&StepStart { state: &state, memory: &memory, h }, &mut step, &mut next);
        held.get_or_insert(memory);
        let way = match &outcome {
            Ok(()) => farthest(&damped, &state.q, &step.after.q, size),
            Err(_) => f64::INFINITY,
        };
        if way > FAR {
            (ceiling, h) = (0.7 * h, 0.3 * h);
            if h < SHORTEST {
                return Err(Unsettled::Failed(outcome.err().unwrap_or_else(|| lost(t, h))));
            }
            continue;
        }
        // forces stand in the mean frame: half of a long step leads to where they would be at rest, all of it beyond
        let before = state.q.clone();
        for i in (0..damped.len()).filter(|&i| damped.bodies()[i].is_free()) {
            damped.advance(i, &before, 0.5 * h, &damped.twist(i, &step.after.v), &mut state.q);
        }
        // what converges moves less and less; round-off does not, and a step that only began goes farther by the square of its length
        let round_off = way <= ROUND_OFF && way >= last && way <= GROWTH * last;
        if (way <= AT_REST || round_off) && h >= FIRST {
            quiet += 1;
        } else if way > ROUND_OFF {
            quiet = 0;
        }
        if quiet == QUIET {
            let moved = size * farthest(&damped, q0, &state.q, size);
            return Ok(Settled { state, steps: made, moved, left: size * way, last: step });
        }
        ceiling = (1.5 * ceiling).min(LONGEST);
        let slow = way > 0.6 * last && (way < last || way > ROUND_OFF);
        if slow {
            h = (GROWTH * h).min(ceiling);
        }
        last = way;
    }
    Err(Unsettled::Failed(lost(t, h)))
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
