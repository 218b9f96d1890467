//! Errors against known motions, and the order they shrink with.

mod converge;
mod error;
mod exact;

pub use converge::{ConvergenceFailure, ConvergenceRow, ConvergenceTable, converge};
pub use error::{OrderFit, fit_order, l1, l1_unequal, relative_l1};
pub use exact::{BarImpact, Bounce, Exact, ImpactOscillator};
