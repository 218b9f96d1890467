//! `[sweep]`: which keys of a scenario vary, and what is measured of each run.

use crate::format::record::record;
use crate::sweep::Method;
use percussion_model::Form;
use percussion_model::KeyDefault::{Absent, Integer, Required, Word};
use toml::Value;

record! {
    /// `[sweep]`.
    struct SweepSpec as SWEEP {
        scenario: Option<String> = Form::Text, "", Absent("the other tables of the file"), "a file beside this one or a built-in name";
        method: String = Form::Word(&Method::NAMES), "", Word("grid"), "how points are chosen";
        samples: Option<i64> = Form::Integer { least: 1, most: 100_000_000 }, "", Absent("for grids only"), "number of runs";
        seed: i64 = Form::Integer { least: 0, most: i64::MAX }, "", Integer(0), "the seed of run i follows from it and from i";
        seed_key: Option<String> = Form::Text, "", Absent("none"), "a key of the scenario that takes the seed of each run";
        measure: Vec<String> = Form::list(&Form::Text), "", Absent("nothing"), "first, last, min, max, range, sum, mean, rms, count, rate, frequency, amplitude or a percentile (p95) of a column, perhaps after a time: \"max q0\", \"rms q0 after 10\", \"rate impacts\"";
        parameter: Vec<ParameterSpec> = Form::List { of: &Form::Table(PARAMETER), least: 1, most: usize::MAX }, "", Required, "what varies";
    }
}

record! {
    /// `[[sweep.parameter]]`.
    struct ParameterSpec as PARAMETER {
        key: String = Form::Text, "", Required, "a key of the scenario, dotted as in --set";
        values: Option<Vec<Value>> = Form::List { of: &Form::Any, least: 1, most: usize::MAX }, "", Absent("from and to"), "the values themselves";
        from: Option<f64> = Form::NUMBER, "", Absent("values"), "the first of a range";
        to: Option<f64> = Form::NUMBER, "", Absent("values"), "the last of a range";
        count: Option<i64> = Form::Integer { least: 1, most: i64::MAX }, "", Absent("samples; a grid needs it"), "number of values of a range on a grid";
        scale: String = Form::Word(&["linear", "log"]), "", Word("linear"), "log spaces by ratios";
    }
}
