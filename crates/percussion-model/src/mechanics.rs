//! The one face of a model: what every part of the program may ask, whatever the model is made of.
//!
//!   g_i(q, t) ≥ 0,   u_N = ġ_i,   u_T = T_iᵀv,   g_j(q) = 0,   H = ½ vᵀM v + V(q)
//!
//! A scheme needs more than this to move a model: constant matrices, M(q) with its derivatives, or frames of bodies. It asks
//! once, by [`Mechanics::structure`], when it is bound.

mod bodies;
mod lagrangian;
mod linear;
mod start;

use crate::bodies::Bodies;
use crate::{InputError, Lagrangian, LinearModel};
pub use lagrangian::LagrangianModel;
use std::sync::Arc;

/// What a model is made of, for those who move it.
#[derive(Clone, Debug)]
pub enum Structure {
    /// Constant matrices.
    Constant(Arc<LinearModel>),
    /// M(q), f(q, v, t), g(q) with their derivatives.
    Lagrangian(Arc<dyn Lagrangian>),
    /// Frames of rigid bodies, whose contacts come and go.
    Bodies(Arc<Bodies>),
}

/// A mechanical system with contacts g ≥ 0 and joints g = 0.
///
/// Contacts are named by numbers below `n_contacts`, or, where they come and go, by identities that last as long as the touch.
/// Rows and gradients are sparse, so that a face of a model with many coordinates costs what it touches.
pub trait Mechanics: std::fmt::Debug + Send + Sync {
    /// What the model is made of.
    fn structure(self: Arc<Self>) -> Structure;

    /// Number of coordinates q.
    fn n_q(&self) -> usize;

    /// Number of velocities v.
    fn n_v(&self) -> usize;

    /// Number of contacts; those that come and go are not counted.
    fn n_contacts(&self) -> usize;

    /// Number of joints.
    fn n_joints(&self) -> usize;

    /// Whether contacts come and go, and have identities instead of numbers.
    fn contacts_vary(&self) -> bool;

    /// Whether anything can touch anything.
    fn has_contacts(&self) -> bool {
        self.n_contacts() > 0
    }

    /// Whether a contact of that number or identity can exist.
    fn knows_contact(&self, id: usize) -> bool {
        id < self.n_contacts()
    }

    /// e of contact i.
    fn restitution(&self, i: usize) -> f64;

    /// μ of contact i.
    fn friction(&self, i: usize) -> f64;

    /// μ_r of contact i [m].
    fn rolling(&self, i: usize) -> f64;

    /// Number of tangents of contact i.
    fn n_tangents(&self, i: usize) -> usize;

    /// ē, the largest restitution of any contact.
    fn largest_restitution(&self) -> f64 {
        (0..self.n_contacts()).map(|i| self.restitution(i)).fold(0.0, f64::max)
    }

    /// Whether any contact has friction.
    fn has_friction(&self) -> bool {
        (0..self.n_contacts()).any(|i| self.friction(i) > 0.0)
    }

    /// Whether any contact resists rolling.
    fn has_rolling(&self) -> bool {
        (0..self.n_contacts()).any(|i| self.rolling(i) > 0.0)
    }

    /// Whether any contact has tangents.
    fn has_tangents(&self) -> bool {
        (0..self.n_contacts()).any(|i| self.n_tangents(i) > 0)
    }

    /// g_i(q, t); NaN where such a contact does not exist at q.
    fn gap(&self, i: usize, q: &[f64], t: f64) -> f64;

    /// u_N = ġ_i; NaN where such a contact does not exist at q.
    fn gap_rate(&self, i: usize, q: &[f64], v: &[f64], t: f64) -> f64;

    /// row ← the entries of ġ_i − ∂g_i/∂t on the velocities, (velocity, entry), each velocity at most once.
    fn gap_row(&self, i: usize, q: &[f64], row: &mut Vec<(usize, f64)>);

    /// u_T of contact i, zero beyond the tangents it has.
    fn tangent_rate(&self, i: usize, q: &[f64], v: &[f64]) -> [f64; 2];

    /// The size of the terms whose difference g_i is: the unit of its round-off.
    fn gap_terms(&self, i: usize, q: &[f64]) -> f64;

    /// w_i = Σ_k row_k² / M_kk [1/kg]: how much an impulse changes the velocity of its contact, the coupling of masses aside.
    fn mobility(&self, i: usize, q: &[f64]) -> f64;

    /// g_j(q) of joint j, zero when satisfied.
    fn joint(&self, j: usize, q: &[f64]) -> f64;

    /// Rate of joint j.
    fn joint_rate(&self, j: usize, q: &[f64], v: &[f64]) -> f64;

    /// row ← the entries of the rate of joint j on the velocities, (velocity, entry), each velocity at most once.
    fn joint_row(&self, j: usize, q: &[f64], row: &mut Vec<(usize, f64)>);

    /// How far q is from satisfying joint j, whatever the scale in which the joint is written.
    fn joint_distance(&self, j: usize, q: &[f64]) -> f64;

    /// The sizes of the terms whose differences joint j and its rate are: the units of their round-off.
    fn joint_terms(&self, j: usize, q: &[f64], v: &[f64]) -> [f64; 2];

    /// ½ vᵀM v.
    fn kinetic_energy(&self, q: &[f64], v: &[f64]) -> f64;

    /// V(q).
    fn potential_energy(&self, q: &[f64]) -> f64;

    /// What has no finite value at a state — a load, a force, an energy, a gap — where something has none: the reason of a step that
    /// could not be made.
    fn undefined(&self, q: &[f64], v: &[f64], t: f64) -> Option<String>;

    /// A contact whose obstacle moves and is nowhere at t: its gap is infinite or no number.
    fn lost_obstacle(&self, _q: &[f64], _t: f64) -> Option<usize> {
        None
    }

    /// What coordinate k is called.
    fn coordinate_name(&self, k: usize) -> String {
        format!("q{k}")
    }

    /// What velocity k is called.
    fn velocity_name(&self, k: usize) -> String {
        format!("v{k}")
    }

    /// How thick what touches at contact i is, halved: overlaps are measured by it; infinite where that means nothing [m].
    fn half_thickness(&self, _i: usize) -> f64 {
        f64::INFINITY
    }

    /// What contact i is called.
    fn contact_name(&self, i: usize) -> String {
        format!("contact {i}")
    }

    /// Whether the gap of contact i is an angle [rad] and its impulse that of a moment [N·m·s].
    fn is_angular(&self, _i: usize) -> bool {
        false
    }

    /// What joint j is called.
    fn joint_name(&self, j: usize) -> String {
        format!("joint {j}")
    }

    /// Refuses laws of contact that make no sense, where the model could be made without asking.
    fn check_laws(&self) -> Result<(), InputError>;

    /// Refuses a start at which some motion that the joints allow has no inertia.
    fn check_inertia(&self, q: &[f64]) -> Result<(), InputError>;

    /// Refuses gaps that are negative by more than round-off at t = 0.
    fn check_gaps(&self, q: &[f64]) -> Result<(), InputError> {
        start::check_gaps(self, q)
    }

    /// Refuses joints that are violated, in position or velocity, by more than round-off.
    fn check_joints(&self, q: &[f64], v: &[f64]) -> Result<(), InputError> {
        start::check_joints(self, q, v)
    }

    /// Refuses a state in which the motion cannot begin: numbers that are not finite, motion without inertia, penetration,
    /// violated joints.
    fn check_start(&self, q: &[f64], v: &[f64]) -> Result<(), InputError> {
        start::check_finite(self, q, v)?;
        self.check_inertia(q)?;
        self.check_gaps(q)?;
        self.check_joints(q, v)
    }
}

/// Σ row_k x_k.
fn row_product(row: &[(usize, f64)], x: &[f64]) -> f64 {
    row.iter().map(|&(k, a)| a * x[k]).sum()
}

/// ‖(row_k x_k)‖, the size of the terms of a row's product.
fn row_terms(row: &[(usize, f64)], x: &[f64]) -> f64 {
    let entries: Vec<f64> = row.iter().map(|&(k, a)| a * x[k]).collect();
    percussion_matrix::vector::norm(&entries)
}
