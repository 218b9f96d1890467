//! Contacts and joints of a frame for ParaView: points with the force on the first body, and the chains along which it runs.
//!
//!   f = (p_N n + p_1 t₁ + p_2 t₂)/h at the place of the contact;    a chain is the line centre a – contact – centre b
//!   a joint acts on body b by its force at the anchor x_b + R_b r_b and its moment about that point

use crate::error::Result;
use crate::run::body_tables::{REACTIONS, directions};
use crate::run::folder::{Row, RunFolder};
use crate::run::table_reader::TableReader;
use percussion_model::bodies::Bodies;
use std::collections::HashMap;
use std::fmt::Write as _;

/// The contacts of a row whose impulses acted for the time h.
pub fn contacts(scene: &Bodies, row: &Row, h: f64) -> String {
    let mut points = Points::<2>::default();
    let (mut lines, mut chain_force) = (Vec::new(), Vec::new());
    let tau = if h > 0.0 { h } else { 1.0 };
    for (k, c) in row.contacts.iter().enumerate() {
        let Some(place) = row.places.get(k).copied().flatten() else { continue };
        let Some((at, n)) = place.at else { continue };
        let [normal, s, t] = directions(scene, c.id as u64, &n, &row.state.q);
        let along = row.friction.get(k).map_or([0.0; 2], |along| along.p);
        let force = std::array::from_fn(|i| (c.p * normal[i] + along[0] * s[i] + along[1] * t[i]) / tau);
        let number = points.add(at, force, [c.p / tau, c.gap], place.bodies);
        if c.p > 0.0 {
            lines.push((place.bodies, number));
            chain_force.push(c.p / tau);
        }
    }
    // centres of the bodies that carry something, behind the contacts
    let chains: Vec<[usize; 3]> = lines
        .iter()
        .map(|&(bodies, number)| {
            let centre = |i: usize, points: &mut Points<2>| {
                points.add(scene.frame(i, &row.state.q).x, [0.0; 3], [0.0; 2], [i, i])
            };
            // a body that does not move has no centre worth a line
            let a = if scene.bodies()[bodies[0]].is_free() { centre(bodies[0], &mut points) } else { number };
            let b = if scene.bodies()[bodies[1]].is_free() { centre(bodies[1], &mut points) } else { number };
            [a, number, b]
        })
        .collect();
    points.xml(&[("normal_force", 1), ("gap", 1)], &chains, &chain_force)
}

/// Reads the reactions of a run step by step.
pub struct Reactions {
    table: TableReader,
    waiting: bool,
    /// Numbers of the joints by name.
    joints: HashMap<String, usize>,
}

impl Reactions {
    /// Of a run whose model has joints that carry something; none where it has not, or where they were not written.
    pub fn open(run: &RunFolder) -> Result<Option<Self>> {
        let Some(scene) = run.model().bodies().filter(|_| run.folder.join("reactions.csv").exists()) else {
            return Ok(None);
        };
        let mut table = TableReader::open(&run.folder, "reactions.csv", REACTIONS)?;
        let waiting = table.next()?;
        let joints = scene.joints().iter().enumerate().map(|(j, joint)| (joint.name.clone(), j)).collect();
        Ok(Some(Self { table, waiting, joints }))
    }

    /// The joints of a row: force and moment on body b, at the anchor in b, which the moment is about.
    pub fn frame(&mut self, scene: &Bodies, row: &Row) -> Result<String> {
        let mut points = Points::<3>::default();
        while self.waiting && self.table.integer(0)? <= row.step {
            if self.table.integer(0)? == row.step
                && let Some(joint) = self.joints.get(self.table.word(2)).and_then(|&j| scene.joints().get(j))
            {
                let mut numbers = [0.0; 6];
                for (k, x) in numbers.iter_mut().enumerate() {
                    *x = self.table.number(3 + k)?;
                }
                let [fx, fy, fz, mx, my, mz] = numbers;
                let anchor = scene.frame(joint.bodies[1], &row.state.q).point(&joint.points[1]);
                points.add(anchor, [fx, fy, fz], [mx, my, mz], joint.bodies);
            }
            self.waiting = self.table.next()?;
        }
        Ok(points.xml(&[("moment", 3)], &[], &[]))
    }
}

/// Points with a force, N further numbers and two bodies each.
#[derive(Default)]
struct Points<const N: usize> {
    places: Vec<[f64; 3]>,
    forces: Vec<[f64; 3]>,
    numbers: Vec<[f64; N]>,
    bodies: Vec<[usize; 2]>,
}

impl<const N: usize> Points<N> {
    fn add(&mut self, at: [f64; 3], force: [f64; 3], numbers: [f64; N], bodies: [usize; 2]) -> usize {
        self.places.push(at);
        self.forces.push(force);
        self.numbers.push(numbers);
        self.bodies.push(bodies);
        self.places.len() - 1
    }

    /// As XML poly data: a vertex for each point, then the chains; the further numbers by name and count.
    fn xml(&self, fields: &[(&str, usize)], chains: &[[usize; 3]], force: &[f64]) -> String {
        let n = self.places.len();
        let vectors =
            |list: &[[f64; 3]]| list.iter().map(|[x, y, z]| format!("{x:?} {y:?} {z:?}\n")).collect::<String>();
        let array = |kind: &str, name: &str, components: usize, data: &str| {
            format!(
                "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"ascii\">\n{data}\n</DataArray>\n"
            )
        };
        let (mut numbers, mut first) = (String::new(), 0);
        for &(name, components) in fields {
            let of = first..first + components;
            let cells = self.numbers.iter().flat_map(|x| &x[of.clone()]).map(|x| format!("{x:?} ")).collect::<String>();
            numbers.push_str(&array("Float64", name, components, &cells));
            first += components;
        }
        let body = |k: usize| self.bodies.iter().map(|b| format!("{} ", b[k])).collect::<String>();
        let counted = |m: usize, step: usize| (1..=m).map(|k| format!("{} ", k * step)).collect::<String>();
        // cells: the vertices first
        let mut carried = "0 ".repeat(n);
        force.iter().for_each(|f| {
            let _ = write!(carried, "{f:?} ");
        });
        let vertices = (0..n).map(|k| format!("{k} ")).collect::<String>();
        let ends = chains.iter().flatten().map(|k| format!("{k} ")).collect::<String>();
        format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\">\n<PolyData>\n\
             <Piece NumberOfPoints=\"{n}\" NumberOfVerts=\"{n}\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n\
             <Points>\n{}</Points>\n<PointData>\n{}{numbers}{}{}</PointData>\n<CellData>\n{}</CellData>\n<Verts>\n{}{}</Verts>\n\
             <Lines>\n{}{}</Lines>\n</Piece>\n</PolyData>\n</VTKFile>\n",
            chains.len(),
            array("Float64", "points", 3, &vectors(&self.places)),
            array("Float64", "force", 3, &vectors(&self.forces)),
            array("Int32", "body_a", 1, &body(0)),
            array("Int32", "body_b", 1, &body(1)),
            array("Float64", "chain_force", 1, &carried),
            array("Int32", "connectivity", 1, &vertices),
            array("Int32", "offsets", 1, &counted(n, 1)),
            array("Int32", "connectivity", 1, &ends),
            array("Int32", "offsets", 1, &counted(chains.len(), 3)),
        )
    }
}
