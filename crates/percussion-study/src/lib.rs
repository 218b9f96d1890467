//! Studies: schemes compared, orders of convergence measured, the figures of the papers reproduced.
//!
//! ```text
//! scenario × schemes ─► runs on all cores ─► table, CSV, page          compare
//! scenario × schemes × steps ─► errors ─► fitted orders, work–precision   converge
//! ```
//!
//! Results never depend on the number of threads: runs are independent, and their rows come in the order asked.

mod account;
mod compare;
mod converge;
mod convergence_page;
pub mod dynamics;
mod error_meter;
pub mod papers;
mod parallel;
mod reference;
pub mod sensitivity;
mod spectrum;
mod variant;

pub use account::Account;
pub use compare::{COMPARE_HEADER, Compared, Comparison, compare, compare_in_memory};
pub use converge::{
    Against, ConvergeOptions, Convergence, ConvergenceRow, Levels, MEASURES, Measure, Order, Shortfall, converge,
};
pub use error_meter::{ErrorMeter, Errors};
pub use papers::{Reproduced, reproduce};
pub use parallel::{StudyProgress, Threads, Watch};
pub use reference::Reference;
pub use spectrum::{Spectrum, spectrum};
pub use variant::{Variant, number_label, variants};

use percussion_scenario::{LoadOptions, Loaded, Result};

/// How a study gets its scenario, changed as on the command line.
pub type Load<'a> = dyn Fn(&LoadOptions) -> Result<Loaded> + Sync + 'a;
