//! A problem of any kind, solved by the method asked for.
//!
//! A global problem is condensed first; besides the two residuals of the local form it has its own:
//!
//!   e = ‖f + Hr − Mv‖/max(‖f‖, ‖Mv‖, ‖Hr‖) + e_abs/max(‖u‖, ‖r‖)

use crate::error::{FileError, Result};
use crate::kind::{ContactProblem, Kind};
use percussion_model::Code;
use percussion_solve::friction::{FrictionProblem, FrictionSolver, MOST_ENTRIES, NotCondensed, Stop};
use percussion_solve::mlcp::MlcpSolver;
use percussion_solve::{Method, OneStepSolver, Residuals, SolveReport, SolveStatus, Solver, SolverOptions};

/// The outcome of one method on one problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// How it went; the residuals of a global problem are those of its local form.
    pub report: SolveReport,
    /// e of the global form.
    pub residual_global: Option<f64>,
    /// r contact by contact, or z.
    pub solution: Vec<f64>,
    /// Numbers per row of the solution: the components of a contact, or 1.
    pub width: usize,
}

impl Kind {
    /// Whether a method solves problems of this kind.
    pub fn is_solved_by(self, method: Method) -> bool {
        match self {
            Self::Lcp | Self::Mlcp => method.solves_complementarity(),
            _ => method.solves_friction(),
        }
    }

    /// Every method for problems of this kind, the driver first.
    pub fn methods(self) -> impl Iterator<Item = Method> {
        Method::ALL.into_iter().filter(move |&method| self.is_solved_by(method))
    }
}

/// Solves a problem from zero.
pub fn solve(problem: &ContactProblem, options: SolverOptions, stop: &Stop) -> Result<Answer> {
    match problem {
        ContactProblem::Lcp(problem) => {
            let mut z = vec![0.0; problem.len()];
            let report = Solver::new(options).stopping(stop.clone()).solve(problem, &mut z);
            Ok(Answer { report, residual_global: None, solution: z, width: 1 })
        }
        ContactProblem::Mlcp(problem) => {
            let mut z = vec![0.0; problem.len()];
            let mut solver = MlcpSolver { options, stop: stop.clone() };
            let report = solver.solve(problem, &mut z);
            Ok(Answer { report, residual_global: None, solution: z, width: 1 })
        }
        ContactProblem::Local(problem) => {
            let (report, r) = local(problem, options, stop);
            Ok(Answer { report, residual_global: None, solution: r, width: problem.dim() })
        }
        ContactProblem::Global(problem) => {
            let condensed = problem.condense_until(stop);
            if let Err(NotCondensed::Stopped) = condensed {
                let (status, residuals) = (SolveStatus::TimeLimit, Residuals::INFINITE);
                let report = SolveReport { status, method: options.method, iterations: 0, residuals };
                let solution = vec![0.0; problem.w.len()];
                return Ok(Answer { report, residual_global: None, solution, width: problem.dim });
            }
            let (condensed, mut factor) = condensed.map_err(|reason| {
                if let NotCondensed::TooLarge = reason {
                    let message = format!("its condensed matrix has more than {MOST_ENTRIES} entries");
                    let help = "every contact that shares a coordinate with another makes a block; split the problem";
                    return FileError::new(Code::TOO_LARGE, "H", message, help);
                }
                let message = match reason {
                    NotCondensed::SingularMass(Some(row)) => format!("M cannot be factorised at row {row}"),
                    NotCondensed::SingularMass(None) => "M cannot be factorised".to_string(),
                    NotCondensed::Malformed | NotCondensed::TooLarge | NotCondensed::Stopped => {
                        "the sizes do not fit each other".to_string()
                    }
                };
                FileError::new(Code::SINGULAR_MASS, "M", message, "give every coordinate a mass")
            })?;
            let (report, r) = local(&condensed, options, stop);
            let v = problem.velocity(&mut factor, &r);
            let residual_global = Some(problem.residual(&v, &r));
            Ok(Answer { report, residual_global, solution: r, width: problem.dim })
        }
    }
}

fn local(problem: &FrictionProblem, options: SolverOptions, stop: &Stop) -> (SolveReport, Vec<f64>) {
    let mut r = vec![0.0; problem.b.len()];
    let mut solver = FrictionSolver::new(options);
    solver.stop = stop.clone();
    let report = solver.solve(problem, &mut r);
    (report, r)
}
