//! Mass taken from the nodes of a contact surface and given to those behind it (Khenous, Laborde, Renard 2008): without mass a
//! node has no impact, and rigid motion is kept exactly.
//!
//!   m_c → 0,    m_j → m_j (1 + Σ_i c_i φ_i(x_j)),    φ = 1, x, |x|² (plane) or 1, x, x_i x_j (space),    Σ_j m_j φ_i(x_j) as before

use super::element::MOST_NODES;
use super::mesh::Cell;
use crate::InputError;
use crate::code::Code;
use percussion_matrix::{DenseMatrix, Factor, Matrix, vector};

/// Nodal masses after redistribution.
#[derive(Clone, Debug, PartialEq)]
pub struct Redistributed {
    /// Mass of each node, zero on the surface [kg].
    pub mass: Vec<f64>,
    /// Relative change of the moments of inertia; zero where they could be kept.
    pub inertia_change: f64,
}

/// Takes the mass of `bare` nodes away and restores mass, centre and inertia on the others. `X` are the places of the nodes,
/// `d` the dimension.
pub fn redistribute(
    mass: &[f64],
    X: &[[f64; 3]],
    cells: &[Cell],
    bare: &[bool],
    d: usize,
) -> Result<Redistributed, InputError> {
    let mut moved = mass.to_vec();
    for (i, share) in shares(mass, X, cells, bare)? {
        for (j, part) in share {
            moved[j] += part * mass[i];
        }
        moved[i] = 0.0;
    }
    let frame = Frame::new(mass, X, d);
    let inertia = |m: &[f64]| frame.moments(m, X, 1 + d..frame.n_functions());
    let before = inertia(mass);

    // mass, centre and inertia; if that leaves negative masses, mass and centre only
    for n in [frame.n_functions(), 1 + d] {
        let Some(kept) = frame.restored(&moved, mass, X, n) else { continue };
        if kept.iter().all(|&m| m >= 0.0) {
            let change = inertia(&kept).iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let size = vector::max_abs(&before).max(f64::MIN_POSITIVE);
            let inertia_change = if n == frame.n_functions() { 0.0 } else { change / size };
            return Ok(Redistributed { mass: kept, inertia_change });
        }
    }
    let message = "the nodes behind the contact surface cannot carry its mass with masses of at least zero";
    let help = "refine the mesh behind the surface (four layers of elements in space), or use lumped mass";
    Err(InputError::new(Code::NEGATIVE_MASS, "model.contact.mass", message, help))
}

type Share = Vec<(usize, f64)>;

/// For each bare node the free nodes of its elements, each counted once, in proportion to their mass; the nearest free node
/// where it has none.
fn shares(mass: &[f64], X: &[[f64; 3]], cells: &[Cell], bare: &[bool]) -> Result<Vec<(usize, Share)>, InputError> {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); X.len()];
    for cell in cells {
        let mut nodes = [0; MOST_NODES];
        let n = cell.nodes().len();
        nodes.iter_mut().zip(cell.nodes()).for_each(|(slot, node)| *slot = node);
        for &i in nodes[..n].iter().filter(|&&i| bare[i]) {
            neighbours[i].extend(nodes[..n].iter().filter(|&&j| !bare[j]));
        }
    }
    let mut all = Vec::new();
    for i in (0..X.len()).filter(|&i| bare[i]) {
        let list = &mut neighbours[i];
        list.sort_unstable();
        list.dedup();
        let total: f64 = list.iter().map(|&j| mass[j]).sum();
        if list.is_empty() {
            let distance = |j: &usize| (0..3).map(|k| (X[*j][k] - X[i][k]).powi(2)).sum::<f64>();
            let nearest = (0..X.len()).filter(|&j| !bare[j]).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            let Some(j) = nearest else {
                let message = "every node of the solid is on a contact surface without mass";
                let help = "use lumped mass, or a finer mesh";
                return Err(InputError::new(Code::NEGATIVE_MASS, "model.contact.mass", message, help));
            };
            all.push((i, vec![(j, 1.0)]));
        } else {
            all.push((i, list.iter().map(|&j| (j, mass[j] / total)).collect()));
        }
    }
    Ok(all)
}

/// Centre and size of the solid, in which the functions φ are of order one.
struct Frame {
    d: usize,
    centre: [f64; 3],
    size: f64,
}

impl Frame {
    fn new(mass: &[f64], X: &[[f64; 3]], d: usize) -> Self {
        let total: f64 = mass.iter().sum();
        let centre = [0, 1, 2].map(|k| mass.iter().zip(X).map(|(m, x)| m * x[k]).sum::<f64>() / total);
        let far = |x: &[f64; 3]| (0..d).map(|k| (x[k] - centre[k]).abs()).fold(0.0, f64::max);
        let size = X.iter().map(far).fold(f64::MIN_POSITIVE, f64::max);
        Self { d, centre, size }
    }

    /// 4 in the plane, 10 in space.
    fn n_functions(&self) -> usize {
        if self.d == 2 { 4 } else { 10 }
    }

    fn functions(&self, X: &[f64; 3]) -> [f64; 10] {
        let x = [0, 1, 2].map(|k| (X[k] - self.centre[k]) / self.size);
        if self.d == 2 {
            return [1.0, x[0], x[1], x[0] * x[0] + x[1] * x[1], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        }
        let [a, b, c] = x;
        [1.0, a, b, c, a * a, b * b, c * c, a * b, b * c, c * a]
    }

    fn moments(&self, mass: &[f64], X: &[[f64; 3]], which: std::ops::Range<usize>) -> Vec<f64> {
        let mut sums = [0.0; 10];
        for (m, x) in mass.iter().zip(X) {
            self.functions(x).iter().zip(&mut sums).for_each(|(phi, sum)| *sum += m * phi);
        }
        sums[which].to_vec()
    }

    /// moved·(1 + Σ c φ) with the first n moments of `mass`; `None` where the nodes cannot tell the functions apart: round-off may
    /// hide that from the factor, but not from the moments, which come out wrong (one layer of elements lost all its mass).
    fn restored(&self, moved: &[f64], mass: &[f64], X: &[[f64; 3]], n: usize) -> Option<Vec<f64>> {
        let missing = self.moments(mass, X, 0..n).into_iter().zip(self.moments(moved, X, 0..n));
        let mut c: Vec<f64> = missing.map(|(a, b)| a - b).collect();
        let mut A = DenseMatrix::zeros(n, n);
        for (m, x) in moved.iter().zip(X) {
            let phi = self.functions(x);
            for i in 0..n {
                for j in 0..n {
                    A.set(i, j, A.get(i, j) + m * phi[i] * phi[j]);
                }
            }
        }
        Factor::cholesky(&Matrix::Dense(A)).ok()?.solve(&mut c);
        let factor = |x: &[f64; 3]| 1.0 + self.functions(x).iter().zip(&c).map(|(phi, c)| phi * c).sum::<f64>();
        let kept: Vec<f64> = moved.iter().zip(X).map(|(m, x)| m * factor(x)).collect();
        let (wanted, found) = (self.moments(mass, X, 0..n), self.moments(&kept, X, 0..n));
        let total = wanted[0];
        wanted.iter().zip(&found).all(|(a, b)| (a - b).abs() <= 1e-9 * total).then_some(kept)
    }
}
