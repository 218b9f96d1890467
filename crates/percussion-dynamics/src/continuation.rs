//! Branches of periodic orbits over a parameter, through folds, by pseudo-arclength.
//!
//!   F(x, p) = φ(x; p) − x = 0,   τ·(y − y₀ − s τ) = 0,   y = (x, p),   (M − 1) τ_x + F_p τ_p = 0,   |τ| = 1
//!
//! on the directions Z that joints and held contacts leave (`orbit.rs`),
//! with x measured by its size and p by the range asked for (Keller 1977). Stability is lost where a multiplier passes +1 (fold), −1 (flip)
//! or, as a pair, the unit circle elsewhere (torus); a branch of orbits with impacts also ends or changes where an impact becomes or was a
//! touch (grazing): the impacts of the orbit are then other ones on both sides. It ends in a corner where two of its impacts fall together.

use crate::orbit::{Driven, Orbit, away_from, numbers, state};
use percussion_matrix::{SmallLu, math, vector};
use percussion_step::{FlowStop, NoDerivative, StepFailure};

/// How an orbit loses or gains stability, or changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// A multiplier passes +1.
    Fold,
    /// A multiplier passes −1: the period doubles.
    Flip,
    /// A pair leaves the unit circle.
    Torus,
    /// An impact appears or disappears.
    Grazing,
    /// Two contacts close at the same instant.
    Corner,
}

impl Loss {
    /// As tables name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fold => "fold",
            Self::Flip => "flip",
            Self::Torus => "torus",
            Self::Grazing => "grazing",
            Self::Corner => "corner",
        }
    }
}

/// One orbit of a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchPoint {
    /// The parameter.
    pub p: f64,
    /// The orbit.
    pub orbit: Orbit,
    /// What happened since the point before.
    pub loss: Option<Loss>,
}

/// A branch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
    /// Its orbits, in the order they were found.
    pub points: Vec<BranchPoint>,
    /// Why it ended before the range or the number of points did, in words.
    pub end: Option<String>,
    /// What it ended in, where that is known.
    pub end_loss: Option<Loss>,
}

/// How a branch is followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pursuit {
    /// The range of the parameter.
    pub range: (f64, f64),
    /// Which way the parameter goes at first: 1 or −1.
    pub sense: f64,
    /// The most orbits.
    pub points: usize,
    /// The longest step, in parts of the range.
    pub longest: f64,
}

/// Newton steps of a corrector.
const STEPS: usize = 12;
/// Part of the widest open gap of a branch below which one is as good as touched where no orbit goes on.
const TOUCHED: f64 = 1e-3;
/// Steps shorter than this part of the longest are none.
const SHORTEST: f64 = 1e-5;

/// Follows a branch from an orbit at p; `at` gives the system there, with the parameter's derivative.
pub fn follow(
    at: &mut dyn FnMut(f64) -> Result<Driven, StepFailure>,
    (p, orbit): (f64, Orbit),
    pursuit: &Pursuit,
) -> Branch {
    let m = orbit.periods;
    let scale =
        Scale { x: vector::max_abs(&orbit.x).max(f64::MIN_POSITIVE), p: (pursuit.range.1 - pursuit.range.0).abs() };
    let mut branch = Branch::default();
    let mut tau = tangent(&orbit, &scale, None);
    if let Some(tau) = &mut tau
        && tau[orbit.x.len()] * pursuit.sense < 0.0
    {
        tau.iter_mut().for_each(|x| *x = -*x);
    }
    branch.points.push(BranchPoint { p, orbit, loss: None });
    let mut s = 0.25 * pursuit.longest;
    while branch.points.len() < pursuit.points {
        let Some(mut direction) = tau.clone() else {
            branch.end =
                Some("orbits lie beside each other here: a contact sticks all the time, or branches cross".into());
            break;
        };
        let place = branch.points.len() - 1;
        if let Some((moved, turned)) = restarted(at, &branch.points[place], &direction, &scale) {
            (branch.points[place].orbit, direction) = (moved, turned);
        }
        let last = &branch.points[place];
        match correct(at, last, &direction, s, &scale, m) {
            Ok((p, orbit)) => {
                let fast = orbit.iterations <= 6;
                tau = tangent(&orbit, &scale, Some(&direction));
                let loss = loss(&last.orbit, &orbit);
                // what changes is looked at closely: the step shrinks before it is passed
                if loss.is_some() && s > 0.05 * pursuit.longest {
                    s *= 0.25;
                    tau = Some(direction);
                    continue;
                }
                if !is_inside(pursuit, p) {
                    let edge = at_the_edge(at, last, p, pursuit, &scale);
                    branch.points.extend(edge);
                    break;
                }
                branch.points.push(BranchPoint { p, orbit, loss });
                s = if fast { (1.5 * s).min(pursuit.longest) } else { s };
            }
            Err(stop) => {
                // beyond its range a parameter may be refused: the end of it is all there is
                let ahead = last.p + s * direction[last.orbit.x.len()] * scale.p;
                let edge = if is_inside(pursuit, ahead) { None } else { at_the_edge(at, last, ahead, pursuit, &scale) };
                if let Some(edge) = edge {
                    branch.points.push(edge);
                    break;
                }
                s *= 0.5;
                if s < SHORTEST * pursuit.longest {
                    branch.end_loss = end_loss(&branch.points, stop.reason);
                    branch.end = Some(why_it_ends(&last.orbit, branch.end_loss, &stop.failure));
                    break;
                }
            }
        }
    }
    branch
}

fn is_inside(pursuit: &Pursuit, p: f64) -> bool {
    (pursuit.range.0.min(pursuit.range.1)..=pursuit.range.0.max(pursuit.range.1)).contains(&p)
}

/// The orbit at the end of the range that was passed on the way to p; none where it is not found.
fn at_the_edge(
    at: &mut dyn FnMut(f64) -> Result<Driven, StepFailure>,
    last: &BranchPoint,
    p: f64,
    pursuit: &Pursuit,
    scale: &Scale,
) -> Option<BranchPoint> {
    let edge = p.clamp(pursuit.range.0.min(pursuit.range.1), pursuit.range.0.max(pursuit.range.1));
    let step = (edge - last.p) / scale.p;
    if step.abs() < SHORTEST {
        return None;
    }
    // the parameter alone is given
    let mut along = vec![0.0; last.orbit.x.len() + 1];
    along[last.orbit.x.len()] = step.signum();
    let (_, orbit) = correct(at, last, &along, step.abs(), scale, last.orbit.periods).ok()?;
    let loss = loss(&last.orbit, &orbit);
    Some(BranchPoint { p: edge, orbit, loss })
}

/// What a branch ends in: two impacts at one instant, an impact that vanishes, or a gap that does.
fn end_loss(points: &[BranchPoint], reason: Option<NoDerivative>) -> Option<Loss> {
    let approach = |point: &BranchPoint| point.orbit.slowest_impact();
    let fastest = points.iter().filter_map(approach).fold(0.0, f64::max);
    let slow = points.last().and_then(approach).is_some_and(|u| u < 0.05 * fastest);
    let gap = |point: &BranchPoint| point.orbit.nearest.map(|(gap, ..)| gap);
    let widest = points.iter().filter_map(gap).fold(0.0, f64::max);
    let touched = points.last().and_then(gap).is_some_and(|gap| gap < TOUCHED * widest);
    match reason {
        Some(NoDerivative::Corner(_) | NoDerivative::Succession(_)) => Some(Loss::Corner),
        Some(NoDerivative::Grazing(_)) => Some(Loss::Grazing),
        Some(
            NoDerivative::Standstill(_)
            | NoDerivative::Jump(_)
            | NoDerivative::Undecided(_)
            | NoDerivative::Shares(_)
            | NoDerivative::CornerMoves
            | NoDerivative::SlidesInSpace(_),
        )
        | None => (slow || touched).then_some(Loss::Grazing),
    }
}

/// An end of a branch in words.
fn why_it_ends(last: &Orbit, loss: Option<Loss>, failure: &StepFailure) -> String {
    let near = last
        .nearest
        .map_or(String::new(), |(gap, contact, _)| format!(", smallest open gap {gap:.2e} at contact {contact}"));
    let words = match loss {
        Some(Loss::Grazing) => "a contact is no more than touched (grazing)",
        Some(Loss::Corner) => "two contacts close at the same instant (corner)",
        Some(Loss::Fold | Loss::Flip | Loss::Torus) | None => "no orbit continues it",
    };
    format!("{words}; slowest impact {:.2e}{near}; {}", last.slowest_impact().unwrap_or(0.0), failure.message)
}

struct Scale {
    x: f64,
    p: f64,
}

/// The unit tangent of the branch in scaled (x, p), turned to go on as before.
fn tangent(orbit: &Orbit, scale: &Scale, before: Option<&[f64]>) -> Option<Vec<f64>> {
    let (n, k) = (orbit.x.len(), orbit.permitted.basis.len());
    // bordered by the last direction, or by the parameter
    let border: Vec<f64> =
        before.map_or_else(|| (0..=n).map(|i| f64::from(u8::from(i == n))).collect(), <[f64]>::to_vec);
    let mut y = vec![0.0; k + 1];
    y[k] = 1.0;
    bordered(orbit, scale, &border).map(|lu| {
        lu.solve(&mut y);
        let mut tau = whole(orbit, &y, scale);
        let norm = vector::norm(&tau);
        tau.iter_mut().for_each(|x| *x /= norm);
        tau
    })
}

/// Scaled (x, p) of an orbit's unknowns (y, p): x = Z y, with the way joints and held contacts go with p.
fn whole(orbit: &Orbit, y: &[f64], scale: &Scale) -> Vec<f64> {
    let k = orbit.permitted.basis.len();
    let mut x = vec![0.0; orbit.x.len()];
    orbit.permitted.basis.iter().zip(y).for_each(|(z, y)| vector::axpy(*y, z, &mut x));
    orbit.permitted.starts.iter().for_each(|start| vector::axpy(y[k] * scale.p / scale.x, start, &mut x));
    x.push(y[k]);
    x
}

/// [Zᵀ(M − 1)Z, ZᵀF_p; border] in scaled unknowns, factorised.
fn bordered(orbit: &Orbit, scale: &Scale, border: &[f64]) -> Option<SmallLu> {
    let (basis, values) = (&orbit.permitted.basis, orbit.shifted());
    let (n, k) = (orbit.x.len(), basis.len());
    if orbit.rate.len() != n {
        return None;
    }
    let mut lu = SmallLu::default();
    let A = lu.reset(k + 1);
    for j in 0..k {
        A[j * (k + 1)..j * (k + 1) + k].copy_from_slice(&values[j * k..(j + 1) * k]);
        A[k + j * (k + 1)] = vector::dot(&border[..n], &basis[j]);
        // x is measured by its size, residuals too
        A[j + k * (k + 1)] = vector::dot(&basis[j], &orbit.rate) * scale.p / scale.x;
    }
    let along = |start: &Vec<f64>| vector::dot(&border[..n], start) * scale.p / scale.x;
    A[k + k * (k + 1)] = border[n] + orbit.permitted.starts.iter().map(along).sum::<f64>();
    lu.factorise().then_some(lu)
}

/// The same orbit and direction from another start, where the own one is near an event.
fn restarted(
    at: &mut dyn FnMut(f64) -> Result<Driven, StepFailure>,
    point: &BranchPoint,
    tau: &[f64],
    scale: &Scale,
) -> Option<(Orbit, Vec<f64>)> {
    let orbit = &point.orbit;
    let (m, n) = (orbit.periods, orbit.x.len());
    let mut driven = at(point.p).ok()?;
    let whole = m as f64 * driven.period;
    let times: Vec<f64> = orbit.instants.iter().map(|instant| instant.t).collect();
    let mut to = away_from(orbit.start, &times, whole)?;
    while to <= orbit.start {
        to += whole;
    }
    // δx goes with the flow, and with the parameter
    let along: Vec<f64> = tau[..n].iter().map(|x| scale.x * x).collect();
    let columns = vec![along, vec![0.0; n]];
    let end = driven.flow.run(&state(orbit.start, &orbit.at_start), to - orbit.start, columns).ok()?;
    let moved = |k: usize| (end.columns[0][k] + scale.p * tau[n] * end.columns[1][k]) / scale.x;
    let mut turned: Vec<f64> = (0..n).map(moved).chain(std::iter::once(tau[n])).collect();
    let norm = vector::norm(&turned);
    turned.iter_mut().for_each(|x| *x /= norm);
    let x = numbers(end.state);
    let shot = driven.shoot((to, &x), m).ok()?;
    let same = driven.closed(x, m, shot, orbit.residual, orbit.iterations).ok()?;
    Some((Orbit { x: orbit.x.clone(), ..same }, turned))
}

/// The orbit at a distance s from the last one.
fn correct(
    at: &mut dyn FnMut(f64) -> Result<Driven, StepFailure>,
    last: &BranchPoint,
    tau: &[f64],
    s: f64,
    scale: &Scale,
    m: usize,
) -> Result<(f64, Orbit), FlowStop> {
    let (n, start) = (last.orbit.x.len(), last.orbit.start);
    let moved = |k: usize| s * tau[k] * if k < n { scale.x } else { scale.p };
    let mut p = last.p + moved(n);
    let mut driven = at(p)?;
    let ahead: Vec<f64> = (0..n).map(|k| last.orbit.at_start[k] + moved(k)).collect();
    let mut x = numbers(driven.flow.settle(&state(start, &ahead), &last.orbit.permitted)?);
    let mut before = f64::INFINITY;
    for iterations in 0..STEPS {
        let shot = driven.shoot((start, &x), m)?;
        let residual: Vec<f64> = shot.end.iter().zip(&x).map(|(end, x)| (x - end) / scale.x).collect();
        let error = vector::max_abs(&residual);
        let orbit = driven.closed(x.clone(), m, shot, error * scale.x, iterations)?;
        if error <= 1e-12 || (error <= 1e-9 && error > 0.5 * before) {
            return Ok((p, orbit));
        }
        if iterations > 2 && error > 2.0 * before {
            break;
        }
        before = error;
        let along = (0..n).map(|k| tau[k] * (x[k] - ahead[k]) / scale.x).sum::<f64>();
        let mut r: Vec<f64> = orbit.permitted.basis.iter().map(|z| vector::dot(z, &residual)).collect();
        r.push(-(along + tau[n] * (p - last.p - moved(n)) / scale.p));
        let Some(lu) = bordered(&orbit, scale, tau) else { break };
        lu.solve(&mut r);
        let dx = whole(&orbit, &r, scale);
        (0..n).for_each(|k| x[k] += scale.x * dx[k]);
        p += scale.p * dx[n];
        driven = at(p)?;
        x = numbers(driven.flow.settle(&state(start, &x), &orbit.permitted)?);
    }
    Err(diverged().into())
}

fn diverged() -> StepFailure {
    let (code, message) =
        (percussion_model::Code::NO_ORBIT, "the corrector of the branch did not converge".to_string());
    StepFailure { code, t: 0.0, h: 0.0, message, help: "use more points".into(), problem: None }
}

/// What lies between two neighbours of a branch.
fn loss(before: &Orbit, after: &Orbit) -> Option<Loss> {
    if before.counted_impacts() != after.counted_impacts() {
        return Some(Loss::Grazing);
    }
    let outside = |orbit: &Orbit| {
        let real = |sign: f64| {
            let beyond = |&&(re, im): &&(f64, f64)| im == 0.0 && sign * re > 1.0;
            orbit.multipliers.iter().filter(beyond).count()
        };
        let pairs = orbit.multipliers.iter().filter(|(re, im)| *im > 0.0 && math::hypot(*re, *im) > 1.0).count();
        (real(1.0), real(-1.0), pairs)
    };
    let (a, b) = (outside(before), outside(after));
    // a pair that meets on the real axis outside the circle is no loss
    if (a.0 + a.1 + 2 * a.2) == (b.0 + b.1 + 2 * b.2) {
        return None;
    }
    match (a.0 != b.0, a.1 != b.1, a.2 != b.2) {
        (true, ..) => Some(Loss::Fold),
        (false, true, _) => Some(Loss::Flip),
        (false, false, true) => Some(Loss::Torus),
        (false, false, false) => None,
    }
}
