//! The keys of `[scheme]`, each written once: name, form, range, default, sentence.
//!
//! A scheme lists the ones it takes, with its own default where that differs.

use crate::schemes::options::parameter;
use crate::{FrictionLaw, Gyroscopic};
use percussion_model::{Code, Form, InputError, Key, KeyDefault, Range, short};

const fn number(name: &'static str, low: f64, high: f64, default: f64, meaning: &'static str) -> Key {
    Key::new(name, Form::between(low, high), "", KeyDefault::Number(default), meaning)
}

const fn word(name: &'static str, words: &'static [&'static str], default: &'static str, meaning: &'static str) -> Key {
    Key::new(name, Form::Word(words), "", KeyDefault::Word(default), meaning)
}

const fn part_tolerance(name: &'static str, meaning: &'static str) -> Key {
    Key::new(
        name,
        Form::between(1e-14, 1e-3),
        "",
        KeyDefault::Absent("a tenth of solver.tolerance, 1e-11 at most"),
        meaning,
    )
}

/// The same key where something else decides when it is absent.
pub const fn absent(key: Key, otherwise: &'static str) -> Key {
    Key { default: KeyDefault::Absent(otherwise), ..key }
}

/// θ.
pub const THETA: Key = number("theta", 0.0, 1.0, 0.5, "θ of the θ-method: ½ is the midpoint rule, 1 damps most");
/// β.
pub const BETA: Key = number("beta", 0.0, 2.0, 0.25, "β of the Newmark family");
/// γ.
pub const GAMMA: Key = number("gamma", 0.0, 2.0, 0.5, "γ of the Newmark family");
/// α of HHT.
pub const ALPHA: Key = number("alpha", 0.0, 1.0 / 3.0, 0.1, "α of Hilber, Hughes and Taylor, positive convention");
/// α_m.
pub const ALPHA_M: Key = number("alpha_m", -1.0, 0.5, 0.0, "α_m, weight of the old inertia");
/// α_f.
pub const ALPHA_F: Key = number("alpha_f", 0.0, 0.5, 0.0, "α_f, weight of the old forces");
/// ρ∞.
pub const RHO_INF: Key = number("rho_inf", 0.0, 1.0, 0.8, "ρ∞, spectral radius at infinite frequency");
/// A named set of parameters.
pub const PRESET: Key =
    Key::new("preset", Form::Text, "", KeyDefault::Absent("the numbers"), "a named set of parameters");
/// The rule that selects the index set.
pub const ACTIVATION: Key = word(
    "activation",
    &["hold", "predicted-and-closing", "predicted", "gap", "equilibrium"],
    "hold",
    "which contacts take part in a step; without it nodes without mass take equilibrium, or gap with friction, and bodies that lie on each other gap with theta = 1",
);
/// How far `predicted` looks ahead.
pub const PREDICTION: Key =
    number("prediction", 0.0, 2.0, 0.5, "how far ahead activation = \"predicted\" looks, in steps");
/// Where M, forces and rows of nonlinear models are taken.
pub const EVALUATION: Key = word(
    "evaluation",
    &["end", "theta"],
    "end",
    "where mass, forces and contact rows of nonlinear models are taken: at q_{k+1} or at q_{k+θ}",
);
/// Where GGL asks whether a contact is closed.
pub const CLOSED_AT: Key = word(
    "closed_at",
    &["smooth", "start", "ahead", "end"],
    "smooth",
    "where activation = \"predicted\" asks for the gap: after the smooth motion, at q_n, q_n + h v_n or q_{n+1}",
);
/// What counts as closed at q_{n+1}.
pub const GAP_TOLERANCE: Key = Key::new(
    "gap_tolerance",
    Form::Number(Range::closed(0.0, 1e-2)),
    "m",
    KeyDefault::Number(1e-9),
    "the gap under which closed_at = \"end\" calls a contact closed",
);
/// r of the activation criteria.
pub const R: Key =
    number("r", 1e-6, 1e6, 1.0, "r of the activation criteria on nonlinear models, over the mass each constraint sees");
/// The augmented Lagrangian.
pub const AUGMENTED: Key = word(
    "augmented",
    &["no", "yes"],
    "no",
    "whether residuals on nonlinear models carry the penalty terms of the augmented Lagrangian, which leave the solution as it is",
);
/// θ of the modified condition: 1 is the estimate that was published.
pub const ESTIMATE_THETA: Key =
    number("estimate_theta", 0.5, 1.0, 1.0, "θ of the estimate of the position multiplier, hθμ = ν − hθΛ − h(1−θ)μ_n");
/// Newton's tolerance of the smooth part.
pub const TOLERANCE_SMOOTH: Key = part_tolerance("tolerance_smooth", "residual of the smooth motion that ends Newton");
/// Newton's tolerance of the position part.
pub const TOLERANCE_POSITION: Key =
    part_tolerance("tolerance_position", "residual of the position conditions that ends Newton");
/// Newton's tolerance of the velocity part.
pub const TOLERANCE_VELOCITY: Key =
    part_tolerance("tolerance_velocity", "residual of the velocity conditions that ends Newton");
/// What happens to residual penetration.
pub const PROJECTION: Key =
    word("projection", &["none", "paid"], "none", "whether penetration is lifted with dissipated energy");
/// GGL all at once or part by part.
pub const SOLUTION: Key = word(
    "solution",
    &["monolithic", "sequential"],
    "monolithic",
    "whether the three parts of a step are solved at once or one after the other",
);
/// Where in its step a contact of `landing` lands.
pub const LANDING: Key = word(
    "landing",
    &["end", "inside"],
    "end",
    "whether contacts land at the end of the step or at the instant they touch",
);
/// What frictional contacts obey.
pub const FRICTION_LAW: Key = word("friction_law", &FrictionLaw::NAMES, "checked", "what frictional contacts obey");
/// Restitution as a function of the approach.
pub const IMPACT_LAW: Key = Key::new(
    "impact_law",
    Form::Text,
    "",
    KeyDefault::Absent("Newton's law with each contact's restitution"),
    "the name of a law of impact that a program hands over, on linear models",
);
/// The gyroscopic term of bodies.
pub const GYROSCOPIC: Key =
    word("gyroscopic", &Gyroscopic::NAMES, "n1p", "how the gyroscopic term of bodies is evaluated");
/// Error of the smooth motion.
pub const TOLERANCE: Key =
    number("tolerance", 1e-14, 1e-2, 1e-12, "relative error of the smooth motion between events");
/// What follows the smooth motion.
pub const METHOD: Key =
    word("method", &["explicit", "stiff"], "explicit", "what follows the smooth motion between events");
/// When a rebound counts as rest.
pub const CUT: Key =
    number("cut", 1e-12, 1e-2, 1e-8, "part of the largest approach under which a rebound counts as rest");
/// p of Runge–Kutta.
pub const ORDER: Key = Key::new(
    "order",
    Form::Integer { least: 1, most: 8 },
    "",
    KeyDefault::Absent("4, or 5 for Radau IIA"),
    "p, the order between events",
);
/// The family of tables.
pub const TABLEAU: Key = word("tableau", &["explicit", "radau-iia"], "explicit", "the family of Runge–Kutta tables");
/// How closely events are bracketed.
pub const BRACKET: Key = number("bracket", 1e-12, 1e3, 1e-4, "C: events are bracketed to C h^{p+1}");
/// Variants of splitting.
pub const VARIANT: Key = Key::new(
    "variant",
    Form::Integer { least: 1, most: 2 },
    "",
    KeyDefault::Integer(2),
    "1: no contact in the flow; 2: persistent contacts carry forces in it",
);

/// What was written for a key that holds a number, or its default; refused outside its range.
pub(crate) fn value(key: &Key, written: Option<f64>) -> Result<f64, InputError> {
    let default = if let KeyDefault::Number(x) = key.default { x } else { f64::NAN };
    or(key, written, default)
}

/// What was written for a key that holds a number, or what something else decides; refused outside its range.
pub(crate) fn or(key: &Key, written: Option<f64>, otherwise: f64) -> Result<f64, InputError> {
    let range = if let Form::Number(range) = key.form { range } else { Range::ANY };
    let (name, x) = (key.name, written.unwrap_or(otherwise));
    if !x.is_finite() {
        let (field, message) = (format!("scheme.{name}"), format!("{name} = {x}"));
        return Err(InputError::new(Code::NOT_FINITE, field, message, "give a finite number"));
    }
    if !range.contains(x) {
        let message = format!("{name} = {} is outside {range}", short(x));
        return Err(parameter(name, message, format!("choose a value in {range}")));
    }
    Ok(x)
}
