//! Errors against known motions, and the order they shrink with.

mod converge;
mod error;
mod exact;
mod hausdorff;
mod two_masses;

pub use converge::{ConvergenceFailure, ConvergenceRow, ConvergenceTable, converge};
pub use error::{OrderFit, fit_order, l1, l1_unequal, lp, relative_l1};
pub use exact::{BarImpact, Bounce, Exact, Free, ImpactOscillator, Slide};
pub use hausdorff::{Graph, hausdorff};
pub use two_masses::{TwoMassDrop, TwoMasses};
