//! CRC-64/XZ: whether bytes came back as they went.
//!
//!   reflected polynomial 0xC96C5795D7870F42, all bits set before and inverted after; eight bytes at a time

const POLYNOMIAL: u64 = 0xc96c_5795_d787_0f42;

const TABLES: [[u64; 256]; 8] = tables();

const fn tables() -> [[u64; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        k += 1;
    }
    tables
}

/// A checksum being formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crc64(u64);

impl Default for Crc64 {
    fn default() -> Self {
        Self(u64::MAX)
    }
}

impl Crc64 {
    /// Of bytes in one piece.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut crc = Self::default();
        crc.add(bytes);
        crc.value()
    }

    /// Goes on from a value.
    pub fn from_value(value: u64) -> Self {
        Self(!value)
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        let mut crc = self.0;
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            let x = (crc ^ u64::from_le_bytes(*eight)).to_le_bytes();
            crc = 0;
            for (k, byte) in x.into_iter().enumerate() {
                crc ^= TABLES[7 - k][usize::from(byte)];
            }
        }
        for &byte in rest {
            crc = (crc >> 8) ^ TABLES[0][usize::from(crc as u8 ^ byte)];
        }
        self.0 = crc;
    }

    /// The checksum so far.
    pub fn value(self) -> u64 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of the standard, whole and in pieces, and one bit that matters.
    #[test]
    fn the_standards_value() {
        assert_eq!(Crc64::of(b"123456789"), 0x995d_c9bb_df19_39fa);
        let bytes: Vec<u8> = (0..1000_u32).map(|i| (i * i % 251) as u8).collect();
        for cut in [0, 1, 7, 8, 9, 500, 999] {
            let mut crc = Crc64::default();
            crc.add(&bytes[..cut]);
            let mut later = Crc64::from_value(crc.value());
            later.add(&bytes[cut..]);
            assert_eq!(later.value(), Crc64::of(&bytes), "cut at {cut}");
        }
        let mut other = bytes.clone();
        other[617] ^= 4;
        assert_ne!(Crc64::of(&other), Crc64::of(&bytes));
    }
}
