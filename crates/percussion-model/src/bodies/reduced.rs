//! Reduced bodies of a scene: markers, a frame, and modal coordinates, held together by exact rows.
//!
//!   place    Rᵀ(p_k − x) − Φ_kη = r_k           turn    log(RᵀR_k) − Ψ_kη = 0
//!
//! Markers are bodies like any other. The frame is the mean frame of what lies between them, and each carrier is a body whose place is
//! three modal coordinates, without weight and momentum. The rows are exact differences, linear in η: over a step their reactions do no
//! work, and give to the frame what they take from the marker.

use super::math::{Vec3, add, axpy, dot, mul, mul_t, norm, sub};
use super::measure::Measure;
use super::{Bodies, Body, BodyParts, Joint, JointKind, JointRow, Matter, RowLaw, Shape, Span, Term, Twist};
use crate::flexible::{Element, MarkerParts, ModalInertia, ModalSpring, ModalState, ReducedParts};
use crate::{Code, InputError};
use percussion_matrix::DenseMatrix;
use std::collections::HashSet;

/// Part of the smallest moment of inertia that m|Φη|² may reach.
const BENT: f64 = 0.05;
/// Part of the lowest frequency that the spin may reach.
const SPINNING: f64 = 0.3;

/// A reduced body in a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// Its name.
    pub name: String,
    /// Number of its first marker among the bodies; its frame comes after the last.
    pub first_marker: usize,
    /// Number of its markers.
    pub markers: usize,
    /// Number of its modes; the bodies that carry them, three each, come after the frame.
    pub modes: usize,
    /// ω₁ of the whole body, free or held at one marker, whichever is lower [rad/s].
    pub lowest: f64,
    /// The highest fixed-interface frequency kept [rad/s].
    pub cutoff: f64,
    mass: f64,
    least_inertia: f64,
    witnesses: Vec<Vec<Vec3>>,
    /// What bending changes in the inertia, where that is counted.
    pub full: Option<ModalInertia>,
    /// The span of its first carrier.
    pub first_span: usize,
}

/// Where the theory of constant inertia ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BeyondReduction {
    /// m|Φη|² as part of the smallest moment of inertia.
    Bent(f64),
    /// |w| as part of ω₁.
    Spinning(f64),
}

impl Reduced {
    /// Number of its frame among the bodies.
    pub fn frame(&self) -> usize {
        self.first_marker + self.markers
    }

    /// Its bodies.
    pub fn bodies(&self) -> std::ops::Range<usize> {
        self.first_marker..self.frame() + 1 + self.modes.div_ceil(3)
    }
}

impl Bodies {
    /// The reduced bodies.
    pub fn reduced(&self) -> &[Reduced] {
        &self.reduced
    }

    /// Whether component k of the velocities of body i moves anything: modal coordinates and nodes of solids do not turn, and the last carrier of a reduced
    /// body may have room for more of them than there are.
    pub fn is_used(&self, i: usize, k: usize) -> bool {
        if !self.bodies[i].modal {
            return k < 3 || !self.bodies[i].node;
        }
        let own = self.reduced.iter().find(|body| body.bodies().contains(&i));
        k < 3 && own.is_some_and(|body| 3 * (i - body.frame() - 1) + k < body.modes)
    }

    /// Whether any body is reduced with full inertia.
    pub fn has_full_inertia(&self) -> bool {
        self.reduced.iter().any(|body| body.full.is_some())
    }

    /// How a reduced body stands and moves, by places and velocities of bodies.
    pub fn modal_state(
        &self,
        body: &Reduced,
        place: impl Fn(usize) -> Vec3,
        twist: impl Fn(usize) -> Twist,
        to: &mut ModalState,
    ) {
        to.eta.clear();
        to.rate.clear();
        for carrier in body.frame() + 1..body.bodies().end {
            to.eta.extend(place(carrier));
            to.rate.extend(twist(carrier).v);
        }
        to.eta.truncate(body.modes);
        to.rate.truncate(body.modes);
        to.w = twist(body.frame()).w;
    }

    /// What full inertia adds to kinetic energy and to angular momentum, and the size of the latter.
    pub(super) fn modal_motion(&self, q: &[f64], v: &[f64]) -> (f64, Vec3, f64) {
        let (mut sum, mut at) = ((0.0, [0.0; 3], 0.0), ModalState::default());
        for body in &self.reduced {
            let Some(full) = &body.full else { continue };
            self.modal_state(body, |i| self.frame(i, q).x, |i| self.twist(i, v), &mut at);
            let spin = full.moment(&at);
            let turned = mul(&self.frame(body.frame(), q).R, &spin);
            sum = (sum.0 + full.energy(&at), add(&sum.1, &turned), sum.2 + norm(&spin));
        }
        sum
    }

    /// Which limit of its theory a reduced body is beyond, if any. With full inertia none but that of a spin without geometric stiffness.
    pub fn beyond_reduction(&self, k: usize, q: &[f64], v: &[f64]) -> Option<BeyondReduction> {
        let body = &self.reduced[k];
        let spin = norm(&self.twist(body.frame(), v).w) / body.lowest;
        let stiffened = body.full.as_ref().is_some_and(|full| full.stiffened);
        if spin > SPINNING && !stiffened {
            return Some(BeyondReduction::Spinning(spin));
        }
        if body.full.is_some() {
            return None;
        }
        let eta = |j: usize| q[7 * (body.frame() + 1 + j / 3) + j % 3];
        let moved = |shapes: &Vec<Vec3>| {
            let u = shapes.iter().enumerate().fold([0.0; 3], |sum, (j, shape)| axpy(&sum, eta(j), shape));
            dot(&u, &u)
        };
        let bent = body.mass * body.witnesses.iter().map(moved).fold(0.0, f64::max) / body.least_inertia;
        (bent > BENT).then_some(BeyondReduction::Bent(bent))
    }

    /// Adds the bodies of a reduced body and what resists its modes; gives the pairs of its markers, which do not touch.
    pub(super) fn add_reduced(
        &mut self,
        parts: &ReducedParts,
        names: &mut HashSet<String>,
    ) -> Result<Vec<[usize; 2]>, InputError> {
        parts.check(self.planar)?;
        let first_marker = self.bodies.len();
        let frame = first_marker + parts.markers.len();
        for (k, marker) in parts.markers.iter().enumerate() {
            self.add_part(&marker_parts(parts, k, marker), names)?;
        }
        let mean = BodyParts {
            matter: Matter::Given { mass: parts.mass, inertia: parts.inertia },
            ..placed(parts, parts.name.clone(), &parts.centre)
        };
        self.add_part(&mean, names)?;
        if parts.full.is_some() {
            // J(η) is not round, and its moments are counted in the frame of the body
            self.bodies[frame].isotropic = false;
        }
        let first_span = self.spans.len();
        for (k, omega) in parts.frequencies.chunks(3).enumerate() {
            let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let carrier = BodyParts {
                name: format!("{}.modes.{k}", parts.name),
                matter: Matter::Given { mass: 1.0, inertia: unit },
                contact: false,
                modal: true,
                ..Default::default()
            };
            self.add_part(&carrier, names)?;
            let omega = std::array::from_fn(|j| omega.get(j).copied().unwrap_or(0.0));
            let element = Element::Modes(ModalSpring::new(omega, parts.damping_ratio));
            self.spans.push(Span { bodies: [frame, frame + 1 + k], element, coupling: 0.0 });
        }
        let inertia = DenseMatrix::from_rows(&parts.inertia.map(|row| row.to_vec()));
        self.reduced.push(Reduced {
            name: parts.name.clone(),
            first_marker,
            markers: parts.markers.len(),
            modes: parts.frequencies.len(),
            lowest: parts.lowest,
            cutoff: parts.cutoff,
            mass: parts.whole().0,
            least_inertia: inertia.and_then(|J| J.smallest_eigenvalue()).unwrap_or(0.0),
            witnesses: parts.witnesses.clone(),
            full: parts.full.clone(),
            first_span,
        });
        Ok((first_marker..frame).flat_map(|i| (i + 1..frame).map(move |j| [i, j])).collect())
    }

    pub(super) fn add_part(&mut self, parts: &BodyParts, names: &mut HashSet<String>) -> Result<(), InputError> {
        let (body, centre) = Body::new(parts, self.planar, &self.materials)?;
        if parts.name.is_empty() || !names.insert(parts.name.clone()) {
            let message = format!("a body has the name \"{}\" too", parts.name);
            return Err(InputError::new(Code::BAD_NAME, "name", message, "rename one"));
        }
        self.bodies.push(body);
        self.start_at(parts, &centre);
        Ok(())
    }

    /// Adds the rows between frames, modal coordinates and markers, as joints after those of the scene.
    pub(super) fn join_markers(&mut self, described: &[ReducedParts]) {
        for (body, parts) in self.reduced.clone().iter().zip(described) {
            for (k, marker) in parts.markers.iter().enumerate() {
                let joint = self.marker_joint(body, k, marker);
                let j = self.joints.len();
                self.rigid.extend((0..joint.rows.len()).map(|r| (j, r)));
                self.joints.push(joint);
            }
        }
    }

    fn marker_joint(&self, body: &Reduced, k: usize, marker: &MarkerParts) -> Joint {
        let bodies = [body.frame(), body.first_marker + k];
        let frames: Vec<_> = (0..self.len()).map(|i| self.frame(i, &self.q0)).collect();
        let axis = |i: usize| -> Vec3 { std::array::from_fn(|j| f64::from(u8::from(i == j))) };
        let row = |own: &[(Measure, f64)], component: usize| {
            let mut terms: Vec<Term> = own
                .iter()
                .map(|(measure, factor)| Term { bodies, measure: measure.clone(), factor: *factor })
                .collect();
            for (c, shapes) in marker.shapes.chunks(3).enumerate() {
                let weights: Vec3 = std::array::from_fn(|j| shapes.get(j).map_or(0.0, |shape| shape[component]));
                if weights != [0.0; 3] {
                    let bodies = [body.frame(), body.frame() + 1 + c];
                    terms.push(Term { bodies, measure: Measure::Modal { weights }, factor: -1.0 });
                }
            }
            let row = JointRow { terms, law: RowLaw::Rigid { target: 0.0 } };
            let target = row.value(&frames);
            JointRow { law: RowLaw::Rigid { target }, ..row }
        };
        let mut rows = Vec::with_capacity(6);
        for i in 0..3 {
            rows.push(row(&[(Measure::Along { direction: axis(i), points: [[0.0; 3]; 2] }, 1.0)], i));
        }
        for i in 0..3 {
            rows.push(row(&[(Measure::Turn { axis: i }, 1.0)], 3 + i));
        }
        let [a, b] = bodies.map(|i| &frames[i]);
        Joint {
            points: [mul_t(&a.R, &sub(&b.x, &a.x)), [0.0; 3]],
            rows,
            ..Joint::of_rows(format!("{} marker {k}", body.name), JointKind::Fixed, bodies)
        }
    }
}

/// A piece of a body at a point of it, moving with it.
fn placed(parts: &ReducedParts, name: String, point: &Vec3) -> BodyParts {
    BodyParts {
        name,
        position: parts.world(point),
        rotation: parts.rotation,
        velocity: parts.velocity_at(point),
        angular_velocity: parts.angular_velocity,
        shaking: parts.shaking.clone(),
        contact: false,
        ..Default::default()
    }
}

fn marker_parts(parts: &ReducedParts, k: usize, marker: &MarkerParts) -> BodyParts {
    let body = BodyParts {
        matter: Matter::Given { mass: marker.mass, inertia: marker.inertia },
        ..placed(parts, format!("{}.{k}", parts.name), &marker.place)
    };
    match parts.contact {
        Some(contact) => {
            BodyParts { shape: Shape::sphere(contact.radius), material: contact.material, contact: true, ..body }
        }
        None => body,
    }
}
