//! Motion from event to event: smooth integration, event location, what happens at an instant.

pub mod dense_output;
pub mod event_contacts;
pub mod event_search;
pub mod explicit;
pub mod flight_time;
pub mod flow;
pub mod impact;
pub mod integrator;
pub mod motion;
pub mod no_derivative;
pub mod options;
pub mod order;
pub mod permitted;
pub mod persistence;
pub mod phase;
pub mod radau;
pub mod record;
pub mod reset;
pub mod root;
pub mod stability;
pub mod start;
pub mod stiffness;
pub mod tableau;
pub mod tangent;
pub mod through_impact;
