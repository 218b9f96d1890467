//! What a program reads from a live simulation: contacts with their bodies and places, joints with angles, rates and reactions.

use super::Live;
use crate::run::solid_contacts::SolidContacts;
use percussion_model::bodies::math::Vec3;
use percussion_model::bodies::measure::{Measure, wrapped};
use percussion_model::bodies::{Bodies, Frame};
use std::f64::consts::TAU;

/// A contact of the last step.
#[derive(Clone, Debug, PartialEq)]
pub struct TouchReading {
    /// Its number or identity.
    pub id: usize,
    /// Its name.
    pub name: String,
    /// The bodies, or the surfaces of solids, where they have names; the normal points from the second to the first.
    pub bodies: Option<[String; 2]>,
    /// World place, midway between the surfaces [m].
    pub place: Option<Vec3>,
    /// World normal.
    pub normal: Option<Vec3>,
    /// g after the step [m].
    pub gap: f64,
    /// u_N and u_T after the step [m/s].
    pub velocity: [f64; 3],
    /// p_N and p_T of the step [N·s].
    pub impulse: [f64; 3],
    /// Impulse over the length of the step [N].
    pub force: [f64; 3],
    /// open, closed, stick or slip.
    pub status: &'static str,
}

/// The coordinate of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointReading {
    /// Its name.
    pub name: String,
    /// Angle with whole turns, or length, from t = 0 [rad or m].
    pub value: f64,
    /// [rad/s or m/s].
    pub rate: f64,
}

/// What a joint carried in the last step.
#[derive(Clone, Debug, PartialEq)]
pub struct ReactionReading {
    /// Its name.
    pub name: String,
    /// Force on body b, world frame, mean over the step [N].
    pub force: Vec3,
    /// Its moment about the anchor, world frame [N·m].
    pub moment: Vec3,
    /// Both in the frame of body b in the middle of the step.
    pub own: [Vec3; 2],
}

impl Live {
    /// What the joints carried in the last step; empty before the first, and for schemes that do not tell.
    pub fn reactions(&self) -> Vec<ReactionReading> {
        let Some(scene) = self.scenario.model().bodies() else { return Vec::new() };
        let step = self.last();
        let mean = |x: Vec3| x.map(|x| x / step.h);
        let reading = |r: &percussion_step::JointReaction| ReactionReading {
            name: scene.joints()[r.joint].name.clone(),
            force: mean(r.force),
            moment: mean(r.moment),
            own: r.own.map(mean),
        };
        step.reactions.iter().map(reading).collect()
    }

    /// What a contact is called: its bodies and a number.
    pub fn contact_name(&self, id: usize) -> String {
        self.writer.contact_names().name(self.scenario.model(), id)
    }

    /// The contacts of the last step.
    pub fn contacts(&self) -> Vec<TouchReading> {
        let (step, model) = (self.last(), self.scenario.model());
        let solid = self.scenario.description.solid().map(|solid| {
            let mut surfaces = SolidContacts::new(&solid.solid, model);
            surfaces.place(&step.after);
            surfaces
        });
        let touch = |(k, c): (usize, &percussion_step::ContactState)| {
            let along = step.friction.get(k).copied().unwrap_or_default();
            let impulse = [c.p, along.p[0], along.p[1]];
            let point = model.bodies().and_then(|scene| Some((scene, scene.contact(c.id as u64, &step.after.q)?)));
            let placed = point.as_ref().map(|(scene, point)| {
                let [a, b] = [0, 1].map(|side| scene.frame(point.bodies[side], &step.after.q).x);
                let ends = [0, 1].map(|side| {
                    let centre = [a, b][side];
                    std::array::from_fn::<f64, 3, _>(|k| centre[k] + point.arms[side][k])
                });
                let names = point.bodies.map(|i| scene.bodies()[i].name.clone());
                (names, std::array::from_fn(|k| 0.5 * (ends[0][k] + ends[1][k])), point.normal)
            });
            let met = solid.as_ref().and_then(|surfaces| surfaces.met(c.id));
            let placed = placed.or(met.map(|met| (met.surfaces.map(str::to_string), met.place, met.normal)));
            TouchReading {
                id: c.id,
                name: self.contact_name(c.id),
                bodies: placed.as_ref().map(|(names, _, _)| names.clone()),
                place: placed.as_ref().map(|(_, place, _)| *place),
                normal: placed.as_ref().map(|(_, _, normal)| *normal),
                gap: c.gap,
                velocity: [c.u_after, along.u_after[0], along.u_after[1]],
                impulse,
                force: impulse.map(|p| p / step.h),
                status: step.status(k).as_str(),
            }
        };
        step.contacts.iter().enumerate().map(touch).collect()
    }

    /// The coordinates of the joints that have one.
    pub fn joints(&self) -> Vec<JointReading> {
        let Some(scene) = self.scenario.model().bodies() else { return Vec::new() };
        let state = self.state();
        let mut readings = Vec::new();
        for (j, joint) in scene.joints().iter().enumerate() {
            let Some(term) = &joint.coordinate else { continue };
            let [a, b] = term.bodies;
            let frames = [scene.frame(a, &state.q), scene.frame(b, &state.q)];
            let rows = term.measure.gradient(&frames[0], &frames[1]);
            let mut rate = 0.0;
            for (row, i) in rows.iter().zip([a, b]) {
                let twist = scene.imposed(i, state.t).unwrap_or_else(|| scene.twist(i, &state.v));
                rate += (0..3).map(|k| row[k] * twist.v[k] + row[3 + k] * twist.w[k]).sum::<f64>();
            }
            readings.push(JointReading { name: joint.name.clone(), value: self.angles[j], rate: term.factor * rate });
        }
        readings
    }

    /// The coordinate of every joint at q, angles within half a turn; NaN where it has none.
    pub(super) fn hinge_angles(&self, q: &[f64]) -> Vec<f64> {
        let Some(scene) = self.scenario.model().bodies() else { return Vec::new() };
        (0..scene.joints().len()).map(|j| coordinate(scene, j, |i| scene.frame(i, q))).collect()
    }

    /// Follows the angles of hinges over a step, or over the parts it was made in, of less than half a turn each.
    pub(super) fn count_turns(&mut self) {
        let Some(scene) = self.scenario.model().bodies() else { return };
        let q = &self.simulation.state().q;
        for (j, angle) in self.angles.iter_mut().enumerate() {
            let now = coordinate(scene, j, |i| scene.frame(i, q));
            let turns =
                matches!(&scene.joints()[j].coordinate, Some(term) if matches!(term.measure, Measure::Angle { .. }));
            *angle = if turns { *angle + wrapped(now - *angle) } else { now };
        }
        for &(j, n) in &self.simulation.last().turns {
            let factor = scene.joints()[j].coordinate.as_ref().map_or(0.0, |term| term.factor);
            self.angles[j] += factor * TAU * n;
        }
    }
}

fn coordinate(scene: &Bodies, j: usize, frame: impl Fn(usize) -> Frame) -> f64 {
    let Some(term) = &scene.joints()[j].coordinate else { return f64::NAN };
    let [a, b] = term.bodies;
    term.factor * term.measure.value(&frame(a), &frame(b))
}
