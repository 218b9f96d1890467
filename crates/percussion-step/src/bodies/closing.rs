//! The end of a step of one body under given impulses: angular momentum to round-off, whatever the impulses are.
//!
//!   R₁I w₁ − R₀I w₀ = μ + h R̄ (τ − c w_m)    with R₁ = R₀ cay(h w_m),  w_m = (w₀ + w₁)/2,  R̄ = R₀(1 − (h/2)[w_m])⁻¹
//!   I Δw + h w_m × I w_m + h c w_m = h τ + (1 − (h/2)[w_m]) K,    K = R₀ᵀμ          (times R̄⁻¹)
//!
//! μ is the moment of all impulses about the middle x_m of the body's way. Spin counted in the world frame (isotropic inertia,
//! ŵ₁ = R₀ᵀR₁w₁) obeys I Δŵ + h c ŵ_m = K + h (1 − (h/2)[ŵ_m])⁻¹τ.

use crate::bodies::theta_step::middle;
use percussion_model::bodies::Body;
use percussion_model::bodies::math::{
    Mat3, Vec3, add, axpy, cross, dot, inverse, mul, mul_mat, norm, scale, skew, sub,
};

/// Iterations at most; two or three reach round-off.
const ITERATIONS: usize = 20;

/// What acts on a body over a step about its centre.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    /// R₀ᵀμ [N·m·s].
    pub spatial: Vec3,
    /// τ, turning with the body [N·m].
    pub own: Vec3,
}

/// w₁, or ŵ₁ of a body of isotropic inertia, from w₀ and a guess.
pub fn close(body: &Body, planar: bool, w0: &Vec3, guess: &Vec3, moments: &Moments, h: f64) -> Vec3 {
    let c = body.drag[1];
    if planar {
        let I = body.inertia[2][2];
        let w = w0[2];
        let w1 = (w * (I - 0.5 * h * c) + moments.spatial[2] + h * moments.own[2]) / (I + 0.5 * h * c);
        return [0.0, 0.0, if c == 0.0 { w + (moments.spatial[2] + h * moments.own[2]) / I } else { w1 }];
    }
    if body.isotropic { in_the_world(body, w0, guess, moments, h) } else { in_its_frame(body, w0, guess, moments, h) }
}

fn in_the_world(body: &Body, w0: &Vec3, guess: &Vec3, moments: &Moments, h: f64) -> Vec3 {
    let (I, c) = (body.inertia[0][0], body.drag[1]);
    let mut w1 = *guess;
    for _ in 0..ITERATIONS {
        let a = scale(h, &middle(w0, &w1, 0.5));
        // (1 − ½[a])⁻¹τ = (τ + ½ a×τ + ¼ a(a·τ))/(1 + ¼|a|²)
        let tau = &moments.own;
        let turned = axpy(&axpy(tau, 0.5, &cross(&a, tau)), 0.25 * dot(&a, tau), &a);
        let moment = axpy(&moments.spatial, h / (1.0 + 0.25 * dot(&a, &a)), &turned);
        let next = scale(1.0 / (I + 0.5 * h * c), &axpy(&moment, I - 0.5 * h * c, w0));
        let next = if c == 0.0 { axpy(w0, 1.0 / I, &moment) } else { next };
        let settled = *tau == [0.0; 3] || norm(&sub(&next, &w1)) <= 1e-16 * norm(&next);
        w1 = next;
        if settled {
            break;
        }
    }
    w1
}

fn in_its_frame(body: &Body, w0: &Vec3, guess: &Vec3, moments: &Moments, h: f64) -> Vec3 {
    let (I, c, K) = (&body.inertia, body.drag[1], &moments.spatial);
    let mut w1 = *guess;
    let mut last = f64::INFINITY;
    for _ in 0..ITERATIONS {
        let a = middle(w0, &w1, 0.5);
        let Ia = mul(I, &a);
        let mut residual = sub(&mul(I, &sub(&w1, w0)), &axpy(K, h, &moments.own));
        residual = add(&residual, &scale(h, &axpy(&cross(&a, &axpy(&Ia, 0.5, K)), c, &a)));
        // I + (h/2)([a]I − [Ia] + c 1) − (h/4)[K]
        let (left, right) = (mul_mat(&skew(&a), I), skew(&axpy(&Ia, 0.5, K)));
        let J: Mat3 = std::array::from_fn(|i| {
            std::array::from_fn(|j| I[i][j] + 0.5 * h * (left[i][j] - right[i][j] + if i == j { c } else { 0.0 }))
        });
        let Some(J) = inverse(&J) else { break };
        let change = mul(&J, &residual);
        w1 = sub(&w1, &change);
        // at round-off changes no longer shrink
        let size = norm(&change);
        if size <= 1e-16 * norm(&w1) || size >= last {
            break;
        }
        last = if size <= 1e-13 * norm(&w1) { size } else { f64::INFINITY };
    }
    w1
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_model::bodies::math::{diagonal, rotation, turned};
    use percussion_model::bodies::{BodyParts, Materials, Matter, PairLaw, Shape, Sphere};

    /// The momentum form on bodies of any inertia: R₁I w₁ − R₀I w₀ = μ + h R̄(τ − c w_m) to round-off.
    #[test]
    fn angular_momentum_is_what_impulses_say() {
        let q0 = percussion_model::bodies::math::normalised(&[0.7, -0.3, 0.4, 0.5]);
        let R0 = rotation(&q0);
        for (inertia, drag) in [([1.0, 2.0, 2.6], 0.0), ([0.4, 0.4, 0.4], 0.0), ([1.0, 2.0, 2.6], 0.3), ([0.4; 3], 0.3)]
        {
            let mut body = body(inertia);
            body.drag = [0.0, drag];
            let (w0, mu, tau, h) = ([3.0, -40.0, 11.0], [0.7, 5.0, -2.0], [3.0, 1.0, -8.0], 0.01);
            let spatial = percussion_model::bodies::math::mul_t(&R0, &mu);
            let w1 = close(&body, false, &w0, &w0, &Moments { spatial, own: tau }, h);
            let w_m = middle(&w0, &w1, 0.5);
            let R1 = rotation(&turned(&q0, &scale(h, &w_m)));
            let mean: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (R0[i][j] + R1[i][j])));
            let end = if body.isotropic { R0 } else { R1 };
            let spin = sub(&mul(&end, &mul(&body.inertia, &w1)), &mul(&R0, &mul(&body.inertia, &w0)));
            let given = add(&mu, &scale(h, &mul(&mean, &axpy(&tau, -drag, &w_m))));
            assert!(norm(&sub(&spin, &given)) < 1e-13 * norm(&mul(&body.inertia, &w0)), "{spin:?} {given:?}");
            // and its work is μ·Ω + h (τ − c w_m)·w_m
            let T = |w: &Vec3| 0.5 * dot(w, &mul(&body.inertia, w));
            let work = dot(&mu, &mul(&R0, &w_m)) + h * dot(&axpy(&tau, -drag, &w_m), &w_m);
            assert!((T(&w1) - T(&w0) - work).abs() < 1e-12 * T(&w0));
        }
    }

    fn body(inertia: Vec3) -> Body {
        let shape = Shape::Sphere(Sphere { radius: 0.1 });
        let matter = Matter::Given { mass: 1.0, inertia: diagonal(inertia[0], inertia[1], inertia[2]) };
        let parts = BodyParts { shape, matter, ..Default::default() };
        let materials = Materials::uniform(PairLaw::default()).expect("a law");
        Body::new(&parts, false, &materials).expect("a body").0
    }
}
