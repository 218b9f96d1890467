//! Methods that go from contact to contact: r_i ← the reaction of contact i alone, all others held.

pub(crate) mod anderson;
mod colouring;
pub(crate) mod gauss_seidel;
pub(crate) mod thresholds;

pub use gauss_seidel::Order;
