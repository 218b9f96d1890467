//! Where the points of a sweep lie in the unit cube, each from the seed and its own number alone.
//!
//!   random: x_ij = hash(seed, i, j);    latin-hypercube: x_ij = (π_j(i) + hash(seed, i, j)) / n,  π_j a permutation

use super::sobol;

/// How points are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All combinations, the last parameter fastest.
    Grid,
    /// Independent points.
    Random,
    /// One point in each of n slices of every parameter.
    LatinHypercube,
    /// A sequence of low discrepancy.
    Sobol,
}

impl Method {
    /// Every method, in the order of `NAMES`.
    pub const ALL: [Self; 4] = [Self::Grid, Self::Random, Self::LatinHypercube, Self::Sobol];
    /// Their words.
    pub const NAMES: [&'static str; 4] = ["grid", "random", "latin-hypercube", "sobol"];
}

/// SplitMix64's finaliser: every bit of the input moves every bit of the output.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The seed of run i, below 2⁵³ so that every language reads the same number.
pub fn run_seed(seed: u64, i: u64) -> u64 {
    mix(mix(seed.wrapping_add(GOLDEN)).wrapping_add(i.wrapping_mul(GOLDEN))) >> 11
}

/// A number in [0, 1) for parameter j of run i.
fn uniform(seed: u64, i: u64, j: usize) -> f64 {
    let bits = mix(run_seed(seed, i).wrapping_add(GOLDEN.wrapping_mul(j as u64 + 1)));
    (bits >> 11) as f64 / 9_007_199_254_740_992.0
}

/// The points of a design of n points in some dimensions.
#[derive(Clone, Debug)]
pub struct Design {
    method: Method,
    seed: u64,
    n: u64,
    /// Slices of a Latin hypercube, by parameter.
    permutations: Vec<Vec<u32>>,
}

impl Design {
    /// For n points in so many dimensions.
    pub fn new(method: Method, seed: u64, n: u64, dimensions: usize) -> Self {
        let mut permutations = Vec::new();
        if method == Method::LatinHypercube {
            for j in 0..dimensions {
                let mut order: Vec<u32> = (0..n as u32).collect();
                // Fisher and Yates, on a stream of its own per parameter
                let stream = mix(seed ^ mix(GOLDEN.wrapping_mul(j as u64 + 1)));
                for k in (1..order.len()).rev() {
                    let draw = mix(stream.wrapping_add(GOLDEN.wrapping_mul(k as u64)));
                    order.swap(k, ((u128::from(draw) * (k as u128 + 1)) >> 64) as usize);
                }
                permutations.push(order);
            }
        }
        Self { method, seed, n, permutations }
    }

    /// Coordinate j of point i, in [0, 1); for methods other than the grid.
    pub fn at(&self, i: u64, j: usize) -> f64 {
        match self.method {
            Method::Grid | Method::Random => uniform(self.seed, i, j),
            Method::LatinHypercube => {
                let slice = f64::from(self.permutations[j][i as usize]);
                (slice + uniform(self.seed, i, j)) / self.n as f64
            }
            Method::Sobol => sobol::point(i, j),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One point in each slice of every parameter, and not the same order in two.
    #[test]
    fn latin_hypercube_is_latin() {
        let (n, d) = (50, 4);
        let design = Design::new(Method::LatinHypercube, 3, n, d);
        let slices = |j: usize| (0..n).map(|i| (n as f64 * design.at(i, j)) as usize).collect::<Vec<_>>();
        for j in 0..d {
            let mut sorted = slices(j);
            sorted.sort_unstable();
            assert_eq!(sorted, (0..n as usize).collect::<Vec<_>>());
        }
        assert_ne!(slices(0), slices(1));
    }

    /// Mean ½ and variance 1/12 to four standard errors, no correlation between neighbours; seeds differ.
    #[test]
    fn random_points_are_uniform() {
        let (n, design) = (20_000, Design::new(Method::Random, 11, 20_000, 2));
        let x: Vec<f64> = (0..n).map(|i| design.at(i, 0) - 0.5).collect();
        let mean = |f: &dyn Fn(usize) -> f64| (0..n as usize - 1).map(f).sum::<f64>() / (n - 1) as f64;
        let bound = 4.0 / (n as f64).sqrt();
        assert!(mean(&|i| x[i]).abs() < bound * 0.29);
        assert!((mean(&|i| x[i] * x[i]) - 1.0 / 12.0).abs() < bound * 0.075);
        assert!(mean(&|i| x[i] * x[i + 1]).abs() < bound / 12.0);
        assert!(mean(&|i| x[i] * (design.at(i as u64, 1) - 0.5)).abs() < bound / 12.0);
        assert_ne!(run_seed(1, 0), run_seed(2, 0));
    }
}
