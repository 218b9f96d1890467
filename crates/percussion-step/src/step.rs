//! What one step takes and gives: state and memory in, step and memory out, inputs untouched.

use crate::LocatedEvent;
use percussion_model::{Code, InputError};
use percussion_solve::friction::FrictionProblem;
use percussion_solve::{OneStepProblem, SolveReport, SolveStatus};

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

/// What a scheme carries from step to step besides the state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// E_k of the state, or the part of H_k that does not depend on the step size [J].
    pub H: f64,
    /// The largest |U| of any contact so far [m/s]; scales velocity tests.
    pub u_max: f64,
    /// P of each contact in the last step, by contact number [N·s]: warm starts, persistent contact.
    pub p: Vec<f64>,
    /// p_T of each contact in the last step [N·s]; empty where no contact rubs.
    pub p_t: Vec<[f64; 2]>,
    /// W_ii P_i of each contact in the last step: the velocity its own impulse gave it [m/s].
    pub push: Vec<f64>,
    /// Contacts of bodies in the last step, by rising identity.
    pub persistent: Vec<PersistentContact>,
    /// The scheme's own vectors (accelerations, filters), in its own order.
    pub fields: Vec<Vec<f64>>,
}

impl Memory {
    /// At the start: no impulse yet.
    pub fn new(H: f64, n_contacts: usize, fields: Vec<Vec<f64>>) -> Self {
        Self {
            H,
            u_max: 0.0,
            p: vec![0.0; n_contacts],
            p_t: Vec::new(),
            push: vec![0.0; n_contacts],
            persistent: Vec::new(),
            fields,
        }
    }

    /// Whether a contact pushed in the last step.
    pub fn pushed(&self, id: usize) -> bool {
        match self.p.get(id) {
            Some(&p) => p > 0.0,
            None => {
                let found = self.persistent.binary_search_by_key(&(id as u64), |p| p.id);
                found.is_ok_and(|k| self.persistent[k].p[0] > 0.0)
            }
        }
    }
}

/// What a contact between bodies leaves for the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PersistentContact {
    /// Its identity.
    pub id: u64,
    /// Normal and tangential impulses, and moments of rolling over the length their rows are taken with [N·s].
    pub p: [f64; 5],
    /// W_NN P [m/s].
    pub push: f64,
}

/// Whether a contact pushes, and how it moves along itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactStatus {
    /// No impulse.
    #[default]
    Open,
    /// An impulse, no friction.
    Closed,
    /// An impulse inside the cone: the tangential velocity of the law is zero.
    Stick,
    /// An impulse on the cone's surface.
    Slip,
}

impl ContactStatus {
    /// The word in `contacts.csv`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Stick => "stick",
            Self::Slip => "slip",
        }
    }
}

/// One contact of the index set after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactState {
    /// The contact's number.
    pub id: usize,
    /// g at the end of the step [m].
    pub gap: f64,
    /// U_k, normal velocity before [m/s].
    pub u_before: f64,
    /// Normal velocity the step would end with without impulses [m/s].
    pub u_free: f64,
    /// U_{k+1}, normal velocity after [m/s].
    pub u_after: f64,
    /// P [N·s].
    pub p: f64,
}

impl ContactState {
    /// Open or closed, whatever happens along the contact.
    pub fn status(&self) -> ContactStatus {
        if self.p > 0.0 { ContactStatus::Closed } else { ContactStatus::Open }
    }
}

/// What a contact of the index set did along itself in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tangential {
    /// Number of tangents.
    pub n: usize,
    /// u_T before [m/s]; zero beyond the tangents there are.
    pub u_before: [f64; 2],
    /// u_T after [m/s].
    pub u_after: [f64; 2],
    /// p_T [N·s].
    pub p: [f64; 2],
    /// Open, stick or slip, judged on the velocity of the law; closed where μ = 0.
    pub status: ContactStatus,
    /// Whether Frémond's law was used.
    pub fremond: bool,
    /// Whether the contact rubs, μ > 0 or μ_r > 0.
    pub rubs: bool,
    /// Number of axes about which rolling is resisted: the tangents, the one axis of the plane, or none.
    pub n_rolling: usize,
    /// Relative angular velocity about them, before [rad/s].
    pub w_before: [f64; 2],
    /// The same after [rad/s].
    pub w_after: [f64; 2],
    /// Moment of rolling friction over the step [N·m·s].
    pub m: [f64; 2],
}

impl Tangential {
    /// p_T·((1−c) u_T,k + c u_T,k+1), and the same of the moment of rolling friction.
    #[inline]
    pub fn work(&self, c: f64) -> f64 {
        let mut sum = 0.0;
        for k in 0..2 {
            sum += self.p[k] * ((1.0 - c) * self.u_before[k] + c * self.u_after[k]);
        }
        for k in 0..self.n_rolling {
            sum += self.m[k] * ((1.0 - c) * self.w_before[k] + c * self.w_after[k]);
        }
        sum
    }
}

/// The energy account of one step [J]; works and dissipation are of the step, energies at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LedgerEntry {
    /// ½ vᵀM v.
    pub kinetic: f64,
    /// ½ qᵀK q and other potentials.
    pub potential: f64,
    /// H, the energy the scheme's identity speaks of.
    pub algorithmic_energy: f64,
    /// Work of loads and of moving obstacles.
    pub work_external: f64,
    /// Work of C, ≤ 0 for ordinary dampers.
    pub work_damping: f64,
    /// Work of the contact impulses.
    pub work_contact: f64,
    /// Work of the joints.
    pub work_joints: f64,
    /// What the scheme itself dissipates (≥ 0 when dissipative).
    pub dissipation_numerical: f64,
    /// ΔH − works + dissipation: zero but for round-off where the scheme has an identity.
    pub balance: f64,
}

impl LedgerEntry {
    /// E = kinetic + potential.
    #[inline]
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// Energy that neither loads nor dampers account for: positive when the contact law or the scheme created some.
    #[inline]
    pub fn created(&self) -> f64 {
        self.work_contact + self.work_joints - self.dissipation_numerical
    }

    /// Adds the works of a further step and takes over its energies; the balance of larger size stays.
    pub fn accumulate(&mut self, later: &LedgerEntry) {
        let worst = if later.balance.abs() > self.balance.abs() { later.balance } else { self.balance };
        *self = LedgerEntry {
            work_external: self.work_external + later.work_external,
            work_damping: self.work_damping + later.work_damping,
            work_contact: self.work_contact + later.work_contact,
            work_joints: self.work_joints + later.work_joints,
            dissipation_numerical: self.dissipation_numerical + later.dissipation_numerical,
            balance: worst,
            ..*later
        };
    }
}

/// How the contact problems of a step were solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepInfo {
    /// Contact problems solved.
    pub solves: usize,
    /// Iterations, sweeps or pivots in all.
    pub iterations: usize,
    /// The worse of the two residuals of the worst problem.
    pub residual: f64,
    /// Islands of frictional contacts in which the checked rule saw an impact.
    pub impacts: usize,
    /// Contacts at which the checked rule fell back to Frémond's law because work was positive.
    pub fallbacks: usize,
}

/// One accepted step. Buffers are reused: nothing is allocated once the sizes have been seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Length of the step [s].
    pub h: f64,
    /// The state arrived at.
    pub after: State,
    /// The contacts of the index set, by rising number.
    pub contacts: Vec<ContactState>,
    /// Their motion along themselves, one for each; empty where no contact has tangents.
    pub friction: Vec<Tangential>,
    /// The smallest gap of all contacts at the start of the step and its contact, if there is any contact.
    pub smallest_gap: Option<(f64, usize)>,
    /// The energy account.
    pub ledger: LedgerEntry,
    /// The contact solver's part.
    pub info: StepInfo,
    /// Whether the scheme locates its events itself.
    pub located: bool,
    /// The events it located, in the order of time.
    pub events: Vec<LocatedEvent>,
}

impl Step {
    /// The status of the k-th contact of the index set.
    #[inline]
    pub fn status(&self, k: usize) -> ContactStatus {
        self.friction.get(k).map_or_else(|| self.contacts[k].status(), |tangential| tangential.status)
    }
}

/// A contact problem that was not solved.
#[derive(Clone, Debug)]
pub enum Unsolved {
    /// Without friction.
    Frictionless(OneStepProblem),
    /// With friction.
    Frictional(FrictionProblem),
}

/// Why a step could not be made. The state before it stands.
#[derive(Clone)]
pub struct StepFailure {
    /// E2xx.
    pub code: Code,
    /// Start of the failed step [s].
    pub t: f64,
    /// Length of the failed step [s].
    pub h: f64,
    /// The fact.
    pub message: String,
    /// A way out.
    pub help: String,
    /// The contact problem that was not solved.
    pub problem: Option<Box<Unsolved>>,
}

fn remedy(h: f64) -> String {
    format!("try solver.name = \"auto\", a larger solver.tolerance, or step = {:.1e}", 0.5 * h)
}

/// What u = W p + b cannot be told better than, in units of the residuals: ε max(1, ‖W‖, ‖W_ij/W_ii‖) in the row-sum norm.
fn round_off(problem: &OneStepProblem) -> f64 {
    let n = problem.len();
    // entry by entry: of thousands of contacts the estimate is not worth its time
    if n > 2000 {
        return f64::EPSILON;
    }
    let mut largest = 1.0_f64;
    for i in 0..n {
        let sum: f64 = (0..n).map(|j| problem.W.get(i, j).abs()).sum();
        largest = largest.max(sum).max(sum / problem.W.get(i, i).abs().max(f64::MIN_POSITIVE));
    }
    if largest.is_finite() { f64::EPSILON * largest } else { f64::EPSILON }
}

impl StepFailure {
    /// The contact problem of a step was not solved.
    pub fn unsolved(t: f64, h: f64, problem: &OneStepProblem, report: &SolveReport) -> Self {
        let none = report.status == SolveStatus::NoSolution;
        let contacts = match problem.ids.as_slice() {
            [one] => format!("contact {one}"),
            // gap and velocity of one contact
            [first, rest @ ..] if rest.iter().all(|id| id == first) => format!("contact {first}"),
            [first, .., last] => format!("{} contacts between {first} and {last}", problem.len()),
            [] => "no contact".to_string(),
        };
        let message = if none {
            format!("the contact problem ({contacts}) has no solution: no impulses satisfy the impact law")
        } else {
            format!(
                "solver {} stopped at residual {:.1e} after {} iterations ({contacts})",
                report.method.name(),
                report.residuals.worst(),
                report.iterations
            )
        };
        let floor = round_off(problem);
        if !none && report.residuals.worst() <= 100.0 * floor {
            let message = format!(
                "{message}: round-off alone leaves about {floor:.0e} here, and solver.tolerance asks for less than was reached"
            );
            let help = format!("set solver.tolerance = {:.0e} or more", 1000.0 * floor);
            let problem = Some(Box::new(Unsolved::Frictionless(problem.clone())));
            return Self { code: Code::UNREACHABLE, t, h, message, help, problem };
        }
        let help = if none {
            "look at the contacts named: obstacles may close on a body from both sides, or opposing contacts ask for different \
             velocities (equal restitution, or activation = \"hold\" within the theorem's condition, always has a solution on \
             still obstacles); with 2β < γ a smaller step helps"
                .into()
        } else {
            remedy(h)
        };
        let code = if none { Code::NO_SOLUTION } else { Code::NOT_SOLVED };
        Self { code, t, h, message, help, problem: Some(Box::new(Unsolved::Frictionless(problem.clone()))) }
    }

    /// The frictional contact problem was not solved.
    pub fn unsolved_friction(t: f64, h: f64, problem: &FrictionProblem, report: &SolveReport) -> Self {
        let shown: Vec<String> = problem.ids.iter().take(8).map(ToString::to_string).collect();
        let more = if problem.len() > 8 { ", …" } else { "" };
        let message = format!(
            "solver {} stopped at residual {:.1e} after {} iterations (frictional contacts {}{more})",
            report.method.name(),
            report.residuals.worst(),
            report.iterations,
            shown.join(", ")
        );
        let mut help = remedy(h);
        let reached = report.residuals.worst();
        if reached < 1e-4 {
            help += &format!("; solver.tolerance = {:.0e} accepts what was reached", 10.0 * reached);
        }
        let problem = Some(Box::new(Unsolved::Frictional(problem.clone())));
        Self { code: Code::NOT_SOLVED, t, h, message, help, problem }
    }

    /// Newton's iteration did not end.
    pub fn newton(state: &State, h: f64, message: String) -> Self {
        let help = format!("try step = {:.1e}", 0.5 * h);
        Self { code: Code::NOT_SOLVED, t: state.t, h, message, help, problem: None }
    }

    /// The iteration matrix cannot be factorised.
    pub fn singular(t: f64, h: f64, row: Option<usize>) -> Self {
        let place = row.map_or(String::new(), |row| format!(" at coordinate {row}"));
        Self {
            code: Code::SINGULAR_STEP,
            t,
            h,
            message: format!("the matrix of the step cannot be factorised{place}"),
            help: "reduce the step, or check K and C for negative directions".into(),
            problem: None,
        }
    }

    /// A full contact operator that memory should not be asked for.
    pub fn too_large(t: f64, h: f64, contacts: usize, limit: usize) -> Self {
        Self {
            code: Code::TOO_LARGE,
            t,
            h,
            message: format!("{contacts} contacts of a coupled model are active at once, {limit} is the limit"),
            help: "use a lumped (diagonal) mass without stiffness between contacts, or fewer contacts".into(),
            problem: None,
        }
    }

    /// The energy is not a number although the state is.
    pub fn no_energy(t: f64, h: f64) -> Self {
        Self {
            code: Code::NOT_FINITE_STATE,
            t,
            h,
            message: "the energy became infinite or NaN".into(),
            help: "reduce the step; for a model of your own, check that its energies are defined where it goes".into(),
            problem: None,
        }
    }

    /// A number overflowed.
    pub fn not_finite(t: f64, h: f64, coordinate: usize) -> Self {
        Self {
            code: Code::NOT_FINITE_STATE,
            t,
            h,
            message: format!("coordinate {coordinate} became infinite or NaN"),
            help:
                "reduce the step; if the motion grows at any step, check K and C for negative directions and the loads"
                    .into(),
            problem: None,
        }
    }
}

impl std::fmt::Display for StepFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: step at t = {} s: {} ({})", self.code, self.t, self.message, self.help)
    }
}

impl std::fmt::Debug for StepFailure {
    /// The sentence, not the matrices of the unsolved problem.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for StepFailure {}

/// A scheme bound to a model: makes one step at a time. `&mut self` is work memory only; results depend on the arguments alone.
pub trait Stepper: Send {
    /// The memory a run starts with, consistent with the state.
    fn start(&mut self, state: &State) -> Memory;

    /// One step of length h from `state`.
    fn step(
        &mut self,
        state: &State,
        memory: &Memory,
        h: f64,
        step: &mut Step,
        next: &mut Memory,
    ) -> Result<(), StepFailure>;

    /// H of a state before a step of length h.
    fn algorithmic_energy(&self, memory: &Memory, _h: f64) -> f64 {
        memory.H
    }

    /// Threads a step may use; what it computes does not depend on them.
    fn use_threads(&mut self, _threads: usize) {}

    /// Counts worth a line in the summary: how often Newton needed which fallback, ….
    fn statistics(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Why steps of length h from this state make no sense, if they do not.
    fn refuse(&mut self, _state: &State, _h: f64) -> Option<InputError> {
        None
    }

    /// The contact problem with friction of the last step, with its impulses; where a step has several parts, that of the
    /// last. None when nothing that rubs was in touch.
    fn friction_problem(&self) -> Option<(FrictionProblem, Vec<f64>)> {
        None
    }

    /// Remarks on the operators at this step size (indefinite W, …).
    fn warnings(&mut self, _h: f64) -> Vec<crate::Warning> {
        Vec::new()
    }
}

crate::packed! {
    State { t, q, v }
    Memory { H, u_max, p, p_t, push, persistent, fields }
    PersistentContact { id, p, push }
    ContactState { id, gap, u_before, u_free, u_after, p }
    Tangential { n, u_before, u_after, p, status, fremond, rubs, n_rolling, w_before, w_after, m }
    LedgerEntry {
        kinetic,
        potential,
        algorithmic_energy,
        work_external,
        work_damping,
        work_contact,
        work_joints,
        dissipation_numerical,
        balance,
    }
    StepInfo { solves, iterations, residual, impacts, fallbacks }
    Step { h, after, contacts, friction, smallest_gap, ledger, info, located, events }
}
crate::run::pack::packed_cases! { ContactStatus { Open, Closed, Stick, Slip } }
