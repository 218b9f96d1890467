//! `[[flexible]]` of a scene: bodies reduced to their interfaces and lowest modes.

use super::flexible::{BEAM_CONTACT, BeamContactSpec};
use crate::format::record::record;
use crate::format::values::{Either, MATRIX, MatrixSpec};
use percussion_model::KeyDefault::{Absent, Flag, Integer, Number, Required, Word};
use percussion_model::{Bound, Form, Range};

/// `[[flexible]]`.
pub const FLEXIBLES: Form = Form::Named("flexible bodies", &Form::list(&Form::Table(FLEXIBLE)));
/// A node, several that move as one, or a group of a mesh.
const INTERFACE: Form = Form::OneOf(&[NODE, Form::list(&NODE), Form::Text]);
const NODE: Form = Form::Integer { least: 0, most: i64::MAX };
const TRIPLE: Form = Form::exactly(3, &Form::NUMBER);
const SIX: Form = Form::exactly(6, &Form::NUMBER);

/// As they are written.
pub type InterfaceSpec = Either<i64, Either<Vec<i64>, String>>;

record! {
    /// `[[flexible]]`.
    struct FlexibleEntry as FLEXIBLE {
        name: String = Form::Text, "", Required, "its name; its markers are bodies NAME.0, NAME.1, …";
        nodes: Option<MatrixSpec> = MATRIX, "m, kg, kg·m²", Absent("mesh"), "x, y, z, mass of every node, and jx, jy, jz where nodes turn; a file may be CSV";
        stiffness: Option<MatrixSpec> = MATRIX, "N/m", Absent("mesh"), "K of the free body: three rows a node, or six";
        mesh: Option<String> = Form::Text, "", Absent("nodes and stiffness"), "a Gmsh file in the scenario's folder instead: all its groups of volumes, of one material";
        scale: Option<f64> = Form::POSITIVE, "", Absent("1"), "length of the unit of a mesh in metres";
        young: Option<f64> = Form::POSITIVE, "Pa", Absent("stiffness"), "E of a mesh";
        poisson: Option<f64> = Form::Number(Range { low: Bound::Open(-1.0), high: Bound::Open(0.5) }), "", Absent("0.3, or stiffness"), "ν of a mesh";
        density: Option<f64> = Form::POSITIVE, "kg/m³", Absent("nodes"), "ρ of a mesh";
        interfaces: Vec<InterfaceSpec> = Form::list(&INTERFACE), "", Absent("reduced"), "where it is held and touched, each a marker: a node, a list of nodes that move as one, or a group of the mesh (of points: each of them)";
        modes: i64 = Form::Integer { least: 0, most: 1000 }, "", Integer(8), "fixed-interface modes that are kept, the lowest";
        damping_ratio: f64 = Form::NOT_NEGATIVE, "", Number(0.0), "ζ of every mode";
        inertia: String = Form::Word(&["constant", "full"]), "", Word("constant"), "constant: bends little, turns slowly, and says so where it does not; full: modes and spin act on each other";
        geometric_stiffness: Option<Vec<MatrixSpec>> = Form::list(&MATRIX), "N·s²/(m·rad²)", Absent("none: a spin below 0.3 of the lowest frequency"), "with full inertia, K_G as Σ w_a w_b K_ab of the body that spins: xx, yy, zz, and xy, xz, yz where they are not zero";
        position: Option<Vec<f64>> = TRIPLE, "m", Absent("the origin"), "of the nodes' origin at t = 0";
        rotation: Option<Vec<f64>> = Form::exactly(4, &Form::NUMBER), "", Absent("not turned"), "unit quaternion w, x, y, z";
        velocity: Option<Vec<f64>> = TRIPLE, "m/s", Absent("zero"), "of its centre of mass, world frame";
        angular_velocity: Option<Vec<f64>> = TRIPLE, "rad/s", Absent("zero"), "body frame";
        contact: Option<BeamContactSpec> = Form::Table(BEAM_CONTACT), "", Absent("it passes through everything"), "balls at its markers";
        reduced: Option<ReducedSpec> = Form::Table(REDUCED), "", Absent("nodes or mesh"), "the reduction itself, as a run writes it";
    }
}

record! {
    /// `reduced = { … }`.
    struct ReducedSpec as REDUCED {
        mass: f64 = Form::POSITIVE, "kg", Required, "m without the markers";
        centre: [f64; 3] = TRIPLE, "m", Required, "of that mass";
        inertia: [f64; 6] = SIX, "kg·m²", Required, "of that about its centre: x, y, z, xy, xz, yz";
        frequencies: Vec<f64> = Form::list(&Form::POSITIVE), "rad/s", Required, "ω of its modes with the markers let go";
        lowest: f64 = Form::POSITIVE, "rad/s", Required, "ω₁ of the whole body, free or held at one marker";
        cutoff: f64 = Form::NOT_NEGATIVE, "rad/s", Number(0.0), "highest fixed-interface frequency kept";
        marker: Vec<MarkerSpec> = Form::list(&Form::Table(MARKER)), "", Absent("none"), "the markers";
        witnesses: Vec<Vec<[f64; 3]>> = Form::list(&Form::list(&TRIPLE)), "1/√kg", Absent("none"), "Φ of the nodes that move most, by mode";
        first: Vec<[f64; 6]> = Form::list(&SIX), "√kg·m", Absent("constant inertia"), "full inertia, J₀ + Σ η_m J_m + Σ η_mη_n J_mn: J_m as x, y, z, xy, xz, yz";
        second: Vec<[f64; 6]> = Form::list(&SIX), "1", Absent("constant inertia"), "J_mn for m ≤ n";
        turning: Vec<[f64; 3]> = Form::list(&TRIPLE), "1", Absent("constant inertia"), "g_mn for m < n: Σ η_m η̇_n g_mn is the angular momentum of the modes";
        stiffened: bool = Form::Flag, "", Flag(false), "J_mn hold geometric stiffness";
    }
}

record! {
    /// `marker = [{ … }]`.
    struct MarkerSpec as MARKER {
        place: [f64; 3] = TRIPLE, "m", Required, "in the axes of the nodes";
        mass: f64 = Form::POSITIVE, "kg", Required, "its share";
        inertia: [f64; 6] = SIX, "kg·m²", Required, "about its centre: x, y, z, xy, xz, yz";
        shapes: Vec<[f64; 6]> = Form::list(&SIX), "1/√kg, 1/(m√kg)", Required, "displacement and turn for each mode";
    }
}
