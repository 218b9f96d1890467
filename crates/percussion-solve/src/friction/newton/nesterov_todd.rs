//! The scaling of Nesterov and Todd (1997) for one second-order cone {x₀ ≥ ‖x̄‖} of one, two or three components.
//!
//!   F λ⁻-free form:   F y = F⁻¹ x = λ,    F² y = x,    F² = η² (2 w wᵀ − J),    J = diag(1, −1, −1)
//!
//! with η² = √(det x/det y), w = (x̃ + J ỹ)/(2γ), γ² = (1 + x̃·ỹ)/2, where x̃ = x/√det x and det x = x₀² − ‖x̄‖². Products are
//! those of the Jordan algebra, x∘y = (x·y, x₀ȳ + y₀x̄), and with one component those of numbers.

/// A point of the cone; components from the cone's size on are zero.
pub(crate) type Point = [f64; 3];

/// The scaling between x and y, both inside the cone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scaling {
    w: Point,
    eta: f64,
    /// λ = F y = F⁻¹ x.
    pub lambda: Point,
}

/// x₀² − ‖x̄‖², without cancellation near the surface.
pub(crate) fn det(x: &Point) -> f64 {
    let size = (x[1] * x[1] + x[2] * x[2]).sqrt();
    (x[0] - size) * (x[0] + size)
}

/// x · y.
pub(crate) fn dot(x: &Point, y: &Point) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

/// x ∘ y.
pub(crate) fn product(x: &Point, y: &Point) -> Point {
    [dot(x, y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]]
}

/// The c with x ∘ c = d.
pub(crate) fn divide(x: &Point, d: &Point) -> Point {
    let first = (x[0] * d[0] - x[1] * d[1] - x[2] * d[2]) / det(x);
    [first, (d[1] - first * x[1]) / x[0], (d[2] - first * x[2]) / x[0]]
}

/// The largest α ≤ `most` with x + α d in the cone, x inside it.
pub(crate) fn longest(x: &Point, d: &Point, most: f64) -> f64 {
    // det(x + α d) = a α² + 2 b α + c
    let (a, b, c) = (d[0] * d[0] - d[1] * d[1] - d[2] * d[2], x[0] * d[0] - x[1] * d[1] - x[2] * d[2], det(x));
    let mut alpha = most;
    if d[0] < 0.0 {
        alpha = alpha.min(-x[0] / d[0]);
    }
    let root = b * b - a * c;
    if root >= 0.0 {
        // the smaller positive root: c/(−b ± √root), each without cancellation
        let s = root.sqrt();
        let q = if b < 0.0 { -b + s } else { -(b + s) };
        for z in [c / q, q / a] {
            if z > 0.0 && z < alpha {
                alpha = z;
            }
        }
    }
    alpha
}

impl Scaling {
    /// The scaling of x and y.
    pub fn new(x: &Point, y: &Point) -> Self {
        let (dx, dy) = (det(x).sqrt(), det(y).sqrt());
        let (u, v) = (x.map(|x| x / dx), y.map(|y| y / dy));
        let gamma = (0.5 * (1.0 + dot(&u, &v))).sqrt();
        let w = [(u[0] + v[0]) / (2.0 * gamma), (u[1] - v[1]) / (2.0 * gamma), (u[2] - v[2]) / (2.0 * gamma)];
        let mut scaling = Self { w, eta: (dx / dy).sqrt(), lambda: [0.0; 3] };
        scaling.lambda = scaling.times(y);
        scaling
    }

    /// F v.
    pub fn times(&self, v: &Point) -> Point {
        self.apply(v, 1.0).map(|x| self.eta * x)
    }

    /// F⁻¹ v.
    pub fn over(&self, v: &Point) -> Point {
        self.apply(v, -1.0).map(|x| x / self.eta)
    }

    fn apply(&self, v: &Point, sign: f64) -> Point {
        let w = &self.w;
        let along = w[1] * v[1] + w[2] * v[2];
        let tail = sign * v[0] + along / (1.0 + w[0]);
        [w[0] * v[0] + sign * along, v[1] + tail * w[1], v[2] + tail * w[2]]
    }

    /// F⁻² = η⁻² (2 J w (J w)ᵀ − J), by rows: what takes x to y.
    pub fn hessian(&self) -> [Point; 3] {
        let w = [self.w[0], -self.w[1], -self.w[2]];
        let eta2 = self.eta * self.eta;
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let J = if i != j {
                    0.0
                } else if i == 0 {
                    1.0
                } else {
                    -1.0
                };
                (2.0 * w[i] * w[j] - J) / eta2
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inside(x: [f64; 3], n: usize) -> Point {
        let mut x = x;
        x[n..].fill(0.0);
        x[0] = x[0].abs() + (x[1] * x[1] + x[2] * x[2]).sqrt() + 1e-3;
        x
    }

    proptest! {
        /// F y = F⁻¹ x, F⁻² x = y, and c solves λ ∘ c = d; for one, two and three components.
        #[test]
        fn scaling_leads_from_x_to_y(x in prop::array::uniform3(-1.0..1.0f64), y in prop::array::uniform3(-1.0..1.0f64),
                                     d in prop::array::uniform3(-1.0..1.0f64), n in 1..4usize) {
            let (x, y) = (inside(x, n), inside(y, n));
            let mut d = d;
            d[n..].fill(0.0);
            let scaling = Scaling::new(&x, &y);
            let (a, b, h) = (scaling.times(&y), scaling.over(&x), scaling.hessian());
            let c = divide(&scaling.lambda, &d);
            let back = product(&scaling.lambda, &c);
            for k in 0..3 {
                prop_assert!((a[k] - b[k]).abs() < 1e-8 * (1.0 + a[k].abs()));
                if k < n {
                    let z: f64 = (0..n).map(|j| h[k][j] * x[j]).sum();
                    prop_assert!((z - y[k]).abs() < 1e-7 * (1.0 + y[0]));
                }
                prop_assert!((back[k] - d[k]).abs() < 1e-7 * (1.0 + c[0].abs()));
            }
            let alpha = longest(&x, &d, 1e3);
            let at = |t: f64| [x[0] + t * d[0], x[1] + t * d[1], x[2] + t * d[2]];
            prop_assert!(det(&at(0.999 * alpha)) > 0.0 && at(0.999 * alpha)[0] > 0.0);
            if alpha < 1e3 {
                prop_assert!(det(&at(1.001 * alpha)) < 1e-12 || at(1.001 * alpha)[0] < 1e-12);
            }
        }
    }
}
