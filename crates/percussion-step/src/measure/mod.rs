//! Errors against known motions, and the order they shrink with.

pub mod converge;
pub mod error;
pub mod exact;
pub mod hausdorff;
pub mod spectrum;
pub mod two_masses;

pub use crate::measure::converge::{ConvergenceFailure, ConvergenceRow, ConvergenceTable, converge};
pub use crate::measure::error::{OrderFit, fit_order, l1, l1_unequal, relative_l1};
pub use crate::measure::exact::{BarImpact, Bounce, Exact, Free, ImpactOscillator, Slide};
pub use crate::measure::hausdorff::{Graph, hausdorff};
pub use crate::measure::spectrum::{Mode, mode};
pub use crate::measure::two_masses::{TwoMassDrop, TwoMasses};
