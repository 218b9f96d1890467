//! Steps too long for elements that touch something.
//!
//!   k = |C e|/L along the element,    ω² = k (1/m_a + 1/m_b),    a contact that lifts a node by d puts ½kd² into the element
//!
//! Contacts at position level move the node they touch by M⁻¹H_Nᵀν, whatever is fastened to it. Where hω is small an element has time to
//! follow; where it is large every impact winds it up by ½k(hU)², which is more than the impact had as soon as (hω)² is much more than 1. So steps
//! are made in parts of hω ≤ 16, and refused where that were too many. ω is that of the elements without load: states change none of it.

use percussion_model::bodies::math::{axpy, norm};
use percussion_model::bodies::{Beam, Bodies, Span};
use percussion_model::{Code, InputError};

/// hω beyond which impacts wind elements up.
const MOST: f64 = 16.0;
/// Parts of a step at most.
const PARTS: f64 = 64.0;

/// The fastest element that touches something.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fastest {
    omega: f64,
    bodies: [usize; 2],
}

/// How its tension grows where the ends of an element part along it [N/m].
fn stiffness(span: &Span) -> f64 {
    let (rest, length) = (span.element.rest(), span.element.length());
    if length == 0.0 {
        return 0.0;
    }
    let axis = [rest[0], rest[1], rest[2]];
    let size = norm(&axis);
    let along = |direction: [f64; 3]| {
        let mut strain = rest;
        strain[..3].copy_from_slice(&axpy(&axis, 1.0, &direction));
        let stress = span.element.mean_stress(&strain, &strain, 1.0);
        norm(&[stress[0], stress[1], stress[2]]) / length
    };
    if size > 0.0 {
        return along(axis.map(|x| x / size));
    }
    // cables and bushings have no length in their strain
    (0..3).map(|k| along(std::array::from_fn(|i| f64::from(u8::from(i == k))))).fold(0.0, f64::max)
}

impl Fastest {
    /// That of a scene; ω = 0 where none touches anything.
    pub fn of(scene: &Bodies) -> Self {
        // nodes of a cable that touches are points: its links touch, and take them along
        let linked = |i: usize| {
            let of = |beam: &Beam| (beam.first_node..=beam.first_node + beam.elements).contains(&i);
            scene.beams().iter().any(|beam| beam.links.is_some() && of(beam))
        };
        let touches = |i: usize| scene.bodies()[i].contact && scene.bodies()[i].reach > 0.0 || linked(i);
        let mut fastest = Self::default();
        for span in scene.spans().iter().filter(|span| span.bodies.into_iter().any(touches)) {
            let mobility: f64 = span.bodies.into_iter().map(|i| scene.bodies()[i].inverse_mass).sum();
            let omega = (stiffness(span) * mobility).sqrt();
            if omega > fastest.omega {
                fastest = Self { omega, bodies: span.bodies };
            }
        }
        fastest
    }

    /// The longest part of a step.
    pub fn longest(&self) -> f64 {
        MOST / self.omega
    }

    /// Why a step of length h is too long even in parts, if it is.
    pub fn refuse(&self, scene: &Bodies, h: f64) -> Option<InputError> {
        if h <= PARTS * self.longest() {
            return None;
        }
        let [a, b] = self.bodies.map(|i| &scene.bodies()[i].name);
        let message = format!(
            "hω = {:.0} for the element between \"{a}\" and \"{b}\", which may touch something: contacts at position level would wind it up at \
             every impact and create energy, and parts of hω ≤ {MOST} are more than {PARTS}",
            h * self.omega
        );
        let help = format!(
            "use a step of at most {:e} s, or moreau-jean or energy-momentum, which cannot create energy",
            rounded_down(PARTS * self.longest())
        );
        Some(InputError::new(Code::BAD_TIME, "time.step", message, help))
    }
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
