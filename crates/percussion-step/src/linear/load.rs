//! F(t_k) and F(t_{k+1}), evaluated once when the load is constant.

use percussion_model::LinearModel;

/// The loads at both ends of a step.
#[derive(Debug)]
pub struct Load {
    /// F_k.
    pub now: Vec<f64>,
    /// F_{k+1}.
    pub next: Vec<f64>,
}

impl Load {
    /// Buffers for a model, filled at t = 0.
    pub fn new(model: &LinearModel) -> Self {
        let mut now = vec![0.0; model.n()];
        model.force(0.0, &mut now);
        Self { next: now.clone(), now }
    }

    /// Evaluates the load at t and t + h.
    #[inline]
    pub fn evaluate(&mut self, model: &LinearModel, t: f64, h: f64) {
        if !model.force_is_constant() {
            model.force(t, &mut self.now);
            model.force(t + h, &mut self.next);
        }
    }

    /// (1 − c) F_k + c F_{k+1} of coordinate i.
    #[inline]
    pub fn weighted(&self, c: f64, i: usize) -> f64 {
        (1.0 - c) * self.now[i] + c * self.next[i]
    }
}
