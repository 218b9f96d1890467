//! The derivative at the end of a parameter's range: the limit of those inside it.
//!
//!   D(p) = lim D(p ± kδ) = Σ_k w_k D(p ± kδ),   w_k = (−1)^(k+1) C(n, k),   k = 1 … n,   n from 3 to 8, whichever is surest
//!
//! Restitution 0 and 1, friction 0, a start that touches: beside such a value the scenario is admissible on one side, where its derivatives
//! are found in the way that its scheme has. Inside the range impacts may accumulate that at its end are one (e = 0), or friction act where there
//! is none: histories of contacts differ, the motion does not jump. That it does not is checked, F(p) = Σ w_k F(p ± kδ), and so are
//! the impacts whose times are asked for: those of the value itself, each found again as the first of its contact at that time.

use super::{Derivative, Found, ImpactTime, Made, Quantity, Side, Study, Way, differentiate as inside, exact};
use crate::parallel::Watch;
use percussion_model::{Code, InputError};
use percussion_scenario::{Loaded, Result, ScenarioError};

/// Values beside that of the parameter.
const NODES: usize = 8;
/// δ over the size of the parameter.
const STEPS: [f64; 5] = [1.0 / 128.0, 1.0 / 1024.0, 1.0 / 8192.0, 1.0 / 131_072.0, 1.0 / 4_194_304.0];
/// Part of the value, or of the derivative, at which a limit is as good as it gets.
const GOOD: f64 = 1e-11;
/// Part of them beyond which there is none.
const POOR: f64 = 1e-4;
/// Part of the largest coordinate, velocity or energy below which another is nothing.
const FLOOR: f64 = 1e-6;
/// Part of a value by which the limit of values may miss it.
const JUMP: f64 = 1e-6;

/// Puts the derivatives by parameter p into what was made with it standing still; false when it was stopped.
pub fn differentiate(study: &Study, (p, side): (usize, Side), made: &mut Made, watch: &Watch) -> Result<bool> {
    let mut best = vec![Limit::default(); made.found.rows.len()];
    let mut times = vec![Limit::default(); made.found.impacts.len()];
    let (mut any, mut refused, size) = (false, None, study.size(p));
    for part in STEPS {
        let step = part * size * side.sign();
        let nodes = match beside(study, p, step, watch) {
            Ok(None) => return Ok(false),
            Ok(Some(nodes)) => nodes,
            Err(error) => {
                refused = Some(error);
                continue;
            }
        };
        any = true;
        if let Some(remark) = nodes.remark.filter(|_| made.way != Way::Differences) {
            (made.way, made.remark) = (Way::Differences, Some(remark));
        }
        let rows = made.found.rows.iter().filter(|row| !is_impact(study, row));
        let own: Vec<usize> = (0..best.len()).filter(|&r| !is_impact(study, &made.found.rows[r])).collect();
        for (k, row) in rows.enumerate() {
            let at = |found: &Found| found.rows.get(k).map(|node| (node.value, node.derivatives[0]));
            let floor = made.found.size(study.of[row.quantity]);
            best[own[k]].improve(nodes.list.iter().map(at).collect(), row.value, (size, floor));
        }
        for (j, limit) in times.iter_mut().enumerate() {
            let own = &made.found.impacts;
            limit.improve(
                nodes.list.iter().map(|found| again(own, j, &found.impacts)).collect(),
                own[j].t,
                (size, 0.0),
            );
        }
        if own.iter().all(|&r| best[r].is_within(GOOD)) && times.iter().all(|limit| limit.is_within(GOOD)) {
            break;
        }
    }
    if let Some(error) = refused.filter(|_| !any) {
        return Err(error);
    }
    for (r, row) in made.found.rows.iter_mut().enumerate() {
        let limit = match study.of[row.quantity] {
            Quantity::Impact(k) => times[k],
            Quantity::Position(_) | Quantity::Velocity(_) | Quantity::Energy | Quantity::Lost => best[r],
        };
        if !limit.is_within(POOR) || !limit.continuous {
            return Err(no_limit(study, (p, side), row));
        }
        (row.derivatives[p], row.errors[p]) = (limit.d, limit.error);
    }
    for (impact, limit) in made.found.impacts.iter_mut().zip(&times) {
        let known = limit.continuous && limit.is_within(POOR);
        impact.derivatives[p] = if known { limit.d } else { f64::NAN };
    }
    Ok(true)
}

fn is_impact(study: &Study, row: &Derivative) -> bool {
    matches!(study.of[row.quantity], Quantity::Impact(_))
}

/// What was found at the values p + kδ.
struct Nodes {
    list: Vec<Found>,
    /// Why it was found by differences, where it was.
    remark: Option<String>,
}

/// The derivatives at the values beside; none when it was stopped.
fn beside(study: &Study, p: usize, step: f64, watch: &Watch) -> Result<Option<Nodes>> {
    let mut nodes = Nodes { list: Vec::new(), remark: None };
    let of: Vec<Quantity> = study.of.iter().copied().filter(|of| !matches!(of, Quantity::Impact(_))).collect();
    for k in 1..=NODES {
        let (key, x) = &study.wrt[p];
        let x = x + k as f64 * step;
        let base = study.set(p, x);
        let Loaded { scenario, .. } = (study.load)(&base)?;
        let own = Study {
            load: study.load,
            base: &base,
            wrt: vec![(key.clone(), x)],
            keys: vec![study.keys[p].clone()],
            sides: vec![None],
            // differences there reach half of the way to the end of the range
            sizes: vec![step.abs() / (8.0 * exact::STEP)],
            of: of.clone(),
            times: study.times.clone(),
            threads: study.threads,
        };
        let Some(made) = inside(&own, &scenario, watch)? else { return Ok(None) };
        if made.way == Way::Differences {
            nodes.remark = made.remark;
        }
        nodes.list.push(made.found);
    }
    Ok(Some(nodes))
}

/// An impact of the value itself among those beside it, with the derivative of its time: the first of its contact after half of the time since the
/// impact before. Those that follow it at once are what it is made of there.
fn again(own: &[ImpactTime], j: usize, list: &[ImpactTime]) -> Option<(f64, f64)> {
    let from = j.checked_sub(1).map_or(f64::NEG_INFINITY, |before| 0.5 * (own[before].t + own[j].t));
    let found = list.iter().find(|impact| impact.contact == own[j].contact && impact.t > from);
    found.map(|impact| (impact.t, impact.derivatives[0]))
}

/// A derivative as a limit.
#[derive(Clone, Copy, Debug)]
struct Limit {
    d: f64,
    error: f64,
    /// The largest of the values (or `FLOOR` of what is of its kind) over the size of the parameter, and of the derivatives it was made of.
    scale: f64,
    /// Whether the value is the limit of the values beside it.
    continuous: bool,
}

impl Default for Limit {
    fn default() -> Self {
        Self { d: f64::NAN, error: f64::INFINITY, scale: 0.0, continuous: false }
    }
}

impl Limit {
    /// Takes what these values and derivatives lead to, if it is surer.
    fn improve(&mut self, list: Option<Vec<(f64, f64)>>, value: f64, (size, floor): (f64, f64)) {
        let Some(list) = list else { return };
        let largest = |of: &dyn Fn(&(f64, f64)) -> f64| list.iter().map(|x| of(x).abs()).fold(0.0, f64::max);
        let (values, derivatives) = (largest(&|x| x.0).max(value.abs()), largest(&|x| x.1));
        let limit = |n: usize| extrapolated(n, |k| list[k].1);
        for n in 3..=list.len() {
            let ((d, weight), (fewer, _)) = (limit(n), limit(n - 1));
            let error = (d - fewer).abs() + weight * f64::EPSILON * derivatives;
            if error < self.error {
                let jump = (extrapolated(n, |k| list[k].0).0 - value).abs();
                let continuous = jump <= JUMP * (values.max(FLOOR * floor) + largest(&|x| x.0 - list[0].0));
                *self = Self { d, error, scale: derivatives.max(values.max(FLOOR * floor) / size), continuous };
            }
        }
    }

    fn is_within(&self, part: f64) -> bool {
        self.error <= part * self.scale
    }
}

/// The limit of the first n numbers, and Σ |w|.
fn extrapolated(n: usize, of: impl Fn(usize) -> f64) -> (f64, f64) {
    let (mut weight, mut limit, mut sum) = (-1.0, 0.0, 0.0);
    for k in 1..=n {
        // (−1)^(k+1) C(n, k)
        weight *= -((n + 1 - k) as f64) / k as f64;
        limit += weight * of(k - 1);
        sum += f64::abs(weight);
    }
    (limit, sum)
}

fn no_limit(study: &Study, (p, side): (usize, Side), row: &Derivative) -> Box<ScenarioError> {
    let (key, x) = &study.wrt[p];
    let (name, side) = (study.of[row.quantity].name(), Side::name(Some(side)));
    let message = format!(
        "{name} has no derivative by {key} at {x}, the end of its range: those {side} it have no limit, or {name} jumps there"
    );
    let help = "move the key into its range, or ask for another time";
    InputError::new(Code::NO_DERIVATIVE, format!("sensitivity.wrt: {key}"), message, help).into()
}
