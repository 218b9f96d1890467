//! What may be asked of adaptive steps, and what is refused.

use crate::schemes::equations::{Ability, Steps, System};
use crate::{Model, Scheme};
use percussion_matrix::math;
use percussion_model::{Code, InputError};

/// The order p in the estimate of the local error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdaptiveOrder {
    /// p = 0, 1 or 2 throughout.
    Fixed(u32),
    /// p = 0 in a step with an impact, the scheme's order of smooth motion elsewhere.
    Variable,
}

/// Which part of the state is controlled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// q: the default. The error of v at an impact is of the size of v and cannot be reduced.
    Positions,
    /// v.
    Velocities,
    /// Both.
    Both,
}

impl Control {
    /// The word in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Self::Positions => "q",
            Self::Velocities => "v",
            Self::Both => "qv",
        }
    }
}

/// How the error of a step is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Estimate {
    /// By the same step in two halves.
    #[default]
    Halving,
    /// By an extrapolation of the motion before it, where no impulse acts (Milne's device).
    Milne,
    /// By Euler's rule beside the trapezoidal rule, both with the velocities of the step (an embedded pair).
    Embedded,
}

impl Estimate {
    /// The word in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Self::Halving => "halving",
            Self::Milne => "milne",
            Self::Embedded => "embedded",
        }
    }
}

/// A tolerance per quantity; one number stands for all coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// Of each coordinate, or one for all.
    pub q: Vec<f64>,
    /// Of each velocity, or one for all.
    pub v: Vec<f64>,
    /// Of a gap's change for the worse.
    pub gap: f64,
}

impl Tolerance {
    /// The same for all.
    pub fn all(x: f64) -> Self {
        Self { q: vec![x], v: vec![x], gap: x }
    }

    fn refuse(&self, name: &str, model: &Model) -> Result<(), InputError> {
        let lists = [("q", &self.q, model.n_q()), ("v", &self.v, model.n_v()), ("gap", &vec![self.gap], 1)];
        for (key, list, n) in lists {
            if list.len() != 1 && list.len() != n {
                let message = format!("{name}.{key} has {} entries where the model has {n}", list.len());
                let help = "give one number for all, or one for each";
                return Err(InputError::new(Code::BAD_SHAPE, format!("time.adaptive.{name}"), message, help));
            }
            if let Some(x) = list.iter().find(|x| !(**x >= 0.0 && x.is_finite())) {
                let message = format!("{name}.{key} = {x} is not a finite number of at least 0");
                return Err(bad(name, message, "give a tolerance such as 1e-4"));
            }
        }
        Ok(())
    }
}

/// The entry for coordinate i.
#[inline]
pub fn entry(list: &[f64], i: usize) -> f64 {
    if list.len() == 1 { list[0] } else { list[i] }
}

/// How steps are chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveOptions {
    /// p of the estimate.
    pub order: AdaptiveOrder,
    /// How the error of a step is estimated.
    pub estimate: Estimate,
    /// Absolute tolerance.
    pub atol: Tolerance,
    /// Relative tolerance.
    pub rtol: Tolerance,
    /// Which part of the state is controlled.
    pub control: Control,
    /// Whether a contact may get deeper in a step by at most its tolerance.
    pub violation: bool,
    /// Whether the depth itself is held against the tolerance, not its growth in a step: (128) of Acary's lectures as printed. It
    /// stalls as soon as a body rests a little too deep.
    pub depth: bool,
    /// No shorter steps; here a step is accepted whatever its error, and counted [s].
    pub step_min: f64,
    /// No longer steps [s].
    pub step_max: f64,
    /// Richardson extrapolation over steps without impulses (Studer).
    pub extrapolate: bool,
    /// α, part of the step the estimate allows that is taken. Default 0.9.
    pub alpha: f64,
    /// Most a step shrinks at once. Default 0.2.
    pub alpha_min: f64,
    /// Most a step grows at once. Default 5.
    pub alpha_max: f64,
}

impl AdaptiveOptions {
    /// The defaults for a run to `end`: order 1, positions and violation controlled.
    pub fn new(tolerance: f64, end: f64) -> Self {
        Self {
            order: AdaptiveOrder::Fixed(1),
            estimate: Estimate::Halving,
            atol: Tolerance::all(tolerance),
            rtol: Tolerance::all(tolerance),
            control: Control::Positions,
            violation: true,
            depth: false,
            step_min: 1e-9 * end,
            step_max: 0.1 * end,
            extrapolate: false,
            alpha: 0.9,
            alpha_min: 0.2,
            alpha_max: 5.0,
        }
    }

    /// The factor of the next step after an error in units of its tolerance, at order p.
    pub(super) fn factor(&self, err: f64, p: u32) -> f64 {
        let wanted = if err > 0.0 { self.alpha * math::powf(err, -1.0 / f64::from(p + 1)) } else { f64::INFINITY };
        wanted.max(self.alpha_min).min(self.alpha_max)
    }

    /// Refuses estimates of one computation where they cannot do what is asked.
    fn check_estimate(&self, scheme: &Scheme) -> Result<(), InputError> {
        let name = self.estimate.name();
        let refuse = |code: Code, message: String| {
            Err(InputError::new(code, "time.adaptive.estimate", message, "use estimate = \"halving\""))
        };
        if self.estimate == Estimate::Halving {
            return Ok(());
        }
        if self.extrapolate {
            let message =
                format!("extrapolate needs both halves of a step, which estimate = \"{name}\" does not compute");
            return refuse(Code::CONTRADICTION, message);
        }
        if scheme.facts().has(Ability::EnergyOfStep) {
            let message =
                format!("the energy of {} contains the step, whose changes only halving watches", scheme.name);
            return refuse(Code::UNSUPPORTED, message);
        }
        if self.estimate == Estimate::Embedded && self.control != Control::Positions {
            let message = "the embedded pair is one of positions: accelerations at the ends of a step are not known";
            return refuse(Code::UNSUPPORTED, message.into());
        }
        if self.estimate == Estimate::Embedded && self.order == AdaptiveOrder::Fixed(2) {
            let message = "the lower rule of the embedded pair is of order 1, so is its error";
            return refuse(Code::CONTRADICTION, message.into());
        }
        Ok(())
    }

    /// Refuses what makes no sense, for a scheme on a model over a horizon.
    pub fn check(&self, scheme: &Scheme, model: &Model, end: f64) -> Result<(), InputError> {
        if let AdaptiveOrder::Fixed(p) = self.order
            && p > 2
        {
            return Err(bad("order", format!("order = {p}"), "use 0, 1, 2 or \"variable\""));
        }
        self.atol.refuse("atol", model)?;
        self.rtol.refuse("rtol", model)?;
        let controlled = [
            (self.control != Control::Velocities, &self.atol.q, &self.rtol.q, "q", model.n_q()),
            (self.control != Control::Positions, &self.atol.v, &self.rtol.v, "v", model.n_v()),
        ];
        for (wanted, atol, rtol, key, n) in controlled {
            if wanted && (0..n).any(|i| entry(atol, i) == 0.0 && entry(rtol, i) == 0.0) {
                let message = format!("atol and rtol of {key} are both zero: no step could be accepted");
                return Err(bad("atol", message, "give a tolerance such as 1e-4"));
            }
            if wanted && (0..n).any(|i| entry(atol, i) == 0.0) {
                let message = format!("atol of {key} is zero: where {key} passes through 0 no step could be accepted");
                return Err(bad("atol", message, "give a tolerance such as 1e-4"));
            }
        }
        if self.violation && self.atol.gap == 0.0 {
            let message = "atol of the gaps is zero: a contact could never get deeper";
            return Err(bad("atol", message.into(), "give it a value, or violation = false"));
        }
        self.check_estimate(scheme)?;
        let shortest = 1e-12 * end;
        let ordered = self.step_min > 0.0 && self.step_min <= self.step_max && self.step_max.is_finite();
        if !(ordered && self.step_min >= shortest) {
            let message = format!(
                "step_min = {:e}, step_max = {:e} are not {shortest:e} ≤ step_min ≤ step_max",
                self.step_min, self.step_max
            );
            return Err(bad("step_min", message, "steps shorter than 1e-12 of the run are lost in the digits of t"));
        }
        let alphas = 0.0 < self.alpha_min
            && self.alpha_min < self.alpha
            && self.alpha < 1.0
            && 1.0 < self.alpha_max
            && self.alpha_max.is_finite();
        if !alphas {
            let message = format!(
                "alpha_min = {}, alpha = {}, alpha_max = {} are not 0 < alpha_min < alpha < 1 < alpha_max",
                self.alpha_min, self.alpha, self.alpha_max
            );
            return Err(bad("alpha", message, "0.2, 0.9 and 5 are the defaults"));
        }
        match scheme.facts().steps {
            Steps::Free => {}
            Steps::Equal(message) => {
                let help = "remove adaptive, or use moreau-jean or another one-step scheme";
                return Err(InputError::new(Code::UNSUPPORTED, "time.adaptive", message, help));
            }
            Steps::Own => {
                let message = format!("{} goes from event to event with stretches of its own", scheme.name);
                let help = "remove adaptive; scheme.tolerance of event-driven sets its error";
                return Err(InputError::new(Code::UNSUPPORTED, "time.adaptive", message, help));
            }
        }
        if self.extrapolate {
            let one_step = scheme.facts().has(Ability::Extrapolates);
            let jointed = model.system() == System::Lagrangian && model.n_joints() > 0;
            let turning = model.system() == System::Bodies;
            if !one_step || jointed || turning {
                let message = if turning {
                    "extrapolated rotations are none".to_string()
                } else if one_step {
                    "extrapolated positions leave nonlinear joints".to_string()
                } else {
                    format!("extrapolate is for moreau-jean and moreau-jean-midpoint, not for {}", scheme.name)
                };
                let help = "remove extrapolate";
                return Err(InputError::new(Code::UNSUPPORTED, "time.adaptive.extrapolate", message, help));
            }
        }
        Ok(())
    }
}

fn bad(field: &str, message: String, help: &str) -> InputError {
    InputError::new(Code::BAD_ADAPTIVE, format!("time.adaptive.{field}"), message, help)
}
