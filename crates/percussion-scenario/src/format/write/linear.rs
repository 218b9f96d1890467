//! Linear models as they are written: small matrices and rows in full, larger ones in files and by their entries.

use super::attached::{Attached, vector};
use crate::build::scenario::Scenario;
use crate::format::keys::linear::{BarContactSpec, BarSpec, ContactSpec, JointRowSpec, LinearSpec};
use crate::format::values::{MatrixSpec, RowSpec, SignalSpec, Spread};
use percussion_matrix::Matrix;
use percussion_model::build::{Bar, MassKind};
use percussion_model::{LinearModel, Signal};
use percussion_step::Problem;
use std::borrow::Cow;

/// Rows up to which a matrix is written out.
const INLINE_ROWS: usize = 16;
/// Coordinates up to which a contact's normal is written out.
const WRITTEN_OUT: usize = 64;

/// A model of kind "linear"; the matrices that go to files are added to `files`.
pub fn linear<'a>(
    model: &'a LinearModel,
    force: &[Signal],
    problem: &Problem,
    files: &mut Vec<(String, Attached<'a>)>,
) -> LinearSpec {
    let mut matrix = |key: &str, A: &'a Matrix| {
        if A.n_rows() <= INLINE_ROWS {
            let row = |i| (0..A.n_cols()).map(|j| A.get(i, j)).collect();
            return MatrixSpec::Rows((0..A.n_rows()).map(row).collect());
        }
        files.push((format!("{key}.mtx"), Attached::Matrix(Cow::Borrowed(A))));
        MatrixSpec::File(format!("{key}.mtx"))
    };
    let row = |entries: &[(usize, f64)]| row(entries, model.n());
    let contact = model.contacts().iter().map(|contact| ContactSpec {
        normal: row(&contact.normal),
        offset: SignalSpec(contact.offset.clone()),
        restitution: contact.restitution,
        tangents: (!contact.tangents.is_empty()).then(|| contact.tangents.iter().map(|t| row(t)).collect()),
        friction: (!contact.tangents.is_empty()).then_some(contact.friction),
    });
    let mass = matrix("mass", model.mass());
    let stiffness = model.stiffness().map(|K| matrix("stiffness", K));
    let damping = model.damping().map(|C| matrix("damping", C));
    let q0 = Some(vector("q0", &problem.q0, files));
    let v0 = Some(vector("v0", &problem.v0, files));
    LinearSpec {
        mass,
        stiffness,
        damping,
        force: Some(signals(force)),
        gravity: None,
        conservative: false,
        q0,
        v0,
        contact: contact.collect(),
        joint: model.joints().iter().map(|j| JointRowSpec { row: row(&j.row), offset: j.offset }).collect(),
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
