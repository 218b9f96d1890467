//! What can be recomputed from one stored state at a time.
//!
//!   T = ½ vᵀM v,    V(q),    g(q),    U = ∂g/∂q·v,    p_N ≥ 0,    joints

use super::TOLERANCE;
use super::differences::{LargestDifference, Scale};
use super::equations::contact_frame::{LawFrame, SUMMED, TAKEN_BACK};
use super::equations::turn_count::TurnCount;
use super::missing_data::MissingData;
use crate::build::scenario::Scenario;
use crate::error::Result;
use crate::run::folder::{Row, RunFolder};
use percussion_step::{Activation, ContactFrame, ContactState};

/// The checks of single states.
pub struct StateChecks<'a> {
    scenario: &'a Scenario,
    frame: LawFrame,
    turns: TurnCount,
    rows: LargestDifference,
    kinetic: LargestDifference,
    potential: LargestDifference,
    energy: LargestDifference,
    gap: LargestDifference,
    velocity: LargestDifference,
    cone: LargestDifference,
    work_joints: LargestDifference,
    joints: LargestDifference,
    /// The largest violation of a joint: in the summary, and in the rows.
    certified: f64,
    drift: f64,
    /// Steps made before the first row.
    begun: f64,
}

impl<'a> StateChecks<'a> {
    /// `certified` is the largest violation of a joint in the summary.
    pub fn new(run: &'a RunFolder, frame: LawFrame, missing: &MissingData, certified: f64) -> Result<Self> {
        let scenario = &run.loaded.scenario;
        let rows_known = missing.rows_known;
        let linear = scenario.linear().is_some();
        let either = |linear_rule, rule| if linear { linear_rule } else { rule };
        let times = match scenario.adaptive {
            Some(_) => "t rising; tables side by side",
            None => "t = step·h, rising; tables side by side",
        };
        let turns = TurnCount::new(run)?;
        let lost = (scenario.every > 1 && turns.lost_between_rows())
            .then(|| "turns of hinges are lost between rows".to_string());
        let summed = (scenario.scheme.facts().contact_frame == ContactFrame::Parts).then_some(SUMMED);
        let taken_back = (scenario.scheme.activation == Activation::Equilibrium).then_some(TAKEN_BACK);
        let unsigned = summed.or(taken_back).map(str::to_string);
        let unjoined = (scenario.model().n_joints() == 0).then(|| "the model has no joint".to_string());
        Ok(Self {
            scenario,
            frame,
            turns,
            rows: LargestDifference::new("rows", times, Scale::Exact),
            kinetic: LargestDifference::new("kinetic", either("½ vᵀMv", "½ vᵀM(q)v"), Scale::Energy),
            potential: LargestDifference::new("potential", either("½ qᵀKq", "V(q)"), Scale::Energy).unless(&lost),
            energy: LargestDifference::new("energy", "kinetic + potential", Scale::Energy).unless(&lost),
            gap: LargestDifference::new("gap", either("Gᵀq + w", "g(q)"), Scale::Length).unless(&missing.contacts),
            velocity: LargestDifference::new("u_n", either("Gᵀv + ẇ", "∂g/∂q · v"), Scale::Velocity)
                .unless(&missing.contacts)
                .within(rows_known),
            cone: LargestDifference::new("impulses", "p_n ≥ 0", Scale::Impulse).unless(&unsigned),
            work_joints: LargestDifference::new("work_joints", "0: joints do not work", Scale::Energy)
                .unless(&missing.scheme.clone().or(missing.projection.clone())),
            joints: LargestDifference::new("joints", "the largest violation is the summary's", Scale::Length)
                .unless(&unjoined),
            certified,
            begun: 0.0,
            drift: 0.0,
        })
    }

    /// Takes in a row and the one before.
    pub fn row(&mut self, row: &Row, before: &Row, first: bool) -> Result<()> {
        self.time(row, before, first);
        let (model, state, entry) = (self.scenario.model(), &row.state, &row.ledger);
        self.turns.go(before, row, first)?;
        let (T, V) = (model.kinetic_energy(&state.q, &state.v), self.turns.potential_energy(&state.q));
        self.kinetic.compare(entry.kinetic - T, row, None);
        self.potential.compare(entry.potential - V, row, None);
        self.energy.compare(row.energy - (T + V), row, None);
        self.work_joints.compare(entry.work_joints, row, None);
        for c in &row.contacts {
            self.cone.compare(c.p.min(0.0), row, Some(c.id));
            self.contact(c, row, before);
        }
        // drift belongs to some schemes: the certificate judges it, here only its size is confirmed
        for k in 0..if first { 0 } else { model.n_joints() } {
            let violation = model.joint(k, &state.q).abs();
            self.drift = self.drift.max(violation);
            self.joints.compare((violation - self.certified).max(0.0), row, None);
        }
        Ok(())
    }

    /// Numbers and times of rows.
    fn time(&mut self, row: &Row, before: &Row, first: bool) {
        let (scenario, t) = (self.scenario, row.state.t);
        let adaptive = scenario.adaptive.is_some();
        let h = if adaptive && !first { t - before.state.t } else { scenario.step };
        if first {
            // a record of a live simulation may begin later than at t = 0
            self.begun = (t / h).round();
        }
        let expected = if adaptive { t } else { (self.begun + row.step as f64) * h };
        let in_time = !adaptive || if first { t == 0.0 } else { h > 0.0 && t <= scenario.end };
        let side_by_side = t == row.ledger_t && row.contacts_in_time;
        let rising = if first { row.step == 0 } else { row.step > before.step };
        let late = if in_time && side_by_side && rising { (t - expected).abs() / expected.max(h) } else { 1.0 };
        self.rows.compare(if late > 1e-12 { late.max(TOLERANCE) } else { 0.0 }, row, None);
        let gapless = scenario.every > 1 || first || row.step == before.step + 1;
        if !gapless {
            self.rows.compare(1.0, row, None);
        }
    }

    /// Gap and velocity of a contact.
    fn contact(&mut self, c: &ContactState, row: &Row, before: &Row) {
        let (model, state) = (self.scenario.model(), &row.state);
        let mut u = None;
        if let Some(scene) = model.bodies() {
            if self.scenario.every > 1 || !scene.has_lasting_gap(c.id as u64) {
                return;
            }
            u = Some(self.frame.velocity(scene, c.id, &before.state, state)[0]);
        }
        // a node without mass that pushes has the velocity of its law, 0 ≤ g/h ⟂ p
        let by_gap = self.scenario.scheme.activation == Activation::Gap;
        if by_gap && c.p > 0.0 && model.linear().is_some_and(|linear| linear.has_massless()) {
            if self.scenario.every > 1 {
                return;
            }
            u = Some(model.gap(c.id, &state.q, state.t) / self.scenario.step);
        }
        let mut gap = None;
        if let Some(solid) = model.finite_solid() {
            // what a node touches is found at the start of each step
            if self.scenario.every > 1 {
                return;
            }
            let found = solid.after(c.id, &before.state.q, (&state.q, &state.v, state.t));
            (gap, u) = (found.map(|(gap, _)| gap), found.map(|(_, u)| u));
        }
        let u = u.unwrap_or_else(|| model.gap_rate(c.id, &state.q, &state.v, state.t));
        let gap = gap.unwrap_or_else(|| model.gap(c.id, &state.q, state.t));
        self.gap.compare(c.gap - gap, row, Some(c.id));
        self.velocity.compare(c.u_after - u, row, Some(c.id));
    }

    /// What was found; `last` is the last row.
    pub fn finish(mut self, last: &Row) -> [LargestDifference; 9] {
        if self.scenario.every == 1 {
            self.joints.compare(self.certified - self.drift, last, None);
        }
        let Self { rows, kinetic, potential, energy, gap, velocity, cone, work_joints, joints, .. } = self;
        [rows, kinetic, potential, energy, gap, velocity, cone, work_joints, joints]
    }
}
