//! Linear models as they are written: small matrices and rows in full, larger ones in files and by their entries.

use super::attached::{Attached, attached_matrix, vector};
use super::solid::MESH;
use crate::build::scenario::{LinearDescription, Scenario};
use crate::format::keys::linear::{
    BarContactSpec, BarSpec, ContactSpec, DampingSpec, JointRowSpec, LinearSpec, PictureMeshSpec,
};
use crate::format::values::{ListSpec, MatrixSpec, RowSpec, SignalSpec, Spread};
use percussion_matrix::Matrix;
use percussion_model::build::{Bar, MassKind};
use percussion_model::{LinearModel, Signal};
use percussion_step::Problem;
use std::borrow::Cow;
use std::sync::Arc;

/// Rows up to which a matrix is written out.
const INLINE_ROWS: usize = 16;
/// Coordinates up to which a contact's normal is written out.
const WRITTEN_OUT: usize = 64;

/// A model of kind "linear" as it was given; what goes to files is added to `files`.
pub fn linear<'a>(
    model: &'a LinearModel,
    description: &'a LinearDescription,
    problem: &Problem,
    files: &mut Vec<(String, Attached<'a>)>,
) -> LinearSpec {
    let parts = description.given.as_ref().unwrap_or(model.parts());
    let n = parts.mass.n_rows();
    let mut matrix = |key: &str, A: &'a Matrix| {
        if A.n_rows() <= INLINE_ROWS {
            let row = |i| (0..A.n_cols()).map(|j| A.get(i, j)).collect();
            return MatrixSpec::Rows((0..A.n_rows()).map(row).collect());
        }
        MatrixSpec::File(attached_matrix(key, Cow::Borrowed(A), files))
    };
    let row = |entries: &[(usize, f64)]| row(entries, n);
    let contact = parts.contacts.iter().map(|contact| ContactSpec {
        name: (!contact.name.is_empty()).then(|| contact.name.clone()),
        normal: row(&contact.normal),
        offset: SignalSpec(contact.offset.clone()),
        restitution: contact.restitution,
        tangents: (!contact.tangents.is_empty()).then(|| contact.tangents.iter().map(|t| row(t)).collect()),
        friction: (!contact.tangents.is_empty()).then_some(contact.friction),
    });
    let mass = matrix("mass", &parts.mass);
    let stiffness = parts.stiffness.as_ref().map(|K| matrix("stiffness", K));
    let damping = match &description.damping {
        Some(damping) => Some(damping.clone()),
        None => parts.damping.as_ref().map(|C| DampingSpec::Matrix(matrix("damping", C))),
    };
    let whole = |x: &[f64]| match &description.kept {
        Some(kept) => {
            let mut whole = vec![0.0; n];
            kept.iter().zip(x).for_each(|(&i, &x)| whole[i] = x);
            whole
        }
        None => x.to_vec(),
    };
    let q0 = Some(vector("q0", &whole(&problem.q0), files));
    let v0 = Some(vector("v0", &whole(&problem.v0), files));
    let mesh = description.picture.as_ref().map(|picture| {
        files.push((MESH.into(), Attached::Bytes(Arc::clone(&picture.bytes))));
        PictureMeshSpec { file: MESH.into(), ..picture.spec.clone() }
    });
    let fixed = description.fixed.iter().map(|&i| i64::try_from(i).unwrap_or(i64::MAX)).collect::<Vec<_>>();
    LinearSpec {
        mass,
        stiffness,
        damping,
        // what is written is symmetric already
        symmetrize: false,
        fix: (!fixed.is_empty()).then_some(ListSpec::Each(fixed)),
        condense: description.kept.is_some(),
        force: Some(loads("force", &description.force, files)),
        gravity: description.gravity.as_ref().map(|a| loads("gravity", a, files)),
        conservative: description.conservative,
        q0,
        v0,
        coordinates: description.coordinates.clone(),
        units: description.units.clone(),
        mesh,
        contact: contact.collect(),
        joint: parts.joints.iter().map(|j| JointRowSpec { row: row(&j.row), offset: j.offset }).collect(),
    }
}

/// Many constant loads go to a file, others are written out.
fn loads(key: &str, force: &[Signal], files: &mut Vec<(String, Attached)>) -> ListSpec<SignalSpec> {
    let constant = force.iter().all(|f| f.sines.is_empty() && f.terms.is_empty());
    let means: Vec<f64> = force.iter().map(|f| f.mean).collect();
    match constant.then(|| vector(key, &means, files)) {
        Some(ListSpec::File(name)) => ListSpec::File(name),
        Some(ListSpec::Each(_)) | None => ListSpec::Each(signals(force)),
    }
}

/// A model of kind "bar"; what is the same at all nodes is written once.
pub fn bar(bar: &Bar, model: &LinearModel, force: &[Signal], scenario: &Scenario) -> BarSpec {
    let whole = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    // bit by bit: −0 is not 0
    let state = |x: &[f64]| match x.first() {
        Some(first) if x.iter().all(|y| y.to_bits() == first.to_bits()) => Spread::All(*first),
        _ => Spread::Each(x.to_vec()),
    };
    let contact = model.contacts().iter().flat_map(|contact| {
        contact.normal.first().map(|&(node, direction)| BarContactSpec {
            node: whole(node),
            direction: if direction < 0.0 { -1 } else { 1 },
            offset: SignalSpec(contact.offset.clone()),
            restitution: contact.restitution,
        })
    });
    BarSpec {
        young: bar.young,
        density: bar.density,
        area: bar.area,
        length: bar.length,
        elements: whole(bar.elements),
        mass: if bar.mass == MassKind::Lumped { "lumped" } else { "consistent" }.into(),
        force: Some(match force.first() {
            Some(first) if first.is_constant() && force.iter().all(|f| f == first) => {
                Spread::All(SignalSpec(first.clone()))
            }
            _ => Spread::Each(signals(force)),
        }),
        q0: Some(state(&scenario.problem.q0)),
        v0: Some(state(&scenario.problem.v0)),
        contact: contact.collect(),
    }
}

/// A row written out for models a person can read, by its entries for larger ones.
fn row(entries: &[(usize, f64)], n: usize) -> RowSpec {
    if n > WRITTEN_OUT {
        return RowSpec::Sparse(entries.to_vec());
    }
    let mut row = vec![0.0; n];
    entries.iter().for_each(|&(i, x)| row[i] = x);
    RowSpec::Dense(row)
}

fn signals(list: &[Signal]) -> Vec<SignalSpec> {
    list.iter().cloned().map(SignalSpec).collect()
}
