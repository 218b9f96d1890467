//! A beam element in the plane, exact over a step in (x, y, θ).
//!
//!   φ = θ_b − θ_a,  Θ = (θ_a + θ_b)/2,  p = R(Θ)ᵀD:    L(Γ + e₁) = q(φ) p,   Lκ = φ,   V = ½ L (ε − ε_ref)ᵀC(ε − ε_ref)
//!   Δp = R̄ᵀΔD + (G ΔΘ)ᵀD̄,   G = (R₁ − R₀)/ΔΘ = sinc(ΔΘ/2) J R(Θ̄);    LΔΓ = q̄Δp + p̄ q[φ₀, φ₁]Δφ
//!
//! Work over a step is −ΔV to round-off. With q = 1 this is the element of the pinned planar beam. Angles count whole turns.

use super::plane_stretch::{PlaneStrain, Stretch};
use percussion_matrix::math;

/// A vector of the plane.
type Vec2 = [f64; 2];
/// A 2 × 2 matrix, by rows.
type Mat2 = [[f64; 2]; 2];
/// A 3 × 3 matrix on (Γ₁, Γ₂, κ).
type PlaneMatrix = [[f64; 3]; 3];

/// The two nodes at both ends of a step: x, y, θ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanePassage {
    /// Nodes a and b at the start.
    pub start: [[f64; 3]; 2],
    /// At the end.
    pub end: [[f64; 3]; 2],
}

/// The element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneElement {
    /// How stretch and shear are measured.
    pub strain: PlaneStrain,
    /// L, length without load [m].
    pub length: f64,
    /// C on (Γ₁, Γ₂, κ): diag(EA, GA₂, EI) [N, N·m²].
    pub stiffness: PlaneMatrix,
    /// η, stress per rate of strain.
    pub viscosity: PlaneMatrix,
    /// ε_ref = (Γ + e₁, κ) without stress, (1, 0, 0) where straight.
    pub rest: [f64; 3],
}

/// The element over a step.
#[derive(Clone, Copy, Debug)]
pub struct PlaneStep {
    /// What holds it, on (Δx, Δy, Δθ) of a and b.
    pub force: [[f64; 3]; 2],
    /// n̄ = (N, Q, M).
    pub stress: [f64; 3],
    /// (Γ + e₁, κ) at both ends.
    pub strains: [[f64; 3]; 2],
    q: Stretch,
    /// p at both ends.
    p: [Vec2; 2],
    /// R̄, R₁, G and dG/dΘ₁.
    mean: Mat2,
    end: Mat2,
    slope: Mat2,
    slope_change: Mat2,
    /// D at the end and its mean.
    way_end: Vec2,
    way: Vec2,
    h: f64,
}

impl PlaneElement {
    /// (Γ + e₁, κ).
    pub fn strain(&self, nodes: &[[f64; 3]; 2]) -> [f64; 3] {
        let phi = nodes[1][2] - nodes[0][2];
        let q = Stretch::new(self.strain, [phi; 2]);
        let p = chord(nodes);
        [q.ends[1] * p[0] / self.length, q.ends[1] * p[1] / self.length, phi / self.length]
    }

    /// V [J].
    pub fn energy(&self, nodes: &[[f64; 3]; 2]) -> f64 {
        let strain = self.strain(nodes);
        let e: [f64; 3] = std::array::from_fn(|k| strain[k] - self.rest[k]);
        let n = times(&self.stiffness, &e);
        0.5 * self.length * (e[0] * n[0] + e[1] * n[1] + e[2] * n[2])
    }

    /// Stress and forces over a step of length h.
    #[inline]
    pub fn over_step(&self, passage: &PlanePassage, h: f64) -> PlaneStep {
        let ends = [&passage.start, &passage.end];
        let phi = ends.map(|n| n[1][2] - n[0][2]);
        let angle = ends.map(|n| 0.5 * (n[0][2] + n[1][2]));
        let ways = ends.map(|n| [n[1][0] - n[0][0], n[1][1] - n[0][1]]);
        let R = angle.map(rotation);
        let q = Stretch::new(self.strain, phi);
        let p = [turned_back(&R[0], &ways[0]), turned_back(&R[1], &ways[1])];
        let inverse = 1.0 / self.length;
        let strain = |k: usize| [q.ends[k] * p[k][0] * inverse, q.ends[k] * p[k][1] * inverse, phi[k] * inverse];
        let strains = [strain(0), strain(1)];
        let stress = self.stress(&strains, h);

        // slope of the rotation and how it follows the end: ½ sinc′ J R(Θ̄) − ½ sinc R(Θ̄)
        let half = 0.5 * (angle[1] - angle[0]);
        let (sinc, sinc_slope) = sinc(half);
        let middle = rotation(0.5 * (angle[0] + angle[1]));
        let across = quarter_turned(&middle);
        let slope = across.map(|row| row.map(|x| sinc * x));
        let slope_change =
            std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (sinc_slope * across[i][j] - sinc * middle[i][j])));
        let mean = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (R[0][i][j] + R[1][i][j])));
        let way = [0.5 * (ways[0][0] + ways[1][0]), 0.5 * (ways[0][1] + ways[1][1])];

        // stresses pulled back to (p, φ)
        let pi = [q.mean() * stress[0], q.mean() * stress[1]];
        let p_mean = [0.5 * (p[0][0] + p[1][0]), 0.5 * (p[0][1] + p[1][1])];
        let chi = q.slope * (p_mean[0] * stress[0] + p_mean[1] * stress[1]) + stress[2];
        let f = turned(&mean, &pi);
        let moment = 0.5 * inner(&way, &turned(&slope, &pi));
        let force = [[-f[0], -f[1], moment - chi], [f[0], f[1], moment + chi]];
        PlaneStep { force, stress, strains, q, p, mean, end: R[1], slope, slope_change, way_end: ways[1], way, h }
    }

    #[inline]
    fn stress(&self, strains: &[[f64; 3]; 2], h: f64) -> [f64; 3] {
        let mean: [f64; 3] = std::array::from_fn(|k| 0.5 * (strains[0][k] + strains[1][k]) - self.rest[k]);
        let elastic = times(&self.stiffness, &mean);
        if strains[0] == strains[1] {
            return elastic;
        }
        let rate: [f64; 3] = std::array::from_fn(|k| (strains[1][k] - strains[0][k]) / h);
        let viscous = times(&self.viscosity, &rate);
        std::array::from_fn(|k| elastic[k] + viscous[k])
    }

    /// V₁ − V₀ [J].
    pub fn energy_increment(&self, step: &PlaneStep) -> f64 {
        let [e0, e1] = &step.strains;
        let mean: [f64; 3] = std::array::from_fn(|k| 0.5 * (e0[k] + e1[k]) - self.rest[k]);
        let n = times(&self.stiffness, &mean);
        self.length * ((e1[0] - e0[0]) * n[0] + (e1[1] - e0[1]) * n[1] + (e1[2] - e0[2]) * n[2])
    }

    /// (L/h) ΔεᵀηΔε ≥ 0 [J].
    pub fn dissipation(&self, step: &PlaneStep) -> f64 {
        if step.h == 0.0 {
            return 0.0;
        }
        let change: [f64; 3] = std::array::from_fn(|k| step.strains[1][k] - step.strains[0][k]);
        let n = times(&self.viscosity, &change);
        self.length / step.h * (change[0] * n[0] + change[1] * n[1] + change[2] * n[2])
    }

    /// ∂F/∂(x, y, θ) of a and b at the end of the step; `stress` stands in the geometric part, n̄ makes it exact.
    #[inline]
    pub fn tangent(&self, step: &PlaneStep, stress: &[f64; 3]) -> [[f64; 6]; 6] {
        let K = self.reduced_tangent(step, stress);
        // (D, Θ, φ) of (x_a, y_a, θ_a, x_b, y_b, θ_b)
        let map: [[f64; 6]; 4] = [
            [-1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            [0.0, -1.0, 0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 0.5, 0.0, 0.0, 0.5],
            [0.0, 0.0, -1.0, 0.0, 0.0, 1.0],
        ];
        super::blocks::product_t(&map, &super::blocks::product(&K, &map))
    }

    /// ∂(f, m_Θ, χ)/∂(D, Θ, φ).
    #[inline]
    fn reduced_tangent(&self, step: &PlaneStep, n: &[f64; 3]) -> [[f64; 4]; 4] {
        let PlaneStep { q, p, mean, end, slope, slope_change, way_end, way, h, .. } = step;
        let inverse = 1.0 / self.length;
        let viscous = if *h > 0.0 { 1.0 / h } else { 0.0 };
        let (q_mean, q_end) = (q.mean(), q.ends[1]);
        let p_mean = [0.5 * (p[0][0] + p[1][0]), 0.5 * (p[0][1] + p[1][1])];
        let pi = [q_mean * n[0], q_mean * n[1]];
        let end_across = quarter_turned(end);

        // columns: δD₁, δD₂, δΘ, δφ
        let mut K = [[0.0; 4]; 4];
        for c in 0..4 {
            let dD = [if c == 0 { 1.0 } else { 0.0 }, if c == 1 { 1.0 } else { 0.0 }];
            let (angle, phi) = (if c == 2 { 1.0 } else { 0.0 }, if c == 3 { 1.0 } else { 0.0 });
            let (by_way, by_turn) = (turned_back(end, &dD), turned_back(&end_across, way_end));
            let dp: Vec2 = std::array::from_fn(|k| by_way[k] + angle * by_turn[k]);
            let strain = [
                inverse * (q_end * dp[0] + q.end_slope * p[1][0] * phi),
                inverse * (q_end * dp[1] + q.end_slope * p[1][1] * phi),
                inverse * phi,
            ];
            let (elastic, damped) = (times(&self.stiffness, &strain), times(&self.viscosity, &strain));
            let dn: [f64; 3] = std::array::from_fn(|k| 0.5 * elastic[k] + viscous * damped[k]);
            let dpi: Vec2 = std::array::from_fn(|k| q_mean * dn[k] + 0.5 * q.end_slope * phi * n[k]);

            // f = R̄π, m_Θ = D̄·Gπ, χ = q′(p̄·h) + k
            let (a, b) = (turned(&end_across, &pi), turned(mean, &dpi));
            K[0][c] = 0.5 * angle * a[0] + b[0];
            K[1][c] = 0.5 * angle * a[1] + b[1];
            K[2][c] = 0.5 * inner(&dD, &turned(slope, &pi))
                + angle * inner(way, &turned(slope_change, &pi))
                + inner(way, &turned(slope, &dpi));
            K[3][c] = q.slope_change * phi * (p_mean[0] * n[0] + p_mean[1] * n[1])
                + q.slope * (0.5 * (dp[0] * n[0] + dp[1] * n[1]) + p_mean[0] * dn[0] + p_mean[1] * dn[1])
                + dn[2];
        }
        K
    }
}

/// R(Θ)ᵀD of two nodes.
fn chord(nodes: &[[f64; 3]; 2]) -> Vec2 {
    let R = rotation(0.5 * (nodes[0][2] + nodes[1][2]));
    turned_back(&R, &[nodes[1][0] - nodes[0][0], nodes[1][1] - nodes[0][1]])
}

#[inline]
fn rotation(angle: f64) -> Mat2 {
    let (s, c) = math::sin_cos(angle);
    [[c, -s], [s, c]]
}

/// J A, J = [0 −1; 1 0].
#[inline]
fn quarter_turned(A: &Mat2) -> Mat2 {
    [[-A[1][0], -A[1][1]], A[0]]
}

#[inline]
fn turned(A: &Mat2, x: &Vec2) -> Vec2 {
    [A[0][0] * x[0] + A[0][1] * x[1], A[1][0] * x[0] + A[1][1] * x[1]]
}

#[inline]
fn turned_back(A: &Mat2, x: &Vec2) -> Vec2 {
    [A[0][0] * x[0] + A[1][0] * x[1], A[0][1] * x[0] + A[1][1] * x[1]]
}

#[inline]
fn inner(a: &Vec2, b: &Vec2) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

#[inline]
fn times(A: &PlaneMatrix, x: &[f64; 3]) -> [f64; 3] {
    super::blocks::apply(A, x)
}

/// sin x/x and its derivative.
#[inline]
fn sinc(x: f64) -> (f64, f64) {
    let y = x * x;
    if y < 1e-3 {
        let value = 1.0 - y / 6.0 * (1.0 - y / 20.0 * (1.0 - y / 42.0 * (1.0 - y / 72.0)));
        return (value, -x / 3.0 * (1.0 - y / 10.0 * (1.0 - y / 28.0 * (1.0 - y / 54.0))));
    }
    let (s, c) = math::sin_cos(x);
    (s / x, (c - s / x) / x)
}

#[cfg(test)]
mod tests {
    use super::super::test_tools::Dice;
    use super::*;
    use crate::nonlinear::BeamElement;

    fn diagonal(d: [f64; 3]) -> PlaneMatrix {
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { d[i] } else { 0.0 }))
    }

    fn any(dice: &mut Dice, strain: PlaneStrain, viscous: f64) -> PlaneElement {
        let mut C = diagonal([5.0, 3.0, 2.0]);
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            C[i][j] = 0.5 * dice.number();
            C[j][i] = C[i][j];
        }
        let viscosity = C.map(|row| row.map(|x| viscous * x));
        PlaneElement { strain, length: 0.9, stiffness: C, viscosity, rest: [1.0, 0.05, 0.2] }
    }

    fn passage(dice: &mut Dice, size: f64) -> PlanePassage {
        let mut node = |x: f64| [x + 0.3 * dice.number(), 0.3 * dice.number(), dice.number()];
        let start = [node(0.0), node(1.0)];
        let end = start.map(|n| n.map(|x| x + size * dice.number()));
        PlanePassage { start, end }
    }

    fn work(step: &PlaneStep, p: &PlanePassage) -> f64 {
        let mut sum = 0.0;
        for node in 0..2 {
            for k in 0..3 {
                sum += step.force[node][k] * (p.end[node][k] - p.start[node][k]);
            }
        }
        sum
    }

    /// Work = ΔV + dissipation to round-off, for steps from 1e-6 to 1, both measures, full C and viscosity.
    #[test]
    fn work_is_exact() {
        let mut dice = Dice::new(47);
        for strain in [PlaneStrain::Se3, PlaneStrain::Director] {
            for size in [1e-6, 0.1, 1.0] {
                for _ in 0..100 {
                    let element = any(&mut dice, strain, 0.1);
                    let p = passage(&mut dice, size);
                    let step = element.over_step(&p, 0.5);
                    let increment = element.energy_increment(&step);
                    let direct = element.energy(&p.end) - element.energy(&p.start);
                    let scale = 1.0 + element.energy(&p.end) + element.energy(&p.start);
                    assert!((increment - direct).abs() < 1e-14 * scale);
                    let expected = increment + element.dissipation(&step);
                    assert!((work(&step, &p) - expected).abs() < 1e-14 * scale, "{}", work(&step, &p) - expected);
                    assert!(element.dissipation(&step) >= 0.0);
                }
            }
        }
    }

    /// The tangent against central differences of the force.
    #[test]
    fn tangent_is_the_derivative() {
        let mut dice = Dice::new(53);
        let d = 1e-6;
        for strain in [PlaneStrain::Se3, PlaneStrain::Director] {
            for size in [1e-5, 0.5] {
                let element = any(&mut dice, strain, 0.3);
                let p = passage(&mut dice, size);
                let step = element.over_step(&p, 0.5);
                let K = element.tangent(&step, &step.stress);
                for j in 0..6 {
                    let by = |s: f64| {
                        let mut moved = p;
                        moved.end[j / 3][j % 3] += s * d;
                        element.over_step(&moved, 0.5).force
                    };
                    let (plus, minus) = (by(1.0), by(-1.0));
                    for i in 0..6 {
                        let difference = 0.5 * (plus[i / 3][i % 3] - minus[i / 3][i % 3]) / d;
                        assert!((difference - K[i][j]).abs() < 2e-8, "{strain:?} {i} {j}: {difference} {}", K[i][j]);
                    }
                }
            }
        }
    }

    /// With q = 1 strain, energy and force are those of the pinned planar beam's element.
    #[test]
    fn director_is_the_planar_beam() {
        let mut dice = Dice::new(59);
        let old = BeamElement { length: 0.9, axial: 5.0, shear: 3.0, bending: 2.0 };
        let new = PlaneElement {
            strain: PlaneStrain::Director,
            length: 0.9,
            stiffness: diagonal([5.0, 3.0, 2.0]),
            viscosity: diagonal([0.0; 3]),
            rest: [1.0, 0.0, 0.0],
        };
        let six = |n: &[[f64; 3]; 2]| [n[0][0], n[0][1], n[0][2], n[1][0], n[1][1], n[1][2]];
        for size in [0.0, 1e-5, 0.3] {
            let p = passage(&mut dice, size);
            let force = old.discrete_force(&six(&p.start), &six(&p.end));
            let step = new.over_step(&p, 0.1);
            for k in 0..6 {
                assert!((force[k] - step.force[k / 3][k % 3]).abs() < 1e-14, "{size} {k}");
            }
            assert!((old.energy(&six(&p.end)) - new.energy(&p.end)).abs() < 1e-14);
        }
    }

    /// The plane logarithm is that of space for frames that turn about the third axis.
    #[test]
    fn se3_is_the_element_in_space() {
        use super::super::{BeamElement as Spatial, StrainMeasure, rotation};
        use crate::bodies::Frame;
        let mut dice = Dice::new(61);
        for _ in 0..20 {
            let nodes = passage(&mut dice, 0.0).start;
            let frame = |n: &[f64; 3]| {
                let R = rotation::exp(&[0.0, 0.0, n[2]]);
                Frame { x: [n[0], n[1], 0.0], q: rotation::quaternion(&R), R }
            };
            let plane = any(&mut dice, PlaneStrain::Se3, 0.0).strain(&nodes);
            let zero = [[0.0; 6]; 6];
            let space =
                Spatial { measure: StrainMeasure::Se3, length: 0.9, stiffness: zero, viscosity: None, rest: [0.0; 6] };
            let strain = space.strain(&frame(&nodes[0]), &frame(&nodes[1]));
            for (p, s) in plane.iter().zip([strain[0], strain[1], strain[5]]) {
                assert!((p - s).abs() < 4e-15, "{plane:?} {strain:?}");
            }
        }
    }
}
