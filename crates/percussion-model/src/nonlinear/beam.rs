//! A planar geometrically exact beam, pinned at the origin, whose tip may touch a wall.
//!
//!   nodes (x, y, θ),   M constant: ρA, ρA, ρI with L/6 [2 1; 1 2],   V = Σ V_e + Σ ρA g L/2 (y₁ + y₂),
//!   contact x_tip − w ≥ 0
//!
//! A = b d, I = b d³/12, G = E/(2(1 + ν)), A₂ = 5A/6. The pin is x₀ = y₀ = 0, by leaving these two coordinates
//! out (then q = (θ₀, x₁, y₁, θ₁, …)) or by two joints. Elements are in `BeamElement`.

use super::{BeamElement, accept, add};
use crate::code::Code;
use crate::{DiscreteForce, InputError, Lagrangian};
use percussion_matrix::DenseMatrix;

/// What a beam is made of, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamParts {
    /// Length of the whole beam [m].
    pub length: f64,
    /// b, width of the cross-section, across the plane [m].
    pub width: f64,
    /// d, depth of the cross-section, in the plane [m].
    pub depth: f64,
    /// E [Pa].
    pub young: f64,
    /// ν ∈ (−1, ½].
    pub poisson: f64,
    /// ρ [kg/m³].
    pub density: f64,
    /// g [m/s²], positive pulls towards −y.
    pub gravity: f64,
    /// Number of elements of equal length.
    pub elements: usize,
    /// w: the tip stays at x ≥ w [m].
    pub wall: f64,
    /// e ∈ [0, 1] of the tip.
    pub restitution: f64,
}

/// A pinned beam in finite elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Beam {
    element: BeamElement,
    elements: usize,
    line_mass: f64,
    line_inertia: f64,
    gravity: f64,
    wall: f64,
    restitutions: [f64; 1],
    frictions: [f64; 1],
    left_out: usize,
}

impl Beam {
    /// A beam whose pinned coordinates x₀, y₀ are left out: n = 3 elements + 1, no joints.
    pub fn new(parts: BeamParts) -> Result<Self, InputError> {
        let BeamParts { length, width, depth, young, poisson, density, gravity, elements, wall, restitution } = parts;
        accept::positive("length", length)?;
        accept::positive("width", width)?;
        accept::positive("depth", depth)?;
        accept::positive("young", young)?;
        accept::finite("poisson", poisson)?;
        if !(poisson > -1.0 && poisson <= 0.5) {
            let message = format!("poisson = {poisson} is outside (−1, 0.5]");
            return Err(InputError::new(Code::BAD_SHAPE, "model.poisson", message, "metals have about 0.3"));
        }
        accept::mass("density", density)?;
        accept::finite("gravity", gravity)?;
        accept::positive("elements", elements as f64)?;
        accept::finite("wall", wall)?;
        accept::restitution("restitution", restitution)?;
        let (area, inertia) = (width * depth, width * depth.powi(3) / 12.0);
        let element = BeamElement {
            length: length / elements as f64,
            axial: young * area,
            shear: young / (2.0 * (1.0 + poisson)) * area * 5.0 / 6.0,
            bending: young * inertia,
        };
        let (line_mass, line_inertia) = (density * area, density * inertia);
        let (restitutions, frictions) = ([restitution], [0.0]);
        Ok(Self { element, elements, line_mass, line_inertia, gravity, wall, restitutions, frictions, left_out: 2 })
    }

    /// The same beam with Coulomb's coefficient μ ≥ 0 between tip and wall: the tip slides along y.
    pub fn with_friction(self, friction: f64) -> Result<Self, InputError> {
        accept::friction("friction", friction)?;
        Ok(Self { frictions: [friction], ..self })
    }

    /// The same beam with all coordinates, n = 3 elements + 3, and the pin as joints x₀ = 0, y₀ = 0.
    pub fn with_joints(parts: BeamParts) -> Result<Self, InputError> {
        Ok(Self { left_out: 0, ..Self::new(parts)? })
    }

    /// The straight beam along x, without strain.
    pub fn straight(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.n()];
        for node in 1..=self.elements {
            q[3 * node - self.left_out] = node as f64 * self.element.length;
        }
        q
    }

    /// The element, the same all along the beam.
    pub fn element(&self) -> &BeamElement {
        &self.element
    }

    /// Where the six coordinates of element e are in q; `None` for those left out.
    #[inline]
    pub fn coordinates(&self, e: usize) -> [Option<usize>; 6] {
        std::array::from_fn(|k| (3 * e + k).checked_sub(self.left_out))
    }

    /// The six entries of x, positions or velocities, that belong to element e; 0 for those left out.
    #[inline]
    pub fn of_element(&self, e: usize, x: &[f64]) -> [f64; 6] {
        self.coordinates(e).map(|i| i.map_or(0.0, |i| x[i]))
    }

    /// Where (x, y, θ) of the tip are in q.
    pub fn tip(&self) -> [usize; 3] {
        let x = 3 * self.elements - self.left_out;
        [x, x + 1, x + 2]
    }

    /// f ← f − (inner force + weight) of element e.
    fn add_minus(&self, e: usize, inner: &[f64; 6], f: &mut [f64]) {
        let weight = 0.5 * self.line_mass * self.gravity * self.element.length;
        for (k, i) in self.coordinates(e).into_iter().enumerate() {
            let Some(i) = i else { continue };
            f[i] -= inner[k] + if k % 3 == 1 { weight } else { 0.0 };
        }
    }

    /// The load of a unit of gravity [kg].
    pub fn unit_weight(&self) -> Vec<f64> {
        let (half, mut f) = (0.5 * self.line_mass * self.element.length, vec![0.0; self.n()]);
        for i in (0..self.elements).flat_map(|e| [1, 4].map(|k| self.coordinates(e)[k])).flatten() {
            f[i] -= half;
        }
        f
    }

    fn add_block(&self, e: usize, block: &[[f64; 6]; 6], K: &mut DenseMatrix) {
        let at = self.coordinates(e);
        for (b, j) in at.into_iter().enumerate() {
            for (a, i) in at.into_iter().enumerate() {
                if let (Some(i), Some(j)) = (i, j) {
                    add(K, i, j, block[a][b]);
                }
            }
        }
    }

    /// The mass per length of coordinate k of a node.
    fn line(&self, k: usize) -> f64 {
        if k % 3 == 2 { self.line_inertia } else { self.line_mass }
    }
}

impl DiscreteForce for Beam {
    fn n_stresses(&self) -> usize {
        self.elements
    }

    /// −f̃ of the whole beam, gravity included.
    fn evaluate(&self, q0: &[f64], q1: &[f64], f: &mut [f64]) {
        f.fill(0.0);
        for e in 0..self.elements {
            let inner = self.element.discrete_force(&self.of_element(e, q0), &self.of_element(e, q1));
            self.add_minus(e, &inner, f);
        }
    }

    fn stresses(&self, q0: &[f64], q1: &[f64], stresses: &mut [[f64; 3]]) {
        for (e, n) in stresses.iter_mut().enumerate() {
            *n = self.element.discrete_stress(&self.of_element(e, q0), &self.of_element(e, q1));
        }
    }

    fn predicted_stresses(&self, q0: &[f64], q1: &[f64], delta: &[f64], stresses: &mut [[f64; 3]]) {
        for (e, n) in stresses.iter_mut().enumerate() {
            let (a, b) = (self.of_element(e, q0), self.of_element(e, q1));
            *n = self.element.predicted_stress(&a, &b, &self.of_element(e, delta));
        }
    }

    fn tangent(&self, q0: &[f64], q1: &[f64], stresses: &[[f64; 3]], K: &mut DenseMatrix) {
        for (e, n) in stresses.iter().enumerate() {
            self.add_block(e, &self.element.discrete_tangent(&self.of_element(e, q0), &self.of_element(e, q1), n), K);
        }
    }
}

impl Lagrangian for Beam {
    fn discrete_force(&self) -> Option<&dyn DiscreteForce> {
        Some(self)
    }

    fn n(&self) -> usize {
        3 * (self.elements + 1) - self.left_out
    }

    fn n_joints(&self) -> usize {
        2 - self.left_out
    }

    fn restitutions(&self) -> &[f64] {
        &self.restitutions
    }

    fn mass(&self, _q: &[f64], M: &mut DenseMatrix) {
        let mut block = [[0.0; 6]; 6];
        for k in 0..6 {
            let m = self.line(k) * self.element.length / 6.0;
            block[k][k] = 2.0 * m;
            block[k][(k + 3) % 6] = m;
        }
        (0..self.elements).for_each(|e| self.add_block(e, &block, M));
    }

    fn force(&self, q: &[f64], _v: &[f64], _t: f64, f: &mut [f64]) {
        f.fill(0.0);
        for e in 0..self.elements {
            self.add_minus(e, &self.element.internal_force(&self.of_element(e, q)), f);
        }
    }

    fn force_tangents(&self, q: &[f64], _v: &[f64], _t: f64, K: &mut DenseMatrix, _C: &mut DenseMatrix) {
        for e in 0..self.elements {
            self.add_block(e, &self.element.tangent(&self.of_element(e, q)), K);
        }
    }

    fn potential_energy(&self, q: &[f64]) -> f64 {
        let weight = 0.5 * self.line_mass * self.gravity * self.element.length;
        let of = |e| {
            let q = self.of_element(e, q);
            self.element.energy(&q) + weight * (q[1] + q[4])
        };
        (0..self.elements).map(of).sum()
    }

    fn constraint(&self, j: usize, q: &[f64]) -> f64 {
        if j < self.n_joints() { q[j] } else { q[self.tip()[0]] - self.wall }
    }

    fn gradient(&self, j: usize, _q: &[f64], row: &mut [f64]) {
        row[if j < self.n_joints() { j } else { self.tip()[0] }] = 1.0;
    }

    fn hessian(&self, _j: usize, _q: &[f64], _weight: f64, _H: &mut DenseMatrix) {}

    fn frictions(&self) -> &[f64] {
        &self.frictions
    }

    fn n_tangents(&self, i: usize) -> usize {
        usize::from(self.frictions[i] > 0.0)
    }

    fn contact_tangent(&self, _i: usize, _k: usize, _q: &[f64], row: &mut [f64]) {
        row[self.tip()[1]] = 1.0;
    }

    fn tangent_drift(&self, _i: usize, _k: usize, _q: &[f64], _v: &[f64]) -> f64 {
        0.0
    }

    fn kinetic_energy(&self, _q: &[f64], v: &[f64]) -> f64 {
        let of = |e| {
            let v = self.of_element(e, v);
            let square = |k: usize| v[k] * v[k] + v[k] * v[k + 3] + v[k + 3] * v[k + 3];
            (0..3).map(|k| self.line(k) * square(k)).sum::<f64>() * self.element.length / 6.0
        };
        (0..self.elements).map(of).sum()
    }
}
