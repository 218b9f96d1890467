//! Flexible bodies: beams, cables and bushings as elements between the frames of bodies.
//!
//!   an element sees where two frames are at the start and at the end of a step and gives forces whose work is the change of its
//!   energy, whatever the step:  F·(Δx, a) = ΔV + dissipation
//!
//! Nodes of a beam are bodies of their own. Rotations and rigid motions come first (`rotation`, `rigid_motion`, `cayley`,
//! `mean_frame`), then what elements measure (`base_measures`, `coefficient`, `strain`), the elements, and what they are made of
//! (`section`, `mass`, `layout`). Reduced bodies are `craig_bampton` (from matrices) and `reduced` (as described).

pub mod action;
pub(crate) mod base_measures;
mod beam;
mod beam_element;
mod beam_tangent;
pub mod blocks;
mod bushing;
mod cable;
mod cable_line;
pub mod cayley;
pub(crate) mod coefficient;
mod craig_bampton;
mod element;
pub mod layout;
mod mass;
pub mod mean_frame;
mod modal_inertia;
mod modal_spring;
mod plane_element;
mod plane_stretch;
mod reduced;
pub mod rigid_motion;
pub mod rotation;
mod section;
mod strain;
#[cfg(test)]
pub(crate) mod test_tools;

pub use beam::{BeamContact, BeamParts, Course, SectionParts, round_outline};
pub use beam_element::{BeamElement, BeamStep};
pub use bushing::{Bushing, BushingStep, Seat};
pub use cable::{Cable, CableStep};
pub use cable_line::CableParts;
pub use coefficient::StrainMeasure;
pub use craig_bampton::{FiniteBody, Reduction};
pub use element::{Element, ElementStep};
pub use mass::{ElementMass, MassKind};
pub use modal_inertia::{ModalInertia, ModalState};
pub use modal_spring::ModalSpring;
pub use plane_element::{PlaneElement, PlanePassage, PlaneStep};
pub use plane_stretch::PlaneStrain;
pub use reduced::{MarkerParts, ReducedParts};
pub use section::{Area, Section, SectionShape, diagonal6};
