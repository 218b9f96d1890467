//! What a part of a step did, for those who differentiate it: which contacts pushed, stuck and slid in each of its three steps.

use crate::Stepper;
use crate::derivative::contacts::{Along, Touch};
use crate::schemes::landing::contact_problem::ContactProblem;
use crate::schemes::landing::contacts::Contacts;
use crate::schemes::landing::instant::Instant;
use percussion_matrix::vector;

/// A stepper that tells what the parts of its last step did.
pub trait Told: Stepper {
    /// One after the other.
    fn parts(&self) -> &[Part];
}

/// A contact of step 1.
#[derive(Clone, Debug, PartialEq)]
pub struct First {
    /// What it did.
    pub touch: Touch,
    /// g_k as the step met it [m].
    pub level: f64,
    /// Whether it was closed before, and whether it landed.
    pub closed: bool,
    pub landed: bool,
    /// What it did among the closed contacts alone.
    pub rest: Option<Touch>,
    /// The first contact of its island, by its place in the list; none where it does not act.
    pub island: Option<usize>,
    /// Whether something was given back for a landing of its island.
    pub given_back: bool,
}

/// A part of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its length [s].
    pub h: f64,
    /// The contact at whose touchdown it ends.
    pub cut: Option<usize>,
    /// Step 1.
    pub first: Vec<First>,
    /// 1 + ê_b across joints where the impact law was asked, and the contacts under it.
    pub struck: Option<f64>,
    pub last: Vec<Touch>,
    /// Where it leads.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

/// What contact i of a problem did; `held` where it opened, so that ê = 1.
fn touch(problem: &ContactProblem, i: usize) -> Touch {
    let d = problem.dim();
    let mut p = [0.0; 3];
    p[..d].copy_from_slice(&problem.law.p[i * d..(i + 1) * d]);
    let mu = if d == 1 { 0.0 } else { problem.law.problem.mu[i] };
    let pushes = problem.pushes(i);
    let w = vector::norm(&problem.w[i * d + 1..(i + 1) * d]);
    let along = if !pushes || mu == 0.0 {
        Along::Free
    } else if problem.mobility(i) * (mu * p[0] - vector::norm(&p[1..])) < w {
        Along::Slides
    } else {
        Along::Sticks
    };
    let held = problem.law.u_before[i * d] >= 0.0;
    let alpha = if problem.law.fremond(i) { 1.0 } else { 0.0 };
    Touch { id: problem.ids()[i], pushes, held, along, alpha, tangents: d - 1, p }
}

impl Part {
    /// What was just done, leading to `at`.
    pub fn of(contacts: &Contacts, at: &Instant, h: f64, cut: Option<usize>) -> Self {
        let Contacts { first, rest, last, .. } = contacts;
        let (d, landing) = (first.dim(), contacts.landed.contains(&true));
        let island = |i: usize| landing.then(|| contacts.island[i]).filter(|&k| k != usize::MAX);
        let given = |k: usize| {
            (0..first.len())
                .any(|i| island(i) == Some(k) && contacts.taken[i * d..(i + 1) * d].iter().any(|&x| x != 0.0))
        };
        let one = |i: usize| First {
            touch: touch(first, i),
            level: contacts.gaps[i],
            closed: contacts.closed[i],
            landed: contacts.landed[i],
            rest: contacts.places.get(i).copied().flatten().filter(|_| landing).map(|k| touch(rest, k)),
            island: island(i),
            given_back: island(i).is_some_and(given),
        };
        Self {
            h,
            cut,
            first: (0..first.len()).map(one).collect(),
            struck: contacts.struck.then_some(contacts.across),
            last: if contacts.struck { (0..last.len()).map(|i| touch(last, i)).collect() } else { Vec::new() },
            q: at.q.clone(),
            v: at.v.clone(),
        }
    }
}
