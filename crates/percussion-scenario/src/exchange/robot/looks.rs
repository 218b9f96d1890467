//! What a robot looks like: its visual meshes with their colours, coarse enough for a page.
//!
//!   vertices in one cell of a grid become their mean; the grid is made coarser until few enough triangles are left

use super::meshes::Meshes;
use super::pose::{Pose, quaternion};
use super::{Form, Link, Robot};
use crate::format::write::{list, number, quoted};
use percussion_model::bodies::TriangleMesh;
use percussion_model::bodies::math::{Vec3, norm};
use percussion_model::bodies::shapes::hull_of;
use std::collections::HashMap;

/// Triangles of all looks of a robot, of one of them, and below which none is made coarser.
const ALL: usize = 20_000;
const MOST: usize = 1500;
const FEW: usize = 60;

/// A look of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkLook {
    /// In the frame of the link.
    pub pose: Pose,
    pub mesh: TriangleMesh,
    pub name: String,
    /// Red, green, blue.
    pub colour: Option<Vec3>,
}

/// Red, green and blue of a colour that can be seen.
pub fn colour(rgba: &[f64]) -> Option<Vec3> {
    let &[r, g, b, ..] = rgba else { return None };
    Some([r, g, b].map(|x| x.clamp(0.0, 1.0)))
}

/// The surface of a simple form.
pub fn surface(form: &Form) -> Option<TriangleMesh> {
    let ring = |n: usize, r: f64, z: f64| {
        (0..n).map(move |k| {
            let (s, c) = (k as f64 * std::f64::consts::TAU / n as f64).sin_cos();
            [r * c, r * s, z]
        })
    };
    let dome = |radius: f64, half: f64| -> Vec<Vec3> {
        let levels = (0..=4).map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2 / 4.0);
        let one = |a: f64, side: f64| ring(16, radius * a.cos().max(1e-3), side * (half + radius * a.sin()));
        levels.flat_map(|a| one(a, 1.0).chain(one(a, -1.0)).collect::<Vec<_>>()).collect()
    };
    let corners: Vec<Vec3> = match form {
        Form::Box(size) => {
            (0..8_usize).map(|k| std::array::from_fn(|a| size[a] * (0.5 - (k >> a & 1) as f64))).collect()
        }
        Form::Sphere(radius) => dome(*radius, 0.0),
        Form::Cylinder { radius, length } => {
            ring(24, *radius, 0.5 * length).chain(ring(24, *radius, -0.5 * length)).collect()
        }
        Form::Capsule { radius, length } => dome(*radius, 0.5 * length),
        Form::Hull { corners, .. } => corners.clone(),
        Form::Plane => return None,
    };
    hull_of(&corners)
}

/// A mesh of at most so many triangles.
fn coarse(mesh: &TriangleMesh, most: usize) -> TriangleMesh {
    if mesh.triangles.len() <= most {
        return mesh.clone();
    }
    let end = |k: usize, pick: fn(f64, f64) -> f64, from: f64| mesh.vertices.iter().map(|v| v[k]).fold(from, pick);
    let low: Vec3 = std::array::from_fn(|k| end(k, f64::min, f64::INFINITY));
    let size: Vec3 = std::array::from_fn(|k| end(k, f64::max, f64::NEG_INFINITY) - low[k]);
    let largest = size.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(*x));
    let mut cells = 64.0;
    loop {
        let made = clustered(mesh, &low, largest / cells);
        if made.triangles.len() <= most || cells < 2.0 {
            return made;
        }
        cells *= 0.8;
    }
}

fn clustered(mesh: &TriangleMesh, low: &Vec3, cell: f64) -> TriangleMesh {
    let mut number: HashMap<[i64; 3], usize> = HashMap::new();
    let mut sums: Vec<(Vec3, f64)> = Vec::new();
    let of: Vec<usize> = mesh
        .vertices
        .iter()
        .map(|v| {
            let at = [0, 1, 2].map(|k| ((v[k] - low[k]) / cell).floor() as i64);
            let n = *number.entry(at).or_insert(sums.len());
            if n == sums.len() {
                sums.push(([0.0; 3], 0.0));
            }
            (0..3).for_each(|k| sums[n].0[k] += v[k]);
            sums[n].1 += 1.0;
            n
        })
        .collect();
    let mut known = std::collections::HashSet::new();
    let mut triangles = Vec::new();
    for t in &mesh.triangles {
        let t = t.map(|i| of[i]);
        let mut sorted = t;
        sorted.sort_unstable();
        if sorted[0] != sorted[1] && sorted[1] != sorted[2] && known.insert(sorted) {
            triangles.push(t);
        }
    }
    TriangleMesh::new(sums.into_iter().map(|(x, n)| x.map(|x| x / n)).collect(), triangles)
}

/// How many triangles each look of a robot may have.
pub fn share(robot: &Robot, present: &[usize]) -> usize {
    let n: usize = present.iter().map(|&i| robot.links[i].looks.len()).sum();
    (ALL / n.max(1)).clamp(FEW, MOST)
}

/// `looks = […]` of a body, seen from its centre of mass; none where the link has none.
pub fn written(link: &Link, centre: &Vec3, most: usize, meshes: &mut Meshes) -> Option<String> {
    let mut rows = Vec::new();
    for look in &link.looks {
        let mesh = coarse(&look.mesh, most);
        if mesh.triangles.is_empty() {
            continue;
        }
        let mut row = format!("\n  {{ file = {}", quoted(&meshes.look(&look.name, &mesh)));
        let numbers = |x: &[f64]| list(x.iter().map(|&x| number(x + 0.0)));
        if let Some(colour) = look.colour {
            // colours of files have few digits
            row += &format!(", color = {}", numbers(&colour.map(|x| (1000.0 * x).round() / 1000.0)));
        }
        let at: Vec3 = std::array::from_fn(|k| look.pose.x[k] - centre[k]);
        if norm(&at) > 1e-12 {
            row += &format!(", position = {}", numbers(&at));
        }
        let q = quaternion(&look.pose.R);
        if norm(&[q[1], q[2], q[3]]) > 1e-12 {
            row += &format!(", rotation = {}", numbers(&q));
        }
        rows.push(row + " }");
    }
    (!rows.is_empty()).then(|| format!("[{}\n]", rows.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fine ball becomes a coarse one of about its size.
    #[test]
    fn fine_meshes_become_coarse() {
        let ball = surface(&Form::Sphere(1.0)).expect("a ball");
        let few = coarse(&ball, 100);
        assert!(few.triangles.len() <= 100 && few.triangles.len() > 20, "{}", few.triangles.len());
        assert!(few.vertices.iter().all(|v| (0.6..1.01).contains(&norm(v))), "{:?}", few.vertices);
        assert_eq!(coarse(&ball, 10_000), ball);
    }
}
