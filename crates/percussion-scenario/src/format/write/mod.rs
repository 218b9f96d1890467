//! A resolved scenario as TOML: every default written out, so that it reproduces the run bit by bit.
//!
//! Numbers are written with as many digits as it takes to read the same bits back. Matrices of more than 16 rows go to
//! files beside it.

mod bodies;
mod nonlinear;

use crate::build::adaptive;
use crate::build::scenario::{Description, Scenario};
use crate::exchange::matrix_market;
use crate::format::write::nonlinear::nonlinear;
use percussion_matrix::Matrix;
use percussion_model::build::MassKind;
use percussion_model::{LinearModel, Signal};
use percussion_step::{Activation, Model, Projection};
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// The first line of every resolved scenario; a file without it is a person's and is not overwritten.
pub const MARK: &str = "# resolved by percussion: this file reproduces the run exactly";

/// Rows up to which a matrix is written out.
const INLINE_ROWS: usize = 16;
/// Coordinates up to which a contact's normal is written out.
const WRITTEN_OUT: usize = 64;

/// Writes `scenario.toml` and the matrix files it needs into a folder; its text.
pub fn write_scenario(scenario: &Scenario, folder: &Path) -> std::io::Result<String> {
    let (text, files) = scenario_text(scenario);
    for (name, A) in files {
        let mut out = BufWriter::new(std::fs::File::create(folder.join(name))?);
        matrix_market::write(&mut out, A)?;
        out.flush()?;
    }
    crate::run::atomic_file::replace(&folder.join("scenario.toml"), text.as_bytes())?;
    Ok(text)
}

/// The text, and the matrices that go to files of their own.
pub fn scenario_text(scenario: &Scenario) -> (String, Vec<(String, &Matrix)>) {
    let mut text = format!("{MARK}\nformat = 1\nname = {}\n\n[model]\n", quoted(&scenario.name));
    let mut files = Vec::new();
    match (&scenario.description, scenario.linear()) {
        (Description::Linear { force }, Some(model)) => {
            line(&mut text, "kind", &quoted("linear"));
            let matrices =
                [("mass", Some(model.mass())), ("stiffness", model.stiffness()), ("damping", model.damping())];
            for (key, A) in matrices {
                let Some(A) = A else { continue };
                if A.n_rows() <= INLINE_ROWS {
                    line(&mut text, key, &rows(A));
                } else {
                    line(&mut text, key, &format!("{{ file = \"{key}.mtx\" }}"));
                    files.push((format!("{key}.mtx"), A));
                }
            }
            line(&mut text, "force", &list(force.iter().map(signal)));
            initial(&mut text, scenario, false);
            contacts(&mut text, model, false);
            for joint in model.joints() {
                text.push_str("\n[[model.joint]]\n");
                line(&mut text, "row", &row(&joint.row, model.n()));
                line(&mut text, "offset", &number(joint.offset));
            }
        }
        (Description::Bar { bar, force }, Some(model)) => {
            line(&mut text, "kind", &quoted("bar"));
            let data = [("young", bar.young), ("density", bar.density), ("area", bar.area), ("length", bar.length)];
            for (key, x) in data {
                line(&mut text, key, &number(x));
            }
            line(&mut text, "elements", &bar.elements.to_string());
            let mass = if bar.mass == MassKind::Lumped { "lumped" } else { "consistent" };
            line(&mut text, "mass", &quoted(mass));
            match force.first() {
                Some(first) if first.is_constant() && force.iter().all(|f| f == first) => {
                    line(&mut text, "force", &signal(first));
                }
                _ => line(&mut text, "force", &list(force.iter().map(signal))),
            }
            initial(&mut text, scenario, true);
            contacts(&mut text, model, true);
        }
        (description, _) => nonlinear(&mut text, description, scenario),
    }
    how(&mut text, scenario);
    (text, files)
}

/// Scheme, solver, time and output.
fn how(text: &mut String, scenario: &Scenario) {
    text.push_str("\n[scheme]\n");
    let scheme = &scenario.scheme;
    line(text, "name", &quoted(scheme.name));
    let takes = |key: &str| scheme.takes(key);
    for (key, x) in scheme.parameters() {
        // HHT calls its α_f alpha, and has no α_m
        let key = if key == "alpha_f" && !takes("alpha_f") && takes("alpha") { "alpha" } else { key };
        if takes(key) {
            line(text, key, &if ["order", "variant"].contains(&key) { format!("{x:.0}") } else { number(x) });
        }
    }
    for (key, word) in scheme.words() {
        line(text, key, &quoted(word));
    }
    if let Some(rho) = scheme.equations.rho_inf() {
        line(text, "rho_inf", &number(rho));
    }
    if takes("activation") {
        line(text, "activation", &quoted(scheme.activation.name()));
        // position-level schemes decide on g(q̂) and take no prediction
        if let (Activation::Predicted { prediction }, true) = (scheme.activation, takes("prediction")) {
            line(text, "prediction", &number(prediction));
        }
    }
    if takes("projection") {
        line(text, "projection", &quoted(projection_name(scheme.projection)));
    }
    if takes("solution") {
        line(text, "solution", &quoted(solution_name(scheme.sequential)));
    }
    if takes("friction_law") {
        line(text, "friction_law", &quoted(scheme.friction_law.name()));
    }
    if takes("gyroscopic") && matches!(scenario.model(), Model::Bodies(_)) {
        line(text, "gyroscopic", &quoted(scheme.gyroscopic.name()));
    }
    text.push_str("\n[solver]\n");
    line(text, "name", &quoted(scenario.solver.method.name()));
    line(text, "tolerance", &number(scenario.solver.tolerance));
    line(text, "max_iterations", &scenario.solver.max_iterations.to_string());
    text.push_str("\n[time]\n");
    line(text, "end", &number(scenario.end));
    line(text, "step", &number(scenario.step));
    if let Some(options) = &scenario.adaptive {
        line(text, "adaptive", &adaptive::text(options));
    }
    text.push_str("\n[output]\n");
    line(text, "every", &scenario.every.to_string());
}

/// The word for the way GGL is solved.
pub fn solution_name(sequential: bool) -> &'static str {
    if sequential { "sequential" } else { "monolithic" }
}

/// The word for a projection.
pub fn projection_name(projection: Projection) -> &'static str {
    match projection {
        Projection::None => "none",
        Projection::Paid => "paid",
    }
}

/// q0 and v0; one number for all where that is allowed.
pub fn initial(text: &mut String, scenario: &Scenario, short: bool) {
    for (key, x) in [("q0", &scenario.problem.q0), ("v0", &scenario.problem.v0)] {
        match x.first() {
            // bit by bit: −0 is not 0
            Some(first) if short && x.iter().all(|y| y.to_bits() == first.to_bits()) => {
                line(text, key, &number(*first))
            }
            _ => line(text, key, &list(x.iter().map(|&x| number(x)))),
        }
    }
}

fn contacts(text: &mut String, model: &LinearModel, bar: bool) {
    for contact in model.contacts() {
        text.push_str("\n[[model.contact]]\n");
        match contact.normal.as_slice() {
            &[(node, direction)] if bar => {
                line(text, "node", &node.to_string());
                line(text, "direction", if direction < 0.0 { "-1" } else { "1" });
            }
            normal => line(text, "normal", &row(normal, model.n())),
        }
        line(text, "offset", &signal(&contact.offset));
        line(text, "restitution", &number(contact.restitution));
        if !contact.tangents.is_empty() {
            line(text, "tangents", &list(contact.tangents.iter().map(|tangent| row(tangent, model.n()))));
            line(text, "friction", &number(contact.friction));
        }
    }
}

/// One key.
pub fn line(text: &mut String, key: &str, value: &str) {
    let _ = writeln!(text, "{key} = {value}");
}

/// The shortest text that reads back to the same bits; TOML wants a digit on both sides of a point.
pub fn number(x: f64) -> String {
    format!("{x:?}")
}

/// A TOML string.
pub fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

pub fn list(entries: impl Iterator<Item = String>) -> String {
    format!("[{}]", entries.collect::<Vec<_>>().join(", "))
}

fn rows(A: &Matrix) -> String {
    list((0..A.n_rows()).map(|i| list((0..A.n_cols()).map(|j| number(A.get(i, j))))))
}

/// A row written out for models a person can read, by its entries for larger ones.
fn row(entries: &[(usize, f64)], n: usize) -> String {
    if n <= WRITTEN_OUT {
        let mut row = vec![0.0; n];
        entries.iter().for_each(|&(i, x)| row[i] = x);
        return list(row.into_iter().map(number));
    }
    let parts: Vec<String> = entries.iter().map(|&(i, x)| format!("{i} = {}", number(x))).collect();
    format!("{{ {} }}", parts.join(", "))
}

pub fn signal(signal: &Signal) -> String {
    if signal.is_constant() {
        return number(signal.mean);
    }
    let sines = signal.sines.iter().map(|s| {
        let [a, w, p] = [s.amplitude, s.omega, s.phase].map(number);
        format!("{{ amplitude = {a}, omega = {w}, phase = {p} }}")
    });
    format!("{{ mean = {}, sines = {} }}", number(signal.mean), list(sines))
}
