//! A fingerprint of a trajectory: equal bits, equal hash.

/// Mixes 64-bit words one after the other (multiply, rotate, xor; finished as splitmix64). Not cryptographic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHash(u64);

impl Default for StateHash {
    fn default() -> Self {
        Self(0x243f_6a88_85a3_08d3)
    }
}

impl StateHash {
    /// Adds numbers by their bits.
    #[inline]
    pub fn add(&mut self, numbers: &[f64]) {
        for x in numbers {
            self.0 = (self.0 ^ x.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    }

    /// The fingerprint as 16 hexadecimal digits.
    pub fn finish(&self) -> String {
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        format!("{:016x}", x ^ (x >> 31))
    }
}

impl crate::Pack for StateHash {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        crate::Pack::unpack(from).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One bit in one number changes the fingerprint, and so does the order.
    #[test]
    fn one_bit_matters() {
        let hash = |numbers: &[f64]| {
            let mut hash = StateHash::default();
            hash.add(numbers);
            hash.finish()
        };
        assert_eq!(hash(&[1.0, 2.0]), hash(&[1.0, 2.0]));
        assert_ne!(hash(&[1.0, 2.0]), hash(&[1.0 + f64::EPSILON, 2.0]));
        assert_ne!(hash(&[1.0, 2.0]), hash(&[2.0, 1.0]));
    }
}
