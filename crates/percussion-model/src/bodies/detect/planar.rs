//! Convex polygons in the plane: separating axes, then the incident edge clipped to the reference face.

use super::super::math::{Vec3, axpy, dot, scale, sub};
use super::super::{Frame, Shape};
use super::Touch;
use percussion_matrix::math;

/// World corners, counter-clockwise.
fn corners(shape: &Shape, frame: &Frame, out: &mut Vec<[f64; 2]>) {
    out.clear();
    shape.corners(|x, y| {
        let p = frame.point(&[x, y, 0.0]);
        out.push([p[0], p[1]]);
    });
}

fn edge_normal(p: &[[f64; 2]], i: usize) -> ([f64; 2], f64) {
    let (a, b) = (p[i], p[(i + 1) % p.len()]);
    let d = [b[0] - a[0], b[1] - a[1]];
    let length = math::hypot(d[0], d[1]);
    ([d[1] / length, -d[0] / length], length)
}

fn along(n: &[f64; 2], p: &[f64; 2], q: &[f64; 2]) -> f64 {
    n[0] * (p[0] - q[0]) + n[1] * (p[1] - q[1])
}

fn world(p: [f64; 2]) -> Vec3 {
    [p[0], p[1], 0.0]
}

/// A disk and a polygon.
pub fn ball_polygon(a: (&Vec3, f64), b: (&Frame, &Shape), margin: f64, out: &mut Vec<Touch>) {
    let mut p = Vec::new();
    corners(b.1, b.0, &mut p);
    let c = [a.0[0], a.0[1]];
    let n = p.len();
    // the edge the centre lies farthest outside of
    let Some((face, depth)) =
        (0..n).map(|i| (i, along(&edge_normal(&p, i).0, &c, &p[i]))).max_by(|x, y| x.1.total_cmp(&y.1))
    else {
        return;
    };
    let (normal, length) = edge_normal(&p, face);
    let t = [-normal[1], normal[0]];
    let s = along(&t, &c, &p[face]);
    if depth <= 0.0 || (0.0..=length).contains(&s) {
        if depth - a.1 <= margin {
            let normal = world(normal);
            let points = [axpy(a.0, -a.1, &normal), axpy(a.0, -depth, &normal)];
            let feature = face as u16;
            out.push(Touch {
                feature,
                gap: depth - a.1,
                normal,
                points,
                radii: [a.1, 0.0],
                round: false,
                turned: false,
            });
        }
        return;
    }
    let corner = if s < 0.0 { face } else { (face + 1) % n };
    super::balls::ball_ball(a, (&world(p[corner]), 0.0), (n + corner) as u16, margin, out);
}

/// A capsule, the hull of two disks about the ends of its axis, and a polygon: the disks, and the corners before its sides.
pub fn capsule_polygon((axis, radius): (&[Vec3; 2], f64), b: (&Frame, &Shape), margin: f64, out: &mut Vec<Touch>) {
    let mut p = Vec::new();
    corners(b.1, b.0, &mut p);
    let n = p.len() as u16;
    for (end, centre) in axis.iter().enumerate() {
        let from = out.len();
        ball_polygon((centre, radius), b, margin, out);
        out[from..].iter_mut().for_each(|touch| touch.feature += 2 * n * end as u16);
    }
    let d = sub(&axis[1], &axis[0]);
    for (k, corner) in p.iter().enumerate() {
        let corner = world(*corner);
        let s = dot(&sub(&corner, &axis[0]), &d) / dot(&d, &d);
        if s > 0.0 && s < 1.0 {
            let foot = axpy(&axis[0], s, &d);
            super::balls::ball_ball((&foot, radius), (&corner, 0.0), 4 * n + k as u16, margin, out);
        }
    }
}

/// Two polygons; normals point from the second to the first.
pub fn polygon_polygon(a: (&Shape, &Frame), b: (&Shape, &Frame), margin: f64, out: &mut Vec<Touch>) {
    let (mut p, mut q) = (Vec::new(), Vec::new());
    corners(a.0, a.1, &mut p);
    corners(b.0, b.1, &mut q);
    let separation = |p: &[[f64; 2]], q: &[[f64; 2]]| {
        (0..p.len())
            .map(|i| {
                let n = edge_normal(p, i).0;
                (i, q.iter().map(|x| along(&n, x, &p[i])).fold(f64::INFINITY, f64::min))
            })
            .max_by(|x, y| x.1.total_cmp(&y.1))
    };
    let (Some((face_p, sep_p)), Some((face_q, sep_q))) = (separation(&p, &q), separation(&q, &p)) else { return };
    if sep_p.max(sep_q) > margin {
        return;
    }
    // the second body's face unless the first's separates clearly more
    let size = edge_normal(&q, face_q).1;
    let of_first = sep_p > sep_q + 1e-6 * size;
    let (reference, incident, face) = if of_first { (&p, &q, face_p) } else { (&q, &p, face_q) };
    let (normal, length) = edge_normal(reference, face);
    let t = [-normal[1], normal[0]];
    let m = incident.len();
    let edge = (0..m)
        .min_by(|&i, &j| {
            let facing = |i: usize| {
                let n = edge_normal(incident, i).0;
                n[0] * normal[0] + n[1] * normal[1]
            };
            facing(i).total_cmp(&facing(j))
        })
        .expect("a polygon has edges");
    let ends = [incident[edge], incident[(edge + 1) % m]];
    let s = ends.map(|x| along(&t, &x, &reference[face]));
    let g = ends.map(|x| along(&normal, &x, &reference[face]));
    for k in 0..2 {
        // the end itself, or where the edge leaves the face's strip
        let (mut sk, mut gk) = (s[k], g[k]);
        if !(0.0..=length).contains(&sk) {
            let bound = sk.clamp(0.0, length);
            if s[0] == s[1] || (s[1 - k] - bound) * (s[k] - bound) > 0.0 {
                continue;
            }
            let fraction = (bound - s[k]) / (s[1 - k] - s[k]);
            gk += fraction * (g[1 - k] - g[k]);
            sk = bound;
        }
        if gk > margin {
            continue;
        }
        let on_face = axpy(&world(reference[face]), sk, &world(t));
        let off_face = axpy(&on_face, gk, &world(normal));
        let outward = world(normal);
        let feature = 2 * (face * 256 + edge) as u16 + k as u16;
        // the normal points away from the reference face; wanted is towards the first body
        let (normal, points) =
            if of_first { (scale(-1.0, &outward), [on_face, off_face]) } else { (outward, [off_face, on_face]) };
        out.push(Touch { feature, gap: gk, normal, points, radii: [0.0; 2], round: false, turned: false });
    }
}
