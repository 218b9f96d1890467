//! What a user should know of a model before it runs: numbers that are allowed and hardly ever meant.
//!
//!   t ⟂ n, ‖t‖ = ‖n‖;    xᵀKx ≥ 0, xᵀCx ≥ 0;    hω ≤ 2 for K x = ω²M x;    hω ≤ π for loads and obstacles

use super::position_digits::lost_digits;
use percussion_matrix::{Factor, math};
use percussion_model::bodies::shapes::Shape;
use percussion_model::bodies::{Bodies, Elastic};
use percussion_model::{Code, Contact, LinearModel, Signal};
use percussion_step::{Problem, Warning};
use std::collections::BTreeSet;

/// Part of a unit by which tangents may miss a right angle or a length.
const SKEW: f64 = 1e-6;
/// Part of the largest gradient under which another nearly vanishes.
const FLAT: f64 = 1e-8;
/// Spacings of numbers that half the thickness of a body takes at least.
const SPACINGS: f64 = 1e3;
/// Iterations towards the highest frequency: it is found from below, to a few per cent.
const ITERATIONS: usize = 30;

/// Appends the warnings of a model that makes steps of h to t = end.
pub fn warn_of_model(problem: &Problem, h: f64, end: f64, warnings: &mut Vec<Warning>) {
    let mut warn = |code, message: String| warnings.push(Warning { code, message });
    if let Some(linear) = problem.model.linear() {
        for joint in linear.superfluous_joints() {
            warn(Code::REDUNDANT_JOINT, format!("model.joint[{joint}] follows from the others and carries no load"));
        }
        matrices(linear, h, &mut warn);
        contacts(linear, &mut warn);
        signals(linear, h, &mut warn);
    }
    flat_normals(problem, &mut warn);
    if let Some(scene) = problem.model.bodies() {
        bodies(scene, &problem.q0, &mut warn);
    }
    warnings.extend(lost_digits(problem, end));
}

/// Coordinates up to which matrices are factorised for a warning.
const FACTORISED: usize = 5000;

/// Negative directions, and a frequency the step does not resolve.
fn matrices(model: &LinearModel, h: f64, warn: &mut impl FnMut(Code, String)) {
    // finite elements have no negative direction, and `check` shows the step against their waves
    if model.is_of_elements() {
        return;
    }
    if let Some(i) = model.fed_coordinate() {
        let message = format!("model.damping has a negative entry ({i}, {i}): it feeds energy into coordinate {i}");
        warn(Code::FED_BY_DAMPING, message);
    } else if model.n() <= FACTORISED && !model.damping_is_semidefinite() {
        warn(Code::INDEFINITE, "model.damping has a negative direction: some motion is fed with energy".into());
    }
    if !model.stiffness_is_semidefinite() {
        warn(Code::INDEFINITE, "model.stiffness has a negative direction: some place is pushed away from rest".into());
    }
    let omega = if model.n() <= FACTORISED { highest_frequency(model) } else { 0.0 };
    if h * omega > 2.0 {
        let message = format!(
            "hω = {:.1} > 2: the model's highest frequency is ω ≥ {omega:.3e} rad/s, which a step of {h} s does not resolve",
            h * omega
        );
        warn(Code::UNRESOLVED, message);
    }
}

/// A lower bound of the highest frequency √λ, K x = λ M x, by Rayleigh's quotient of x ← M⁻¹K x.
fn highest_frequency(model: &LinearModel) -> f64 {
    let (Some(K), Ok(mut mass)) = (model.stiffness(), Factor::new(model.mass())) else { return 0.0 };
    let n = model.n();
    // a start without symmetry, so that no mode is missed; the same in every run
    let mut x: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * math::sin(12.9898 * i as f64) - 2.0 * (i % 2) as f64).collect();
    let (mut y, mut largest) = (vec![0.0; n], 0.0_f64);
    for _ in 0..ITERATIONS {
        y.fill(0.0);
        K.mul_add(1.0, &x, &mut y);
        let quotient = K.bilinear(&x, &x) / model.mass().bilinear(&x, &x);
        if quotient.is_finite() {
            largest = largest.max(quotient);
        }
        mass.solve(&mut y);
        let size = y.iter().fold(0.0_f64, |s, y| s.max(y.abs()));
        if !(size > 0.0 && size.is_finite()) {
            break;
        }
        x.iter_mut().zip(&y).for_each(|(x, y)| *x = y / size);
    }
    largest.sqrt()
}

fn dot(a: &[(usize, f64)], b: &[(usize, f64)]) -> f64 {
    a.iter().map(|&(i, x)| b.iter().filter(|&&(j, _)| j == i).map(|&(_, y)| x * y).sum::<f64>()).sum()
}

/// Whether a contact is one of a point: as many coordinates as directions, and no inertia that couples them. Rows of a body that
/// turns hold lever arms and are rightly skew.
fn is_of_a_point(model: &LinearModel, contact: &Contact) -> bool {
    let rows = std::iter::once(&contact.normal).chain(&contact.tangents);
    let met: BTreeSet<usize> = rows.flatten().filter(|(_, x)| *x != 0.0).map(|&(i, _)| i).collect();
    let coupled = |&i: &usize| met.iter().any(|&j| i != j && model.mass().get(i, j) != 0.0);
    met.len() <= 1 + contact.tangents.len() && !met.iter().any(coupled)
}

/// Tangents that are no right frame with their normal.
fn contacts(model: &LinearModel, warn: &mut impl FnMut(Code, String)) {
    let of_points = |(_, contact): &(usize, &Contact)| contact.friction > 0.0 && is_of_a_point(model, contact);
    for (i, contact) in model.contacts().iter().enumerate().filter(of_points) {
        let n = dot(&contact.normal, &contact.normal).sqrt();
        let rows = &contact.tangents;
        let skew = rows
            .iter()
            .any(|t| dot(t, &contact.normal).abs() > SKEW * n * n || (dot(t, t).sqrt() - n).abs() > SKEW * n);
        if skew || (rows.len() == 2 && dot(&rows[0], &rows[1]).abs() > SKEW * n * n) {
            let message = format!("the tangents of model.contact[{i}] are not orthonormal to its normal");
            warn(Code::SKEW_TANGENTS, message);
        }
    }
}

/// Loads and obstacles faster than the step.
fn signals(model: &LinearModel, h: f64, warn: &mut impl FnMut(Code, String)) {
    let aliased = |signal: &Signal| h * signal.highest_frequency() > std::f64::consts::PI;
    let loads = model.loads().iter().enumerate().map(|(i, signal)| (format!("model.force[{i}]"), signal));
    let offsets = model.contacts().iter().enumerate().map(|(i, c)| (format!("model.contact[{i}].offset"), &c.offset));
    for (field, signal) in loads.chain(offsets).filter(|(_, signal)| aliased(signal)) {
        let omega = signal.highest_frequency();
        let message =
            format!("{field} has a sine of ω = {omega} rad/s, and hω = {:.2} > π: the step does not see it", h * omega);
        warn(Code::ALIASED, message);
    }
}

/// Contacts whose gradient nearly vanishes at the start, beside that of the others or beside one.
fn flat_normals(problem: &Problem, warn: &mut impl FnMut(Code, String)) {
    let model = &problem.model;
    if model.finite_solid().is_some() {
        // unit vectors, and none where nothing is near
        return;
    }
    let mut row = Vec::new();
    let lengths: Vec<f64> = (0..model.n_contacts())
        .map(|i| {
            model.gap_row(i, &problem.q0, &mut row);
            row.iter().map(|(_, x)| x * x).sum::<f64>().sqrt()
        })
        .collect();
    let largest = lengths.iter().copied().fold(if lengths.len() > 1 { 0.0 } else { 1.0 }, f64::max);
    for (i, length) in lengths.iter().enumerate().filter(|(_, length)| **length <= FLAT * largest) {
        let name = model.contact_name(i);
        warn(
            Code::FLAT_NORMAL,
            format!("the gradient of {name} is {length:.1e} at the start, that of others {largest:.1e}"),
        );
    }
}

/// Meshes with vertices left out, and bodies too thin for their digits.
fn bodies(scene: &Bodies, q: &[f64], warn: &mut impl FnMut(Code, String)) {
    let touches = |solid: &&Elastic| solid.nodes().any(|node| scene.bodies()[node].contact);
    let names: Vec<String> =
        scene.elastic().iter().filter(touches).map(|solid| format!("\"{}\"", solid.name)).collect();
    if names.len() > 1 {
        let message = format!(
            "the solids {} meet bodies, but pass through each other: solids that are to meet belong into one mesh, as a model of kind = \"solid\"",
            names.join(" and ")
        );
        warn(Code::MESH_REMARK, message);
    }
    for (i, body) in scene.bodies().iter().enumerate() {
        if let Shape::Mesh(mesh) = &body.shape
            && mesh.strays > 0
        {
            let message =
                format!("{} vertices of the mesh of \"{}\" belong to no triangle: left out", mesh.strays, body.name);
            warn(Code::STRAY_VERTICES, message);
        }
        let thickness = body.shape.half_thickness(scene.is_planar());
        let place = scene
            .frame(i, q)
            .x
            .iter()
            .fold(if body.reach.is_finite() { body.reach } else { 0.0 }, |s, x| s.max(x.abs()));
        let spacing = f64::EPSILON * place;
        // a body of any shape far away is warned of by its place
        let thin = thickness > 0.0 && thickness < 1e-3 * body.reach;
        if thin && thickness < SPACINGS * spacing {
            let message = format!(
                "body \"{}\" is {:.1e} m thick, and its place is known to {spacing:.1e} m only",
                body.name,
                2.0 * thickness
            );
            warn(Code::THIN_BODY, message);
        }
    }
}
