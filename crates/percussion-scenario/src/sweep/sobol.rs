//! Sobol's sequence in Gray-code order with the direction numbers of Joe and Kuo (2008).
//!
//!   x_i = ⊕_k b_k(i ⊕ i/2) v_k,    2^k v_k = 2 a_1 v_{k−1} ⊕ … ⊕ 2^s v_{k−s} ⊕ v_{k−s}

/// Binary digits of a point.
const BITS: usize = 32;

/// Degree s, coefficients a and the first odd numbers m of each dimension after the first.
const TABLE: &[(usize, u32, &[u32])] = &[
    (1, 0, &[1]),
    (2, 1, &[1, 3]),
    (3, 1, &[1, 3, 1]),
    (3, 2, &[1, 1, 1]),
    (4, 1, &[1, 1, 3, 3]),
    (4, 4, &[1, 3, 5, 13]),
    (5, 2, &[1, 1, 5, 5, 17]),
    (5, 4, &[1, 1, 5, 5, 5]),
    (5, 7, &[1, 1, 7, 11, 19]),
    (5, 11, &[1, 1, 5, 1, 1]),
    (5, 13, &[1, 1, 1, 3, 11]),
    (5, 14, &[1, 3, 5, 5, 31]),
    (6, 1, &[1, 3, 3, 9, 7, 49]),
    (6, 13, &[1, 1, 1, 15, 21, 21]),
    (6, 16, &[1, 3, 1, 13, 27, 49]),
    (6, 19, &[1, 1, 1, 15, 7, 5]),
    (6, 22, &[1, 3, 1, 15, 13, 25]),
    (6, 25, &[1, 1, 5, 5, 19, 61]),
    (7, 1, &[1, 3, 7, 11, 23, 15, 103]),
    (7, 4, &[1, 3, 7, 13, 13, 15, 69]),
];

/// The most parameters a Sobol sweep takes.
pub const DIMENSIONS: usize = TABLE.len() + 1;

/// Coordinate `dimension` of point i, in [0, 1).
pub fn point(i: u64, dimension: usize) -> f64 {
    let v = directions(dimension);
    let gray = i ^ (i >> 1);
    let mut x = 0_u32;
    for (k, v) in v.iter().enumerate() {
        if gray >> k & 1 == 1 {
            x ^= v;
        }
    }
    f64::from(x) / 4_294_967_296.0
}

fn directions(dimension: usize) -> [u32; BITS] {
    let mut v = [0_u32; BITS];
    let Some(&(s, a, m)) = dimension.checked_sub(1).and_then(|k| TABLE.get(k)) else {
        for (k, v) in v.iter_mut().enumerate() {
            *v = 1 << (BITS - 1 - k);
        }
        return v;
    };
    for k in 0..BITS {
        if k < s {
            v[k] = m[k] << (BITS - 1 - k);
            continue;
        }
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for j in 1..s {
            if a >> (s - 1 - j) & 1 == 1 {
                v[k] ^= v[k - j];
            }
        }
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In every dimension, every dyadic interval of length 2⁻⁸ holds one of the first 2⁸ points.
    #[test]
    fn every_interval_once() {
        for dimension in 0..DIMENSIONS {
            let mut seen = [false; 256];
            for i in 0..256 {
                let place = (256.0 * point(i, dimension)) as usize;
                assert!(!std::mem::replace(&mut seen[place], true), "dimension {dimension}");
            }
        }
    }

    /// The first points as Joe and Kuo's program prints them.
    #[test]
    fn first_points() {
        let expected = [[0.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75]];
        for (i, row) in expected.iter().enumerate() {
            for (dimension, x) in row.iter().enumerate() {
                assert_eq!(point(i as u64, dimension), *x);
            }
        }
    }
}
