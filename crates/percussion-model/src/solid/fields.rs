//! What pictures and tables show: strains, stresses, energies, surface triangles.
//!
//!   V = ∫ ½σ:ε,    f = ∫ Bᵀσ,    both from displacements minus the element's mean, so that bodies that travel lose no digits

use super::element::{MOST_NODES, Sample};
use super::finite::{Hyperelastic, symmetric_product};
use super::hooke::{Lame, Tensor, strain, von_mises};
use super::matrices::Rules;
use super::model::Solid;
use super::parts::Kinematics;
use crate::bodies::math::{Mat3, Vec3, axpy};

impl Solid {
    /// Strain energy of displacements u of the nodes [J].
    pub fn strain_energy(&self, u: &[Vec3]) -> f64 {
        let rules = Rules::new();
        let mut sum = 0.0;
        for (e, cell) in self.matter.cells.iter().enumerate() {
            let own = self.relative(e, u);
            let lame = self.parts()[self.matter.part[e]].material.lame(self.matter.section);
            for at in self.matter.samples(e, rules.stiffness(cell.kind)) {
                sum += at.dV * lame.energy_density(&strain(&at, self.matter.section, &own));
            }
        }
        sum
    }

    /// f ← the elastic forces of the nodes, ∂V/∂u [N].
    pub fn elastic_force(&self, u: &[Vec3], f: &mut [Vec3]) {
        let rules = Rules::new();
        f.fill([0.0; 3]);
        for (e, cell) in self.matter.cells.iter().enumerate() {
            let own = self.relative(e, u);
            let lame = self.parts()[self.matter.part[e]].material.lame(self.matter.section);
            let mut local = [[0.0; 3]; MOST_NODES];
            for at in self.matter.samples(e, rules.stiffness(cell.kind)) {
                lame.add_force(&at, self.matter.section, &own, &mut local);
            }
            cell.nodes().zip(local).for_each(|(i, local)| f[i] = axpy(&f[i], 1.0, &local));
        }
    }

    /// Strain at the middle of an element.
    pub fn strain(&self, e: usize, u: &[Vec3]) -> Tensor {
        self.middle(e).map_or([0.0; 6], |at| strain(&at, self.matter.section, &self.relative(e, u)))
    }

    /// Stress at the middle of an element [Pa]; in finite deformation Cauchy's, σ = F S Fᵀ/J.
    pub fn stress(&self, e: usize, u: &[Vec3]) -> Tensor {
        match self.deformed(e, u) {
            Some((law, F)) => law.cauchy(&F).unwrap_or([f64::NAN; 6]),
            None => self.lame_of(e).stress(&self.strain(e, u)),
        }
    }

    /// Strain energy per volume, undeformed, at the middle of an element [J/m³].
    pub fn energy_density(&self, e: usize, u: &[Vec3]) -> f64 {
        match self.deformed(e, u) {
            Some((law, F)) => law.energy(&symmetric_product(&F, &F)).unwrap_or(f64::NAN),
            None => self.lame_of(e).energy_density(&self.strain(e, u)),
        }
    }

    fn lame_of(&self, e: usize) -> Lame {
        self.parts()[self.matter.part[e]].material.lame(self.matter.section)
    }

    /// The law of an element in finite deformation, and F = 1 + ∂u/∂X at its middle.
    fn deformed(&self, e: usize, u: &[Vec3]) -> Option<(Hyperelastic, Mat3)> {
        let Kinematics::Finite(laws) = self.kinematics() else { return None };
        let law = Hyperelastic { law: laws[self.matter.part[e]], lame: self.lame_of(e) };
        let mut F = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let at = self.middle(e)?;
        let d = self.matter.dimension();
        for (a, own) in self.relative(e, u).iter().take(at.n).enumerate() {
            (0..d).for_each(|i| (0..d).for_each(|k| F[i][k] += own[i] * at.dN[a][k]));
            if self.matter.section.has_rings() {
                F[2][2] += own[0] * at.N[a] / at.x[0];
            }
        }
        Some((law, F))
    }

    /// Von Mises stress at the nodes: the mean over their elements, weighted by volume [Pa].
    pub fn von_mises(&self, u: &[Vec3]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.matter.n_nodes()];
        for (e, cell) in self.matter.cells.iter().enumerate() {
            let volume = self.middle(e).map_or(0.0, |at| at.dV);
            let value = von_mises(&self.stress(e, u));
            cell.nodes().for_each(|i| sums[i] = (sums[i].0 + volume * value, sums[i].1 + volume));
        }
        sums.into_iter().map(|(sum, volume)| if volume > 0.0 { sum / volume } else { 0.0 }).collect()
    }

    /// Triangles that show the solid, in space its outer surface, in the plane its elements; corners are nodes, counter-clockwise
    /// from outside.
    pub fn triangles(&self) -> Vec<[usize; 3]> {
        self.triangles_by_element().into_iter().map(|(_, triangle)| triangle).collect()
    }

    /// The same, each with the element it belongs to.
    pub fn triangles_by_element(&self) -> Vec<(usize, [usize; 3])> {
        let cut = |e: usize, kind: super::element::ElementKind, nodes: &[usize]| -> Vec<(usize, [usize; 3])> {
            kind.entry().triangles.iter().map(|triangle| (e, triangle.map(|a| nodes[a]))).collect()
        };
        if self.matter.dimension() == 3 {
            let faces = &self.outer_surface().faces;
            return faces.iter().flat_map(|face| cut(face.element, face.kind, face.nodes())).collect();
        }
        let nodes = |cell: &super::mesh::Cell| cell.nodes().collect::<Vec<_>>();
        self.matter.cells.iter().enumerate().flat_map(|(e, cell)| cut(e, cell.kind, &nodes(cell))).collect()
    }

    /// Volume [m³].
    pub fn volume(&self) -> f64 {
        let rules = Rules::new();
        let own =
            |e: usize| -> f64 { self.matter.samples(e, rules.mass(self.matter.cells[e].kind)).map(|at| at.dV).sum() };
        (0..self.matter.cells.len()).map(own).sum()
    }

    /// The shortest time a pressure wave takes from a node of an element to another: h over this is the Courant number [s].
    pub fn crossing_time(&self) -> f64 {
        let mut shortest = f64::INFINITY;
        for (e, cell) in self.matter.cells.iter().enumerate() {
            let c = self.parts()[self.matter.part[e]].material.wave_speed(self.matter.section);
            let n = cell.nodes().len();
            let X = &self.matter.places(e)[..n];
            for a in 0..n {
                for b in 0..a {
                    let distance = (0..3).map(|k| (X[a][k] - X[b][k]).powi(2)).sum::<f64>().sqrt();
                    shortest = shortest.min(distance / c);
                }
            }
        }
        shortest
    }

    fn middle(&self, e: usize) -> Option<Sample> {
        let entry = self.matter.cells[e].kind.entry();
        let point = super::element::Point { xi: entry.centre(), weight: 1.0 };
        let X = self.matter.places(e);
        Sample::new(entry, &X[..entry.nodes.len()], &point, self.matter.section)
    }

    /// Displacements of an element's nodes minus their mean; about an axis the mean along it only, as rings feel the rest.
    fn relative(&self, e: usize, u: &[Vec3]) -> [Vec3; MOST_NODES] {
        let cell = &self.matter.cells[e];
        let n = cell.nodes().len();
        let mut mean = cell.nodes().fold([0.0; 3], |sum, i| axpy(&sum, 1.0 / n as f64, &u[i]));
        if self.matter.section.has_rings() {
            mean[0] = 0.0;
        }
        let mut own = [[0.0; 3]; MOST_NODES];
        own.iter_mut().zip(cell.nodes()).for_each(|(own, i)| *own = axpy(&u[i], -1.0, &mean));
        own
    }
}
