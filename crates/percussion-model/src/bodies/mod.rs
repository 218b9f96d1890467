//! Rigid bodies in the plane and in space: matter, shapes, materials, springs, and where they touch.

mod body;
mod detect;
mod inertia;
mod inside;
mod joint;
mod joint_touch;
mod lasting;
mod load;
mod material;
pub mod math;
pub mod measure;
mod measure_drift;
mod mesh;
mod scene;
mod shape;

pub use body::{Body, BodyParts, Matter, Motion};
pub use detect::{ContactPoint, Detector, Features};
pub use inertia::MassProperties;
pub use inside::Inside;
pub use joint::{Joint, JointKind, JointParts, JointRow, Motor, Play, RowLaw, Stop, Term};
pub use joint_touch::JointTouch;
pub use lasting::{Lasting, LastingContact, View};
pub use load::{Pull, Spring};
pub use material::{Materials, PairLaw};
pub use mesh::TriangleMesh;
pub use scene::{Bodies, Frame, SceneParts, Twist, at};
pub use shape::Shape;
