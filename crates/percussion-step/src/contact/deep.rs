//! Contacts that have come deep into each other and push on: held where they are.
//!
//! A law on velocities keeps U_{k+1} = −e U_k, and the step moves by U_{k+θ} = θ U_{k+1} + (1 − θ) U_k. Where bodies turn, the velocities that a lasting
//! contact had along the normal of one step approach along that of the next, U_k = −h a with a the acceleration of its point: with e = 0 it sinks by
//! (1 − θ) h² a in every step, for as long as the body rolls or spins. Such a contact, once it is deeper than a tenth of ℓ (in a joint with play of its clearance), is held as one that opens is:
//!
//!   ê = (1 − θ)/θ  ⟹  U_{k+θ} = 0
//!
//! It sinks no further, and its impulse does no work, so that every theorem on the energy stays.

use crate::bodies::swept::NOTICED;
use crate::{Activation, PersistentContact};
use percussion_matrix::parts::made_by;
use percussion_model::bodies::{Bodies, ContactPoint};

/// ℓ of the bodies, and which contacts of a step are held.
#[derive(Debug)]
pub struct DeepContacts {
    /// Half-thickness of each body; infinite where a shape has none [m].
    thickness: Vec<f64>,
    /// Whether the rule is `hold`.
    holds: bool,
    held: Vec<bool>,
}

impl DeepContacts {
    /// Of a scene; other rules than `hold` hold nothing.
    pub fn new(scene: &Bodies, activation: Activation) -> Self {
        let holds = activation == Activation::Hold;
        let of = |l: f64| if l > 0.0 { l } else { f64::INFINITY };
        let thickness = scene.bodies().iter().map(|body| of(body.shape.half_thickness(scene.is_planar()))).collect();
        Self { thickness, holds, held: Vec::new() }
    }

    /// Before the contacts of a step.
    pub fn clear(&mut self) {
        self.held.clear();
    }

    /// ℓ of a contact: the thinner of its two bodies; in a joint the clearance of its play, and none at a single stop.
    pub fn length(&self, scene: &Bodies, id: u64, bodies: [usize; 2]) -> f64 {
        match scene.joint_of(id) {
            Some(_) => scene.joint_clearance(id).unwrap_or(f64::INFINITY),
            None => bodies.map(|i| self.thickness[i]).into_iter().fold(f64::INFINITY, f64::min),
        }
    }

    /// The next contact: its ℓ and gap, and what it was a step before.
    pub fn add(&mut self, l: f64, gap: f64, before: Option<&PersistentContact>) {
        self.held.push(self.is_held(l, gap, before));
    }

    /// All contacts of a step; `before` is what each was a step before.
    pub fn hold<'a>(
        &mut self,
        scene: &Bodies,
        points: &[ContactPoint],
        threads: usize,
        before: impl Fn(usize) -> Option<&'a PersistentContact> + Sync,
    ) {
        let mut held = std::mem::take(&mut self.held);
        made_by(&mut held, points.len(), threads, |i| {
            let point = &points[i];
            self.is_held(self.length(scene, point.id, point.bodies), point.gap, before(i))
        });
        self.held = held;
    }

    fn is_held(&self, l: f64, gap: f64, before: Option<&PersistentContact>) -> bool {
        let pushed = before.is_some_and(|contact| contact.p[0] > 0.0);
        self.holds && pushed && l.is_finite() && gap < -NOTICED * l
    }

    /// ê of a contact whose ê is e by its law.
    pub fn restitution(&self, i: usize, e: f64, e_open: f64) -> f64 {
        if self.held[i] { e.max(e_open) } else { e }
    }
}
