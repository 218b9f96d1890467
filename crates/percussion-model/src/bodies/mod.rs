//! Rigid bodies in the plane and in space: matter, shapes, materials, springs, and where they touch.

mod body;
mod detect;
mod inertia;
mod load;
mod material;
pub mod math;
mod mesh;
mod scene;
mod shape;

pub use body::{Body, BodyParts, Matter, Motion};
pub use detect::{ContactPoint, Detector, Features};
pub use inertia::MassProperties;
pub use load::{Pull, Spring};
pub use material::{Materials, PairLaw};
pub use mesh::TriangleMesh;
pub use scene::{Bodies, Frame, SceneParts, Twist, at};
pub use shape::Shape;
