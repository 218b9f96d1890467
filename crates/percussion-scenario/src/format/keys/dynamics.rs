//! `[dynamics]`: what `percussion dynamics` makes of a scenario.

use crate::format::record::record;
use percussion_model::Form;
use percussion_model::KeyDefault::{Absent, Flag, Integer, Number, Required, Word};

/// The kinds of study.
pub const KINDS: [&str; 6] = ["section", "spectrum", "bifurcation", "basin", "orbit", "exponent"];
/// What samples of a spectrum are multiplied with.
pub const WINDOWS: [&str; 2] = ["hann", "none"];
/// Which way a parameter goes.
pub const DIRECTIONS: [&str; 3] = ["up", "down", "both"];

record! {
    /// `[dynamics]`.
    struct DynamicsSpec as DYNAMICS {
        kind: String = Form::Word(&KINDS), "", Required, "what is made of the scenario";
        parameter: Option<String> = Form::Text, "", Absent("none; bifurcation and basin need it"), "a key of the scenario that varies, dotted as in --set";
        from: Option<f64> = Form::NUMBER, "", Absent("needed with parameter"), "its first value";
        to: Option<f64> = Form::NUMBER, "", Absent("needed with parameter"), "its last value";
        points: i64 = Form::Integer { least: 2, most: 1_000_000 }, "", Integer(200), "number of its values";
        y: Option<AxisSpec> = Form::Table(AXIS), "", Absent("none; a basin needs it"), "a second key that varies";
        link: Vec<LinkSpec> = Form::list(&Form::Table(LINK)), "", Absent("nothing"), "further keys that go with the parameter";
        direction: String = Form::Word(&DIRECTIONS), "", Word("both"), "which way the parameter goes";
        carry: bool = Form::Flag, "", Flag(true), "each value starts from the state the last one ended in; false: from the scenario's";
        period: Option<f64> = Form::POSITIVE, "s", Absent("that of the harmonic loads of a linear model"), "of what drives the motion";
        omega: Option<String> = Form::Text, "", Absent("none"), "the key that holds the angular frequency of what drives the motion; period = 2π/ω";
        steps: i64 = Form::Integer { least: 1, most: 1_000_000 }, "", Integer(400), "steps in a period: step = period/steps";
        transient: i64 = Form::Integer { least: 0, most: 1_000_000_000 }, "", Integer(200), "periods before the first point that is kept";
        periods: i64 = Form::Integer { least: 1, most: 1_000_000_000 }, "", Integer(100), "periods of which points are kept";
        section: String = Form::Text, "", Word("period"), "period, step, impact, impact 0, q0 > 0.5 (upwards) or v1 < 0 (downwards)";
        window: String = Form::Word(&WINDOWS), "", Word("hann"), "what the samples of a spectrum are multiplied with";
        draw: Option<String> = Form::Text, "", Absent("the first coordinate that moves; u_n_before at impacts"), "the column of a point that figures show";
        longest: i64 = Form::Integer { least: 1, most: 10_000 }, "", Integer(16), "the longest cycle that is looked for, in points";
        tolerance: f64 = Form::POSITIVE, "", Number(1e-4), "of points that count as one, relative to the largest";
        rounds: i64 = Form::Integer { least: 0, most: 10_000 }, "", Integer(4), "how often a start of a basin that repeats no cycle yet goes on for as many periods again";
        repeat: i64 = Form::Integer { least: 0, most: 1_000_000 }, "", Integer(20), "values, chosen at random, that are repeated event-driven";
        seed: i64 = Form::Integer { least: 0, most: i64::MAX }, "", Integer(0), "of that choice";
    }
}

record! {
    /// `[dynamics.y]`.
    struct AxisSpec as AXIS {
        parameter: String = Form::Text, "", Required, "a key of the scenario";
        from: f64 = Form::NUMBER, "", Required, "its first value";
        to: f64 = Form::NUMBER, "", Required, "its last value";
        points: i64 = Form::Integer { least: 2, most: 1_000_000 }, "", Integer(200), "number of its values";
    }
}

record! {
    /// `[[dynamics.link]]`: add + factor · x^power.
    struct LinkSpec as LINK {
        key: String = Form::Text, "", Required, "a key of the scenario; its value is add + factor·x^power, x the parameter";
        factor: f64 = Form::NUMBER, "", Number(1.0), "see key";
        add: f64 = Form::NUMBER, "", Number(0.0), "see key";
        power: f64 = Form::NUMBER, "", Number(1.0), "see key";
    }
}
