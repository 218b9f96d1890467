//! The strain energy of a solid in finite deformation, its force over a step and the tangent of that force.
//!
//!   F = Σ x_a ⊗ ∇N_a,   C = FᵀF,   V = ∫ψ(C),   f_a = ∫ F_m S̄ ∇N_a,   F_m = ½(F₀ + F₁)
//!   ∂f/∂x₁: ½ δF S̄ + F_m δS̄(2 sym F₁ᵀδF)
//!
//! As C₁ − C₀ = 2 sym(F_mᵀΔF), f·Δx = ∫ ½S̄:ΔC = ΔV. About an axis F has the stretch of rings r/R in its last place.

use super::law::{Hyperelastic, Law};
use super::tensor::{matrix, symmetric_product};
use crate::InputError;
use crate::bodies::math::{Mat3, Vec3, cross, dot, mul_mat};
use crate::code::Code;
use crate::solid::assembly::{Assembly, ElementPlaces, Pattern};
use crate::solid::element::{MOST_NODES, Sample};
use crate::solid::hooke::Tensor;
use crate::solid::matrices::Rules;
use crate::solid::section::Section;
use crate::solid::{Coordinates, NodeGraph, Solid};
use percussion_matrix::SparseMatrix;
use percussion_matrix::pool::together;
use percussion_matrix::spare::PARTS;

/// Elements for which a further thread is worth its start.
const WORTH: usize = 200;
/// Elements whose matrices are kept at once.
const AT_ONCE: usize = 4096;
/// Displacements of an element, at most.
const MOST_COMPONENTS: usize = 3 * MOST_NODES;
/// Rows and columns of the components of a symmetric tensor.
const PLACES: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 0]];

/// A solid that may deform and turn as far as it likes.
#[derive(Clone, Debug)]
pub struct FiniteSolid {
    section: Section,
    graph: NodeGraph,
    coordinates: Coordinates,
    pattern: Pattern,
    elements: Vec<FiniteElement>,
    n_nodes: usize,
}

#[derive(Clone, Debug)]
struct FiniteElement {
    nodes: Vec<usize>,
    /// Where its tangent goes; none where supports turn axes.
    places: Option<ElementPlaces>,
    law: Hyperelastic,
    points: Vec<Sample>,
}

impl FiniteSolid {
    /// The matter of a solid under one law per part.
    pub fn new(solid: &Solid, laws: &[Law]) -> Result<Self, InputError> {
        let matter = solid.matter();
        let section = matter.section;
        if matches!(section, Section::Stress { .. }) {
            let help = "use plane strain, a body of revolution or a solid in space";
            let message = "finite deformation of sheets is not in this version";
            return Err(InputError::new(Code::NOT_YET, "model.plane", message, help));
        }
        if laws.len() != solid.parts().len() {
            let message = format!("{} laws for {} parts", laws.len(), solid.parts().len());
            return Err(InputError::new(Code::BAD_SHAPE, "model.part", message, "give one law per part"));
        }
        let rules = Rules::new();
        let (graph, coordinates) = (solid.graph(), solid.coordinates());
        let pattern = Pattern::new(graph, coordinates);
        let straight = (0..matter.n_nodes()).all(|node| !coordinates.is_turned(node));
        let element = |e: usize| {
            let (cell, part) = (&matter.cells[e], matter.part[e]);
            let nodes: Vec<usize> = cell.nodes().collect();
            FiniteElement {
                places: straight.then(|| pattern.places(graph, coordinates, &nodes)),
                nodes,
                law: Hyperelastic { law: laws[part], lame: solid.parts()[part].material.lame(section) },
                points: matter.samples(e, rules.stiffness(cell.kind)).collect(),
            }
        };
        Ok(Self {
            section,
            graph: graph.clone(),
            coordinates: coordinates.clone(),
            elements: (0..matter.cells.len()).map(element).collect(),
            pattern,
            n_nodes: matter.n_nodes(),
        })
    }

    /// V at places x of the nodes [J]; `None` where an element is inside out and its law has no value. As all that follows the same
    /// numbers on any number of threads.
    pub fn energy(&self, x: &[Vec3], threads: usize) -> Option<f64> {
        let of_element = |element: &FiniteElement| {
            let energy = |at: &Sample| {
                let F = self.gradient(at, &element.nodes, x);
                Some(at.dV * element.law.energy(&symmetric_product(&F, &F))?)
            };
            element.points.iter().map(energy).sum::<Option<f64>>()
        };
        each(&self.elements, threads, of_element).into_iter().sum()
    }

    /// The element that has lost most of its volume, and the part of it that is left.
    pub fn most_compressed(&self, x: &[Vec3]) -> Option<(usize, f64)> {
        let left = |element: &FiniteElement| {
            let J = element.points.iter().map(|at| determinant(&self.gradient(at, &element.nodes, x)));
            J.fold(f64::INFINITY, f64::min)
        };
        self.elements.iter().map(left).enumerate().min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// f ← the force over a step from x₀ to x₁ on the nodes, as ∂V/∂x; with x₁ = x₀ the gradient itself [N].
    pub fn force(&self, x0: &[Vec3], x1: &[Vec3], f: &mut [Vec3], threads: usize) -> Option<()> {
        f.fill([0.0; 3]);
        let of_element = |element: &FiniteElement| {
            let mut local = [[0.0; 3]; MOST_NODES];
            for at in &element.points {
                let step = self.step(element, at, x0, x1);
                let S = element.law.over_step(&step.C0, &step.C1)?.stress;
                self.spread(at, &mul_mat(&step.F_mean, &matrix(&S)), &mut local);
            }
            Some(local)
        };
        for (element, local) in self.elements.iter().zip(each(&self.elements, threads, of_element)) {
            for (&i, local) in element.nodes.iter().zip(local?) {
                (0..3).for_each(|k| f[i][k] += local[k]);
            }
        }
        Some(())
    }

    /// ∂f/∂x₁ over the free coordinates; not symmetric over a finite step.
    pub fn tangent(&self, x0: &[Vec3], x1: &[Vec3], threads: usize) -> Option<SparseMatrix> {
        if self.elements.iter().any(|element| element.places.is_none()) {
            let mut sum = Assembly::on(&self.pattern, &self.graph, &self.coordinates);
            self.tangents(x0, x1, threads, |nodes, K| sum.add_element(nodes, 1.0, K))?;
            return Some(sum.finish().0);
        }
        let mut sum = self.pattern.zeros();
        for some in self.elements.chunks(AT_ONCE) {
            let made = each(some, threads, |element| self.tangent_of(element, x0, x1));
            let made: Vec<Vec<f64>> = made.into_iter().collect::<Option<_>>()?;
            self.add_up(some, &made, &mut sum, threads);
        }
        Some(sum)
    }

    /// Adds the matrices of some elements; every thread has columns of its own, which it takes from all of them in their order.
    fn add_up(&self, some: &[FiniteElement], made: &[Vec<f64>], sum: &mut SparseMatrix, threads: usize) {
        let parts = PARTS.of(threads.min(some.len() / WORTH).max(1));
        let (n, starts) = (sum.n_cols(), sum.col_ptr().to_vec());
        let d = self.section.dimension();
        let part = n.div_ceil(parts).max(1);
        let mut rest = sum.values_mut();
        together(parts, move |crew| {
            for first in (0..n).step_by(part) {
                let columns = first..(first + part).min(n);
                let (own, more) = rest.split_at_mut(starts[columns.end] - starts[columns.start]);
                rest = more;
                let start = starts[columns.start];
                crew.give(move || {
                    for (element, K) in some.iter().zip(made) {
                        let places = element.places.as_ref().expect("the caller has seen that all have some");
                        places.add(K, d * element.nodes.len(), &columns, start, own);
                    }
                });
            }
        });
    }

    /// ∂f/∂x₁ element by element in their order: its nodes, and the matrix by rows, d·node + component.
    pub fn tangents(
        &self,
        x0: &[Vec3],
        x1: &[Vec3],
        threads: usize,
        mut visit: impl FnMut(&[usize], &[f64]),
    ) -> Option<()> {
        for some in self.elements.chunks(AT_ONCE) {
            let made = each(some, threads, |element| self.tangent_of(element, x0, x1));
            for (element, K) in some.iter().zip(made) {
                visit(&element.nodes, &K?);
            }
        }
        Some(())
    }

    /// Σ dV [½ ∇N_aᵀS̄∇N_b + b(F_m)ᵀ ∂S̄/∂C₁ 2b(F₁)], b as `strains` has it.
    fn tangent_of(&self, element: &FiniteElement, x0: &[Vec3], x1: &[Vec3]) -> Option<Vec<f64>> {
        let (d, n) = (self.section.dimension(), element.nodes.len());
        let size = d * n;
        let mut K = vec![0.0; size * size];
        for at in &element.points {
            let step = self.step(element, at, x0, x1);
            let over = element.law.over_step(&step.C0, &step.C1)?;
            let (left, right) = (self.strains(at, &step.F_mean), self.strains(at, &step.F1));
            // what each displacement does to S̄: a component off the diagonal of C stands for both of its places
            let mut change = [[0.0; MOST_COMPONENTS]; 6];
            for (m, strain) in right.iter().enumerate() {
                let mut dC = [0.0; 6];
                dC[m] = if m < 3 { 2.0 * at.dV } else { at.dV };
                for (change, dS) in change.iter_mut().zip(over.stress_change(&dC)?) {
                    change[..size].iter_mut().zip(strain).for_each(|(x, b)| *x += dS * b);
                }
            }
            for (row, K) in K.chunks_exact_mut(size).enumerate() {
                for (strain, change) in left.iter().zip(&change) {
                    K.iter_mut().zip(change).for_each(|(K, x)| *K += strain[row] * x);
                }
            }
            let S = matrix(&over.stress);
            for a in 0..n {
                let pull = S.map(|S| 0.5 * at.dV * dot(&S, &at.dN[a]));
                for b in 0..n {
                    let stiffness = dot(&pull, &at.dN[b]);
                    (0..d).for_each(|i| K[(d * a + i) * size + d * b + i] += stiffness);
                    if self.section.has_rings() {
                        let rings = at.N[a] * at.N[b] / (at.x[0] * at.x[0]);
                        K[d * a * size + d * b] += 0.5 * at.dV * S[2][2] * rings;
                    }
                }
            }
        }
        Some(K)
    }

    /// b of every displacement of an element, by components of a symmetric tensor: F_ik ∂_kN on the diagonal, F_ik ∂_lN + F_il ∂_kN off it, so
    /// that S:½δC = Σ S_m b_m, each component counted once.
    fn strains(&self, at: &Sample, F: &Mat3) -> [[f64; MOST_COMPONENTS]; 6] {
        let d = self.section.dimension();
        let mut b = [[0.0; MOST_COMPONENTS]; 6];
        for (a, i) in (0..at.n).flat_map(|a| (0..d).map(move |i| (a, i))) {
            let (F, dN, place) = (&F[i], &at.dN[a], d * a + i);
            for (m, [k, l]) in PLACES.into_iter().enumerate() {
                b[m][place] = if m < 3 { F[k] * dN[k] } else { F[k] * dN[l] + F[l] * dN[k] };
            }
        }
        if self.section.has_rings() {
            (0..at.n).for_each(|a| b[2][d * a] += F[2][2] * at.N[a] / at.x[0]);
        }
        b
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    fn step(&self, element: &FiniteElement, at: &Sample, x0: &[Vec3], x1: &[Vec3]) -> Step {
        let F0 = self.gradient(at, &element.nodes, x0);
        let F1 = self.gradient(at, &element.nodes, x1);
        let mut F_mean = F0;
        for (mean, F1) in F_mean.iter_mut().flatten().zip(F1.iter().flatten()) {
            *mean = 0.5 * (*mean + F1);
        }
        let (C0, C1) = (symmetric_product(&F0, &F0), symmetric_product(&F1, &F1));
        Step { F1, F_mean, C0, C1 }
    }

    /// F.
    fn gradient(&self, at: &Sample, nodes: &[usize], x: &[Vec3]) -> Mat3 {
        let d = self.section.dimension();
        let mut F = [[0.0; 3]; 3];
        for (a, &node) in nodes.iter().enumerate() {
            for i in 0..d {
                for k in 0..d {
                    F[i][k] += x[node][i] * at.dN[a][k];
                }
            }
            if self.section.has_rings() {
                F[2][2] += x[node][0] * at.N[a] / at.x[0];
            }
        }
        if d == 2 && !self.section.has_rings() {
            F[2][2] = 1.0;
        }
        F
    }

    /// Adds dV P ∇N_a to each node.
    fn spread(&self, at: &Sample, P: &Mat3, local: &mut [Vec3; MOST_NODES]) {
        let d = self.section.dimension();
        for a in 0..at.n {
            for i in 0..d {
                local[a][i] += at.dV * (0..d).map(|k| P[i][k] * at.dN[a][k]).sum::<f64>();
            }
            if self.section.has_rings() {
                local[a][0] += at.dV * P[2][2] * at.N[a] / at.x[0];
            }
        }
    }
}

fn determinant(F: &Mat3) -> f64 {
    dot(&F[0], &cross(&F[1], &F[2]))
}

/// What `make` says of each element, in their order.
fn each<X: Send>(elements: &[FiniteElement], threads: usize, make: impl Fn(&FiniteElement) -> X + Sync) -> Vec<X> {
    let threads = PARTS.of(threads.min(elements.len() / WORTH).max(1));
    if threads < 2 {
        return elements.iter().map(make).collect();
    }
    let part = elements.len().div_ceil(threads);
    let mut made: Vec<Vec<X>> = elements.chunks(part).map(|part| Vec::with_capacity(part.len())).collect();
    let (make, lists) = (&make, made.iter_mut());
    together(threads, move |crew| {
        for (made, part) in lists.zip(elements.chunks(part)) {
            crew.give(move || made.extend(part.iter().map(make)));
        }
    });
    made.into_iter().flatten().collect()
}

struct Step {
    F1: Mat3,
    F_mean: Mat3,
    C0: Tensor,
    C1: Tensor,
}
