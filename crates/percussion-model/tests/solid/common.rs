//! Meshes, small eigenvalue problems and the folder of reference data, for the tests of solids.

use percussion_matrix::{DenseMatrix, Factor, Matrix, vector};
use percussion_model::solid::element::ElementKind;
use percussion_model::solid::{Cell, Group, Hooke, Kinematics, Mesh, Part, Section, SolidMass, SolidParts};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A file of the reference cases beside the repository; says so when it is not there.
pub fn reference(name: &str) -> Option<Vec<u8>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/solids").join(name);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(_) => {
            eprintln!("{name} is not beside the repository: not compared");
            None
        }
    }
}

/// Deterministic numbers in (−1, 1).
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

pub const STEEL: Hooke = Hooke { young: 1.0, poisson: 0.3, density: 1.0 };

pub fn part(group: &str, material: Hooke) -> Part {
    Part::new(group, material)
}

/// A solid of one part called `solid`, free and unloaded.
pub fn free(mesh: Mesh, section: Section, mass: SolidMass) -> SolidParts {
    SolidParts {
        kinematics: Kinematics::Linear,
        mesh,
        section,
        mass,
        gravity: Default::default(),
        parts: vec![part("solid", STEEL)],
        supports: vec![],
        loads: vec![],
        contacts: vec![],
    }
}

pub const STRAIN: Section = Section::Strain { thickness: 1.0 };

/// n_x × n_y cells on [0, 1]² moved by `place`, as quad4 or two tri3 each; group `name` and its sides `name bottom`, `… top`,
/// `… left`, `… right` and `… corner`.
pub fn plane(name: &str, n: [usize; 2], kind: ElementKind, place: impl Fn(f64, f64) -> [f64; 2]) -> Mesh {
    let node = |i: usize, j: usize| i + (n[0] + 1) * j;
    let mut nodes = Vec::new();
    for j in 0..=n[1] {
        for i in 0..=n[0] {
            let [x, y] = place(i as f64 / n[0] as f64, j as f64 / n[1] as f64);
            nodes.push([x, y, 0.0]);
        }
    }
    let mut cells = Vec::new();
    for j in 0..n[1] {
        for i in 0..n[0] {
            let c = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            match kind {
                ElementKind::Quad4 => cells.push(c.to_vec()),
                ElementKind::Tri3 | ElementKind::Tri6 => {
                    let odd = (i + j) % 2 == 1;
                    let cut = if odd { [[0, 1, 2], [0, 2, 3]] } else { [[0, 1, 3], [1, 2, 3]] };
                    cells.extend(cut.map(|t| t.map(|a| c[a]).to_vec()));
                }
                other => panic!("{other:?} in the plane"),
            }
        }
    }
    let bottom = (0..n[0]).map(|i| vec![node(i, 0), node(i + 1, 0)]).collect();
    let top = (0..n[0]).map(|i| vec![node(i, n[1]), node(i + 1, n[1])]).collect();
    let left = (0..n[1]).map(|j| vec![node(0, j), node(0, j + 1)]).collect();
    let right = (0..n[1]).map(|j| vec![node(n[0], j), node(n[0], j + 1)]).collect();
    let linear = if kind == ElementKind::Quad4 { kind } else { ElementKind::Tri3 };
    let sides = [("bottom", bottom), ("top", top), ("left", left), ("right", right)];
    let mut lists = vec![(name.to_string(), linear, cells)];
    lists.extend(sides.map(|(side, list)| (format!("{name} {side}"), ElementKind::Line2, list)));
    lists.push((format!("{name} corner"), ElementKind::Point1, vec![vec![0]]));
    let mesh = collect(nodes, lists);
    if kind == ElementKind::Tri6 { elevated(&mesh) } else { mesh }
}

/// n_x × n_y × n_z cells on [0, 1]³ moved by `place`, as hex8 or six tetrahedra each; groups as in the plane, bottom at z = 0.
pub fn space(name: &str, n: [usize; 3], kind: ElementKind, place: impl Fn([f64; 3]) -> [f64; 3]) -> Mesh {
    let node = |i: [usize; 3]| i[0] + (n[0] + 1) * (i[1] + (n[1] + 1) * i[2]);
    let mut nodes = Vec::new();
    for k in 0..=n[2] {
        for j in 0..=n[1] {
            for i in 0..=n[0] {
                nodes.push(place([i as f64 / n[0] as f64, j as f64 / n[1] as f64, k as f64 / n[2] as f64]));
            }
        }
    }
    let hex = kind == ElementKind::Hex8;
    let (mut cells, mut bottom, mut top, mut left, mut right) = (vec![], vec![], vec![], vec![], vec![]);
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    for k in 0..n[2] {
        for j in 0..n[1] {
            for i in 0..n[0] {
                let at = |c: [usize; 3]| node([i + c[0], j + c[1], k + c[2]]);
                let corners: Vec<usize> =
                    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
                        .map(at)
                        .to_vec();
                if hex {
                    cells.push(corners.clone());
                } else {
                    // paths along the edges from one corner to the opposite one
                    for order in ORDERS {
                        let mut c = [0; 3];
                        let mut tet = vec![at(c)];
                        for axis in order {
                            c[axis] = 1;
                            tet.push(at(c));
                        }
                        cells.push(tet);
                    }
                }
                let face = |list: &mut Vec<Vec<usize>>, f: [usize; 4]| {
                    let [a, b, c, d] = f.map(|a| corners[a]);
                    if hex {
                        list.push(vec![a, b, c, d]);
                    } else {
                        list.extend([vec![a, b, c], vec![a, c, d]]);
                    }
                };
                if k == 0 {
                    face(&mut bottom, [0, 1, 2, 3]);
                }
                if k + 1 == n[2] {
                    face(&mut top, [4, 5, 6, 7]);
                }
                if i == 0 {
                    face(&mut left, [0, 3, 7, 4]);
                }
                if i + 1 == n[0] {
                    face(&mut right, [1, 2, 6, 5]);
                }
            }
        }
    }
    let (solid, face) =
        if hex { (ElementKind::Hex8, ElementKind::Quad4) } else { (ElementKind::Tet4, ElementKind::Tri3) };
    let mut lists = vec![(name.to_string(), solid, cells)];
    for (side, list) in [("bottom", bottom), ("top", top), ("left", left), ("right", right)] {
        lists.push((format!("{name} {side}"), face, list));
    }
    lists.push((format!("{name} corner"), ElementKind::Point1, vec![vec![0]]));
    lists.push((format!("{name} second corner"), ElementKind::Point1, vec![vec![n[0]]]));
    let mesh = collect(nodes, lists);
    if kind == ElementKind::Tet10 { elevated(&mesh) } else { mesh }
}

fn collect(nodes: Vec<[f64; 3]>, lists: Vec<(String, ElementKind, Vec<Vec<usize>>)>) -> Mesh {
    let (mut cells, mut groups) = (Vec::new(), Vec::new());
    for (name, kind, list) in lists {
        let first = cells.len();
        cells.extend(list.iter().zip(first + 1..).map(|(own, tag)| Cell::new(kind, tag as u64, own)));
        groups.push(Group { name, dimension: kind.dimension(), cells: (first..cells.len()).collect() });
    }
    Mesh { node_tags: (1..=nodes.len() as u64).collect(), nodes, cells, groups }
}

/// Nodes put into the middle of edges.
pub fn elevated(mesh: &Mesh) -> Mesh {
    let mut nodes = mesh.nodes.clone();
    let mut middles: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut cells = Vec::new();
    for cell in &mesh.cells {
        let own: Vec<usize> = cell.nodes().collect();
        let (kind, edges): (_, &[(usize, usize)]) = match cell.kind {
            ElementKind::Point1 => (ElementKind::Point1, &[]),
            ElementKind::Line2 => (ElementKind::Line3, &[(0, 1)]),
            ElementKind::Tri3 => (ElementKind::Tri6, &[(0, 1), (1, 2), (2, 0)]),
            ElementKind::Tet4 => (ElementKind::Tet10, &[(0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (1, 3)]),
            other => panic!("{other:?} is not made quadratic"),
        };
        let mut list = own.clone();
        for &(a, b) in edges {
            let (a, b) = (own[a].min(own[b]), own[a].max(own[b]));
            list.push(*middles.entry((a, b)).or_insert_with(|| {
                nodes.push([0, 1, 2].map(|k| 0.5 * (nodes[a][k] + nodes[b][k])));
                nodes.len() - 1
            }));
        }
        cells.push(Cell::new(kind, cell.tag, &list));
    }
    Mesh { node_tags: (1..=nodes.len() as u64).collect(), nodes, cells, groups: mesh.groups.clone() }
}

/// Two meshes in one.
pub fn joined(a: Mesh, b: Mesh) -> Mesh {
    let (n, c) = (a.nodes.len(), a.cells.len());
    let mut mesh = a;
    mesh.nodes.extend(b.nodes);
    for cell in b.cells {
        let nodes: Vec<usize> = cell.nodes().map(|i| i + n).collect();
        mesh.cells.push(Cell::new(cell.kind, cell.tag + c as u64, &nodes));
    }
    for mut group in b.groups {
        group.cells.iter_mut().for_each(|cell| *cell += c);
        mesh.groups.push(group);
    }
    mesh.node_tags = (1..=mesh.nodes.len() as u64).collect();
    mesh
}

/// Eigenvalues of a symmetric matrix by Jacobi's rotations, ascending, with their vectors as columns.
pub fn eigen(A: &DenseMatrix) -> (Vec<f64>, DenseMatrix) {
    let n = A.n_rows();
    let (mut A, mut V) = (A.clone(), DenseMatrix::identity(n));
    for _ in 0..60 {
        let mut off = 0.0;
        for p in 0..n {
            for q in p + 1..n {
                let apq = A.get(p, q);
                off += apq * apq;
                if apq.abs() < 1e-300 {
                    continue;
                }
                let tau = (A.get(q, q) - A.get(p, p)) / (2.0 * apq);
                let t = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
                let t = if tau == 0.0 { 1.0 } else { t };
                let c = 1.0 / (1.0 + t * t).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (A.get(k, p), A.get(k, q));
                    A.set(k, p, c * x - s * y);
                    A.set(k, q, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (A.get(p, k), A.get(q, k));
                    A.set(p, k, c * x - s * y);
                    A.set(q, k, s * x + c * y);
                    let (x, y) = (V.get(k, p), V.get(k, q));
                    V.set(k, p, c * x - s * y);
                    V.set(k, q, s * x + c * y);
                }
            }
        }
        if off.sqrt() <= 1e-15 * vector::max_abs(A.values()) {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| A.get(a, a).total_cmp(&A.get(b, b)));
    let mut sorted = DenseMatrix::zeros(n, n);
    for (k, &j) in order.iter().enumerate() {
        sorted.column_mut(k).copy_from_slice(V.column(j));
    }
    (order.iter().map(|&j| A.get(j, j)).collect(), sorted)
}

/// The p lowest ω² of K x = ω² M x by subspace iteration about −shift.
pub fn lowest(K: &Matrix, M: &Matrix, p: usize, shift: f64) -> Vec<f64> {
    let n = K.n_rows();
    let mut factor =
        Factor::cholesky(&Matrix::combination(n, &[(1.0, K), (shift, M)])).expect("K + shift M is definite");
    let mut dice = Dice(5);
    let mut X: Vec<Vec<f64>> = (0..p + 6).map(|_| (0..n).map(|_| dice.next()).collect()).collect();
    let mut values = Vec::new();
    for _ in 0..40 {
        for x in &mut X {
            let mut y = vec![0.0; n];
            M.mul_add(1.0, x, &mut y);
            factor.solve(&mut y);
            *x = y;
        }
        // an orthonormal basis in the mass, then Rayleigh and Ritz
        for j in 0..X.len() {
            for _ in 0..2 {
                for i in 0..j {
                    let along = M.bilinear(&X[i], &X[j]);
                    let (head, tail) = X.split_at_mut(j);
                    vector::axpy(-along, &head[i], &mut tail[0]);
                }
            }
            let length = M.bilinear(&X[j], &X[j]).sqrt();
            X[j].iter_mut().for_each(|x| *x /= length);
        }
        let m = X.len();
        let mut small = DenseMatrix::zeros(m, m);
        for i in 0..m {
            for j in 0..m {
                small.set(i, j, K.bilinear(&X[i], &X[j]));
            }
        }
        let (omega2, Q) = eigen(&small);
        let mixed = (0..m).map(|j| {
            let mut x = vec![0.0; n];
            (0..m).for_each(|i| vector::axpy(Q.get(i, j), &X[i], &mut x));
            x
        });
        X = mixed.collect();
        values = omega2[..p].to_vec();
    }
    values
}
