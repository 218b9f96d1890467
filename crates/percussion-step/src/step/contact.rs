//! What the contacts of a step did: normal and tangential velocities, impulses, open, closed, stick or slip.

use crate::Step;
use percussion_matrix::parts::{in_parts, largest_by};
use percussion_model::bodies::math::{add, scale};
use percussion_model::bodies::{ContactPoint, Frame};
use percussion_solve::friction::ContactStatus;

/// One contact of the index set after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactState {
    /// The contact's number.
    pub id: usize,
    /// g at the end of the step [m].
    pub gap: f64,
    /// U_k, normal velocity before [m/s].
    pub u_before: f64,
    /// Normal velocity the step would end with without impulses [m/s].
    pub u_free: f64,
    /// U_{k+1}, normal velocity after [m/s].
    pub u_after: f64,
    /// P [N·s].
    pub p: f64,
}

impl ContactState {
    /// A contact of the index set at the start of a step.
    #[inline]
    pub(crate) fn before(id: usize, gap: f64, u: f64) -> Self {
        Self { id, gap, u_before: u, u_free: u, u_after: u, p: 0.0 }
    }

    /// Open or closed, whatever happens along the contact.
    pub fn status(&self) -> ContactStatus {
        if self.p > 0.0 { ContactStatus::Closed } else { ContactStatus::Open }
    }
}

/// What a contact of the index set did in its tangent plane in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tangential {
    /// Number of tangents.
    pub n: usize,
    /// u_T before [m/s]; zero beyond the tangents there are.
    pub u_before: [f64; 2],
    /// u_T after [m/s].
    pub u_after: [f64; 2],
    /// p_T [N·s].
    pub p: [f64; 2],
    /// Open, stick or slip, judged on the velocity of the law; closed where μ = 0.
    pub status: ContactStatus,
    /// Whether Frémond's law was used.
    pub fremond: bool,
    /// Whether it has friction, μ > 0 or μ_r > 0.
    pub frictional: bool,
    /// Number of axes about which rolling is resisted: the tangents, the one axis of the plane, or none.
    pub n_rolling: usize,
    /// Relative angular velocity about them, before [rad/s].
    pub w_before: [f64; 2],
    /// The same after [rad/s].
    pub w_after: [f64; 2],
    /// Moment of rolling friction over the step [N·m·s].
    pub m: [f64; 2],
}

/// Where two bodies touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPlace {
    /// a and b: impulses are those on a.
    pub bodies: [usize; 2],
    /// World place [m] and unit normal, towards a, with which the impulse of the step acted: in its middle where θ = ½, else where it
    /// began; none for the stop of a joint.
    pub at: Option<([f64; 3], [f64; 3])>,
}

impl ContactPlace {
    /// Midway between the surfaces of two bodies in these frames.
    #[inline]
    pub(crate) fn of(point: &ContactPoint, frames: &[Frame]) -> Self {
        let on = |side: usize| add(&frames[point.bodies[side]].x, &point.arms[side]);
        Self { bodies: point.bodies, at: Some((scale(0.5, &add(&on(0), &on(1))), point.normal)) }
    }
}

/// What a joint did to its bodies over a step, motors and springs in it included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointReaction {
    /// The joint's number.
    pub joint: usize,
    /// Impulse on body b [N·s], world frame.
    pub force: [f64; 3],
    /// Its moment about the anchor [N·m·s], world frame.
    pub moment: [f64; 3],
    /// Both in the frame of body b in the middle of the step.
    pub own: [[f64; 3]; 2],
}

impl JointReaction {
    /// Adds c times what the same joint did besides.
    pub fn add(&mut self, c: f64, more: &Self) {
        let [force, moment] = &mut self.own;
        let sums = [&mut self.force, &mut self.moment, force, moment];
        for (sum, x) in sums.into_iter().zip([&more.force, &more.moment, &more.own[0], &more.own[1]]) {
            for k in 0..3 {
                sum[k] += c * x[k];
            }
        }
    }

    /// Adds c times what joints did, joint by joint; nothing yet is an empty list.
    pub fn accumulate(sums: &mut Vec<Self>, c: f64, more: &[Self]) {
        if sums.is_empty() {
            sums.extend(more.iter().map(|r| Self { joint: r.joint, ..Self::default() }));
        }
        for (sum, more) in sums.iter_mut().zip(more) {
            sum.add(c, more);
        }
    }
}

/// Judges stick and slip at the contacts of a step, whose last problem was solved to its residual. `of` gives μ and W_NN p of
/// each, `alpha` is Frémond's α.
pub(crate) fn judge(step: &mut Step, alpha: f64, of: impl Fn(usize) -> (f64, f64) + Sync) {
    judge_by(step, alpha, 1, of);
}

/// The same on so many threads.
pub(crate) fn judge_by(step: &mut Step, alpha: f64, threads: usize, of: impl Fn(usize) -> (f64, f64) + Sync) {
    let scale = largest_by(step.contacts.len(), threads, |i| of(i).1);
    let (contacts, residual) = (&step.contacts, step.info.residual);
    in_parts(&mut step.friction, 1, threads, |first, friction| {
        for (i, tangential) in (first..).zip(friction) {
            tangential.judge(of(i).0, contacts[i].p, alpha, (scale, residual));
        }
    });
}

impl Tangential {
    /// Judges stick and slip of a contact with friction μ and normal impulse p on the velocity of its law,
    /// u_T,k+1 + α u_T,k under Frémond's law and u_T,k+1 else; scale and residual as for `ContactStatus::judge`.
    fn judge(&mut self, mu: f64, p: f64, alpha: f64, (scale, residual): (f64, f64)) {
        let alpha = if self.fremond { alpha } else { 0.0 };
        let w = |k: usize| self.u_after[k] + alpha * self.u_before[k];
        self.status = ContactStatus::judge(mu, &[p, self.p[0], self.p[1]], &[0.0, w(0), w(1)], scale, residual);
    }

    /// p_T·((1−c) u_T,k + c u_T,k+1), and the same of the moment of rolling friction.
    #[inline]
    pub fn work(&self, c: f64) -> f64 {
        let mut sum = 0.0;
        for k in 0..2 {
            sum += self.p[k] * ((1.0 - c) * self.u_before[k] + c * self.u_after[k]);
        }
        for k in 0..self.n_rolling {
            sum += self.m[k] * ((1.0 - c) * self.w_before[k] + c * self.w_after[k]);
        }
        sum
    }
}

crate::packed! {
    ContactPlace { bodies, at }
    JointReaction { joint, force, moment, own }
    ContactState { id, gap, u_before, u_free, u_after, p }
    Tangential { n, u_before, u_after, p, status, fremond, frictional, n_rolling, w_before, w_after, m }
}
crate::run::pack::packed_cases! { ContactStatus { Open, Closed, Stick, Slip } }
