//! Rigid bodies in the plane and in space: matter, shapes, materials, joints, springs, and where they touch.

mod body;
mod cable_links;
mod compliance;
mod corners;
mod detect;
mod elastic;
mod enclosure;
mod flexible;
mod joint_touch;
pub mod joints;
mod lasting_contact;
mod mass_properties;
mod massless;
mod material;
pub mod math;
pub mod measure;
mod measure_drift;
mod middle;
mod path;
mod plane_curve;
mod reduced;
mod rotor;
mod scene;
mod scene_joints;
pub mod shapes;
mod spring;
mod still;
mod turns;

pub use body::{Body, BodyParts, Matter, Motion};
pub use compliance::{Compliance, Growth};
pub use detect::{ContactPoint, Detector, Features};
pub use elastic::{Elastic, ElasticParts};
pub use enclosure::Inside;
pub use flexible::{Beam, BushingParts, FlexibleParts, NodeLoad, Span};
pub use joint_touch::JointTouch;
pub use joints::{
    Acts, Backlash, ConstantVelocity, CurveStep, ForceCurve, Gear, Joint, JointKind, JointParts, JointRow, Journal,
    Motor, Play, RowLaw, Screw, Servo, Slot, Stop, Term, Universal,
};
pub use lasting_contact::{Lasting, LastingContact, View};
pub use mass_properties::MassProperties;
pub use material::{Materials, PairLaw};
pub use middle::half_way;
pub use path::{Crossing, PathSearch, turn};
pub use plane_curve::PlaneCurve;
pub use reduced::{BeyondReduction, Reduced};
pub use rotor::Rotor;
pub use scene::{Bodies, Frame, SceneParts, Twist, at};
pub use shapes::{
    Capsule, Compound, Cuboid, Cylinder, Hull, Outline, Piece, Pieces, Plane, Point, Polygon, Shape, Sphere,
    TriangleMesh,
};
pub use spring::{Pull, Spring};
