//! The kinds of contact problem and what a file holds.

use percussion_solve::OneStepProblem;
use percussion_solve::friction::{FrictionProblem, GlobalFrictionProblem};
use percussion_solve::mlcp::MlcpProblem;

/// A kind of problem, by the names of `percussion solve --kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// 0 ≤ M z + q ⟂ z ≥ 0.
    Lcp,
    /// The same with equalities and free unknowns.
    Mlcp,
    /// Friction in the plane, W and b given.
    Fc2d,
    /// Friction in space, W and b given.
    Fc3d,
    /// Friction in the plane, M, H, f and w given.
    Gfc2d,
    /// Friction in space, M, H, f and w given.
    Gfc3d,
    /// Rolling friction in space, in either form.
    Rolling,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 7] = [Self::Lcp, Self::Mlcp, Self::Fc2d, Self::Fc3d, Self::Gfc2d, Self::Gfc3d, Self::Rolling];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lcp => "lcp",
            Self::Mlcp => "mlcp",
            Self::Fc2d => "fc2d",
            Self::Fc3d => "fc3d",
            Self::Gfc2d => "gfc2d",
            Self::Gfc3d => "gfc3d",
            Self::Rolling => "rolling",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A contact problem of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactProblem {
    /// Complementarity.
    Lcp(OneStepProblem),
    /// Complementarity with equalities.
    Mlcp(MlcpProblem),
    /// Friction, rolling or not, W and b given.
    Local(FrictionProblem),
    /// Friction, rolling or not, M, H, f and w given.
    Global(GlobalFrictionProblem),
}

impl ContactProblem {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Lcp(_) => Kind::Lcp,
            Self::Mlcp(_) => Kind::Mlcp,
            Self::Local(problem) => match problem.dim() {
                2 => Kind::Fc2d,
                5 => Kind::Rolling,
                _ => Kind::Fc3d,
            },
            Self::Global(problem) => match problem.dim {
                2 => Kind::Gfc2d,
                5 => Kind::Rolling,
                _ => Kind::Gfc3d,
            },
        }
    }

    /// Number of contacts; of complementary pairs where there is no friction.
    pub fn contacts(&self) -> usize {
        match self {
            Self::Lcp(problem) => problem.len(),
            Self::Mlcp(problem) => problem.n_pairs(),
            Self::Local(problem) => problem.len(),
            Self::Global(problem) => problem.len(),
        }
    }
}

/// A solution or a first guess stored beside a problem; empty where the file has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredState {
    /// r, the reactions.
    pub r: Vec<f64>,
    /// u, the relative velocities.
    pub u: Vec<f64>,
    /// v, the velocities of a global problem.
    pub v: Vec<f64>,
}

/// A file, read.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemFile {
    /// The problem.
    pub problem: ContactProblem,
    /// What the reader had to decide or leave out, for the user.
    pub notes: Vec<String>,
    /// Title and description, where the format has them.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// The solution stored with it.
    pub solution: Option<StoredState>,
    /// First guesses stored with it.
    pub guesses: Vec<StoredState>,
}

impl ProblemFile {
    /// A problem without anything beside it.
    pub fn new(problem: ContactProblem) -> Self {
        Self {
            problem,
            notes: Vec::new(),
            title: String::new(),
            description: String::new(),
            solution: None,
            guesses: Vec::new(),
        }
    }
}
