//! Schemes that follow the smooth motion between events with Runge–Kutta steps and resolve each event by itself.

mod dense_output;
mod event_driven;
mod explicit;
mod fate;
mod flight;
mod hold;
mod instant;
mod integrator;
mod linear_mechanism;
mod mechanism;
mod motion;
mod nonlinear_mechanism;
mod options;
mod phase;
mod radau;
mod record;
mod root;
mod rubbing;
mod runge_kutta_moreau;
mod stability;
mod tableau;
mod watch;

pub use event_driven::EventDriven;
pub use explicit::Explicit;
pub use hold::{Hold, Row};
pub use linear_mechanism::LinearMechanism;
pub use mechanism::Mechanism;
pub use nonlinear_mechanism::NonlinearMechanism;
pub use options::{EventDrivenOptions, Family, HighOrderOptions, SmoothMethod};
pub use phase::{Integrals, Phase};
pub use runge_kutta_moreau::RungeKuttaMoreau;
pub use stability::{longest_step, rates};
pub use tableau::Tableau;
