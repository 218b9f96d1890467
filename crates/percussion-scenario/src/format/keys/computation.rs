//! `[solver]`, `[time]` and `[output]`: how at an instant, how long, what is kept.

use crate::format::record::record;
use crate::format::values::{Either, SPREAD, Spread};
use percussion_model::KeyDefault::{Absent, Flag, Integer, Number, Required, Word};
use percussion_model::{Bound, Form, Range};
use percussion_solve::Method;
use percussion_solve::friction::DeviceChoice;

/// A whole number of at least 1.
const COUNT: Form = Form::Integer { least: 1, most: i64::MAX };

record! {
    /// `[solver]`.
    struct SolverSpec as SOLVER {
        name: String = Form::Word(&Method::NAMES), "", Word("auto"), "the method; `percussion list solvers` describes them";
        tolerance: Option<f64> = Form::between(1e-15, 1.0), "", Absent("1e-10 aimed at, 1e-6 accepted with a warning"), "what both residuals of a contact problem must reach";
        max_iterations: i64 = COUNT, "", Integer(10_000), "the most sweeps, iterations or pivots";
        device: String = Form::Word(&DeviceChoice::NAMES), "", Word("cpu"), "where many contacts of bodies in space are swept; results do not depend on it";
    }
}

record! {
    /// `[time]`.
    struct TimeSpec as TIME {
        end: f64 = Form::NOT_NEGATIVE, "s", Required, "T";
        step: f64 = Form::POSITIVE, "s", Required, "h; the first step where steps are adaptive";
        adaptive: Option<AdaptiveSpec> = Form::Table(ADAPTIVE), "", Absent("equal steps"), "steps chosen by their error, estimated by halving";
    }
}

record! {
    /// `[start]`.
    struct StartSpec as START {
        q: Vec<f64> = Form::NUMBERS, "", Required, "all coordinates; admitted as they are, whatever they penetrate or violate";
        v: Vec<f64> = Form::NUMBERS, "", Required, "all velocities";
    }
}

/// Tolerance of a run that names none.
pub const TOLERANCE: f64 = 1e-4;

/// One number for all quantities, or each its own.
const BY_QUANTITY: Form = Form::Named("tolerance", &Form::OneOf(&[Form::NOT_NEGATIVE, Form::Table(TOLERANCES)]));

record! {
    /// `time.adaptive`.
    struct AdaptiveSpec as ADAPTIVE {
        order: Either<i64, String> = Form::OneOf(&[Form::Integer { least: 0, most: 2 }, Form::Word(&["variable"])]), "", Integer(1), "p of the estimate; variable: 0 in a step with an impact";
        estimate: Option<String> = Form::Word(&["halving", "milne", "embedded"]), "", Word("halving"), "how the error of a step is estimated: by its halves; where no impulse acts by an extrapolation of the motion before it; or of q alone by Euler's rule beside the trapezoidal rule";
        atol: Either<f64, ToleranceSpec> = BY_QUANTITY, "", Number(TOLERANCE), "absolute tolerance";
        rtol: Either<f64, ToleranceSpec> = BY_QUANTITY, "", Number(TOLERANCE), "relative tolerance";
        control: String = Form::Word(&["q", "v", "qv"]), "", Word("q"), "which part of the state is controlled";
        violation: bool = Form::Flag, "", Flag(true), "a contact gets deeper by at most atol in a step";
        depth: Option<bool> = Form::Flag, "", Flag(false), "violation: the depth itself is at most atol, not its growth in a step; it stalls at rest";
        step_min: Option<f64> = Form::POSITIVE, "s", Absent("1e-9 of the run"), "h_min";
        step_max: Option<f64> = Form::POSITIVE, "s", Absent("a tenth of the run"), "h_max";
        extrapolate: bool = Form::Flag, "", Flag(false), "Richardson extrapolation where no impulse acts";
        alpha: f64 = Form::Number(Range { low: Bound::Open(0.0), high: Bound::Open(1.0) }), "", Number(0.9), "part of the allowed step that is taken";
        alpha_min: f64 = Form::Number(Range { low: Bound::Open(0.0), high: Bound::Open(1.0) }), "", Number(0.2), "most a step shrinks at once";
        alpha_max: f64 = Form::Number(Range { low: Bound::Open(1.0), high: Bound::None }), "", Number(5.0), "most a step grows at once";
    }
}

record! {
    /// Tolerances by quantity.
    struct ToleranceSpec as TOLERANCES {
        q: Spread<f64> = SPREAD, "", Number(TOLERANCE), "of positions";
        v: Spread<f64> = SPREAD, "", Number(TOLERANCE), "of velocities";
        gap: f64 = Form::NOT_NEGATIVE, "m", Number(TOLERANCE), "of gaps";
    }
}

record! {
    /// `[output]`.
    struct OutputSpec as OUTPUT {
        every: Option<i64> = COUNT, "", Absent("1; of solids so many that a step takes no more than 10 000 numbers; of scenes of 10 000 bodies so many that the tables stay below a gigabyte"), "one row in so many steps; works and impulses are summed, 1 keeps every step";
        select: Vec<String> = Form::list(&Form::Text), "", Absent("everything; of the largest scenes some of the bodies; the run says which"), "coordinates, contacts and joints that the tables hold: [\"ball.*\", \"tip\", \"q12\"]";
    }
}
