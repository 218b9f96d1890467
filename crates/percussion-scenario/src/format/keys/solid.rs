//! `[model]` of kind "solid": a mesh, its parts, supports, loads and contacts.

use crate::format::keys::linear::{MODAL, ModalSpec};
use crate::format::record::record;
use crate::format::values::{NUMBERS, SIGNAL, SIGNALS, SignalSpec, VECTOR, VectorSpec};
use percussion_model::KeyDefault::{Absent, Number, Required, Word};
use percussion_model::{Bound, Form, Range};

/// One number about z in the plane, three in space.
const TURN: Form = Form::List { of: &Form::NUMBER, least: 1, most: 3 };
/// As many directions as there are axes.
const AXES: Form = Form::List { of: &Form::Word(&["x", "y", "z"]), least: 1, most: 3 };

record! {
    /// `[model]` of kind "solid".
    struct SolidSpec as SOLID {
        mesh: String = Form::Text, "", Required, "a Gmsh file (4.1 or 2.2) in the scenario's folder; groups below are its physical groups";
        scale: f64 = Form::POSITIVE, "", Number(1.0), "length of the mesh's unit in metres: 1e-3 reads millimetres";
        kinematics: String = Form::Word(&["linear", "finite"]), "", Word("linear"), "small displacements, or finite ones, which energy-momentum moves";
        plane: Option<String> = Form::Word(&["strain", "stress", "axisymmetric"]), "", Absent("a solid in space"), "what plane elements stand for: a slice, a sheet, a body of revolution about y";
        thickness: Option<f64> = Form::POSITIVE, "m", Number(1.0), "of a slice or sheet";
        gravity: Option<Vec<SignalSpec>> = Form::List { of: &SIGNAL, least: 2, most: 3 }, "m/s²", Absent("none"), "g, as of bodies: its mean is a potential, what varies does external work";
        mass: Option<String> = Form::Word(&["consistent", "lumped"]), "", Absent("lumped under redistributed contacts, else consistent"), "the mass matrix";
        damping: Option<ModalSpec> = Form::Table(MODAL), "", Absent("none"), "of the modes, beside that of the parts: up to 1000 coordinates with small displacements";
        part: Vec<SolidPartSpec> = Form::list(&Form::Table(SOLID_PART)), "", Absent("none"), "the parts, each a group of elements with its material";
        support: Vec<SupportSpec> = Form::list(&Form::Table(SUPPORT)), "", Absent("none"), "nodes whose motion is given";
        load: Vec<LoadSpec> = Form::list(&Form::Table(LOAD)), "", Absent("none"), "forces on faces or nodes";
        contact: Vec<SolidContactSpec> = Form::list(&Form::Table(SOLID_CONTACT)), "", Absent("none"), "surfaces that may touch obstacles or each other";
        q0: Option<VectorSpec> = NUMBERS, "m", Absent("as the parts say"), "displacements of the free coordinates at t = 0";
        v0: Option<VectorSpec> = NUMBERS, "m/s", Absent("as the parts say"), "their velocities at t = 0";
    }
}

record! {
    /// `[[model.part]]`.
    struct SolidPartSpec as SOLID_PART {
        group: String = Form::Text, "", Required, "its elements";
        material: ElasticSpec = Form::Table(ELASTIC), "", Required, "what it is made of";
        damping: Option<RayleighSpec> = Form::Table(RAYLEIGH), "", Absent("none"), "C = mass·M + stiffness·K";
        offset: Option<Vec<f64>> = VECTOR, "m", Absent("zero"), "moves the part before anything happens, without stress";
        displacement: Option<Vec<f64>> = VECTOR, "m", Absent("zero"), "u of its centre at t = 0";
        gradient: Option<Vec<Vec<f64>>> = Form::list(&VECTOR), "", Absent("zero"), "∂u/∂X at t = 0, row by row: a part that starts strained";
        velocity: Option<Vec<f64>> = VECTOR, "m/s", Absent("zero"), "at t = 0";
        angular_velocity: Option<Vec<f64>> = TURN, "rad/s", Absent("zero"), "at t = 0 about its centre of mass; one number in the plane";
    }
}

record! {
    /// `material = { … }`.
    struct ElasticSpec as ELASTIC {
        law: String = Form::Word(&["hooke", "saint-venant-kirchhoff", "neo-hookean"]), "", Word("hooke"), "the last two need kinematics = \"finite\"";
        young: f64 = Form::POSITIVE, "Pa", Required, "E";
        poisson: f64 = Form::Number(Range { low: Bound::Open(-1.0), high: Bound::Open(0.5) }), "", Required, "ν";
        density: f64 = Form::POSITIVE, "kg/m³", Required, "ρ";
    }
}

record! {
    /// `damping = { … }`.
    struct RayleighSpec as RAYLEIGH {
        mass: f64 = Form::NOT_NEGATIVE, "1/s", Number(0.0), "a of C = a M + b K";
        stiffness: f64 = Form::NOT_NEGATIVE, "s", Number(0.0), "b";
    }
}

record! {
    /// `[[model.support]]`.
    struct SupportSpec as SUPPORT {
        group: String = Form::Text, "", Required, "its nodes";
        fix: Option<Vec<String>> = AXES, "", Absent("all axes, or normal"), "the axes along which the nodes are held";
        normal: Option<Vec<f64>> = VECTOR, "", Absent("fix"), "one direction along which they are held instead: a roller on a slanted plane";
        motion: Option<Vec<SignalSpec>> = SIGNALS, "m", Absent("at rest"), "where they are moved, one signal for each direction held";
    }
}

record! {
    /// `[[model.load]]`.
    struct LoadSpec as LOAD {
        group: String = Form::Text, "", Required, "faces, or nodes for force";
        pressure: Option<SignalSpec> = SIGNAL, "Pa", Absent("traction or force"), "against the faces";
        traction: Option<Vec<SignalSpec>> = SIGNALS, "Pa", Absent("pressure or force"), "force per area, by component";
        force: Option<Vec<SignalSpec>> = SIGNALS, "N", Absent("pressure or traction"), "on each node, by component";
    }
}

record! {
    /// `[[model.contact]]` of a solid.
    struct SolidContactSpec as SOLID_CONTACT {
        surface: String = Form::Text, "", Required, "faces that may touch; between two surfaces the finer one";
        against: AgainstSpec = Form::Table(AGAINST), "", Required, "a rigid shape, or another surface";
        method: Option<String> = Form::Word(&["node", "mortar"]), "", Absent("node against shapes and where kinematics are finite, mortar between other surfaces"), "how points are paired";
        reach: Option<f64> = Form::POSITIVE, "m", Absent("a tenth of the solid"), "between surfaces: candidates are made where the gap is below this";
        mass: Option<String> = Form::Word(&["redistributed", "consistent", "lumped"]), "", Absent("redistributed where the scheme can, unless model.mass is consistent; else model.mass"), "of the nodes of the surface; redistributed: given to those behind it";
        restitution: f64 = Form::between(0.0, 1.0), "", Number(0.0), "e of each node, which is not that of the body";
        friction: f64 = Form::NOT_NEGATIVE, "", Number(0.0), "μ";
    }
}

record! {
    /// `against = { … }`: one of its keys, with a motion for shapes.
    struct AgainstSpec as AGAINST {
        plane: Option<PlaneSpec> = Form::Table(PLANE), "", Absent("another"), "a half-space";
        sphere: Option<SphereSpec> = Form::Table(SPHERE), "", Absent("another"), "a ball; a disc in the plane";
        cylinder: Option<CylinderSpec> = Form::Table(CYLINDER), "", Absent("another"), "a round bar without ends";
        r#box: Option<BlockSpec> = Form::Table(BLOCK), "", Absent("another"), "a block; a rectangle in the plane";
        surface: Option<String> = Form::Text, "", Absent("another"), "faces of the same solid or of another part";
        motion: Option<Vec<SignalSpec>> = SIGNALS, "m", Absent("at rest"), "displacement of the shape, by component";
    }
}

record! {
    /// A half-space.
    struct PlaneSpec as PLANE {
        point: Vec<f64> = VECTOR, "m", Required, "a point of its surface";
        normal: Vec<f64> = VECTOR, "", Required, "towards the solid; any length";
    }
}

record! {
    /// A ball.
    struct SphereSpec as SPHERE {
        centre: Vec<f64> = VECTOR, "m", Required, "its centre";
        radius: f64 = Form::POSITIVE, "m", Required, "R";
    }
}

record! {
    /// A round bar without ends.
    struct CylinderSpec as CYLINDER {
        point: Vec<f64> = VECTOR, "m", Required, "a point of its axis";
        axis: Vec<f64> = VECTOR, "", Required, "its direction; any length";
        radius: f64 = Form::POSITIVE, "m", Required, "R";
    }
}

record! {
    /// A block.
    struct BlockSpec as BLOCK {
        centre: Vec<f64> = VECTOR, "m", Required, "its centre";
        size: Vec<f64> = VECTOR, "m", Required, "its lengths";
        angle: f64 = Form::NUMBER, "rad", Number(0.0), "how far it is turned about z";
    }
}
