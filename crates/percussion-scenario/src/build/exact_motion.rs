//! Scenarios whose motion is known in closed form, recognised from their resolved data and not from their names.
//!
//! A changed restitution or height is still a ball; a second contact, a damper or a moving obstacle is not.

use crate::build::scenario::{Description, Scenario};
use percussion_model::{Contact, LinearModel};
use percussion_step::Problem;
use percussion_step::measure::{BarImpact, Bounce, Exact, Free, ImpactOscillator, Slide, TwoMassDrop, TwoMasses};

/// The exact motion up to the scenario's end, if it is one of those known.
pub fn exact(scenario: &Scenario) -> Option<Box<dyn Exact>> {
    let model = scenario.linear()?;
    let Problem { q0, v0, .. } = &scenario.problem;
    let still = model.force_is_constant() && model.offsets_are_constant();
    let undamped = model.damping().is_none_or(|C| C.max_abs() == 0.0);
    if !still || !undamped || !model.joints().is_empty() {
        return None;
    }
    let start = Start { q0, v0, end: scenario.end };
    match (&scenario.description, model.n()) {
        (Description::Bar { .. }, _) => bar(scenario, model, &start),
        (_, 1) => one_mass(model, &start),
        (_, 2) if model.has_friction() => slide(model, &start),
        (_, 2) => two_masses(model, &start),
        _ => None,
    }
}

struct Start<'a> {
    q0: &'a [f64],
    v0: &'a [f64],
    end: f64,
}

fn at_rest(start: &Start) -> bool {
    start.v0.iter().all(|&v| v == 0.0)
}

/// The only contact, if it acts on one coordinate with a unit normal: the coordinate, its sign and the place of the wall.
fn only_contact(model: &LinearModel) -> Option<(&Contact, usize, f64, f64)> {
    let [contact] = model.contacts() else { return None };
    match contact.normal.as_slice() {
        &[(i, n)] if n.abs() == 1.0 => Some((contact, i, n, -contact.offset.mean / n)),
        _ => None,
    }
}

/// Free, bouncing under a load, or swinging against a wall at its equilibrium.
fn one_mass(model: &LinearModel, start: &Start) -> Option<Box<dyn Exact>> {
    let m = model.mass().get(0, 0);
    let k = model.stiffness().map_or(0.0, |K| K.get(0, 0));
    let a = model.loads()[0].mean / m;
    if m.is_nan() || m <= 0.0 || k < 0.0 {
        return None;
    }
    let (q0, v0, omega) = (start.q0[0], start.v0[0], (k / m).sqrt());
    if model.contacts().is_empty() {
        return Some(Box::new(Free { omega, acceleration: a, q0, v0 }));
    }
    let (contact, _, normal, wall) = only_contact(model)?;
    // walls on the other side are mirrored ones, which nobody has asked for
    if normal != 1.0 || v0 != 0.0 || q0 <= wall || !contact.tangents.is_empty() {
        return None;
    }
    let e = contact.restitution;
    if k == 0.0 {
        // the closed form of a load that pulls towards the floor; e = 1 bounces for ever
        return (a < 0.0 && e < 1.0)
            .then(|| Box::new(Bounce { g: -a, e, gap: q0 - wall, floor: wall }) as Box<dyn Exact>);
    }
    (a == 0.0 && wall == 0.0).then(|| Box::new(ImpactOscillator { omega, e, q0 }) as Box<dyn Exact>)
}

/// Two equal masses dropped with their spring unstretched, the first of them over a floor.
fn two_masses(model: &LinearModel, start: &Start) -> Option<Box<dyn Exact>> {
    let (M, K) = (model.mass(), model.stiffness()?);
    let (m, k) = (M.get(0, 0), K.get(0, 0));
    let load = model.loads()[0].mean;
    let masses_equal = M.get(1, 1) == m && M.get(0, 1) == 0.0 && m > 0.0;
    let spring = k > 0.0 && K.get(1, 1) == k && K.get(0, 1) == -k && K.get(1, 0) == -k;
    let (contact, i, normal, floor) = only_contact(model)?;
    let dropped = i == 0 && normal == 1.0 && at_rest(start) && start.q0[0] == start.q0[1] && start.q0[0] > floor;
    if !(masses_equal && spring && dropped && load < 0.0 && model.loads()[1].mean == load) {
        return None;
    }
    let drop = TwoMassDrop { stiffness: k / m, g: -load / m, e: contact.restitution, gap: start.q0[0] - floor, floor };
    Some(Box::new(TwoMasses::fly(&drop, start.end)))
}

/// A block that lies on the floor and is pushed along it.
fn slide(model: &LinearModel, start: &Start) -> Option<Box<dyn Exact>> {
    let (contact, normal, direction, wall) = only_contact(model)?;
    let along = 1 - normal;
    let M = model.mass();
    let [tangent] = contact.tangents.as_slice() else { return None };
    let plain = model.stiffness().is_none_or(|K| K.max_abs() == 0.0)
        && M.get(0, 1) == 0.0
        && tangent.as_slice() == [(along, 1.0)]
        && model.loads()[along].mean == 0.0;
    let weight = -direction * model.loads()[normal].mean;
    let lies = start.q0[normal] == wall && start.v0[normal] == 0.0 && weight > 0.0;
    let deceleration = contact.friction * weight / M.get(along, along);
    (plain && lies && deceleration > 0.0).then(|| {
        let (x0, v0, height) = (start.q0[along], start.v0[along], start.q0[normal]);
        Box::new(Slide { deceleration, x0, v0, along, height }) as Box<dyn Exact>
    })
}

/// A bar that flies undeformed against a wall at its first node and does not bounce there.
fn bar(scenario: &Scenario, model: &LinearModel, start: &Start) -> Option<Box<dyn Exact>> {
    let Description::Bar { bar, force } = &scenario.description else { return None };
    let (contact, i, normal, wall) = only_contact(model)?;
    let v0 = -start.v0[0];
    let undeformed = start.q0.iter().all(|&q| q == 0.0) && start.v0.iter().all(|&v| v == -v0) && v0 > 0.0;
    let alone = force.iter().all(|f| f.mean == 0.0) && i == 0 && normal == 1.0 && contact.restitution == 0.0;
    let d0 = -wall;
    (undeformed && alone && d0 > 0.0).then(|| {
        let c = (bar.young / bar.density).sqrt();
        Box::new(BarImpact { c, length: bar.length, v0, d0, nodes: bar.n_nodes() }) as Box<dyn Exact>
    })
}
