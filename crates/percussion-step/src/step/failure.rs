//! Why a step could not be made, with a way out.

use crate::State;
use percussion_matrix::stop::requested;
use percussion_model::Code;
use percussion_model::bodies::Bodies;
use percussion_model::flexible::Element;
use percussion_solve::friction::{DeviceError, FrictionProblem};
use percussion_solve::{OneStepProblem, SolveReport, SolveStatus};

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

/// What lets a run go on from the residual that was reached.
fn accepting(report: &SolveReport) -> String {
    let reached = report.residuals.worst();
    if reached < 1e-4 {
        return format!("solver.tolerance = {:.0e} accepts what was reached", 10.0 * reached);
    }
    "look at the contacts named: bodies that start deep inside each other, or μ above 1 between many bodies, ask for what \
     hardly exists"
        .into()
}

/// What to say where friction drives a contact into itself, W_NN < μ |W_NT|: an impulse that slides brings the two nearer, and one that sticks may not exist.
fn jamming(problem: &FrictionProblem) -> Option<String> {
    let d = problem.dim();
    let drives = |i: &usize| {
        let W = problem.W.diagonal_block(*i);
        let along = (1..d.min(3)).map(|k| W[k * d] * W[k * d]).sum::<f64>().sqrt();
        W[0] < problem.cone(*i).mu * along
    };
    (0..problem.len()).find(drives)?;
    Some(
        "friction drives one of these contacts into itself (W_NN < μ |W_NT|, Painlevé), as where a surface drags a jointed body towards its joint: \
         there need be no motion that obeys Coulomb's law; lower μ there, or let joint or surface give way"
            .into(),
    )
}

/// What can be said where no impulses satisfy the law.
fn unsolvable(contacts: &str) -> String {
    format!("the contact problem ({contacts}) has no solution: no impulses satisfy the impact law")
}

/// What leads to such problems.
const UNSOLVABLE: &str = "look at the contacts named: obstacles may close on a body from both sides, or opposing contacts ask for different \
                          velocities (equal restitution, or activation = \"hold\" within the theorem's condition, always has a \
                          solution on still obstacles); with 2β < γ a smaller step helps";

/// What a contact is called where the model is not at hand.
fn number(id: usize) -> String {
    id.to_string()
}

/// The contacts of a problem without friction, in words.
fn frictionless_contacts(problem: &OneStepProblem, name: &dyn Fn(usize) -> String) -> String {
    match problem.ids.as_slice() {
        [one] => format!("contact {}", name(*one)),
        // gap and velocity of one contact
        [first, rest @ ..] if rest.iter().all(|id| id == first) => format!("contact {}", name(*first)),
        [first, .., last] => format!("{} contacts between {} and {}", problem.len(), name(*first), name(*last)),
        [] => "no contact".to_string(),
    }
}

/// The first contacts of a problem with friction, in words.
fn frictional_contacts(problem: &FrictionProblem, name: &dyn Fn(usize) -> String) -> String {
    let shown: Vec<String> = problem.ids.iter().take(8).map(|&id| name(id)).collect();
    let more = if problem.len() > 8 { ", …" } else { "" };
    let what = if problem.mu.iter().all(|&mu| mu == 0.0) { "contacts" } else { "frictional contacts" };
    format!("{what} {}{more}", shown.join(", "))
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
        let contacts = frictionless_contacts(problem, &number);
        let message = if none {
            unsolvable(&contacts)
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
        let help = if none { UNSOLVABLE.into() } else { accepting(report) };
        let code = if none { Code::NO_SOLUTION } else { Code::NOT_SOLVED };
        Self { code, t, h, message, help, problem: Some(Box::new(Unsolved::Frictionless(problem.clone()))) }
    }

    /// A beam folded upon itself, or a bushing turned as far: its strain is no longer told by the frames of its ends.
    pub fn folded(scene: &Bodies, span: usize, t: f64, h: f64) -> Self {
        let span = &scene.spans()[span];
        let [a, b] = span.bodies.map(|i| &scene.bodies()[i].name);
        let (what, help) = match span.element {
            Element::Bushing(_) => (
                "a bushing holds them, which has no stiffness for such turns",
                "raise the bushing's stiffness against turning, or use a joint that turns freely (hinge, ball) with a spring",
            ),
            Element::Beam(_) | Element::Cable(_) | Element::Modes(_) => {
                ("a beam's element joins them", "use more elements")
            }
        };
        let message = format!("\"{a}\" and \"{b}\" are turned by more than 0.9π against each other: {what}");
        Self { code: Code::FOLDED, t, h, message, help: help.to_string(), problem: None }
    }

    /// The frictional contact problem was not solved.
    pub fn unsolved_friction(t: f64, h: f64, problem: &FrictionProblem, report: &SolveReport) -> Self {
        let contacts = frictional_contacts(problem, &number);
        let (code, message, help) = if report.status == SolveStatus::NoSolution {
            (Code::NO_SOLUTION, unsolvable(&contacts), jamming(problem).unwrap_or_else(|| UNSOLVABLE.into()))
        } else {
            let (method, reached) = (report.method.name(), report.residuals.worst());
            let message = format!(
                "solver {method} stopped at residual {reached:.1e} after {} iterations ({contacts})",
                report.iterations
            );
            (Code::NOT_SOLVED, message, jamming(problem).unwrap_or_else(|| accepting(report)))
        };
        let problem = Some(Box::new(Unsolved::Frictional(problem.clone())));
        Self { code, t, h, message, help, problem }
    }

    /// The same with the contacts called by their names, where the model has any.
    pub fn with_names(mut self, name: impl Fn(usize) -> String) -> Self {
        // models without names say "contact 3"
        let name = |id: usize| name(id).trim_start_matches("contact ").to_string();
        let listed = match self.problem.as_deref() {
            Some(Unsolved::Frictionless(problem)) => {
                (frictionless_contacts(problem, &number), frictionless_contacts(problem, &name))
            }
            Some(Unsolved::Frictional(problem)) => {
                (frictional_contacts(problem, &number), frictional_contacts(problem, &name))
            }
            None => return self,
        };
        self.message = self.message.replacen(&format!("({})", listed.0), &format!("({})", listed.1), 1);
        self
    }

    /// Newton's iteration did not end; what helps, the run knows, which knows the step that was asked for.
    pub fn newton(state: &State, h: f64, message: String) -> Self {
        Self { code: Code::NOT_SOLVED, t: state.t, h, message, help: String::new(), problem: None }
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
            message: format!("{contacts} contacts of a coupled model are active at once; the limit is {limit}"),
            help: "use a lumped (diagonal) mass without stiffness between contacts, or fewer contacts".into(),
            problem: None,
        }
    }

    /// A device that was asked for gave up.
    pub fn device(t: f64, h: f64, fault: &DeviceError) -> Self {
        let code = match fault {
            DeviceError::TooLittleMemory { .. } => Code::GPU_MEMORY,
            DeviceError::NotBuilt | DeviceError::NoDriver(_) | DeviceError::NoDevice(_) | DeviceError::Failed(_) => {
                Code::GPU_FAILED
            }
        };
        let help = "use --device cpu, or auto, which goes on without it: results are the same".into();
        Self { code, t, h, message: fault.to_string(), help, problem: None }
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

    /// What has no value where the step was to go: no other step length, no other solver helps.
    pub fn undefined(self, what: &str, t: f64) -> Self {
        let message = format!("{what} is infinite or NaN at t = {t} s");
        let help = "correct its formula, table or function, or keep the motion where it is defined: roots and logarithms of \
                    negative numbers and divisions by zero have no value";
        Self { code: Code::NOT_FINITE_STATE, message, help: help.into(), problem: None, ..self }
    }

    /// No step any more where the run was told to stop: each round of what may take many asks.
    pub fn unless_stopped(t: f64, h: f64) -> Result<(), Self> {
        if requested() { Err(Self::interrupted(t, h)) } else { Ok(()) }
    }

    /// The run was told to stop in the middle of the step, which is dropped.
    pub fn interrupted(t: f64, h: f64) -> Self {
        let (help, message) = (String::new(), "interrupted".into());
        Self { code: Code::NOT_SOLVED, t, h, message, help, problem: None }
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
