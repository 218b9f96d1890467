//! `[[solid]]` of a scene: elastic solids in finite elements among bodies.

use super::solid::{LOAD, LoadSpec, SOLID_PART, SUPPORT, SolidPartSpec, SupportSpec};
use crate::format::record::record;
use crate::format::values::VECTOR;
use percussion_model::Form;
use percussion_model::KeyDefault::{Absent, Number, Required, Word};

/// `[[solid]]`.
pub const SOLIDS: Form = Form::Named("solids", &Form::list(&Form::Table(SCENE_SOLID)));

record! {
    /// `[[solid]]`.
    struct SceneSolidSpec as SCENE_SOLID {
        name: String = Form::Text, "", Required, "its name; its nodes are bodies NAME.1, NAME.2, … by their numbers in the mesh, and joints hold its groups";
        mesh: String = Form::Text, "", Required, "a Gmsh file (4.1 or 2.2) in the scenario's folder; groups below are its physical groups";
        scale: f64 = Form::POSITIVE, "", Number(1.0), "length of the mesh's unit in metres: 1e-3 reads millimetres";
        kinematics: String = Form::Word(&["linear", "finite"]), "", Word("linear"), "small displacements of a solid that supports hold, or finite ones: it may turn, bend and fly";
        plane: Option<String> = Form::Word(&["strain", "stress"]), "", Absent("a solid in space"), "what plane elements stand for, in a plane scene: a slice or a sheet";
        thickness: Option<f64> = Form::POSITIVE, "m", Number(1.0), "of a slice or sheet";
        mass: String = Form::Word(&["lumped"]), "", Word("lumped"), "among bodies the mass of a solid stands at its nodes";
        part: Vec<SolidPartSpec> = Form::list(&Form::Table(SOLID_PART)), "", Absent("none"), "the parts, each a group of elements with its material; offsets and velocities along the axes of the world";
        support: Vec<SupportSpec> = Form::list(&Form::Table(SUPPORT)), "", Absent("none"), "nodes that are held along axes of the world";
        load: Vec<LoadSpec> = Form::list(&Form::Table(LOAD)), "", Absent("none"), "forces on faces or nodes";
        contact: Vec<SceneSolidContactSpec> = Form::list(&Form::Table(SCENE_SOLID_CONTACT)), "", Absent("it passes through everything"), "groups whose nodes meet the bodies of the scene";
        position: Option<Vec<f64>> = VECTOR, "m", Absent("the origin"), "of the mesh's origin at t = 0";
        rotation: Option<Vec<f64>> = Form::exactly(4, &Form::NUMBER), "", Absent("not turned"), "unit quaternion w, x, y, z, about the mesh's origin";
        angle: Option<f64> = Form::NUMBER, "rad", Absent("0"), "planar scenes: about the mesh's origin";
        velocity: Option<Vec<f64>> = VECTOR, "m/s", Absent("zero"), "of its centre of mass, world frame";
        angular_velocity: Option<Vec<f64>> = Form::List { of: &Form::NUMBER, least: 1, most: 3 }, "rad/s", Absent("zero"), "about its centre of mass, along the axes of the mesh; one number in the plane";
    }
}

record! {
    /// `[[solid.contact]]`.
    struct SceneSolidContactSpec as SCENE_SOLID_CONTACT {
        surface: String = Form::Text, "", Required, "a group of faces, lines or points";
        material: Option<String> = Form::Text, "", Absent("the first"), "name of its material: [[pair]] says how it meets those of bodies";
    }
}
