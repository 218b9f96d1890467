//! Bodies as the sweeps meet them: velocity, 1/m, angular velocity, 1/I of balls, in one line of the cache each.
//!
//! A thread alone has them to itself; a team shares them, where the contacts of one colour touch no body twice.

use crate::friction::two_body::lanes::{Four, LANES, Lanes, beyond};
use crate::friction::two_body::team::Number;

/// A body of a thread alone: two registers of four numbers, copied whole.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Mover(pub [[f64; 4]; 2]);

/// A body of a team.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct SharedMover(pub [Number; 8]);

/// Places of velocity and angular velocity.
pub(crate) const MOVING: [usize; 6] = [0, 1, 2, 4, 5, 6];

/// The four lines of numbers of four bodies: v and 1/m, ω and 1/I.
pub(crate) type Lines<F> = [[F; 4]; 2];

/// The bodies, whoever has them.
pub(crate) trait Movers {
    /// Number k of a body.
    fn get(&self, body: usize, k: usize) -> f64;

    /// Sets velocity and angular velocity.
    fn put(&mut self, body: usize, v: [f64; 3], w: [f64; 3]);

    /// The bodies of four contacts.
    fn gather<F: Four>(&self, means: F::Means, bodies: &[u32; LANES]) -> Lines<F>;

    /// The way back; 1/m and 1/I are those that were gathered.
    fn scatter<F: Four>(&mut self, means: F::Means, bodies: &[u32; LANES], lines: &Lines<F>);

    /// A body as it is.
    fn copied(&self, body: usize) -> Mover {
        let half = |first: usize| std::array::from_fn(|k| self.get(body, first + k));
        Mover([half(0), half(4)])
    }

    /// x ← x + β (x − x_last), x_last ← x for velocity and angular velocity of a body; the other numbers of `last` are its own.
    fn go_beyond<F: Four>(&mut self, means: F::Means, body: usize, last: &mut Mover, beta: f64);
}

impl Movers for &mut [Mover] {
    #[inline(always)]
    fn get(&self, body: usize, k: usize) -> f64 {
        self[body].0[k / 4][k % 4]
    }

    #[inline(always)]
    fn put(&mut self, body: usize, v: [f64; 3], w: [f64; 3]) {
        let mover = &mut self[body].0;
        mover[0][..3].copy_from_slice(&v);
        mover[1][..3].copy_from_slice(&w);
    }

    #[inline(always)]
    fn gather<F: Four>(&self, means: F::Means, [a, b, c, d]: &[u32; LANES]) -> Lines<F> {
        let [a, b, c, d] = [&self[*a as usize].0, &self[*b as usize].0, &self[*c as usize].0, &self[*d as usize].0];
        [F::columns(means, [&a[0], &b[0], &c[0], &d[0]]), F::columns(means, [&a[1], &b[1], &c[1], &d[1]])]
    }

    #[inline(always)]
    fn scatter<F: Four>(&mut self, means: F::Means, bodies: &[u32; LANES], [v, w]: &Lines<F>) {
        let (v, w) = (F::rows(means, v), F::rows(means, w));
        for l in 0..LANES {
            let mover = &mut self[bodies[l] as usize].0;
            F::put(v[l], &mut mover[0]);
            F::put(w[l], &mut mover[1]);
        }
    }

    // 1/m and 1/I come along: x + β (x − x) = x
    #[inline(always)]
    fn go_beyond<F: Four>(&mut self, means: F::Means, body: usize, last: &mut Mover, beta: f64) {
        for (now, last) in self[body].0.iter_mut().zip(&mut last.0) {
            let x = F::get(means, now);
            beyond(means, x, F::get(means, last), beta).put(now);
            x.put(last);
        }
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

    // number by number: no register of four can be read of what threads share
    #[inline(always)]
    fn gather<F: Four>(&self, means: F::Means, bodies: &[u32; LANES]) -> Lines<F> {
        let [a, b, c, d] = *bodies;
        let at = [a as usize, b as usize, c as usize, d as usize];
        [
            [four(means, self, at, 0), four(means, self, at, 1), four(means, self, at, 2), four(means, self, at, 3)],
            [four(means, self, at, 4), four(means, self, at, 5), four(means, self, at, 6), four(means, self, at, 7)],
        ]
    }

    #[inline(always)]
    fn scatter<F: Four>(&mut self, _: F::Means, bodies: &[u32; LANES], [v, w]: &Lines<F>) {
        let (x, y, z) = (v[0].kept().to_array(), v[1].kept().to_array(), v[2].kept().to_array());
        let (a, b, c) = (w[0].kept().to_array(), w[1].kept().to_array(), w[2].kept().to_array());
        for l in 0..LANES {
            self.put(bodies[l] as usize, [x[l], y[l], z[l]], [a[l], b[l], c[l]]);
        }
    }

    #[inline(always)]
    fn go_beyond<F: Four>(&mut self, means: F::Means, body: usize, last: &mut Mover, beta: f64) {
        let mut next = self.copied(body);
        for (next, last) in next.0.iter_mut().zip(&mut last.0) {
            let now = F::get(means, next);
            beyond(means, now, F::get(means, last), beta).put(next);
            now.put(last);
        }
        let [[x, y, z, _], [a, b, c, _]] = next.0;
        self.put(body, [x, y, z], [a, b, c]);
    }
}

/// Number k of four bodies.
#[inline(always)]
fn four<F: Four>(means: F::Means, movers: &&[SharedMover], [a, b, c, d]: [usize; LANES], k: usize) -> F {
    F::of(means, Lanes::new([movers.get(a, k), movers.get(b, k), movers.get(c, k), movers.get(d, k)]))
}
