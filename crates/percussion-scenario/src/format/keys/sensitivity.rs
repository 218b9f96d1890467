//! `[sensitivity]`: what `percussion sensitivity` differentiates, and by what.

use crate::format::record::record;
use percussion_model::Form;
use percussion_model::KeyDefault::Absent;

record! {
    /// `[sensitivity]`.
    struct SensitivitySpec as SENSITIVITY {
        of: Vec<String> = Form::list(&Form::Text), "", Absent("all coordinates and velocities, and the energy"), "what is differentiated: q0, v1, energy, lost (to contacts), impact 0 (its time)";
        wrt: Vec<String> = Form::list(&Form::Text), "", Absent("none; it or --wrt is needed"), "keys of the scenario by which it is differentiated, dotted as in --set";
        times: Vec<f64> = Form::list(&Form::NUMBER), "s", Absent("the end of the run"), "when";
    }
}
