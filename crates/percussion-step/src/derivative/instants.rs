//! Steps that are functions of z and p once the contacts of their instants are given: z⁺ = Φ(z, p).
//!
//! `d1-minus-linear` and `splitting` solve for forces and impulses at given places and velocities, and for nothing else. The scheme itself,
//! told which contacts act at which instant and with which ê, is Φ: δz⁺ is its derivative along (δz, 1), a difference of order 8.

use crate::contact::instant::{Acting, InstantContacts, Watch};
use crate::derivative::implicit::{Carried, check, obeyed};
use crate::derivative::whole::{THOUSANDTH, sizes};
use crate::derivative::{Columns, Follow, NotDifferentiated, Variants};
use crate::schemes::bind::bind;
use crate::{Memory, Model, ParameterModels, Problem, Scheme, State, Step, StepFailure, StepStart, Stepper};
use percussion_matrix::vector;
use percussion_solve::SolverOptions;
use std::sync::{Arc, Mutex, PoisonError};

/// A scheme bound to a model, watched.
type Bound = Mutex<Box<dyn Stepper>>;

/// A run under way.
pub struct ByInstants {
    run: Carried<Bound>,
    state: State,
    memory: Memory,
}

fn bound(model: &Model, scheme: &Scheme, options: SolverOptions) -> Result<Arc<Bound>, String> {
    let mut stepper = bind(model, scheme, options).map_err(|error| error.message)?;
    match stepper.instants() {
        Some(contacts) => contacts.watch = Some(Box::default()),
        None => return Err(format!("{} is not made of instants", scheme.name)),
    }
    Ok(Arc::new(Mutex::new(stepper)))
}

fn watch(stepper: &mut dyn Stepper) -> Option<&mut Watch> {
    stepper.instants().and_then(|contacts| contacts.watch.as_deref_mut())
}

/// What acted at the instants of a step, and the forces and impulses of its contacts.
type Seen = (Vec<Acting>, Vec<(usize, f64)>);

/// A step with what acts given or found; what acted, and the forces and impulses where it was given.
fn step(
    model: &Bound,
    from: &StepStart,
    given: Option<&Vec<Acting>>,
    step: &mut Step,
    next: &mut Memory,
) -> Result<Seen, StepFailure> {
    let mut stepper = model.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(watch) = watch(&mut **stepper) {
        watch.given = given.cloned();
    }
    stepper.step(from, step, next)?;
    let told = watch(&mut **stepper);
    Ok(told.map_or_else(Default::default, |watch| (watch.acted.clone(), watch.answers.clone())))
}

/// The gaps of all contacts at a state.
fn gaps(model: &Bound, State { t, q, .. }: &State) -> Vec<f64> {
    let mut stepper = model.lock().unwrap_or_else(PoisonError::into_inner);
    let of = |InstantContacts { mechanism, .. }: &mut InstantContacts| {
        (0..mechanism.n_contacts()).map(|i| mechanism.gap(i, q, *t)).collect()
    };
    stepper.instants().map(of).unwrap_or_default()
}

impl ByInstants {
    /// At the start of a run.
    pub fn new(
        problem: &Problem,
        (scheme, options): (&Scheme, SolverOptions),
        parameters: &[ParameterModels],
        columns: &[Vec<f64>],
    ) -> Result<Self, String> {
        let kind = |model: &Model| bound(model, scheme, options);
        let (model, parameters) = (kind(&problem.model)?, Variants::of(parameters, kind)?);
        let state = State { t: 0.0, q: problem.q0.clone(), v: problem.v0.clone() };
        let memory = model.lock().unwrap_or_else(PoisonError::into_inner).start(&state);
        let x = problem.q0.iter().chain(&problem.v0).copied().collect();
        let run = Carried::new(model, parameters, problem.model.linear().is_some(), x, columns);
        Ok(Self { run, state, memory })
    }
}

impl Follow for ByInstants {
    fn state(&self) -> &State {
        &self.state
    }

    fn carried(&self) -> &dyn Columns {
        &self.run
    }

    fn advance(&mut self, told: &Step) -> Result<(), NotDifferentiated> {
        let Self { run, state, memory } = self;
        let unknown = NotDifferentiated::Unknown;
        let (n, t, h) = (state.q.len(), told.after.t, told.h);
        let fails = |failure: StepFailure| unknown(failure.message);

        // the step again, for what acted
        let (mut own, mut next) = (Step::default(), memory.clone());
        let from = StepStart { state, memory, h };
        let (acted, _) = step(&run.model, &from, None, &mut own, &mut next).map_err(fails)?;
        let list = |state: &State| state.q.iter().chain(&state.v).copied().collect::<Vec<f64>>();
        let after = list(&told.after);
        if !obeyed(&list(&own.after), &after, run.largest) {
            return Err(unknown(format!("the step to {t} s is not that of the scheme: differences are taken")));
        }

        // what it leads to with the same acting: z⁺, the work, forces and impulses, gaps
        let made = |model: &Bound, lists: &[Vec<f64>]| {
            let state = State { t: state.t, q: lists[0][..n].to_vec(), v: lists[0][n..].to_vec() };
            let (mut step_made, mut next) = (Step::default(), memory.clone());
            let from = StepStart { state: &state, memory, h };
            let Ok((_, answers)) = step(model, &from, Some(&acted), &mut step_made, &mut next) else {
                return (vec![f64::NAN; 2 * n + 1], Vec::new());
            };
            let mut numbers = list(&step_made.after);
            numbers.push(step_made.ledger.work_contact);
            let mut margins = answers;
            margins.extend(gaps(model, &step_made.after).into_iter().enumerate());
            (numbers, margins)
        };
        let flat = |(mut numbers, margins): (Vec<f64>, Vec<(usize, f64)>)| {
            numbers.extend(margins.into_iter().map(|(_, margin)| margin));
            numbers
        };
        let (numbers, margins) = made(&run.model, std::slice::from_ref(&run.x));
        if !obeyed(&numbers, &after, run.largest) {
            return Err(unknown(format!("the step to {t} s has other contacts: differences are taken")));
        }
        let (count, work) = (numbers.len() + margins.len(), numbers[2 * n]);
        let part = if run.affine { 1.0 } else { THOUSANDTH };
        let [place, speed] = sizes(&[&state.q, &told.after.q], &[&state.v, &told.after.v], h);
        let reach: Vec<f64> = (0..2 * n).map(|k| part * if k < n { place } else { speed }).collect();
        let mut columns = Vec::new();
        for (p, column) in run.columns.iter().enumerate() {
            let lists = [(&run.x[..], &column[..], &reach[..])];
            let mut d = run.total(p, &lists, count, |model, at| flat(made(model, at)));
            check(&margins, &d[2 * n + 1..], (p, run.parameters[p].step), state.t)?;
            run.lost_columns[p] -= d[2 * n];
            d.truncate(2 * n);
            columns.push(d);
        }
        run.lost -= work;
        run.largest = run.largest.max(vector::max_abs(&after));
        (run.x, run.columns) = (after, columns);
        (*state, *memory) = (told.after.clone(), next);
        Ok(())
    }
}
