//! Where bodies touch or are about to: pairs by a grid, points by shape, identities that last.
//!
//!   gap g > 0 open,    normal n from the second body to the first,    ġ = n·(velocity of a − velocity of b at the point)
//!
//! A pure function of the frames: nothing is remembered between calls but buffers. Identities name the pair and the
//! features that touch, so they last as long as the touch does. Threads share the cells and then the pairs in runs of their order, and what they
//! find is put together in that order: contacts do not depend on their number.

mod balls;
mod compounds;
mod corners;
mod faces;
mod grid;
mod pairs;
mod planar;
mod planes;
mod solids;
mod surfaces;

use super::math::{Vec3, axpy, dot, mul, mul_t, norm, scale, sub};
use super::shapes::Manner;
use super::{Bodies, Frame, Shape};
pub use compounds::Prepared;
pub(crate) use grid::Grid;
use percussion_matrix::parts::joined;
use percussion_matrix::pool::together;
use percussion_matrix::stop::requested;
pub use solids::Solid;

/// A point where two bodies touch or nearly do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Lasts from step to step: (lower body · n + higher body) · 2¹⁶ + feature.
    pub id: u64,
    /// The bodies; the normal points from the second to the first.
    pub bodies: [usize; 2],
    /// g [m].
    pub gap: f64,
    /// n, world frame.
    pub normal: Vec3,
    /// From the centres of mass to the points on the two surfaces, world frame [m].
    pub arms: [Vec3; 2],
    /// How the gap is found again after the bodies have moved.
    pub features: Features,
}

/// What touches, in the frames of the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Features {
    /// Two balls about points of the bodies: g = |p_a − p_b| − r.
    Balls {
        /// Centres.
        points: [Vec3; 2],
        /// Sum of the radii.
        radius: f64,
        /// The part of it that is the first one's.
        share: f64,
    },
    /// A point of one body before a plane of the other: g = n·(p_a − p_b) − r with n of the second body.
    Face {
        /// The points.
        points: [Vec3; 2],
        /// n in the second body's frame.
        normal: Vec3,
        /// Radius of a ball about the first point.
        radius: f64,
    },
}

impl Default for Features {
    fn default() -> Self {
        Self::Balls { points: [[0.0; 3]; 2], radius: 0.0, share: 0.5 }
    }
}

impl ContactPoint {
    /// The gap of the same features at other frames; exact for balls and planes, and for faces as long as these touch.
    pub fn gap_at(&self, a: &Frame, b: &Frame) -> f64 {
        match &self.features {
            Features::Balls { points, radius, .. } => norm(&sub(&a.point(&points[0]), &b.point(&points[1]))) - radius,
            Features::Face { points, normal, radius } => {
                dot(&mul(&b.R, normal), &sub(&a.point(&points[0]), &b.point(&points[1]))) - radius
            }
        }
    }

    /// n and the one point at which the same features touch at other frames: between two balls the gap is shared as the radii are,
    /// before a face the point is on the surface of the first body.
    pub fn place_at(&self, a: &Frame, b: &Frame) -> (Vec3, Vec3) {
        match &self.features {
            Features::Balls { points, share, .. } => {
                let (p_a, p_b) = (a.point(&points[0]), b.point(&points[1]));
                let d = sub(&p_a, &p_b);
                let distance = norm(&d);
                // concentric balls keep their normal
                let n = if distance > 0.0 { scale(1.0 / distance, &d) } else { self.normal };
                (n, axpy(&p_a, -share, &d))
            }
            Features::Face { points, normal, radius } => {
                let n = mul(&b.R, normal);
                (n, axpy(&a.point(&points[0]), -radius, &n))
            }
        }
    }
}

/// A contact as the functions of pairs find it: world points on both surfaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub feature: u16,
    pub gap: f64,
    pub normal: Vec3,
    /// World points; for balls their centres moved to the surface.
    pub points: [Vec3; 2],
    /// Radius of a ball about the point on the first body's inside, if it is one.
    pub radii: [f64; 2],
    /// Whether both are balls.
    pub round: bool,
    /// Whether the normal points to the second of the two that were asked for, and the points are those of the second and the first.
    pub turned: bool,
}

/// Where two bodies overlap.
pub(crate) fn touch_pair(scene: &Bodies, a: (usize, &Frame), b: (usize, &Frame), out: &mut Vec<Touch>) {
    near_pair(scene, a, b, 0.0, out);
}

/// Where two bodies come as near as the margin [m].
pub(crate) fn near_pair(scene: &Bodies, a: (usize, &Frame), b: (usize, &Frame), margin: f64, out: &mut Vec<Touch>) {
    pairs::touch(scene, a, b, margin, out);
}

/// Pairs that are worth a thread: a microsecond each, and a thread costs some tens.
const WORTH: usize = 500;

/// Part of the smaller body's size, and of the thinner one's thickness 2V/A, beyond which two surfaces of triangles are not looked at.
const NEAR_SURFACES: [f64; 2] = [0.02, 0.25];

/// How far apart two bodies are looked at [m]. Within a metre of each other every triangle of one gear wheel is near every one of another, three million
/// pairs, of which none but the nearest act; what comes from further away in a step is found on its path (`path.rs`), and the step made in parts.
fn furthest(scene: &Bodies, i: usize, j: usize) -> f64 {
    if [i, j].into_iter().any(|k| scene.bodies()[k].shape.manner() != Manner::Surface) {
        return f64::INFINITY;
    }
    let [a, b] = [i, j].map(|k| scene.prepared(k, 0));
    (NEAR_SURFACES[0] * a.reach.min(b.reach)).max(NEAR_SURFACES[1] * 2.0 * a.plate.min(b.plate))
}

/// What one thread finds.
#[derive(Clone, Debug, Default)]
struct Part {
    touches: Vec<Touch>,
    contacts: Vec<ContactPoint>,
}

/// Finds contacts; the memory is buffers only.
#[derive(Clone, Debug, Default)]
pub struct Detector {
    /// Threads that the work is shared among; 0 and 1 are this one. The result does not depend on it.
    pub threads: usize,
    grid: grid::Grid,
    pairs: Vec<(u32, u32)>,
    parts: Vec<Part>,
    contacts: Vec<ContactPoint>,
}

impl Detector {
    /// All contacts whose gap is at most the sum of the margins of their bodies, by rising identity.
    pub fn detect(&mut self, scene: &Bodies, frames: &[Frame], margins: &[f64]) -> &[ContactPoint] {
        let Self { threads: asked, grid, pairs, parts, contacts } = self;
        grid.pairs(scene, frames, margins, *asked, pairs);
        let threads = (*asked).min(pairs.len() / WORTH).max(1);
        if parts.len() < threads {
            parts.resize_with(threads, Part::default);
        }
        let run = pairs.len().div_ceil(threads).max(1);
        let work = |(part, pairs): (&mut Part, &[(u32, u32)])| part.find(scene, frames, margins, pairs);
        if threads == 1 {
            parts.iter_mut().zip(pairs.chunks(run)).for_each(work);
        } else {
            let mut shares = parts.iter_mut().zip(pairs.chunks(run));
            together(threads, |crew| {
                let mine = shares.next();
                for share in shares {
                    crew.give(move || work(share));
                }
                if let Some(share) = mine {
                    work(share);
                }
            });
        }
        joined(contacts, parts[..pairs.len().div_ceil(run)].iter().map(|part| &part.contacts[..]), *asked);
        contacts.sort_unstable_by_key(|c| c.id);
        contacts
    }
}

impl Part {
    /// The contacts of these pairs, in their order.
    fn find(&mut self, scene: &Bodies, frames: &[Frame], margins: &[f64], pairs: &[(u32, u32)]) {
        let Self { touches, contacts } = self;
        let n = scene.len() as u64;
        contacts.clear();
        for &(i, j) in pairs.iter().take_while(|_| !requested()) {
            let (i, j) = (i as usize, j as usize);
            let margin = (margins[i] + margins[j]).min(furthest(scene, i, j));
            touches.clear();
            pairs::touch(scene, (i, &frames[i]), (j, &frames[j]), margin, touches);
            for touch in touches.iter() {
                let [a, b] = if touch.turned { [j, i] } else { [i, j] };
                let id = (i as u64 * n + j as u64) << 16 | u64::from(touch.feature);
                contacts.push(contact(id, [a, b], touch, &frames[a], &frames[b]));
            }
        }
    }
}

fn contact(id: u64, bodies: [usize; 2], touch: &Touch, a: &Frame, b: &Frame) -> ContactPoint {
    let local = |frame: &Frame, p: &Vec3| mul_t(&frame.R, &sub(p, &frame.x));
    let arms = [sub(&touch.points[0], &a.x), sub(&touch.points[1], &b.x)];
    let (n, [ra, rb]) = (&touch.normal, touch.radii);
    // the centres of the balls lie behind the points
    let centre_a = local(a, &axpy(&touch.points[0], ra, n));
    let features = if touch.round {
        let share = if ra + rb > 0.0 { ra / (ra + rb) } else { 0.5 };
        Features::Balls { points: [centre_a, local(b, &axpy(&touch.points[1], -rb, n))], radius: ra + rb, share }
    } else {
        Features::Face { points: [centre_a, local(b, &touch.points[1])], normal: mul_t(&b.R, n), radius: ra }
    };
    ContactPoint { id, bodies, gap: touch.gap, normal: *n, arms, features }
}

impl Bodies {
    /// The deepest overlap of surfaces at q: its depth and its contact; `None` when nothing touches. What is wholly inside a
    /// surface touches nothing: see `inside_surfaces`.
    pub fn deepest_overlap(&self, q: &[f64]) -> Option<(f64, u64)> {
        self.deepest(q, |_| true)
    }

    /// The same of contacts that are rigid.
    pub fn deepest_rigid_overlap(&self, q: &[f64]) -> Option<(f64, u64)> {
        self.deepest(q, |contact| self.law_between(contact.bodies, contact.id).compliance.is_none())
    }

    fn deepest(&self, q: &[f64], counts: impl Fn(&ContactPoint) -> bool) -> Option<(f64, u64)> {
        let mut detector = Detector::default();
        let touching = self.touching(q, &mut detector).iter().filter(|contact| counts(contact));
        let deepest = touching.min_by(|a, b| a.gap.total_cmp(&b.gap))?;
        Some((-deepest.gap, deepest.id))
    }

    /// What touches at q.
    fn touching<'a>(&self, q: &[f64], detector: &'a mut Detector) -> &'a [ContactPoint] {
        let frames: Vec<Frame> = (0..self.len()).map(|i| self.frame(i, q)).collect();
        detector.detect(self, &frames, &vec![0.0; self.len()])
    }

    /// Σ V of the contacts that give way.
    pub fn contact_energy(&self, q: &[f64]) -> f64 {
        if !self.has_compliance() {
            return 0.0;
        }
        let of = |contact: &ContactPoint| {
            let law = self.law_between(contact.bodies, contact.id);
            law.compliance.map_or(0.0, |compliance| compliance.energy(contact.gap))
        };
        self.touching(q, &mut Detector::default()).iter().map(of).sum()
    }

    /// The pair behind a contact's identity, lower number first.
    pub fn pair_of(&self, id: u64) -> [usize; 2] {
        if let Some(j) = self.joint_of(id) {
            return self.joints().get(j).map_or([0; 2], |joint| joint.bodies);
        }
        let (pair, n) = (id >> 16, self.len() as u64);
        [(pair / n) as usize, (pair % n) as usize]
    }

    /// The bodies of a contact and a number.
    pub fn name_of_pair(&self, id: u64, number: usize) -> String {
        let [a, b] = self.pair_of(id).map(|b| self.bodies().get(b).map_or("?", |body| body.name.as_str()));
        format!("{a} – {b} {number}")
    }

    /// Whether the number in a contact's identity tells nothing to a reader: features of two shapes at once, mixed. Before a plane it
    /// is the number of a corner or an end.
    pub fn has_unnumbered_features(&self, id: u64) -> bool {
        let plane = |i: usize| self.bodies().get(i).is_some_and(|body| body.shape.manner() == Manner::HalfSpace);
        self.joint_of(id).is_none() && !self.pair_of(id).into_iter().any(plane)
    }

    /// Whether two bodies are asked to meet at all.
    pub fn may_touch(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.bodies()[i], &self.bodies()[j]);
        (a.is_free() || b.is_free())
            && a.contact
            && b.contact
            && !(a.node && b.node)
            && (self.no_contact().is_empty() || self.no_contact().binary_search(&[i.min(j), i.max(j)]).is_err())
    }

    /// Whether any two bodies have shapes that meet and are asked to.
    pub fn bodies_touch(&self) -> bool {
        let manner = |i: usize| self.bodies()[i].shape.manner();
        let touched = |i: &usize| self.bodies()[*i].contact && manner(*i) != Manner::Nothing;
        let shaped: Vec<usize> = (0..self.len()).filter(touched).collect();
        let planes = |i: usize, j: usize| manner(i) == Manner::HalfSpace && manner(j) == Manner::HalfSpace;
        let meets = |(k, &i): (usize, &usize)| shaped[k + 1..].iter().any(|&j| self.may_touch(i, j) && !planes(i, j));
        shaped.iter().enumerate().any(meets)
    }
}

impl Bodies {
    /// The contact of that identity at q, while the features that name it are the ones nearest to each other.
    pub fn contact(&self, id: u64, q: &[f64]) -> Option<ContactPoint> {
        if self.joint_of(id).is_some() || requested() {
            return None;
        }
        let [i, j] = self.pair_of(id);
        let (a, b) = (self.frame(i, q), self.frame(j, q));
        let reach = [i, j].map(|k| self.bodies()[k].reach).into_iter().filter(|r| r.is_finite()).fold(0.0, f64::max);
        // nodes before a plane have no size, and one touch however far they are
        let reach = if reach > 0.0 { reach } else { 1.0 };
        let mut touches = Vec::new();
        // a surface has many triangles: it is searched further away only when nothing is found near by
        let surface = [i, j].into_iter().any(|k| self.bodies()[k].shape.manner() == Manner::Surface);
        let furthest = furthest(self, i, j);
        for margin in if surface { &[1e-3, 1e-2, 0.1, 1.0, 10.0][..] } else { &[10.0] } {
            touches.clear();
            let margin = (margin * reach).min(furthest);
            pairs::touch(self, (i, &a), (j, &b), margin, &mut touches);
            if let Some(touch) = touches.iter().find(|touch| u64::from(touch.feature) == id & 0xffff) {
                let found =
                    if touch.turned { contact(id, [j, i], touch, &b, &a) } else { contact(id, [i, j], touch, &a, &b) };
                return Some(found);
            }
            if margin == furthest {
                break;
            }
        }
        None
    }

    /// Whether two bodies with surfaces of triangles are asked to meet: to look for what is near on both takes longer than a step.
    pub fn surfaces_meet(&self) -> bool {
        let surfaces = |i: &usize| self.bodies()[*i].shape.manner() == Manner::Surface;
        let all: Vec<usize> = (0..self.len()).filter(surfaces).collect();
        all.iter().enumerate().any(|(k, &i)| all[k + 1..].iter().any(|&j| self.may_touch(i, j)))
    }
}

impl Bodies {
    /// Whether the gap of a contact follows from the places of its bodies alone: balls, and before a plane all whose features do
    /// not move over the shape.
    pub fn has_lasting_gap(&self, id: u64) -> bool {
        if self.joint_of(id).is_some() {
            return false;
        }
        let [a, b] = self.pair_of(id).map(|i| &self.bodies()[i].shape);
        let plane = |s: &Shape| s.manner() == Manner::HalfSpace;
        let balls = matches!((a, b), (Shape::Sphere(_), Shape::Sphere(_)));
        balls || (plane(a) || plane(b)) && a.has_lasting_gaps() && b.has_lasting_gaps()
    }
}
