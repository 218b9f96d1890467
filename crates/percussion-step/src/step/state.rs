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

crate::packed! { State { t, q, v } }
