//! Bodies as the sweeps meet them: velocity, 1/m, angular velocity, 1/I of balls, in one line of the cache each.
//!
//! A thread alone has them to itself; a team shares them, where the contacts of one colour touch no body twice.

use crate::friction::two_body::lanes::{Four, LANES, Lanes, kept_three};
use crate::friction::two_body::team::Number;

/// A body of a thread alone.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Mover(pub [f64; 8]);

/// A body of a team.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct SharedMover(pub [Number; 8]);

/// Places of velocity and angular velocity.
pub(crate) const MOVING: [usize; 6] = [0, 1, 2, 4, 5, 6];

/// The bodies, whoever has them.
pub(crate) trait Movers {
    /// Number k of a body.
    fn get(&self, body: usize, k: usize) -> f64;

    /// Sets velocity and angular velocity.
    fn put(&mut self, body: usize, v: [f64; 3], w: [f64; 3]);
}

impl Movers for &mut [Mover] {
    #[inline(always)]
    fn get(&self, body: usize, k: usize) -> f64 {
        self[body].0[k]
    }

    #[inline(always)]
    fn put(&mut self, body: usize, v: [f64; 3], w: [f64; 3]) {
        let mover = &mut self[body].0;
        mover[..3].copy_from_slice(&v);
        mover[4..7].copy_from_slice(&w);
    }
}

impl Movers for &[SharedMover] {
    #[inline(always)]
    fn get(&self, body: usize, k: usize) -> f64 {
        self[body].0[k].get()
    }

    #[inline(always)]
    fn put(&mut self, body: usize, v: [f64; 3], w: [f64; 3]) {
        // the ground, last of all, does not move: written by every thread its line would wander from core to core
        if body + 1 < self.len() {
            let mover = &self[body].0;
            for k in 0..3 {
                mover[k].set(v[k]);
                mover[4 + k].set(w[k]);
            }
        }
    }
}

/// Velocities and angular velocities of the bodies of four contacts.
#[inline(always)]
pub(crate) fn gather<F: Four>(means: F::Means, movers: &impl Movers, bodies: &[u32; LANES]) -> [[F; 3]; 2] {
    let [a, b, c, d] = *bodies;
    let at = [a as usize, b as usize, c as usize, d as usize];
    [
        [four(means, movers, at, 0), four(means, movers, at, 1), four(means, movers, at, 2)],
        [four(means, movers, at, 4), four(means, movers, at, 5), four(means, movers, at, 6)],
    ]
}

/// Number k of four bodies.
#[inline(always)]
fn four<F: Four>(means: F::Means, movers: &impl Movers, [a, b, c, d]: [usize; LANES], k: usize) -> F {
    F::of(means, Lanes::new([movers.get(a, k), movers.get(b, k), movers.get(c, k), movers.get(d, k)]))
}

/// The way back.
#[inline(always)]
pub(crate) fn scatter<F: Four>(movers: &mut impl Movers, bodies: &[u32; LANES], v: &[F; 3], w: &[F; 3]) {
    let ([x, y, z], [a, b, c]) = (kept_three(v), kept_three(w));
    let (x, y, z) = (x.to_array(), y.to_array(), z.to_array());
    let (a, b, c) = (a.to_array(), b.to_array(), c.to_array());
    for l in 0..LANES {
        movers.put(bodies[l] as usize, [x[l], y[l], z[l]], [a[l], b[l], c[l]]);
    }
}
