//! A law of impact of the user's own: restitution as a function of the approach.
//!
//!   U⁺ = −e(i, |U⁻|) U⁻,    0 ≤ e(i, |U⁻|) ≤ e_i
//!
//! e_i is the contact's own restitution. The law is held to that bound, which the theorems count with: ½ ≤ θ ≤ 1/(1+ē)
//! then promises for every such law what it promises for constants.

/// A named function of the contact's number and its speed of approach [m/s].
#[derive(Clone, Copy)]
pub struct ImpactLaw {
    /// Its name, for messages.
    pub name: &'static str,
    /// e of a contact approached with this speed.
    pub restitution: fn(contact: usize, speed: f64) -> f64,
}

impl ImpactLaw {
    /// e of contact i at normal velocity u, at most `most`; opening contacts have no impact.
    #[inline]
    pub fn at(&self, i: usize, u: f64, most: f64) -> f64 {
        if u < 0.0 { (self.restitution)(i, -u).clamp(0.0, most) } else { most }
    }
}

impl PartialEq for ImpactLaw {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && std::ptr::fn_addr_eq(self.restitution, other.restitution)
    }
}

impl std::fmt::Debug for ImpactLaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ImpactLaw({})", self.name)
    }
}
