//! The method `interior-point`; without the feature of that name only its entry is left, which takes no problems.

#[cfg(feature = "interior-point")]
mod convex;

use crate::entry::{Complementarity, Entry, Friction};
use crate::friction::local::Local;
use crate::friction::sweeps::gauss_seidel::GaussSeidel;
use crate::friction::task::Task;
#[cfg(feature = "interior-point")]
use crate::friction::two_body::OnBodies;
use crate::memory::Memories;
use crate::report::Outcome;

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

/// Interior points as a rung of a ladder; none without the feature, and none where results must be those of a program without it.
pub(crate) fn solve<const D: usize, const D2: usize, L: Local<D>>(
    memories: &mut Memories,
    sweeper: &mut GaussSeidel<D, D2, L>,
    task: &Task,
    (r, u): (&mut [f64], &mut [f64]),
) -> Option<Outcome> {
    #[cfg(feature = "interior-point")]
    if !percussion_matrix::math::is_portable() {
        return Some(memories.get::<convex::InteriorPoint>().solve(sweeper, task, r, u));
    }
    let _ = (memories, sweeper, task, r, u);
    None
}
