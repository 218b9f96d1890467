//! Positions whose digits are taken by the distance from the origin.
//!
//!   ε (|n|·|q₀| + |w|) > 1e-6 s,    s = |n|·(|v₀| T + ½ |M⁻¹F| T²)  or, for bodies,  ε |x₀| > 1e-6 r
//!
//! A gap is known to the spacing of the numbers it is made of. Where that exceeds a millionth of the way made in the run, or of a
//! body's size, fewer than six digits are left to tell when things meet.

use percussion_model::{Code, Structure};
use percussion_step::{Problem, Warning};

/// Part of the way, or of a body, that round-off may take.
const PART: f64 = 1e-6;

/// W410 for the first contact or body that is too far away.
pub fn lost_digits(problem: &Problem, end: f64) -> Option<Warning> {
    let message = match problem.model.structure() {
        Structure::Constant(model) => {
            let mut force = vec![0.0; model.n()];
            model.force(0.0, &mut force);
            let mass = model.mass().diagonal();
            let contact = model.contacts().iter().position(|contact| {
                let of = |x: &dyn Fn(usize) -> f64| contact.normal.iter().map(|&(i, n)| (n * x(i)).abs()).sum::<f64>();
                let way = of(&|i| problem.v0[i]) * end + 0.5 * of(&|i| force[i] / mass[i]) * end * end;
                let size = of(&|i| problem.q0[i]) + contact.offset.at(0.0).abs();
                way > 0.0 && f64::EPSILON * size > PART * way
            })?;
            let spacing = spacing(model.contacts()[contact].normal.iter().map(|&(i, n)| n * problem.q0[i]));
            format!("contact {contact} is known to {spacing:.1e} m only: it is that far from the origin")
        }
        Structure::Bodies(scene) => {
            let far = |&i: &usize| {
                let body = &scene.bodies()[i];
                let place = scene.frame(i, &problem.q0).x;
                body.is_free() && body.reach > 0.0 && spacing(place) > PART * body.reach
            };
            let i = (0..scene.len()).find(far)?;
            let place = spacing(scene.frame(i, &problem.q0).x);
            let name = &scene.bodies()[i].name;
            format!("the place of body \"{name}\" is known to {place:.1e} m only: it is that far from the origin")
        }
        Structure::Lagrangian(_) => return None,
    };
    Some(Warning { code: Code::FAR_AWAY, message })
}

/// ε max |x|.
fn spacing(numbers: impl IntoIterator<Item = f64>) -> f64 {
    f64::EPSILON * numbers.into_iter().fold(0.0_f64, |s, x| s.max(x.abs()))
}

#[cfg(test)]
mod tests {
    use crate::{LoadOptions, load};
    use percussion_model::Code;

    fn warned(scenario: &str, set: &str) -> bool {
        let options = LoadOptions { set: vec![set.into()], ..LoadOptions::default() };
        let loaded = load(scenario, &options).unwrap_or_else(|error| panic!("{set}: {error}"));
        loaded.scenario.warnings.iter().any(|w| w.code == Code::FAR_AWAY)
    }

    /// A ball that falls 125 m in its 5 s has six digits of them left up to some 6e11 m away.
    #[test]
    fn far_away() {
        for (q, far) in [(1.0, false), (1e11, false), (1e12, true), (1e17, true), (1e300, true)] {
            assert_eq!(warned("bouncing-ball", &format!("model.q0=[{q:e}]")), far, "{q:e}");
        }
        assert!(!warned("spinning-sphere", "body.1.position=[1e3, 0.0, 1.0]"));
        assert!(warned("spinning-sphere", "body.1.position=[1e17, 0.0, 1.0]"));
    }
}
