//! Where the system is: t, q, v.

/// Where the system is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// t [s].
    pub t: f64,
    /// q, n.
    pub q: Vec<f64>,
    /// v, n: after the impacts of the step that led here.
    pub v: Vec<f64>,
}

impl State {
    /// Takes over a time, a place and a velocity.
    #[inline]
    pub fn set(&mut self, t: f64, q: &[f64], v: &[f64]) {
        self.t = t;
        self.q.clear();
        self.q.extend_from_slice(q);
        self.v.clear();
        self.v.extend_from_slice(v);
    }
}

crate::packed! { State { t, q, v } }
