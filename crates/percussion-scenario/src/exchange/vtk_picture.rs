//! The moving picture of a run for ParaView: discs, boxes and polygons as faces, links, beams and walls as lines, where the report
//! draws them.
//!
//!   x = p + R r,   p and R from coordinates constant + Σ cᵢ qᵢ + Σ A sin(ω t + φ)
//!
//! Cell data: number of the shape in the picture, and what it is to the motion (0 a body, 1 a link, 2 an obstacle).

use crate::build::scenario::Scenario;
use crate::error::Result;
use crate::run::folder::{Row, RunFolder};
use crate::scene::{self, Picture};
use percussion_model::bodies::math::rotation;
use percussion_report::{Coordinate, Geometry, Place, Role, SceneDescription, Shape};
use std::f64::consts::TAU;
use std::fmt::Write as _;

/// Corners of a disc.
const CORNERS: usize = 32;

/// The picture of a run, to be drawn row by row.
pub struct PictureFrames {
    scene: SceneDescription,
    /// The coordinates the shapes count, or the formulas behind them.
    film: Vec<usize>,
    picture: Option<Picture>,
    /// Half the width of a wall without end.
    reach: f64,
    values: Vec<f64>,
}

/// Points, and the cells between them with their shapes.
#[derive(Default)]
struct Cells {
    points: Vec<[f64; 3]>,
    lines: Vec<(Vec<usize>, usize)>,
    faces: Vec<(Vec<usize>, usize)>,
}

impl PictureFrames {
    /// Of a run that has a picture and whole states; reads how far its coordinates go.
    pub fn open(run: &RunFolder) -> Result<Option<Self>> {
        let scenario: &Scenario = &run.loaded.scenario;
        if !scenario.selection.is_whole() {
            return Ok(None);
        }
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); scenario.model().n_q()];
        let (mut rows, mut row) = (run.rows()?, Row::default());
        while rows.next(&mut row)? {
            for ((low, high), &q) in ranges.iter_mut().zip(&row.state.q) {
                (*low, *high) = (low.min(q), high.max(q));
            }
        }
        let reach = ranges.iter().fold(1.0_f64, |s, (low, high)| s.max(low.abs()).max(high.abs()));
        let picture = scene::formula_picture(scenario);
        let film = scene::film(scenario);
        let drawn = scene::scene(scenario, &ranges);
        Ok(drawn.map(|scene| Self { scene, film, picture, reach, values: Vec::new() }))
    }

    /// The picture at a row, as XML poly data.
    pub fn frame(&mut self, row: &Row) -> String {
        let (q, t) = (&row.state.q, row.state.t);
        match &self.picture {
            Some(picture) => picture.values(q, t, &mut self.values),
            None => {
                self.values.clear();
                self.values.extend(self.film.iter().map(|&i| q[i]));
            }
        }
        let mut cells = Cells::default();
        for (number, shape) in self.scene.shapes.iter().enumerate() {
            self.shape(shape, number, t, &mut cells);
        }
        let roles: Vec<u8> = self.scene.shapes.iter().map(|shape| role(shape.role)).collect();
        cells.xml(&roles)
    }

    fn coordinate(&self, c: &Coordinate, t: f64) -> f64 {
        let places: f64 = c.terms.iter().map(|&(i, factor)| factor * self.values[i]).sum();
        let sines: f64 = c.sines.iter().map(|&(a, omega, phi)| a * (omega * t + phi).sin()).sum();
        c.constant + places + sines
    }

    fn point(&self, point: &[Coordinate; 3], t: f64) -> [f64; 3] {
        [0, 1, 2].map(|k| self.coordinate(&point[k], t))
    }

    /// A point of a shape's own frame, where it is.
    fn placed(&self, place: &Place, r: [f64; 3], t: f64) -> [f64; 3] {
        let turned = |p: [f64; 3], angle: f64| {
            let (s, c) = angle.sin_cos();
            [p[0] + c * r[0] - s * r[1], p[1] + s * r[0] + c * r[1], p[2] + r[2]]
        };
        let rotated = |p: [f64; 3], turn: [f64; 4]| {
            let R = rotation(&turn);
            [0, 1, 2].map(|i| p[i] + R[i][0] * r[0] + R[i][1] * r[1] + R[i][2] * r[2])
        };
        let v = &self.values;
        match place {
            Place::Coordinates { position, angle } => turned(self.point(position, t), self.coordinate(angle, t)),
            Place::Planar { first: k } => turned([v[*k], v[k + 1], 0.0], v[k + 2]),
            Place::Body { first: k } => rotated([v[*k], v[k + 1], v[k + 2]], [v[k + 3], v[k + 4], v[k + 5], v[k + 6]]),
            Place::Fixed { position, rotation: turn } => rotated(*position, *turn),
        }
    }

    fn shape(&self, shape: &Shape, number: usize, t: f64, cells: &mut Cells) {
        let at = |r: [f64; 3]| self.placed(&shape.place, r, t);
        let disc = |radius: f64| {
            let angles = (0..CORNERS).map(|k| TAU * k as f64 / CORNERS as f64);
            angles.map(|a| at([radius * a.cos(), radius * a.sin(), 0.0])).collect::<Vec<_>>()
        };
        match &shape.geometry {
            Geometry::Sphere { radius } | Geometry::Capsule { radius, .. } | Geometry::Cylinder { radius, .. } => {
                cells.face(disc(*radius), number);
            }
            Geometry::Box { size } => {
                let (x, y) = (0.5 * size[0], 0.5 * size[1]);
                cells.face([[-x, -y], [x, -y], [x, y], [-x, y]].map(|[x, y]| at([x, y, 0.0])).to_vec(), number);
            }
            Geometry::Plane { normal: [x, y, _], extent } => {
                let half = if *extent > 0.0 { 0.5 * extent } else { self.reach };
                cells.line([-half, half].map(|s| at([-s * y, s * x, 0.0])).to_vec(), number);
            }
            Geometry::Polygon { points } => cells.face(points.iter().map(|&[x, y]| at([x, y, 0.0])).collect(), number),
            Geometry::Mesh { vertices, triangles, .. } => {
                cells.triangles(vertices.iter().map(|&r| at(r)).collect(), triangles, number);
            }
            Geometry::Polyline { points, .. } => {
                cells.line(points.iter().map(|point| self.point(point, t)).collect(), number);
            }
            Geometry::Spring { ends, .. } => cells.line(ends.each_ref().map(|end| self.point(end, t)).to_vec(), number),
            Geometry::Solid { points, triangles, .. } => {
                cells.triangles(points.iter().map(|point| self.point(point, t)).collect(), triangles, number);
            }
        }
    }
}

fn role(role: Role) -> u8 {
    match role {
        Role::Body => 0,
        Role::Link => 1,
        Role::Obstacle => 2,
        Role::Axis => 3,
    }
}

impl Cells {
    /// Points of their own, numbered from the first.
    fn add(&mut self, points: Vec<[f64; 3]>) -> Vec<usize> {
        let first = self.points.len();
        self.points.extend(points);
        (first..self.points.len()).collect()
    }

    fn face(&mut self, points: Vec<[f64; 3]>, shape: usize) {
        let cell = self.add(points);
        self.faces.push((cell, shape));
    }

    fn line(&mut self, points: Vec<[f64; 3]>, shape: usize) {
        let cell = self.add(points);
        self.lines.push((cell, shape));
    }

    fn triangles(&mut self, points: Vec<[f64; 3]>, triangles: &[[usize; 3]], shape: usize) {
        let first = self.points.len();
        self.points.extend(points);
        self.faces.extend(triangles.iter().map(|corners| (corners.map(|k| first + k).to_vec(), shape)));
    }

    fn xml(&self, roles: &[u8]) -> String {
        let array = |kind: &str, name: &str, components: usize, data: &str| {
            format!(
                "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"ascii\">\n{data}\n</DataArray>\n"
            )
        };
        let mut points = String::new();
        for x in &self.points {
            let _ = writeln!(points, "{:?} {:?} {:?}", x[0], x[1], x[2]);
        }
        let cells = |list: &[(Vec<usize>, usize)]| {
            let (mut corners, mut offsets, mut end) = (String::new(), String::new(), 0);
            for (cell, _) in list {
                for k in cell {
                    let _ = write!(corners, "{k} ");
                }
                end += cell.len();
                let _ = write!(offsets, "{end} ");
            }
            array("Int32", "connectivity", 1, &corners) + &array("Int32", "offsets", 1, &offsets)
        };
        // cells are numbered lines first
        let shapes = || self.lines.iter().chain(&self.faces).map(|(_, shape)| *shape);
        let numbers: String = shapes().map(|shape| format!("{shape} ")).collect();
        let roles: String = shapes().map(|shape| format!("{} ", roles[shape])).collect();
        format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\">\n<PolyData>\n\
             <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n\
             <Points>\n{}</Points>\n<CellData>\n{}{}</CellData>\n<Lines>\n{}</Lines>\n<Polys>\n{}</Polys>\n\
             </Piece>\n</PolyData>\n</VTKFile>\n",
            self.points.len(),
            self.lines.len(),
            self.faces.len(),
            array("Float64", "points", 3, &points),
            array("Int32", "shape", 1, &numbers),
            array("Int32", "role", 1, &roles),
            cells(&self.lines),
            cells(&self.faces),
        )
    }
}
