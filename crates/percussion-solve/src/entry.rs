//! What a solver says about itself: its name, what it takes, and how it is run.
//!
//! Each solver's file holds one [`Entry`], all of whose fields are required; `method.rs` lists the entries, one line each.

use crate::complementarity::lcp::Lcp;
use crate::complementarity::{OwnMethod, Tools};
use crate::friction::local::Local;
use crate::friction::local::plane::Plane;
use crate::friction::local::rolling::Rolling;
use crate::friction::local::space::Space;
use crate::friction::solver::FrictionTools;
use crate::friction::task::Task;
use crate::friction::two_body::OnBodies;
use crate::{SolveReport, SolverOptions};

/// All that is known about a solver.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Its name in scenario files and reports.
    pub name: &'static str,
    /// What it is good for, in one line.
    pub summary: &'static str,
    /// The most rows it takes, where that is limited.
    pub most_rows: Option<usize>,
    /// How it solves 0 ≤ u ⟂ p ≥ 0, if it does.
    pub complementarity: Complementarity,
    /// How it solves the cone problem of Coulomb friction, if it does.
    pub friction: Option<Friction>,
}

/// How a solver takes problems without friction.
#[derive(Clone, Copy)]
pub(crate) enum Complementarity {
    /// It does not: `auto` takes them instead.
    None,
    /// By this function, which improves the guess p.
    Run(fn(&mut Tools, &Lcp, &mut [f64], &SolverOptions) -> SolveReport),
    /// By a function of the user's.
    User(OwnMethod),
}

/// How a solver improves the guess r of contacts of D components (D2 = D²).
pub(crate) type FrictionRun<const D: usize, const D2: usize, L> =
    fn(&mut FrictionTools<D, D2, L>, &Task, &mut [f64]) -> SolveReport;

/// How a solver takes problems with friction.
#[derive(Clone, Copy)]
pub(crate) struct Friction {
    /// Two components.
    pub plane: FrictionRun<2, 4, Plane>,
    /// Three components.
    pub space: FrictionRun<3, 9, Space>,
    /// Five components.
    pub rolling: FrictionRun<5, 25, Rolling>,
    /// What it does where W is not formed.
    pub on_bodies: OnBodies,
}

/// A method for contacts of any number of components.
pub(crate) trait FrictionMethod {
    /// Improves r. Whether the answer is good enough is judged by the caller; the status says only what else is known.
    fn run<const D: usize, const D2: usize, L: Local<D>>(
        tools: &mut FrictionTools<D, D2, L>,
        task: &Task,
        r: &mut [f64],
    ) -> SolveReport;
}

/// Declares a method for contacts of any number of components; `D`, `D2` and `L` are those of the contacts.
macro_rules! friction_method {
    ($(#[$doc:meta])+ $name:ident($tools:ident, $task:ident, $r:ident) $body:block) => {
        $(#[$doc])+
        pub(crate) struct $name;

        impl $crate::entry::FrictionMethod for $name {
            fn run<const D: usize, const D2: usize, L: $crate::friction::local::Local<D>>(
                $tools: &mut $crate::friction::solver::FrictionTools<D, D2, L>,
                $task: &$crate::friction::task::Task,
                $r: &mut [f64],
            ) -> $crate::SolveReport $body
        }
    };
}
pub(crate) use friction_method;

impl Friction {
    /// The method M, compiled for each number of components.
    pub const fn of<M: FrictionMethod>(on_bodies: OnBodies) -> Self {
        Self {
            plane: M::run::<2, 4, Plane>,
            space: M::run::<3, 9, Space>,
            rolling: M::run::<5, 25, Rolling>,
            on_bodies,
        }
    }
}
