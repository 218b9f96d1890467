//! A solid as it is written: its keys as given, its mesh beside them, its state where that is not what the parts say.

use super::attached::{Attached, vector};
use crate::build::scenario::Scenario;
use crate::build::solid::SolidDescription;
use crate::format::keys::solid::SolidSpec;
use std::sync::Arc;

/// The mesh in the folder of a run.
pub const MESH: &str = "mesh.msh";

/// `[model]`; mesh and long vectors are added to `files`.
pub fn solid(description: &SolidDescription, scenario: &Scenario, files: &mut Vec<(String, Attached)>) -> SolidSpec {
    files.push((MESH.into(), Attached::Bytes(Arc::clone(&description.mesh))));
    let start = description.solid.initial_state().unwrap_or_default();
    // bit by bit: −0 is not 0
    let same = |x: &[f64], y: &[f64]| x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.to_bits() == y.to_bits());
    let mut state = |key: &str, x: &[f64], start: &[f64]| (!same(x, start)).then(|| vector(key, x, files));
    let q0 = state("q0", &scenario.problem.q0, &start.0);
    let v0 = state("v0", &scenario.problem.v0, &start.1);
    SolidSpec { mesh: MESH.into(), q0, v0, ..description.spec.clone() }
}
