//! Contacts of bodies as rows, over a step and at its end.
//!
//!   balls  g = |d| − r,  d = p_a − p_b:        n̄ = (d₀ + d₁)/(|d₀| + |d₁|)
//!   face   g = n·(p_a − p_b) − r,  n of b:     n̄ = (n₀ + n₁)/2, which turns with b
//!   joints bring stops, play and dry friction with them (`joint_touches`)
//!   rolling is resisted about the tangents, rows times a length
//!   u_m = n̄·(v_a + Ω_a × (c − x_a) − v_b − Ω_b × (c − x_b)),    moments R̄⁻¹((c − x_m) × n̄),  R̄ = (R₀ + R₁)/2
//!
//! at the one point c = x_a,m + R̄_a r_a. R₁ − R₀ = R̄ [h w_m] under the Cayley map, so that g₁ − g₀ = h u_m exactly: for balls
//! (R̄_b r_b + x_b,m − c) × n̄ = 0, for faces the turning normal adds n̄ × (p_a − p_b)_m. One point for both bodies keeps angular momentum.

use crate::bodies::rows::{apply, directions, rolling_axes, rolling_length};
use crate::contact::joint_rows::row_at;
use crate::schemes::landing::joint_touches::{Dry, Loose, Slack, Stop, push, turned};
use percussion_model::bodies::math::{Vec3, add, axpy, cross, dot, mul, mul_t, norm, scale, sub};
use percussion_model::bodies::measure::Passage;
use percussion_model::bodies::{Bodies, ContactPoint, Features, Frame, PairLaw, Twist};
use percussion_model::flexible::mean_frame::body_moment;

/// A row on the velocities of two bodies, angular velocities in their frames.
pub type Row = [[f64; 6]; 2];

/// A contact between shapes, or one that a joint brings with it.
#[derive(Clone, Debug)]
pub enum Touch {
    /// Between shapes.
    Shapes(ContactPoint),
    /// At a stop.
    Stop(Stop),
    /// At an end of a coupling's backlash.
    Slack(Slack),
    /// In a joint with play.
    Loose(Loose),
    /// No contact but dry friction on a joint's coordinate.
    Dry(Dry),
}

impl Touch {
    /// Its number.
    pub fn id(&self) -> u64 {
        match self {
            Self::Shapes(point) => point.id,
            Self::Stop(stop) => stop.id,
            Self::Slack(slack) => slack.id,
            Self::Loose(loose) => loose.point.id,
            Self::Dry(dry) => dry.id,
        }
    }

    /// a and b.
    pub fn bodies(&self) -> [usize; 2] {
        match self {
            Self::Shapes(point) => point.bodies,
            Self::Stop(stop) => stop.bodies,
            Self::Slack(slack) => slack.bodies,
            Self::Loose(loose) => loose.point.bodies,
            Self::Dry(dry) => dry.bodies,
        }
    }

    /// τ of dry friction.
    pub fn given(&self) -> Option<f64> {
        if let Self::Dry(dry) = self { Some(dry.force) } else { None }
    }

    /// g where the bodies are `at`, less than half a turn from where they started; zero of what has no gap.
    pub fn gap(&self, scene: &Bodies, start: &[Frame], at: &[Frame]) -> f64 {
        let [a, b] = self.bodies();
        match self {
            Self::Shapes(point) => point.gap_at(&at[a], &at[b]),
            Self::Stop(stop) => stop.gap(start, at),
            Self::Slack(slack) => slack.gap(scene, start, at),
            Self::Loose(loose) => loose.gap(&at[a], &at[b]),
            Self::Dry(_) => 0.0,
        }
    }

    /// Its law.
    pub fn law(&self, scene: &Bodies) -> Law {
        let (restitution, friction) = match self {
            Self::Shapes(point) => {
                let PairLaw { restitution, friction, rolling, .. } = scene.law_between(point.bodies, point.id);
                return Law { restitution, friction, rolling: rolling / rolling_length(scene, point.bodies) };
            }
            Self::Stop(Stop { restitution, .. }) | Self::Slack(Slack { restitution, .. }) => (*restitution, 0.0),
            Self::Loose(loose) => loose.law,
            Self::Dry(_) => (1.0, 1.0),
        };
        Law { restitution, friction, rolling: 0.0 }
    }

    /// Appends its d rows over a step: the normal's discrete gradient, tangents and axes of rolling, zero where it has none.
    pub fn over_step(&self, scene: &Bodies, ways: &[Passage], d: usize, rows: &mut Vec<Row>) {
        let face;
        let [a, b] = self.bodies().map(|i| &ways[i]);
        let contact = match self {
            Self::Shapes(contact) => contact,
            Self::Stop(stop) => return push(stop.measure.row(a, b).rows, stop.side, d, rows),
            Self::Slack(slack) => {
                let row = slack.row(scene, |[a, b], measure| measure.row(&ways[a], &ways[b]).rows);
                return push(row, slack.side, d, rows);
            }
            Self::Loose(loose) => {
                face = loose.over(ways);
                &face
            }
            Self::Dry(dry) => {
                rows.push([[0.0; 6]; 2]);
                return push(dry.measure.row(a, b).rows, 1.0, d - 1, rows);
            }
        };
        let n = normal_over(contact, a, b);
        let point = add(&a.x, &mul(&a.R, &points(contact)[0]));
        rows.push([row_at(a, &point, &n, 1.0), row_at(b, &point, &n, -1.0)]);
        if d == 1 {
            return;
        }
        // on the surface of the first body, as where the contact was found
        let offset = sub(&contact.arms[0], &mul(&a.ends[0].R, &points(contact)[0]));
        let place = add(&point, &offset);
        let directions = directions(scene, &direction(&n));
        let tangent = |t: &Vec3| [row_at(a, &place, t, 1.0), row_at(b, &place, t, -1.0)];
        let turn = |way: &Passage, axis: &Vec3, l: f64| {
            joined(&[0.0; 3], 0.0, &scale(l, &body_moment(&way.ends[0].R, &way.tilt, axis)))
        };
        self.along(scene, d, &directions, tangent, |axis, l| [turn(a, axis, l), turn(b, axis, -l)], rows);
    }

    /// What a body that is told how to move adds to the velocity along row c > 0 over a step, with its velocities `told` at both ends:
    ///
    ///   u_k:  t·(V + Ω × (c − x))(t_k),    c where the contact is then
    ///
    /// The law of friction is one on u_{k+1}: a surface that moves as in the middle of the step would carry what sticks to it half a step late,
    /// and with it the energy, Σ p_T·(u_k + u_{k+1})/2, would not be that of the two ends.
    pub fn told(&self, ways: &[Passage], (c, side): (usize, usize), row: &[f64; 6], told: [&Twist; 2]) -> [f64; 2] {
        if told.iter().all(|twist| **twist == Twist::default()) {
            return [0.0; 2];
        }
        let face;
        let [a, b] = self.bodies().map(|i| &ways[i]);
        let way = [a, b][side];
        let contact = match self {
            Self::Shapes(contact) => contact,
            Self::Loose(loose) => {
                face = loose.over(ways);
                &face
            }
            Self::Stop(_) | Self::Slack(_) | Self::Dry(_) => return told.map(|twist| apply(row, twist)),
        };
        let ([t, m], n) = (parts(row), direction(&normal_over(contact, a, b)));
        std::array::from_fn(|k| {
            let (twist, end) = (told[k], &way.ends[k]);
            let spin = mul(&end.R, &twist.w);
            if c > 2 {
                // about an axis of rolling
                return dot(&way.spatial(&m), &spin);
            }
            let place = axpy(&a.ends[k].point(&points(contact)[0]), -radius(contact, &a.ends[0]), &n);
            dot(&t, &twist.v) + dot(&spin, &cross(&sub(&place, &end.x), &t))
        })
    }

    /// Appends its d rows where the bodies are.
    pub fn at_end(&self, scene: &Bodies, frames: &[Frame], d: usize, rows: &mut Vec<Row>) {
        let face;
        let pair = self.bodies();
        let [a, b] = pair.map(|i| &frames[i]);
        let contact = match self {
            Self::Shapes(contact) => contact,
            Self::Stop(stop) => return push(stop.measure.gradient(a, b), stop.side, d, rows),
            Self::Slack(slack) => {
                let row = slack.row(scene, |[a, b], measure| measure.gradient(&frames[a], &frames[b]));
                return push(row, slack.side, d, rows);
            }
            Self::Loose(loose) => {
                face = loose.face([a, a], [b, b]);
                &face
            }
            Self::Dry(dry) => {
                rows.push([[0.0; 6]; 2]);
                return push(dry.measure.gradient(a, b), 1.0, d - 1, rows);
            }
        };
        let (n, place) = match self {
            Self::Loose(loose) => {
                let (n, _) = contact.place_at(a, b);
                (n, axpy(&a.point(&points(contact)[0]), -loose.radius, &n))
            }
            Self::Shapes(_) | Self::Stop(_) | Self::Slack(_) | Self::Dry(_) => contact.place_at(a, b),
        };
        let directions = directions(scene, &n);
        let row = |t: &Vec3| {
            let moment = |frame: &Frame, sign: f64| mul_t(&frame.R, &scale(sign, &cross(&sub(&place, &frame.x), t)));
            [joined(t, 1.0, &moment(a, 1.0)), joined(t, -1.0, &moment(b, -1.0))]
        };
        rows.push(row(&n));
        let turn = |frame: &Frame, axis: &Vec3, l: f64| joined(&[0.0; 3], 0.0, &mul_t(&frame.R, &scale(l, axis)));
        self.along(scene, d, &directions, row, |axis, l| [turn(a, axis, l), turn(b, axis, -l)], rows);
    }

    /// Appends the rows beside the normal: tangents, and axes about which rolling is resisted, times the length of the pair.
    fn along(
        &self,
        scene: &Bodies,
        d: usize,
        directions: &[Vec3; 3],
        tangent: impl Fn(&Vec3) -> Row,
        turn: impl Fn(&Vec3, f64) -> Row,
        rows: &mut Vec<Row>,
    ) {
        let tangents = if scene.is_planar() { 1 } else { 2 };
        let rolls = d == 5 && self.law(scene).rolling > 0.0;
        let (axes, length) = (rolling_axes(scene, directions), rolling_length(scene, self.bodies()));
        for k in 1..d {
            rows.push(match k {
                1 | 2 if k <= tangents => tangent(&directions[k]),
                3 | 4 if rolls && k - 2 <= tangents => turn(&axes[k - 3], length),
                _ => [[0.0; 6]; 2],
            });
        }
    }
}

/// e, μ, and μ_r over the length of the pair.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// e.
    pub restitution: f64,
    /// μ.
    pub friction: f64,
    /// μ_r/ℓ.
    pub rolling: f64,
}

/// The contacts that the joints of a scene bring with them, by rising number.
pub fn of_joints(scene: &Bodies, frames: &[Frame], turns: &[f64], out: &mut Vec<Touch>) {
    let first = out.len();
    let (mut found, mut dry) = (Vec::new(), Vec::new());
    scene.joint_touches(frames, turns, &mut found);
    scene.joint_frictions(frames, &mut dry);
    for touch in &found {
        let Some(joint) = scene.joint_of(touch.id) else { continue };
        let of = &scene.joints()[joint];
        let (id, restitution) = (touch.id, of.restitution);
        if let Some((backlash, side)) = scene.backlash_of(id) {
            let (bodies, turned) = (backlash.bodies, turned(scene, joint, turns));
            out.push(Touch::Slack(Slack { id, joint, bodies, side, turned, restitution }));
        } else if let (Some(stop), None) = (of.stops.get((id & 0xffff) as usize), touch.place) {
            let bound = stop.bound - std::f64::consts::TAU * turns.get(joint).copied().unwrap_or(0.0);
            let (bodies, measure, side) = (of.bodies, stop.term.measure.clone(), stop.side);
            out.push(Touch::Stop(Stop { id, bodies, measure, side, bound, restitution }));
        }
    }
    for (j, joint) in scene.joints().iter().enumerate() {
        if let Some(play) = &joint.play {
            let id = scene.first_joint_contact() + ((j as u64) << 16);
            Loose::of_joint(joint, play, id, scene.is_planar(), &mut |loose| out.push(Touch::Loose(loose)));
        }
    }
    for touch in &dry {
        let coordinate = scene.joint_of(touch.id).and_then(|j| scene.joints()[j].coordinate.as_ref());
        if let (Some(free), Some(force)) = (coordinate, touch.given) {
            let (id, bodies, measure) = (touch.id, free.bodies, free.measure.clone());
            out.push(Touch::Dry(Dry { id, bodies, measure, force }));
        }
    }
    out[first..].sort_by_key(Touch::id);
}

/// n̄, the mean normal over a step, as long as makes g₁ − g₀ = h u_m.
fn normal_over(contact: &ContactPoint, a: &Passage, b: &Passage) -> Vec3 {
    match &contact.features {
        Features::Balls { points: r, .. } => {
            let apart = [0, 1].map(|k| sub(&a.ends[k].point(&r[0]), &b.ends[k].point(&r[1])));
            scale(1.0 / (norm(&apart[0]) + norm(&apart[1])).max(f64::MIN_POSITIVE), &add(&apart[0], &apart[1]))
        }
        Features::Face { normal, .. } => mul(&b.R, normal),
    }
}

/// n/|n|.
fn direction(n: &Vec3) -> Vec3 {
    scale(1.0 / norm(n).max(f64::MIN_POSITIVE), n)
}

/// How far the first body's surface is from its point that a contact is about, that body being where the contact was found.
fn radius(contact: &ContactPoint, a: &Frame) -> f64 {
    norm(&sub(&contact.arms[0], &mul(&a.R, &points(contact)[0])))
}

/// The points of the bodies that a contact is about, in their frames.
fn points(contact: &ContactPoint) -> &[Vec3; 2] {
    match &contact.features {
        Features::Balls { points, .. } | Features::Face { points, .. } => points,
    }
}

fn joined(d: &Vec3, sign: f64, moment: &Vec3) -> [f64; 6] {
    [sign * d[0], sign * d[1], sign * d[2], moment[0], moment[1], moment[2]]
}

/// A contact found at later frames as it stands at earlier ones.
pub fn brought_back(point: &ContactPoint, later: &Frame, earlier: [&Frame; 2]) -> ContactPoint {
    let (r, n) = match &point.features {
        Features::Balls { points, .. } => {
            let d = sub(&earlier[0].point(&points[0]), &earlier[1].point(&points[1]));
            (points[0], d.map(|x| x / norm(&d).max(f64::MIN_POSITIVE)))
        }
        Features::Face { points, normal, .. } => (points[0], mul(&earlier[1].R, normal)),
    };
    let arms = [axpy(&mul(&earlier[0].R, &r), -radius(point, later), &n), point.arms[1]];
    ContactPoint { gap: point.gap_at(earlier[0], earlier[1]), normal: n, arms, ..*point }
}

/// The two parts of a row.
pub fn parts(row: &[f64; 6]) -> [Vec3; 2] {
    [[row[0], row[1], row[2]], [row[3], row[4], row[5]]]
}
