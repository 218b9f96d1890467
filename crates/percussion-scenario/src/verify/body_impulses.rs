//! Impulses and works of bodies under GGL, again from positions, velocities and impulses.
//!
//! With u = H(q_{k+1}) v the velocities of a contact along n and its tangents,
//!
//!   law       L = ½ Σ p·H(v_k + v_{k+1})
//!   balance   m Δv = h (m g + F) + Σ ± p,    of a ball under no moment also    I Δw = Σ r × (± p)
//!
//! The balance holds body by body where all that moves a body is stored: no joint, spring, element or drag, and a load that does not change, which
//! the α-method averages to itself. Contacts are placed by their names where those tell the place: balls, and what lasts before a plane.

use super::differences::{LargestDifference, Scale};
use super::missing_data::MissingData;
use crate::build::scenario::Scenario;
use crate::run::folder::Row;
use crate::run::summary::{IN_PARTS, Summary};
use percussion_model::Signal;
use percussion_model::bodies::math::{Vec3, add, cross, dot, mul, mul_t, norm, scale, sub};
use percussion_model::bodies::{Bodies, ContactPoint, Twist, at};
use percussion_step::{ContactStatus, Stored, contact_directions};

/// The two checks.
pub struct BodyImpulses<'a> {
    scenario: &'a Scenario,
    scene: Option<&'a Bodies>,
    /// Whether some steps were made in parts, of which only sums are stored.
    in_parts: bool,
    /// Bodies whose momentum follows from loads and contacts alone.
    alone: Vec<bool>,
    work: LargestDifference,
    balance: LargestDifference,
}

impl<'a> BodyImpulses<'a> {
    /// Of a run; none of other schemes and models.
    pub fn new(scenario: &'a Scenario, missing: &MissingData, summary: &Summary) -> Option<Self> {
        let scene = scenario.model().bodies()?;
        if !matches!(scenario.scheme.facts().stored, Stored::Projected(_)) {
            return None;
        }
        let alone: Vec<bool> = (0..scene.len()).map(|i| moves_alone(scene, i)).collect();
        let followed = alone.contains(&true);
        let tied = (!followed).then(|| "joints, springs or changing loads act on every body".to_string());
        let reason = missing.rows.clone();
        let rule = "Δv = h (g + F/m) + Σ p/m, by body";
        Some(Self {
            scenario,
            scene: Some(scene),
            in_parts: summary.solver.contains_key(IN_PARTS),
            alone,
            work: LargestDifference::new("work_contact", "½ p·H(v + v⁺)", Scale::Energy).unless(&reason),
            balance: LargestDifference::new("impulse balance", rule, Scale::Velocity).unless(&reason.or(tied)),
        })
    }

    /// Takes in a row and the one before.
    pub fn row(&mut self, row: &Row, before: &Row, first: bool) {
        let Some(scene) = self.scene.filter(|_| !first && self.work.unsupported.is_none()) else { return };
        let Some(contacts) = self.placed(scene, row) else { return };
        let h = if self.scenario.adaptive.is_some() { row.state.t - before.state.t } else { self.scenario.step };
        let twists = |v: &[f64], t: f64| -> Vec<Twist> {
            (0..scene.len()).map(|i| scene.imposed(i, t).unwrap_or_else(|| scene.twist(i, v))).collect()
        };
        let (v0, v1) = (twists(&before.state.v, before.state.t), twists(&row.state.v, row.state.t));
        let frames: Vec<_> = (0..scene.len()).map(|i| scene.frame(i, &row.state.q)).collect();
        let mut law = 0.0;
        let mut pushed = vec![[[0.0; 3]; 2]; scene.len()];
        for (point, p) in &contacts {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let i = point.bodies[side];
                let (arm, frame) = (&point.arms[side], &frames[i]);
                let turning = |t: &Twist| cross(&mul(&frame.R, &t.w), arm);
                let sum = add(&add(&v0[i].v, &turning(&v0[i])), &add(&v1[i].v, &turning(&v1[i])));
                law += 0.5 * sign * dot(p, &sum);
                let [force, moment] = &mut pushed[i];
                *force = add(force, &scale(sign, p));
                *moment = add(moment, &scale(sign, &mul_t(&frame.R, &cross(arm, p))));
            }
        }
        self.work.compare(row.ledger.work_contact - law, row, None);
        for (i, body) in scene.bodies().iter().enumerate().filter(|(i, _)| self.alone[*i]) {
            let load = add(&scale(body.heavy_mass(), &scene.gravity()), &at(&body.force, row.state.t));
            let change = scale(body.mass, &sub(&v1[i].v, &v0[i].v));
            let rest = sub(&sub(&change, &scale(h, &load)), &pushed[i][0]);
            self.balance.compare(body.inverse_mass * norm(&rest), row, None);
            if body.isotropic && body.reach > 0.0 && body.reach.is_finite() {
                let spin = mul(&body.inertia, &sub(&v1[i].w, &v0[i].w));
                let moment = sub(&sub(&spin, &scale(h, &at(&body.torque, row.state.t))), &pushed[i][1]);
                self.balance.compare(body.reach * norm(&mul(&body.inverse_inertia, &moment)), row, None);
            }
        }
    }

    /// Contacts that push, with their impulses on the first body; none where one of them cannot be placed or the step may be a sum of parts.
    fn placed(&self, scene: &Bodies, row: &Row) -> Option<Vec<(ContactPoint, Vec3)>> {
        let mut found = Vec::new();
        for (k, c) in row.contacts.iter().enumerate() {
            let along = row.friction.get(k);
            let tangential = along.map_or([0.0; 2], |along| along.p);
            if c.p == 0.0 && tangential == [0.0; 2] {
                continue;
            }
            // parts leave no stick and no slip behind
            let whole = along.is_some_and(|a| matches!(a.status, ContactStatus::Stick | ContactStatus::Slip));
            if !scene.has_lasting_gap(c.id as u64) || self.in_parts && !whole {
                return None;
            }
            let point = scene.contact(c.id as u64, &row.state.q)?;
            let [n, s, t] = contact_directions(scene, &point.normal);
            let p = add(&scale(c.p, &n), &add(&scale(tangential[0], &s), &scale(tangential[1], &t)));
            found.push((point, p));
        }
        // a step of parts in which nothing was left over cannot be told from one without contact
        (!found.is_empty() || !self.in_parts).then_some(found)
    }

    /// What was found.
    pub fn finish(self) -> [LargestDifference; 2] {
        [self.work, self.balance]
    }
}

/// Whether contacts, gravity and constant loads are all that moves a free body.
fn moves_alone(scene: &Bodies, i: usize) -> bool {
    let body = &scene.bodies()[i];
    let constant = |signals: &[Signal; 3]| signals.iter().all(|s| s.is_constant() && !s.is_live());
    let joined = scene.joints().iter().any(|joint| joint.bodies.contains(&i))
        || scene.springs().iter().any(|spring| spring.bodies.contains(&i))
        || scene.spans().iter().any(|span| span.bodies.contains(&i))
        || !(scene.beams().is_empty() && scene.reduced().is_empty() && scene.elastic().is_empty());
    let moments = scene.world_moments().iter().any(|(k, _)| *k == i);
    body.is_free() && !joined && !moments && body.drag == [0.0; 2] && constant(&body.force) && constant(&body.torque)
}
