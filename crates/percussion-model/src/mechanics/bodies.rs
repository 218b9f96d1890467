//! The face of a scene of rigid bodies: contacts are named by their identities, joints by the rows that hold.
//!
//!   u_k = d_k·(v_a − v_b) + (r_a × R_aᵀd_k)·w_a − (r_b × R_bᵀd_k)·w_b,    d = n, t₁, t₂

use super::{Mechanics, Structure};
use crate::bodies::math::{Vec3, cross, mul, mul_t, sub, tangents};
use crate::bodies::{Bodies, ContactPoint, PairLaw};
use crate::{Code, InputError};
use percussion_matrix::vector;
use std::sync::Arc;

/// Part of the sizes of two bodies by which they may overlap at the start.
const OVERLAP: f64 = 1e-12;
/// Part of the velocities at which bodies may part at a joint at the start.
const PARTING: f64 = 1e-9;

impl Bodies {
    /// The law behind a contact's identity.
    pub fn contact_law(&self, id: u64) -> PairLaw {
        if let Some(joint) = self.joint_of(id).and_then(|j| self.joints().get(j)) {
            // stops have no friction
            let friction = match self.dry_friction_of(id) {
                Some(_) => 1.0,
                None if joint.play.is_some() => joint.friction,
                None => 0.0,
            };
            return PairLaw { restitution: joint.restitution, friction, ..PairLaw::default() };
        }
        self.law_between(self.pair_of(id), id)
    }

    /// n and the tangents of a contact; in the plane the one tangent is n turned by −90°.
    pub fn contact_directions(&self, n: &Vec3) -> [Vec3; 3] {
        if self.is_planar() {
            return [*n, [n[1], -n[0], 0.0], [0.0, 0.0, 1.0]];
        }
        let [s, t] = tangents(n);
        [*n, s, t]
    }

    /// Normal and tangential velocities of a contact; the second tangent of a planar scene is zero. Angular velocities of bodies
    /// of isotropic inertia are taken in the world frame, those of the others in the frame of the body.
    pub fn contact_velocity(&self, contact: &ContactPoint, q: &[f64], v: &[f64]) -> [f64; 3] {
        self.contact_velocity_of(contact, q, (q, v))
    }

    /// The same with rows of q and velocities of another state.
    pub fn contact_velocity_of(&self, contact: &ContactPoint, q: &[f64], moving: (&[f64], &[f64])) -> [f64; 3] {
        self.velocity_between(contact.bodies, &contact.arms, &contact.normal, q, moving)
    }

    /// The same of two bodies at a world place with the normal n.
    pub fn velocity_at(&self, bodies: [usize; 2], place: &Vec3, n: &Vec3, q: &[f64], v: &[f64]) -> [f64; 3] {
        let arms = bodies.map(|i| sub(place, &self.frame(i, q).x));
        self.velocity_between(bodies, &arms, n, q, (q, v))
    }

    fn velocity_between(
        &self,
        bodies: [usize; 2],
        arms: &[Vec3; 2],
        n: &Vec3,
        q: &[f64],
        (q_v, v): (&[f64], &[f64]),
    ) -> [f64; 3] {
        let mut u = [0.0; 3];
        let directions = self.contact_directions(n);
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let i = bodies[side];
            let (isotropic, R) = (self.bodies()[i].isotropic, self.frame(i, q).R);
            let mut twist = self.twist(i, v);
            if isotropic {
                twist.w = mul(&self.frame(i, q_v).R, &twist.w);
            }
            let (v, w) = (&twist.v, &twist.w);
            for k in 0..if self.is_planar() { 2 } else { 3 } {
                let d = &directions[k];
                let m = cross(&arms[side], d);
                let m = if isotropic { m } else { mul_t(&R, &m) };
                let row = [sign * d[0], sign * d[1], sign * d[2], sign * m[0], sign * m[1], sign * m[2]];
                u[k] += row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * w[0] + row[4] * w[1] + row[5] * w[2];
            }
        }
        u
    }

    /// Adds a row of one body, world velocity and body-frame angular velocity, to a row on all velocities.
    fn scatter(&self, body: usize, entries: &[f64; 6], row: &mut Vec<(usize, f64)>) {
        let (first, planar) = (self.v_per_body() * body, self.is_planar());
        let used: &[usize] = if planar { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
        for (k, &e) in used.iter().enumerate() {
            match row.iter_mut().find(|(place, _)| *place == first + k) {
                Some((_, x)) => *x += entries[e],
                None => row.push((first + k, entries[e])),
            }
        }
    }
}

impl Mechanics for Bodies {
    fn structure(self: Arc<Self>) -> Structure {
        Structure::Bodies(self)
    }

    fn n_q(&self) -> usize {
        Self::n_q(self)
    }

    fn n_v(&self) -> usize {
        Self::n_v(self)
    }

    fn n_contacts(&self) -> usize {
        0
    }

    fn n_joints(&self) -> usize {
        self.n_rigid_rows()
    }

    fn contacts_vary(&self) -> bool {
        true
    }

    fn has_contacts(&self) -> bool {
        self.joints_touch() || self.bodies_touch()
    }

    fn knows_contact(&self, id: usize) -> bool {
        match self.joint_of(id as u64) {
            Some(j) => j < self.joints().len(),
            None => {
                let [a, b] = self.pair_of(id as u64);
                a < b && b < self.len()
            }
        }
    }

    fn restitution(&self, i: usize) -> f64 {
        self.contact_law(i as u64).restitution
    }

    fn friction(&self, i: usize) -> f64 {
        self.contact_law(i as u64).friction
    }

    fn rolling(&self, i: usize) -> f64 {
        self.contact_law(i as u64).rolling
    }

    fn n_tangents(&self, _i: usize) -> usize {
        if self.is_planar() { 1 } else { 2 }
    }

    fn largest_restitution(&self) -> f64 {
        Self::largest_restitution(self)
    }

    fn has_friction(&self) -> bool {
        Self::has_friction(self)
    }

    fn has_rolling(&self) -> bool {
        Self::has_rolling(self)
    }

    fn has_tangents(&self) -> bool {
        self.len() > 1
    }

    fn gap(&self, i: usize, q: &[f64], _t: f64) -> f64 {
        self.contact(i as u64, q).map_or(f64::NAN, |c| c.gap)
    }

    fn gap_rate(&self, i: usize, q: &[f64], v: &[f64], _t: f64) -> f64 {
        self.contact(i as u64, q).map_or(f64::NAN, |c| self.contact_velocity(&c, q, v)[0])
    }

    fn gap_row(&self, i: usize, q: &[f64], row: &mut Vec<(usize, f64)>) {
        row.clear();
        let Some(contact) = self.contact(i as u64, q) else { return };
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let (body, n) = (contact.bodies[side], &contact.normal);
            let m = mul_t(&self.frame(body, q).R, &cross(&contact.arms[side], n));
            self.scatter(body, &[n[0], n[1], n[2], m[0], m[1], m[2]].map(|x| sign * x), row);
        }
    }

    fn tangent_rate(&self, i: usize, q: &[f64], v: &[f64]) -> [f64; 2] {
        self.contact(i as u64, q).map_or([0.0; 2], |c| {
            let [_, s, t] = self.contact_velocity(&c, q, v);
            [s, t]
        })
    }

    fn gap_terms(&self, _i: usize, q: &[f64]) -> f64 {
        vector::max_abs(q)
    }

    /// Turning aside.
    fn mobility(&self, i: usize, _q: &[f64]) -> f64 {
        self.pair_of(i as u64).iter().map(|&b| self.bodies()[b].inverse_mass).sum()
    }

    fn joint(&self, j: usize, q: &[f64]) -> f64 {
        self.rigid_violation(j, q)
    }

    fn joint_rate(&self, j: usize, q: &[f64], v: &[f64]) -> f64 {
        self.rigid_rate(j, q, v)
    }

    fn joint_row(&self, j: usize, q: &[f64], row: &mut Vec<(usize, f64)>) {
        row.clear();
        let Some((_, joint_row, _)) = self.rigid_row(j) else { return };
        for term in &joint_row.terms {
            let [a, b] = term.bodies.map(|i| self.frame(i, q));
            for (side, entries) in term.measure.gradient(&a, &b).iter().enumerate() {
                self.scatter(term.bodies[side], &entries.map(|x| term.factor * x), row);
            }
        }
    }

    fn joint_distance(&self, j: usize, q: &[f64]) -> f64 {
        self.rigid_violation(j, q).abs()
    }

    fn joint_terms(&self, _j: usize, q: &[f64], v: &[f64]) -> [f64; 2] {
        [vector::max_abs(q), vector::max_abs(v)]
    }

    fn kinetic_energy(&self, q: &[f64], v: &[f64]) -> f64 {
        Self::kinetic_energy_at(self, q, v)
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        Self::potential_energy(self, q)
    }

    fn undefined(&self, _q: &[f64], _v: &[f64], t: f64) -> Option<String> {
        self.undefined_signal(t)
    }

    fn coordinate_name(&self, k: usize) -> String {
        let letters: &[&str] = if self.is_planar() { &["x", "y", "θ"] } else { &["x", "y", "z", "w", "i", "j", "k"] };
        format!("{} of {}", letters[k % letters.len()], self.bodies()[k / letters.len()].name)
    }

    fn velocity_name(&self, k: usize) -> String {
        let letters: &[&str] =
            if self.is_planar() { &["v_x", "v_y", "ω"] } else { &["v_x", "v_y", "v_z", "ω_1", "ω_2", "ω_3"] };
        format!("{} of {}", letters[k % letters.len()], self.bodies()[k / letters.len()].name)
    }

    /// Its bodies or its joint, and which of their contacts it is.
    fn contact_name(&self, i: usize) -> String {
        let number = i & 0xffff;
        if let Some(joint) = self.joint_of(i as u64).and_then(|j| self.joints().get(j)) {
            return match (self.dry_friction_of(i as u64), self.backlash_of(i as u64)) {
                (Some(_), _) => format!("{} friction", joint.name),
                // the two flanks of a tooth
                (None, Some((_, side))) => format!("{} {}", joint.name, if side > 0.0 { 0 } else { 1 }),
                (None, None) => format!("{} {number}", joint.name),
            };
        }
        self.name_of_pair(i as u64, number)
    }

    fn is_angular(&self, i: usize) -> bool {
        Self::is_angular(self, i as u64)
    }

    fn joint_name(&self, j: usize) -> String {
        self.rigid_row(j).map_or_else(|| format!("joint {j}"), |(joint, _, _)| self.joints()[joint].name.clone())
    }

    /// Checked when the scene was made.
    fn check_laws(&self) -> Result<(), InputError> {
        Ok(())
    }

    /// Every free body has mass and inertia, or there would be no scene.
    fn check_inertia(&self, _q: &[f64]) -> Result<(), InputError> {
        Ok(())
    }

    /// Bodies overlap by no more than round-off of their places and sizes, but where they give way.
    fn check_gaps(&self, q: &[f64]) -> Result<(), InputError> {
        let frames: Vec<_> = (0..self.len()).map(|i| self.frame(i, q)).collect();
        let inside = self.inside_surfaces(&frames).into_iter().map(|inside| (inside.depth, inside.bodies));
        let touching = self.deepest_rigid_overlap(q).map(|(depth, contact)| (depth, self.pair_of(contact)));
        let Some((depth, pair)) = inside.chain(touching).max_by(|a, b| a.0.total_cmp(&b.0)) else { return Ok(()) };
        let size = pair.iter().fold(0.0_f64, |s, &i| {
            let reach = self.bodies()[i].reach;
            let x = frames[i].x.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
            s.max(if reach.is_finite() { reach } else { 0.0 }).max(x)
        });
        if depth <= OVERLAP * size {
            return Ok(());
        }
        let [a, b] = pair.map(|i| self.bodies()[i].name.as_str());
        let message = format!("bodies \"{a}\" and \"{b}\" overlap by {depth:.6e} m at t = 0");
        let help = "move one of them, or use --fix-initial project";
        // the one that may be moved
        let placed = if self.bodies()[pair[0]].is_free() { pair[0] } else { pair[1] };
        let field =
            self.table_of(placed).map_or(format!("body[{placed}].position"), |table| format!("{table}.position"));
        Err(InputError::new(Code::PENETRATION, field, message, help))
    }

    /// Velocities that the joints allow: reactions act between states and would not remove what is there before. Places are
    /// right by construction, since anchors are given at the start.
    fn check_joints(&self, q: &[f64], v: &[f64]) -> Result<(), InputError> {
        let largest = vector::max_abs(v);
        for k in 0..self.n_rigid_rows() {
            let Some((j, _, _)) = self.rigid_row(k) else { continue };
            let joint = &self.joints()[j];
            let arms = joint.points.iter().flatten().fold(1.0_f64, |s, x| s.max(x.abs()));
            let rate = self.rigid_rate(k, q, v);
            if rate.abs() > PARTING * largest * arms {
                let message = format!("the bodies of joint \"{}\" part at {rate:.6e} per second", joint.name);
                let help = "correct the velocities, or use --fix-initial project, which changes them by the least that the joints allow";
                let field =
                    self.table_of(joint.bodies[0]).map_or(format!("joint[{j}]"), |table| format!("{table}.velocity"));
                return Err(InputError::new(Code::JOINT_VELOCITY, field, message, help));
            }
        }
        Ok(())
    }
}
