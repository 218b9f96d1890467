//! The method `interior-point`; without the feature of that name only its entry is left, which takes no problems.

#[cfg(feature = "interior-point")]
mod convex;

use crate::entry::{Complementarity, Entry, Friction};
#[cfg(feature = "interior-point")]
use crate::friction::two_body::OnBodies;

#[cfg(feature = "interior-point")]
const FRICTION: Option<Friction> = Some(Friction::of::<convex::InteriorPoints>(OnBodies::Momentum));
#[cfg(not(feature = "interior-point"))]
const FRICTION: Option<Friction> = None;

/// The solver's entry in the list.
pub(crate) const ENTRY: Entry = Entry {
    name: "interior-point",
    summary: "second-order cone programs in an accelerated outer loop; convex or nearly so, redundant contacts",
    most_rows: None,
    complementarity: Complementarity::None,
    friction: FRICTION,
};
