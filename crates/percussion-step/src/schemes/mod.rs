//! The schemes, one folder each: equations, names, parameters, what they promise.
//!
//! Adding one: a folder whose parameters implement [`equations::Equations`] and whose `ENTRY` names them, and one line in
//! [`SCHEMES`].

pub mod bind;
pub mod energy_momentum;
pub mod entry;
pub mod equations;
pub mod event_driven;
pub mod galerkin;
pub mod ggl;
pub mod implicit_newmark;
pub mod keys;
pub mod landing;
pub mod lasting;
pub mod moreau_jean;
pub mod newmark;
pub mod options;
pub mod own;
pub mod refuse;
pub mod resolve;
pub mod runge_kutta_moreau;
pub mod schatzman_paoli;
pub mod scheme;
pub mod smooth_alpha;
pub mod splitting;
pub mod velocity_level;

pub use crate::schemes::entry::SchemeEntry;
pub use crate::schemes::options::{SchemeOptions, Written};
pub use crate::schemes::scheme::{Projection, Scheme};

/// Every scheme of this version, in the order they are shown.
pub const SCHEMES: &[&SchemeEntry] = &[
    &moreau_jean::parameters::ENTRY,
    &moreau_jean::parameters::MIDPOINT,
    &moreau_jean::parameters::FREMOND,
    &newmark::equations::NEWMARK,
    &newmark::equations::HHT,
    &newmark::equations::GENERALIZED_ALPHA,
    &newmark::equations::KH,
    &implicit_newmark::parameters::ENTRY,
    &implicit_newmark::parameters::NAIVE_VELOCITY,
    &implicit_newmark::parameters::NAIVE_POSITION,
    &ggl::parameters::ENTRY,
    &ggl::parameters::MODIFIED_LCP,
    &smooth_alpha::parameters::ENTRY,
    &energy_momentum::parameters::ENTRY,
    &landing::parameters::ENTRY,
    &schatzman_paoli::parameters::ENTRY,
    &galerkin::d0_parameters::ENTRY,
    &galerkin::d1_parameters::ENTRY,
    &splitting::parameters::ENTRY,
    &event_driven::parameters::ENTRY,
    &runge_kutta_moreau::parameters::ENTRY,
];
