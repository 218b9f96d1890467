//! Loads on the free coordinates.
//!
//!   F = M g − ∫p n N dA + ∫t N dA + f − (K s + C ṡ + M s̈)   (the last from supports that move)

use super::coordinates::{Axis, Coordinates, add_signal};
use super::matrices::Assembled;
use super::matter::Matter;
use super::parts::LoadKind;
use super::surface::Surface;
use crate::Signal;
use crate::bodies::math::{Vec3, dot};

/// Signals on the free coordinates, and on those that supports hold, without what supports that move do.
pub(super) struct Loads<'a> {
    coordinates: &'a Coordinates,
    pub force: Vec<Signal>,
    pub held: Vec<Signal>,
}

impl<'a> Loads<'a> {
    pub fn new(coordinates: &'a Coordinates) -> Self {
        let zeros = |n: usize| vec![Signal::default(); n];
        Self { coordinates, force: zeros(coordinates.n_free()), held: zeros(coordinates.motions().len()) }
    }

    /// Adds direction·s(t) at a node.
    fn add(&mut self, node: usize, direction: &Vec3, s: &Signal) {
        for (k, &axis) in self.coordinates.axes(node).iter().enumerate() {
            let along = dot(direction, &self.coordinates.direction(node, k));
            match axis {
                Axis::Free(i) => add_signal(&mut self.force[i], along, s),
                Axis::Supported(i) => add_signal(&mut self.held[i], along, s),
            }
        }
    }

    /// Weight of each node, and what gravity adds to its mean in time.
    pub fn add_gravity(&mut self, mass: &[f64], gravity: &[Signal; 3]) {
        let mean = gravity.each_ref().map(|g| g.mean);
        let varying = gravity.each_ref().map(|g| Signal { mean: 0.0, ..g.clone() });
        for (node, &m) in mass.iter().enumerate() {
            self.add(node, &mean, &Signal::constant(m));
            self.add_components(node, m, &varying);
        }
    }

    /// A force on every node of a list, or on the faces of a surface.
    pub fn add_load(&mut self, kind: &LoadKind, nodes: &[usize], surface: &Surface, matter: &Matter) {
        match kind {
            LoadKind::Nodal(force) => {
                for &node in nodes {
                    self.add_components(node, 1.0, force);
                }
            }
            LoadKind::Pressure(p) => self.over(surface, matter, |own, node, NdA, n| {
                own.add(node, &n.map(|n| -n * NdA), p);
            }),
            LoadKind::Traction(t) => self.over(surface, matter, |own, node, NdA, _| own.add_components(node, NdA, t)),
        }
    }

    fn add_components(&mut self, node: usize, c: f64, components: &[Signal]) {
        for (k, s) in components.iter().enumerate() {
            let mut direction = [0.0; 3];
            direction[k] = c;
            self.add(node, &direction, s);
        }
    }

    /// Calls with node, N dA and normal for every point of a surface.
    fn over(&mut self, surface: &Surface, matter: &Matter, act: impl Fn(&mut Self, usize, f64, &Vec3)) {
        for face in &surface.faces {
            for at in face.samples(&matter.X, matter.section) {
                for (&node, N) in face.nodes().iter().zip(at.N) {
                    act(self, node, N * at.dA, &at.normal);
                }
            }
        }
    }

    /// What supports that move do to the free coordinates.
    pub fn add_supports(&mut self, K: &Assembled, C: Option<&Assembled>, M: &Assembled) {
        self.add_coupling(Some(K), Signal::clone);
        self.add_coupling(C, Signal::to_rate);
        self.add_coupling(Some(M), Signal::to_acceleration);
        // loads that cancelled, or came with zero amplitude, are constant
        for force in &mut self.force {
            force.sines.retain(|sine| sine.amplitude != 0.0);
            force.terms.retain(|term| term.factor != 0.0);
        }
    }

    fn add_coupling(&mut self, A: Option<&Assembled>, derivative: fn(&Signal) -> Signal) {
        for &(free, supported, value) in A.iter().flat_map(|A| &A.coupling) {
            add_signal(&mut self.force[free], -value, &derivative(&self.coordinates.motions()[supported]));
        }
    }
}
