//! A contact between bodies as a step leaves it: impulses and velocities of all its components.

use crate::bodies::rolling;
use crate::{ContactState, PersistentContact, Tangential};

/// A contact at the end of a step; lists hold its components, normal, tangents, and turning times ℓ.
pub struct Ending<'a> {
    /// Impulses [N·s].
    pub r: &'a [f64],
    /// Velocities before [m/s] …
    pub before: &'a [f64],
    /// … and after [m/s].
    pub after: &'a [f64],
    /// Number of tangents.
    pub tangents: usize,
    /// Whether it has friction, in its tangent plane or against rolling.
    pub frictional: bool,
    /// ℓ, where it has components of turning [m].
    pub length: Option<f64>,
    /// Whether Frémond's law was used.
    pub fremond: bool,
}

impl Ending<'_> {
    /// The contact's normal part into `c`; what it did in its tangent plane, stick and slip to be judged.
    pub fn conclude(&self, c: &mut ContactState) -> Tangential {
        let (n, Self { r, before, after, .. }) = (self.tangents, self);
        c.p = r[0];
        c.u_after = after[0];
        let mut tangential = Tangential { n, fremond: self.fremond, frictional: self.frictional, ..Default::default() };
        tangential.u_before[..n].copy_from_slice(&before[1..=n]);
        tangential.u_after[..n].copy_from_slice(&after[1..=n]);
        tangential.p[..n].copy_from_slice(&r[1..=n]);
        if let Some(length) = self.length {
            rolling::conclude(&mut tangential, length, before, after, r);
        }
        tangential
    }

    /// What the next step is told of it; `push` is W_NN p, the velocity the impulse gave its own contact [m/s].
    pub fn persistent(&self, id: u64, push: f64) -> PersistentContact {
        let mut p = [0.0; 5];
        p[..self.r.len()].copy_from_slice(self.r);
        PersistentContact { id, p, push, ..Default::default() }
    }
}
