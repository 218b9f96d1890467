//! Steps too long for elements that touch something.
//!
//!   k = |∂n/∂x| along the element,    ω² = k (1/m_a + 1/m_b),    a contact that lifts a node by d puts ½kd² into the element
//!
//! Contacts at position level move the node they touch by M⁻¹H_Nᵀν, whatever is fastened to it. Where hω is small an element has time to
//! follow; where it is large every impact winds it up by ½k(hU)², which is more than the impact had as soon as (hω)² is much more than 1.

use percussion_model::bodies::math::{axpy, norm, sub};
use percussion_model::bodies::{Bodies, Frame};
use percussion_model::{Code, InputError};

/// hω beyond which impacts wind elements up.
const MOST: f64 = 16.0;
/// Part of an element's length by which it is stretched to know its stiffness.
const STRETCH: f64 = 1e-6;

/// Why a step of length h is too long for the elements of a scene, if it is.
pub(super) fn refuse(scene: &Bodies, q: &[f64], h: f64) -> Option<InputError> {
    let frames: Vec<Frame> = (0..scene.len()).map(|i| scene.frame(i, q)).collect();
    let (mut fastest, mut bodies) = (0.0_f64, [0; 2]);
    for span in scene.spans() {
        let [a, b] = span.bodies;
        let touches = |i: usize| scene.bodies()[i].contact && scene.bodies()[i].reach > 0.0;
        let along = sub(&frames[b].x, &frames[a].x);
        let length = norm(&along);
        if !(touches(a) || touches(b)) || length == 0.0 {
            continue;
        }
        let stretched = Frame { x: axpy(&frames[b].x, STRETCH, &along), ..frames[b] };
        let [n0, n1] = [&frames[b], &stretched].map(|b| span.section_forces(&frames[a], b).0);
        let k = norm(&[0, 1, 2].map(|c| n1[c] - n0[c])) / (STRETCH * length);
        let mobility: f64 = [a, b].into_iter().map(|i| scene.bodies()[i].inverse_mass).sum();
        let omega = (k * mobility).sqrt();
        if omega > fastest {
            (fastest, bodies) = (omega, span.bodies);
        }
    }
    if h * fastest <= MOST {
        return None;
    }
    let [a, b] = bodies.map(|i| &scene.bodies()[i].name);
    let message = format!(
        "hω = {:.0} for the element between \"{a}\" and \"{b}\", which may touch something: contacts at position level would wind it up at \
         every impact and create energy",
        h * fastest
    );
    let help = format!(
        "use a step of at most {:e} s, or moreau-jean or energy-momentum, which cannot create energy",
        rounded_down(MOST / fastest)
    );
    Some(InputError::new(Code::BAD_TIME, "time.step", message, help))
}

/// Two digits that are no more than x: a step that is told is one that is taken.
fn rounded_down(x: f64) -> f64 {
    let digits = |x: f64| format!("{x:.1e}").parse().unwrap_or(x);
    let near: f64 = digits(x);
    // rounding adds a twentieth at most
    if near <= x { near } else { digits(0.95 * x) }
}

#[cfg(test)]
mod tests {
    use super::rounded_down;

    #[test]
    fn no_more_than_it_may_be() {
        for (x, down) in [(1.349e-3, 1.3e-3), (1.351e-3, 1.3e-3), (1e-3, 1e-3), (9.99e-4, 9.5e-4), (2.06e-2, 2e-2)] {
            let told = rounded_down(x);
            assert!((told - down).abs() < 1e-12 && told <= x, "{x:e}: {told:e}");
        }
    }
}
