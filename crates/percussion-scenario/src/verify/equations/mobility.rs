//! How much an impulse can change the velocity of its contact: w_i = Σ_k G_ki² / M_kk.

use percussion_matrix::DenseMatrix;
use percussion_step::Model;

/// w_i of every contact [1/kg]; without the coupling of masses, as it only sizes differences.
pub struct Mobility<'a> {
    model: &'a Model,
    /// Of linear models, once.
    constant: Vec<f64>,
    /// M(q) and the gradient of nonlinear ones.
    M: DenseMatrix,
    gradient: Vec<f64>,
}

impl<'a> Mobility<'a> {
    /// Of a model.
    pub fn new(model: &'a Model) -> Self {
        let mut mobility = Self { model, constant: Vec::new(), M: DenseMatrix::zeros(0, 0), gradient: Vec::new() };
        match model {
            Model::Linear(model) => {
                let mass = model.mass().diagonal();
                let of = |i| {
                    let (rows, values) = model.G().column(i);
                    rows.iter().zip(values).map(|(&k, G)| G * G / mass[k]).sum()
                };
                mobility.constant = (0..model.n_contacts()).map(of).collect();
            }
            Model::Nonlinear(model) => {
                let n = model.n();
                mobility.M = DenseMatrix::zeros(n, n);
                mobility.gradient = vec![0.0; n];
            }
            Model::Bodies(_) => {}
        }
        mobility
    }

    /// w_i at q.
    pub fn of(&mut self, i: usize, q: &[f64]) -> f64 {
        match self.model {
            Model::Linear(_) => self.constant[i],
            Model::Nonlinear(model) => {
                model.mass(q, &mut self.M);
                model.gradient(model.n_joints() + i, q, &mut self.gradient);
                (0..q.len()).map(|k| self.gradient[k] * self.gradient[k] / self.M.get(k, k)).sum()
            }
            // turning aside: it only sizes differences
            Model::Bodies(scene) => scene.pair_of(i as u64).iter().map(|&b| scene.bodies()[b].inverse_mass).sum(),
        }
    }
}
