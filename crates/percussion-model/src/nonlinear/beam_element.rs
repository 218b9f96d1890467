//! A two-node element of the planar geometrically exact Timoshenko beam, one Gauss point.
//!
//!   T = (θ₁ + θ₂)/2,   X = (x₂ − x₁)/L,   Y = (y₂ − y₁)/L,
//!   Γ₁ = X cos T + Y sin T − 1,   Γ₂ = −X sin T + Y cos T,   κ = (θ₂ − θ₁)/L,
//!   V = L/2 (EA Γ₁² + GA₂ Γ₂² + EI κ²),   ∂V/∂q = L Bᵀ D ε,   B = ∂ε/∂q
//!
//! Coordinates of an element: q = (x₁, y₁, θ₁, x₂, y₂, θ₂). Strains do not change under rigid motions.

use percussion_matrix::math;

/// Length and stiffnesses of an element; D = diag(EA, GA₂, EI).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamElement {
    /// L, length without load [m].
    pub length: f64,
    /// EA [N].
    pub axial: f64,
    /// GA₂, shear stiffness with the reduced area [N].
    pub shear: f64,
    /// EI [N·m²].
    pub bending: f64,
}

/// (X, Y, T): slopes of the axis and mean rotation.
#[inline]
pub(crate) fn slopes(L: f64, q: &[f64; 6]) -> (f64, f64, f64) {
    ((q[3] - q[0]) / L, (q[4] - q[1]) / L, 0.5 * (q[2] + q[5]))
}

impl BeamElement {
    /// ε = (Γ₁, Γ₂, κ): stretch, shear, curvature.
    #[inline]
    pub fn strain(&self, q: &[f64; 6]) -> [f64; 3] {
        let (X, Y, T) = slopes(self.length, q);
        let (s, c) = math::sin_cos(T);
        [c * X + s * Y - 1.0, c * Y - s * X, (q[5] - q[2]) / self.length]
    }

    /// n = D ε: normal force, shear force, bending moment.
    #[inline]
    pub fn stress(&self, strain: &[f64; 3]) -> [f64; 3] {
        [self.axial * strain[0], self.shear * strain[1], self.bending * strain[2]]
    }

    /// V, the strain energy [J].
    pub fn energy(&self, q: &[f64; 6]) -> f64 {
        let strain = self.strain(q);
        let stress = self.stress(&strain);
        0.5 * self.length * (strain[0] * stress[0] + strain[1] * stress[1] + strain[2] * stress[2])
    }

    /// B = ∂ε/∂q, 3 × 6.
    pub fn strain_gradient(&self, q: &[f64; 6]) -> [[f64; 6]; 3] {
        let (s, c) = math::sin_cos(0.5 * (q[2] + q[5]));
        let [stretch, shear, _] = self.strain(q);
        gradient_rows(self.length, c, s, shear, -(1.0 + stretch))
    }

    /// ∂V/∂q = L Bᵀ D ε: the force needed to hold the element in q.
    pub fn internal_force(&self, q: &[f64; 6]) -> [f64; 6] {
        weighted_rows(self.length, &self.strain_gradient(q), &self.stress(&self.strain(q)))
    }

    /// ∂²V/∂q² = L Bᵀ D B + Σ L n ∂²ε/∂q², symmetric.
    pub fn tangent(&self, q: &[f64; 6]) -> [[f64; 6]; 6] {
        let B = self.strain_gradient(q);
        let strain = self.strain(q);
        let [N, Q, _] = self.stress(&strain);
        let (s, c) = math::sin_cos(0.5 * (q[2] + q[5]));
        let mut K = self.material_tangent(&B, &B, 1.0);

        // geometric part: only the rotations turn the directions of stretch and shear
        let x_theta = -0.5 * (N * s + Q * c);
        let y_theta = 0.5 * (N * c - Q * s);
        let theta_theta = -0.25 * self.length * (N * (1.0 + strain[0]) + Q * strain[1]);
        for theta in [2, 5] {
            for (i, x) in [(3, x_theta), (0, -x_theta), (4, y_theta), (1, -y_theta)] {
                K[i][theta] += x;
                K[theta][i] += x;
            }
            K[theta][2] += theta_theta;
            K[theta][5] += theta_theta;
        }
        K
    }

    /// factor · L Aᵀ D B.
    pub(crate) fn material_tangent(&self, A: &[[f64; 6]; 3], B: &[[f64; 6]; 3], factor: f64) -> [[f64; 6]; 6] {
        let D = self.stress(&[1.0; 3]).map(|d| factor * self.length * d);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| D[0] * A[0][i] * B[0][j] + D[1] * A[1][i] * B[1][j] + D[2] * A[2][i] * B[2][j])
        })
    }
}

/// The three rows of B, or of its discrete counterpart: c, s as they multiply X and Y, and ∂Γ/∂T of both strains.
#[inline]
pub(crate) fn gradient_rows(L: f64, c: f64, s: f64, stretch_T: f64, shear_T: f64) -> [[f64; 6]; 3] {
    let (a, b) = (0.5 * stretch_T, 0.5 * shear_T);
    [
        [-c / L, -s / L, a, c / L, s / L, a],
        [s / L, -c / L, b, -s / L, c / L, b],
        [0.0, 0.0, -1.0 / L, 0.0, 0.0, 1.0 / L],
    ]
}

/// L Bᵀ n.
#[inline]
pub(crate) fn weighted_rows(L: f64, B: &[[f64; 6]; 3], n: &[f64; 3]) -> [f64; 6] {
    std::array::from_fn(|i| L * (B[0][i] * n[0] + B[1][i] * n[1] + B[2][i] * n[2]))
}
