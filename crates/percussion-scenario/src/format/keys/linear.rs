//! `[model]` of the linear kinds, "linear" and "bar".

use crate::format::record::record;
use crate::format::values::{
    MATRIX, MatrixSpec, NUMBERS, ROW, RowSpec, SIGNAL, SIGNALS, SPREAD, SignalSpec, Spread, VectorSpec,
};
use percussion_model::Form;
use percussion_model::KeyDefault::{Absent, Flag, Integer, Number, Required, Word};

record! {
    /// `[model]` of kind "linear".
    struct LinearSpec as LINEAR {
        mass: MatrixSpec = MATRIX, "kg", Required, "M, symmetric positive definite";
        stiffness: Option<MatrixSpec> = MATRIX, "N/m", Absent("zero"), "K, symmetric";
        damping: Option<MatrixSpec> = MATRIX, "N·s/m", Absent("zero"), "C";
        force: Option<Vec<SignalSpec>> = SIGNALS, "N", Absent("zero"), "F(t)";
        gravity: Option<Vec<f64>> = Form::NUMBERS, "m/s²", Absent("none"), "an acceleration a for each coordinate: the load M a, booked as a potential";
        conservative: bool = Form::Flag, "", Flag(false), "whether constant loads of `force` are potentials; otherwise their work is work_external";
        q0: Option<VectorSpec> = NUMBERS, "m", Absent("zero"), "q at t = 0";
        v0: Option<VectorSpec> = NUMBERS, "m/s", Absent("zero"), "v at t = 0";
        contact: Vec<ContactSpec> = Form::list(&Form::Table(CONTACT)), "", Absent("none"), "g = normal·q + offset ≥ 0";
        joint: Vec<JointRowSpec> = Form::list(&Form::Table(JOINT_ROW)), "", Absent("none"), "row·q + offset = 0";
    }
}

record! {
    /// `[[model.contact]]` of a linear model.
    struct ContactSpec as CONTACT {
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
