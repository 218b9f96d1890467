//! Small problems to start from: where the motion is known in closed form, one value is both the problem and its solution.
//!
//! ```
//! use percussion_solve::SolverOptions;
//! use percussion_step::Scheme;
//! use percussion_step::measure::{Bounce, converge};
//! use percussion_step::problems::Known;
//!
//! // a ball dropped from 1 m under f/m = 2 m/s², e = ½: the order of a scheme across its impacts is one
//! let ball = Bounce { g: 2.0, e: 0.5, gap: 1.0, floor: 0.0 };
//! let steps: Vec<f64> = (0..8).map(|l| 4.0 / f64::from(77 << l)).collect();
//! let table = converge(&ball.problem()?, &Scheme::moreau_jean(0.5), SolverOptions::default(), 4.0, &steps, &ball)?;
//! assert!((table.order_q().expect("a fit").order - 1.0).abs() < 0.25);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | problem | built by | exact motion |
//! |---|---|---|
//! | ball, oscillator, free mass | `OneMass` | `Bounce`, `ImpactOscillator`, `Free`, `DampedOscillator` |
//! | two masses on a spring | `TwoMassDrop` | `TwoMasses` |
//! | elastic bar against a wall | `bar` | `BarImpact` |
//! | block on a floor or slope | `Slide`, `incline` | `Slide` |
//! | pendulum, rocking block, rotating beam | `pendulum`, `rocking_block`, `rotating_beam` | |
//! | rigid bodies | `scene`, `floor`, `ball`, `cuboid`, `solid`, `joint`, `heaps` | |
//! | random linear systems | `random_system` | |

mod bar;
mod block;
mod linear;
mod mechanisms;
mod one_mass;
mod random;
mod rigid;

pub use bar::bar;
pub use block::incline;
pub use linear::{contact, linear, masses, rough_contact, row};
pub use mechanisms::{
    pendulum, pendulum_model, rocking_block, rocking_block_model, rotating_beam, rotating_beam_model,
};
pub use one_mass::{DampedOscillator, OneMass};
pub use random::{Dice, Recipe, random_system};
pub use rigid::{ball, cuboid, floor, ground, heaps, joint, scene, solid};

use crate::Problem;
use crate::measure::Exact;
use percussion_model::InputError;

/// A problem whose motion is known in closed form.
pub trait Known: Exact {
    /// The problem that this motion solves.
    fn problem(&self) -> Result<Problem, InputError>;
}
