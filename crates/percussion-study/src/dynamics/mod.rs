//! `[dynamics]`: sections, spectra, bifurcation diagrams and basins of attraction of a scenario.
//!
//! ```text
//! parameter value ─► scenario ─► run ─► points on the section ─► table, figure
//!        └ state of the last value ┘                             └ repeated event-driven, differences
//! ```

mod basin;
mod bifurcation;
mod column;
mod exponent;
mod figures;
mod made;
mod orbit;
mod page;
mod prepared;
mod repeat;
mod schema;
mod section;
mod settled;
mod spectrum;

pub use basin::{Basin, basin};
pub use bifurcation::{Bifurcation, begin, bifurcation};
pub use column::Column as DiagramColumn;
pub use exponent::{ExponentStudy, exponent};
pub use made::{Made, make};
pub use orbit::{OrbitStudy, orbit};
pub use percussion_dynamics::Stability;
pub use repeat::{Repeated, repeat_differences, repeat_words};
pub use section::{SectionStudy, section};
pub use spectrum::{SpectrumStudy, spectrum};
