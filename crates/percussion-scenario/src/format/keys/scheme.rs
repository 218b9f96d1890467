//! `[scheme]`: its name and the parameters of all schemes together.
//!
//! A scheme refuses the parameters it does not take; their defaults are its own.

use crate::format::record::{Fields, Read};
use percussion_model::KeyDefault::{Absent, Number, Word};
use percussion_model::{Form, Key};
use percussion_step::{FrictionLaw, Gyroscopic, SCHEMES, SchemeOptions};
use toml::Value;

/// The words for `name`.
pub const SCHEME_NAMES: [&str; SCHEMES.len()] = {
    let mut names = [""; SCHEMES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = SCHEMES[i].name;
        i += 1;
    }
    names
};

/// The keys of `[scheme]`.
pub const SCHEME: &[Key] = &ALL;

const ALL: [Key; 1 + PARAMETERS.len()] = {
    let name = Form::Word(&SCHEME_NAMES);
    let mut keys =
        [Key::new("name", name, "", Word("moreau-jean"), "the scheme; `percussion list schemes` describes them");
            1 + PARAMETERS.len()];
    let mut i = 0;
    while i < PARAMETERS.len() {
        keys[i + 1] = PARAMETERS[i];
        i += 1;
    }
    keys
};

/// The rows, and the options they fill: a field without a row, or a row without a field, does not compile.
macro_rules! parameters {
    ($($field:ident = $form:expr, $default:expr, $meaning:literal;)*) => {
        const PARAMETERS: &[Key] = &[$(Key::new(stringify!($field), $form, "", $default, $meaning)),*];

        fn options(fields: &mut Fields) -> Read<SchemeOptions> {
            Ok(SchemeOptions { $($field: fields.take_written()?),* })
        }
    };
}

parameters! {
    theta = Form::between(0.0, 1.0), Number(0.5), "θ of Moreau–Jean and of Schatzman–Paoli";
    beta = Form::between(0.0, 2.0), Absent("as the scheme has it"), "β of the Newmark family";
    gamma = Form::between(0.0, 2.0), Absent("as the scheme has it"), "γ of the Newmark family";
    alpha = Form::between(0.0, 1.0 / 3.0), Absent("as the scheme has it"), "α of HHT, positive convention";
    alpha_m = Form::between(-1.0, 0.5), Absent("from rho_inf"), "α_m of generalized-α";
    alpha_f = Form::between(0.0, 0.5), Absent("from rho_inf"), "α_f of generalized-α";
    rho_inf = Form::between(0.0, 1.0), Absent("as the scheme has it"), "ρ∞, spectral radius at infinite frequency";
    preset = Form::Text, Absent("none"), "a named set of parameters";
    activation = Form::Word(&["hold", "predicted-and-closing", "predicted", "gap"]), Word("hold"), "which contacts a step takes into its contact problem";
    prediction = Form::between(0.0, 1.0), Number(0.5), "how far ahead activation = \"predicted\" looks, in steps";
    projection = Form::Word(&["none", "paid"]), Word("none"), "paid: penetration is removed and the work of removing it is booked";
    solution = Form::Word(&["monolithic", "sequential"]), Word("monolithic"), "how generalized-alpha-ggl solves for velocity and position";
    friction_law = Form::Word(&FrictionLaw::NAMES), Word("checked"), "what frictional contacts obey";
    tolerance = Form::between(1e-14, 1e-2), Absent("as the scheme has it"), "relative error of the smooth motion between events";
    method = Form::Word(&["explicit", "stiff"]), Word("explicit"), "what follows the smooth motion between events";
    cut = Form::between(1e-12, 1e-2), Absent("as the scheme has it"), "part of the largest approach under which a rebound counts as rest";
    order = Form::Integer { least: 1, most: 8 }, Absent("as the scheme has it"), "p of runge-kutta-moreau";
    tableau = Form::Word(&["explicit", "radau-iia"]), Word("explicit"), "the Runge–Kutta method of runge-kutta-moreau";
    bracket = Form::between(1e-12, 1e3), Absent("as the scheme has it"), "C: events are bracketed to C h^{p+1}";
    variant = Form::Integer { least: 1, most: 2 }, Absent("2"), "of splitting; 2 keeps persistent contacts in the flow";
    gyroscopic = Form::Word(&Gyroscopic::NAMES), Word("n1p"), "how the gyroscopic term of bodies is evaluated";
}

/// `[scheme]` as written: the name and what was said about it.
pub fn read_scheme(value: Value) -> Read<(String, SchemeOptions)> {
    let at = crate::format::record::Place::top("scheme");
    let mut fields = Fields::open(value, SCHEME, &at)?;
    Ok((fields.take()?, options(&mut fields)?))
}
