//! The equations of a step as sums of vectors, which is what differentiating them asks for.
//!
//!   relations   Σ c z = 0 between the vectors of both ends: q, v, the accelerations a scheme carries, and W, the jump of velocity
//!   forces      M r = f(q⁺, v, t⁺), or a part of f
//!   impulses    M W = HᵀP, the rows H at q⁺
//!
//! | scheme | v⁺ − v | q⁺ − q | a⁺ |
//! |---|---|---|---|
//! | Moreau–Jean | h(1−θ)r + hθr⁺ + W | h(1−c)v + hcv⁺, c = θ, or ½ in the midpoint variant | |
//! | Newmark family | h(1−γ)a + hγa⁺ + W | hv + h²(½−β)a + h²βa⁺ + (h/2)W | (1−α_m)a⁺ + α_m a = (1−α_f)r⁺ + α_f r |
//! | … KH | the same | the same | … = (1−α_m)r⁺ + α_m r + (1−α_f)s⁺ + α_f s, M s = −∂V/∂q and M r the rest of f |
//! | implicit Newmark | h(1−γ)a + hγa⁺ | hv + h²(½−β)a + h²βa⁺ | r⁺ + W/h |
//! | generalized-α of index 3 | the same | the same | (1−α_m)a⁺ + α_m a = (1−α_f)d⁺ + α_f d, d⁺ = r⁺ + W/h |
//! | symplectic Euler | h r(q⁺, v, t⁺) + W | hv | |

use crate::derivative::whole::StepForm;
use crate::{NewmarkLike, Stored};

/// A vector of a step, by its number among those of its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vector {
    /// Where the step begins.
    Now(usize),
    /// Where it ends.
    Next(usize),
}

/// The forces an acceleration is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forces {
    /// f.
    All,
    /// −∂V/∂q.
    Potential,
    /// f + ∂V/∂q.
    Others,
}

/// Why a form has none.
const OTHER: &str = "its steps are no sums of vectors";
/// q⁺ and q.
pub const Q: usize = 0;
/// v⁺ and v.
pub const V: usize = 1;

/// The equations of a step of a certain length.
#[derive(Clone, Debug, PartialEq)]
pub struct StepEquations {
    /// Vectors that go from step to step: the first of those of an end.
    pub carried: usize,
    /// Those that the first relations give by themselves, which start as the sum of the accelerations.
    pub filtered: Vec<usize>,
    /// Σ c z = 0.
    pub relations: Vec<Vec<(Vector, f64)>>,
    /// The accelerations by number, the forces they are made of, and the velocity these are taken at.
    pub forces: Vec<(usize, Forces, Vector)>,
    /// The number of W, the last.
    pub jump: usize,
    /// Whether pushing contacts end at g = 0, whatever their velocity.
    pub on_positions: bool,
    /// c of the contact work P·((1−c) u + c u⁺).
    pub work: f64,
}

impl StepEquations {
    /// Those of a form, for steps of length h; or why there are none.
    pub fn of(form: &StepForm, h: f64) -> Result<Self, &'static str> {
        let stored = match form {
            StepForm::Sums(stored) => *stored,
            StepForm::Smooth(p) => return Ok(Self::smooth(p, h)),
            StepForm::Ahead { .. } | StepForm::Between | StepForm::Corrected(_) | StepForm::Landing { .. } => {
                Stored::Missing(OTHER)
            }
            StepForm::Instants | StepForm::Bodies { .. } | StepForm::CorrectedBodies(_) => Stored::Missing(OTHER),
        };
        match stored {
            Stored::Theta { theta, midpoint } => Ok(Self::theta(theta, midpoint, h)),
            Stored::Newmark(p) => Ok(Self::newmark(&p, h)),
            Stored::Implicit { beta, gamma, on_positions } => Ok(Self::implicit([beta, gamma], on_positions, h)),
            Stored::Euler => Ok(Self::euler(h)),
            Stored::Projected(_) => Err("positions are corrected by multipliers of their own"),
            Stored::Missing(why) => Err(why),
        }
    }

    fn theta(theta: f64, midpoint: bool, h: f64) -> Self {
        let c = if midpoint { 0.5 } else { theta };
        let (R, W) = (2, 3);
        Self {
            carried: 3,
            filtered: Vec::new(),
            relations: vec![
                vec![next(V, 1.0), now(V, -1.0), now(R, -h * (1.0 - theta)), next(R, -h * theta), next(W, -1.0)],
                vec![next(Q, 1.0), now(Q, -1.0), now(V, -h * (1.0 - c)), next(V, -h * c)],
            ],
            forces: vec![(R, Forces::All, Vector::Next(V))],
            jump: W,
            on_positions: false,
            work: c,
        }
    }

    fn newmark(p: &NewmarkLike, h: f64) -> Self {
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, kh } = *p;
        let (A, R, S) = (2, 3, 4);
        let W = if kh { 5 } else { 4 };
        let mut filter = vec![next(A, 1.0 - alpha_m), now(A, alpha_m)];
        let weight = if kh { alpha_m } else { alpha_f };
        filter.extend([next(R, weight - 1.0), now(R, -weight)]);
        if kh {
            filter.extend([next(S, alpha_f - 1.0), now(S, -alpha_f)]);
        }
        let [mut velocity, mut position] = newmark_motion([beta, gamma], h);
        velocity.push(next(W, -1.0));
        position.push(next(W, -0.5 * h));
        let forces = if kh {
            vec![(R, Forces::Others, Vector::Next(V)), (S, Forces::Potential, Vector::Next(V))]
        } else {
            vec![(R, Forces::All, Vector::Next(V))]
        };
        let relations = vec![filter, velocity, position];
        Self { carried: W, filtered: vec![A], relations, forces, jump: W, on_positions: false, work: 0.5 }
    }

    fn implicit(numbers: [f64; 2], on_positions: bool, h: f64) -> Self {
        let (A, R, W) = (2, 3, 4);
        let filter = vec![next(A, 1.0), next(R, -1.0), next(W, -1.0 / h)];
        let [velocity, position] = newmark_motion(numbers, h);
        let (relations, forces) = (vec![filter, velocity, position], vec![(R, Forces::All, Vector::Next(V))]);
        Self { carried: 3, filtered: vec![A], relations, forces, jump: W, on_positions, work: 0.5 }
    }

    fn smooth(p: &NewmarkLike, h: f64) -> Self {
        let NewmarkLike { alpha_m, alpha_f, beta, gamma, .. } = *p;
        let (A, D, R, W) = (2, 3, 4, 5);
        let force = vec![next(D, 1.0), next(R, -1.0), next(W, -1.0 / h)];
        let filter = vec![next(A, 1.0 - alpha_m), now(A, alpha_m), next(D, alpha_f - 1.0), now(D, -alpha_f)];
        let [velocity, position] = newmark_motion([beta, gamma], h);
        Self {
            carried: 4,
            filtered: vec![D, A],
            relations: vec![force, filter, velocity, position],
            forces: vec![(R, Forces::All, Vector::Next(V))],
            jump: W,
            on_positions: true,
            work: 0.5,
        }
    }

    fn euler(h: f64) -> Self {
        let (R, W) = (2, 3);
        Self {
            carried: 2,
            filtered: Vec::new(),
            relations: vec![
                vec![next(V, 1.0), now(V, -1.0), next(R, -h), next(W, -1.0)],
                vec![next(Q, 1.0), now(Q, -1.0), now(V, -h)],
            ],
            forces: vec![(R, Forces::All, Vector::Now(V))],
            jump: W,
            on_positions: false,
            work: 0.5,
        }
    }
}

fn now(vector: usize, c: f64) -> (Vector, f64) {
    (Vector::Now(vector), c)
}

fn next(vector: usize, c: f64) -> (Vector, f64) {
    (Vector::Next(vector), c)
}

/// v⁺ and q⁺ from a and a⁺, the vectors with number 2.
fn newmark_motion([beta, gamma]: [f64; 2], h: f64) -> [Vec<(Vector, f64)>; 2] {
    let A = 2;
    let (c, d) = (h * h * (0.5 - beta), h * h * beta);
    [
        vec![next(V, 1.0), now(V, -1.0), now(A, -h * (1.0 - gamma)), next(A, -h * gamma)],
        vec![next(Q, 1.0), now(Q, -1.0), now(V, -h), now(A, -c), next(A, -d)],
    ]
}
