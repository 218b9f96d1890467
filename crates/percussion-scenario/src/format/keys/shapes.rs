//! `shape = { kind = "…", … }` of a body.

use crate::format::record::{kinds, record};
use crate::format::values::VECTOR;
use percussion_model::Form;
use percussion_model::KeyDefault::{Absent, Number, Required};

/// A point of space.
const POINT3: Form = Form::exactly(3, &Form::NUMBER);
/// A point of the plane.
const POINT2: Form = Form::exactly(2, &Form::NUMBER);
/// Three vertices by number.
const TRIANGLE: Form = Form::exactly(3, &Form::Integer { least: 0, most: i64::MAX });

kinds! {
    /// `shape = { kind = "…", … }`.
    enum ShapeSpec as SHAPES {
        Sphere(SphereSpec) = "sphere" | "disk", "a ball, or a disk in the plane";
        Box(BoxSpec) = "box", "edges along the axes";
        Capsule(RoundSpec) = "capsule", "a cylinder with half-spheres at its ends, along z";
        Cylinder(RoundSpec) = "cylinder", "along z";
        Hull(HullSpec) = "hull", "the convex hull of points";
        Mesh(MeshSpec) = "mesh", "a closed surface of triangles: vertices and triangles, or file";
        Heightfield(HeightfieldSpec) = "heightfield", "a ground of heights above a grid";
        Polygon(PolygonSpec) = "polygon", "convex, counter-clockwise; in the plane";
        Plane(PlaneSpec) = "plane", "solid below its last axis";
        Point(PointSpec) = "point", "no extent";
    }
}

record! {
    /// A sphere.
    struct SphereSpec as SPHERE {
        radius: f64 = Form::POSITIVE, "m", Required, "radius";
    }
}

record! {
    /// A box.
    struct BoxSpec as BOX {
        size: Vec<f64> = VECTOR, "m", Required, "lengths of the edges";
    }
}

record! {
    /// A capsule or a cylinder.
    struct RoundSpec as ROUND {
        radius: f64 = Form::POSITIVE, "m", Required, "radius";
        length: f64 = Form::POSITIVE, "m", Required, "of the cylindrical part";
    }
}

record! {
    /// A convex hull.
    struct HullSpec as HULL {
        points: Vec<[f64; 3]> = Form::list(&POINT3), "m", Required, "points outside one plane";
    }
}

record! {
    /// A mesh.
    struct MeshSpec as MESH {
        vertices: Option<Vec<[f64; 3]>> = Form::list(&POINT3), "m", Absent("file"), "the vertices";
        triangles: Option<Vec<[i64; 3]>> = Form::list(&TRIANGLE), "", Absent("file"), "numbers of vertices from 0, counter-clockwise seen from outside";
        file: Option<String> = Form::Text, "", Absent("vertices and triangles"), "an STL or OBJ file in the scenario's folder";
        scale: Option<f64> = Form::POSITIVE, "m", Absent("1"), "metres per unit of the file";
    }
}

record! {
    /// A heightfield.
    struct HeightfieldSpec as HEIGHTFIELD {
        heights: Vec<Vec<f64>> = Form::list(&Form::NUMBERS), "m", Required, "rows along y, each along x";
        size: [f64; 2] = Form::exactly(2, &Form::POSITIVE), "m", Required, "of the grid along x and y, centred";
        depth: f64 = Form::POSITIVE, "m", Number(1.0), "below the lowest point, where it is closed";
    }
}

record! {
    /// A polygon.
    struct PolygonSpec as POLYGON {
        points: Vec<[f64; 2]> = Form::list(&POINT2), "m", Required, "the corners";
    }
}

record! {
    /// A plane.
    struct PlaneSpec as PLANE {}
}

record! {
    /// A point.
    struct PointSpec as POINT {}
}
