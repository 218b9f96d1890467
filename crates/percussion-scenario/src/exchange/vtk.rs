//! A run of bodies for ParaView: one `.vtp` per frame with every body's surface, and a `.pvd` with the physical times.
//!
//! Cell data: number of the body, speed of its centre of mass, its angular speed. Point data: velocity of the surface.

use crate::error::{Result, ScenarioError};
use crate::run::folder::{Row, RunFolder};
use percussion_model::Code;
use percussion_model::bodies::math::{Vec3, norm};
use percussion_model::bodies::{Bodies, Shape};
use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;
use std::path::Path;

/// Frames at most; longer runs are thinned evenly.
const MAX_FRAMES: u64 = 1000;

/// A surface in the frame of its body.
#[derive(Clone, Debug, Default, PartialEq)]
struct Surface {
    points: Vec<Vec3>,
    faces: Vec<Vec<usize>>,
}

/// Writes `run.pvd` and its frames into a folder; gives the number of frames.
pub fn export_vtk(folder: &Path, out: &Path) -> Result<u64> {
    let run = RunFolder::open(folder)?;
    let Some(scene) = run.model().bodies() else {
        let message = "only runs of bodies have surfaces to show";
        let help = "use --to csv, or percussion report for a moving picture";
        return Err(ScenarioError::file(Code::UNSUPPORTED, folder.display().to_string(), message, help));
    };
    let failed = |path: &Path, error: std::io::Error| {
        let message = format!("cannot be written: {error}");
        ScenarioError::file(Code::UNWRITABLE, path.display().to_string(), message, "choose another --out folder")
    };
    let frames = out.join("frames");
    std::fs::create_dir_all(&frames).map_err(|error| failed(&frames, error))?;
    let surfaces: Vec<Surface> =
        scene.bodies().iter().map(|body| surface(&body.shape, scene.is_planar(), scene.len())).collect();
    let scenario = &run.loaded.scenario;
    let stored = scenario.count.n / scenario.every.max(1) + 1;
    let stride = stored.div_ceil(MAX_FRAMES).max(1);
    let mut index = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n",
    );
    let (mut rows, mut row) = (run.rows()?, Row::default());
    let (mut number, mut written) = (0_u64, 0_u64);
    while rows.next(&mut row)? {
        if number.is_multiple_of(stride) {
            let name = format!("frames/frame-{written:05}.vtp");
            let path = out.join(&name);
            let text = frame(scene, &surfaces, &row.state.q, &row.state.v);
            std::fs::write(&path, text).map_err(|error| failed(&path, error))?;
            let _ = writeln!(index, "    <DataSet timestep=\"{:?}\" part=\"0\" file=\"{name}\"/>", row.state.t);
            written += 1;
        }
        number += 1;
    }
    index.push_str("  </Collection>\n</VTKFile>\n");
    let path = out.join("run.pvd");
    std::fs::write(&path, index).map_err(|error| failed(&path, error))?;
    Ok(written)
}

/// One frame as XML poly data.
fn frame(scene: &Bodies, surfaces: &[Surface], q: &[f64], v: &[f64]) -> String {
    let (mut points, mut velocities) = (String::new(), String::new());
    let (mut connectivity, mut offsets) = (String::new(), String::new());
    let (mut bodies, mut speeds, mut spins) = (String::new(), String::new(), String::new());
    let (mut n_points, mut n_faces, mut end) = (0, 0, 0);
    for (i, surface) in surfaces.iter().enumerate() {
        let (place, twist) = (scene.frame(i, q), scene.twist(i, v));
        for r in &surface.points {
            let x = place.point(r);
            let u = place.velocity(&twist, r);
            let _ = writeln!(points, "{:?} {:?} {:?}", x[0], x[1], x[2]);
            let _ = writeln!(velocities, "{:?} {:?} {:?}", u[0], u[1], u[2]);
        }
        for face in &surface.faces {
            for k in face {
                let _ = write!(connectivity, "{} ", n_points + k);
            }
            end += face.len();
            let _ = write!(offsets, "{end} ");
            let _ = write!(bodies, "{i} ");
            let _ = write!(speeds, "{:?} ", norm(&twist.v));
            let _ = write!(spins, "{:?} ", norm(&twist.w));
        }
        n_points += surface.points.len();
        n_faces += surface.faces.len();
    }
    let array = |kind: &str, name: &str, components: usize, data: &str| {
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"ascii\">\n{data}\n</DataArray>\n"
        )
    };
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\">\n<PolyData>\n\
         <Piece NumberOfPoints=\"{n_points}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{n_faces}\">\n\
         <Points>\n{}</Points>\n<PointData>\n{}</PointData>\n<CellData>\n{}{}{}</CellData>\n<Polys>\n{}{}</Polys>\n\
         </Piece>\n</PolyData>\n</VTKFile>\n",
        array("Float64", "points", 3, &points),
        array("Float64", "velocity", 3, &velocities),
        array("Int32", "body", 1, &bodies),
        array("Float64", "speed", 1, &speeds),
        array("Float64", "angular_speed", 1, &spins),
        array("Int32", "connectivity", 1, &connectivity),
        array("Int32", "offsets", 1, &offsets),
    )
}

/// The surface of a shape; planes are drawn as squares, and balls coarser in large scenes.
fn surface(shape: &Shape, planar: bool, bodies: usize) -> Surface {
    let fine = if bodies > 200 { 8 } else { 16 };
    match shape {
        Shape::Sphere { radius } if planar => outline((0..24).map(|k| polar(*radius, k, 24)).collect()),
        Shape::Sphere { radius } => turned(&arc(*radius, 0.0, fine / 2), fine),
        Shape::Box { size } if planar => {
            let [x, y] = [0.5 * size[0], 0.5 * size[1]];
            outline(vec![[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
        }
        Shape::Box { size } => {
            let corner = |k: usize| std::array::from_fn(|a| size[a] * if k >> a & 1 == 1 { 0.5 } else { -0.5 });
            let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
            Surface { points: (0..8).map(corner).collect(), faces: faces.iter().map(|f| f.to_vec()).collect() }
        }
        Shape::Capsule { radius, length } => turned(&arc(*radius, *length, fine / 2), fine),
        Shape::Cylinder { radius, length } => {
            let z = 0.5 * length;
            turned(&[(0.0, -z), (*radius, -z), (*radius, z), (0.0, z)], fine)
        }
        Shape::Hull { points } => {
            let faces = crate::scene::bodies::hull_triangles(points);
            Surface { points: points.clone(), faces: faces.iter().map(|f| f.to_vec()).collect() }
        }
        Shape::Mesh(mesh) => {
            Surface { points: mesh.vertices.clone(), faces: mesh.triangles.iter().map(|f| f.to_vec()).collect() }
        }
        Shape::Polygon { points } => outline(points.iter().map(|p| [p[0], p[1], 0.0]).collect()),
        Shape::Plane if planar => {
            outline(vec![[-10.0, -0.1, 0.0], [10.0, -0.1, 0.0], [10.0, 0.0, 0.0], [-10.0, 0.0, 0.0]])
        }
        Shape::Plane => outline(vec![[-10.0, -10.0, 0.0], [10.0, -10.0, 0.0], [10.0, 10.0, 0.0], [-10.0, 10.0, 0.0]]),
        Shape::Point => Surface::default(),
    }
}

fn outline(points: Vec<Vec3>) -> Surface {
    let face = (0..points.len()).collect();
    Surface { points, faces: vec![face] }
}

fn polar(radius: f64, k: usize, n: usize) -> Vec3 {
    let (s, c) = (k as f64 * TAU / n as f64).sin_cos();
    [radius * c, radius * s, 0.0]
}

/// Half a circle from pole to pole as (distance from the axis, height), stretched in the middle.
fn arc(radius: f64, length: f64, n: usize) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for k in 0..=n {
        let angle = PI * k as f64 / n as f64;
        let lift = if 2 * k < n { -0.5 * length } else { 0.5 * length };
        if 2 * k == n && length > 0.0 {
            points.push((radius, -0.5 * length));
        }
        points.push((radius * angle.sin(), -radius * angle.cos() + lift));
    }
    points
}

/// The surface a profile sweeps about z.
fn turned(profile: &[(f64, f64)], n: usize) -> Surface {
    let mut points = Vec::new();
    for &(r, z) in profile {
        points.extend((0..n).map(|k| {
            let [x, y, _] = polar(r, k, n);
            [x, y, z]
        }));
    }
    let mut faces = Vec::new();
    for ring in 0..profile.len() - 1 {
        for k in 0..n {
            let (a, b) = (ring * n + k, ring * n + (k + 1) % n);
            faces.push(vec![a, b, b + n, a + n]);
        }
    }
    Surface { points, faces }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The divergence theorem gives the volumes of the closed surfaces: faces point outwards, nothing is missing.
    #[test]
    fn surfaces_enclose_their_volumes() {
        let volume = |s: &Surface| {
            let mut sum = 0.0;
            for f in &s.faces {
                for k in 1..f.len() - 1 {
                    let [a, b, c] = [s.points[f[0]], s.points[f[k]], s.points[f[k + 1]]];
                    sum +=
                        percussion_model::bodies::math::dot(&a, &percussion_model::bodies::math::cross(&b, &c)) / 6.0;
                }
            }
            sum
        };
        let of = |shape: Shape| volume(&surface(&shape, false, 1));
        assert!((of(Shape::Box { size: [1.0, 2.0, 3.0] }) - 6.0).abs() < 1e-12);
        // inscribed with 16 sides: 4 to 8 % less than the round shape
        let ball = of(Shape::Sphere { radius: 1.0 }) / (4.0 * PI / 3.0);
        let cylinder = of(Shape::Cylinder { radius: 1.0, length: 2.0 }) / TAU;
        let capsule = of(Shape::Capsule { radius: 1.0, length: 2.0 }) / (TAU + 4.0 * PI / 3.0);
        for ratio in [ball, cylinder, capsule] {
            assert!((0.9..1.0).contains(&ratio), "{ratio}");
        }
    }
}
