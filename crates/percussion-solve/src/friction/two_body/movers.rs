//! Bodies as the sweeps meet them: velocity, 1/m, angular velocity, 1/I of balls, in one line of the cache each.
//!
//! A thread alone has them to itself; a team shares them, where the contacts of one colour touch no body twice.

use crate::friction::two_body::lanes::{LANES, Lanes, Lanes3};
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
pub(crate) fn gather(movers: &impl Movers, bodies: &[u32; LANES]) -> [Lanes3; 2] {
    let lanes = |k: usize| Lanes::new(bodies.map(|i| movers.get(i as usize, k)));
    [[lanes(0), lanes(1), lanes(2)], [lanes(4), lanes(5), lanes(6)]]
}

/// The way back.
#[inline(always)]
pub(crate) fn scatter(movers: &mut impl Movers, bodies: &[u32; LANES], v: &Lanes3, w: &Lanes3) {
    let (v, w) = (v.map(Lanes::to_array), w.map(Lanes::to_array));
    for l in 0..LANES {
        movers.put(bodies[l] as usize, v.map(|x| x[l]), w.map(|x| x[l]));
    }
}
