//! Random numbers, vectors and frames for tests: the same ones in every run.

use super::rotation;
use crate::bodies::Frame;
use crate::bodies::math::{Vec3, norm, scale};

/// A linear congruential generator (Knuth's MMIX constants).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// In [−1, 1).
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Three numbers in [−1, 1).
    pub fn vector(&mut self) -> Vec3 {
        std::array::from_fn(|_| self.number())
    }

    /// A unit vector.
    pub fn unit(&mut self) -> Vec3 {
        loop {
            let v = self.vector();
            let size = norm(&v);
            if size > 0.1 && size < 1.0 {
                return scale(1.0 / size, &v);
            }
        }
    }

    /// Any place and rotation.
    pub fn frame(&mut self) -> Frame {
        let R = rotation::exp(&scale(3.0, &self.vector()));
        Frame { x: self.vector(), q: rotation::quaternion(&R), R }
    }
}
