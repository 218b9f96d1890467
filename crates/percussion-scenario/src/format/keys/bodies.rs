//! `[model]` of kind "bodies", with `[[body]]`, `[[material]]`, `[[pair]]`, `[[spring]]`, `[[joint]]`, `[[beam]]`, `[[cable]]`, `[[bushing]]`, `[[flexible]]`, `[[solid]]` and `[[load]]`.
//!
//! The lists stand at the top level or below `[model]`.

use super::flexible::{BEAMS, BUSHINGS, BeamEntry, BushingEntry, CABLES, CableEntry, NODE_LOADS, NodeLoadSpec};
use super::joints::{JOINT, JointSpec};
use super::reduced::{FLEXIBLES, FlexibleEntry};
use super::scene_solid::{SOLIDS, SceneSolidSpec};
use super::shapes::{PieceSpec, ShapeSpec};
use crate::format::record::record;
use crate::format::values::{SIGNAL, SIGNALS, SignalSpec, VECTOR};
use percussion_model::Form;
use percussion_model::KeyDefault::{Absent, Flag, Integer, Number, Required};
use percussion_model::bodies::Shape;

/// The lists of a scene, which may stand at the top level.
pub const LISTS: [&str; 11] =
    ["material", "pair", "body", "spring", "joint", "beam", "cable", "bushing", "flexible", "solid", "load"];
/// `[[material]]`.
pub const MATERIALS: Form = Form::Named("materials", &Form::list(&Form::Table(MATERIAL)));
/// `[[pair]]`.
pub const PAIRS: Form = Form::Named("pairs", &Form::list(&Form::Table(PAIR)));
/// `[[body]]`.
pub const BODY_LIST: Form = Form::Named("bodies", &Form::list(&Form::Table(BODY)));
/// `[[spring]]`.
pub const SPRINGS: Form = Form::Named("springs", &Form::list(&Form::Table(SPRING)));
/// `[[joint]]`.
pub const JOINTS: Form = Form::Named("joints", &Form::list(&Form::Table(JOINT)));

record! {
    /// `[model]` of kind "bodies".
    struct BodiesSpec as BODIES {
        dimension: i64 = Form::Integer { least: 2, most: 3 }, "", Integer(3), "2: a plane scene, 3: space";
        gravity: Option<Vec<SignalSpec>> = Form::List { of: &SIGNAL, least: 2, most: 3 }, "m/s²", Absent("9.81 against the last axis"), "g; what varies in time is a load m g(t), not a potential";
        restitution: Option<f64> = Form::between(0.0, 1.0), "", Number(0.0), "e of pairs of materials that are not named";
        friction: Option<f64> = Form::NOT_NEGATIVE, "", Number(0.0), "μ of pairs of materials that are not named";
        rolling: Option<f64> = Form::NOT_NEGATIVE, "m", Number(0.0), "μ_r of pairs of materials that are not named: the moment of rolling friction is at most μ_r p_N";
        compliance: Option<ComplianceSpec> = Form::Table(COMPLIANCE), "", Absent("rigid"), "how contacts of pairs of materials that are not named give way, in the place of restitution";
        no_contact: Vec<[String; 2]> = Form::list(&Form::exactly(2, &Form::Text)), "", Absent("none"), "pairs of bodies that pass through each other";
        material: Vec<MaterialSpec> = MATERIALS, "", Absent("one, called default"), "the materials";
        pair: Vec<PairSpec> = PAIRS, "", Absent("none"), "how two materials meet";
        body: Vec<BodySpec> = BODY_LIST, "", Absent("none"), "the bodies";
        spring: Vec<SpringSpec> = SPRINGS, "", Absent("none"), "springs with dampers between two bodies";
        joint: Vec<JointSpec> = JOINTS, "", Absent("none"), "joints between two bodies";
        beam: Vec<BeamEntry> = BEAMS, "", Absent("none"), "flexible beams";
        cable: Vec<CableEntry> = CABLES, "", Absent("none"), "cables";
        bushing: Vec<BushingEntry> = BUSHINGS, "", Absent("none"), "elastic elements between two bodies";
        flexible: Vec<FlexibleEntry> = FLEXIBLES, "", Absent("none"), "reduced flexible bodies";
        solid: Vec<SceneSolidSpec> = SOLIDS, "", Absent("none"), "elastic solids in finite elements";
        load: Vec<NodeLoadSpec> = NODE_LOADS, "", Absent("none"), "loads at nodes of beams and at markers";
    }
}

record! {
    /// `[[material]]`.
    struct MaterialSpec as MATERIAL {
        name: String = Form::Text, "", Required, "its name";
    }
}

record! {
    /// `[[pair]]`.
    struct PairSpec as PAIR {
        materials: Vec<String> = Form::List { of: &Form::Text, least: 1, most: 2 }, "", Required, "two materials, or one that meets itself";
        restitution: f64 = Form::between(0.0, 1.0), "", Number(0.0), "e";
        friction: f64 = Form::NOT_NEGATIVE, "", Number(0.0), "μ";
        rolling: Option<f64> = Form::NOT_NEGATIVE, "m", Number(0.0), "μ_r: the moment of rolling friction is at most μ_r p_N";
        compliance: Option<ComplianceSpec> = Form::Table(COMPLIANCE), "", Absent("rigid"), "how their contacts give way, in the place of restitution";
    }
}

record! {
    /// `compliance = { … }`.
    struct ComplianceSpec as COMPLIANCE {
        kind: String = Form::Word(&["linear", "hertz"]), "", Required, "linear: F = k δ + c δ̇; hertz: F = k δ^{3/2} (1 + c δ̇), at every point of contact";
        stiffness: f64 = Form::POSITIVE, "N/m or N/m^{3/2}", Required, "k";
        damping: f64 = Form::NOT_NEGATIVE, "N·s/m or s/m", Number(0.0), "c";
    }
}

record! {
    /// `[[body]]`.
    struct BodySpec as BODY {
        name: String = Form::Text, "", Required, "its name";
        shape: Option<ShapeSpec> = Form::Named("shape", &Form::Kinds(Shape::KINDS)), "", Absent("a point"), "what it looks like to others";
        shapes: Option<Vec<PieceSpec>> = Form::Named("shapes", &Form::list(&Form::Kinds(Shape::PLACED))), "", Absent("one shape"), "several convex shapes instead, each placed in the frame of the body";
        density: Option<f64> = Form::POSITIVE, "kg/m³; kg/m² in the plane", Absent("mass"), "ρ; or mass";
        mass: Option<f64> = Form::POSITIVE, "kg", Absent("density"), "m; without inertia spread evenly over the shape";
        inertia: Option<Vec<f64>> = Form::List { of: &Form::NUMBER, least: 1, most: 6 }, "kg·m²", Absent("that of the shape"), "I_x, I_y, I_z and optionally I_xy, I_xz, I_yz about the centre of mass; [I] in the plane";
        massless: Option<bool> = Form::Flag, "", Flag(false), "it has no mass: a link between joints, moved by what they join it to";
        fixed: Option<bool> = Form::Flag, "", Flag(false), "it stays where it is";
        motion: Option<MotionSpec> = Form::Table(MOTION), "", Absent("it moves freely"), "it moves as prescribed";
        position: Option<Vec<f64>> = VECTOR, "m", Absent("the origin"), "of the shape's origin at t = 0";
        rotation: Option<Vec<f64>> = Form::exactly(4, &Form::NUMBER), "", Absent("not turned"), "unit quaternion w, x, y, z";
        angle: Option<f64> = Form::NUMBER, "rad", Absent("0"), "planar scenes: θ at t = 0";
        velocity: Option<Vec<f64>> = VECTOR, "m/s", Absent("zero"), "world frame";
        angular_velocity: Option<Vec<f64>> = Form::List { of: &Form::NUMBER, least: 1, most: 3 }, "rad/s", Absent("zero"), "body frame; one number in the plane";
        force: Option<Vec<SignalSpec>> = Form::List { of: &SIGNAL, least: 2, most: 3 }, "N", Absent("zero"), "world frame, at the centre of mass";
        torque: Option<Vec<SignalSpec>> = Form::List { of: &SIGNAL, least: 1, most: 3 }, "N·m", Absent("zero"), "body frame; one number in the plane";
        drag: Option<[f64; 2]> = Form::exactly(2, &Form::NOT_NEGATIVE), "N·s/m, N·m·s", Absent("zero"), "against velocity and angular velocity";
        contact: Option<bool> = Form::Flag, "", Flag(true), "whether it meets other bodies";
        material: Option<String> = Form::Text, "", Absent("the first"), "name of its material";
        looks: Option<Vec<LookSpec>> = Form::Named("looks", &Form::list(&Form::Table(LOOK))), "", Absent("its shapes"), "what pictures show instead of its shapes, in space";
        repeat: Option<RepeatSpec> = Form::Table(REPEAT), "", Absent("one body"), "copies NAME.0, NAME.1, … on a grid";
    }
}

record! {
    /// An entry of `looks = [ … ]`.
    struct LookSpec as LOOK {
        file: String = Form::Text, "", Required, "a mesh: STL, OBJ or DAE";
        color: Option<[f64; 3]> = Form::exactly(3, &Form::between(0.0, 1.0)), "", Absent("that of bodies"), "red, green, blue";
        position: Option<Vec<f64>> = VECTOR, "m", Absent("the centre"), "of the mesh's origin in the frame of the body";
        rotation: Option<Vec<f64>> = Form::exactly(4, &Form::NUMBER), "", Absent("not turned"), "unit quaternion w, x, y, z";
    }
}

record! {
    /// `motion = { … }`.
    struct MotionSpec as MOTION {
        velocity: Option<Vec<SignalSpec>> = SIGNALS, "m/s", Absent("zero"), "world frame";
        angular_velocity: Option<Vec<SignalSpec>> = SIGNALS, "rad/s", Absent("zero"), "body frame; one signal in the plane";
    }
}

record! {
    /// `repeat = { … }`: copies NAME.0, NAME.1, … along the axes, the last axis slowest.
    struct RepeatSpec as REPEAT {
        count: Vec<i64> = Form::List { of: &Form::Integer { least: 1, most: i64::MAX }, least: 2, most: 3 }, "", Required, "copies along each axis";
        spacing: Vec<f64> = VECTOR, "m", Required, "distances between them";
        jitter: Option<Vec<f64>> = VECTOR, "m", Absent("none"), "largest random shift along each axis, uniform";
        seed: u64 = Form::Integer { least: 0, most: i64::MAX }, "", Integer(0), "which random shifts";
    }
}

record! {
    /// `[[spring]]`.
    struct SpringSpec as SPRING {
        a: String = Form::Text, "", Required, "a body";
        b: String = Form::Text, "", Required, "another";
        a_group: Option<String> = Form::Text, "", Absent("a is no solid"), "where a is a solid: the group it holds";
        b_group: Option<String> = Form::Text, "", Absent("b is no solid"), "where b is a solid: the group it holds";
        point_a: Option<Vec<f64>> = VECTOR, "m", Absent("the shape's origin"), "end on a, from its shape's origin in its frame";
        point_b: Option<Vec<f64>> = VECTOR, "m", Absent("the shape's origin"), "end on b";
        stiffness: f64 = Form::NOT_NEGATIVE, "N/m", Required, "k";
        damping: f64 = Form::NOT_NEGATIVE, "N·s/m", Number(0.0), "c";
        length: f64 = Form::NOT_NEGATIVE, "m", Required, "l₀, at rest";
    }
}
