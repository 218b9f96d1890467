//! Triangle surfaces: closedness, convex hulls, and the volume integrals behind mass and inertia.
//!
//!   ∫ f dV = Σ over triangles of the integral over the tetrahedron (0, a, b, c), exact for polynomials of degree 2

use super::math::{Mat3, Vec3, cross, dot, norm, sub};
use crate::{Code, InputError};
use std::collections::HashMap;

/// Triangles at most: a larger surface is refused before memory is taken.
pub const MAX_TRIANGLES: usize = 2_000_000;
/// Points of a hull at most.
pub const MAX_HULL_POINTS: usize = 256;

/// A surface of triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// [m].
    pub vertices: Vec<Vec3>,
    /// Numbers of vertices, counter-clockwise seen from outside.
    pub triangles: Vec<[usize; 3]>,
}

fn refuse<T>(field: &str, message: String, help: &str) -> Result<T, InputError> {
    Err(InputError::new(Code::BAD_MESH, field, message, help))
}

/// Refuses surfaces that are too large, have wrong numbers, or are not closed.
pub fn check_mesh(mesh: &TriangleMesh) -> Result<(), InputError> {
    let (n, m) = (mesh.vertices.len(), mesh.triangles.len());
    if m > MAX_TRIANGLES || n > MAX_TRIANGLES {
        let message = format!("{m} triangles, {n} vertices, where {MAX_TRIANGLES} is the limit");
        return Err(InputError::new(Code::TOO_LARGE, "triangles", message, "use a coarser mesh"));
    }
    if let Some(i) = mesh.vertices.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        let message = format!("vertex {i} is {:?}", mesh.vertices[i]);
        return Err(InputError::new(Code::NOT_FINITE, "vertices", message, "give finite numbers"));
    }
    let mut edges: HashMap<(usize, usize), i64> = HashMap::new();
    for (k, t) in mesh.triangles.iter().enumerate() {
        if t.iter().any(|&i| i >= n) || t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
            return refuse(
                "triangles",
                format!("triangle {k} is {t:?} with {n} vertices"),
                "number vertices from 0, three different ones",
            );
        }
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            *edges.entry((a, b)).or_default() += 1;
        }
    }
    // each edge once in each direction
    let open =
        edges.iter().filter(|((a, b), count)| **count != 1 || edges.get(&(*b, *a)) != Some(&1)).map(|(e, _)| *e).min();
    if let Some((a, b)) = open {
        let message = format!("the surface is open or inconsistent at the edge {a}–{b}");
        return refuse(
            "triangles",
            message,
            "close the mesh: every edge belongs to two triangles that run through it in opposite directions",
        );
    }
    if m < 4 || volume_integrals(mesh).volume <= 0.0 {
        return refuse(
            "triangles",
            "the surface encloses no positive volume".into(),
            "order the vertices of each triangle counter-clockwise seen from outside",
        );
    }
    Ok(())
}

/// Refuses polygons that are not convex and counter-clockwise.
pub fn check_polygon(points: &[[f64; 2]]) -> Result<(), InputError> {
    let n = points.len();
    if points.iter().flatten().any(|x| !x.is_finite()) {
        return Err(InputError::new(Code::NOT_FINITE, "points", "a corner is not finite", "give finite numbers"));
    }
    if !(3..=MAX_HULL_POINTS).contains(&n) {
        return refuse("points", format!("{n} corners"), "give 3 to 256 corners");
    }
    for i in 0..n {
        let (a, b, c) = (points[i], points[(i + 1) % n], points[(i + 2) % n]);
        if (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) <= 0.0 {
            return refuse(
                "points",
                format!("corner {} is not convex", (i + 1) % n),
                "give the corners of a convex polygon counter-clockwise",
            );
        }
    }
    Ok(())
}

/// The surface of the convex hull of points: every plane through three of them with all others on one side. Made for the
/// few points of a body's hull.
pub fn hull_triangles(points: &[Vec3]) -> Result<TriangleMesh, InputError> {
    let n = points.len();
    if points.iter().flatten().any(|x| !x.is_finite()) {
        return Err(InputError::new(Code::NOT_FINITE, "points", "a point is not finite", "give finite numbers"));
    }
    if !(4..=MAX_HULL_POINTS).contains(&n) {
        return refuse("points", format!("{n} points"), "a hull has 4 to 256 points; use a mesh for more");
    }
    let size = points.iter().map(|p| norm(&sub(p, &points[0]))).fold(0.0, f64::max);
    let tolerance = 1e-12 * size;
    let mut faces: Vec<(Vec3, Vec<usize>)> = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let normal = cross(&sub(&points[j], &points[i]), &sub(&points[k], &points[i]));
                let length = norm(&normal);
                if length <= 1e-12 * size * size {
                    continue;
                }
                let normal = normal.map(|x| x / length);
                let heights: Vec<f64> = points.iter().map(|p| dot(&normal, &sub(p, &points[i]))).collect();
                let above = heights.iter().any(|&h| h > tolerance);
                let below = heights.iter().any(|&h| h < -tolerance);
                if above == below {
                    continue;
                }
                let normal = if above { normal.map(|x| -x) } else { normal };
                let on: Vec<usize> = (0..n).filter(|&p| heights[p].abs() <= tolerance).collect();
                // found once: from its three lowest-numbered corners that span it
                if !faces.iter().any(|(_, face)| *face == on) {
                    faces.push((normal, on));
                }
            }
        }
    }
    let mut mesh = TriangleMesh { vertices: points.to_vec(), triangles: Vec::new() };
    for (normal, face) in &faces {
        let ring = ring(points, normal, face);
        for k in 1..ring.len().saturating_sub(1) {
            mesh.triangles.push([ring[0], ring[k], ring[k + 1]]);
        }
    }
    if mesh.triangles.len() < 4 || volume_integrals(&mesh).volume <= 1e-12 * size * size * size {
        return refuse("points", "the points lie in one plane".into(), "give points that enclose a volume");
    }
    Ok(mesh)
}

/// The corners of a face in counter-clockwise order seen against its normal, points inside edges left out.
fn ring(points: &[Vec3], normal: &Vec3, face: &[usize]) -> Vec<usize> {
    let [s, t] = super::math::tangents(normal);
    let flat = |i: usize| [dot(&s, &points[i]), dot(&t, &points[i])];
    let mut order: Vec<usize> = face.to_vec();
    order.sort_by(|&a, &b| flat(a).partial_cmp(&flat(b)).expect("finite").then(a.cmp(&b)));
    // Andrew's monotone chain
    let turn = |a: usize, b: usize, c: usize| {
        let (a, b, c) = (flat(a), flat(b), flat(c));
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let scale = points.iter().map(norm).fold(0.0, f64::max).powi(2) * 1e-13;
    let chain = |ids: &mut dyn Iterator<Item = usize>| {
        let mut out: Vec<usize> = Vec::new();
        for i in ids {
            while out.len() >= 2 && turn(out[out.len() - 2], out[out.len() - 1], i) <= scale {
                out.pop();
            }
            out.push(i);
        }
        out.pop();
        out
    };
    let mut lower = chain(&mut order.iter().copied());
    lower.extend(chain(&mut order.iter().rev().copied()));
    lower
}

/// Volume, its first and second moments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VolumeIntegrals {
    /// ∫ dV.
    pub volume: f64,
    /// ∫ x dV.
    pub first: Vec3,
    /// ∫ x xᵀ dV.
    pub second: Mat3,
}

/// The integrals over the inside of a closed surface.
pub fn volume_integrals(mesh: &TriangleMesh) -> VolumeIntegrals {
    let mut sum = VolumeIntegrals::default();
    for t in &mesh.triangles {
        let p = [mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]];
        let six = dot(&p[0], &cross(&p[1], &p[2]));
        sum.volume += six / 6.0;
        for i in 0..3 {
            sum.first[i] += six / 24.0 * (p[0][i] + p[1][i] + p[2][i]);
            for j in 0..3 {
                let mut s = 0.0;
                for a in 0..3 {
                    for b in 0..3 {
                        s += p[a][i] * p[b][j] * if a == b { 2.0 } else { 1.0 };
                    }
                }
                sum.second[i][j] += six / 120.0 * s;
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Vec<Vec3> {
        (0..8).map(|k| [f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2 & 1)]).collect()
    }

    /// The hull of a cube's corners has 12 triangles, volume 1 and is closed; points inside change nothing.
    #[test]
    fn hull_of_a_cube() {
        let mut points = cube();
        let mesh = hull_triangles(&points).unwrap();
        assert_eq!(mesh.triangles.len(), 12);
        check_mesh(&mesh).unwrap();
        let integrals = volume_integrals(&mesh);
        assert!((integrals.volume - 1.0).abs() < 1e-14 && (integrals.first[1] - 0.5).abs() < 1e-14);
        assert!((integrals.second[0][0] - 1.0 / 3.0).abs() < 1e-14 && (integrals.second[0][1] - 0.25).abs() < 1e-14);
        points.push([0.5, 0.5, 0.5]);
        assert_eq!(volume_integrals(&hull_triangles(&points).unwrap()), integrals);
    }

    #[test]
    fn open_and_flat_surfaces_are_refused() {
        let mut mesh = hull_triangles(&cube()).unwrap();
        mesh.triangles.pop();
        assert_eq!(check_mesh(&mesh).unwrap_err().code, Code::BAD_MESH);
        let flat = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        assert_eq!(hull_triangles(&flat).unwrap_err().code, Code::BAD_MESH);
        assert_eq!(check_polygon(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]).unwrap_err().code, Code::BAD_MESH);
    }
}
