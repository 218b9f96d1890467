//! Derivatives of the event-driven flow: columns δx carried through the motion and its events.
//!
//!   x(0; p) by differences of the initial state, then `Flow`;   dE/dp = d/ds E(p + s, x + s δx) at s = 0

use super::{Derivative, Found, ImpactTime, Quantity, Study, failed};
use crate::parallel::{Watch, ordered};
use percussion_scenario::{Loaded, Scenario, ScenarioError};
use percussion_step::{EventKind, Flow, FlowEnd, FlowStop, Model, NoDerivative, ParameterModels, Reach, State};

/// Part of a parameter by which the models of its derivative differ.
pub const STEP: f64 = 1e-4;
/// Part of that part where the models beside a value are refused.
const SHORTER: f64 = 1.0 / 256.0;
/// How near to a value, in parts of its size, the scenario must be on both sides.
pub const NEAREST: f64 = 8.0 * STEP * SHORTER * SHORTER;

/// Why there is nothing.
pub enum Missing {
    /// Something is wrong.
    Error(Box<ScenarioError>),
    /// The flow of this model, or of this motion, has no derivative here; differences may do.
    Unknown(String),
}

impl From<Box<ScenarioError>> for Missing {
    fn from(error: Box<ScenarioError>) -> Self {
        Self::Error(error)
    }
}

/// All rows and impacts; none when it was stopped.
pub fn differentiate(study: &Study, scenario: &Scenario, watch: &Watch) -> Result<Option<Found>, Missing> {
    let made = ordered(&[1.0], study.threads, watch, |_, _| carried(study, scenario));
    made.and_then(|mut list| list.pop()).transpose()
}

fn carried(study: &Study, scenario: &Scenario) -> Result<Found, Missing> {
    let (models, mut columns) = parameters(study)?;
    let problem = &scenario.problem;
    let flow = Flow::under(problem, (&scenario.scheme, scenario.solver), &models);
    let mut flow = flow.map_err(|error| Missing::Unknown(error.message))?;
    let mut state = State { t: 0.0, q: problem.q0.clone(), v: problem.v0.clone() };
    let mut found = Found { reach: vec![None; models.len()], ..Default::default() };
    let mut lost = (0.0, vec![0.0; columns.len()]);
    for &t in &study.times {
        let end = flow.run(&state, t - state.t, columns).map_err(|stop| missing(scenario, stop))?;
        if let Some((contact, t)) = end.grazed {
            return Err(missing(scenario, FlowStop::at(t, NoDerivative::Grazing(contact))));
        }
        if let Some(stop) = jump(study, &end) {
            return Err(missing(scenario, stop));
        }
        for (p, reach) in end.reach.iter().enumerate() {
            found.reach[p] = nearer(found.reach[p], *reach);
        }
        found.measure(&problem.model, &end.state);
        let met = end.instants.iter().filter(|instant| instant.kind == EventKind::Impact);
        found.impacts.extend(met.map(|instant| ImpactTime {
            t: instant.t,
            contact: instant.contact,
            derivatives: instant.derivative.clone(),
        }));
        lost.0 -= end.work;
        lost.1.iter_mut().zip(&end.works).for_each(|(lost, work)| *lost -= work);
        for (k, quantity) in study.of.iter().enumerate() {
            if let Some((value, derivatives)) = at_end(*quantity, &problem.model, &models, &end, &lost) {
                let errors = vec![0.0; derivatives.len()];
                found.rows.push(Derivative { quantity: k, t, value, derivatives, errors });
            }
        }
        (state, columns) = (end.state, end.columns);
    }
    // an impact at the last time itself may be met by round-off only behind it
    let behind = 2.0 * AT_ONCE * state.t;
    if let Ok(end) = flow.run(&state, behind, columns)
        && let Some(stop) = jump(study, &end)
    {
        return Err(missing(scenario, stop));
    }
    impact_rows(study, &mut found)?;
    Ok(found)
}

/// The smaller of two changes.
fn nearer(a: Option<Reach>, b: Option<Reach>) -> Option<Reach> {
    [a, b].into_iter().flatten().min_by(|a, b| a.change.total_cmp(&b.change))
}

/// Part of a time within which an impact is at that time.
const AT_ONCE: f64 = 1e-12;

/// An impact that moves with a parameter past a time at which states are asked for.
fn jump(study: &Study, end: &FlowEnd) -> Option<FlowStop> {
    if study.of.iter().all(|quantity| matches!(quantity, Quantity::Impact(_))) {
        return None;
    }
    let moves = end
        .instants
        .iter()
        .filter(|instant| instant.kind == EventKind::Impact && instant.derivative.iter().any(|rate| *rate != 0.0));
    let at = |t: f64| study.times.iter().any(|asked| (asked - t).abs() <= AT_ONCE * asked);
    let mut moves = moves.filter(|instant| at(instant.t));
    moves.next().map(|instant| FlowStop::at(instant.t, NoDerivative::Jump(instant.contact)))
}

/// The flow leaves to differences the direction of an impulse that turns; everything else has no derivative at all.
fn missing(scenario: &Scenario, stop: FlowStop) -> Missing {
    match stop.reason {
        Some(NoDerivative::SlidesInSpace(_) | NoDerivative::CornerMoves) => Missing::Unknown(stop.failure.message),
        Some(
            NoDerivative::Grazing(_)
            | NoDerivative::Corner(_)
            | NoDerivative::Succession(_)
            | NoDerivative::Standstill(_)
            | NoDerivative::Undecided(_)
            | NoDerivative::Shares(_)
            | NoDerivative::Jump(_),
        )
        | None => Missing::Error(failed(scenario, stop.failure)),
    }
}

/// Models beside each value, and δx at the start.
type Beside = (Vec<ParameterModels>, Vec<Vec<f64>>);

/// The models beside each value, and δx at the start.
pub fn parameters(study: &Study) -> Result<Beside, Box<ScenarioError>> {
    let (mut models, mut columns) = (Vec::new(), Vec::new());
    for p in 0..study.wrt.len() {
        // a power of two: p ± kδ is then exact, and so are differences of what is proportional to p
        let step = (STEP * study.size(p)).log2().round().exp2();
        let mut starts: Vec<Vec<f64>> = Vec::new();
        let mut beside = |shorter: f64| {
            starts.clear();
            ParameterModels::new(study.wrt[p].1, shorter * step, |x| -> Result<Model, Box<ScenarioError>> {
                let Loaded { scenario, .. } = study.at(p, x)?;
                starts.push(scenario.problem.q0.iter().chain(&scenario.problem.v0).copied().collect());
                Ok(scenario.problem.model)
            })
        };
        // a start beside a contact allows less
        let list = beside(1.0).or_else(|_| beside(SHORTER)).or_else(|_| beside(SHORTER * SHORTER));
        let list = list.map_err(|error| study.refused_beside(p, &error))?;
        let size = starts.first().map_or(0, Vec::len);
        let column = |i: usize| list.difference(&starts.iter().map(|x| x[i]).collect::<Vec<_>>());
        columns.push((0..size).map(column).collect());
        models.push(list);
    }
    Ok((models, columns))
}

/// A quantity at the end of a stretch.
fn at_end(
    quantity: Quantity,
    model: &Model,
    models: &[ParameterModels],
    end: &FlowEnd,
    lost: &(f64, Vec<f64>),
) -> Option<(f64, Vec<f64>)> {
    let n = end.state.q.len();
    let entry = |k: usize| end.columns.iter().map(|column| column[k]).collect::<Vec<_>>();
    match quantity {
        Quantity::Position(i) => Some((end.state.q[i], entry(i))),
        Quantity::Velocity(i) => Some((end.state.v[i], entry(n + i))),
        Quantity::Energy => Some(energy(model, models, &end.state, &end.columns)),
        Quantity::Lost => Some(lost.clone()),
        Quantity::Impact(_) => None,
    }
}

/// E and its derivatives where a state moves by these columns: d/ds E(p + s, x + s δx) at s = 0.
pub fn energy(model: &Model, models: &[ParameterModels], state: &State, columns: &[Vec<f64>]) -> (f64, Vec<f64>) {
    let n = state.q.len();
    let energy = |model: &Model, q: &[f64], v: &[f64]| model.kinetic_energy(q, v) + model.potential_energy(q);
    let along = |(parameter, column): (&ParameterModels, &Vec<f64>)| {
        let mut values = Vec::new();
        for (k, pair) in parameter.models.iter().enumerate() {
            for (model, sign) in pair.iter().zip([1.0, -1.0]) {
                let s = sign * (k + 1) as f64 * parameter.step;
                let moved = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + s * d).collect::<Vec<_>>();
                values.push(energy(model, &moved(&state.q, &column[..n]), &moved(&state.v, &column[n..])));
            }
        }
        parameter.difference(&values)
    };
    (energy(model, &state.q, &state.v), models.iter().zip(columns).map(along).collect())
}

/// The times of impacts that were asked for.
fn impact_rows(study: &Study, found: &mut Found) -> Result<(), Missing> {
    for (quantity, asked) in study.of.iter().enumerate() {
        let Quantity::Impact(k) = *asked else { continue };
        let Some(impact) = found.impacts.get(k) else {
            let message = format!("the motion has {} impacts", found.impacts.len());
            return super::refuse("of", message, "count impacts from 0, or run longer").map_err(Missing::Error);
        };
        let (t, derivatives) = (impact.t, impact.derivatives.clone());
        let errors = vec![0.0; derivatives.len()];
        found.rows.push(Derivative { quantity, t, value: t, derivatives, errors });
    }
    Ok(())
}
