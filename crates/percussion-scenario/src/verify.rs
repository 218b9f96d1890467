//! `verify`: recomputes from what is stored and names each check the stored data cannot support.
//!
//! A difference counts from 1e-9 of the scale of its quantity: the largest energy, length, velocity or impulse seen.

use crate::error::Result;
use crate::fingerprint::Fingerprint;
use crate::mobility::Mobility;
use crate::replay::{Contacts, Replay};
use crate::run_folder::{Row, RunFolder};
use crate::tally::{Scale, Scales, Tally};
use crate::turn_count::TurnCount;
use crate::verify_checksums::check_checksums;
use crate::verify_events::EventsCheck;
use crate::verify_friction::FrictionCheck;
use crate::verify_summary::{Sizes, check_summary};
use percussion_step::{Activation, ContactFrame, Model, Projection, Stored};
use std::path::Path;

/// Part of the scale from which a difference counts.
pub const TOLERANCE: f64 = 1e-9;

/// What a check found.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The stored and the recomputed agree; the largest difference relative to the scale.
    Agrees(f64),
    /// They do not.
    Differs {
        /// The largest difference relative to the scale.
        worst: f64,
        /// Where, in words.
        place: String,
    },
    /// What is stored does not allow the check.
    Unsupported(String),
}

/// One check.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What is checked.
    pub name: &'static str,
    /// The formula or the rule.
    pub rule: &'static str,
    /// What was found.
    pub finding: Finding,
}

/// All checks of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// In the order they are shown.
    pub checks: Vec<Check>,
}

impl Verification {
    /// Whether any check found a difference.
    pub fn differs(&self) -> bool {
        self.checks.iter().any(|check| matches!(check.finding, Finding::Differs { .. }))
    }
}

/// Recomputes a run.
pub fn verify(folder: &Path) -> Result<Verification> {
    let run = RunFolder::open(folder)?;
    let scenario = &run.loaded.scenario;
    let model = run.model();
    let adaptive = scenario.adaptive.is_some();
    let scheme = &scenario.scheme;

    // what the stored data cannot support, and why
    let thinned =
        (scenario.every > 1).then(|| format!("every = {}: the steps between two rows are not stored", scenario.every));
    let bodies = match model {
        Model::Bodies(scene) => Some(scene),
        _ => None,
    };
    let stored = scheme.equations.stored();
    let followed = scenario.linear().filter(|_| Replay::knows(scheme));
    let stranger = match (scenario.linear(), followed) {
        (_, Some(_)) => None,
        _ if bodies.is_some() => Some("the w* and the features of a step of bodies are not stored".to_string()),
        (None, _) => Some("a nonlinear step holds between forces and multipliers that are not stored".to_string()),
        (Some(_), None) => match stored {
            Stored::Missing(why) => Some(why.to_string()),
            Stored::Theta { .. } | Stored::Newmark(_) | Stored::Implicit { .. } | Stored::Euler => None,
        },
    };
    let sparse_rows = thinned.clone();
    let extrapolated = scheme.extrapolated.then(|| "extrapolated states are not the scheme's".to_string());
    let stranger = stranger.or(extrapolated);
    let thinned = thinned.or(stranger.clone());
    let joined = (model.n_joints() > 0).then(|| "the impulses of joints are not stored".to_string());
    let lifted =
        (scheme.projection == Projection::Paid).then(|| "the lift of the projection is not stored".to_string());
    let newmark = !matches!(stored, Stored::Theta { .. } | Stored::Euler);
    let either = |a: &Option<String>, b: &Option<String>| a.clone().or(b.clone());
    // accelerations follow from the equation of motion only without joints
    let acceleration = either(&thinned, &if newmark { joined.clone() } else { None });
    let motion = either(&thinned, &either(&joined, &lifted));
    let by_position = matches!(stored, Stored::Implicit { on_positions: true, .. });

    let linear = scenario.linear().is_some();
    let rule = if adaptive { "t rising; tables side by side" } else { "t = step·h, rising; tables side by side" };
    let mut rows_ok = Tally::new("rows", rule, Scale::Exact);
    let mut kinetic = Tally::new("kinetic", if linear { "½ vᵀMv" } else { "½ vᵀM(q)v" }, Scale::Energy);
    let mut turns = TurnCount::new(model);
    let lost = (scenario.every > 1 && turns.matter()).then(|| "turns of hinges are lost between rows".to_string());
    let mut potential = Tally::new("potential", if linear { "½ qᵀKq" } else { "V(q)" }, Scale::Energy).unless(&lost);
    let mut energy = Tally::new("energy", "kinetic + potential", Scale::Energy).unless(&lost);
    // contacts of bodies are those where the step began
    let turned = sparse_rows.clone().filter(|_| bodies.is_some());
    let mut gap = Tally::new("gap", if linear { "Gᵀq + w" } else { "g(q)" }, Scale::Length).unless(&turned);
    let mut velocity = Tally::new("u_n", if linear { "Gᵀv + ẇ" } else { "∂g/∂q · v" }, Scale::Velocity).unless(&turned);
    let mut cone = Tally::new("impulses", "p_n ≥ 0", Scale::Impulse);
    let mut law =
        Tally::new("impact law", if by_position { "0 ≤ g ⟂ p_n" } else { "0 ≤ U⁺ + êU ⟂ p_n" }, Scale::Velocity)
            .unless(&thinned);
    let mut index = Tally::new("index set", "every contact the rule admits has a row", Scale::Length).unless(&thinned);
    let mut position = Tally::new("positions", "the scheme's equation for q", Scale::Length).unless(&motion);
    // the forces at the end of a step are those before the lift
    let mut momentum =
        Tally::new("velocities", "the scheme's equation for v, with G P", Scale::Velocity).unless(&motion);
    let mut external =
        Tally::new("work_external", "loads and moving obstacles", Scale::Energy).unless(&either(&thinned, &lifted));
    let mut damping = Tally::new("work_damping", "−Δqᵀ C v", Scale::Energy).unless(&thinned);
    let mut contact = Tally::new("work_contact", "Uᵀ P between the states", Scale::Energy).unless(&thinned);
    let mut joints = Tally::new("work_joints", "0: joints do not work", Scale::Energy).unless(&stranger);
    let mut dissipation =
        Tally::new("dissipation", "the scheme's own terms", Scale::Energy).unless(&either(&acceleration, &lifted));
    let mut algorithmic = Tally::new("algorithmic_energy", "H of the scheme", Scale::Energy).unless(&acceleration);
    let unbalanced = (!scenario.guarantee().has_identity()).then(|| "the scheme has no identity".to_string());
    // where H contains the step it is compared by the step that follows, which takes the scheme's equations
    let jumping = adaptive && scheme.facts().energy_depends_on_step;
    let unbalanced = unbalanced.or(if jumping { acceleration.clone() } else { None });
    let mut residual = Tally::new("residual", "ΔH − works + dissipation", Scale::Energy).unless(&unbalanced);
    let mut held = Tally::new("joints", "the largest violation is the summary's", Scale::Length);
    if model.n_joints() == 0 {
        held.unsupported = Some("the model has no joint".into());
    }

    let mut friction = FrictionCheck::new(model, scheme, &thinned, &sparse_rows);
    let certified = run.summary.verdicts.get("joints").map_or(0.0, |c| c.worst);
    let mut drift = 0.0_f64;

    let mut scales = Scales::default();
    let mut mobility = Mobility::new(model);
    let mut replay: Option<Replay> = None;
    let mut hash = Fingerprint::new(&run);
    let mut events = EventsCheck::new(&run)?;
    let (mut before, mut row) = (Row::default(), Row::default());
    let mut rows = run.rows()?;
    let mut u_max = 0.0_f64;
    let mut count = 0_u64;
    while rows.next(&mut row)? {
        scales.see(&row, &mut mobility);
        let (state, entry) = (&row.state, &row.ledger);
        let first = count == 0;
        count += 1;

        // numbers of rows and times
        let h = if adaptive && !first { state.t - before.state.t } else { scenario.step };
        let expected = if adaptive { state.t } else { row.step as f64 * h };
        let in_time = !adaptive || if first { state.t == 0.0 } else { h > 0.0 && state.t <= scenario.end };
        let tidy = in_time
            && state.t == row.ledger_t
            && row.contacts_in_time
            && if first { row.step == 0 } else { row.step > before.step };
        let time = if tidy { (state.t - expected).abs() / expected.max(h) } else { 1.0 };
        rows_ok.compare(if time > 1e-12 { time.max(TOLERANCE) } else { 0.0 }, &row, None);
        let gapless = scenario.every > 1 || first || row.step == before.step + 1;
        if !gapless {
            rows_ok.compare(1.0, &row, None);
        }

        // one state at a time
        if !first {
            turns.go(&before.state.q, &state.q);
        }
        let (T, V) = (model.kinetic_energy(&state.q, &state.v), turns.potential_energy(&state.q));
        kinetic.compare(entry.kinetic - T, &row, None);
        potential.compare(entry.potential - V, &row, None);
        energy.compare(row.energy - (T + V), &row, None);
        joints.compare(entry.work_joints, &row, None);
        for c in &row.contacts {
            cone.compare(c.p.min(0.0), &row, Some(c.id));
            if let Some(scene) = bodies {
                // velocities of bodies are those along the normal at the start of the step, under GGL at its end
                if scenario.every == 1 && scene.has_lasting_gap(c.id as u64) {
                    gap.compare(c.gap - model.gap(c.id, &state.q, state.t), &row, Some(c.id));
                    let at_end = scheme.facts().contact_frame == ContactFrame::End;
                    let at = if at_end { &state.q } else { &before.state.q };
                    let rate = model.gap_rate(c.id, at, &state.v, state.t);
                    velocity.compare(c.u_after - rate, &row, Some(c.id));
                }
                continue;
            }
            gap.compare(c.gap - model.gap(c.id, &state.q, state.t), &row, Some(c.id));
            velocity.compare(c.u_after - model.gap_rate(c.id, &state.q, &state.v, state.t), &row, Some(c.id));
        }
        friction.row(&row, &before, first);
        // drift belongs to some schemes: the certificate judges it, here only its size is confirmed
        for k in 0..if first { 0 } else { model.n_joints() } {
            let violation = model.joint(k, &state.q).abs();
            drift = drift.max(violation);
            held.compare((violation - certified).max(0.0), &row, None);
        }
        hash.add(&row, &mut mobility);
        events.row(&row, &before, scenario.linear().map(|model| &**model))?;

        if first {
            replay = followed.filter(|_| thinned.is_none()).and_then(|model| Replay::new(model, scheme, h, state));
            if let Some(replay) = &replay {
                algorithmic.compare(entry.algorithmic_energy - replay.present_energy(state), &row, None);
            }
            let works = [entry.work_external, entry.work_damping, entry.work_contact, entry.dissipation_numerical];
            works.into_iter().for_each(|work| residual.compare(work, &row, None));
        } else {
            // the ledger against itself; thinned rows keep the largest residual of so many steps
            let mut H_before = before.ledger.algorithmic_energy;
            if let (Some(replay), true) = (&mut replay, adaptive) {
                replay.set_step(h);
                if jumping {
                    H_before = replay.present_energy(&before.state);
                }
            }
            let change = entry.algorithmic_energy - H_before;
            let balance = change - entry.work_external - entry.work_damping - entry.created();
            let steps = row.step.saturating_sub(before.step).max(1) as f64;
            let difference = if steps > 1.0 {
                (balance.abs() - steps * entry.balance.abs()).max(0.0)
            } else {
                balance - entry.balance
            };
            residual.compare(difference, &row, None);
        }
        if let (Some(replay), false) = (&mut replay, first) {
            let r = replay.step(&before.state, state, Contacts { normal: &row.contacts, along: &row.friction });
            position.compare(r.position, &row, None);
            momentum.compare(r.velocity, &row, None);
            external.compare(entry.work_external - r.work_external, &row, None);
            damping.compare(entry.work_damping - r.work_damping, &row, None);
            contact.compare(entry.work_contact - r.work_contact, &row, None);
            dissipation.compare(entry.dissipation_numerical - r.dissipation_numerical, &row, None);
            algorithmic.compare(entry.algorithmic_energy - r.algorithmic_energy, &row, None);

            // the law between two states
            for i in 0..model.n_contacts() {
                let u = model.gap_rate(i, &before.state.q, &before.state.v, before.state.t);
                u_max = u_max.max(u.abs());
                let g = model.gap(i, &before.state.q, before.state.t);
                let listed = row.contacts.binary_search_by_key(&i, |c| c.id).ok().map(|k| row.contacts[k]);
                let admitted = match scheme.activation {
                    _ if by_position => Some(0.0),
                    Activation::Hold => Some(-(g + h * u)),
                    Activation::PredictedAndClosing => (u <= 0.0).then_some(-(g + h * u)),
                    Activation::Predicted { prediction } => Some(-(g + prediction * h * u)),
                    Activation::Gap => None,
                };
                match (listed, admitted) {
                    (None, Some(depth)) => index.compare(depth.max(0.0), &row, Some(i)),
                    (Some(c), _) if by_position => {
                        // U is not in this law; a pushing contact is closed, none penetrates
                        let violation = if c.p > 0.0 { c.gap.abs() } else { (-c.gap).max(0.0) };
                        law.compare(violation / h, &row, Some(i));
                    }
                    (Some(c), _) => {
                        let e =
                            scheme.activation.restitution(u, model.restitution(i), scheme.facts().opening_restitution);
                        let after = c.u_after + e * u;
                        law.compare(if c.p > 0.0 { after } else { after.min(0.0) }, &row, Some(i));
                    }
                    (None, None) => {}
                }
            }
        }
        std::mem::swap(&mut before, &mut row);
    }

    if scenario.every == 1 {
        held.compare(certified - drift, &before, None);
    }
    let tallies = [
        rows_ok,
        kinetic,
        potential,
        energy,
        gap,
        velocity,
        cone,
        law,
        index,
        position,
        momentum,
        external,
        damping,
        contact,
        joints,
        dissipation,
        algorithmic,
        residual,
        held,
    ];
    let mut checks: Vec<Check> =
        tallies.into_iter().chain(friction.finish()).map(|tally| tally.finish(&scales)).collect();
    checks.push(Check {
        name: "summary",
        rule: "steps, t_end and state_hash",
        finding: hash.compare(&run, &before, count, &sparse_rows),
    });
    checks.push(Check {
        name: "events",
        rule: "counts, times, contacts, impulses; close and open again",
        finding: events.finish(&run)?,
    });
    let sizes = Sizes { energy: scales.of(Scale::Energy), length: scales.of(Scale::Length) };
    checks.extend(check_summary(&run, &hash, &sizes, &sparse_rows));
    checks.push(check_checksums(&run));
    Ok(Verification { checks })
}
