//! The model of kind "bodies": bodies in one space under gravity, springs between them, materials that meet.
//!
//!   q per body: x, y, z, w, i, j, k;    v per body: world velocity, body-frame angular velocity
//!   in the plane: x, y, θ and their rates
//!
//! Everything is computed in space; a planar scene keeps z = 0 and turns about z.

use super::detect::Prepared;
use super::math::{Mat3, Quaternion, Vec3, axpy, dot, mul, normalised, rotation, scale, turned};
use super::path::half_thickness_of_surface;
use super::shapes::{Compound, Manner};
use super::{
    Beam, Body, BodyParts, Elastic, FlexibleParts, Joint, JointKind, JointParts, Materials, Motion, Reduced, Rotor,
    Shape, Span, Spring,
};
use crate::{Code, InputError, Signal};
use percussion_matrix::math;
use percussion_matrix::parts::add_rows;

/// Place and rotation of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Frame {
    /// Centre of mass [m].
    pub x: Vec3,
    /// Rotation, w, i, j, k.
    pub q: Quaternion,
    /// The same as a matrix, from the body's frame to the world's.
    pub R: Mat3,
}

/// Velocities of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// World velocity of the centre of mass [m/s].
    pub v: Vec3,
    /// Body-frame angular velocity [rad/s].
    pub w: Vec3,
}

/// What a scene is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneParts {
    /// Whether it lies in the plane.
    pub planar: bool,
    /// Acceleration of gravity [m/s²].
    pub gravity: Vec3,
    /// The bodies.
    pub bodies: Vec<BodyParts>,
    /// Their materials.
    pub materials: Materials,
    /// Springs; ends are given from the shapes' origins.
    pub springs: Vec<Spring>,
    /// Joints; each may couple those before it.
    pub joints: Vec<JointParts>,
    /// Pairs of bodies that pass through each other.
    pub no_contact: Vec<[usize; 2]>,
    /// Beams and loads at their nodes, which are bodies after the others.
    pub flexible: FlexibleParts,
}

/// A scene that makes sense.
#[derive(Clone, Debug)]
pub struct Bodies {
    pub(super) planar: bool,
    gravity: Vec3,
    pub(super) bodies: Vec<Body>,
    pub(super) materials: Materials,
    pub(super) springs: Vec<Spring>,
    pub(super) joints: Vec<Joint>,
    pub(super) rotors: Vec<Rotor>,
    pub(super) beams: Vec<Beam>,
    pub(super) spans: Vec<Span>,
    pub(super) reduced: Vec<Reduced>,
    pub(super) elastic: Vec<Elastic>,
    pub(super) moments: Vec<(usize, [Signal; 3])>,
    /// Joint and number of every row that holds.
    pub(super) rigid: Vec<(usize, usize)>,
    /// Sorted, the lower number first.
    no_contact: Vec<[usize; 2]>,
    /// What detection knows of every piece of every body, one body after the other.
    pieces: Vec<Prepared>,
    /// Where the pieces of each body begin.
    first_piece: Vec<u32>,
    pub(super) q0: Vec<f64>,
    v0: Vec<f64>,
}

impl Bodies {
    /// Checks a description.
    pub fn new(parts: SceneParts) -> Result<Self, InputError> {
        let SceneParts { planar, gravity, bodies: described, materials, mut springs, joints, mut no_contact, flexible } =
            parts;
        if !gravity.iter().all(|x| x.is_finite()) {
            return Err(InputError::new(
                Code::NOT_FINITE,
                "model.gravity",
                "is NaN or infinite",
                "give finite numbers",
            ));
        }
        let bends = !(flexible.beams.is_empty() && flexible.reduced.is_empty() && flexible.solids.is_empty());
        if described.is_empty() && !bends {
            return Err(InputError::new(Code::BAD_SHAPE, "body", "the scene has no body", "add a [[body]]"));
        }
        let mut scene = Self {
            planar,
            gravity,
            bodies: Vec::with_capacity(described.len()),
            materials,
            springs: Vec::new(),
            joints: Vec::new(),
            rotors: Vec::new(),
            beams: Vec::new(),
            spans: Vec::new(),
            reduced: Vec::new(),
            elastic: Vec::new(),
            moments: Vec::new(),
            rigid: Vec::new(),
            no_contact: Vec::new(),
            pieces: Vec::new(),
            first_piece: Vec::new(),
            q0: Vec::new(),
            v0: Vec::new(),
        };
        let mut names = std::collections::HashMap::new();
        for (i, parts) in described.iter().enumerate() {
            let below = |e: InputError| e.below(format!("body[{i}]"));
            let (body, centre) = Body::new(parts, planar, &scene.materials).map_err(below)?;
            if let Some(other) = names.insert(parts.name.clone(), i) {
                let message = format!("body {other} has the name \"{}\" too", parts.name);
                return Err(InputError::new(Code::BAD_NAME, format!("body[{i}].name"), message, "rename one"));
            }
            // springs and the like are given from the shape's origin
            let shift = super::math::mul_t(&rotation(&parts.rotation), &super::math::sub(&centre, &parts.position));
            for spring in &mut springs {
                for end in 0..2 {
                    if spring.bodies[end] == i {
                        spring.points[end] = axpy(&spring.points[end], -1.0, &shift);
                    }
                }
            }
            scene.bodies.push(body);
            scene.start_at(parts, &centre);
        }
        no_contact.extend(scene.add_flexible(&flexible)?);
        for (i, spring) in springs.iter().enumerate() {
            check_spring(spring, scene.bodies.len()).map_err(|e| e.below(format!("spring[{i}]")))?;
        }
        scene.springs = springs;
        scene.add_joints(&joints)?;
        scene.stand_in_for_massless()?;
        scene.join_markers(&flexible.reduced);
        scene.join_solids(&flexible.solids);
        scene.join_links();
        scene.check_nodes()?;
        // what a joint holds together does not touch itself
        let holds = |j: &&JointParts| j.kind.coupled().is_none() && j.kind != JointKind::Line;
        no_contact.extend(joints.iter().filter(holds).flat_map(|j| scene.apart_by_joint(j.bodies)));
        no_contact.extend(scene.apart_at_knots(&joints));
        no_contact.iter_mut().for_each(|pair| pair.sort_unstable());
        no_contact.sort_unstable();
        no_contact.dedup();
        scene.no_contact = no_contact;
        scene.prepare_pieces()?;
        // bodies that are not free have their prescribed velocities from the start
        for i in 0..scene.bodies.len() {
            if let Some(twist) = scene.imposed(i, 0.0) {
                let mut v0 = std::mem::take(&mut scene.v0);
                scene.write_twist(i, &twist, &mut v0);
                scene.v0 = v0;
            }
        }
        Ok(scene)
    }

    /// Adds the start of the body described last.
    pub(super) fn start_at(&mut self, parts: &BodyParts, centre: &Vec3) {
        let q = normalised(&parts.rotation);
        if self.planar {
            self.q0.extend([centre[0], centre[1], 2.0 * math::atan2(q[3], q[0])]);
            self.v0.extend([parts.velocity[0], parts.velocity[1], parts.angular_velocity[2]]);
        } else {
            self.q0.extend(centre.iter().chain(&q));
            self.v0.extend(parts.velocity.iter().chain(&parts.angular_velocity));
        }
    }

    /// Whether two shapes may touch at all.
    pub fn has_touching_shapes(&self) -> bool {
        self.bodies.iter().filter(|b| b.contact).count() > 1
    }

    /// Number of bodies.
    #[inline]
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there is no body; a scene always has one.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The bodies in order.
    #[inline]
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Whether the scene lies in the plane.
    #[inline]
    pub fn is_planar(&self) -> bool {
        self.planar
    }

    /// Acceleration of gravity [m/s²].
    #[inline]
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// The materials.
    pub fn materials(&self) -> &Materials {
        &self.materials
    }

    /// The springs, their ends from the centres of mass.
    pub fn springs(&self) -> &[Spring] {
        &self.springs
    }

    /// The joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The largest restitution of any contact, stops and play included.
    pub fn largest_restitution(&self) -> f64 {
        let of = |j: &Joint| {
            if j.play.is_some() || j.backlash.is_some() || !j.stops.is_empty() { j.restitution } else { 0.0 }
        };
        self.joints.iter().map(of).fold(self.materials.largest_restitution(), f64::max)
    }

    /// Whether any contact has friction.
    pub fn has_friction(&self) -> bool {
        self.materials.has_friction()
            || self.joints.iter().any(|j| j.play.is_some() && j.friction > 0.0 || j.friction_force > 0.0)
    }

    /// Whether any contact of shapes gives way.
    pub fn has_compliance(&self) -> bool {
        self.materials.has_compliance()
    }

    /// Whether any contact resists rolling.
    pub fn has_rolling(&self) -> bool {
        self.materials.has_rolling()
    }

    /// Pairs that pass through each other, sorted.
    pub fn no_contact(&self) -> &[[usize; 2]] {
        &self.no_contact
    }

    /// What detection knows of piece k of body i; of the only one of a single shape.
    #[inline]
    pub(crate) fn prepared(&self, i: usize, k: usize) -> &Prepared {
        &self.pieces[self.first_piece[i] as usize + k]
    }

    /// Gives the collision library the shapes it is needed for: none in the plane, where corners are enough, and none where all are
    /// balls and planes.
    fn prepare_pieces(&mut self) -> Result<(), InputError> {
        let planar = self.planar;
        let met = |shape: &Shape| matches!(shape.manner(), Manner::Convex | Manner::Surface);
        let needed = |shape: &Shape| met(shape) && !matches!(shape, Shape::Sphere(_));
        let any = self.bodies.iter().any(|body| {
            let pieces = body.shape.pieces();
            pieces.iter().any(|piece| needed(&piece.shape)) || pieces.is_empty() && needed(&body.shape)
        });
        for (i, body) in self.bodies.iter().enumerate() {
            self.first_piece.push(self.pieces.len() as u32);
            let mut prepare = |shape: &Shape, first: u16, material: u16| {
                let mut corners = 0;
                shape.corners(|_, _| corners += 1);
                let solid = if any && !planar { shape.solid() } else { None };
                let flat = planar && (corners > 2 || matches!(shape, Shape::Capsule(_)));
                if any && needed(shape) && solid.is_none() && !flat {
                    let message = format!("the {} cannot be prepared for contact", shape.name());
                    let help = "check it for repeated points and triangles without area";
                    return Err(InputError::new(Code::BAD_MESH, format!("body[{i}].shape"), message, help));
                }
                let plate = half_thickness_of_surface(shape);
                self.pieces.push(Prepared { solid, first, material, reach: shape.reach(), plate });
                Ok(())
            };
            if body.shape.pieces().is_empty() {
                prepare(&body.shape, 0, 0)?;
            }
            let mut first = 0;
            for piece in body.shape.pieces() {
                let material = piece.material.unwrap_or(body.material);
                let number = body.materials.iter().position(|&m| m == material).unwrap_or(0);
                prepare(&piece.shape, first, number as u16)?;
                first += Compound::n_features(piece, planar);
            }
        }
        Ok(())
    }

    /// q at t = 0 as described.
    pub fn q0(&self) -> &[f64] {
        &self.q0
    }

    /// v at t = 0 as described.
    pub fn v0(&self) -> &[f64] {
        &self.v0
    }

    /// Coordinates of one body.
    #[inline]
    pub fn q_per_body(&self) -> usize {
        if self.planar { 3 } else { 7 }
    }

    /// Velocities of one body.
    #[inline]
    pub fn v_per_body(&self) -> usize {
        if self.planar { 3 } else { 6 }
    }

    /// Number of coordinates.
    pub fn n_q(&self) -> usize {
        self.q_per_body() * self.len()
    }

    /// Number of velocities.
    pub fn n_v(&self) -> usize {
        self.v_per_body() * self.len()
    }

    /// Place and rotation of body i.
    #[inline]
    pub fn frame(&self, i: usize, q: &[f64]) -> Frame {
        if self.planar {
            let q = &q[3 * i..3 * i + 3];
            let (s, c) = math::sin_cos(q[2]);
            let (sh, ch) = math::sin_cos(0.5 * q[2]);
            Frame { x: [q[0], q[1], 0.0], q: [ch, 0.0, 0.0, sh], R: [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]] }
        } else {
            let q = &q[7 * i..7 * i + 7];
            let turn = [q[3], q[4], q[5], q[6]];
            Frame { x: [q[0], q[1], q[2]], q: turn, R: rotation(&turn) }
        }
    }

    /// Velocities of body i.
    #[inline]
    pub fn twist(&self, i: usize, v: &[f64]) -> Twist {
        if self.planar {
            let v = &v[3 * i..3 * i + 3];
            Twist { v: [v[0], v[1], 0.0], w: [0.0, 0.0, v[2]] }
        } else {
            let v = &v[6 * i..6 * i + 6];
            Twist { v: [v[0], v[1], v[2]], w: [v[3], v[4], v[5]] }
        }
    }

    /// Stores the velocities of body i.
    #[inline]
    pub fn write_twist(&self, i: usize, twist: &Twist, v: &mut [f64]) {
        if self.planar {
            v[3 * i..3 * i + 3].copy_from_slice(&[twist.v[0], twist.v[1], twist.w[2]]);
        } else {
            v[6 * i..6 * i + 3].copy_from_slice(&twist.v);
            v[6 * i + 3..6 * i + 6].copy_from_slice(&twist.w);
        }
    }

    /// Moves body i from q to q_next along a twist for a time h: x + h v, R cay(h w); in the plane θ + h w.
    #[inline]
    pub fn advance(&self, i: usize, q: &[f64], h: f64, twist: &Twist, q_next: &mut [f64]) {
        let n = self.q_per_body();
        let (q, to) = (&q[n * i..n * i + n], &mut q_next[n * i..n * i + n]);
        if self.planar {
            to[0] = q[0] + h * twist.v[0];
            to[1] = q[1] + h * twist.v[1];
            to[2] = q[2] + h * twist.w[2];
        } else {
            for k in 0..3 {
                to[k] = q[k] + h * twist.v[k];
            }
            let turn = turned(&[q[3], q[4], q[5], q[6]], &scale(h, &twist.w));
            to[3..].copy_from_slice(&turn);
        }
    }

    /// The frame to which a twist leads body i from a frame in a time h: x + h v, R cay(h w); in the plane θ + h w from q.
    #[inline]
    pub fn advanced(&self, from: &Frame, h: f64, twist: &Twist, q: &[f64], i: usize) -> Frame {
        let x = axpy(&from.x, h, &twist.v);
        if self.planar {
            let angle = q[3 * i + 2] + h * twist.w[2];
            let (s, c) = math::sin_cos(angle);
            // the quaternion of the frame is not needed here and is left as it was
            return Frame { x, q: from.q, R: [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]] };
        }
        let q = turned(&from.q, &scale(h, &twist.w));
        Frame { x, q, R: rotation(&q) }
    }

    /// The velocities of a body that is fixed or moved, at time t.
    #[inline]
    pub fn imposed(&self, i: usize, t: f64) -> Option<Twist> {
        match &self.bodies[i].motion {
            Motion::Free => None,
            Motion::Fixed => Some(Twist::default()),
            Motion::Prescribed { velocity, angular_velocity } => {
                Some(Twist { v: at(velocity, t), w: at(angular_velocity, t) })
            }
        }
    }

    /// T, with what modal coordinates change in the inertia of reduced bodies.
    pub fn kinetic_energy_at(&self, q: &[f64], v: &[f64]) -> f64 {
        let sum = self.kinetic_energy(v);
        if self.has_full_inertia() { sum + self.modal_motion(q, v).0 } else { sum }
    }

    /// ½ m |v|² + ½ w·I w of all free bodies, and ½ J s² of rotors, with reduced bodies as they are undeformed.
    pub fn kinetic_energy(&self, v: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (i, body) in self.bodies.iter().enumerate() {
            if body.is_free() {
                let twist = self.twist(i, v);
                sum += body.kinetic_energy(&twist);
            }
        }
        if !self.rotors.is_empty() {
            sum += self.rotor_energy(|i| self.twist(i, v));
        }
        if self.spans.is_empty() { sum } else { sum + self.coupling_energy(|i| self.twist(i, v)) }
    }

    /// ½ m |v|² + ½ w·I w of all free bodies, and −Σ m g·x + Σ V, on so many threads: the same bits.
    pub fn energies_by(&self, q: &[f64], v: &[f64], threads: usize) -> [f64; 2] {
        if self.has_elements() || !self.rotors.is_empty() {
            return [self.kinetic_energy_at(q, v), self.potential_energy(q)];
        }
        let (n, d) = (self.q_per_body(), if self.planar { 2 } else { 3 });
        let of_body = |[kinetic, potential]: &mut [f64; 2], i: usize| {
            let body = &self.bodies[i];
            if body.is_free() {
                *kinetic += body.kinetic_energy(&self.twist(i, v));
                (0..d).for_each(|k| *potential -= body.heavy_mass() * self.gravity[k] * q[n * i + k]);
            }
        };
        let mut energies = [0.0; 2];
        add_rows(&mut energies, self.len(), threads, of_body);
        let [kinetic, potential] = energies;
        [kinetic, potential + self.spring_energy(q) + self.joint_energy(q, &[]) + self.contact_energy(q)]
    }

    /// Gravity, springs and contacts that give way: −Σ m g·x + Σ V.
    pub fn potential_energy(&self, q: &[f64]) -> f64 {
        self.potential_energy_turned(q, &[])
    }

    /// V where hinges have made whole turns, by joint; none where the list ends.
    pub fn potential_energy_turned(&self, q: &[f64], turns: &[f64]) -> f64 {
        let n = self.q_per_body();
        let d = if self.planar { 2 } else { 3 };
        let mut sum = 0.0;
        for (i, body) in self.bodies.iter().enumerate() {
            if body.is_free() {
                for k in 0..d {
                    sum -= body.heavy_mass() * self.gravity[k] * q[n * i + k];
                }
            }
        }
        let sum = sum + self.spring_energy(q) + self.joint_energy(q, turns) + self.contact_energy(q);
        if self.has_elements() { sum + self.strain_energy(q) } else { sum }
    }

    /// Σ V of the springs.
    pub fn spring_energy(&self, q: &[f64]) -> f64 {
        self.springs.iter().map(|s| s.energy(&self.frame(s.bodies[0], q), &self.frame(s.bodies[1], q))).sum()
    }

    /// Σ (x × m v + R I w) about the origin and Σ m v of the free bodies: spatial momenta.
    pub fn momenta(&self, q: &[f64], v: &[f64]) -> (Vec3, Vec3) {
        let [linear, angular] = self.momentum(q, v).0;
        (linear, angular)
    }
}

impl Body {
    /// ½ m |v|² + ½ w·I w.
    #[inline]
    pub fn kinetic_energy(&self, twist: &Twist) -> f64 {
        0.5 * (self.mass * dot(&twist.v, &twist.v) + dot(&twist.w, &mul(&self.inertia, &twist.w)))
    }
}

/// The signals at time t.
#[inline]
pub fn at(signals: &[crate::Signal; 3], t: f64) -> Vec3 {
    [signals[0].at(t), signals[1].at(t), signals[2].at(t)]
}

fn check_spring(spring: &Spring, n: usize) -> Result<(), InputError> {
    let [a, b] = spring.bodies;
    if a >= n || b >= n || a == b {
        let message = format!("joins bodies {a} and {b} of {n}");
        return Err(InputError::new(Code::BAD_NAME, "a", message, "name two different bodies"));
    }
    let numbers = [spring.stiffness, spring.damping, spring.length];
    if !numbers.iter().chain(spring.points.iter().flatten()).all(|x| x.is_finite()) {
        return Err(InputError::new(Code::NOT_FINITE, "", "a number is NaN or infinite", "give finite numbers"));
    }
    if numbers.iter().any(|&x| x < 0.0) {
        let message = "stiffness, damping and length must not be negative";
        return Err(InputError::new(Code::BAD_PARAMETER, "stiffness", message, "give numbers of 0 or more"));
    }
    Ok(())
}
