//! M, C and K of a solid over its free coordinates, and its masses node by node.
//!
//!   K = Σ k_e,    M = Σ m_e (or its nodal masses),    C = Σ_parts a M_part + b K_part

use super::assembly::{Assembly, isotropic};
use super::coordinates::{Axis, Coordinates};
use super::element::{ElementKind, Point};
use super::graph::NodeGraph;
use super::mass::{self, SolidMass};
use super::matter::Matter;
use super::mesh::Cell;
use super::parts::{Part, SolidParts};
use super::redistribute::redistribute;
use crate::InputError;
use percussion_matrix::SparseMatrix;

/// Mass of the nodes.
#[derive(Clone, Debug)]
pub struct NodeMass {
    /// Lumped mass, zero where taken away by a contact surface [kg].
    pub lumped: Vec<f64>,
    /// Σ_b m_ab: what gravity pulls at, of the mass in use [kg].
    pub weight: Vec<f64>,
    /// Which nodes have none.
    pub massless: Vec<bool>,
    /// Relative change of inertia by redistribution.
    pub inertia_change: f64,
}

/// A matrix over the free coordinates, and its entries (free, supported, value).
#[derive(Clone, Debug)]
pub struct Assembled {
    /// Between free coordinates.
    pub matrix: SparseMatrix,
    /// Between free and supported ones.
    pub coupling: Vec<(usize, usize, f64)>,
}

/// The points of each kind of element, made once.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    stiffness: Vec<Vec<Point>>,
    mass: Vec<Vec<Point>>,
}

impl Rules {
    pub fn new() -> Self {
        let all = ElementKind::ALL;
        Self {
            stiffness: all.iter().map(|kind| (kind.entry().stiffness_rule)()).collect(),
            mass: all.iter().map(|kind| (kind.entry().mass_rule)()).collect(),
        }
    }

    pub fn stiffness(&self, kind: ElementKind) -> &[Point] {
        &self.stiffness[kind as usize]
    }

    pub fn mass(&self, kind: ElementKind) -> &[Point] {
        &self.mass[kind as usize]
    }
}

impl NodeMass {
    /// Lumps the mass of all elements and takes it away from the nodes marked bare, piece by piece of the solid.
    pub(super) fn new(
        matter: &Matter,
        parts: &SolidParts,
        rules: &Rules,
        graph: &NodeGraph,
        bare: Vec<bool>,
    ) -> Result<Self, InputError> {
        let mut lumped = vec![0.0; matter.n_nodes()];
        let mut rows = vec![0.0; matter.n_nodes()];
        for (e, cell) in matter.cells.iter().enumerate() {
            let entry = cell.kind.entry();
            let places = matter.places(e);
            let density = parts.parts[matter.part[e]].material.density;
            let rule = rules.mass(cell.kind);
            let own = mass::lumped(entry, &places[..entry.nodes.len()], matter.section, density, rule);
            cell.nodes().zip(own).for_each(|(i, m)| lumped[i] += m);
            for at in matter.samples(e, rule) {
                cell.nodes().zip(at.N).for_each(|(i, N)| rows[i] += density * at.dV * N);
            }
        }
        let mut inertia_change = 0.0_f64;
        if bare.contains(&true) {
            let (piece, count) = graph.pieces();
            for k in 0..count {
                inertia_change = inertia_change.max(redistribute_piece(matter, &piece, k, &bare, &mut lumped)?);
            }
        }
        let weight = match parts.mass {
            SolidMass::Consistent => rows,
            SolidMass::Lumped => lumped.clone(),
        };
        Ok(Self { lumped, weight, massless: bare, inertia_change })
    }
}

fn redistribute_piece(
    matter: &Matter,
    piece: &[usize],
    k: usize,
    bare: &[bool],
    lumped: &mut [f64],
) -> Result<f64, InputError> {
    let nodes: Vec<usize> = (0..piece.len()).filter(|&i| piece[i] == k).collect();
    if nodes.iter().all(|&i| !bare[i]) {
        return Ok(0.0);
    }
    let local = |i: usize| nodes.binary_search(&i).expect("elements lie in one piece");
    let cells: Vec<Cell> = matter
        .cells
        .iter()
        .filter(|cell| cell.nodes().next().is_some_and(|i| piece[i] == k))
        .map(|cell| Cell::new(cell.kind, cell.tag, &cell.nodes().map(local).collect::<Vec<_>>()))
        .collect();
    let mass: Vec<f64> = nodes.iter().map(|&i| lumped[i]).collect();
    let X: Vec<_> = nodes.iter().map(|&i| matter.X[i]).collect();
    let own: Vec<bool> = nodes.iter().map(|&i| bare[i]).collect();
    let result = redistribute(&mass, &X, &cells, &own, matter.dimension())?;
    nodes.iter().zip(&result.mass).for_each(|(&i, &m)| lumped[i] = m);
    Ok(result.inertia_change)
}

/// K.
pub(super) fn stiffness(
    matter: &Matter,
    parts: &[Part],
    rules: &Rules,
    graph: &NodeGraph,
    coordinates: &Coordinates,
) -> Assembled {
    assembled(graph, coordinates, |sum| {
        for (e, cell) in matter.cells.iter().enumerate() {
            add_stiffness(sum, matter, parts, rules, (e, cell), 1.0);
        }
    })
}

/// M.
pub(super) fn mass_matrix(
    matter: &Matter,
    parts: &SolidParts,
    rules: &Rules,
    graph: &NodeGraph,
    coordinates: &Coordinates,
    node_mass: &NodeMass,
) -> Assembled {
    match parts.mass {
        SolidMass::Lumped => diagonal(coordinates, &node_mass.lumped),
        SolidMass::Consistent => assembled(graph, coordinates, |sum| {
            for (e, cell) in matter.cells.iter().enumerate() {
                add_mass(sum, matter, &parts.parts, rules, (e, cell), 1.0);
            }
        }),
    }
}

/// C, if any part has damping. Elements with massless nodes take no part in b K: striking out only the rows of these nodes
/// would brake rigid motion.
pub(super) fn damping(
    matter: &Matter,
    parts: &SolidParts,
    rules: &Rules,
    graph: &NodeGraph,
    coordinates: &Coordinates,
    node_mass: &NodeMass,
) -> Option<Assembled> {
    if parts.parts.iter().all(|part| part.damping.mass == 0.0 && part.damping.stiffness == 0.0) {
        return None;
    }
    Some(assembled(graph, coordinates, |sum| {
        for (e, cell) in matter.cells.iter().enumerate() {
            let rayleigh = parts.parts[matter.part[e]].damping;
            if !cell.nodes().any(|i| node_mass.massless[i]) {
                add_stiffness(sum, matter, &parts.parts, rules, (e, cell), rayleigh.stiffness);
            }
            if parts.mass == SolidMass::Consistent {
                add_mass(sum, matter, &parts.parts, rules, (e, cell), rayleigh.mass);
            }
        }
        if parts.mass == SolidMass::Lumped {
            for (i, drag) in node_drags(matter, &parts.parts, rules, node_mass).into_iter().enumerate() {
                sum.add(i, i, &isotropic(drag));
            }
        }
    }))
}

/// a m of each node: a that of its parts, weighted by their mass there.
pub(super) fn node_drags(matter: &Matter, parts: &[Part], rules: &Rules, node_mass: &NodeMass) -> Vec<f64> {
    let mut share = vec![(0.0, 0.0); matter.n_nodes()];
    for (e, cell) in matter.cells.iter().enumerate() {
        let part = &parts[matter.part[e]];
        for at in matter.samples(e, rules.mass(cell.kind)) {
            let m = part.material.density * at.dV / cell.nodes().len() as f64;
            cell.nodes().for_each(|i| share[i] = (share[i].0 + m * part.damping.mass, share[i].1 + m));
        }
    }
    share.iter().zip(&node_mass.lumped).map(|((a_mass, mass), lumped)| lumped * a_mass / mass).collect()
}

fn assembled(graph: &NodeGraph, coordinates: &Coordinates, fill: impl FnOnce(&mut Assembly)) -> Assembled {
    let mut sum = Assembly::new(graph, coordinates);
    fill(&mut sum);
    let (matrix, coupling) = sum.finish();
    Assembled { matrix, coupling }
}

fn diagonal(coordinates: &Coordinates, mass: &[f64]) -> Assembled {
    let mut entries = vec![0.0; coordinates.n_free()];
    for (node, &m) in mass.iter().enumerate() {
        for axis in coordinates.axes(node) {
            if let Axis::Free(i) = axis {
                entries[*i] = m;
            }
        }
    }
    Assembled { matrix: SparseMatrix::from_diagonal(&entries), coupling: Vec::new() }
}

fn add_stiffness(
    sum: &mut Assembly,
    matter: &Matter,
    parts: &[Part],
    rules: &Rules,
    (e, cell): (usize, &Cell),
    c: f64,
) {
    if c == 0.0 {
        return;
    }
    let nodes: Vec<usize> = cell.nodes().collect();
    sum.add_element(&nodes, c, &element_stiffness(matter, parts, rules, (e, cell)));
}

/// k_e by rows, d·node + component.
pub(super) fn element_stiffness(matter: &Matter, parts: &[Part], rules: &Rules, (e, cell): (usize, &Cell)) -> Vec<f64> {
    let size = matter.dimension() * cell.nodes().len();
    let lame = parts[matter.part[e]].material.lame(matter.section);
    let mut K = vec![0.0; size * size];
    for at in matter.samples(e, rules.stiffness(cell.kind)) {
        lame.add_stiffness(&at, matter.section, &mut K);
    }
    K
}

fn add_mass(sum: &mut Assembly, matter: &Matter, parts: &[Part], rules: &Rules, (e, cell): (usize, &Cell), c: f64) {
    if c == 0.0 {
        return;
    }
    let entry = cell.kind.entry();
    let n = entry.nodes.len();
    let places = matter.places(e);
    let density = parts[matter.part[e]].material.density;
    let m = mass::consistent(entry, &places[..n], matter.section, density, rules.mass(cell.kind));
    for (a, i) in cell.nodes().enumerate() {
        for (b, j) in cell.nodes().enumerate() {
            sum.add(i, j, &isotropic(c * m[n * a + b]));
        }
    }
}
