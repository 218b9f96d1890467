//! What a solid is made of, not yet checked: groups of a mesh with materials, supports, loads and contacts.

use super::contact::SurfaceContact;
use super::finite::Law;
use super::hooke::Hooke;
use super::mass::SolidMass;
use super::mesh::Mesh;
use super::section::Section;
use crate::Signal;
use crate::bodies::math::{Mat3, Vec3};

/// A solid, not yet checked.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidParts {
    /// Nodes, elements and groups.
    pub mesh: Mesh,
    /// What plane elements stand for.
    pub section: Section,
    /// How far displacements may go.
    pub kinematics: Kinematics,
    /// How mass is represented.
    pub mass: SolidMass,
    /// Acceleration of gravity, along each axis [m/s²].
    pub gravity: [Signal; 3],
    /// Matter; elements of no part are left out.
    pub parts: Vec<Part>,
    /// Supports.
    pub supports: Vec<Support>,
    /// Loads.
    pub loads: Vec<Load>,
    /// Contacts.
    pub contacts: Vec<SurfaceContact>,
}

/// How far displacements may go.
#[derive(Clone, Debug, PartialEq)]
pub enum Kinematics {
    /// Small: strains, gaps and normals are linear in them.
    Linear,
    /// As far as they like, with one hyperelastic law per part.
    Finite(Vec<Law>),
}

/// A group of elements of one material.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Group of its elements.
    pub group: String,
    /// Its material.
    pub material: Hooke,
    /// Its damping C = a M + b K.
    pub damping: Rayleigh,
    /// Displacement of the part before anything happens, without stress [m].
    pub offset: Vec3,
    /// Initial displacement of its centre of mass [m].
    pub displacement: Vec3,
    /// Initial ∂u/∂X, row by row: a part that starts strained.
    pub gradient: Mat3,
    /// Initial velocity [m/s].
    pub velocity: Vec3,
    /// Initial angular velocity about its centre of mass [rad/s]; in the plane about z.
    pub angular_velocity: Vec3,
}

impl Part {
    /// At rest, without damping.
    pub fn new(group: impl Into<String>, material: Hooke) -> Self {
        Self {
            group: group.into(),
            material,
            damping: Rayleigh::default(),
            offset: [0.0; 3],
            displacement: [0.0; 3],
            gradient: [[0.0; 3]; 3],
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
        }
    }
}

/// C = a M + b K.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rayleigh {
    /// a [1/s].
    pub mass: f64,
    /// b [s].
    pub stiffness: f64,
}

/// Nodes whose motion in some directions is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    /// Group of its nodes.
    pub group: String,
    /// n·u = s(t) for each direction n, of any length, with its motion s [m].
    pub directions: Vec<(Vec3, Signal)>,
}

/// Forces on a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Group of faces, or of nodes for nodal forces.
    pub group: String,
    /// What acts.
    pub kind: LoadKind,
}

/// A kind of load.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadKind {
    /// Pressure against the faces, along their undeformed normals [Pa].
    Pressure(Signal),
    /// Force per area, one signal per component [Pa].
    Traction(Vec<Signal>),
    /// Force on each node, one signal per component [N].
    Nodal(Vec<Signal>),
}

impl Support {
    /// Nodes held in the directions of some axes (0 is x).
    pub fn fixed(group: impl Into<String>, axes: &[usize]) -> Self {
        let direction = |&k: &usize| {
            let mut n = [0.0; 3];
            n[k] = 1.0;
            (n, Signal::default())
        };
        Self { group: group.into(), directions: axes.iter().map(direction).collect() }
    }
}
