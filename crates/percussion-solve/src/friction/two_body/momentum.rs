//! Momentum for sweeps: Nesterov's extrapolation, taken back where the changes grow.
//!
//!   r_{k+1} = sweep(y_k),    y_{k+1} = r_{k+1} + β (r_{k+1} − r_k),    β = (t − 1)/t⁺,    t⁺ = (1 + √(1 + 4t²))/2
//!
//! A forward sweep is not symmetric and Coulomb's law is no minimisation, so the momentum has to be watched: none is given
//! after a sweep whose change ‖r_{k+1} − y_k‖² exceeds the last one's by a tenth, and t is halved. Sweeps to 1e-4 on 24 steps of a
//! pile of 1000 spheres: 18 000 without momentum, 13 500 with conjugate directions, 9800 with restarts at any growth, 4400 with
//! this rule (growth 1.05: 4600, 1.15: 6900); Anderson's acceleration with 1 to 10 columns took 22 000 to 31 000.

/// Growth of ‖Δ‖² that takes the momentum back.
const GROWTH: f64 = 1.1;

/// The state of the extrapolation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Momentum {
    t: f64,
    last: f64,
}

impl Default for Momentum {
    fn default() -> Self {
        Self { t: 1.0, last: f64::INFINITY }
    }
}

impl Momentum {
    /// β after a sweep that changed the impulses by ‖Δ‖² = `change`.
    pub fn beta(&mut self, change: f64) -> f64 {
        let grew = change > GROWTH * self.last;
        self.last = change;
        if grew {
            self.t = (0.5 * self.t).max(1.0);
            return 0.0;
        }
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        let beta = (self.t - 1.0) / next;
        self.t = next;
        beta
    }
}
