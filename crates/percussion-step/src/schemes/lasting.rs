//! What a scene of bodies that lie on each other gets where θ and the law of contact are not written.
//!
//!   θ = 1,    0 ≤ g_k/h + U_{k+1} ⟂ P ≥ 0      instead of      θ = ½,    `hold`
//!
//! `hold` decides by the sign of g + h U, and bodies set on each other have gaps of ±1e-17 m. A corner whose gap came out positive is not
//! in the first step's index set: it falls by g h² and comes back as an impact on its neighbours. At θ = ½ nothing takes that motion out
//! again: an opening contact has ê = (1 − θ)/θ = 1, so its velocity is turned round, and a wall of 30 bricks still moves at 1 cm/s after
//! a second. The law on the gap has every contact within reach in its index set and asks for g = 0 at the end of the step, whatever the sign
//! of the round-off; θ = 1 damps what remains. The same wall then stays within 1e-8 m.

use crate::schemes::moreau_jean;
use crate::{Model, SchemeOptions};
use percussion_model::bodies::math::norm;

/// Free bodies with a shape from which a scene counts as one of lasting contacts.
const SEVERAL: usize = 3;

/// What is said of the choice.
pub const CHOSEN: &str = "theta and activation are not written, several bodies lie under gravity and none bounces: theta = 1 and \
                          activation = \"gap\", under which walls and piles come to rest";

/// The options with θ and the law chosen, where a scene of lasting contacts leaves both open: three free bodies or more under gravity,
/// e = 0 for every pair, none that gives way, no joint. Beams, cables and reduced bodies keep θ = ½, whose energy and momentum are exact: the law on the gap
/// lifts what overlaps, which between bodies that bend is no round-off.
pub fn for_lasting_contacts(name: &str, options: &SchemeOptions, model: &Model) -> Option<SchemeOptions> {
    let SchemeOptions { theta, activation, prediction, friction_law, .. } = options;
    let open = theta.is_none() && activation.is_none() && prediction.is_none() && friction_law.is_none();
    let scene = model.bodies().filter(|_| open && name == moreau_jean::parameters::ENTRY.name)?;
    let several = scene.bodies().iter().filter(|body| body.is_free() && body.reach > 0.0).count() >= SEVERAL;
    let lasting = several
        && norm(&scene.gravity()) > 0.0
        && scene.largest_restitution() == 0.0
        && scene.joints().is_empty()
        && scene.springs().is_empty()
        && !scene.has_compliance()
        && !scene.has_elements();
    lasting.then(|| SchemeOptions { theta: Some(1.0), activation: Some("gap".into()), ..options.clone() })
}
