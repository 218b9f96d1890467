//! What the scheme's equations and the impact law say about two consecutive rows.
//!
//!   ΔH = work_external + work_damping + work_contact − dissipation + residual,    0 ≤ U⁺ + êU ⟂ p_N

use super::differences::{LargestDifference, Scale};
use super::equations::replay::{Contacts, Replay};
use super::missing_data::{MissingData, Reason};
use crate::build::scenario::Scenario;
use crate::run::folder::Row;
use percussion_step::{Ability, Activation, Stored};

/// The checks of steps.
pub struct StepChecks<'a> {
    scenario: &'a Scenario,
    /// Whether the scheme's equations are followed.
    followed: bool,
    replay: Option<Replay>,
    law: LargestDifference,
    index: LargestDifference,
    position: LargestDifference,
    momentum: LargestDifference,
    external: LargestDifference,
    damping: LargestDifference,
    contact: LargestDifference,
    dissipation: LargestDifference,
    algorithmic: LargestDifference,
    residual: LargestDifference,
}

impl<'a> StepChecks<'a> {
    /// Nothing seen yet.
    pub fn new(scenario: &'a Scenario, missing: &MissingData) -> Self {
        let law = if by_position(scenario) { "0 ≤ g ⟂ p_n" } else { "0 ≤ U⁺ + êU ⟂ p_n" };
        let index = "every contact the rule admits has a row";
        let momentum = "the scheme's equation for v, with G P";
        let placed = |reason: &Reason| reason.clone().or(missing.projection.clone());
        Self {
            scenario,
            followed: missing.step.is_none(),
            replay: None,
            law: LargestDifference::new("impact law", law, Scale::Velocity).unless(&missing.step),
            index: LargestDifference::new("index set", index, Scale::Length).unless(&placed(&missing.step)),
            position: LargestDifference::new("positions", "the scheme's equation for q", Scale::Length)
                .unless(&placed(&missing.motion)),
            // the forces at the end of a step are those before the lift
            momentum: LargestDifference::new("velocities", momentum, Scale::Velocity).unless(&missing.motion),
            external: LargestDifference::new("work_external", "loads and moving obstacles", Scale::Energy)
                .unless(&missing.loads),
            damping: LargestDifference::new("work_damping", "−Δqᵀ C v", Scale::Energy).unless(&missing.step),
            contact: LargestDifference::new("work_contact", "Uᵀ P between the states", Scale::Energy)
                .unless(&missing.step),
            dissipation: LargestDifference::new("dissipation", "the scheme's own terms", Scale::Energy)
                .unless(&placed(&missing.dissipation)),
            algorithmic: LargestDifference::new("algorithmic_energy", "H of the scheme", Scale::Energy)
                .unless(&missing.acceleration),
            residual: LargestDifference::new("residual", "ΔH − works + dissipation", Scale::Energy)
                .unless(&missing.balance),
        }
    }

    /// Takes in a row and the one before.
    pub fn row(&mut self, row: &Row, before: &Row, first: bool) {
        if first {
            return self.start(row);
        }
        let adaptive = self.scenario.adaptive.is_some();
        let h = if adaptive { row.state.t - before.state.t } else { self.scenario.step };
        if let (Some(replay), true) = (&mut self.replay, adaptive) {
            replay.set_step(h);
        }
        self.balance(row, before);
        if self.replay.is_some() {
            self.equations(row, before);
            self.law(row, before, h);
        }
    }

    /// The initial state: no work has been done.
    fn start(&mut self, row: &Row) {
        let (scenario, entry) = (self.scenario, &row.ledger);
        let model = scenario.linear().filter(|_| self.followed);
        self.replay = model.and_then(|model| Replay::new(model, &scenario.scheme, scenario.step, &row.state));
        if let Some(replay) = &self.replay {
            let booked = model.map_or(0.0, |model| model.potential_work(&row.state.q));
            self.algorithmic.compare(entry.algorithmic_energy + booked - replay.present_energy(&row.state), row, None);
        }
        let works = [entry.work_external, entry.work_damping, entry.work_contact, entry.dissipation_numerical];
        works.into_iter().for_each(|work| self.residual.compare(work, row, None));
    }

    /// The ledger against itself; thinned rows keep the largest residual of so many steps.
    fn balance(&mut self, row: &Row, before: &Row) {
        let entry = &row.ledger;
        let jumping = self.scenario.adaptive.is_some() && self.scenario.scheme.facts().has(Ability::EnergyOfStep);
        let H_before = match &self.replay {
            Some(replay) if jumping => replay.present_energy(&before.state) - self.booked(&before.state.q),
            _ => before.ledger.algorithmic_energy,
        };
        let change = entry.algorithmic_energy - H_before;
        let balance = change - entry.work_external - entry.work_damping - entry.created();
        let steps = row.step.saturating_sub(before.step).max(1) as f64;
        let difference =
            if steps > 1.0 { (balance.abs() - steps * entry.balance.abs()).max(0.0) } else { balance - entry.balance };
        self.residual.compare(difference, row, None);
    }

    /// F_cᵀq of a load booked as a potential.
    fn booked(&self, q: &[f64]) -> f64 {
        self.scenario.linear().map_or(0.0, |model| model.potential_work(q))
    }

    /// Positions, velocities and works by the scheme's equations.
    fn equations(&mut self, row: &Row, before: &Row) {
        let Some(replay) = &mut self.replay else { return };
        let contacts = Contacts { normal: &row.contacts, along: &row.friction };
        let (entry, again) = (&row.ledger, replay.step(&before.state, &row.state, contacts));
        // what was booked as a potential is work to the scheme's equations
        let booked = self.scenario.linear().map_or([0.0; 2], |m| [&before, &row].map(|r| m.potential_work(&r.state.q)));
        self.position.compare(again.position, row, None);
        self.momentum.compare(again.velocity, row, None);
        self.external.compare(entry.work_external + booked[1] - booked[0] - again.work_external, row, None);
        self.damping.compare(entry.work_damping - again.work_damping, row, None);
        self.contact.compare(entry.work_contact - again.work_contact, row, None);
        self.dissipation.compare(entry.dissipation_numerical - again.dissipation_numerical, row, None);
        self.algorithmic.compare(entry.algorithmic_energy + booked[1] - again.algorithmic_energy, row, None);
    }

    /// Which contacts are in the index set, and the impact law of those that are.
    fn law(&mut self, row: &Row, before: &Row, h: f64) {
        let (model, scheme) = (self.scenario.model(), &self.scenario.scheme);
        let by_position = by_position(self.scenario);
        // there a contact may push positions alone, and the law of velocities leaves it out
        let pushing = matches!(scheme.facts().stored, Stored::Projected(_));
        for i in 0..model.n_contacts() {
            let u = model.gap_rate(i, &before.state.q, &before.state.v, before.state.t);
            let g = model.gap(i, &before.state.q, before.state.t);
            let listed = row.contacts.binary_search_by_key(&i, |c| c.id).ok().map(|k| row.contacts[k]);
            let admitted = match scheme.activation {
                _ if by_position => Some(0.0),
                Activation::Hold => Some(-(g + h * u)),
                Activation::PredictedAndClosing => (u <= 0.0).then_some(-(g + h * u)),
                Activation::Predicted { prediction } => Some(-(g + prediction * h * u)),
                Activation::Gap | Activation::Equilibrium => None,
            };
            match (listed, admitted) {
                (None, Some(depth)) => self.index.compare(depth.max(0.0), row, Some(i)),
                (Some(c), _) if by_position => {
                    // U is not in this law; a pushing contact is closed, none penetrates
                    let violation = if c.p > 0.0 { c.gap.abs() } else { (-c.gap).max(0.0) };
                    self.law.compare(violation / h, row, Some(i));
                }
                (Some(c), _) if pushing && c.p == 0.0 => {}
                (Some(c), _) => {
                    let e = scheme.impact_law.map_or(model.restitution(i), |law| law.at(i, u, model.restitution(i)));
                    let e = scheme.activation.restitution(u, e, scheme.facts().opening_restitution);
                    let after = c.u_after + e * u;
                    self.law.compare(if c.p > 0.0 { after } else { after.min(0.0) }, row, Some(i));
                }
                (None, None) => {}
            }
        }
    }

    /// What was found.
    pub fn finish(self) -> [LargestDifference; 10] {
        let Self {
            law, index, position, momentum, external, damping, contact, dissipation, algorithmic, residual, ..
        } = self;
        [law, index, position, momentum, external, damping, contact, dissipation, algorithmic, residual]
    }
}

/// Whether the contact law is one of positions.
fn by_position(scenario: &Scenario) -> bool {
    matches!(scenario.scheme.facts().stored, Stored::Implicit { on_positions: true, .. })
}
