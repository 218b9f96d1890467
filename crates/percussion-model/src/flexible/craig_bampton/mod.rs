//! A finite-element body reduced to its interfaces and its lowest modes (Craig and Bampton 1968).
//!
//!   u = [Ψ φ] (b, a),   Ψ = −K_II⁻¹K_IB (static: exact for loads at interfaces),   K_II φ = λ M_II φ, the lowest
//!   K̂ y = ω² M̂ y of what is left between the interfaces; its six rigid motions are left out, and ΣmΦ = 0, Σm r×Φ = 0 follow
//!
//! An interface is one node, or a set of nodes that moves as a rigid piece: a marker with its own mass. M̂ is therefore that of the
//! interior alone; joined to the markers it is the reduced body, with all its frequencies.

mod eigen;
mod interior;

use super::modal_inertia::ModalInertia;
use super::reduced::MarkerParts;
use crate::bodies::math::{Mat3, Vec3, axpy, cross, dot, scale, sub};
use crate::{Code, InputError};
use eigen::{Triangle, lifted_modes};
use interior::Interior;
use percussion_matrix::{DenseMatrix, Matrix, SparseMatrix};

/// Share of the inertia that markers without turns of their own take from the body; they turn with it, so nothing changes.
const BORROWED: f64 = 1e-3;
/// What rigid motions may be resisted by, as part of the stiffness.
const RIGID: f64 = 1e-6;

/// Nodes with lumped masses, and the stiffness between them.
#[derive(Clone, Debug, PartialEq)]
pub struct FiniteBody {
    /// Their places [m].
    pub places: Vec<Vec3>,
    /// Their masses [kg].
    pub masses: Vec<f64>,
    /// Rotary inertias about x, y, z; none where nodes have three coordinates [kg·m²].
    pub inertias: Option<Vec<Vec3>>,
    /// K: three coordinates a node, or six with turns.
    pub stiffness: SparseMatrix,
}

/// What a reduction gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// Mass without the markers [kg].
    pub mass: f64,
    /// Its centre [m].
    pub centre: Vec3,
    /// Its inertia about that [kg·m²].
    pub inertia: Mat3,
    /// ω of its modes with the markers let go [rad/s].
    pub frequencies: Vec<f64>,
    /// ω of the whole body, free, in the space that was kept [rad/s].
    pub whole: Vec<f64>,
    /// The lowest of them, or of the body held at one marker that can be held against turning: a blade at its root [rad/s].
    pub lowest: f64,
    /// The highest fixed-interface frequency kept [rad/s].
    pub cutoff: f64,
    /// The markers.
    pub markers: Vec<MarkerParts>,
    /// Φ of the node that moves most in each mode, for every mode.
    pub witnesses: Vec<Vec<Vec3>>,
    /// What bending changes in the inertia, where that was asked for.
    pub full: Option<ModalInertia>,
}

/// An interface: its nodes, their centre of mass, and whether it turns by itself.
struct Interface {
    nodes: Vec<usize>,
    mass: f64,
    centre: Vec3,
    inertia: Mat3,
    turns: bool,
    /// Its first column among those of all interfaces.
    first: usize,
}

impl FiniteBody {
    /// Coordinates of a node.
    pub fn per_node(&self) -> usize {
        if self.inertias.is_some() { 6 } else { 3 }
    }

    /// Mass or inertia of coordinate i.
    fn mass_of(&self, i: usize) -> f64 {
        let (node, k) = (i / self.per_node(), i % self.per_node());
        match &self.inertias {
            Some(inertias) if k >= 3 => inertias[node][k - 3],
            Some(_) | None => self.masses[node],
        }
    }

    /// The coordinates as six rigid motions move them, about a point: three shifts, three turns.
    fn rigid(&self, about: &Vec3, motion: usize) -> Vec<f64> {
        let n = self.per_node();
        let mut u = vec![0.0; n * self.places.len()];
        for (x, place) in u.chunks_exact_mut(n).zip(&self.places) {
            if motion < 3 {
                x[motion] = 1.0;
                continue;
            }
            let mut axis = [0.0; 3];
            axis[motion - 3] = 1.0;
            x[..3].copy_from_slice(&cross(&axis, &sub(place, about)));
            if n == 6 {
                x[motion] = 1.0;
            }
        }
        u
    }

    /// Mass, centre and inertia of nodes.
    fn matter(&self, nodes: impl Iterator<Item = usize> + Clone) -> (f64, Vec3, Mat3) {
        let mass: f64 = nodes.clone().map(|i| self.masses[i]).sum();
        let moment = nodes.clone().fold([0.0; 3], |sum, i| axpy(&sum, self.masses[i], &self.places[i]));
        let centre = scale(1.0 / mass, &moment);
        let mut inertia = [[0.0; 3]; 3];
        for i in nodes {
            let (r, m) = (sub(&self.places[i], &centre), self.masses[i]);
            for a in 0..3 {
                inertia[a][a] += m * dot(&r, &r) + self.inertias.as_ref().map_or(0.0, |all| all[i][a]);
                // the product first, so that both halves have the same bits
                (0..3).for_each(|b| inertia[a][b] -= m * (r[a] * r[b]));
            }
        }
        (mass, centre, inertia)
    }

    fn check(&self, interfaces: &[Vec<usize>]) -> Result<(), InputError> {
        let refuse = |code, field: &str, message: String, help: &str| Err(InputError::new(code, field, message, help));
        let (n, size) = (self.places.len(), self.per_node() * self.places.len());
        if n == 0 || self.masses.len() != n || self.inertias.as_ref().is_some_and(|all| all.len() != n) {
            return refuse(Code::BAD_SHAPE, "nodes", "is empty".into(), "give x, y, z and mass of every node");
        }
        if [self.stiffness.n_rows(), self.stiffness.n_cols()] != [size; 2] {
            let message = format!("is {} × {} for {n} nodes", self.stiffness.n_rows(), self.stiffness.n_cols());
            let help = "K has three rows a node, or six where nodes have rotary inertias jx, jy, jz";
            return refuse(Code::BAD_SHAPE, "stiffness", message, help);
        }
        let size = self.stiffness.values().iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        let skew = Matrix::Sparse(self.stiffness.clone()).asymmetry();
        if let Some((i, j, difference)) = skew.filter(|(_, _, difference)| *difference > 1e-9 * size) {
            let message = format!("entries ({i}, {j}) and ({j}, {i}) differ by {difference:.1e}");
            return refuse(Code::STIFFNESS_NOT_SYMMETRIC, "stiffness", message, "give a symmetric K");
        }
        let positive = |m: &f64| *m >= 0.0 && m.is_finite();
        if !self.masses.iter().chain(self.inertias.iter().flatten().flatten()).all(positive) {
            return refuse(Code::BAD_MASS, "nodes", "a mass is negative".into(), "give masses of 0 or more");
        }
        let mut used = vec![false; n];
        for &node in interfaces.iter().flatten() {
            if node >= n {
                let message = format!("there is no node {node} of {n}");
                return refuse(Code::BAD_NAME, "interfaces", message, "number nodes from 0");
            }
            if std::mem::replace(&mut used[node], true) {
                let message = format!("node {node} belongs to two interfaces");
                return refuse(Code::CONTRADICTION, "interfaces", message, "name every node once");
            }
        }
        if interfaces.is_empty() || interfaces.iter().any(Vec::is_empty) {
            let help = "name the nodes that joints and contacts take hold of";
            return refuse(Code::BAD_SHAPE, "interfaces", "an interface has no node".into(), help);
        }
        self.check_rigid()
    }

    /// K lets the body move as a rigid one.
    fn check_rigid(&self) -> Result<(), InputError> {
        let K = &self.stiffness;
        let size = K.values().iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        let (_, centre, _) = self.matter(0..self.places.len());
        for motion in 0..6 {
            let u = self.rigid(&centre, motion);
            let reach = u.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
            let mut held = vec![0.0; u.len()];
            (0..u.len()).for_each(|j| K.add_column(j, u[j], &mut held));
            let worst = held.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
            if worst.is_nan() || worst > RIGID * size * reach {
                let which = ["x", "y", "z"][motion % 3];
                let how = if motion < 3 { "moving along" } else { "turning about" };
                let message = format!("resists {how} {which} as a rigid body");
                let help =
                    "give K of the free body, without supports; check places, units and the order of coordinates";
                return Err(InputError::new(Code::NOT_REDUCED, "stiffness", message, help));
            }
        }
        Ok(())
    }

    fn interfaces(&self, sets: &[Vec<usize>]) -> Result<Vec<Interface>, InputError> {
        let mut first = 0;
        let mut all = Vec::new();
        for (k, nodes) in sets.iter().enumerate() {
            let (mass, centre, inertia) = self.matter(nodes.iter().copied());
            let turns = nodes.len() > 1 || self.per_node() == 6;
            let field = format!("interfaces[{k}]");
            if mass <= 0.0 {
                let message = "its nodes have no mass";
                return Err(InputError::new(Code::BAD_MASS, field, message, "name nodes that have some"));
            }
            if turns && crate::bodies::math::inverse(&inertia).is_none() {
                let message = "its nodes lie on a line and do not tell how it turns";
                let help = "add a node off the line, name a single node, or give rotary inertias";
                return Err(InputError::new(Code::BAD_INERTIA, field, message, help));
            }
            all.push(Interface { nodes: nodes.clone(), mass, centre, inertia, turns, first });
            first += if turns { 6 } else { 3 };
        }
        Ok(all)
    }

    /// Reduces to interfaces, each one node or several that move as one piece, and so many fixed-interface modes.
    pub fn reduce(&self, interfaces: &[Vec<usize>], modes: usize) -> Result<Reduction, InputError> {
        self.reduced(interfaces, modes, None)
    }

    /// The same with full inertia, and with geometric stiffness: K_G = Σ w_a w_b K_ab of the body that spins with w, for xx, yy, zz, and xy, xz, yz
    /// unless they are zero; none is no such stiffness.
    pub fn reduce_in_full(
        &self,
        interfaces: &[Vec<usize>],
        modes: usize,
        geometric: &[SparseMatrix],
    ) -> Result<Reduction, InputError> {
        let size = [self.stiffness.n_rows(), self.stiffness.n_cols()];
        if let Some(k) = geometric.iter().position(|K| [K.n_rows(), K.n_cols()] != size) {
            let message = format!(
                "is {} × {} where K is {} × {}",
                geometric[k].n_rows(),
                geometric[k].n_cols(),
                size[0],
                size[1]
            );
            let field = format!("geometric_stiffness[{k}]");
            return Err(InputError::new(Code::BAD_SHAPE, field, message, "give matrices of the size of stiffness"));
        }
        self.reduced(interfaces, modes, Some(geometric))
    }

    fn reduced(
        &self,
        interfaces: &[Vec<usize>],
        modes: usize,
        full: Option<&[SparseMatrix]>,
    ) -> Result<Reduction, InputError> {
        self.check(interfaces)?;
        let sets = self.interfaces(interfaces)?;
        let interior = Interior::new(self, &sets, modes)?;
        let rest = (0..self.places.len()).filter(|i| !interfaces.iter().flatten().any(|j| i == j));
        let rest: Vec<usize> = rest.collect();
        let (mass, centre, inertia) = self.matter(rest.into_iter());
        if mass.is_nan() || mass <= 0.0 {
            let message = "all mass is at the interfaces";
            return Err(InputError::new(Code::BAD_MASS, "interfaces", message, "name fewer nodes"));
        }
        let (K, M) = (interior.stiffness(), interior.mass());
        let Y = self.rigid_columns(&sets, &centre, K.n_rows());
        let failed = || {
            let message = "modes and interfaces are more than the masses between the interfaces can tell apart";
            let help = "ask for fewer modes or use a finer mesh; check that K is positive beside rigid motions";
            InputError::new(Code::NOT_REDUCED, "modes", message, help)
        };
        let (squares, modes) = lifted_modes(&K, &M, &Y).ok_or_else(failed)?;
        let mut all = M;
        for set in &sets {
            for k in 0..3 {
                let at = set.first + k;
                all.set(at, at, all.get(at, at) + set.mass);
                for l in (0..3).filter(|_| set.turns) {
                    let (r, c) = (set.first + 3 + k, set.first + 3 + l);
                    all.set(r, c, all.get(r, c) + set.inertia[k][l]);
                }
            }
        }
        let (whole, _) = lifted_modes(&K, &all, &Y).ok_or_else(failed)?;
        let held = sets.iter().filter(|set| set.turns).filter_map(|set| lowest_held(&K, &all, set));
        let lowest = held.chain(whole.first().copied()).fold(f64::MAX, f64::min).sqrt();
        let root = |squares: Vec<f64>| squares.into_iter().map(f64::sqrt).collect();
        let points = sets.iter().filter(|set| !set.turns).count();
        let borrowed = if points > 0 { BORROWED } else { 0.0 };
        let share = |c: f64| inertia.map(|row| row.map(|x| c * x));
        let markers = sets.iter().map(|set| MarkerParts {
            place: set.centre,
            mass: set.mass,
            inertia: if set.turns { set.inertia } else { share(borrowed / points as f64) },
            shapes: (0..modes.n_cols()).map(|j| shape(set, modes.column(j))).collect(),
        });
        Ok(Reduction {
            mass,
            centre,
            inertia: share(1.0 - borrowed),
            frequencies: root(squares),
            whole: root(whole),
            lowest,
            cutoff: interior.cutoff(),
            markers: markers.collect(),
            witnesses: self.witnesses(&interior, &modes),
            full: full.map(|geometric| self.modal_inertia((&sets, &interior), &centre, &modes, geometric)),
        })
    }

    /// What bending changes in the inertia of what lies between the interfaces, and the geometric stiffness of all.
    fn modal_inertia(
        &self,
        (sets, interior): (&[Interface], &Interior),
        centre: &Vec3,
        modes: &DenseMatrix,
        geometric: &[SparseMatrix],
    ) -> ModalInertia {
        let (n, moved) = (modes.n_cols(), interior.moved(modes));
        let of = |node: usize| {
            let shapes = (0..n).map(|m| interior.displacement(self.per_node() * node, moved.column(m)));
            let shapes: Option<Vec<Vec3>> = shapes.collect();
            Some((self.masses[node], sub(&self.places[node], centre), shapes?))
        };
        let nodes: Vec<_> = (0..self.places.len()).filter_map(of).collect();
        let mut inertia = ModalInertia::of(n, &nodes);
        if geometric.is_empty() {
            return inertia;
        }
        // all coordinates of every mode, interfaces included
        let whole: Vec<Vec<f64>> =
            (0..n).map(|m| self.coordinates(sets, interior, modes.column(m), moved.column(m))).collect();
        let between: Vec<Vec<f64>> = geometric.iter().map(|K| products(K, &whole)).collect();
        inertia.stiffen(|a, b, m, k| {
            let (low, high) = (a.min(b), a.max(b));
            let which = if low == high { low } else { low + high + 2 };
            between.get(which).map_or(0.0, |K| K[m * n + k])
        });
        inertia
    }

    /// All coordinates as a mode moves them.
    fn coordinates(&self, sets: &[Interface], interior: &Interior, mode: &[f64], moved: &[f64]) -> Vec<f64> {
        let n = self.per_node();
        let mut u: Vec<f64> = (0..n * self.places.len()).map(|i| interior.coordinate(i, moved)).collect();
        for set in sets {
            for &node in &set.nodes {
                for k in 0..n {
                    let columns = set.columns(&self.places[node], k).into_iter();
                    u[n * node + k] = columns.map(|(column, x)| x * mode[column]).sum();
                }
            }
        }
        u
    }

    /// Six rigid motions as the interfaces make them; fixed-interface modes have no part in them.
    fn rigid_columns(&self, sets: &[Interface], about: &Vec3, n: usize) -> DenseMatrix {
        let mut Y = DenseMatrix::zeros(n, 6);
        for motion in 0..6 {
            let mut axis = [0.0; 3];
            axis[motion % 3] = 1.0;
            for set in sets {
                let shift = if motion < 3 { axis } else { cross(&axis, &sub(&set.centre, about)) };
                (0..3).for_each(|k| Y.set(set.first + k, motion, shift[k]));
                if motion >= 3 && set.turns {
                    Y.set(set.first + motion, motion, 1.0);
                }
            }
        }
        Y
    }

    /// Φ, over all modes, of the node that moves most in each of them.
    fn witnesses(&self, interior: &Interior, modes: &DenseMatrix) -> Vec<Vec<Vec3>> {
        let moved = interior.moved(modes);
        let of = |node: usize, j: usize| interior.displacement(self.per_node() * node, moved.column(j));
        let nodes = || (0..self.places.len()).filter(|&i| interior.is_inside(self.per_node() * i));
        let mut chosen: Vec<usize> = Vec::new();
        for j in 0..modes.n_cols() {
            let size = |i: &usize| of(*i, j).map_or(0.0, |x| dot(&x, &x));
            chosen.extend(nodes().max_by(|a, b| size(a).total_cmp(&size(b))));
        }
        chosen.sort_unstable();
        chosen.dedup();
        let row = |&i: &usize| (0..modes.n_cols()).map(|j| of(i, j).unwrap_or_default()).collect();
        chosen.iter().map(row).collect()
    }
}

/// The smallest ω² of what moves while an interface is held.
fn lowest_held(K: &DenseMatrix, M: &DenseMatrix, set: &Interface) -> Option<f64> {
    let own = set.first..set.first + set.n_columns();
    let free: Vec<usize> = (0..K.n_rows()).filter(|i| !own.contains(i)).collect();
    let part = |A: &DenseMatrix| {
        let mut B = DenseMatrix::zeros(free.len(), free.len());
        for (c, &j) in free.iter().enumerate() {
            free.iter().enumerate().for_each(|(r, &i)| B.set(r, c, A.get(i, j)));
        }
        B
    };
    let (rising, _) = Triangle::new(part(K))?.modes(part(M))?;
    rising.last().filter(|mu| **mu > 0.0).map(|mu| 1.0 / mu)
}

/// uᵀK u of all pairs of columns, by rows.
fn products(K: &SparseMatrix, columns: &[Vec<f64>]) -> Vec<f64> {
    let mut all = Vec::with_capacity(columns.len() * columns.len());
    for left in columns {
        let mut force = vec![0.0; left.len()];
        (0..left.len()).for_each(|j| K.add_column(j, left[j], &mut force));
        all.extend(columns.iter().map(|right| right.iter().zip(&force).map(|(u, f)| u * f).sum::<f64>()));
    }
    all
}

/// Displacement and turn of an interface in a mode.
fn shape(set: &Interface, mode: &[f64]) -> [f64; 6] {
    std::array::from_fn(|k| if k < 3 || set.turns { mode[set.first + k] } else { 0.0 })
}

impl Interface {
    /// The columns that move coordinate k of a node at a place, with their coefficients: U + θ × (r − c), and θ.
    fn columns(&self, place: &Vec3, k: usize) -> Vec<(usize, f64)> {
        if k >= 3 {
            return vec![(self.first + k, 1.0)];
        }
        let mut all = vec![(self.first + k, 1.0)];
        if self.turns {
            let arm = sub(place, &self.centre);
            for axis in 0..3 {
                let mut e = [0.0; 3];
                e[axis] = 1.0;
                all.push((self.first + 3 + axis, cross(&e, &arm)[k]));
            }
        }
        all
    }

    fn n_columns(&self) -> usize {
        if self.turns { 6 } else { 3 }
    }
}
