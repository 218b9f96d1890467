//! The picture of a linear model that is one rigid body in the plane: M = diag(m, m, J), coordinates x, y and a small angle.
//!
//!   g = n·(x, y) + (r × n) θ + w,    u_T = t·(ẋ, ẏ) + (r × t) θ̇
//!
//! Normal and tangent give the arm r of each contact, and so the points of the body that can touch.

use crate::scene::{moved, wall};
use percussion_model::{Contact, LinearModel};
use percussion_report::{ContactMark, Coordinate, Geometry, Place, Role, SceneDescription, ScenePoint as Point, Shape};

/// n, t and r of a contact at θ = 0.
struct Arm {
    normal: [f64; 2],
    tangent: [f64; 2],
    arm: [f64; 2],
}

/// The picture, where the model is such a body and every contact has friction.
pub fn scene(model: &LinearModel) -> Option<SceneDescription> {
    let diagonal = model.mass().triplets().into_iter().all(|(i, j, m)| i == j || m == 0.0);
    let mass = |i: usize| model.mass().triplets().into_iter().find(|&(a, b, _)| (a, b) == (i, i)).map(|(_, _, m)| m);
    if model.n() != 3 || !diagonal || mass(0) != mass(1) || model.stiffness().is_some() || model.contacts().is_empty() {
        return None;
    }
    let arms: Vec<Arm> = model.contacts().iter().map(arm).collect::<Option<_>>()?;
    let reach = arms.iter().map(|a| a.arm[0].hypot(a.arm[1])).fold(0.0, f64::max);
    if reach == 0.0 {
        return None;
    }

    // one point that touches: a rod about its centre; several: the hull they span with the centre
    let (geometry, turned, locals): (Geometry, f64, Vec<[f64; 3]>) = if let [only] = arms.as_slice() {
        let size = [2.0 * reach, 0.06 * reach, 0.06 * reach];
        (Geometry::Box { size }, only.arm[1].atan2(only.arm[0]), vec![[reach, 0.0, 0.0]])
    } else {
        let locals: Vec<[f64; 3]> = arms.iter().map(|a| [a.arm[0], a.arm[1], 0.0]).collect();
        let mut points: Vec<[f64; 2]> = arms.iter().flat_map(|a| [a.arm, a.arm.map(|x| -x)]).collect();
        points.sort_by(|a, b| a[1].atan2(a[0]).total_cmp(&b[1].atan2(b[0])));
        (Geometry::Polygon { points }, 0.0, locals)
    };
    let mut shapes = Vec::new();
    let mut contacts = Vec::new();
    for (contact, (c, a)) in model.contacts().iter().zip(&arms).enumerate() {
        let level = |k: usize| moved(&c.offset, -a.normal[k]).plus(a.arm[k]);
        let normal = [a.normal[0], a.normal[1], 0.0];
        shapes.push(wall("floor", Coordinate::plane(level(0), level(1)), normal, 0.0));
        let point = Point::On { shape: model.contacts().len(), local: locals[contact] };
        contacts.push(ContactMark { contact, point, normal, tangents: vec![[a.tangent[0], a.tangent[1], 0.0]] });
    }
    let angle = Coordinate { constant: turned, terms: vec![(2, 1.0)], ..Coordinate::default() };
    let place = Place::Coordinates { position: Coordinate::plane(Coordinate::q(0, 0.0), Coordinate::q(1, 0.0)), angle };
    shapes.push(Shape { name: "body".into(), role: Role::Body, geometry, place });
    let note = "The coordinates are drawn as x, y and the angle of one body, with its contact points where normals and tangents put them; the model assumes a small angle.";
    Some(SceneDescription { space: false, shapes, contacts, note: note.into(), ..SceneDescription::default() })
}

// r × n and r × t are the factors of the angle
fn arm(c: &Contact) -> Option<Arm> {
    let row = |entries: &[(usize, f64)]| {
        let mut full = [0.0; 3];
        entries.iter().for_each(|&(i, x)| full[i] = x);
        full
    };
    let (n, t) = (row(&c.normal), row(c.tangents.first()?));
    let unit = |a: &[f64; 3]| (a[0].hypot(a[1]) - 1.0).abs() < 1e-9;
    if !unit(&n) || !unit(&t) || (n[0] * t[0] + n[1] * t[1]).abs() > 1e-9 {
        return None;
    }
    // r = (r × t) n − (r × n) t over n × t, turned: solve r_x n_y − r_y n_x = n₂, r_x t_y − r_y t_x = t₂
    let determinant = n[0] * t[1] - n[1] * t[0];
    let arm = [(n[0] * t[2] - t[0] * n[2]) / determinant, (n[1] * t[2] - t[1] * n[2]) / determinant];
    Some(Arm { normal: [n[0], n[1]], tangent: [t[0], t[1]], arm })
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_model::Signal;

    /// r × n and r × t give back the factors of the angle, for normals all around and tangents of both hands.
    #[test]
    fn arms_give_back_the_rows() {
        for k in 0..24 {
            let (s, c) = (0.26 * k as f64 + 0.1).sin_cos();
            let hand = if k % 2 == 0 { 1.0 } else { -1.0 };
            let (n, t, r) = ([c, s], [-hand * s, hand * c], [0.3 * k as f64 - 2.0, 1.7 - 0.2 * k as f64]);
            let cross = |d: [f64; 2]| r[0] * d[1] - r[1] * d[0];
            let row = |d: [f64; 2]| vec![(0, d[0]), (1, d[1]), (2, cross(d))];
            let contact = Contact {
                normal: row(n),
                tangents: vec![row(t)],
                offset: Signal::constant(0.0),
                restitution: 0.5,
                friction: 0.3,
                angular: false,
                name: String::new(),
            };
            let found = arm(&contact).expect("unit normal and tangent").arm;
            assert!((found[0] - r[0]).abs() < 1e-12 && (found[1] - r[1]).abs() < 1e-12, "{found:?} for {r:?}");
        }
    }
}
