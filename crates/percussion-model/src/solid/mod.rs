//! Elastic solids in finite elements, in the plane, about an axis and in space, with contact.
//!
//!   ∫ ρ ü·w + σ(u):ε(w) = ∫ f·w + ∫_Γ t·w,    0 ≤ g ⟂ p ≥ 0 on the contact surfaces
//!
//! `Mesh` reads Gmsh's files; `Solid` makes a `LinearModel` of its groups.

mod assembly;
pub mod contact;
mod coordinates;
mod elastic;
pub mod element;
mod fields;
pub mod finite;
mod graph;
pub mod hooke;
mod loads;
pub mod mass;
mod matrices;
mod matter;
mod mesh;
mod model;
mod parts;
pub mod reactions;
mod redistribute;
mod rows;
mod seams;
mod section;
mod small;
mod surface;
mod thickness;

pub use coordinates::{Axis, Coordinates};
pub use elastic::Elasticity;
pub use graph::NodeGraph;
pub use hooke::Hooke;
pub use mass::SolidMass;
pub use matrices::NodeMass;
pub use matter::Matter;
pub use mesh::{Cell, Group, Mesh};
pub use model::Solid;
pub use parts::{Kinematics, Load, LoadKind, Part, Rayleigh, SolidParts, Support};
pub use redistribute::{Redistributed, redistribute};
pub use seams::Seams;
pub use section::Section;
pub use surface::{Face, Surface};
