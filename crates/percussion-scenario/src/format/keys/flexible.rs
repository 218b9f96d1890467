//! `[[beam]]` and `[[load]]` of a scene: flexible bodies beside `[[body]]`, and what acts on their nodes.

use crate::format::record::{kinds, record};
use crate::format::values::{Either, SIGNAL, SignalSpec, VECTOR};
use crate::limits::MAX_ELEMENTS;
use percussion_model::KeyDefault::{Absent, Flag, Integer, Number, Required, Word};
use percussion_model::{Bound, Form, Range};

/// `[[beam]]`.
pub const BEAMS: Form = Form::Named("beams", &Form::list(&Form::Table(BEAM_ENTRY)));
/// `[[load]]`.
pub const NODE_LOADS: Form = Form::Named("node loads", &Form::list(&Form::Table(NODE_LOAD)));
/// `[[cable]]`.
pub const CABLES: Form = Form::Named("cables", &Form::list(&Form::Table(CABLE_ENTRY)));
/// `[[bushing]]`.
pub const BUSHINGS: Form = Form::Named("bushings", &Form::list(&Form::Table(BUSHING_ENTRY)));
/// A time, a diagonal, or row by row.
const RESISTANCE: Form = Form::OneOf(&[Form::NOT_NEGATIVE, Form::NUMBERS, Form::list(&Form::NUMBERS)]);
/// Diagonal, or row by row.
const STIFFNESS: Form = Form::OneOf(&[Form::NUMBERS, Form::list(&Form::NUMBERS)]);
/// One number about z in the plane, three in space.
const TURN: Form = Form::List { of: &Form::NUMBER, least: 1, most: 3 };

kinds! {
    /// `section = { … }`.
    enum SectionSpec as SECTIONS {
        Rectangle(RectangleSpec) = "rectangle", "k = 5/6";
        Circle(CircleSpec) = "circle", "k = 6/7";
        Tube(TubeSpec) = "tube", "k = 1/2";
    }
}

record! {
    /// A rectangle.
    struct RectangleSpec as RECTANGLE {
        width: f64 = Form::POSITIVE, "m", Required, "along the second axis; in the plane across the beam";
        depth: f64 = Form::POSITIVE, "m", Required, "along the third axis, up";
    }
}

record! {
    /// A circle.
    struct CircleSpec as CIRCLE {
        radius: f64 = Form::POSITIVE, "m", Required, "of the circle";
    }
}

record! {
    /// A tube.
    struct TubeSpec as TUBE {
        radius: f64 = Form::POSITIVE, "m", Required, "outside";
        inner: f64 = Form::POSITIVE, "m", Required, "inside";
    }
}

record! {
    /// `arc = { … }`.
    struct ArcSpec as ARC {
        centre: Vec<f64> = VECTOR, "m", Required, "the middle of the circle";
        axis: Option<Vec<f64>> = Form::exactly(3, &Form::NUMBER), "", Absent("z"), "about which it turns";
        angle: f64 = Form::NUMBER, "rad", Required, "by how much it turns";
    }
}

record! {
    /// `[[beam]]`.
    struct BeamEntry as BEAM_ENTRY {
        name: String = Form::Text, "", Required, "its name; its nodes are bodies NAME.0, NAME.1, …";
        from: Option<Vec<f64>> = VECTOR, "m", Absent("points"), "where it starts at t = 0";
        to: Option<Vec<f64>> = VECTOR, "m", Absent("points or arc"), "where it ends";
        points: Option<Vec<Vec<f64>>> = Form::list(&VECTOR), "m", Absent("from and to, or from and arc"), "a polygon instead";
        arc: Option<ArcSpec> = Form::Table(ARC), "", Absent("to"), "a circle that starts at from instead";
        elements: i64 = Form::Integer { least: 1, most: MAX_ELEMENTS as i64 }, "", Integer(8), "number of elements; of a polygon, on each side";
        up: Option<Vec<f64>> = Form::exactly(3, &Form::NUMBER), "", Absent("z; x for beams along z"), "third axis of the section; the second is up × direction";
        section: Option<SectionSpec> = Form::Named("section", &Form::Kinds(SECTIONS)), "", Absent("stiffness, mass_per_length and inertia_per_length"), "its outline, with young, poisson and density";
        young: Option<f64> = Form::POSITIVE, "Pa", Absent("stiffness"), "E";
        poisson: Option<f64> = Form::Number(Range { low: Bound::Open(-1.0), high: Bound::Closed(0.5) }), "", Absent("0.3, or stiffness"), "ν";
        density: Option<f64> = Form::POSITIVE, "kg/m³", Absent("mass_per_length"), "ρ";
        stiffness: Option<Either<Vec<f64>, Vec<Vec<f64>>>> = STIFFNESS, "N, N·m²", Absent("section"), "EA, GA₂, GA₃, GJ, EI₂, EI₃, or all of C row by row; EA, GA, EI in the plane";
        mass_per_length: Option<f64> = Form::POSITIVE, "kg/m", Absent("section"), "ρA";
        inertia_per_length: Option<Vec<f64>> = Form::List { of: &Form::NUMBER, least: 1, most: 6 }, "kg·m", Absent("section"), "ρJ: three numbers, or six with the products xy, xz, yz; one in the plane";
        damping: f64 = Form::NOT_NEGATIVE, "s", Number(0.0), "τ of Kelvin and Voigt: stress C(ε + τ dε/dt)";
        strain: String = Form::Word(&["se3", "cayley", "director"]), "", Word("se3"), "how strain is measured";
        mass: String = Form::Word(&["consistent", "lumped"]), "", Word("consistent"), "how the mass of an element is shared by its nodes";
        residual: bool = Form::Flag, "", Flag(true), "elements carry a linear moment with its own flexibility";
        rest_curvature: Option<Vec<f64>> = TURN, "1/m", Absent("as placed, without stress"), "twist and curvatures without stress, in the axes of the section; one number in the plane";
        tension: Option<f64> = Form::NUMBER, "N", Number(0.0), "axial force where it is placed";
        velocity: Option<Vec<f64>> = VECTOR, "m/s", Absent("zero"), "of its first node at t = 0, with angular_velocity about it";
        angular_velocity: Option<Vec<f64>> = TURN, "rad/s", Absent("zero"), "world frame; one number in the plane";
        contact: Option<BeamContactSpec> = Form::Table(BEAM_CONTACT), "", Absent("it passes through everything"), "its surface; beams in space without corners";
    }
}

record! {
    /// `contact = { … }`.
    struct BeamContactSpec as BEAM_CONTACT {
        radius: f64 = Form::POSITIVE, "m", Required, "of the capsules along a beam or a cable, of the balls on the markers of a reduced body";
        material: Option<String> = Form::Text, "", Absent("the first"), "name of its material";
    }
}

record! {
    /// `[[cable]]`.
    struct CableEntry as CABLE_ENTRY {
        name: String = Form::Text, "", Required, "its name; its nodes are bodies NAME.0, NAME.1, …";
        from: Vec<f64> = VECTOR, "m", Required, "where it starts at t = 0";
        to: Vec<f64> = VECTOR, "m", Required, "where it ends";
        from_body: Option<String> = Form::Text, "", Absent("free, or a joint"), "the body or node that holds its start";
        to_body: Option<String> = Form::Text, "", Absent("free, or a joint"), "the one that holds its end";
        elements: i64 = Form::Integer { least: 1, most: MAX_ELEMENTS as i64 }, "", Integer(8), "number of elements";
        axial_stiffness: f64 = Form::POSITIVE, "N", Required, "EA";
        length: Option<f64> = Form::POSITIVE, "m", Absent("the distance of its ends"), "without tension; slack where its ends are nearer";
        mass_per_length: f64 = Form::POSITIVE, "kg/m", Required, "ρA";
        velocity: Option<Vec<f64>> = VECTOR, "m/s", Absent("zero"), "of its first node at t = 0, with angular_velocity about it";
        angular_velocity: Option<Vec<f64>> = TURN, "rad/s", Absent("zero"), "world frame; one number in the plane";
        contact: Option<BeamContactSpec> = Form::Table(BEAM_CONTACT), "", Absent("it passes through everything"), "its surface, a capsule on every element; in space";
    }
}

record! {
    /// `[[bushing]]`.
    struct BushingEntry as BUSHING_ENTRY {
        a: String = Form::Text, "", Required, "a body, or a beam at its node";
        b: String = Form::Text, "", Required, "another";
        a_node: Option<i64> = Form::Integer { least: 0, most: i64::MAX }, "", Absent("the node at the anchor"), "where a is a beam: number of its node";
        b_node: Option<i64> = Form::Integer { least: 0, most: i64::MAX }, "", Absent("the node at the anchor"), "where b is a beam: number of its node";
        a_marker: Option<i64> = Form::Integer { least: 0, most: i64::MAX }, "", Absent("the marker at the anchor"), "where a is a reduced body: number of its marker";
        b_marker: Option<i64> = Form::Integer { least: 0, most: i64::MAX }, "", Absent("the marker at the anchor"), "where b is a reduced body: number of its marker";
        a_group: Option<String> = Form::Text, "", Absent("a is no solid"), "where a is a solid: the group it holds";
        b_group: Option<String> = Form::Text, "", Absent("b is no solid"), "where b is a solid: the group it holds";
        anchor: Vec<f64> = VECTOR, "m", Required, "world place at t = 0, where it is without stress";
        stiffness: Either<Vec<f64>, Vec<Vec<f64>>> = STIFFNESS, "N/m, N·m", Required, "along and about the axes of the world at t = 0, or all of C row by row; x, y and about z in the plane. Zero where it resists nothing: [0, 0, 0, k, 0, 0] is a torsion spring";
        damping: Option<Either<f64, Either<Vec<f64>, Vec<Vec<f64>>>>> = RESISTANCE, "s; N·s/m, N·m·s", Number(0.0), "a number is τ of stress C(ε + τ dε/dt); six numbers or 6 × 6 are damping themselves";
    }
}

record! {
    /// `[[load]]`.
    struct NodeLoadSpec as NODE_LOAD {
        beam: String = Form::Text, "", Required, "a beam, a cable or a reduced body";
        node: i64 = Form::Integer { least: 0, most: i64::MAX }, "", Required, "number of its node or marker, from 0";
        force: Option<Vec<SignalSpec>> = Form::List { of: &SIGNAL, least: 2, most: 3 }, "N", Absent("zero"), "world frame";
        moment: Option<Vec<SignalSpec>> = Form::List { of: &SIGNAL, least: 1, most: 3 }, "N·m", Absent("zero"), "world frame, not turning with the node; one number in the plane";
    }
}
