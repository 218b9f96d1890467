//! The elastic force and energy of a finite-element model, from differences between neighbouring nodes, so that bodies that
//! travel lose no digits.
//!
//!   (K u)_i = Σ_j K_ij (u_j − u_i) + R_i u_i,    R_i = Σ_j K_ij = 0 away from supports,    V = ½ Σ_i (u_i − ū)·(K u)_i
//!
//! ū is one of the coordinates that may move together without any force, the same for all of them.

use percussion_matrix::SparseMatrix;

/// No coordinate: a direction that a support holds.
const NONE: u32 = u32::MAX;
/// Sums of rows below this part of their terms are round-off.
const ROUND_OFF: f64 = 1e-13;

/// Which coordinates belong to one node, and which move together freely.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodalCoordinates {
    /// The coordinates of each node along its axes; `None` where a support holds it.
    pub nodes: Vec<[Option<usize>; 3]>,
    /// Sets of coordinates that may all change by the same amount without elastic force.
    pub translations: Vec<Vec<usize>>,
}

/// K u and ½ uᵀK u of such a model.
#[derive(Clone, Debug)]
pub struct NodalForm {
    /// The axis of each coordinate, and the coordinates of its node by axis.
    axis: Vec<u8>,
    peers: Vec<[u32; 3]>,
    /// R_i by row: entries on the coordinates of its own node, zero where it is round-off.
    grounded: Vec<[f64; 3]>,
    /// The coordinate whose value counts as ū of each.
    reference: Vec<u32>,
}

impl NodalForm {
    /// Of a symmetric K over the coordinates.
    pub fn new(K: &SparseMatrix, coordinates: &NodalCoordinates) -> Self {
        let n = K.n_rows();
        let (mut axis, mut peers, mut reference) = (vec![0_u8; n], vec![[NONE; 3]; n], vec![NONE; n]);
        for node in &coordinates.nodes {
            let own = node.map(|i| i.map_or(NONE, |i| i as u32));
            for (k, &i) in node.iter().enumerate() {
                if let Some(i) = i {
                    (axis[i], peers[i]) = (k as u8, own);
                }
            }
        }
        for list in &coordinates.translations {
            list.iter().for_each(|&i| reference[i] = list[0] as u32);
        }
        let (mut grounded, mut terms) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
        for (i, j, x) in K.triplets() {
            let k = usize::from(axis[j]);
            grounded[i][k] += x;
            terms[i][k] += x.abs();
        }
        for (sums, terms) in grounded.iter_mut().zip(&terms) {
            for (sum, size) in sums.iter_mut().zip(terms) {
                if sum.abs() <= ROUND_OFF * size {
                    *sum = 0.0;
                }
            }
        }
        Self { axis, peers, grounded, reference }
    }

    /// y ← y + c K u.
    pub fn mul_add(&self, K: &SparseMatrix, c: f64, u: &[f64], y: &mut [f64]) {
        let at = |i: u32| if i == NONE { 0.0 } else { u[i as usize] };
        for j in 0..K.n_cols() {
            let (rows, values) = K.column(j);
            let (k, uj) = (usize::from(self.axis[j]), u[j]);
            for (&i, &x) in rows.iter().zip(values) {
                y[i] += c * x * (uj - at(self.peers[i][k]));
            }
        }
        for (i, R) in self.grounded.iter().enumerate() {
            for k in 0..3 {
                if R[k] != 0.0 {
                    y[i] += c * R[k] * at(self.peers[i][k]);
                }
            }
        }
    }

    /// ½ uᵀK u.
    pub fn half(&self, K: &SparseMatrix, u: &[f64]) -> f64 {
        let at = |i: u32| if i == NONE { 0.0 } else { u[i as usize] };
        let moved = |i: usize| u[i] - at(self.reference[i]);
        let mut twice = 0.0;
        for j in 0..K.n_cols() {
            let (rows, values) = K.column(j);
            let (k, uj) = (usize::from(self.axis[j]), u[j]);
            for (&i, &x) in rows.iter().zip(values) {
                twice += moved(i) * x * (uj - at(self.peers[i][k]));
            }
        }
        for (i, R) in self.grounded.iter().enumerate() {
            for k in 0..3 {
                if R[k] != 0.0 {
                    twice += moved(i) * R[k] * at(self.peers[i][k]);
                }
            }
        }
        0.5 * twice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes of a plane, coupled across axes, one of them held in y: the same as K itself, and a far translation along x
    /// costs nothing.
    #[test]
    fn equals_the_plain_product() {
        // (a, b)ᵀ blocks of a spring along (3, 4)/5, y of node 1 held: coordinates x0, y0, x1
        let (xx, xy, yy) = (0.36, 0.48, 0.64);
        let rows = [[xx, xy, -xx], [xy, yy, -xy], [-xx, -xy, xx]];
        let entries: Vec<_> = (0..9).map(|k| (k / 3, k % 3, rows[k / 3][k % 3])).collect();
        let K = SparseMatrix::from_triplets(3, 3, &entries).expect("3 × 3");
        let nodes = vec![[Some(0), Some(1), None], [Some(2), None, None]];
        let form = NodalForm::new(&K, &NodalCoordinates { nodes, translations: vec![vec![0, 2]] });
        let (u, mut f, mut plain) = ([0.3, -0.7, 1.1], [0.0; 3], [0.0; 3]);
        form.mul_add(&K, 1.0, &u, &mut f);
        for (i, j, x) in K.triplets() {
            plain[i] += x * u[j];
        }
        assert!(f.iter().zip(&plain).all(|(a, b)| (a - b).abs() <= 1e-15), "{f:?} {plain:?}");
        let half: f64 = 0.5 * u.iter().zip(&plain).map(|(a, b)| a * b).sum::<f64>();
        assert!((form.half(&K, &u) - half).abs() <= 1e-15);

        let (far, mut f) = ([1e9, 0.0, 1e9], [0.0; 3]);
        form.mul_add(&K, 1.0, &far, &mut f);
        assert_eq!((form.half(&K, &far), f), (0.0, [0.0; 3]));
    }
}
