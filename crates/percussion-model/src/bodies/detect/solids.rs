//! Boxes, cylinders, hulls and meshes against each other: manifolds of several points by parry.

use super::super::Frame;
use super::super::math::{Vec3, scale};
use super::Touch;
use super::corners::add_flush;
use super::faces::{Plane, before_face, planes};
use super::pairs::Placed;
use super::surfaces::{Faces, facing, one_per_place, triangles_around};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, QueryDispatcher};
use parry3d_f64::shape::{ConvexPolyhedron, SharedShape, TriMesh};
use percussion_matrix::stop::requested;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A shape as the collision library knows it.
#[derive(Clone)]
pub struct Solid {
    shape: SharedShape,
    /// From the library's axes to ours.
    turn: Pose,
    /// The triangles around each vertex, where it is a surface of them.
    around: Arc<Vec<Vec<u32>>>,
    /// Its faces in our axes, where it is a polyhedron without dents.
    planes: Arc<Vec<Plane>>,
}

impl std::fmt::Debug for Solid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Solid")
    }
}

fn vector(x: &Vec3) -> Vector {
    Vector::new(x[0], x[1], x[2])
}

impl Solid {
    /// In the axes of the library.
    pub fn new(shape: SharedShape) -> Self {
        Self::turned(shape, Pose::identity())
    }

    /// Turned from the library's axes to ours.
    pub fn turned(shape: SharedShape, turn: Pose) -> Self {
        let around = Arc::new(shape.as_trimesh().map(triangles_around).unwrap_or_default());
        let planes = Arc::new(planes(&shape, &turn));
        Self { shape, turn, around, planes }
    }

    /// Its faces, where it is a polyhedron without dents.
    pub(super) fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// Its triangles, where it is a surface of them, and those around each vertex.
    pub(super) fn mesh(&self) -> Option<(&TriMesh, &[Vec<u32>])> {
        self.shape.as_trimesh().map(|mesh| (mesh, self.around.as_slice()))
    }
}

/// Contacts of two bodies; normals point from the second to the first.
pub fn touch(a: &Placed, b: &Placed, margin: f64, out: &mut Vec<Touch>) {
    let (Some(s), Some(t)) = (a.solid, b.solid) else { return };
    if before_face(a, b, margin, out) {
        return;
    }
    let from = out.len();
    if before_face(b, a, margin, out) {
        out[from..].iter_mut().for_each(|touch| touch.turned = true);
        return;
    }
    let pose = |frame: &Frame, turn: &Pose| {
        let [w, x, y, z] = frame.q;
        Pose::from_parts(vector(&frame.x), Rotation::from_xyzw(x, y, z, w)) * *turn
    };
    let (first, second) = (pose(a.frame, &s.turn), pose(b.frame, &t.turn));
    let mut manifolds: Vec<Manifold> = Vec::new();
    let relative = first.inv_mul(&second);
    // pairs the library does not know pass through each other; the scene refuses them at the start
    if !ask(&relative, [s, t], margin, &mut manifolds) {
        return;
    }
    let size = a.reach.min(b.reach);
    let mut apart = Vector::new(0.0, 0.0, 0.0);
    if deepest(&manifolds) > DEEP * size
        && let Some((gap, n)) = separation([s, t], &relative)
        && gap > NEAR * size - deepest(&manifolds)
    {
        // moved apart along the axis on which they barely meet, and what was moved taken off the gaps
        apart = n * (NEAR * size - gap);
        let moved = Pose::from_parts(relative.translation + apart, relative.rotation);
        ask(&moved, [s, t], margin + NEAR * size - gap, &mut manifolds);
    }
    let (mut found, mut beside) = (Vec::new(), Vec::new());
    let faces = Faces::new([s, t], &relative);
    let flush = manifolds.iter().any(|manifold| faces.flush([manifold.subshape1, manifold.subshape2], size));
    for manifold in manifolds.iter().take_while(|_| !requested()) {
        let triangles = [manifold.subshape1, manifold.subshape2];
        let looks = flush.then(|| faces.looks(triangles, manifold.local_n1)).flatten();
        let Some(aligned) = looks.map_or(Some(false), facing) else { continue };
        let n = first.transform_vector(manifold.local_n1);
        let normal = scale(-1.0, &[n.x, n.y, n.z]);
        let moved = apart.dot(manifold.local_n1);
        for point in manifold.points.iter().filter(|p| p.dist - moved <= margin) {
            let p = first.transform_point(point.local_p1);
            let q = second.transform_point(point.local_p2);
            let points = [[p.x, p.y, p.z], [q.x, q.y, q.z]];
            let feature = hash(&[manifold.subshape1, manifold.subshape2, point.fid1.0, point.fid2.0]);
            let radii = [radius_along(s, manifold.local_n1), 0.0];
            let gap = point.dist - moved;
            let touch = Touch { feature, gap, normal, points, radii, round: false, turned: false };
            if !flush || faces.bear(triangles, [point.local_p1, point.local_p2], manifold.local_n1, size) {
                found.push((touch, aligned));
            } else {
                beside.push((touch, aligned));
            }
        }
    }
    // surfaces that are through each other where nothing bears: what the plates say is all there is
    if found.iter().all(|(touch, _)| touch.gap > 0.0) && beside.iter().any(|(touch, _)| touch.gap < 0.0) {
        found.append(&mut beside);
    }
    let mut found = if flush {
        one_per_place(found, size)
    } else {
        found.into_iter().map(|(touch, _)| touch).collect::<Vec<Touch>>()
    };
    if let Some((dist, n, points)) = nearest_on_round([s, t], &relative, margin) {
        let seen = found.iter().map(|touch| touch.gap).fold(f64::INFINITY, f64::min);
        if dist < seen - NEAREST * size {
            let radii = [radius_along(s, n), 0.0];
            let n = first.transform_vector(n);
            let points = points.map(|p| first.transform_point(p)).map(|p| [p.x, p.y, p.z]);
            let normal = scale(-1.0, &[n.x, n.y, n.z]);
            found.push(Touch {
                feature: hash(&[u32::MAX]),
                gap: dist,
                normal,
                points,
                radii,
                round: false,
                turned: false,
            });
        }
    }
    name_apart(&mut found);
    out.append(&mut found);
}

/// The least part of a normal across the axis of a cylinder for which its rim counts as round.
const ACROSS: f64 = 0.5;

/// How far below its surface the axis or the centre of a round shape lies along a normal in the library's axes; zero of other shapes and of the
/// caps of a cylinder. A point there stays where it is while the shape rolls or spins, which the point that touches does not.
fn radius_along(solid: &Solid, n: Vector) -> f64 {
    let shape = &*solid.shape.0;
    if let Some(ball) = shape.as_ball() {
        return ball.radius;
    }
    if let Some(capsule) = shape.as_capsule() {
        return capsule.radius;
    }
    let across = (n.x * n.x + n.z * n.z).sqrt();
    shape.as_cylinder().filter(|_| across >= ACROSS).map_or(0.0, |cylinder| cylinder.radius / across)
}

/// Part of a body's size by which the nearest points must be nearer than any point of a manifold to count beside them.
const NEAREST: f64 = 1e-9;

/// The nearest or deepest points of a pair with a cylinder, with their distance and the normal from the first to the second, in the axes of the
/// first. The library's manifolds replace a cap by a square inside it, whose corners miss the point of the rim that touches.
fn nearest_on_round([s, t]: [&Solid; 2], relative: &Pose, margin: f64) -> Option<(f64, Vector, [Vector; 2])> {
    let (first, second) = (&*s.shape.0, &*t.shape.0);
    first.as_cylinder().or(second.as_cylinder())?;
    let contact = DefaultQueryDispatcher.contact(relative, first, second, margin).ok()??;
    Some((contact.dist, contact.normal1, [contact.point1, relative.transform_point(contact.point2)]))
}

type Manifold = ContactManifold<(), ()>;

/// Overlap of polyhedra, in parts of the smaller one's size, that is looked at again: of faces that meet to the last digit the library now
/// and then gives the depth along another axis.
const DEEP: f64 = 1e-4;
/// How far apart they are moved for it.
const NEAR: f64 = 1e-3;

/// The library's contacts of two shapes; false for a pair it does not know.
fn ask(relative: &Pose, [s, t]: [&Solid; 2], margin: f64, manifolds: &mut Vec<Manifold>) -> bool {
    manifolds.clear();
    let (first, second) = (&*s.shape.0, &*t.shape.0);
    let known = DefaultQueryDispatcher.contact_manifolds(relative, first, second, margin, manifolds, &mut None).is_ok();
    for manifold in manifolds.iter_mut().take_while(|_| !requested()) {
        add_flush(relative, [first, second], manifold);
    }
    known
}

fn deepest(manifolds: &[Manifold]) -> f64 {
    manifolds.iter().flat_map(|m| &m.points).map(|p| -p.dist).fold(0.0, f64::max)
}

/// The largest gap of two polyhedra along a normal of a face of either, and that normal from the first to the second, in the axes of the
/// first; none for other shapes.
fn separation([s, t]: [&Solid; 2], relative: &Pose) -> Option<(f64, Vector)> {
    let (a, b) = (s.shape.as_convex_polyhedron()?, t.shape.as_convex_polyhedron()?);
    let back = relative.inverse();
    let along = |from: &ConvexPolyhedron, to: &ConvexPolyhedron, pose: &Pose| {
        let gap = |n: Vector| {
            let own = from.points().iter().map(|p| n.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
            to.points().iter().map(|p| n.dot(pose.transform_point(*p))).fold(f64::INFINITY, f64::min) - own
        };
        from.faces().iter().map(|face| (gap(face.normal), face.normal)).max_by(|x, y| x.0.total_cmp(&y.0))
    };
    let (mine, other) = (along(a, b, relative)?, along(b, a, &back)?);
    Some(if mine.0 >= other.0 { mine } else { (other.0, -relative.transform_vector(other.1)) })
}

/// Gives touches of one pair that share a name the next free ones. The nearest keep theirs, so that a wider margin, which only
/// adds touches further away, changes no name; there are names for so many of them, and the furthest go without.
fn name_apart(touches: &mut Vec<Touch>) {
    const NAMES: usize = 1 << 16;
    touches.sort_by(|a, b| a.gap.total_cmp(&b.gap));
    touches.truncate(NAMES / 2);
    let mut taken = BTreeSet::new();
    for touch in touches {
        while !taken.insert(touch.feature) {
            touch.feature = touch.feature.wrapping_add(1);
        }
    }
}

/// Sixteen bits of the names of the features that touch. They are mixed (Appleby's finaliser) so that neighbouring features, whose names differ by
/// one, do not share them: which of two touches keeps a name they share changes with their gaps.
pub fn hash(words: &[u32]) -> u16 {
    let mut h = 0xcbf29ce484222325_u64;
    for word in words {
        h = (h ^ u64::from(*word)).wrapping_mul(0x100000001b3);
        h ^= h >> 29;
    }
    for factor in [0xff51afd7ed558ccd_u64, 0xc4ceb9fe1a85ec53] {
        h = (h ^ (h >> 33)).wrapping_mul(factor);
    }
    (h >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(feature: u16, gap: f64) -> Touch {
        let points = [[0.0; 3]; 2];
        Touch { feature, gap, normal: [0.0, 0.0, 1.0], points, radii: [0.0; 2], round: false, turned: false }
    }

    /// Corners and edges of one face have names far apart.
    #[test]
    fn neighbouring_features_do_not_share_a_name() {
        for kind in [1_u32 << 30, 2 << 30] {
            let names: BTreeSet<u16> = (0..24).map(|k| hash(&[0, 3, 3 << 30, kind | k])).collect();
            assert_eq!(names.len(), 24);
        }
    }

    /// However many touch, names are unique, and touches further away leave those of the near ones alone.
    #[test]
    fn names_of_touches_are_apart_and_last() {
        let mut near: Vec<Touch> = (0..50).map(|k| touch(65_530 + k % 6, 1e-4 * f64::from(k))).collect();
        let mut all = near.clone();
        all.extend((0..100_000_u32).map(|k| touch((k % 40_000) as u16, 1.0 + 1e-6 * f64::from(k))));
        all.reverse();
        name_apart(&mut near);
        name_apart(&mut all);
        let names: BTreeSet<u16> = all.iter().map(|t| t.feature).collect();
        assert_eq!((names.len(), all.len()), (32_768, 32_768));
        assert!(near.iter().zip(&all).all(|(a, b)| a.feature == b.feature && a.gap == b.gap));
    }
}
