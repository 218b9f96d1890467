//! Contacts of bodies by their places: one at each, whatever names features give it as a body rolls.
//!
//! Two contacts at one place would share a normal impulse at will. Where one of them is closed and the other has just been met, friction,
//! which acts on the closed one alone, would follow that share: the motion would not be determined.

use crate::schemes::landing::body_rows::Touch;
use crate::schemes::landing::contacts::TOUCHING;
use crate::schemes::landing::instant::Landed;
use percussion_model::bodies::math::{Vec3, dot, norm, sub};
use percussion_model::bodies::{Bodies, ContactPoint, Features};

/// Part of 1 by which normals at one place differ at most: over the size of a body it is round-off of a gap.
const ONE_NORMAL: f64 = 1e-12;

/// Whether a contact is that of the same points of the same two bodies, to `small` [m].
pub fn one_place(known: &Touch, point: &ContactPoint, small: f64) -> bool {
    let Touch::Shapes(known) = known else { return false };
    let near = |p: &[Vec3; 2], q: &[Vec3; 2]| (0..2).all(|k| norm(&sub(&p[k], &q[k])) <= small);
    known.bodies == point.bodies
        && match (&known.features, &point.features) {
            (Features::Balls { points: p, radius: r, .. }, Features::Balls { points: q, radius: s, .. }) => {
                near(p, q) && (r - s).abs() <= small
            }
            (
                Features::Face { points: p, normal: m, radius: r },
                Features::Face { points: q, normal: n, radius: s },
            ) => {
                // wherever on the face its point lies
                let level = dot(m, &sub(&p[1], &q[1])) + r - s;
                norm(&sub(&p[0], &q[0])) <= small && norm(&sub(m, n)) <= ONE_NORMAL && level.abs() <= small
            }
            (Features::Balls { .. }, Features::Face { .. }) | (Features::Face { .. }, Features::Balls { .. }) => false,
        }
}

/// Leaves one contact at each place, closed ones first.
pub fn one_at_each_place(scene: &Bodies, points: &mut Vec<Touch>, landed: &Landed) {
    let law = |touch: &Touch| match touch {
        Touch::Shapes(point) => Some(scene.law_between(point.bodies, point.id)),
        Touch::Stop(_) | Touch::Slack(_) | Touch::Loose(_) | Touch::Dry(_) => None,
    };
    let closed = |touch: &Touch| landed.is_closed(touch.id() as usize);
    let one = |a: &Touch, b: &Touch| {
        let Touch::Shapes(point) = b else { return false };
        one_place(a, point, TOUCHING * landed.length) && law(a) == law(b)
    };
    let mut kept: Vec<Touch> = Vec::with_capacity(points.len());
    for touch in points.iter() {
        // those of a pair follow each other
        let pair = kept.iter().rposition(|other| other.bodies() != touch.bodies()).map_or(0, |k| k + 1);
        match kept[pair..].iter().position(|other| one(other, touch)).map(|k| pair + k) {
            None => kept.push(touch.clone()),
            Some(k) if closed(touch) && !closed(&kept[k]) => {
                kept.remove(k);
                kept.push(touch.clone());
            }
            Some(_) => {}
        }
    }
    *points = kept;
}

/// Part of 1 by which normals of one face differ at most.
const ONE_FACE: f64 = 1e-9;

/// Whether two contacts of a pair are points of the first body before one face of the second.
pub fn before_one_face(one: &ContactPoint, other: &ContactPoint) -> bool {
    match (&one.features, &other.features) {
        (Features::Face { normal: m, .. }, Features::Face { normal: n, .. }) => dot(m, n) > 1.0 - ONE_FACE,
        (Features::Balls { .. }, _) | (_, Features::Balls { .. }) => false,
    }
}

/// A name that no contact of the pair has, of the same materials.
pub fn free_name(scene: &Bodies, point: &ContactPoint, taken: impl Fn(u64) -> bool) -> u64 {
    let [low, high] = point.bodies.map(|i| scene.bodies()[i].materials.len().max(1) as u64);
    let (pair, feature) = (point.id & !0xffff, point.id & 0xffff);
    let names = (1..0x1_0000 / (low * high)).map(|k| pair | ((feature + k * low * high) & 0xffff));
    // numbers that wrap around 2¹⁶ keep their remainder only where the count of materials divides it
    let same = |id: &u64| (id & 0xffff) % (low * high) == feature % (low * high);
    names.filter(same).find(|id| !taken(*id)).unwrap_or(point.id)
}
