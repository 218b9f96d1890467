//! Mass of a beam element at its two nodes.
//!
//!   lumped:  ½μ1, ½LρJ at each node, μ = ρAL;    consistent:  μ/6 [2 1; 1 2] ⊗ 1 = lumped − (μ/6)[1 −1; −1 1] ⊗ 1
//!
//! The mass is constant in world velocities, so energy and momenta stay exact; rotary inertia is lumped, in the frames of the
//! nodes. Consistent mass turns rightly on coarse meshes, lumped mass has the better spectrum there.

use super::section::Section;
use crate::bodies::math::{Mat3, Vec3, dot, scale, sub};

/// How the mass of an element is shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassKind {
    /// Translations coupled as the shape functions say.
    #[default]
    Consistent,
    /// All of it at the nodes.
    Lumped,
}

/// The mass of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElementMass {
    /// ½μ, at each node [kg].
    pub node: f64,
    /// ½LρJ, at each node, in its frame [kg·m²].
    pub inertia: Mat3,
    /// μ/6, or 0 for lumped mass: what is taken from both nodes' own and put between them [kg].
    pub coupling: f64,
}

impl ElementMass {
    /// Of an element of this section and length.
    pub fn new(section: &Section, length: f64, kind: MassKind) -> Self {
        let mass = section.mass() * length;
        let coupling = match kind {
            MassKind::Consistent => mass / 6.0,
            MassKind::Lumped => 0.0,
        };
        Self { node: 0.5 * mass, inertia: section.inertia().map(|row| row.map(|x| 0.5 * length * x)), coupling }
    }

    /// The change of momentum that the coupling adds at a; b has its negative [N·s].
    #[inline]
    pub fn coupling_impulse(&self, dv_a: &Vec3, dv_b: &Vec3) -> Vec3 {
        scale(self.coupling, &sub(dv_b, dv_a))
    }

    /// The kinetic energy that the coupling adds to that of the nodes, −½(μ/6)|v_b − v_a|² [J].
    pub fn coupling_energy(&self, v_a: &Vec3, v_b: &Vec3) -> f64 {
        let between = sub(v_b, v_a);
        -0.5 * self.coupling * dot(&between, &between)
    }
}

#[cfg(test)]
mod tests {
    use super::super::section::diagonal6;
    use super::*;

    /// Nodes and coupling together give ½ vᵀ(μ/6 [2 1; 1 2])v.
    #[test]
    fn consistent_energy() {
        let section = Section::new(diagonal6(&[1.0; 6]), 3.0, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        let mass = ElementMass::new(&section.unwrap(), 0.5, MassKind::Consistent);
        let (va, vb) = ([1.0, 2.0, -1.0], [0.5, -3.0, 4.0]);
        let whole = 0.5 * mass.node * (dot(&va, &va) + dot(&vb, &vb)) + mass.coupling_energy(&va, &vb);
        let expected = 0.5 * 1.5 / 6.0 * (2.0 * dot(&va, &va) + 2.0 * dot(&vb, &vb) + 2.0 * dot(&va, &vb));
        assert!((whole - expected).abs() < 1e-14);
    }
}
