//! `verify`: recomputes from what is stored and names each check the stored data cannot support.
//!
//! A difference counts from 1e-9 of the scale of its quantity: the largest energy, length, velocity or impulse seen.

mod body_impulses;
mod checksums;
mod differences;
mod equations;
mod events;
mod fingerprint;
mod friction;
mod missing_data;
mod momentum;
mod states;
mod steps;
mod summary;

use crate::build::attachments::Attachments;
use crate::error::Result;
use crate::live::inputs::Replayed;
use crate::run::folder::{Row, RunFolder};
use body_impulses::BodyImpulses;
use checksums::check_checksums;
use differences::{Scale, Scales};
use equations::contact_frame::LawFrame;
use events::EventsCheck;
use fingerprint::Fingerprint;
use friction::FrictionCheck;
use missing_data::MissingData;
use momentum::MomentumCheck;
use states::StateChecks;
use std::path::Path;
use steps::StepChecks;
use summary::{Sizes, check_summary};

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
    verify_with(folder, &Attachments::default())
}

/// The same with what a program hands over again: its model, its scheme, its law of impact.
pub fn verify_with(folder: &Path, given: &Attachments) -> Result<Verification> {
    let mut run = RunFolder::open_with(folder, given)?;
    let mut inputs = Replayed::open(&mut run)?;
    let run = run;
    let scenario = &run.loaded.scenario;
    let missing = MissingData::of(scenario, &run.summary);
    let certified = run.summary.verdicts.get("joints").map_or(0.0, |c| c.worst);
    if let Some(reason) = run.selection().missing(run.model()) {
        let states = Check {
            name: "states",
            rule: "energies, gaps, velocities, cones and works from whole states",
            finding: Finding::Unsupported(reason),
        };
        return Ok(Verification { checks: vec![states, check_checksums(&run)] });
    }
    let frame = LawFrame::of(&run, &scenario.scheme);
    let mut states = StateChecks::new(&run, frame, &missing, certified)?;
    let mut steps = StepChecks::new(scenario, &missing);
    let mut impulses = BodyImpulses::new(scenario, &missing, &run.summary);
    let between = missing.step.clone().or(missing.projection.clone());
    let mut friction = FrictionCheck::new(run.model(), (&scenario.scheme, frame), &between, &missing);
    let mut fingerprint = Fingerprint::new(&run);
    let mut events = EventsCheck::new(&run)?;
    let mut momenta = MomentumCheck::new(&run)?;

    let mut scales = Scales::default();
    let (mut before, mut row) = (Row::default(), Row::default());
    let mut rows = run.rows()?;
    let mut count = 0_u64;
    while rows.next(&mut row)? {
        let first = count == 0;
        count += 1;
        if let Some(inputs) = inputs.as_mut().filter(|_| !first) {
            inputs.go(&scenario.hands.controls, row.step.saturating_sub(1), before.state.t);
        }
        scales.see(&row, run.model());
        states.row(&row, &before, first)?;
        friction.row(&row, &before, first);
        fingerprint.add(&row);
        events.row(&row, &before, scenario.linear().map(|model| &**model))?;
        steps.row(&row, &before, first);
        if let Some(impulses) = &mut impulses {
            impulses.row(&row, &before, first);
        }
        momenta.row(&run, &row, first)?;
        std::mem::swap(&mut before, &mut row);
    }

    // in the order they are shown: states, steps and friction side by side
    let [rows, kinetic, potential, energy, gap, velocity, cone, work_joints, joints] = states.finish(&before);
    let [law, index, position, momentum, external, damping, contact, dissipation, algorithmic, residual] =
        steps.finish();
    let (contact, balance) = match impulses.map(BodyImpulses::finish) {
        Some([work, balance]) => (work, Some(balance)),
        None => (contact, None),
    };
    let differences = [
        rows,
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
        work_joints,
        dissipation,
        algorithmic,
        residual,
        joints,
    ];
    let (momenta, momentum_verdict) = momenta.finish(&run);
    let differences = differences.into_iter().chain(balance).chain(friction.finish()).chain(momenta);
    let mut checks: Vec<Check> = differences.map(|difference| difference.finish(&scales)).collect();
    checks.push(Check {
        name: "summary",
        rule: "steps, t_end and state_hash",
        finding: fingerprint.compare(&run, &before, count, &missing.rows),
    });
    checks.push(Check {
        name: "events",
        rule: "counts, times, contacts, impulses; close and open again",
        finding: events.finish(&run)?,
    });
    let sizes = Sizes { energy: scales.of(Scale::Energy), length: scales.of(Scale::Length) };
    checks.extend(check_summary(&run, &fingerprint, &sizes, &missing.rows));
    checks.push(momentum_verdict);
    checks.push(check_checksums(&run));
    Ok(Verification { checks })
}
