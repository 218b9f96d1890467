//! What tables tell of bodies beside their states: where they touch, what joints carry, how far hinges have turned.
//!
//!   f = p/τ over the time τ a contact acted;    reaction = impulse/h;    value = c(q) with whole turns, rate = ∂c/∂q·v

use crate::run::table::Table;
use percussion_model::bodies::math::{Vec3, cross, mul};
use percussion_model::bodies::measure::{Measure, wrapped};
use percussion_model::bodies::{Bodies, Frame, Twist};
use percussion_step::{ContactPlace, JointReaction, contact_directions, packed};
use std::f64::consts::TAU;

/// What `contacts.csv` has more where bodies meet.
pub const PLACES: &str = ",body_a,body_b,x,y,z,nx,ny,nz,f_n,f_t1,f_t2";
/// Header of `reactions.csv`.
pub const REACTIONS: &str = "step,t,joint,fx,fy,fz,mx,my,mz,bfx,bfy,bfz,bmx,bmy,bmz";
/// Header of `joints.csv`.
pub const JOINTS: &str = "step,t,joint,coordinate,value,rate";

/// Whether a scene has tables of its joints.
pub fn has_joint_tables(scene: &Bodies) -> bool {
    scene.joints().iter().any(|joint| !joint.rows.is_empty() || joint.coordinate.is_some())
}

/// Writes the cells of a contact: its bodies, place and normal, and what it did over the time it acted.
pub fn write_place(table: &mut Table, scene: &Bodies, place: Option<&ContactPlace>, p: Option<[f64; 3]>, acted: f64) {
    let Some(place) = place else {
        for _ in 0..11 {
            table.word("");
        }
        return;
    };
    for body in place.bodies {
        table.text(&scene.bodies()[body].name);
    }
    let at = place.at.map(|([x, y, z], [a, b, c])| [x, y, z, a, b, c]);
    for k in 0..6 {
        match at {
            Some(numbers) => table.number(numbers[k]),
            None => table.word(""),
        };
    }
    let tangents = if scene.is_planar() { 1 } else { 2 };
    for k in 0..3 {
        match p.filter(|_| k <= tangents) {
            // nothing acted: no force
            Some(p) if p[k] == 0.0 => table.number(0.0),
            Some(p) if acted > 0.0 => table.number(p[k] / acted),
            _ => table.word(""),
        };
    }
}

/// The frames of all bodies at q.
pub fn place_bodies(scene: &Bodies, q: &[f64], frames: &mut Vec<Frame>) {
    frames.clear();
    frames.extend((0..scene.len()).map(|i| scene.frame(i, q)));
}

/// Where a contact is at q, for schemes that do not tell.
pub fn find_place(scene: &Bodies, id: u64, q: &[f64], frames: &mut Vec<Frame>) -> Option<ContactPlace> {
    if scene.joint_of(id).is_some() {
        place_bodies(scene, q, frames);
        let touch = scene.joint_touch(id, frames)?;
        return Some(ContactPlace { bodies: touch.bodies, at: touch.place.or_else(|| scene.stop_place(id, frames)) });
    }
    let point = scene.contact(id, q)?;
    let on = |side: usize| {
        let x = scene.frame(point.bodies[side], q).x;
        std::array::from_fn::<f64, 3, _>(|k| x[k] + point.arms[side][k])
    };
    let (a, b) = (on(0), on(1));
    Some(ContactPlace { bodies: point.bodies, at: Some((std::array::from_fn(|k| 0.5 * (a[k] + b[k])), point.normal)) })
}

/// n and the tangents along which the impulses of a contact stand in the table, for bodies at q.
pub fn directions(scene: &Bodies, id: u64, n: &Vec3, q: &[f64]) -> [Vec3; 3] {
    let joint = scene.joint_of(id).and_then(|j| scene.joints().get(j)).filter(|_| !scene.is_planar());
    match joint.and_then(|joint| joint.play.filter(|play| play.round).map(|play| (joint.bodies[0], play.axes[0]))) {
        // around a pin and along it
        Some((hole, axis)) => {
            let z = mul(&scene.frame(hole, q).R, &axis);
            [*n, cross(&z, n), z]
        }
        None => contact_directions(scene, n),
    }
}

/// Impulses of joints since the last row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reactions {
    sums: Vec<JointReaction>,
    acted: f64,
}

impl Reactions {
    /// Takes in the reactions of a step of length h.
    pub fn add(&mut self, reactions: &[JointReaction], h: f64) {
        if self.sums.len() != reactions.len() {
            (self.sums, self.acted) = (reactions.to_vec(), h);
            return;
        }
        self.acted += h;
        JointReaction::accumulate(&mut self.sums, 1.0, reactions);
    }

    /// Writes the mean reactions, and begins again.
    pub fn write(
        &mut self,
        table: &mut Table,
        scene: &Bodies,
        (number, t): (u64, f64),
        chosen: impl Fn(usize) -> bool,
    ) -> std::io::Result<()> {
        for reaction in self.sums.drain(..).filter(|reaction| chosen(reaction.joint)) {
            let JointReaction { joint, force, moment, own } = reaction;
            table.integer(number).number(t).text(&scene.joints()[joint].name);
            for x in force.iter().chain(&moment).chain(own.iter().flatten()) {
                table.number(x / self.acted);
            }
            table.end()?;
        }
        self.acted = 0.0;
        Ok(())
    }
}

/// The unit of a joint's coordinate.
pub fn joint_unit(measure: &Measure) -> &'static str {
    match measure {
        Measure::Angle { .. } | Measure::Turn { .. } => "rad",
        Measure::Point { .. }
        | Measure::Dot { .. }
        | Measure::Along { .. }
        | Measure::Length { .. }
        | Measure::Curve { .. }
        | Measure::Modal { .. } => "m",
    }
}

/// The coordinates of joints, with whole turns since the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointValues {
    values: Vec<f64>,
}

impl JointValues {
    /// Follows the joints to these frames; `turned` are the whole turns that a step made in parts tells beside its ends.
    pub fn follow(&mut self, scene: &Bodies, frames: &[Frame], turned: &[(usize, f64)]) {
        let first = self.values.is_empty();
        self.values.resize(scene.joints().len(), 0.0);
        for (value, joint) in self.values.iter_mut().zip(scene.joints()) {
            let Some(term) = &joint.coordinate else { continue };
            let [a, b] = term.bodies.map(|i| &frames[i]);
            let c = term.measure.value(a, b);
            let turns = matches!(term.measure, Measure::Angle { .. }) && !first;
            *value = if turns { *value + wrapped(c - *value) } else { c };
        }
        for &(j, n) in turned {
            self.values[j] += TAU * n;
        }
    }

    /// Writes the coordinates and their rates.
    pub fn write(
        &self,
        table: &mut Table,
        scene: &Bodies,
        (number, t): (u64, f64),
        frames: &[Frame],
        twist: impl Fn(usize) -> Twist,
        chosen: impl Fn(usize) -> bool,
    ) -> std::io::Result<()> {
        let joints = self.values.iter().zip(scene.joints()).enumerate();
        for (_, (value, joint)) in joints.filter(|(j, _)| chosen(*j)) {
            let Some(term) = &joint.coordinate else { continue };
            let [a, b] = term.bodies.map(|i| &frames[i]);
            let rows = term.measure.gradient(a, b);
            let mut rate = 0.0;
            for (side, row) in rows.iter().enumerate() {
                let Twist { v, w } = twist(term.bodies[side]);
                rate += (0..3).map(|k| row[k] * v[k] + row[3 + k] * w[k]).sum::<f64>();
            }
            let coordinate = if joint_unit(&term.measure) == "rad" { "angle" } else { "displacement" };
            table.integer(number).number(t).text(&joint.name).word(coordinate).number(*value).number(rate);
            table.end()?;
        }
        Ok(())
    }
}

packed! {
    Reactions { sums, acted }
    JointValues { values }
}
