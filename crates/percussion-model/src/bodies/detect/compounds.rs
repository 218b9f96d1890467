//! Bodies of several shapes: every piece of one against every piece of the other, those whose balls meet.
//!
//!   feature ≡ combination of materials (mod their number K),    so that a contact's name alone gives its law
//!
//! Before a plane a feature keeps the number it has in the list of all features of the body; between pieces, names are made from the
//! numbers of the pieces and of what touches, and made distinct.

use super::super::math::{Vec3, dot, sub};
use super::super::shapes::Manner;
use super::super::{Bodies, Frame, PairLaw};
use super::Touch;
use super::pairs::{Placed, meet};
use super::solids::{Solid, hash};

/// What detection keeps of a piece.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// As the collision library knows it, where it is needed.
    pub solid: Option<Solid>,
    /// Number of its first feature before a plane.
    pub first: u16,
    /// Number of its material in the list of the body.
    pub material: u16,
    /// Radius of the ball about its origin that holds it [m].
    pub reach: f64,
    /// V/A of a surface of triangles, zero of other shapes [m].
    pub plate: f64,
}

/// Contacts of two bodies of which at least one has several shapes.
pub fn touch(scene: &Bodies, a: (usize, &Frame), b: (usize, &Frame), margin: f64, out: &mut Vec<Touch>) {
    let (low, high) = if a.0 < b.0 { (a.0, b.0) } else { (b.0, a.0) };
    let [n_low, n_high] = [low, high].map(|i| scene.bodies()[i].materials.len() as u32);
    let combinations = n_low * n_high;
    let from = out.len();
    let mut plane = false;
    each(scene, a, None, &mut |k, first: Placed| {
        each(scene, b, Some((first.frame, first.reach, margin)), &mut |l, second: Placed| {
            let at = out.len();
            meet(scene.is_planar(), &first, &second, margin, out);
            let [p, q] = [scene.prepared(a.0, k), scene.prepared(b.0, l)];
            let [m, n] = if a.0 < b.0 { [p.material, q.material] } else { [q.material, p.material] };
            let combination = u32::from(m) * n_high + u32::from(n);
            plane |= [&first, &second].iter().any(|placed| placed.shape.manner() == Manner::HalfSpace);
            for touch in &mut out[at..] {
                let name = if plane {
                    u32::from(p.first + q.first + touch.feature)
                } else {
                    u32::from(hash(&[k as u32, l as u32, u32::from(touch.feature)])) % (NAMES / combinations)
                };
                // features of a body are at most 2¹⁵: more materials than two on one body may share names beyond
                touch.feature = ((name * combinations + combination) % NAMES) as u16;
            }
        });
    });
    if !plane {
        name_apart(out, from, combinations);
    }
}

const NAMES: u32 = 1 << 16;

/// Gives touches that share a name the next free one of their combination; the nearest keep theirs.
fn name_apart(touches: &mut Vec<Touch>, from: usize, combinations: u32) {
    touches[from..].sort_by(|a, b| a.gap.total_cmp(&b.gap));
    touches.truncate(from + (NAMES / combinations / 2) as usize);
    for k in from + 1..touches.len() {
        while touches[from..k].iter().any(|other| other.feature == touches[k].feature) {
            let next = u32::from(touches[k].feature) + combinations;
            // the next of the same rest, from the first of them after the last
            let wrapped = if next < NAMES { next } else { next % combinations };
            touches[k].feature = wrapped as u16;
        }
    }
}

/// Calls with the pieces of a body, or with its single shape; of several only those whose balls come near another ball.
fn each(
    scene: &Bodies,
    (i, frame): (usize, &Frame),
    near: Option<(&Frame, f64, f64)>,
    visit: &mut dyn FnMut(usize, Placed),
) {
    let body = &scene.bodies()[i];
    let pieces = body.shape.pieces();
    if pieces.is_empty() {
        let prepared = scene.prepared(i, 0);
        visit(0, Placed { shape: &body.shape, frame, solid: prepared.solid.as_ref(), reach: prepared.reach });
        return;
    }
    for (k, piece) in pieces.iter().enumerate() {
        let prepared = scene.prepared(i, k);
        let apart = |(other, reach, margin): (&Frame, f64, f64)| {
            let d: Vec3 = sub(&frame.point(&piece.frame.x), &other.x);
            reach.is_finite() && dot(&d, &d) > (reach + prepared.reach + margin).powi(2)
        };
        if near.is_some_and(apart) {
            continue;
        }
        let placed = frame.then(&piece.frame);
        visit(k, Placed { shape: &piece.shape, frame: &placed, solid: prepared.solid.as_ref(), reach: prepared.reach });
    }
}

impl Bodies {
    /// The law of a contact of two bodies by its identity.
    #[inline]
    pub fn law_between(&self, bodies: [usize; 2], id: u64) -> PairLaw {
        let [low, high] = [bodies[0].min(bodies[1]), bodies[0].max(bodies[1])].map(|i| &self.bodies()[i].materials);
        let n = high.len() as u64;
        let combination = if low.len() as u64 * n == 1 { 0 } else { (id & 0xffff) % (low.len() as u64 * n) };
        self.materials().law(low[(combination / n) as usize], high[(combination % n) as usize])
    }
}
