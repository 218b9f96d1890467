//! One body without contact: the gyroscopic term and what impulses meet.
//!
//!   I Δw + h w_θ × (I w*) = h τ − h c w_θ + J r,    A = I + hθ c 1 − hθ [I w*],    A Δw = h (τ − c w − w × I w*) + J r
//!
//! For any w* the work of the gyroscopic term, w_θ·(w_θ × I w*), is zero: the ledger closes whatever w* is. sym(A) = I for
//! c = 0, so A can always be inverted. w* decides the accuracy:
//!
//!   n1p      w* = w + θ Δw₁ of one Newton step without contact: order 2, momentum to 1e-6
//!   newton   w* = w_θ iterated: with θ = ½ and the Cayley map spatial momentum is conserved to round-off

use percussion_model::bodies::math::{Mat3, Vec3, add, axpy, cross, inverse, mul, norm, scale, skew, sub};
use percussion_model::bodies::{Body, Twist};

/// How the gyroscopic term is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gyroscopic {
    /// One Newton step, then one linear solve; the default.
    #[default]
    N1p,
    /// Iterated to round-off, contact impulses included.
    Newton,
}

impl Gyroscopic {
    /// The words in a scenario.
    pub const NAMES: [&'static str; 2] = ["n1p", "newton"];

    /// The word in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Self::N1p => "n1p",
            Self::Newton => "newton",
        }
    }

    /// The option of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::N1p, Self::Newton].into_iter().find(|g| g.name() == name)
    }
}

/// Forces on a body over a step: world force and body-frame moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// [N].
    pub force: Vec3,
    /// [N·m].
    pub moment: Vec3,
    /// A moment in world axes that does not turn with the body, in scenes with beams [N·m].
    pub world_moment: Vec3,
}

/// What a step without impulses leads to, and how impulses change it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FreeMotion {
    /// Velocities at the end of the step.
    pub twist: Twist,
    /// 1/(m + hθc), zero for bodies that are not free [1/kg].
    pub inverse_mass: f64,
    /// A⁻¹, zero for bodies that are not free [1/(kg·m²)].
    pub inverse_inertia: Mat3,
}

/// Newton steps for w* at most; three or four reach round-off.
const NEWTON_STEPS: usize = 12;

/// w* without contact impulses.
pub fn spin(body: &Body, w: &Vec3, moment: &Vec3, h: f64, theta: f64, gyroscopic: Gyroscopic) -> Vec3 {
    if body.isotropic {
        return *w;
    }
    let I = &body.inertia;
    let steps = if gyroscopic == Gyroscopic::Newton { NEWTON_STEPS } else { 1 };
    let (mut a, mut dw) = (*w, [0.0; 3]);
    for _ in 0..steps {
        // residual of I Δw + h a × I a − h τ at a = w + θ Δw, derivative I + hθ([a] I − [I a])
        let Ia = mul(I, &a);
        let residual = sub(&add(&mul(I, &dw), &scale(h, &cross(&a, &Ia))), &scale(h, moment));
        let (left, right) = (percussion_model::bodies::math::mul_mat(&skew(&a), I), skew(&Ia));
        let J: Mat3 =
            std::array::from_fn(|i| std::array::from_fn(|j| I[i][j] + h * theta * (left[i][j] - right[i][j])));
        let Some(J) = inverse(&J) else { break };
        let change = mul(&J, &residual);
        dw = sub(&dw, &change);
        a = axpy(w, theta, &dw);
        if norm(&change) <= 1e-16 * norm(&a) {
            break;
        }
    }
    a
}

/// The step of a free body without impulses, for a given w*.
pub fn free_motion(body: &Body, twist: &Twist, wrench: &Wrench, w_star: &Vec3, h: f64, theta: f64) -> FreeMotion {
    let [c, c_w] = body.drag;
    let inverse_mass = 1.0 / (body.mass + h * theta * c);
    let v = axpy(&twist.v, h * inverse_mass, &axpy(&wrench.force, -c, &twist.v));
    let mut inverse_inertia = body.inverse_inertia;
    let mut moment = axpy(&wrench.moment, -c_w, &twist.w);
    if !body.isotropic {
        let Iw = mul(&body.inertia, w_star);
        moment = sub(&moment, &cross(&twist.w, &Iw));
        let S = skew(&Iw);
        let A: Mat3 = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                body.inertia[i][j] - h * theta * S[i][j] + if i == j { h * theta * c_w } else { 0.0 }
            })
        });
        // sym(A) is positive definite
        inverse_inertia = inverse(&A).unwrap_or(body.inverse_inertia);
    } else if c_w > 0.0 {
        for k in 0..3 {
            if body.inertia[k][k] > 0.0 {
                inverse_inertia[k][k] = 1.0 / (body.inertia[k][k] + h * theta * c_w);
            }
        }
    }
    let w = axpy(&twist.w, h, &mul(&inverse_inertia, &moment));
    FreeMotion { twist: Twist { v, w }, inverse_mass, inverse_inertia }
}
