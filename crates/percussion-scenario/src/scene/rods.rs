//! The picture of a chain of rods whose rotations are small: a linear model that is a linkage seen at an instant.
//!
//!   tip velocity (u_T, u_N) = Σ ωᵢ ẑ × rᵢ   ⇒   rᵢ = (nᵢ, −tᵢ)   from the columns n and t of its contact
//!
//! So the contact itself tells lengths and directions of the rods. That the coordinates are rotations of a chain and not masses
//! that slide is told by M: off its diagonal, Mᵢⱼ = (½mⱼ + Σ_{k>j} m_k) rᵢ·rⱼ has the sign of rᵢ·rⱼ.

use crate::scene::{moved, pin, wall};
use percussion_model::LinearModel;
use percussion_report::{ContactMark, Coordinate, Geometry, Place, Role, SceneDescription, ScenePoint as Point, Shape};

/// Rods that are drawn, at most.
const MOST: usize = 8;

/// The picture, where the model is such a chain.
pub fn scene(model: &LinearModel) -> Option<SceneDescription> {
    let [contact] = model.contacts() else { return None };
    let [tangent] = contact.tangents.as_slice() else { return None };
    let n = model.n();
    if !(2..=MOST).contains(&n) || model.stiffness().is_some() {
        return None;
    }
    let of = |column: &[(usize, f64)], i: usize| column.iter().find(|entry| entry.0 == i).map_or(0.0, |entry| entry.1);
    let rods: Vec<[f64; 2]> = (0..n).map(|i| [of(&contact.normal, i), -of(tangent, i)]).collect();
    let lengths: Vec<f64> = rods.iter().map(|r| r[0].hypot(r[1])).collect();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let chained = |i: usize, j: usize, m: f64| m * (rods[i][0] * rods[j][0] + rods[i][1] * rods[j][1]) > 0.0;
    let mut coupled = 0;
    for (i, j, m) in model.mass().triplets().into_iter().filter(|&(i, j, m)| i < j && m != 0.0) {
        if !chained(i, j, m) {
            return None;
        }
        coupled += 1;
    }
    if coupled != n * (n - 1) / 2 || lengths.iter().any(|length| *length < 1e-3 * longest) {
        return None;
    }

    // the joints, from the pin at the origin to the tip
    let (mut x, mut y) = (Coordinate::default(), Coordinate::default());
    let mut points = vec![Coordinate::plane(x.clone(), y.clone())];
    for (i, r) in rods.iter().enumerate() {
        x = x.plus(r[0]);
        x.terms.push((i, -r[1]));
        y = y.plus(r[1]);
        y.terms.push((i, r[0]));
        points.push(Coordinate::plane(x.clone(), y.clone()));
    }
    let still = || Place::Fixed { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] };
    // g = y − y₀ + w, with y₀ the height of the tip at q = 0
    let floor = moved(&contact.offset, -1.0).plus(y.constant);
    let level = Coordinate::plane(Coordinate::constant(x.constant), floor);
    let mut shapes = vec![wall("floor", level, [0.0, 1.0, 0.0], 2.0 * longest)];
    for (i, ends) in points.windows(2).enumerate() {
        let (points, thickness) = (ends.to_vec(), 0.05 * longest);
        let geometry = Geometry::Polyline { points, angles: Vec::new(), thickness, strain: false, swept: None };
        shapes.push(Shape { name: format!("rod {}", i + 1), role: Role::Body, geometry, place: still() });
    }
    for joint in &points[1..n] {
        let place = Place::Coordinates { position: joint.clone(), angle: Coordinate::default() };
        let geometry = Geometry::Sphere { radius: 0.035 * longest };
        shapes.push(Shape { name: "joint".into(), role: Role::Body, geometry, place });
    }
    shapes.push(pin(1.9 * longest));
    let point = Point::At { position: points[n].clone() };
    let mark = ContactMark { contact: 0, point, normal: [0.0, 1.0, 0.0], tangents: vec![[1.0, 0.0, 0.0]] };
    let note = "A chain of rods that hangs from the pin; the coordinates are its small rotations, so rods turn along straight lines.";
    Some(SceneDescription {
        space: false,
        shapes,
        contacts: vec![mark],
        note: note.into(),
        ..SceneDescription::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoadOptions, load};

    /// The double pendulum: 1 m each at 45° and 30°, the floor 5 cm below its tip.
    #[test]
    fn the_double_pendulum_is_two_rods() {
        let scenario = load("kane-double-pendulum", &LoadOptions::default()).expect("a scenario").scenario;
        let picture = scene(scenario.linear().expect("a linear model")).expect("rods");
        let rods: Vec<_> = picture.shapes.iter().filter(|s| s.name.starts_with("rod")).collect();
        assert_eq!(rods.len(), 2);
        let Geometry::Polyline { points, .. } = &rods[1].geometry else { panic!("a line") };
        let (half, root) = (0.5_f64.sqrt(), 0.75_f64.sqrt());
        let [x, y, _] = &points[1];
        assert!((x.constant - half - 0.5).abs() < 1e-12 && (y.constant + half + root).abs() < 1e-12);
        // the tip moves as the contact says: height by the normal, along by the tangent
        assert!((y.terms[0].1 - half).abs() < 1e-12 && (y.terms[1].1 - 0.5).abs() < 1e-12);
        assert!((x.terms[0].1 - half).abs() < 1e-12 && (x.terms[1].1 - root).abs() < 1e-12);
        // masses that slide are no rods
        let block = load("sliding-block", &LoadOptions::default()).expect("a scenario").scenario;
        assert!(scene(block.linear().expect("a linear model")).is_none());
    }
}
