//! Which contact of the last step a contact is: the one at its place, else the one of its name.
//!
//!   i follows k  ⇔  k is nearest to i among the last contacts of the pair, i is nearest to k among its contacts now, |x_i − x_k| ≤ ℓ/10
//!
//! with x in the frame of the first body and ℓ the smaller body's size. Faces that meet to the last digit get their points from other edges
//! and corners in every step, as round-off has it, so that names say less than places of what was there a step before.

use crate::PersistentContact;
use percussion_model::bodies::math::{Vec3, norm, sub};
use percussion_model::bodies::{ContactPoint, Features};
use std::ops::Range;

/// How far a contact moves over its body in a step at most, in parts of the smaller body's size.
const NEAR: f64 = 0.1;
/// Contacts of a pair up to which places are compared: surfaces meet in hundreds, whose names are their triangles'.
const COMPARED: usize = 16;
/// Distance, in parts of the size, at which a contact of the same name is taken for the same without looking further.
const ROUND_OFF: f64 = 1e-6;

/// Where a contact is on its first body, in the frame of that body.
pub fn place(point: &ContactPoint) -> Vec3 {
    match &point.features {
        Features::Balls { points, .. } | Features::Face { points, .. } => points[0],
    }
}

/// The contact of the last step that contact i of those found now continues; both lists by rising identity. `size` is the smaller body's.
pub fn predecessor(size: f64, known: &[PersistentContact], found: &[ContactPoint], i: usize) -> Option<usize> {
    let (point, pair) = (&found[i], found[i].id >> 16);
    let named = known.binary_search_by_key(&point.id, |p| p.id);
    let far = |point: &ContactPoint, kept: &PersistentContact| norm(&sub(&place(point), &kept.place));
    if named.is_ok_and(|k| far(point, &known[k]) <= ROUND_OFF * size) {
        return named.ok();
    }
    let at = named.unwrap_or_else(|at| at);
    let kept = around(at, known.len(), |k| known[k].id >> 16 == pair);
    let now = around(i, found.len(), |j| found[j].id >> 16 == pair);
    if kept.len().max(now.len()) <= COMPARED {
        let nearer = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0);
        let nearest = kept.map(|k| (far(point, &known[k]), k)).min_by(nearer).filter(|(d, _)| *d <= NEAR * size);
        if let Some((_, k)) = nearest
            && now.map(|j| (far(&found[j], &known[k]), j)).min_by(nearer).is_some_and(|(_, j)| j == i)
        {
            return Some(k);
        }
    }
    named.ok()
}

/// The numbers around `at` that belong together, or more than are compared.
fn around(at: usize, n: usize, belongs: impl Fn(usize) -> bool) -> Range<usize> {
    let first = at - (0..at).rev().take(COMPARED + 1).take_while(|&k| belongs(k)).count();
    first..at + (at..n).take(COMPARED + 1).take_while(|&k| belongs(k)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: u64 = 7 << 16;

    fn point(name: u64, x: f64) -> ContactPoint {
        let features = Features::Face { points: [[x, 0.0, 0.0], [0.0; 3]], normal: [0.0, 0.0, 1.0], radius: 0.0 };
        ContactPoint { id: name, bodies: [0, 1], gap: 0.0, normal: [0.0, 0.0, 1.0], arms: [[0.0; 3]; 2], features }
    }

    fn kept(name: u64, x: f64) -> PersistentContact {
        PersistentContact { id: name, place: [x, 0.0, 0.0], ..Default::default() }
    }

    fn follow(known: &[PersistentContact], found: &[ContactPoint]) -> Vec<Option<usize>> {
        (0..found.len()).map(|i| predecessor(1.0, known, found, i)).collect()
    }

    /// Names that round-off exchanged or replaced do not matter, those of other pairs are left alone.
    #[test]
    fn places_say_what_was_there() {
        let known = [kept(PAIR - 1, 0.0), kept(PAIR, 0.0), kept(PAIR + 1, 1.0), kept(PAIR + 65_536, 0.0)];
        let exchanged = [point(PAIR, 1.001), point(PAIR + 1, 0.001)];
        assert_eq!(follow(&known, &exchanged), [Some(2), Some(1)]);
        let replaced = [point(PAIR + 5, 1e-9), point(PAIR + 9, 1.0)];
        assert_eq!(follow(&known, &replaced), [Some(1), Some(2)]);
    }

    /// One contact continues one: the nearer of two, and none that is far and has no name of the last step.
    #[test]
    fn only_the_nearest_follows() {
        let known = [kept(PAIR, 0.0), kept(PAIR + 1, 1.0)];
        let found = [point(PAIR + 3, 0.02), point(PAIR + 4, 0.01), point(PAIR + 5, 0.5)];
        assert_eq!(follow(&known, &found), [None, Some(0), None]);
        assert_eq!(follow(&known, &[point(PAIR + 1, 0.5)]), [Some(1)]);
    }

    /// Of pairs with many contacts names decide.
    #[test]
    fn many_contacts_go_by_name() {
        let known: Vec<_> = (0..40).map(|k| kept(PAIR + k, k as f64)).collect();
        let found: Vec<_> = (0..40).map(|k| point(PAIR + k, (k + 1) as f64)).collect();
        assert_eq!(follow(&known, &found), (0..40).map(Some).collect::<Vec<_>>());
    }
}
