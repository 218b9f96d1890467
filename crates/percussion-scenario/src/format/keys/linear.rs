//! `[model]` of the linear kinds, "linear" and "bar".

use crate::format::keys::solid::{RAYLEIGH, RayleighSpec};
use crate::format::record::{FromValue, Place, Read, record};
use crate::format::text::ToText;
use crate::format::values::{
    ListSpec, MATRIX, MATRIX_FILE, MatrixSpec, NUMBERS, ROW, RowSpec, SIGNAL, SIGNALS, SPREAD, SignalSpec, Spread,
    UNITS, VECTOR_FILE, VectorSpec,
};
use percussion_model::KeyDefault::{Absent, Flag, Integer, Number, Required, Word};
use percussion_model::{Bound, Form, Range};
use toml::Value;

record! {
    /// `[model]` of kind "linear".
    struct LinearSpec as LINEAR {
        mass: MatrixSpec = MATRIX, "kg", Required, "M, symmetric positive definite";
        stiffness: Option<MatrixSpec> = MATRIX, "N/m", Absent("zero"), "K, symmetric";
        damping: Option<DampingSpec> = DAMPING, "N·s/m", Absent("zero"), "C: a matrix, Rayleigh's a M + b K, or ratios of the modes";
        symmetrize: bool = Form::Flag, "", Flag(false), "takes ½(A + Aᵀ) of mass and stiffness, for files whose triangles differ by round-off";
        fix: Option<ListSpec<i64>> = COORDINATES, "", Absent("none"), "coordinates held where q0 puts them; they keep their numbers";
        condense: bool = Form::Flag, "", Flag(false), "takes out the coordinates without mass, which follow the others in equilibrium; the rest is numbered in its order";
        force: Option<ListSpec<SignalSpec>> = LOADS, "N", Absent("zero"), "F(t); a file holds constant loads";
        gravity: Option<ListSpec<SignalSpec>> = LOADS, "m/s²", Absent("none"), "an acceleration a for each coordinate: the load M a, its constant part booked as a potential";
        conservative: bool = Form::Flag, "", Flag(false), "whether constant loads of `force` are potentials; otherwise their work is work_external";
        q0: Option<VectorSpec> = NUMBERS, "m", Absent("zero"), "q at t = 0";
        v0: Option<VectorSpec> = NUMBERS, "m/s", Absent("zero"), "v at t = 0";
        coordinates: Vec<String> = Form::list(&Form::Text), "", Absent("q0, q1, …"), "names of q, for tables and figures; the rate of x is x_dot";
        units: Option<Spread<String>> = UNITS, "", Absent("m"), "of the coordinates: one for all, or one each";
        mesh: Option<PictureMeshSpec> = Form::Table(PICTURE_MESH), "", Absent("each coordinate is drawn as a mass"), "the mesh the matrices were made of: its nodes, in the order of its file, have one coordinate for each axis; gives the picture and the names";
        contact: Vec<ContactSpec> = Form::list(&Form::Table(CONTACT)), "", Absent("none"), "g = normal·q + offset ≥ 0";
        joint: Vec<JointRowSpec> = Form::list(&Form::Table(JOINT_ROW)), "", Absent("none"), "row·q + offset = 0";
    }
}

record! {
    /// `mesh = { … }` of a linear model.
    struct PictureMeshSpec as PICTURE_MESH {
        file: String = Form::Text, "", Required, "a Gmsh file (4.1 or 2.2) in the scenario's folder";
        scale: f64 = Form::POSITIVE, "", Number(1.0), "length of the mesh's unit in metres: 1e-3 reads millimetres";
        young: f64 = Form::POSITIVE, "Pa", Required, "E of the stresses that the picture shows";
        poisson: f64 = Form::Number(Range { low: Bound::Open(-1.0), high: Bound::Open(0.5) }), "", Number(0.3), "ν";
    }
}

/// C of a linear model.
const DAMPING: Form = Form::Named(
    "damping",
    &Form::OneOf(&[Form::list(&Form::NUMBERS), Form::Table(MATRIX_FILE), Form::Table(RAYLEIGH), Form::Table(MODAL)]),
);
/// Ratios of the modes.
const RATIOS: Form = Form::OneOf(&[Form::NOT_NEGATIVE, Form::list(&Form::NOT_NEGATIVE)]);
/// F(t), one each or in a file.
const LOADS: Form = Form::OneOf(&[SIGNALS, Form::Table(VECTOR_FILE)]);
/// Numbers of coordinates, here or in a file.
const COORDINATES: Form = Form::OneOf(&[
    Form::list(&Form::Integer { least: 0, most: crate::limits::MAX_N as i64 - 1 }),
    Form::Table(VECTOR_FILE),
]);

record! {
    /// `damping = { ratios = … }`.
    struct ModalSpec as MODAL {
        ratios: Spread<f64> = RATIOS, "", Required, "ζ of all modes, or of the lowest ones by rising frequency; motions without stiffness are not counted";
    }
}

/// C as written.
#[derive(Clone, Debug, PartialEq)]
pub enum DampingSpec {
    /// In full.
    Matrix(MatrixSpec),
    /// a M + b K.
    Rayleigh(RayleighSpec),
    /// Ratios of the modes.
    Modal(ModalSpec),
}

impl FromValue for DampingSpec {
    fn from_value(value: Value, form: &Form, at: &Place) -> Read<Self> {
        let has = |key: &str| value.get(key).is_some();
        if has("ratios") {
            return ModalSpec::from_value(value, form, at).map(Self::Modal);
        }
        if has("mass") || has("stiffness") {
            return RayleighSpec::from_value(value, form, at).map(Self::Rayleigh);
        }
        MatrixSpec::from_value(value, form, at).map(Self::Matrix)
    }
}

impl ToText for DampingSpec {
    fn text(&self) -> Option<String> {
        match self {
            Self::Matrix(matrix) => matrix.text(),
            Self::Rayleigh(rayleigh) => rayleigh.text(),
            Self::Modal(modal) => modal.text(),
        }
    }
}

record! {
    /// `[[model.contact]]` of a linear model.
    struct ContactSpec as CONTACT {
        name: Option<String> = Form::Text, "", Absent("contact N"), "what tables, figures and messages call it";
        normal: RowSpec = ROW, "", Required, "this contact's column of G";
        offset: SignalSpec = SIGNAL, "m", Absent("0"), "w(t); a signal makes a moving obstacle";
        restitution: f64 = Form::between(0.0, 1.0), "", Required, "e";
        tangents: Option<Vec<RowSpec>> = Form::List { of: &ROW, least: 1, most: 2 }, "", Absent("no friction"), "rows of the sliding velocities: one in the plane, two in space";
        friction: Option<f64> = Form::NOT_NEGATIVE, "", Absent("no friction"), "μ; needs tangents";
    }
}

record! {
    /// `[[model.joint]]`.
    struct JointRowSpec as JOINT_ROW {
        row: RowSpec = ROW, "", Required, "the row of J";
        offset: f64 = Form::NUMBER, "m", Number(0.0), "c";
    }
}

record! {
    /// `[model]` of kind "bar".
    struct BarSpec as BAR {
        young: f64 = Form::POSITIVE, "Pa", Required, "E";
        density: f64 = Form::POSITIVE, "kg/m³", Required, "ρ";
        area: f64 = Form::POSITIVE, "m²", Required, "A";
        length: f64 = Form::POSITIVE, "m", Required, "L";
        elements: i64 = Form::Integer { least: 1, most: crate::limits::MAX_N as i64 - 1 }, "", Required, "number of elements";
        mass: String = Form::Word(&["consistent", "lumped"]), "", Word("consistent"), "the mass matrix";
        force: Option<Spread<SignalSpec>> = Form::OneOf(&[SIGNAL, SIGNALS]), "N", Absent("zero"), "F(t) on every node, or node by node";
        q0: Option<Spread<f64>> = SPREAD, "m", Absent("zero"), "displacement at t = 0 of all nodes, or node by node";
        v0: Option<Spread<f64>> = SPREAD, "m/s", Absent("zero"), "velocity at t = 0 of all nodes, or node by node";
        contact: Vec<BarContactSpec> = Form::list(&Form::Table(BAR_CONTACT)), "", Absent("none"), "one node against an obstacle: g = direction·q + offset ≥ 0";
    }
}

record! {
    /// `[[model.contact]]` of a bar: one node against an obstacle.
    struct BarContactSpec as BAR_CONTACT {
        node: i64 = Form::Integer { least: 0, most: crate::limits::MAX_N as i64 - 1 }, "", Required, "the node, from 0";
        direction: i64 = Form::OneOf(&[Form::Integer { least: 1, most: 1 }, Form::Integer { least: -1, most: -1 }]), "", Integer(1), "1: the obstacle lies below, g = q + offset; −1: above, g = −q + offset";
        offset: SignalSpec = SIGNAL, "m", Absent("0"), "w(t)";
        restitution: f64 = Form::between(0.0, 1.0), "", Required, "e";
    }
}
