//! Random scenes of a few bodies, and the same scenes described otherwise.
//!
//!   x' = λ T x,    R' = T R S,    v' = (λ/τ) T v,    w' = (det T/τ) S w      (T = rotation · S, S = 1 or diag(−1, 1, 1))
//!
//! λ, τ and μ are the units of length, time and mass; shapes are symmetric under S.

use percussion_model::bodies::math::{
    Mat3, Quaternion, Vec3, compose, mul, mul_mat, mul_t, normalised, rotation, scale,
};
use percussion_model::bodies::{
    Bodies, BodyParts, Frame, JointKind, JointParts, Matter, PairLaw, SceneParts, Shape, Spring, Twist,
};
use percussion_step::problems::{self, Dice, floor, joint};

/// What a random scene has.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub planar: bool,
    pub restitution: f64,
    pub friction: f64,
    pub joints: bool,
}

/// Four bodies falling onto a floor, spheres and boxes in turn, at random angles; with joints the first two hang together
/// and the third hangs from a point in space.
pub fn random_scene(seed: u64, kind: Kind) -> SceneParts {
    let mut dice = Dice(seed);
    let mut bodies = vec![floor()];
    let place = |along: f64, across: f64, up: f64| if kind.planar { [along, up, 0.0] } else { [along, across, up] };
    for i in 0..4 {
        let shape = if (i + seed as usize).is_multiple_of(2) {
            Shape::sphere(dice.real(0.15, 0.22))
        } else {
            Shape::cuboid([dice.real(0.2, 0.3), dice.real(0.2, 0.3), dice.real(0.2, 0.3)])
        };
        let angle = dice.real(-1.0, 1.0);
        let turn = dice.vector(3);
        let rotation = normalised(&if kind.planar { [1.0, 0.0, 0.0, angle] } else { [1.0, turn[0], turn[1], turn[2]] });
        let spin = dice.vector(3);
        bodies.push(BodyParts {
            name: format!("body {i}"),
            shape,
            matter: Matter::Density(dice.real(200.0, 900.0)),
            position: place(0.55 * i as f64, dice.real(-0.05, 0.05), dice.real(0.3, 0.34)),
            rotation,
            velocity: place(dice.real(-1.5, 1.5), dice.real(-0.5, 0.5), dice.real(-3.0, -1.0)),
            angular_velocity: if kind.planar {
                [0.0, 0.0, 6.0 * spin[0]]
            } else {
                std::array::from_fn(|k| 6.0 * spin[k])
            },
            drag: [0.1, 0.002],
            ..Default::default()
        });
    }
    let mut joints = Vec::new();
    if kind.joints {
        // velocities that the joints allow: the pair falls as one, the third starts at rest
        bodies[2].velocity = bodies[1].velocity;
        for i in 1..4 {
            bodies[i].angular_velocity = [0.0; 3];
        }
        bodies[3].velocity = [0.0; 3];
        let turn = dice.vector(3);
        let axis = if kind.planar { [0.0, 0.0, 1.0] } else { [turn[0], turn[1], turn[2]] };
        let hinge = if kind.planar || dice.whole(0, 1) == 0 { JointKind::Revolute } else { JointKind::Spherical };
        let anchor = place(0.27, 0.0, 0.3);
        joints.push(joint("pair", hinge, [1, 2], anchor, axis));
        let (anchor, end) = (place(1.1, 0.1, 0.9), bodies[3].position);
        joints.push(JointParts { anchor_b: Some(end), ..joint("string", JointKind::Distance, [0, 3], anchor, axis) });
    }
    let spring = Spring {
        bodies: [2, 4],
        points: [place(0.05, 0.02, 0.03), place(-0.02, 0.0, 0.04)],
        stiffness: 40.0,
        damping: 0.5,
        length: 0.8,
    };
    let law = PairLaw { restitution: kind.restitution, friction: kind.friction, ..Default::default() };
    let gravity = place(0.0, 0.0, -9.81);
    SceneParts {
        springs: if seed.is_multiple_of(3) { vec![spring] } else { Vec::new() },
        joints,
        no_contact: if kind.joints { vec![[1, 2]] } else { Vec::new() },
        ..problems::scene(kind.planar, gravity, bodies, law).expect("a law in range")
    }
}

/// Another description of the same scene.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The frame is turned by this unit quaternion.
    pub turn: Quaternion,
    /// And mirrored, x → −x, before.
    pub mirror: bool,
    /// Bodies in the opposite order.
    pub reverse: bool,
    /// Units of mass, length and time.
    pub units: [f64; 3],
}

impl Change {
    pub const NONE: Self = Self { turn: [1.0, 0.0, 0.0, 0.0], mirror: false, reverse: false, units: [1.0; 3] };

    fn mirrored(&self, x: &Vec3) -> Vec3 {
        [if self.mirror { -x[0] } else { x[0] }, x[1], x[2]]
    }

    /// det T S x, for angular velocities.
    fn axial(&self, w: &Vec3) -> Vec3 {
        if self.mirror { scale(-1.0, &self.mirrored(w)) } else { *w }
    }

    fn T(&self, x: &Vec3) -> Vec3 {
        mul(&rotation(&self.turn), &self.mirrored(x))
    }

    fn T_back(&self, x: &Vec3) -> Vec3 {
        self.mirrored(&mul_t(&rotation(&self.turn), x))
    }

    /// The number of a body among n.
    pub fn number(&self, i: usize, n: usize) -> usize {
        if self.reverse { n - 1 - i } else { i }
    }

    /// The scene under this description.
    pub fn of(&self, parts: &SceneParts) -> SceneParts {
        let [mass, length, time] = self.units;
        let n = parts.bodies.len();
        let both = |bodies: [usize; 2]| bodies.map(|i| self.number(i, n));
        let place = |x: &Vec3| scale(length, &self.T(x));
        let mut new = parts.clone();
        new.gravity = scale(length / (time * time), &self.T(&parts.gravity));
        for body in &mut new.bodies {
            body.shape = match &body.shape {
                Shape::Sphere(ball) => Shape::sphere(length * ball.radius),
                Shape::Box(cuboid) => Shape::cuboid(scale(length, &cuboid.size)),
                other => other.clone(),
            };
            if let Matter::Density(density) = body.matter {
                let power = if parts.planar { 2 } else { 3 };
                body.matter = Matter::Density(density * mass / length.powi(power));
            }
            let [w, i, j, k] = body.rotation;
            let axis = self.axial(&[i, j, k]);
            body.rotation = compose(&self.turn, &[w, axis[0], axis[1], axis[2]]);
            body.position = place(&body.position);
            body.velocity = scale(length / time, &self.T(&body.velocity));
            body.angular_velocity = scale(1.0 / time, &self.axial(&body.angular_velocity));
            body.drag = [body.drag[0] * mass / time, body.drag[1] * mass * length * length / time];
        }
        if self.reverse {
            new.bodies.reverse();
        }
        for spring in &mut new.springs {
            spring.bodies = both(spring.bodies);
            spring.points = spring.points.map(|x| scale(length, &self.mirrored(&x)));
            spring.stiffness *= mass / (time * time);
            spring.damping *= mass / time;
            spring.length *= length;
        }
        for joint in &mut new.joints {
            joint.bodies = both(joint.bodies);
            joint.anchor = place(&joint.anchor);
            joint.anchor_b = joint.anchor_b.as_ref().map(place);
            joint.axis = self.T(&joint.axis);
        }
        new.no_contact = parts.no_contact.iter().map(|&pair| both(pair)).collect();
        new
    }

    /// Place, rotation and velocities of body i, in the numbers of the first description.
    pub fn back(&self, scene: &Bodies, i: usize, (q, v): (&[f64], &[f64])) -> [Vec3; 6] {
        let [_, length, time] = self.units;
        let k = self.number(i, scene.len());
        let (Frame { x, R, .. }, Twist { v, w }) = (scene.frame(k, q), scene.twist(k, v));
        let x = scale(1.0 / length, &self.T_back(&x));
        let R: Mat3 = mul_mat(&transposed(&rotation(&self.turn)), &R);
        let sign = |i: usize, j: usize| if self.mirror && (i == 0) != (j == 0) { -1.0 } else { 1.0 };
        let row = |i: usize| std::array::from_fn(|j| sign(i, j) * R[i][j]);
        let v = scale(time / length, &self.T_back(&v));
        let w = scale(time, &self.axial(&w));
        [x, row(0), row(1), row(2), v, w]
    }
}

fn transposed(A: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| A[j][i]))
}
