//! The friction problem before condensation: bodies' velocities and reactions together.
//!
//!   M v = f + H r,    u = Hᵀv + w,    cone law between u and r
//!
//! Condensed: W = HᵀM⁻¹H and b = HᵀM⁻¹f + w.

use crate::Residuals;
use crate::friction::{Cone, FrictionProblem, Stop};
use percussion_matrix::{BlockMatrix, Factor, Matrix, SparseMatrix};
use serde::{Deserialize, Serialize};

/// A friction problem in global form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GlobalFrictionProblem {
    /// Components per contact: 2, 3, or 5 with rolling friction.
    pub dim: usize,
    /// M, the (effective) mass, n × n [kg].
    pub M: SparseMatrix,
    /// H, directions of the reactions, n × (dim·contacts).
    pub H: SparseMatrix,
    /// f, impulses of the loads, n [N s].
    pub f: Vec<f64>,
    /// w, prescribed part of the relative velocities, dim·contacts [m/s].
    pub w: Vec<f64>,
    /// μ of each contact.
    pub mu: Vec<f64>,
    /// μ_r of each contact [m]; empty unless dim = 5.
    pub mu_rolling: Vec<f64>,
}

/// Why a problem could not be condensed.
#[derive(Clone, Debug, PartialEq)]
pub enum NotCondensed {
    /// M cannot be factorised; the row where it was noticed, if known.
    SingularMass(Option<usize>),
    /// Sizes disagree.
    Malformed,
    /// W has more entries than `MOST_ENTRIES`.
    TooLarge,
    /// A stop was requested.
    Stopped,
}

/// Entries of W at most: 1.2 GB while it is made.
pub const MOST_ENTRIES: usize = 50_000_000;

impl GlobalFrictionProblem {
    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.mu.len()
    }

    /// Whether there is no contact at all.
    pub fn is_empty(&self) -> bool {
        self.mu.is_empty()
    }

    /// The cone of contact i.
    pub(crate) fn cone(&self, i: usize) -> Cone {
        Cone::of(&self.mu, &self.mu_rolling, i)
    }

    /// Whether sizes agree.
    pub fn is_well_formed(&self) -> bool {
        let (n, m) = (self.f.len(), self.dim * self.len());
        matches!(self.dim, 2 | 3 | 5)
            && self.M.n_rows() == n
            && self.M.n_cols() == n
            && self.H.n_rows() == n
            && self.H.n_cols() == m
            && self.w.len() == m
            && self.mu_rolling.len() == if self.dim == 5 { self.len() } else { 0 }
    }

    /// M, factorised.
    pub fn factor(&self) -> Result<Factor, NotCondensed> {
        if !self.is_well_formed() {
            return Err(NotCondensed::Malformed);
        }
        Factor::new(&Matrix::Sparse(self.M.clone())).map_err(|failure| NotCondensed::SingularMass(failure.row))
    }

    /// The local problem W = HᵀM⁻¹H, b = HᵀM⁻¹f + w, and the factor of M that made it.
    pub fn condense(&self) -> Result<(FrictionProblem, Factor), NotCondensed> {
        self.condense_until(&Stop::default())
    }

    /// The same, given up when asked from outside; one factorisation of M is not interrupted.
    pub fn condense_until(&self, stop: &Stop) -> Result<(FrictionProblem, Factor), NotCondensed> {
        let mut factor = self.factor()?;
        let (n, m, d) = (self.f.len(), self.w.len(), self.dim);
        let mut v = self.f.clone();
        factor.solve(&mut v);
        let b: Vec<f64> = (0..m).map(|j| self.H.column_dot(j, &v) + self.w[j]).collect();

        // columns of W one by one; only contacts that share a coordinate with the column's response are met
        let mut triplets = Vec::new();
        let rows = self.H.transpose();
        let mut x = vec![0.0; n];
        let mut met = vec![usize::MAX; m];
        for j in 0..m {
            if stop.requested() {
                return Err(NotCondensed::Stopped);
            }
            x.fill(0.0);
            self.H.add_column(j, 1.0, &mut x);
            factor.solve(&mut x);
            for (i, &xi) in x.iter().enumerate() {
                if xi == 0.0 {
                    continue;
                }
                for &k in rows.column(i).0 {
                    if met[k] != j {
                        met[k] = j;
                        if triplets.len() == MOST_ENTRIES {
                            return Err(NotCondensed::TooLarge);
                        }
                        triplets.push((k, j, self.H.column_dot(k, &x)));
                    }
                }
            }
        }
        let W = SparseMatrix::from_triplets(m, m, &triplets).ok_or(NotCondensed::Malformed)?;
        let W = BlockMatrix::from_sparse(d, &W).ok_or(NotCondensed::Malformed)?;
        let local = FrictionProblem::new(W, b, self.mu.clone(), self.mu_rolling.clone());
        Ok((local.ok_or(NotCondensed::Malformed)?, factor))
    }

    /// v = M⁻¹(f + H r).
    pub fn velocity(&self, factor: &mut Factor, r: &[f64]) -> Vec<f64> {
        let mut v = self.f.clone();
        for (j, &x) in r.iter().enumerate() {
            if x != 0.0 {
                self.H.add_column(j, x, &mut v);
            }
        }
        factor.solve(&mut v);
        v
    }

    /// e = ‖f + Hr − Mv‖/max(‖f‖, ‖Mv‖, ‖Hr‖) + e_abs/max(‖u‖, ‖r‖) with u = Hᵀv + w; the scaled one is that of the
    /// condensed problem and is not known here.
    pub fn residual(&self, v: &[f64], r: &[f64]) -> f64 {
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut Hr = vec![0.0; v.len()];
        for (j, &x) in r.iter().enumerate() {
            self.H.add_column(j, x, &mut Hr);
        }
        let mut Mv = vec![0.0; v.len()];
        Matrix::Sparse(self.M.clone()).mul_add(1.0, v, &mut Mv);
        let balance: Vec<f64> = (0..v.len()).map(|i| self.f[i] + Hr[i] - Mv[i]).collect();
        let scale = norm(&self.f).max(norm(&Mv)).max(norm(&Hr));
        let u: Vec<f64> = (0..r.len()).map(|j| self.H.column_dot(j, v) + self.w[j]).collect();
        let mut cone = 0.0;
        for i in 0..self.len() {
            cone += self.natural_map_square(i, &r[i * self.dim..], &u[i * self.dim..]);
        }
        let divide = |x: f64, scale: f64| if scale < f64::EPSILON.sqrt() { x } else { x / scale };
        let e = divide(norm(&balance), scale) + divide(cone.sqrt(), norm(&u).max(norm(r)));
        if e.is_nan() { Residuals::INFINITE.plain } else { e }
    }

    fn natural_map_square(&self, i: usize, r: &[f64], u: &[f64]) -> f64 {
        fn square<const D: usize>(cone: Cone, r: &[f64], u: &[f64]) -> f64 {
            match (r.first_chunk::<D>(), u.first_chunk::<D>()) {
                (Some(r), Some(u)) => cone.natural_map(r, u, 1.0).iter().map(|x| x * x).sum(),
                _ => f64::INFINITY,
            }
        }
        let cone = self.cone(i);
        match self.dim {
            2 => square::<2>(cone, r, u),
            3 => square::<3>(cone, r, u),
            _ => square::<5>(cone, r, u),
        }
    }
}
